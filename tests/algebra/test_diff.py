"""Derivatives: forward = reverse = numerical differentiation with 50 digits."""

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.counts import examples
from support.trees import RejectedError, evaluate, trees, truth

from visviva.algebra import diff
from visviva.algebra import generic as g
from visviva.algebra.expr import Graph
from visviva.machine.interpret import interpret
from visviva.machine.program import Port, Program


def program_of(inputs, nodes):
    return Program.of([Port("x", (len(inputs),))], [Port("y", (len(nodes),))], inputs, nodes)


@pytest.mark.soak
@examples(150, 5_000)
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


def test_the_branch_not_taken_does_not_poison_the_tangent():
    graph = Graph()
    x = graph.input("x")
    safe = g.where(x > 0, g.sqrt(x), 0.0)
    derivative = program_of([x], [diff.forward([safe], [x])[0, 0]])
    assert interpret(derivative, [-1.0]) == [0.0]
    assert interpret(derivative, [4.0]) == [0.25]
