"""The angular velocity from the rates of three angles, and where that cannot be undone."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from visviva.errors import ArgumentError
from visviva.judge.proofs.formula import Expression, det, matrix_of, sign
from visviva.judge.proofs.paper import Paper
from visviva.space.rotations import unskew

NAMES = ("q1", "q2", "q3")


def euler_rates(convention: str = "zxz") -> Paper:
    """Angles in the order of the turns, each about an axis that the turns before have moved."""
    axes = convention.lower()
    if len(axes) != 3 or set(axes) - set("xyz") or any(a == b for a, b in pairwise(axes)):
        raise ArgumentError(
            f"a convention names three axes, no two neighbours the same, got {convention!r}; "
            "for example 'zxz' or 'zyx'"
        )
    rates = {x: f"qd{x[1]}" for x in NAMES}
    p = Paper([*NAMES, *rates.values()], NAMES, rates)
    _turns(p, axes)
    velocity = p.column(sign("q", dots=1), " ".join(rates.values()))
    R, R_dot, E = sign("R"), sign("R", dots=1), p.unit(sign("E"))
    p.step(
        "Angular velocity",
        "A rotation keeps R Rᵀ = E, whose rate is Ṙ Rᵀ + R Ṙᵀ = 0: Ṙ Rᵀ is skew, and so it is "
        "S(ω), the matrix of ω ×. This ω is in the axes of the room; in those of the body it is "
        "Rᵀ ω.",
        "Angular velocity",
    )
    p.line(R * R.T, E)
    p.let(R_dot, R.rate)
    p.call(sign("0"), 0 * p.meaning.of(E.box))
    p.line(R_dot * R.T + R * R_dot.T, sign("0"))
    spin = p.column(sign("ω"), list(unskew(p.meaning.of((R_dot * R.T).box))))
    p.line(matrix_of(spin), R_dot * R.T)
    _rates(p, spin, velocity)
    return p


def _turns(p: Paper, axes: str) -> None:
    p.step(
        "The rotation",
        f"R = R₁ R₂ R₃ turns by q₁ about {axes[0]}, by q₂ about the new {axes[1]} and by q₃ about "
        f"the new {axes[2]}.",
        "The angles",
    )
    parts = [sign("R", str(k)) for k in (1, 2, 3)]
    for s, axis, name in zip(parts, axes, NAMES, strict=True):
        p.let(s, p.shown(p.turn(axis, name)))
    p.let(sign("R"), parts[0] * parts[1] * parts[2])


def _rates(p: Paper, spin: Expression, velocity: Expression) -> None:
    """ω = B q̇, its determinant, and the same in the body."""
    p.step(
        "Its three parts",
        "ω is linear in the rates of the angles. The columns of B are the axes of the three turns, "
        "as the turns before have left them.",
    )
    value = p.meaning.of(spin.box)
    B = p.let(sign("B"), spin.by(velocity), p.shown(_jacobian(p, value)))
    p.line(spin, B * velocity)
    inside = p.let(sign("ω", "b"), sign("R").T * spin)
    B_b = p.let(sign("B", "b"), sign("R").T * B, p.shown(_jacobian(p, p.meaning.of(inside.box))))
    p.line(inside, B_b * velocity)
    p.step(
        "Where it is singular",
        "The rates follow from ω where det B is not zero. Both matrices have the same determinant, "
        "and it depends on q₂ alone. Its square is that of the product of the first axis and the "
        "third, e₁ × e₃: where it is zero they are parallel.",
        "Singular positions",
    )
    found = p.meaning.of(det(B).box)
    p.line(det(B), p.shown(found))
    p.line(det(B_b), p.shown(found))
    ends = []
    for k in "13":
        p.call(sign("q", k, 1), p.ring[f"qd{k}"])
        ends.append(p.let(sign("e", k), spin.by(sign("q", k, 1))))
    normal = ends[0].cross(ends[1])
    p.line(normal.dot(normal), det(B) ** 2)


def _jacobian(p: Paper, spin: Any) -> Any:
    rates = p.meaning.rates.values()
    return np.array([[x.derivative(r) for r in rates] for x in spin[:, 0]], dtype=object)
