"""Constrained motion against other roads: the n + k system, null spaces, exact closed forms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import visviva as vv
from visviva.equations.constraints.semidefinite import SemidefiniteFactor
from visviva.equations.constraints.slopes import multipliers_rule
from visviva.equations.constraints.solver import ConstraintSolver
from visviva.errors import ArgumentError, SingularError


def problem(seed, n, k, redundant):
    """M, A with some rows that are combinations of others, forces, and a bias they all admit."""
    rng = np.random.default_rng(seed)
    R = rng.normal(size=(n, n))
    A = rng.normal(size=(k, n))
    A = np.concatenate([A, rng.normal(size=(redundant, k)) @ A])[rng.permutation(k + redundant)]
    return R @ R.T + np.eye(n), A, rng.normal(size=n), A @ rng.normal(size=n)


PROBLEMS = st.integers(2, 7).flatmap(
    lambda n: st.tuples(
        st.integers(0, 2**32 - 1), st.just(n), st.integers(1, n - 1), st.integers(0, 3)
    )
)


@settings(max_examples=60, deadline=None)
@given(PROBLEMS)
def test_multipliers_projection_and_null_space_are_one_motion(case):
    M, A, forces, bias = problem(*case)
    held = ConstraintSolver(M, A)
    a, lam = held.acceleration(forces, bias), held.multipliers(forces, bias)
    k, n = A.shape
    system = np.block([[M, -A.T], [A, np.zeros((k, k))]])
    x = np.linalg.lstsq(system, np.concatenate([forces, -bias]), rcond=1e-11)[0]
    scale = 1e-9 * (1 + np.abs(x).max())  # A M⁻¹ Aᵀ squares the condition of A
    np.testing.assert_allclose(a, x[:n], atol=scale)
    np.testing.assert_allclose(lam, x[n:], atol=scale)  # both of least norm
    N = np.linalg.svd(A)[2][np.linalg.matrix_rank(A) :].T
    start = -np.linalg.pinv(A) @ bias
    own = np.linalg.solve(N.T @ M @ N, N.T @ (forces - M @ start))
    np.testing.assert_allclose(a, start + N @ own, atol=scale)
    np.testing.assert_allclose(A @ a + bias, 0, atol=scale)


@pytest.mark.parametrize(
    "name", ["four_bar", "slider_crank", "bricard", "bennett", "parallel_cranks", "bicycle"]
)
def test_derivatives_of_multipliers_are_those_of_their_graph(name):
    """Out of the solve that those of accelerations need; of least norm where rows are redundant."""
    model = getattr(vv.catalog, name)()
    wanted, rng = ("q", "v", "tau"), np.random.default_rng(3)
    f = model.multipliers
    rule = vv.function(multipliers_rule(model.numeric, wanted), f.inputs)
    q = model.assembled(model.random(1))
    v, tau = model.admitted_velocity(q, rng.normal(size=model.nv)), rng.normal(size=model.nv)
    pushed = model.function("multipliers", wrenches=[model.frame_names[-1]])  # it has no such rule
    want = pushed.jacobian(*wanted)(q, v, tau, np.zeros((1, 6)))
    for a, b in zip(rule(q, v, tau), want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11 * max(1.0, np.abs(b).max()))


def test_they_take_hardly_more_than_those_of_accelerations():
    loop = vv.catalog.bicycle()
    ours, theirs = (f.jacobian("q", "v") for f in (loop.multipliers, loop.forward_dynamics))
    assert ours.operations.total() <= 1.3 * theirs.operations.total()


@settings(max_examples=60, deadline=None)
@given(PROBLEMS)
def test_projections_are_projections_and_orthogonal(case):
    M, A, forces, _ = problem(*case)
    held = ConstraintSolver(M, A)
    P = held.projection()
    Pu, one = P.T, np.eye(len(M))
    close = {"atol": 1e-9 * np.linalg.cond(M)}
    np.testing.assert_allclose(P @ P, P, **close)
    np.testing.assert_allclose(A @ P, 0, **close)
    np.testing.assert_allclose(Pu @ A.T, 0, **close)
    np.testing.assert_allclose(np.linalg.solve(M, Pu @ M), P, **close)
    W = np.linalg.inv(M)
    np.testing.assert_allclose((Pu @ forces) @ W @ ((one - Pu) @ forces), 0, **close)
    assert np.linalg.matrix_rank(P, tol=1e-6) == len(M) - np.linalg.matrix_rank(A)
    v = held.admitted_velocity(forces, np.zeros(len(A)))
    np.testing.assert_allclose(v, P @ forces, **close)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(0, 4))
def test_a_semidefinite_factor_solves_what_can_be_solved(seed, rank, redundant):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(rank + redundant, rank))
    G = B @ B.T
    x = rng.normal(size=len(G))
    factor = SemidefiniteFactor(G)
    close = {"atol": 1e-7 * (1 + np.abs(G).max() ** 2)}
    np.testing.assert_allclose(G @ factor.solve(G @ x), G @ x, **close)
    least = factor.least_norm_solution(G @ x)
    np.testing.assert_allclose(G @ least, G @ x, **close)
    np.testing.assert_allclose(least, np.linalg.pinv(G, rcond=1e-9) @ (G @ x), **close)
    assert sum(factor.dependent) == redundant
    np.testing.assert_allclose(G @ factor.null_space(), 0, **close)


def sphere(**more):
    values = {"m": 2.0, "R": 1.0}
    T, held = "m*(x'^2 + y'^2 + z'^2)/2", "x^2 + y^2 + z^2 - R^2"
    return vv.Lagrangian("x y z", T, constraints=held, parameters=values, **more)


def test_the_same_row_twice_changes_neither_motion_nor_forces():
    one = sphere()
    two = vv.Lagrangian(
        "x y z", one.kinetic, constraints=[*one.constraints] * 2, parameters=one.parameters
    )
    rng = np.random.default_rng(0)
    q, v, tau = rng.normal(size=(3, 5, 3))
    np.testing.assert_allclose(
        two.forward_dynamics(q, v, tau), one.forward_dynamics(q, v, tau), rtol=1e-12
    )
    np.testing.assert_allclose(
        two.constraint_forces(q, v, tau), one.constraint_forces(q, v, tau), rtol=1e-12, atol=1e-12
    )
    half = one.multipliers(q, v, tau) / 2
    np.testing.assert_allclose(two.multipliers(q, v, tau), np.hstack([half, half]), rtol=1e-12)
    for name in ("q", "v", "tau"):
        slopes = [s.forward_dynamics.jacobian(name)(q, v, tau) for s in (one, two)]
        np.testing.assert_allclose(*slopes, rtol=1e-9, atol=1e-11)


def test_moving_constraints_take_time_where_they_depend_on_it():
    T, rows = "m*(x'^2 + z'^2)/2", ["x - a*sin(w*t)"]
    s = vv.Lagrangian("x z", T, constraints=rows, parameters={"m": 2.0, "a": 0.3, "w": 5.0})
    assert [*s.constraint_error.inputs] == ["q", "t"]
    assert [*s.multipliers.inputs] == ["q", "v", "tau", "t"]
    assert [*s.constraint_matrix.inputs] == ["q"]
    t = 0.2
    q, v = [0.3 * np.sin(5 * t), 1.0], [1.5 * np.cos(5 * t), 2.0]
    np.testing.assert_allclose(s.constraint_error(q, t), 0, atol=1e-15)
    np.testing.assert_allclose(s.constraint_velocity(q, v, t), 0, atol=1e-15)
    np.testing.assert_allclose(s.constraint_drift(q, t), -1.5 * np.cos(5 * t), rtol=1e-14)
    push = -0.3 * 25 * np.sin(5 * t)
    np.testing.assert_allclose(s.forward_dynamics(q, v, [7, 4], t), [push, 2.0], rtol=1e-14)
    np.testing.assert_allclose(s.multipliers(q, v, [7, 4], t), 2 * push - 7, rtol=1e-13)
    np.testing.assert_allclose(s.admitted_velocity(q, [0, 2], t), v, rtol=1e-14)


def test_constraints_that_are_not_linear_in_velocities_are_refused():
    with pytest.raises(ArgumentError, match=r"is linear in them, A\(q\) v \+ a0\(q, t\) = 0; got"):
        vv.Lagrangian("x y", "x'^2 + y'^2", constraints="x'^2 + y'^2 - 1")


def test_actuators_of_a_held_system_are_the_smallest_that_do_it():
    s = sphere(actuators=[["1", "0", "1"], ["0", "1", "0"], ["0", "0", "1"]])
    q, v = np.array([0.6, 0.0, 0.8]), np.array([0.8, 0.3, -0.6])
    T = s.actuator_map(q)
    u = T @ [1.0, -2.0, 0.5]
    a = s.forward_dynamics(q, v, u)
    f = s.actuator_forces(q, v, a)
    np.testing.assert_allclose(s.forward_dynamics(q, v, T @ f), a, rtol=1e-12, atol=1e-12)
    assert np.linalg.norm(f) < np.linalg.norm([1.0, -2.0, 0.5])
    Pu = s.force_projection(q)
    needed = np.linalg.pinv(Pu @ T, rcond=1e-9) @ Pu @ s.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(f, needed, rtol=1e-9, atol=1e-12)


def test_weights_say_which_actuators_are_spared():
    """Least Σ w f² among all that do it: by a null space of what the motions feel."""
    s = sphere(actuators=[["1", "0", "1"], ["0", "1", "0"], ["0", "0", "1"]])
    q, v = np.array([0.6, 0.0, 0.8]), np.array([0.8, 0.3, -0.6])
    T, Pu = s.actuator_map(q), s.force_projection(q)
    a = s.forward_dynamics(q, v, T @ [1.0, -2.0, 0.5])
    w = np.array([1.0, 3.0, 40.0])
    f = s.weighted_actuator_forces(w)(q, v, a)
    np.testing.assert_allclose(s.forward_dynamics(q, v, T @ f), a, rtol=1e-11, atol=1e-11)
    _, _, V = np.linalg.svd(Pu @ T)
    np.testing.assert_allclose(V[2:] @ (w * f), 0, atol=1e-11)  # no other one is cheaper
    plain = s.actuator_forces(q, v, a)
    assert w @ f**2 < w @ plain**2
    np.testing.assert_allclose(s.weighted_actuator_forces([2, 2, 2])(q, v, a), plain, atol=1e-11)
    for wrong in ([1, 2], [1, 0, 1], "abc", [1, np.inf, 1]):
        with pytest.raises(ArgumentError, match="weights are 3 positive numbers, one for each"):
            s.weighted_actuator_forces(wrong)


def test_impulses_make_a_velocity_admitted():
    """M (v⁺ - v) = Aᵀ Λ; of a row stated twice each carries half."""
    row = "x*x' + y*y' + z*z' = 0.3"
    s = vv.Lagrangian("x y z", "x'^2 + y'^2/2 + z'^2", constraints=[row, "x' = y'"], parameters="")
    twice = vv.Lagrangian("x y z", "x'^2 + y'^2/2 + z'^2", constraints=[row] * 2 + ["x' = y'"])
    q, v = np.array([0.6, 0.2, 0.8]), np.array([0.8, 0.3, -0.6])
    there, impulses = s.admitted_velocity(q, v), s.constraint_impulses(q, v)
    np.testing.assert_allclose(s.constraint_velocity(q, there), 0, atol=1e-14)
    A = s.constraint_matrix(q)
    np.testing.assert_allclose(s.mass_matrix(q) @ (there - v), A.T @ impulses, atol=1e-14)
    halves = twice.constraint_impulses(q, v)
    np.testing.assert_allclose(halves[:2], impulses[0] / 2, atol=1e-13)
    np.testing.assert_allclose(s.constraint_impulses(q, there), 0, atol=1e-14)


def test_slopes_where_constraints_move_and_where_rows_turn_with_the_position():
    arm = vv.catalog.two_link()
    moving = arm.with_constraint("q1 = 0.3*sin(2*t) + 0.1*q2^2")
    turning = arm.with_constraint("q1 = 0", "one").with_constraint("q1*(1 + q2) = 0", "other")
    q = moving.assembled([0.1, -0.7], t=0.3)
    v = moving.admitted_velocity(q, [0.6, 0.2], 0.3)
    states = {
        moving: (q, v, np.array([0.1, 0.2]), 0.3),
        turning: (np.array([0.0, 0.5]), np.array([0.0, 0.0]), np.array([0.3, 0.2])),
    }
    h = 1e-6
    for model, state in states.items():
        for name in ("forward_dynamics", "multipliers"):
            f = getattr(model, name)
            # off the manifold the turning rows contradict each other: along q2 alone
            for k in (0, 1) if model is moving else (1,):
                step = h * np.eye(2)[k]
                ends = [f(state[0] + x, *state[1:]) for x in (step, -step)]
                slope = f.jacobian("q")(*state)[:, k]
                np.testing.assert_allclose(slope, (ends[0] - ends[1]) / (2 * h), atol=1e-7)


def test_what_has_no_inertia_of_its_own_moves_where_constraints_hold_it():
    b = vv.Builder("lever", gravity=[0, 0, 0])
    b.body("a", joint="prismatic", axis="x", joint_name="a", mass=1.0)
    b.body("c", joint="prismatic", axis="x", joint_name="c", mass=0.0)
    geared = b.build().with_gear("a", "c", 2.0)
    energies = vv.Lagrangian("a c", "a'^2/2", constraints="a - 2*c")
    for s in (geared, energies):
        a = s.forward_dynamics([0, 0], [0, 0], [1.0, 1.0])  # (2, 1) x with 4 x = 2 + 1
        np.testing.assert_allclose(a, [1.5, 0.75], rtol=1e-12)
        lam = s.multipliers([0, 0], [0, 0], [1.0, 1.0])
        A = s.constraint_matrix([0, 0])
        np.testing.assert_allclose([a[0], 0.0], [1.0, 1.0] + A.T @ lam, atol=1e-12)
        slope = s.forward_dynamics.jacobian("tau")([0, 0], [0, 0], [1.0, 1.0])
        np.testing.assert_allclose(slope, [[1, 0.5], [0.5, 0.25]], rtol=1e-12)
        np.testing.assert_allclose(s.projection([0, 0]), [[1, 0], [0.5, 0]], atol=1e-12)


@pytest.mark.spread(2)
@pytest.mark.parametrize("scale", [1e-9, 1e-6, 1.0, 1e9])
def test_what_has_no_inertia_moves_alike_in_all_units_of_a_row(scale):
    """A sledge without mass, x = 2 z of a mass of 1 kg: z̈ = τ₂ + 2 τ₁ - g."""
    b = vv.Builder("sledge", gravity=[0, 0, -9.81])
    b.body("sledge", joint="prismatic", axis="x", joint_name="x")
    b.body("weight", joint="prismatic", axis="z", joint_name="z", mass=1.0)
    held = b.build().with_constraint(f"{scale}*x = {2 * scale}*z")
    state = np.zeros(2), np.zeros(2), np.array([3.0, 1.0])
    np.testing.assert_allclose(held.forward_dynamics(*state), [-5.62, -2.81], rtol=1e-12)
    np.testing.assert_allclose(held.constraint_forces(*state), [-3.0, 6.0], rtol=1e-12)


def test_a_linkage_without_mass_has_no_accelerations():
    b = vv.Builder("massless", gravity=(0, -9.81, 0))
    b.body("crank", joint="revolute", joint_name="theta", axis="z")
    b.body("rod", parent="crank", joint="revolute", joint_name="phi", axis="z", at=[0.05, 0, 0])
    b.body("piston", joint="prismatic", joint_name="x", axis="x")
    b.frame("eye", body="rod", at=[0.18, 0, 0])
    m = b.build().with_loop("eye", "piston", "revolute", axis="z")
    q, still = m.assembled(theta=0.5), np.zeros(3)
    for asked in (
        lambda: m.forward_dynamics(q, still, [1.0, 0, 0]),
        lambda: m.simulate(q, m.admitted_velocity(q, [1, 0, 0]), 1.0),
    ):
        with pytest.raises(SingularError, match="'massless' does not exist: no body has mass"):
            asked()
    drive = m.driving_torque("theta", [0.5], wrenches={"piston": [0, 0, 0, -100, 0, 0]})
    assert drive.reactions[0, 3, 3] == pytest.approx(100.0)  # forces at rest need no mass
    held = m.with_constraint("theta = 0.5")  # nothing moves: no mass is needed
    np.testing.assert_allclose(held.forward_dynamics(held.assembled(), still, still), 0, atol=1e-9)
