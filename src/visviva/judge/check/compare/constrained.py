"""Claims about a system that is held, compared where its constraints hold.

A statement is brought to what it says is zero. Accelerations and λ in it become what they are in
motions with given forces; then it is zero, or zero where forces that it leaves out are, or false.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, each
from visviva.algebra.exact.poly import Quotient
from visviva.describe.quantities import MULTIPLIERS, ROWS
from visviva.errors import ArgumentError, OutsideError
from visviva.judge.check.compare.balances import MIXED
from visviva.judge.check.compare.case import Case, Content, Level, trying
from visviva.judge.check.compare.combinations import slope
from visviva.judge.check.compare.division import Solved, at_zero
from visviva.judge.check.compare.manifold import Manifold
from visviva.judge.check.said.claims import Claim
from visviva.judge.check.said.subjects import (
    ACCELERATION,
    CONSTRAINTS,
    EQUATION,
    Subject,
    fitting,
    of_velocity,
)
from visviva.judge.exact.elements import scalar
from visviva.judge.exact.field import Field
from visviva.judge.exact.residues import is_linear
from visviva.judge.exact.zeros import Doubts, common_zeros, factors_of, is_sure, said_of
from visviva.notation.tree import Equation

OF_ROWS = Subject(CONSTRAINTS)


def constrained(claim: Claim, said: Any, manifold: Manifold) -> Case:
    """The claim beside the truth, with the motions in which they are compared."""
    kind = claim.subject.kind
    if isinstance(claim.node, Equation):
        return _equations(np.asarray(said, dtype=object), claim, manifold)
    if kind == EQUATION:
        ring = manifold.field.ring
        whole = np.array([ring[f] * (f not in manifold.still) for f in manifold.forces])
        if claim.subject.index:
            return _equation(whole[claim.subject.index[0] - 1] - said, claim, manifold)
        return _equations(whole - fitting(said, whole, claim.subject), claim, manifold)
    if kind == ACCELERATION:
        truth = manifold.without_still(manifold.accelerations[claim.subject.index[0] - 1])
        case = _valued(claim, scalar(said), scalar(truth), manifold)
        return replace(case, says=_values([a for _, a in manifold.facts.rates], case))
    truth = _quantity(claim, manifold)
    truth = of_velocity(said, truth, claim.subject)
    turned, notes = _turned(said, truth, claim.subject)
    case = _valued(claim, fitting(turned, truth, claim.subject), truth, manifold)
    says = _values(manifold.multipliers, case) if kind == MULTIPLIERS.exact else ()
    return replace(case, notes=(*notes, *case.notes), says=says)


def _values(names: Sequence[str], case: Case) -> tuple[Content | None, ...]:
    """What formulas for some of these unknowns say."""
    held, index = case.manifold, case.subject.index
    if held is None:
        return ()
    chosen = [names[k - 1] for k in index] if index else names
    pairs = zip(chosen, case.claim.ravel(), strict=True)
    return tuple(row for name, x in pairs for row in _says(held.field.ring[name] - x, held, True))


def _quantity(claim: Claim, manifold: Manifold) -> Array:
    """What the claim is about; forces that are zero are so in it."""
    whole, subject = manifold.facts.of(claim.subject), claim.subject
    if isinstance(whole, np.ndarray) or not subject.index:
        return each(manifold.without_still, manifold.elements(whole))
    return scalar(manifold.without_still(manifold.elements(scalar(whole))[()]))


def _turned(said: Any, truth: Array, subject: Subject) -> tuple[Any, tuple[str, ...]]:
    """A constraint matrix with a column for each constraint, as some books have it."""
    shape = np.shape(said)
    if subject.kind != ROWS.exact or len(shape) != 2 or shape == truth.shape:
        return said, ()
    if shape != truth.T.shape:
        return said, ()
    note = "it has a column for each constraint, Aᵀ v + a0 = 0: compared with the transpose"
    return said.T, (note,)


def _valued(claim: Claim, said: Array, truth: Array, manifold: Manifold) -> Case:
    """What a quantity is; forces that the claim leaves out are taken as zero if it needs that."""
    case = Case(manifold.facts, manifold.field, claim.subject, said, truth, manifold=manifold)
    if case.is_identical:
        return case
    absent = _absent(claim, manifold, *said.ravel())
    zero = [f for f in absent if f in manifold.field.used(*truth.ravel())]
    if not zero:
        return case
    there = manifold.with_still(zero)
    true = each(there.without_still, truth)
    true = true if isinstance(true, np.ndarray) else scalar(true)
    return replace(case, truth=true, manifold=there, zero=_places(zero, manifold))


def _absent(claim: Claim, manifold: Manifold, *said: Any) -> list[str]:
    """Forces that no statement of the claim has."""
    used = manifold.field.used(*said)
    return [f for f in manifold.forces if f not in {*claim.acting, *manifold.still, *used}]


def _places(zero: list[str], manifold: Manifold) -> tuple[int, ...]:
    return tuple(manifold.forces.index(f) for f in zero)


def _equations(residual: Array, claim: Claim, manifold: Manifold) -> Case:
    """One equation or several, row by row."""
    n = residual.size
    if n == 1:
        return _equation(residual.flat[0], claim, manifold)
    if claim.subject.index:
        raise ArgumentError(f"of= says {claim.subject}, the claim has {n} equations")
    rows = zip(residual.flat, claim.rows(n), strict=True)
    cases = [_equation(x, replace(claim, node=node), manifold) for x, node in rows]
    stated = tuple(sorted({i for c in cases for i in c.stated}))
    zero = tuple(sorted({i for c in cases for i in c.zero} - set(stated)))
    places = [c.rows for c in cases]
    whole = [row for c in places for row in c]
    alone = all(len(c) == 1 for c in places)
    complete = alone and whole == list(range(len(manifold.forces)))
    numbered = tuple(k + 1 for k in whole) if alone and not complete else ()
    return Case(
        manifold.facts,
        manifold.field,
        Subject(EQUATION, rows=numbered, mixed=not alone),
        np.array([c.claim[()] for c in cases], dtype=object),
        np.array([c.truth[()] for c in cases], dtype=object),
        tuple(whole) if alone else (),
        notes=tuple(dict.fromkeys(x for c in cases for x in c.notes)),
        zero=zero,
        stated=stated,
        nonzero=tuple(dict.fromkeys(x for c in cases for x in c.nonzero)),
        says=tuple(x for c in cases for x in c.says),
        manifold=manifold.with_still([manifold.forces[i] for i in (*zero, *stated)]),
        residual=residual,
    )


def _equation(residual: Any, claim: Claim, manifold: Manifold) -> Case:
    """One equation: zero in every motion, or in those without forces that it leaves out."""
    field = manifold.field
    R = field.settled(residual)
    if R == 0:
        raise ArgumentError(f"{claim.text:.200}: both sides are the same formula")
    absent = _absent(claim, manifold, R)
    acting = [f for f in manifold.forces if f in field.used(R)]
    there = manifold.with_still(absent)
    if manifold.vanishes(R):
        _must_be_of(R, claim, manifold)
        case = _proved(R, claim, manifold, acting)
        free = not field.used(R) & {*manifold.forces, *manifold.multipliers}
        alone = free and not case.rows and manifold.free.vanishes(R)
        return replace(case, subject=OF_ROWS) if alone else case
    if not there.vanishes(R):
        case = _nearest(R, claim, there, acting, absent)
        zero = tuple(sorted({*case.zero} - {*case.stated}))
        return replace(case, zero=zero, residual=scalar(R))
    _must_be_of(R, claim, there)
    needed = [f for f in absent if not manifold.with_still(set(absent) - {f}).vanishes(R)]
    case = _proved(R, claim, manifold.with_still(needed), acting)
    zero = _places(needed, manifold)
    if len(zero) == 1 and not acting and not claim.is_solved(len(manifold.forces)):
        subject = Subject(EQUATION, (zero[0] + 1,))
        return replace(case, subject=subject, rows=zero, stated=zero)
    return replace(case, zero=zero)


def _must_be_of(R: Any, claim: Claim, there: Manifold) -> None:
    """Refuses a true equation as that of a force, where it holds whatever that force is."""
    if not claim.subject.index or not isinstance(claim.node, Equation):
        return
    k = claim.subject.index[0]
    force = there.forces[k - 1]
    driven = there.free.with_still(there.still - {force})
    if force not in there.field.used(R) and driven.vanishes(R):
        raise ArgumentError(
            f"{claim.text:.80}: this is said to be equation {k}, but holds whatever tau{k} is: say "
            f"which one it is, or write tau{k} = ... with all terms"
        )


def _proved(R: Any, claim: Claim, manifold: Manifold, acting: list[str]) -> Case:
    subject, rows = MIXED, tuple[int, ...]()
    own = acting if len(acting) == 1 else [] if acting else sorted(manifold.still)
    i = next((manifold.forces.index(f) for f in own if _is_row(R, f, manifold)), None)
    if claim.subject.index:
        subject, rows = claim.subject, (claim.subject.index[0] - 1,)
    elif i is not None:
        subject, rows = Subject(EQUATION, (i + 1,)), (i,)
    whole = scalar(R)
    parts = manifold.facts, manifold.field, subject, whole, scalar(R - R)
    zeros = _zeros(Quotient.of(R), rows, manifold)
    says = _says(R, manifold, i is not None)
    return Case(*parts, rows, nonzero=zeros, says=says, manifold=manifold)


def _unknown(manifold: Manifold) -> list[str]:
    """Accelerations, forces and λ."""
    return [*(a for _, a in manifold.facts.rates), *manifold.forces, *manifold.multipliers]


def _is_linear(R: Any, names: Collection[str], field: Field) -> bool:
    return is_linear(Quotient.of(R).top, {*names}) and not field.hidden(R) & {*names}


def _says(R: Any, manifold: Manifold, alone: bool) -> tuple[Content | None, ...]:
    """What a true statement says of accelerations, forces and λ that constraints do not.

    If that is nothing, what it says of accelerations or velocities as they do. `alone`: it is one
    equation.
    """
    field, moving = manifold.field, _unknown(manifold)
    R = Quotient.of(R).top
    unknown = field.used(R) & {*moving}
    names = moving if unknown else [v for v, _ in manifold.facts.rates]
    if not _is_linear(R, names, field):
        return (None,) if unknown else ()
    about = (Level.MOTION, Level.ACCELERATIONS) if unknown else (Level.VELOCITIES,)
    for level in about:
        form = _held_back(R, manifold) if level == Level.MOTION else R
        if any(not manifold.vanishes(slope(form, x)) for x in names):
            break
    else:
        return ()
    solved = [slope(R, x) for x in unknown.difference(manifold.forces)]
    sure = (is_sure(Quotient.of(x).top, manifold.facts, field) for x in solved)
    known = () if level == Level.MOTION else (*manifold.rates, *manifold.seconds)
    alone = alone or any(_is_multiple(R, x, manifold) for x in known)
    parts = {x: R.derivative(x) for x in names}
    return (Content(lambda: parts, not alone and not (len(solved) == 1 and all(sure)), level),)


def _zeros(R: Quotient, rows: tuple[int, ...], manifold: Manifold) -> tuple[Any, ...]:
    """Where a true statement says nothing of accelerations, forces and λ that constraints do not.

    One that is not linear in these, or has none of them, also where other factors of it are zero.
    """
    facts, field = manifold.facts, manifold.field
    without = [*(manifold.equation(i) for i in rows), 1 / R.bottom]
    moving = _unknown(manifold)
    for form in (_held_back(R, manifold), R):
        said = [x for x in said_of(form, moving) if not manifold.vanishes(x)]
        if said:
            break
    linear = _is_linear(R, moving, field)
    if linear:  # as they stand, not times what a row was solved by
        acting = said_of(R, (*manifold.forces, *manifold.multipliers))
        said += [x for x in acting if not manifold.vanishes(x)]
    zeros = common_zeros(said, Doubts(facts, field, without, manifold.divided))
    if said and linear:
        return zeros
    parts = factors_of(R.top)
    loose = [x for x in parts if not manifold.vanishes(x)] if len(parts) > 1 else []
    more = [y for x in loose for y in common_zeros([x], Doubts(facts, field, without))]
    return tuple(dict.fromkeys([*zeros, *more]))


def _held_back(x: Any, manifold: Manifold) -> Any:
    """With as few accelerations as constraints leave: A a + β = 0, row by row."""
    second, solved = dict(manifold.facts.rates), list[Solved]()
    for k, driven in zip(manifold.independent, manifold.driven, strict=True):
        row = manifold.put(manifold.seconds[k], solved)
        a, top = second[driven.name], Quotient.of(row).top
        if (slope := top.derivative(a)) != 0:
            solved.append(Solved(a, -at_zero(top, a) / slope, None))
    return manifold.put(x, solved)


def _is_row(R: Any, force: str, manifold: Manifold) -> bool:
    """Whether a statement is one equation of motion, with λ as it stands there."""
    row = manifold.equation(manifold.forces.index(force))
    row = row if force in manifold.still else row - manifold.field.ring[force]
    return _is_multiple(R, row, manifold, force)


def _is_multiple(R: Any, row: Any, manifold: Manifold, *first: str) -> bool:
    """Whether a statement is a row times a factor, that of the first symbol which both have."""
    top, true = Quotient.of(R).top, Quotient.of(row).top
    for name in (*first, *_leading(manifold)):
        mine, own = top.derivative(name), true.derivative(name)
        if mine != 0 and own != 0:
            return manifold.field.same(top * own, true * mine)
    return False


def _nearest(
    R: Any, claim: Claim, manifold: Manifold, acting: list[str], absent: list[str]
) -> Case:
    """What a wrong equation is shown beside: the one of its force, or the one it is nearest to."""
    field, top = manifold.field, Quotient.of(R).top
    parts = manifold.facts, field
    zero = _places(absent, manifold)
    if len(acting) == 1:
        i = manifold.forces.index(acting[0])
        slope = top.derivative(acting[0])
        if acting[0] not in field.used(slope):
            said = field.settled(field.ring[acting[0]] - top / slope)
            subject = Subject(EQUATION, (i + 1,))
            truth = scalar(manifold.equation(i))
            return Case(*parts, subject, scalar(said), truth, (i,), manifold=manifold)
    subject = MIXED if field.used(R) & {*_unknown(manifold)} else OF_ROWS
    node = claim.node
    sides = [field.read(x) for x in (node.left, node.right)] if isinstance(node, Equation) else []
    if any(isinstance(x, np.ndarray) for x in sides):
        sides = []
    if sides and not acting and _is_opposite(sides[0], sides[1], manifold):
        said = field.settled(sides[1])
        case = Case(*parts, subject, scalar(said), scalar(-said), manifold=manifold)
        return case if subject is OF_ROWS else replace(case, zero=zero)
    cases: list[tuple[int, float, int, Case]] = []
    for truth, about in _candidates(R, claim, manifold, acting, absent):
        try:
            with trying(field):
                near = _beside(R, claim, truth, about, manifold)
                if near is not None:
                    cases.append((_moving(near), near.size, len(cases), near))
        except OutsideError:
            continue
    if cases:
        near = min(cases, key=lambda x: x[:3])[3]
        return near if near.subject.kind == CONSTRAINTS else replace(near, zero=zero)
    # what one side is, and what it is said to be
    left = sides[0] if sides else R
    said = field.settled(left - R)
    case = Case(*parts, subject, scalar(said), scalar(left), manifold=manifold)
    return case if subject is OF_ROWS else replace(case, zero=zero)


def _is_opposite(left: Any, right: Any, manifold: Manifold) -> bool:
    """Whether one side is minus what the other one is, where constraints hold."""
    if any(manifold.field.settled(x) == 0 for x in (left, right)):
        return False
    return manifold.vanishes(manifold.field.settled(left + right))


def _beside(R: Any, claim: Claim, truth: Any, subject: Subject, manifold: Manifold) -> Case | None:
    """The claim, brought to the scale of the truth by the first of its terms that both have."""
    field, top, true = manifold.field, Quotient.of(R).top, Quotient.of(truth).top
    parts = manifold.facts, field, subject
    for name in _leading(manifold):
        mine, own = top.derivative(name), true.derivative(name)
        if mine == 0 or own == 0 or name in field.used(mine, own):
            continue
        scale = own / (mine * Quotient.of(truth).bottom)
        rows = tuple(k - 1 for k in subject.index)
        stated = () if claim.is_solved(len(manifold.forces)) else rows
        said = field.settled(top * scale)
        scale = 1 if subject is MIXED else field.settled(scale)
        near = Case(*parts, scalar(said), scalar(truth), rows, scale, manifold=manifold)
        return replace(near, stated=stated)
    return None


def _moving(case: Case) -> int:
    """In how many accelerations claim and truth differ."""
    gap = case.used(case.field.settled(case.claim[()] - case.truth[()]))
    return len(gap & {a for _, a in case.facts.rates})


def _leading(manifold: Manifold) -> list[str]:
    """What an equation is brought to scale by."""
    pairs = manifold.facts.rates
    return [*(a for _, a in pairs), *(v for v, _ in pairs), *manifold.multipliers]


def _candidates(
    R: Any, claim: Claim, manifold: Manifold, acting: list[str], absent: list[str]
) -> Iterator[tuple[Any, Subject]]:
    """Equations of motion whose forces are left out, what constraints say, and what accelerations
    of the claim really are."""
    field, ring = manifold.field, manifold.field.ring
    only = claim.subject.index[0] - 1 if claim.subject.index else None
    for i, force in enumerate(manifold.forces):
        left_out = force in absent or force in manifold.still
        if left_out and not acting and only in (None, i):
            yield manifold.equation(i), Subject(EQUATION, (i + 1,))
    if only is not None:
        return
    used = field.used(R)
    seconds = [a for _, a in manifold.facts.rates if a in used]
    if not acting and not used & {*manifold.multipliers}:
        for row in manifold.seconds if seconds else manifold.rates:
            yield row, OF_ROWS
    if seconds:
        q = Quotient.of(R)
        inertial = sum((q.top.derivative(a) * ring[a] for a in seconds), ring.number(0)) / q.bottom
        yield field.settled(inertial - manifold.in_motion(inertial)), MIXED
