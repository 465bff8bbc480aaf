"""Closures that touch: rolling on the plane z = 0 of frame 1, a knife edge, a point on a surface.

Where something rolls, the first row keeps it on the plane, and two more keep the point that touches
from slipping. The forces of all three act at that point: the normal force, then along the plane.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from visviva.algebra.arrays import Array, is_numeric, vector
from visviva.algebra.diff import jacobian
from visviva.algebra.expr import Expr, Graph, evaluated
from visviva.algebra.generic import sqrt
from visviva.describe.joints.closure import Closure, turned, zeros
from visviva.describe.joints.joint import ZERO, Z, columns, unit
from visviva.describe.values import PLAIN
from visviva.errors import ArgumentError
from visviva.notation.formula import parse
from visviva.space.poses import Pose
from visviva.space.rotations import cross

COORDINATES = ("x", "y", "z")


@dataclass(frozen=True, eq=False)
class _Rolling(Closure):
    """What touches the plane z = 0 of frame 1 from above, with its centre at frame 2."""

    position_rows: ClassVar[int] = 1
    velocity_rows: ClassVar[int] = 2

    @abstractmethod
    def touching(self, X: Pose, w: Any) -> tuple[Array, Array, list[Array], list[Array]]:
        """The point that touches and its rate while frame 2 turns with w; directions and theirs.

        Seen from frame 2. The directions are the normal of the plane and two along it.
        """

    def wrenches(self, X: Pose) -> Array:
        point, _, directions, _ = self.touching(X, np.zeros(3))
        return columns(*((cross(point, f), f) for f in directions))

    def wrench_rate(self, X: Pose, V: Any) -> Array:
        point, moving, directions, turning = self.touching(X, V[:3])
        pairs = zip(directions, turning, strict=True)
        return columns(*((cross(moving, f) + cross(point, df), df) for f, df in pairs))

    def says(self, frame1: str, frame2: str) -> str:
        return f"rolls {frame2!r} on the plane z = 0 of {frame1!r} without slipping"


@dataclass(frozen=True, eq=False)
class RollingBall(_Rolling):
    """A ball; it does not slip along x and y of frame 1, and spins about z as it likes."""

    radius: Any

    def __post_init__(self) -> None:
        check_radius(self.radius)

    def error(self, X: Pose) -> Array:
        return vector([X.p[2] - self.radius])

    def touching(self, X: Pose, w: Any) -> tuple[Array, Array, list[Array], list[Array]]:
        x, y, n = turned(X, *np.eye(3))
        directions = [n, x, y]
        turning = [cross(a, w) for a in directions]
        return -n * self.radius, -turning[0] * self.radius, directions, turning


@dataclass(frozen=True, eq=False)
class RollingDisc(_Rolling):
    """A thin disc or wheel about `axis`, which may lean; not one that lies flat.

    It does not slip ahead, along axis × z, nor sideways.
    """

    axis: Array
    radius: Any
    axis_names: ClassVar[tuple[str, ...]] = ("axis",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit(self.axis))
        check_radius(self.radius)

    def error(self, X: Pose) -> Array:
        (n,) = turned(X, Z)
        across = n - self.axis * (self.axis @ n)
        return vector([X.p[2] - sqrt(across @ across) * self.radius])

    def touching(self, X: Pose, w: Any) -> tuple[Array, Array, list[Array], list[Array]]:
        a, (n,) = self.axis, turned(X, Z)
        dn = cross(n, w)
        lean, dlean = a @ n, a @ dn
        across, dacross = n - a * lean, dn - a * dlean
        s = sqrt(across @ across)
        up = across / s  # in the plane of the disc; n = lean a + s up
        ds = up @ dacross
        dup = (dacross - up * ds) / s
        ahead, aside = cross(a, up), a * s - up * lean
        turning = [dn, cross(a, dup), a * ds - dup * lean - up * dlean]
        return -up * self.radius, -dup * self.radius, [n, ahead, aside], turning


@dataclass(frozen=True, eq=False)
class KnifeEdge(Closure):
    """The origin of frame 2 does not move along `across`, a direction of frame 2.

    A skate, a sail boat's keel, a wheel whose rolling does not matter: sideways it stays.
    """

    across: Array
    axis_names: ClassVar[tuple[str, ...]] = ("across",)
    position_rows: ClassVar[int] = 0
    velocity_rows: ClassVar[int] = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "across", unit(self.across))

    def error(self, X: Pose) -> Array:
        return np.zeros(0)

    def wrenches(self, X: Pose) -> Array:
        return columns((ZERO, self.across))

    def wrench_rate(self, X: Pose, V: Any) -> Array:
        return zeros(1)

    def says(self, frame1: str, frame2: str) -> str:
        return f"keeps {frame2!r} from moving sideways in {frame1!r}"


@dataclass(frozen=True, eq=False)
class PointOnSurface(Closure):
    """The origin of frame 2 stays where a function of its place in frame 1 is zero.

    `surface` is a text over x, y, z, "x^2 + y^2 - z", or a function of the point over any scalar;
    `numbers` are what other names in the text stand for. The row is the function divided by the
    length of its gradient, so that the force is in newtons.
    """

    surface: Any = field(metadata=PLAIN)
    numbers: Mapping[str, Any] = field(default_factory=dict)
    position_rows: ClassVar[int] = 1
    has_formula: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.surface, Expr):
            object.__setattr__(self, "surface", _surface(self.surface, self.numbers))
        if all(x.is_constant and x.value == 0.0 for x in self._slopes):
            raise ArgumentError("a surface is a function of x, y and z, and none stands in it")

    @cached_property
    def _slopes(self) -> list[Expr]:
        """∂f/∂x, ∂f/∂y, ∂f/∂z."""
        return self._derivatives([self.surface])

    @cached_property
    def _curvature(self) -> list[Expr]:
        """The second derivatives, row by row."""
        return self._derivatives(self._slopes)

    def _derivatives(self, nodes: list[Expr]) -> list[Expr]:
        graph = self.surface.graph
        entries = jacobian(nodes, [graph.input(x) for x in COORDINATES])
        zero = graph.constant(0.0)
        return [entries.get((i, j), zero) for i in range(len(nodes)) for j in range(3)]

    def _values(self, nodes: list[Expr], p: Any) -> Array:
        at = {**self.numbers, **dict(zip(COORDINATES, p, strict=True))}
        return vector(evaluated(nodes, at))

    def _normal(self, p: Any) -> tuple[Array, Any]:
        """The direction of the gradient and its length."""
        gradient = self._values(self._slopes, p)
        size = sqrt(gradient @ gradient)
        return gradient / size, size

    def error(self, X: Pose) -> Array:
        error: Array = self._values([self.surface], X.p) / self._normal(X.p)[1]
        return error

    def wrenches(self, X: Pose) -> Array:
        return columns((ZERO, X.R.T @ self._normal(X.p)[0]))

    def wrench_rate(self, X: Pose, V: Any) -> Array:
        n, size = self._normal(X.p)
        bent = self._values(self._curvature, X.p).reshape(3, 3) @ (X.R @ vector(V[3:])) / size
        return columns((ZERO, X.R.T @ (bent - n * (n @ bent)) + cross(X.R.T @ n, V[:3])))

    def says(self, frame1: str, frame2: str) -> str:
        return f"keeps the origin of {frame2!r} on a surface of {frame1!r}"


def check_radius(radius: Any) -> None:
    """Refuse a radius that nothing has."""
    if is_numeric([radius]) and not (np.isfinite(radius) and radius > 0):
        raise ArgumentError(f"a radius is positive, got {radius}")


def _surface(given: Any, numbers: Mapping[str, Any]) -> Expr:
    """The node of a graph of its own that a text or a function means."""
    graph = Graph()
    for x in COORDINATES:
        if x in numbers:
            raise ArgumentError(f"{x} is a coordinate of a surface, and numbers= has {x!r} too")
    names = {x: graph.input(x) for x in (*numbers, *COORDINATES)}
    if isinstance(given, str):
        return parse(given, graph, names)
    if not callable(given):
        kind = type(given).__name__
        raise ArgumentError(f"a surface is a text over x, y, z or a function, got {kind}")
    point = np.array([names[x] for x in COORDINATES], dtype=object)
    return graph.node(given(point))
