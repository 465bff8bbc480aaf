"""Calls that make something, with words that are not theirs: the error has the line that does."""

import numpy as np
import pytest

import visviva as vv

SCREWS = [[0, 0, 1, 0, 0, 0]]
CALLS = {
    "angles of a table": (
        lambda: vv.from_dh([(0, 90, 0.4, 0, "R")], convention="standard", degrees=True),
        "angles of rows are in radians, np.deg2rad(90)",
    ),
    "body screws": (
        lambda: vv.from_screws(np.eye(4), SCREWS, frame="body"),
        "[home.adjoint() @ b for b in B]",
    ),
    "no rows": (lambda: vv.from_dh(), "missing a required argument: 'rows'"),
    "no file": (
        lambda: vv.load(),
        "missing a required argument: 'path': here it is vv",
    ),
    "no inputs": (
        lambda: vv.function(abs),
        "vv.function(f, inputs, *, name=None, key=None): ",
    ),
    "two texts": (lambda: vv.coordinates("x", "y"), 'x, y = vv.coordinates("x y")'),
    "parameters apart": (lambda: vv.parameters("m", "l"), 'm, l = vv.parameters("m l")'),
    "sides by place": (lambda: vv.Inertia.box(1.0, 1.0, 1.0, 1.0), "(mass=None, *, x, y, z,"),
    "a radius": (lambda: vv.Inertia.sphere(1.0, r=2.0), "vv.Inertia.sphere(1.0, radius=2.0)"),
    "a length": (
        lambda: vv.Inertia.cylinder(1.0, radius=1.0, length=2.0),
        "vv.Inertia.cylinder(1.0, radius=1.0, height=2.0)",
    ),
    "a place": (
        lambda: vv.Inertia.point(1.0, com=[0, 0, 1]),
        "vv.Inertia.point(1.0, at=[0, 0, 1])",
    ),
    "a shift": (
        lambda: vv.Inertia.point(1.0).moved(translation=[0, 0, 1]),
        "inertia.moved(p=[0, 0, 1])",
    ),
    "a number": (lambda: vv.Inertia.point(1.0) + 1, "inertias are joined with inertias, got 1"),
    "an axis by letter": (
        lambda: vv.Pose.rotation("z", 1.0),
        "vv.Pose.rotation([0.0, 0.0, 1.0], 1.0)",
    ),
    "degrees": (
        lambda: vv.Pose.rotation([0, 0, 1], degrees=90),
        "vv.Pose.rotation(axis, np.deg2rad(90))",
    ),
    "no energy": (lambda: vv.Lagrangian("x"), "missing a required argument: 'kinetic'"),
    "no such word": (lambda: vv.Builder("a", foo=1), "got an unexpected keyword argument 'foo'"),
}


@pytest.mark.parametrize("case", CALLS)
def test_calls_of_the_first_hour_are_refused_in_our_words(case):
    call, said = CALLS[case]
    with pytest.raises(vv.VisvivaError) as caught:
        call()
    assert said in str(caught.value)


def test_body_screws_are_carried_to_the_space_frame_as_the_hint_says():
    home = vv.Pose(np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]), [0.3, 0.2, 0.1])
    B = np.array([[0, 0, 1, 0, 0.4, 0], [0, 1, 0, 0.1, 0, 0.2]])
    arm = vv.from_screws(home, [home.adjoint() @ b for b in B])
    wanted = home @ vv.space.poses.exp(B[0] * 0.7) @ vv.space.poses.exp(B[1] * -0.4)
    there = arm.frame_pose("tool", [0.7, -0.4])
    assert np.allclose(there.matrix(), wanted.matrix(), atol=1e-14)
