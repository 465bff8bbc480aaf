"""URDF, stated piece by piece: what is read, what is noted, what is refused and how."""

import builtins
import os
import random
import re
import signal
import time

import numpy as np
import pytest
from lxml import etree
from support.counts import count, progress
from support.robots import ROBOTS, all_poses

from visviva.describe.builder import Builder
from visviva.describe.free_joints import Free, Planar
from visviva.describe.inertia import Inertia
from visviva.describe.joints import Prismatic, Revolute
from visviva.describe.urdf import MAX_LINKS, load_urdf, loads_urdf
from visviva.describe.urdf_write import to_urdf
from visviva.describe.xmlfile import ReadError, parse_xml
from visviva.errors import ArgumentError, VisvivaError

LIMIT = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'
MASS = '<mass value="2"/><inertia ixx="1" iyy="1.2" izz="1.4" ixy="0" ixz="0" iyz="0"/>'


def link(name, inside=f"<inertial>{MASS}</inertial>"):
    return f'<link name="{name}">{inside}</link>\n'


def joint(name, kind, parent, child, inside=LIMIT):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>\n'


def robot(*parts):
    return '<robot name="r">\n' + "".join(parts) + "</robot>"


def arm(kind="revolute", inside=LIMIT, **options):
    """One joint."""
    return loads_urdf(robot(link("a"), link("b"), joint("j", kind, "a", "b", inside)), **options)


def refusal(text, **options):
    with pytest.raises(ReadError) as caught:
        loads_urdf(text, source="bot.urdf", **options)
    return str(caught.value)


# ---- what is read


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
    model = arm(inside='<limit lower="2" upper="1" effort="inf" velocity="1e300"/>')
    assert "joint 'j': lower limit 2 is above upper limit 1" in model.notes
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
        "ignored 1 <collision> element",
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


# ---- coupled joints


def chain(*mimics, kinds=("revolute",) * 3, **options):
    """Joints j0, j1, j2 with what they mimic."""
    joints = [
        joint(f"j{i}", kinds[i], "abc"[i], "bcd"[i], LIMIT + mimics[i]) for i in range(len(mimics))
    ]
    return loads_urdf(robot(*map(link, "abcd"[: len(mimics) + 1]), *joints), **options)


def mimic(source, extra=""):
    return f'<mimic joint="{source}" {extra}/>'


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


# ---- what is refused

AB = link("a") + link("b")
J = joint("j", "revolute", "a", "b")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "malformed XML"),
        ("<robot", 1, "malformed XML"),
        ("<robot>\n<link></robot>", 2, "malformed XML: Opening and ending tag mismatch"),
        ('<sdf name="x"/>', 1, '<sdf name="x">: is not a URDF; accepted: <robot name="...">'),
        ("<robot/>", 1, '<robot>: needs name, has attributes: none; accepted: name="..."'),
        (robot(), 1, "has 0 links; accepted: 1 to 5000"),
        (robot("<link/>"), 2, "<link>: needs name"),
        (robot(link("a"), link("a")), 3, "a second link called 'a', the first is in line 2"),
        (robot(AB, J, J), 5, "a second joint called 'j', the first is in line 4"),
        (robot(link("a"), link("b")), 1, "2 root links: 'a', 'b'; accepted: one link"),
        (robot(AB, joint("j", "ball", "a", "b")), 4, "'ball'; accepted: fixed, revolute,"),
        (robot(AB, joint("j", "revolute", "a", "c")), 4, "child link 'c' does not exist; accepted"),
        (robot(AB, joint("j", "revolute", "x", "b")), 4, "parent link 'x' does not exist"),
        (robot(AB, J, joint("k", "fixed", "b", "a")), None, "cycle: 'b' -> 'a' -> 'b'"),
        (robot(AB, joint("j", "fixed", "b", "b")), 4, "cycle: 'b' -> 'b'"),
        (
            robot(AB, link("c"), joint("j", "fixed", "b", "c"), joint("k", "fixed", "c", "b")),
            None,
            "the links form a cycle",
        ),
        (
            robot(AB, link("c"), J, joint("k", "fixed", "c", "b")),
            6,
            "link 'b' is already the child of joint 'j' (line 5)",
        ),
        (robot(AB, '<joint name="j" type="fixed"/>'), 4, "has no <parent>"),
        (robot(AB, '<joint name="j" type="fixed"><parent link="a"/></joint>'), 4, "no <child>"),
        (robot(AB, joint("j", "revolute", "a", "b", "")), 4, "needs <limit>; accepted: <limit lo"),
        (robot(AB, joint("j", "revolute", "a", "b", LIMIT + '<axis xyz="0 0 0"/>')), 4, "zero"),
        (robot(AB, joint("j", "floating", "a", "b", '<origin xyz="0 0"/>')), 4, "xyz has 2 words"),
        (robot(AB, joint("j", "floating", "a", "b", '<origin xyz="0 0 ${x}"/>')), 4, "run xacro"),
        (robot(AB, joint("j", "floating", "a", "b", '<origin rpy="0 0 nan"/>')), 4, "rpy is 'nan'"),
        (robot(AB, joint("j", "floating", "a", "b", '<origin xyz="0 0 1e31"/>')), 4, "up to 1e+30"),
        (robot(AB, joint("j", "revolute", "a", "b", LIMIT.replace("2", "nan"))), 4, "upper is"),
        (robot(link("a", "<inertial/>")), 2, '<inertial>: has no <mass>; accepted: <mass value="1'),
        (robot(link("a", f"<inertial>{MASS}</inertial>".replace('"2"', '"-2"'))), 2, "mass is -2"),
        (robot(link("a", f"<inertial>{MASS}</inertial>".replace('"2"', '"inf"'))), 2, "is 'inf'"),
        (robot(link("a", f"<inertial>{MASS}</inertial>".replace('"1.2"', '"nan"'))), 2, "iyy is"),
        (robot(link("a", f"<inertial>{MASS}</inertial>".replace("iyy", "y"))), 2, "needs iyy"),
        (robot(link("a", f"<inertial>{MASS}</inertial>".replace('"2"', '"1_0"'))), 2, "'1_0'"),
    ],
)
def test_refusals_say_where_and_what_is_accepted(text, line, words):
    message = refusal(text)
    assert message.startswith("bot.urdf, line ")
    assert words in message
    assert "; accepted: " in message
    if line is not None:
        assert message.startswith(f"bot.urdf, line {line}")


def test_xacro_is_refused_with_the_command(tmp_path):
    command = "xacro bot.urdf > robot.urdf"
    uri = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
    inside = robot(AB, J, '<xacro:include filename="x"/>')
    assert command in refusal(inside.replace("<robot", f"<robot {uri}"))
    assert command in refusal(inside)  # the prefix is not declared
    assert loads_urdf(robot(AB, J).replace("<robot", f"<robot {uri}")).nq == 1  # unused
    with pytest.raises(ReadError, match=r"xacro .*arm\.xacro > robot\.urdf"):
        load_urdf(tmp_path / "arm.xacro")


BOMB = """<?xml version="1.0"?>
<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">""" + "".join(
    f'<!ENTITY {y} "{f"&{x};" * 10}">' for x, y in zip("abcdefghij", "bcdefghijk", strict=True)
)


@pytest.mark.parametrize(
    "text",
    [
        BOMB + ']><robot name="&k;"><link name="a">&k;</link></robot>',
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>',
        '<!DOCTYPE r [<!ENTITY x SYSTEM "http://localhost:1/">]><robot name="r">&x;</robot>',
        '<!DOCTYPE robot SYSTEM "http://localhost:1/robot.dtd"><robot name="r"/>',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_document_types_and_entities_are_refused(text, encoding, tmp_path):
    path = tmp_path / "bad.urdf"
    path.write_bytes(text.encode(encoding))
    start = time.perf_counter()
    with pytest.raises(ReadError, match=r"bad.urdf, line \d, <!DOCTYPE: .*accepted: plain XML"):
        load_urdf(path)
    assert time.perf_counter() - start < 1


def test_entities_that_nobody_declared_are_refused():
    assert "malformed XML: Entity 'x' not defined" in refusal('<robot name="r">&x;</robot>')


def test_includes_are_not_followed(tmp_path):
    path = tmp_path / "a.urdf"
    (tmp_path / "part.xml").write_text(link("b"))
    xi = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="part.xml"/>'
    path.write_text(robot(link("a"), xi))
    model = load_urdf(path)
    assert model.frame_names == ("a",)
    assert "ignored 1 <include> element" in model.notes


def test_encodings():
    text = robot(link("ä"))
    for declared, codec in (("ISO-8859-1", "latin-1"), ("utf-8", "utf-8"), ("UTF-16", "utf-16")):
        data = f'<?xml version="1.0" encoding="{declared}"?>{text}'.encode(codec)
        assert loads_urdf(data).base_name == "ä"
    assert loads_urdf(text.encode("utf-8-sig")).base_name == "ä"
    data = b'<?xml version="1.0" encoding="utf-7"?><robot name="r"/>'
    assert "encoding is 'utf-7'; accepted: utf-8" in refusal(data)


@pytest.mark.parametrize("data", [b"\x7fELF\x02\x01" + bytes(range(256)), bytes(1000), b"PK\x03"])
def test_binary_garbage(data, tmp_path):
    path = tmp_path / "a.urdf"
    path.write_bytes(data)
    with pytest.raises(ReadError, match="accepted: an XML file"):
        load_urdf(path)


def test_paths_that_are_no_files(tmp_path):
    for path, words in (
        (tmp_path, "is a directory"),
        (tmp_path / "none.urdf", "No such file"),
        ("a\0b.urdf", "is no path"),
        ("/dev/zero", "is a pipe or a device"),
    ):
        with pytest.raises(ReadError, match=words):
            load_urdf(path)
    os.mkfifo(tmp_path / "pipe.urdf")
    with pytest.raises(ReadError, match="is a pipe or a device"):
        load_urdf(tmp_path / "pipe.urdf")


def test_large_files_are_refused_at_once(tmp_path):
    path = tmp_path / "large.urdf"
    with open(path, "wb") as file:
        file.truncate(200_000_000)
    start = time.perf_counter()
    with pytest.raises(ReadError, match="has 200000000 bytes; accepted: at most 50000000"):
        load_urdf(path)
    assert time.perf_counter() - start < 0.1
    path.write_text(robot(AB, J))
    with pytest.raises(ReadError, match=r"at most 100 \(max_bytes=\)"):
        load_urdf(path, max_bytes=100)


@pytest.mark.parametrize("kind", ["fixed", "revolute", "coupled"])
def test_many_links_take_seconds_not_minutes(kind):
    visual = '<visual><geometry><sphere radius="1"/></geometry></visual>'
    n = MAX_LINKS
    follow = [mimic(f"j{i - 1}") if kind == "coupled" and i > 1 else "" for i in range(n)]
    joints = [
        joint(
            f"j{i}",
            "fixed" if kind == "fixed" and i > 1 else "revolute",
            f"l{i - 1 if kind == 'revolute' else min(i - 1, 1)}",
            f"l{i}",
            LIMIT + follow[i],
        )
        for i in range(1, n)
    ]
    text = robot(*(link(f"l{i}", visual) for i in range(n)), *joints)
    start = time.perf_counter()
    assert len(loads_urdf(text).frame_names) == n
    assert time.perf_counter() - start < 5
    assert "has 5001 links" in refusal(robot(*(link(f"l{i}", "") for i in range(n + 1))))


def test_deep_nesting_is_refused():
    assert "malformed XML" in refusal(robot("<a>" * 100_000 + "</a>" * 100_000))


def test_options_are_checked():
    for option, words in (
        ({"base": "loose"}, r"base= 'loose'.*'fixed', 'free'"),
        ({"mimic": "no"}, r"mimic= 'no'.*'couple', 'expand'"),
        ({"snap": -1}, "snap is between 0 and 0.001"),
        ({"snap": float("nan")}, "snap is between"),
    ):
        with pytest.raises(VisvivaError, match=words):
            arm(**option)


def test_errors_are_value_errors():
    with pytest.raises(ValueError, match="malformed"):
        parse_xml("<a", "text")


# ---- meshes


def drawing(path, *names):
    """A file whose link shows meshes."""
    seen = "".join(f'<visual><geometry><mesh filename="{n}"/></geometry></visual>' for n in names)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(robot(link("a"), link("b", seen), joint("j", "revolute", "a", "b")))
    return path


def found(path, *names, **options):
    model = load_urdf(drawing(path, *names), **options)
    return [v.path for v in model.bodies[0].visuals], model.notes


def test_meshes_are_found_below_the_roots(tmp_path):
    mesh = tmp_path / "ws/my_robot/meshes/m.stl"
    other = tmp_path / "ws/other/m.stl"
    for p in (mesh, other):
        p.parent.mkdir(parents=True)
        p.touch()
    file = tmp_path / "ws/my_robot/urdf/r.urdf"
    names = ["package://my_robot/meshes/m.stl", "package:///my_robot/meshes/m.stl"]
    assert found(file, *names)[0] == [str(mesh)] * 2
    paths, notes = found(file, "package://other/m.stl", "../meshes/m.stl", f"file://{mesh}")
    assert paths == ["package://other/m.stl", "../meshes/m.stl", f"file://{mesh}"]
    assert "3 mesh files were not looked for, the first is 'package://other/m.stl'" in notes[-1]
    for packages in (tmp_path / "ws", [str(tmp_path / "ws")]):
        names = ["package://other/m.stl", "../meshes/m.stl", f"file://{mesh}", str(mesh)]
        paths, _ = found(file, *names, packages=packages)
        assert paths == [str(other), str(mesh), str(mesh), str(mesh)]
    assert found(file, "package://other/m.stl", packages=tmp_path / "ws/other")[0] == [str(other)]
    (tmp_path / "ws/my_robot/package.xml").touch()  # the file's own package
    assert found(file, "../meshes/m.stl")[0] == [str(mesh)]
    (tmp_path / "ws/my_robot/urdf/near.stl").touch()
    assert found(file, "near.stl")[0] == [str(file.parent / "near.stl")]
    paths, notes = found(file, "package://my_robot/none.stl")
    assert paths == ["package://my_robot/none.stl"]
    assert "1 mesh files do not exist" in notes[-1]


@pytest.mark.parametrize(
    "name",
    [
        "package://my_robot/../secret.stl",
        "package://../secret.stl",
        "package://my_robot//../../../secret.stl",
        "package://./../secret.stl",
        "../../secret.stl",
        "meshes/../../../secret.stl",
        "file://../../secret.stl",
        "{}/secret.stl",
        "file://{}/secret.stl",
        "http://localhost/secret.stl",
    ],
)
def test_meshes_outside_are_not_looked_for(name, tmp_path):
    (tmp_path / "secret.stl").touch()
    name = name.format(tmp_path)
    paths, notes = found(tmp_path / "my_robot/urdf/r.urdf", name)
    assert paths == [name]
    assert "1 mesh files were not looked for" in notes[-1]


def test_meshes_are_never_opened(tmp_path, monkeypatch):
    (tmp_path / "m.stl").touch()
    file = drawing(tmp_path / "r.urdf", "m.stl")
    opened = []
    for module, name in ((builtins, "open"), (os, "open")):
        whole = getattr(module, name)

        def watched(path, *args, whole=whole, **options):
            opened.append(os.fspath(path))
            return whole(path, *args, **options)

        monkeypatch.setattr(module, name, watched)
    assert load_urdf(file).bodies[0].visuals[0].path == str(tmp_path / "m.stl")
    monkeypatch.undo()
    assert opened == [str(file)]


# ---- what is written


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


# ---- mutations of real files

VALUES = ["", "nan", "inf", "1e400", "-1", "1e308", "1e29", "0 0 0", "${x}", "0", "1 2", "é"]
VALUES += ["a" * 5000, "..", "package://../../x", "base_link", "floating", "planar", "fixed"]


def mutated(data, rng):
    """A file with one to three random edits of bytes, attributes or elements."""
    for _ in range(rng.randint(1, 3)):
        kind = rng.choice(["bytes", *["attribute", "swap", "element"] * 3])
        if kind == "bytes":
            at = rng.randrange(len(data) + 1)
            new = bytes(rng.randrange(256) for _ in range(rng.randint(0, 3)))
            data = data[:at] + new + data[at + rng.choice([0, 1, 1, 50]) :]
        elif kind in ("attribute", "swap"):
            places = list(re.finditer(rb'(\w+)="([^"]*)"', data))
            if places:
                place = rng.choice(places)
                alike = [p[2] for p in places if p[1] == place[1]]
                new = rng.choice(VALUES).encode() if kind == "attribute" else rng.choice(alike)
                data = data[: place.start(2)] + new + data[place.end(2) :]
        else:
            data = with_other_elements(data, rng)
    return data


def with_other_elements(data, rng):
    try:
        root = etree.fromstring(data)
    except (etree.XMLSyntaxError, ValueError):
        return data
    elements = list(root.iter("{*}*"))[1:]
    if not elements:
        return data
    one, other = rng.choice(elements), rng.choice(elements)
    kind = rng.choice(["remove", "double", "rename", "move"])
    if kind == "remove":
        one.getparent().remove(one)
    elif kind == "double":
        one.addnext(etree.fromstring(etree.tostring(one, with_tail=False)))
    elif kind == "rename":
        one.tag = other.tag
    elif other not in one.iter():
        other.append(one)
    return etree.tostring(root)


def check_valid(model):
    """All that a model must answer."""
    q = model.random(0)
    assert q.shape == (model.nq,)
    for X in all_poses(model, q).values():
        assert np.isfinite(X).all()
    for b in model.bodies:
        assert np.isfinite(b.inertia.spatial()).all()
    assert repr(model)
    again = loads_urdf(to_urdf(model, lossy=True), mimic="couple")
    assert set(again.joint_names) == set(model.joint_names)


def attempt(path, options):
    """Whether it loads; if not, the message names the file."""
    try:
        model = load_urdf(path, **options)
    except ReadError as error:
        if path.name in str(error):
            return False
        raise
    check_valid(model)
    return True


def _too_slow(*_):
    raise AssertionError("a mutated file took more than 5 seconds")


@pytest.mark.soak
def test_mutated_robots_load_or_are_refused(tmp_path):
    total = count(60, 5000)
    sources = [p.read_bytes() for p in ROBOTS]
    loaded, longest = 0, 0.0
    previous = signal.signal(signal.SIGALRM, _too_slow)
    try:
        for seed in range(total):
            rng = random.Random(seed)
            path = tmp_path / "m.urdf"
            path.write_bytes(mutated(rng.choice(sources), rng))
            options = {
                "base": rng.choice(["fixed", "free"]),
                "mimic": rng.choice(["couple", "expand"]),
            }
            start = time.perf_counter()
            signal.alarm(5)
            try:
                loaded += attempt(path, options)
            except Exception as error:
                raise AssertionError(f"seed {seed}: {error!r}") from error
            signal.alarm(0)
            longest = max(longest, time.perf_counter() - start)
            if seed % 500 == 499:
                progress(
                    f"{seed + 1} of {total} mutations, {loaded} loaded, longest {longest:.2f} s"
                )
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
    assert 0.2 * total < loaded < 0.9 * total  # both outcomes are exercised
