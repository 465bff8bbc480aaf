"""Slips of the pen: one name for another, one left out, one term with a wrong factor."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from visviva.algebra.exact.poly import Poly, Quotient
from visviva.judge.check.compare.case import Case
from visviva.judge.check.compare.differences import Difference, difference
from visviva.judge.check.mistakes.mistake import Mistake
from visviva.judge.check.said.vocabulary import ALIKE, split

NAME, TERM = "name", "term"
LONGEST_TRUTH = 400  # terms of a truth in which names are exchanged for trial


def mistakes(case: Case) -> Iterator[Mistake]:
    """Names first, then single terms."""
    if all(x == 0 for x in case.claim.ravel()):
        return  # anything explains nothing
    if sum(Quotient.of(x).top.size for x in case.truth.ravel()) < LONGEST_TRUTH:
        yield from _of_names(case)
    yield from _of_a_term(case)


def _of_names(case: Case) -> Iterator[Mistake]:
    ring = case.field.ring
    gap = _used(case)
    for p in case.facts.parameters:
        if p not in gap:
            continue
        yield Mistake(
            NAME,
            f"It is the truth for {case.spell(p)} = 0.",
            partial(case.changed, case.truth, {p: ring.number(0)}),
        )
        for other in case.facts.parameters:
            if other != p and other in gap and _alike(p, other):
                said = f"{case.spell(other)} stands where {case.spell(p)} belongs"
                yield Mistake(NAME, f"{said}.", partial(case.changed, case.truth, {p: ring[other]}))
                if p < other:
                    both = {p: ring[other], other: ring[p]}
                    said = f"{case.spell(p)} and {case.spell(other)} are exchanged"
                    yield Mistake(NAME, f"{said}.", partial(case.changed, case.truth, both))


def _alike(a: str, b: str) -> bool:
    (s, _), (t, _) = split(a), split(b)
    return s == t or any({s, t} <= group for group in ALIKE)


def _used(case: Case) -> set[str]:
    """The names in what is missing or extra."""
    used: set[str] = set()
    for _, claim, truth in case.entries():
        gap = difference(claim, truth)
        for part in (gap.missing, gap.extra):
            degrees = part.p.degrees()
            pairs = zip(part.ring.generators, degrees, strict=True)
            used |= {g for g, k in pairs if k > 0 and isinstance(g, str)}
    return used


def _of_a_term(case: Case) -> Iterator[Mistake]:
    """One entry in which one product of names stands for another."""
    wrong = [(c, t) for _, c, t in case.entries() if case.field.settled(c - t) != 0]
    if len(wrong) != 1:
        return
    gap = difference(*wrong[0])
    if gap.missing.is_zero or gap.extra.is_zero or case.used(gap.bottom) & case.motions:
        return
    ring = gap.bottom.ring
    common = ring.common(gap.missing.p, gap.extra.p)
    lacks, exceeds = (Poly(ring, x.p / common) for x in (gap.missing, gap.extra))
    if lacks.size > 1 or exceeds.size > 1:
        return
    x, y = (part.p.leading_coefficient() for part in (exceeds, lacks))
    number = x if abs(x) == abs(y) else abs(x) / x
    lacks, exceeds = (Poly(ring, part.p / number) for part in (lacks, exceeds))
    yield Mistake(TERM, _said(case, lacks, exceeds, gap), lambda: case.claim)


def _said(case: Case, lacks: Poly, exceeds: Poly, gap: Difference) -> str:
    """In what a term is wrong: its sign, a number, a factor, or all of it."""
    if lacks.p.is_constant() and exceeds.p.is_constant():
        if lacks != -exceeds:
            return "Terms have a wrong factor."
        shown = case.shown(gap.extra / gap.bottom)
        return (
            f"{shown} has the wrong sign." if gap.extra.size == 1 else "Terms have the wrong sign."
        )
    if exceeds == 1:
        return f"In one term a factor {case.shown(lacks)} is missing."
    if lacks == 1:
        return f"In one term a factor {case.shown(exceeds)} is too much."
    return f"In one term {case.shown(exceeds)} stands where {case.shown(lacks)} belongs."
