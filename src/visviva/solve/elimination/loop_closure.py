"""Newton's method on six turns that make a pose, over complex angles, and its proof.

The loop is cut behind the third joint: exp(-S₃θ₃) exp(-S₂θ₂) exp(-S₁θ₁) G = exp(S₄θ₄) exp(S₅θ₅)
exp(S₆θ₆), A = B. With angles θ + δ it reads, in twists Uₖ that are the axes as they are seen from
the cut,

    exp(U₁δ₁) … exp(U₆δ₆) = A B⁻¹

so Ψ(δ) = y: Ψ the skew part of the rotation and the translation on the left, y on the right, J =
(U₁ … U₆) the derivative at zero. With C ≈ J⁻¹ and |δ| ≤ r the map T(δ) = δ - C (Ψ(δ) - y) has

    |T'| ≤ |1 - C J| + L r,  L = |C Ψ''(0)| + 2 c 6³ exp(6 r) r

c the longest row of C, where each δₖ is measured in units of 1/sₖ, sₖ the norm of Uₖ as a 4 × 4
matrix: a third derivative of the product is then not longer than exp(6 r), and its six entries
not longer than twice that. Where |T'| ≤ 1/2 with r = 2 |C y|, T maps the ball to itself: it has
exactly one root in it, of multiplicity one (Newton–Kantorovich in Krawczyk's form). A centre with
real angles has a ball that conjugation maps to itself, and so a real root.

The last step, from the skew part to the rotation, is the same for both sides: near each other,
rotations with the same skew part are the same.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.algebra.generic import absolute, exp, less, maximum, sqrt, where
from visviva.machine.function import Function, function
from visviva.machine.repetition import Loop
from visviva.solve.elimination.eliminant import SixTurns
from visviva.solve.elimination.extended import UNIT_EXTENDED, side_by_side
from visviva.solve.elimination.pairs import (
    Pair,
    back_substituted,
    either,
    gapped,
    pair,
    pairs,
    parts,
    reflected,
    square,
)

_STEPS = 12
_SETTLED = 1e-10  # the next step would be the square of it
_LONGEST = 1.0  # of one step, in radians: beyond it the loop is far from linear
_UNIT = 0.5 * float(np.finfo(float).eps)  # of one rounding, relative
_TURN = 16  # roundings of the turn of a vector: of its products and sums, cos θ, sin θ, the axis

_Vector = list[Any]
_Matrix = list[_Vector]
_LOOP: dict[str, Any] = {"axes": (6, 3), "points": (6, 3), "R": (3, 3), "p": 3, "real": ()}


def polished(turns: SixTurns, R: Array, p: Array, w: Array, real: Array) -> tuple[Array, Array]:
    """w (M, 6) after Newton's steps, and whether the last one was small.

    Where `real`, angles stay real.
    """
    run = _newton()(
        {"w": _split(w), "step": np.ones(len(w)), **_loop(turns, R, p, real)}, at_most=_STEPS
    )
    z = run.state["w"]
    return z[..., 0] + 1j * z[..., 1], run.state["step"] <= _SETTLED


def certified(turns: SixTurns, R: Array, p: Array, w: Array, real: Array) -> tuple[Array, Array]:
    """Radii (M,) of balls in θ with one root each, ∞ where that is not proved; and the residual."""
    given = _loop(turns, R, p, real)
    radius, residual = _certificate()(_split(w), *(given[k] for k in _LOOP))
    return np.where(radius < 0.1, radius, np.inf), residual


def certified_in_extended(
    turns: SixTurns, R: Array, p: Array, w: Array, real: Array
) -> tuple[Array, Array]:
    """w and radii with A B⁻¹ in extended precision: where turns are far from real, it is a small
    difference of large numbers."""
    given = _loop(turns, R, p, real)
    ranks = {"axes": 2, "points": 2, "R": 2, "p": 1, "real": 0}
    long = {k: side_by_side(np.asarray(given[k], dtype=float), rank) for k, rank in ranks.items()}
    radius = np.full(len(w), np.inf)
    for _ in range(3):
        z = pairs(side_by_side(_split(w), 2))
        turn = [_circle(x, long["real"][()]) for x in z]
        y, doubt = _residual(
            long["axes"], long["points"], long["R"], long["p"], z, turn, UNIT_EXTENDED
        )
        values = np.array([[x.re.x, x.im.x] for x in y], dtype=float).transpose(2, 0, 1)
        doubts = np.array([x.x for x in doubt], dtype=float).T
        radius, z1 = _certificate_given()(_split(w), *(given[k] for k in _LOOP), values, doubts)
        if np.isfinite(radius).all():
            break
        w = np.where(np.isfinite(radius)[:, None], w, z1[..., 0] + 1j * z1[..., 1])
    return w, np.where(radius < 0.1, radius, np.inf)


def _split(w: Array) -> Array:
    return np.stack([w.real, w.imag], axis=-1)


def _loop(turns: SixTurns, R: Array, p: Array, real: Array) -> dict[str, Array]:
    flags = np.asarray(real, dtype=float)
    return {"axes": turns.axes, "points": turns.points, "R": R, "p": p, "real": flags}


@cache
def _newton() -> Loop:
    def step(
        w: Array, step: Any, axes: Array, points: Array, R: Array, p: Array, real: Any
    ) -> dict[str, Any]:
        z = pairs(w)
        J, y, _ = linearised(axes, points, R, p, z, real)
        rows = [[*J[i], y[i]] for i in range(6)]
        triangle, _ = reflected(rows, 6)
        delta = back_substituted(triangle, [row[6] for row in triangle])
        worst = sqrt(_largest([square(d) for d in delta]))
        scale = where(less(_LONGEST, worst), _LONGEST / worst, 1.0)
        return {"w": parts(_turned(z, delta, scale, real)), "step": worst}

    inputs: dict[str, Any] = {"w": (6, 2), "step": (), **_LOOP}
    done = function(lambda step: less(step, _SETTLED), {"step": ()}, key="loop's step is small")
    newton = function(step, inputs, name="loop_newton", key="Newton's step of a loop of six turns")
    return Loop(newton, until=done, outputs={"w": (6, 2), "step": ()})


def _turned(z: list[Pair], delta: _Vector, scale: Any, real: Any) -> list[Pair]:
    """w exp(iδ), by Cayley's quotient, which keeps |w| = 1 for real δ."""
    new = []
    for w, d in zip(z, delta, strict=True):
        half = (pair(d) * (0.5 * scale)).turned()
        other = w * ((1.0 + half) / (1.0 - half))
        size = where(real, 1.0 / sqrt(square(other)), 1.0)
        new.append(other * size)
    return new


def _largest(x: _Vector) -> Any:
    worst = x[0]
    for y in x[1:]:
        worst = maximum(worst, y)
    return worst


@cache
def _certificate() -> Function[tuple[Array, Array]]:
    def certificate(
        w: Array, axes: Array, points: Array, R: Array, p: Array, real: Any
    ) -> tuple[Any, Any]:
        J, y, doubt = linearised(axes, points, R, p, pairs(w), real)
        return contraction(J, y, doubt)[0], _norm(y)

    return gapped(certificate, {"w": (6, 2), **_LOOP}, name="loop_certificate")


@cache
def _certificate_given() -> Function[tuple[Array, Array]]:
    def certificate(
        w: Array, axes: Array, points: Array, R: Array, p: Array, real: Any, y: Array, doubt: Array
    ) -> tuple[Any, Any]:
        """The same with y and its doubt known from elsewhere; and w after one step."""
        z = pairs(w)
        J = _jacobian(axes, points, [_circle(x, real) for x in z])
        radius, delta = contraction(J, pairs(y), (*doubt, _slopes(z, points, _UNIT)))
        return radius, parts(_turned(z, delta, 1.0, real))

    inputs: dict[str, Any] = {"w": (6, 2), **_LOOP, "y": (6, 2), "doubt": 2}
    return gapped(certificate, inputs, name="loop_certificate_given")


def contraction(J: _Matrix, y: _Vector, doubt: Any) -> tuple[Any, _Vector]:
    """The radius of a ball that T maps to itself, or ∞, and C y.

    `doubt` bounds errors of the halves of y, and of J where its columns have length one.
    """
    columns = [list(column) for column in zip(*J, strict=True)]
    sizes = [sqrt(2.0 * _norm2(u[:3]) + _norm2(u[3:])) for u in columns]
    J = [[x * (1.0 / size) for x, size in zip(row, sizes, strict=True)] for row in J]
    columns = [list(column) for column in zip(*J, strict=True)]
    C = _inverse(J)
    length = sqrt(_largest([_norm2(row) for row in C]))
    steps = [_dot(row, y) for row in C]
    lead = _largest(
        [
            _at_most(step) + doubt[0] * _norm(row[:3]) + doubt[1] * _norm(row[3:])
            for step, row in zip(steps, C, strict=True)
        ]
    )
    defect: Any = 0.0
    for i, row in enumerate(C):
        off = [_dot(row, column) - float(i == j) for j, column in enumerate(columns)]
        defect = maximum(defect, sum(_at_most(x) for x in off))
    radius = 2.0 * lead
    third = 2.0 * length * 216.0 * exp(6.0 * radius)
    lipschitz = _second_derivative(C, columns) + radius * third
    # J itself was computed
    slope = defect + lipschitz * radius + 6.0 * length * doubt[2]
    proved = where(less(slope, 0.45), radius, float("inf"))
    return proved, [x / size for x, size in zip(steps, sizes, strict=True)]


def _second_derivative(C: _Matrix, columns: _Matrix) -> Any:
    """The norm of C Ψ''(0): ∂²/∂δᵢ∂δⱼ of the product is Uᵢ Uⱼ for i ≤ j, of 4 × 4 matrices."""
    sums: list[Any] = [0.0] * 6
    for i, a in enumerate(columns):
        for j, b in enumerate(columns[i:], i):
            H = [*(x * 0.5 for x in _cross(a[:3], b[:3])), *_cross(a[:3], b[3:])]
            times = 1.0 if i == j else 2.0
            sums = [s + times * _at_most(_dot(r, H)) for s, r in zip(sums, C, strict=True)]
    return _largest(sums)


def _inverse(J: list[_Vector]) -> list[_Vector]:
    rows = [[*J[i], *(Pair(float(i == j)) for j in range(6))] for i in range(6)]
    triangle, _ = reflected(rows, 6)
    columns = [back_substituted(triangle, [row[6 + j] for row in triangle]) for j in range(6)]
    return [list(row) for row in zip(*columns, strict=True)]


def linearised(
    axes: Array, points: Array, R: Array, p: Array, z: list[Pair], real: Any, unit: float = _UNIT
) -> tuple[_Matrix, _Vector, tuple[Any, Any, Any]]:
    """J as rows, y, and bounds of the rounding errors: of the halves of y, and of J."""
    turn = [_circle(w, real) for w in z]
    y, (skew, shift) = _residual(axes, points, R, p, z, turn, unit)
    return _jacobian(axes, points, turn), y, (skew, shift, _slopes(z, points, unit))


def _jacobian(axes: Array, points: Array, turn: list[tuple[Pair, Pair]]) -> _Matrix:
    """The axes as they are seen from the cut, Uₖ as columns."""
    screws = [(axes[k], points[k]) for k in range(6)]
    lines = [([pair(x) for x in h], [pair(x) for x in o]) for h, o in screws]
    for k, way in ((0, (1, 2)), (1, (2,)), (4, (3,)), (5, (4, 3))):
        for j in way:
            c, s = turn[j]
            lines[k] = _moved(screws[j], (c, -s) if k < 3 else (c, s), *lines[k])
    columns = [[*h, *_cross(o, h)] for h, o in lines]
    return [list(row) for row in zip(*columns, strict=True)]


def _residual(
    axes: Array,
    points: Array,
    R: Array,
    p: Array,
    z: list[Pair],
    turn: list[tuple[Pair, Pair]],
    unit: float,
) -> tuple[_Vector, tuple[Any, Any]]:
    """y of A B⁻¹, and bounds of the rounding errors of its halves."""
    A: _Matrix = [[pair(x) for x in R[:, j]] for j in range(3)]
    B: _Matrix = [[Pair(float(i == j)) for i in range(3)] for j in range(3)]
    a, b = [pair(x) for x in p], [Pair(0.0)] * 3
    eA = eB = Doubt(0.0, 0.0, unit)
    for j in (0, 1, 2):
        c, s = turn[j]
        eA = eA.turned(z[j], A, a, points[j])
        A = [_rotated(axes[j], (c, -s), x) for x in A]
        a = _moved((axes[j], points[j]), (c, -s), a, a)[1]
    for j in (5, 4, 3):
        eB = eB.turned(z[j], B, b, points[j])
        B = [_rotated(axes[j], turn[j], x) for x in B]
        b = _moved((axes[j], points[j]), turn[j], b, b)[1]
    skew = [_cross(B[j], A[j]) for j in range(3)]
    inner = [_dot(B[j], b) for j in range(3)]
    turned = [_dot([A[j][i] for j in range(3)], inner) for i in range(3)]
    y = [(skew[0][i] + skew[1][i] + skew[2][i]) * 0.5 for i in range(3)]
    y += [a[i] - turned[i] for i in range(3)]
    return y, _doubt(A, B, a, b, eA, eB)


class Doubt:
    """Bounds of the rounding errors of a rotation's columns, all together, and of a point."""

    __slots__ = ("columns", "point", "unit")

    def __init__(self, columns: Any, point: Any, unit: float) -> None:
        self.columns, self.point, self.unit = columns, point, unit

    def turned(self, w: Pair, A: _Matrix, x: _Vector, about: Array) -> Doubt:
        """After one more turn, which is of norm max(|w|, 1/|w|) and takes some 20 roundings."""
        size = sqrt(square(w))
        norm = maximum(size, 1.0 / size)
        new = (1.0 + 2.0 * norm) * (_TURN * self.unit)
        far = _norm(x) + _norm(about)
        return Doubt(
            norm * self.columns + new * _norm([y for column in A for y in column]),
            norm * self.point + (new + self.unit) * far,
            self.unit,
        )


def _at_most(x: Pair) -> Any:
    """|re| + |im| ≥ |x|: no root, of which a ball around zero has none."""
    return absolute(x.re) + absolute(x.im)


def _slopes(z: list[Pair], points: Array, unit: float) -> Any:
    """A bound of the errors of J: its columns are axes after two turns at most."""
    norms = []
    for w in z:
        size = sqrt(square(w))
        norms.append(1.0 + 2.0 * maximum(size, 1.0 / size))
    far: Any = 1.0
    for o in points:
        far = far + 2.0 * _norm(o)
    return maximum(norms[1] * norms[2], norms[3] * norms[4]) * far * (4.0 * _TURN * unit)


def _norm(v: Any) -> Any:
    return sqrt(_norm2(v))


def _norm2(v: Any) -> Any:
    return sum(square(x) for x in v)


def _doubt(A: _Matrix, B: _Matrix, a: _Vector, b: _Vector, eA: Doubt, eB: Doubt) -> tuple[Any, Any]:
    """Bounds of the errors of the two halves of y, from those of what it is made of."""
    sizes = _norm([x for c in A for x in c]), _norm([x for c in B for x in c])
    both = eA.columns * sizes[1] + eB.columns * sizes[0] + sizes[0] * sizes[1] * (8.0 * eA.unit)
    point = eA.point + sizes[0] * sizes[1] * eB.point + both * _norm(b) + _norm(a) * eA.unit
    return both, point


def _circle(w: Pair, real: Any) -> tuple[Pair, Pair]:
    """cos θ and sin θ; exactly real where `real`."""
    other = 1.0 / w
    c, s = (w + other) * 0.5, ((w - other) * -0.5).turned()
    return either(real, Pair(w.re), c), either(real, Pair(w.im), s)


def _rotated(h: Any, turn: tuple[Pair, Pair], v: _Vector) -> _Vector:
    c, s = turn
    along = v[0] * h[0] + v[1] * h[1] + v[2] * h[2]
    rest = (1.0 - c) * along
    across = [v[2] * h[1] - v[1] * h[2], v[0] * h[2] - v[2] * h[0], v[1] * h[0] - v[0] * h[1]]
    return [c * x + s * y + rest * a for x, y, a in zip(v, across, h, strict=True)]


def _moved(
    screw: tuple[Array, Array], turn: tuple[Pair, Pair], v: _Vector, x: _Vector
) -> tuple[_Vector, _Vector]:
    """A direction and a point, turned about an axis."""
    h, o = screw
    arm = [a - b for a, b in zip(x, o, strict=True)]
    return _rotated(h, turn, v), [a + b for a, b in zip(_rotated(h, turn, arm), o, strict=True)]


def _cross(a: _Vector, b: _Vector) -> _Vector:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _dot(a: _Vector, b: _Vector) -> Any:
    """Σ a b, nothing conjugated."""
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total
