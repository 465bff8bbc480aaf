"""URDF with a file of loops beside it: read as it is published, refused where it is not."""

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.extended_urdf import PAIRS, five_bar
from tests.support.oracles.oracle import Interpreted
from visviva.errors import ArgumentError, MechanismFileError, ReadError

# loops, velocities, and freedoms: of positions; balls at both ends let a rod spin
FACTS = {
    "five_bar": (1, 5, 2),
    "delta": (2, 15, 3),
    "leg like Cassie's": (2, 12, 6),
    "leg like Digit's": (3, 25, 7),
    "leg like Talos'": (2, 18, 6),
}


def written(folder, name):
    urdf, loops = PAIRS[name]()
    (folder / "robot.urdf").write_text(urdf)
    (folder / "robot.yaml").write_text(loops)
    return folder / "robot.urdf", folder / "robot.yaml"


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", PAIRS)
def test_pairs_load_close_and_move(name, tmp_path):
    urdf, yaml = written(tmp_path, name)
    model = vv.load(urdf, loops=yaml)
    loops, nv, freedoms = FACTS[name]
    assert (len(model.loops), model.nv) == (loops, nv)
    q, run = model.neutral(), Interpreted(model)
    np.testing.assert_allclose(run("constraint_error", q), 0, atol=1e-12)
    A = run("constraint_matrix", q)
    _, sizes, V = np.linalg.svd(A)
    N = V[np.sum(sizes > 1e-9) :].T
    rng = np.random.default_rng(0)
    v, tau = N @ rng.normal(size=N.shape[1]), rng.normal(size=model.nv)
    a = run("forward_dynamics", q, v, tau)
    scale = 1e-9 * (1 + np.abs(a).max())
    np.testing.assert_allclose(A @ a + run("constraint_bias", q, v), 0, atol=scale)
    M, h = run("mass_matrix", q), run("bias_forces", q, v)
    np.testing.assert_allclose(N.T @ (M @ a + h - tau), 0, atol=scale)  # no virtual work
    assert N.shape[1] == freedoms
    driven = [x.joint for x in model.actuators]
    assert driven
    assert {*driven, *model.passive} == {*model.joint_names}


def test_a_file_beside_is_noted_and_never_read(tmp_path):
    urdf, _ = written(tmp_path, "five_bar")
    model = vv.load(urdf)
    assert not model.constraints
    assert any("robot.yaml: may state what closes loops" in x for x in model.notes)


def test_joints_of_other_kinds_are_noted(tmp_path):
    urdf, yaml = written(tmp_path, "delta")
    model = vv.load(urdf, loops=yaml)
    assert any("joint 'elbow0' is cardan, not revolute" in x for x in model.notes)
    assert model.bodies[model.joint_index("wrist2")].joint.kind == "universal"


# nine of nine of nine …: short in the file, and 9¹² names if it is ever written out
LEVELS = "".join(f", &x{k + 1} [{', '.join([f'*x{k}'] * 9)}]" for k in range(12))
BOMB = f"[&x0 [a]{LEVELS}]"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("closed_loop:", "closed_loops:", "has a key 'closed_loops', accepted: closed_loop, type"),
        ("'closedloop1_A'", "'nowhere'", "closed_loop names 'nowhere', accepted: "),
        ("'closedloop1_A', ", "", r"closed_loop is a list of pairs of frames"),
        ("['6d']", "['5d']", "type '5d', accepted: 6d, 3d"),
        ("['6d']", "['6d', '3d']", "closed_loop has 1 entries and type 2"),
        ("['6d']", "6d", "type is a list of names"),
        ("mot2", "motor2", "name_mot names 'motor2', accepted: 'mot1'"),
        ("type", "joint_name: [free1]\ntype", "joint_name has 1 entries and joint_type 0"),
        ("closed_loop:", "- a\n# ", "is no YAML"),
        ("closed_loop", "!!python/object/apply:os.system ['true']\nclosed_loop", "is no YAML"),
        ("[[", "[[[[", "is no YAML"),
        ("closed_loop:", "closed_loop: []\nclosed_loop:", "a key is 'closed_loop' twice"),
        ("mot2", "mot1", "name_mot is 'mot1' twice"),
        (
            "type",
            "joint_name: [free1, free1]\njoint_type: [FIXED, CARDAN]\ntype",
            "joint_name is 'free1' twice",
        ),
        ("['6d']", "BOMB", "type is a list of names"),
    ],
)
def test_what_is_wrong_is_told(tmp_path, old, new, told):
    urdf, text = five_bar()
    (tmp_path / "robot.urdf").write_text(urdf)
    (tmp_path / "loops.yaml").write_text(text.replace(old, new).replace("BOMB", BOMB))
    with pytest.raises(ReadError, match=told):
        vv.load(tmp_path / "robot.urdf", loops=tmp_path / "loops.yaml")


def test_what_is_no_file_of_loops_is_refused(tmp_path):
    urdf, yaml = written(tmp_path, "five_bar")
    with pytest.raises(ReadError, match="cannot be read: No such file"):
        vv.load(urdf, loops=tmp_path / "none.yaml")
    with pytest.raises(ReadError, match="loops are read from"):
        vv.load(urdf, loops=urdf)
    with pytest.raises(ArgumentError, match="loops is the path of a file, got int"):
        vv.load(urdf, loops=3)
    joints = "joint_name: [free9]\njoint_type: [SPHERICAL]\n"
    yaml.write_text(yaml.read_text() + joints)
    with pytest.raises(ReadError, match="joint_name names 'free9', accepted: 'mot1'"):
        vv.load(urdf, loops=yaml)
    yaml.write_text(yaml.read_text().replace("free9", "free1").replace("SPHERICAL", "BALL"))
    with pytest.raises(ReadError, match="joint_type 'BALL', accepted: SPHERICAL, CARDAN, FIXED"):
        vv.load(urdf, loops=yaml)


TOML = """
passive = ["free1", "free2", "free3"]
[[frame]]
name = "left_tip"
body = "left_rod"
at = [0.25, 0.2, 0]
[[constraint]]
name = "pin"
frame1 = "left_tip"
frame2 = "tip"
joint = "fixed"
[[constraint]]
name = "gear"
formula = "mot1 = 2*mot2"
active = false
[[actuator]]
name = "m"
kind = "motor"
joint = "mot1"
"""


def test_our_own_file_says_the_same(tmp_path):
    urdf, yaml = written(tmp_path, "five_bar")
    (tmp_path / "loops.toml").write_text(TOML)
    one, other = vv.load(urdf, loops=yaml), vv.load(urdf, loops=tmp_path / "loops.toml")
    q, v = np.zeros(5), one.displacements(np.zeros(5)) @ [0.3, -0.2]
    a = [m.forward_dynamics(q, v, np.ones(5)) for m in (one, other)]
    np.testing.assert_allclose(*a, rtol=1e-9, atol=1e-12)
    assert other.constraints.names == ("pin", "gear")
    assert [x.name for x in other.actuators] == ["m"]
    assert other.passive == ("free1", "free2", "free3")
    (tmp_path / "loops.toml").write_text(TOML.replace('"tip"', '"top"'))
    with pytest.raises(MechanismFileError, match="unknown frame 'top'"):
        vv.load(urdf, loops=tmp_path / "loops.toml")
    (tmp_path / "loops.toml").write_text(TOML.replace("[[frame]]", "[[body]]"))
    with pytest.raises(MechanismFileError, match="'body'"):
        vv.load(urdf, loops=tmp_path / "loops.toml")
