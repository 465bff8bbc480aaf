"""From energies to the standard form: M, C, g, momenta, and what a change of coordinates keeps."""

import numpy as np
import pytest
import sympy
from sympy import Matrix, cos, diff, sin, symbols

import visviva as vv
from tests.support.generators.bodies import close
from tests.support.generators.lagrangians import gammas, is_zero, m, rp_arm, steps
from visviva import Lagrangian, coordinates, parameters
from visviva.errors import UnknownNameError
from visviva.pencil import (
    conserved_momenta,
    cyclic_coordinates,
    equations,
    formula,
    invariant_coordinates,
    kind,
    leading_minors,
    power_balance,
    where_singular,
)


def polar():
    s = Lagrangian("x y", "m*(x'^2 + y'^2)/2", parameters={"m": 1.0})
    return s, s.in_coordinates("r theta", {"x": "r*cos(theta)", "y": "r*sin(theta)"})


def test_C1_coordinates_on_lines_and_circles():
    """q in R² × S¹ and u of forces and a torque (example 10.1.1): what differs, moves and works."""
    names = {"angles": "q3", "forces": {"q1": "F", "q3": "N"}}
    T = "(m*(q1'^2 + q2'^2) + I*q3'^2)/2"
    values = {"m": 2.0, "I": 0.5, "F": 3.0, "N": 0.25}
    s = Lagrangian("q1 q2 q3", T, parameters=values, **names)
    assert s.nq == s.nv == len(s.applied_forces([0, 0, 0])) == 3
    assert s.coordinate_units[2] == "rad"
    lap = [7.0, 7.0, 7.0]
    close(s.difference([0, 0, 0], lap), [7, 7, 7 - 2 * np.pi], 1e-15)  # the angle comes round
    close(s.integrate(lap, -s.difference([0, 0, 0], lap)), [0, 0, 2 * np.pi], 1e-14)
    close(s.applied_forces([0, 0, 0]), [3.0, 0, 0.25], 0)
    assert s.check("[F, 0, N] + [tau1, tau2, tau3] = [m q1'', m q2'', I q3'']").is_identical
    run = s.simulate([0, 0, 0], [0, 0, 0], 8.0, rtol=1e-11, atol=1e-12)
    close(run.q[-1], [0.75 * 64, 0, 0.25 * 64], 1e-9)  # more than two laps, counted on
    work = run.q[-1] @ [3.0, 0, 0.25]  # Σ u dq
    close(s.kinetic_energy(run.q[-1], run.v[-1]), work, 1e-8)
    with pytest.raises(UnknownNameError, match="q4"):
        Lagrangian("q1 q2 q3", T, parameters=values, angles="q4")


def test_C2_energies_give_equations():
    theta = coordinates("theta")
    m, length, g = parameters("m l g")
    K = m * length**2 * theta.diff("t") ** 2 / 2
    s = Lagrangian(theta, K, -m * g * length * cos(theta))
    th, thdd, m, length, g = symbols("theta thetadd m l g")
    assert is_zero(equations(s)[0] - m * length**2 * thdd - m * g * length * sin(th))


def test_C4_momenta_and_those_that_are_conserved():
    _, s = polar()
    r, thetad = symbols("r thetad")
    assert cyclic_coordinates(s) == ("theta",)
    assert is_zero(conserved_momenta(s)["theta"] - m * r**2 * thetad)
    q, v = np.array([0.7, 0.2]), np.array([0.3, 0.8])
    close(s.generalized_momentum(q, v), [0.3, 0.49 * 0.8], 1e-15)
    end = steps(
        lambda y: np.concatenate([y[2:], s.forward_dynamics(y[:2], y[2:], [0, 0])]),
        np.concatenate([q, v]), 1.0, 400,
    )  # fmt: skip
    p = s.generalized_momentum(end[:2], end[2:])
    close(p[1], 0.49 * 0.8, 1e-10)  # the integrator's error
    assert abs(p[0] - 0.3) > 0.1
    braked = Lagrangian("x", "x'^2/2", dissipation="x'^2")
    assert cyclic_coordinates(braked) == ("x",)
    assert conserved_momenta(braked) == {}


@pytest.mark.parametrize("held", ["x = R*phi", "phi = omega*t", "x' = R*phi'", "x^2 + phi^2 = R"])
def test_momenta_on_which_constraints_act_are_not_conserved(held):
    values = {"m": 1.0, "I": 0.5, "R": 0.5, "omega": 2.0}
    T = "m*(x'^2 + y'^2)/2 + I*phi'^2/2"
    s = Lagrangian("x phi y", T, "m*x*sin(0.3)", constraints=held, parameters=values)
    assert cyclic_coordinates(s) == ("phi", "y")
    assert list(conserved_momenta(s)) == ["y"]


def test_constraints_that_move_give_power():
    """dh/dt = -λ a₀ on a belt, and a bead on a wire that turns; a wheel that rolls gets none."""
    u, force = symbols("u lambda1")
    belt = Lagrangian("x", "m*x'^2/2", constraints="x' = u", parameters={"m": 1.0, "u": 2.0})
    assert power_balance(belt) == u * force
    assert not kind(belt).conservative
    values = {"m": 1.0, "omega": 2.0, "k": 3.0}
    held, V = "phi = omega*t", "k*r^2/2"
    bead = Lagrangian("r phi", "m*(r'^2 + r^2*phi'^2)/2", V, constraints=held, parameters=values)
    q, v = [0.5, 0.0], [0.1, 2.0]
    a = bead.forward_dynamics(q, v, [0, 0])
    rate = v[0] * a[0] + q[0] * v[0] * v[1] ** 2 + 3.0 * q[0] * v[0]
    values = {"lambda1": bead.multipliers(q, v, [0, 0])[0], "omega": 2.0}
    close(float(power_balance(bead).subs(values)), rate, 1e-12)
    wheel = Lagrangian("x phi", "x'^2 + phi'^2", constraints="x = phi")
    assert power_balance(wheel) == 0
    assert kind(wheel).conservative


def test_C5_standard_form():
    s = rp_arm()
    q, v, a = np.random.default_rng(0).uniform(0.2, 1, (3, 2))
    tau = s.mass_matrix(q) @ a + s.coriolis_matrix(q, v) @ v + s.gravity_forces(q)
    close(s.inverse_dynamics(q, v, a), tau, 1e-14)
    total = formula(s, "mass_matrix") * Matrix(s.names.a) + Matrix(formula(s, "gravity"))
    total += formula(s, "coriolis_matrix") * Matrix(s.names.v)
    assert all(is_zero(x) for x in total - Matrix(equations(s)))


def test_C6_mass_matrix_from_kinetic_energy():
    s = rp_arm()
    M, V = formula(s, "mass_matrix"), Matrix(s.names.v)
    assert is_zero((V.T * M * V)[0] / 2 - s.kinetic)
    for i, x in enumerate(s.names.v):
        for j, y in enumerate(s.names.v):
            assert is_zero(M[i, j] - diff(s.kinetic, x, y))


def test_C7_where_the_mass_matrix_is_positive():
    """By Sylvester's minors; determinant and trace alone decide nothing beyond 2 × 2."""
    s = rp_arm()
    m2 = symbols("m2")
    minors = leading_minors(s)
    assert is_zero(minors[1] - m2 * minors[0])
    odd = Lagrangian("x y z", "(-x'^2 - y'^2 + 5*z'^2)/2")
    M = formula(odd, "mass_matrix")
    assert (M.det(), M.trace()) == (5, 3)
    assert leading_minors(odd) == [-1, 1, 5]
    assert is_zero(where_singular(polar()[1]) - m**2 * symbols("r") ** 2)
    body = vv.catalog.euler_body()
    assert np.linalg.matrix_rank(body.mass_matrix([0.3, 0.2, 0.0])) == 2


def test_C8_christoffel_symbols():
    s = rp_arm()
    q = np.array([0.4, 0.6])
    gamma = s.christoffel(q)
    h = s.parameters["m2"] * 0.6
    expected = np.zeros((2, 2, 2))
    expected[0, 0, 1] = expected[0, 1, 0] = h
    expected[1, 0, 0] = -h
    close(gamma, expected, 1e-15)


def test_C10_as_a_vector_of_quadratic_forms():
    for s in (rp_arm(), vv.catalog.euler_body()):
        gamma, V = formula(s, "christoffel"), Matrix(s.names.v)
        one = Matrix([(V.T * Matrix(plane) * V)[0] for plane in gamma])
        other = formula(s, "coriolis_matrix") * V
        assert all(is_zero(x) for x in one - other)


def test_C11_the_coriolis_matrix_that_is_passive():
    """C from Γ makes Ṁ - 2C skew; another C with the same C v does not."""
    s = rp_arm()
    q, v = s.names.q, s.names.v
    M, C = formula(s, "mass_matrix"), formula(s, "coriolis_matrix")
    rates = sum((M.diff(x) * y for x, y in zip(q, v, strict=True)), sympy.zeros(2))
    N = rates - 2 * C
    assert (N + N.T).applyfunc(sympy.expand) == sympy.zeros(2)
    other = C + Matrix([[v[1], -v[0]], [0, 0]])
    assert (other * Matrix(v) - C * Matrix(v)).applyfunc(sympy.expand) == sympy.zeros(2, 1)
    N = rates - 2 * other
    assert (N + N.T).applyfunc(sympy.expand) != sympy.zeros(2)


def test_C12_only_the_sum_is_a_force():
    """τ′ = Jᵀ τ, while M a and C v do not go over by themselves."""
    cartesian, s = polar()
    r, th = 0.8, 0.5
    J = np.array([[np.cos(th), -r * np.sin(th)], [np.sin(th), r * np.cos(th)]])
    v, a = np.array([0.3, -0.7]), np.array([1.1, 0.4])
    Jd = np.array([[-np.sin(th) * v[1], -v[0] * np.sin(th) - r * np.cos(th) * v[1]],
                   [np.cos(th) * v[1], v[0] * np.cos(th) - r * np.sin(th) * v[1]]])  # fmt: skip
    x = np.array([r * np.cos(th), r * np.sin(th)])
    force = cartesian.inverse_dynamics(x, J @ v, J @ a + Jd @ v)
    q = np.array([r, th])
    close(s.inverse_dynamics(q, v, a), J.T @ force, 1e-14)
    close(s.mass_matrix(q), J.T @ cartesian.mass_matrix(x) @ J, 1e-15)
    assert np.abs(s.coriolis_matrix(q, v) @ v).max() > 0.1
    close(cartesian.coriolis_matrix(x, J @ v), np.zeros((2, 2)), 0)


def test_C13_flat_and_invariant_coordinates():
    cartesian, s = polar()
    assert gammas(cartesian) == {}
    assert gammas(s)
    assert invariant_coordinates(cartesian) == ("x", "y")
    assert invariant_coordinates(s) == ("theta",)
    assert invariant_coordinates(vv.catalog.euler_body()) == ("q1",)


def test_C14_unforced_motion_is_straight():
    """In polar coordinates the path bends; in the plane it is the straight line to (1.6, 1.6)."""
    _, s = polar()
    end = steps(
        lambda y: np.concatenate([y[2:], s.forward_dynamics(y[:2], y[2:], [0, 0])]),
        np.array([1.0, 0.0, 0.3, 0.8]), 2.0, 2000,
    )  # fmt: skip
    r, th = end[:2]
    close([r * np.cos(th), r * np.sin(th)], [1.6, 1.6], 1e-10)  # the integrator's error


@pytest.mark.parametrize("name", ["rp_arm", "two_link", "planar_3r", "craig_6_5", "spatial_3r"])
def test_C25_newton_euler_is_lagrange(name):
    """Energies of the bodies, differentiated, against the recursion of forces."""
    model = vv.catalog.build(name)
    closed = model.closed_form()
    K, V = (
        sympy.nsimplify(x, rational=True) for x in (closed.kinetic_energy, closed.potential_energy)
    )
    s = Lagrangian(model.joint_names, K, V, parameters=dict(model.parameters))
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, 20, s.nq))
    x = s.without_dissipation(), model.without_dissipation()
    ours, theirs = (y.inverse_dynamics(q, v, a) for y in x)
    assert np.abs(ours - theirs).max() <= 1e-13 * np.abs(theirs).max()


def test_C112_formulas_leave_the_program():
    """As SymPy, LaTeX and C; the C text has the parameters' values in it."""
    s = rp_arm()
    assert r"\sin" in sympy.latex(equations(s)[1])
    text = s.inverse_dynamics.c_source("rp_arm_tau")
    assert "void rp_arm_tau(const double *" in text
    kept = s.function("inverse_dynamics", parameters=["m2"]).c_source("tau")
    assert "parameters" in kept
