"""Factors of SymPy expressions, by FLINT.

SymPy tries values by chance when it factors polynomials in several symbols, and may not come back
from a bad one; FLINT takes milliseconds.
"""

from __future__ import annotations

from typing import Any

import sympy
from flint import Ordering, fmpq, fmpq_mpoly_ctx
from sympy.polys.polyerrors import BasePolynomialError

_EXACT = ("ZZ", "QQ")  # coefficients that FLINT has


def factored(x: Any) -> Any:
    """The same expression as a product of factors that have none, in what SymPy's `Poly` takes.

    Examples:
        >>> a, b = sympy.symbols("a b")
        >>> factored(a**2 - b**2)
        (a - b)*(a + b)
    """
    top, bottom = sympy.fraction(sympy.together(sympy.sympify(x)))
    return _product(top) / _product(bottom)


def _product(e: Any) -> Any:
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
