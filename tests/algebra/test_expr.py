"""Nodes: one per expression, canonical, usable inside numpy arrays, freed with their trace."""

import gc
import weakref

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.counts import examples
from tests.support.generators.expressions import evaluate, trees
from visviva.algebra import generic as g
from visviva.algebra.expr import Expr, Graph
from visviva.errors import GraphError, TraceError


@pytest.fixture
def graph():
    return Graph()


@pytest.fixture
def xyz(graph):
    return [graph.input(name) for name in "xyz"]


@examples(29, 20_000)
@given(trees(3, size=25))
def test_structurally_equal_expressions_are_one_node(tree):
    graph = Graph()
    xs = [graph.input(name) for name in "xyz"]
    first = evaluate(tree, xs, graph.constant)
    size = len(graph)
    assert evaluate(tree, xs, graph.constant) is first
    assert len(graph) == size


# min and max are not: where both arguments are equal, the first one's slope counts
COMMUTATIVE = ("add", "mul", "eq", "ne")


@examples(29, 20_000)
@given(trees(3), trees(3), st.sampled_from(COMMUTATIVE))
def test_operand_order_does_not_matter(a, b, op):
    graph = Graph()
    xs = [graph.input(name) for name in "xyz"]
    left, right = (evaluate((op, *pair), xs, graph.constant) for pair in ((a, b), (b, a)))
    assert left is right


@examples(29, 20_000)
@given(trees(3), trees(3))
def test_signs_are_canonical(a, b):
    graph = Graph()
    xs = [graph.input(name) for name in "xyz"]
    a, b = (evaluate(t, xs, graph.constant) for t in (a, b))
    assume(not any(x.is_constant and np.isnan(x.value) for x in (a, b)))
    assert a - b is -(b - a)
    assert (-a) * b is -(a * b)
    assert a * (-b) is -(a * b)
    assert (-a) * (-b) is a * b
    assert a + (-b) is a - b
    minus = -a
    assert -minus is a
    assert g.sin(-a) is -g.sin(a)
    assert g.cos(-a) is g.cos(a)


def test_exact_folding(graph, xyz):
    x, y, _ = xyz
    zero, one = graph.constant(0.0), graph.constant(1.0)
    assert x + 0 is x
    assert x * 1 is x
    assert x * 0 is zero
    assert x * -1 is -x
    assert 0 / x is zero
    assert x / 1 is x
    assert x - x is zero
    assert x**0 is one
    assert x**1 is x
    assert x**2 is x * x
    assert x**-1 is 1 / x
    assert x**0.5 is g.sqrt(x)
    assert x + x is 2 * x
    assert x / 4 is 0.25 * x
    assert g.where(1.0, x, y) is x
    assert g.minimum(x, x) is x
    assert (graph.constant(2.0) * 3 + g.sin(graph.constant(0.0))).value == 6.0


def test_small_constants_are_kept_and_nothing_is_reassociated(xyz):
    x, y, _ = xyz
    assert (x + 1e-300).op == "add"
    assert (1e-300 * x).op == "mul"
    assert (x + y) - y is not x
    assert (x / 3).op == "div"
    assert 3 * (x / 3) is not x


def test_constants_fold_by_the_rules_of_ieee(graph):
    zero = graph.constant(0.0)
    assert (1 / zero).value == np.inf
    assert np.isnan((zero / zero).value)
    assert np.isnan(g.sqrt(graph.constant(-1.0)).value)
    assert g.log(zero).value == -np.inf
    assert g.exp(graph.constant(1e4)).value == np.inf


def test_numpy_arrays_carry_expressions(graph, xyz):
    x, y, z = xyz
    v = np.array([x, y, z])
    assert v.dtype == object
    assert v @ v is x * x + y * y + z * z
    assert (2.5 * v)[1] is 2.5 * y
    row = v * np.array([0.0, 1.0, -1.0])
    assert row[0] is graph.constant(0.0)
    assert row[1] is y
    assert row[2] is -z
    assert np.sin(v)[2] is g.sin(z)
    assert np.arctan2(v, x)[1] is g.atan2(y, x)
    assert np.sqrt(x) is g.sqrt(x)
    assert abs(v)[0] is g.absolute(x)
    assert (v**2)[1] is y * y
    assert np.float64(2.0) * x is 2.0 * x
    assert (np.eye(3) @ v)[1] is y
    assert np.cross(v, v)[0] is graph.constant(0.0)
    assert np.outer(v, v).shape == (3, 3)
    assert g.less(v, 1.0)[0] is g.less(x, 1.0)
    with pytest.raises(TraceError, match="less, minimum, maximum"):
        _ = v < 1.0  # numpy wants the truth of each


@pytest.mark.parametrize(
    "name", ["sin", "cos", "tan", "exp", "log", "sinh", "cosh", "tanh", "sqrt"]
)
def test_numpy_ufuncs_work_on_object_arrays(xyz, name):
    assert getattr(np, name)(np.array(xyz))[0] is getattr(g, name)(xyz[0])


def test_two_traces_never_mix(xyz):
    other = Graph().input("x")
    with pytest.raises(GraphError, match="another trace"):
        xyz[0] + other


def test_truth_and_value_are_refused_with_advice(xyz):
    x, y, _ = xyz
    with pytest.raises(TraceError, match=r"write where\(condition, a, b\) instead of if"):
        bool(x < y)
    with pytest.raises(TraceError, match=r"from visviva\.generic or numpy, not from math"):
        float(x)
    with pytest.raises(TraceError, match="where"):
        max(x, y)


@pytest.mark.parametrize("name", ["floor", "log10", "log1p", "arctanh", "deg2rad"])
def test_functions_we_lack_are_named(xyz, name):
    with pytest.raises(TraceError, match=f"{name} of an expression is not available"):
        getattr(np, name)(np.array(xyz))


def test_operators_we_lack_are_named(xyz):
    x, y, _ = xyz
    for lacking in (lambda: x % 2, lambda: x // y, lambda: x & y, lambda: round(x)):
        with pytest.raises(TraceError, match="not available"):
            lacking()


def test_only_powers_as_good_as_libm_are_unrolled(xyz):
    x = xyz[0]
    assert {n for n in range(-9, 70) if (x**n).op != "pow"} == {-2, -1, 0, 1, 2, 3, 4}


def test_other_operands_are_refused(xyz):
    for other in ("1", None, 1j, [1]):
        with pytest.raises(TypeError):
            xyz[0] + other


def test_the_arena_is_freed_with_its_last_node():
    graph = Graph()
    node = g.sin(graph.input("x")) + 1
    watch = weakref.ref(graph)
    del graph
    gc.collect()
    assert watch() is not None
    del node
    gc.collect()
    assert watch() is None


def test_repr_is_readable_and_bounded(xyz):
    x, y, _ = xyz
    assert repr(x + 2 * y) == "Expr((x + (y * 2)))"
    deep = x
    for _ in range(1000):
        deep = g.sin(deep + y)
    assert len(repr(deep)) < 200
    assert isinstance(deep, Expr)
