"""Differential inverse kinematics and redundancy: document 003, lines 253 to 291."""

import numpy as np
import pytest

import visviva as vv
from benchmarks.robots import UR5
from visviva.errors import SingularError

ARM = vv.catalog.human_arm()
Q = np.array([0.5, 0.3, 0.2, 1.0, 0.1, 0.4, 0.2])
TWIST = np.array([0.1, -0.2, 0.3, 0.2, 0.1, -0.4])


def test_S51_the_human_arm_has_one_motion_more_than_the_hand_needs():
    """Rank 6, nullity 1; the elbow moves while the hand stays, J N = 0; J⁺ solves exactly."""
    told = ARM.joint_rates("tool", Q, TWIST)
    J = ARM.jacobian("tool")(Q)
    assert (told.rank, told.nullity) == (6, 1)
    assert np.linalg.matrix_rank(J) == 6
    N = told.null_space
    assert np.abs(J @ N).max() < 1e-15
    elbow = ARM.jacobian("fore")(Q) @ N[:, 0]
    assert np.abs(elbow[3:]).max() > 0.05  # it moves
    assert np.abs(J @ told.v - TWIST).max() < 1e-13
    assert np.abs(told.v - np.linalg.pinv(J) @ TWIST).max() < 1e-12
    motion = ARM.self_motion("tool", Q)
    assert motion.is_closed
    assert motion.residual(np.linspace(0, motion.length, 100)).max() < 1e-12
    swing = np.unwrap(motion.elbow_angle(np.linspace(0, motion.length, 100)))
    assert abs(swing[-1] - swing[0]) == pytest.approx(2 * np.pi, abs=1e-9)


def test_C90_joint_rates_for_a_wanted_velocity_or_what_is_lost():
    """q̇ = J⁻¹ ẋ; at a singular position an error that names the direction, or damped rates."""
    q = np.array([0.2, -1.2, 1.5, -0.5, 0.7, 0.3])
    J = UR5.model.jacobian("tool0")(q)
    told = UR5.model.joint_rates("tool0", q, TWIST)
    assert np.abs(told.v - np.linalg.solve(J, TWIST)).max() < 1e-12 * np.abs(told.v).max()
    two = vv.catalog.planar_3r()
    with pytest.raises(SingularError, match="1 along x is asked for, which no joint gives"):
        two.joint_rates("tool", [0.0, 0.0, 0.0], [1.0, 0.5], task="x y")
    near = two.joint_rates("tool", [0.0, 1e-7, 0.0], [1.0, 0.5], task="x y")
    assert np.abs(near.v).max() > 1e6  # exact beside it, and useless
    damped = two.joint_rates("tool", [0.0, 0.0, 0.0], [1.0, 0.5], task="x y", damping=0.05)
    assert np.abs(damped.v).max() < 1.0
    assert damped.twist[1] == pytest.approx(0.5, abs=1e-3)
    assert abs(damped.twist[0]) < 1e-12


def test_C91_infinitely_many_solutions_and_one_that_is_preferred():
    """v = J⁺ ẋ + (1 - J⁺ J) z for every z; the least norm at z = 0; self-motion at ẋ = 0."""
    J = ARM.jacobian("tool")(Q)
    pinv = np.linalg.pinv(J)
    least = ARM.joint_rates("tool", Q, TWIST)
    rng = np.random.default_rng(0)
    for _ in range(5):
        z = rng.normal(size=7)
        told = ARM.joint_rates("tool", Q, TWIST, secondary=z)
        assert np.abs(told.v - (pinv @ TWIST + (np.eye(7) - pinv @ J) @ z)).max() < 1e-12
        assert np.abs(J @ told.v - TWIST).max() < 1e-12
        assert np.linalg.norm(told.v) >= np.linalg.norm(least.v)
    still = ARM.joint_rates("tool", Q, np.zeros(6), secondary=np.ones(7))
    assert np.abs(J @ still.v).max() < 1e-14
    assert np.abs(still.v).max() > 0.1
