"""The regressor: τ = Y θ for every mechanism, and against Pinocchio's.

Pinocchio orders the ten moments of a body m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz; we go along
the rows of the tensor, so that `PEER` takes theirs to ours. Both take them about the origin of the
body's frame. It has no columns for rotors and friction. How positions and velocities correspond is
said in `tests.support.oracles.robots`.
"""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import JOINTS, cloud_inertia, random_tree
from tests.support.oracles.oracle import (
    DIGITS,
    floats,
    mechanism,
    off,
    precise,
    random_state,
    value,
)
from tests.support.oracles.robots import peer_q, peer_v, robot
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.model.model import Model
from visviva.equations.dynamics import inverse_dynamics
from visviva.equations.forces.forces import dissipation_forces, spring_forces
from visviva.equations.parameters.regressor import (
    JOINT,
    MOMENTS,
    regressor,
    regressor_names,
    regressor_parameters,
)
from visviva.errors import ArgumentError, InertiaError

TOLERANCE = 1e-12
PEER = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]
ROBOTS = {
    "ur5_robot.urdf": "fixed",
    "panda.urdf": "fixed",
    "solo12.urdf": "free",
    "talos_reduced.urdf": "free",
}
seeds = st.integers(0, 2**32 - 1)


@examples(8, 500)
@given(seeds, st.integers(1, 6))
def test_a_model_comes_back_from_its_parameters(seed, size):
    """From its own θ, and of any other model of the same joints and rotors that of the other."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size)
    theta = model.regressor_parameters
    same = model.with_regressor_parameters(theta)
    for one, other in zip(same.bodies, model.numeric.bodies, strict=True):
        size_of = np.abs(other.inertia.about(np.zeros(3))).max(initial=1.0)
        assert off(one.inertia.mass, other.inertia.mass) <= TOLERANCE
        assert off(one.inertia.com, other.inertia.com) <= TOLERANCE
        assert np.abs(one.inertia.tensor - other.inertia.tensor).max() <= TOLERANCE * size_of
        for k in JOINT:
            assert np.array_equal(getattr(one, k), getattr(other, k))
    moved = theta * rng.uniform(1.0, 2.0, len(theta))
    there = model.with_regressor_parameters(moved, checked=False)
    assert off(there.regressor_parameters, moved) <= TOLERANCE
    heavier = model.with_regressor_parameters(2.0 * theta)
    assert off(heavier.regressor_parameters, 2.0 * theta) <= TOLERANCE


def test_the_regressor_and_the_parameters_of_a_model_share_no_name_of_another_meaning():
    arm = vv.catalog.puma560().numeric
    known = dict(zip(arm.regressor_names, arm.regressor_parameters, strict=True))
    for name in known.keys() & {*arm.parameter_names}:
        doubled = arm.with_parameters(**{name: 2.0 * known[name]})
        k = arm.regressor_names.index(name)
        assert doubled.regressor_parameters[k] == 2.0 * known[name]


def test_bodies_that_cannot_exist_are_refused_by_name():
    arm = vv.catalog.two_link()
    theta = np.array(arm.regressor_parameters)
    k = arm.regressor_names.index("Jzz_link2")
    theta[k] = 0.0
    with pytest.raises(InertiaError, match="'link2': the inertia tensor has a negative principal"):
        arm.with_regressor_parameters(theta)
    assert arm.with_regressor_parameters(theta, checked=False).regressor_parameters[k] == 0.0
    theta[arm.regressor_names.index("m_link2")] = 0.0
    with pytest.raises(InertiaError, match="the mass of 'link2' is 0 and its first moments are"):
        arm.with_regressor_parameters(theta, checked=False)
    for wrong in (theta[1:], "theta", theta * np.nan):
        with pytest.raises(ArgumentError, match="are 26 finite numbers, in the order of reg"):
            arm.with_regressor_parameters(wrong)


@examples(4, 500)
@given(seeds, st.integers(1, 6))
def test_forces_are_linear_in_the_parameters(seed, size):
    """Every joint type, rotors, friction, coupled joints; no springs."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size, springs=False)
    x = random_state(rng, model)
    tau = regressor(model, *x) @ regressor_parameters(model)
    assert off(tau, floats(inverse_dynamics(model, *x))) <= TOLERANCE


@examples(3, 300)
@given(seeds, st.integers(2, 6))
def test_springs_are_added(seed, size):
    """A damper on a joint is its damping; springs and dampers between frames come on top."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size)
    without = replace(model, springs=())
    between = replace(model, springs=tuple(s for s in model.springs if s.frames))
    x = random_state(rng, model)
    Y = regressor(model, *x)
    assert np.array_equal(Y, regressor(without, *x))
    extra = spring_forces(model, x[0])
    extra = extra + dissipation_forces(between, *x[:2]) - dissipation_forces(without, *x[:2])
    tau = Y @ regressor_parameters(model) + extra
    assert off(tau, floats(inverse_dynamics(model, *x))) <= TOLERANCE


@pytest.mark.spread(2)
@pytest.mark.parametrize("kind", [k for k in JOINTS if k != "fixed"])
def test_machine_code(kind):
    rng = np.random.default_rng(5)
    model = random_tree(rng, 3, (kind,))
    x = random_state(rng, model)
    tau = model.regressor(*x) @ regressor_parameters(model)
    assert off(tau, model.inverse_dynamics(*x)) <= TOLERANCE
    assert off(model.regressor(*x), regressor(model, *x)) <= TOLERANCE


def test_fifty_digits():
    rng = np.random.default_rng(8)
    model = mechanism(rng, 5, springs=False)
    x = random_state(rng, model)
    exact = value(lambda *y: regressor(model, *y), *x)
    assert off(regressor(model, *x), exact) <= TOLERANCE
    Y = regressor(model, *map(precise, x))
    assert DIGITS == 50
    assert all(type(y).__name__ == "mpf" for y in Y[:, :10].ravel() if y != 0)


def test_it_does_not_depend_on_what_it_multiplies():
    """The same Y for other bodies: θ is all that states them."""
    rng = np.random.default_rng(2)
    model = mechanism(rng, 5, springs=False)
    cloud = [(rng.uniform(0.1, 2.0), rng.normal(size=3)) for _ in range(4)]
    bodies = [replace(b, inertia=Inertia(*cloud_inertia(cloud))) for b in model.bodies]
    other = replace(model, bodies=tuple(bodies))
    x = random_state(rng, model)
    Y = regressor(model, *x)
    assert np.array_equal(Y, regressor(other, *x))
    assert off(Y @ regressor_parameters(other), floats(inverse_dynamics(other, *x))) <= TOLERANCE


def test_parameters_stand_where_their_names_say():
    """Every number of a body or joint moves the entries of θ that bear its name."""
    model = vv.catalog.scara().numeric
    names, theta = regressor_names(model), regressor_parameters(model)
    assert len(names) == len(set(names)) == len(theta) == 10 * len(model.bodies) + 3 * model.nv
    b = model.bodies[1]
    turned = Inertia(2.0, [1.0, 2.0, 3.0], np.diag([5.0, 6.0, 7.0]))
    changes = {"inertia": turned, "armature": [8.0], "damping": [9.0], "friction": [10.0]}
    other = replace(model, bodies=(model.bodies[0], replace(b, **changes), *model.bodies[2:]))
    shown = dict(zip(names, regressor_parameters(other), strict=True))
    # 2 · (c·c 1 - c cᵀ) beside the tensor about the centre
    tensor = {"Jxx": 31.0, "Jxy": -4.0, "Jxz": -6.0, "Jyy": 26.0, "Jyz": -12.0, "Jzz": 17.0}
    expected = {"m": 2.0, "mx": 2.0, "my": 4.0, "mz": 6.0, **tensor}
    assert tuple(expected) == MOMENTS
    assert {k: shown.pop(f"{k}_{b.name}") for k in MOMENTS} == expected
    joint = {k: shown.pop(f"{k}_{b.joint_name}") for k in JOINT}
    assert joint == {"armature": 8.0, "damping": 9.0, "friction": 10.0}
    same = dict(zip(names, theta, strict=True))
    assert all(same[k] == x for k, x in shown.items())


def test_velocities_of_one_joint_have_names_of_their_own():
    rng = np.random.default_rng(0)
    model = random_tree(rng, 1, ("planar",))
    joint = model.bodies[0].joint_name
    assert regressor_names(model)[10:] == tuple(
        f"{kind}_{joint}_{v}" for kind in JOINT for v in ("w", "vx", "vy")
    )


def test_a_model_without_motion():
    model = Model("rock", ())
    nothing = np.zeros(0)
    assert regressor(model, nothing, nothing, nothing).shape == (0, 0)
    assert regressor_names(model) == ()


@pytest.mark.spread(1)
@pytest.mark.parametrize("name", ROBOTS)
def test_pinocchio(name):
    base = ROBOTS[name]
    model = vv.load(robot(name), base=base, mimic="expand", snap=0)
    root = [pin.JointModelFreeFlyer()] if base == "free" else []
    peer = pin.buildModelFromUrdf(str(robot(name)), *root)
    data, rng = peer.createData(), np.random.default_rng(1)
    bodies = len(model.bodies)
    order = [10 * i + k for i in range(bodies) for k in PEER]
    for _ in range(5):
        q, v, a = random_state(rng, model)
        states = peer_q(model, peer, q), *(peer_v(model, peer, x) for x in (v, a))
        theirs = pin.computeJointTorqueRegressor(peer, data, *states)[:, order]
        Y = model.regressor(q, v, a)[:, : 10 * bodies]
        ours = np.stack([peer_v(model, peer, column) for column in Y.T], axis=1)
        assert off(ours, theirs) <= 1e-11  # both round products along chains of up to eight joints
    theta = regressor_parameters(model)[: 10 * bodies]
    dynamic = np.concatenate([inertia.toDynamicParameters() for inertia in peer.inertias[1:]])
    assert off(theta, dynamic[order]) <= TOLERANCE
