"""Volume integrals in closed form, with symbols: polynomials, and roots of quadratics by sines.

SymPy's general integrator does not come back from a ball in x, y and z. What makes such bodies is
narrow: a density that is a polynomial, and limits that are roots of quadratics. Each integral is
then a sum of xⁿ Q(x)^(m/2), and x = mid + half·sin t makes it one of sines and cosines.
"""

from __future__ import annotations

from typing import Any

import sympy

from visviva.errors import ArgumentError
from visviva.progress import progress


def integral(f: Any, variables: Any, bounds: Any) -> Any:
    """∫ f over the variables, the last of them first; its limits may depend on those before."""
    for k in reversed(range(len(variables))):
        low, high = bounds[k]
        f = _one(f, variables[k], low, high, variables[:k])
    return sympy.simplify(f)


def _one(f: Any, x: Any, low: Any, high: Any, others: Any) -> Any:
    f = _flat(f)
    if not f.has(x):
        return f * (high - low)
    total, rest = sympy.S.Zero, sympy.S.Zero
    for term in sympy.Add.make_args(f):
        integrated = _term(term, x, low, high)
        if integrated is None:
            rest += term
        else:
            total += integrated
    if rest == 0:
        return total
    if _has_roots(rest, x) and any(rest.has(other) for other in others):
        # SymPy may not come back from these, nor say so
        parts = [str(part.xreplace(_plain(part))) for part in (rest, x, low, high)]
        raise ArgumentError(
            "no closed form is known for the integral of {} over {} from {} to {}: state the "
            'region in other coordinates, {{"r": (…), "phi": (…), "z": (…)}} or '
            '{{"r": (…), "theta": (…), "phi": (…)}}, or give numbers'.format(*parts)
        )
    with progress(f"integral over {x.name}"):
        return total + sympy.integrate(rest, (x, low, high))


def _flat(f: Any) -> Any:
    """A sum of products, with whole powers of a root taken out of it."""
    return sympy.powsimp(sympy.expand(f, power_base=False), deep=True)


def _plain(f: Any) -> dict[Any, Any]:
    """Symbols by their names, for a message."""
    return {s: sympy.Symbol(s.name) for s in f.free_symbols}


def _has_roots(f: Any, x: Any) -> bool:
    """Whether x is under a root or in the inverse of a function."""
    roots = any(not p.exp.is_integer and p.base.has(x) for p in f.atoms(sympy.Pow))
    return roots or f.has(sympy.asin, sympy.acos, sympy.atan, sympy.log)


def _term(term: Any, x: Any, low: Any, high: Any) -> Any:
    """∫ c xⁿ Q(x)^(m/2) dx, or None if the term is something else."""
    c, root, rest = sympy.S.One, None, sympy.S.One
    for factor in sympy.Mul.make_args(term):
        base, power = factor.as_base_exp()
        if not factor.has(x):
            c *= factor
        elif factor.is_polynomial(x):
            rest *= factor
        elif root is None and base.is_polynomial(x) and (2 * power).is_integer:
            root = (sympy.expand(base), power)
        else:
            return None
    rest = sympy.Poly(rest, x)
    if root is None:
        whole = rest.integrate().as_expr()
        return c * (whole.subs(x, high) - whole.subs(x, low))
    Q, power = sympy.Poly(root[0], x), root[1]
    if Q.degree() == 1 and power > -1:
        return c * _linear(rest, Q, power, x, low, high)
    if Q.degree() == 2 and power >= sympy.Rational(-1, 2):
        over_sines = _quadratic(rest, Q, power, x, low, high)
        return None if over_sines is None else c * over_sines
    return None


def _linear(f: Any, Q: Any, power: Any, x: Any, low: Any, high: Any) -> Any:
    """With u = Q(x) = a x + b."""
    a, b = Q.all_coeffs()
    u = sympy.Dummy("u")
    total = sympy.S.Zero
    for (k,), coefficient in sympy.Poly(f.as_expr().subs(x, (u - b) / a), u).terms():
        n = k + power + 1
        ends = [sympy.expand(Q.as_expr().subs(x, end)) ** n for end in (low, high)]
        total += coefficient * (ends[1] - ends[0]) / n
    return total / a


def _quadratic(f: Any, Q: Any, power: Any, x: Any, low: Any, high: Any) -> Any:
    """With x = mid + half sin t, where Q = k (half² - (x - mid)²) and k > 0."""
    a, b, c = Q.all_coeffs()
    k, mid = -a, -b / (2 * a)
    if not k.is_positive:
        return None
    square = sympy.expand(c / k + mid**2)
    first, last = (_is_end(end - mid, square) for end in (low, high))
    if first is None or last is None or not (first or last):
        return None
    half = high - mid if last else mid - low  # low is below high, or there is no body
    start, stop = -first * sympy.pi / 2, last * sympy.pi / 2
    s = sympy.Dummy("s")
    total = sympy.S.Zero
    over = sympy.Poly(f.as_expr().subs(x, mid + half * s), s)
    for (n,), coefficient in over.terms():
        total += coefficient * (_sines(n, 2 * power + 1, stop) - _sines(n, 2 * power + 1, start))
    return total * k**power * half ** (2 * power + 1)


def _is_end(x: Any, square: Any) -> int | None:
    """1 where x is an end ±√square of the root's range, 0 where it is the middle."""
    if sympy.expand(x) == 0:
        return 0
    return 1 if sympy.simplify(x**2 - square) == 0 else None


def _sines(n: int, m: Any, t: Any) -> Any:
    """∫ sinⁿ t cosᵐ t dt from 0 to ±π/2 or 0."""
    if t == 0:
        return sympy.S.Zero
    beta = sympy.gamma(sympy.Rational(n + 1, 2)) * sympy.gamma((m + 1) / 2) / 2
    whole = beta / sympy.gamma((n + m) / 2 + 1)
    return whole if t > 0 or n % 2 else -whole


def real_symbols(density: Any, bounds: Any, coordinates: Any) -> dict[Any, Any]:
    """Symbols of unknown sign as real ones, positive where a limit would else be above the other.

    A body from -a to a has a > 0; its formulas then need no |a|.
    """
    formulas = [density, *(limit for pair in bounds for limit in pair)]
    used = {s for f in formulas for s in f.free_symbols} - set(coordinates)
    unknown = {s for s in used if s.is_real is None}
    positive = set()
    for low, high in bounds:
        length = {s for s in sympy.Mul.make_args(sympy.factor_terms(high - low)) if s in unknown}
        positive |= length if len(length) == 1 else set()
    return {
        s: sympy.Dummy(s.name, positive=True)
        if s in positive
        else sympy.Dummy(s.name, real=True, zero=False)
        for s in unknown
    }
