"""A claim brought to the form of the truth: solved for what it speaks about."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from visviva.algebra.carry import Carrier
from visviva.algebra.field import Field
from visviva.algebra.syntax import Equation
from visviva.algebra.trigpoly import Poly, Quotient
from visviva.errors import ArgumentError, ShapeError
from visviva.judge.case import Case, each, elements, formulas, moved, scalar
from visviva.judge.claims import Claim
from visviva.judge.combinations import (
    is_row,
    moves,
    slope,
    sum_of_equations,
    undecided,
)
from visviva.judge.differences import difference
from visviva.judge.facts import Facts
from visviva.judge.forms import determinant
from visviva.judge.subjects import EQUATION, IDENTITY, Subject
from visviva.judge.vocabulary import FORCE
from visviva.space.rotations import Array

LARGEST_SUM = 500  # terms of a claim that is tried as a sum of equations


def case_of(claim: Claim, facts: Facts, spelled: Mapping[str, str]) -> Case:
    """The claim in a field with the truth about its subject."""
    if facts.refuses and claim.subject.kind in (EQUATION, "acceleration", "dissipation"):
        raise ArgumentError(f"the equations of {facts.name!r} are not judged: {facts.refuses}")
    needed = _needed(claim.subject, facts)
    forces = [f"{FORCE}{k + 1}" for k in range(len(facts.rates))]
    given = [node for _, node in claim.assumed]
    nodes = [claim.node, *given, *(x for kind in needed for x in formulas(facts.quantity(*kind)))]
    field = Field(facts.ring, [*forces, *sorted(claim.free)], nodes, facts.unit, facts.turns)
    field.bound()
    for name, node in claim.assumed:
        field.take(name, node)
    if claim.subject.kind == IDENTITY and isinstance(claim.node, Equation):
        return replace(_identity(claim.subject, claim.node, facts, field), names=spelled)
    said = field.read(claim.node)
    if isinstance(claim.node, Equation):
        made = _solved(np.asarray(said, dtype=object), claim.acting, facts, field)
    elif claim.subject.kind == "acceleration":
        made = _acceleration(claim, said, facts, field)
    else:
        truth = elements(facts.of(claim.subject), field)
        truth = _of_velocity(said, truth) if claim.subject.kind == "jacobian" else truth
        fitted = _fitting(said, truth, claim.subject)
        made = Case(facts, field, claim.subject, fitted, truth, _rows(claim.subject, facts))
        made = _held(made, claim) or made
    settled = [each(x, field.settled) for x in (made.claim, made.truth)]
    return replace(made, names=spelled, claim=settled[0], truth=settled[1])


def _identity(subject: Subject, node: Equation, facts: Facts, field: Field) -> Case:
    """The right side is claimed to be what the left side is."""
    left, right = (field.read(x) for x in (node.left, node.right))
    truth = left if isinstance(left, np.ndarray) else scalar(left)
    return Case(facts, field, subject, _fitting(right, truth, subject), truth)


def _of_velocity(said: Any, J: Array) -> Array:
    """The rows of a Jacobian that are meant by two or three: the velocity of the origin."""
    rows = len(said) if isinstance(said, np.ndarray) else 0
    return J[3 : 3 + rows] if rows in (2, 3) else J


def _needed(subject: Subject, facts: Facts) -> list[tuple[str, str]]:
    if subject.kind == "acceleration":
        return [("mass_matrix", ""), ("equations", "")]
    if subject.kind == IDENTITY:
        return []
    return [(subject.kind, subject.frame)]


def _rows(subject: Subject, facts: Facts) -> tuple[int, ...]:
    if subject.kind != EQUATION:
        return ()
    return (subject.index[0] - 1,) if subject.index else tuple(range(len(facts.rates)))


def _fitting(said: Any, truth: Array, subject: Subject) -> Array:
    """A claim in the shape of the truth: columns and rows are vectors too."""
    if not isinstance(said, np.ndarray):
        said = scalar(said)
    if said.shape == truth.shape:
        return said
    if said.size == truth.size and (truth.ndim <= 1 or 1 in truth.shape):
        return said.reshape(truth.shape)
    shape = " × ".join(map(str, truth.shape)) or "one number"
    got = " × ".join(map(str, said.shape)) or "one number"
    raise ShapeError(f"{subject} is {shape}, got {got}")


def _solved(residual: Array, acting: Collection[str], facts: Facts, field: Field) -> Case:
    """An equation of motion as it was written: solved for its force, or brought to scale."""
    flat = residual.reshape(-1)
    equations = elements(facts.quantity("equations"), field)
    cases = [_solved_row(x, equations, acting, facts, field) for x in flat]
    if len(cases) == 1:
        return cases[0]
    mixed = not all(case.rows for case in cases)
    rows = () if mixed else tuple(case.rows[0] for case in cases)
    claim = np.array([c.claim[()] for c in cases], dtype=object)
    truth = np.array([c.truth[()] for c in cases], dtype=object)
    notes = tuple(dict.fromkeys(x for c in cases for x in c.notes))
    whole = rows == tuple(range(len(facts.rates)))
    subject = Subject(EQUATION, rows=() if whole else tuple(k + 1 for k in rows), mixed=mixed)
    return Case(facts, field, subject, claim, truth, rows, notes=notes)


def _solved_row(
    residual: Any, equations: Array, acting: Collection[str], facts: Facts, field: Field
) -> Case:
    """One row; `acting` are the forces in all of the claim's statements."""
    forces = [f"{FORCE}{i + 1}" for i in range(len(facts.rates))]
    r = Quotient.of(residual)
    if any(r.bottom.derivative(f) != 0 for f in forces):
        raise ArgumentError("a generalized force stands in a denominator")
    slopes = [r.top.derivative(f) for f in forces]
    here = [i for i, x in enumerate(slopes) if x != 0]
    if any(slopes[i].derivative(f) != 0 for i in here for f in forces):
        raise ArgumentError("an equation of motion is linear in the generalized forces")
    pairs = zip(forces, equations, strict=True)
    free = np.array([x - field.ring[f] if f in acting else x for f, x in pairs], dtype=object)
    if not here:
        return _free(r.top, free, facts, field)
    rest = r.top
    for i in here:
        rest = rest - slopes[i] * field.ring[forces[i]]
    alone = len(here) == 1
    if alone:
        claim, truth = -rest / slopes[here[0]], equations[here[0]]
    else:
        claim, truth = -rest, sum((slopes[i] * equations[i] for i in here), field.ring.number(0))
    subject = Subject(EQUATION, (here[0] + 1,) if alone else (), mixed=not alone)
    made = Case(facts, field, subject, scalar(claim), scalar(truth), (here[0],) if alone else ())
    if made.is_identical or len(acting) == len(forces):
        return made
    held = sum_of_equations(r.top, free, facts, field)
    absent = [k + 1 for k, f in enumerate(forces) if f not in acting]
    if held is None and not (alone and is_row(r.top, equations[here[0]], facts)):
        return undecided(made, facts, field)
    return replace(held, notes=(_without(absent),)) if held is not None else made


def _held(case: Case, claim: Claim) -> Case | None:
    """A force in terms of several equations, where the others do not act."""
    n, index = len(case.facts.rates), claim.subject.index
    if claim.subject.kind != EQUATION or not index or len(claim.acting) == n or case.is_identical:
        return None
    if Quotient.of(case.claim[()]).top.size > LARGEST_SUM:
        return None
    whole = elements(case.facts.quantity("equations"), case.field)
    residual = case.claim[()] - case.field.ring[f"{FORCE}{index[0]}"]
    made = _solved_row(residual, whole, claim.acting, case.facts, case.field)
    return made if made.is_identical else None


def _without(absent: list[int]) -> str:
    return f"where {', '.join(f'tau{k}' for k in absent)} does not act"


def _free(residual: Poly, equations: Array, facts: Facts, field: Field) -> Case:
    """An equation without forces: the one it is nearest to, or a sum of several, brought to scale.

    The coefficients of its accelerations say how often each equation is in it.
    """
    best: tuple[int, Case] | None = None
    for i, truth in enumerate(equations):
        for _, a in facts.rates:
            mine, true = residual.derivative(a), slope(truth, a)
            if mine == 0 or true == 0:
                continue
            scale = true / mine
            if moves(scale, facts):
                continue  # it may be zero whatever the equation says
            claim = field.settled(residual * scale)
            subject = Subject(EQUATION, (i + 1,))
            made = Case(facts, field, subject, scalar(claim), scalar(truth), (i,), scale)
            if made.is_identical:
                return made
            gap = difference(claim, field.settled(truth))
            size = gap.missing.size + gap.extra.size
            if best is None or size < best[0]:
                best = size, made
    if best is None:
        raise ArgumentError(
            "this equation has neither a generalized force nor an acceleration; write tau1 = ... "
            "or say of=..."
        )
    whole, nearest = sum_of_equations(residual, equations, facts, field), best[1]
    if whole is None:
        alike = is_row(residual, equations[nearest.rows[0]], facts)
        return undecided(nearest, facts, field, alike)
    return whole or nearest


def _acceleration(claim: Claim, said: Any, facts: Facts, field: Field) -> Case:
    """q̈ᵢ = Σ (M⁻¹)ᵢⱼ (τⱼ - hⱼ), by Cramer's rule."""
    n = len(facts.rates)
    if n > 3:
        raise ArgumentError(f"accelerations are solved for at most 3 coordinates, got {n}")
    M = elements(facts.quantity("mass_matrix"), field)
    zero = {a: field.ring.number(0) for _, a in facts.rates}
    drift = each(
        elements(facts.quantity("equations"), field),
        lambda x: moved(x, Carrier(field.ring, field.ring, zero)),
    )
    forces = [f"{FORCE}{k + 1}" for k in range(n)]
    acting = claim.acting
    full = _by_cramer(claim, said, M, drift, forces if acting else (), facts, field)
    if full.is_identical or len(acting) in (0, n):
        return full
    held = _by_cramer(claim, said, M, drift, acting, facts, field)
    absent = [k + 1 for k, f in enumerate(forces) if f not in acting]
    return replace(held, notes=(_without(absent),)) if held.is_identical else full


def _by_cramer(
    claim: Claim,
    said: Any,
    M: Array,
    drift: Array,
    acting: Collection[str],
    facts: Facts,
    field: Field,
) -> Case:
    """The acceleration under some of the forces."""
    solved = M.copy()
    for k, x in enumerate(drift):
        force = f"{FORCE}{k + 1}"
        solved[k, claim.subject.index[0] - 1] = field.ring[force] * (force in acting) - x
    whole = field.settled(determinant(M))
    if whole == 0:
        raise ArgumentError(
            f"the mass matrix of {facts.name!r} is singular: no acceleration follows"
        )
    truth = determinant(solved) / whole
    return Case(facts, field, claim.subject, scalar(said), scalar(truth))
