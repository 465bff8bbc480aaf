"""The few questions about turns that closed forms are made of, over scalars of any kind.

Angles are kept as points (x, y) of the plane and become numbers by one atan2 at the end. A branch
that does not exist is nan; where every angle would do, zero stands for it. Paden and Kahan's
subproblems 1 to 3, and 4 of Elias and Wen, *IK-Geo*, 2022.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import pi
from typing import Any

from visviva.algebra.arrays import Array, is_exactly
from visviva.algebra.generic import atan2, equal, less, sqrt, where
from visviva.space.rotations import cross

BORDER = 1e-13  # of its size: how far below zero rounding may take what a root is taken of
_WIDE: ContextVar[float] = ContextVar("wide", default=0.0)
_PLAIN: ContextVar[bool] = ContextVar("plain", default=False)


@contextmanager
def wide_border(width: float) -> Iterator[None]:
    """Within this block roots are real a little beyond the reach: starts for another arm, not ends.

    Both branches are then as far from the border as they would be inside of it.
    """
    before = _WIDE.set(width)
    try:
        yield
    finally:
        _WIDE.reset(before)


@contextmanager
def plain_formulas() -> Iterator[None]:
    """Within this block formulas are as one writes them, without care for rounding at borders."""
    before = _PLAIN.set(True)
    try:
        yield
    finally:
        _PLAIN.reset(before)


def _unless(lost: Any, value: Any, otherwise: Any) -> Any:
    """A value, but another where every angle would do."""
    return value if _PLAIN.get() else where(lost, otherwise, value)


class Turn:
    """An angle as the direction of a point (x, y); `size` is its distance from the origin.

    `angle` may be given where it follows from another one more cheaply than by atan2.
    """

    def __init__(self, x: Any, y: Any, size: Any = None, angle: Any = None) -> None:
        self.x, self.y = x, y
        self._size, self._angle = size, angle
        self._unit: tuple[Any, Any] | None = None

    @property
    def angle(self) -> Any:
        """In [-π, π]."""
        if self._angle is None:
            self._angle = atan2(self.y, self.x)
        return self._angle

    @property
    def unit(self) -> tuple[Any, Any]:
        """Cosine and sine."""
        if self._unit is None:
            size = sqrt(self.x * self.x + self.y * self.y) if self._size is None else self._size
            if is_exactly(size, 1.0):
                self._unit = self.x, self.y
            else:
                scale = 1.0 / size
                self._unit = self.x * scale, self.y * scale
        return self._unit

    def back(self) -> Turn:
        """The turn by the negative angle."""
        return Turn(self.x, -self.y, self._size, -self.angle)

    def opposite(self) -> Turn:
        """The turn to the opposite direction."""
        if _PLAIN.get():
            return Turn(-self.x, -self.y, self._size)
        half = where(less(0.0, self.angle), self.angle - pi, self.angle + pi)
        return Turn(-self.x, -self.y, self._size, half)

    def and_then(self, other: Turn) -> Turn:
        """The turn by the sum of both angles."""
        x, y = other.x, other.y
        known = self._size is not None and other._size is not None
        size = self._size * other._size if known else None
        return Turn(self.x * x - self.y * y, self.x * y + self.y * x, size)


def turned(axis: Array, turn: Turn, v: Array) -> Array:
    """A vector turned about an axis through the origin (Rodrigues)."""
    c, s = turn.unit
    normal = across(axis, v)
    after: Array = (v - normal) + normal * c + cross(axis, normal) * s
    return after


def root(x: Any, size: Any) -> Any:
    """√x; 0 where x is below zero by no more than rounding, nan where it is truly negative."""
    if _PLAIN.get():
        return sqrt(x)
    if wide := _WIDE.get():
        return sqrt(where(less(x, 0.0) * less(-wide * size, x), -x, x))
    return sqrt(where(less(x, 0.0) * less(-BORDER * size, x), 0.0, x))


def across(axis: Array, v: Array) -> Array:
    """The part of a vector at right angles to an axis, with all its digits where it is small."""
    normal: Array = v - axis * (axis @ v)
    return normal


def turn_onto(axis: Array, a: Array, b: Array) -> Turn:
    """Subproblem 1: the turn that takes a to b, or nearest to it."""
    normal = across(axis, a)
    x, y = normal @ b, axis @ cross(normal, b)
    lost = equal(x * x + y * y, 0.0)  # a or b lies on the axis: every angle would do
    return Turn(_unless(lost, x, 1.0), y)


def turns_with(A: Any, B: Any, D: Any, under: Any = None) -> list[Turn]:
    """Subproblem 4: both turns with A cos + B sin = D.

    `under` is A² + B² - D² for those who know it better than by subtraction.
    """
    square = A * A + B * B
    S = root(square - D * D if under is None else under, square)
    if is_exactly(B, 0.0) and not is_exactly(A, 0.0):
        turn = Turn(D / A, S / A, 1.0)
        return [turn, turn.back()]
    lost = equal(square, 0.0)  # then D is zero and every angle does, or S is nan
    size = _unless(lost, square, 1.0)
    AD, BS, BD, AS = A * D, B * S, B * D, A * S
    return [
        Turn(_unless(lost, AD - BS, 1.0 + S), BD + AS, size),
        Turn(_unless(lost, AD + BS, -1.0 - S), BD - AS, size),
    ]


def turns_to_height(axis: Array, b: Array, a: Array, d: Any) -> list[Turn]:
    """Subproblem 4: both turns of b about an axis with a · b' = d."""
    normal = across(axis, b)
    return turns_with(a @ normal, a @ cross(axis, normal), d - (axis @ a) * (axis @ b))


def turns_to_distance(axis: Array, b: Array, a: Array, square: Any) -> list[Turn]:
    """Subproblem 3: both turns of b about an axis whose distance from a has this square.

    The distance is the one seen along the axis. What the root is taken of is a product of
    differences to the longest and the shortest reach: near the latter nothing is lost.
    """
    a, b = across(axis, a), across(axis, b)
    aa, bb = a @ a, b @ b
    la, lb = sqrt(aa), sqrt(bb)
    A, B = a @ b, a @ cross(axis, b)
    longest, shortest = (la + lb) * (la + lb), (la - lb) * (la - lb)
    D = (aa + bb - square) * 0.5
    return turns_with(A, B, D, (square - shortest) * (longest - square) * 0.25)
