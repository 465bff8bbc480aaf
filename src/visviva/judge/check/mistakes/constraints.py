"""Mistakes with constraints: the sign of λ, Ȧ v forgotten, M for M⁻¹, constraints used early."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, each
from visviva.errors import OutsideError
from visviva.judge.check.compare.case import Case
from visviva.judge.check.compare.manifold import Manifold
from visviva.judge.check.mistakes.mistake import Mistake
from visviva.judge.check.said.subjects import ACCELERATION, CONSTRAINTS, EQUATION
from visviva.judge.exact.cramer import inverted
from visviva.judge.exact.elements import scalar

OPPOSITE, UNBIASED, METRIC, OTHER_SIGN = "sign of multipliers", "rate of A", "metric", "sign"
EARLY, FREE, OF_A = "constraint used early", "no multipliers", "indices of A"


def mistakes(case: Case) -> Iterator[Mistake]:
    """By what the claim is about."""
    held, kind = case.manifold, case.subject.kind
    if held is None:
        return
    if kind == CONSTRAINTS or case.subject.mixed:
        said = "The right side has the wrong sign."
        yield Mistake(OTHER_SIGN, said, lambda: -case.truth)
    if kind == EQUATION:
        yield from _of_equations(case, held)
    if kind in ("multipliers", "constraint_forces"):
        yield Mistake(
            OPPOSITE,
            "λ has the other sign: here + Aᵀ λ stands on the side of the forces τ.",
            lambda: -case.truth,
        )
    if kind in ("multipliers", ACCELERATION):
        which = "multipliers" if kind == "multipliers" else "forward_dynamics"
        yield Mistake(
            UNBIASED,
            "Ȧ v is forgotten: constraints differentiated are A a + Ȧ v + ȧ0 = 0, not A a = 0.",
            partial(_unbiased, case, held, which),
        )
    if kind == ACCELERATION:
        yield Mistake(
            FREE,
            "The constraints are left out: this is the acceleration of the free system.",
            partial(_free, case, held),
        )
    if kind == CONSTRAINTS:
        yield Mistake(
            UNBIASED,
            "Ȧ v is forgotten: A changes along the motion, d/dt (A v) = A a + Ȧ v.",
            partial(_row_without_bias, case, held),
        )
    if kind in ("projection", "force_projection") and not case.subject.index:
        yield from _of_projections(case, held)


def _of_equations(case: Case, held: Manifold) -> Iterator[Mistake]:
    ring = case.field.ring
    if not case.used(*case.truth.ravel(), *case.claim.ravel()) & {*held.multipliers}:
        return
    opposite = {name: -ring[name] for name in held.multipliers}
    nothing = {name: ring.number(0) for name in held.multipliers}
    yield Mistake(
        OPPOSITE,
        "λ has the other sign: here + Aᵀ λ stands on the side of the forces τ.",
        lambda: case.changed(case.truth, opposite),
    )
    yield Mistake(
        FREE,
        "The forces Aᵀ λ of the constraints are left out.",
        lambda: case.changed(case.truth, nothing),
    )
    if len(case.rows) == 1 and not case.truth.shape:
        yield Mistake(
            OF_A,
            "λ has the index of the equation: the force is Σₖ λₖ Aₖᵢ, one λ for each row of A.",
            partial(_one_multiplier, case, held),
        )
    if len(held.multipliers) == len(held.forces):
        yield Mistake(OF_A, "A stands for Aᵀ: A λ.", partial(_without_transpose, case, held))
    yield Mistake(
        EARLY,
        "A constraint was put in before λ was taken along: the forces of constraints do no work in "
        "the motions that are left, so that λ may not stand in this equation.",
        partial(_early, case, held, nothing),
    )


def _early(case: Case, held: Manifold, nothing: dict[str, Any]) -> Array:
    """The claim itself, where it is right without λ."""
    without = case.changed(case.claim, nothing)
    gaps = np.ravel(np.asarray(without - case.truth, dtype=object))
    if not all(held.vanishes(x) for x in gaps):
        raise OutsideError("it is not right without λ")
    return case.claim


def _one_multiplier(case: Case, held: Manifold) -> Array:
    (i,), ring = case.rows, case.field.ring
    if i >= len(held.multipliers):
        raise OutsideError("no λ has this index")
    right = sum((ring[x] * held.matrix[k, i] for k, x in enumerate(held.multipliers)), 0)
    wrong = sum((ring[held.multipliers[i]] * x for x in held.matrix[:, i]), 0)
    return scalar(case.truth[()] + right - wrong)


def _without_transpose(case: Case, manifold: Manifold) -> Array:
    lam = np.array([case.field.ring[x] for x in manifold.multipliers], dtype=object)
    gap = manifold.matrix.T @ lam - manifold.matrix @ lam
    of_rows = gap[list(case.rows)]
    forces: Array = case.truth + (of_rows if case.truth.shape else of_rows[0])
    return forces


def _unbiased(case: Case, held: Manifold, kind: str) -> Array:
    forms = case.facts.forms
    whole = held.elements(forms.judged(forms.held.without_bias(kind)))
    return case.about(each(held.without_still, whole))


def _free(case: Case, held: Manifold) -> Array:
    ring = case.field.ring
    tau = np.array([ring[f] * (f not in held.still) for f in held.forces], dtype=object)
    M, h = held.terms
    free = inverted(M) @ (tau - h)
    return case.about(free)


def _row_without_bias(case: Case, held: Manifold) -> Array:
    for row, bias in zip(held.seconds, held.bias, strict=True):
        if case.field.same(row, case.truth[()]):
            return scalar(row - bias)
    raise OutsideError("no row of the constraints")


def _of_projections(case: Case, held: Manifold) -> Iterator[Mistake]:
    n = len(held.forces)
    one = np.array(
        [[case.field.ring.number(int(i == j)) for j in range(n)] for i in range(n)], dtype=object
    )

    def along(metric: Array) -> Array:
        A = held.matrix
        P: Array = one - metric @ A.T @ inverted(A @ metric @ A.T) @ A
        return P if case.subject.kind == "projection" else P.T

    yield Mistake(
        METRIC,
        "M stands where M⁻¹ belongs: P = 1 - M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁻¹ A.",
        lambda: along(held.terms[0]),
    )
    yield Mistake(
        METRIC,
        "This projects without M: P = 1 - M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁻¹ A.",
        lambda: along(one),
    )
    yield Mistake(
        "complement",
        "This is 1 - P, the part that constraints do not admit.",
        lambda: one - case.truth,
    )
