"""Derivatives: forward = reverse = numerical differentiation with 50 digits."""

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.counts import examples
from tests.support.generators.expressions import RejectedError, evaluate, trees, truth
from visviva.algebra import diff
from visviva.algebra import generic as g
from visviva.algebra.expr import Graph
from visviva.machine.program.interpret import interpret
from visviva.machine.program.program import Port, Program


def program_of(inputs, nodes):
    return Program.of([Port("x", (len(inputs),))], [Port("y", (len(nodes),))], inputs, nodes)


@examples(9, 5_000)
@given(st.lists(trees(3), min_size=1, max_size=3), st.tuples(*[st.floats(-3, 3)] * 3))
def test_forward_and_reverse_equal_the_numerical_derivative(forest, point):
    graph = Graph()
    xs = [graph.input(name) for name in "xyz"]
    try:
        for tree in forest:
            truth(tree, point, ulps=1e3, uncertainty=1e-9)  # away from poles and kinks
    except RejectedError:
        assume(False)
    outputs = [graph.node(evaluate(tree, xs, graph.constant)) for tree in forest]
    entries = {mode: mode(outputs, xs) for mode in (diff.forward, diff.reverse, diff.jacobian)}
    value = program_of(xs, outputs)
    zero = graph.constant(0.0)
    with mpmath.workdps(50):
        at = [mpmath.mpf(x) for x in point]
        for i in range(len(outputs)):
            for j in range(3):
                numbers = [
                    interpret(program_of(xs, [e.get((i, j), zero)]), at)[0]
                    for e in entries.values()
                ]
                assume(all(mpmath.isfinite(x) for x in numbers))

                def along(t, i=i, j=j):
                    return interpret(value, [*at[:j], at[j] + t, *at[j + 1 :]])[i]

                expected = mpmath.diff(along, 0)
                assume(isinstance(expected, mpmath.mpf) and mpmath.isfinite(expected))
                # 50 digits, but constants such as log 2 are folded to doubles in the derivative
                scale = max(1, abs(expected))
                for number in numbers:
                    assert abs(number - expected) <= 1e-13 * scale


def test_second_derivatives_by_applying_it_twice():
    graph = Graph()
    x, y = graph.input("x"), graph.input("y")
    f = g.sin(x) * y**3
    first = diff.jacobian([f], [x, y])
    second = diff.jacobian([first[0, 0], first[0, 1]], [x, y])
    hessian = program_of([x, y], [second[i, j] for i in (0, 1) for j in (0, 1)])
    a, b = 0.7, 1.3
    expected = [
        [-np.sin(a) * b**3, 3 * np.cos(a) * b**2],
        [3 * np.cos(a) * b**2, 6 * np.sin(a) * b],
    ]
    np.testing.assert_allclose(np.reshape(interpret(hessian, [a, b]), (2, 2)), expected, rtol=1e-15)


def test_the_jacobian_is_sparse():
    graph = Graph()
    xs = [graph.input(f"x{i}") for i in range(50)]
    entries = diff.jacobian([g.sin(x) for x in xs], xs)
    assert sorted(entries) == [(i, i) for i in range(50)]


@pytest.mark.parametrize(("inputs", "outputs", "mode"), [(40, 1, "reverse"), (1, 40, "forward")])
def test_the_cheaper_mode_is_chosen(inputs, outputs, mode):
    graph = Graph()
    xs = [graph.input(f"x{i}") for i in range(inputs)]
    total = sum(g.sin(x) for x in xs)
    for _ in range(5):
        total = g.sin(total) * total
    results = [total * k + g.cos(total + k) for k in range(1, outputs + 1)]
    chosen = diff.count(diff.jacobian(results, xs).values())
    assert chosen == diff.count(getattr(diff, mode)(results, xs).values())
    assert chosen <= min(diff.count(m(results, xs).values()) for m in (diff.forward, diff.reverse))


def test_derivative_with_respect_to_an_intermediate_node():
    graph = Graph()
    x = graph.input("x")
    angle = x * x
    for mode in (diff.forward, diff.reverse):
        assert mode([g.sin(angle)], [angle])[0, 0] is g.cos(angle)


def test_steps_have_no_derivative():
    graph = Graph()
    x = graph.input("x")
    assert diff.jacobian([g.sign(x), g.less(x, 1.0)], [x]) == {}


GUARDED = {
    "length": (lambda s: g.where(s > 0, g.sqrt(s), 0.0), 0.0),
    "sine over angle": (lambda s: g.where(s < 1e-8, 1 - s / 6, g.sin(g.sqrt(s)) / g.sqrt(s)), 0.0),
    "clipped logarithm": (lambda s: g.maximum(g.log(s), -1.0), 0.0),
    "two under one condition": (
        lambda s: g.where(s > 0, g.sqrt(s), 0.0) + g.where(s > 0, g.log(s), 0.0),
        0.0,
    ),
    "two under conditions of their own": (
        lambda s: g.where(s > 0, g.sqrt(s), 0.0) + g.where(s > 1, 2 * g.sqrt(s), 1.0),
        0.0,
    ),
    "one if another does not hold": (
        lambda s: g.where(s > 0, g.sqrt(s), 0.0) + g.where(s < 1, 1.0, 2 * g.sqrt(s)),
        0.0,
    ),
}


@pytest.mark.parametrize("name", GUARDED)
@pytest.mark.parametrize("mode", [diff.forward, diff.reverse, diff.jacobian])
def test_the_branch_not_taken_does_not_poison_the_derivative(name, mode):
    """In floating point, where zero times an infinite slope is nan."""
    graph = Graph()
    xs = [graph.input(name) for name in "xyz"]
    body, at_zero = GUARDED[name]
    entries = mode([body(sum(x * x for x in xs))], xs)
    gradient = program_of(xs, [entries[0, j] for j in range(3)])
    assert interpret(gradient, [0.0, 0.0, 0.0]) == [at_zero] * 3
    away = interpret(gradient, [1.0, 2.0, 2.0])
    other = [
        mode([body(sum(x * x for x in xs))], xs)[0, 0] for mode in (diff.forward, diff.reverse)
    ]
    for entry in other:
        assert interpret(program_of(xs, [entry]), [1.0, 2.0, 2.0])[0] == pytest.approx(away[0])


@examples(9, 5_000)
@given(trees(3), st.tuples(*[st.floats(-3, 3)] * 3))
def test_forward_equals_reverse_in_floating_point(tree, point):
    graph = Graph()
    xs = [graph.input(name) for name in "xyz"]
    try:
        truth(tree, point, ulps=1e3, uncertainty=1e-9)
    except RejectedError:
        assume(False)
    output = graph.node(evaluate(tree, xs, graph.constant))
    zero = graph.constant(0.0)
    for j in range(3):
        numbers = [
            interpret(program_of(xs, [mode([output], xs).get((0, j), zero)]), point)[0]
            for mode in (diff.forward, diff.reverse)
        ]
        assume(np.isfinite(numbers[0]) and abs(numbers[0]) < 1e6)
        # rounding may differ; 1e-9 as the tree itself is only known to 1e-9 around the point
        assert numbers[1] == pytest.approx(numbers[0], rel=1e-9, abs=1e-9)


def test_power_of_zero_has_a_slope_in_its_exponent():
    graph = Graph()
    a, b = graph.input("a"), graph.input("b")
    slope = diff.jacobian([a**b], [a, b])[0, 1]
    assert interpret(program_of([a, b], [slope]), [0.0, 2.0]) == [0.0]
