"""Paths followed: on one branch, through singular positions, to where no position continues."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from benchmarks.robots import UR5
from tests.support.counts import examples
from visviva.errors import ArgumentError, RotationError, ShapeError
from visviva.space.poses import Pose, exp

ARM = vv.catalog.planar_3r()
Q0 = np.array([0.2, -1.2, 1.5, -0.5, 0.7, 0.3])


def tip(q, frame="tool0", model=UR5.model):
    return model.pose(frame)(q)


def test_a_motion_of_the_joints_is_found_again_through_a_wrist_singularity():
    """q5 passes zero at 7/13 of the way, where the tip hardly turns about one axis."""
    q1 = np.array([0.5, -1.0, 1.2, -0.2, -0.6, 0.1])
    told = UR5.model.follow("tool0", lambda s: tip(Q0 + (q1 - Q0) * s), Q0)
    assert told.complete
    straight = Q0 + (q1 - Q0) * told.share[:, None]
    assert np.abs(told.q - straight).max() < 1e-8  # beside the singularity 1e-16 / 1e-8
    assert np.nanmax(told.residual) < 1e-12
    (passage,) = told.passages
    assert passage.share == pytest.approx(7 / 13, abs=1e-6)
    assert passage.smallest < 1e-6
    assert "wrist_3_joint" in passage.joints
    assert "through a singular position at 0.53846" in str(told)
    _, sizes, _ = np.linalg.svd(UR5.model.jacobian("tool0")(passage.q))
    assert sizes[-1] < 1e-6
    assert told.smallest.min() < 0.02
    assert not told.limits


@examples(4, 200)
@given(st.integers(0, 10**6))
def test_motions_through_singular_positions_are_found_again(seed):
    """Elbow or wrist of a UR5 pass zero, where branches cross; any number of samples."""
    rng = np.random.default_rng(seed)
    start, way = rng.uniform(-2, 2, 6), rng.uniform(-1, 1, 6)
    joint = rng.choice([2, 4])
    start[joint], way[joint] = rng.uniform(-0.5, -0.1), rng.uniform(0.6, 1.0)
    path = {"samples": int(rng.integers(5, 60))}
    told = UR5.model.follow("tool0", lambda s: tip(start + way * s), start, **path)
    assert told.complete
    assert np.abs(told.q - start - way * told.share[:, None]).max() < 1e-7
    shares = [x.share for x in told.passages]
    assert min(abs(x + start[joint] / way[joint]) for x in shares) < 0.01  # or one beside it


def test_a_path_that_leaves_the_reach_ends_at_its_boundary():
    """A planar arm stretched: links of 1 and 0.8, the last link kept level."""
    q = np.array([0.9, -1.4, 0.5])
    X = tip(q, "tool", ARM)

    def outward(s):
        Y = X.copy()
        Y[0, 3] += 2.0 * s
        return Y

    told = ARM.follow("tool", outward, q, task="x y phi")
    assert not told.complete
    wrist = X[:2, 3] - 0.5 * X[:2, 0]
    reach = np.sqrt(1.8**2 - wrist[1] ** 2)
    assert told.end == pytest.approx((reach - wrist[0]) / 2.0, abs=1e-6)
    assert "theta2" in told.reason
    assert "infinitely fast" in told.reason
    there = told.share <= told.end
    assert np.isfinite(told.q[there]).all()
    assert np.isnan(told.q[~there]).all()
    assert np.nanmax(told.residual) < 1e-10


def test_poses_are_joined_by_screws_and_kinks_are_followed():
    X = Pose.from_matrix(tip(Q0))
    corners = [X, X @ exp([0, 0, 0.2, 0.1, 0, 0]), X @ exp([0.2, 0, 0, 0, 0.1, 0])]
    told = UR5.model.follow("tool0", [c.matrix() for c in corners], Q0)
    assert told.complete
    assert np.abs(tip(told.q) - [c.matrix() for c in corners]).max() < 1e-12
    assert np.abs(np.diff(told.q, axis=0)).max() < 0.6
    again = UR5.model.follow("tool0", [c.matrix() for c in corners[::-1]], told.q[-1])
    assert np.abs(again.q[-1] - Q0).max() < 1e-9  # the same branch back


def test_limits_that_are_passed_are_told():
    b = vv.Builder("arm").body("one", joint="revolute", axis="z", limits=(-1.0, 0.5))
    arm = b.frame("tip", body="one", at=[1.0, 0.0, 0.0]).build()
    told = arm.follow("tip", lambda s: arm.pose("tip")([s]), [0.0])
    assert told.complete
    (hit,) = told.limits
    assert hit.share == pytest.approx(0.5, abs=1e-6)
    assert str(hit) == "one_joint passes its limit 0.5 at 0.5 of the way"


def test_what_is_wrong_is_said():
    X = tip(Q0)
    with pytest.raises(ArgumentError, match="does not have 'tool0' at the beginning of the path"):
        UR5.model.follow("tool0", lambda s: X, Q0 + 0.1)
    with pytest.raises(ShapeError, match="q0 has 6 entries"):
        UR5.model.follow("tool0", lambda s: X, [0.0])
    with pytest.raises(ShapeError, match=r"poses .K, 4, 4., two at least"):
        UR5.model.follow("tool0", X, Q0)
    with pytest.raises(RotationError, match=r"the path at 0 of the way: .* is not a rotation"):
        UR5.model.follow("tool0", lambda s: np.diag([2.0, 1, 1, 1]), Q0)
    with pytest.raises(ArgumentError, match="samples is a whole number"):
        UR5.model.follow("tool0", lambda s: X, Q0, samples=1)
