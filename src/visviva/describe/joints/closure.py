"""What joins two frames besides the joints of the tree: a closure, and three questions to it.

X is the pose of frame 2 in frame 1, V the twist of frame 2 relative to frame 1 in its own axes.
`error(X)` is zero exactly where the closure holds. `wrenches(X)` are its forces: columns (moment,
force) in axes of frame 2 at its origin, and Tᵢ · V = 0 says what cannot happen. Where the closure
holds, the first columns are the rates of the error, Tᵢ · V = d/dt errorᵢ; further ones are about
velocities alone. Every joint is a closure.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar

import numpy as np

from visviva.algebra.arrays import Array, Frozen, is_exactly, vector
from visviva.algebra.diff import along
from visviva.algebra.expr import Expr, text
from visviva.space.poses import Pose
from visviva.space.rotations import skew


@dataclass(frozen=True, eq=False)
class Closure(Frozen, ABC):
    """The questions."""

    axis_names: ClassVar[tuple[str, ...]] = ()  # arguments that are axes, the main one first
    velocity_rows: ClassVar[int] = 0  # how many of its rows are about velocities alone
    has_formula: ClassVar[bool] = False  # whether it is stated by one, which may have kinks

    @classmethod
    def details(cls) -> tuple[str, ...]:
        """Names of the arguments it is made with, its main axis apart."""
        return tuple(x.name for x in fields(cls) if x.name not in cls.axis_names[:1])

    @classmethod
    def needed(cls) -> tuple[str, ...]:
        """Those of them that have to be given."""
        none = (MISSING, MISSING)
        given = {x.name for x in fields(cls) if (x.default, x.default_factory) == none}
        return tuple(name for name in cls.details() if name in given)

    @property
    def kind(self) -> str:
        """What it is called: "revolute", "point_on_line"."""
        return called(type(self))

    @property
    def keeps_origins(self) -> bool:
        """Whether the origins of both frames are one point wherever it holds."""
        return False

    @property
    @abstractmethod
    def position_rows(self) -> int:
        """How many numbers `error` has."""

    @abstractmethod
    def error(self, X: Pose) -> Array:
        """By how much it does not hold, in metres and radians."""

    def conditions(self, X: Pose) -> Array:
        """Zero wherever it holds, perhaps elsewhere too: without angles, for intervals."""
        return self.error(X)

    @abstractmethod
    def wrenches(self, X: Pose) -> Array:
        """6 × rows: the forces that hold it."""

    def wrench_rate(self, X: Pose, V: Any) -> Array:
        """How `wrenches` change while frame 2 moves with V."""

        def matrix(x: Array) -> Array:
            return self.wrenches(Pose.of(x[:9].reshape(3, 3), x[9:]))

        rate = [*(X.R @ skew(V[:3])).ravel(), *(X.R @ vector(V[3:]))]
        change: Array = along(matrix, vector([*X.R.ravel(), *X.p]), vector(rate))
        return change

    def says(self, frame1: str, frame2: str) -> str:
        """What it does to two frames, in words."""
        axes = [f"{name} {direction(getattr(self, name))}" for name in self.axis_names]
        by = f"by a {self.kind.replace('_', ' ')} joint"
        return ", ".join([f"joins {frame2!r} to {frame1!r} {by}", *axes])


def called(kind: type) -> str:
    """The name of a class as it is typed: point_on_line of PointOnLine."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


def direction(axis: Any) -> str:
    """x, y or z, with a minus where it is the other way; or its coordinates."""
    for k, letter in enumerate("xyz"):
        for sign in (1.0, -1.0):
            if all(is_exactly(x, sign * (i == k)) for i, x in enumerate(axis)):
                return letter if sign > 0 else f"-{letter}"
    said = (text(x) if isinstance(x, Expr) else f"{x:.6g}" for x in axis)
    return f"[{', '.join(said)}]"


def turned(X: Pose, *axes: Any) -> list[Array]:
    """Directions of frame 1, seen from frame 2."""
    return [X.R.T @ vector(a) for a in axes]


def zeros(rows: int) -> Array:
    """The rate of wrenches that stay."""
    return np.zeros((6, rows))
