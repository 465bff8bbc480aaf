"""How one frame moves relative to another, and the rows of a closure between them.

Only joints between the two frames matter: those that carry both are left out, so that they have
exact zeros in A. All vectors are in axes of the nearest link that carries both frames, the start;
twists are those of the point at the origin of frame 2.
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
from visviva.equations.bodies.links import Placed, placed
from visviva.equations.bodies.newton_euler import outward
from visviva.equations.frames.kinematics import gathered
from visviva.equations.frames.path import Path, ways
from visviva.equations.frames.walk import View, from_world, velocity_from_world
from visviva.space.poses import Pose
from visviva.space.rotations import cross


@dataclass(frozen=True, eq=False)
class End:
    """A frame at the end of its way: where it is, and how links on the way move it."""

    way: Path
    steps: Sequence[Placed]
    pose: Pose
    views: Sequence[View]

    @classmethod
    def of(cls, way: Path, q: Any) -> End:
        """At a position."""
        steps = placed(way.links, q)
        return cls(way, steps, *from_world(steps, way.tool, q))

    def jacobian(self, n: int, lever: Any) -> Array:
        """Twists (6, n) of the point that is a lever away from the origin."""
        seen = [see(s.S) for s, see in zip(self.steps, self.views, strict=True)]
        moved = [np.concatenate([J[:3], J[3:] + cross(J[:3], lever)]) for J in seen]
        return gathered(moved, self.steps, (6, n))

    def twist(self, q: Any, v: Any) -> Array:
        """Of the origin."""
        return velocity_from_world(self.steps, self.way.tool, q, v)

    def acceleration(self, q: Any, v: Any) -> tuple[Array, Array]:
        """ω̇ and the acceleration of the origin, while v stays."""
        if not self.steps:
            return np.zeros(3), np.zeros(3)
        zero = np.zeros(3)
        last = outward(self.steps, zero, q, v, vector(v) * 0.0)[-1]
        R = self.pose.R @ self.way.tool.R.T
        return R @ last.alpha, R @ (last.a + last.spin @ self.way.tool.p)


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

    @cached_property
    def lever(self) -> Array:
        """From the origin of frame 1 to that of frame 2."""
        return self.other.pose.p - self.one.pose.p

    def wrenches(self, closure: Closure) -> Array:
        """T (6, k), in axes of the start."""
        return self.from_start(closure.wrenches(self.pose))

    def from_start(self, T: Any) -> Array:
        """Wrenches in axes of frame 2, in those of the start."""
        R = self.other.pose.R
        return np.concatenate([R @ T[:3], R @ T[3:]])

    def matrix(self, closure: Closure) -> Array:
        """A (k, n): Tᵀ (J₂ - J₁)."""
        apart = self.other.jacobian(self.n, np.zeros(3)) - self.one.jacobian(self.n, self.lever)
        return vector(self.wrenches(closure).T @ apart)

    def twist(self, v: Any) -> tuple[Array, Array, Array]:
        """V of frame 2 relative to frame 1; and both angular velocities."""
        V1, V2 = (end.twist(self.q, v) for end in (self.one, self.other))
        carried = V1[3:] + cross(V1[:3], self.lever)
        return np.concatenate([V2[:3] - V1[:3], V2[3:] - carried]), V1[:3], V2[:3]

    def velocity(self, closure: Closure, v: Any) -> Array:
        """A v (k,), without A."""
        return vector(self.wrenches(closure).T @ self.twist(v)[0])

    def bias(self, closure: Closure, v: Any) -> Array:
        """Ȧ v (k,): Tᵀ V̇ + Ṫᵀ V, V̇ as it is seen in axes that turn with frame 2."""
        V, w1, w2 = self.twist(v)
        (alpha1, a1), (alpha2, a2) = (end.acceleration(self.q, v) for end in (self.one, self.other))
        slip, d = V[3:], self.lever
        carried = a1 + cross(alpha1, d) + cross(w1, slip + cross(w1, d))
        rate = np.concatenate([alpha2 - alpha1 - cross(w2, V[:3]), a2 - carried - cross(w2, slip)])
        R = self.other.pose.R
        own = np.concatenate([R.T @ V[:3], R.T @ slip])
        turning = closure.wrench_rate(self.pose, own)
        return vector(self.wrenches(closure).T @ rate + turning.T @ own)
