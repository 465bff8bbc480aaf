"""Rows, pairs and places that are stated by hand: read in every form, or refused by name."""

import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.errors import VisvivaError

LINKS = [(0.4, 0, 0, 0), (0.3, 0, 0, 0)]
L = sympy.Symbol("L")


def dh(rows=LINKS, **options):
    return vv.from_dh(rows, convention="standard", **options)


def builder():
    b = vv.Builder("arm", parameters={"L": 0.5})
    return b.body("a", joint="revolute", axis="z", mass=1.0)


@pytest.mark.parametrize(
    "joints",
    ["RP", ["R", "P"], ("revolute", "prismatic"), np.array(["R", "prismatic"]), iter("RP")],
)
def test_joint_types_come_as_a_word_or_a_list(joints):
    assert [b.joint.kind for b in dh(joints=joints).bodies] == ["revolute", "prismatic"]


@pytest.mark.parametrize("entry", ["-L", -L, -0.5])
def test_screws_are_texts_as_rows_of_a_table_are(entry):
    arm = vv.from_screws(np.eye(4), [[0, 0, 1, 0, entry, 0]], parameters={"L": 0.5})
    pose = arm.frame_pose("tool", [np.pi])  # turned about the line x = 0.5
    np.testing.assert_allclose(pose.R, np.diag([-1.0, -1.0, 1.0]), atol=1e-15)
    np.testing.assert_allclose(pose.p, [1.0, 0.0, 0.0], atol=1e-15)


REFUSED = {
    "joints= is a word.* got 3": lambda: dh(joints=3),
    r"joint 2 of joints= needs a joint type.* got \['R'\]": lambda: dh(joints=["R", ["R"]]),
    "DH row 2 needs a joint type": lambda: dh(joints=["R", None]),
    "a DH table is a list of rows .* got None": lambda: dh(None),
    "DH row 1 is .*got 0.4": lambda: dh([0.4, 0, 0, 0]),
    "DH row 1 is .*got None": lambda: dh([None]),
    "a of DH row 1 is .* got None": lambda: dh([(None, 0, 0, 0, "R")]),
    r"a of DH row 1 is .* got \[1\]": lambda: dh([([1], 0, 0, 0, "R")]),
    r"DH row 1 needs a joint type.* got \['R'\]": lambda: dh([(1, 0, 0, 0, ["R"])]),
    "limits needs one entry for each of the 2 joints, got 3": lambda: dh(joints="RR", limits=3),
    "inertias of link 1: .* got 3": lambda: dh(joints="RR", inertias=[3, None]),
    "details of joint 2: .* got 3": lambda: dh(joints="RR", details=[{}, 3]),
    r"screw 2 is a row .* got \[0, 0, 1\]": lambda: vv.from_screws(
        np.eye(4), [[0, 0, 1, 0, 0, 0], [0, 0, 1]]
    ),
    "screw 1 is a row .* got 0": lambda: vv.from_screws(np.eye(4), [0, 0, 1, 0, 0, 0]),
    "screw 1: unknown name 'K'": lambda: vv.from_screws(np.eye(4), [[0, 0, 1, "K", 0, 0]]),
    r"screw 1 is a row .* got \[0, 0, None": lambda: vv.from_screws(
        np.eye(4), [[0, 0, None, 0, 0, 0]]
    ),
    "mimic of 'b' is .* got 'zz'": lambda: builder().body("b", mimic="zz"),
    "mimic of 'b' is .* got 3": lambda: builder().body("b", mimic=3),
    "mimic of 'b' is .* None": lambda: builder().body("b", mimic=("a_joint", None)),
    "visuals of 'b' are a list of Visual, got 3": lambda: builder().body("b", visuals=3),
    r"visuals of 'b' are a list of Visual, got \[3\]": lambda: builder().body("b", visuals=[3]),
    "spring 's': joint= or between=.*, between=3": lambda: builder().spring("s", 1.0, between=3),
    r"spring 's': points are a pair, .* got \[\[0, 0, 0\]\]": lambda: builder().spring(
        "s", 1.0, between=("a", "world"), points=[[0, 0, 0]]
    ),
    "stiffness of spring 's': .* got None": lambda: builder().spring("s", None, joint="a_joint"),
    "damping of 'b': .* got None": lambda: builder().body("b", damping=None),
    "mass of 'b' is one number, got": lambda: builder().body("b", mass=[1, 2]),
    "gravity is .x, y, z.* got 9.81": lambda: vv.Builder("arm", gravity=9.81).build(),
    r"gravity is .x, y, z.* got \[0, 9.81\]": lambda: vv.Builder("a", gravity=[0, 9.81]).build(),
    r"at of 'f' is 3 coordinates .x, y, z.* got \[0, 1\]": lambda: builder().frame(
        "f", "a", [0, 1]
    ),
    r"at of 'b' is 3 coordinates .x, y, z.* got \[0, 1\]": lambda: builder().body("b", at=[0, 1]),
    r"at of 'f' is 3 coordinates .x, y, z.* got \[0, \[1\], 1\]": lambda: builder().frame(
        "f", "a", [0, [1], 1]
    ),
    "the rotation of 'f' is a 3 × 3 matrix, got": lambda: builder().frame(
        "f", "a", rotation=[1, 2]
    ),
}


@pytest.mark.parametrize("told", REFUSED)
def test_what_is_no_row_is_refused_by_name(told):
    with pytest.raises(VisvivaError, match=told):
        REFUSED[told]()


def test_what_is_joined_may_be_a_list():
    listed = builder().body("b", parent="a", joint="revolute", axis="z", mimic=["a_joint", "2*L"])
    assert float(listed.build().numeric.bodies["b"].mimic.multiplier) == 1.0
    frames = np.array(["a", "world"])
    model = builder().spring("s", 1.0, between=frames, points=[["L", 0, 0], [0, 0, 0]]).build()
    assert model.springs[0].frames == ("a", "world")
