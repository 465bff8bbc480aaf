"""λ as a claim counts it: with the other sign, or by the scale of the constraint that it states.

φ = 0, -φ = 0 and φ/2 = 0 are one constraint, and L + λ φ or L - λ φ one principle. A claim with
another λ in all its equations is right, one with two signs of one λ is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy

from visviva.errors import VisvivaError
from visviva.judge.check.compare.case import plain
from visviva.judge.check.compare.manifold import Manifold
from visviva.judge.check.compare.solve import common_field
from visviva.judge.check.said.claims import Claim
from visviva.judge.check.said.statements import Statement, is_named
from visviva.judge.check.said.subjects import CONSTRAINTS, Subject
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.check.verdict import DIFFERS, Verdict
from visviva.judge.exact.elements import expression
from visviva.judge.exact.forms import Facts
from visviva.notation.tree import Equation, Name, Node, Product, names, rewritten
from visviva.notation.tree_sympy import from_sympy

MOST_SIGNS = 2  # multipliers whose signs are tried one by one


def counted_otherwise(
    stated: list[Statement], facts: Facts, verdict: Verdict
) -> Iterator[list[Statement]]:
    """Statements that differ with λ as they may count it, if equations of motion say what it is.

    A formula for λ alone does not say so, and is one for the system's own.
    """
    moving = {n.key for x in stated if _is_motion(x.node) for n in names(x.node)}
    used = [x for x in facts.forms.multiplier_names if x in moving]
    if not used or not all(_is_of_multipliers(x, stated, used) for x in verdict.parts or [verdict]):
        return
    scales, count = _scales(stated, facts), len(used)
    alone = count <= MOST_SIGNS
    ways = list(product((-1, 1), repeat=count)) if alone else [(s,) * count for s in (-1, 1)]
    for scaled in ({}, scales) if scales else ({},):
        for signs in ways:
            if scaled or -1 in signs:
                pairs = zip(used, signs, strict=True)
                factors = {x: sympy.Integer(s) / scaled.get(x, 1) for x, s in pairs}
                yield _Counting(factors, facts).of(stated)


@dataclass(frozen=True)
class _Counting:
    """λ of a claim is the system's own times a factor."""

    factors: Mapping[str, Any]
    facts: Facts

    def of(self, stated: list[Statement]) -> list[Statement]:
        """Statements with the system's own λ put in, and a note that says so."""
        pairs = ((k, sympy.Symbol(k) * x) for k, x in self.factors.items() if x != 1)
        listed = ", ".join(
            f"{plain(sympy.Symbol(k), ())} of the claim is {plain(x, ())} of {self.facts.name}"
            for k, x in pairs
        )
        note = f"multipliers are counted in another way, the same one in all equations: {listed}"
        return [
            x._replace(node=self._turned(x.node), notes=(*x.notes, note))
            if _is_motion(x.node) or any(n.key in self.factors for n in names(x.node))
            else x
            for x in stated
        ]

    def _turned(self, node: Node) -> Node:
        if is_named(node) and node.left.key in self.factors:  # a formula for λ stays one
            back = from_sympy(1 / self.factors[node.left.key])
            right = Product((back, rewritten(node.right, self._put)))
            return Equation(node.left, right, column=node.column)
        return rewritten(node, self._put)

    def _put(self, name: Name) -> Node | None:
        if name.key not in self.factors:
            return None
        return Product((from_sympy(self.factors[name.key]), name), column=name.column)


def _is_of_multipliers(verdict: Verdict, stated: list[Statement], used: list[str]) -> bool:
    """Whether what a statement differs in has to do with λ."""
    formulas = (x.text for x in stated if is_named(x.node) and x.node.left.key in used)
    if verdict.status != DIFFERS or verdict.claim in formulas:
        return True
    return any(n.name in used for x in (verdict.missing, verdict.extra) for n in x.free_symbols)


def _is_motion(node: Node) -> bool:
    return any(n.dots == 2 for n in names(node))


def _scales(stated: list[Statement], facts: Facts) -> dict[str, Any]:
    """What constraints that are stated have more than the system's own: numbers or parameters."""
    found: dict[str, Any] = {}
    for x in stated:
        there = names(x.node)
        other = any(n.dots == 2 or n.key.startswith(FORCE) for n in there)
        if not isinstance(x.node, Equation) or other:
            continue
        try:
            for name, scale in _multiples(x.node, facts):
                found.setdefault(name, scale)
        except (VisvivaError, ZeroDivisionError):
            continue
    return {k: x for k, x in found.items() if x not in (1, -1)}


def _multiples(node: Equation, facts: Facts) -> Iterator[tuple[str, Any]]:
    """Rows of which a statement is a multiple, by their λ."""
    field = common_field(Claim("", Subject(CONSTRAINTS), node), facts, ())
    held = Manifold(facts, field)
    said = field.settled(field.read(node.left) - field.read(node.right))
    rows = held.positions if len(held.positions) else held.rates
    if len(rows) != len(held.multipliers) or said == 0:
        return
    for name, row in zip(held.multipliers, rows, strict=True):
        scale = field.settled(said / row)
        if field.used(scale) <= {*facts.parameters}:
            yield name, expression(scale, field)
