"""Springs, actuators and the armature of drives in MJCF files act here as they do in MuJoCo."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

import visviva as vv
from tests.support.oracles import mujoco_models as peer
from visviva.describe.model.body import Visual
from visviva.describe.model.compare import differences
from visviva.errors import VisvivaError

TOLERANCE = 1e-12

ARM = """<mujoco><option><flag contact="disable"/></option><compiler angle="radian"/><worldbody>
  <body name="a"><joint name="h" axis="0 1 0" damping="0.5" stiffness="4" springref="0.3"/>
    <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05"/>
    <body name="b" pos="0.5 0 0"><joint name="s" type="slide" axis="1 0 0" stiffness="30"
        springref="-0.2" ref="0.1"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.04"/>
      <body name="c" pos="0.3 0 0"><joint name="k" axis="0 0 1"/>
        <geom type="box" size="0.1 0.05 0.02"/><site name="tip" pos="0.1 0 0" euler="0.2 0.3 0"/>
      </body></body></body></worldbody>{}</mujoco>"""
DRIVES = """
  <tendon><fixed name="one" armature="0.07" damping="0.2"><joint joint="k" coef="-2"/></fixed>
  </tendon>
  <actuator>
    <general name="geared" joint="h" gear="30" armature="0.001" damping="0.002"/>
    <motor name="linear" joint="s" gear="-3" ctrllimited="true" ctrlrange="-1 2"/>
    <position name="servo" joint="k" kp="20" kv="1" forcelimited="true" forcerange="-5 6"/>
    <velocity name="drive" jointinparent="h" kv="3"/>
    <motor name="wire" tendon="one" gear="5"/>
    <general name="filtered" joint="h" dyntype="filter" dynprm="0.1" gainprm="7"/>
    <motor name="jet" site="tip" gear="0 2 1 0 0 0" ctrllimited="true" ctrlrange="0 3"/>
    <motor name="wheel" site="tip" gear="0 0 0 1 1 0"/>
  </actuator>"""


def both(tmp_path, text):
    path = tmp_path / "m.xml"
    path.write_text(text)
    return vv.load(path), mujoco.MjModel.from_xml_path(str(path))


def states(m, n=5):
    rng = np.random.default_rng(1)
    for _ in range(n):
        d = mujoco.MjData(m)
        d.qpos[:] = peer.random_qpos(m, rng)
        d.qvel[:], d.qacc[:] = rng.normal(size=(2, m.nv))
        d.ctrl[:], d.act[:] = rng.normal(size=m.nu), rng.normal(size=m.na)
        yield d


def test_joint_springs_pull_as_in_mujoco(tmp_path):
    model, m = both(tmp_path, ARM.format(""))
    assert [(s.name, s.joint, s.stiffness, s.rest) for s in model.springs] == [
        ("h_spring", "h", 4.0, 0.3),
        ("s_spring", "s", 30.0, -0.2),
    ]
    for d in states(m):
        q, v, a = d.qpos.copy(), d.qvel.copy(), d.qacc.copy()
        mujoco.mj_inverse(m, d)
        assert np.abs(model.inverse_dynamics(q, v, a) - d.qfrc_inverse).max() < TOLERANCE * 100
        pulled = model.with_gravity([0, 0, 0])
        passive = pulled.gravity_forces(q) + pulled.dissipation_forces(q, v)
        assert np.allclose(passive, -d.qfrc_passive, rtol=0, atol=TOLERANCE * 100)
        mujoco.mj_energyPos(m, d)
        assert model.potential_energy(q) == pytest.approx(d.energy[0], rel=1e-10)


def test_actuators_push_as_in_mujoco(tmp_path):
    model, m = both(tmp_path, ARM.format(DRIVES))
    assert [a.name for a in model.actuators] == (
        "geared linear servo drive wire filtered jet wheel".split()
    )
    size = np.array([1, 1, 1, 1, 1, 1, np.sqrt(5), np.sqrt(2)])  # directions have length one
    for d in states(m):
        mujoco.mj_forward(m, d)
        pushed = model.actuator_map(d.qpos) @ (size * d.actuator_force)
        assert np.abs(pushed - d.qfrc_actuator).max() < TOLERANCE * 1000
    limits = {a.name: (a.lower, a.upper) for a in model.actuators}
    assert limits["linear"] == (-1, 2)
    assert limits["servo"] == (-5, 6)
    assert limits["jet"] == pytest.approx((0, 3 * np.sqrt(5)))
    assert limits["drive"] == (-np.inf, np.inf)


def test_what_an_actuator_does_that_is_not_read_is_noted_by_name(tmp_path):
    notes = both(tmp_path, ARM.format(DRIVES))[0].notes
    laws = "control laws not read, f is the force that the actuator exerts: "
    assert laws + "'servo' (affine), 'drive' (affine)" in notes
    assert "activation dynamics (dynprm) not read, f is the force: 'filtered' (filter)" in notes
    scaled = "f is a force, this many times ctrl: "
    assert scaled + "'filtered' (7), 'jet' (2.23607), 'wheel' (1.41421)" in notes
    unread = """
  <tendon><fixed name="two"><joint joint="h" coef="1"/><joint joint="k" coef="2"/></fixed>
    <spatial name="rope" stiffness="3" limited="true" range="0 1"><site site="tip"/><site site="w"/>
    </spatial></tendon>
  <actuator><motor name="pull" tendon="two"/><motor name="both" site="tip" gear="1 0 0 0 0 1"/>
    <motor name="rel" site="tip" refsite="w" gear="1 0 0 0 0 0"/>
    <motor name="none" joint="h" gear="0"/>
  </actuator>"""
    text = ARM.format(unread).replace("<worldbody>", '<worldbody><site name="w"/>')
    model, _ = both(tmp_path, text)
    assert model.actuators == ()
    listed = "'pull' (tendon 'two'), 'both' (force and torque at once), "
    listed += "'rel' (a site relative to another), 'none' (gear 0)"
    said = "actuators not read, as their transmission has no form here"
    assert f"{said}: {listed}" in model.notes
    rope = "tendon 'rope' in space: stiffness 3, limits of its length not read; the forces of that"
    assert any(note.startswith(rope) for note in model.notes)


def test_armature_of_drives_is_in_the_mass_matrix(tmp_path):
    model, m = both(tmp_path, ARM.format(DRIVES))
    for d in states(m):
        mujoco.mj_forward(m, d)
        M = peer.mass_matrix(m, d)
        assert np.abs(model.mass_matrix(d.qpos) - M).max() < TOLERANCE
        q, v, a = d.qpos.copy(), d.qvel.copy(), d.qacc.copy()
        mujoco.mj_inverse(m, d)
        tau = model.inverse_dynamics(q, v, a)
        assert np.abs(tau - d.qfrc_inverse).max() < TOLERANCE * 100
    bare = both(tmp_path, ARM.format(""))[0].mass_matrix([0, 0, 0])
    assert np.diag(model.mass_matrix([0, 0, 0]) - bare) == pytest.approx(
        [30**2 * 0.001, 0, 4 * 0.07]
    )


def test_armature_that_is_not_read_says_what_the_mass_matrix_lacks(tmp_path):
    more = """<tendon><fixed name="two" armature="0.3" damping="0.1">
      <joint joint="h" coef="1"/><joint joint="k" coef="2"/></fixed></tendon>"""
    model, m = both(tmp_path, ARM.format(more))
    note = "tendon 'two' over 'h', 'k': armature 0.3 is not read; MuJoCo's M has 0.3 · JᵀJ more"
    assert any(x.startswith(note) for x in model.notes)
    assert any("damping 0.1 is not read; 0.1 · JᵀJ v is missing" in x for x in model.notes)
    J = np.array([[1.0, 0.0, 2.0]])  # and that is what it lacks
    for d in states(m, 2):
        mujoco.mj_forward(m, d)
        lacking = peer.mass_matrix(m, d) - model.mass_matrix(d.qpos)
        assert np.allclose(lacking, 0.3 * J.T @ J, rtol=0, atol=TOLERANCE)


def test_drives_of_balls_and_free_bodies(tmp_path):
    text = """<mujoco><worldbody>
  <body name="f" pos="0 0 1"><freejoint name="f"/><geom type="box" size="0.2 0.1 0.05"/>
    <body name="g" pos="0.3 0 0"><joint name="g" type="ball" stiffness="5"/>
      <geom type="box" size="0.1 0.1 0.02" pos="0.1 0 0"/></body></body></worldbody>
  <actuator><motor name="push" joint="f" gear="1 2 0 0 0 0"/>
    <motor name="turn" joint="f" gear="0 0 0 0 0 3"/>
    <motor name="yaw" jointinparent="f" gear="0 0 0 0 0 3"/>
    <motor name="roll" joint="g" gear="0 4 0"/>
    <motor name="skew" joint="g" gear="1 1 0"/></actuator></mujoco>"""
    model, m = both(tmp_path, text)
    assert [a.name for a in model.actuators] == ["push", "turn", "yaw", "roll"]
    assert any("'skew' (a ball joint, about no axis of the body)" in x for x in model.notes)
    assert any("joint 'g': the spring of stiffness 5 on a ball joint" in x for x in model.notes)
    size = np.array([np.sqrt(5), 3, 3, 1])
    for d in states(m):
        d.ctrl[4] = 0
        mujoco.mj_forward(m, d)
        q = peer.our_q(m, d.qpos)
        theirs = peer.velocity_map(m, d).T @ d.qfrc_actuator
        ours = model.actuator_map(q) @ (size * d.actuator_force[:4])
        assert np.abs(ours - theirs).max() < TOLERANCE * 10


def test_springs_and_actuators_survive_being_written(tmp_path):
    model, _ = both(tmp_path, ARM.format(DRIVES))
    for name in ("again.xml", "again.toml"):
        vv.save(model, tmp_path / name)
        back = vv.load(tmp_path / name)
        assert differences(model, back, tolerance=1e-12) == []
        q = model.random(3)
        assert np.allclose(back.actuator_map(q), model.actuator_map(q), rtol=0, atol=1e-12)
        for ours, theirs in zip(model.actuators, back.actuators, strict=True):
            assert (ours.name, ours.kind) == (theirs.name, theirs.kind)
            assert (ours.lower, ours.upper) == pytest.approx((theirs.lower, theirs.upper))
        z = np.zeros(model.nv)
        assert np.allclose(back.bias_forces(q, z), model.bias_forces(q, z), rtol=1e-12)
        kept = [(s.joint, s.stiffness, s.rest) for s in model.springs]
        assert [(s.joint, s.stiffness, s.rest) for s in back.springs] == kept
    with pytest.raises(VisvivaError, match="URDF cannot state 2 springs; 8 actuators"):
        vv.save(model, tmp_path / "again.urdf")


def test_a_thruster_off_its_frame_gets_a_site_of_its_own(tmp_path):
    body = vv.catalog.tumbling_body()
    jet = vv.Actuator.thruster("jet", "body", [1, 0, 0], point=[0, 0.2, 0], limits=(0, 5))
    world = vv.Actuator.couple("spin", "body", [0, 0, 1], axes="world")
    with pytest.raises(VisvivaError, match="MJCF cannot state actuators spin; lossy=True"):
        vv.save(body.with_actuators([jet, world]), tmp_path / "j.xml")
    vv.save(body.with_actuators([jet]), tmp_path / "j.xml")
    back = vv.load(tmp_path / "j.xml")
    q = body.random(1)
    T = body.with_actuators([jet]).actuator_map(q)
    assert np.allclose(back.actuator_map(q), T, rtol=0, atol=1e-12)


def test_speed_limits_are_not_dropped_in_silence(tmp_path):
    b = vv.Builder("m")
    mass = vv.Inertia.sphere(1.0, radius=0.1)
    b.body("a", joint="revolute", joint_name="j", velocity=3.0, inertia=mass)
    model = b.build()
    vv.save(model, tmp_path / "m.xml")
    assert vv.load(tmp_path / "m.xml").velocity_limits.tolist() == [3.0]


def test_what_mujoco_has_no_words_for_is_kept_for_us(tmp_path):
    b = vv.Builder("m")
    mass = vv.Inertia.sphere(1.0, radius=0.1)
    b.body("a", joint="universal", axis="x", second="y", velocity=[2.0, np.inf], inertia=mass)
    b.body("b", parent="a", joint="spherical", velocity=[1, 2, 3], passive=True, inertia=mass)
    b.body("c", parent="b", joint="revolute", joint_name="--c", passive=True, inertia=mass)
    box = Visual("box", vv.Pose(p=[0, 0, 1.0]), (1.0, 2.0, 3.0))
    model = replace(b.build(), base_visuals=(box, replace(box, kind="mesh", path="a.dae")))
    vv.save(model, tmp_path / "m.xml")
    back = vv.load(tmp_path / "m.xml")
    assert back.velocity_limits.tolist() == [2.0, np.inf, 1.0, 2.0, 3.0, np.inf]
    assert back.passive == ("b_joint", "--c")
    text = (tmp_path / "m.xml").read_text()
    assert "left out: visuals of kind mesh" in text
    assert 'type="box"' in text
