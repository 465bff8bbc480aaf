"""SymPy expressions to nodes of a graph, and nodes to SymPy: one row per operation.

Examples:
    >>> import sympy
    >>> from visviva.algebra.expr import Graph
    >>> graph = Graph()
    >>> x = graph.input("x")
    >>> a = sympy.Symbol("a")
    >>> from_sympy(sympy.sin(a) / 2 + a**2, graph, {"a": x})
    Expr(((sin(x) * 0.5) + (x * x)))
    >>> to_sympy(x * x + 0.5)
    x**2 + 1/2
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, reduce
from numbers import Real
from typing import Any

from visviva.algebra import generic as g
from visviva.algebra.expr import Expr, Graph, computed, evaluated, names_in
from visviva.algebra.ops import OPS
from visviva.errors import SymbolError, UnknownNameError

LARGEST_DENOMINATOR = 1024  # 0.5 becomes 1/2; numbers that are no short fractions stay decimal


def from_sympy(expr: Any, graph: Graph, names: Mapping[Any, Any]) -> Expr:
    """The node that a SymPy expression means.

    `names` gives what stands for each symbol: by the symbol's name, or by any SymPy expression
    (`q(t)`, say) taken as a whole.
    """
    sympy = _sympy()
    if isinstance(expr, (Real, Fraction)) and not isinstance(expr, sympy.Basic):
        return graph.constant(expr)
    if not isinstance(expr, sympy.Basic):
        raise SymbolError(
            f"expected a SymPy expression or a number, got {type(expr).__name__}: {expr!r:.60}"
        )
    whole = {key: value for key, value in names.items() if not isinstance(key, str)}
    known: dict[Any, Expr] = {}
    stack = [expr]
    while stack:  # arguments first; no recursion, because sums of products may be deep
        x = stack[-1]
        if x in known:
            stack.pop()
        elif x in whole:
            known[stack.pop()] = graph.node(whole[x])
        elif isinstance(x, sympy.Symbol):
            if x.name not in names:
                raise UnknownNameError("symbol", x.name, [k for k in names if isinstance(k, str)])
            known[stack.pop()] = graph.node(names[x.name])
        elif not isinstance(x, _kinds()):
            raise _unknown(x)
        elif missing := [a for a in _parts(x) if a not in known]:
            stack.extend(missing)
        else:
            known[stack.pop()] = graph.node(_node(x, graph, known))
    return known[expr]


def to_sympy(
    node: Any,
    symbols: Mapping[str, Any] | None = None,
    number: Callable[[float], Any] | None = None,
) -> Any:
    """The SymPy expression of a node; inputs become real symbols of their name, or `symbols`'.

    `number`: what a constant is in SymPy; by itself a short fraction or a decimal.
    """
    sympy, number = _sympy(), number or _number
    if not isinstance(node, Expr):
        return number(float(node))
    given = symbols or {}
    missing = [k for k in names_in([node]) if given.get(k) is None]
    values = {**given, **{k: sympy.Symbol(k, real=True) for k in missing}}
    return evaluated([node], values, number, _applied)[0]


def _applied(x: Expr, known: Mapping[Expr, Any]) -> Any:
    if x.op == "where":
        test, then, other = x.args
        return _sympy().Piecewise((known[then], _condition(test, known)), (known[other], True))
    try:
        return computed(x, known)
    except (TypeError, ValueError) as error:  # comparing what is not real
        raise SymbolError(f"SymPy cannot express {x!r}: {error}") from None


def _condition(node: Expr, known: Mapping[Expr, Any]) -> Any:
    """The truth of an indicator, without the detour over 0 and 1."""
    sympy = _sympy()
    relations = {"lt": sympy.Lt, "le": sympy.Le, "eq": sympy.Eq, "ne": sympy.Ne}
    try:
        if node.op in relations:
            return relations[node.op](*(known[a] for a in node.args))
        return sympy.Ne(known[node], 0)
    except TypeError as error:
        raise SymbolError(f"SymPy cannot decide {node!r}: {error}") from None


def _number(value: float) -> Any:
    """Whole numbers, short binary fractions and π are exact in SymPy, the rest stays decimal."""
    sympy = _sympy()
    if not math.isfinite(value):
        return sympy.nan if math.isnan(value) else sympy.oo if value > 0 else -sympy.oo
    if abs(value) == math.pi:
        return sympy.pi if value > 0 else -sympy.pi
    exact = Fraction(value)
    if exact.denominator <= LARGEST_DENOMINATOR:
        return sympy.Rational(exact.numerator, exact.denominator)
    return sympy.Float(value)


def _parts(x: Any) -> tuple[Any, ...]:
    """What has to be read before `x`: its arguments, of a number none."""
    if x.is_Number or x.is_NumberSymbol:
        return ()
    if isinstance(x, _sympy().Piecewise):
        return tuple(a for pair in x.args for a in pair.args)
    return tuple(x.args)


def _node(x: Any, graph: Graph, known: Mapping[Any, Expr]) -> Any:
    """One object whose arguments are known."""
    for kind, rule in _rules():
        if isinstance(x, kind):
            return rule(x, graph, [known[a] for a in _parts(x)])
    raise _unknown(x)


def _unknown(x: Any) -> SymbolError:
    available = sorted({k.__name__ for k in _kinds()})
    return SymbolError(
        f"{type(x).__name__} has no counterpart here, got {str(x)[:60]!r} "
        f"(available: {', '.join(available)})"
    )


def _quotient(x: Any) -> float:
    try:
        return float(x.p / x.q)  # whole numbers: rounded once
    except OverflowError:
        raise SymbolError(f"a constant must fit a double, got {str(x)[:60]}") from None


def _product(x: Any, graph: Graph, args: list[Expr]) -> Any:
    """One quotient instead of many factors 1/b: fewer roundings."""
    over: list[Any] = [graph.constant(1.0)]
    under: list[Any] = [graph.constant(1.0)]
    for factor, node in zip(x.args, args, strict=True):
        if factor.is_Rational and abs(factor.p) < 2**53 and factor.q < 2**53:
            over.append(graph.constant(float(factor.p)))
            under.append(graph.constant(float(factor.q)))
        elif factor.is_Pow and factor.exp == -1 and node.op == "div":
            under.append(node.args[1])
        else:
            over.append(node)
    return reduce(lambda a, b: a * b, over) / reduce(lambda a, b: a * b, under)


def _piecewise(x: Any, graph: Graph, args: list[Expr]) -> Any:
    result: Any = graph.constant(math.nan)  # where no condition holds SymPy says the same
    for value, condition in reversed(list(zip(args[::2], args[1::2], strict=True))):
        result = g.where(condition, value, result)
    return result


@cache
def _rules() -> tuple[tuple[Any, Callable[[Any, Graph, list[Any]], Any]], ...]:
    """SymPy class -> how its node is made; the first that fits counts."""
    s = _sympy()

    def elementary(op: str) -> Callable[[Any, Graph, list[Any]], Any]:
        return lambda x, graph, a: graph.apply(op, *a)

    def chain(op: str) -> Callable[[Any, Graph, list[Any]], Any]:
        return lambda x, graph, a: reduce(lambda y, z: graph.apply(op, y, z), a)

    rows: list[tuple[Any, Any]] = [
        (s.Rational, lambda x, graph, a: _quotient(x)),
        (s.Float, lambda x, graph, a: float(x)),
        (type(s.pi), lambda x, graph, a: math.pi),
        (type(s.E), lambda x, graph, a: math.e),
        (type(s.oo), lambda x, graph, a: math.inf),
        (type(-s.oo), lambda x, graph, a: -math.inf),
        (type(s.nan), lambda x, graph, a: math.nan),
        (type(s.true), lambda x, graph, a: 1.0),
        (type(s.false), lambda x, graph, a: 0.0),
        (s.Add, chain("add")),
        (s.Mul, _product),
        (s.Pow, elementary("pow")),
        (s.Abs, elementary("abs")),
        (s.Min, chain("min")),
        (s.Max, chain("max")),
        (s.Piecewise, _piecewise),
        (s.Lt, elementary("lt")),
        (s.Le, elementary("le")),
        (s.Gt, lambda x, graph, a: graph.apply("lt", a[1], a[0])),
        (s.Ge, lambda x, graph, a: graph.apply("le", a[1], a[0])),
        (s.Eq, elementary("eq")),
        (s.Ne, elementary("ne")),
        (s.And, chain("mul")),
        (s.Or, chain("max")),
        (s.Not, lambda x, graph, a: graph.apply("sub", 1.0, a[0])),
        (s.sec, lambda x, graph, a: 1.0 / g.cos(a[0])),
        (s.csc, lambda x, graph, a: 1.0 / g.sin(a[0])),
        (s.cot, lambda x, graph, a: g.cos(a[0]) / g.sin(a[0])),
    ]
    same = [op for op in OPS if isinstance(getattr(s, op, None), s.FunctionClass)]
    return (*rows, *((getattr(s, name), elementary(name)) for name in same))


@cache
def _kinds() -> tuple[Any, ...]:
    return tuple(kind for kind, _ in _rules())


@cache
def _sympy() -> Any:
    import sympy

    return sympy
