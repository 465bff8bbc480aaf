"""The equation of Lagrange on the graph of L: derivatives of what was written, nothing expanded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from visviva.algebra import diff
from visviva.algebra.expr import Expr, Graph, evaluated, names_in
from visviva.describe.energies.formulas import TIME
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.equations.lagrange.nodes import FromSympy
from visviva.equations.lagrange.terms import Calculus, Terms

STEP = "along the motion"  # no name that a user can give


@final
class OnGraph(Calculus[Expr]):
    """Derivatives by accumulation; rates along a motion by one sweep, whatever its dimension."""

    def __init__(self, system: Lagrangian) -> None:
        super().__init__(system)
        self.graph = Graph()
        self.nodes = FromSympy(self.graph, (*self.q, *self.v, TIME))

    def read(self, x: Any) -> Expr:
        return self.nodes.node(x)

    def gradient(self, x: Expr, by: Sequence[Any]) -> list[Expr]:
        slopes = diff.jacobian([x], [self.read(y) for y in by])
        return [slopes.get((0, i), self.graph.constant(0.0)) for i in range(len(by))]

    def carried(self, row: list[Expr], a: list[Expr] | None = None) -> list[Expr]:
        """d/ds of every x at (q + s v, v + s a, t + s), at s = 0; without a, v stays."""
        step = self.graph.input(STEP)
        q, v, t = ([self.read(x) for x in xs] for xs in (self.q, self.v, [self.t]))
        still: list[Any] = [0.0] * len(v)
        rates = [*v, *(a or still), 1.0]
        moved: dict[str, Any] = {k: self.graph.input(k) for k in names_in(row)}
        for x, rate in zip([*q, *v, *t], rates, strict=True):
            moved[x.value] = x + step * rate
        there = [self.graph.node(x) for x in evaluated(row, moved)]
        rates_of = diff.forward(there, [step])
        slopes = [rates_of.get((i, 0), self.graph.constant(0.0)) for i in range(len(row))]
        back = {k: self.graph.input(k) for k in names_in(slopes)} | {STEP: 0.0}
        return [self.graph.node(x) for x in evaluated(slopes, back)]

    def at_rest(self, x: Expr) -> Expr:
        values: dict[str, Any] = {k: self.graph.input(k) for k in names_in([x])}
        values |= dict.fromkeys((y.name for y in self.v), 0.0)
        return self.graph.node(evaluated([x], values)[0])

    def symbols(self, x: Expr) -> set[str]:
        return set(names_in([x]))

    def settled(self, M: list[list[Expr]]) -> list[list[Expr]]:
        return M


def graph_terms(system: Lagrangian) -> Terms[Expr]:
    """The equation as nodes over names."""
    terms: Terms[Expr] = system.derived.once("graph", lambda s: Terms(s, OnGraph(s)))
    return terms
