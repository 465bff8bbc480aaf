"""Arms without a closed form of their own: calibrated ones, general ones, wrists behind any arm."""

from math import pi

import numpy as np
import pytest

from tests.support.counts import SOAK, count
from visviva.describe.by_hand.dh import from_dh
from visviva.equations.frames.chain import SerialChain
from visviva.solve.inverse.calibrated import meant
from visviva.solve.inverse.checks.checking import Checker

PUMA = [
    (0.0, 0.0, 0.0, 0.0),
    (0.0, -pi / 2, 0.2435, 0.0),
    (0.4318, 0.0, -0.0934, 0.0),
    (-0.0203, pi / 2, 0.4331, 0.0),
    (0.0, -pi / 2, 0.0, 0.0),
    (0.0, pi / 2, 0.0, 0.0),
]
GENERAL = [
    (0.3, pi / 2, 0.1, 0.0),
    (1.0, 0.2, 0.2, 0.0),
    (0.1, 1.5, 0.2, 0.0),
    (0.0, -1.4, 0.8, 0.0),
    (0.05, 1.6, 0.1, 0.0),
    (0.0, 0.0, 0.2, 0.0),
]


def arm_of(rows, convention, name):
    return from_dh(rows, joints="RRRRRR", convention=convention, name=name)


def measured(rng, size=2e-4):
    rows = [tuple(x + rng.uniform(-size, size) for x in row) for row in PUMA]
    return arm_of(rows, "modified", "measured")


@pytest.mark.spread(0)
@pytest.mark.soak
def test_a_calibrated_arm_keeps_all_branches():
    """Newton's method from the branches of the arm that was meant, without elimination."""
    for seed in range(count(2, 20)):
        rng = np.random.default_rng(seed)
        arm = measured(rng)
        chain = SerialChain.of(arm, "tool")
        near = meant(chain, "pose")
        assert near.family.name == "RRRRRR, spherical wrist, 2 ∥ 3"
        q = rng.uniform(-np.pi, np.pi, (count(50, 2000), 6))
        X = np.asarray(arm.pose("tool")(q))
        found = near.branches(X)
        goal = np.repeat(X[:, None], found.shape[1], axis=1)
        error = np.abs(Checker(chain, "pose").error(np.nan_to_num(found), goal)).max(axis=-1)
        met = np.isfinite(found).all(axis=-1) & (error < 1e-11)
        off = np.abs(np.angle(np.exp(1j * (found - q[:, None])))).max(axis=-1)
        again = (np.where(met, off, np.inf) < 1e-6).any(axis=1)
        assert again.mean() > 0.97  # near singular poses branches of the two arms differ
        assert np.median(met.sum(axis=1)) == 8


@pytest.mark.soak
@pytest.mark.skipif(not SOAK, reason="compiling elimination for one more arm takes seconds")
def test_a_calibrated_arm_is_checked_by_elimination():
    arm = measured(np.random.default_rng(0))
    q = np.random.default_rng(0).uniform(-2, 2, (6, 6))
    found = arm.inverse_kinematics("tool", np.asarray(arm.pose("tool")(q)), all=True)
    assert found.family == "calibrated RRRRRR, spherical wrist, 2 ∥ 3, and elimination"
    assert (found.count == 8).all()
    assert found.complete.any()  # where it accounts for 16 roots
    off = np.abs(np.angle(np.exp(1j * (found.q - q[:, None])))).max(axis=-1)
    assert np.nanmin(off, axis=1).max() < 1e-10
    assert np.nanmax(found.residuals) < 1e-12


def test_a_general_arm_is_solved_by_elimination():
    arm = arm_of(GENERAL, "standard", "general")
    q = np.random.default_rng(0).uniform(-2, 2, 6)
    found = arm.inverse_kinematics("tool", arm.frame_pose("tool", q), all=True)
    assert found.family == "general 6R, by elimination"
    assert (found.count, found.complete) == (8, True)
    assert np.abs(found.q - q).max(axis=1).min() < 1e-11


def test_a_wrist_behind_any_arm_is_a_quartic_and_not_called_complete():
    """Roots of quartics may be lost where two of them meet."""
    rows = [*GENERAL[:3], (0.0, pi / 2, 0.8, 0.0), (0.0, -pi / 2, 0.0, 0.0), (0.0, 0.0, 0.2, 0.0)]
    arm = arm_of(rows, "standard", "any")
    q = np.array([0.3, -0.7, 0.4, 0.5, 0.6, 0.7])
    found = arm.inverse_kinematics("tool", arm.frame_pose("tool", q), all=True)
    assert found.family == "RRRRRR, spherical wrist, by a quartic"
    assert not found.complete
    assert np.abs(found.q - q).max(axis=1).min() < 1e-11
    assert found.residuals.max() < 1e-12


def test_a_wrist_folded_onto_the_shoulder_leaves_joints_free():
    """Links of one length, folded: the arm may point anywhere, and the wrist makes up for it."""
    rows = [PUMA[0], (0, -pi / 2, 0, 0), (0.43, 0, 0, 0), (0, pi / 2, 0.43, 0), *PUMA[4:]]
    arm = arm_of(rows, "modified", "folding")
    q = np.array([0.3, -pi / 2, -pi / 2, 0.5, 0.6, 0.7])
    pose = arm.frame_pose("tool", q)
    assert np.abs(pose.p).max() < 1e-15
    found = arm.inverse_kinematics("tool", pose, all=True)
    assert not found.complete
    assert {"joint1", "joint2"} <= {*found.free}
    assert found.residuals.max() < 1e-9


def test_a_wrist_on_the_first_axis_is_no_reason_to_give_up():
    """An arm like a UR without offset, its wrist above its base: every first angle might do."""
    a2, a3, d5 = -0.425, -0.392, 0.3
    rows = [(0, pi / 2, 0.1, 0), (a2, 0, 0, 0), (a3, 0, 0, 0)]
    rows += [(0, pi / 2, 0, 0), (0, -pi / 2, d5, 0), (0, 0, 0.08, 0)]
    arm = arm_of(rows, "standard", "without offset")
    q = np.array([0.8, 1.1, 0.7, 0.0, 0.9, -0.4])
    q[3] = np.arcsin(-(a2 * np.cos(q[1]) + a3 * np.cos(q[1] + q[2])) / d5) - q[1] - q[2]
    pose = arm.frame_pose("tool", q)
    found = arm.inverse_kinematics("tool", pose, all=True)
    assert found.count > 0
    assert not found.complete
    assert "joint1" in found.free
    assert found.residuals.max() < 1e-9
