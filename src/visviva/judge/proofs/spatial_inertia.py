"""The spatial inertia in another frame of the body, from kinetic energy; and wrenches with it."""

from __future__ import annotations

from visviva.judge.proofs.formula import (
    HALF_OF,
    Expression,
    blocks,
    integral,
    matrix_of,
    number,
    sign,
)
from visviva.judge.proofs.paper import Paper

ZERO_BLOCK = number(0)
V_A, V_B, G_A, G_B = sign("V", "a"), sign("V", "b"), sign("G", "a"), sign("G", "b")
F_A, F_B, AD = sign("F", "a"), sign("F", "b"), sign("A")
R, SHIFT, E, C = sign("R"), sign("p"), sign("E"), sign("c")
ENERGY, MASS_OF = sign("T"), sign("m")
THREE_ANGLES = ("alpha", "beta", "gamma")


def spatial_inertia() -> Paper:
    """Frame b first, then frame a, which is at (R, p) in it."""
    of_a = [f"{letter}_{axis}" for letter in ("w", "u", "dw", "du") for axis in "xyz"]
    of_b = [f"{letter}_{axis}" for letter in ("W", "U", "n", "f") for axis in "xyz"]
    rest = [f"{letter}_{axis}" for letter in "pc" for axis in "xyz"]
    p = Paper([*of_a, *of_b, *rest, *THREE_ANGLES], THREE_ANGLES, body=True)
    _energy(p)
    _twist(p)
    _inertia(p)
    _wrench(p)
    return p


def _energy(p: Paper) -> None:
    r = p.column(sign("r"), "x y z")
    w, u = p.column(sign("ω", "b"), "W_x W_y W_z"), p.column(sign("v", "b"), "U_x U_y U_z")
    p.column(C, "c_x c_y c_z")
    p.column(SHIFT, "p_x p_y p_z")
    p.unit(E)
    p.step(
        "Kinetic energy in frame b",
        "A point of the body at r, seen from frame b, has the velocity v_b + ω_b × r. The square "
        "is integrated over the body. With the mass m, the centre of mass c and the matrix of "
        "inertia I about the origin of b it is a quadratic form of the twist. S(c) is the matrix "
        "of c ×, and E the unit matrix.",
        "Energy",
    )
    p.let(MASS_OF, integral(number(1)))
    p.suppose(integral(r), MASS_OF * C)
    inertia = p.let(sign("I"), integral(matrix_of(r).T * matrix_of(r)))
    p.let(V_B, blocks((w,), (u,)))
    p.let(
        G_B,
        blocks((inertia, MASS_OF * matrix_of(C)), (MASS_OF * matrix_of(C).T, MASS_OF * E)),
    )
    speed = (u + w.cross(r)).within
    p.let(ENERGY, HALF_OF * integral(speed.dot(speed)), HALF_OF * V_B.T * G_B * V_B)


def _twist(p: Paper) -> None:
    r = p.column(sign("r"), "x y z")
    w, u = p.column(sign("ω", "a"), "w_x w_y w_z"), p.column(sign("v", "a"), "u_x u_y u_z")
    p.call(R, p.turn("z", "alpha") @ p.turn("y", "beta") @ p.turn("x", "gamma"))
    p.step(
        "The twist in the other frame",
        "Frame a is fixed in the body as well: its axes are R and its origin is p, seen from b, so "
        "that a point at r in a is at R r + p in b. R is a rotation, which is here the product of "
        "turns about z, y and x; each rotation is one. So it keeps lengths and vector products.",
        "Twists",
    )
    p.line(R.T * R, E)
    p.line(R * w.cross(r).within, (R * w).cross(R * r))
    p.step(
        "The same motion",
        "The velocity of that point is v_a + ω_a × r in the axes of a. Turned into those of b it "
        "has to be ω_b × (R r + p) + v_b for every r, and that it is with the matrix A below, the "
        "adjoint of (R, p).",
    )
    p.let(V_A, blocks((w,), (u,)))
    p.let(AD, blocks((R, ZERO_BLOCK), (matrix_of(SHIFT) * R, R)))
    turned, moved = sign("ω", "b"), sign("v", "b")
    p.let(turned, R * w)
    p.let(moved, matrix_of(SHIFT) * R * w + R * u)
    p.line(turned.cross(R * r + SHIFT) + moved, R * (w.cross(r) + u).within)
    p.let(V_B, blocks((turned,), (moved,)), AD * V_A)


def _inertia(p: Paper) -> None:
    p.step(
        "The same energy",
        "Energy does not depend on the frame in which a twist is written: V_b = A V_a is put in.",
        "Inertia",
    )
    p.let(ENERGY, HALF_OF * V_B.T * G_B * V_B, HALF_OF * V_A.T * AD.T * G_B * AD * V_A)
    p.step(
        "The spatial inertia in frame a",
        "It is the symmetric matrix of the same quadratic form of V_a. Such a matrix is unique: "
        "the gradient of T is G_a V_a, and the derivative of that is G_a.",
    )
    gradient = p.let(sign("P", "a"), ENERGY.by(V_A))
    p.let(G_A, gradient.by(V_A), AD.T * G_B * AD)
    p.line(G_A.T, G_A)
    p.line(ENERGY, HALF_OF * V_A.T * G_A * V_A)
    _shifted(p)


def _shifted(p: Paper) -> None:
    """R = E, c = 0: what books print."""
    before = {k: p.meaning.signs[k.box] for k in (C, G_B, AD)}
    p.step(
        "Without a turn",
        "With R = E, and the centre of mass in the origin of b, the blocks are those of the "
        "theorem of parallel axes.",
    )
    p.call(C, 0 * before[C])
    inertia, m = sign("I"), MASS_OF
    p.let(G_B, blocks((inertia, ZERO_BLOCK), (ZERO_BLOCK, m * E)))
    p.let(AD, blocks((E, ZERO_BLOCK), (matrix_of(SHIFT), E)))
    p.line(
        AD.T * G_B * AD,
        blocks(
            (inertia + m * matrix_of(SHIFT).T * matrix_of(SHIFT), m * matrix_of(SHIFT).T),
            (m * matrix_of(SHIFT), m * E),
        ),
    )
    for k, value in before.items():
        p.call(k, value)


def _bracket(w: Expression, u: Expression) -> Expression:
    """The matrix of the bracket of a twist with others."""
    return blocks((matrix_of(w), ZERO_BLOCK), (matrix_of(u), matrix_of(w)))


def _wrench(p: Paper) -> None:
    p.column(F_B, [f"{x}_{k}" for x in "nf" for k in "xyz"])
    p.step(
        "Wrenches",
        "A wrench F, moment before force, does work at the rate F · V, and that does not depend on "
        "the frame either. It is linear in V_a, and its gradient is F_a.",
        "Wrenches",
    )
    power = p.let(sign("W"), F_B.T * V_B, F_B.T * AD * V_A)
    p.let(F_A, power.by(V_A), AD.T * F_B)
    p.line(power, F_A.T * V_A)
    rate_a = p.column(sign("V", "a", 1), [f"{x}_{k}" for x in ("dw", "du") for k in "xyz"])
    rate_b = p.let(sign("V", "b", 1), AD * rate_a)
    p.step(
        "The equation of motion in the other frame",
        "In frame b the wrench that moves the body is G_b times the rate of V_b, less Bᵀ G_b V_b, "
        "where B is made of V_b. The bracket keeps its form under A, so that the wrench in frame a "
        "has the same form.",
    )
    B_a = p.let(sign("B", "a"), _bracket(sign("ω", "a"), sign("v", "a")))
    B_b = p.let(sign("B", "b"), _bracket(sign("ω", "b"), sign("v", "b")))
    p.line(B_b * AD, AD * B_a)
    p.let(F_B, G_B * rate_b - B_b.T * G_B * V_B)
    p.let(F_A, AD.T * F_B, G_A * rate_a - B_a.T * G_A * V_A)
