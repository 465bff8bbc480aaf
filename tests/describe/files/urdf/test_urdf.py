"""URDF, stated piece by piece: what is read, what is noted, what is written."""

import re

import numpy as np
import pytest

from tests.support.generators.urdf_texts import LIMIT, MASS, arm, joint, link, mimic, refusal, robot
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.files.urdf.read import loads_urdf
from visviva.describe.files.urdf.write import to_urdf
from visviva.describe.joints.axis import Prismatic, Revolute
from visviva.describe.joints.free import Free, Planar
from visviva.errors import ArgumentError, ReadError, VisvivaError
from visviva.space.poses import Pose


def test_joint_types():
    assert isinstance(arm().bodies[0].joint, Revolute)
    assert isinstance(arm("continuous").bodies[0].joint, Revolute)
    assert isinstance(arm("prismatic").bodies[0].joint, Prismatic)
    assert isinstance(arm("planar", "").bodies[0].joint, Planar)
    assert isinstance(arm("floating", "").bodies[0].joint, Free)
    assert arm("fixed", "").bodies == ()


def test_limits_and_dynamics():
    b = arm(inside=LIMIT + '<dynamics damping="0.5" friction="0.25"/>').bodies[0]
    values = (b.limits.lower, b.limits.upper, b.limits.velocity, b.limits.effort)
    assert [float(x[0]) for x in values] == [-1, 2, 3, 4]
    assert (b.damping[0], b.friction[0]) == (0.5, 0.25)
    b = arm("continuous").bodies[0]
    assert np.isinf(b.limits.lower).all()
    assert np.isinf(b.limits.upper).all()
    assert b.limits.effort == 4


def test_absent_limits_are_noted_as_what_urdf_makes_of_them():
    model = arm(inside='<limit effort="4"/>')
    assert model.upper == 0
    assert np.isinf(model.velocity_limits).all()
    assert "joint 'j': no limit of velocity is given" in model.notes
    assert "joint 'j': lower and upper limit absent, 0 as URDF has it" in model.notes
    model = arm(inside='<limit lower="1" upper="2" effort="inf" velocity="1e300"/>')
    assert np.isinf([*model.velocity_limits, *model.effort_limits]).all()


def test_axes():
    assert arm().bodies[0].joint.axis.tolist() == [1, 0, 0]
    model = arm(inside=LIMIT + '<axis xyz="0 3 4"/>')
    assert model.bodies[0].joint.axis == pytest.approx([0, 0.6, 0.8], abs=1e-16)
    assert "joint 'j': axis of length 5 is scaled to length 1" in model.notes
    assert not any("axis" in n for n in arm(inside=LIMIT + '<axis xyz="0 0 1"/>').notes)
    assert arm("planar", '<axis xyz="0 1 0"/>').bodies[0].joint.normal.tolist() == [0, 1, 0]


def test_rotations_are_yaw_pitch_roll():
    model = arm(inside=LIMIT + '<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>')

    def turn(axis, t):
        i, j = [(1, 2), (2, 0), (0, 1)][axis]
        R = np.eye(3)
        R[i, i] = R[j, j] = np.cos(t)
        R[j, i], R[i, j] = np.sin(t), -np.sin(t)
        return R

    wanted = turn(2, 0.3) @ turn(1, 0.2) @ turn(0, 0.1)
    assert pytest.approx(wanted, abs=1e-15) == model.bodies[0].placement.R
    assert model.bodies[0].placement.p.tolist() == [1, 2, 3]


def test_inertial_origins_turn_the_tensor():
    origin = '<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>'
    text = robot(
        link("a"),
        link("b", f"<inertial>{origin}{MASS}</inertial>"),
        joint("j", "revolute", "a", "b"),
    )
    inertia = loads_urdf(text).bodies[0].inertia
    assert (inertia.mass, inertia.com.tolist()) == (2, [1, 2, 3])
    assert inertia.tensor == pytest.approx(np.diag([1.2, 1.0, 1.4]), abs=1e-15)


def test_snap_cleans_and_says_so():
    origin = LIMIT + '<origin rpy="1.57079632679 0 0"/>'
    model, exact = arm(inside=origin), arm(inside=origin, snap=0)
    assert model.bodies[0].placement.R.tolist() == [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    assert abs(exact.bodies[0].placement.R[1, 1]) == pytest.approx(4.9e-12, rel=0.01)
    (note,) = [n for n in model.notes if "rotation" in n]
    assert re.match(r"set 2 entries of rotation matrices to 0 or ±1, .* at most 4\.9e-12", note)
    assert not any("rotation" in n for n in exact.notes)
    small = arm(inside=LIMIT + '<origin rpy="1e-5 0 0"/>').bodies[0].placement.R
    assert abs(small @ small.T - np.eye(3)).max() < 1e-15  # 1 - 5e-11 stays beside 1e-5


def test_order_is_depth_first_by_joint_name():
    text = robot(
        *map(link, "abcdef"),
        joint("zz", "fixed", "a", "b", ""),
        joint("y2", "revolute", "a", "c"),
        joint("x3", "revolute", "b", "d"),
        joint("a0", "revolute", "a", "e"),
        joint("aa", "revolute", "c", "f"),
    )
    assert loads_urdf(text).joint_names == ("a0", "y2", "aa", "x3")


def test_bases():
    fixed, free = arm(), arm(base="free")
    assert (fixed.nv, fixed.base_name, fixed.base_inertia.mass) == (1, "a", 2)
    assert fixed.frame_names == ("b", "a")
    assert free.joint_names == ("root_joint", "j")
    assert (free.nv, free.mass, free.base_inertia) == (7, 4, None)
    taken = robot(link("a"), link("b"), joint("root_joint", "revolute", "a", "b"))
    assert loads_urdf(taken, base="free").joint_names == ("root_joint_", "root_joint")


def test_merged_links_are_noted_and_stay_as_frames():
    text = robot(
        *map(link, "abcd"),
        joint("j", "revolute", "a", "b"),
        joint("k", "fixed", "b", "c", '<origin xyz="0 0 1"/>'),
        joint("l", "fixed", "c", "d", '<origin xyz="0 0 1"/>'),
    )
    model = loads_urdf(text)
    assert "merged into 'b', to which they are fixed: 'c', 'd'" in model.notes
    assert model.mass == 6
    assert model.frame_pose("d", [0.0]).p.tolist() == [0, 0, 2]


def test_impossible_inertias_load_with_a_note():
    for values, words in (
        ('ixx="5" iyy="1" izz="1"', "triangle inequality"),
        ('ixx="-0.001" iyy="1" izz="1"', "negative principal moment -0.001"),
    ):
        inside = f'<inertial><mass value="1"/><inertia {values}/></inertial>'
        fixed = joint("k", "fixed", "b", "c", "")
        text = robot(
            link("a"), link("b", inside), link("c"), joint("j", "revolute", "a", "b"), fixed
        )
        model = loads_urdf(text)
        assert any("link 'b'" in n and words in n for n in model.notes), model.notes
        assert model.mass == 3
    assert not arm().bodies[0].inertia.com.any()
    assert arm().bodies[0].inertia.checked


def test_masses_that_are_absent():
    text = robot(link("a"), link("b", ""), link("c", ""), joint("j", "revolute", "a", "b"))
    model = loads_urdf(text.replace("</robot>", joint("k", "revolute", "b", "c") + "</robot>"))
    assert model.mass == 0
    assert "moving bodies without mass: 'b', 'c'" in model.notes


def test_unknown_elements_are_counted():
    model = loads_urdf(
        robot(link("a", "<collision/><foo/>"), "<transmission/>" * 12, '<gazebo reference="a"/>')
    )
    for note in (
        "ignored 12 <transmission> elements",
        "ignored 1 <gazebo> element",
        "contacts are not part of the model: nothing stops at 1 <collision> element",
        "ignored 1 <foo> element",
    ):
        assert note in model.notes


def test_visuals():
    red = '<material name="red"/>'
    shapes = {
        "box": '<box size="1 2 3"/>',
        "cylinder": '<cylinder radius="0.5" length="2"/>',
        "sphere": '<sphere radius="0.25"/>',
        "mesh": '<mesh filename="package://p/m.stl" scale="2 2 2"/>',
        "?": "<capsule/>",
    }
    seen = "".join(
        f'<visual><origin xyz="0 0 1"/><geometry>{g}</geometry>{red}</visual>'
        for g in shapes.values()
    )
    material = '<material name="red"><color rgba="1 0 0 1"/></material>'
    text = robot(link("a"), link("b", seen), joint("j", "revolute", "a", "b"), material)
    model = loads_urdf(text)
    kinds = {v.kind: v for v in model.bodies[0].visuals}
    assert {k: v.size for k, v in kinds.items()} == {
        "box": (1, 2, 3),
        "cylinder": (0.5, 2),
        "sphere": (0.25,),
        "mesh": (2, 2, 2),
    }
    assert all(v.color == (1, 0, 0, 1) and v.placement.p[2] == 1 for v in kinds.values())
    assert kinds["mesh"].path == "package://p/m.stl"
    assert "ignored 1 <visual> element" in model.notes
    again = loads_urdf(to_urdf(model)).bodies[0].visuals
    assert [(v.kind, v.size, v.path, v.color) for v in again] == [
        (v.kind, v.size, v.path, v.color) for v in model.bodies[0].visuals
    ]
    assert {v.kind for v in loads_urdf(text, meshes=False).bodies[0].visuals} == {
        "box",
        "cylinder",
        "sphere",
    }


def chain(*mimics, kinds=("revolute",) * 3, **options):
    """Joints j0, j1, j2 with what they mimic."""
    joints = [
        joint(f"j{i}", kinds[i], "abc"[i], "bcd"[i], LIMIT + mimics[i]) for i in range(len(mimics))
    ]
    return loads_urdf(robot(*map(link, "abcd"[: len(mimics) + 1]), *joints), **options)


def test_coupled_joints():
    model = chain("", mimic("j0", 'multiplier="-2" offset="0.5"'))
    assert (model.nq, model.joint_names) == (1, ("j0",))
    assert model.local(1, np.array([0.25]))[0] == 0
    expanded = chain("", mimic("j0"), mimic="expand")
    assert expanded.nq == 2
    assert "joint 'j1' has its own coordinate, not 'j0''s" in expanded.notes


def test_chains_of_coupled_joints_are_resolved():
    twice, shifted = 'multiplier="2" offset="1"', 'multiplier="3" offset="5"'
    model = chain(mimic("j1", shifted), mimic("j2", twice), "")
    assert model.joint_names == ("j2",)
    m = model.bodies[0].mimic  # 3 (2 q + 1) + 5
    assert (m.joint, m.multiplier, m.offset) == ("j2", 6, 8)


@pytest.mark.parametrize(
    ("mimics", "kinds", "words"),
    [
        (["", mimic("j9")], "rr", "mimic of joint 'j9', which does not exist"),
        (["", mimic("j1")], "rr", "follow each other: 'j1' -> 'j1'"),
        ([mimic("j1"), mimic("j0")], "rr", "follow each other: 'j0' -> 'j1' -> 'j0'"),
        (["", mimic("j0")], "fr", "joint 'j0' is fixed"),
        (["", mimic("j0")], "pr", "joint 'j0' is planar"),
    ],
)
def test_couplings_that_make_no_sense(mimics, kinds, words):
    names = {"r": "revolute", "f": "fixed", "p": "planar"}
    with pytest.raises(ReadError, match=re.escape(words)):
        chain(*mimics, kinds=[names[k] for k in kinds])
    if "exist" in words:  # the coupling is dropped, so it need not make sense
        assert chain(*mimics, mimic="expand").nq == 2


def test_couplings_that_overflow():
    follow = ["", *(mimic(f"j{i}", 'multiplier="1e30"') for i in range(11))]
    joints = [joint(f"j{i}", "revolute", "a", f"l{i}", LIMIT + m) for i, m in enumerate(follow)]
    text = robot(link("a"), *(link(f"l{i}") for i in range(12)), *joints)
    assert '<joint name="j11">: the chain of mimic multipliers overflows' in refusal(text)


def test_coupling_of_a_fixed_joint_is_noted():
    model = chain("", mimic("j0"), kinds=("revolute", "fixed"))
    assert "joint 'j1' is fixed: its <mimic> is ignored" in model.notes


def test_what_urdf_cannot_state_is_refused_by_name():
    b = Builder("r").body("ball", joint="spherical", inertia=Inertia.point(1.0))
    b.body("screw", joint="helical", pitch=0.1, inertia=Inertia.point(1.0))
    with pytest.raises(ArgumentError, match="'ball_joint' is spherical, 'screw_joint' is helical"):
        to_urdf(b.build())
    b = Builder("r", gravity=(0.0, 0.0, -1.6))
    moon = b.body("a", joint="revolute", armature=0.5, inertia=Inertia.point(1.0)).build()
    with pytest.raises(ArgumentError, match=r"armature of a_joint; gravity \[0.0, 0.0, -1.6\]"):
        to_urdf(moon)
    assert "<!-- left out: the armature of a_joint" in to_urdf(moon, lossy=True)


def test_parameters_are_written_as_their_values():
    b = Builder("r", parameters={"l": 0.5})
    b.body("a", joint="revolute", inertia=Inertia.point(1.0, [0.0, 0.0, b.parameters["l"]]))
    assert loads_urdf(to_urdf(b.build())).bodies[0].inertia.com.tolist() == [0, 0, 0.5]


def test_names_are_escaped_and_the_base_gets_one():
    b = Builder("<r>").body(
        'a"&', joint="prismatic", limits=(-np.inf, 1), inertia=Inertia.point(1.0)
    )
    model = loads_urdf(to_urdf(b.frame("world", body='a"&').build()))
    assert (model.name, model.body_names, model.base_name) == ("<r>", ('a"&',), "world_")
    assert (model.lower[0], model.upper[0]) == (-np.inf, 1)


def test_absent_products_of_inertia_are_noted():
    part = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixz="0"/></inertial>'
    notes = loads_urdf(robot(link("a"), link("b", part), joint("j", "revolute", "a", "b"))).notes
    assert "products absent in <inertia>, taken as 0: 'b' (ixy, iyz)" in notes


def test_negative_limits_of_speed_and_effort_are_noted():
    notes = arm("continuous", '<limit velocity="-2" effort="-3"/>').notes
    assert "joint 'j': the velocity limit -2 is negative" in notes
    assert "joint 'j': the effort limit -3 is negative" in notes


def test_limits_of_zero_are_noted():
    model = arm("continuous", '<limit velocity="0" effort="0"/>')
    assert model.velocity_limits.tolist() == model.effort_limits.tolist() == [0.0]
    assert "velocity limits of zero, kept: they allow no velocity: 'j'" in model.notes
    assert "effort limits of zero, kept: they allow no effort: 'j'" in model.notes


def test_what_was_written_is_read_without_a_note():
    b = Builder("a").body(
        "l", joint="revolute", limits=(-1, 1), inertia=Inertia.sphere(1.0, radius=0.1)
    )
    assert loads_urdf(to_urdf(b.build())).notes == ()


def test_the_base_is_where_it_is_put():
    """On the ceiling: the same arm, seen from its base."""
    inertial = """<inertial><origin xyz="0.1 0 0.2"/><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"""
    text = robot(link("a", inertial), link("b", inertial), joint("j", "continuous", "a", "b"))
    X = Pose(np.diag([1.0, -1.0, -1.0]), [0.0, 0.0, 2.0])
    floor, up = loads_urdf(text), loads_urdf(text, base=X)
    assert np.allclose(up.frame_pose("a", [0.0]).matrix(), X.matrix())
    for q in ([0.0], [0.7]):
        seen = X @ floor.frame_pose("b", q)
        assert np.allclose(up.frame_pose("b", q).matrix(), seen.matrix(), atol=1e-15)
    assert np.allclose(up.base_inertia.com, X.R @ [0.1, 0.0, 0.2] + X.p)
    assert np.allclose(loads_urdf(text, base=[0, 0, 1.0]).frame_pose("a", [0.0]).p, [0, 0, 1.0])
    again = loads_urdf(to_urdf(up))
    assert np.allclose(again.frame_pose("b", [0.7]).matrix(), up.frame_pose("b", [0.7]).matrix())
    as_world = text.replace('"a"', '"world"')
    root = loads_urdf(as_world, base=X)
    assert np.array_equal(root.frame_pose("world", [0.0]).matrix(), np.eye(4))
    assert np.allclose(root.frame_pose("b", [0.7]).matrix(), up.frame_pose("b", [0.7]).matrix())
    for bad in (3, None, [1, 2], "high"):
        with pytest.raises(VisvivaError, match=r"base="):
            loads_urdf(text, base=bad)
