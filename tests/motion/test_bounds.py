"""What a motion may cost: memory, steps and changes without progress; and whether it ran away."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, MotionError
from visviva.motion.simulation import bounds

FALL = vv.Lagrangian("z", "z'^2/2", "9.81*z")


def block(law, **more):
    b = vv.Builder("block")
    b.body("block", joint="prismatic", axis="x", joint_name="x", mass=1.0, **more)
    return b.build().with_friction(law)


def ended(s, duration, **how):
    """A motion from zero, and what ended it before its time."""
    try:
        return s.simulate([0.0], [0.0], duration, **how), ""
    except MotionError as error:
        return error.trajectory, str(error)


@pytest.mark.parametrize(
    ("rows", "how"),
    [(1, {"dt": 1e-8}), (10**5, {"dt": 1e-4}), (3, {"dt": 1e-8}), (1, {"method": "variational"})],
    ids=str,
)
def test_memory_that_is_not_there_is_refused_beforehand(rows, how, monkeypatch):
    monkeypatch.setattr(bounds, "free_bytes", lambda: 2**30)
    start = np.zeros((rows, 1) if rows > 1 else 1)
    with pytest.raises(ArgumentError, match=r"GiB, and this machine can give 0.5 GiB; save=k"):
        FALL.simulate(start, start, 1e3, **({"dt": 1e-7} | how))
    run = FALL.simulate([0.0], [0.0], 1.0, **({"dt": 1e-4} | how | {"save": 100, "dt": 1e-4}))
    assert len(run.t) == 101


@pytest.mark.parametrize("how", [{}, {"dt": 1e-2}], ids=str)
@pytest.mark.parametrize("stribeck", [0.0, 1e-300, 1e-12, 1e-10, 1e-8, 1e-5, 1e-2])
def test_friction_that_falls_at_any_speed_gets_on_or_ends(stribeck, how, monkeypatch):
    """From t = 0.6 on v' = 10 t - F(v): v(1) = 1.6 where F has fallen to 4 N at once."""
    monkeypatch.setattr(bounds, "CHANGES", 200)
    s = block(vv.Friction(4.0, stiction=6.0, stribeck=stribeck))
    run, trouble = ended(s, 1.0, tau=lambda t, q, v: [10.0 * t], **how)
    if trouble:
        assert 1e-13 < stribeck < 1e-4
        assert "200 times and gained next to no time" in trouble
        assert run.t[-1] == pytest.approx(0.6, abs=1e-3)
    else:
        assert run.v[-1, 0] == pytest.approx(1.6, abs=0.06 + 10 * stribeck)


@pytest.mark.parametrize("e", [0.9, 0.97])
@pytest.mark.parametrize("friction", [0.0, 0.2])
def test_impacts_without_end_are_no_lack_of_progress(e, friction):
    b = vv.Builder("ball", gravity=[0, 0, -9.81])
    b.body("ball", joint="prismatic", axis="z", joint_name="z", mass=1.0, friction=friction)
    ball = b.build().with_limits({"z": (0.0, 9.0)}).with_stops({"z": e})
    run = ball.simulate([0.01], [0.0], 60.0)
    assert run.t[-1] == 60.0
    assert (run.q[-1, 0], run.v[-1, 0]) == (0.0, 0.0)
    assert run.statistics["impacts"] > 40


@pytest.mark.parametrize("rate", [1.0, 7.0, 300.0])
@pytest.mark.parametrize("rows", [1, 3])
def test_what_grows_as_an_exponential_ran_away(rate, rows):
    s = vv.Lagrangian("x", "x'^2/2", f"-{rate**2}*x^2/2")
    x = np.full((rows, 1) if rows > 1 else 1, 1.0)
    run = s.simulate(x, rate * x, 30.0 / rate)
    (note,) = run.notes
    when = float(note.partition("at t = ")[2].partition(" s")[0])
    assert "the motion ran away" in note
    assert rate * np.exp(rate * when) > bounds.FAST  # its speed then
    steady = s.simulate(0 * x, 0 * x, 30.0 / rate)
    assert not steady.notes


@pytest.mark.parametrize("power", [1, 2, 3, 8])
def test_what_grows_as_a_power_of_time_did_not(power):
    s = vv.Lagrangian("x", "x'^2/2", forces=[f"1e9*t^{power}"])
    run = s.simulate([0.0], [0.0], 100.0)
    assert run.v[-1, 0] > bounds.FAST
    assert not run.notes


def test_gains_too_large_for_the_steps_are_told():
    arm = vv.catalog.two_link()
    for how in ({"dt": 0.05}, {"dt": 0.05, "method": "semi-implicit"}):
        with pytest.raises(MotionError, match=r"the motion ran away: at t = 0\.") as caught:
            arm.simulate([0.1, 0], [0, 0], 5.0, tau=lambda t, q, v: -1e4 * q - 1e3 * v, **how)
        assert caught.value.trajectory.t[-1] > 0


def test_occurrences_are_no_list():
    floor = vv.Event(lambda t, q, v: q[0], name="floor")
    run = FALL.simulate(np.ones((2, 1)), np.zeros((2, 1)), 1.0, events=floor)
    assert [len(run.events["floor"][k]) for k in range(2)] == [1, 1]
    with pytest.raises(ArgumentError, match=r"columns: .t, .q and .v"):
        list(run.events["floor"])
