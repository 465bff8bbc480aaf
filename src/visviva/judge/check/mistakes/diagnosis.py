"""Known mistakes tried on the truth: those that lead to the claim explain it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice

import numpy as np

from visviva.algebra.exact.poly import Quotient
from visviva.errors import VisvivaError
from visviva.judge.check.compare.case import Case, scalar
from visviva.judge.check.mistakes import bodies as mistakes_bodies
from visviva.judge.check.mistakes import coordinates as mistakes_coordinates
from visviva.judge.check.mistakes import matrices as mistakes_matrices
from visviva.judge.check.mistakes import slips
from visviva.judge.check.mistakes import terms as mistakes_terms
from visviva.judge.check.mistakes.mistake import Diagnosis, Mistake

MOST = 3  # explanations that are given
EFFORT = 500_000  # terms that are changed for trial
# the likeliest first
SOURCES = (
    mistakes_terms.mistakes,
    mistakes_matrices.mistakes,
    mistakes_coordinates.mistakes,
    mistakes_bodies.mistakes,
)


def diagnosed(case: Case, others: tuple[Diagnosis, ...] = ()) -> tuple[Diagnosis, ...]:
    """The mistakes that lead to the claim: each of them alone explains it, the likeliest first.

    Of a kind the first: q1 is not measured from two other places. Then `others`; slips of the pen
    are looked for where nothing else explains the claim.
    """
    known = islice(chain.from_iterable(source(case) for source in SOURCES), _tries(case))
    explanations = (*_explanations(known, case).values(), *others)
    return explanations or tuple(_explanations(slips.mistakes(case), case).values())


def _explanations(mistakes: Iterable[Mistake], case: Case) -> dict[str, Diagnosis]:
    explanations: dict[str, Diagnosis] = {}
    for m in mistakes:
        if m.kind not in explanations and _explains(m, case):
            explanations[m.kind] = Diagnosis(m.kind, m.sentence)
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
