"""URDF that is refused: where and why, and at what cost."""

import os

import pytest

import visviva as vv
from tests.support.counts import count, within
from tests.support.generators.urdf_texts import LIMIT, MASS, arm, joint, link, mimic, refusal, robot
from visviva.describe.files.urdf.read import MAX_LINKS, load_urdf, loads_urdf
from visviva.describe.files.xmlfile import parse_xml
from visviva.errors import ReadError, VisvivaError

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


@pytest.mark.soak
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
    wanted = r"bad.urdf, line \d, <!DOCTYPE: .*accepted: plain XML"
    with within(1), pytest.raises(ReadError, match=wanted):
        load_urdf(path)


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


@pytest.mark.soak
def test_large_files_are_refused_at_once(tmp_path):
    path = tmp_path / "large.urdf"
    with open(path, "wb") as file:
        file.truncate(200_000_000)
    wanted = "has 200000000 bytes; accepted: at most 50000000"
    with within(0.1), pytest.raises(ReadError, match=wanted):
        load_urdf(path)
    path.write_text(robot(AB, J))
    with pytest.raises(ReadError, match=r"at most 100 \(max_bytes=\)"):
        load_urdf(path, max_bytes=100)


@pytest.mark.spread(1)
@pytest.mark.parametrize("kind", ["fixed", "revolute", "coupled"])
def test_many_links_take_seconds_not_minutes(kind):
    visual = '<visual><geometry><sphere radius="1"/></geometry></visual>'
    n = MAX_LINKS if kind == "revolute" else count(1000, MAX_LINKS)
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
    with within(5):
        assert len(loads_urdf(text).frame_names) == n
    n = MAX_LINKS
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


def test_negative_losses_are_refused_with_their_line():
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
<dynamics damping="{damping}" friction="{friction}"/></joint></robot>"""
    for said, change in (
        ("damping -0.5", {"damping": "-0.5"}),
        ("friction -2", {"friction": "-2"}),
    ):
        with pytest.raises(
            ReadError, match=rf"line 4, <dynamics>: {said} of joint 'j' is negative"
        ):
            loads_urdf(text.format(**{"damping": "0.1", "friction": "0"} | change))


@pytest.mark.parametrize("version", ["0.0", "0.1", "2.0", "one", ""])
@pytest.mark.parametrize("rest", ["", ' encoding="utf-8"', ' standalone="yes"'])
def test_xml_of_a_version_that_there_is_none_reads_with_a_note(tmp_path, version, rest):
    """25 of 95 files of a known package begin so; other readers do not look at it."""
    text = '<robot name="r"><link name="a"/></robot>'
    headed = f"<?xml version='{version}'{rest} ?>\n{text}"
    note = f"the file is headed as XML of version {version!r}, and read as 1.0"
    for data in (headed, headed.encode(), headed.encode("utf-16")):
        assert note in loads_urdf(data).notes
    assert not [x for x in loads_urdf(headed.replace(f"'{version}'", "'1.0'")).notes if "XML" in x]
    path = tmp_path / "m.xml"
    path.write_text(headed.replace(text, "<mujoco><worldbody/></mujoco>"))
    assert vv.load(path).notes[0] == note
    with pytest.raises(ReadError, match="line 2: malformed"):
        loads_urdf(headed.replace('<link name="a"/>', "<link>"))


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_limits_the_wrong_way_round_are_refused_and_the_cure_reads(kind):
    text = (
        '<robot name="r"><link name="a"/><link name="b"/>'
        f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>'
        '<limit lower="1" upper="-2" velocity="1" effort="1"/></joint></robot>'
    )
    with pytest.raises(ReadError, match=r"lower limit 1 of joint 'j' is above .*-2; acc") as error:
        loads_urdf(text)
    cure = str(error.value).partition("accepted: ")[2]
    model = loads_urdf(text.replace('lower="1" upper="-2"', cure))
    assert (model.lower[0], model.upper[0]) == (-2.0, 1.0)
