"""Points on a circle, on a sphere, on a turning wire: constrained, and in what is left."""

import numpy as np
import pytest
import sympy
from sympy import Matrix, symbols

import visviva as vv
from tests.support.generators.lagrangians import g, m, q1, q2, q3, same, same_fractions, v1, v2, v3

k, W, R = symbols("k Omega R")


def test_S8_point_on_a_circle_by_its_constraint_and_by_its_angle():
    """x² + y² = R²; in the angle m R² θ'' = R (-sin θ f_x + cos θ f_y)."""
    values = {"m": 1.3, "R": 0.7}
    held = vv.catalog.point_on_circle(constrained=True, **values)
    reduced = vv.catalog.point_on_circle(**values)
    for angle, rate in ((0.4, 1.1), (2.5, -0.6), (-1.2, 0.0)):
        c, s = np.cos(angle), np.sin(angle)
        q, along = 0.7 * np.array([c, s]), 0.7 * np.array([-s, c])
        force = np.array([0.8, -0.5])
        np.testing.assert_allclose(held.constraint_error(q), 0, atol=1e-15)
        a = held.forward_dynamics(q, along * rate, force)
        f = reduced.actuator_map([angle]) @ force
        acc = reduced.forward_dynamics([angle], [rate], f)
        np.testing.assert_allclose(a, along * acc - q * rate**2, atol=1e-12)
        np.testing.assert_allclose(acc, (c * force[1] - s * force[0]) / (1.3 * 0.7), rtol=1e-12)
        wanted = 1.3 * a - force
        np.testing.assert_allclose(
            held.constraint_forces(q, along * rate, force), wanted, atol=1e-12
        )
        assert abs(wanted @ along) < 1e-12  # no virtual work


def test_S22_point_on_the_sphere_in_symbols():
    """A = qᵀ, λ = -(m |q'|² + q · u) / |q|², P = 1 - q qᵀ / |q|²."""
    s = vv.catalog.point_on_sphere()
    form = s.closed_form()
    x, rate = Matrix([q1, q2, q3]), Matrix([v1, v2, v3])
    force = Matrix(form.generalized_forces)
    assert same(form.constraint_matrix, x.T)
    place = np.random.default_rng(0).normal(size=3)
    np.testing.assert_allclose(s.constraint_error(place), [(place @ place - 1) / 2], rtol=1e-14)
    square = x.dot(x)
    lam = -(m * rate.dot(rate) + x.dot(force)) / square
    assert same_fractions(form.multipliers, [lam])
    P = sympy.eye(3) - x * x.T / square
    assert same_fractions(form.projection, P)
    a = P * force / m - x * rate.dot(rate) / square
    truth = form.forward_dynamics
    assert same_fractions(truth, a)
    assert same_fractions(P * truth, P * force / m)  # P q'' = P u / m


def test_S22_point_on_the_sphere_against_latitude_and_longitude():
    held = vv.catalog.point_on_sphere(m=1.6)
    free = vv.Lagrangian(
        "x y z", "m*(x'^2 + y'^2 + z'^2)/2", parameters={"m": 1.6}, forces=["0.3", "-0.8", "0.5"]
    )
    where = {"x": "cos(q1)*cos(q2)", "y": "cos(q1)*sin(q2)", "z": "sin(q1)"}
    reduced = free.in_coordinates("q1 q2", where)
    force, angles, rates = np.array([0.3, -0.8, 0.5]), [0.4, 1.1], [0.7, -0.9]
    (lat, lon), (dlat, dlon) = angles, rates
    acc = reduced.forward_dynamics(angles, rates, [0.0, 0.0])
    c1, s1, c2, s2 = np.cos(lat), np.sin(lat), np.cos(lon), np.sin(lon)
    q = np.array([c1 * c2, c1 * s2, s1])
    J = np.array([[-s1 * c2, -c1 * s2], [-s1 * s2, c1 * c2], [c1, 0.0]])
    Jd = np.array(
        [
            [-c1 * c2 * dlat + s1 * s2 * dlon, s1 * s2 * dlat - c1 * c2 * dlon],
            [-c1 * s2 * dlat - s1 * c2 * dlon, -s1 * c2 * dlat - c1 * s2 * dlon],
            [-s1 * dlat, 0.0],
        ]
    )
    a = held.forward_dynamics(q, J @ rates, force)
    np.testing.assert_allclose(a, J @ acc + Jd @ rates, atol=1e-12)


def test_S41_bead_in_symbols():
    """λ1 = m (g + 2k x'² + 2k Ω² x²) / (1 + 4k²x²) = m (g + z''), λ2 = 2 m x x' Ω."""
    form = vv.catalog.bead_on_rotating_wire(constrained=True).closed_form()
    x, xd = symbols("x xd")
    v = Matrix([xd, 2 * k * x * xd, W])
    on_the_wire = {symbols("z"): k * x**2, **dict(zip(form.velocities, v, strict=True))}
    on_the_wire |= dict.fromkeys(form.generalized_forces, 0)
    assert same(form.constraint_matrix, Matrix([[-2 * k * x, 1, 0], [0, 0, 1]]))
    assert same(form.constraint_drift, [0, -W])
    assert same(form.constraint_matrix * v + form.constraint_drift, [0, 0])
    lam = form.multipliers.subs(on_the_wire)
    wall = m * (g + 2 * k * xd**2 + 2 * k * W**2 * x**2) / (1 + 4 * k**2 * x**2)
    assert same_fractions([lam[0] - wall], [0])
    assert same_fractions([lam[1] - 2 * m * x * xd * W], [0])
    a = form.forward_dynamics.subs(on_the_wire)
    assert same_fractions([lam[0] - m * (g + a[1])], [0])
    equation = (1 + 4 * k**2 * x**2) * a[0] + 4 * k**2 * x * xd**2 - W**2 * x + 2 * g * k * x
    assert same_fractions([equation], [0])
    assert same_fractions([a[2]], [0])


@pytest.mark.parametrize(("x", "rate"), [(0.4, 0.3), (-1.1, 0.8)])
def test_S41_bead_constrained_and_in_its_one_coordinate(x, rate):
    values = {"m": 2.0, "k": 0.5, "Omega": 3.0, "g": 9.81}
    held = vv.catalog.bead_on_rotating_wire(constrained=True, **values)
    reduced = vv.catalog.bead_on_rotating_wire(**values)
    q, v = [x, 0.5 * x**2, 0.7], [rate, x * rate, 3.0]
    a = held.forward_dynamics(q, v, np.zeros(3))
    acc = reduced.forward_dynamics([x], [rate], [0.0])
    np.testing.assert_allclose(a, [*acc, x * acc[0] + rate**2, 0.0], atol=1e-12)
    lam = held.multipliers(q, v, np.zeros(3))
    power = v @ held.inverse_dynamics(q, v, a)  # dE/dt: all of the motor's, none of the wire's
    np.testing.assert_allclose(power, lam[1] * 3.0, atol=1e-11)
    np.testing.assert_allclose(lam[1], 2 * 2.0 * x * rate * 3.0, rtol=1e-12)
