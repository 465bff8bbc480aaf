"""MJCF models, against MuJoCo: mass matrix, forces, accelerations, Jacobians.

Hinges, slides, balls and free joints, several on one body, with armature. `make test` runs the
algorithms on floats for all models and the machine code of four, `make soak` that of all. The
mapping between the two is in `tests.support.oracles.mujoco_models`.
"""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from tests.support.counts import SOAK, count
from tests.support.oracles import mujoco_models as peer
from tests.support.oracles.oracle import Compiled, Interpreted, Tally
from visviva.describe.files.mjcf.read import load_mjcf

TOLERANCE = 1e-10  # relative to the largest entry; MuJoCo's M holds terms that it adds and removes
FILES = [f for f in peer.files() if peer.read(f).nv]


CHOSEN = ("ball", "defaults", "free", "several")  # every joint, several on one body
COMPILED = [f for f in FILES if SOAK or f.stem in CHOSEN]
ROADS = [(f, Interpreted) for f in FILES] + [(f, Compiled) for f in COMPILED]


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("path", "kind"), ROADS, ids=[f"{f.stem}-{kind.__name__}" for f, kind in ROADS]
)
def test_dynamics_are_mujocos(path, kind, record_property):
    m = peer.quiet(peer.read(path))
    model = rigid(load_mjcf(path, mimic="expand", snap=0))
    rng = np.random.default_rng(3)
    road, tally = kind(model), Tally()
    for _ in range(count(1, 100)):
        compare(road, model, m, rng, tally)
        tally.states += 1
    tally.note(record_property, f"MuJoCo, {kind.__name__.lower()}", models=1)
    assert not tally.failures, "\n".join(tally.failures)
    assert tally.states


def compare(road, model, m, rng, tally):
    qpos = peer.random_qpos(m, rng)
    q = peer.our_q(m, qpos)
    v, a, tau = rng.normal(size=(3, m.nv))

    def check(name, ours, theirs, floor=1e-6):
        tally.compare(name, ours, theirs, TOLERANCE, floor)

    d = peer.moving(m, qpos, v, tau)
    assert not d.qfrc_passive.any()
    check("forward_dynamics", road("forward_dynamics", q, v, tau), peer.accelerations(m, d, v))
    check("mass_matrix", road("mass_matrix", q), peer.mass_matrix(m, d))
    bias = peer.bias_forces(m, d, v)
    check("bias_forces", road("bias_forces", q, v), bias)
    C, g = road("coriolis_matrix", q, v), road("gravity_forces", q)
    check("coriolis_matrix", C @ v + g, bias)
    still = peer.moving(m, qpos, np.zeros(m.nv))
    check("gravity_forces", g, peer.bias_forces(m, still, np.zeros(m.nv)))
    mujoco.mj_energyVel(m, d)
    check("kinetic_energy", road("kinetic_energy", q, v), d.energy[1])
    for kind, k, name in frames(m, model):  # lengths are of size one: what vanishes is below 1e-10
        J = peer.jacobian(m, d, kind, k)
        check("jacobian", road.about("jacobian", name, q, reference="world"), J, floor=1.0)
        dJ = peer.jacobian_rate(m, d, v, kind, k)
        ours = road.about("jacobian_rate", name, q, v, reference="world")
        check("jacobian_rate", ours, dJ, floor=1.0)
        check("velocity", road.about("velocity", name, q, v, reference="world"), J @ v, floor=1.0)
    check("inverse_dynamics", road("inverse_dynamics", q, v, a), peer.inverse_dynamics(m, d, v, a))


def rigid(model):
    """All that `quiet` leaves."""
    return replace(model, springs=()).without_dissipation().without_constraints()


def frames(m, model):
    """(kind, number, our name) of bodies that move, and of sites."""
    for i in range(1, m.nbody):
        name = peer.body_name(m, i)
        moved = f"{name}_origin"
        yield "body", i, moved if moved in model.frame_names else name
    for k in range(m.nsite):
        name = m.site(k).name or f"site_{k}"
        yield "site", k, name if f"{name}_site" not in model.frame_names else f"{name}_site"


def without_friction(model):
    bodies = tuple(replace(b, friction=np.zeros(0)) for b in model.bodies)
    return replace(model, bodies=bodies)


@pytest.mark.spread(0)
@pytest.mark.soak
def test_damping_is_mujocos(record_property):
    """Dampers of joints are part of τ: what MuJoCo calls passive."""
    tally, rng = Tally(), np.random.default_rng(4)
    for name in ("ball.xml", "defaults.xml", "several.xml"):
        m = peer.read(peer.FOLDER / name)
        kept = int(mujoco.mjtDisableBit.mjDSBL_DAMPER)
        peer.quiet(m).opt.disableflags &= ~kept
        model = load_mjcf(peer.FOLDER / name, mimic="expand", snap=0)
        road = Interpreted(without_friction(model))
        for _ in range(count(3, 100)):
            qpos, (v, tau) = peer.random_qpos(m, rng), rng.normal(size=(2, m.nv))
            q, d = peer.our_q(m, qpos), peer.moving(m, qpos, v, tau)
            assert d.qfrc_passive.any()
            tally.compare(
                "dissipation", road("dissipation_forces", q, v), -d.qfrc_passive, TOLERANCE
            )
            theirs = peer.accelerations(m, d, v)
            tally.compare(
                "forward_dynamics", road("forward_dynamics", q, v, tau), theirs, TOLERANCE
            )
            tally.states += 1
    tally.note(record_property, "MuJoCo, dampers", models=3)
    assert not tally.failures, "\n".join(tally.failures)
    assert tally.states
