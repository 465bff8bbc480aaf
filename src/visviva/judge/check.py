"""`check`: a verdict on a typed equation, with the missing and the extra term named.

The claim and the truth meet in an exact field, see `algebra.field`: what is called identical there
is proved, and what differs is shown at a point by ball arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import NoneType
from typing import Any

import numpy as np

from visviva.algebra.rationals import OutsideError
from visviva.algebra.sums import symbol_of
from visviva.algebra.syntax import Equation, Matrix, Node, names, walk
from visviva.algebra.syntax_sympy import from_sympy, to_sympy
from visviva.algebra.textbook import textbook
from visviva.algebra.tokens import ParseError
from visviva.algebra.trigpoly import Poly
from visviva.errors import ArgumentError, UnknownNameError
from visviva.judge.balls import POINTS, Agreement, Witness, compared
from visviva.judge.case import Case
from visviva.judge.claims import Claim, Request, claims
from visviva.judge.diagnosis import diagnosed
from visviva.judge.difference_terms import told
from visviva.judge.facts import Facts, facts
from visviva.judge.mistakes import Diagnosis
from visviva.judge.readings import called, reading, renamed, spelled
from visviva.judge.solving import case_of
from visviva.judge.subjects import IDENTITY
from visviva.judge.verdict import AGREES, DIFFERS, IDENTICAL, Term, Verdict
from visviva.judge.vocabulary import given, vocabulary
from visviva.progress import progress

NEAR = 1e-4  # relative difference of values that may come of rounded numbers
WORST = (IDENTICAL, AGREES, DIFFERS)  # in this order


def check(
    system: Any,
    claim: Any,
    of: str = "",
    symbols: Mapping[str, str] | None = None,
    shorthand: bool = False,
    frame: str = "",
) -> Verdict:
    """The verdict on one claim or several; see `System.check`."""
    if not isinstance(of, str) or not isinstance(symbols, (Mapping, NoneType)):
        raise ArgumentError(f"of= is a text, symbols= maps names to names; got {of!r}, {symbols!r}")
    try:
        return _checked(system, claim, symbols, shorthand, Request(of, frame))
    except RecursionError:
        raise ArgumentError("the claim is nested too deeply") from None


def _checked(
    system: Any,
    claim: Any,
    symbols: Mapping[str, str] | None,
    shorthand: bool,
    request: Request,
) -> Verdict:
    frame = request.frame
    known = facts(system, called(system, claim, symbols, shorthand, request))
    if frame and frame not in (*known.frames, *known.bodies):
        raise UnknownNameError("frame", frame, dict.fromkeys((*known.frames, *known.bodies)))
    said = given(symbols, known)
    words = vocabulary(known, shorthand, said)
    found = claims(claim, known, words, request)
    way = reading(found, known)
    verdicts = []
    with progress(f"checking {known.name}", len(found)) as at:
        for c in found:
            at.step(c.text[:40])
            verdicts.append(_judged(renamed(c, way), known, {**said, **way}))
    if len(verdicts) == 1:
        return verdicts[0]
    return Verdict(
        status=max((v.status for v in verdicts), key=WORST.index),
        claim="; ".join(v.claim for v in verdicts),
        subject=", ".join(v.subject for v in verdicts),
        system=known.name,
        missing=[v.missing for v in verdicts],
        extra=[v.extra for v in verdicts],
        parts=tuple(verdicts),
    )


def _judged(claim: Claim, known: Facts, way: Mapping[str, str]) -> Verdict:
    try:
        return _in_field(claim, known, way)
    except OutsideError as error:
        return _by_numbers(claim, known, way, str(error))
    except ZeroDivisionError:
        raise ArgumentError(f"the claim divides by zero: {claim.text:.200}") from None
    except ParseError as error:  # shapes that do not fit
        raise ArgumentError(f"{error.problem}: {claim.text:.200}") from None


def _in_field(claim: Claim, known: Facts, way: Mapping[str, str]) -> Verdict:
    """By normal forms, and numbers where functions have none."""
    back = spelled(way, known)
    case = case_of(claim, known, back)
    shown = Verdict(
        IDENTICAL,
        claim.text,
        str(case.subject),
        known.name,
        symbols=way,
        coordinates=case.spoken,
        notes=_notes(case, claim),
    )
    if case.is_identical:
        if case.field.has_others:
            _must_have_values(claim, _values(claim, known))
        return shown
    seen = _seen(case)
    if isinstance(seen, Agreement):
        _must_have_values(claim, seen)
        return replace(shown, status=AGREES, points=seen.points, digits=seen.digits)
    missing, extra, terms = told(case, claim.node)
    return replace(
        shown,
        status=DIFFERS,
        missing=missing,
        extra=extra,
        terms=terms,
        diagnosis=_rounded(seen) or diagnosed(case),
        witness=replace(seen, point={back.get(k, k): x for k, x in seen.point.items()}),
    )


def _rounded(seen: Witness) -> tuple[Diagnosis, ...]:
    """Numbers that agree to some digits."""
    gap, size = abs(seen.claim - seen.truth), abs(seen.truth)
    if not gap < NEAR * size:
        return ()
    digits = max(0, math.floor(-math.log10(gap / size))) if gap else 15
    said = f"The values agree to {digits} digits: numbers in the claim are rounded."
    return (Diagnosis("rounding", said),)


def _values(claim: Claim, known: Facts) -> Agreement:
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


def _notes(case: Case, claim: Claim) -> tuple[str, ...]:
    """How the claim was taken."""
    made = list(case.notes)
    if case.scale != 1:
        made.append(f"the equation was multiplied by {case.shown(case.scale)} to compare it")
    for name, node in claim.assumed:
        made.append(f"with {case.spell(name)} = {case.shown(case.field.read(node))}")
    if case.subject.kind == "jacobian" and len(case.truth) < 6:
        made.append("these are the rows of the velocity; the whole has those of ω before them")
    return tuple(made)


def _seen(case: Case) -> Witness | Agreement:
    """A point that tells claim and truth apart, or how well they agree where they do worst."""
    found = []
    for _, claim, truth in case.entries():
        if case.field.settled(claim - truth) != 0:
            seen = compared(claim, truth, case.field, case.used(claim, truth), case.facts)
            if isinstance(seen, Witness):
                return seen
            found.append(seen)
    return Agreement(min(x.points for x in found), min(x.digits for x in found))


def _by_numbers(claim: Claim, known: Facts, way: Mapping[str, str], reason: str) -> Verdict:
    """Where the exact field gives up (too many terms): values only."""
    shown = Verdict(AGREES, claim.text, str(claim.subject), known.name, symbols=way)
    found = []
    for node, true in _pairs(claim, known, reason):
        other = true if isinstance(true, (Poly, Node)) else from_sympy(true)
        used = {symbol_of(n) for n in names(node)} | set(known.ring.symbols)
        seen = compared(node, other, None, used, known)
        if isinstance(seen, Witness):
            said = to_sympy(node)
            missing = _expression(true)
            terms = (Term("missing", "", missing), Term("extra", "", said))
            return replace(
                shown, status=DIFFERS, missing=missing, extra=said, terms=terms, witness=seen
            )
        found.append(seen)
    worst = Agreement(min(x.points for x in found), min(x.digits for x in found))
    _must_have_values(claim, worst)
    return replace(shown, points=worst.points, digits=worst.digits)


def _pairs(claim: Claim, known: Facts, reason: str) -> list[tuple[Node, Any]]:
    """Claimed and true, entry by entry, as they can be evaluated."""
    node, kind = claim.node, claim.subject.kind
    if isinstance(node, Equation) and kind == IDENTITY and not claim.assumed:
        return [(node.right, node.left)]
    if not isinstance(node, Equation) and kind != "acceleration" and not known.turns:
        entries, truth = _entry_nodes(node), np.asarray(known.of(claim.subject), dtype=object)
        if len(entries) == truth.size and not claim.assumed:
            return list(zip(entries, truth.ravel(), strict=True))
    raise ArgumentError(f"{claim.text:.200}: this cannot be compared, as it has {reason}")


def _expression(x: Any) -> Any:
    if isinstance(x, Node):
        return to_sympy(x)
    return textbook(x) if isinstance(x, Poly) else x


def _must_have_values(claim: Claim, seen: Agreement) -> None:
    if not seen.points:
        raise ArgumentError(f"the claim has no real value wherever it was tried: {claim.text:.200}")


def _entry_nodes(node: Node) -> list[Node]:
    return [x for row in node.rows for x in row] if isinstance(node, Matrix) else [node]
