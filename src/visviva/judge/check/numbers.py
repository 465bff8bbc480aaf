"""Verdicts where the exact field gives up, and whether claims have values at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from visviva.algebra.exact.poly import Poly
from visviva.errors import ArgumentError
from visviva.judge.check.compare.balls import POINTS, Agreement, Witness, compared, weakest
from visviva.judge.check.compare.case import Case
from visviva.judge.check.said.claims import Claim
from visviva.judge.check.said.names import as_read, spelled
from visviva.judge.check.said.subjects import ACCELERATION, EQUATION, IDENTITY
from visviva.judge.check.verdict import AGREES, DIFFERS, Verdict, WrongTerm
from visviva.judge.exact.forms import Facts
from visviva.judge.exact.sums import symbol_of
from visviva.notation.textbook.writer import textbook
from visviva.notation.tree import Equation, Matrix, Node, names, walk
from visviva.notation.tree_sympy import from_sympy, to_sympy

NAMES_SHOWN = 3  # names of a point in a note


def values(claim: Claim, known: Facts) -> Agreement:
    """Whether the claim as typed has values at all: a form may have lost a zero below a line."""
    sides = claim.node
    nodes = [sides.left, sides.right] if isinstance(sides, Equation) else _entry_nodes(sides)
    worst = Agreement(POINTS, 0)
    for node in nodes:
        if any(isinstance(x, Matrix) for x in walk(node)):
            continue
        seen = compared(node, node, None, {symbol_of(n) for n in names(node)}, known)
        worst = min(worst, seen, key=lambda x: x.points) if isinstance(seen, Agreement) else worst
    return worst


def unreal(claim: Claim, case: Case, seen: Agreement | None = None) -> tuple[str, ...]:
    """A note where the claim has no real value at some point at which the truth has one."""
    places = [] if seen is None else [seen.unreal]
    entries = [] if isinstance(claim.node, Equation) or seen else _entry_nodes(claim.node)
    for node, true in zip(entries, case.truth.ravel(), strict=False):
        if not any(isinstance(x, Matrix) for x in walk(node)):
            used = {symbol_of(n) for n in names(node)} | case.used(true)
            there = compared(node, true, case.field, used, case.facts)
            places += [there.unreal] if isinstance(there, Agreement) else []
    place = next((x for x in places if x), None)
    if not place:
        return ()
    moving = [x for x in place if x in (*case.facts.coordinates, *case.motions)] or [*place]
    at = ", ".join(f"{case.spell(x)} = {float(place[x]):.6g}" for x in moving[:NAMES_SHOWN])
    return (f"it has no real value everywhere, none at {at}: it holds where it has one",)


def by_numbers(claim: Claim, known: Facts, way: Mapping[str, str], reason: str) -> Verdict:
    """Where the exact field gives up (too many terms): values only."""
    shown = Verdict(AGREES, claim.text, str(claim.subject), known.name, symbols=as_read(way))
    shown = replace(shown, notes=claim.notes)
    agreements = []
    for node, true in _pairs(claim, known, reason):
        other = true if isinstance(true, (Poly, Node)) else from_sympy(true)
        used = {symbol_of(n) for n in names(node)} | set(known.ring.symbols)
        seen = compared(node, other, None, used, known)
        if isinstance(seen, Witness):
            if claim.subject.kind == EQUATION and len(claim.acting) < len(known.rates):
                raise ArgumentError(
                    f"{claim.text:.200}: this may hold where forces that it leaves out are zero, "
                    f"which cannot be decided, as it has {reason}"
                )
            said = to_sympy(node)
            missing = _expression(true)
            terms = (WrongTerm("missing", "", missing), WrongTerm("extra", "", said))
            return replace(
                shown, status=DIFFERS, missing=missing, extra=said, terms=terms, witness=seen
            )
        agreements.append(seen)
    worst = weakest(agreements)
    must_be_real(claim, worst)
    spellings = spelled(way, known)
    ranges = {spellings.get(k, k): x for k, x in worst.ranges.items()}
    return replace(shown, points=worst.points, digits=worst.digits, sampled=ranges)


def _pairs(claim: Claim, known: Facts, reason: str) -> list[tuple[Node, Any]]:
    """Claimed and true, entry by entry, as they can be evaluated."""
    node, kind = claim.node, claim.subject.kind
    if isinstance(node, Equation) and kind == IDENTITY and not claim.assumed:
        return [(node.right, node.left)]
    if not isinstance(node, Equation) and kind != ACCELERATION and not known.turns:
        entries, truth = _entry_nodes(node), np.asarray(known.of(claim.subject), dtype=object)
        if len(entries) == truth.size and not claim.assumed:
            return list(zip(entries, truth.ravel(), strict=True))
    raise ArgumentError(f"{claim.text:.200}: this cannot be compared, as it has {reason}")


def _expression(x: Any) -> Any:
    if isinstance(x, Node):
        return to_sympy(x)
    return textbook(x) if isinstance(x, Poly) else x


def must_be_real(claim: Claim, seen: Agreement) -> None:
    """Refuses a claim that has no real value."""
    if not seen.points:
        raise ArgumentError(f"the claim has no real value wherever it was tried: {claim.text:.200}")


def _entry_nodes(node: Node) -> list[Node]:
    return [x for row in node.rows for x in row] if isinstance(node, Matrix) else [node]
