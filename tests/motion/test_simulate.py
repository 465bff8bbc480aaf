"""`simulate`: forces, controllers, batches, constraints; what a user may ask for."""

import math
import pickle
import warnings
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import trapezoid

import visviva as vv
from tests.support.counts import SOAK, count, examples
from tests.support.oracles.oracle import mechanism
from tests.support.oracles.solved import solved
from visviva.errors import ShapeError
from visviva.motion.simulation.beyond import in_words

g = vv.generic
ARM = vv.catalog.two_link()
Q, V = np.array([0.3, -0.4]), np.array([0.2, 0.5])
FIXED = ["semi-implicit", "rk4", "dopri5", "dop853"]
PD = vv.Controller(lambda t, q, v: [-20 * (q[0] - 0.5) - 4 * v[0], -9 * q[1] - 2 * v[1]])
PID = vv.Controller(
    lambda t, q, v, x: [-40 * q[0] - 9 * v[0] - 5 * x[0], -20 * q[1] - 4 * v[1] - 5 * x[1]],
    start=(0.0, 0.0),
    rate=lambda t, q, v, x: q,
)


@pytest.mark.parametrize("method", FIXED)
def test_rows_of_a_batch_are_single_runs_bit_for_bit(method):
    """Also with threads, and where the number of rows is no multiple of the lanes."""
    starts = Q + 0.1 * np.arange(11)[:, None]
    many = ARM.simulate(starts, V, 0.5, dt=0.01, method=method, tau=[1.0, -0.5])
    both = ARM.simulate(starts, V, 0.5, dt=0.01, method=method, tau=[1.0, -0.5], threads=2)
    assert many.q.shape == (11, 51, 2)
    assert np.array_equal(many.q, both.q)
    for k in (0, 7, 10):
        one = ARM.simulate(starts[k], V, 0.5, dt=0.01, method=method, tau=[1.0, -0.5])
        assert np.array_equal(many.q[k], one.q)
        assert np.array_equal(many.v[k], one.v)


def test_rows_of_a_batch_that_choose_their_steps():
    starts = Q + 0.3 * np.arange(5)[:, None]
    many = ARM.simulate(starts, V, 1.0, threads=2)
    for k in range(5):
        one = ARM.simulate(starts[k], V, 1.0)
        np.testing.assert_allclose(many.q[k, -1], one.q[-1], atol=1e-8)
        assert many.statistics["steps"][k] == one.statistics["steps"]


def test_parameters_may_differ_from_row_to_row():
    masses = np.array([0.5, 1.0, 2.0])
    for how in ({"dt": 0.01}, {}):
        many = ARM.simulate(Q, V, 0.5, parameters={"m2": masses, "m1": 1.5}, **how)
        for k, m in enumerate(masses):
            own = vv.catalog.two_link(m2=m, m1=1.5)
            one = own.simulate(Q, V, 0.5, **how)
            np.testing.assert_allclose(many.q[k, -1], one.q[-1], atol=1e-9)
        assert many[2].parameters["m2"] == 2.0
        assert many.account.closes


def test_forces_are_held_between_their_rows():
    table = np.sin(np.arange(40.0)).reshape(20, 2)
    one = ARM.simulate(Q, V, 1.0, tau=table, rtol=1e-11)
    fixed = ARM.simulate(Q, V, 1.0, tau=np.repeat(table, 10, axis=0), dt=0.005, method="dop853")
    np.testing.assert_allclose(fixed.q[-1], one.q[-1], atol=1e-9)
    assert np.array_equal(fixed.tau[:-1], np.repeat(table, 10, axis=0))
    q, v = Q, V
    for row in table:
        piece = ARM.simulate(q, v, 0.05, tau=row, rtol=1e-11)
        q, v = piece.q[-1], piece.v[-1]
    np.testing.assert_allclose(one.q[-1], q, atol=1e-9)
    for run in (one, fixed, ARM.simulate(Q, V, [0.0, 0.33, 1.0], tau=table)):
        assert run.account.closes, run.account


def test_every_row_has_forces_of_its_own():
    tables = np.sin(np.arange(120.0)).reshape(3, 20, 2)
    for how in ({"dt": 0.05}, {}):
        many = ARM.simulate(Q, V, 1.0, tau=tables, **how)
        for k in range(3):
            one = ARM.simulate(Q, V, 1.0, tau=tables[k], **how)
            np.testing.assert_allclose(many.q[k, -1], one.q[-1], atol=1e-9)
        assert many[1].account.closes


@pytest.mark.parametrize(
    "how", [{}, {"method": "dop853"}, {"events": {"up": lambda t, q, v: q[0]}}], ids=len
)
def test_forces_of_every_start_are_held(how):
    """Rows (N, n) of N starts; where they may as well be those of N steps, both are named."""
    forces = np.sin(np.arange(6.0)).reshape(3, 2)
    many = ARM.simulate([Q] * 3, V, 1.0, tau=forces, dt=0.05, **how)
    for k in range(3):
        one = ARM.simulate(Q, V, 1.0, tau=forces[k], dt=0.05, **how)
        assert many.q[k].tobytes() == one.q.tobytes()
        assert (many.tau[k] == forces[k]).all()
    with pytest.raises(ShapeError, match="held forces of 3 motions, or the forces of 3 steps"):
        ARM.simulate([Q] * 3, V, 0.15, tau=forces, dt=0.05, **how)
    if "method" not in how:
        with pytest.raises(ShapeError, match="of 3 motions, or the forces of 3 equal parts"):
            ARM.simulate([Q] * 3, V, 0.15, tau=forces, **how)
    first, second = np.repeat(forces[:, None], 3, axis=1), np.repeat(forces[None], 3, axis=0)
    for tables, step in ((first, forces[1]), (second, forces)):
        run = ARM.simulate([Q] * 3, V, 0.15, tau=tables, dt=0.05, **how)
        own = ARM.simulate(Q, V, 0.15, tau=step, dt=0.05, **how)
        assert run.q[1].tobytes() == own.q.tobytes()
    one = ARM.simulate([Q], V, 0.05, tau=forces[:1], dt=0.05, **how)  # of one step both are one
    assert one.q[0].tobytes() == ARM.simulate(Q, V, 0.05, tau=forces[0], dt=0.05, **how).q.tobytes()


def test_forces_are_those_of_the_law_as_it_was():
    """They are computed when they are asked for, also of a copy, and in another process."""
    gain = [2.0]
    run = ARM.simulate([Q] * 3, V, 0.2, dt=0.01, tau=lambda t, q, v: -gain[0] * q)
    gain[0] = 5.0
    assert "tau" not in run.__dict__
    sent = pickle.loads(pickle.dumps(run))
    for one in (replace(run, notes=()), sent, run):
        np.testing.assert_array_equal(one.tau, -2.0 * run.q)
    assert not run.tau.flags.writeable
    assert not run.q.flags.writeable


def slides():
    """A cross of two slides, free to move: q = q0 + v t."""
    b, point = vv.Builder("slides", gravity=(0, 0, 0)), vv.Inertia.point(1.0)
    b.body("x", joint="prismatic", axis="x", inertia=point)
    b.body("y", joint="prismatic", axis="y", inertia=point, parent="x")
    return b.build()


@pytest.mark.parametrize("save", [1, 10, 50])
@pytest.mark.parametrize("method", ["rk4", "semi-implicit", "midpoint"])
def test_a_limit_that_one_motion_leaves_is_noted(method, save):
    """At its start, on the way, in its last state, by its speed or its force: of whichever row."""
    free, v = slides(), np.zeros((9, 2))
    joints, q = free.joint_names, np.zeros((9, 2))
    q[2, 0], v[2, 0], v[3], v[5, 0], v[7, 1] = 0.3, -0.4, [0.1, 0.1], 0.41, -0.39
    limits = (-1.0, 0.25), (-1.0, 0.0495), (-0.1949, 1.0), (-1.0, 1.0)
    arms = [free.with_limits({name: x}) for name in joints for x in limits]
    arms += [free.with_limits(velocity={joints[0]: x}) for x in (0.4, 0.405, 0.42)]
    arms += [free.with_limits(effort={joints[0]: x}) for x in (0.01, 0.11, 0.2)]
    arms += [free.with_passive([joints[1]])]
    seen = 0
    for arm in arms:
        law = lambda t, q, v: [0.01 * g.sin(q[0]), 0.0]  # noqa: E731
        forces = np.zeros((9, 2))
        forces[6, 0] = 0.1
        for tau in (None, forces, forces[:, None].repeat(50, 1), law):
            run = arm.simulate(q, v, 0.5, tau=tau, dt=0.01, method=method, save=save)
            said = in_words(arm, run.t, run.q, run.v, run.tau, range(9))
            assert run.notes == tuple(said)
            seen += bool(run.notes)
    assert seen > 20


def test_limits_are_those_of_the_model_that_moves():
    """Their machine code is found by them, not by the equations of motion alone."""
    for high in (0.2, 0.9, 0.2):
        arm = vv.catalog.two_link().with_limits({"q1": (-1.0, high), "q2": (-9.0, 9.0)})
        run = arm.simulate([[0.5, 0.0]] * 2, [[0.0, 0.0]] * 2, 0.01, dt=0.01)
        assert any("beyond its limits" in x for x in run.notes) == (high < 0.5)


@pytest.mark.spread(1)
@pytest.mark.parametrize("how", [{}, {"dt": 0.01}, {"method": "radau"}], ids=str)
def test_actuators_drive_by_their_map(how):
    arm = vv.catalog.rp_arm_thrusters()
    T, u = arm.actuator_map, np.array([0.6, -0.3])
    run = arm.simulate([0.3, 0.5], [0.0, 0.0], 0.5, u=u, **how)
    same = arm.simulate([0.3, 0.5], [0.0, 0.0], 0.5, tau=lambda t, q, v: T(q) @ u, rtol=1e-10)
    np.testing.assert_allclose(run.q[-1], same.q[-1], atol=1e-6)
    np.testing.assert_allclose(run.tau, T(run.q) @ u, atol=1e-14)
    assert run.account.work["actuators"][-1] != 0.0
    assert run.account.closes


def test_a_table_of_actuator_forces():
    arm = vv.catalog.rp_arm_thrusters()
    table = np.cos(np.arange(20.0)).reshape(10, 2)
    run = arm.simulate([0.3, 0.5], [0.0, 0.0], 0.5, u=table)
    np.testing.assert_allclose(run.forces_at(0.07), arm.actuator_map(run.at(0.07)[0]) @ table[1])
    assert run.account.closes


def test_a_controller_is_part_of_the_machine_code():
    """The same law in Python, where numpy keeps it from being traced, gives the same motion."""
    run = ARM.simulate(Q, V, 1.0, tau=PD)

    def law(t, q, v):
        return np.array([float(x) for x in PD.law(t, q, v)])

    called = ARM.simulate(Q, V, 1.0, tau=law)
    assert called.statistics["method"] == "scipy-dop853"
    np.testing.assert_allclose(run.q[-1], called.q[-1], atol=1e-8)
    np.testing.assert_allclose(run.tau[0], law(0.0, Q, V))
    assert run.account.closes
    assert called.account.closes


@pytest.mark.parametrize("how", [{}, {"dt": 0.005}, {"method": "radau", "rtol": 1e-7}], ids=str)
def test_a_controller_that_remembers(how):
    """What it remembers is ∫ q dt, and the forces along the run are those that acted."""
    run = ARM.simulate(Q, V, 1.0, tau=PID, **how)
    t = np.linspace(0, 1, 2001)
    q, v = run.at(t)
    x = np.array([trapezoid(q[:, i], t) for i in range(2)])
    expected = PID.law(1.0, q[-1], v[-1], x)
    np.testing.assert_allclose(run.tau[-1], expected, atol=1e-5)
    assert run.account.closes, run.account


def test_a_controller_that_remembers_in_a_batch():
    many = ARM.simulate([Q, Q + 0.2], V, 0.5, tau=PID)
    one = ARM.simulate(Q + 0.2, V, 0.5, tau=PID)
    np.testing.assert_allclose(many[1].tau[-1], one.tau[-1], atol=1e-7)
    assert many.account.closes
    assert many[1].account.closes


@pytest.mark.parametrize("law", ["traced", "in Python"])
def test_a_sampled_controller_holds_its_forces(law):
    """Against pieces of one period each, by hand."""
    f = PD.law if law == "traced" else lambda t, q, v: [float(x) for x in PD.law(t, q, v)]
    sampled = vv.Controller(f, period=0.04)
    run = ARM.simulate(Q, V, 0.5, tau=sampled)  # the last piece is half a period
    q, v, edges = Q, V, [*np.arange(13) * 0.04, 0.5]
    for a, b in pairwise(edges):
        force = [float(x) for x in PD.law(a, q, v)]
        np.testing.assert_allclose(run.forces_at((a + b) / 2), force, atol=1e-7)
        piece = ARM.simulate(q, v, (a, b), tau=force)
        q, v = piece.q[-1], piece.v[-1]
    np.testing.assert_allclose(run.q[-1], q, atol=1e-8)
    assert run.account.closes
    if law == "traced":
        fixed = ARM.simulate([Q, Q], V, 0.48, dt=0.005, tau=sampled, method="dopri5")
        np.testing.assert_allclose(fixed.q[1, -1], run.at(0.48)[0], atol=1e-7)
        np.testing.assert_allclose(fixed[0].tau[20], run.forces_at(0.1), atol=1e-7)
        assert fixed.account.closes


def test_a_sampled_controller_that_remembers():
    """Like a computer: x grows by period · rate at every sample."""
    sampled = vv.Controller(PID.law, PID.start, PID.rate, period=0.02)
    run = ARM.simulate(Q, V, 0.2, tau=sampled)
    fixed = ARM.simulate(Q, V, 0.2, tau=sampled, dt=0.002, method="dop853")
    at = run.at(np.arange(10) * 0.02)
    x = np.cumsum(at[0] * 0.02, axis=0) - at[0] * 0.02
    np.testing.assert_allclose(run.forces_at(0.19), PID.law(0, at[0][9], at[1][9], x[9]), atol=1e-8)
    np.testing.assert_allclose(fixed.q[-1], run.q[-1], atol=1e-8)
    rarely = ARM.simulate(Q, V, 0.2, tau=sampled, dt=0.002, save=50)
    assert "oftener" in rarely.notes[0]


@pytest.mark.parametrize("method", ["dop853", "dopri5", "radau", "lsoda"])
def test_between_steps_states_are_as_accurate_as_at_them(method):
    run = ARM.simulate(Q, V, 1.0, method=method, rtol=1e-8, atol=1e-10)
    exact = ARM.simulate(Q, V, 1.0, rtol=1e-13, atol=1e-14)
    middle = (run.t[1:] + run.t[:-1]) / 2
    at_steps = np.abs(run.q - exact.at(run.t)[0]).max()
    between = np.abs(run.at(middle)[0] - exact.at(middle)[0]).max()
    assert between < 30 * max(at_steps, 1e-9)


def test_times_that_are_asked_for():
    times = [0.5, 0.7, 1.1, 1.5]
    run = ARM.simulate(Q, V, times)
    assert np.array_equal(run.t, times)
    assert np.array_equal(run.q[0], Q)
    np.testing.assert_allclose(ARM.simulate(Q, V, (0.5, 1.5)).at(1.1)[0], run.q[2], atol=1e-9)
    thin = ARM.simulate(Q, V, 1.0, dt=0.01, save=25)
    assert np.array_equal(thin.q, ARM.simulate(Q, V, 1.0, dt=0.01).q[::25])


def test_times_with_steps_of_given_length_are_those_that_were_asked_for():
    """49 times 1/49 is less than 1: the end is 1, and a state is there."""
    run = ARM.simulate(Q, V, 1.0, dt=1 / 49)
    assert run.t[-1] == 1.0
    assert np.array_equal(run.at(1.0)[0], run.q[-1])
    times = np.linspace(0.3, 1.7, 8)
    assert np.array_equal(ARM.simulate(Q, V, times, dt=0.02).t, times)
    held = ARM.simulate(Q, V, 1.0, dt=1 / 49, tau=np.ones((49, 2)), save=7)
    assert held.account.closes


def test_free_bodies_keep_quaternions_of_length_one():
    body = vv.catalog.tumbling_body()
    starts = np.random.default_rng(1).normal(size=(6, 3))
    many = body.simulate(body.neutral(), starts, 2.0, dt=0.01)
    assert np.abs(np.linalg.norm(many.q, axis=-1) - 1).max() < 1e-15
    assert many.account.closes


# ---- constraints


def still(s, guess=None):
    q = s.assembled() if guess is None else s.assembled(guess)
    return q, np.zeros(s.nv)


def violation(run):
    at = run.at(np.linspace(run.t[0], run.t[-1], 37))
    s = run.system
    between = [np.abs(s.constraint_error(at[0])).max(), np.abs(s.constraint_velocity(*at)).max()]
    return max(np.abs(run.constraint_error).max(), *between)


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", ["four_bar", "bricard", "flyball_governor"])
def test_closed_loops_stay_closed(name):
    s = vv.catalog.build(name)
    q, v = still(s)
    v[0] = 2.0
    v = s.admitted_velocity(q, v)
    run = s.simulate(q, v, count(0.4, 40.0))
    assert violation(run) < 1e-10
    assert run.account.closes, run.account


@pytest.mark.spread(0)
@pytest.mark.soak
def test_a_squeezer_is_driven():
    s = vv.catalog.andrews()
    q, v = still(s)
    tau = np.zeros(7)
    tau[0] = 0.033
    run = s.simulate(q, v, count(0.01, 0.03), tau=tau, rtol=1e-8)
    assert violation(run) < 1e-10
    assert run.account.closes


def held_stewart():
    """A Stewart platform, and PD control that holds its legs where they are."""
    s = vv.catalog.stewart()
    q, v = still(s)
    legs = [(s.joint_slices[f"leg{k}"][0].start, s.joint_slices[f"leg{k}"][1].start)
            for k in range(1, 7)]  # fmt: skip
    weight = float(s.mass * 9.81 / 6)

    def law(t, p, u):
        tau = [0.0] * s.nv
        for at, rate in legs:
            tau[rate] = weight - 2e4 * (p[at] - q[at]) - 800.0 * u[rate]
        return tau

    return s, q, v, vv.Controller(law)


@pytest.mark.skipif(not SOAK, reason="to compile it takes half a minute: in the soak")
@pytest.mark.soak
def test_a_stewart_platform_is_held():
    s, q, v, law = held_stewart()
    run = s.simulate(q, v, 100.0, tau=law, rtol=1e-6, atol=1e-8)
    assert violation(run) < 1e-10
    assert np.abs(run.q[-1] - q).max() < 0.05


def test_constraints_hold_with_fixed_steps_and_in_batches():
    s = vv.catalog.four_bar()
    q, v = still(s)
    v = s.admitted_velocity(q, [3.0, 0.0, 0.0])
    run = s.simulate(np.stack([q, q]), np.stack([v, -v]), 0.5, dt=0.005)
    assert np.abs(run.constraint_error).max() < 1e-10
    np.testing.assert_allclose(run.q[0, -1], s.simulate(q, v, 0.5).q[-1], atol=1e-6)


# ---- stiff systems


def test_a_stiff_spring_and_damper_is_given_to_radau_and_it_is_said():
    s = vv.Lagrangian(
        "x y", "(x'^2 + y'^2)/2", "k*(x - y)^2/2 + y^2/2", dissipation="c*(x' - y')^2/2",
        parameters={"k": 1e6, "c": 2e5},
    )  # fmt: skip
    run = s.simulate([1.0, 1.0], [0.0, 0.0], 30.0, rtol=1e-7, atol=1e-9)
    assert run.statistics["method"] == "radau"
    assert "stiff" in run.notes[0]
    # both move as one of 2 kg on a spring of 1 N/m, but for the spring's give
    assert abs(run.q[-1, 0] - np.cos(30.0 / np.sqrt(2))) < 1e-3
    exact = s.simulate([1.0, 1.0], [0.0, 0.0], 30.0, method="lsoda", rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(run.q[-1], exact.q[-1], atol=1e-5)
    assert "radau" not in s.simulate([1.0, 1.0], [0.0, 0.0], 0.01).statistics["method"]


@pytest.mark.spread(0)
def test_a_governor_with_a_stiff_damper_is_given_to_radau():
    s = vv.catalog.flyball_governor().with_friction(damping={"z": 1e6, "shaft": 0.01})
    q, v = still(s)
    v[0] = 12.0
    v = s.admitted_velocity(q, v)
    run = s.simulate(q, v, 1.0, rtol=1e-7, atol=1e-9)
    assert run.statistics["method"] == "radau"
    assert "stiff" in run.notes[0]
    exact = s.simulate(q, v, 1.0, method="lsoda", rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(run.q[-1], exact.q[-1], atol=1e-6)
    assert violation(run) < 1e-10
    assert run.account.closes


@examples(2, 60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_random_mechanisms_move_as_scipy_says(seed, size):
    """Every joint, coupled ones, springs, friction: two roads to a short motion."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size)
    if not model.nv:
        return
    q, v = model.random(rng), rng.uniform(-1, 1, model.nv)
    tau = rng.uniform(-1, 1, model.nv)
    run = model.simulate(q, v, 0.1, tau=tau, rtol=1e-10, atol=1e-12, method="dopri5")
    other = solved(model, q, v, [0.0, 0.1], lambda *_: tau, rtol=1e-11)
    scale = 1 + np.abs(other.v).max()
    assert np.abs(run.v[-1] - other.v[-1]).max() < 1e-9 * scale
    assert np.abs(run.q[-1] - other.q[-1]).max() < 1e-9 * scale


def test_every_method_finds_the_same_motion():
    exact = ARM.simulate(Q, V, 0.5, rtol=1e-13, atol=1e-14).q[-1]
    for method in ("dopri5", "dop853", "radau", "lsoda", "scipy-dop853"):
        run = ARM.simulate(Q, V, 0.5, method=method)
        np.testing.assert_allclose(run.q[-1], exact, atol=1e-6)
        assert run.statistics["method"] == method


def test_nothing_is_warned_of_where_nothing_is_wrong():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ARM.simulate(Q, V, 0.5, tau=[1.0, 0.0]).account.closes
    assert math.isfinite(ARM.simulate(Q, V, 0.5).energy[-1])
