"""Mistakes in what coordinates mean: their sign, their zero, and what they are measured from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, each
from visviva.algebra.exact.poly import Poly, Quotient
from visviva.algebra.exact.substitute import PI
from visviva.describe.quantities import EXACT
from visviva.errors import ArgumentError
from visviva.judge.check.compare.case import LARGE, Case
from visviva.judge.check.compare.combinations import slope
from visviva.judge.check.mistakes.mistake import Change, Mistake
from visviva.judge.check.said.subjects import ACCELERATION, EQUATION, IDENTITY
from visviva.judge.check.said.vocabulary import LENGTHS, split
from visviva.judge.exact.elements import elements
from visviva.notation.names import velocity_name

AXIS, ZERO, ABSOLUTE = "axis", "zero", "absolute angles"
QUARTERS = {Fraction(1, 2): "π/2", Fraction(-1, 2): "-π/2", Fraction(1): "π"}


def mistakes(case: Case) -> Iterator[Mistake]:
    """Other axes, other zeros, absolute for relative angles and the other way round."""
    if not _may_change(case):
        return
    n = len(case.facts.coordinates)
    eye = np.eye(n, dtype=int)
    opposite = []
    for i, q in enumerate(case.facts.coordinates):
        B = eye.copy()
        B[i, i] = -1
        said = f"{case.spell(q)} is counted in the opposite direction"
        opposite.append(list(_both(case, AXIS, said, B, (q,))))
    yield from (x for both in opposite for x in both[:1])  # what needs no proviso first
    yield from (x for both in opposite for x in both[1:])
    for q in case.facts.coordinates:
        for shift, text in _zeros(case, q):
            yield _moved(case, q, shift, text)
    for q in case.facts.coordinates:
        for shift, text in _zeros(case, q) if q in case.field.ring.angles else ():
            yield _turned(case, q, shift, text)
    yield from _absolute(case)


def upright(case: Case) -> Iterator[Mistake]:
    """An angle from the opposite place, π - θ or π + θ: few terms then have another sign.

    Asked first of an equation that other accelerations couple to this angle: where they fit too, a
    pole that is measured from upright is likelier than a wrong sign.
    """
    if case.subject.kind != EQUATION or not _may_change(case):
        return
    used = case.used(*case.claim.ravel())
    moving = [q for q, _, a in case.facts.moving if a in used]
    for q in moving if len(moving) > 1 else ():
        if q in case.field.ring.angles:
            yield _turned(case, q, case.field.ring[PI], "π")
            moved = _moved(case, q, case.field.ring[PI], "π")
            yield replace(moved, leads_to=partial(_not_by_weights, case, moved))


def _not_by_weights(case: Case, told: Mistake) -> Array:
    """What it leads to; where only weights notice it, as of an arm, a wrong sign is likelier."""
    there = told.leads_to()
    weights = case.about(elements(case.facts.forms.weight_forces, case.field))
    if case.same(there, case.truth - weights * 2):
        raise ArgumentError("only weights notice it")
    return there


def _moved(case: Case, q: str, shift: Any, text: str) -> Mistake:
    """Another zero."""
    eye = np.eye(len(case.facts.coordinates), dtype=int)
    said = f"{case.spell(q)} is measured from another place, off by {text}."
    return Mistake(ZERO, said, partial(_there, case, eye, {q: shift}), _change(case, said, (q,)))


def _turned(case: Case, q: str, shift: Any, text: str) -> Mistake:
    """Another zero, and counted from there in the opposite direction."""
    B = np.eye(len(case.facts.coordinates), dtype=int)
    i = case.facts.coordinates.index(q)
    B[i, i] = -1
    name = case.spell(q)
    said = (
        f"{name} is measured from another place and in the opposite direction: it stands for "
        f"{text} - {name} of {case.facts.name}."
    )
    return Mistake(ZERO, said, partial(_there, case, B, {q: shift}), _change(case, said, (q,)))


def _change(case: Case, said: str, coordinates: Iterable[str]) -> Change:
    return Change(said, tuple(case.names.get(q, q) for q in coordinates))


def _may_change(case: Case) -> bool:
    """Whether it can be written in other coordinates, whose rates are the velocities."""
    known = case.subject.kind not in (IDENTITY, ACCELERATION)
    return known and _is_short(case) and _rates(case) == [v for v, _ in case.facts.rates]


def _is_short(case: Case) -> bool:
    """Whether all of the quantity is quickly written in other coordinates."""
    whole = np.ravel(case.quantity(case.subject.kind, case.subject.frame))
    return sum(getattr(x, "size", LARGE) for x in whole) <= LARGE


def _rates(case: Case) -> list[str]:
    return [velocity_name(q) for q in case.facts.coordinates]


def _both(
    case: Case, kind: str, said: str, B: Array, coordinates: Iterable[str]
) -> Iterator[Mistake]:
    """The change carried out, and put in without changing the forces."""
    change = _change(case, said, coordinates)
    yield Mistake(kind, f"{said}.", partial(_there, case, B, {}), change)
    if "q" in EXACT[case.subject.kind].indices:
        yield Mistake(
            kind,
            f"{said}, but generalized forces are still those of the other coordinates.",
            partial(_there, case, B, {}, False),
            change,
        )


def _zeros(case: Case, q: str) -> Iterator[tuple[Any, str]]:
    ring = case.field.ring
    if q in ring.angles:
        for turns, text in QUARTERS.items():
            yield ring[PI] * turns, text
        return
    for p in case.facts.parameters:
        if split(p)[0] in LENGTHS:
            yield ring[p], case.spell(p)
            yield -ring[p], f"-{case.spell(p)}"


def _absolute(case: Case) -> Iterator[Mistake]:
    names = case.facts.coordinates
    angles = [i for i, q in enumerate(names) if q in case.field.ring.angles]
    for first in range(len(angles) - 1):
        for last in range(first + 2, len(angles) + 1):
            run = angles[first:last]
            if run != list(range(run[0], run[-1] + 1)):
                continue
            B = np.eye(len(names), dtype=int)
            for i in run[1:]:
                B[i, i - 1] = -1
            turned = [names[i] for i in run[1:]]
            listed = " and ".join(map(case.spell, turned))
            said = f"{listed} taken as absolute, where the system has relative angles"
            yield from _both(case, ABSOLUTE, said, B, turned)
            back = np.round(np.linalg.inv(B)).astype(int)
            said = f"{listed} taken as relative, where the system has absolute angles"
            yield from _both(case, ABSOLUTE, said, back, turned)


def _is_multiple(case: Case, row: Any) -> bool:
    """Whether a claim without forces, which may have any scale, is some equation."""
    said = Quotient.of(case.claim[()]).top
    for _, a in case.facts.rates:
        mine, true = slope(said, a), slope(row, a)
        if mine != 0 and true != 0:
            return case.field.same(said * true, row * mine)
    return False


def _there(case: Case, B: Array, shifts: dict[str, Any], substituted: bool = True) -> Array:
    """The quantity in coordinates q′ with q = B q′ + shifts, carried over as what it is."""
    ring, facts = case.field.ring, case.facts
    changes: dict[str, Any] = {}
    second = [a for _, a in facts.rates]
    for names in (facts.coordinates, _rates(case), second):
        for name, row in zip(names, B.tolist(), strict=True):
            terms = (ring[other] * k for other, k in zip(names, row, strict=True) if k)
            changes[name] = sum(terms, ring.number(0))
    for q, shift in shifts.items():
        changes[q] = changes[q] + shift
    kind = case.subject.kind
    whole = case.changed(case.quantity(kind, case.subject.frame), changes)
    for k, index in enumerate(EXACT[kind].indices if substituted else ""):
        if index == "q":
            whole = np.moveaxis(np.tensordot(whole, B, (k, 0)), -1, k)
    whole = each(lambda x: x if isinstance(x, (Poly, Quotient)) else ring.number(x), whole)
    if case.is_unforced and any(_is_multiple(case, row) for row in whole):
        return case.claim
    there = case.about(whole)
    if not substituted and case.same(there, -case.truth):
        raise ArgumentError("all signs are the opposite ones, which says nothing of coordinates")
    return there
