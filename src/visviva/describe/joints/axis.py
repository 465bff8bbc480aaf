"""Joints about and along axes: fixed, revolute, prismatic, helical, cylindrical, universal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from visviva.algebra.arrays import Array, is_exactly, vector
from visviva.algebra.generic import atan2, sincos
from visviva.describe.joints.joint import (
    SHIFTING,
    TURNING,
    ZERO,
    Joint,
    Motions,
    X,
    Y,
    Z,
    columns,
    normals,
    unit,
)
from visviva.space.poses import Pose
from visviva.space.rotations import about_axis, angle_about, cross


def along(axis: Array, S: Any) -> Array:
    """The part of a symmetric matrix along an axis: a aᵀ (aᵀ S a)."""
    part: Array = axis[:, None] * axis * (axis @ (vector(S) @ axis))
    return part


@dataclass(frozen=True, eq=False)
class Fixed(Joint):
    """No motion: the child is fixed to its parent."""

    coordinates = velocities = angular = ()

    @property
    def motions(self) -> Motions:
        """None."""
        return ()

    def transform(self, q: Any) -> Pose:
        return Pose.identity()

    def subspace(self, q: Any) -> Array:
        return np.zeros((6, 0))

    def complement(self, q: Any) -> Array:
        return np.eye(6)

    def located(self, X: Pose) -> Array:
        return np.zeros(0)

    def says(self, frame1: str, frame2: str) -> str:
        return f"welds {frame1!r} to {frame2!r}"

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
        slide: Array = self.axis * (self.axis @ vector(d))
        return slide

    def unfelt(self, m: Any, h: Any, S: Any) -> tuple[Any, Any, Any]:
        return m * 0.0, vector(h) * 0.0, along(self.axis, S)


@dataclass(frozen=True, eq=False)
class Revolute(_Axis):
    """A turn about an axis, q in radians."""

    coordinates = velocities = ("",)
    angular = (True,)

    @property
    def motions(self) -> Motions:
        """A turn."""
        return ((TURNING, self.axis, 0),)

    def transform(self, q: Any) -> Pose:
        return Pose.of(about_axis(self.axis, q[0]), ZERO)

    def subspace(self, q: Any) -> Array:
        return columns((self.axis, ZERO))

    def complement(self, q: Any) -> Array:
        x, y = normals(self.axis)
        return columns((x, ZERO), (y, ZERO), (ZERO, X), (ZERO, Y), (ZERO, Z))

    def located(self, X: Pose) -> Array:
        return vector([angle_about(self.axis, X.R)])

    def unfelt(self, m: Any, h: Any, S: Any) -> tuple[Any, Any, Any]:
        return m, self.axis * (self.axis @ h), along(self.axis, S)


@dataclass(frozen=True, eq=False)
class Prismatic(_Axis):
    """A shift along an axis, q in metres."""

    coordinates = velocities = ("",)
    angular = (False,)

    @property
    def motions(self) -> Motions:
        """A shift."""
        return ((SHIFTING, self.axis, 0),)

    def transform(self, q: Any) -> Pose:
        return Pose.of(np.eye(3), self.axis * q[0])

    def subspace(self, q: Any) -> Array:
        return columns((ZERO, self.axis))

    def complement(self, q: Any) -> Array:
        x, y = normals(self.axis)
        return columns((X, ZERO), (Y, ZERO), (Z, ZERO), (ZERO, x), (ZERO, y))

    def located(self, X: Pose) -> Array:
        return vector([self.axis @ X.p])

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

    def located(self, X: Pose) -> Array:
        angle = angle_about(self.axis, X.R)
        if is_exactly(self.pitch, 0.0):
            return vector([angle])
        turns = self.axis @ X.p / self.pitch  # the shift counts whole turns, R does not
        s, c = sincos(angle - turns)
        return vector([turns + atan2(s, c)])


@dataclass(frozen=True, eq=False)
class Cylindrical(_Axis):
    """A turn about and a shift along one axis."""

    coordinates = velocities = ("angle", "shift")
    angular = (True, False)

    @property
    def motions(self) -> Motions:
        """Both along one axis: the order does not matter."""
        return ((TURNING, self.axis, 0), (SHIFTING, self.axis, 1))

    def transform(self, q: Any) -> Pose:
        return Pose.of(about_axis(self.axis, q[0]), self.axis * q[1])

    def subspace(self, q: Any) -> Array:
        return columns((self.axis, ZERO), (ZERO, self.axis))

    def complement(self, q: Any) -> Array:
        x, y = normals(self.axis)
        return columns((x, ZERO), (y, ZERO), (ZERO, x), (ZERO, y))

    def located(self, X: Pose) -> Array:
        return vector([angle_about(self.axis, X.R), self.axis @ X.p])


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

    @property
    def motions(self) -> Motions:
        """Two turns."""
        return ((TURNING, self.axis, 0), (TURNING, self.second, 1))

    def transform(self, q: Any) -> Pose:
        return Pose.of(about_axis(self.axis, q[0]) @ about_axis(self.second, q[1]), ZERO)

    def subspace(self, q: Any) -> Array:
        return columns((self._first(q), ZERO), (self.second, ZERO))

    def complement(self, q: Any) -> Array:
        return self._passed_on(self._first(q))

    def subspace_rate(self, q: Any, v: Any) -> Array:
        across = cross(self._first(q), self.second)  # d/dt R₂ᵀ a = (R₂ᵀ a) × b q̇₂
        return columns((across * v[1], ZERO), (ZERO, ZERO))

    def located(self, X: Pose) -> Array:
        a, b, there = self.axis, self.second, X.R @ self.second  # the first turn takes b there
        first = atan2(a @ cross(b, there), b @ there - (a @ b) * (a @ there))
        return vector([first, angle_about(b, about_axis(a, first).T @ X.R)])

    def error(self, X: Pose) -> Array:
        a, b = self.axis, self.second  # their angle stays, and so do the origins
        return vector([a @ b - a @ (X.R @ b), *(X.R.T @ X.p)])

    def wrenches(self, X: Pose) -> Array:
        return self._passed_on(X.R.T @ self.axis)

    def wrench_rate(self, X: Pose, V: Any) -> Array:
        across = cross(cross(X.R.T @ self.axis, V[:3]), self.second)
        return columns((across, ZERO), *[(ZERO, ZERO)] * 3)

    def slides(self, d: Any) -> Array:
        return vector(d) * 0.0

    def unfelt(self, m: Any, h: Any, S: Any) -> tuple[Any, Any, Any]:
        return m, vector(h) * 0.0, vector(S) * 0.0

    def _passed_on(self, first: Array) -> Array:
        """The wrenches, from the first axis as the child sees it."""
        across = cross(first, self.second)
        return columns((across, ZERO), (ZERO, X), (ZERO, Y), (ZERO, Z))

    def _first(self, q: Any) -> Array:
        return about_axis(self.second, q[1]).T @ self.axis
