"""Complex numbers as pairs of scalars of any kind, and orthogonal elimination over both.

What is traced with pairs becomes machine code of real numbers. `phase`, `conjugate` and `square`
answer for real scalars and for pairs, so that one Householder reflection serves both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.algebra.generic import less, maximum, sqrt, where
from visviva.machine.function import Function
from visviva.machine.program.trace import Shape, input_ports, traced

_TINY = 1e-280  # in place of a pivot that is zero

Matrix = list[list[Any]]


def gapped(f: Callable[..., Any], inputs: Mapping[str, Shape], name: str) -> Function[Any]:
    """As `function`, where nan and infinity are answers: there is no such thing.

    What it computes depends on the source alone, so that the name is enough for the disk cache.
    """
    ports = input_ports(inputs)
    key = ("elimination", name)
    return Function(name, ports, lambda: traced(f, ports), key, has_gaps=True)


class Pair:
    """re + i im."""

    __slots__ = ("im", "re")
    __array_ufunc__ = None

    def __init__(self, re: Any, im: Any = 0.0) -> None:
        self.re, self.im = re, im

    def __add__(self, other: Any) -> Pair:
        b = pair(other)
        return Pair(self.re + b.re, self.im + b.im)

    def __sub__(self, other: Any) -> Pair:
        b = pair(other)
        return Pair(self.re - b.re, self.im - b.im)

    def __mul__(self, other: Any) -> Pair:
        if not isinstance(other, Pair):
            return Pair(self.re * other, self.im * other)
        return Pair(
            self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        )

    def __truediv__(self, other: Any) -> Pair:
        if not isinstance(other, Pair):
            return Pair(self.re / other, self.im / other)
        by = 1.0 / square(other)
        return Pair(
            (self.re * other.re + self.im * other.im) * by,
            (self.im * other.re - self.re * other.im) * by,
        )

    def __radd__(self, other: Any) -> Pair:
        return pair(other) + self

    def __rsub__(self, other: Any) -> Pair:
        return pair(other) - self

    def __rmul__(self, other: Any) -> Pair:
        return Pair.__mul__(self, other)

    def __rtruediv__(self, other: Any) -> Pair:
        return Pair.__truediv__(pair(other), self)

    def __neg__(self) -> Pair:
        return Pair(-self.re, -self.im)

    def turned(self) -> Pair:
        """Times i."""
        return Pair(-self.im, self.re)


def pair(x: Any) -> Pair:
    """A scalar with no imaginary part."""
    return x if isinstance(x, Pair) else Pair(x)


def pairs(x: Any) -> list[Pair]:
    """Pairs from an array (n, 2) of real and imaginary parts."""
    return [Pair(re, im) for re, im in x]


def parts(z: Sequence[Any]) -> Array:
    """The array (n, 2) of real and imaginary parts."""
    return np.array([[x.re, x.im] for x in map(pair, z)], dtype=object)


def conjugate(x: Any) -> Any:
    """re - i im; of a real scalar itself."""
    return Pair(x.re, -x.im) if isinstance(x, Pair) else x


def square(x: Any) -> Any:
    """The square of its size, |x|²."""
    return x.re * x.re + x.im * x.im if isinstance(x, Pair) else x * x


def phase(x: Any) -> Any:
    """x / |x|, and 1 at zero."""
    if not isinstance(x, Pair):
        return where(less(x, 0.0), -1.0, 1.0)
    size = sqrt(square(x))
    none = less(size, _TINY)
    by = 1.0 / maximum(size, _TINY)
    return Pair(where(none, 1.0, x.re * by), where(none, 0.0, x.im * by))


def either(condition: Any, a: Any, b: Any) -> Pair:
    """`where` for pairs."""
    a, b = pair(a), pair(b)
    return Pair(where(condition, a.re, b.re), where(condition, a.im, b.im))


def reflected(A: Matrix, columns: int) -> tuple[Matrix, Any]:
    """Rows after Householder's reflections that clear `columns`, and the determinant of these.

    The determinant is that of the triangle divided by that of the reflections, so that a square
    matrix with all its columns cleared has this determinant.
    """
    A = [list(row) for row in A]
    n, m = len(A), len(A[0])
    determinant: Any = 1.0
    for k in range(columns):
        if k == n - 1:
            return A, determinant * A[k][k]
        size = sqrt(sum((square(A[i][k]) for i in range(k + 1, n)), square(A[k][k])))
        turn = phase(A[k][k])
        v = [A[i][k] for i in range(k, n)]
        v[0] = v[0] + turn * size
        scale = 1.0 / maximum(size * sqrt(square(v[0])), _TINY)  # 2 / |v|²
        for j in range(k + 1, m):
            along = _sum(conjugate(v[i - k]) * A[i][j] for i in range(k, n)) * scale
            for i in range(k, n):
                A[i][j] = A[i][j] - v[i - k] * along
        A[k][k] = -(turn * size)
        for i in range(k + 1, n):
            A[i][k] = 0.0
        determinant = determinant * (turn * size)
    return A, determinant


def back_substituted(R: Matrix, b: Sequence[Any]) -> list[Any]:
    """R⁻¹ b of a triangle; a pivot of zero counts as tiny."""
    n = len(b)
    x: list[Any] = [0.0] * n
    for i in reversed(range(n)):
        left = b[i]
        for j in range(i + 1, n):
            left = left - R[i][j] * x[j]
        pivot = pair(R[i][i])
        pivot = either(less(square(pivot), _TINY), Pair(1e-140), pivot)
        x[i] = left / pivot if isinstance(R[i][i], Pair) else left / pivot.re
    return x


def _sum(terms: Any) -> Any:
    first, *rest = terms
    for x in rest:
        first = first + x
    return first
