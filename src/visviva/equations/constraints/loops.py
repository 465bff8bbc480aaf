"""How one frame moves relative to another, and the rows of a closure between them.

Only joints between the two frames matter: those that carry both are left out, so that they have
exact zeros in A. Twists are in the frames' own axes, in which those of a free body are constant;
what happens at frame 1 is seen from frame 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.describe.joints.closure import Closure
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import Placed, placed, velocities
from visviva.equations.bodies.newton_euler import outward
from visviva.equations.frames.kinematics import gathered
from visviva.equations.frames.path import Path, ways
from visviva.equations.frames.walk import from_tool, from_world
from visviva.space.poses import Pose
from visviva.space.rotations import cross
from visviva.space.spatial import point_velocity


@dataclass(frozen=True, eq=False)
class End:
    """A frame at the end of its way: where it is, and how links on the way move it."""

    way: Path
    steps: Sequence[Placed]
    pose: Pose  # in the nearest link that carries both frames

    @classmethod
    def of(cls, way: Path, q: Any) -> End:
        """At a position."""
        steps = placed(way.links, q)
        return cls(way, steps, from_world(steps, way.tool, q)[0])

    def jacobian(self, n: int, q: Any) -> Array:
        """Twists (6, n) of the frame in its own axes."""
        views = from_tool(self.steps, self.way.tool, q)
        seen = [see(s.S) for s, see in zip(self.steps, views, strict=True)]
        return gathered(seen, self.steps, (6, n))

    def twist(self, v: Any) -> Array:
        """V of the frame, in its own axes."""
        if not self.steps:
            return np.zeros(6)
        V, R, p = velocities(self.steps, v)[-1], self.way.tool.R, self.way.tool.p
        return np.concatenate([R.T @ V[:3], R.T @ point_velocity(V, p)])

    def acceleration(self, q: Any, v: Any) -> Array:
        """ω̇ and the acceleration of the origin while v stays, in its own axes."""
        if not self.steps:
            return np.zeros(6)
        last = outward(self.steps, np.zeros(3), q, v, vector(v) * 0.0)[-1]
        R, p = self.way.tool.R, self.way.tool.p
        return np.concatenate([R.T @ last.alpha, R.T @ (last.a + last.spin @ p)])


@dataclass(frozen=True, eq=False)
class Pair:
    """Two frames at a position."""

    one: End
    other: End
    q: Array
    n: int

    @classmethod
    def of(cls, model: Model, frames: Sequence[str], q: Any) -> Pair:
        """Two frames of a model, by name."""
        one, other = (End.of(way, vector(q)) for way in ways(model, *frames))
        return cls(one, other, vector(q), model.nv)

    @cached_property
    def pose(self) -> Pose:
        """X: frame 2 in frame 1."""
        return self.one.pose.inverse() @ self.other.pose

    def lever(self, closure: Closure) -> Array:
        """From the origin of frame 1 to that of frame 2, in its axes; zero where they are one."""
        return np.zeros(3) if closure.keeps_origins else self.pose.p

    def seen(self, V: Any, d: Any) -> Array:
        """Twists (columns, or one) of frame 1 at a point of it, in axes of frame 2."""
        R = self.pose.R
        return np.concatenate([R.T @ V[:3], R.T @ (V[3:] + cross(V[:3], d))])

    def matrix(self, closure: Closure) -> Array:
        """A (k, n): Tᵀ (J₂ - J₁), in axes of frame 2."""
        J1, J2 = (end.jacobian(self.n, self.q) for end in (self.one, self.other))
        apart = J2 - self.seen(J1, self.lever(closure))
        return vector(closure.wrenches(self.pose).T @ apart)

    def velocity(self, closure: Closure, v: Any) -> Array:
        """A v (k,), without A."""
        V1, V2 = self.one.twist(v), self.other.twist(v)
        apart = V2 - self.seen(V1, self.lever(closure))
        return vector(closure.wrenches(self.pose).T @ apart)

    def bias(self, closure: Closure, v: Any) -> Array:
        """Ȧ v (k,): Tᵀ V̇ + Ṫᵀ V, with V = V₂ - V₁ as components in axes of frame 2."""
        V1, V2 = self.one.twist(v), self.other.twist(v)
        A1, A2 = (end.acceleration(self.q, v) for end in (self.one, self.other))
        d, w1, w2 = self.lever(closure), V1[:3], V2[:3]
        V = V2 - self.seen(V1, d)
        # the point of frame 1 that is carried along: what it gains by turning, and by moving in it
        moved = np.zeros(3) if closure.keeps_origins else self.pose.R @ V[3:]
        carried = np.concatenate([np.zeros(3), cross(w1, cross(w1, d) + moved)])
        rate = A2 - self.seen(A1, d) - self.seen(carried, np.zeros(3))
        rate = rate - np.concatenate([cross(w2, V[:3]), cross(w2, V[3:])])
        T, dT = closure.wrenches(self.pose), closure.wrench_rate(self.pose, V)
        return vector(T.T @ rate + dT.T @ V)
