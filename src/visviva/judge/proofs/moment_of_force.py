"""The moment of a force is the rate of the moment of momentum, about a point that is fixed."""

from __future__ import annotations

from visviva.judge.proofs.formula import sign
from visviva.judge.proofs.paper import Paper


def moment_of_force() -> Paper:
    """A mass point at r, and a point A at a that may move."""
    p = _paper()
    m = p.call(sign("m"), p.ring["m"])
    r, a, momentum = (p.column(sign(x), f"{x}1 {x}2 {x}3") for x in "rap")
    p.step(
        "Velocities and rates",
        "The mass is at r, the point A is at a, and p is the momentum of the mass. The force on it "
        "is the rate of p.",
        "What is given",
    )
    v, v_A = p.let(sign("v"), r.rate), p.let(sign("v", "A"), a.rate)
    force = p.let(sign("f"), momentum.rate)
    p.step(
        "The rate of a product",
        "The moment of momentum about the origin O, which is fixed, and about A, which may move. "
        "Each rate has two terms.",
        "Proof",
    )
    about_O = p.let(sign("L", "O"), r.cross(momentum))
    p.line(about_O.rate, v.cross(momentum) + r.cross(force))
    about_A = p.let(sign("L", "A"), (r - a).cross(momentum))
    p.line(about_A.rate, (v - v_A).cross(momentum) + (r - a).cross(force))
    p.step(
        "Momentum has the direction of velocity",
        "The momentum is p = m v. Its vector product with v is zero, and its rate is m v̇, as the "
        "mass is constant.",
    )
    p.let(momentum, m * v)
    p.let(force, momentum.rate, m * p.let(sign("v", dots=1), v.rate))
    p.line(v.cross(momentum), p.call(sign("0"), 0 * p.meaning.of(r.box)))
    p.step("About the fixed point O", "The first term is zero: what is left is the moment of f.")
    p.let(about_O, r.cross(momentum))
    p.line(about_O.rate, r.cross(force))
    p.step(
        "About the point A",
        "The velocity of A stays in the first term. The moment of the force is the rate of the "
        "moment of momentum and a term that vanishes where A is at rest.",
    )
    p.let(about_A, (r - a).cross(momentum))
    moment = p.let(sign("M", "A"), (r - a).cross(force))
    p.line(moment, about_A.rate + m * v_A.cross(v))
    return p


def _paper() -> Paper:
    """Three vectors that move, and their rates."""
    first = [f"{letter}{k}" for letter in "rap" for k in (1, 2, 3)]
    rates = {x: f"{x[0]}d{x[1]}" for x in first}
    rates |= {dx: f"{dx[0]}dd{dx[2]}" for dx in rates.values()}
    return Paper(["m", *first, *rates.values()], rates=rates)
