"""`visviva convert`: files read, written, read again; what is said, and what is refused."""

import numpy as np
import pytest

import visviva as vv
from tests.cli.asking import ask, is_told
from visviva.describe.load import mechanism_text


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def arm():
    """A serial arm that all formats can state."""
    b = vv.Builder("arm")
    solid = vv.Inertia.box(2.0, x=0.4, y=0.1, z=0.2).moved(p=[0.2, 0, 0.05])
    turn = {"joint": "revolute", "inertia": solid}
    b.body("upper", axis="z", at=[0, 0, 0.5], **turn, damping=0.2, limits=(-2, 2))
    b.body("lower", parent="upper", axis="y", at=[0.4, 0, 0], **turn)
    b.body("slide", parent="lower", joint="prismatic", axis="x", at=[0.4, 0, 0], inertia=solid)
    return b.frame("tool", body="slide", at=[0.1, 0, 0]).build()


def forces(model, seed=0):
    """Of a state by names of joints: whatever order a file has."""
    rng = np.random.default_rng(seed)
    names = sorted(model.joint_names)
    q, v, a = (dict(zip(names, row, strict=True)) for row in rng.normal(size=(3, 3)))
    order = [names.index(x) for x in model.joint_names]
    rates = [np.array(list(x.values()))[order] for x in (v, a)]
    tau = model.inverse_dynamics(model.q(q), *rates)
    return tau[np.argsort(order)]


ROUND = ["a.urdf", "b.mjcf", "c.toml", "d.toml", "e.xml", "f.urdf", "g.toml", "h.mjcf"]


def test_an_arm_goes_through_all_formats_and_stays_what_it_is():
    vv.save(arm(), "arm.toml")
    want, last = forces(arm()), "arm.toml"
    options = {"d.toml": "--to dh --convention standard", "e.xml": "--to urdf"}
    options |= {"g.toml": "--convention modified"}
    for name in ROUND:
        answer = ask("convert", last, name, "--lossy", *options.get(name, "").split())
        assert answer.code == 0, answer.err
        assert answer.err == f"written to {name}\n"
        assert "read again: the same" in answer.out
        np.testing.assert_allclose(forces(vv.load(name)), want, rtol=1e-9, atol=1e-9)
        last = name


@pytest.mark.parametrize("name", ["two_link", "four_bar", "knife_edge", "cart_pole"])
def test_a_mechanism_file_is_the_same_to_the_last_digit(name):
    data = ask("convert", name, "x.toml", "--json").data
    assert data["again"] == "the same, to the last digit"
    assert mechanism_text(vv.load("x.toml")) == mechanism_text(vv.catalog.build(name))
    assert (data["format"], data["file"]) == ("toml", "x.toml")


def test_what_cannot_be_stated_is_refused_or_listed():
    refused = ask("convert", "puma560", "puma.urdf")
    assert is_told(refused)
    assert "URDF cannot state the armature of joint1" in refused.err
    assert "--lossy leaves that out" in refused.err
    said = ask("convert", "puma560", "puma.urdf", "--lossy").out
    assert "\nleft out: the armature of joint1, joint2" in said
    assert "\nnote: link 3: the measured moments" in said
    assert "their values are put in: a2, a3" in said
    lost = ask("convert", "four_bar", "bar.urdf", "--lossy", "--json").data["left_out"]
    assert [x.split()[-1] for x in lost] == ["passive", "C", "assembled", "0.0]"]


def test_what_a_reader_merged_is_told():
    robot = """<robot name="r"><link name="base"/><link name="tip"/>
<joint name="j" type="fixed"><parent link="base"/><child link="tip"/></joint>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
 iyz="0"/></inertial></link><gazebo/><joint name="k" type="revolute"><parent link="tip"/>
<child link="arm"/><limit lower="-180" upper="180" effort="1" velocity="1"/></joint></robot>"""
    with open("r.urdf", "w", encoding="utf-8") as file:
        file.write(robot)
    notes = ask("convert", "r.urdf", "r.toml", "--json").data["notes"]
    assert notes == list(vv.load("r.urdf").notes)
    assert any("gazebo" in x for x in notes)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("two_link x.xml", "--to urdf or --to mjcf says which"),
        ("two_link x.pdf", "is none of .urdf, .mjcf, .toml, .xml"),
        ("two_link x", "is none of"),
        ("two_link x.toml --to urdf", "ends in .urdf or .xml"),
        ("two_link x.toml --to step", "unknown format 'step'"),
        ("two_link x.toml --to dh", "--convention standard or modified"),
        ("two_link x.toml --to toml --convention standard", "--convention is for --to dh"),
        ("two_link x.urdf --convention standard", "ends in .toml"),
        ("two_link x.toml --convention craig", "unknown DH convention 'craig'"),
        ("four_bar x.toml --convention standard", "one serial chain"),
        ("knife_edge x.urdf", "a Lagrangian as .toml"),
        ("two_link no/x.toml", "there is no folder no"),
        ("two_lnk x.toml", "did you mean 'two_link'"),
        ("two_link there.toml", "there.toml is there already: --force"),
        ("there.toml there.toml", "there.toml is there already: --force"),
        ("two_link .toml", "is none of"),
    ],
)
def test_what_is_no_conversion_is_refused(arguments, said, tmp_path):
    vv.save(vv.catalog.rp_arm(), "there.toml")
    before = (tmp_path / "there.toml").read_bytes()
    answer = ask("convert", *arguments.split())
    assert answer.code == 1
    assert is_told(answer)
    assert said in answer.err
    assert [x.name for x in tmp_path.iterdir()] == ["there.toml"]
    assert (tmp_path / "there.toml").read_bytes() == before


def test_force_writes_over_what_is_there(tmp_path):
    vv.save(vv.catalog.rp_arm(), "there.toml")
    assert ask("convert", "two_link", "there.toml", "--force").code == 0
    assert vv.load("there.toml").name == "two_link"
    assert ask("convert", "there.toml", "there.toml", "--force").code == 0
    assert [x.name for x in tmp_path.iterdir()] == ["there.toml"]


def test_what_reads_back_as_something_else_is_not_written(monkeypatch, tmp_path):
    monkeypatch.setattr("visviva.describe.load.load", lambda path: vv.catalog.two_link(m1=3.0))
    answer = ask("convert", "two_link", "x.urdf", "--lossy")
    assert is_told(answer)
    assert "x.urdf is not written, for read again it is different" in answer.err
    assert not list(tmp_path.iterdir())
