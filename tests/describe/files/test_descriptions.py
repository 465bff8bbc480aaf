"""Robots of robot_descriptions by name; a package of ours stands for it, which fetches nothing."""

import sys

import pytest

import visviva as vv
from visviva.errors import BackendError, ReadError, UnknownNameError

URDF = """<robot name="hand"><link name="base"/><link name="finger">
<visual><geometry><mesh filename="package://hand/meshes/finger.stl"/></geometry></visual>
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
</link><joint name="bend" type="continuous"><parent link="base"/><child link="finger"/></joint>
</robot>"""
MODULES = {
    "hand_description": "REPOSITORY_PATH = {home!r}\nPACKAGE_PATH = {home!r} + '/hand'\n"
    "URDF_PATH = {home!r} + '/urdf/hand.urdf'\n",
    "ball_mj_description": "MJCF_PATH = {home!r} + '/ball.xml'\n",
    "xacro_description": "XACRO_PATH = {home!r} + '/hand.urdf.xacro'\n",
    "empty_description": "",
    "lost_description": "raise RuntimeError('git clone failed: no route to host')\n",
    "evil": "raise SystemExit('this was imported')\n",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of this name with a few robots."""
    home, package = tmp_path / "cache", tmp_path / "site" / "robot_descriptions"
    for folder in (home / "hand" / "meshes", home / "urdf", package):
        folder.mkdir(parents=True)
    (home / "urdf" / "hand.urdf").write_text(URDF)
    (home / "hand.urdf.xacro").write_text(URDF)
    (home / "hand" / "meshes" / "finger.stl").write_bytes(b"")
    body = '<body><freejoint name="ball"/><geom size="0.1" mass="1"/></body>'
    (home / "ball.xml").write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    (package / "__init__.py").write_text("")
    for name, text in MODULES.items():
        (package / f"{name}.py").write_text(text.format(home=str(home)))
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.chdir(tmp_path)
    yield package
    for name in [x for x in sys.modules if x.partition(".")[0] == "robot_descriptions"]:
        del sys.modules[name]


def test_a_robot_by_its_name(package):
    """With its meshes, which lie in its package; options are those of its file."""
    model = vv.load("hand_description", base="free")
    assert model.joint_names == ("root_joint", "bend")
    assert model.bodies["finger"].visuals[0].path.endswith("hand/meshes/finger.stl")
    assert vv.load("ball_mj_description").joint_names == ("ball",)


def test_a_file_of_that_name_comes_first(package, tmp_path):
    (tmp_path / "hand_description").write_text(URDF)
    with pytest.raises(ReadError, match="not 'a file without a suffix'"):
        vv.load("hand_description")


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("hands_description", UnknownNameError, r"did you mean 'hand_description'\? \(available: "),
        ("lost_description", ReadError, r"by git at its first use \(git clone failed: no route to"),
        ("empty_description", ReadError, "has no file: none of URDF_PATH, MJCF_PATH, XACRO_PATH"),
        ("xacro_description", ReadError, "xacro"),
    ],
)
def test_what_is_not_there_is_said(package, name, error, said):
    with pytest.raises(error, match=said):
        vv.load(name)


@pytest.mark.parametrize(
    "name",
    ["evil", "Hand_description", "../hand_description", "os.path_description", "évil_description"],
)
def test_other_names_are_never_imported(package, name):
    with pytest.raises(ReadError):
        vv.load(name)
    assert not [x for x in sys.modules if x.startswith("robot_descriptions")]


def test_without_the_package_it_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BackendError, match="is not installed: pip install robot_descriptions"):
        vv.load("panda_description")
