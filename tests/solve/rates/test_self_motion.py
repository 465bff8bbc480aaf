"""Self-motion: the frame stays, the curve is continuous and closes, objectives are largest."""

import numpy as np
import pytest

import visviva as vv
from benchmarks.robots import PANDA, UR5
from tests.support.counts import count
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.solve.rates.elbow import Elbow

ARM = vv.catalog.human_arm()
Q = np.array([0.5, 0.3, 0.2, 1.0, 0.1, 0.4, 0.2])


@pytest.fixture(scope="module")
def curve():
    return ARM.self_motion("tool", Q)


def closed_to_rounding(model, tip, motion, q):
    """The laws of every such curve."""
    s = np.linspace(*motion.span, 200)
    at = motion.q(s)
    X = model.pose(tip)(q)
    assert np.abs(model.pose(tip)(at) - X).max() < 1e-12
    assert np.abs(motion.q(0.0) - q).max() < 1e-12
    # continuous: no chord is longer than its arc
    steps = np.linalg.norm(np.diff(at, axis=0), axis=1)
    assert (steps / np.diff(s)).max() < 1.001
    # the tangent is in the null space, by differences
    h = 1e-5
    v = (motion.q(s[::20] + h) - motion.q(s[::20] - h))[:, : model.nv] / (2 * h)
    J = model.jacobian(tip)(at[::20])
    assert np.abs((J @ v[..., None])[..., 0]).max() < 1e-8
    assert np.abs(np.linalg.norm(v, axis=1) - 1).max() < 1e-3  # s is the length
    # once round is the same position but for whole turns
    apart = motion.q(motion.length) - q
    assert np.abs(np.exp(1j * apart) - 1).max() < 1e-9
    # and the curve goes on smoothly there
    assert np.abs(motion.q(motion.length + h) - motion.q(motion.length - h)).max() < 3 * h


def test_the_elbow_of_the_human_arm_goes_round(curve):
    closed_to_rounding(ARM, "tool", curve, Q)
    assert curve.is_closed
    assert curve.nullity == 1
    angles = np.unwrap(curve.elbow_angle(np.linspace(0, curve.length, 400)))
    assert abs(abs(angles[-1] - angles[0]) - 2 * np.pi) < 1e-9
    assert (np.diff(angles) * np.sign(angles[-1] - angles[0]) > 0).all()
    assert "closed, length 11.3" in str(curve)
    # S and W stay, E keeps its distances from them
    S, E, W = curve.elbow.points(curve.q(np.linspace(0, curve.length, 50)))
    assert np.ptp(W, axis=0).max() < 1e-12
    assert np.ptp(np.linalg.norm(E - S, axis=1)) < 1e-12
    # the elbow itself does not bend
    assert np.ptp(curve.q(np.linspace(0, curve.length, 50))[:, 3]) < 1e-12


def test_positions_by_the_angle_of_the_elbow(curve):
    for angle in (-3.0, -0.5, 0.0, 1.0, 3.1):
        q = curve.at_elbow_angle(angle)
        assert np.abs(ARM.pose("tool")(q) - ARM.pose("tool")(Q)).max() < 1e-12
        assert Elbow.of(ARM, "tool").angle(q) == pytest.approx(angle, abs=1e-12)
    low = ARM.self_motion("tool", Q).elbow.points(curve.at_elbow_angle(0.0))[1]
    others = curve.elbow.points(curve.q(np.linspace(0, curve.length, 100)))[1]
    assert low[2] <= others[:, 2].min() + 1e-9  # zero is where the elbow is lowest


@pytest.mark.soak
def test_self_motions_of_a_panda_are_continuous():
    """Over the redundancy parameter: from many positions, within limits and beyond."""
    model, tip = PANDA.model, PANDA.tip
    for seed in range(count(1, 100)):
        q = model.random(seed)
        motion = model.self_motion(tip, q)
        assert motion.is_closed
        closed_to_rounding(model, tip, motion, q)
        parts = motion.within_limits()
        assert any(low <= 0 <= high for low, high in parts)  # that of the start
        for low, high in parts:
            inside = motion.placed(np.linspace(low, high, 20))
            assert (inside >= model.lower - 1e-9).all()
            assert (inside <= model.upper + 1e-9).all()
            if high - low < motion.length:
                beyond = motion.placed([low - 1e-3, high + 1e-3])
                out = (beyond < model.lower) | (beyond > model.upper)
                assert out.any(axis=1).all()


def test_the_best_position_is_no_worse_than_any_other():
    model, tip = PANDA.model, PANDA.tip
    motion = model.self_motion(tip, model.random(2))
    for objective in ("manipulability", "limits", lambda q: -float((q[:7] - 0.1) @ (q[:7] - 0.1))):
        best = motion.best(objective)
        assert np.abs(model.pose(tip)(best.q) - model.pose(tip)(motion.q(0.0))).max() < 1e-12
        s = np.concatenate([np.linspace(*part, 15) for part in motion.within_limits()])
        for x in motion.placed(s):
            if objective == "manipulability":
                J = model.jacobian(tip)(x)
                value = np.sqrt(np.linalg.det(J @ J.T))
            elif objective == "limits":
                low, high = model.lower[:7], model.upper[:7]
                value = (np.minimum(x[:7] - low, high - x[:7]) / ((high - low) / 2)).min()
            else:
                value = objective(x)
            assert value <= best.value + 1e-9
    free = motion.best("manipulability", limits=False)
    assert free.value >= motion.best("manipulability").value - 1e-12


def test_a_singular_wrist_has_a_continuum_and_an_arm_stretched_has_none():
    arm = UR5.model
    motion = arm.self_motion("tool0", [0.2, -1.2, 1.5, -0.5, 0.0, 0.3])
    assert motion.is_closed
    s = np.linspace(0, motion.length, 50)
    assert motion.residual(s).max() < 1e-12
    with pytest.raises(
        ArgumentError, match="has no self-motion here: 6 joints move its pose, in 6"
    ):
        arm.self_motion("tool0", [0.2, -1.2, 1.5, -0.5, 0.4, 0.3])
    with pytest.raises(ArgumentError, match="that of a singular position, and no motion follows"):
        arm.self_motion("tool0", [0.2, -1.2, 0.0, -0.5, 0.4, 0.3])


def test_several_dimensions_take_a_direction():
    """A planar 3R with its tip at a point, the angle free: one; on a line: two."""
    plane = vv.catalog.planar_3r()
    q = np.array([0.3, 0.8, -0.5])
    motion = plane.self_motion("tool", q, task="x y")
    s = np.linspace(*motion.span, 60)
    assert np.ptp(plane.pose("tool")(motion.q(s))[:, :2, 3], axis=0).max() < 1e-12
    with pytest.raises(ArgumentError, match="2 dimensions here: direction="):
        plane.self_motion("tool", q, task="x")
    some = plane.self_motion("tool", q, task="x", direction=[0.0, 1.0, 0.0], most=20)
    assert "one of 2 dimensions" in str(some)
    s = np.linspace(*some.span, 20)
    assert np.ptp(plane.pose("tool")(some.q(s))[:, 0, 3]) < 1e-12
    with pytest.raises(ArgumentError, match="this self-motion is open, s is from"):
        some.q(100.0)


def test_pictures(curve):
    assert len(curve.plot().data) == 7
    assert "closed curve" in curve.plot().layout.title.text


def test_what_is_wrong_is_said(curve):
    with pytest.raises(ShapeError, match="q is a position of 7 finite numbers"):
        ARM.self_motion("tool", [0.0])
    with pytest.raises(ArgumentError, match="step is between 0 and 1"):
        ARM.self_motion("tool", Q, step=0.0)
    with pytest.raises(ShapeError, match="direction has 7 entries"):
        ARM.self_motion("tool", Q, direction=[1.0])
    with pytest.raises(UnknownNameError, match="manipulability"):
        curve.best("comfort")
    with pytest.raises(ArgumentError, match="no joint of 'human_arm' on the way has both limits"):
        curve.best("limits")
    with pytest.raises(ArgumentError, match=r"of seven revolute joints .* its joints are RRRRRR"):
        Elbow.of(UR5.model, "tool0")
    with pytest.raises(ArgumentError, match="no wrist"):
        Elbow.of(PANDA.model, PANDA.tip)
