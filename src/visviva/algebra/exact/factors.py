"""Factors of SymPy expressions, by FLINT.

SymPy tries values by chance when it factors polynomials in several symbols, and may not come back
from a bad one; FLINT takes milliseconds.
"""

from __future__ import annotations

from typing import Any

import sympy
from flint import Ordering, fmpq, fmpq_mpoly_ctx
from sympy.polys.polyerrors import BasePolynomialError

from visviva.algebra.exact.growth import is_short

_EXACT = ("ZZ", "QQ")  # coefficients that FLINT has


def factored(x: Any) -> Any:
    """The same expression as a product of factors that have none, in what SymPy's `Poly` takes.

    What is too long to be multiplied out stays as it is.

    Examples:
        >>> a, b = sympy.symbols("a b")
        >>> factored(a**2 - b**2)
        (a - b)*(a + b)
    """
    top, bottom = sympy.fraction(sympy.together(sympy.sympify(x)))
    return _product(top) / _product(bottom)


def over_roots(x: Any) -> Any:
    """A sum of fractions with square roots in them as one fraction in factors.

    Factors that are what stands below a root become powers of the root.

    Examples:
        >>> v, c = sympy.symbols("v c", positive=True)
        >>> root = sympy.sqrt(1 - v**2 / c**2)
        >>> over_roots(1 / root + v**2 / (c**2 * root - v**2 * root))
        (1 - v**2/c**2)**(-3/2)
    """
    roots = {p for p in x.atoms(sympy.Pow) if p.exp.is_Rational and p.exp.q == 2}
    names = {p.base: sympy.Dummy("root", positive=True) for p in roots}
    plain = x.xreplace({p: names[p.base] ** (2 * p.exp) for p in roots})
    if not roots or plain.atoms(sympy.Pow) & roots:  # roots below roots
        return x
    fraction = factored(plain)
    for base, root in names.items():
        top, bottom = sympy.fraction(sympy.together(base))
        parts = sympy.fraction(fraction)
        numerator, denominator = (_in_powers(x, top, bottom * root**2) for x in parts)
        fraction = numerator / denominator
    return fraction.xreplace({root: sympy.sqrt(base) for base, root in names.items()})


def _in_powers(product: Any, factor: Any, value: Any) -> Any:
    """With what a factor is worth in its place, as often as it is there."""
    number, powers = _by_base(product)
    scale, factor_powers = _by_base(factored(factor))
    times = min((powers.get(base, 0) // k for base, k in factor_powers.items()), default=0)
    others = (base ** (k - times * factor_powers.get(base, 0)) for base, k in powers.items())
    return number * (value / scale) ** times * sympy.Mul(*others)


def _by_base(product: Any) -> tuple[Any, dict[Any, Any]]:
    """A number, and the powers of what stands in a product, whose signs are in the number."""
    number, powers = sympy.S.One, dict[Any, Any]()
    for part in sympy.Mul.make_args(product):
        base, power = part.as_base_exp()
        if base.is_number:
            number *= part
            continue
        if base.could_extract_minus_sign():
            base, number = -base, number * (-1) ** power
        powers[base] = powers.get(base, 0) + power
    return number, powers


def _product(e: Any) -> Any:
    if not is_short(e):
        return e
    try:
        p = sympy.Poly(e)
    except BasePolynomialError:  # a number, or nothing that has factors
        return e
    if str(p.domain) not in _EXACT:
        return e
    context = fmpq_mpoly_ctx.get([f"x{k}" for k in range(len(p.gens))], Ordering.lex)
    terms = {m: fmpq(int(c.p), int(c.q)) for m, c in p.terms()}
    number, factors = context.from_dict(terms).factor()
    parts = [(_expression(f, p.gens), int(k)) for f, k in factors]
    return sympy.Rational(int(number.p), int(number.q)) * sympy.Mul(*(f**k for f, k in parts))


def _expression(p: Any, symbols: Any) -> Any:
    return sympy.Add(
        *(
            sympy.Rational(int(c.p), int(c.q))
            * sympy.Mul(*(s ** int(k) for s, k in zip(symbols, powers, strict=True)))
            for powers, c in p.to_dict().items()
        )
    )
