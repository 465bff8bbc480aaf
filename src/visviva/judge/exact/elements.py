"""Quantities as elements of a field, and elements as SymPy expressions."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from visviva.algebra.arrays import Array, as_array, each
from visviva.algebra.exact.poly import Poly, Quotient
from visviva.algebra.exact.ring_sympy import as_sympy
from visviva.algebra.exact.substitute import PI
from visviva.errors import ArgumentError
from visviva.judge.exact.field import Field
from visviva.notation.textbook.writer import textbook
from visviva.notation.tree import Node
from visviva.notation.tree_sympy import from_sympy

LONGEST, STEEPEST = 300, 8  # terms, or operations, and powers of what is brought into textbook form


def scalar(x: Any) -> Array:
    """An array without axes."""
    return as_array([x], ())


def elements(whole: Any, field: Field) -> Array:
    """Elements of another ring or SymPy expressions as elements of a field."""
    array = whole if isinstance(whole, np.ndarray) else scalar(whole)
    return each(lambda x: _element(x, field), array)


def _element(x: Any, field: Field) -> Any:
    if isinstance(x, Quotient):
        return field.read(x.top) / field.read(x.bottom)
    return field.read(x if isinstance(x, Poly) else _formula(x))


def formulas(whole: Any) -> list[Node]:
    """Those entries of a quantity that a field has to know beforehand."""
    array = np.asarray(whole, dtype=object)
    return [_formula(x) for x in array.ravel() if isinstance(x, sympy.Basic)]


def _formula(x: Any) -> Node:
    if isinstance(x, sympy.Basic) and x.has(sympy.Piecewise, sympy.Max, sympy.Min):
        raise ArgumentError(
            "the energies of this system are stated by cases (max, min, where), and so is what is "
            "claimed: only what is one formula everywhere can be judged"
        )
    return from_sympy(x)


def tree_of(entry: Any) -> Node:
    """An entry of a quantity as a formula; in textbook form if that is short."""
    if not isinstance(entry, Poly):
        return from_sympy(entry)
    return from_sympy(textbook(entry) if entry.size <= LONGEST else as_sympy(entry))


def expression(x: Any, field: Field) -> Any:
    """In textbook form if that is quickly found, with functions for their symbols."""
    formula = textbook(x) if is_quickly_written(x) else expanded(x)
    for symbol in formula.free_symbols:
        if symbol.name in field.meaning:
            function, arguments = field.meaning[symbol.name]
            word = {"abs": "Abs", "power": "Pow"}.get(function, function)
            value = getattr(sympy, word)(*(expression(a, field) for a in arguments))
            formula = formula.xreplace({symbol: value})
    return formula.xreplace({sympy.Symbol(PI): sympy.pi})


def expanded(x: Any) -> Any:
    """Multiplied out, term by term."""
    if isinstance(x, Quotient):
        return as_sympy(x.top) / as_sympy(x.bottom)
    return as_sympy(x)


def is_quickly_written(x: Any) -> bool:
    """Whether a search for the best form ends in reasonable time."""
    parts = (x.top, x.bottom) if isinstance(x, Quotient) else (x,)
    return all(p.size <= LONGEST and max(p.p.degrees(), default=0) <= STEEPEST for p in parts)
