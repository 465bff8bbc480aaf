"""Where a force is not defined, and its circulation around such places.

Without curl a force has a potential on every piece of its domain that has no hole. Holes that a
closed path can go around are isolated points in the plane and lines in space: common zeros of two
linear forms, as of x² + y². Around each of them ∮ f · dq is one number, however narrow the path;
the potential exists if all of these numbers are zero. Planes (zeros of one linear form) and points
in space cut or prick the domain, and leave no hole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from visviva.errors import ArgumentError

SMOOTH = (
    sympy.sin, sympy.cos, sympy.exp, sympy.sinh, sympy.cosh, sympy.tanh, sympy.atan, sympy.asinh,
    sympy.erf, sympy.log, AppliedUndef,
)  # fmt: skip
BY_SINES = {
    sympy.tan: lambda u: sympy.sin(u) / sympy.cos(u),
    sympy.cot: lambda u: sympy.cos(u) / sympy.sin(u),
    sympy.sec: lambda u: 1 / sympy.cos(u),
    sympy.csc: lambda u: 1 / sympy.sin(u),
}


@dataclass(frozen=True)
class Hole:
    """The zeros of a quadratic form of rank two about a center: ½ (q - c)ᵀ A (q - c)."""

    center: list[Any]
    A: Any

    def directions(self) -> Any:
        """The linear forms that are zero in it."""
        return self.A.rref()[0][:2, :]


@dataclass
class Domain:
    """What a force's denominators, roots and logarithms take out of the space of q."""

    q: Sequence[Any]
    holes: list[Hole]
    barriers: list[Any]  # their zeros cut the domain
    one_sided: list[Any]  # these are positive in the domain
    removed: list[Any]  # factors whose zeros are taken out
    rational: bool = True  # no roots, no logarithms


def real(formulas: Sequence[Any], q: Sequence[Any]) -> tuple[list[Any], list[Any], dict[Any, Any]]:
    """The formulas and q over real symbols, and the way back; q may have either sign.

    Parameters keep what is declared of them; of others it is taken that they are not zero.
    """
    formulas = [sympy.sympify(f) for f in formulas]
    formulas = [sympy.nsimplify(f, rational=True) if f.has(sympy.Float) else f for f in formulas]
    used = {s for f in formulas for s in f.free_symbols}
    names = {x: sympy.Dummy(str(x), real=True) for x in q}
    for s in used - set(names):
        if s.is_real is None:
            names[s] = sympy.Dummy(s.name, real=True, zero=False)
    back = {dummy: symbol for symbol, dummy in names.items()}
    return [f.xreplace(names) for f in formulas], [names[x] for x in q], back


def around_holes(force: Sequence[Any], q: Sequence[Any]) -> dict[str, Any]:
    """∮ f · dq once around each hole of the domain of a force without curl."""
    f, at, back = real(force, q)
    where = domain(f, at, back)
    holes = [hole for hole in where.holes if not _outside(hole, where)]
    return {_name(h, at, back): _around(f, at, h, back).xreplace(back) for h in holes}


def domain(f: Sequence[Any], q: Sequence[Any], back: dict[Any, Any]) -> Domain:
    """Where real formulas are defined, as conditions."""
    where = Domain(q, [], [], [], zeros(f, q))
    if len(q) < 2:
        return where  # a line: without holes
    curved = []
    for component in f:
        form = _tidy(component)
        strange = [
            u for u in form.atoms(sympy.Function) if not isinstance(u, SMOOTH) and _has(u, q)
        ]
        if strange or form.has(sympy.Piecewise):
            raise _unknown(strange[0] if strange else form, back)
        nonzero, sides = _special(form)
        where.rational &= not any(_has(g, q) for g in sides)
        where.one_sided += sides
        for g in (*nonzero, *sides):
            whole = g in sides and [n for _, n in _powers(g)] == [1]
            for part in [g] if whole else _factors(g):
                curved += _add(part, whole, where, back)
    curved = list(dict.fromkeys(curved))
    if curved and len(q) > 2 and len(curved) + len(where.barriers) > 1:
        raise _unknown(curved[0], back)
    where.barriers += curved
    if len(q) > 2 and where.holes and not where.rational:
        forms = {str(hole.directions()) for hole in where.holes}
        if where.barriers or len(forms) > 1:  # pieces of one line may have different circulations
            raise _unknown((where.barriers or where.holes[0].A)[0], back)
    return where


def _tidy(f: Any) -> Any:
    for function, instead in BY_SINES.items():
        f = f.replace(function, instead)
    return sympy.cancel(sympy.together(f))


def _has(g: Any, q: Sequence[Any]) -> bool:
    return any(g.has(x) for x in q)


def _special(f: Any) -> tuple[list[Any], list[Any]]:
    """What may not be zero, and what may not be negative."""
    powers = f.atoms(sympy.Pow)
    zeros = [p.base for p in powers if p.exp.is_integer and p.exp.could_extract_minus_sign()]
    sides = [p.base for p in powers if not p.exp.is_integer and p.base != sympy.E]
    sides += [u.args[0] for u in f.atoms(sympy.log)]
    order = sympy.default_sort_key
    return sorted(set(zeros), key=order), sorted(set(sides), key=order)


def _factors(g: Any) -> list[Any]:
    return [factor for factor, _ in _powers(g)]


def _powers(g: Any) -> list[tuple[Any, int]]:
    """Factors with their exponents; roots and functions are letters, and roots are left out."""
    g = sympy.expand(g)
    roots = {p: sympy.Dummy() for p in g.atoms(sympy.Pow) if not p.exp.is_integer}
    others = {u: sympy.Dummy() for u in g.xreplace(roots).atoms(sympy.Function)}
    back = {letter: u for u, letter in (roots | others).items()}
    g = g.xreplace(roots).xreplace(others)
    if g.is_number:
        return []
    factors = sympy.factor_list(sympy.fraction(sympy.together(g))[0])[1]
    letters = set(roots.values())
    return [(part.xreplace(back), n) for part, n in factors if part not in letters]


def zeros(f: Sequence[Any], q: Sequence[Any]) -> list[Any]:
    """Factors of what may not be zero in f, as far as they have real zeros."""
    factors = [part for g in f for some in _special(_tidy(g)) for h in some for part in _factors(h)]
    return [part for part in dict.fromkeys(factors) if _has(part, q) and not part.is_nonzero]


def _add(g: Any, one_sided: bool, where: Domain, back: dict[Any, Any]) -> list[Any]:
    """Put the zeros of one factor where they belong; returned if they are curved."""
    q = where.q
    if not _has(g, q) or g.is_nonzero:
        return []
    if _is_flat(g, q):
        where.barriers += [g] if g not in where.barriers else []
        return []
    if not g.is_polynomial(*q) or sympy.Poly(g, *q).total_degree() > 2:
        raise _unknown(g, back)
    A = sympy.hessian(g, q)
    sign = -1 if A.is_negative_semidefinite else 1
    if not (sign * A).is_positive_semidefinite:
        if len(q) == 2 and (A.det().is_negative or sympy.simplify(A.det()) == 0):
            return [g]  # hyperbolas and parabolas leave pieces of the plane without holes
        raise _unknown(g, back)
    A, rank = sign * A, A.rank()
    center = _center(sign * g, A, q)
    if center is None:  # a parabola, or a cylinder over one
        return [g]
    low = sympy.simplify((sign * g).subs(dict(zip(q, center, strict=True)), simultaneous=True))
    if low == 0:
        if rank == 2 and all(hole.A != A or hole.center != center for hole in where.holes):
            where.holes.append(Hole(center, A))
        return []
    if low.is_positive:
        return []
    if one_sided and sign == -1 and low.is_negative:
        where.barriers += [g] if g not in where.barriers else []
        return []  # positive inside an ellipsoid only, which is as good as a plane
    if low.is_negative and rank > 2:
        return [g]
    raise _unknown(g, back)


def _is_flat(g: Any, q: Sequence[Any]) -> bool:
    """Whether g is a function of one linear form of q."""
    slopes = [sympy.diff(g, x) for x in q if g.has(x)]
    return all(not _has(sympy.simplify(slope / slopes[0]), q) for slope in slopes[1:])


def _center(g: Any, A: Any, q: Sequence[Any]) -> list[Any] | None:
    """Where the slope of a quadratic g is zero; free coordinates of that set are left as s > 0."""
    zero = dict.fromkeys(q, 0)
    slope = sympy.Matrix([sympy.diff(g, x).subs(zero) for x in q])
    try:
        center, free = A.gauss_jordan_solve(-slope)
    except ValueError:
        return None
    names = {s: sympy.Symbol(f"_s{k}", positive=True) for k, s in enumerate(free)}
    return list(center.xreplace(names))


def _outside(hole: Hole, where: Domain) -> bool:
    """Whether the hole lies in a barrier, or where a root is of something negative."""
    at = dict(zip(where.q, hole.center, strict=True))
    cut = any(sympy.simplify(g.subs(at, simultaneous=True)) == 0 for g in where.barriers)
    return cut or any(g.subs(at, simultaneous=True).is_negative for g in where.one_sided)


def _around(f: Sequence[Any], q: Sequence[Any], hole: Hole, back: dict[Any, Any]) -> Any:
    """∮ f · dq on an ellipse of the form's own shape, which shrinks to the hole."""
    A, size = hole.A, sympy.Dummy("e", positive=True)
    C, S = sympy.Dummy("C", real=True), sympy.Dummy("S", real=True)  # cos t and sin t
    i, j = A.rref()[1][:2]
    lean, second = A[i, j] / A[i, i], sympy.simplify(A[j, j] - A[i, j] ** 2 / A[i, i])
    v, dv = S / sympy.sqrt(second), C / sympy.sqrt(second)
    u, du = C / sympy.sqrt(A[i, i]) - lean * v, -S / sympy.sqrt(A[i, i]) - lean * dv
    at = dict(zip(q, hole.center, strict=True))
    at[q[i]] += size * u
    at[q[j]] += size * v
    work = sum(_tidy(f[k]).subs(at, simultaneous=True) * d * size for k, d in ((i, du), (j, dv)))
    level = sympy.Dummy("level")  # of log e, which grows more slowly than any power
    work = sympy.expand_log(_on_circle(work, C, S)).subs(sympy.log(size), level)
    constant = _constant_term(work, size)
    if constant is None or not constant.is_polynomial(C, S, level):
        raise _unknown(_form(hole, q), back)
    total = sympy.S.Zero
    for (a, b, c), coefficient in sympy.Poly(constant, C, S, level).terms():
        if c == 0 and a % 2 == 0 and b % 2 == 0:  # ∮ cosᵃ sinᵇ
            share = sympy.factorial2(a - 1) * sympy.factorial2(b - 1) / sympy.factorial2(a + b)
            total += 2 * sympy.pi * share * coefficient
    total = sympy.simplify(total)
    if total.has(sympy.I) or total.free_symbols & set().union(
        *(sympy.sympify(c).free_symbols - set(back) for c in hole.center)
    ):
        raise _unknown(_form(hole, q), back)
    return total


def _on_circle(f: Any, C: Any, S: Any) -> Any:
    """With C² = 1 - S² in every sum, so that the form itself is e²."""

    def short(g: Any) -> Any:
        if g.is_polynomial(C, S):
            return sympy.rem(sympy.expand(g), C**2 + S**2 - 1, C)
        return g

    def inside(g: Any) -> Any:
        if g.is_Pow and not g.exp.is_integer:
            return sympy.Pow(sympy.factor(short(g.base)), g.exp)
        return sympy.log(sympy.factor(short(g.args[0])))

    f = f.replace(lambda g: (g.is_Pow and not g.exp.is_integer) or g.func is sympy.log, inside)
    above, below = sympy.fraction(sympy.together(f))
    return short(above) / short(below)


def _constant_term(f: Any, e: Any, most: int = 12) -> Any:
    """The coefficient of e⁰ in the Laurent series of f, or None."""
    above, below = sympy.fraction(sympy.together(f))

    def coefficients(g: Any, n: int) -> list[Any]:
        series = []
        for k in range(n):
            series.append(sympy.simplify(g.subs(e, 0)) / sympy.factorial(k))
            g = sympy.diff(g, e)
        return series

    d = coefficients(below, 1)
    while d[-1] == 0 and len(d) < most:
        d = coefficients(below, len(d) + 1)
    order = len(d) - 1  # of the pole
    d, n = coefficients(below, 2 * order + 1)[order:], coefficients(above, order + 1)
    if d[0] == 0 or any(
        not c.is_finite and c.has(sympy.oo, sympy.zoo, sympy.nan) for c in (*d, *n)
    ):
        return None
    c: list[Any] = []
    for k in range(order + 1):
        c.append((n[k] - sum(d[i] * c[k - i] for i in range(1, k + 1))) / d[0])
    return sympy.cancel(sympy.simplify(c[order]))


def _name(hole: Hole, q: Sequence[Any], back: dict[Any, Any]) -> str:
    """The hole as equations: 'x = 0, y = 1'."""
    forms = []
    for row in hole.directions().tolist():
        left = sum(a * x for a, x in zip(row, q, strict=True))
        right = sum(a * c for a, c in zip(row, hole.center, strict=True))
        forms.append(f"{left.xreplace(back)} = {sympy.simplify(right).xreplace(back)}")
    return ", ".join(forms)


def _form(hole: Hole, q: Sequence[Any]) -> Any:
    d = sympy.Matrix([x - c for x, c in zip(q, hole.center, strict=True)])
    return sympy.expand((d.T * hole.A * d)[0] / 2)


def _unknown(what: Any, back: dict[Any, Any]) -> ArgumentError:
    return ArgumentError(
        "whether this force has a potential is not known: its curl is zero, but the domain around "
        f"{sympy.sympify(what).xreplace(back)} cannot be analysed (zeros of linear forms and of "
        "quadratics in denominators, roots and logarithms can)"
    )
