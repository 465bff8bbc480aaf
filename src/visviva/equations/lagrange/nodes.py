"""Formulas as nodes of a graph, in few operations; what does not move is computed apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import sympy

from visviva.algebra.exact.angles import factors_of
from visviva.algebra.exact.poly import Generator, Poly, Wave
from visviva.algebra.expr import CONSTANT, INPUT, Expr, Graph, evaluated, names_in, reachable
from visviva.algebra.sympy_graph import from_sympy

TURN = 8  # what a sine with its cosine costs, in multiplications

Powers = tuple[tuple[Generator, int], ...]


def cost(nodes: Iterable[Expr], moving: Iterable[str]) -> int:
    """Operations that are left when parameters are numbers."""
    graph, roots, names = Graph(), list(nodes), set(moving)
    rng = np.random.default_rng(0)  # numbers that fold, but never to 0 or 1
    values = {
        k: graph.input(k) if k in names else float(rng.random() + 0.1) for k in names_in(roots)
    }
    left = reachable([x for x in evaluated(roots, values) if isinstance(x, Expr)])
    turns = {x.args[0] for x in left if x.op in ("sin", "cos")}
    return sum(x.op not in (CONSTANT, INPUT) for x in left) + TURN * len(turns)


class FromSympy:
    """Nodes of SymPy expressions, with constant parts of sums and products gathered."""

    def __init__(self, graph: Graph, moving: Iterable[Any]) -> None:
        self.graph, self.moving = graph, frozenset(moving)
        self.fixed: dict[Any, Any] = {}
        self._known: dict[Any, bool] = {}  # whether parts move, which occur again and again

    def node(self, x: Any) -> Expr:
        """The node of one expression."""
        names: dict[Any, Any] = {
            name: self.graph.input(name) for name in sorted(s.name for s in x.free_symbols)
        }
        gathered = self._gathered(x)
        for part, symbol in self.fixed.items():
            names[symbol] = from_sympy(
                part, self.graph, {s.name: self.graph.input(s.name) for s in part.free_symbols}
            )
        return from_sympy(gathered, self.graph, names)

    def _gathered(self, x: Any) -> Any:
        if not x.args or not self._moves(x):
            return self._constant(x)
        if isinstance(x, sympy.Piecewise):
            return sympy.Piecewise(*((self._gathered(e), c) for e, c in x.args), evaluate=False)
        if not isinstance(x, (sympy.Add, sympy.Mul)):
            whole = isinstance(x, (sympy.Pow, sympy.Function))  # of others nothing is known
            return x.func(*(self._gathered(a) for a in x.args)) if whole else x
        still = [a for a in x.args if not self._moves(a)]
        rest = [self._gathered(a) for a in x.args if self._moves(a)]
        return x.func(self._constant(x.func(*still)), *rest)

    def _moves(self, x: Any) -> bool:
        if x not in self._known:
            plain = isinstance(x, (sympy.Add, sympy.Mul, sympy.Pow, sympy.Function))
            parts = map(self._moves, x.args) if plain else (bool(x.free_symbols & self.moving),)
            self._known[x] = any(parts)
        return self._known[x]

    def _constant(self, x: Any) -> Any:
        if x.is_Atom:
            return x
        return self.fixed.setdefault(x, sympy.Dummy(f"fixed_{len(self.fixed)}"))


class FromPoly:
    """Nodes of polynomials, by pulling out the most frequent factor again and again."""

    def __init__(self, graph: Graph, moving: Iterable[str], constants: Mapping[Any, str]) -> None:
        self.graph, self.moving = graph, set(moving)
        parts = FromSympy(graph, ())
        self.inputs = {name: parts.node(x) for x, name in constants.items()}

    def node(self, p: Poly) -> Expr:
        """The node of one element, constant factors gathered."""
        by_motion: dict[Powers, dict[Powers, Any]] = {}
        for powers, coefficient in p.terms():
            still = tuple((g, k) for g, k in powers.items() if not self._moves(p, g))
            moving = tuple((g, k) for g, k in powers.items() if self._moves(p, g))
            number = self.graph.constant(coefficient)
            by_motion.setdefault(moving, {})[still] = number
        node: Expr = self._sum(p, {m: self._sum(p, fixed) for m, fixed in by_motion.items()})
        return node

    def _moves(self, p: Poly, g: Generator) -> bool:
        names = p.ring.names_in[g.base] if isinstance(g, Wave) else {g}
        return any(name in self.moving for name in names)

    def _sum(self, p: Poly, terms: Mapping[Powers, Any]) -> Any:
        order, brackets = p.ring.place, []
        while True:
            counts = Counter(g for powers in terms for g, _ in powers)
            if not counts or len(terms) == 1 or max(counts.values()) == 1:
                break
            factor = max(counts, key=lambda g: (counts[g], -order[g]))
            inside = {_less(k, factor): c for k, c in terms.items() if factor in dict(k)}
            terms = {k: c for k, c in terms.items() if factor not in dict(k)}
            brackets.append(self._sum(p, inside) * self._generator(p, factor))
        if terms or not brackets:
            brackets.append(self._plain(p, terms))
        total = brackets.pop()
        while brackets:  # the last one first, as they stand inside each other
            total = brackets.pop() + total
        return total

    def _plain(self, p: Poly, terms: Mapping[Powers, Any]) -> Any:
        """A sum of products, where equal coefficients count once."""
        groups: dict[Expr, Any] = {}
        place = p.ring.place
        for powers, coefficient in sorted(terms.items(), key=lambda term: _order(term[0], place)):
            product: Any = self.graph.constant(1.0)
            for g, k in powers:
                for _ in range(k):
                    product = product * self._generator(p, g)
            size, sign = _unsigned(coefficient)
            groups[size] = groups.get(size, self.graph.constant(0.0)) + product * sign
        total: Any = self.graph.constant(0.0)
        for size, product in groups.items():
            total = total + size * product
        return total

    def _generator(self, p: Poly, g: Generator) -> Expr:
        if isinstance(g, Wave):
            ((factors, part),) = p.ring.sums[g.base].items()
            angle: Any = math.prod(self._generator(p, x) for x in factors_of(factors))
            return self.graph.apply(g.function, angle / part.denominator)
        return self.inputs[g] if g in self.inputs else self.graph.input(g)


def _order(powers: Powers, place: Mapping[Generator, int]) -> list[tuple[int, int]]:
    return [(place[g], k) for g, k in powers]


def _less(powers: Powers, factor: Generator) -> Powers:
    return tuple((g, k - (g == factor)) for g, k in powers if k > (g == factor))


def _unsigned(x: Expr) -> tuple[Expr, float]:
    if x.op == "neg":
        return x.args[0], -1.0
    if x.op == CONSTANT and x.value < 0:
        return -x, -1.0
    return x, 1.0
