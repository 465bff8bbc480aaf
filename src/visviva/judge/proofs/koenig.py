"""König's theorems: kinetic energy and moment of momentum, split at the centre of mass."""

from __future__ import annotations

from visviva.judge.proofs.formula import HALF_OF, integral, matrix_of, number, sign
from visviva.judge.proofs.paper import Paper
from visviva.judge.proofs.parallel_axes import LINEAR


def koenig() -> Paper:
    """A body with the velocity v_C of its centre of mass and the angular velocity ω."""
    p = Paper([f"{letter}_{k}" for letter in ("c", "v", "w") for k in "xyz"], body=True)
    s, c = p.column(sign("s"), "x y z"), p.column(sign("c"), "c_x c_y c_z")
    v, w = p.column(sign("v", "C"), "v_x v_y v_z"), p.column(sign("ω"), "w_x w_y w_z")
    m, inertia, energy, moment = sign("m"), sign("I", "C"), sign("T"), sign("L", "O")
    p.step(
        "Points of the body",
        "A mass point is at c + s, where c is the place of C. The body is rigid: the velocity of "
        "the point is v_C + ω × s. S(s) is the matrix of s ×.",
        "What is given",
    )
    p.let(m, integral(number(1)))
    speed = p.let(sign("v"), v + w.cross(s))
    p.let(inertia, integral(matrix_of(s).T * matrix_of(s)))
    p.step(
        "Kinetic energy",
        "The square of the velocity is expanded and integrated term by term. The integral is "
        "linear: what does not depend on s goes in front of it.",
        "Proof",
    )
    p.let(energy, HALF_OF * integral(speed.dot(speed)))
    p.line(
        energy,
        HALF_OF * integral(v.dot(v))
        + integral(v.dot(w.cross(s)))
        + HALF_OF * integral(w.cross(s).dot(w.cross(s))),
        check=LINEAR,
    )
    p.line(integral(v.dot(v)), m * v.dot(v), check=LINEAR)
    p.line(integral(v.dot(w.cross(s))), v.dot(w.cross(integral(s))), check=LINEAR)
    p.line(w.cross(s).dot(w.cross(s)), w.T * matrix_of(s).T * matrix_of(s) * w)
    p.step(
        "Moment of momentum about a fixed point O",
        "O is the origin. The product is expanded and integrated in the same way.",
    )
    p.let(moment, integral((c + s).within.cross(speed)))
    p.line(
        moment,
        integral(c.cross(v))
        + integral(c.cross(w.cross(s)))
        + integral(s.cross(v))
        + integral(s.cross(w.cross(s))),
        check=LINEAR,
    )
    p.line(integral(c.cross(w.cross(s))), c.cross(w.cross(integral(s))), check=LINEAR)
    p.line(integral(s.cross(v)), integral(s).cross(v), check=LINEAR)
    p.line(integral(s.cross(w.cross(s))), inertia * w, check=LINEAR)
    p.step(
        "The centre of mass",
        "C is the centre of mass, so that ∫ s dm vanishes, and every term with it.",
    )
    p.suppose(integral(s), p.call(sign("0"), 0 * p.meaning.of(s.box)))
    p.line(energy, HALF_OF * m * v.dot(v) + HALF_OF * w.T * inertia * w)
    p.line(moment, m * c.cross(v) + inertia * w)
    return p
