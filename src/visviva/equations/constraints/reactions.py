"""What joints and loops exert on bodies while forces act: the tree's joints, then the loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import in_world, links, placed
from visviva.equations.constraints.loops import Pair
from visviva.equations.constraints.motion import accelerations_and_multipliers
from visviva.equations.constraints.rows import row_slices
from visviva.equations.forces.reactions import reaction_wrenches
from visviva.errors import check_known
from visviva.space.poses import Pose
from visviva.space.rotations import cross

Load = tuple[str, str, Array]  # frame, axes, (moment, force)


def reactions(model: Model, q: Any, v: Any, tau: Any, wrenches: Any = (), t: Any = 0.0) -> Array:
    """(moment, force) for each body and for each loop, in axes of what they act on.

    Of a body, what its joint exerts on it, at its frame; of a loop, what it exerts on its second
    frame, there. Where constraints are redundant, forces between bodies are not unique: these go
    with the multipliers of least norm.
    """
    a, lam = accelerations_and_multipliers(model, q, v, tau, wrenches, t)
    held = [loop_loads(model, x, q, lam) for x in _loops(model)]
    loads = [*wrenches, *(load for pair in held for load in pair)]
    tree = reaction_wrenches(model, q, v, a, loads)
    return np.concatenate([tree, *(second[2][None] for _, second in held)])


def reaction(
    model: Model, joint: str, reference: str, q: Any, v: Any, tau: Any, t: Any = 0.0
) -> Array:
    """The row of one joint or loop, in "body" axes (of what it acts on) or "world" axes."""
    names = reaction_names(model)
    check_known(f"joint or loop of {model.name!r}", joint, names)
    check_known("reference", reference, ("world", "body"))
    W: Array = reactions(model, q, v, tau, t=t)[names.index(joint)]
    if reference == "body":
        return W
    R = _axes(model, joint, q)
    return np.concatenate([R @ W[:3], R @ W[3:]])


def reaction_names(model: Model) -> tuple[str, ...]:
    """Whose rows `reactions` has."""
    return (*(b.joint_name for b in model.bodies), *(x.name for x in _loops(model)))


def _loops(model: Model) -> list[Any]:
    return [x for x in model.constraints.active if x.frames]


def loop_loads(model: Model, loop: Any, q: Any, lam: Array) -> tuple[Load, Load]:
    """What a loop does to its first and to its second frame, in their own axes."""
    X = Pair.of(model, loop.frames, q).pose
    W = loop.joint.wrenches(X) @ lam[row_slices(model)[loop.name]]
    m, f = X.R @ W[:3], X.R @ W[3:]
    back = np.concatenate([-(m + cross(X.p, f)), -f])
    return (loop.frames[0], "body", back), (loop.frames[1], "body", vector(W))


def _axes(model: Model, joint: str, q: Any) -> Array:
    """R (3, 3) of the frame that a joint or a loop acts on."""
    poses = in_world(placed(links(model), vector(q)))
    for b, X in zip(model.bodies, poses, strict=True):
        if b.joint_name == joint:
            return X.R
    loop = next(x for x in _loops(model) if x.name == joint)
    f = model.frame(loop.frames[1])
    start = Pose.identity() if f.body < 0 else poses[f.body]
    return (start @ f.placement).R
