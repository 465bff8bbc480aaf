"""`load` and `save` by what the file is."""

import numpy as np
import pytest

import visviva as vv
from visviva.describe.compare import differences
from visviva.describe.xmlfile import ReadError

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
    vv.save(model, path)
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
