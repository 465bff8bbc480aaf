"""Numbers of a textbook form, for SymPy."""

from __future__ import annotations

from decimal import Context, Decimal
from functools import cache
from typing import Any

from visviva.notation.textbook.polynomials import SHORT_DENOMINATOR, Number


def number(x: Number) -> Any:
    """A fraction, or a decimal where its denominator is a long power of ten."""
    s = library()
    d = x.denominator
    if d > SHORT_DENOMINATOR:
        for p in (2, 5):
            while d % p == 0:
                d //= p
        if d == 1:
            return decimal(x)
    return s.Rational(x.numerator, x.denominator)


def decimal(x: Number) -> Any:
    """A fraction over a power of ten, with all its digits."""
    digits = len(str(x.denominator)) * 4 + len(str(abs(x.numerator)))
    over, under = Decimal(x.numerator), Decimal(x.denominator)
    exactly = format(Context(prec=digits).divide(over, under), "f")
    return library().Float(exactly, max(15, len(exactly)))


@cache
def library() -> Any:
    """SymPy, imported when something is written."""
    import sympy

    return sympy
