"""Derivatives of a graph: forward and reverse accumulation, sparse, in the same graph.

Both walk the nodes once and apply the linear maps of the operation table. Forward carries, for
every node, its tangents by input; reverse carries its adjoints by output. Applied twice they give
second derivatives.

Examples:
    >>> from visviva.algebra.expr import Graph
    >>> graph = Graph()
    >>> x, y = graph.input("x"), graph.input("y")
    >>> jacobian([x * y, x.sin()], [x, y])
    {(0, 0): Expr(y), (0, 1): Expr(x), (1, 0): Expr(cos(x))}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from visviva.algebra.expr import Expr, Graph, evaluated, reachable
from visviva.algebra.generic import where
from visviva.algebra.ops import OPS, LinearMap

Entries = dict[tuple[int, int], Expr]  # (output, input) -> derivative; absent means zero


def jacobian(outputs: Sequence[Expr], inputs: Sequence[Expr]) -> Entries:
    """∂outputs/∂inputs by whichever mode takes fewer operations.

    The size of both is estimated from which node depends on what; where the estimates are close
    both are built and counted. Nodes of the loser stay unused in the arena.
    """
    nodes = reachable(outputs)
    cost = {forward: _spread(_sources(nodes, inputs)), reverse: _spread(_sinks(nodes, outputs))}
    cheap, dear = sorted(cost, key=lambda mode: cost[mode])
    entries = cheap(outputs, inputs)
    if cost[dear] > 3 * cost[cheap]:
        return entries
    return min(entries, dear(outputs, inputs), key=lambda e: count(e.values()))


def count(roots: Iterable[Expr]) -> int:
    """How many operations the roots take together."""
    return sum(1 for node in reachable(roots) if node.args)


def forward(outputs: Sequence[Expr], inputs: Sequence[Expr]) -> Entries:
    """∂outputs/∂inputs, tangents from inputs to outputs."""
    tangents: dict[Expr, dict[int, Expr]] = {}
    seeds = {x: j for j, x in enumerate(inputs)}
    for node in reachable(outputs):
        tangents[node] = row = {}
        if node in seeds:
            row[seeds[node]] = node.graph.constant(1.0)
            continue
        for arg, linear in _terms(node):
            for j, t in tangents[arg].items():
                _accumulate(row, j, linear(t, node, *node.args))
    return _nonzero({(i, j): t for i, y in enumerate(outputs) for j, t in tangents[y].items()})


def reverse(outputs: Sequence[Expr], inputs: Sequence[Expr]) -> Entries:
    """∂outputs/∂inputs, adjoints from outputs to inputs."""
    nodes = reachable(outputs)
    active = _sources(nodes, inputs)
    adjoints: dict[Expr, dict[int, Expr]] = {node: {} for node in nodes}
    for i, y in enumerate(outputs):
        adjoints[y][i] = y.graph.constant(1.0)
    wanted = set(inputs)
    for node in reversed(nodes):
        if node in wanted:
            continue
        for arg, linear in _terms(node):
            if active[arg]:
                for i, t in adjoints[node].items():
                    _accumulate(adjoints[arg], i, _masked(linear, t, node))
    rows = ((j, adjoints.get(x, {})) for j, x in enumerate(inputs))
    return _nonzero({(i, j): t for j, row in rows for i, t in row.items()})


def pull_back(
    outputs: Sequence[Expr], inputs: Sequence[Expr], weights: Sequence[Expr]
) -> list[Expr]:
    """∂(Σ weight · output)/∂inputs, one for each input: one reverse sweep for all outputs."""
    nodes = reachable(outputs)
    active = _sources(nodes, inputs)
    adjoints: dict[Expr, Any] = {}
    for y, weight in zip(outputs, weights, strict=True):
        _accumulate(adjoints, y, weight)
    ends = set(inputs)
    for node in reversed(nodes):
        if node in ends or node not in adjoints:
            continue
        adjoint = node.graph.node(adjoints[node])
        for arg, linear in _terms(node):
            if active[arg]:
                _accumulate(adjoints, arg, _masked(linear, adjoint, node))
    return [x.graph.node(adjoints.get(x, 0.0)) for x in inputs]


def push_forward(
    outputs: Sequence[Expr], inputs: Sequence[Expr], rates: Sequence[Expr]
) -> list[Expr]:
    """How fast each output changes while each input changes at its rate: one forward sweep."""
    tangents: dict[Expr, Any] = dict(zip(inputs, rates, strict=True))
    for node in reachable(outputs):
        if node in tangents:
            continue
        for arg, linear in _terms(node):
            if arg in tangents:
                _accumulate(tangents, node, linear(tangents[arg], node, *node.args))
    return [y.graph.node(tangents.get(y, 0.0)) for y in outputs]


def slopes(f: Callable[[Any], Any], x: Any) -> Any:
    """∂f/∂x (…, n) of an array-valued function of n scalars of any kind.

    Examples:
        >>> slopes(lambda x: np.array([x[0] * x[1], x[1]]), np.array([2.0, 3.0]))
        array([[3., 2.],
               [0., 1.]])
    """
    graph = Graph()
    inputs = [graph.input(f"x{j}") for j in range(len(x))]
    result = np.asarray(f(np.array(inputs, dtype=object)))
    outputs = [graph.node(y) for y in result.ravel()]
    entries = forward(outputs, inputs)
    values = {node.value: value for node, value in zip(inputs, x, strict=True)}
    matrix: list[list[Any]] = [[0.0] * len(x) for _ in outputs]
    for (i, j), slope in zip(entries, evaluated(entries.values(), values), strict=True):
        matrix[i][j] = slope
    return np.array(matrix).reshape(*result.shape, len(x))


def along(f: Callable[[Any], Any], x: Any, rate: Any) -> Any:
    """df/dt of an array-valued function where x changes at a rate: over any scalar.

    Examples:
        >>> along(lambda x: np.array([x[0] * x[1], x[1]]), np.array([2.0, 3.0]), [1.0, 10.0])
        array([23., 10.])
    """
    return slopes(f, x) @ np.asarray(rate)


def _terms(node: Expr) -> Iterator[tuple[Expr, LinearMap]]:
    """The arguments a node depends on smoothly, with their linear maps."""
    if node.args:
        for arg, linear in zip(node.args, OPS[node.op].derivative, strict=True):
            if linear is not None and not arg.is_constant:
                yield arg, linear


def _accumulate(row: dict[Any, Any], key: Any, term: Any) -> None:
    row[key] = _sum(row[key], term) if key in row else term


def _masked(linear: LinearMap, t: Expr, node: Expr) -> Any:
    """linear(t); but where(c, u, 0) becomes where(c, linear(u), 0).

    The slope of a branch that is not taken may be infinite, and zero times that is nan.
    """
    mask = _mask(t)
    if mask is None:
        return linear(t, node, *node.args)
    c, u, v = mask
    return where(c, *(linear(x, node, *node.args) if not _is_zero(x) else 0.0 for x in (u, v)))


def _sum(a: Expr, b: Expr) -> Any:
    """a + b: under one condition if both are, and where one of two holds if each has its own."""
    left, right = _mask(a), _mask(b)
    if left is None or right is None:
        return a + b
    if left[0] is right[0]:
        return where(left[0], left[1] + right[1], left[2] + right[2])
    return where(where(_support(left), 1.0, _support(right)), a + b, 0.0)


def _support(mask: tuple[Expr, Expr, Expr]) -> Any:
    """Where what is masked is not zero."""
    c, _, v = mask
    return c if _is_zero(v) else where(c, 0.0, 1.0)


def _mask(t: Expr) -> tuple[Expr, Expr, Expr] | None:
    if t.op != "where" or not (_is_zero(t.args[1]) or _is_zero(t.args[2])):
        return None
    c, u, v = t.args
    return c, u, v


def _is_zero(x: Expr) -> bool:
    return x.is_constant and x.value == 0.0


def _nonzero(entries: dict[tuple[int, int], Any]) -> Entries:
    return {key: entry for key, entry in sorted(entries.items()) if not _is_zero(entry)}


def _sources(nodes: Sequence[Expr], inputs: Sequence[Expr]) -> dict[Expr, int]:
    """For every node the set of inputs it depends on, as bits."""
    bits = {x: 1 << j for j, x in enumerate(inputs)}
    sets: dict[Expr, int] = {}
    for node in nodes:
        sets[node] = bits.get(node, 0)
        if node not in bits:
            for arg, _ in _terms(node):
                sets[node] |= sets[arg]
    return sets


def _sinks(nodes: Sequence[Expr], outputs: Sequence[Expr]) -> dict[Expr, int]:
    """For every node the set of outputs that depend on it, as bits."""
    sets = dict.fromkeys(nodes, 0)
    for i, y in enumerate(outputs):
        sets[y] |= 1 << i
    for node in reversed(nodes):
        for arg, _ in _terms(node):
            sets[arg] |= sets[node]
    return sets


def _spread(sets: dict[Expr, int]) -> int:
    """Roughly the operations of a sweep: one per node and per element of its set."""
    return sum(bits.bit_count() for node, bits in sets.items() if node.args)
