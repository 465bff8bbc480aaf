"""Sums of equations of motion: k · (M a + h) with factors k that may depend on position."""

from __future__ import annotations

from typing import Any

from visviva.algebra.field import Field
from visviva.algebra.trigpoly import Poly, Quotient
from visviva.errors import ArgumentError
from visviva.judge.case import Case, elements, scalar
from visviva.judge.facts import Facts
from visviva.judge.forms import determinant
from visviva.judge.subjects import EQUATION, Subject
from visviva.space.rotations import Array


def is_row(residual: Poly, truth: Any, facts: Facts) -> bool:
    """Whether the coefficients of accelerations are those of one equation, but for a factor."""
    mine = [residual.derivative(a) for _, a in facts.rates]
    true = [slope(truth, a) for _, a in facts.rates]
    return all(
        x * v == y * u
        for x, u in zip(mine, true, strict=True)
        for y, v in zip(mine, true, strict=True)
    )


def undecided(nearest: Case, facts: Facts, field: Field, alike: bool = False) -> Case:
    """A sum of equations that could not be told from a wrong one; `alike`: it looks like one."""
    M = elements(facts.quantity("mass_matrix"), field)
    n = len(facts.rates)
    singular = 1 < n <= 3 and field.settled(determinant(M)) == 0
    if singular or (n > 3 and not alike):
        raise ArgumentError(
            "this may be a combination of several equations of motion, which is judged for up to "
            "three coordinates and a mass matrix that can be inverted: write them one by one"
        )
    return nearest


def sum_of_equations(residual: Poly, equations: Array, facts: Facts, field: Field) -> Case | None:
    """k · (M a + h) with k M = the coefficients of accelerations, if the claim is just that."""
    n = len(facts.rates)
    if not 1 < n <= 3:
        return None
    M = elements(facts.quantity("mass_matrix"), field)
    row = [residual.derivative(a) for _, a in facts.rates]
    whole = field.settled(determinant(M))
    if whole == 0:
        return None  # the accelerations do not tell
    truth: Any = field.ring.number(0)
    for i in range(n):
        solved = M.copy()
        solved[i, :] = row
        truth = truth + determinant(solved) * equations[i]
    subject = Subject(EQUATION, mixed=True)
    made = Case(facts, field, subject, scalar(residual * whole), scalar(truth), (), whole)
    return made if made.is_identical else None


def moves(x: Any, facts: Facts) -> bool:
    """Whether velocities or accelerations are in it."""
    q = Quotient.of(x)
    motions = [m for pair in facts.rates for m in pair]
    return any(p.derivative(m) != 0 for p in (q.top, q.bottom) for m in motions)


def slope(x: Any, name: str) -> Any:
    """∂x/∂name, of an equation linear in it."""
    if isinstance(x, Quotient):
        return x.top.derivative(name) / x.bottom
    return x.derivative(name)
