"""The same tree in other libraries, where they are installed: Pinocchio and MuJoCo.

Both get the numbers of the model itself, and their own best way: Pinocchio's call for many states
on one thread, joints about coordinate axes as such, MuJoCo's recursion without contacts and limits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import repeat
from textwrap import shorten
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.files.mjcf.write import to_mjcf
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.errors import BackendError, VisvivaError

ALIGNED = 1e-12


@dataclass(frozen=True)
class Peer:
    """One result of another library: of a state, what is compared; of one and of many, timed."""

    label: str
    value: Callable[..., Array]
    one: Callable[..., tuple[Any, ...]] | None  # a function, and what it is called with
    many: Callable[..., Callable[[], object]]


Peers = dict[str, Peer]  # by the symbols of what they compute


def peers_of(model: Model) -> tuple[dict[str, Peers], list[str]]:
    """Those that have this tree, by name; and of the others why not."""
    found: dict[str, Peers] = {}
    reasons = []
    for name, make in (("Pinocchio", _pinocchio), ("MuJoCo", _mujoco)):
        try:
            found[name] = make(model)
        except ImportError:
            reasons.append(f"{name} is not installed")
        except VisvivaError as error:
            reasons.append(f"{name}: {shorten(str(error), 160, placeholder=' …')}")
        except Exception as error:  # what fails elsewhere is a line, and no end of ours
            said = shorten(" ".join(str(error).split()), 120, placeholder=" …")
            reasons.append(f"{name} fails: {type(error).__name__} {said}")
    return found, reasons


def _pinocchio(model: Model) -> Peers:
    pin: Any = import_module("pinocchio")
    tree = pin.Model()
    for i, b in enumerate(model.bodies):
        X, parent = b.placement, 0 if b.parent == WORLD else b.parent + 1
        place = pin.SE3(np.array(X.R, dtype=float), np.array(X.p, dtype=float))
        joint = tree.addJoint(parent, _pinocchio_joint(pin, b), place, f"{i}")
        inertia = pin.Inertia(float(b.inertia.mass), b.inertia.com, b.inertia.tensor)
        tree.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    tree.gravity.linear = np.array(model.gravity, dtype=float)
    tree.armature = np.concatenate([np.asarray(b.armature, dtype=float) for b in model.bodies])
    data, pool = tree.createData(), pin.ModelPool(tree, 1)

    def peer(f: Any, batch: Any = None) -> Peer:
        def value(*state: Array) -> Array:
            return np.array(f(tree, data, *state))

        def one(*state: Array) -> tuple[Any, ...]:
            return (f, tree, data, *state)

        def many(*states: Array) -> Callable[[], object]:
            if batch is None:
                rows = [list(x) for x in states]
                return lambda: deque(map(f, repeat(tree), repeat(data), *rows), maxlen=0)
            columns = [x.T for x in (*states, np.empty_like(states[-1]))]
            return partial(batch, 1, pool, *columns)

        label = f.__name__ if batch is None else batch.__name__
        return Peer(f"pin.{label}", value, one, many)

    return {
        "tau": peer(pin.rnea, pin.rneaInParallel),
        "a": peer(pin.aba, pin.abaInParallel),
        "M": peer(pin.crba),
    }


def _pinocchio_joint(pin: Any, b: Any) -> Any:
    """A turn or a slide, about a coordinate axis if it is one."""
    S = np.asarray(b.joint.subspace(b.joint.neutral()), dtype=float)
    if b.mimic is not None or S.shape != (6, 1) or not b.joint.constant_subspace:
        raise BackendError(f"joint {b.joint_name!r} is {b.joint.kind}: it is compared with turns")
    turn, slide = S[:3, 0], S[3:, 0]
    if np.any(turn) and np.any(slide):
        raise BackendError(f"joint {b.joint_name!r} turns and slides at once")
    axis, letter, word = (turn, "R", "Revolute") if np.any(turn) else (slide, "P", "Prismatic")
    for k, name in enumerate("XYZ"):
        if np.abs(axis - np.eye(3)[k]).max() < ALIGNED:
            return getattr(pin, f"JointModel{letter}{name}")()
    return getattr(pin, f"JointModel{word}Unaligned")(np.array(axis))


def _mujoco(model: Model) -> Peers:
    text = to_mjcf(model, lossy=True)
    mj: Any = import_module("mujoco")
    tree = mj.MjModel.from_xml_string(text)
    if tree.nv != model.nv or tree.nq != model.nv:
        raise BackendError(f"it has {tree.nq} coordinates there, {model.nq} here")
    off = mj.mjtDisableBit
    tree.opt.disableflags |= off.mjDSBL_CONTACT | off.mjDSBL_CONSTRAINT
    data = mj.MjData(tree)
    order = [int(tree.joint(name).dofadr[0]) for name in model.joint_names]
    back = np.argsort(order)
    result = np.empty(tree.nv)

    def recursion(*states: Array) -> Callable[[], object]:
        """Newton and Euler's with what it needs; mj_inverse also makes and factors M."""
        q, v, a = (list(np.ascontiguousarray(x[:, back])) for x in states)
        qpos, qvel, qacc = data.qpos, data.qvel, data.qacc

        def run() -> None:
            for qpos[:], qvel[:], qacc[:] in zip(q, v, a, strict=True):
                mj.mj_kinematics(tree, data)
                mj.mj_comPos(tree, data)
                mj.mj_comVel(tree, data)
                mj.mj_rne(tree, data, 1, result)

        return run

    def value(*state: Array) -> Array:
        recursion(*(x[None] for x in state))()
        # armature is in MuJoCo's mass matrix, and not in its recursion
        return np.array(result[order] + tree.dof_armature[order] * state[2])

    return {"tau": Peer("MuJoCo mj_rne", value, None, recursion)}
