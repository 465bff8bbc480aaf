"""λ as a claim counts it: with the other sign, or by the constraints that it states.

φ = 0, -φ = 0 and φ/2 = 0 are one constraint, and L + λ φ or L - λ φ one principle. Rows that are
sums of the system's, ψ = S φ, have multipliers μ of their own: Aᵀ λ = (S A)ᵀ μ. A claim with
another λ in all its equations is right, one with two signs of one λ is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import sympy

from visviva.algebra.exact.minors import determinant
from visviva.algebra.exact.poly import Quotient
from visviva.errors import ArgumentError, TogetherError, VisvivaError
from visviva.judge.check.compare.case import plain
from visviva.judge.check.compare.manifold import Manifold
from visviva.judge.check.compare.partials import Partials, worked_out
from visviva.judge.check.compare.solve import common_field
from visviva.judge.check.said.claims import Claim
from visviva.judge.check.said.statements import Statement, is_named
from visviva.judge.check.said.subjects import CONSTRAINTS, Subject
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.check.verdict import DIFFERS, Verdict
from visviva.judge.exact.elements import expression
from visviva.judge.exact.forms import Facts
from visviva.notation.tree import (
    IN_TIME,
    Call,
    Equation,
    Name,
    Negative,
    Node,
    Product,
    Sum,
    names,
    rewritten,
)
from visviva.notation.tree_sympy import from_sympy

MOST_SIGNS, MOST_MIXED = 2, 4  # multipliers whose signs are tried one by one; those of mixed rows
MOST_COLUMNS = 60  # sets of velocities by which rows are told apart
MOST_CHOSEN = 20  # sets of stated rows whose λ may be meant

Count = Mapping[str, Any]  # λ of a claim -> what it is, in the system's own
Judged = Callable[[list[Statement]], Verdict]


def counted_otherwise(
    stated: list[Statement], facts: Facts, verdict: Verdict, judged: Judged
) -> Verdict | None:
    """The verdict with λ as statements that differ may count it; None where no way is right.

    Equations of motion say what λ is. A formula for it alone does not, with accelerations or not:
    it is one for the system's.
    """
    own_names = facts.forms.multiplier_names
    moving = {
        n.key
        for x in stated
        if _is_motion(x.node) and not (is_named(x.node) and x.node.left.key in own_names)
        for n in names(x.node)
    }
    used = [x for x in facts.forms.multiplier_names if x in moving]
    if not used or not all(_is_of_multipliers(x, stated, used) for x in verdict.parts or [verdict]):
        return None
    own: Count = {x: sympy.Symbol(x) for x in facts.forms.multiplier_names}
    ways = [(own, verdict)]
    for count in _counts(stated, facts):
        again = _tried(count, stated, facts, judged)
        if again is not None and again.status != DIFFERS:
            return again
        ways += [] if again is None else [(count, again)]
    for count, first in ways:
        for turned in _signs(count, used, first):
            signed = {x: -value if x in turned else value for x, value in count.items()}
            again = _tried(signed, stated, facts, judged)
            if again is not None and again.status != DIFFERS:
                return again
    return None


def _tried(count: Count, stated: list[Statement], facts: Facts, judged: Judged) -> Verdict | None:
    try:
        return judged(_Counting(count, facts).of(stated))
    except TogetherError:  # right one by one
        raise
    except ArgumentError:
        return None


def _signs(count: Count, used: list[str], verdict: Verdict) -> Iterator[set[str]]:
    """Multipliers that may have the other sign; of many, all, or those in what differs."""
    mixed = any(len(_own(count[x], count)) > 1 for x in used)
    if len(used) <= (MOST_MIXED if mixed else MOST_SIGNS):
        for size in range(1, len(used) + 1):
            yield from map(set, combinations(used, size))
        return
    parts = verdict.parts or [verdict]
    apart = {name for p in parts for name in _in_difference(p)}
    yield {*used}
    yield {x for x in used if _own(count[x], count) & apart}


def _own(x: Any, count: Count) -> set[str]:
    """The multipliers in a formula."""
    return {n.name for n in x.free_symbols} & {*count}


@dataclass(frozen=True)
class _Counting:
    """λ of a claim is what `count` says, in the system's own."""

    count: Count
    facts: Facts

    def of(self, stated: list[Statement]) -> list[Statement]:
        """Statements with the system's own λ put in, and a note that says so."""
        listed = ", ".join(
            f"{plain(sympy.Symbol(k), ())} of the claim is {plain(x, ())} of {self.facts.name}"
            for k, x in self._others.items()
        )
        note = f"multipliers are counted in another way, the same one in all equations: {listed}"
        return [
            x._replace(node=self._turned(x.node), notes=(*x.notes, note))
            if _is_motion(x.node) or any(n.key in self._others for n in names(x.node))
            else x
            for x in stated
        ]

    @property
    def _others(self) -> Count:
        return {k: x for k, x in self.count.items() if x != sympy.Symbol(k)}

    def _turned(self, node: Node) -> Node:
        if is_named(node) and node.left.key in self._others:
            value = self.count[node.left.key]
            own = [*_own(value, self.count)]
            if len(own) == 1:  # a formula for λ stays one
                times = from_sympy(sympy.Symbol(own[0]) / value)
                right = Product((times, rewritten(node.right, self._put)))
                left = Name(own[0], text=node.left.text)
                return Equation(left, right, column=node.column)
        return rewritten(node, self._put)

    def _put(self, name: Name) -> Node | None:
        return from_sympy(self._others[name.key]) if name.key in self._others else None


def _is_of_multipliers(verdict: Verdict, stated: list[Statement], used: list[str]) -> bool:
    """Whether what a statement differs in has to do with λ."""
    formulas = (x.text for x in stated if is_named(x.node) and x.node.left.key in used)
    if verdict.status != DIFFERS or verdict.claim in formulas:
        return True
    return not _in_difference(verdict).isdisjoint(used)


def _in_difference(verdict: Verdict) -> set[str]:
    """Names in what differs, as the system has them: λ may be called f."""
    there = (n.name for x in (verdict.missing, verdict.extra) for n in x.free_symbols)
    return {verdict.symbols.get(x, x) for x in there}


def _is_motion(node: Node) -> bool:
    return any(n.dots == 2 for n in names(node))


def _counts(stated: list[Statement], facts: Facts) -> Iterator[Count]:
    """λ by the rows that are stated: those of the system they are multiples of, or their order.

    Of more rows than the system has, some follow from others, and have no λ of their own.
    """
    own = [sympy.Symbol(x) for x in facts.forms.multiplier_names]
    rows = [y for x in stated if (y := _row(x.node, facts)) is not None]
    found = {str(x): x for x in own}
    for row in reversed(rows):  # of two that say the same, the first
        places = [k for k, x in enumerate(row) if x != 0]
        if len(places) == 1:
            (k,) = places
            found[str(own[k])] = own[k] / row[k]
    known = [{str(x): x for x in own}]
    if found not in known:
        known.append(found)
        yield found
    for chosen in islice(combinations(rows, len(own)), MOST_CHOSEN):
        S = sympy.Matrix(chosen)
        if sympy.cancel(S.det()) == 0:
            continue
        values = (S.T.inv() * sympy.Matrix(own)).applyfunc(sympy.cancel)
        in_order = dict(zip(map(str, own), values, strict=True))
        if in_order not in known:
            known.append(in_order)
            yield in_order


def _row(node: Node, facts: Facts) -> list[Any] | None:
    """What a statement is as a sum of the system's constraints, by their rates: ψ' = S φ'."""
    there = names(node)
    other = any(n.dots == 2 or n.key.startswith(FORCE) for n in there)
    if not isinstance(node, Equation) or other:
        return None
    try:
        said: Node = Sum((node.left, Negative(node.right)))
        if not any(n.dots for n in there):
            said = worked_out(Call(IN_TIME, (said,)), facts, Partials(facts, said))
        field = common_field(Claim("", Subject(CONSTRAINTS), said), facts, ())
        held = Manifold(facts, field)
        rate = Quotient.of(field.settled(field.read(said)))
        slopes = [rate.top.derivative(v) / rate.bottom for v, _ in facts.rates]
        factors = _factors(slopes, held)
        return factors and [expression(x, field) for x in factors]
    except (VisvivaError, ZeroDivisionError):
        return None


def _factors(slopes: list[Any], held: Manifold) -> list[Any] | None:
    """S of a row that is S A where constraints hold, by Cramer's rule."""
    A, field, k = held.matrix, held.field, len(held.multipliers)
    velocities = {v for v, _ in held.facts.rates}
    if field.used(*slopes) & velocities or all(x == 0 for x in slopes):
        return None
    for columns in islice(combinations(range(len(slopes)), k), MOST_COLUMNS):
        part = [[row[j] for j in columns] for row in A]
        below = field.settled(determinant(part) + field.ring.number(0))
        if held.vanishes(below):
            continue
        right = [slopes[j] for j in columns]
        tops = (determinant([right if i == r else x for r, x in enumerate(part)]) for i in range(k))
        factors = [field.settled((x + field.ring.number(0)) / below) for x in tops]
        factors = [x - x if held.vanishes(x) else x for x in factors]
        sums = (
            sum(s * row[j] for s, row in zip(factors, A, strict=True)) for j in range(len(slopes))
        )
        right_all = all(held.vanishes(x - y) for x, y in zip(slopes, sums, strict=True))
        return factors if right_all and any(x != 0 for x in factors) else None
    return None
