"""Links seen from where their mass is, if that is far from the frames that state them.

Moments about an origin at a distance d from a body of size s are of order d², and what joints feel
of them is of order s²: (d/s)² times the rounding is lost on the way. Where d is large, the link's
origin is moved to the centre of all that it carries; then nothing of order d² is there to be
subtracted, only offsets are, at a loss of d/s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import Link, Placed, links
from visviva.equations.bodies.moments import Moments
from visviva.space.poses import Pose
from visviva.space.rotations import cross

FAR = 30.0  # times as far as the mass: up to that, (d/s)² is 900 roundings


def nearby(model: Model) -> list[Link]:
    """The links of a model; those of numbers that are far from their frames, from nearer by."""
    tree = links(model)
    if not is_numeric(tree):
        return tree
    origins = near_origins(model)
    near = []
    for b, link, at in zip(model.bodies, tree, origins, strict=True):
        X, up = link.placement, np.zeros(3) if link.parent == WORLD else origins[link.parent]
        body = Moments.of(b.inertia.moved(p=-at)) if at.any() else link.body
        near.append(replace(link, placement=Pose(X.R, X.p - up), body=body, at=at))
    return near


def at_frame(s: Placed, W: Any) -> Array:
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
    origins, turned = [np.zeros(3)] * len(poses), [Turns.none()] * len(poses)
    for i, (b, X) in enumerate(zip(model.bodies, poses, strict=True)):
        before = Turns.none() if b.parent == WORLD else turned[b.parent]
        own = Turns.of(np.asarray(b.joint.subspace(model.local(i, model.neutral())), float), X)
        turned[i] = before + own
        if whole[i].mass == 0:
            continue
        at = X.inverse().apply(whole[i].com)
        along = b.joint.slides(at)
        if before.see_far(X.p, whole[i]):
            origins[i] = at if before.see_far(X.apply(along), whole[i]) else along
        elif not len(before.w) and len(own.w):
            size = own.radii(whole[i]).min()
            origins[i] = along if np.linalg.norm(along) > FAR * size > 0 else origins[i]
    return origins


@dataclass(frozen=True, eq=False)
class Turns:
    """How joints can turn what is beyond them, row by row: ω of length one, v of the point p."""

    w: Array
    v: Array
    p: Array

    @classmethod
    def none(cls) -> Turns:
        """No turns at all: nothing carries what is there."""
        return cls(*np.zeros((3, 0, 3)))

    @classmethod
    def of(cls, S: Array, X: Pose) -> Turns:
        """The columns of a joint's subspace that turn, for a body at X."""
        lengths = np.linalg.norm(S[:3], axis=0)
        some = S[:, lengths > 0] / lengths[lengths > 0]
        w, v = (X.R @ some[:3]).T, (X.R @ some[3:]).T
        return cls(w, v, np.broadcast_to(X.p, w.shape))

    def __add__(self, other: Turns) -> Turns:
        pairs = ((self.w, other.w), (self.v, other.v), (self.p, other.p))
        return Turns(*(np.concatenate(pair) for pair in pairs))

    def distances(self, r: Array) -> Array:
        """How far a point moves, by angle."""
        return np.asarray(np.linalg.norm(self.v + np.cross(self.w, r - self.p), axis=1))

    def radii(self, body: Inertia) -> Array:
        """The radii of gyration of a body that is turned."""
        own = np.einsum("ij,jk,ik->i", self.w, body.tensor, self.w) / body.mass
        return np.asarray(np.sqrt(np.maximum(own + self.distances(body.com) ** 2, 0.0)))

    def see_far(self, origin: Array, body: Inertia) -> bool:
        """Whether one of the turns moves the origin much more than the body."""
        reach = FAR * self.radii(body)
        return bool(np.any((self.distances(origin) > reach) & (reach > 0)))


def _carried(model: Model, poses: Sequence[Pose]) -> list[Inertia]:
    """Each link with all that it carries, in the world."""
    carried = [b.inertia.moved(X) for b, X in zip(model.bodies, poses, strict=True)]
    for i in reversed(range(len(carried))):
        up = model.bodies[i].parent
        if up != WORLD and carried[i].mass != 0:
            carried[up] = carried[up] + carried[i] if carried[up].mass != 0 else carried[i]
    return carried


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
