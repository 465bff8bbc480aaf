"""DH tables in files: the products of the textbook's matrices are the poses of the model."""

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import visviva as vv
from tests.describe.by_hand.test_dh import CONVENTIONS, TEXTBOOK, random_arm, random_inertia
from tests.support.counts import count
from visviva.describe.model.body import Visual
from visviva.errors import ArgumentError, MechanismFileError
from visviva.space.poses import Pose

ARMS = "puma560 stanford scara human_arm spatial_3r rpr_arm cart_pole planar_body two_link".split()
CLOSE = 1e-12  # chains of up to eight links of about a metre


def tool_of(path, q):
    """The pose of the tool by the numbers of a file, without visviva."""
    data = tomllib.loads(Path(path).read_text(encoding="utf-8"))["dh"]

    def pose(key):
        X, said = np.eye(4), data.get(key, {})
        X[:3, :3] = said.get("rotation", {"matrix": np.eye(3)})["matrix"]
        X[:3, 3] = said.get("at", np.zeros(3))
        return X

    T = pose("base")
    for row, x in zip(data["row"], q, strict=True):
        turn, shift = (x, 0.0) if row["joint"] == "R" else (0.0, x)
        moved = row["d"] + shift, row["theta"] + turn
        T = T @ TEXTBOOK[data["convention"]](row["a"], row["alpha"], *moved)
    return T @ pose("tool")


def assert_is_the_arm(path, arm, rng):
    tip = "tool" if "tool" in arm.frame_names else arm.body_names[-1]
    for _ in range(3):
        q = rng.uniform(-2, 2, arm.nq)
        np.testing.assert_allclose(tool_of(path, q), arm.frame_pose(tip, q).matrix(), atol=CLOSE)


@pytest.mark.spread(9)
@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("name", ARMS)
def test_arms_of_the_catalogue_go_to_a_table_and_come_back(name, convention, tmp_path):
    arm, path, rng = vv.catalog.build(name), tmp_path / "arm.toml", np.random.default_rng(0)
    vv.save(arm, path, dh=convention)
    assert_is_the_arm(path, arm, rng)
    again = vv.load(path)
    shared = [f.name for f in arm.frames if not f.name.startswith("dh")]
    assert vv.differences(arm, again, frames=shared, names=False) == []
    assert arm.body_names + arm.joint_names == again.body_names + again.joint_names
    rows, back = (x.dh_table(convention).rows for x in (arm, again))
    assert [r[4] for r in rows] == [r[4] for r in back]
    np.testing.assert_allclose([r[:4] for r in rows], [r[:4] for r in back], atol=1e-12)
    assert name in str(arm.dh_table(convention))


@pytest.mark.spread(2)
@pytest.mark.soak
@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("special", [False, True])
def test_random_arms_go_from_one_convention_to_the_other(convention, special, tmp_path):
    rng, path = np.random.default_rng(1), tmp_path / "arm.toml"
    for _ in range(count(5, 500)):
        arm = random_arm(rng, convention, rng.integers(1, 8), special)
        for target in CONVENTIONS:
            vv.save(arm, path, dh=target)
            assert_is_the_arm(path, arm, rng)
            assert vv.differences(arm, vv.load(path), frames=["tool"]) == []


def furnished():
    """An arm on a named base with all that a model may have besides bodies."""
    rng = np.random.default_rng(2)
    b = vv.Builder("furnished", base="table").base_inertia(random_inertia(rng))
    place = {"joint": "revolute", "axis": "y", "limits": (-1, 2), "restitution": 0.5}
    b.body("upper", inertia=random_inertia(rng), at=[0, 0, 1], **place, friction=0.1)
    b.body("lower", parent="upper", joint="prismatic", axis="x", inertia=random_inertia(rng))
    b.frame("eye", body="upper", at=[0.1, 0.2, 0.3]).frame("hook", at=[0, 1, 0])
    b.frame("tool", body="lower", at=[0.5, 0, 0.1])
    b.spring("coil", 3.0, 0.1, joint="upper_joint")
    b.spring("rope", 2.0, 0.1, between=("hook", "eye"))
    model = b.build().with_actuators([vv.Actuator.thruster("jet", "tool", [1, 0, 0])])
    drawn = Visual("box", Pose(np.eye(3), np.array([0.1, 0, 0])), (0.1, 0.2, 0.3))
    bodies = (replace(model.bodies[0], visuals=(drawn,)), model.bodies[1])
    return replace(model, bodies=bodies, keyframes={"home": [0.3, 0.1]})


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_what_is_fixed_to_bodies_stays_where_it_is(convention, tmp_path):
    arm, path = furnished(), tmp_path / "arm.toml"
    vv.save(arm, path, dh=convention)
    again = vv.load(path)
    assert vv.differences(arm, again, frames=["eye", "hook", "tool"], names=False) == []
    assert again.base_name == "table"
    assert list(again.keyframes["home"]) == [0.3, 0.1]
    q, v = np.array([0.4, -0.7]), np.array([0.3, 0.2])
    for name in ("gravity_forces", "bias_forces"):
        f, g = (m.function(name) for m in (arm, again))
        given = (q, v)[: len(f.inputs)]
        np.testing.assert_allclose(f(*given), g(*given), atol=CLOSE)
    np.testing.assert_allclose(arm.actuator_map(q), again.actuator_map(q), atol=CLOSE)
    for m in (arm, again):
        box = m.body_poses(q)[0] @ m.bodies[0].visuals[0].placement
        np.testing.assert_allclose(box.p, (arm.body_poses(q)[0].R @ [0.1, 0, 0]) + [0, 0, 1])
    assert again.bodies[0].limits.are_stops


def test_what_names_a_body_as_its_frame_is_refused_or_listed(tmp_path):
    arm = furnished().with_actuators([vv.Actuator.thruster("jet", "lower", [1, 0, 0])])
    with pytest.raises(ArgumentError, match="a DH table cannot state the actuators jet; lossy"):
        vv.save(arm, tmp_path / "arm.toml", dh="standard")
    with pytest.warns(UserWarning, match="left out: the actuators jet"):
        vv.save(arm, tmp_path / "arm.toml", dh="standard", lossy=True)
    assert (tmp_path / "arm.toml").read_text().startswith("# left out: the actuators jet\n")
    assert not vv.load(tmp_path / "arm.toml").actuators


def test_frames_of_another_table_give_way_with_a_note(tmp_path):
    vv.save(vv.catalog.puma560(), tmp_path / "puma.toml", dh="standard")
    again = vv.load(tmp_path / "puma.toml")
    assert "dh1, dh2, dh3, dh4, dh5: frames of this table now" in again.notes


def test_a_table_has_formulas(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text("""
name = "arm"
parameters = { L1 = 0.4, m = 2 }
[dh]
convention = "standard"
tool = { at = [0, 0, "L1/2"] }
[[dh.row]]
a = "L1"
alpha = "pi/2"
joint = "R"
damping = 0.1
inertia = { mass = "m", com = ["-L1/2", 0, 0] }
[[dh.row]]
d = 0.1
joint = "prismatic"
""")
    arm = vv.load(path)
    assert arm.parameter_names == ("L1", "m")
    assert "no inertia was given for link 2: massless" in arm.notes
    want = TEXTBOOK["standard"](0.4, np.pi / 2, 0, 0.3) @ TEXTBOOK["standard"](0, 0, 0.7, 0)
    q = np.array([0.3, 0.6])
    np.testing.assert_allclose(arm.frame_pose("dh2", q).matrix(), want, atol=1e-15)
    long = arm.with_parameters(L1=1.0)
    at = long.frame_pose("tool", [0, 0]).p
    np.testing.assert_allclose(at, [1.0, -0.6, 0], atol=1e-15)


HEAD = 'name = "arm"\n'
ROW = '[[dh.row]]\njoint = "R"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[dh]\n" + ROW, "dh: convention= is missing and is never guessed"),
        ('[dh]\nconvention = "craig"\n' + ROW, "unknown DH convention 'craig'"),
        ('[dh]\nconvention = "standard"\n', "at least one row"),
        ('[dh]\nconvention = "standard"\n' + ROW + "alpa = 1\n", "did you mean 'alpha'"),
        ('[dh]\nconvention = "standard"\n[[dh.row]]\njoint = "S"\n', "needs a joint type"),
        ('[dh]\nconvention = "standard"\n[[dh.row]]\na = 1\n', "row 1: needs the key 'joint'"),
        ('[dh]\nconvention = "standard"\n' + ROW + 'a = "L"\n', "row 1: key 'a': unknown name 'L'"),
        ('[dh]\nconvention = "standard"\n' + ROW + "d = nan\n", "expected a finite number"),
        ("dh = 3\n", "expected a table, got 3"),
    ],
)
def test_bad_tables_are_refused_with_their_place(text, said, tmp_path):
    (tmp_path / "arm.toml").write_text(HEAD + text)
    with pytest.raises(MechanismFileError, match=r"arm\.toml: ") as caught:
        vv.load(tmp_path / "arm.toml")
    assert said in str(caught.value)


def test_a_chain_that_has_no_table_is_refused(tmp_path):
    for name, said in (
        ("four_bar", "one serial chain"),
        ("tumbling_body", "is spherical"),
    ):
        with pytest.raises(ArgumentError, match=said):
            vv.save(vv.catalog.build(name), tmp_path / "x.toml", dh="standard")
        assert not (tmp_path / "x.toml").exists()
    with pytest.raises(vv.VisvivaError, match="without options"):
        vv.save(vv.catalog.knife_edge(), tmp_path / "x.toml", dh="standard")
