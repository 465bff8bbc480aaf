"""The theorem of parallel axes, products of inertia included, in both conventions of their sign."""

from __future__ import annotations

from visviva.judge.proofs.formula import Expression, blocks, integral, number, sign
from visviva.judge.proofs.paper import Paper

X, Y, Z, WHOLE = sign("x"), sign("y"), sign("z"), sign("m")
COORDINATES_OF = {"x": X, "y": Y, "z": Z}
PAIRS = ("xy", "xz", "yz")
LINEAR = "every moment has the same coefficient on both sides"


def parallel_axes() -> Paper:
    """About A and about the centre of mass C, axis by axis, then as matrices."""
    p = Paper("x_C y_C z_C".split(), body=True)
    for name, s in COORDINATES_OF.items():
        p.call(s, p.ring[name])
        p.call(_of_centre(s), p.ring[f"{name}_C"])
    _expanded(p)
    _centre(p)
    _moments(p)
    _products(p)
    _matrices(p)
    return p


def _of_centre(s: Expression) -> Expression:
    return sign(s.box.letter, "C")


def _moment(p: Paper, name: str) -> tuple[Expression, Expression, Expression]:
    """About C, about A, and the square of the distance of the axes."""
    a, b = [COORDINATES_OF[k] for k in "xyz" if k != name[0]]
    a_C, b_C = _of_centre(a), _of_centre(b)
    about_C = p.let(sign("I", name, frame="C"), integral(a**2 + b**2))
    moved = (a + a_C).within ** 2 + (b + b_C).within ** 2
    return about_C, p.let(sign("I", name, frame="A"), integral(moved)), a_C**2 + b_C**2


def _product(p: Paper, name: str, letter: str) -> tuple[Expression, Expression, Expression]:
    """About C, about A, and the product of the distances; I has the minus inside, J has not."""
    a, b = (COORDINATES_OF[k] for k in name)
    a_C, b_C = _of_centre(a), _of_centre(b)
    sums = integral(a * b), integral((a + a_C).within * (b + b_C).within)
    members = [-x if letter == "I" else x for x in sums]
    about = [p.let(sign(letter, name, frame=k), x) for k, x in zip("CA", members, strict=True)]
    return about[0], about[1], a_C * b_C


def _expanded(p: Paper) -> None:
    two, one = number(2), number(1)
    x_C, y_C = _of_centre(X), _of_centre(Y)
    p.step(
        "Expanded",
        "Let x, y, z be the place of a mass point seen from C, in axes parallel to those of A. "
        "Seen from A it is x + x_C, y + y_C, z + z_C. The squares are expanded, and the integral, "
        "which is linear, is taken term by term; the mass is the integral of 1.",
        "Proof",
    )
    p.let(WHOLE, integral(one))
    _, about_A, shift = _moment(p, "zz")
    p.line(
        about_A,
        integral(X**2 + Y**2)
        + two * x_C * integral(X)
        + two * y_C * integral(Y)
        + shift.within * integral(one),
        check=LINEAR,
    )
    _, about_A, _ = _product(p, "xy", "I")
    p.line(
        about_A,
        -integral(X * Y) - y_C * integral(X) - x_C * integral(Y) - x_C * y_C * integral(one),
        check=LINEAR,
    )


def _centre(p: Paper) -> None:
    r = p.column(sign("r"), "x y z")
    nothing = p.call(sign("0"), 0 * p.meaning.of(r.box))
    p.step(
        "The centre of mass",
        "C is the centre of mass: seen from there first moments vanish, with r = (x, y, z). So do "
        "the terms with ∫ x dm and ∫ y dm.",
    )
    p.suppose(integral(r), nothing)


def _moments(p: Paper) -> None:
    p.step("Moments of inertia", "What is left, about the z axis; then the other two axes.")
    about_C, about_A = (sign("I", "zz", frame=k) for k in "CA")
    p.line(about_A, about_C + WHOLE * (_of_centre(X) ** 2 + _of_centre(Y) ** 2).within)
    for name in ("xx", "yy"):
        about_C, about_A, shift = _moment(p, name)
        p.line(about_A, about_C + WHOLE * shift.within)


def _products(p: Paper) -> None:
    p.step(
        "Products of inertia with the minus inside",
        "Where I_xy is an entry of the matrix of inertia, it is −∫ x y dm.",
    )
    about_C, about_A = (sign("I", "xy", frame=k) for k in "CA")
    p.line(about_A, about_C - WHOLE * _of_centre(X) * _of_centre(Y))
    for name in PAIRS[1:]:
        about_C, about_A, shift = _product(p, name, "I")
        p.line(about_A, about_C - WHOLE * shift)
    p.step(
        "Products of inertia as integrals",
        "Where the letter is the integral itself, J_xy = ∫ x y dm, the sign of the shift is the "
        "other one. In the matrix of inertia −J_xy stands, so that both say the same of it.",
    )
    for name in PAIRS:
        about_C, about_A, shift = _product(p, name, "J")
        p.line(about_A, about_C + WHOLE * shift)
        p.line(-about_A, sign("I", name, frame="A"))


def _matrices(p: Paper) -> None:
    r, E = sign("r"), p.unit(sign("E"))
    c = p.column(sign("c"), "x_C y_C z_C")
    p.step(
        "All entries at once",
        "With c = (x_C, y_C, z_C) and the unit matrix E the matrix of inertia is the integral of "
        "r · r E − r rᵀ. It has the moments on its diagonal and the products, with the minus, "
        "beside it.",
    )
    about_C = p.let(sign("I", "C"), integral((r.dot(r) * E - r * r.T).within))
    about_A = p.let(
        sign("I", "A"),
        integral(((r + c).dot(r + c) * E - (r + c).within * (r + c).T).within),
    )
    p.line(about_A, about_C + WHOLE * (c.dot(c) * E - c * c.T).within)
    entry = {i + j: sign("I", "".join(sorted(i + j)), frame="A") for i in "xyz" for j in "xyz"}
    p.line(about_A, blocks(*(tuple(entry[i + j] for j in "xyz") for i in "xyz")))
