"""Through singular positions: motions go straight on, and say so."""

import numpy as np
import pytest
from scipy.optimize import brentq

import visviva as vv
from tests.support.counts import SOAK, count

ROW = vv.catalog.n_four_bar()  # its rods lie flat where sin(theta0) is zero
UPRIGHT = ROW.keyframes["assembled"]
FALLING = ROW.admitted_velocity(UPRIGHT, np.ones(5))


def parallel(q):
    """How far the rods are from standing parallel, which the motion began with."""
    return max(np.abs(q[..., ::2] - q[..., :1]).max(), np.abs(q[..., 1::2] + q[..., :1]).max())


ONE = vv.Lagrangian(
    "a", "m*l^2*(3/3 + 2)*a'^2/2", "m*g*l*(3/2 + 2)*sin(a)",
    parameters={"m": 1.0, "l": 1.0, "g": 9.81}, name="rods_in_parallel",
)  # fmt: skip


def alone(t, rtol):
    """The parallel motion has one angle, that of a pendulum: twice the sum of equal rods."""
    return ONE.simulate([np.pi / 2], [1.0], t, rtol=rtol, atol=rtol / 10, method="dop853")


def accurate(t):
    return alone(t, 1e-13)


@pytest.mark.parametrize("rtol", [1e-6, 1e-9, 1e-12])
def test_four_bars_in_a_row_go_through_their_flat_positions(rtol):
    run = ROW.simulate(UPRIGHT, FALLING, 4.0, rtol=rtol, atol=rtol / 10)
    times = np.linspace(0, 4, 41)
    q, v = run.at(times)
    exact, rate = accurate(4.0).at(times)
    # slow over the top errors grow, those of the pendulum without constraints as well
    near = [
        np.abs(x - y).max() for x, y in zip(alone(4.0, rtol).at(times), (exact, rate), strict=True)
    ]
    assert np.abs(q[:, 0] - exact[:, 0]).max() < 2 * near[0] + 5 * rtol
    assert np.abs(v[:, 0] - rate[:, 0]).max() < 2 * near[1] + 20 * rtol
    assert parallel(q) < 1e-10
    assert np.abs(run.constraint_error).max() < 1e-12
    (note,) = run.notes
    assert "s the motion passes singular positions" in note
    assert "goes straight on" in note
    said = [float(x) for x in note.split("t = ")[1].split(" s ")[0].split(", ")]
    flat = [0.714356, 1.22816, 2.65687, 3.17067]  # in six digits
    np.testing.assert_allclose(said, flat, atol=1e-5 + near[0])
    assert run.statistics["rejected"] >= 0


def flat_at():
    falling = accurate(1.0)
    return brentq(lambda t: np.sin(falling.at(t)[0][0]), 0.6, 0.8, xtol=1e-15)


@pytest.mark.spread(0)
@pytest.mark.soak
@pytest.mark.parametrize("method", count(("rk4",), ("rk4", "dopri5", "dop853")))
def test_steps_may_end_at_a_singular_position(method):
    """Or beside it, or a stage of theirs: where accelerations are of any size."""
    t, exact = flat_at(), accurate(1.0)
    for n in count((100,), (30, 100, 300)):
        for beside in (0.0, 1e-9, 1e-5, *((1e-6, 1e-4, 0.25, 0.5, 0.75) if SOAK else ())):
            dt = t / (n + beside)
            steps = int(1.0 / dt)
            run = ROW.simulate(UPRIGHT, FALLING, dt * steps, dt=dt, method=method)
            off = np.abs(run.q[-1, 0] - exact.at(run.t[-1])[0][0])
            assert off < 1e-6 * (100 / n) ** 4, (n, beside)
            assert parallel(run.q) < 1e-10
            assert len(run.notes) == 1
            assert "goes straight on" in run.notes[0]


@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
def test_states_between_steps_that_go_over_a_singular_position(rtol):
    """Constraints do not say there where a state is to be brought that is a little off."""
    run, t, exact = (
        ROW.simulate(UPRIGHT, FALLING, 1.0, rtol=rtol, atol=rtol / 10),
        flat_at(),
        accurate(1.0),
    )
    times = t + np.outer([-1, 1], [0.0, *np.logspace(-12, -2, 11)]).ravel()
    q, v = run.at(times)
    a, rate = exact.at(times)
    assert parallel(q) < 1e-12
    assert np.abs(q[:, :1] - a).max() < rtol
    assert np.abs(v * [1, -1, 1, -1, 1] - rate).max() < 5 * rtol
    for k in (0, 3, 13):  # whatever else is asked for
        assert run.at(times[k])[1].tobytes() == v[k].tobytes()


def test_every_motion_of_a_batch_goes_through():
    faster = np.array([1.0, 1.03])
    run = ROW.simulate(UPRIGHT, np.outer(faster, FALLING), 1.0)
    times = np.sort(np.append(np.linspace(0.6, 0.8, 4001), flat_at()))
    q, v = run.at(times)
    assert parallel(q) < 1e-10
    for i, k in enumerate(faster):
        one = ROW.simulate(UPRIGHT, k * FALLING, 1.0)
        assert np.abs(one.at(times)[0] - q[i]).max() < 1e-9
        assert np.abs(one.at(times)[1] - v[i]).max() < 1e-8


@pytest.mark.spread(0)
@pytest.mark.parametrize("how", [{}, {"dt": 0.01, "save": 4}])
def test_a_recorded_motion_goes_through_as_others_do(how, tmp_path):
    plain = ROW.simulate(UPRIGHT, FALLING, 1.0, **how)
    for _ in range(2):  # and is read from its record then
        run = ROW.simulate(UPRIGHT, FALLING, 1.0, **how, record=tmp_path / "row")
        assert run.q.tobytes() == plain.q.tobytes()
        assert run.v.tobytes() == plain.v.tobytes()
        assert run.notes == plain.notes
        assert run.statistics == plain.statistics


@pytest.mark.spread(0)
def test_kept_states_are_those_of_all_steps():
    whole = ROW.simulate(UPRIGHT, FALLING, 1.0, dt=0.01)
    some = ROW.simulate(UPRIGHT, FALLING, 1.0, dt=0.01, save=10)
    np.testing.assert_array_equal(some.q, whole.q[::10])
    two = ROW.simulate(np.tile(UPRIGHT, (2, 1)), np.stack([FALLING, 0.5 * FALLING]), 1.0, dt=0.01)
    np.testing.assert_array_equal(two.q[0], whole.q)
    assert [note.split(" passes")[0].split()[-2:] for note in two.notes] == [
        ["trajectory", "0"],
        ["trajectory", "1"],
    ]


def test_a_governor_whose_sleeve_comes_to_its_hinge():
    """Arms and links lie on each other there, on both sides at once, and may stay so."""
    s = vv.catalog.flyball_governor()
    q = s.keyframes["assembled"]
    run = s.simulate(q, s.admitted_velocity(q, np.full(6, 5.0)), 0.3)
    assert abs(run["arm1"] - run["arm2"]).max() < 1e-9
    assert abs(run["z"] + 0.5 * np.cos(run["arm1"])).max() < 1e-9, "the sleeve goes on beyond it"
    assert run["z"].max() > 0.1
    assert np.ptp(run.energy) < 1e-7
    assert run.account.closes
    assert "near t = 0.0909747 s the motion passes singular positions" in run.notes[0]


def nearly(e):
    """Four bars whose sides are equal but for e: they turn over where equal ones go straight on."""
    s = vv.catalog.four_bar(l0=1.0, l1=0.4, l2=1.0, l3=0.4 * (1 + e), g=0.0)
    q = s.assembled([1.0, -1.0, 1.0])
    return s, q, s.admitted_velocity(q, [3.0, 0.0, 0.0])


@pytest.mark.spread(0)
def test_bars_that_are_nearly_equal_are_not_taken_for_equal():
    s, q, v = nearly(1e-5)
    run = s.simulate(q, v, 3.0)
    sharp = s.simulate(q, v, 3.0, rtol=1e-12, atol=1e-13)
    assert np.abs(run.q[-1] - sharp.q[-1]).max() < 1e-6
    assert np.ptp(run.energy) < 1e-7
    assert abs(run.q[-1, 0] - run.q[-1, 2]) > 1, "no longer parallel"
    assert not run.notes


EACH_COMPILED = pytest.mark.skipif(not SOAK, reason="a system each, compiled: in the soak")


@pytest.mark.soak
@EACH_COMPILED
def test_equal_bars_stay_parallel():
    s, q, v = nearly(0.0)
    run = s.simulate(q, v, 3.0)
    assert abs(run.q[-1, 0] - run.q[-1, 2]) < 1e-9
    assert "goes straight on" in run.notes[0]


@pytest.mark.soak
@EACH_COMPILED
def test_a_motion_that_turns_at_one_is_not_said_to_go_straight_on():
    s, q, v = nearly(1e-7)
    run = s.simulate(q, v, 3.0)
    assert abs(run.q[-1, 0] - run.q[-1, 2]) > 1
    assert "turns there" in run.notes[0]
    assert "straight" not in run.notes[0]


def test_motions_far_from_singular_positions_say_nothing():
    s = vv.catalog.four_bar()
    q = s.assembled()
    for how in ({}, {"dt": 0.01}):
        assert not s.simulate(q, s.admitted_velocity(q, [6.0, 0, 0]), 1.0, **how).notes
