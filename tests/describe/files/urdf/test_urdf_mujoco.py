"""Real robots' URDFs, against MuJoCo: their motion is the same but for what a note names."""

import mujoco
import numpy as np
import pytest
from lxml import etree

import visviva as vv
from tests.support.oracles import mujoco_models as peer
from tests.support.oracles.oracle import Interpreted
from tests.support.oracles.robots import NAMELESS, ROBOTS, label
from visviva.describe.files.urdf.read import load_urdf
from visviva.describe.model.remarks import unmodelled

TOLERANCE = 1e-9  # of accelerations, relative; some inertias of files are 1e-7 of others
COMPILER = {"fusestatic": "false", "balanceinertia": "false", "discardvisual": "true"}


def without_contacts(path):
    """MuJoCo's model of what is left without visuals and without what notes name."""
    root = etree.parse(path).getroot()
    for e in [*root.iter("visual", "collision", "mujoco")]:
        e.getparent().remove(e)
    etree.SubElement(etree.SubElement(root, "mujoco"), "compiler", COMPILER)
    m = mujoco.MjModel.from_xml_string(etree.tostring(root).decode())
    off = mujoco.mjtDisableBit
    m.opt.disableflags |= int(off.mjDSBL_EQUALITY)  # of joints that follow others
    m.opt.disableflags |= int(off.mjDSBL_REFSAFE)  # dry friction is as hard as ours
    m.dof_solref[:, 0] = 1e-6
    return m


@pytest.mark.spread(5)
@pytest.mark.parametrize("path", [x for x in ROBOTS if x != NAMELESS], ids=label)
def test_accelerations_are_mujocos_without_what_notes_name(path):
    try:
        m = without_contacts(path)
    except ValueError as error:  # inertias that no body has; Pinocchio compares those
        pytest.skip(str(error)[:80])
    if not m.nv:
        return
    model = load_urdf(path, mimic="expand", snap=0, meshes=False)
    has_collisions = next(etree.parse(path).iter("collision"), None) is not None
    assert [x.effect for x in unmodelled(model.notes)] == ["contact"] * has_collisions
    rng, road = np.random.default_rng(2), Interpreted(model)
    assert {*model.joint_names} == {peer.joint_name(m, j) for j in range(m.njnt)}
    dofs = np.concatenate([m.joint(name).dofadr for name in model.joint_names])
    for _ in range(2):
        qpos = peer.random_qpos(m, rng)
        for j in np.flatnonzero(m.jnt_limited):
            low, high = m.jnt_range[j]
            qpos[m.jnt_qposadr[j]] = low + rng.uniform(0.2, 0.8) * (high - low)
        speed = rng.choice([-1, 1], m.nv) * rng.uniform(1, 2, m.nv)  # friction slides
        tau = rng.normal(size=m.nv)
        d = peer.moving(m, qpos, speed, tau)
        ours = road("forward_dynamics", d.qpos[dofs], speed[dofs], tau[dofs])
        theirs = d.qacc[dofs]
        assert np.abs(ours - theirs).max() < TOLERANCE * (1 + np.abs(theirs).max())


def test_a_run_repeats_that_nothing_stops(tmp_path):
    path = tmp_path / "m.urdf"
    path.write_text("""<robot name="r"><link name="w"><collision><geometry><box size="9 9 1"/>
      </geometry></collision></link><link name="a"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j" type="prismatic"><parent link="w"/><child link="a"/><axis xyz="0 0 1"/>
      <limit lower="-9" upper="9" velocity="9" effort="9"/></joint></robot>""")
    model = vv.load(path)
    note = "contacts are not part of the model: nothing stops at 1 <collision> element"
    assert note in model.notes
    assert note in model.simulate([0], [0], 0.1).notes
