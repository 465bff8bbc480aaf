"""Joints about and along axes: fixed, revolute, prismatic, helical, cylindrical, universal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.describe.joints.joint import ZERO, Joint, X, Y, Z, columns, normals, unit
from visviva.space.poses import Pose
from visviva.space.rotations import about_axis, cross


def along(axis: Array, S: Any) -> Array:
    """The part of a symmetric matrix along an axis: a aᵀ (aᵀ S a)."""
    return axis[:, None] * axis * (axis @ (vector(S) @ axis))


@dataclass(frozen=True, eq=False)
class Fixed(Joint):
    """No motion: the child is fixed to its parent."""

    coordinates = velocities = angular = ()

    def transform(self, q: Any) -> Pose:
        return Pose.identity()

    def subspace(self, q: Any) -> Array:
        return np.zeros((6, 0))

    def complement(self, q: Any) -> Array:
        return np.eye(6)

    def slides(self, d: Any) -> Array:
        return vector(d)

    def unfelt(self, m: Any, h: Any, S: Any) -> tuple[Any, Any, Any]:
        return m, vector(h), vector(S)


@dataclass(frozen=True, eq=False)
class _Axis(Joint):
    """About or along one axis.

    `slides` and `unfelt` are those of a turn about it together with a shift along it, a screw: they
    hold wherever both happen, or either, but a joint that only turns or only shifts has more that
    slides or is not felt and states that itself. Motions across the axis state both.
    """

    axis: Array
    axis_names: ClassVar[tuple[str, ...]] = ("axis",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))

    def slides(self, d: Any) -> Array:
        return self.axis * (self.axis @ vector(d))

    def unfelt(self, m: Any, h: Any, S: Any) -> tuple[Any, Any, Any]:
        return m * 0.0, vector(h) * 0.0, along(self.axis, S)


@dataclass(frozen=True, eq=False)
class Revolute(_Axis):
    """A turn about an axis, q in radians."""

    coordinates = velocities = ("",)
    angular = (True,)

    def transform(self, q: Any) -> Pose:
        return Pose.of(about_axis(self.axis, q[0]), ZERO)

    def subspace(self, q: Any) -> Array:
        return columns((self.axis, ZERO))

    def complement(self, q: Any) -> Array:
        x, y = normals(self.axis)
        return columns((x, ZERO), (y, ZERO), (ZERO, X), (ZERO, Y), (ZERO, Z))

    def unfelt(self, m: Any, h: Any, S: Any) -> tuple[Any, Any, Any]:
        return m, self.axis * (self.axis @ h), along(self.axis, S)


@dataclass(frozen=True, eq=False)
class Prismatic(_Axis):
    """A shift along an axis, q in metres."""

    coordinates = velocities = ("",)
    angular = (False,)

    def transform(self, q: Any) -> Pose:
        return Pose.of(np.eye(3), self.axis * q[0])

    def subspace(self, q: Any) -> Array:
        return columns((ZERO, self.axis))

    def complement(self, q: Any) -> Array:
        x, y = normals(self.axis)
        return columns((X, ZERO), (Y, ZERO), (Z, ZERO), (ZERO, x), (ZERO, y))

    def slides(self, d: Any) -> Array:
        return vector(d)

    def unfelt(self, m: Any, h: Any, S: Any) -> tuple[Any, Any, Any]:
        return m * 0.0, vector(h) * 0.0, vector(S)


@dataclass(frozen=True, eq=False)
class Helical(_Axis):
    """A screw: `pitch` metres per radian."""

    pitch: Any
    coordinates = velocities = ("",)
    angular = (True,)

    def transform(self, q: Any) -> Pose:
        return Pose.of(about_axis(self.axis, q[0]), self.axis * (self.pitch * q[0]))

    def subspace(self, q: Any) -> Array:
        return columns((self.axis, self.axis * self.pitch))

    def complement(self, q: Any) -> Array:
        x, y = normals(self.axis)
        along = (self.axis * -self.pitch, self.axis)  # a push and the moment that balances it
        return columns((x, ZERO), (y, ZERO), (ZERO, x), (ZERO, y), along)


@dataclass(frozen=True, eq=False)
class Cylindrical(_Axis):
    """A turn about and a shift along one axis."""

    coordinates = velocities = ("angle", "shift")
    angular = (True, False)

    def transform(self, q: Any) -> Pose:
        return Pose.of(about_axis(self.axis, q[0]), self.axis * q[1])

    def subspace(self, q: Any) -> Array:
        return columns((self.axis, ZERO), (ZERO, self.axis))

    def complement(self, q: Any) -> Array:
        x, y = normals(self.axis)
        return columns((x, ZERO), (y, ZERO), (ZERO, x), (ZERO, y))


@dataclass(frozen=True, eq=False)
class Universal(_Axis):
    """A turn about `axis`, then one about `second`, which the first carries along."""

    second: Array
    axis_names = ("axis", "second")
    coordinates = velocities = ("first", "second")
    angular = (True, True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "second", unit(self.second))

    def transform(self, q: Any) -> Pose:
        return Pose.of(about_axis(self.axis, q[0]) @ about_axis(self.second, q[1]), ZERO)

    def subspace(self, q: Any) -> Array:
        return columns((self._first(q), ZERO), (self.second, ZERO))

    def complement(self, q: Any) -> Array:
        across = cross(self._first(q), self.second)
        return columns((across, ZERO), (ZERO, X), (ZERO, Y), (ZERO, Z))

    def subspace_rate(self, q: Any, v: Any) -> Array:
        turned = cross(self._first(q), self.second)  # d/dt R₂ᵀ a = (R₂ᵀ a) × b q̇₂
        return columns((turned * v[1], ZERO), (ZERO, ZERO))

    def slides(self, d: Any) -> Array:
        return vector(d) * 0.0

    def unfelt(self, m: Any, h: Any, S: Any) -> tuple[Any, Any, Any]:
        return m, vector(h) * 0.0, vector(S) * 0.0

    def _first(self, q: Any) -> Array:
        return about_axis(self.second, q[1]).T @ self.axis
