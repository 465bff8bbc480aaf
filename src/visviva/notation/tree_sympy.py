"""SymPy expressions as trees of formulas, and trees as SymPy expressions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef

from visviva.errors import ArgumentError
from visviva.notation.evaluate import evaluate
from visviva.notation.tree import (
    FUNCTIONS,
    Call,
    Equation,
    Matrix,
    Name,
    Node,
    Number,
    Power,
    Product,
    Sum,
)

TIME = sympy.Symbol("t")
_WORDS = {"Abs": "abs"}  # where SymPy's names are others


def from_sympy(x: Any, name: Callable[[str, int], Name] = Name) -> Node:
    """The tree of an expression, a matrix or an equation; `name(key, dots)` makes names."""
    if isinstance(x, sympy.Eq):
        return Equation(from_sympy(x.lhs, name), from_sympy(x.rhs, name))
    if isinstance(x, sympy.MatrixBase) and not len(x):
        raise ArgumentError("a matrix without entries claims nothing")
    if isinstance(x, sympy.MatrixBase):
        return Matrix(tuple(tuple(from_sympy(y, name) for y in row) for row in x.tolist()))
    x = sympy.sympify(x) if isinstance(x, (int, float, np.number)) else x
    if not isinstance(x, sympy.Expr):
        raise ArgumentError(f"expected a SymPy expression, matrix or equation, got {x!r:.60}")
    return _expression(x, name)


def _expression(x: Any, name: Callable[[str, int], Name]) -> Node:
    if x.is_Rational:
        return Number(Fraction(int(x.p), int(x.q)))
    if x.is_Float:
        return Number(Fraction(str(x)))
    if x is sympy.pi or x.is_Symbol:
        return name(str(x.name if x.is_Symbol else "pi"), 0)
    if isinstance(x, AppliedUndef) and x.args == (TIME,):
        return name(str(x.func), 0)
    if isinstance(x, sympy.Derivative) and isinstance(x.expr, AppliedUndef):
        timed = x.expr.args == (TIME,) and set(x.variables) == {TIME}
        if not timed:
            raise ArgumentError(f"{x} is no derivative of a coordinate by t")
        return name(str(x.expr.func), len(x.variables))
    if x is sympy.E:
        return Call("exp", (Number(1),))
    if x.is_Add or x.is_Mul:
        parts = tuple(_expression(a, name) for a in x.args)
        return Sum(parts) if x.is_Add else Product(parts)
    if x.is_Pow:
        return Power(_expression(x.base, name), _expression(x.exp, name))
    word = _WORDS.get(x.func.__name__, x.func.__name__)
    if word in FUNCTIONS:
        return Call(word, tuple(_expression(a, name) for a in x.args))
    raise ArgumentError(
        f"{x.func.__name__} is no function that formulas know: {', '.join(FUNCTIONS)}"
    )


class TreeScalars:
    """SymPy's own scalars."""

    def number(self, value: Fraction) -> Any:
        """A rational number."""
        return sympy.Rational(value.numerator, value.denominator)

    def name(self, name: Name) -> Any:
        """A symbol, with a prime for each dot."""
        return sympy.pi if name.key == "pi" else sympy.Symbol(name.key + "'" * name.dots)

    def call(self, function: str, *arguments: Any) -> Any:
        """SymPy's function of that name."""
        words = {new: old for old, new in _WORDS.items()}
        return getattr(sympy, words.get(function, function))(*arguments)

    def power(self, base: Any, exponent: Any) -> Any:
        """A power."""
        return base ** (self.number(exponent) if isinstance(exponent, Fraction) else exponent)


def to_sympy(node: Node) -> Any:
    """The expression or matrix that a tree means; of an equation, left minus right."""
    value = evaluate(node, TreeScalars())
    return sympy.Matrix(value.tolist()) if isinstance(value, np.ndarray) else value
