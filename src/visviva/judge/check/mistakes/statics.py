"""Mistakes about the tip: weights left out at rest, signs of F, rows of J swapped."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.quantities import WEIGHT_TERM
from visviva.judge.check.compare.case import Case
from visviva.judge.check.compare.tip import Kinematics
from visviva.judge.check.mistakes.mistake import Mistake
from visviva.judge.check.said.claims import Claim

NO_WEIGHTS, SIGN_OF_FORCE, ROWS = "weights", "sign of F", "rows of J"


def mistakes(case: Case, claim: Claim) -> Iterator[Mistake]:
    """Of a claim whose part without Jᵀ F is compared with g; and of det J."""
    if claim.tip is None:
        return
    if claim.tip.is_of_twist(case.subject):
        yield Mistake(
            ROWS,
            "It is that of J with the rows of v above those of ω: here ω comes first, and the sign "
            "is the other one.",
            lambda: -case.truth,
        )
    if case.subject.kind != WEIGHT_TERM.exact:
        return
    yield Mistake(
        NO_WEIGHTS,
        "Gravity and springs are left out: at rest τ = Jᵀ F + g(q).",
        lambda: case.truth * 0,
    )
    yield Mistake(
        SIGN_OF_FORCE,
        "F has the other sign: here it is the force that the arm exerts, τ = Jᵀ F + g(q); of a "
        "force on the arm it is -Jᵀ F.",
        lambda: case.truth - _load(case, claim) * 2,
    )


def _load(case: Case, claim: Claim) -> Array:
    """Jᵀ F, of the rows that the claim has."""
    if claim.tip is None:
        return case.truth * 0
    tip, index = Kinematics(claim.tip), case.subject.index
    rows = [index[0] - 1] if index else range(len(case.facts.rates))
    loads = np.array([case.field.read(tip.load(claim.node, i)) for i in rows], dtype=object)
    return np.asarray(loads[0], dtype=object) if index else loads.reshape(case.truth.shape)
