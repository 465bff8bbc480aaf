"""Elements of a ring as SymPy expressions, term by term: quick, and as long as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy

from visviva.algebra.exact.poly import Poly, Ring
from visviva.algebra.exact.ring import Generator, Wave


def expanded(p: Poly, named: Mapping[str, Any] | None = None) -> Any:
    """The normal form; `named` says what stands for some symbols."""
    generators = {g: _generator(g, p.ring) for g in p.ring.generators} | dict(named or {})
    total = []
    for powers, coefficient in p.terms():
        factors = [sympy.Rational(coefficient.numerator, coefficient.denominator)]
        factors += [generators[g] ** k for g, k in powers.items()]
        total.append(sympy.Mul(*factors))
    return sympy.Add(*total)


def _generator(g: Generator, ring: Ring) -> Any:
    if not isinstance(g, Wave):
        return sympy.Symbol(g)
    parts = ring.sums[g.base].items()
    angle = sympy.Add(
        *(sympy.Rational(t.numerator, t.denominator) * sympy.Symbol(n) for n, t in parts)
    )
    return getattr(sympy, g.function)(angle)
