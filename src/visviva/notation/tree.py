"""The tree of a typed formula.

A tree says what was written, not what it means: names are words here, and nothing is simplified.

Examples:
    >>> from fractions import Fraction
    >>> kinetic = Product((Number(Fraction(1, 2)), Name("m"), Power(Name("x", 1), Number(2))))
    >>> [(name.key, name.dots) for name in names(kinetic)]
    [('m', 0), ('x', 1)]
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from visviva.algebra.ops import OPS

# what may be called, and with how many arguments
FUNCTIONS = dict.fromkeys(("sin", "cos", "tan", "cot", "sec", "csc", "abs", "sign"), 1)
FUNCTIONS |= {op: row.arity for op, row in OPS.items() if row.is_function and op != "pow"}
TRANSPOSE = "transpose"  # calls too, understood by `evaluate` itself
DETERMINANT, TRACE = "det", "trace"
OF_MATRICES = (DETERMINANT, TRACE)  # square matrices to numbers
SLOPE, IN_TIME = (
    "slope",
    "rate",
)  # ∂f/∂x and df/dt: calls with (f, x) and (f,), until they are worked out


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of a formula and where it starts in the text; equal if it says the same."""

    column: int = field(default=0, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Number(Node):
    """An exact number."""

    value: Fraction | int


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A name, its number of time derivatives, how it was spelled, and of what: N(q, q')."""

    key: str
    dots: int = 0
    text: str = field(default="", compare=False, repr=False)
    arguments: tuple[Name, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Negative(Node):
    """The negative of a node."""

    of: Node


@dataclass(frozen=True, slots=True)
class Sum(Node):
    """A sum; a difference has a `Negative` among its terms."""

    terms: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Product(Node):
    """A product, of matrices too."""

    factors: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Quotient(Node):
    """A fraction."""

    top: Node
    bottom: Node


@dataclass(frozen=True, slots=True)
class Power(Node):
    """A power."""

    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A function of `FUNCTIONS`, the transpose or determinant of a matrix, or a derivative."""

    function: str
    arguments: tuple[Node, ...]
    # of a derivative: whether it was written with a d, not with ∂
    total: bool = field(default=False, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Matrix(Node):
    """A matrix by its rows; a vector is a matrix of one column."""

    rows: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, slots=True)
class Equation(Node):
    """Two sides said to be equal."""

    left: Node
    right: Node


Statement = Node  # an equation, or an expression or matrix alone


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly inside a node, in the order of the text."""
    match node:
        case Negative(of):
            return (of,)
        case Sum(inside) | Product(inside) | Call(_, inside):
            return inside
        case Quotient(a, b) | Power(a, b) | Equation(a, b):
            return (a, b)
        case Matrix(rows):
            return tuple(x for row in rows for x in row)
    return ()


def walk(node: Node) -> Iterator[Node]:
    """A node and all nodes inside it, in the order of the text."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(children(node)))


def names(node: Node) -> list[Name]:
    """Each name with each of its derivatives once, in the order of appearance."""
    return list(dict.fromkeys(x for x in walk(node) if isinstance(x, Name)))


def rewritten(node: Node, f: Callable[[Name], Node | None]) -> Node:
    """The formula with names replaced; `f` returns None for those to keep."""
    if isinstance(node, Name):
        return f(node) or node
    return rebuilt(node, tuple(rewritten(x, f) for x in children(node)))


def rebuilt(node: Node, inside: tuple[Node, ...]) -> Node:
    """The same kind of node with others inside, in the order of `children`."""
    match node:
        case Negative() | Quotient() | Power() | Equation():
            return type(node)(*inside, column=node.column)
        case Sum() | Product():
            return type(node)(inside, column=node.column)
        case Call():
            return replace(node, arguments=inside)
        case Matrix(rows):
            n = len(rows[0])
            return replace(node, rows=tuple(inside[i : i + n] for i in range(0, len(inside), n)))
    return node


def degree_in_rates(node: Node, rates: Collection[str]) -> int:
    """The highest power of velocities in a formula; inside of functions they count as there."""
    match node:
        case Name(key, dots):
            return int(dots == 1 or key in rates)
        case Sum(terms):
            return max(degree_in_rates(x, rates) for x in terms)
        case Product(factors):
            return sum(degree_in_rates(x, rates) for x in factors)
        case Negative(inside) | Quotient(inside, _):
            return degree_in_rates(inside, rates)
        case Matrix():
            return max(degree_in_rates(x, rates) for x in children(node))
        case Power(base, Number(value)):
            return int(degree_in_rates(base, rates) * value)
    return sum(n.dots == 1 or n.key in rates for n in names(node))
