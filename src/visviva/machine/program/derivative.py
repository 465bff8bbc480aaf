"""How a function is differentiated: on its graph, along a mechanism's motions, or by a rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from visviva.algebra import diff
from visviva.algebra.arrays import as_array
from visviva.algebra.expr import Condition, Graph
from visviva.machine.program.interpret import conditions_and_margins, interpret
from visviva.machine.program.program import Port, Program
from visviva.machine.program.trace import symbols, traced

Chart = Callable[[Any], Any]  # x -> the matrix from steps to changes of x
Rule = Callable[[tuple[str, ...]], "Callable[..., Mapping[str, Any]] | None"]
SHORT_RULE = 2500  # instructions; below it a rule and the graph are both tried, and counted


@dataclass(frozen=True)
class Derivative:
    """How to differentiate: along what, and what is known better than the graph can tell.

    A chart belongs to an input whose entries cannot change freely. A rule answers, for wanted
    inputs, with a function that returns the outputs `dy_dx` themselves, or with None; it serves
    large functions, where it is by far the shorter way.
    """

    charts: Mapping[str, Chart] = field(default_factory=dict)
    rule: Rule | None = None

    def program(
        self, program: Callable[[], Program], inputs: tuple[Port, ...], wanted: tuple[str, ...]
    ) -> Program:
        """∂outputs/∂(wanted inputs) as a program of its own, under their conditions."""
        known = None if self.rule is None else self.rule(wanted)
        ruled = None if known is None else traced(known, inputs, has_conditions=True)
        if ruled is not None and len(ruled.code) > SHORT_RULE:
            return ruled
        plain = _on_the_graph(program(), wanted, self.charts)
        return plain if ruled is None else min(ruled, plain, key=lambda p: p.operations.total())


PLAIN = Derivative()


def _on_the_graph(program: Program, wanted: Sequence[str], charts: Mapping[str, Chart]) -> Program:
    graph = Graph()
    values = {port.name: symbols(graph, port) for port in program.inputs}
    arguments = [node for x in values.values() for node in x.ravel().tolist()]
    results = [graph.node(y) for y in interpret(program, arguments)]
    margins = conditions_and_margins(program, arguments)
    columns = [node for name in wanted for node in values[name].ravel().tolist()]
    entries, zero = diff.jacobian(results, columns), graph.constant(0.0)
    ports, nodes, row = [], [], 0
    for y in program.outputs:
        column = 0
        for name in wanted:
            x = values[name]
            block = as_array(
                [
                    entries.get((row + i, column + j), zero)
                    for i in range(y.size)
                    for j in range(x.size)
                ],
                (y.size, x.size),
            )
            shape = x.shape
            if name in charts:
                block = _product(block, np.asarray(charts[name](x), dtype=object))
                shape = block.shape[1:]
            ports.append(Port(f"d{y.name}_d{name}", y.shape + shape))
            nodes += [graph.node(e) for e in block.ravel().tolist()]
            column += x.size
        row += y.size
    conditions = [Condition(reason, graph.node(margin), ()) for reason, margin in margins]
    return Program.of(program.inputs, ports, arguments, nodes, conditions)


def _product(A: np.ndarray, N: np.ndarray) -> np.ndarray:
    """A N, where N is mostly zeros."""
    product = np.zeros((A.shape[0], N.shape[1]), dtype=object)
    for j, k in np.argwhere(N.astype(bool) if N.dtype != object else _filled(N)):
        product[:, k] = product[:, k] + A[:, j] * N[j, k]
    return product


def _filled(N: np.ndarray) -> np.ndarray:
    return np.array([[not (isinstance(x, (int, float)) and x == 0) for x in row] for row in N])
