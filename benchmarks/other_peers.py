"""MuJoCo, adam on JAX and the robotics toolbox: inverse and forward dynamics."""

from functools import partial
from typing import Any

import numpy as np

import visviva as vv
from benchmarks import robots
from benchmarks.peers import Array, Call, Peer, plain_urdf
from benchmarks.robots import Robot


def mujoco(robot: Robot, verb: str) -> Peer:
    """MuJoCo without contacts and constraints."""
    import mujoco as mj
    from mujoco.rollout import Rollout

    model = mj.MjModel.from_xml_string(plain_urdf(robot))
    model.opt.disableflags |= mj.mjtDisableBit.mjDSBL_CONTACT | mj.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mj.MjData(model)
    order = [model.joint(name).dofadr[0] for name in robot.model.joint_names]
    back = np.argsort(order)

    def recursion(result: Array, *states: Array) -> Call:
        """Newton and Euler's, with what it needs; mj_inverse also makes and factors M."""
        q, v, a = (list(x[:, back]) for x in states)
        qpos, qvel, qacc = data.qpos, data.qvel, data.qacc

        def run() -> None:
            for qpos[:], qvel[:], qacc[:] in zip(q, v, a, strict=True):
                mj.mj_kinematics(model, data)
                mj.mj_comPos(model, data)
                mj.mj_comVel(model, data)
                mj.mj_rne(model, data, 1, result)

        return run

    def steps(after: Array, *states: Array) -> Call:
        """One step of every state, whose acceleration is the change of velocity."""
        q, v, tau = (x[:, back] for x in states)
        before = np.hstack([np.zeros((len(q), 1)), q, v])  # time, q, v
        settings = {"control_spec": int(mj.mjtState.mjSTATE_QFRC_APPLIED), "nstep": 1}
        settings |= {"state": after, "sensordata": np.empty((len(q), 1, 0))}
        rollout, forces = Rollout(nthread=0), np.ascontiguousarray(tau[:, None])
        return partial(rollout.rollout, model, data, before, forces, **settings)

    def inverse(*state: Array) -> Array:
        result = np.empty(model.nv)
        recursion(result, *(x[None] for x in state))()
        return result[order]

    def forward(q: Array, v: Array, tau: Array) -> Array:
        after = np.empty((1, 1, 1 + 2 * model.nv))
        steps(after, q[None], v[None], tau[None])()
        return (after[0, 0, 1 + model.nv :][order] - v) / model.opt.timestep

    def stepping(*states: Array) -> Call:
        return steps(np.empty((len(states[0]), 1, 1 + 2 * model.nv)), *states)

    if verb == robots.INVERSE:
        return Peer("MuJoCo, mj_rne, looped", inverse, partial(recursion, np.empty(model.nv)))
    return Peer("MuJoCo, rollout of one step", forward, stepping)


def adam(robot: Robot, verb: str) -> Peer:
    """adam on JAX, jitted and mapped."""
    import jax
    from adam.jax import KinDynComputations

    jax.config.update("jax_enable_x64", True)
    names = list(robot.model.joint_names)
    gravity = np.array([0.0, 0.0, -9.81, 0.0, 0.0, 0.0])
    arm = KinDynComputations(plain_urdf(robot), names, gravity=gravity)
    arm.rbdalgos.math.factory._device = None  # new versions of JAX take no device while tracing
    here, rest = np.eye(4), np.zeros(6)

    def f(q: Any, v: Any, x: Any) -> Any:
        M = arm.mass_matrix(here, q)[6:, 6:]  # behind the coordinates of a floating base
        bias = arm.bias_force(here, q, rest, v)[6:]
        return bias + M @ x if verb == robots.INVERSE else jax.numpy.linalg.solve(M, x - bias)

    mapped = jax.jit(jax.vmap(f))

    def many(*states: Array) -> Call:
        ready = [jax.numpy.asarray(x) for x in states]
        return lambda: jax.block_until_ready(mapped(*ready))

    def one(*state: Array) -> Array:  # compiled for the batch that is timed
        return np.asarray(mapped(*(np.tile(x, (robots.FEW, 1)) for x in state)))[0]

    return Peer(f"adam on JAX, jit, vmap of {robots.FEW}", one, many, robots.FEW)


def toolbox_puma() -> tuple[vv.Model, Peer]:
    """The robotics toolbox's Puma 560, without friction; the same arm as our model."""
    import roboticstoolbox as rtb

    arm = rtb.models.DH.Puma560().nofriction(coulomb=True, viscous=True)
    model = vv.from_dh(
        [(x.a, x.alpha, x.d, x.offset, "R") for x in arm.links],
        convention="standard",
        # its first link has a moment of inertia without a mass
        inertias=[vv.Inertia(float(x.m), x.r, x.I, checked=False) for x in arm.links],
        details=[{"armature": x.Jm * x.G**2} for x in arm.links],
        gravity=arm.gravity,
    )
    return model, Peer("roboticstoolbox, rne in C", arm.rne, lambda *x: partial(arm.rne, *x))
