"""A typed formula: its tree, and its value over any scalar.

Examples:
    >>> import math
    >>> class Floats:
    ...     number, power = float, pow
    ...     def name(self, name): return {"m": 2.0, "theta": 0.5}[name.key]
    ...     def call(self, function, *arguments): return getattr(math, function)(*arguments)
    >>> evaluate(Product((Name("m"), Call("cos", (Name("theta"),)))), Floats())
    1.7551651237807455
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial, reduce
from operator import add, mul
from typing import Any, Protocol

import numpy as np

from visviva.algebra.exact.minors import determinant
from visviva.errors import ParseError
from visviva.notation.tree import (
    DETERMINANT,
    IN_TIME,
    OF_MATRICES,
    SLOPE,
    TRANSPOSE,
    Call,
    Equation,
    Matrix,
    Name,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
)

MOST_INVERTED = 4  # rows of a matrix that is written with ^-1


class Scalars(Protocol):
    """What numbers, names and functions become; the results have + - * and /."""

    def number(self, value: Fraction) -> Any:
        """A number."""

    def name(self, name: Name) -> Any:
        """A name; a list of lists stands for a matrix."""

    def call(self, function: str, *arguments: Any) -> Any:
        """A function of `FUNCTIONS`."""

    def power(self, base: Any, exponent: Any) -> Any:
        """A power; the exponent is a Fraction where the text has a number."""


def evaluate(
    node: Node, scalars: Scalars, text: str = "", odd: Callable[[Any], str] | None = None
) -> Any:
    """The value of a formula: a scalar, or an object array of two axes.

    A product of matrices with one entry is a scalar; of an equation, the left minus the right side.
    `text`, where the formula was read, is shown in errors. `odd` says what is wrong with the value
    of a quotient, a power or a function, or nothing.
    """
    value = _Evaluation(scalars, text, odd).of(node)
    if not isinstance(value, list):
        return value
    matrix = np.empty(_shape(value), dtype=object)
    for i, j in np.ndindex(matrix.shape):
        matrix[i, j] = value[i][j]
    return matrix


class _Evaluation:
    """Scalars are values, matrices lists of lists of them: a scalar may itself be an array."""

    def __init__(self, scalars: Scalars, text: str, odd: Callable[[Any], str] | None) -> None:
        self.scalars, self.text, self.odd = scalars, text, odd

    def of(self, node: Node) -> Any:
        match node:
            case Number(value):
                return self.scalars.number(Fraction(value))
            case Name():
                return self.scalars.name(node)
            case Negative(of):
                return _each(lambda x: -x, self.of(of))
            case Sum(terms):
                return reduce(self.added, terms[1:], self.of(terms[0]))
            case Product() | Quotient():
                return self.chain(node)
            case Power(base, exponent):
                if exponent == Number(-1) and _matrix(value := self.of(base)):
                    return self.inverse(base, value)
                x = self.scalar(base)
                n = (
                    Fraction(exponent.value)
                    if isinstance(exponent, Number)
                    else self.scalar(exponent)
                )
                return self.unless_odd(node, base, lambda: self.scalars.power(x, n))
            case Call(function, (inside,)) if function == TRANSPOSE:
                value = self.of(inside)
                return [list(x) for x in zip(*value, strict=True)] if _matrix(value) else value
            case Call(function, (inside,)) if function in OF_MATRICES:
                value = self.of(inside)
                if not _matrix(value) or len(value) != len(value[0]):
                    said = f"expected a square matrix after {function}, got {_described(value)}"
                    raise self.error(inside, said)
                if function == DETERMINANT:
                    return determinant(value)
                return reduce(add, (row[k] for k, row in enumerate(value)))
            case Call(function, _) if function in (SLOPE, IN_TIME):
                raise self.error(node, "expected a formula without derivatives here")
            case Call(function, arguments):
                given = [self.scalar(x) for x in arguments]
                return self.unless_odd(node, node, lambda: self.scalars.call(function, *given))
            case Matrix(rows):
                return [[self.scalar(x) for x in row] for row in rows]
            case Equation(left, right):
                return self.added(self.of(left), Negative(right, column=right.column))
        raise TypeError(f"no formula: {node!r:.60}")

    def inverse(self, node: Node, value: Any) -> Any:
        """Of a matrix of few rows, by its cofactors."""
        n, m = _shape(value)
        if n != m or n > MOST_INVERTED:
            wanted = f"a square matrix of at most {MOST_INVERTED} rows before ^-1"
            raise self.error(node, f"expected {wanted}, got {_described(value)}")
        if n == 1:
            return [[self.unless_odd(node, node, lambda: 1 / value[0][0])]]

        def cofactor(i: int, j: int) -> Any:
            rest = [row[:j] + row[j + 1 :] for row in value[:i] + value[i + 1 :]]
            return determinant(rest) * (-1) ** (i + j)

        rows = [[cofactor(j, i) for j in range(n)] for i in range(n)]
        return self.unless_odd(node, node, partial(_divided, rows, determinant(value)))

    def chain(self, node: Node) -> Any:
        """A product or quotient from the left, however long: a*b/c*d/e."""
        above: list[Product | Quotient] = []
        while isinstance(node, (Product, Quotient)):
            above.append(node)
            node = node.factors[0] if isinstance(node, Product) else node.top
        value = self.of(node)
        for x in reversed(above):
            if isinstance(x, Quotient):
                f = partial(_divided, value, self.scalar(x.bottom))
                value = self.unless_odd(x, x.bottom, f)
            else:
                value = reduce(self.multiplied, x.factors[1:], value)
        return value

    def scalar(self, node: Node) -> Any:
        value = _plain(self.of(node), None)
        if _matrix(value):
            raise self.error(node, f"expected a number here, got {_described(value)}")
        return value

    def unless_odd(self, node: Node, zero: Node, f: Callable[[], Any]) -> Any:
        try:
            value = f()
        except ZeroDivisionError:
            raise self.error(zero, "expected something other than zero here") from None
        if self.odd and not _matrix(value) and (said := self.odd(value)):
            raise self.error(node, said)
        return value

    def added(self, left: Any, term: Node) -> Any:
        minus = isinstance(term, Negative)
        right = self.of(term.of if isinstance(term, Negative) else term)
        left, right = _plain(left, right), _plain(right, left)
        if not _matrix(left) and not _matrix(right):
            return left - right if minus else left + right
        if not (_matrix(left) and _matrix(right) and _shape(left) == _shape(right)):
            kinds = f"{_described(left)} and {_described(right)}"
            raise self.error(term, f"expected terms of one shape, got {kinds}")
        pairs = [zip(x, y, strict=True) for x, y in zip(left, right, strict=True)]
        return [[x - y if minus else x + y for x, y in row] for row in pairs]

    def multiplied(self, left: Any, factor: Node) -> Any:
        right = self.of(factor)
        left, right = _plain(left, right), _plain(right, left)
        if not _matrix(left) or not _matrix(right):
            if _matrix(left):
                return _each(lambda x: x * right, left)
            return _each(lambda x: left * x, right)
        if len(left[0]) != len(right):
            kinds = f"{_described(left)} times {_described(right)}"
            raise self.error(factor, f"expected matrices whose shapes fit, got {kinds}")
        columns = list(zip(*right, strict=True))
        product = [[_dot(row, column) for column in columns] for row in left]
        return product[0][0] if _shape(product) == (1, 1) else product

    def error(self, node: Node, problem: str) -> ParseError:
        return ParseError(self.text, min(node.column, len(self.text)), problem)


def _matrix(value: Any) -> bool:
    return isinstance(value, list)


def _shape(value: Any) -> tuple[int, int]:
    return len(value), len(value[0])


def _plain(value: Any, other: Any) -> Any:
    """A matrix of one entry is that entry beside anything of another shape."""
    one = _matrix(value) and _shape(value) == (1, 1)
    return value[0][0] if one and not (_matrix(other) and _shape(other) == (1, 1)) else value


def _described(value: Any) -> str:
    return "a {}×{} matrix".format(*_shape(value)) if _matrix(value) else "a number"


def _each(f: Callable[[Any], Any], value: Any) -> Any:
    return [[f(x) for x in row] for row in value] if _matrix(value) else f(value)


def _divided(value: Any, by: Any) -> Any:
    return _each(lambda x: x / by, value)


def _dot(row: Sequence[Any], column: Sequence[Any]) -> Any:
    return reduce(add, map(mul, row, column))
