"""The account of a motion: energy and work by two roads, momenta, warnings."""

import warnings
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.oracles.oracle import mechanism
from tests.support.oracles.solved import batch, solved
from visviva.errors import AccountWarning
from visviva.motion.samples.work import KINDS, powers

T = np.linspace(0.0, 2.0, 81)
WITHOUT_GRAVITY = "gravity and springs"


def test_a_swing_without_losses():
    run = solved(vv.catalog.two_link(), [0.3, 0.4], [0.0, 1.0], T)
    account = run.account
    assert account.closes
    assert np.abs(account.balance_error).max() < 1e-8
    assert account.jacobi is None
    lost = account.potential[0] - account.potential
    np.testing.assert_allclose(account.work["gravity and springs"], lost, atol=1e-5)
    assert not np.any(account.total_work)
    assert set(account.work) == {*KINDS, "impacts"}


def test_a_driven_cart_pole_with_damping():
    model = vv.catalog.cart_pole().with_friction(damping={"x": 0.4, "theta": 0.05})

    def push(t, q, v):
        return np.array([3 * np.sin(4 * t) - q[0], 0.0])

    run = solved(model, [0.0, 0.5], [0.0, 0.0], T, push, is_dense=True, between="function")
    account = run.account
    assert account.closes
    # the two roads meet to the tolerance of the motion
    assert np.abs(account.balance_error).max() < 1e-9
    assert account.work["friction and dampers"][-1] < -0.1
    assert account.work["actuators"][-1] > 0.1
    assert account.work_error < 1e-10
    bare = replace(run, dense=None)
    assert bare.account.closes
    off = np.abs(bare.account.balance_error).max()
    assert off < 3 * bare.account.work_error, "what interpolation costs is known"


def test_the_work_of_a_motion_with_a_known_answer():
    """x'' = -c x' with x'(0) = 1: the damper takes (1 - exp(-2 c t)) / 2."""
    s = vv.Lagrangian("x", "x'^2/2", "0*x", dissipation="c*x'^2/2", parameters={"c": 0.7})
    x = (1 - np.exp(-0.7 * T)) / 0.7
    run = vv.Trajectory(s, T, x[:, None], np.exp(-0.7 * T)[:, None])
    expected = -(1 - np.exp(-1.4 * T)) / 2
    np.testing.assert_allclose(run.account.work["friction and dampers"], expected, atol=1e-8)


def test_applied_forces_and_the_time_in_energies():
    s = vv.Lagrangian(
        "x", "m*x'^2/2", "k*(x - sin(t))^2/2", forces="F*cos(3*t)", dissipation="c*x'^2/2",
        parameters={"m": 1.0, "k": 4.0, "F": 0.6, "c": 0.3}, name="driven",
    )  # fmt: skip
    run = solved(s, [0.1], [0.0], T, is_dense=True)
    account = run.account
    assert account.closes
    assert np.abs(account.balance_error).max() < 1e-9
    for kind in ("applied forces", "explicit time", "friction and dampers"):
        assert np.abs(account.work[kind]).max() > 1e-2, kind


def test_a_bead_on_a_turning_wire_has_jacobis_integral():
    run = solved(vv.catalog.bead_on_rotating_wire(), [0.3], [0.0], T)
    account = run.account
    assert np.ptp(account.energy) > 0.1, "the wire is driven"
    assert np.ptp(account.jacobi) < 1e-9
    assert account.closes
    assert "Jacobi integral" in str(account)


def test_moving_constraints_do_work():
    model = vv.catalog.two_link().with_constraint("q1 = 0.3*sin(2*t)", "drive")
    name = model.coordinate_names[0]
    assert name == "q1"
    v0 = np.array([0.6, 0.0])
    run = solved(model, [0.0, 0.4], v0, T, is_dense=True, rtol=1e-12)
    account = run.account
    assert np.abs(account.work["moving constraints"]).max() > 0.1
    assert account.closes
    # index reduction drifts, and no projection mends it: the forces do a little more work
    assert np.abs(account.balance_error).max() < 1e-8
    assert account.constraint_error < 1e-8


def test_a_four_bar_keeps_its_energy():
    model = vv.catalog.four_bar()
    q0 = model.assembled(fixed={"theta1": 0.4})
    run = solved(model, q0, model.admitted_velocity(q0, [3.0, 0.0, 0.0]), T, rtol=1e-12)
    account = run.account
    assert account.closes
    assert 0 < account.constraint_error < 1e-8
    assert "constraints violated by" in str(account)
    assert not np.any(account.work["moving constraints"])


def ship(gravity):
    b = vv.Builder("ship", gravity=gravity)
    b.body("hull", joint="free", inertia=vv.Inertia.box(2.0, x=1, y=2, z=3))
    box = vv.Inertia.box(0.5, x=0.1, y=0.1, z=1).moved(np.eye(3), [0, 0, 0.5])
    b.body("arm", parent="hull", joint="revolute", axis="x", at=[0, 0.5, 0], inertia=box)
    return b.build()


@pytest.mark.spread(0)
def test_what_floats_without_gravity_keeps_its_momentum():
    model = ship([0, 0, 0])
    v0 = [0.1, 0.2, 0.3, 1.0, 0.0, -0.5, 2.0]
    push = lambda t, q, v: np.array([0.0] * 6 + [np.sin(3 * t)])  # noqa: E731
    run = solved(model, model.neutral(), v0, T, push, between="function")
    assert set(run.account.momenta) == {"Lx", "Ly", "Lz", "px", "py", "pz"}
    assert max(run.account.momentum_drift.values()) < 1e-8
    assert "momentum Lx" in str(run.account)


def test_what_falls_keeps_what_is_horizontal():
    model = ship([0, 0, -9.81])
    run = solved(model, model.neutral(), [0.1, 0.2, 0.3, 1.0, 0.3, -0.5, 2.0], T)
    assert set(run.account.momenta) == {"px", "py", "Lz"}, "its weight is vertical"


def test_an_arm_on_the_ground_keeps_no_momentum():
    assert not solved(vv.catalog.two_link(), [0.3, 0.4], [0.0, 1.0], T).account.momenta


def test_momenta_of_cyclic_coordinates():
    run = solved(vv.catalog.heavy_top(), [0.0, 0.5, 0.0], [0.0, 0.0, 300.0], T)
    assert set(run.account.momenta) == {"p_phi", "p_psi"}
    assert max(run.account.momentum_drift.values()) < 1e-9


def test_a_motion_that_loses_energy_is_warned_of():
    t, h = [0.0], 0.02
    model = vv.catalog.cart_pole()
    q, v = [np.array([0.0, 1.0])], [np.zeros(2)]
    for _ in range(100):  # explicit Euler
        a = model.forward_dynamics(q[-1], v[-1], np.zeros(2))
        q, v, t = [*q, q[-1] + h * v[-1]], [*v, v[-1] + h * a], [*t, t[-1] + h]
    run = vv.Trajectory(model, t, q, v, statistics={"rtol": 1e-6})
    with pytest.warns(AccountWarning, match=r"does not close: .* J are unaccounted for at t = "):
        account = run.account
    assert not account.closes
    assert "does not close" in str(account)


def test_a_motion_that_blew_up_is_warned_of():
    q = np.zeros((5, 2))
    q[3:] = np.nan
    run = vv.Trajectory(vv.catalog.cart_pole(), [0.0, 1, 2, 3, 4], q, np.zeros((5, 2)))
    with pytest.warns(AccountWarning, match="its energy is not finite from t = 3 s on"):
        assert not run.account.closes


def test_the_account_of_one_sample():
    run = vv.Trajectory(vv.catalog.cart_pole(), [1.0], [[0.0, 0.5]], [[0.1, 0.0]])
    assert run.account.closes
    assert run.account.balance_error.tolist() == [0.0]


def test_samples_that_are_too_far_apart_are_told():
    model = vv.catalog.cart_pole().with_friction(damping=0.3)
    run = solved(model, [0.0, 1.0], [0.0, 0.0], np.linspace(0, 8, 9))
    with pytest.warns(AccountWarning, match="samples are too far apart"):
        assert not run.account.closes
    wide = solved(model, [0.0, 1.0], [0.0, 0.0], np.linspace(0, 8, 9), is_dense=True)
    assert wide.account.closes, "with dense output nothing is lost between samples"
    assert np.abs(wide.account.balance_error).max() < 1e-9


def test_the_account_of_a_batch_is_that_of_each():
    model = vv.catalog.cart_pole().with_friction(damping=0.1)
    runs = [solved(model, [0.0, x], [0.0, 0.0], T, rtol=1e-8) for x in (0.5, 1.0, 2.0)]
    account = batch(*runs).account
    for k, run in enumerate(runs):
        np.testing.assert_allclose(account[k].balance_error, run.account.balance_error, atol=1e-13)
        np.testing.assert_allclose(account[k].bound, run.account.bound, rtol=1e-12)
    assert str(account).startswith("worst of 3 trajectories, number ")
    with pytest.raises(IndexError, match="one trajectory, not of a batch"):
        account[0][0]


def test_the_table():
    run = solved(vv.catalog.cart_pole().with_friction(damping=0.1), [0.0, 1.0], [0, 0], T)
    lines = str(run.account).splitlines()
    assert lines[0] == "account of 'cart_pole', 0 s to 2 s, in joules"
    assert [x.split("  ")[1] for x in lines[2:5]] == [
        "kinetic energy",
        "potential energy",
        "energy",
    ]
    assert "work of friction and dampers" in str(run.account)
    assert "work of actuators" not in str(run.account), "nothing drives it"
    assert "rtol 1e-10" in lines[-1]
    with pytest.raises(FrozenInstanceError):
        run.account.bound = 1.0


@examples(2, 300)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_powers_are_the_rate_of_the_energy(seed, size):
    """dE/dt = τ · v - b · v along the equations of motion, and -g · v = -dV/dt."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size)
    if not model.nv:
        return
    q, v, tau = model.random(rng), *rng.uniform(-1, 1, (2, model.nv))
    state = {"q": q[None], "v": v[None], "tau": tau[None], "t": np.zeros(1)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        a = model.forward_dynamics(q, v, tau)
    given_by = dict(zip(KINDS, (x[0] for x in powers(model, state, {})), strict=True))
    K, V = model.kinetic_energy, model.potential_energy
    rate = K.jacobian("q")(q, v) @ v + K.jacobian("v")(q, v) @ a + V.jacobian("q")(q) @ v
    size_of = np.abs(K.jacobian("v")(q, v)) @ np.abs(a) + 1
    forces = sum(x for k, x in given_by.items() if k != WITHOUT_GRAVITY)
    # accelerations come of a solve, whose rounding grows with the condition of M
    assert abs(forces - rate) < 1e-9 * size_of
    g = model.gravity_forces(q)
    assert abs(given_by[WITHOUT_GRAVITY] + g @ v) < 1e-12 * (1 + np.abs(g) @ np.abs(v))


@pytest.mark.spread(0)
def test_a_bead_that_constraints_turn_has_jacobis_integral_too():
    """E - Ω p_theta of three coordinates is v · ∂L/∂v - L of the one that is free."""
    held = vv.catalog.bead_on_rotating_wire(constrained=True)
    k, W = held.parameters["k"], held.parameters["Omega"]
    v0 = [0.5, 2 * k * 0.4 * 0.5, W]
    run = held.simulate([0.4, k * 0.16, 0.0], v0, 2.0)
    account = run.account
    assert account.closes
    assert np.abs(account.work["moving constraints"]).max() > 0.1
    assert np.ptp(account.jacobi) < 1e-7 < np.ptp(account.energy)
    assert f"Jacobi integral E - {W:g} p_theta" in str(account)
    free = vv.catalog.bead_on_rotating_wire().simulate([0.4], [0.5], 2.0).account
    assert abs(account.jacobi[0] - free.jacobi[0]) < 1e-12


@pytest.mark.spread(0)
def test_an_arm_on_a_turntable_has_jacobis_integral():
    arm = vv.catalog.spatial_3r()
    first = arm.coordinate_names[0]
    table = arm.with_constraint(f"{first} = 0.7*t", "table")
    q = [0.0, 0.5, -0.3]
    run = table.simulate(q, [0.7, 0.2, 0.1], 1.0)
    account = run.account
    assert account.closes
    assert account.jacobi is not None
    assert np.ptp(account.jacobi) < 1e-6 < np.ptp(account.energy)
    assert "Lz" in account.jacobi_name
    shaken = arm.with_constraint(f"{first} = 0.7*sin(2*t)", "table")
    rough = shaken.simulate(q, [1.4, 0.2, 0.1], 1.0).account
    assert rough.closes
    assert rough.jacobi is None, "what does not turn uniformly has none"
