"""A model as the recursions see it: links, each with its joint, its place and its mass moments.

Coupled (mimic) joints and gear ratios disappear here: a coupled joint is one that uses the
coordinate of another, and its subspace is that of its own joint times the ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.describe.joints.joint import Joint
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.equations.bodies.moments import Moments
from visviva.space.poses import Pose
from visviva.space.rotations import cross, skew


@dataclass(frozen=True, eq=False)
class Link:
    """One body: its parent's number, its joint and where in q and v that one's numbers are."""

    parent: int
    placement: Pose  # of the joint's fixed frame in the parent
    joint: Joint
    body: Moments
    q: slice
    v: slice
    coupled: bool = False
    ratio: Any = 1.0  # of its joint's motion to that of the coordinate
    offset: Any = 0.0
    at: Array = field(default_factory=lambda: np.zeros(3))  # its origin, in the joint's child frame

    def seen(self, twists: Any) -> Array:
        """Twists (columns, or one) of the joint's child frame, about the link's own origin."""
        if not self.at.any():
            return vector(twists)
        return np.concatenate([twists[:3], twists[3:] - skew(self.at) @ twists[:3]])


@dataclass(frozen=True, eq=False)
class Placed:
    """A link at a position: where it is in its parent, and the twists its joint allows.

    A twist is (angular, linear) in the link's own axes.
    """

    parent: int
    R: Array
    p: Array
    S: Array  # 6 × nv: twist per velocity
    link: Link

    @property
    def v(self) -> slice:
        """Where in v its velocities are."""
        return self.link.v

    def twist(self, v: Any) -> Array:
        """The joint's own twist S v (6,), in the link's axes."""
        twist: Array = self.S @ v[self.v]
        return twist

    def twist_rate(self, q: Any, v: Any, a: Any) -> Array:
        """How the joint's own twist changes, in the link's axes."""
        ratio = self.link.ratio
        bias = self.link.joint.bias(own(self.link, q), v[self.v] * ratio)
        rate: Array = self.S @ a[self.v] + self.link.seen(bias)
        return rate

    def subspace_rate(self, q: Any, v: Any) -> Array:
        """Ṡ (6, nv): how the joint's subspace changes, in the link's axes."""
        ratio = self.link.ratio
        rate = self.link.joint.subspace_rate(own(self.link, q), v[self.v] * ratio)
        S_rate: Array = self.link.seen(rate) * ratio
        return S_rate


def own(link: Link, q: Any) -> Array:
    """The coordinates of a link's own joint."""
    own_q: Array = q[link.q] * link.ratio + link.offset if link.coupled else q[link.q]
    return own_q


def links(model: Model) -> list[Link]:
    """The links of a model, parents first."""
    tree = []
    for i, b in enumerate(model.bodies):
        link = Link(
            b.parent,
            b.placement,
            b.joint,
            Moments.of(b.inertia),
            model.q_index[i],
            model.v_index[i],
        )
        if b.mimic is not None:
            link = replace(link, coupled=True, ratio=b.mimic.multiplier, offset=b.mimic.offset)
        tree.append(link)
    return tree


def placed(tree: Sequence[Link], q: Any) -> list[Placed]:
    """Every link at position q."""
    steps = []
    for link in tree:
        x = own(link, q)
        X = link.placement @ link.joint.transform(x)
        p = X.p + X.R @ link.at if link.at.any() else X.p
        S = link.seen(link.joint.subspace(x))
        steps.append(Placed(link.parent, X.R, p, S * link.ratio, link))
    return steps


def velocities(steps: Sequence[Placed], v: Any) -> list[Array]:
    """The twist of every link, in its own axes."""
    twists: list[Array] = []
    for s in steps:
        V = s.twist(v)
        if s.parent != WORLD:
            V = V + motion_to_child(s, twists[s.parent])
        twists.append(V)
    return twists


def motion_to_child(s: Placed, V: Any) -> Array:
    """A twist of the parent, about the link's origin and in its axes."""
    w, v = V[:3], V[3:]
    return np.concatenate([s.R.T @ w, s.R.T @ (v + cross(w, s.p))])


def force_to_parent(s: Placed, F: Any) -> Array:
    """A wrench (moment, force) about the link's origin, about that of its parent."""
    f = s.R @ F[3:]
    return np.concatenate([s.R @ F[:3] + cross(s.p, f), f])


def carried_inward(
    steps: Sequence[Placed], values: Sequence[Any], moved: Callable[[Placed, Any], Any]
) -> list[Any]:
    """Each link's value and those of all it carries; `moved` takes one to the link's parent."""
    totals = list(values)
    for i in reversed(range(len(steps))):
        s = steps[i]
        if s.parent != WORLD:
            totals[s.parent] = totals[s.parent] + moved(s, totals[i])
    return totals


def carried_to_world(
    steps: Sequence[Placed], values: Sequence[Any], moved: Callable[[Placed, Any], Any], zero: Any
) -> Any:
    """What the values of all links add up to in the world."""
    totals = carried_inward(steps, values, moved)
    pairs = reversed(list(zip(steps, totals, strict=True)))
    return sum((moved(s, x) for s, x in pairs if s.parent == WORLD), zero)


def in_world(steps: Sequence[Placed]) -> list[Pose]:
    """The pose of every link in the world."""
    poses: list[Pose] = []
    for s in steps:
        X = Pose.of(s.R, s.p)
        poses.append(X if s.parent == WORLD else poses[s.parent] @ X)
    return poses


def ancestors(steps: Sequence[Placed | Link], i: int) -> list[int]:
    """The links that carry link i, nearest first; link i itself is the first."""
    chain = []
    while i != WORLD:
        chain.append(i)
        i = steps[i].parent
    return chain
