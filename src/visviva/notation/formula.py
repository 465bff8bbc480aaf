"""Typed formulas as nodes of a graph: read as claims are, never as Python.

Products are computed from the left, as they are written: -x^2 is -(x^2), 2^-x is 2^(-x) and 2^3^2
is 2^(3^2).

Examples:
    >>> from visviva.algebra.expr import Graph
    >>> graph = Graph()
    >>> names = {"m": graph.input("m"), "l": graph.input("l")}
    >>> parse("m*l^2/12", graph, names)
    Expr(((m * (l * l)) / 12))
    >>> parse("1/12 m l² + k", graph, names)
    Traceback (most recent call last):
    visviva.errors.ParseError: unknown name 'k' (available: 'l', 'm', 'pi', 'π')
      1/12 m l² + k
                  ^
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np

from visviva.algebra.expr import Expr, Graph
from visviva.algebra.ops import OPS
from visviva.errors import ParseError, UnknownNameError
from visviva.notation.evaluate import Scalars, evaluate
from visviva.notation.reading.bounds import LARGEST_EXPONENT
from visviva.notation.reading.marks import PRIMES
from visviva.notation.reading.read import read_formula
from visviva.notation.reading.vocabulary import Vocabulary, simple_key
from visviva.notation.tree import Name, Node, Product, names, walk

MOST_LISTED = 40  # names in an error message

# sign -> how tightly it binds, operation
BINARY = {"+": (1, "add"), "-": (1, "sub"), "*": (2, "mul"), "/": (2, "div")}
CONSTANTS = {"pi": math.pi, "π": math.pi}
# what may be called -> the operation; the words of visviva.generic and their short forms
_SIGNS = ("add", "sub", "mul", "div", "neg", "pow", "lt", "le", "eq", "ne")
QUOTIENTS = {"cot": ("cos", "sin"), "sec": ("", "cos"), "csc": ("", "sin"), "sech": ("", "cosh")}
OPERATIONS = {name: name for name in OPS if name not in (*_SIGNS, *QUOTIENTS)}
OPERATIONS |= {"less": "lt", "less_equal": "le", "equal": "eq", "not_equal": "ne"}


def parse(text: str, graph: Graph, names: Mapping[str, Any]) -> Expr:
    """The expression that a text means; `names` are the allowed names and what they stand for."""
    return Declared(names).expression(text, graph)


class Declared:
    """Names that texts may use, and what they stand for; more may be declared later."""

    def __init__(
        self, values: Mapping[str, Any], coordinates: Sequence[str] = (), shorthand: bool = False
    ) -> None:
        self.values: dict[str, Any] = dict(values)
        self.vocabulary = Vocabulary.of(values, coordinates, shorthand, formulas=True)
        self._alike: dict[str, list[str]] = {}
        for name in values:
            self._alike.setdefault(simple_key(name), []).append(name)

    def declare(self, name: str, value: Any) -> None:
        """One more."""
        self.values[name] = value
        self.vocabulary.spellings[simple_key(name)] = (name, 0)
        self._alike.setdefault(simple_key(name), []).append(name)

    def spelled(self, name: Name, text: str) -> str:
        """The name as it is declared; where several read the same, it is written as one of them."""
        written = name.text.rstrip("".join(PRIMES)).removesuffix(".dot").removesuffix(".ddot")
        if written in self.values:
            return written
        alike = self._alike.get(simple_key(name.key), [])
        if len(alike) > 1:
            problem = f"{name.text} can be read as {', '.join(map(repr, alike))}: write it as one"
            raise ParseError(text, name.column, problem)
        return alike[0] if alike and name.key not in self.values else name.key

    def unknown(self, name: Name) -> UnknownNameError:
        """What is said of a name that is not declared."""
        listed = [*sorted(self.values), *CONSTANTS]
        shown = listed if len(listed) <= MOST_LISTED else [*listed[:MOST_LISTED], "…"]
        return UnknownNameError("name", name.text or name.key, shown)

    def missing(self, texts: Iterable[Any]) -> list[str]:
        """All names in texts that are not declared; what cannot be read has none."""
        absent: dict[str, None] = {}
        own = {simple_key(x) for x in (*self.values, *CONSTANTS)}
        for node in self._readable(texts):
            named = sorted(names(node), key=lambda x: x.column)
            absent |= {x.key: None for x in named if simple_key(x.key) not in own}
        return list(absent)

    def products(self, texts: Iterable[Any]) -> list[Product]:
        """All products in texts that can be read."""
        nodes = self._readable(texts)
        return [x for node in nodes for x in walk(node) if isinstance(x, Product)]

    def _readable(self, texts: Iterable[Any]) -> Iterator[Node]:
        for text in texts:
            with suppress(ParseError):
                if isinstance(text, str):
                    yield read_formula(text, self.vocabulary)

    def expression(self, text: str, graph: Graph, rates: Mapping[str, Any] | None = None) -> Expr:
        """A formula as a node of a graph.

        With `rates`, by the names that have some, it may be an equation: left minus right side.
        """
        nodes = _Nodes(self, text, graph, rates or {})
        node: Expr = self.value(text, lambda _: nodes, _not_finite, rates is not None)
        return node

    def value(
        self,
        text: str,
        scalars: Callable[[Node], Scalars],
        odd: Callable[[Any], str],
        equations: bool = False,
    ) -> Any:
        """A formula over any scalars; `odd` says what is wrong with a value, see `evaluate`."""
        node = read_formula(text, self.vocabulary, equations)
        try:
            result = evaluate(node, scalars(node), text, odd)
        except RecursionError:
            raise ParseError(text, 0, "the formula is nested too deeply") from None
        if isinstance(result, np.ndarray):
            raise ParseError(text, node.column, "expected one formula, got a matrix")
        return result


class _Nodes:
    """What the words of a text are in a graph."""

    def __init__(
        self, declared: Declared, text: str, graph: Graph, rates: Mapping[str, Any]
    ) -> None:
        self.declared, self.text, self.graph, self.rates = declared, text, graph, rates

    def number(self, value: Fraction) -> Expr:
        """The nearest float."""
        try:
            return self.graph.constant(float(value))
        except OverflowError:
            raise ParseError(self.text, 0, "a number of this formula is too large") from None

    def name(self, name: Name) -> Expr:
        """What it stands for, or π."""
        key = self.declared.spelled(name, self.text)
        if name.dots == 1 and key in self.rates:
            rate: Expr = self.rates[key]
            return rate
        if name.dots:
            raise ParseError(self.text, name.column, f"{key} has no rate in this formula")
        if key in self.declared.values:
            node: Expr = self.graph.node(self.declared.values[key])
            return node
        if key in CONSTANTS:
            return self.graph.constant(CONSTANTS[key])
        raise ParseError(self.text, name.column, str(self.declared.unknown(name)))

    def call(self, function: str, *arguments: Expr) -> Expr:
        """An operation; the quotients cot, sec and csc are made of those that there are."""
        if function in QUOTIENTS:
            over, under = QUOTIENTS[function]
            top = self.graph.apply(over, *arguments) if over else self.graph.constant(1.0)
            quotient: Expr = top / self.graph.apply(under, *arguments)
            return quotient
        op = OPERATIONS[function]
        node: Expr = self.graph.apply(op, *arguments[: OPS[op].arity])
        for more in arguments[OPS[op].arity :]:  # of min and max
            node = self.graph.apply(op, node, more)
        return node

    def power(self, base: Expr, exponent: Any) -> Expr:
        """A power; of constants with a small exponent only."""
        n = self.number(exponent) if isinstance(exponent, Fraction) else exponent
        if n.is_constant and not abs(n.value) <= LARGEST_EXPONENT:
            raise ParseError(self.text, 0, f"an exponent is at most {LARGEST_EXPONENT}")
        node: Expr = self.graph.apply("pow", base, n)
        return node


def _not_finite(x: Expr) -> str:
    odd = x.is_constant and not math.isfinite(x.value)
    return f"this gives {x.value:g}, not a real number" if odd else ""
