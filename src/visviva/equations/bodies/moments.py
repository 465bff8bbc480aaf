"""Mass moments of a body, and how bodies that move push back.

A body is (m, h, Σ) = ∫ (1, r, r rᵀ) dm about the origin of its frame. In these the laws of Newton
and Euler have no parallel-axis terms: with Ω = [ω̇] + [ω][ω], the accelerations of its points are
a + Ω r, so the force is f = m a + Ω h and the moment is the skew part of Ω Σ + a hᵀ. The inertia
tensor is tr(Σ) 1 - Σ. (Balafoutis and Patel, *Dynamic Analysis of Robot Manipulators*, chapter 4.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_exactly, vector
from visviva.describe.bodies.inertia import Inertia
from visviva.space.rotations import cross


@dataclass(frozen=True, eq=False)
class Moments:
    """m, h = m c and Σ about the origin of the body's frame."""

    m: Any
    h: Array
    S: Array

    @classmethod
    def of(cls, inertia: Inertia) -> Moments:
        """From mass, centre and tensor."""
        I = inertia.about(np.zeros(3))  # noqa: E741
        return cls(inertia.mass, inertia.com * inertia.mass, symmetric(I, np.trace(I) / 2))

    @classmethod
    def none(cls) -> Moments:
        """The moments of no mass at all."""
        return cls(0.0, np.zeros(3), np.zeros((3, 3)))

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.m + other.m, self.h + other.h, self.S + other.S)

    def __sub__(self, other: Moments) -> Moments:
        return Moments(self.m - other.m, self.h - other.h, self.S - other.S)

    def moved(self, R: Any, p: Any) -> Moments:
        """The same body seen from a frame in which its own has rotation R and position p."""
        r = R @ self.h
        return Moments(self.m, r + p * self.m, turned(R, self.S) + sym_outer(r + p * self.m / 2, p))

    def tensor(self) -> Array:
        """The inertia tensor about the origin."""
        return symmetric(self.S, np.trace(self.S))

    def momentum(self, w: Any, v: Any) -> tuple[Array, Array]:
        """Moment of momentum about the origin, and momentum, of a body with twist (w, v)."""
        return self.tensor() @ w + cross(self.h, v), v * self.m + cross(w, self.h)


def symmetric(A: Any, trace: Any) -> Array:
    """trace · 1 - A: from the tensor to Σ and back."""
    return vector([[(trace - A[i][i]) if i == j else -A[i][j] for j in range(3)] for i in range(3)])


def spin(w: Any, alpha: Any) -> Array:
    """Ω = [ω̇] + [ω][ω]: accelerations of the points of a body, by position."""
    x, y, z = w
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    a, b, c = alpha
    return vector(
        [[-(yy + zz), xy - c, xz + b], [xy + c, -(xx + zz), yz - a], [xz - b, yz + a, -(xx + yy)]]
    )


def inertial_wrench(body: Moments, W: Any, a: Any) -> tuple[Array, Array]:
    """Moment about the origin and force that give a body the accelerations a + Ω r."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.S
    turning = vector(
        [
            W[2][1] * yy - W[1][2] * zz + (W[2][2] - W[1][1]) * yz + W[2][0] * xy - W[1][0] * xz,
            W[0][2] * zz - W[2][0] * xx + (W[0][0] - W[2][2]) * xz + W[0][1] * yz - W[2][1] * xy,
            W[1][0] * xx - W[0][1] * yy + (W[1][1] - W[0][0]) * xy + W[1][2] * xz - W[0][2] * yz,
        ]
    )
    return turning + cross(body.h, a), W @ body.h + vector(a) * body.m


def sym_outer(u: Any, p: Any) -> Array:
    """u pᵀ + p uᵀ (3, 3), a symmetric matrix."""
    rows = [[u[i] * p[j] + p[i] * u[j] if i <= j else 0.0 for j in range(3)] for i in range(3)]
    return mirrored(rows)


def turned(R: Any, S: Any) -> Array:
    """R S Rᵀ for a symmetric S; a turn about a coordinate axis takes a third of the products."""
    axis = _kept_axis(R)
    if axis is None:
        B = vector(R) @ S
        return mirrored([[B[i] @ R[j] if i <= j else 0.0 for j in range(3)] for i in range(3)])
    (i, k), unit, sign = axis
    (a, b), (c, d) = _others(i), _others(k)
    x, y = R[a][c], R[a][d]
    # (x, y) has length one, and the other row is sign · (-y, x)
    w = x * (S[c][c] - S[d][d]) + y * (S[c][d] + S[c][d])
    T: Any = np.empty((3, 3), dtype=object)
    T[i, i] = S[k][k]
    T[a, a], T[b, b] = S[d][d] + x * w, S[c][c] - x * w
    T[a, b] = T[b, a] = (S[c][d] - y * w) * sign
    T[i, a] = T[a, i] = (x * S[c][k] + y * S[d][k]) * unit
    T[i, b] = T[b, i] = (x * S[d][k] - y * S[c][k]) * (unit * sign)
    return vector(T.tolist())


def mirrored(rows: Any) -> Array:
    """The symmetric matrix with this upper triangle."""
    return vector([[rows[min(i, j)][max(i, j)] for j in range(3)] for i in range(3)])


def _kept_axis(R: Any) -> tuple[tuple[int, int], float, float] | None:
    """Where R maps a coordinate axis to one: (row, column), its sign, and that of the plane."""
    for i in range(3):
        for k in range(3):
            for unit in (1.0, -1.0):
                beside = [R[i][j] for j in range(3) if j != k] + [R[j][k] for j in _others(i)]
                if is_exactly(R[i][k], unit) and all(is_exactly(x, 0.0) for x in beside):
                    # the determinant of R is 1: unit, the checkerboard's sign, and the plane's
                    return (i, k), unit, unit if (i + k) % 2 == 0 else -unit
    return None


def _others(i: int) -> tuple[int, int]:
    first, second = (j for j in range(3) if j != i)
    return first, second
