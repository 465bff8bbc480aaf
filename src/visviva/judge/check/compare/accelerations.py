"""Claims that are solved for an acceleration: q̈ᵢ = Σ (M⁻¹)ᵢⱼ (τⱼ - hⱼ)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from visviva.algebra.exact.minors import determinant
from visviva.algebra.exact.poly import Quotient
from visviva.algebra.exact.substitute import Substitution
from visviva.errors import ArgumentError, OutsideError
from visviva.judge.check.compare.balances import absent_forces, agreeing, proved
from visviva.judge.check.compare.balls import Solution
from visviva.judge.check.compare.case import MOST_TRIED, Case, moved, scalar, trying
from visviva.judge.check.compare.combinations import (
    Balance,
    DependentError,
    Equations,
    combination,
    slope,
)
from visviva.judge.check.said.claims import Claim


def accelerated(claim: Claim, said: Any, equations: Equations) -> Case:
    """Proved by putting the forces in; only a wrong one needs the inverse of M.

    Forces that the claim leaves out are taken as zero, also where it is wrong.
    """
    said = equations.field.settled(said)
    index = claim.subject.index[0] - 1
    q = Quotient.of(said)
    R = q.bottom * equations.field.ring[equations.accelerations[index]] - q.top
    balance = Balance(R, equations)
    if balance.holds:
        whole = scalar(said)
        return Case(equations.facts, equations.field, claim.subject, whole, whole)
    absent = absent_forces(claim, balance)
    try:
        factors = combination(balance, absent)
    except DependentError:
        factors = None
    if factors is not None:
        return proved(balance, factors, claim.subject, stated=False)
    if found := agreeing(balance, absent, claim.subject):
        return found
    if equations.is_singular:
        raise ArgumentError(
            f"the mass matrix of {equations.facts.name!r} is singular: no acceleration follows"
        )
    zero = tuple(j for j in equations.coupled(index) if j in absent)
    return replace(_compared(claim, said, index, zero, equations), zero=zero)


def _compared(
    claim: Claim, said: Any, index: int, zero: Collection[int], equations: Equations
) -> Case:
    """With the acceleration by Cramer's rule; if that is endless, with its symbol."""
    field, ring = equations.field, equations.field.ring
    names = equations.accelerations
    rest = Substitution(ring, ring, {a: ring.number(0) for a in names})
    M = [[slope(row, a) for a in names] for row in equations.rows]
    right = [
        ring[force] * (k not in zero) - moved(row, rest)
        for k, (force, row) in enumerate(zip(equations.forces, equations.rows, strict=True))
    ]
    parts = equations.facts, field, claim.subject, scalar(said)
    try:
        with trying(field):
            above = [[*row[:index], b, *row[index + 1 :]] for row, b in zip(M, right, strict=True)]
            truth = field.settled(determinant(above) / field.settled(determinant(M)))
        return Case(*parts, scalar(truth))
    except OutsideError:
        note = f"written out, this acceleration takes more than {MOST_TRIED:,} products of terms"
        unwritten = Solution(M, right, index)
        return Case(*parts, scalar(ring[names[index]]), notes=(note,), unwritten=unwritten)
