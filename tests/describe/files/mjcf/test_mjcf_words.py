"""Every word of MJCF is honoured, named in the notes, or moves nothing: MuJoCo decides which."""

import pickle
import re
from pathlib import Path

import gymnasium
import mujoco
import numpy as np
import pytest

import visviva as vv
from tests.support.generators.mjcf_files import FILES
from tests.support.oracles import mujoco_models as peer
from tests.support.oracles.oracle import Interpreted
from visviva.describe.files.mjcf import compile, words, worker
from visviva.describe.files.mjcf.read import load_mjcf
from visviva.describe.files.mjcf.words import Meaning
from visviva.describe.model.remarks import unmodelled

TOLERANCE = 1e-9  # relative; MuJoCo's qacc goes through its solver where friction acts
GYM = sorted((Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets").glob("*.xml"))
REFUSED = {"plugin", "config", "instance", "extension"}  # they run code of their own
OFF = mujoco.mjtDisableBit
KEPT = int(OFF.mjDSBL_CONTACT | OFF.mjDSBL_GRAVITY)  # what the file switches off is off here


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch):
    """MuJoCo reads here: a process for each of a hundred files would take a minute."""
    monkeypatch.setattr(
        compile, "_run", lambda _, seen, __: worker.compiled(seen.text, seen.assets)
    )


def schema():
    """MuJoCo's own list: an element and its attributes."""
    tag, listed = "", []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        if found := re.match(r" *(?:\(world\))?(\w+) \([!*?R]\)(.*)", line):
            tag, line = found.groups()
        listed += [(tag, word) for word in ["", *line.split()]]
    return [x for x in dict.fromkeys(listed) if x[0] not in REFUSED]


def test_the_table_has_every_word_of_mujocos_schema():
    listed = schema()
    assert len(listed) > 900
    for tag, word in listed:
        assert tag in words.MEANINGS, tag
        own = words.MEANINGS[tag]
        assert not word or word in own or "" in own, f"{word} of <{tag}>"


SWITCHES = {  # what makes MuJoCo's model one without an effect
    Meaning.CONTACT: lambda m: disable(m, OFF.mjDSBL_CONTACT),
    Meaning.FLUID: lambda m: [setattr(m.opt, x, 0.0) for x in ("density", "viscosity")],
    Meaning.GRAVITY: lambda m: m.body_gravcomp.fill(0),
    Meaning.RANGE: lambda m: m.jnt_actfrclimited.fill(0),
    Meaning.SPRING: lambda m: [
        m.jnt_stiffnesspoly.fill(0),
        m.jnt_springyield.fill(0),
        np.putmask(m.jnt_stiffness, m.jnt_type <= peer.BALL, 0),
    ],
    Meaning.DAMPING: lambda m: m.dof_dampingpoly.fill(0),
    Meaning.LIMIT: lambda m: np.putmask(m.jnt_limited, m.jnt_type <= peer.BALL, 0),
    Meaning.TENDON: lambda m: [
        getattr(m, f"tendon_{x}").fill(0)
        for x in "armature damping dampingpoly stiffness stiffnesspoly frictionloss limited".split()
    ],
    Meaning.DRIVE: lambda m: [disable(m, OFF.mjDSBL_ACTUATION), m.actuator_dampingpoly.fill(0)],
    Meaning.EQUALITY: lambda m: disable(m, OFF.mjDSBL_EQUALITY),
    Meaning.DISABLED: lambda m: setattr(m.opt, "disableflags", m.opt.disableflags & KEPT),
}


def disable(m, *bits):
    for bit in bits:
        m.opt.disableflags |= int(bit)


def switched(m, effects):
    """MuJoCo's model without what notes name, and without constraints, which give way there."""
    for effect in sorted(effects, key=lambda x: x != Meaning.DISABLED):
        SWITCHES[effect](m)
    disable(m, OFF.mjDSBL_EQUALITY)
    return m


def some_state(m, rng):
    """Within the limits, fast enough that friction slides."""
    qpos = peer.random_qpos(m, rng)
    for j in np.flatnonzero((m.jnt_type > peer.BALL) & (m.jnt_limited > 0)):
        low, high = m.jnt_range[j]
        qpos[m.jnt_qposadr[j]] = low + rng.uniform(0.2, 0.8) * (high - low)
    v = rng.choice([-1, 1], m.nv) * rng.uniform(1, 2, m.nv)
    return qpos, v, rng.normal(size=m.nu)


def largest_difference(model, m, effects, states=2):
    """Of accelerations, relative, with the same forces of actuators in both."""
    rng, worst = np.random.default_rng(5), 0.0
    road = Interpreted(model.without_constraints())
    for _ in range(states):
        qpos, v, ctrl = some_state(m, rng)
        d = peer.at(m, qpos)
        d.qvel[:], d.ctrl[:] = peer.velocity_map(m, d) @ v, ctrl
        mujoco.mj_forward(m, d)
        q, tau = peer.our_q(m, qpos), np.zeros(m.nv)
        if model.actuators and Meaning.DRIVE not in effects:
            pairs = zip(model.actuators, m.actuator_gear, strict=True)
            size = [1.0 if a.kind == "motor" else np.linalg.norm(gear) for a, gear in pairs]
            tau = model.actuator_map(q) @ (size * d.actuator_force)
        theirs = peer.accelerations(m, d, v)
        ours = road("forward_dynamics", q, v, tau)
        worst = max(worst, np.abs(ours - theirs).max() / (1 + np.abs(theirs).max()))
    return worst


@pytest.mark.spread(6)
@pytest.mark.parametrize("path", [*GYM, *FILES], ids=lambda path: path.stem)
def test_no_acceleration_differs_from_mujocos_unless_a_note_names_why(path):
    m = peer.read(path)
    if not m.nv:
        return
    model = load_mjcf(path, mimic="expand", snap=0)
    effects = {x.effect for x in unmodelled(model.notes)}
    assert largest_difference(model, switched(m, effects), effects) < TOLERANCE


ARM = """<mujoco><option {option}><flag contact="disable" {flag}/></option><size nuserdata="3"/>
  <default><joint {joint}/></default><worldbody>
  <geom name="floor" type="plane" size="1 1 1" {geom} pos="0 0 -5"/>
  <body name="a" pos="0 0 1" {body}><joint name="j" axis="0 1 0" range="-3 3"/>
    <geom type="capsule" fromto="0 0 0 .5 0 0" size=".05"/>
    <body name="b" pos=".5 0 0"><joint name="k" axis="0 0 1" {own}/>
      <geom type="box" size=".1 .05 .02" pos=".2 0 0"/>
      <body name="c" pos=".4 0 0"><joint name="ball" type="ball" {ball}/>
        <geom type="box" size=".1 .2 .3"/></body></body></body></worldbody>
  <tendon><fixed name="t" {tendon}><joint joint="j" coef="1"/><joint joint="k" coef="2"/></fixed>
  </tendon><equality>{equality}</equality>
  <actuator><general joint="j" {drive}/></actuator></mujoco>"""
STATED = [  # what a file may state, and under what a note names it; None where it is honoured
    ({"option": 'density="1000"'}, Meaning.FLUID),
    ({"option": 'viscosity="3"'}, Meaning.FLUID),
    ({"option": 'gravity="1 2 3"'}, None),
    ({"option": 'timestep="0.01" integrator="RK4" tolerance="1e-9"'}, None),
    ({"flag": 'gravity="disable"'}, None),
    ({"flag": 'damper="disable"', "joint": 'damping="2"'}, Meaning.DISABLED),
    ({"flag": 'spring="disable"', "own": 'stiffness="2"'}, Meaning.DISABLED),
    ({"flag": 'frictionloss="disable"', "own": 'frictionloss="2"'}, Meaning.DISABLED),
    ({"flag": 'constraint="disable"', "own": 'frictionloss="2"'}, Meaning.DISABLED),
    ({"flag": 'actuation="disable"', "drive": 'gear="3"'}, Meaning.DISABLED),
    ({"body": 'gravcomp="0.5"'}, Meaning.GRAVITY),
    ({"joint": 'damping="2" armature=".3"'}, None),
    ({"own": 'stiffness="5" springref="20" frictionloss=".3" ref="10"'}, None),
    ({"own": 'damping="1 2"'}, Meaning.DAMPING),
    ({"own": 'stiffness="1 2"'}, Meaning.SPRING),
    ({"ball": 'stiffness="7"'}, Meaning.SPRING),
    ({"own": 'stiffness="7" springyield="1e-3"'}, Meaning.SPRING),
    ({"own": 'actuatorfrcrange="-.1 .1"'}, Meaning.RANGE),
    ({"joint": 'actuatorfrcrange="-.1 .1"', "drive": 'gear="9"'}, Meaning.RANGE),
    ({"tendon": 'stiffness="3"'}, Meaning.TENDON),
    ({"tendon": 'stiffness="3 4" damping="1 2" springyield="1"'}, Meaning.TENDON),
    ({"tendon": 'frictionloss="2" armature=".2"'}, Meaning.TENDON),
    ({"tendon": 'limited="true" range="-9 -8"'}, Meaning.TENDON),
    ({"ball": 'limited="true" range="0 1"'}, Meaning.LIMIT),
    ({"drive": 'gainprm="3" gear="-2" ctrlrange="-1 1"'}, None),
    ({"drive": 'biastype="affine" biasprm="1 2 3"'}, Meaning.DRIVE),
    ({"drive": 'dyntype="filter" dynprm=".1"'}, Meaning.DRIVE),
    ({"drive": 'damping="1 2"'}, Meaning.DRIVE),
    ({"drive": 'delay=".01" nsample="9"'}, Meaning.DRIVE),
    ({"drive": 'group="2"', "option": 'actuatorgroupdisable="2"'}, Meaning.DRIVE),
    ({"equality": '<tendon tendon1="t"/>'}, Meaning.EQUALITY),
    ({"flag": 'sleep="enable"'}, Meaning.DISABLED),
]


def arm(tmp_path, stated, text=ARM):
    path = tmp_path / "arm.xml"
    slots = dict.fromkeys("option flag joint geom body own ball tendon equality drive".split(), "")
    path.write_text(text.format(**slots | stated))
    model = load_mjcf(path, snap=0)
    return model, peer.read(path), {x.effect for x in unmodelled(model.notes)}


@pytest.mark.parametrize(("stated", "effect"), STATED, ids=[str(x) for x, _ in STATED])
def test_what_a_file_states_acts_or_is_named(tmp_path, stated, effect):
    """Where nothing is named, MuJoCo as it is agrees; where it is, MuJoCo without that effect."""
    model, m, effects = arm(tmp_path, stated)
    assert effects == ({effect} if effect else set())
    rest = effects - {Meaning.EQUALITY}
    assert largest_difference(model, switched(m, rest), effects) < TOLERANCE


def test_words_that_are_not_read_are_named_where_they_stand(tmp_path):
    stated = {"joint": 'solreflimit=".1 1" margin=".1"', "geom": 'solref=".1 1" user="3"'}
    model, _, effects = arm(tmp_path, stated)
    assert "not read: solreflimit, margin of <joint>" in model.notes
    assert not effects
    assert not any("user" in x or "solref of" in x for x in model.notes)


TOUCHING = """<mujoco><option><flag {flag}/></option>
  <default><geom type="sphere" size="1" contype="{c}" conaffinity="{d}"/></default><worldbody>
  <geom name="floor" type="plane" size="1 1 1" contype="{a}" conaffinity="{b}"/>
  <body name="one" pos="0 0 .05"><freejoint/><geom name="g"/>
    <body name="held" pos="0 0 .3"><joint/><geom name="h"/></body></body>
  <body name="two" pos="0 0 .6"><freejoint/><geom name="k" contype="{e}" conaffinity="{f}"/></body>
  </worldbody><contact>{contact}</contact></mujoco>"""
EXCLUDED = '<exclude body1="two" body2="held"/><exclude body1="one" body2="two"/>'


@pytest.mark.parametrize("flag", ["", 'filterparent="disable"', 'contact="disable"'])
@pytest.mark.parametrize("bits", ["111111", "000000", "100101", "012102", "101010", "100011"])
@pytest.mark.parametrize("contact", ["", EXCLUDED, '<pair geom1="floor" geom2="k"/>'])
def test_a_contact_of_mujocos_is_named(tmp_path, flag, bits, contact):
    """The bodies overlap, so that whatever may touch does: MuJoCo's own list is the truth."""
    stated = dict(zip("abcdef", bits, strict=True)) | {"flag": flag, "contact": contact}
    model, m, effects = arm(tmp_path, stated, TOUCHING)
    d = mujoco.MjData(m)
    d.qpos[:] = m.qpos0
    mujoco.mj_forward(m, d)
    assert (Meaning.CONTACT in effects) == (d.ncon > 0)
    pairs = [m.geom_bodyid[list(c.geom)] for c in d.contact]
    (note,) = unmodelled(model.notes) or ("",)
    assert ("nothing stops at 'floor'" in note) == any(0 in p for p in pairs)
    assert ("bodies pass through each other" in note) == any(0 not in p for p in pairs)


def test_a_run_repeats_what_does_not_act_in_it(tmp_path):
    """Gymnasium's hopper fell through its floor to z = -19.6 m in 2 s, and nothing said so."""
    (path,) = (x for x in GYM if x.stem == "hopper")
    model = vv.load(path)
    note = "contacts are not part of the model: nothing stops at 'floor'; bodies pass through each"
    assert sum(x.startswith(note) for x in model.notes) == 1
    for q0 in (model.neutral(), np.tile(model.neutral(), (2, 1))):
        run = model.simulate(q0, 0 * q0, 0.01)
        assert sum(x.startswith(note) for x in run.notes) == 1
    turned = model.with_gravity([0, 0, -1.0])
    assert unmodelled(turned.notes) == unmodelled(model.notes)
    (kept,) = unmodelled(pickle.loads(pickle.dumps(model.notes)))
    assert kept.effect == Meaning.CONTACT
