"""`load` and `save` by what the file is."""

from dataclasses import replace

import numpy as np
import pytest

import visviva as vv
from visviva.describe.by_hand.dh import to_dh
from visviva.describe.by_hand.screws import to_screws
from visviva.describe.files.mjcf.read import OtherEquality
from visviva.describe.model.compare import differences
from visviva.errors import ArgumentError, ReadError, VisvivaError

URDF = """<robot name="one">
  <link name="base"><visual><geometry><box size="1 2 3"/></geometry></visual></link>
  <link name="plate"><visual><origin xyz="0 0 1"/><geometry><sphere radius="0.1"/></geometry>
    </visual></link>
  <link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="mount" type="fixed"><parent link="base"/><child link="plate"/>
    <origin xyz="0 0 2"/></joint>
  <joint name="hinge" type="continuous"><parent link="plate"/><child link="arm"/>
    <axis xyz="0 1 0"/></joint>
</robot>"""


@pytest.fixture
def urdf(tmp_path):
    path = tmp_path / "one.urdf"
    path.write_text(URDF)
    return path


def test_suffixes_and_content_decide(urdf, tmp_path):
    model = vv.load(urdf)
    assert model.joint_names == ("hinge",)
    as_xml = tmp_path / "one.xml"
    as_xml.write_text(URDF)
    assert not differences(vv.load(as_xml), model)
    assert vv.load(str(urdf), base="free").nv == 7


def test_a_folder_that_must_not_be_looked_into_is_an_error_of_ours(tmp_path, monkeypatch):
    def forbidden(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(type(tmp_path), "iterdir", forbidden)
    with pytest.raises(ReadError, match=r"two\.urdf: cannot be looked for: Permission denied"):
        vv.load(tmp_path / "two.urdf")


def test_loops_that_cannot_close_are_noted_where_they_are_read(tmp_path):
    b = vv.Builder("fork")
    for name, y in (("left", 0.0), ("right", 5.0)):
        b.body(name, joint="revolute", axis="z", at=[0, y, 0], mass=1.0, com=[0.5, 0, 0])
        b.frame(f"{name}_tip", body=name, at=[1.0, 0, 0])
    path = tmp_path / "fork.toml"
    vv.save(b.build().with_loop("left_tip", "right_tip", "spherical"), path)
    model = vv.load(path)
    (note,) = (x for x in model.notes if "does not close" in x)
    assert note.startswith("as it was read, 'fork' does not close: from this start and 40 others")
    assert "at 3 (metres or radians); that is at q = [ 1.57" in note
    vv.save(model, path)  # with the note, which is about that file alone
    path.write_text(path.read_text(encoding="utf-8").replace("5.0", "1.5"), encoding="utf-8")
    assert vv.load(path).notes == ()


def test_what_is_fixed_to_the_base_keeps_its_visuals(urdf, tmp_path):
    model = vv.load(urdf)
    box, ball = model.base_visuals
    assert (box.kind, ball.kind) == ("box", "sphere")
    np.testing.assert_allclose(ball.placement.p, [0, 0, 3])
    vv.save(model, tmp_path / "again.urdf")
    assert len(vv.load(tmp_path / "again.urdf").base_visuals) == 2
    free = model.with_free_base()
    assert len(free.bodies[0].visuals) == 2


@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".toml"])
def test_what_is_saved_can_be_loaded(urdf, tmp_path, suffix):
    model = vv.load(urdf)
    path = tmp_path / f"copy{suffix}"
    vv.save(model, path, lossy=suffix == ".xml")  # it has pictures and speed limits
    copy = vv.load(path)
    q = model.q(hinge=0.7)
    np.testing.assert_allclose(
        copy.frame_pose("arm", q).matrix(), model.frame_pose("arm", q).matrix(), atol=1e-12
    )
    np.testing.assert_allclose(copy.bodies[0].inertia.tensor, model.bodies[0].inertia.tensor)
    assert copy.mass == model.mass


def test_other_files_are_refused(tmp_path, urdf):
    with pytest.raises(ReadError, match=r"load reads \.urdf, \.xml"):
        vv.load(tmp_path / "robot.step")
    with pytest.raises(vv.VisvivaError, match=r"save writes \.urdf, \.xml"):
        vv.save(vv.load(urdf), tmp_path / "robot.step")


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_dh_to_screws_to_urdf_keeps_the_dynamics(tmp_path, convention):
    """One arm through every form: the same poses and the same inertias in the world."""
    rng = np.random.default_rng(3)
    rows = [(*rng.uniform(-1, 1, 4), kind) for kind in "RRPR"]
    box = {"x": 0.1, "y": 0.2, "z": 0.3}
    inertias = [vv.Inertia.box(m, **box).moved(p=rng.normal(size=3)) for m in (4, 3, 2, 1)]
    arm = vv.from_dh(rows, convention=convention, inertias=inertias)
    by_screws = to_screws(arm).model()
    assert differences(arm, by_screws, names=False, frames=["tool"], tolerance=1e-12) == []
    path = tmp_path / "arm.urdf"
    vv.save(by_screws, path)
    again = vv.load(path, snap=0)
    assert differences(by_screws, again, names=False, frames=["tool"], tolerance=1e-12) == []
    other = "modified" if convention == "standard" else "standard"
    back = to_dh(again, other, "tool").model()
    assert differences(arm, back, names=False, frames=["tool"], tolerance=1e-11) == []


def test_loaded_models_can_be_attached_to_each_other(urdf):
    """The base of a file is a frame too; it must not come twice."""
    model = vv.load(urdf)
    both = model.attached(vv.load(urdf), "arm", prefix="second_")
    assert both.joint_names == ("hinge", "second_hinge")
    again = both.attached(model.submodel("arm"), "arm", prefix="third_")
    assert again.nv == 2
    with pytest.raises(
        vv.errors.ArgumentError, match="takes a Model or an Inertia, and a frame, got str"
    ):
        model.attached("gripper.urdf", "arm")


def test_mjcf_of_what_mujoco_would_refuse(urdf, tmp_path):
    """A base called world, empty ranges and no effort."""
    text = URDF.replace('"base"', '"world"').replace(
        'type="continuous"><parent link="plate"/>',
        'type="revolute"><parent link="plate"/>'
        '<limit lower="0" upper="0" effort="0" velocity="1"/>',
    )
    urdf.write_text(
        text.replace(
            "</robot>",
            '<link name="foot"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"'
            ' ixz="0" iyz="0"/></inertial></link><joint name="weld" type="fixed">'
            '<parent link="world"/><child link="foot"/></joint></robot>',
        )
    )
    path = tmp_path / "one.mjcf"
    with pytest.raises(
        vv.VisvivaError, match="empty ranges of hinge; effort limits of zero of hinge"
    ):
        vv.save(vv.load(urdf), path)
    with pytest.warns(UserWarning, match="left out: empty ranges of hinge; effort limits of zero"):
        vv.save(vv.load(urdf), path, lossy=True)
    assert vv.load(path).joint_names == ("hinge",)


def test_options_reach_the_writer(tmp_path):
    pendulum = vv.catalog.pendulum()
    with pytest.raises(vv.VisvivaError, match="lossy=True"):
        vv.save(pendulum, tmp_path / "p.urdf")
    with pytest.warns(UserWarning, match=r"p\.urdf: left out: gravity"):
        vv.save(pendulum, tmp_path / "p.urdf", lossy=True)
    assert vv.load(tmp_path / "p.urdf").nv == pendulum.nv


def test_what_is_no_urdf_is_mounted_by_a_line(tmp_path):
    path = tmp_path / "arm.toml"
    arm = vv.catalog.two_link()
    vv.save(arm, path)
    with pytest.raises(ArgumentError, match="base= is for a URDF, this is a mechanism") as caught:
        vv.load(path, base=vv.Pose(p=[0, 0, 1]))
    stood = eval(str(caught.value).partition("here it is ")[2], {"vv": vv, "path": path})
    assert stood.frame_pose("tool", [0, 0]).p.tolist() == [1.8, 0, 1]
    assert stood.gravity_forces([0.3, 0.2]).tolist() == arm.gravity_forces([0.3, 0.2]).tolist()
    assert not stood.notes
    fallen = vv.Builder("stand").build().attached(arm, "world")
    assert "gravity of 'two_link', [0.0, -9.81, 0.0], gives way to" in fallen.notes[0]
    with pytest.raises(ArgumentError, match=r"joint = 'free' of the \[\[body\]\]"):
        vv.load(path, base="free")


def test_folders_and_unresolved_xacro(urdf, tmp_path):
    with pytest.raises(ReadError, match="is a folder"):
        vv.load(tmp_path)
    urdf.write_text(URDF.replace('"arm"', '"${prefix}arm"'))
    with pytest.raises(ReadError, match=r"run xacro first: xacro .*one\.urdf > robot\.urdf"):
        vv.load(urdf)


@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".toml"])
def test_gravity_of_any_file_can_be_another(urdf, tmp_path, suffix):
    path = tmp_path / f"copy{suffix}"
    vv.save(vv.load(urdf), path, lossy=True)
    moon = vv.load(path, gravity=[0, 0, -1.62])
    assert moon.gravity.tolist() == [0, 0, -1.62]
    assert vv.load(path).gravity.tolist() == [0, 0, -9.81]
    with pytest.raises(ArgumentError, match=r"gravity is 3 finite numbers \[x, y, z\], got -1\.62"):
        vv.load(path, gravity=-1.62)


@pytest.mark.parametrize("bad", [5, None, b"robot.urdf"])
def test_what_is_no_path(bad):
    with pytest.raises(ArgumentError, match="load takes the path of a file, got"):
        vv.load(bad)
    with pytest.raises(ArgumentError, match="save takes the path of a file, got"):
        vv.save(vv.catalog.pendulum(), bad)


def test_a_link_called_world_moves_with_a_free_base(urdf):
    urdf.write_text(URDF.replace('"base"', '"world"'))
    free = vv.load(urdf, base="free")
    assert [x for x in free.notes if "'world' is fixed to the free base and moves" in x]
    assert not [x for x in vv.load(urdf).notes if "'world'" in x and "moves" in x]


def test_what_a_mechanism_file_cannot_state_is_refused_or_listed(urdf, tmp_path):
    """Pictures of the base are kept, and loops; a rule that is not read is not; nor energies."""
    model = vv.load(urdf)
    vv.save(model, tmp_path / "m.toml")
    assert len(vv.load(tmp_path / "m.toml").base_visuals) == len(model.base_visuals) > 0
    looped = model.with_loop("arm", "base", "spherical", name="closure")
    vv.save(looped, tmp_path / "m.toml")
    assert vv.load(tmp_path / "m.toml").constraints == looped.constraints
    unread = replace(looped, constraints=[*looped.constraints, OtherEquality("e", "tendons")])
    with pytest.raises(ArgumentError, match=r"cannot state that 'e' is an equality .* lossy=True"):
        vv.save(unread, tmp_path / "m.toml")
    with pytest.warns(UserWarning, match="left out: 'e' is an equality of tendons"):
        vv.save(unread, tmp_path / "m.toml", lossy=True)
    assert (tmp_path / "m.toml").read_text().startswith("# left out: 'e' is an equality of tendons")
    with pytest.raises(ArgumentError, match="save writes a Model or a Lagrangian, got Inertia"):
        vv.save(vv.Inertia.box(1.0, x=1, y=1, z=1), tmp_path / "m.toml")


def test_a_file_that_cannot_be_written_is_told_by_our_error(tmp_path):
    model = vv.catalog.two_link()
    with pytest.raises(vv.VisvivaError, match=r"x\.toml: cannot be written: there is no folder"):
        vv.save(model, tmp_path / "nowhere" / "x.toml")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(ValueError, match=r"folder\.toml: cannot be written: Is a directory"):
        vv.save(model, tmp_path / "folder.toml")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("snap", "x", "snap is between 0 and 0.001, got 'x'"),
        ("snap", None, "snap is between 0 and 0.001, got None"),
        ("base", 3, 'base= is "fixed", "free", or where'),
        ("packages", 5, "packages is a folder or a list of folders, got 5"),
        ("max_bytes", "a", "max_bytes is a whole number, got 'a'"),
        ("max_elements", 1.5, "max_elements is a whole number, got 1.5"),
    ],
)
def test_options_of_other_types_are_refused_in_words(urdf, name, value, said):
    with pytest.raises(VisvivaError, match=said):
        vv.load(urdf, **{name: value})


def test_snap_of_a_mechanism_file_is_a_small_number_too(urdf, tmp_path):
    vv.save(vv.load(urdf), tmp_path / "m.toml")
    for snap in ("x", -1, 0.1):
        with pytest.raises(ArgumentError, match=r"snap is between 0 and 0.001, got"):
            vv.load(tmp_path / "m.toml", snap=snap)


def test_a_text_is_no_path(urdf):
    text = urdf.read_text(encoding="utf-8")
    for given in (text, "<robot/>", 'name = "arm"\n'):
        with pytest.raises(ArgumentError, match=r"got a text of \d+ characters; written"):
            vv.load(given)


def test_a_base_that_floats_is_free(urdf):
    with pytest.raises(VisvivaError, match=r"'floating': did you mean 'free'\? \("):
        vv.load(urdf, base="floating")
    with pytest.raises(VisvivaError, match=r"value of base= 'loose' \(available: 'fixed'"):
        vv.load(urdf, base="loose")


def tree(*joints):
    """A model of turning bodies, each of (joint, parent, z of its place)."""
    b = vv.Builder("tree")
    solid = vv.Inertia.box(1.0, x=0.1, y=0.2, z=0.3).moved(None, [0.1, 0.0, 0.05])
    for k, (joint, parent, z) in enumerate(joints):
        b.body(joint.upper(), joint="revolute", axis="xyz"[k % 3], joint_name=joint, parent=parent,
               at=[0.1 * k, 0.0, z], inertia=solid)  # fmt: skip
    return b.build()


def test_a_body_called_world_is_renamed_where_mujoco_has_one(tmp_path):
    solid = vv.Inertia.sphere(1.0, radius=0.1)
    b = vv.Builder("free").body("world", joint="free", joint_name="root", inertia=solid)
    b.body("arm", parent="world", joint="revolute", axis="x", inertia=solid)
    model = b.frame("world_", body="world", at=[0, 0, 0.1]).build()
    vv.save(model, tmp_path / "free.xml")
    assert "renamed: body 'world' is 'world__'" in (tmp_path / "free.xml").read_text()
    again = vv.load(tmp_path / "free.xml")
    assert again.body_names == ("world__", "arm")
    q, v = model.random(0), np.arange(7.0)
    assert np.allclose(model.gravity_forces(q), again.gravity_forces(q), atol=1e-12)
    assert np.allclose(model.kinetic_energy(q, v), again.kinetic_energy(q, v), atol=1e-12)
    vv.save(model, tmp_path / "free.urdf")
    text = (tmp_path / "free.urdf").read_text()
    assert "renamed: the base 'world' is 'world__'" in text


@pytest.mark.parametrize("ending", ["urdf", "xml", "toml"])
def test_files_keep_the_order_of_joints(tmp_path, ending):
    """Siblings that are not in the order of their names, twice through a file."""
    model = tree(("m", "", 0.3), ("z", "M", 0.2), ("n", "M", 0.1), ("b", "N", 0.2), ("a", "N", 0.1),
                 ("aa", "N", 0.4), ("c", "", 0.1), ("x", "C", 0.1))  # fmt: skip
    again = model
    for _ in range(2):
        vv.save(again, tmp_path / f"tree.{ending}")
        again = vv.load(tmp_path / f"tree.{ending}")
        assert again.joint_names == model.joint_names
        q = model.random(3)
        assert np.allclose(again.gravity_forces(q), model.gravity_forces(q), atol=1e-12)
    if ending == "urdf":
        added = {x for x in again.frame_names if "branch" in x}
        assert added == {"world_branch_1", "M_branch_1", "N_branch_1", "N_branch_2"}
        text = (tmp_path / "tree.urdf").read_text()
        assert "added" not in text  # they are there


def test_an_order_that_files_cannot_have_is_a_warning(tmp_path):
    model = tree(("a", "", 0.1), ("b", "", 0.2), ("c", "A", 0.3))
    for ending in ("urdf", "xml"):
        with pytest.warns(UserWarning, match="in the order a, c, b; positions of this model go by"):
            vv.save(model, tmp_path / f"tree.{ending}")
        again = vv.load(tmp_path / f"tree.{ending}")
        assert again.joint_names == ("a", "c", "b")
    vv.save(model, tmp_path / "tree.toml")
    assert vv.load(tmp_path / "tree.toml").joint_names == model.joint_names


def test_mjcf_of_ours_goes_back_to_urdf(urdf, tmp_path):
    model = vv.load(urdf)
    vv.save(model, tmp_path / "one.xml")
    again = vv.load(tmp_path / "one.xml")
    assert dict(again.keyframes) == {}
    vv.save(again, tmp_path / "back.urdf")
    assert vv.load(tmp_path / "back.urdf").joint_names == model.joint_names
