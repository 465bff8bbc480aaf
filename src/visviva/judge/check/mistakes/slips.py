"""Slips of the pen: one name for another, one left out, one term with a wrong factor."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from visviva.algebra.exact.poly import Poly
from visviva.judge.check.compare.case import Case
from visviva.judge.check.compare.differences import difference
from visviva.judge.check.mistakes.mistake import Mistake
from visviva.judge.check.said.vocabulary import ALIKE, split

NAME, TERM = "name", "term"
LONGEST_TRUTH = 400  # terms of a truth in which names are exchanged for trial


def mistakes(case: Case) -> Iterator[Mistake]:
    """Names first, then single terms."""
    if all(x == 0 for x in case.claim.ravel()):
        return  # anything explains nothing
    if sum(getattr(x, "size", LONGEST_TRUTH) for x in case.truth.ravel()) < LONGEST_TRUTH:
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
    if len(wrong) != 1 or not all(isinstance(x, Poly) for x in wrong[0]):
        return
    gap = difference(*wrong[0])
    if gap.missing.is_zero or gap.extra.is_zero:
        return
    common = gap.bottom.ring.common(gap.missing.p, gap.extra.p)
    lacks, exceeds = (Poly(gap.bottom.ring, x.p / common) for x in (gap.missing, gap.extra))
    if lacks.size > 1 or exceeds.size > 1:
        return
    if lacks.p.is_constant() and exceeds.p.is_constant():
        said = "Terms have the wrong sign." if lacks == -exceeds else "Terms have a wrong factor."
    else:
        said = f"In one term {case.shown(exceeds)} stands where {case.shown(lacks)} belongs."
    yield Mistake(TERM, said, lambda: case.claim)
