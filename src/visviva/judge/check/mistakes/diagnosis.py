"""Why a claim differs: numbers that are rounded or the system's own, or known mistakes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import chain, islice
from typing import Any

import numpy as np

from visviva.algebra.exact.poly import Quotient
from visviva.errors import VisvivaError
from visviva.judge.check.compare.case import Case
from visviva.judge.check.compare.differences import over_one
from visviva.judge.check.compare.solve import likeliest
from visviva.judge.check.compare.steps import OWNED
from visviva.judge.check.mistakes import bodies as mistakes_bodies
from visviva.judge.check.mistakes import constraints as mistakes_constraints
from visviva.judge.check.mistakes import coordinates as mistakes_coordinates
from visviva.judge.check.mistakes import linearised, slips, statics
from visviva.judge.check.mistakes import matrices as mistakes_matrices
from visviva.judge.check.mistakes import terms as mistakes_terms
from visviva.judge.check.mistakes.mistake import Diagnosis, Mistake
from visviva.judge.check.said.claims import Claim
from visviva.judge.check.said.subjects import CONSTRAINTS
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.exact.elements import scalar
from visviva.notation.tree import Node, Number, names, walk

MOST = 3  # explanations that are given
EFFORT = 500_000  # terms that are changed for trial
OF_COORDINATES = (mistakes_coordinates.upright, mistakes_coordinates.mistakes)
# by how it was written: what explains it so needs no other
OF_CLAIMS = (statics.mistakes, mistakes_matrices.symmetry, linearised.mistakes)
# the likeliest first
SOURCES = (
    mistakes_coordinates.upright,
    mistakes_terms.mistakes,
    mistakes_matrices.mistakes,
    mistakes_coordinates.mistakes,
    mistakes_bodies.mistakes,
)


def diagnosis(case: Case, claim: Claim) -> tuple[Diagnosis, ...]:
    """Numbers that are rounded or those of the system, then known mistakes.

    Where no number is odd, m = 1 and l = 1 may hide a mistake: known ones are told first.
    """
    for source in OF_CLAIMS:
        if alone := _explanations(source(case, claim), case):
            return tuple(alone.values())
    numbers = _rounded(case, claim) or _at_own_values(case, claim)
    if case.unwritten or (numbers and _has_odd_numbers(claim)):
        return numbers
    if mistakes_matrices.is_entry_of_coriolis(case):  # what is not unique has no true size
        return tuple(_explanations(mistakes_matrices.mistakes(case), case).values())
    own = any(OWNED in x for x in claim.notes)  # in the system's own coordinates
    sources = [x for x in SOURCES if not (own and x in OF_COORDINATES)]
    return _known_mistakes(case, numbers, sources)


def _known_mistakes(
    case: Case, others: tuple[Diagnosis, ...], sources: Iterable[Callable[[Case], Any]]
) -> tuple[Diagnosis, ...]:
    """The mistakes that lead to the claim: each of them alone explains it, the likeliest first.

    Of a kind the first: q1 is not measured from two other places. Then `others`; slips of the pen
    are looked for where nothing else explains the claim, or only other coordinates do.
    """
    own = tuple(_explanations(mistakes_constraints.mistakes(case), case).values())
    if own or case.subject.kind == CONSTRAINTS:
        return own or others
    known = islice(chain.from_iterable(source(case) for source in sources), _tries(case))
    explanations = (*_explanations(known, case).values(), *others)
    if any(x.change is None for x in explanations):
        return explanations
    small = tuple(_explanations(slips.mistakes(case), case).values())
    return tuple(replace(x, instead=small) for x in explanations) or small


def _explanations(mistakes: Iterable[Mistake], case: Case) -> dict[str, Diagnosis]:
    explanations: dict[str, Diagnosis] = {}
    for m in mistakes:
        if m.kind not in explanations and _explains(m, case):
            explanations[m.kind] = Diagnosis(m.kind, m.sentence, m.change)
            if len(explanations) == MOST:
                break
    return explanations


def _tries(case: Case) -> int:
    """How many mistakes are tried: many, but for long equations of many coordinates."""
    terms = sum(Quotient.of(x, case.field.ring).top.size for x in case.truth.ravel())
    changes = len(case.facts.coordinates) ** 2 * len(case.field.ring.generators)
    return 1 + EFFORT // (1 + terms + changes // 10)


def _explains(mistake: Mistake, case: Case) -> bool:
    case.field.bound()
    try:
        claim = mistake.leads_to()
        claim = claim if isinstance(claim, np.ndarray) else scalar(claim)  # numpy unwraps scalars
        return claim.shape == case.claim.shape and case.equals(claim)
    except (VisvivaError, ZeroDivisionError):
        return False  # this mistake cannot be made here


NEAR = 1e-4  # relative difference of numbers that may be rounded
NOTHING = 1e-9  # relative size of terms that nobody writes
MOST_VALUES = 20  # of a system, that are put in for trial
USUAL = {Fraction(n, d) for d in (1, 2, 3, 4, 6, 8, 12) for n in range(9)}  # in formulas


def _rounded(case: Case, claim: Claim) -> tuple[Diagnosis, ...]:
    """Whether the claim has all terms of the truth, its numbers agreeing to some digits."""
    if not any(map(_has_decimals, (claim.node, *(x for _, x in claim.assumed)))):
        return ()
    gaps = [_gap(said, true) for _, said, true in case.entries()]
    worst = max(gaps)
    if not worst < NEAR:
        return ()
    if not worst:
        said = "But for terms that are smaller than the others by nine digits it is right."
        return (Diagnosis("small terms", f"{said} Leave these out."),)
    digits = math.floor(-math.log10(worst))
    said = f"The numbers agree to {digits} digits: those of the claim are rounded."
    return (Diagnosis("rounding", said),)


def _at_own_values(case: Case, claim: Claim) -> tuple[Diagnosis, ...]:
    """Whether a claim holds with the system's own values put in, as few as it needs.

    Asked of claims that name no parameter, or have numbers that formulas have not.
    """
    there = {n.key for n in names(claim.node)} | {name for name, _ in claim.assumed}
    known = {p: x for p, x in case.facts.parameters.items() if x is not None and p not in there}
    named = bool(there & {*case.facts.parameters})
    if len(known) > MOST_VALUES or (named and not _has_odd_numbers(claim)):
        return ()
    values = {p: Fraction(repr(float(x))) for p, x in known.items() if math.isfinite(x)}
    if not values or not _holds_at(values, claim, case):
        return ()
    for p in tuple(values):
        fewer = {k: x for k, x in values.items() if k != p}
        values = fewer if _holds_at(fewer, claim, case) else values
    listed = [f"{case.names.get(p, p)} = {float(x):.15g}" for p, x in values.items()]
    said = [(p, str(case.written(case.field.read(x)))) for p, x in claim.assumed]
    said += [(force, "0") for force in sorted(claim.still) if not claim.laws]
    stated = [f"{case.names.get(p, p)} = {x.replace('**', '^')}" for p, x in said]
    sentence = (
        f"It holds at the values of {case.facts.name!r}, {', '.join(listed)}, not for others: "
        f"write {'; '.join([*stated, *listed])}; {claim.text:.60}"
    )
    return (Diagnosis("values", sentence),)


def _has_odd_numbers(claim: Claim) -> bool:
    """Whether numbers stand there that formulas have not: 9.81, 19."""
    numbers = (abs(Fraction(x.value)) for x in walk(claim.node) if isinstance(x, Number))
    return any(x not in USUAL for x in numbers)


def _holds_at(values: Mapping[str, Fraction], claim: Claim, case: Case) -> bool:
    """Whether it is proved with numbers for parameters, under no other condition."""
    numbers = ((p, Number(x)) for p, x in values.items())
    there = replace(claim, assumed=(*claim.assumed, *numbers))
    still = {i for i in range(len(case.facts.rates)) if f"{FORCE}{i + 1}" in claim.still}
    try:
        other = likeliest(there, case.facts, case.names)
        return other.is_identical and {*other.zero} <= {*case.zero, *case.facts.passive, *still}
    except (VisvivaError, ZeroDivisionError):
        return False


def _has_decimals(node: Node) -> bool:
    """Whether a number stands there that is no short fraction: 0.3333, not 1/3 or 0.5."""
    denominators = (Fraction(x.value).denominator for x in walk(node) if isinstance(x, Number))
    return any(x % 5 == 0 for x in denominators)


def _gap(claim: Any, truth: Any) -> float:
    """The largest relative difference of the numbers before equal terms; infinite for other terms.

    Formulas are compared without denominators.
    """
    mine, true = (dict(x.p.to_dict()) for x in over_one(claim, truth)[:2])
    largest = max((abs(_number(x)) for x in true.values()), default=Fraction(0))
    worst = Fraction(0)
    for powers in {**true, **mine}:
        x, y = _number(mine.get(powers, 0)), _number(true.get(powers, 0))
        if x * y == 0 and abs(x) + abs(y) > largest * Fraction(NOTHING):
            return math.inf
        if y != 0:
            worst = max(worst, abs(x - y) / abs(y) if x else Fraction(0))
    return float(worst)


def _number(x: Any) -> Fraction:
    return Fraction(int(x.p), int(x.q)) if x != 0 else Fraction(0)
