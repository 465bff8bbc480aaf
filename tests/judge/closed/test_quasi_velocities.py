"""Equations in velocities that are no rates: compared in numbers with those in rates."""

import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.errors import ArgumentError, UnknownNameError

CART = {"xd": "u*cos(phi) - w*sin(phi)", "yd": "u*sin(phi) + w*cos(phi)"}
SYSTEMS = {
    "mobile_manipulator": ("u w phid thetad1 thetad2", CART),
    "two_link": ("w1 w2", {"qd1": "w1", "qd2": "w2 - w1"}),
    "polar_point": ("u w", {"rd": "u*cos(theta) + w*sin(theta)",
                            "thetad": "(w*cos(theta) - u*sin(theta))/r"}),
    "spherical": ("a1 a2 rd", {"thetad": "a1 + r*a2", "phid": "a2*cos(theta) - a1"}),
    "spherical_pendulum": ("w1 w2", {"thetad": "w1", "phid": "w2/sin(theta)"}),
}  # fmt: skip


def numbers(form, q, u, a=None):
    values = dict(form.parameters) | dict(zip(form.coordinates, q, strict=True))
    values |= dict(zip(form.velocities, u, strict=True))
    values |= dict(zip(form.accelerations, u * 0 if a is None else a, strict=True))
    return lambda x: np.array(sympy.Matrix([x]).xreplace(values).evalf(20).tolist(), dtype=float)


@pytest.mark.parametrize("name", SYSTEMS)
def test_forces_are_those_of_the_rates_carried_over(name):
    system = getattr(vv.catalog, name)()
    form = system.in_velocities(*SYSTEMS[name])
    rng = np.random.default_rng(3)
    for _ in range(3):
        q = rng.uniform(0.4, 1.2, system.nv)
        u, a = rng.normal(size=(2, len(form.velocities)))
        at = numbers(form, q, u, a)

        def map_at(q, form=form, u=u):
            return numbers(form, q, u)(form.velocity_map)

        B = map_at(q)
        v, h = B @ u, 1e-5
        rate = (8 * (map_at(q + h * v) - map_at(q - h * v))
                - (map_at(q + 2 * h * v) - map_at(q - 2 * h * v))) / (12 * h)  # fmt: skip
        tau = system.inverse_dynamics(q, v, B @ a + rate @ u)
        # 1e-9: the rate of B is by differences
        np.testing.assert_allclose(at(form.equations).ravel(), B.T @ tau, rtol=1e-9, atol=1e-9)
        M = B.T @ system.mass_matrix(q) @ B
        np.testing.assert_allclose(at(form.mass_matrix), M, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(at(form.kinetic_energy)[0, 0], u @ M @ u / 2, rtol=1e-12)


@pytest.mark.parametrize("name", SYSTEMS)
def test_rate_of_mass_less_twice_coriolis_is_skew(name):
    form = getattr(vv.catalog, name)().in_velocities(*SYSTEMS[name])
    v = form.velocity_map * sympy.Matrix(form.velocities)
    rate = sum((form.mass_matrix.diff(q) * x for q, x in zip(form.coordinates, v, strict=True)),
               sympy.zeros(len(form.velocities)))  # fmt: skip
    S = rate - 2 * form.coriolis_matrix
    rng = np.random.default_rng(1)
    x = numbers(form, rng.uniform(0.4, 1.2, len(form.coordinates)), rng.normal(size=S.rows))(S)
    np.testing.assert_allclose(x, -x.T, atol=1e-12)


def test_the_cart_does_not_know_which_way_it_heads():
    arm = vv.catalog.mobile_manipulator()
    form = arm.in_velocities(*SYSTEMS["mobile_manipulator"])
    assert form.invariant_coordinates == ["x", "y", "phi"]
    assert arm.closed_form().invariant_coordinates == ["x", "y"]


REDUCED = {
    "knife_edge": ("speed qd3", {"qd1": "speed*cos(q3)", "qd2": "speed*sin(q3)"}),
    "chaplygin_sleigh": ("speed thetad", {"xd": "speed*cos(theta)", "yd": "speed*sin(theta)"}),
    "rolling_disc": ("thetad psid", {"xd": "r*psid*cos(theta)", "yd": "r*psid*sin(theta)"}),
}


@pytest.mark.parametrize("name", REDUCED)
def test_constraints_that_velocities_fulfil_leave_no_multiplier(name):
    system = getattr(vv.catalog, name)()
    form = system.in_velocities(*REDUCED[name])
    assert (form.held_by, form.multiplier_symbols) == ((), ())
    rng = np.random.default_rng(5)
    q, tau = rng.uniform(0.2, 1.2, system.nv), rng.normal(size=system.nv)
    u = rng.normal(size=len(form.velocities))
    at = numbers(form, q, u)
    B = at(form.velocity_map)
    forces = B.T @ tau - at(form.equations).ravel()
    udot = np.linalg.solve(at(form.mass_matrix), forces)
    a = system.forward_dynamics(q, B @ u, tau)
    moving = form.velocity_map * sympy.Matrix(form.velocities)
    rate = sum((form.velocity_map.diff(c) * x * 1
                for c, x in zip(form.coordinates, moving, strict=True)),
               sympy.zeros(*form.velocity_map.shape))  # fmt: skip
    np.testing.assert_allclose(B @ udot + at(rate) @ u, a, rtol=1e-12, atol=1e-12)


def test_what_is_left_of_a_constraint_keeps_its_multiplier():
    disc = vv.catalog.rolling_disc()
    form = disc.in_velocities("speed thetad psid",
                              {"xd": "speed*cos(theta)", "yd": "speed*sin(theta)"})  # fmt: skip
    assert [str(x) for x in form.multiplier_symbols] == ["lambda2"]
    assert form.constraint_matrix.tolist() == [[1, 0, -sympy.Symbol("r")]]
    assert "λ₂" in form.latex("equations") or "lambda_{2}" in form.latex("equations")
    for to in (form.latex, form.markdown, form.html, form.python_source, form.c_source):
        assert to("standard")
        assert to("constraints")
    with pytest.raises(AttributeError, match="has no 'christoffel'"):
        _ = form.christoffel


def test_constraints_on_accelerations_are_those_of_the_rates_carried_over():
    """A (B u̇ + Ḃ u) + β, with velocities that turn with the disc."""
    disc = vv.catalog.rolling_disc()
    form = disc.in_velocities("u w thetad psid", {"xd": "u*cos(theta) - w*sin(theta)",
                                                  "yd": "u*sin(theta) + w*cos(theta)"})  # fmt: skip
    rng = np.random.default_rng(2)
    q, u, a = rng.normal(size=(3, 4))
    at, h = numbers(form, q, u, a), 1e-5
    v = (at(form.velocity_map) @ u).ravel()
    ahead, behind = (numbers(form, q + s * h * v, u)(form.velocity_map) for s in (1, -1))
    A, beta = disc.constraint_matrix(q), disc.constraint_bias(q, v)
    there = at(form.velocity_map) @ a + (ahead - behind) @ u / (2 * h)
    mine = at(form.constraint_matrix) @ a + at(form.constraint_bias).ravel()
    np.testing.assert_allclose(mine, A @ there + beta, rtol=1e-8, atol=1e-8)


def test_what_makes_no_velocities_is_refused():
    arm = vv.catalog.two_link()
    with pytest.raises(ArgumentError, match="are sums of new ones"):
        arm.in_velocities("w1 w2", {"qd1": "w1^2", "qd2": "w2"})
    with pytest.raises(ArgumentError, match="qd2 = qd2"):
        arm.in_velocities("w1 w2", {"qd1": "w1"})
    with pytest.raises(ArgumentError, match="depend on each other"):
        arm.in_velocities("w1 w2", {"qd1": "w1 + w2", "qd2": "w1 + w2"})
    with pytest.raises(UnknownNameError, match="unknown velocity 'q1'"):
        arm.in_velocities("w1", {"q1": "w1"})
    with pytest.raises(ArgumentError, match="two things"):
        arm.in_velocities("m1 w2", {"qd1": "m1", "qd2": "w2"})
    with pytest.raises(ArgumentError, match="no rates of coordinates"):
        vv.catalog.tumbling_body().in_velocities("w", {})
