"""Known mistakes tried on the truth: those that lead to the claim explain it."""

from __future__ import annotations

from itertools import chain, islice

import numpy as np

from visviva.errors import VisvivaError
from visviva.judge import (
    mistakes_bodies,
    mistakes_coordinates,
    mistakes_matrices,
    mistakes_terms,
    slips,
)
from visviva.judge.case import Case, scalar
from visviva.judge.mistakes import Diagnosis, Mistake

MOST = 3  # explanations that are given
# the likeliest first
SOURCES = (
    mistakes_terms.mistakes,
    mistakes_matrices.mistakes,
    mistakes_coordinates.mistakes,
    mistakes_bodies.mistakes,
)


def diagnosed(case: Case) -> tuple[Diagnosis, ...]:
    """The mistakes that lead to the claim: undoing one of them makes it identical.

    Slips of the pen are looked for where no other mistake explains the claim.
    """
    known = chain.from_iterable(source(case) for source in SOURCES)
    found = list(islice((m for m in known if _explains(m, case)), MOST))
    found = found or list(islice((m for m in slips.mistakes(case) if _explains(m, case)), MOST))
    return tuple({m.sentence: Diagnosis(m.kind, m.sentence) for m in found}.values())


def _explains(mistake: Mistake, case: Case) -> bool:
    case.field.bound()
    try:
        made = mistake.leads_to()
        made = made if isinstance(made, np.ndarray) else scalar(made)  # numpy unwraps scalars
        return made.shape == case.claim.shape and case.equals(made)
    except (VisvivaError, ZeroDivisionError):
        return False  # this mistake cannot be made here
