"""Typed formulas as nodes of a graph, in tables of files: read as claims are, never as Python.

`parse` reads one formula, `Formulas` those of a file with parameters, `Table` a table of them.
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np

from visviva.algebra.expr import Expr, Graph, evaluated
from visviva.algebra.ops import OPS
from visviva.errors import ArgumentError, ParseError, UnknownNameError, VisvivaError
from visviva.notation.evaluate import Scalars, evaluate
from visviva.notation.names import is_name
from visviva.notation.reading.bounds import LARGEST_EXPONENT
from visviva.notation.reading.marks import PRIMES
from visviva.notation.reading.read import read_formula
from visviva.notation.reading.vocabulary import Vocabulary, simple_key
from visviva.notation.tree import Name, Node

MOST_LISTED = 40  # names in an error message

# sign -> how tightly it binds, operation
BINARY = {"+": (1, "add"), "-": (1, "sub"), "*": (2, "mul"), "/": (2, "div")}
CONSTANTS = {"pi": math.pi, "π": math.pi}
# what may be called -> the operation; the words of visviva.generic and their short forms
_SIGNS = ("add", "sub", "mul", "div", "neg", "pow", "lt", "le", "eq", "ne")
OPERATIONS = {name: name for name in OPS if name not in _SIGNS}
QUOTIENTS = {"cot": ("cos", "sin"), "sec": ("", "cos"), "csc": ("", "sin")}
OPERATIONS |= {"less": "lt", "less_equal": "le", "equal": "eq", "not_equal": "ne"}


def parse(text: str, graph: Graph, names: Mapping[str, Any]) -> Expr:
    """The expression that a text means; `names` are the allowed names and what they stand for."""
    return Declared(names).expression(text, graph)


class Declared:
    """Names that texts may use, and what they stand for; more may be declared later."""

    def __init__(self, values: Mapping[str, Any], coordinates: Sequence[str] = ()) -> None:
        self.values: dict[str, Any] = dict(values)
        self.vocabulary = Vocabulary.of(values, coordinates, formulas=True)
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

    def expression(self, text: str, graph: Graph) -> Expr:
        """A formula as a node of a graph."""
        made: Expr = self.value(text, lambda _: _Nodes(self, text, graph), _not_finite)
        return made

    def value(
        self, text: str, scalars: Callable[[Node], Scalars], odd: Callable[[Any], str]
    ) -> Any:
        """A formula over any scalars; `odd` says what is wrong with a value, see `evaluate`."""
        node = read_formula(text, self.vocabulary)
        try:
            made = evaluate(node, scalars(node), text, odd)
        except RecursionError:
            raise ParseError(text, 0, "the formula is nested too deeply") from None
        if isinstance(made, np.ndarray):
            raise ParseError(text, node.column, "expected one formula, got a matrix")
        return made


class _Nodes:
    """What the words of a text are in a graph."""

    def __init__(self, declared: Declared, text: str, graph: Graph) -> None:
        self.declared, self.text, self.graph = declared, text, graph

    def number(self, value: Fraction) -> Expr:
        """The nearest float."""
        try:
            return self.graph.constant(float(value))
        except OverflowError:
            raise ParseError(self.text, 0, "a number of this formula is too large") from None

    def name(self, name: Name) -> Expr:
        """What it stands for, or π."""
        key = self.declared.spelled(name, self.text)
        if name.dots:
            raise ParseError(self.text, name.column, f"{key} has no rate in this formula")
        if key in self.declared.values:
            made: Expr = self.graph.node(self.declared.values[key])
            return made
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
        made: Expr = self.graph.apply(op, *arguments[: OPS[op].arity])
        for more in arguments[OPS[op].arity :]:  # of min and max
            made = self.graph.apply(op, made, more)
        return made

    def power(self, base: Expr, exponent: Any) -> Expr:
        """A power; of constants with a small exponent only."""
        n = self.number(exponent) if isinstance(exponent, Fraction) else exponent
        if n.is_constant and not abs(n.value) <= LARGEST_EXPONENT:
            raise ParseError(self.text, 0, f"an exponent is at most {LARGEST_EXPONENT}")
        made: Expr = self.graph.apply("pow", base, n)
        return made


def _not_finite(x: Expr) -> str:
    odd = x.is_constant and not math.isfinite(x.value)
    return f"this gives {x.value:g}, not a real number" if odd else ""


class Formulas:
    """Numbers and formulas over named parameters that have values, in a graph of their own."""

    def __init__(self, parameters: Mapping[str, float]) -> None:
        self.graph = Graph()
        self.declared = Declared({name: self.graph.input(name) for name in parameters})
        self._given = {name: np.float64(x) for name, x in parameters.items()}
        self._known: dict[Expr, Any] = {}  # values of nodes, as far as asked

    def define(self, name: str, x: Any) -> None:
        """One more name for formulas to use, and the number or formula it stands for."""
        taken = name in CONSTANTS or name in self.declared.vocabulary.words or name in self.names
        if not is_name(name) or name in OPERATIONS or taken:
            raise ArgumentError("expected a new name of letters, digits and _ that is no function")
        self.declared.declare(name, self.number(x))

    @property
    def names(self) -> dict[str, Any]:
        """What each name stands for."""
        return self.declared.values

    def number(self, x: Any, infinite: bool = False) -> Any:
        """A number or a formula in quotes, as a float or an expression; finite at the values."""
        if isinstance(x, str):
            node = self.declared.expression(x, self.graph)
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
            return float(evaluated([x], self._given, np.float64, known=self._known)[0])


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
