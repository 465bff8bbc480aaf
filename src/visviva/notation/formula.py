"""Typed text to expressions, by our own grammar; nothing is ever evaluated as Python.

`parse` reads one formula, `Formulas` those of a file with parameters, `Table` a table of them.

    sum      = product { ("+" | "-") product }
    product  = operand { ("*" | "/") operand }
    operand  = ("-" | "+") operand | atom [ ("^" | "**") operand ]
    atom     = number | name | function "(" sum { "," sum } ")" | "(" sum ")"

so -x^2 is -(x^2), 2^-x is 2^(-x) and 2^3^2 is 2^(3^2).

Examples:
    >>> from visviva.algebra.expr import Graph
    >>> graph = Graph()
    >>> names = {"m": graph.input("m"), "l": graph.input("l")}
    >>> parse("m*l^2/12", graph, names)
    Expr(((m * (l * l)) / 12))
    >>> parse("m*l^2/12 + k", graph, names)
    Traceback (most recent call last):
    visviva.notation.tokens.ParseError: unknown name 'k' (available: 'l', 'm', 'pi', 'π')
      m*l^2/12 + k
                 ^
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from visviva.algebra.expr import CONSTANT, INPUT, Expr, Graph
from visviva.algebra.ops import OPS
from visviva.errors import ArgumentError, UnknownNameError, VisvivaError
from visviva.notation.tokens import ParseError, Token, is_name, tokens

__all__ = ["CONSTANTS", "FUNCTIONS", "Formulas", "ParseError", "Table", "parse"]

DEEPEST = 100  # nested parentheses, signs and powers
LARGEST_EXPONENT = 1000.0
MOST_LISTED = 40  # names in an error message

# sign -> how tightly it binds, operation
BINARY = {"+": (1, "add"), "-": (1, "sub"), "*": (2, "mul"), "/": (2, "div")}
POWERS = ("^", "**")
CONSTANTS = {"pi": math.pi, "π": math.pi}
# what may be called -> the operation; the words of visviva.generic and their short forms
_SIGNS = ("add", "sub", "mul", "div", "neg", "pow", "lt", "le", "eq", "ne")
FUNCTIONS = {name: name for name in OPS if name not in _SIGNS}
FUNCTIONS |= {"less": "lt", "less_equal": "le", "equal": "eq", "not_equal": "ne"}


def parse(text: str, graph: Graph, names: Mapping[str, Any]) -> Expr:
    """The expression that a text means; `names` are the allowed names and what they stand for."""
    if not isinstance(text, str):
        raise ArgumentError(f"a formula is a text, got {type(text).__name__}: {text!r:.60}")
    reader = _Grammar(text, graph, names)
    try:
        result = reader.sum()
    except RecursionError:
        raise ParseError(text, reader.next.column, "the formula is nested too deeply") from None
    if reader.next.kind != "end":
        raise reader.error(f"expected an operator or the end of the text, got {reader.next}")
    return result


class _Grammar:
    """One method per line of the grammar."""

    def __init__(self, text: str, graph: Graph, names: Mapping[str, Any]) -> None:
        self.text, self.graph, self.names = text, graph, names
        self.rest = iter(tokens(text))
        self.next = next(self.rest)
        self.depth = 0

    def sum(self, level: int = 1) -> Expr:
        left = self.operand()
        while self.next.kind == "sign":
            binds, op = BINARY.get(self.next.text, (0, ""))
            if binds < level:
                break
            sign = self.take()
            left = self.apply(sign, op, left, self.sum(binds + 1))
        return left

    def operand(self) -> Expr:
        if self.depth == DEEPEST:
            raise self.error(f"a formula is nested at most {DEEPEST} deep")
        self.depth += 1
        if self.next.text in ("-", "+"):
            sign = self.take()
            value = self.operand()
            result = self.apply(sign, "neg", value) if sign.text == "-" else value
        else:
            result = self.atom()
            if self.next.text in POWERS:
                sign = self.take()
                exponent = self.operand()
                if exponent.is_constant and abs(exponent.value) > LARGEST_EXPONENT:
                    largest = f"{LARGEST_EXPONENT:g}"
                    raise self.error(f"an exponent is at most {largest}", sign)
                result = self.apply(sign, "pow", result, exponent)
        self.depth -= 1
        return result

    def atom(self) -> Expr:
        token = self.take()
        if token.kind == "number":
            value = float(token.text)
            if math.isinf(value):
                raise self.error("this number is too large", token)
            return self.graph.constant(value)
        if token.kind == "name":
            return self.call(token) if self.next.text == "(" else self.named(token)
        if token.text == "(":
            inside = self.sum()
            self.close()
            return inside
        raise self.error(f"expected a number, a name, '-' or '(', got {token}", token)

    def named(self, token: Token) -> Expr:
        if token.text in self.names:
            return self.graph.node(self.names[token.text])
        if token.text in CONSTANTS:
            return self.graph.constant(CONSTANTS[token.text])
        if token.text in FUNCTIONS:
            raise self.error(f"{token.text} is a function: write {token.text}(...)", token)
        raise self.unknown("name", token, [*sorted(self.names), *CONSTANTS])

    def call(self, token: Token) -> Expr:
        if token.text not in FUNCTIONS:
            if token.text in self.names or token.text in CONSTANTS:
                raise self.error(f"{token.text} is no function: write {token.text}*(...)", token)
            raise self.unknown("function", token, FUNCTIONS)
        self.take()
        args = [self.sum()]
        while self.next.text == ",":
            self.take()
            args.append(self.sum())
        self.close()
        op = FUNCTIONS[token.text]
        wanted = OPS[op].arity
        if op in ("min", "max") and len(args) > wanted:
            first = self.apply(token, op, *args[:2])
            for other in args[2:]:
                first = self.apply(token, op, first, other)
            return first
        if len(args) != wanted:
            raise self.error(f"{token.text} takes {wanted} arguments, got {len(args)}", token)
        return self.apply(token, op, *args)

    def apply(self, at: Token, op: str, *args: Expr) -> Expr:
        result = self.graph.apply(op, *args)
        if result.is_constant and not math.isfinite(result.value):
            raise self.error(f"{at.text!r} gives {result.value:g} here, not a real number", at)
        return result

    def close(self) -> None:
        if self.next.text != ")":
            raise self.error(f"expected ')' or an operator, got {self.next}")
        self.take()

    def take(self) -> Token:
        token = self.next
        self.next = next(self.rest, token)
        return token

    def unknown(self, kind: str, token: Token, available: Iterable[str]) -> ParseError:
        names = list(available)
        shown = names if len(names) <= MOST_LISTED else [*names[:MOST_LISTED], "…"]
        return self.error(str(UnknownNameError(kind, token.text, shown)), token)

    def error(self, problem: str, token: Token | None = None) -> ParseError:
        return ParseError(self.text, (token or self.next).column, problem)


class Formulas:
    """Numbers and formulas over named parameters that have values, in a graph of their own."""

    def __init__(self, parameters: Mapping[str, float]) -> None:
        self.graph = Graph()
        self.names: dict[str, Any] = {name: self.graph.input(name) for name in parameters}
        self._given = parameters
        self._values: list[Any] = []  # of the graph's nodes, in their order, as far as asked

    def define(self, name: str, x: Any) -> None:
        """One more name for formulas to use, and the number or formula it stands for."""
        if not is_name(name) or name in CONSTANTS or name in FUNCTIONS or name in self.names:
            raise ArgumentError("expected a new name of letters, digits and _ that is no function")
        self.names[name] = self.number(x)

    def number(self, x: Any, infinite: bool = False) -> Any:
        """A number or a formula in quotes, as a float or an expression; finite at the values."""
        if isinstance(x, str):
            node = parse(x, self.graph, self.names)
            made: Any = node.value if node.is_constant else node
        elif isinstance(x, float) or (type(x) is int and abs(x) < 2**1023):
            made = float(x)
        else:
            raise ArgumentError(f"expected a number or a formula in quotes, got {x!r:.60}")
        value = self.value(made)
        if math.isnan(value) or (math.isinf(value) and not infinite):
            raise ArgumentError(f"expected a finite number, got {x!r:.60} with the value {value}")
        return made

    def array(self, x: Any, shape: tuple[int, ...], infinite: bool = False) -> Any:
        """A number, or an array of them; a length of 0 in `shape` means any length."""
        if not shape:
            return self.number(x, infinite)
        if not isinstance(x, list) or len(x) != (shape[0] or len(x)):
            wanted = f"{shape[0] or ''} {'arrays' if shape[1:] else 'numbers'}".strip()
            raise ArgumentError(f"expected an array of {wanted}, got {x!r:.60}")
        return np.array([self.array(item, shape[1:], infinite) for item in x])

    def value(self, x: Any) -> float:
        """The number that an expression has at the parameters' values; each node counts once."""
        if not isinstance(x, Expr):
            return float(x)
        with np.errstate(all="ignore"):
            for node in self.graph.nodes[len(self._values) : x.index + 1]:
                self._values.append(self._of(node))
        return float(self._values[x.index])

    def _of(self, node: Expr) -> Any:
        if node.op in (CONSTANT, INPUT):
            return np.float64(node.value if node.op == CONSTANT else self._given[node.value])
        return OPS[node.op].value(*(self._values[a.index] for a in node.args))


class Table:
    """A table of texts, numbers and formulas from a file: keys checked, values typed.

    Whatever goes wrong is raised as `error`, with the place in the file in front.
    """

    def __init__(
        self, formulas: Formulas, error: type[VisvivaError], where: str, data: Any, keys: str
    ) -> None:
        self.formulas, self.error, self.where, self.data = formulas, error, where, data
        with self.at():
            if not isinstance(data, dict):
                raise ArgumentError(f"expected a table, got {data!r:.60}")
            self.only(keys)

    def only(self, keys: str) -> None:
        """Refuse all other keys."""
        for key in self.data:
            if key not in keys.split():
                raise UnknownNameError("key", key, keys.split())

    @contextmanager
    def at(self, key: str = "") -> Iterator[None]:
        """Errors inside get the place in the file."""
        try:
            yield
        except self.error:
            raise
        except VisvivaError as error:
            place = f"{self.where}: key {key!r}" if key else self.where
            raise self.error(f"{place}: {error}"[:2000]) from None

    def get(self, key: str, kind: type, *default: Any) -> Any:
        """The value of a key, of one of TOML's types."""
        if key not in self.data and default:
            return default[0]
        with self.at(key if key in self.data else ""):
            if key not in self.data:
                raise ArgumentError(f"needs the key {key!r}")
            if not isinstance(self.data[key], kind) or self.data[key] == "":
                names = {str: "text in quotes", bool: "true or false", list: "an array"}
                wanted = names.get(kind, "a table")
                raise ArgumentError(f"expected {wanted}, got {self.data[key]!r:.60}")
        return self.data[key]

    def array(self, key: str, shape: tuple[int, ...], *default: Any, infinite: bool = False) -> Any:
        """A number or an array of numbers, expressions among them; see `Formulas.array`."""
        value = self.get(key, object, *default)
        with self.at(key):
            return self.formulas.array(value, shape, infinite) if key in self.data else value

    def tables(self, key: str, keys: str) -> list[Table]:
        """An array of tables; a single table counts as one."""
        value = self.data.get(key, [])
        made = []
        for i, item in enumerate(value if isinstance(value, list) else [value]):
            name = item.get("name") if isinstance(item, dict) else None
            where = f"{self.where}: {key}" + (f" {i + 1}" if isinstance(value, list) else "")
            where += f" ({name!r:.60})" if isinstance(name, str) else ""
            made.append(Table(self.formulas, self.error, where, item, keys))
        return made
