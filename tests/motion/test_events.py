"""Events: when they happen, to the last bit; ends, impacts and resets; rows of batches."""

import numpy as np
import pytest
from scipy.special import ellipk

import visviva as vv
from visviva.errors import ArgumentError, MotionError, ShapeError

G = 9.81
BALL = vv.Lagrangian("z", "m*z'^2/2", "m*g*z", parameters={"m": 1.0, "g": G})
TWO = vv.Lagrangian("a b", "(a'^2 + b'^2)/2", "9.81*(a + b)")
OSCILLATOR = vv.Lagrangian("x", "x'^2/2", "x^2/2")
PENDULUM = vv.Lagrangian("theta", "theta'^2/2", "-9.81*cos(theta)")
FALL = np.sqrt(2 / G)  # from a metre
HOWS = [{}, {"method": "radau"}, {"method": "scipy-dop853"}, {"dt": 0.01},
        {"dt": 0.01, "method": "variational"}]  # fmt: skip
NAMES = ["dop853", "radau", "scipy-dop853", "rk4", "variational"]
ways = pytest.mark.parametrize("how", HOWS, ids=NAMES)


def height(t, q, v):
    return q[0]


def floor(e=0.5, **more):
    return vv.Event(height, -1, then=lambda t, q, v: -e * v, name="floor", **more)


def bounces(count, e=0.5, first=FALL):
    """Times of a ball that falls from rest."""
    return first + 2 * first * np.append(0.0, np.cumsum(e ** np.arange(1, count)))


# ---- when


@pytest.mark.parametrize(("method", "factor"), [("dop853", 50), ("lsoda", 100)])
def test_the_error_of_times_is_in_proportion_to_the_tolerance(method, factor):
    quarter = np.sqrt(1 / G) * ellipk(np.sin(1.0) ** 2)
    for rtol in (1e-6, 1e-9, 1e-12):
        run = PENDULUM.simulate([2.0], [0.0], 5.0, method=method, rtol=rtol, atol=rtol,
                                events={"lowest": height})  # fmt: skip
        found = run.events["lowest"]
        assert len(found) == 4
        np.testing.assert_allclose(found.t, quarter * (1 + 2 * np.arange(4)), atol=factor * rtol)
        assert np.abs(found.q).max() < 1e-13
        np.testing.assert_allclose(run.at(found.t)[0], found.q, atol=1e-13)


@pytest.mark.parametrize(("method", "order"), [("rk4", 3), ("midpoint", 2), ("semi-implicit", 1)])
def test_with_given_steps_times_have_the_order_of_the_method(method, order):
    errors = []
    for dt in (0.02, 0.01):
        run = OSCILLATOR.simulate([1.0], [0.0], 6.0, dt=dt, method=method, events=height)
        t = run.events["height"].t
        assert np.abs(run.events["height"].q).max() < 1e-14
        errors.append(np.abs(t - np.pi / 2 * np.array([1, 3])).max())
    assert errors[1] < errors[0] / 2**order * 1.1


@pytest.mark.spread(2)
@pytest.mark.parametrize("level", [0.0, 0.9, 0.999, 0.999999])
def test_two_crossings_inside_one_long_step_are_found(level):
    run = OSCILLATOR.simulate([0.0], [1.0], 50.0, rtol=1e-9, events=lambda t, q, v: q[0] - level)
    a = np.arcsin(level)
    turns = 2 * np.pi * np.arange(9)
    exact = np.sort(np.concatenate([turns + a, turns + np.pi - a]))
    exact = exact[(exact > 1e-9) & (exact < 50)]
    t = run.events["event 1"].t
    assert len(t) == len(exact)
    assert np.median(np.diff(run.t)) > 0.3  # a peak of the last takes 0.003 s
    np.testing.assert_allclose(t, exact, atol=1e-8 / np.sqrt(1 - level**2))


def test_direction_chooses():
    events = {"up": vv.Event(height, 1), "down": vv.Event(height, -1), "both": height}
    run = OSCILLATOR.simulate([1.0], [0.0], 12.0, events=events)
    up, down, both = (run.events[k].t for k in ("up", "down", "both"))
    np.testing.assert_allclose(down, np.pi / 2 * np.array([1, 5]), atol=1e-8)
    np.testing.assert_allclose(up, np.pi / 2 * np.array([3, 7]), atol=1e-8)
    np.testing.assert_array_equal(both, np.sort(np.append(up, down)))


@pytest.mark.spread(3)
@ways
def test_what_is_released_from_the_surface_has_not_hit_it(how):
    run = BALL.simulate([0.0], [3.0], 1.0, events=vv.Event(height, terminal=True), **how)
    np.testing.assert_allclose(run.events["height"].t, [6 / G], rtol=1e-12)
    run = BALL.simulate([1.0], [0.0], 0.3, events=lambda t, q, v: v[0], **how)
    assert not len(run.events["event 1"])


def test_touching_is_no_event():
    run = BALL.simulate([-1.0], [np.sqrt(2 * G)], 0.9, events=lambda t, q, v: q[0] ** 2 + 1e-3)
    assert not len(run.events["event 1"])


def test_a_function_that_cannot_be_traced_is_called_from_python():
    def g(t, q, v):
        return float(q[0]) - 0.5 if t < 10 else 1.0

    for how in ({}, {"dt": 0.01}):
        run = BALL.simulate([1.0], [0.0], 0.5, events=g, **how)
        np.testing.assert_allclose(run.events["g"].t, [np.sqrt(1 / G)], rtol=1e-12)


def test_events_change_nothing_of_the_motion():
    for how in ({}, {"dt": 0.01}, {"method": "lsoda"}):
        plain = PENDULUM.simulate([2.0], [0.0], 3.0, **how)
        seen = PENDULUM.simulate([2.0], [0.0], 3.0, events=height, **how)
        assert np.array_equal(plain.t, seen.t)
        assert np.array_equal(plain.q, seen.q)


# ---- ends and jumps


@pytest.mark.spread(3)
@ways
def test_a_bouncing_ball_bounces_in_time_and_comes_to_rest(how):
    run = BALL.simulate([1.0], [0.0], 3.0, events=floor(), **how)
    found = run.events["floor"]
    assert len(found) > 20
    np.testing.assert_allclose(found.t, bounces(len(found)), atol=1e-9)
    np.testing.assert_array_equal(found.v_after, -0.5 * found.v)
    assert run.ended == run.t[-1] == pytest.approx(3 * FALL, abs=1e-6)
    assert "without end" in run.notes[-1]
    assert "ended" in repr(run)
    assert run.account.closes
    np.testing.assert_allclose(run.account.work["impacts"][-1], -G, rtol=1e-10)


def test_the_state_at_a_jump_is_that_after_it():
    run = BALL.simulate([1.0], [0.0], 0.8, events=floor())
    t = run.events["floor"].t[0]
    assert t in run.t
    np.testing.assert_allclose(run.at(t)[1], [0.5 * G * FALL], rtol=1e-12)
    np.testing.assert_allclose(run.at(t - 1e-9)[1], [-G * FALL], rtol=1e-6)
    asked = BALL.simulate([1.0], [0.0], np.linspace(0, 0.8, 9), events=floor())
    np.testing.assert_allclose(asked.q, run.at(asked.t)[0], atol=1e-14)
    assert len(asked.t) == 9
    assert asked.account.closes


@ways
def test_a_terminal_event_is_the_last_sample(how):
    stop = vv.Event(height, terminal=True)
    whole = BALL.simulate([1.0], [0.0], 1.0, events=stop, **how)
    some = BALL.simulate([1.0], [0.0], np.linspace(0.0, 1.0, 11), events=stop, **how)
    for run in (whole, some):
        assert run.t[-1] == run.ended == pytest.approx(FALL, rel=1e-13)
        assert abs(run.q[-1, 0]) < 1e-14
        assert "'height' ended it" in run.notes[-1]
        with pytest.raises(ArgumentError, match="goes from"):
            run.at(0.9)
    np.testing.assert_allclose(some.t[:-1], [0.0, 0.1, 0.2, 0.3, 0.4])


def test_a_terminal_number_ends_after_so_many():
    run = BALL.simulate([1.0], [0.0], 9.0, events=floor(0.9, terminal=3))
    np.testing.assert_allclose(run.events["floor"].t, bounces(3, 0.9), rtol=1e-12)
    assert run.ended == run.events["floor"].t[-1]
    np.testing.assert_array_equal(run.v[-1], run.events["floor"].v_after[-1])
    assert run.statistics["rejected"] <= 5  # what came after the end is not counted


def test_a_ball_that_stays_is_said_to():
    """What no event can hold ends the motion; it does not fall through."""
    run = BALL.simulate([1.0], [0.0], 2.0, events=floor(0.0))
    assert run.ended == pytest.approx(FALL, rel=1e-12)
    assert "a force that no event gives" in run.notes[-1]


def test_a_kick_that_lets_it_through_lets_it_through():
    event = vv.Event(height, -1, then=lambda t, q, v: 0.5 * v)
    run = BALL.simulate([1.0], [0.0], 1.0, events=event)
    later = 1.0 - FALL
    np.testing.assert_allclose(run.q[-1], -G * FALL * later / 2 - G * later**2 / 2, rtol=1e-10)
    assert np.isnan(run.ended)


def test_a_reset_of_the_position():
    event = vv.Event(height, -1, then=lambda t, q, v: (q + 1.0, 0 * v), name="again")
    for how in ({}, {"dt": 0.01}):
        run = BALL.simulate([1.0], [0.0], 2.0, events=event, **how)
        np.testing.assert_allclose(run.events["again"].t, FALL * np.arange(1, 5), rtol=1e-11)
        np.testing.assert_allclose(run.account.work["impacts"][-1], 0.0, atol=1e-9)
        assert run.account.closes


@pytest.mark.spread(3)
@pytest.mark.parametrize("apart", [0.0, 1e-15, 1e-12])
@pytest.mark.parametrize("how", [{"method": "dopri5"}, {"dt": 0.05}], ids=["adaptive", "dt"])
def test_events_at_one_time_all_happen(apart, how):
    events = {
        "a": vv.Event(lambda t, q, v: q[0], -1, then=lambda t, q, v: [-v[0], v[1]]),
        "b": vv.Event(lambda t, q, v: q[1], -1, then=lambda t, q, v: [v[0], -v[1]]),
    }
    run = TWO.simulate([1.0, 1.0 + apart], [0.0, 0.0], 3.0, events=events, **how)
    for k, name in enumerate("ab"):
        fall = np.sqrt(2 * (1 + k * apart) / G)
        np.testing.assert_allclose(run.events[name].t, fall * np.array([1, 3, 5]), rtol=1e-12)
    assert run.account.closes
    assert (run.q > -1e-12).all()


# ---- rows of batches, files


@pytest.mark.spread(1)
@pytest.mark.parametrize("how", [{}, {"dt": 0.01}, {"dt": 0.01, "save": 10}], ids=str)
def test_rows_of_a_batch_have_events_of_their_own(how, tmp_path):
    heights = np.linspace(0.5, 2.0, 5)
    falls = np.sqrt(2 * heights / G)
    run = BALL.simulate(heights[:, None], [0.0], 1.0, events=[floor(terminal=2), apex()], **how)
    for i, fall in enumerate(falls):
        exact = bounces(2, first=fall)
        exact = exact[exact < 1.0]
        np.testing.assert_allclose(run.events["floor"][i].t, exact, rtol=1e-12)
        one, alone = run[i], BALL.simulate(
            heights[i : i + 1], [0.0], 1.0, events=[floor(terminal=2), apex()], **how
        )  # fmt: skip
        np.testing.assert_allclose(one.events["apex"].t, alone.events["apex"].t, rtol=1e-12)
        ends = len(exact) == 2
        assert np.isnan(run.ended[i]) != ends
        assert np.isnan(run.q[i, run.t > (exact[-1] if ends else 1.0)]).all()
        assert not np.isnan(one.q).any()
        assert one.account.closes
        assert one.t[-1] == (run.ended[i] if ends else 1.0)
    assert run.account.closes
    np.testing.assert_allclose(run.account.energy[:, 0], G * heights)
    for suffix in ("npz", "csv", "nc"):
        path = tmp_path / f"run.{suffix}"
        run.save(path)
        again = vv.load_trajectory(path, system=None if suffix == "nc" and not how else BALL)
        assert np.array_equal(again.ended, run.ended, equal_nan=True)
        assert np.array_equal(again.events["floor"].v, run.events["floor"].v)
        assert again.account.closes
        times = np.array([0.3, 0.55, 0.8])
        np.testing.assert_allclose(again.at(times)[1], run.at(times)[1], atol=1e-12)
    assert run[1:3].events["floor"].t[0] == run.events["floor"][1].t[0]


def apex():
    return vv.Event(lambda t, q, v: v[0], -1, name="apex")


def test_parameters_of_rows_count():
    g = np.array([1.6, 3.7, 9.81])
    run = BALL.simulate([1.0], [0.0], 2.0, parameters={"g": g}, events=vv.Event(height, terminal=1))
    np.testing.assert_allclose(run.ended, np.sqrt(2 / g), rtol=1e-12)


# ---- with everything that moves otherwise


def test_forces_that_change_go_on_after_a_jump():
    """A table, a controller with memory, a sampled one: chosen steps and given ones agree."""
    push, memory = np.linspace(0.0, 8.0, 20)[:, None], {"start": [0.0]}
    memory |= {"rate": lambda t, q, v, x: q}
    for tau in (
        push,
        vv.Controller(lambda t, q, v, x: 3.0 - 9.0 * x, **memory),
        vv.Controller(lambda t, q, v, x: 3.0 - 9.0 * x, **memory, period=0.05),
    ):
        fine = BALL.simulate([1.0], [0.0], 1.0, tau=tau, events=floor(), method="dopri5")
        held = np.repeat(push, 5, axis=0) if tau is push else tau
        steps = BALL.simulate([1.0], [0.0], 1.0, tau=held, events=floor(), dt=0.01)
        assert len(fine.events["floor"]) >= 1
        np.testing.assert_allclose(steps.events["floor"].t, fine.events["floor"].t, atol=1e-7)
        np.testing.assert_allclose(steps.q[-1], fine.q[-1], atol=1e-7)
        assert fine.account.closes
        assert steps.account.closes


def test_a_controller_called_from_python():
    def law(t, q, v):
        return np.array([5.0 if q[0] > 0.2 else 6.0])

    run = BALL.simulate([1.0], [0.0], 2.0, tau=law, events=floor())
    assert np.abs(run.events["floor"].q).max() < 1e-12
    assert len(run.events["floor"]) >= 2


def test_no_events_are_told_beyond_a_singular_position():
    """Bars that come to lie flat: on which branch they go on is not known beside events."""
    bars = vv.catalog.n_four_bar()
    q = bars.keyframes["assembled"]
    v = bars.admitted_velocity(q, np.ones(5))
    low = vv.Event(lambda t, q, v: q[0] - 2.0, terminal=True, name="low")
    with pytest.raises(MotionError, match=r"near t = 0\.71.*not looked for beyond") as error:
        bars.simulate(q, v, 0.9, dt=0.01, events=low.g)
    assert error.value.trajectory.t[-1] == 0.9
    both = bars.simulate(np.stack([q, q]), np.stack([v, 0.9 * v]), 0.9, dt=0.01, events=low)
    np.testing.assert_allclose(both.ended, [0.345585, 0.371708], atol=1e-6)


def test_what_is_held_goes_on_held():
    """A bead on a ring stopped by a wall: what `then` returns is brought to the ring."""
    bead = vv.Lagrangian(
        "x y", "(x'^2 + y'^2)/2", "9.81*y", constraints=["x^2 + y^2 = 1"], name="bead"
    )
    q = bead.assembled([0.6, 0.3])
    v = bead.admitted_velocity(q, [0.0, -1.0])
    wall = vv.Event(lambda t, q, v: q[0], then=lambda t, q, v: [-v[0], 3.0], name="wall")
    for how in ({"method": "dopri5"}, {"dt": 0.005}):
        run = bead.simulate(q, v, 2.0, events=wall, **how)
        hit = run.events["wall"]
        assert len(hit)
        np.testing.assert_allclose(
            hit.v_after, bead.admitted_velocity(hit.q, hit.v * [-1, 0] + [0, 3.0])
        )
        assert np.abs(run.constraint_error).max() < 1e-12
        assert np.abs(run.quantity("constraint_velocity")).max() < 1e-12
        assert run.account.closes
        bad = vv.Event(wall.g, then=lambda t, q, v: (q + 0.1, v))
        with pytest.raises(ArgumentError, match="away from where"):
            bead.simulate(q, v, 2.0, events=bad, **how)


def test_a_body_that_turns_keeps_its_quaternion():
    body = vv.catalog.tumbling_body()
    event = vv.Event(lambda t, q, v: t - 0.4, then=lambda t, q, v: 0.5 * v, name="half")
    start = body.neutral(), [0.3, 2.0, 0.1]
    run = body.simulate(*start, 1.0, events=event, method="dopri5")
    np.testing.assert_allclose(run.events["half"].t, [0.4], rtol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(run.q[:, :4], axis=1), 1.0, atol=1e-13)
    assert run.account.closes
    assert not run.account.momenta  # the event changes them
    ends = body.simulate(*start, 1.0, events=vv.Event(event.g, terminal=1), method="dopri5")
    assert {"Lx", "Ly", "Lz"} <= set(ends.account.momenta)
    longer = vv.Event(event.g, then=lambda t, q, v: (1.1 * q, v))
    with pytest.raises(ArgumentError, match="length one"):
        body.simulate(*start, 1.0, events=longer, method="dopri5")


# ---- what is refused


def test_bad_events_are_refused():
    def simulate(events, **more):
        return BALL.simulate([1.0], [0.0], 1.0, events=events, **more)

    with pytest.raises(ArgumentError, match="functions of"):
        simulate(3.0)
    with pytest.raises(ArgumentError, match="two events have the name 'floor'"):
        simulate([floor(), floor()])
    with pytest.raises(ArgumentError, match="has the name 'floor' already"):
        simulate({"ground": floor()})
    with pytest.raises(ShapeError, match="one number"):
        simulate(lambda t, q, v: [q[0], v[0]])
    with pytest.raises(ShapeError, match="returns the velocity"):
        simulate(vv.Event(height, then=lambda t, q, v: [1.0, 2.0]))
    with pytest.raises(ArgumentError, match="direction"):
        vv.Event(height, 2)
    with pytest.raises(ArgumentError, match="terminal"):
        vv.Event(height, terminal="no")
    with pytest.raises(ArgumentError, match="then"):
        vv.Event(height, then=1.0)

    def as_scipy(t, q, v):
        return q[0]

    with pytest.raises(ArgumentError, match="with events= are not recorded"):
        simulate(floor(), record="ball.nc")
    with pytest.raises(ArgumentError, match="not differentiated through events"):
        BALL.sensitivities([1.0], [0.0], 1.0, events=floor())
    as_scipy.terminal = True
    with pytest.raises(ArgumentError, match="says nothing here"):
        simulate(as_scipy)


@ways
def test_numbers_that_are_none_end_with_what_was_so_far(how):
    lost = vv.Event(lambda t, q, v: vv.generic.sqrt(q[0] - 0.5) + 1.0, name="lost")
    with pytest.raises(MotionError, match="'lost' is no finite number") as error:
        BALL.simulate([1.0], [0.0], 1.0, events=lost, **how)
    assert error.value.trajectory is not None
    nothing = vv.Event(height, then=lambda t, q, v: v * np.nan)
    with pytest.raises(MotionError, match="finite numbers") as error:
        BALL.simulate([1.0], [0.0], 1.0, events=nothing, **how)
    assert error.value.trajectory.t[-1] <= FALL


def test_after_the_end_nothing_is_asked():
    """What the motion would meet beyond its end is no trouble."""
    events = {"stop": vv.Event(lambda t, q, v: q[0] - 0.5, terminal=True),
              "root": lambda t, q, v: vv.generic.sqrt(q[0]) + 1.0}  # fmt: skip
    for how in HOWS:
        run = BALL.simulate([1.0], [0.0], 1.0, events=events, **how)
        assert run.ended == pytest.approx(np.sqrt(1 / G), rel=1e-12)
