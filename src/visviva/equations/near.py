"""Links seen from where their mass is, if that is far from the frames that state them.

Moments about an origin at a distance d from a body of size s are of order d², and what joints feel
of them is of order s²: (d/s)² times the rounding is lost on the way. Where d is large, the link's
origin is moved to the centre of all that it carries; then nothing of order d² is there to be
subtracted, only offsets are, at a loss of d/s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from visviva.describe.inertia import Inertia
from visviva.describe.model import Model
from visviva.describe.parts import WORLD
from visviva.equations.links import Link, Step, links
from visviva.equations.moments import Moments
from visviva.space.poses import Pose
from visviva.space.rotations import Array, cross, vector

FAR = 30.0  # times as far as the mass: up to that, (d/s)² is 900 roundings
Turn = tuple[Array, Array, Array]  # ω of length one, and the velocity of a point at a place


def nearby(model: Model) -> list[Link]:
    """The links of a model; those of numbers that are far from their frames, from nearer by."""
    tree = links(model)
    if not is_numeric(tree):
        return tree
    origins = near_origins(model)
    made = []
    for b, link, at in zip(model.bodies, tree, origins, strict=True):
        X, up = link.placement, np.zeros(3) if link.parent == WORLD else origins[link.parent]
        body = Moments.of(b.inertia.moved(p=-at)) if at.any() else link.body
        made.append(replace(link, placement=Pose(X.R, X.p - up), body=body, at=at))
    return made


def at_frame(s: Step, W: Any) -> Array:
    """A wrench about a link's origin, about that of its frame."""
    if not s.link.at.any():
        return vector(W)
    return np.concatenate([W[:3] + cross(s.link.at, W[3:]), W[3:]])


def near_origins(model: Model) -> list[Array]:
    """Where in its frame each link's origin should be: zero unless its mass is far from there.

    An origin is far if a joint before it is much farther from it than from the mass, in the neutral
    position. If no joint before its own turns a link, nobody feels its moments, and its origin
    moves along its own axis only, which costs nothing.
    """
    poses = model.body_poses(model.neutral())
    whole = _carried(model, poses)
    turns = [_turns(model, i, X) for i, X in enumerate(poses)]
    made = [np.zeros(3)] * len(poses)
    for i, (b, X) in enumerate(zip(model.bodies, poses, strict=True)):
        if whole[i].mass == 0:
            continue
        at = X.inverse().apply(whole[i].com)
        along = b.joint.slides(at)
        before = _before(model, turns, b.parent)
        if before and _is_far(X.p, before, whole[i]):
            made[i] = at if _is_far(X.apply(along), before, whole[i]) else along
        elif not before and turns[i]:
            size = min(_radius(turn, whole[i]) for turn in turns[i])
            made[i] = along if np.linalg.norm(along) > FAR * size > 0 else made[i]
    return made


def _carried(model: Model, poses: Sequence[Pose]) -> list[Inertia]:
    """Each link with all that it carries, in the world."""
    made = [b.inertia.moved(X) for b, X in zip(model.bodies, poses, strict=True)]
    for i in reversed(range(len(made))):
        up = model.bodies[i].parent
        if up != WORLD and made[i].mass != 0:
            made[up] = made[up] + made[i] if made[up].mass != 0 else made[i]
    return made


def _turns(model: Model, i: int, X: Pose) -> list[Turn]:
    """How a joint can turn what is beyond it."""
    S = np.asarray(model.bodies[i].joint.subspace(model.local(i, model.neutral())), dtype=float)
    lengths = np.linalg.norm(S[:3], axis=0)
    return [(X.R @ s[:3] / n, X.R @ s[3:] / n, X.p) for s, n in zip(S.T, lengths, strict=True) if n]


def _before(model: Model, turns: Sequence[list[Turn]], i: int) -> list[Turn]:
    """Those of a joint and of all that carry it."""
    made: list[Turn] = []
    while i != WORLD:
        made += turns[i]
        i = model.bodies[i].parent
    return made


def _is_far(origin: Array, turns: Sequence[Turn], body: Inertia) -> bool:
    """Whether one of the turns moves the origin much more than the body."""
    return any(_distance(turn, origin) > FAR * _radius(turn, body) > 0 for turn in turns)


def _distance(turn: Turn, r: Array) -> float:
    """How far a point moves, by angle."""
    w, v, p = turn
    return float(np.linalg.norm(v + np.cross(w, r - p)))


def _radius(turn: Turn, body: Inertia) -> float:
    """The radius of gyration of a body that is turned."""
    own = turn[0] @ body.tensor @ turn[0] / body.mass
    return float(np.sqrt(max(own + _distance(turn, body.com) ** 2, 0.0)))


def is_numeric(tree: list[Link]) -> bool:
    """Whether links have numbers, and no expressions."""
    return all(
        x.dtype != object
        for link in tree
        for x in (
            *(np.asarray(getattr(link.joint, item.name)) for item in fields(link.joint)),
            np.asarray(link.body.m),
            link.body.h,
            link.body.S,
            link.placement.R,
            link.placement.p,
        )
    )
