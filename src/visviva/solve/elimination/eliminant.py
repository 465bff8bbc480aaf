"""Six turns that make a pose: five of the six angles eliminated, θ₃ is left.

exp(S₁θ₁) … exp(S₆θ₆) = G acts on the line of the last axis, which θ₆ does not move:

    exp(S₃θ₃) exp(S₄θ₄) exp(S₅θ₅) (P, L) = exp(-S₂θ₂) exp(-S₁θ₁) G (P, L)

Its 14 `tangents` are of degree one in each cosine and sine (Raghavan and Roth, equations 15–20).
Seen along the second axis, six of them know nothing of θ₂: two combinations go for cos θ₁, sin
θ₁, four rows stay. The other eight are four complex numbers that θ₂ turns together: three go for
1, cos θ₁, sin θ₁, a complex row stays. These six rows, linear in (1, c₄, s₄) ⊗ (1, c₅, s₅) with
coefficients linear in (1, c₃, s₃), are Σ(θ₃); with x₄ = tan(θ₄/2) and the same rows times x₄ they
are 12 × 12 and singular at solutions (equation 24; Manocha and Canny, *Efficient inverse
kinematics for general 6R manipulators*, IEEE Trans. Rob. Autom. 10, 1994).

The determinant in tan(θ₃/2) has degree 24 with a factor (1 + x₃²)⁴. In w = exp(iθ₃) that factor
is no factor: what is left is a real trigonometric polynomial of degree 8, so that values on the
circle, determinants of real numbers, say all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.machine.function import Function
from visviva.solve.elimination.pairs import Matrix, Pair, gapped, reflected
from visviva.solve.elimination.tangents import tangent, turning

_DEGREE = 8  # of the trigonometric polynomial: 16 roots
_HIGHEST = 12  # that 12 rows of degree one could have: what is found beyond _DEGREE is rounding
_SAMPLES = 2 * _HIGHEST + 1
LEVEL = [3, 4, 7, 10, 11, 14]  # of `tangent`: what turns about z leave as it is
SIDE_X, SIDE_Y = [1, 5, 8, 12], [2, 6, 9, 13]  # pairs that turns about z turn


@dataclass(frozen=True, eq=False)
class SixTurns:
    """exp(S₁θ₁) … exp(S₆θ₆): unit axes and points on them, (…, 6, 3)."""

    axes: Array
    points: Array

    def seen_from_second(self, R: Array, p: Array) -> tuple[SixTurns, Array, Array]:
        """The same and a pose in a frame whose z is the second axis, in units of the arm."""
        middle = self.points.mean(axis=-2, keepdims=True)
        along = ((middle - self.points) * self.axes).sum(-1, keepdims=True)
        near = self.points + along * self.axes  # the points of the axes that are in the middle
        origin = near[..., 1, :]
        size = np.sqrt(((near - middle) ** 2).sum(-1).mean(-1))[..., None]
        size = np.where(size > 0.0, size, 1.0)
        z = self.axes[..., 1, :]
        least = np.eye(3)[np.abs(z).argmin(axis=-1)]
        x = np.cross(z, least)
        x = x / np.linalg.norm(x, axis=-1, keepdims=True)
        F = np.stack([x, np.cross(z, x), z], axis=-2)  # its rows are the new axes
        Ft = np.swapaxes(F, -1, -2)
        points = ((near - origin[..., None, :]) @ Ft) / size[..., None]
        moved = p + (R @ origin[..., None])[..., 0] - origin
        return (
            SixTurns(self.axes @ Ft, points),
            F @ R @ Ft,
            (F @ moved[..., None])[..., 0] / size,
        )

    def backwards(self) -> SixTurns:
        """The same angles as turns from the tip to the base, which make G⁻¹."""
        return SixTurns(-self.axes[..., ::-1, :], self.points[..., ::-1, :])

    def begun_later(self, k: int, R: Array, p: Array) -> SixTurns:
        """Turns k + 1 … 6 and then 1 … k, which make the same G, for this G alone."""
        Rt = np.swapaxes(R, -1, -2)
        shape = (*R.shape[:-2], 6, 3)
        axes, points = (np.broadcast_to(x, shape) for x in (self.axes, self.points))
        first = axes[..., :k, :] @ R
        where = (points[..., :k, :] - p[..., None, :]) @ np.swapaxes(Rt, -1, -2)
        return SixTurns(
            np.concatenate([axes[..., k:, :], first], axis=-2),
            np.concatenate([points[..., k:, :], where], axis=-2),
        )


@dataclass(frozen=True, eq=False)
class PreparedTurns:
    """What Σ needs of six turns, seen from the second axis, and not of poses.

    `offset` moves the origin of θ₄, so that x₄ = ∞ is elsewhere.
    """

    turns: SixTurns
    offset: float = 0.0
    left: Array = field(init=False)  # the tangents in 27 monomials (…, 15, 27)
    first: Array = field(init=False)  # the first turn backwards, of 1, c₁, s₁ (…, 45, 15)

    def __post_init__(self) -> None:
        axes, points = self.turns.axes, self.turns.points
        third, fourth, fifth = (
            turning(axes[..., k, :], points[..., k, :], self.offset if k == 3 else 0.0)
            for k in (2, 3, 4)
        )
        last = tangent(points[..., 5, :], axes[..., 5, :])
        x = np.einsum("...cij,...j->...ic", fifth, last)
        x = np.einsum("...bij,...jc->...ibc", fourth, x)
        x = np.einsum("...aij,...jbc->...iabc", third, x)
        object.__setattr__(self, "left", x.reshape(*x.shape[:-4], 15, 27))
        first = np.swapaxes(turning(-axes[..., 0, :], points[..., 0, :]), -3, -2)
        object.__setattr__(self, "first", first.reshape(*first.shape[:-3], 45, 15))


@dataclass(frozen=True, eq=False)
class Elimination:
    """Σ(θ₃) of six turns for poses."""

    arm: PreparedTurns
    R: Array  # G in the frame of the second axis (N, 3, 3)
    p: Array
    right: Array = field(init=False)  # tangents in 1, c₁, s₁ before θ₂ turns them (N, 15, 3)
    rows: Array = field(init=False)  # Σ, of 1, c₃, s₃ and nine monomials (N, 6, 27)

    def __post_init__(self) -> None:
        axes, points = self.arm.turns.axes, self.arm.turns.points
        there = (self.R @ points[..., 5, :, None])[..., 0] + self.p
        moved = tangent(there, (self.R @ axes[..., 5, :, None])[..., 0])
        right = (self.arm.first @ moved[..., None])[..., 0]
        object.__setattr__(self, "right", right.reshape(-1, 15, 3))
        object.__setattr__(self, "rows", self._rows())

    def _rows(self) -> Array:
        """Six combinations of the tangents in which θ₁ and θ₂ are no more."""
        weights, constant = _combinations()(self.right)
        rows: Array = weights @ self.arm.left
        rows[..., 0] -= constant
        return rows

    def polynomial(self) -> tuple[Array, Array]:
        """Coefficients of exp(-8iθ₃) … exp(8iθ₃) in the determinant, the largest of size 1.

        And how large those beyond are, which should be zero: where they are not small, the whole
        determinant is rounding.
        """
        angles = 2.0 * np.pi * np.arange(_SAMPLES) / _SAMPLES
        at = np.stack([np.ones(_SAMPLES), np.cos(angles), np.sin(angles)], axis=1)
        n = len(self.rows)
        by_angle = self.rows.reshape(n, 6, 3, 9).transpose(0, 2, 1, 3).reshape(n, 3, 54)
        values = _determinant()(at @ by_angle)
        k = np.arange(-_HIGHEST, _HIGHEST + 1)
        transform = np.exp(-1j * np.outer(angles, k)) / _SAMPLES
        c = (values @ transform.real) + 1j * (values @ transform.imag)
        inner = slice(_HIGHEST - _DEGREE, _HIGHEST + _DEGREE + 1)
        largest = np.abs(c[:, inner]).max(axis=1, keepdims=True)
        is_zero = ~(largest > 0.0)  # or nan
        c = c / np.where(is_zero, 1.0, largest)
        beyond = np.abs(c[:, : inner.start]).max(axis=1)
        return c[:, inner], np.where(is_zero[:, 0], np.inf, beyond)


@cache
def _combinations() -> Function[tuple[Array, Array]]:
    def combinations(right: Array) -> tuple[Any, Any]:
        # four rows: the complement of cos θ₁ and sin θ₁ in the six tangents without θ₂
        whole = [[*(right[i, k] for k in (1, 2)), *(float(i == j) for j in LEVEL)] for i in LEVEL]
        reduced, _ = reflected(whole, 2)
        weights = np.zeros((6, 15), dtype=object)
        constant = np.zeros(6, dtype=object)
        for row in range(4):
            level = reduced[row + 2][2:]
            weights[row, LEVEL] = level
            constant[row] = sum((x * right[i, 0] for x, i in zip(level, LEVEL, strict=True)), 0.0)
        # a complex row: ν with Σ ν_j α_jk = 0, the minors of four complex rows of three
        alpha = [
            [Pair(right[i, k], right[j, k]) for k in range(3)]
            for i, j in zip(SIDE_X, SIDE_Y, strict=True)
        ]
        for j, nu in enumerate(_minors(alpha)):
            weights[4, SIDE_X[j]], weights[4, SIDE_Y[j]] = nu.re, -nu.im
            weights[5, SIDE_X[j]], weights[5, SIDE_Y[j]] = nu.im, nu.re
        return weights, constant

    return gapped(combinations, {"right": (15, 3)}, name="combinations")


def _minors(a: list[list[Pair]]) -> list[Any]:
    """Determinants of three of four rows, with signs: orthogonal to the columns."""
    result = []
    for out in range(4):
        x, y, z = (a[i] for i in range(4) if i != out)
        value = (
            x[0] * (y[1] * z[2] - y[2] * z[1])
            - x[1] * (y[0] * z[2] - y[2] * z[0])
            + x[2] * (y[0] * z[1] - y[1] * z[0])
        )
        result.append(value if out % 2 == 0 else -value)
    return result


def half_angle(sigma: Any) -> Matrix:
    """[A₂ | A₁ | A₀] of (A₂ x₄² + A₁ x₄ + A₀)(1, c₅, s₅) = 0 from Σ (6, 9)."""
    return [
        [
            *(row[c] - row[3 + c] for c in range(3)),
            *(2.0 * row[6 + c] for c in range(3)),
            *(row[c] + row[3 + c] for c in range(3)),
        ]
        for row in sigma
    ]


def folded(A: Matrix) -> tuple[Matrix, Any]:
    """The 6 × 6 that is left of [A₂ A₁ A₀ 0; 0 A₂ A₁ A₀], and the determinant of what went.

    It acts on (x₄ u, u), u = (1, c₅, s₅). Reflections clear A₂, of both rows at once, and then
    the column of x₄² u.
    """
    upper, once = reflected(A, 3)
    R, B = upper[:3], [row[3:] for row in upper[3:]]
    zero = [0.0] * 3
    second, twice = reflected([*([*row, *zero] for row in B), *R], 3)
    return [row[3:] for row in second[3:]] + B, once * twice


@cache
def _determinant() -> Function:
    def determinant(sigma: Array) -> Any:
        K, before = folded(half_angle(sigma.reshape(6, 9)))
        return before * reflected(K, 6)[1]

    return gapped(determinant, {"sigma": 54}, name="determinant_of_angle")


def combined(rows: Any, w: Any) -> list[list[Any]]:
    """Σ at complex w = exp(iθ₃), from the rows (6, 27): six rows of nine pairs."""
    c, s = circle(w)
    return [
        [row[k] + c * row[9 + k] + s * row[18 + k] for k in range(9)] for row in rows.reshape(6, 27)
    ]


def circle(w: Any) -> tuple[Any, Any]:
    """cos θ and sin θ of w = exp(iθ)."""
    other = 1.0 / w
    return (w + other) * 0.5, ((w - other) * -0.5).turned()
