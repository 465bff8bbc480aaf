"""What two models have in common, and every way in which they can differ."""

from dataclasses import replace

import numpy as np
import pytest

from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.model.body import Mimic
from visviva.describe.model.compare import differences
from visviva.space.rotations import about_axis


def arm(name="arm", links=2, twist=0.0, **changes):
    """Two hinges and a frame; `changes` go to the second body, `twist` turns the body frame."""
    b = Builder(name, gravity=changes.pop("gravity", (0, 0, -9.81)))
    b.base_inertia(Inertia.point(changes.pop("base", 5.0)))
    b.body("one", joint="revolute", axis="z", inertia=Inertia.box(2.0, x=0.3, y=0.2, z=0.1))
    if links == 2:
        R = about_axis([0.0, 0.0, 1.0], twist)
        mass = changes.pop("mass", 1.0)
        com = changes.pop("com", [0.2, 0, 0])
        options = {"parent": "one", "joint": "revolute", "axis": R.T @ [0, 1, 0], "at": [0.4, 0, 0]}
        inertia = Inertia.box(mass, x=0.1, y=0.3, z=0.2).moved(None, com).moved(R.T)
        at = R.T @ changes.pop("grip", np.array([0.4, 0, 0]))
        name = changes.pop("body", "two")
        b.body(name, rotation=R, inertia=inertia, **(options | changes))
        b.frame("grip", body=name, at=at, rotation=R.T)
    return b.build()


def test_a_model_equals_itself_and_itself_with_other_body_frames():
    assert differences(arm(), arm()) == []
    assert differences(arm(), arm(twist=0.7)) == []


@pytest.mark.parametrize(
    ("changes", "sentences"),
    [
        ({"mass": 1.1}, ["mass of body 'two' is 1 in the first and 1.1", "inertia of body 'two'"]),
        ({"com": [0.2, 0, 1e-9]}, ["inertia of body 'two' in the world differs by"]),
        ({"at": [0.4, 0, 0.1]}, ["inertia of body", "motion of joint 'two_joint'", "frame 'grip'"]),
        ({"axis": "-y"}, ["inertia", "motion of joint 'two_joint'", "pose of frame 'grip'"]),
        (
            {"grip": np.array([0.4, 0, 1e-6])},
            ["pose of frame 'grip' differs by 7.52e-07 at q = [0.861"],
        ),
        ({"damping": 0.1}, ["the damping of joint 'two_joint' is [0.0] in the first and [0.1]"]),
        ({"friction": 0.1}, ["the friction of joint"]),
        ({"armature": 0.1}, ["the armature of joint"]),
        ({"limits": (-1, 1)}, ["the lower limit of joint", "the upper limit of joint"]),
        ({"velocity": 2.0}, ["the velocity limit"]),
        ({"effort": 2.0}, ["the effort limit"]),
        ({"gravity": (0, 0, -9.8)}, ["the gravity is [0.0, 0.0, -9.81] in the first and [0.0"]),
        ({"base": 4.0}, ["the inertia of the base"]),
        ({"joint_name": "elbow"}, ["the joint's name of body 1 is 'two_joint' in the first"]),
        ({"body": "fore"}, ["the name of body 1 is 'two'", "joint's name"]),
    ],
)
def test_every_difference_is_named(changes, sentences):
    found = differences(arm(), arm(**changes))
    assert len(found) == len(sentences), found
    for text, part in zip(found, sentences, strict=True):
        assert part in text


def test_different_structures():
    assert "the first has 2 bodies, the second 1" in differences(arm(), arm(links=1))
    assert "only the first has a frame 'grip'" in differences(arm(), arm(links=1))
    slide = differences(arm(), arm(joint="prismatic"))
    assert slide[0] == (
        "the joint type of body 1 is 'revolute' in the first and 'prismatic' in the second"
    )
    other = arm(parent="world")
    assert differences(arm(), other) == [
        "the parent of body 1 is 'one' in the first and 'world' in the second"
    ]
    assert differences(arm(), other, names=False) == [
        "the parent of body 1 is 0 in the first and -1 in the second"
    ]
    follower = arm(mimic=Mimic("one_joint", 2.0))
    assert any("mimic rule of body 1" in text for text in differences(arm(), follower))
    assert differences(follower, arm(mimic=Mimic("one_joint", 2.0))) == []
    assert differences(follower, arm(mimic=Mimic("one_joint", 3.0)))[0] == (
        "the mimic rule of body 1 is (0, 2.0, 0.0) in the first and (0, 3.0, 0.0) in the second"
    )


def test_names_tolerance_and_frames_are_choices():
    renamed = arm(body="fore", joint_name="elbow")
    assert differences(arm(), renamed, names=False) == []
    near = arm(mass=1.0 + 1e-9)
    assert differences(arm(), near) != []
    assert differences(arm(), near, tolerance=1e-8) == []
    moved = arm(grip=np.array([0.5, 0, 0]))
    assert differences(arm(), moved, frames=[]) == []
    assert differences(arm(), replace(moved, frames=())) == ["only the first has a frame 'grip'"]
