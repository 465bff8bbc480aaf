"""Trajectories against limits, by inverse dynamics."""

import numpy as np
import pytest
import scipy.optimize

import visviva as vv
from benchmarks.robots import UR5
from visviva.errors import ArgumentError, ShapeError

g = vv.generic
HOME = np.array([0.0, -1.2, 1.0, 0.3, 0.5, 0.0])


def test_C111_violations_of_a_ur5_are_found_where_they_are():
    """A swing of the shoulder: too fast at known times, by a known amount."""
    arm = UR5.load()
    size, rate = 1.6, 2.2
    most = float(arm.velocity_limits[1])

    def path(t):
        return [*HOME[:1], HOME[1] + size * g.sin(rate * (t - 1.0)), *HOME[2:]]

    told = arm.feasibility(path, (0.0, 2.0))
    (only,) = [v for v in told.violations if v.name == arm.motion_names[1] and v.kind == "velocity"]
    away = np.arccos(most / (size * rate)) / rate
    assert abs(only.start - (1.0 - away)) < 1e-9
    assert abs(only.end - (1.0 + away)) < 1e-9
    assert abs(only.worst - 1.0) < 1e-9
    assert abs(only.amount - (size * rate - most)) < 1e-9
    assert not told
    # efforts: the same forces from positions alone, and a limit that is set just below their peak
    t = np.linspace(0, 2, 4001)
    q = np.array([HOME + size * np.sin(rate * (x - 1.0)) * np.eye(6)[1] for x in t])
    v = size * rate * np.cos(rate * (t - 1))[:, None] * np.eye(6)[1]
    a = -size * rate**2 * np.sin(rate * (t - 1))[:, None] * np.eye(6)[1]
    tau = arm.inverse_dynamics(q, v, a)
    peak = np.abs(tau[:, 1]).max()
    k = int(np.abs(tau[:, 1]).argmax())

    def needed(x):
        cos, sin, one = np.cos(rate * (x - 1.0)), np.sin(rate * (x - 1.0)), np.eye(6)[1]
        state = (HOME + size * sin * one, size * rate * cos * one, -size * rate**2 * sin * one)
        return -abs(float(arm.inverse_dynamics(*state)[1]))

    if 0 < k < 4000:
        found = scipy.optimize.minimize_scalar(
            needed, bounds=t[[k - 1, k + 1]], method="bounded", options={"xatol": 1e-12}
        )
        peak = -found.fun
    tight = arm.feasibility(
        path, 2.0, velocity=np.inf, effort=[1e9, peak - 0.5, 1e9, 1e9, 1e9, 1e9]
    )
    worst = max(tight.violations, key=lambda x: x.amount)
    assert (worst.name, worst.kind) == (arm.motion_names[1], "effort")
    assert worst.amount == pytest.approx(0.5, abs=1e-9)
    assert abs(-needed(worst.start) - (peak - 0.5)) < 1e-9 or worst.start == 0.0
    assert abs(-needed(worst.end) - (peak - 0.5)) < 1e-9 or worst.end == 2.0
    assert arm.feasibility(path, 2.0, velocity=10.0, effort=1e4)


def test_C111_a_position_beyond_its_limit_is_found_where_it_is():
    """The elbow swings by 1 beyond a limit of pi: sin = 1 / 2 begins and ends the violation."""
    arm = UR5.load()
    most = float(arm.upper[2])

    def path(t):
        return [*HOME[:2], most + 2.0 * g.sin(t) - 1.0, *HOME[3:]]

    told = arm.feasibility(path, 3.0, velocity=np.inf, effort=1e6)
    (only,) = told.violations
    assert (only.kind, only.name) == ("position", arm.coordinate_names[2])
    assert abs(only.start - np.pi / 6) < 1e-9
    assert abs(only.end - 5 * np.pi / 6) < 1e-9
    assert abs(only.worst - np.pi / 2) < 1e-7
    assert abs(only.amount - 1.0) < 1e-9


def test_a_joint_that_nothing_drives_takes_no_effort():
    cart = vv.catalog.cart_pole()
    told = cart.feasibility(lambda t: [g.sin(t), 0.1 * g.cos(t)], 3.0)
    assert {v.name for v in told.violations} == {"theta"}
    free = cart.simulate([0.0, 0.5], [0.0, 0.0], 2.0)
    assert cart.feasibility(free)
    fast = cart.feasibility(free, velocity=[0.1, np.inf])
    peak = np.abs(cart.simulate([0.0, 0.5], [0.0, 0.0], np.linspace(0, 2, 20001)).v[:, 0]).max()
    assert max(v.amount for v in fast.violations) == pytest.approx(peak - 0.1, abs=1e-6)


def test_a_short_excursion_between_samples_is_found():
    """A pulse that is narrower than the spacing of most samples."""
    b = vv.Builder("slide")
    b.body("block", joint="prismatic", axis="x", limits=(-1.0, 1.0), inertia=vv.Inertia.point(1.0))
    slide = b.build()
    told = slide.feasibility(lambda t: [1.05 / (1.0 + ((t - 0.7071) * 200.0) ** 2)], 1.0)
    (one,) = told.violations
    assert one.worst == pytest.approx(0.7071, abs=1e-9)
    assert one.amount == pytest.approx(0.05, abs=1e-9)
    half = np.sqrt(0.05) / 200
    assert one.end - one.start == pytest.approx(2 * half, abs=1e-9)


def test_a_violation_that_begins_slowly_begins_where_it_does():
    """1 + 1e-8 sin t is beyond 1 from the start on, though rounding is not far below."""
    b = vv.Builder("slide")
    b.body("block", joint="prismatic", axis="x", limits=(-1.0, 1.0), inertia=vv.Inertia.point(1.0))
    told = b.build().feasibility(lambda t: [1.0 + 1e-8 * g.sin(t)], 3.0)
    (one,) = told.violations
    assert one.start < 1e-3
    assert one.amount == pytest.approx(1e-8, abs=1e-15)
    assert "1 violation of limits" in repr(told)
    assert "by 1e-08 beyond the limit 1 " in str(one)


def test_bad_input_is_refused():
    cart = vv.catalog.cart_pole()
    with pytest.raises(ArgumentError, match="needs t, a duration or a pair"):
        cart.feasibility(lambda t: [t, t])
    for bad in (None, [1, 2], "path"):
        with pytest.raises(ArgumentError):
            cart.feasibility(bad, 1.0)
    with pytest.raises(ShapeError):
        cart.feasibility(lambda t: [t], 1.0)
    with pytest.raises(ArgumentError, match="duration"):
        cart.feasibility(lambda t: [t, t], -1.0)
    with pytest.raises(ArgumentError, match="limit"):
        cart.feasibility(lambda t: [t, t], 1.0, velocity=-1.0)
    with pytest.raises(ArgumentError, match="not finite"):
        cart.feasibility(lambda t: [g.sqrt(t - 0.5), t], 1.0)


def test_C111_joints_that_follow_others_keep_their_own_limits():
    """b = 2 a + 0.2 is limited to 1: passed where a = 0.4, and its speed 2 ȧ to 1.5.

    What b may do a may do, so that both are named.
    """
    b = vv.Builder("gear")
    b.body("a", joint="revolute", axis="z", mass=1.0)
    b.body("b", parent="a", joint="revolute", axis="z", mass=1.0,
           limits=(0.0, 1.0), velocity=1.5, mimic=("a_joint", 2.0, 0.2))  # fmt: skip
    found = b.build().feasibility(lambda t: [t / 2], 1.0)
    both = [("position", "a_joint"), ("position", "b_joint")]
    assert [(x.kind, x.name) for x in found.violations] == both
    np.testing.assert_allclose([x.start for x in found.violations], 0.8, atol=1e-9)
    np.testing.assert_allclose([x.value for x in found.violations], [0.5, 1.2], atol=1e-9)
    quick = b.build().feasibility(lambda t: [t], 0.3)
    both = [("velocity", "a_joint"), ("velocity", "b_joint")]
    assert [(x.kind, x.name) for x in quick.violations] == both


@pytest.mark.parametrize("seed", range(12))
def test_a_pulse_of_any_width_anywhere_is_found(seed):
    """A Gaussian of height h about c: beyond 1 if h > 1, within w sqrt(log h) of c."""
    rng = np.random.default_rng(seed)
    duration, height = 10.0 ** rng.uniform(0, 3), rng.choice([0.6, 0.99, 1.01, 1.5])
    c, w = rng.uniform(0.1, 0.9) * duration, duration * 10.0 ** rng.uniform(-7, -2)
    b = vv.Builder("slide")
    b.body("block", joint="prismatic", axis="x", limits=(-1.0, 1.0), inertia=vv.Inertia.point(1.0))
    found = b.build().feasibility(lambda t: [height * g.exp(-(((t - c) / w) ** 2))], duration)
    assert found.is_feasible is bool(height < 1.0)
    if height > 1.0:
        (one,) = found.violations
        assert one.value == pytest.approx(height, abs=1e-9)
        half = w * np.sqrt(np.log(height))
        assert [one.start - c, one.end - c] == pytest.approx([-half, half], rel=1e-5)
    else:
        assert "feasible; nearest is position" in repr(found)


@pytest.mark.parametrize("width", [1e-1, 1e-3, 1e-5])
def test_a_short_blend_takes_its_effort(width):
    """From rest to 1 rad/s in a short time: M a at its start, which no sample has to meet."""
    arm = vv.catalog.two_link(a_g=0.0)

    def path(t):
        s = t - 5.0001
        blend = g.where(g.less(s, width), s * s / (2 * width), s - width / 2)
        return [g.where(g.less(s, 0.0), 0.0 * t, blend), 0.0 * t]

    needed = np.abs(arm.mass_matrix([0.0, 0.0])[:, 0]) / width
    found = arm.feasibility(path, 10.0, effort=0.9 * needed)
    assert {(x.kind, x.name) for x in found.violations} == {("effort", "q1"), ("effort", "q2")}
    assert found.violations[0].start == pytest.approx(5.0001, abs=1e-9)
    assert arm.feasibility(path, 10.0, effort=1.5 * needed + 50.0).is_feasible


def test_jumps_of_a_path_are_never_called_feasible():
    arm = vv.catalog.two_link()
    limits = {"velocity": 1.0, "effort": 1e3}

    def jumps(t):
        return [g.where(g.less(t, 0.5), 0.0 * t, 0.1 + 0.0 * t), 0.0 * t]

    def kinks(t):
        return [g.where(g.less(t, 0.5), 0.0 * t, 0.1 * (t - 0.5)), 0.0 * t]

    for path, named in ((jumps, limits), (jumps, {"velocity": 1.0}), (kinks, limits)):
        found = arm.feasibility(path, 1.0, **named)
        assert found.is_feasible is None
        assert "no violation at" in repr(found)
        assert "not proved at 0.5 s" in repr(found)
    assert arm.feasibility(kinks, 1.0, velocity=1.0).is_feasible  # no effort is limited


BREAKS = {  # at c: by nearly the size h, in the position or in the velocity
    "where": lambda t, c, h: g.where(g.less(t, c), 0.0 * t, h + 0.0 * t),
    "sign": lambda t, c, h: 0.5 * h * g.sign(t - c),
    "atan2": lambda t, c, h: h / 6.3 * g.atan2(g.sin(t - c + np.pi), g.cos(t - c + np.pi)),
    "arctan": lambda t, c, h: h / 3.2 * g.atan(1.0 / (t - c)),
    "abs": lambda t, c, h: 0.5 * h * abs(t - c),
    "abs of sin": lambda t, c, h: 0.5 * h * abs(g.sin(t - c)),
    "maximum": lambda t, c, h: g.maximum(h * (t - c), 0.0 * t),
}


@pytest.mark.parametrize("spelling", BREAKS)
@pytest.mark.parametrize("size", [1e-5, 1e-2, 1.0])
def test_jumps_of_any_size_beside_slopes_of_any_size_are_never_called_feasible(spelling, size):
    """A jump is not told from a steep slope by the range over a long time."""
    arm = vv.catalog.two_link()
    for seed in range(2):
        rng = np.random.default_rng(seed)
        duration = float(rng.choice([1.0, 10.0, 300.0]))
        rate, at = rng.uniform(0.0, 10.0), float(rng.uniform(0.1, 0.9)) * duration

        def path(t, rate=rate, at=at):
            return [0.3 * g.sin(rate * t) + BREAKS[spelling](t, at, size), 0.1 * t]

        def smooth(t, rate=rate):
            return [0.3 * g.sin(rate * t), 0.1 * t]

        assert arm.feasibility(path, duration, velocity=1e3, effort=1e6).is_feasible is None
        assert arm.feasibility(smooth, duration, velocity=1e3, effort=1e6).is_feasible


def test_a_motion_is_looked_at_by_samples():
    cart = vv.catalog.cart_pole()
    found = cart.feasibility(cart.simulate([0.0, 0.5], [0.0, 0.0], 1.0))
    assert found
    assert found.is_feasible is None
    assert "no violation at" in repr(found)


def test_forces_of_motors_that_do_not_turn_take_one_inverse_and_are_proved(monkeypatch):
    arm, counts = vv.catalog.two_link(), []
    motors = [vv.Actuator.motor(n, n, gear=10.0, limits=(-20, 20)) for n in arm.joint_names]
    arm = arm.with_actuators(motors)
    run = arm.simulate([0.1, 0.2], t=0.05, u=[0.3, -0.2])
    inverse = np.linalg.pinv
    monkeypatch.setattr(np.linalg, "pinv", lambda x: counts.append(x.shape) or inverse(x))
    found = arm.feasibility(run)
    assert counts == [(2, 2)]
    np.testing.assert_allclose(found.margins["effort of q1"], 19.7, rtol=1e-12)
    slow = arm.feasibility(lambda t: [0.1 * vv.generic.sin(t)] * 2, 1.0)
    assert slow.is_feasible is True
