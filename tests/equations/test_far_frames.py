"""Frames far from the bodies that they state: digits are lost as the distance, not as its square.

The truth is the same algorithm at 50 digits, which moves no origins. Bodies and what lies between
them are of size one; with frames d away, offsets of d are subtracted once, and a rounding of d is
what every implementation loses on numbers such as these. Pinocchio is the other witness.
"""

import numpy as np
import pinocchio as pin
import pytest

import visviva as vv
from tests.support.counts import count
from tests.support.generators.bodies import JOINTS, cloud_inertia, unit
from tests.support.oracles import oracle
from tests.support.oracles.robots import robot
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.joints.axis import Prismatic, Revolute
from visviva.equations.bodies.near import FAR, near_origins

EPS = np.finfo(float).eps
DISTANCES = (1.0, 100.0, 1e4)
PEERS = {Revolute: pin.JointModelRevoluteUnaligned, Prismatic: pin.JointModelPrismaticUnaligned}


def allowed(d):
    """Two roundings of offsets for each of six joints, and those of moments that are near."""
    return EPS * (FAR**2 + 12 * d)


def body(rng, back):
    """Half a metre in size and half a metre from the one before; its frame is `back` from there."""
    m, c, tensor = cloud_inertia([(rng.uniform(0.1, 2), rng.normal(size=3) * 0.3) for _ in "abcd"])
    return rng.normal(size=3) * 0.5, Inertia(m, c - back, tensor)


def chain(rng, joints, shifts):
    """Bodies that are near each other, with frames shifted by that much."""
    b, last, before = Builder("far"), "", np.zeros(3)
    for i, (joint, shift) in enumerate(zip(joints, shifts, strict=True)):
        at, inertia = body(rng, shift)
        name = {"parent": last, "joint_name": f"joint{i}"}
        b.body(f"body{i}", joint=joint, at=at + shift - before, inertia=inertia, **name)
        last, before = f"body{i}", shift
    return b.build()


def sliding(seed, kinds, d):
    """Hinges and sliders with their frames d away, where the joints are the same from there."""
    rng = np.random.default_rng(seed)
    axes = [unit(rng.normal(size=3)) for _ in kinds]
    joints = [(Revolute if k == "R" else Prismatic)(x) for k, x in zip(kinds, axes, strict=True)]
    ways = [x if k == "R" else unit(rng.normal(size=3)) for k, x in zip(kinds, axes, strict=True)]
    model = chain(rng, joints, [x * d for x in ways])
    return model, rng.normal(size=(3, model.nv))


def peer(model):
    made, last = pin.Model(), 0
    for b in model.bodies:
        at = pin.SE3(np.array(b.placement.R), np.array(b.placement.p))
        last = made.addJoint(last, PEERS[type(b.joint)](b.joint.axis), at, b.joint_name)
        own = pin.Inertia(b.inertia.mass, np.array(b.inertia.com), np.array(b.inertia.tensor))
        made.appendBodyToJoint(last, own, pin.SE3.Identity())
    made.gravity.linear = np.array(model.gravity)
    return made, made.createData()


@pytest.mark.spread(4)
@pytest.mark.soak
@pytest.mark.parametrize("kinds", ["RRRRRR", "RPRPRP", "PPRRPR"])
@pytest.mark.parametrize("d", DISTANCES)
def test_far_frames_lose_digits_as_the_distance(kinds, d):
    for seed in range(count(1, 20)):
        model, (q, v, a) = sliding(seed, kinds, d)
        run = oracle.Interpreted(model)
        for name, *args in (
            ("inverse_dynamics", q, v, a),
            ("gravity_forces", q),
            ("mass_matrix", q),
            ("coriolis_matrix", q, v),
            ("kinetic_energy", q, v),
            ("reaction_wrenches", q, v, a),
        ):
            assert off(run, model, name, *args) <= allowed(d), (name, seed)
        M = run("mass_matrix", q)
        loose = allowed(d) * np.linalg.cond(M)
        assert off(run, model, "forward_dynamics", q, v, a) <= loose


def off(run, model, name, *args):
    return oracle.off(run(name, *args), oracle.exactly(model, name, *args))


def test_machine_code_loses_no_more():
    model, (q, v, a) = sliding(3, "RPR", 1e4)
    run = oracle.Compiled(model)
    for name, *args in (("inverse_dynamics", q, v, a), ("mass_matrix", q)):
        assert off(run, model, name, *args) <= allowed(1e4)


@pytest.mark.parametrize("d", DISTANCES)
def test_no_more_is_lost_than_in_pinocchio(d):
    """Ten times its loss is allowed, or what near frames lose."""
    for kinds in ("RRRRRR", "RPRPRP"):
        model, (q, v, a) = sliding(5, kinds, d)
        run, (theirs, data) = oracle.Interpreted(model), peer(model)
        M = np.triu(pin.crba(theirs, data, q))
        for name, args, other in (
            ("inverse_dynamics", (q, v, a), pin.rnea(theirs, data, q, v, a)),
            ("mass_matrix", (q,), M + np.triu(M, 1).T),
            ("forward_dynamics", (q, v, a), pin.aba(theirs, data, q, v, a)),
            ("kinetic_energy", (q, v), pin.computeKineticEnergy(theirs, data, q, v)),
        ):
            exact = oracle.exactly(model, name, *args)
            limit = max(10 * oracle.off(other, exact), EPS * FAR**2)
            assert oracle.off(run(name, *args), exact) <= limit, name


@pytest.mark.spread(8)
@pytest.mark.parametrize("kind", [k for k in JOINTS if JOINTS[k].nv > 1 or k == "revolute"])
@pytest.mark.parametrize("d", DISTANCES[1:])
def test_joints_that_are_far_themselves_do_not_spoil_the_ones_before_them(kind, d):
    """A hinge, then two bodies beside it on joints that are d away: what the hinge feels of them.

    They are moved by as much as bodies of size one are: joints that are far turn by 1/d.
    """
    rng = np.random.default_rng(7)
    shifts = [np.zeros(3), *(unit(rng.normal(size=3)) * d for _ in "ab")]
    model = chain(rng, [JOINTS["revolute"], JOINTS[kind], JOINTS["revolute"]], shifts)
    run, q = oracle.Interpreted(model), model.neutral()
    v, a = rng.normal(size=(2, model.nv)) / np.where(np.arange(model.nv) == 0, 1.0, d)
    for name, *args in (
        ("inverse_dynamics", q, v, a),
        ("mass_matrix", q),
        ("kinetic_energy", q, v),
        ("coriolis_transpose_product", q, v),
    ):
        ours, exact = run(name, *args), oracle.exactly(model, name, *args)
        felt = (0,) * np.ndim(exact)
        assert oracle.off(ours[felt], exact[felt]) <= allowed(d), name


def test_what_is_carried_through_a_frame_without_mass_is_kept_too():
    rng = np.random.default_rng(2)
    b = Builder("frames")
    _, inertia = body(rng, np.zeros(3))
    far = np.array([0.0, 0.0, 1e4])
    b.body("near", joint="revolute", axis="x", inertia=inertia)
    b.body("far", parent="near", joint="revolute", axis="z", at=far)
    b.body("back", parent="far", joint="revolute", axis="y", at=-far, inertia=inertia)
    model = b.build()
    q, v, a = rng.normal(size=(3, 3))
    run = oracle.Interpreted(model)
    assert off(run, model, "mass_matrix", q) <= allowed(1e4)
    assert off(run, model, "inverse_dynamics", q, v, a) <= allowed(1e4)


def test_robots_are_left_as_they_are():
    """No origin moves where bodies are as near to their frames as those of robots are."""
    arms = [getattr(vv.catalog, name)() for name in ("puma560", "stanford", "two_link", "scara")]
    files = [robot(f"{name}.urdf") for name in ("ur5_robot", "panda", "solo12")]
    for model in (*arms, *map(vv.load, files)):
        assert not any(x.any() for x in near_origins(model.numeric))
