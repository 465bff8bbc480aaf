"""Expressions: immutable, hash-consed nodes in one arena per trace.

Equal subexpressions are one node, so `is` decides structural equality and the graph is already
free of common subexpressions. `a == b` builds a comparison, as `a < b` does.

Examples:
    >>> graph = Graph()
    >>> x, y = graph.input("x"), graph.input("y")
    >>> x * (-y) is -(y * x)
    True
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Iterable, Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from visviva.algebra import fold
from visviva.algebra.ops import NUMPY_NAMES, OPS
from visviva.errors import GraphError, TraceError, UnknownNameError

CONSTANT, INPUT = "constant", "input"  # the two kinds of leaves
PLAIN: Mapping[str, Callable[..., float]] = {  # Python's own floats do these and never raise
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
}
PLAIN_KINDS = frozenset({float, int, np.float64})  # the kinds that most numbers have
INDEX, VALUE = operator.attrgetter("index"), operator.attrgetter("value")


class Expr:
    """A node of a `Graph`: an operation on nodes, a constant or an input."""

    __slots__ = ("args", "graph", "index", "is_constant", "is_negative", "op", "value")

    graph: Graph
    index: int
    op: str
    args: tuple[Expr, ...]
    value: Any  # the number of a constant, the name of an input
    is_constant: bool
    is_negative: bool  # has a minus sign: a negation or a negative constant

    def __bool__(self) -> bool:
        if self.op == CONSTANT:
            return bool(self.value)
        raise TraceError(
            f"the truth of {self!r} is not known while a function is being traced: "
            "write where(condition, a, b) instead of if, multiply conditions instead of `and`, and "
            "take less, minimum, maximum, sign, where from visviva.generic instead of comparing "
            "arrays and calling min, max, np.maximum, np.sign, np.where"
        )

    def __float__(self) -> float:
        if self.op == CONSTANT:
            return float(self.value)
        raise TraceError(
            f"{self!r} has no value while a function is being traced: put it into arrays made with "
            "np.array([...]) or np.zeros(n, dtype=object), not into arrays of floats, and take "
            "elementary functions from visviva.generic or numpy, not from math"
        )

    # An operand that is neither node nor number is left to take over itself: arrays do.

    def __add__(self, other: Any) -> Any:
        return _build("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return _build("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return _build("sub", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _build("sub", other, self)

    def __mul__(self, other: Any) -> Any:
        return _build("mul", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _build("mul", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _build("div", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _build("div", other, self)

    def __pow__(self, other: Any) -> Any:
        return _build("pow", self, other)

    def __rpow__(self, other: Any) -> Any:
        return _build("pow", other, self)

    def __lt__(self, other: Any) -> Any:
        return _build("lt", self, other)

    def __le__(self, other: Any) -> Any:
        return _build("le", self, other)

    def __gt__(self, other: Any) -> Any:
        return _build("lt", other, self)

    def __ge__(self, other: Any) -> Any:
        return _build("le", other, self)

    def __eq__(self, other: object) -> Any:
        return _build("eq", self, other)

    def __ne__(self, other: object) -> Any:
        return _build("ne", self, other)

    def __neg__(self) -> Expr:
        return self.graph.apply("neg", self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return self.graph.apply("abs", self)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"Expr({text(self)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _node_of, (self.graph, self.index)


class Graph:
    """The arena of one trace. It lives as long as any of its nodes does."""

    __slots__ = ("__weakref__", "_table", "conditions", "nodes")

    def __init__(self) -> None:
        self.nodes: list[Expr] = []
        self.conditions: list[Condition] | None = None  # a list, where somebody wants to know
        self._table: dict[tuple[Any, ...], Expr] = {}

    def __len__(self) -> int:
        return len(self.nodes)

    def constant(self, number: Any) -> Expr:
        """The node of a number."""
        try:
            value = float(number) + 0.0  # one zero: -0.0 becomes 0.0
        except OverflowError:
            raise TraceError(f"a constant must fit a double, got {number!r:.60}") from None
        key = value if value == value else "nan"  # nan is no key: it does not equal itself
        return self._node((CONSTANT, key), CONSTANT, (), value)

    def input(self, name: str) -> Expr:
        """The node of a named input; the same one each time it is asked for."""
        return self._node((INPUT, name), INPUT, (), name)

    def apply(self, op: str, *args: Any) -> Expr:
        """The canonical node of `op` on the arguments, folded where that is exact."""
        nodes, is_known = [], True  # of all operations of a trace: calls would take half its time
        for x in args:
            node = x if type(x) is Expr and x.graph is self else self.node(x)
            nodes.append(node)
            is_known = is_known and node.is_constant
        if is_known:
            if op in PLAIN:  # most foldings by far, and they need no care
                return self.constant(PLAIN[op](*map(VALUE, nodes)))
            with np.errstate(all="ignore"):
                return self.constant(OPS[op].value(*(np.float64(x.value) for x in nodes)))
        folded = fold.RULES[op](self, *nodes)
        return folded if folded is not None else self.raw(op, *nodes)

    def raw(self, op: str, *args: Expr) -> Expr:
        """The node itself, no folding."""
        return self._node((op, *map(INDEX, args)), op, args, None)

    def expect(self, reason: str, margin: Any, of: Iterable[Any] = ()) -> None:
        """Require `margin` ≥ 0 of the program that is being traced; single calls check it.

        `reason` is "module:function", which words the warning. Programs without the nodes `of` do
        not have the condition.
        """
        if self.conditions is None:
            return
        nodes = [self.node(x) for x in of]  # a sign may be part of what uses them
        bare = tuple(x.args[0] if x.op == "neg" else x for x in nodes)
        new = Condition(reason, self.node(margin), bare)
        if not new.margin.is_constant:
            self.conditions.append(new)

    def node(self, x: Any) -> Expr:
        """`x` as a node of this graph."""
        if type(x) is Expr:
            if x.graph is not self:
                raise GraphError(
                    f"{x!r} belongs to another trace: expressions of two traces cannot be mixed "
                    "(was one kept from an earlier call of the traced function?)"
                )
            return x
        if type(x) not in PLAIN_KINDS and not isinstance(x, (Real, np.bool_)):
            raise TraceError(f"an expression and {type(x).__name__} {x!r:.60} do not combine")
        return self.constant(x)

    def __reduce__(self) -> tuple[Any, ...]:
        rows = [(x.op, tuple(a.index for a in x.args), x.value) for x in self.nodes]
        return _graph_of, (rows,)

    def _node(self, key: tuple[Any, ...], op: str, args: tuple[Expr, ...], value: Any) -> Expr:
        node = self._table.get(key)
        if node is None:
            node = Expr.__new__(Expr)
            node.graph, node.op, node.args, node.value = self, op, args, value
            node.is_constant = op == CONSTANT
            node.is_negative = op == "neg" or (op == CONSTANT and value < 0.0)
            node.index = len(self.nodes)
            self.nodes.append(node)
            self._table[key] = node
        return node


class Condition(NamedTuple):
    """What `Graph.expect` was told."""

    reason: str
    margin: Expr
    of: tuple[Expr, ...]


def reachable(roots: Iterable[Expr], known: Container[Expr] = ()) -> list[Expr]:
    """Every node the roots are made of, arguments before results; without what is known."""
    seen: set[Expr] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in seen and node not in known:
            seen.add(node)
            stack.extend(node.args)
    return sorted(seen, key=lambda node: node.index)


def names_in(nodes: Iterable[Expr]) -> list[str]:
    """The inputs that nodes depend on."""
    return sorted(x.value for x in reachable(nodes) if x.op == INPUT)


def computed(node: Expr, known: Mapping[Expr, Any]) -> Any:
    """The value of an operation on values that are known."""
    return OPS[node.op].value(*(known[a] for a in node.args))


def evaluated(
    nodes: Iterable[Expr],
    values: Mapping[str, Any],
    number: Callable[[float], Any] = float,
    apply: Callable[[Expr, Mapping[Expr, Any]], Any] = computed,
    known: dict[Expr, Any] | None = None,
) -> list[Any]:
    """The nodes with inputs replaced by scalars of any kind; shared ones are computed once.

    `known` has what was computed before, and takes what is computed now.
    """
    roots, known = list(nodes), {} if known is None else known
    for x in reachable(roots, known):
        if x.op == CONSTANT:
            known[x] = number(x.value)
        elif x.op != INPUT:
            known[x] = apply(x, known)
        elif x.value in values:
            known[x] = values[x.value]
        else:
            raise UnknownNameError("value of parameter", x.value, values)
    return [known[x] for x in roots]


def evaluate(node: Any, values: Mapping[str, Any]) -> Any:
    """A node with its inputs replaced by values of any kind; numbers stay as they are."""
    return evaluated([node], values)[0] if type(node) is Expr else node


def text(node: Expr, depth: int = 4) -> str:
    """Infix text, cut off below `depth`."""
    if node.op == CONSTANT:
        return f"{node.value:g}"
    if node.op == INPUT:
        return str(node.value)
    if depth == 0:
        return "…"
    return OPS[node.op].c_text(*(text(x, depth - 1) for x in node.args))


def _graph_of(rows: list[tuple[Any, ...]]) -> Graph:
    graph = Graph()
    for op, args, value in rows:
        if op == CONSTANT:
            graph.constant(value)
        elif op == INPUT:
            graph.input(value)
        else:
            graph.raw(op, *(graph.nodes[i] for i in args))
    return graph


def _node_of(graph: Graph, index: int) -> Expr:
    return graph.nodes[index]


def _build(op: str, a: Any, b: Any) -> Any:
    owner = a if type(a) is Expr else b
    other = b if owner is a else a
    kind = type(other)
    if kind is Expr or kind in PLAIN_KINDS or isinstance(other, (Real, np.bool_)):
        return owner.graph.apply(op, a, b)
    return NotImplemented


def _method(op: str) -> Callable[..., Expr]:
    """A method that `generic` calls unbound, so that any of the arguments may be the expression."""

    def method(*args: Any) -> Expr:
        owner = next(x for x in args if type(x) is Expr)
        return owner.graph.apply(op, *args)

    method.__name__ = op
    return method


def _absent(name: str) -> Callable[..., Any]:
    def method(*args: Any) -> Any:
        raise TraceError(
            f"{name} of an expression is not available (available: {', '.join(NUMPY_NAMES)})"
        )

    return method


# What numpy or Python would ask for: better refused with the list than with "no such attribute".
for _name in "floor ceil rint trunc log2 log10 log1p expm1 cbrt arcsinh arccosh arctanh".split():
    setattr(Expr, _name, _absent(_name))
for _name in "hypot fmod deg2rad rad2deg radians degrees exp2 isnan".split():
    setattr(Expr, _name, _absent(_name))
for _name in "mod rmod floordiv rfloordiv and or xor invert round floor ceil trunc index".split():
    setattr(Expr, f"__{_name}__", _absent(_name))
for _op, _row in OPS.items():  # x.sin(), y.arctan2(x): numpy's ufuncs call these
    if _row.value.__name__ in NUMPY_NAMES:
        setattr(Expr, NUMPY_NAMES[_row.value.__name__], _method(_op))
