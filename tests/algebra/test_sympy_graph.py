"""SymPy in and out: the same values, and a loud no for what has no counterpart."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.counts import examples
from tests.support.generators.expressions import RejectedError, evaluate, trees, truth
from visviva.algebra import generic as g
from visviva.algebra.expr import Graph
from visviva.algebra.expr import evaluate as value_of
from visviva.algebra.ops import OPS
from visviva.algebra.sympy_graph import from_sympy, to_sympy
from visviva.errors import SymbolError, UnknownNameError

x, y, z = sympy.symbols("x y z", real=True)


def back(expr, **values):
    """The value of a SymPy expression by way of our graph."""
    graph = Graph()
    names = {s.name: graph.input(s.name) for s in expr.free_symbols}
    return float(value_of(from_sympy(expr, graph, names), values))


CASES = [
    x + y + z,
    x - y,
    -x,
    x * y / z,
    x / 3 + sympy.Rational(2, 7) * y,
    x**2 + y**-3 + z ** sympy.Rational(1, 2) + x ** sympy.Rational(-3, 2) + x**y,
    sympy.pi * x + sympy.E,
    sympy.Float("0.1") * x,
    sympy.sin(x) + sympy.cos(y) + sympy.tan(z),
    sympy.asin(x / 3) + sympy.acos(y / 3) + sympy.atan(z) + sympy.atan2(x, y),
    sympy.exp(x) + sympy.log(y) + sympy.log(z, 10),
    sympy.sinh(x) + sympy.cosh(y) + sympy.tanh(z),
    sympy.sqrt(x + y),
    sympy.Abs(x - 2) + sympy.sign(y - 1),
    sympy.Min(x, y, z) + sympy.Max(x, 2 * y, z),
    sympy.Piecewise((x, x < 1), (y, x < 2), (z, True)),
    sympy.Piecewise((1, sympy.And(x > 0, y > 1, z < 9)), (0, True)),
    sympy.Piecewise((1, sympy.Or(x > 5, y < 1)), (2, sympy.Not(sympy.Eq(x, z))), (3, True)),
    sympy.Piecewise((1, x >= y), (2, x <= y), (3, sympy.Ne(x, y))),
    (x + 1) / (y * (z + 2)) ** 2 / sympy.sqrt(x),
    (sympy.sin(x) ** 2 + 2 * x * y) / (1 - sympy.cos(z) / 3),
]


@pytest.mark.parametrize("expr", CASES, ids=str)
@pytest.mark.parametrize("values", [(0.7, 1.9, 1.3), (1.5, 0.4, 2.2)])
def test_values_agree_with_sympy(expr, values):
    points = dict(zip((x, y, z), map(sympy.Float, values), strict=True))
    expected = float(expr.subs(points).evalf(30))
    named = {s.name: v for s, v in points.items() if s in expr.free_symbols}
    # SymPy's own order of terms: a few roundings of terms of order ten
    assert back(expr, **{k: float(v) for k, v in named.items()}) == pytest.approx(
        expected, rel=1e-14, abs=1e-14
    )


def test_exact_numbers_are_rounded_once():
    graph = Graph()
    for number in (sympy.Rational(1, 3), sympy.Rational(2**70 + 1, 3**40), sympy.Integer(10) ** 25):
        assert from_sympy(number, graph, {}).value == number.p / number.q
    assert from_sympy(sympy.pi, graph, {}).value == math.pi
    assert from_sympy(sympy.Float("0.1"), graph, {}).value == 0.1
    for number in (2, 0.25, Fraction(1, 3), np.float64(0.1)):
        assert from_sympy(number, graph, {}).value == float(number)


def test_fractions_of_symbols_become_quotients():
    graph = Graph()
    a, b = graph.input("x"), graph.input("y")
    names = {"x": a, "y": b}
    assert from_sympy(x / y, graph, names) is a / b
    assert from_sympy(x / 3, graph, names) is a / 3
    assert from_sympy(x - y, graph, names) is a - b
    assert from_sympy(x**2, graph, names) is a * a
    assert from_sympy(sympy.sqrt(x), graph, names) is g.sqrt(a)
    assert from_sympy(x < y, graph, names) is g.less(a, b)
    assert from_sympy(x > y, graph, names) is g.less(b, a)


def test_names_may_be_whole_expressions():
    graph = Graph()
    t = sympy.Symbol("t")
    q = sympy.Function("q")(t)
    a, v = graph.input("a"), graph.input("v")
    names = {q: a, q.diff(t): v}
    assert from_sympy(q.diff(t) ** 2 + q, graph, names) is v * v + a
    assert from_sympy(x * 2, graph, {"x": 3.0}).value == 6.0


REFUSED = [
    sympy.I,
    sympy.zoo,
    sympy.gamma(x),
    sympy.Integral(x, x),
    sympy.Derivative(sympy.Function("f")(x), x),
    sympy.Function("f")(x),
    sympy.floor(x),
    sympy.asinh(x),
    sympy.Matrix([x]).as_immutable(),
    sympy.Heaviside(x),
    sympy.Symbol("A", commutative=False) * sympy.I,
]


@pytest.mark.parametrize("expr", REFUSED, ids=str)
def test_what_has_no_counterpart_is_refused(expr):
    graph = Graph()
    with pytest.raises(SymbolError, match=r"has no counterpart here, got .* \(available: Abs, Add"):
        from_sympy(expr, graph, {"x": graph.input("x"), "A": 1.0})


def test_unknown_symbols_and_other_things_are_refused():
    graph = Graph()
    with pytest.raises(UnknownNameError, match=r"unknown symbol 'y' \(available: 'x'\)"):
        from_sympy(x + y, graph, {"x": 1.0})
    for thing in ("x + 1", None, [x]):
        with pytest.raises(SymbolError, match="expected a SymPy expression or a number"):
            from_sympy(thing, graph, {})
    with pytest.raises(SymbolError, match="must fit a double"):
        from_sympy(sympy.Integer(10) ** 400, graph, {})


def test_constants_become_exact_where_they_are_short():
    graph = Graph()
    a = graph.input("a")
    assert to_sympy(a * 0.5) == sympy.Symbol("a", real=True) / 2
    assert to_sympy(graph.constant(math.pi)) is sympy.pi
    assert to_sympy(graph.constant(-math.pi)) == -sympy.pi
    assert to_sympy(graph.constant(3.0)) == sympy.Integer(3)
    assert isinstance(to_sympy(graph.constant(0.1)), sympy.Float)
    assert to_sympy(0.25) == sympy.Rational(1, 4)
    assert to_sympy(graph.constant(math.inf)) is sympy.oo
    assert to_sympy(graph.constant(math.nan)) is sympy.nan
    assert to_sympy(a + 1, {"a": z}) == z + 1


@pytest.mark.parametrize("op", list(OPS))
def test_every_operation_has_its_way_out_and_back(op):
    graph = Graph()
    values = {"a": 0.3, "b": 0.7, "c": 0.2}
    args = [graph.input(n) for n in "abc"][: OPS[op].arity]
    node = graph.apply(op, *args)
    expr = to_sympy(node)
    again = from_sympy(expr, graph, {n: graph.input(n) for n in "abc"})
    for a in (0.3, 0.7, 0.0 if op not in ("log", "div", "pow") else 0.9):
        here = values | {"a": a}
        wanted = float(value_of(node, here))
        assert float(value_of(again, here)) == pytest.approx(wanted, rel=1e-15)
        named = {sympy.Symbol(n, real=True): v for n, v in here.items()}
        assert float(expr.subs(named)) == pytest.approx(wanted, rel=1e-14)


@pytest.mark.parametrize(("op", "equal"), [("lt", 2.0), ("le", 1.0), ("eq", 1.0), ("ne", 2.0)])
def test_branches_know_what_happens_at_equality(op, equal):
    graph = Graph()
    a, b = graph.input("a"), graph.input("b")
    expr = to_sympy(g.where(graph.apply(op, a, b), 1.0, 2.0))
    named = {sympy.Symbol(n, real=True): sympy.Rational(1, 2) for n in "ab"}
    assert float(expr.subs(named)) == equal
    assert back(expr, a=0.5, b=0.5) == equal


@examples(22, 5_000)
@given(trees(3, size=10), st.lists(st.floats(-3, 3), min_size=3, max_size=3))
def test_random_trees_keep_their_values(tree, point):
    try:
        exact, bound = truth(tree, point, ulps=4)
    except RejectedError:
        assume(False)
    graph = Graph()
    names = {n: graph.input(n) for n in "xyz"}
    node = evaluate(tree, list(names.values()), graph.constant)
    try:
        expr = to_sympy(node)
        again = from_sympy(expr, graph, names)
    except SymbolError as error:
        # a constant part that is not real, in a branch that is never taken
        assume("not real" not in str(error) and "no counterpart" not in str(error))
        assume("comparable" not in str(error) and "decide" not in str(error))
        raise
    try:
        found = value_of(again, dict(zip("xyz", map(np.float64, point), strict=True)))
    except ZeroDivisionError:
        assume(False)
    # SymPy reorders sums, so that intermediate sizes count, not the result's: hence the margin
    assert float(found) == pytest.approx(float(exact), rel=1e-7, abs=1e-7 + 100 * float(bound))


def test_deep_and_long_expressions_are_no_problem():
    graph = Graph()
    many = [sympy.Symbol(f"s{i}") for i in range(2000)]
    made = from_sympy(sympy.Add(*many), graph, {s.name: float(i) for i, s in enumerate(many)})
    assert made.value == sum(range(2000))
    deep, value = x, 0.5
    for _ in range(200):
        deep, value = sympy.sin(deep, evaluate=False), math.sin(value)
    assert back(deep, x=0.5) == pytest.approx(value, rel=1e-12)
