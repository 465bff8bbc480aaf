"""Internal forces: what joints and loops exert, and where statics leaves it open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.equations.constraints.reactions import loop_loads
from visviva.equations.constraints.rows import row_slices
from visviva.equations.forces.reactions import reaction_wrenches
from visviva.solve.statics.free_body import Acting
from visviva.solve.statics.holding import Drives, HeldRows
from visviva.solve.statics.loads import COMPONENTS, Load
from visviva.space.poses import Pose
from visviva.space.rotations import cross

OPEN = 1e-9  # of a self-stress of size one: what is less does not reach a joint

Push = tuple[Acting, int]  # what acts on a body, and its number


def loops_of(model: Model) -> list[Any]:
    """The constraints that join frames and hold."""
    return [x for x in model.constraints.active if x.frames]


def loop_label(model: Model, loop: Any) -> str:
    """What a loop is called among joints: by its name, unless a joint has the same."""
    joints = {b.joint_name for b in model.bodies}
    return f"{loop.name} (loop)" if loop.name in joints else str(loop.name)


def pushes_of(model: Model, poses: Sequence[Pose], drives: Drives, efforts: Array) -> list[Push]:
    """What thrusters and couples exert on bodies."""
    found = []
    for a, f in zip(drives.actuators, efforts, strict=bool(drives.actuators)):
        frame = model.frame(a.frame) if a.kind != "motor" else None
        if frame is None or frame.body == WORLD:
            continue
        X = poses[frame.body] @ frame.placement
        d = f * (X.R @ a.direction if a.axes == "body" else a.direction)
        force, moment = (d, np.zeros(3)) if a.kind == "thruster" else (np.zeros(3), d)
        found.append((Acting(a.name, "actuator", X.apply(a.point), force, moment), frame.body))
    return found


def passed_on(
    model: Model,
    q: Array,
    poses: Sequence[Pose],
    loads: Sequence[Load],
    pushes: Sequence[Push],
    lam: Array,
) -> list[Array]:
    """What every joint exerts on its body, and every loop on its second frame, in their axes.

    From the tips to the base, link after link.
    """
    outside: list[Any] = []
    felt = [(x.body, x.at, x.moment, x.force) for x in loads]
    felt += [(body, x.at, x.moment, x.force) for x, body in pushes]
    for body, at, moment, force in felt:
        W = np.concatenate([moment + cross(at - poses[body].p, force), force])
        outside.append((model.bodies[body].name, "world", W))
    held = [loop_loads(model, x, q, lam) for x in loops_of(model)]
    outside += [load for pair in held for load in pair]
    still = np.zeros(model.nv)
    tree = reaction_wrenches(model, q, still, still, outside)
    return [*tree, *(second[2] for _, second in held)]


def forces_of_relations(model: Model, A: Array, lam: Array) -> Array:
    """Aᵀ λ of constraints that join no frames: they act on joints themselves."""
    total, places = np.zeros(model.nv), row_slices(model)
    for x in model.constraints.active:
        if not x.frames:
            total += A[places[x.name]].T @ lam[places[x.name]]
    return total


def in_the_world(
    model: Model, poses: Sequence[Pose], passed: Sequence[Array]
) -> tuple[dict[str, Acting], list[tuple[Acting, int, int]]]:
    """Joints and loops by name, in world axes; loops also with the bodies of both frames."""
    joints: dict[str, Acting] = {}
    for b, X, W in zip(model.bodies, poses, passed, strict=False):
        joints[b.joint_name] = Acting(b.joint_name, "joint", X.p, X.R @ W[3:], X.R @ W[:3])
    loops = []
    for loop, W in zip(loops_of(model), passed[len(model.bodies) :], strict=True):
        one, other = (model.frame(name) for name in loop.frames)
        X = other.placement if other.body == WORLD else poses[other.body] @ other.placement
        name = loop_label(model, loop)
        x = Acting(name, "loop", X.p, X.R @ W[3:], X.R @ W[:3])
        joints[name] = x
        loops.append((x, one.body, other.body))
    return joints, loops


def open_components(
    model: Model, q: Array, poses: Sequence[Pose], rows: HeldRows
) -> dict[str, tuple[str, ...]]:
    """Components of joint forces, in world axes, that self-stress of the loops reaches."""
    bare = replace(model, springs=(), gravity=np.zeros(3))
    reached: dict[str, Array] = {}
    for z in rows.self_stress.T:
        joints, _ = in_the_world(bare, poses, passed_on(bare, q, poses, (), (), z))
        for name, x in joints.items():
            felt = np.abs(np.concatenate([x.moment, x.force])) > OPEN
            reached[name] = reached.get(name, np.zeros(6, dtype=bool)) | felt
    return {k: tuple(np.array(COMPONENTS)[x].tolist()) for k, x in reached.items() if x.any()}
