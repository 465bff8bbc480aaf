"""The complex roots of one pose in balls of many digits: for roots far from real numbers.

An arm that is nearly special, as a calibrated one is, has roots w = exp(iθ) of 10⁻⁸ and 10⁸, which
doubles do not find. The same elimination as `eliminant`, with FLINT's balls and a null space of all
14 equations, does, and `contraction` proves them with what the balls know of rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import acb, acb_mat, acb_poly, arb, arb_mat, ctx

from visviva.algebra.arrays import Array
from visviva.solve.balls import Ball
from visviva.solve.elimination.eliminant import SixTurns
from visviva.solve.elimination.loop_closure import contraction, linearised
from visviva.solve.elimination.pairs import Pair
from visviva.solve.elimination.tangents import motion, tangent

_BITS = 420
_SAMPLES = 25
_APART = 1e-9  # from the unit circle: nearer roots are for doubles, which prove real ones
_STEPS = 8


def far_roots(turns: SixTurns, R: Array, p: Array) -> tuple[Array, Array]:
    """w (M, 6) of proved roots that are not real, one of each conjugate pair, and radii (M,)."""
    before = ctx.prec
    ctx.prec = _BITS
    try:
        return _far_roots(turns, R, p)
    except (ZeroDivisionError, ValueError):  # what is singular to so many digits is special
        return np.zeros((0, 6), dtype=complex), np.zeros(0)
    finally:
        ctx.prec = before


def _far_roots(turns: SixTurns, R: Array, p: Array) -> tuple[Array, Array]:
    loop = _Loop(turns, R, p)
    found, radii = [], []
    for w3 in loop.roots():
        if not abs(w3) < 1 - _APART:
            continue
        ctx.prec = 2 * _BITS
        w = loop.others(_middle(w3))
        ctx.prec = _BITS
        proved = loop.proved([_middle(x) for x in w])
        if proved is not None and not abs(proved[0][2]) > 1 - _APART:
            found.append([complex(x) for x in proved[0]])
            radii.append(proved[1])
    return np.array(found).reshape(-1, 6), np.array(radii)


def _middle(x: Any) -> Any:
    return acb(x.real.mid(), x.imag.mid())


def _column(x: Any) -> Any:
    return arb_mat([[v] for v in x])


class _Loop:
    """Six turns and a pose with entries in balls: axes of length one, a rotation to all digits."""

    def __init__(self, turns: SixTurns, R: Array, p: Array) -> None:
        self.axes = [_unit([arb(float(x)) for x in h]) for h in turns.axes]
        self.points = [[arb(float(x)) for x in o] for o in turns.points]
        first = _unit([arb(float(x)) for x in R[0]])
        second = [arb(float(x)) for x in R[1]]
        along = sum((a * b for a, b in zip(first, second, strict=True)), arb(0))
        second = _unit([b - along * a for a, b in zip(first, second, strict=True)])
        self.R = [first, second, _cross(first, second)]
        self.p = [arb(float(x)) for x in p]
        self._eliminate()

    def _eliminate(self) -> None:
        third, fourth, fifth = (self._turning(k, 1) for k in (2, 3, 4))
        last = _column(_tangent(self.points[5], self.axes[5]))
        self.left = [[[a * (b * (c * last)) for c in fifth] for b in fourth] for a in third]
        G = arb_mat(self.R)
        tip, end = (G * _column(x[5]) for x in (self.points, self.axes))
        there = [tip[i, 0] + self.p[i] for i in range(3)]
        moved = _column(_tangent(there, [end[i, 0] for i in range(3)]))
        first, second = self._turning(0, -1), self._turning(1, -1)
        right = [b * (a * moved) for a in first for b in second]
        self.constant, self.right = right[0], right[1:]  # in 1, and in products of (1, c, s)
        floats = np.array([[float(x[i, 0].mid()) for x in self.right] for i in range(1, 15)])
        self.chosen = _independent(floats)
        self.rest = [i for i in range(1, 15) if i not in self.chosen]
        Q = arb_mat([[x[i, 0] for x in self.right] for i in self.chosen])
        below = arb_mat([[x[i, 0] for x in self.right] for i in self.rest])
        # rows `rest` minus these combinations of rows `chosen` know nothing of θ₁ and θ₂
        self.combined = Q.transpose().solve(below.transpose()).transpose()
        self.inverse = Q.inv()
        self.rows = [
            [[self._row(self.left[a][b][c], a + b + c == 0) for c in range(3)] for b in range(3)]
            for a in range(3)
        ]

    def _turning(self, k: int, sign: int) -> list[Any]:
        """15 × 15 matrices of 1, cos θ and sin θ in turn k, forwards or backwards."""
        x, y, z = self.axes[k]
        K = arb_mat([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        one = arb_mat([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
        o = _column(self.points[k])
        at = []
        for c, s in ((1, 0), (-1, 0), (0, sign)):
            R = one + K * s + K * K * (1 - c)
            t = o - R * o
            table = motion(_array(R.tolist())[None], _array(t.entries())[None])[0]
            at.append(arb_mat([[arb(v) for v in row] for row in table]))
        mean = (at[0] + at[1]) * arb(0.5)
        return [mean, at[0] - mean, at[2] - mean]

    def _row(self, column: Any, is_constant: bool) -> list[Any]:
        v = [column[i, 0] - (self.constant[i, 0] if is_constant else 0) for i in range(15)]
        known = self.combined * _column([v[i] for i in self.chosen])
        return [v[i] - known[k, 0] for k, i in enumerate(self.rest)]

    def _twelve(self, c3: Any, s3: Any) -> list[list[Any]]:
        """[A₂ A₁ A₀ 0; 0 A₂ A₁ A₀] at an angle θ₃, which may be complex."""
        S = [
            [
                [x + c3 * y + s3 * z for x, y, z in zip(*at, strict=True)]
                for at in zip(*b, strict=True)
            ]
            for b in zip(*self.rows, strict=True)
        ]  # [b][c][row]
        rows = []
        for i in range(6):
            A2 = [S[0][c][i] - S[1][c][i] for c in range(3)]
            A1 = [2 * S[2][c][i] for c in range(3)]
            A0 = [S[0][c][i] + S[1][c][i] for c in range(3)]
            rows.append([*A2, *A1, *A0])
        zero = [0 * rows[0][0]] * 3
        return [[*row, *zero] for row in rows] + [[*zero, *row] for row in rows]

    def roots(self) -> list[Any]:
        """w₃, all 16 in general."""
        angles = [2 * arb.pi() * k / _SAMPLES for k in range(_SAMPLES)]
        values = [arb_mat(self._twelve(x.cos(), x.sin())).det() for x in angles]
        coefficients = []
        for k in range(-8, 9):
            terms = (acb(v) * acb(0, -k * x).exp() for v, x in zip(values, angles, strict=True))
            coefficients.append(sum(terms, acb(0)) / _SAMPLES)
        return list(acb_poly(coefficients).roots())

    def others(self, w3: Any) -> list[Any]:
        """w₁ … w₆: a null vector, linear equations, and a direction across the last axis."""
        M = acb_mat(self._twelve(*_cos_sin(w3)))
        z = M.solve(acb_mat([[k + 1] for k in range(12)]))
        size = [abs(z[9 + k, 0]) for k in range(3)]
        k = int(np.argmax([float(x.mid()) for x in size]))
        x4 = z[6 + k, 0] / z[9 + k, 0]
        w4 = (1 + acb(0, 1) * x4) / (1 - acb(0, 1) * x4)
        w5 = (z[10, 0] + acb(0, 1) * z[11, 0]) / z[9, 0]
        v3, v4, v5 = ((acb(1), *_cos_sin(w)) for w in (w3, w4, w5))
        lhs = [
            sum(
                (
                    v3[a] * v4[b] * v5[c] * self.left[a][b][c][i, 0]
                    for a in range(3)
                    for b in range(3)
                    for c in range(3)
                ),
                acb(0),
            )
            - self.constant[i, 0]
            for i in self.chosen
        ]
        m = acb_mat(self.inverse) * acb_mat([[x] for x in lhs])  # c₂, s₂, c₁, c₁c₂, c₁s₂, s₁, …
        w2, w1 = (m[i, 0] + acb(0, 1) * m[j, 0] for i, j in ((0, 1), (2, 5)))
        turned = [w1, w2, w3, w4, w5]
        across = _unit(_cross(self.axes[5], self.axes[0]))
        v = [sum((acb(a) * b for a, b in zip(row, across, strict=True)), acb(0)) for row in self.R]
        for h, w in zip(self.axes, turned, strict=False):
            v = _rotated(h, 1 / w, v)
        sideways = _cross(self.axes[5], across)
        c, s = (sum((x * y for x, y in zip(v, n, strict=True)), acb(0)) for n in (across, sideways))
        return [*turned, c + acb(0, 1) * s]

    def proved(self, w: list[Any]) -> tuple[list[Any], float] | None:
        """The root near w and the radius of a ball that it is in, or None."""
        axes, points, R = (_balls(x) for x in (self.axes, self.points, self.R))
        p = _balls(self.p)
        for _ in range(_STEPS):
            z = [Pair(Ball(x.real), Ball(x.imag)) for x in w]
            J, y, doubt = linearised(axes, points, R, p, z, Ball(0), 0.0)
            radius, delta = contraction(J, y, doubt)
            bound = float(radius.x.upper()) if radius.x.is_finite() else np.inf
            if bound < 1e-20:
                return w, bound + 1e-15  # w is told in doubles
            half = [acb(0, 0.5) * acb(d.re.x, d.im.x) for d in delta]
            w = [_middle(x * (1 + h) / (1 - h)) for x, h in zip(w, half, strict=True)]
        return None


def _unit(v: Any) -> list[Any]:
    length = sum((x * x for x in v), arb(0)).sqrt()
    return [x / length for x in v]


def _cross(a: Any, b: Any) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _tangent(P: Any, L: Any) -> list[Any]:
    return [arb(x) for x in tangent(_array(P)[None], _array(L)[None])[0]]


def _array(x: Any) -> Array:
    return np.array(x, dtype=object)


def _cos_sin(w: Any) -> tuple[Any, Any]:
    return (w + 1 / w) / 2, (w - 1 / w) / acb(0, 2)


def _rotated(h: Any, w: Any, v: Any) -> list[Any]:
    c, s = _cos_sin(w)
    along = sum((x * a for x, a in zip(v, h, strict=True)), acb(0))
    across = _cross(h, v)
    return [c * x + s * y + (1 - c) * along * a for x, y, a in zip(v, across, h, strict=True)]


def _balls(x: Any) -> Array:
    values = np.array(x, dtype=object)
    result: Array = np.empty(values.shape, dtype=object)
    for k in np.ndindex(values.shape):
        result[k] = Ball(values[k])
    return result


def _independent(rows: Array) -> list[int]:
    """Eight of the 14 rows, by pivots: those that are best told apart."""
    import scipy.linalg

    _, _, order = scipy.linalg.qr(rows.T, pivoting=True)
    return [int(i) + 1 for i in sorted(order[:8])]
