"""Constraints hold throughout, for any duration: in the soak. `test_simulate` has short ones."""

import numpy as np
import pytest

import visviva as vv
from tests.support.counts import SOAK

HELD = 1e-10
pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not SOAK, reason="hundreds of seconds of motion: in the soak"),
]


def checked(run):
    """What every motion of a closed mechanism must keep."""
    assert np.abs(run.constraint_error).max() <= HELD
    with_rates = np.abs(run.quantity("constraint_velocity")).max()
    assert with_rates <= HELD * max(1.0, np.abs(run.v).max())
    return run


def started(s, v):
    q = s.keyframes["assembled"]
    return q, s.admitted_velocity(q, v)


@pytest.mark.parametrize("how", [{}, {"dt": 1e-3}])
@pytest.mark.parametrize("name", ["four_bar", "bricard"])
def test_linkages_keep_their_loops_closed(name, how):
    s = getattr(vv.catalog, name)()
    q, v = started(s, np.eye(s.nv)[0] * 3.0)
    run = checked(s.simulate(q, v, 100.0, **how))
    assert np.ptp(run.energy) < 1e-5 * run.kinetic_energy.max()
    assert run.account.closes


def test_four_bars_in_a_row_are_parallel_after_many_flat_positions():
    """The branch is the one they came on: straight on, at each of a hundred."""
    s = vv.catalog.n_four_bar()
    run = checked(s.simulate(*started(s, np.ones(5)), 100.0))
    rods = run.q[:, ::2]
    assert np.abs(rods - rods[:, :1]).max() < 1e-9
    assert "and 98 times more the motion passes" in run.notes[0]
    assert "goes straight on" in run.notes[0]
    assert np.ptp(run.energy) < 1e-5


def test_a_governor_turns_and_lifts():
    s = vv.catalog.flyball_governor()
    q = s.keyframes["assembled"]
    fast = s.admitted_velocity(q, [9.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    run = checked(s.simulate(q, fast, 100.0))
    assert run.account.closes
    assert np.ptp(run["z"]) > 0.01
    turned = np.einsum("kj,kj->k", s.mass_matrix(run.q)[:, 0], run.v)
    assert np.ptp(turned) < 1e-6 * turned[0], "nothing turns the shaft"
    # through its hinge, three times a second
    checked(s.simulate(q, s.admitted_velocity(q, np.full(6, 5.0)), 30.0))


def test_andrews_mechanism():
    """Driven by 0.033 N m for the 0.03 s of the benchmark, and left alone."""
    s = vv.catalog.andrews()
    q = s.keyframes["assembled"]
    driven = checked(s.simulate(q, np.zeros(7), 0.03, tau=0.033 * np.eye(7)[0]))
    assert driven.account.closes
    # the published solution at 0.03 s, of the test set for IVP solvers: beta, Theta, gamma, Phi, …
    end = dict(zip(s.coordinate_names, driven.q[-1], strict=True))
    assert abs(end["beta"] - 15.81077119629904) < 1e-6
    free = checked(s.simulate(q, np.zeros(7), 100.0))
    assert np.ptp(free.energy) < 1e-7


def test_a_stewart_platform_is_held_by_its_legs():
    s = vv.catalog.stewart()
    goal = s.keyframes["assembled"]
    legs = [s.joint_slices[f"leg{i}"] for i in range(1, 7)]

    def hold(t, q, v):
        tau = [0.0] * s.nv
        for at, own in legs:
            tau[own.start] = -4000.0 * (q[at.start] - goal[at.start]) - 400.0 * v[own.start]
        return tau

    q, v = started(s, np.full(s.nv, 0.1))
    run = checked(s.simulate(q, v, 100.0, tau=hold, dt=1e-3, save=10))
    assert np.abs(run.v[-1]).max() < 1e-6
    assert run.account.work["actuators"][-1] < 0
