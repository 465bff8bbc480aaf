"""Targets that no position reaches, by the lengths of links alone."""

import numpy as np
import pytest

import visviva as vv
from visviva.equations.frames.chain import SerialChain
from visviva.solve.inverse.checks.reach import reach_bound

NAMES = "puma560 stanford spatial_3r human_arm planar_3r two_link articulated craig_6_5".split()
ROWS = [(0.0, np.pi / 2, 0.3, 0.0, "R"), (0.4, 0.0, 0.1, 0.0, "R"), (0.35, 0.2, 0.0, 0.0, "R"),
        (0.1, -np.pi / 2, 0.1, 0.0, "R"), (0.0, np.pi / 2, 0.1, 0.0, "R"), (0.1, 0, 0.2, 0, "R"),
        (0.05, 0.3, 0.1, 0.0, "R")]  # fmt: skip
SEVEN = vv.from_dh(ROWS, convention="standard")


def distances(model, frame, bound):
    """Of the frame at random positions."""
    low, high = (np.clip(x, -3.2, 3.2) for x in (model.lower, model.upper))
    q = np.random.default_rng(0).uniform(low, high, (3000, model.nq))
    return np.linalg.norm(np.asarray(model.pose(frame)(q))[:, :3, 3] - bound.point, axis=1)


@pytest.mark.parametrize("name", NAMES)
def test_no_position_is_outside_and_some_are_near(name):
    model = getattr(vv.catalog, name)().numeric
    frame = model.frame_names[-1]
    bound = reach_bound(SerialChain.of(model, frame), limits=True)
    d = distances(model, frame, bound)
    assert bound.least <= d.min()
    assert d.max() <= bound.most * (1 + 1e-12)
    assert bound.most < 1.2 * d.max()


def test_slides_count_within_their_limits():
    b = vv.Builder("gantry")
    b.body("x", joint="prismatic", axis="x", limits=(-1.0, 3.0), mass=1.0)
    b.body("y", parent="x", joint="prismatic", axis="y", limits=(0.0, 2.0), mass=1.0)
    b.body("arm", parent="y", joint="revolute", axis="z", mass=1.0)
    b.body("slide", parent="arm", joint="prismatic", axis="x", limits=(0.2, 0.5), mass=1.0)
    model = b.frame("tip", body="slide", at=[0.1, 0.0, 0.0]).build()
    bound = reach_bound(SerialChain.of(model, "tip"), limits=True)
    assert bound.most == pytest.approx(np.hypot(2, 1) + 0.6, rel=1e-12)
    assert bound.point.tolist() == [1.0, 1.0, 0.0]
    assert distances(model, "tip", bound).max() <= bound.most
    assert reach_bound(SerialChain.of(model, "tip"), limits=False).most == np.inf
    gantry = reach_bound(SerialChain.of(model, "y"), limits=True)
    assert gantry.most == pytest.approx(np.hypot(2, 1), rel=1e-12)
    assert gantry.near == "the middle of its range"


@pytest.mark.parametrize("all", [True, False])
def test_a_redundant_arm_says_what_is_proved(all):
    far = SEVEN.inverse_kinematics("tool", [5.0, 0.0, 0.0], task="position", all=all)
    assert far.count == 0
    assert far.complete is True
    assert far.reason.startswith("unreachable, proved: it is 5.0")
    assert np.isnan(far.q).all()
    assert far.free == ()
    assert "no solutions" in repr(far)
    pose = vv.Pose(p=[0.0, 3.0, 0.0])
    assert SEVEN.inverse_kinematics("tool", pose, all=all).complete


def test_others_of_many_are_searched_for_as_before():
    there = SEVEN.frame_pose("tool", np.full(7, 0.3)).p
    some = SEVEN.inverse_kinematics("tool", [[9.0, 0, 0], there], task="position")
    assert some.count.tolist() == [0, 1]
    assert some.complete.tolist() == [True, False]
    assert np.allclose(SEVEN.frame_pose("tool", some.q[1]).p, there, atol=1e-9)
    assert some.reason[1].startswith("more joints than numbers")
    assert [bool(x) for x in some.free] == [False, True]


def test_what_is_too_near():
    b = vv.Builder("arm")
    for k, length in enumerate((0.0, 2.0, 0.3, 0.2)):
        parent = {"parent": f"l{k - 1}"} if k else {}
        b.body(f"l{k}", joint="revolute", axis="z", at=[length, 0, 0], mass=1.0, **parent)
    model = b.frame("tip", body="l3", at=[0.1, 0, 0]).build()
    near = model.inverse_kinematics("tip", [0.5, 0.0, 0.0], task="position")
    assert near.complete
    assert near.reason.endswith("tip never nearer than 1.4 m")


def test_x_and_y_alone_say_which_task_they_are_for():
    arm = vv.catalog.two_link()
    with pytest.raises(vv.VisvivaError) as caught:
        arm.inverse_kinematics("tool", [1.0, 0.5])
    line = str(caught.value).rpartition('task="position", ')[2]
    assert line == "inverse_kinematics('tool', [1.0, 0.5], task=\"position\")"
    q = eval(f"arm.{line}", {"arm": arm}).q
    np.testing.assert_allclose(arm.frame_pose("tool", q).p[:2], [1.0, 0.5], atol=1e-12)
