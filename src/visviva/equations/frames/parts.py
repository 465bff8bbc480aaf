"""Parts of a pose that a task can be made of: one small class each, one list of questions.

`X` is the pose (4, 4) of a frame in the world; `rows` act on its twist (ω, v) in world axes, where
v is the velocity of the point that X has its origin at.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.algebra.generic import atan2, less, sincos, sqrt, where
from visviva.space.euler import euler_angles, euler_rates_matrix
from visviva.space.rotations import (
    cross,
    log,
    log_derivative,
    quaternion,
    quaternion_log,
    quaternion_product,
)

LETTERS = "xyz"
TINY = 1e-280  # squares below which a direction is none


class Part(ABC):
    """One part of a pose."""

    angular: ClassVar[bool] = True  # in radians
    turns: ClassVar[bool] = True  # says where the frame is turned; a task says so once
    has_coordinates: ClassVar[bool] = True  # whose rates the rows are

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Of the rows."""

    @abstractmethod
    def value(self, X: Array) -> Array:
        """Its coordinates."""

    @abstractmethod
    def rows(self, X: Array) -> Array:
        """(size, 6), from the twist to its velocities."""

    @abstractmethod
    def error(self, X: Array, target: Array) -> Array:
        """(size,), the velocities from X to the target in one unit of time."""


@dataclass(frozen=True)
class Position(Part):
    """Some of the coordinates of the point."""

    axes: tuple[int, ...]
    angular: ClassVar[bool] = False
    turns: ClassVar[bool] = False

    @property
    def names(self) -> tuple[str, ...]:
        """x, y, z."""
        return tuple(LETTERS[k] for k in self.axes)

    def value(self, X: Array) -> Array:
        """Where it is."""
        return X[list(self.axes), 3]

    def rows(self, X: Array) -> Array:
        """Its velocity."""
        return np.eye(6)[[3 + k for k in self.axes]]

    def error(self, X: Array, target: Array) -> Array:
        """Straight on."""
        return self.value(target) - self.value(X)


@dataclass(frozen=True)
class Angle(Part):
    """φ: the angle of the frame's x axis in a plane, from world axis `first` to `second`.

    While the frame moves in that plane, φ̇ is its angular velocity. Where the axis d leaves the
    plane, φ is that of its shadow: φ̇ = ω · (n - (n · d) d) / (1 - (n · d)²).
    """

    first: int
    second: int

    @property
    def names(self) -> tuple[str, ...]:
        """phi."""
        return ("phi",)

    def value(self, X: Array) -> Array:
        """In (-π, π]."""
        return vector([atan2(X[self.second, 0], X[self.first, 0])])

    def rows(self, X: Array) -> Array:
        """ω · n in the plane."""
        unit = np.eye(3)
        n, d = cross(unit[self.first], unit[self.second]), X[:3, 0]
        shadow = d[self.first] * d[self.first] + d[self.second] * d[self.second]
        w = (n - d * (n @ d)) / shadow
        return np.concatenate([w, np.zeros(3)])[None]

    def error(self, X: Array, target: Array) -> Array:
        """The shorter way round."""
        (a,), (b,) = self.value(X), self.value(target)
        return vector([_wrapped(b - a)])


@dataclass(frozen=True)
class Orientation(Part):
    """R, whose velocity is ω."""

    has_coordinates: ClassVar[bool] = False

    @property
    def names(self) -> tuple[str, ...]:
        """Of the angular velocity."""
        return ("wx", "wy", "wz")

    def value(self, X: Array) -> Array:
        """None that has these rates."""
        raise NotImplementedError

    def rows(self, X: Array) -> Array:
        """ω."""
        return np.eye(6)[:3]

    def error(self, X: Array, target: Array) -> Array:
        """The rotation vector from X to the target, in world axes."""
        return log(target[:3, :3] @ X[:3, :3].T)


@dataclass(frozen=True)
class Axis(Part):
    """Where an axis of the frame points; turns about it do not matter.

    Its two velocities are the angular velocities about the other two axes of the frame.
    """

    which: int
    has_coordinates: ClassVar[bool] = False

    @property
    def others(self) -> tuple[int, int]:
        """So that they and the axis are right-handed."""
        return (self.which + 1) % 3, (self.which + 2) % 3

    @property
    def names(self) -> tuple[str, ...]:
        """Of the angular velocities."""
        return tuple(f"tilt about {LETTERS[k]}" for k in self.others)

    def value(self, X: Array) -> Array:
        """None that has these rates."""
        raise NotImplementedError

    def rows(self, X: Array) -> Array:
        """Two entries of Rᵀ ω."""
        w = X[:3, list(self.others)].T
        return np.concatenate([w, np.zeros((2, 3))], axis=1)

    def error(self, X: Array, target: Array) -> Array:
        """The shortest turn that brings the axis there; half a turn is about the first axis."""
        i, j = self.others
        wanted = X[:3, :3].T @ target[:3, self.which]
        # the axis is e_k, and e_k × wanted = -wanted[j] e_i + wanted[i] e_j
        square = wanted[i] * wanted[i] + wanted[j] * wanted[j]
        along = less(square, TINY)
        size = sqrt(where(along, 1.0, square))
        angle = atan2(where(along, 0.0, size), wanted[self.which])
        return vector(
            [
                where(along, angle, -wanted[j] * angle / size),
                where(along, 0.0, wanted[i] * angle / size),
            ]
        )


@dataclass(frozen=True)
class Euler(Part):
    """Euler angles of a convention."""

    convention: str

    @property
    def names(self) -> tuple[str, ...]:
        """Numbered as the angles are."""
        return tuple(f"{self.convention}{k}" for k in (1, 2, 3))

    def value(self, X: Array) -> Array:
        """The angles."""
        return euler_angles(X[:3, :3], self.convention)

    def rows(self, X: Array) -> Array:
        """B⁻¹ Rᵀ, where ω in body axes is B times the rates; infinite where B is singular."""
        B = euler_rates_matrix(self.value(X), self.convention)
        a, b, c = B.T
        adjugate = np.stack([cross(b, c), cross(c, a), cross(a, b)])
        inverse = adjugate / (a @ cross(b, c))
        return np.concatenate([inverse @ X[:3, :3].T, np.zeros((3, 3))], axis=1)

    def error(self, X: Array, target: Array) -> Array:
        """Of each angle the shorter way round."""
        return vector([_wrapped(x) for x in self.value(target) - self.value(X)])


@dataclass(frozen=True)
class RotationVector(Part):
    """Axis times angle, of length at most π."""

    @property
    def names(self) -> tuple[str, ...]:
        """r1, r2, r3."""
        return ("r1", "r2", "r3")

    def value(self, X: Array) -> Array:
        """log R."""
        return log(X[:3, :3])

    def rows(self, X: Array) -> Array:
        """How log R changes."""
        change = log_derivative(self.value(X)) @ X[:3, :3].T
        return np.concatenate([change, np.zeros((3, 3))], axis=1)

    def error(self, X: Array, target: Array) -> Array:
        """The difference."""
        return self.value(target) - self.value(X)


@dataclass(frozen=True)
class Quaternion(Part):
    """(x, y, z, w) with w ≥ 0: four rates of rank three."""

    @property
    def names(self) -> tuple[str, ...]:
        """qx, qy, qz, qw."""
        return ("qx", "qy", "qz", "qw")

    def value(self, X: Array) -> Array:
        """Of length one."""
        return quaternion(X[:3, :3])

    def rows(self, X: Array) -> Array:
        """½ (ω, 0) ⊗ q, for ω in world axes."""
        q = self.value(X)
        half = [quaternion_product([*w, 0.0], q) for w in np.eye(3) * 0.5]
        return np.concatenate([np.stack(half, axis=1), np.zeros((4, 3))], axis=1)

    def error(self, X: Array, target: Array) -> Array:
        """Along the shortest turn, at its first instant."""
        turn = quaternion_log(quaternion(target[:3, :3] @ X[:3, :3].T))
        return quaternion_product([*(turn * 0.5), 0.0], self.value(X))


def _wrapped(angle: Any) -> Any:
    """The same angle in [-π, π]."""
    s, c = sincos(angle)
    return atan2(s, c)
