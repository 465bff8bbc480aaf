"""Next to a wrist in line two solutions nearly merge: all are returned, or it is said that some
may be missing."""

import numpy as np
import pytest

import visviva as vv
from tests.support.oracles.robots import robot

ARMS = {
    "puma560": (vv.catalog.puma560, "tool"),
    "ur5": (lambda: vv.load(robot("ur5_robot.urdf")), "tool0"),
}
WRIST, POSES = 4, 40


def solutions(arm, frame, q, angle):
    q = q.copy()
    q[:, WRIST] = angle
    return arm.inverse_kinematics(frame, arm.pose(frame)(q), all=True, limits=False)


@pytest.mark.parametrize("angle", [1e-6, 3e-7, 1e-7, 3e-8, 1e-8])
@pytest.mark.parametrize("name", ARMS)
def test_a_count_that_is_called_complete_is_that_beside_the_singular_wrist(name, angle):
    make, frame = ARMS[name]
    arm = make()
    q = np.random.default_rng(3).uniform(-2, 2, (POSES, arm.nq))
    beside = solutions(arm, frame, q, 1e-2)
    near = solutions(arm, frame, q, angle)
    assert beside.complete.all()
    assert near.complete.mean() > 0.3
    assert (near.count == beside.count)[near.complete].all()
