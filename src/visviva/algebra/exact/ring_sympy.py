"""Elements of a ring as SymPy expressions, term by term, and SymPy back into a ring."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

import sympy

from visviva.algebra.exact import growth
from visviva.algebra.exact.angles import factors_of
from visviva.algebra.exact.poly import Generator, Poly, Wave
from visviva.algebra.exact.ring import Ring
from visviva.errors import OutsideError, UnknownNameError


def as_sympy(p: Poly, formulas: Mapping[str, Any] | None = None) -> Any:
    """The normal form: quick, and as long as it is; `formulas` are what some symbols stand for."""
    formulas = formulas or {}
    generators = {g: _generator(g, p.ring, formulas) for g in p.ring.generators}
    terms = p.terms()
    used = {x for powers, _ in terms for x in powers.items()}
    factors = {(g, k): generators[g] ** k for g, k in used}
    multiplied = _in_order if _are_apart({g: generators[g] for g, _ in used}) else sympy.Mul
    place = {x: i for i, x in enumerate(sorted(factors, key=lambda x: _ORDER(factors[x])))}
    total = []
    for powers, coefficient in terms:
        number = sympy.Rational(coefficient.numerator, coefficient.denominator)
        ordered = sorted(powers.items(), key=place.__getitem__)
        total.append(multiplied(number, *(factors[x] for x in ordered)))
    return sympy.Add(*total)


_ORDER = cmp_to_key(sympy.Basic.compare)  # in which SymPy has factors


def _are_apart(generators: Mapping[Any, Any]) -> bool:
    """Whether SymPy finds nothing to do in products of their powers but to put them in order."""
    values = generators.values()
    simple = all(isinstance(x, (sympy.Symbol, sympy.sin, sympy.cos)) for x in values)
    return simple and len(set(values)) == len(values)


def _in_order(number: Any, *powers: Any) -> Any:
    """What SymPy's product is, without asking which factors are alike: a sum has thousands."""
    factors = powers if number == 1 and powers else (number, *powers)
    return sympy.Mul(*factors, evaluate=False)


def _generator(g: Generator, ring: Ring, formulas: Mapping[str, Any]) -> Any:
    if not isinstance(g, Wave):
        return formulas[g] if g in formulas else sympy.Symbol(g)
    terms = []
    for angle, times in ring.sums[g.base].items():
        factors = (_generator(x, ring, formulas) for x in factors_of(angle))
        terms.append(sympy.Mul(sympy.Rational(times.numerator, times.denominator), *factors))
    return getattr(sympy, g.function)(sympy.Add(*terms))


def angle_terms(x: Any) -> list[tuple[Any, Fraction]]:
    """Of a SymPy expression that is a sum of angles: products of symbols, and their fractions.

    A number is a fraction of the product of nothing, 1; anything else is an `OutsideError`.
    """
    terms = []
    for term in sympy.Add.make_args(growth.expanded(x)):
        times, rest = term.as_coeff_Mul()
        powers = rest.as_powers_dict()
        is_product = all(b.is_Symbol and k.is_Integer and k > 0 for b, k in powers.items())
        if not times.is_Rational or not (is_product or rest == 1):
            raise OutsideError(f"{x!s:.60} is no sum of products of symbols")
        if times:
            terms.append((rest, Fraction(int(times.p), int(times.q))))
    return terms


def from_textbook(expr: Any, ring: Ring) -> Poly:
    """The element of a ring that a SymPy expression in its symbols and angles means."""
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
        total = ring.number(0 if x.is_Add else 1)
        for a in x.args:
            total = total + _read(a, ring) if x.is_Add else total * _read(a, ring)
        return total
    if x.is_Pow and x.exp.is_Integer and x.exp >= 0:
        power: Poly = _read(x.base, ring) ** int(x.exp)
        return power
    if x.func.__name__ in ("sin", "cos"):
        (angle,) = x.args
        name = x.func.__name__
        turned = _read(angle, ring)
        return turned.sin() if name == "sin" else turned.cos()
    raise OutsideError(f"{x} is no polynomial in symbols, sines and cosines")
