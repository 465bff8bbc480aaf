"""Joints: each type is one small class that answers the same list of questions.

A joint lets a child frame move relative to a frame fixed in the parent. `transform(q)` is the pose
of the child, `subspace(q)` the twists it can have (columns, in child axes), so that its twist is
`subspace(q) @ v` and its rate of change, with v constant, is `bias(q, v)`. Positions q and
velocities v may differ in number: `rates`, `integrate` and `difference` connect them.
Rotation comes before translation everywhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from visviva.algebra.arrays import Array, Frozen, frozen, is_numeric, vector
from visviva.errors import ArgumentError, ShapeError
from visviva.space.poses import Pose

ZERO = frozen(np.zeros(3))


@dataclass(frozen=True, eq=False)
class Joint(Frozen, ABC):
    """The questions. `coordinates` and `velocities` name the entries of q and v."""

    coordinates: ClassVar[tuple[str, ...]]
    velocities: ClassVar[tuple[str, ...]]
    angular: ClassVar[tuple[bool, ...]]  # which coordinates are angles

    @property
    def nq(self) -> int:
        """How many numbers state its position."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """How many state its velocity: its degrees of freedom."""
        return len(self.velocities)

    @property
    def has_rates(self) -> bool:
        """Whether its velocities are the rates of its coordinates."""
        return self.coordinates == self.velocities

    @abstractmethod
    def transform(self, q: Any) -> Pose:
        """The pose of the child frame."""

    @abstractmethod
    def subspace(self, q: Any) -> Array:
        """The 6 × nv matrix from v to the twist in child axes."""

    def subspace_rate(self, q: Any, v: Any) -> Array:
        """How subspace(q) changes at velocity v, in child axes."""
        return np.zeros((6, self.nv))

    def bias(self, q: Any, v: Any) -> Array:
        """The rate of change of subspace(q) at velocity v, times v."""
        return self.subspace_rate(q, v) @ vector(v)

    def bracket(self, v: Any, w: Any) -> Array:
        """[v, w]: the velocity of moving along v, w, -v and -w in turn, per area.

        Zero where velocities are rates of coordinates, since steps of those can be exchanged.
        """
        if not self.has_rates:
            raise ArgumentError(
                f"rotors need the bracket of a joint's motions, and {type(self).__name__}, whose "
                "velocities are no rates of its coordinates, has none: define bracket(v, w)"
            )
        return np.zeros(self.nv)

    def slides(self, d: Any) -> Array:
        """The part of d by which the origins of both frames may move, and no motion changes."""
        return vector(d) * 0.0

    def unfelt(self, m: Any, h: Any, S: Any) -> tuple[Any, Any, Any]:
        """The part of a body's mass moments that may as well belong to the parent.

        Moments (m, h, Σ) = ∫ (1, r, r rᵀ) dm, in child axes. What the joint does not move relative
        to the parent changes neither energies nor joint forces by being moved there.
        """
        return m * 0.0, vector(h) * 0.0, vector(S) * 0.0

    def rates(self, q: Any, v: Any) -> Array:
        """q̇ at velocity v."""
        return vector(v)

    def velocity(self, q: Any, rates: Any) -> Array:
        """v at rates q̇."""
        return vector(rates)

    def integrate(self, q: Any, step: Any) -> Array:
        """Where the constant velocity `step` leads in one unit of time."""
        return vector(q) + vector(step)

    def difference(self, q0: Any, q1: Any) -> Array:
        """The step with integrate(q0, step) = q1."""
        return vector(q1) - vector(q0)

    def neutral(self) -> Array:
        """The position in which the child frame is the joint frame."""
        return np.zeros(self.nq)

    def random(self, rng: np.random.Generator, lower: Any, upper: Any) -> Array:
        """A position within limits; angles without limits in [-π, π], lengths in [-1, 1]."""
        free = np.where(self.angular, np.pi, 1.0)
        low = np.where(
            np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * free, -free)
        )
        high = np.where(np.isfinite(upper), upper, low + 2 * free)
        # files may have them the wrong way round
        return rng.uniform(np.minimum(low, high), np.maximum(low, high))


def unit(axis: Any) -> Array:
    """A checked axis of length one."""
    a = vector(axis)
    if a.shape != (3,):
        raise ShapeError(f"an axis has 3 coordinates, got shape {a.shape}")
    if not is_numeric(a):
        return frozen(a)
    length = float(np.linalg.norm(a))
    if not np.isfinite(length) or length < 1e-12:
        raise ArgumentError(f"an axis needs a direction, got {a.tolist()}")
    return frozen(a if abs(length - 1.0) < 1e-15 else a / length)


def column(angular: Any, linear: Any) -> Array:
    return np.concatenate([vector(angular), vector(linear)])[:, None]
