"""Claims on the motions for which some forces are zero, where they are no sums of equations.

Of the equations whose forces are zero, as many accelerations follow. They are put into the claim as
it was typed, into every function of it: what is left there is zero, or the claim is wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from visviva.algebra.exact.minors import determinant
from visviva.algebra.exact.substitute import Substitution
from visviva.errors import ArgumentError, OutsideError, ParseError
from visviva.judge.check.compare.balls import Agreement, Witness, compared
from visviva.judge.check.compare.case import trying
from visviva.judge.check.compare.combinations import SEEDS, Balance, Equations, slope
from visviva.judge.check.said.claims import Claim
from visviva.judge.check.said.subjects import EQUATION
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.exact.field import CIRCULAR, Field
from visviva.judge.exact.residues import PRIME, changed, independent, is_linear, solved
from visviva.judge.exact.sums import symbol_of
from visviva.notation.evaluate import evaluate
from visviva.notation.tree import Call, Equation, Name, Node, Number, Power, Quotient, names, walk


def enough(claim: Claim, absent: Sequence[int], equations: Equations) -> tuple[int, ...] | None:
    """As few as possible of the forces `absent` that make the claim true by being zero.

    None where it is wrong with all of them; refused where that cannot be told.
    """
    node = _equation(claim)
    for i in absent if len(absent) > 1 else ():  # one alone is the least work
        try:
            if _holds(node, [i], equations):
                must_have_values(claim, [i], equations)
                return (i,)
        except ArgumentError:
            continue  # with the others it may be decided
    if not absent or not _holds(node, absent, equations):
        return None
    needed = list(absent)
    for i in absent:
        fewer = [k for k in needed if k != i]
        if fewer and _holds(node, fewer, equations):
            needed = fewer
    must_have_values(claim, needed, equations)
    return tuple(needed)


def is_refuted(balance: Balance, among: Sequence[int]) -> bool:
    """Whether R is not zero at a random motion without the forces `among`; M may be singular.

    Where equations without accelerations are linear in coordinates, these follow from them. What is
    not zero at such a residue is no zero of rational functions.
    """
    equations = balance.equations
    field, ring = equations.field, equations.field.ring
    parts = [*(equations.row(i) for i in among), balance.put_in]
    inside = field.hidden(*parts) | set(field.squares)
    unknown = list(equations.accelerations)
    for q in equations.facts.coordinates:
        if q not in inside and all(is_linear(x, (*unknown, q)) for x in parts[:-1]):
            unknown.append(q)
    point, _ = equations.at(SEEDS[0])
    rows = [point.parts(x, unknown) for x in parts[:-1]]
    columns = independent([row[:-1] for row in rows])
    if columns is None or inside & set(unknown):
        return False
    places = [ring.place[s] for s in unknown]
    kept = [0 if k in columns else point.values[p] for k, p in enumerate(places)]
    lack = [-sum(x * y for x, y in zip(row, [*kept, 1], strict=True)) % PRIME for row in rows]
    values, _ = solved([[row[k] for row in rows] for k in columns], lack)
    if values is None:
        return False
    there = changed(point, {places[k]: x for k, x in zip(columns, values, strict=True)})
    return there.of(balance.put_in) != 0


def must_have_values(claim: Claim, zero: Sequence[int], equations: Equations) -> None:
    """Refuses a claim that divides by zero, or has no value, where forces are zero."""
    moving = {*equations.accelerations, *equations.forces}
    node = _equation(claim)
    below = [x for x in map(_below, walk(node)) if x is not None and _has(x, moving)]
    inside = [x for x in walk(node) if _is_other(x) and _has(x, moving)]
    if not below and not inside:
        return
    scalars = _scalars([*below, *inside], zero, equations)
    for x in below:
        value = _value(x, scalars)
        if not isinstance(_beside(value, 0, equations), Witness):
            raise ArgumentError("a denominator may be zero where forces that are left out are zero")
    for x in inside:
        seen = _beside(value := _value(x, scalars), value, equations)
        if isinstance(seen, Agreement) and not seen.points:
            raise ArgumentError("it may have no value where forces that are left out are zero")


def _holds(node: Node, zero: Sequence[int], equations: Equations) -> bool:
    """Whether nothing is left of left - right; refused where only numbers say so."""
    field = equations.field
    left = _value(node, _scalars([node], zero, equations))
    if isinstance(left, np.ndarray):
        raise ArgumentError("an equation of motion is linear in the accelerations")
    left = field.settled(left)
    if left == 0:
        return True
    if field.has_others and isinstance(_beside(left, 0, equations), Agreement):
        forces = ", ".join(f"tau{i + 1}" for i in zero)
        raise ArgumentError(f"this may hold where {forces} = 0, but there is no proof of it")
    return False


def _value(node: Node, scalars: _OnMotions) -> Any:
    try:
        with trying(scalars.field):
            return evaluate(node, scalars)
    except (ZeroDivisionError, ParseError):
        raise ArgumentError(
            "a denominator may be zero where forces that are left out are zero"
        ) from None
    except OutsideError as error:
        raise ArgumentError(f"this may hold where forces are zero, not decided: {error}") from None


def _beside(x: Any, y: Any, equations: Equations) -> Witness | Agreement:
    field = equations.field
    x, y = (z if not isinstance(z, int) else field.ring.number(z) for z in (x, y))
    return compared(x, y, field, field.used(x, y), equations.facts)


class _OnMotions:
    """The elements of a field, with names replaced by elements or fractions."""

    def __init__(self, field: Field, changes: Mapping[str, Any]) -> None:
        self.field, self.changes = field, changes
        self.number, self.power, self.call = field.number, field.power, field.call

    def name(self, name: Name) -> Any:
        """What it is on these motions."""
        symbol = symbol_of(name)
        return self.changes[symbol] if symbol in self.changes else self.field.name(name)


def _scalars(nodes: Sequence[Node], zero: Sequence[int], equations: Equations) -> _OnMotions:
    """Accelerations as they follow where forces are zero, and the forces that are in formulas."""
    field, ring = equations.field, equations.field.ring
    try:
        with trying(field):
            changes = _accelerations(zero, equations)
            for i, force in enumerate(equations.forces):
                if i in zero:
                    changes[force] = ring.number(0)
                elif any(_has(x, {force}) for x in nodes):
                    changes[force] = _force(i, changes, equations)
    except OutsideError as error:
        raise ArgumentError(f"this may hold where forces are zero, not decided: {error}") from None
    return _OnMotions(field, changes)


def _accelerations(zero: Sequence[int], equations: Equations) -> dict[str, Any]:
    """By Cramer's rule, of as many as there are equations."""
    field, ring = equations.field, equations.field.ring
    columns = independent([equations.at(SEEDS[0])[1][i][:-1] for i in zero])
    if columns is None:
        raise ArgumentError("the mass matrix is singular: no accelerations follow from zero forces")
    names = [equations.accelerations[j] for j in columns]
    still = Substitution(ring, ring, {a: ring.number(0) for a in names})
    M = [[slope(equations.row(i), a) for a in names] for i in zero]
    right = [-still.of(equations.row(i)) for i in zero]
    below = field.settled(determinant(M))
    accelerations = {}
    for k, a in enumerate(names):
        above = [[*row[:k], b, *row[k + 1 :]] for row, b in zip(M, right, strict=True)]
        accelerations[a] = field.settled(determinant(above) / below)
    return accelerations


def _force(i: int, accelerations: Mapping[str, Any], equations: Equations) -> Any:
    ring, row = equations.field.ring, equations.row(i)
    force = Substitution(ring, ring, {a: ring.number(0) for a in accelerations}).of(row)
    for a, value in accelerations.items():
        force = force + slope(row, a) * value
    return equations.field.settled(force)


def _equation(claim: Claim) -> Node:
    """The whole claim, where its node is what a force is."""
    if isinstance(claim.node, Equation) or claim.subject.kind != EQUATION:
        return claim.node
    return Equation(Name(f"{FORCE}{claim.subject.index[0]}"), claim.node)


def _below(node: Node) -> Node | None:
    """What must not be zero."""
    if isinstance(node, Quotient):
        return node.bottom
    if isinstance(node, Power) and not _is_positive(node.exponent):
        return node.base
    return None


def _is_positive(exponent: Node) -> bool:
    return isinstance(exponent, Number) and Fraction(exponent.value) > 0


def _is_other(node: Node) -> bool:
    return isinstance(node, Call) and node.function not in CIRCULAR


def _has(node: Node, symbols: Collection[str]) -> bool:
    return any(symbol_of(n) in symbols for n in names(node))
