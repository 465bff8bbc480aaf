"""Closures that hold a point: at a distance, on a line, on a plane.

The point is the origin of frame 2; line and plane go through the origin of frame 1 and are given in
its axes. None of them is a joint: the rest of frame 2 moves as it likes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from visviva.algebra.arrays import Array, is_numeric, vector
from visviva.describe.joints.closure import Closure, turned
from visviva.describe.joints.joint import ZERO, columns, normals, unit
from visviva.errors import ArgumentError
from visviva.space.poses import Pose
from visviva.space.rotations import cross


@dataclass(frozen=True, eq=False)
class Distance(Closure):
    """The origins stay this far apart: a rod with ball joints at its ends."""

    length: Any
    position_rows: ClassVar[int] = 1

    def __post_init__(self) -> None:
        numeric = is_numeric([self.length])
        if numeric and not (np.isfinite(self.length) and self.length > 0):
            raise ArgumentError(
                f"a distance is positive, got {self.length}; origins that coincide are a "
                "spherical joint"
            )

    def error(self, X: Pose) -> Array:
        # (|p| - L)(|p| + L) / 2L: no root, and the rate is T · V everywhere
        return vector([(X.p @ X.p - self.length * self.length) / (self.length * 2.0)])

    def wrenches(self, X: Pose) -> Array:
        return columns((ZERO, X.R.T @ X.p / self.length))

    def wrench_rate(self, X: Pose, V: Any) -> Array:
        return columns((ZERO, (V[3:] - cross(V[:3], X.R.T @ X.p)) / self.length))

    def says(self, frame1: str, frame2: str) -> str:
        return f"keeps the origins of {frame1!r} and {frame2!r} at one distance"


@dataclass(frozen=True, eq=False)
class _PointOn(Closure):
    """The origin does not move along some directions of frame 1."""

    def directions(self) -> tuple[Array, ...]:
        """Those directions."""
        raise NotImplementedError

    def error(self, X: Pose) -> Array:
        return vector([a @ X.p for a in self.directions()])

    def wrenches(self, X: Pose) -> Array:
        return columns(*((ZERO, a) for a in turned(X, *self.directions())))

    def wrench_rate(self, X: Pose, V: Any) -> Array:
        return columns(*((ZERO, cross(a, V[:3])) for a in turned(X, *self.directions())))


@dataclass(frozen=True, eq=False)
class PointOnLine(_PointOn):
    """The origin of frame 2 stays on the line through that of frame 1 along `axis`."""

    axis: Array
    axis_names: ClassVar[tuple[str, ...]] = ("axis",)
    position_rows: ClassVar[int] = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))

    def directions(self) -> tuple[Array, ...]:
        return normals(self.axis)

    def says(self, frame1: str, frame2: str) -> str:
        return f"keeps the origin of {frame2!r} on a line of {frame1!r}"


@dataclass(frozen=True, eq=False)
class PointOnPlane(_PointOn):
    """The origin of frame 2 stays on the plane through that of frame 1 with this `normal`."""

    normal: Array
    axis_names: ClassVar[tuple[str, ...]] = ("normal",)
    position_rows: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", unit(self.normal))

    def directions(self) -> tuple[Array, ...]:
        return (self.normal,)

    def says(self, frame1: str, frame2: str) -> str:
        return f"keeps the origin of {frame2!r} on a plane of {frame1!r}"
