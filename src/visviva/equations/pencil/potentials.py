"""Which forces have a potential, and the potential of those that have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

import sympy

from visviva.equations.pencil.holes import around_holes, domain, real, zeros
from visviva.errors import ArgumentError


def curl(force: Sequence[Any], q: Sequence[Any]) -> dict[tuple[int, int], Any]:
    """∂fᵢ/∂qⱼ - ∂fⱼ/∂qᵢ, where it is not zero."""
    curl = {}
    for i in range(len(q)):
        for j in range(i):
            twist = sympy.simplify(sympy.diff(force[i], q[j]) - sympy.diff(force[j], q[i]))
            if twist != 0:
                curl[i, j] = twist
    return curl


def circulations(force: Sequence[Any], q: Sequence[Any]) -> dict[str, Any]:
    """∮ f · dq once around each hole of the domain of a force without curl.

    Holes are points of the plane and lines in space where a denominator is zero. A path goes from
    the direction of the first coordinate to that of the second. Coordinates may have any real
    values where f is defined, parameters values of no special kind, and functions left open are
    taken for smooth. A domain that cannot be analysed is an error.

    Examples:
        >>> x, y = sympy.symbols("x y")
        >>> circulations([-y / (x**2 + y**2), x / (x**2 + y**2)], [x, y])
        {'x = 0, y = 0': 2*pi}
        >>> circulations([x / (x**2 + y**2), y / (x**2 + y**2)], [x, y])
        {'x = 0, y = 0': 0}
    """
    if twist := curl(force, q):
        (i, j), value = next(iter(twist.items()))
        raise ArgumentError(
            f"no potential: ∂f/∂q is not symmetric, ∂f{i + 1}/∂{q[j]} - ∂f{j + 1}/∂{q[i]} = {value}"
        )
    return around_holes(force, q)


def is_conservative(force: Sequence[Any], q: Sequence[Any], v: Sequence[Any] = ()) -> bool:
    """Whether f(q) = -∂P/∂q for one P: no velocities (`v`) in it, no curl, no circulation.

    Circulation is around holes of the domain, as of a vortex around its center: `circulations`. A
    domain that cannot be analysed is an error.
    """
    used = {s for f in force for s in sympy.sympify(f).free_symbols}
    if used & set(v) or curl(force, q):
        return False
    return not any(value != 0 for value in around_holes(force, q).values())


def classify(force: Sequence[Any], q: Sequence[Any], v: Sequence[Any], t: Any = None) -> str:
    """What a force is, in one word.

    "time-dependent": t is in it. Without velocities: "conservative" with a potential, "circulatory"
    without. With velocities: "gyroscopic" without power, "dissipative" if the power is never
    positive, "driving" if it is never negative, "velocity-dependent" if it has either sign or the
    sign cannot be told; "mixed" if a part that depends on positions alone comes on top.
    """
    f = [sympy.sympify(part) for part in force]
    used = {s for part in f for s in part.free_symbols}
    if t in used:
        return "time-dependent"
    if not used & set(v):
        return "conservative" if is_conservative(f, q) else "circulatory"
    at_rest = [sympy.simplify(part.subs(dict.fromkeys(v, 0))) for part in f]
    if any(part != 0 and part.is_finite is not False for part in at_rest):
        return "mixed"
    real = {x: sympy.Dummy(x.name, real=True) for x in used | set(v) if x.is_real is None}
    total = sum((part * x for part, x in zip(f, v, strict=True)), sympy.S.Zero)
    power = sympy.simplify(total.xreplace(real))
    if power == 0:
        return "gyroscopic"
    if power.is_nonpositive or sympy.factor(power).is_nonpositive or _is_negative(power):
        return "dissipative"
    if power.is_nonnegative or sympy.factor(power).is_nonnegative or _is_negative(-power):
        return "driving"
    return "velocity-dependent"


def _is_negative(power: Any) -> bool:
    """Of a quadratic form with numbers, by its matrix."""
    x = sympy.Matrix(sorted(power.free_symbols, key=str))
    H = sympy.hessian(power, x)
    is_form = not H.free_symbols and sympy.expand(power - (x.T * H * x)[0] / 2) == 0
    return bool(is_form and (-H).is_positive_semidefinite)


def potential(force: Sequence[Any], q: Sequence[Any], zero: Sequence[Any] | None = None) -> Any:
    """P with f = -∂P/∂q and P = 0 at `zero`.

    If `zero` is not given, it is the origin; where P has no value there, P is without a constant of
    its own, as k/r. P is real: logarithms are of absolute values. Where planes cut the domain, P
    may have another constant in each of the pieces.

    Examples:
        >>> x, y, k = sympy.symbols("x y k")
        >>> potential([-k * x - y, -x], [x, y])
        k*x**2/2 + x*y
        >>> potential([k * x / (x**2 + y**2) ** 2, k * y / (x**2 + y**2) ** 2], [x, y])
        k/(2*x**2 + 2*y**2)
    """
    _refuse(force, q)
    f, at, back = real(force, q)
    gaps = domain(f, at, back).removed
    if not gaps:
        P = -_along_axes(f, at, zero)
        if _is_potential(P, f, at, gaps):
            return sympy.expand(P.xreplace(back))
    for P in _candidates(f, at):
        if _is_potential(P, f, at, gaps):
            return _shifted(P, at, zero, back)
    raise ArgumentError("there is a potential, but no real closed form of it was found")


def _candidates(f: Sequence[Any], q: Sequence[Any]) -> Iterator[Any]:
    """By ∫ dq of one coordinate after the other, on no path: that might meet a hole."""
    orders = permutations(range(len(q))) if len(q) < 4 else [range(len(q))]
    for order in orders:
        P = sympy.S.Zero
        for i in order:
            step = sympy.integrate(sympy.simplify(f[i] + sympy.diff(P, q[i])), q[i])
            P -= step.replace(sympy.Piecewise, lambda *cases: cases[-1][0])  # of the general case
        yield P
    slope = sum((x * g for x, g in zip(q, f, strict=True)), sympy.S.Zero)
    for g in f:  # Euler: q · ∂f/∂q = d f, so -q · f / (d + 1) is a potential
        if g != 0:
            d = sympy.simplify(sum(x * sympy.diff(g, x) for x in q) / g)
            if d.is_number and d != -1:
                yield -slope / (d + 1)
            return


def _is_potential(P: Any, f: Sequence[Any], q: Sequence[Any], gaps: list[Any]) -> bool:
    """Whether f = -∂P/∂q, and P is real and broken nowhere but where f is."""
    if P.has(sympy.I, sympy.Integral, sympy.Piecewise, sympy.atan2, sympy.zoo, sympy.nan):
        return False
    if any(g not in gaps and -g not in gaps for g in zeros([P], q)):
        return False
    return all(sympy.simplify(sympy.diff(P, x) + g) == 0 for x, g in zip(q, f, strict=True))


def _shifted(P: Any, q: Sequence[Any], zero: Any, back: dict[Any, Any]) -> Any:
    """With logarithms of absolute values, and zero where it is to be."""
    P = P.xreplace({u: sympy.log(abs(u.args[0])) for u in P.atoms(sympy.log)})
    start = [0] * len(q) if zero is None else list(zero)
    value = P.subs(dict(zip(q, start, strict=True)), simultaneous=True)
    if not value.has(sympy.oo, sympy.zoo, sympy.nan):
        P -= value
    elif zero is not None:
        raise ArgumentError(
            f"the potential {P.xreplace(back)} has no value at zero={tuple(start)}: give another "
            "place, or none"
        )
    return P.xreplace(back)


def integral(f: Sequence[Any], q: Sequence[Any], start: Sequence[Any] | None = None) -> Any:
    """∫ f · dq from `start` to q, one coordinate after the other; refused if the way matters."""
    _refuse(f, q)
    return _along_axes(f, q, start)


def _along_axes(f: Sequence[Any], q: Sequence[Any], start: Sequence[Any] | None) -> Any:
    origin = [sympy.S.Zero] * len(q) if start is None else list(start)
    total = sympy.S.Zero
    for i, x in enumerate(q):  # coordinates behind this one are still at the start
        at = dict(zip(q[i + 1 :], origin[i + 1 :], strict=True))
        way = sympy.Dummy("s", real=True)
        inside = sympy.sympify(f[i]).subs(at).subs(x, way)
        total += sympy.integrate(inside, (way, origin[i], x))
    return total


def _refuse(f: Sequence[Any], q: Sequence[Any]) -> None:
    """A force with curl or with circulation around a hole of its domain."""
    for where, value in circulations(f, q).items():
        if value != 0:
            raise ArgumentError(
                f"no potential: f has no curl, but it is not defined at {where}, and its "
                f"circulation once around is ∮ f · dq = {value}"
            )
