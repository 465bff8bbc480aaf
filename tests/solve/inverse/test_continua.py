"""Singular poses: the curves of positions on which a frame stays, and positions within limits."""

from math import pi

import numpy as np
import pytest

import visviva as vv
from tests.support.oracles.robots import robot
from visviva.solve.inverse.continuum import is_on

PUMA = vv.catalog.puma560()
IN_LINE = np.array([0.3, -0.7, 0.4, 0.5, 0.0, 0.7])  # axes 4 and 6 of the Puma


def off(model, frame, curve, pose):
    """By how much positions along a curve miss a pose, by forward kinematics."""
    q = curve.q(np.linspace(*curve.span, 61))
    return np.abs(np.asarray(model.pose(frame)(q)) - np.asarray(pose)).max()


def test_a_wrist_in_line_is_a_closed_curve_on_which_two_joints_turn():
    pose = PUMA.frame_pose("tool", IN_LINE)
    found = PUMA.inverse_kinematics("tool", pose, all=True, limits=False)
    (curve,) = found.continua
    assert curve.is_closed
    assert curve.turns == {"joint4": 1, "joint6": -1}
    assert off(PUMA, "tool", curve, pose.matrix()) < 1e-12
    q = curve.q(np.linspace(0, curve.length, 50))
    assert np.ptp(q[:, [3, 5]].sum(axis=1)) < 1e-12  # what the pose shows of both
    assert is_on(curve, IN_LINE)
    assert not is_on(curve, IN_LINE + 1e-3 * np.eye(6)[5])
    assert found.continua is found.continua


def test_one_pose_of_many_has_a_curve():
    q = np.stack([IN_LINE + 0.4 * np.eye(6)[4], IN_LINE])
    X = np.asarray(PUMA.pose("tool")(q))
    for every in (True, False):
        found = PUMA.inverse_kinematics("tool", X, all=every)
        assert found.continua[0] == ()
        (curve,) = found.continua[1]
        assert off(PUMA, "tool", curve, X[1]) < 1e-12
        assert PUMA.inverse_kinematics("tool", X[0], all=every).continua == ()


def test_a_point_on_the_first_axis_has_a_curve_for_each_elbow():
    arm = vv.catalog.spatial_3r()
    point = np.array([0.0, 0.0, 0.7])
    found = arm.inverse_kinematics("tool", point, task="position", all=True)
    assert [curve.turns for curve in found.continua] == [{"theta1": 1}] * 2
    for curve, q in zip(found.continua, found.q, strict=True):
        assert is_on(curve, q)
        at = np.asarray(arm.pose("tool")(curve.q(np.linspace(0, curve.length, 40))))[:, :3, 3]
        assert np.abs(at - point).max() < 1e-12


@pytest.mark.spread(0)
def test_four_parallel_axes_are_a_plane_linkage_that_moves():
    """A UR5 whose last axis is parallel to axes 2, 3 and 4: a closed curve of four joints."""
    arm = vv.load(robot("ur5_robot.urdf"))
    pose = arm.frame_pose("tool0", [0.3, -1.0, 0.8, 0.5, 0.0, 0.4])
    found = arm.inverse_kinematics("tool0", pose, all=True, limits=False)
    assert len(found.continua) == 2  # of each shoulder that has the wrist in line
    for curve in found.continua:
        assert off(arm, "tool0", curve, pose.matrix()) < 1e-12
        moved = np.ptp(curve.q(np.linspace(*curve.span, 60)), axis=0) > 1e-3
        names = np.array(found.joints)[moved].tolist()
        assert names == ["shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_3_joint"]


@pytest.mark.spread(0)
def test_a_surface_has_a_curve_along_each_dimension():
    """A wrist folded onto the shoulder: the arm may point anywhere."""
    rows = [(0, 0, 0, 0), (0, -pi / 2, 0, 0), (0.43, 0, 0, 0), (0, pi / 2, 0.43, 0)]
    rows += [(0, -pi / 2, 0, 0), (0, pi / 2, 0, 0)]
    arm = vv.from_dh(rows, joints="RRRRRR", convention="modified", name="folding")
    pose = arm.frame_pose("tool", [0.3, -pi / 2, -pi / 2, 0.5, 0.6, 0.7])
    found = arm.inverse_kinematics("tool", pose)
    assert len(found.continua) == 2
    for curve in found.continua:
        assert curve.nullity == 2
        assert off(arm, "tool", curve, pose.matrix()) < 1e-12
    ahead = [curve.q(1e-4) - curve.q(0.0) for curve in found.continua]
    assert abs(ahead[0] @ ahead[1]) < 0.5 * np.linalg.norm(ahead[0]) * np.linalg.norm(ahead[1])


def test_an_arm_with_a_joint_too_many_has_a_curve_through_its_solution():
    arm = vv.catalog.human_arm()
    pose = arm.frame_pose("tool", 0.3 * np.ones(7))
    found = arm.inverse_kinematics("tool", pose, seed=0.25 * np.ones(7))
    assert found.free == found.joints
    (curve,) = found.continua
    assert is_on(curve, found.q)
    assert off(arm, "tool", curve, pose.matrix()) < 1e-12


def test_a_stretched_arm_has_none():
    arm = vv.catalog.planar_3r(l1=1.0, l2=0.8, l3=0.5)
    pose = np.asarray(arm.pose("tool")([0.3, 0.0, 0.2]))
    assert arm.inverse_kinematics("tool", pose, all=True).continua == ()


def test_limits_are_met_on_another_place_of_the_curve():
    """Joint 6 may not be where it would have to be for joint 4 at the seed."""
    arm = PUMA.with_limits({"joint6": (0.9, 1.1), "joint4": (-1.0, 1.0)})
    found = arm.inverse_kinematics("tool", PUMA.frame_pose("tool", IN_LINE), seed=np.zeros(6))
    assert found.count == 1
    assert ((found.q >= arm.lower) & (found.q <= arm.upper)).all()
    assert abs(found.q[3] + found.q[5] - 1.2) < 1e-9
    assert found.residuals < 1e-12
    shut = PUMA.with_limits({"joint6": (-0.1, 0.1), "joint4": (-1.0, 1.0)})
    none = shut.inverse_kinematics("tool", PUMA.frame_pose("tool", IN_LINE), all=True, seed=IN_LINE)
    assert not (np.abs(none.q[:, 4]) < 1e-6).any()
    assert not none.complete
