"""From SymPy back into a ring."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from visviva.algebra.exact.poly import Poly, Ring
from visviva.algebra.exact.rationals import OutsideError
from visviva.errors import UnknownNameError


def from_textbook(expr: Any, ring: Ring) -> Poly:
    """The element of a ring that a SymPy expression in its symbols and angles means."""
    import sympy

    return _read(sympy.sympify(expr), ring)


def _read(x: Any, ring: Ring) -> Poly:
    if x.is_Rational:
        return ring.number(Fraction(int(x.p), int(x.q)))
    if x.is_Float:
        return ring.number(Fraction(str(x)))
    if x.is_Symbol:
        if x.name not in ring.symbols:
            raise UnknownNameError("symbol", x.name, ring.symbols)
        return ring[x.name]
    if x.is_Add or x.is_Mul:
        made = ring.number(0 if x.is_Add else 1)
        for a in x.args:
            made = made + _read(a, ring) if x.is_Add else made * _read(a, ring)
        return made
    if x.is_Pow and x.exp.is_Integer and x.exp >= 0:
        power: Poly = _read(x.base, ring) ** int(x.exp)
        return power
    if x.func.__name__ in ("sin", "cos"):
        (angle,) = x.args
        name = x.func.__name__
        turned = _read(angle, ring)
        return turned.sin() if name == "sin" else turned.cos()
    raise OutsideError(f"{x} is no polynomial in symbols, sines and cosines")
