"""The other five angles, once θ₃ is known: a null vector, and three linear equations.

(x₄ u, u) with u = (1, c₅, s₅) is the null vector of the folded 12 × 12 (`eliminant`); θ₁ follows
from the six tangents without θ₂, θ₂ from the four pairs that it turns, θ₆ from a direction across
the last axis. Angles are complex: w = exp(iθ). Of the two ways to w that each equation offers,
the one with the larger quotient is taken, as the other one is lost in rounding where |w| is far
from 1.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.algebra.generic import less
from visviva.machine.function import Function
from visviva.solve.elimination.eliminant import (
    LEVEL,
    SIDE_X,
    SIDE_Y,
    Elimination,
    circle,
    combined,
    folded,
    half_angle,
)
from visviva.solve.elimination.pairs import (
    Pair,
    back_substituted,
    conjugate,
    either,
    gapped,
    pair,
    parts,
    reflected,
    square,
)


def back_substitution(e: Elimination, which: Array, w: Array) -> Array:
    """w₁ … w₆ (M, 6) for roots w₃ (M,) of the poses `which` (M,)."""
    axes, left = e.arm.turns.axes, e.arm.left
    if axes.ndim > 2:  # turns of their own for every pose
        axes, left = axes[which], left[which]
    offset = np.array([np.cos(e.arm.offset), np.sin(e.arm.offset)])
    root = np.stack([w.real, w.imag], axis=-1)
    result = _angles()(e.rows[which], left, e.right[which], axes, e.R[which], offset, root)
    unknowns: Array = result[..., 0] + 1j * result[..., 1]
    return unknowns


@cache
def _angles() -> Function:
    def angles(
        rows: Array, left: Array, right: Array, axes: Array, R: Array, offset: Array, w: Array
    ) -> Any:
        w3 = Pair(w[0], w[1])
        w4, w5 = _fourth_and_fifth(rows, w3)
        lhs = _tangents(left, w3, w4, w5)
        w1 = _first(lhs, right)
        w2 = _second(lhs, right, w1)
        w4 = w4 * Pair(offset[0], offset[1])
        w6 = _last(axes, R, [w1, w2, w3, w4, w5])
        return parts([w1, w2, w3, w4, w5, w6])

    inputs: dict[str, Any] = {
        "rows": (6, 27),
        "left": (15, 27),
        "right": (15, 3),
        "axes": (6, 3),
        "R": (3, 3),
        "offset": 2,
        "w": 2,
    }
    return gapped(angles, inputs, name="back_substitution")


def _fourth_and_fifth(rows: Array, w3: Pair) -> tuple[Pair, Pair]:
    K, _ = folded(half_angle(combined(rows, w3)))
    triangle, _ = reflected(K, 6)
    z = [pair(x) for x in back_substituted(triangle, [1.0] * 6)]  # a step of inverse iteration
    above, below = z[:3], z[3:]
    x = _along(above, below) / sum((square(b) for b in below), 0.0)
    u = [conjugate(x) * a + b for a, b in zip(above, below, strict=True)]
    turned = x.turned()
    w4 = (1.0 + turned) / (1.0 - turned)
    return w4, _larger(u[1], u[2], u[0])


def _along(a: list[Any], b: list[Any]) -> Any:
    """Σ conj(b) a."""
    return sum((conjugate(y) * x for x, y in zip(a, b, strict=True)), Pair(0.0))


def _larger(c: Any, s: Any, one: Any) -> Pair:
    """w of (1, cos, sin) times a common factor."""
    plus, minus = c + s.turned(), c - s.turned()
    return either(less(square(minus), square(plus)), plus / one, one / minus)


def _tangents(left: Array, w3: Pair, w4: Pair, w5: Pair) -> list[Any]:
    one = Pair(1.0)
    first, second, third = ((one, *circle(w)) for w in (w3, w4, w5))
    monomials = [a * b * c for a in first for b in second for c in third]
    return [sum((m * x for m, x in zip(monomials, row, strict=True)), Pair(0.0)) for row in left]


def _first(lhs: list[Any], right: Array) -> Pair:
    """cos θ₁ and sin θ₁ by least squares in the six tangents without θ₂."""
    cc, cs, ss = (
        sum(right[i, a] * right[i, b] for i in LEVEL) for a, b in ((1, 1), (1, 2), (2, 2))
    )
    wanted = [lhs[i] - right[i, 0] for i in LEVEL]
    c, s = (
        sum((y * right[i, a] for y, i in zip(wanted, LEVEL, strict=True)), Pair(0.0))
        for a in (1, 2)
    )
    whole = 1.0 / (cc * ss - cs * cs)
    return _larger((c * ss - s * cs) * whole, (s * cc - c * cs) * whole, Pair(1.0))


def _second(lhs: list[Any], right: Array, w1: Pair) -> Pair:
    """X - iY is turned by w₂, X + iY by 1/w₂."""
    c, s = circle(w1)
    before = [right[i, 0] + c * right[i, 1] + s * right[i, 2] for i in range(15)]
    ways = []
    for sign in (-1.0, 1.0):
        ends = [
            [v[i] + v[j].turned() * sign for i, j in zip(SIDE_X, SIDE_Y, strict=True)]
            for v in (lhs, before)
        ]
        ways.append((_along(ends[0], ends[1]), sum(square(x) for x in ends[1])))
    (with_w, size), (against, other) = ways
    w, inverse = with_w / size, against / other
    return either(less(square(inverse), square(w)), w, 1.0 / inverse)


def _last(axes: Array, R: Array, w: list[Pair]) -> Pair:
    """Where the turns 5 … 1 backwards and G take a direction across the last axis."""
    end = axes[5]
    across = _across(end)
    v = [pair(x) for x in R @ across]
    for h, x in zip(axes[:5], w, strict=True):
        v = rotated(h, 1.0 / x, v)
    sideways = _cross(end, across)
    c, s = (sum((x * b for x, b in zip(v, n, strict=True)), Pair(0.0)) for n in (across, sideways))
    return _larger(c, s, Pair(1.0) * sum(x * x for x in across))


def _across(h: Array) -> Array:
    """Two of three candidates are never small: their sum across h, without a branch."""
    # h × (h × e) for the e = (1, √2, √3) / √6 and its turn: never zero for both
    e = np.array([0.36, 0.48, 0.8])
    f = np.array([0.8, -0.36, 0.48])
    near = sum(a * b for a, b in zip(h, e, strict=True))
    chosen = [
        either(less(near * near, 0.5), Pair(a), Pair(b)).re for a, b in zip(e, f, strict=True)
    ]
    return _cross(h, np.array(chosen, dtype=object))


def _cross(a: Any, b: Any) -> Array:
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
        dtype=object,
    )


def rotated(h: Any, w: Pair, v: list[Any]) -> list[Any]:
    """A vector turned by w = exp(iθ) about a unit axis."""
    c, s = circle(w)
    along = v[0] * h[0] + v[1] * h[1] + v[2] * h[2]
    across = [
        v[2] * h[1] - v[1] * h[2],
        v[0] * h[2] - v[2] * h[0],
        v[1] * h[0] - v[0] * h[1],
    ]
    rest = (1.0 - c) * along
    return [c * x + s * y + rest * a for x, y, a in zip(v, across, h, strict=True)]
