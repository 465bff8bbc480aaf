"""The angular velocity from the rates of three angles, and where that cannot be undone."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.judge.proofs.formula import Expression, det, matrix_of, sign
from visviva.judge.proofs.paper import Paper
from visviva.space.euler import convention as called
from visviva.space.rotations import unskew

NAMES = ("q1", "q2", "q3")
LOW = str.maketrans("123", "₁₂₃")


def euler_rates(convention: str = "ZXZ") -> Paper:
    """Angles by a convention of `vv.space`: capitals turn about moved axes, small letters fixed."""
    c = called(str(convention))
    turns = [("xyz"[axis], NAMES[place]) for axis, place in zip(c.axes, c.places, strict=True)]
    rates = {x: f"qd{x[1]}" for x in NAMES}
    p = Paper([*NAMES, *rates.values()], NAMES, rates)
    _turns(p, turns, is_fixed=convention.islower())
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
    _rates(p, spin, velocity, [name for _, name in turns])
    return p


def _turns(p: Paper, turns: list[tuple[str, str]], is_fixed: bool) -> None:
    (a, by_a), (b, by_b), (c, by_c) = ((axis, name.translate(LOW)) for axis, name in turns)
    said = (
        f"R = R₁ R₂ R₃ turns by {by_a} about {a}, by {by_b} about the new {b} and by {by_c} about "
        f"the new {c}."
    )
    if is_fixed:
        said += f" About fixed axes that is by {by_c} about {c}, then by {by_b} about {b} and "
        said += f"by {by_a} about {a}."
    p.step("The rotation", said, "The angles")
    parts = [sign("R", str(k)) for k in (1, 2, 3)]
    for s, (axis, name) in zip(parts, turns, strict=True):
        p.let(s, p.shown(p.turn(axis, name)))
    p.let(sign("R"), parts[0] * parts[1] * parts[2])


def _rates(p: Paper, spin: Expression, velocity: Expression, names: list[str]) -> None:
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
        f"and it depends on {names[1].translate(LOW)} alone. Its square is that of the product of "
        "the first axis and the third, e₁ × e₃: where it is zero they are parallel.",
        "Singular positions",
    )
    found = p.meaning.of(det(B).box)
    p.line(det(B), p.shown(found))
    p.line(det(B_b), p.shown(found))
    ends = []
    for k, name in (("1", names[0]), ("3", names[2])):
        rate = p.call(sign("q", name[1], 1), p.ring[f"qd{name[1]}"])
        ends.append(p.let(sign("e", k), spin.by(rate)))
    normal = ends[0].cross(ends[1])
    p.line(normal.dot(normal), det(B) ** 2)


def _jacobian(p: Paper, spin: Any) -> Any:
    rates = p.meaning.rates.values()
    return np.array([[x.derivative(r) for r in rates] for x in spin[:, 0]], dtype=object)
