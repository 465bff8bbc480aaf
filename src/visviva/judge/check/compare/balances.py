"""An equation of motion as somebody wrote it: which it is, and which forces it leaves out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from visviva.algebra.exact.poly import Poly, Quotient
from visviva.errors import ArgumentError, OutsideError
from visviva.judge.check.compare.case import Case, agrees, trying
from visviva.judge.check.compare.combinations import (
    MOST_GUESSED,
    SEEDS,
    Balance,
    DependentError,
    Equations,
    Factors,
    combination,
    inertial,
    slope,
    total,
)
from visviva.judge.check.compare.differences import by_factor, product_between, reduced
from visviva.judge.check.compare.motions import enough, is_refuted, must_have_values
from visviva.judge.check.said.claims import Claim
from visviva.judge.check.said.subjects import EQUATION, Subject
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.exact.elements import scalar
from visviva.judge.exact.residues import PRIME
from visviva.judge.exact.sums import symbol_of
from visviva.judge.exact.zeros import Doubts, common_zeros, factors_of, said_of
from visviva.notation.tree import Equation, names

FEW_EQUATIONS, MOST_READINGS = 3, 4  # up to which every reading is tried; readings beyond that
MIXED = Subject(EQUATION, mixed=True)
SAME_SIDES = "this says nothing: both sides are the same; write on one side what the other one is"
UNFORCED = (
    "this equation has neither a generalized force nor an acceleration; write tau1 = ... or say "
    "of=...; an acceleration that is zero is a condition of it, q1'' = 0; tau1 = ...; where it "
    "rests system.equilibria() tells"
)


def balanced(residual: Any, claim: Claim, equations: Equations) -> Case:
    """One row of an equation: proved as it stands, or where forces that it leaves out are zero.

    A wrong one is compared with the equation that it names by its force, or with the nearest.
    """
    top, bottom = _fraction(residual, claim, equations)
    balance = Balance(top, equations)
    row = _row(claim, balance)
    named = _named(balance, claim, bottom) if balance.acting else None
    if named is not None and named.is_identical:
        slopes = {i: balance.slopes[i] for i in balance.acting}
        zeros = _zeros(slopes.values(), slopes, equations, bottom)
        return replace(named, nonzero=zeros, says=(balance.says({}),))
    whole, balance = balance, balance if balance.is_linear else _shortened(balance, named)
    absent = absent_forces(claim, balance)
    if named is not None and not balance.is_linear:
        return _nonlinear(named, claim, absent, whole)
    factors = _combination(balance, claim, absent)
    if factors is not None and (row is None or balance.acting or row in factors):
        stated, subject = _states(claim, factors, equations), claim.subject
        case = proved(balance, factors, MIXED if row is None else subject, stated)
        scale = case.scale * bottom if case.rows else case.scale
        zeros = _zeros(balance.weights(factors).values(), factors, equations, bottom)
        if whole is not balance:
            (i,) = balance.acting
            zeros += _zeros([whole.slopes[i] / balance.slopes[i]], (), equations, bottom)
        says = (balance.says(factors),)
        return replace(case, named=named, scale=scale, nonzero=zeros, says=says)
    nearest = named or _with_zero_forces(_nearest(balance, absent, bottom, row), absent)
    alike = bool(nearest.rows) and _is_row(balance, nearest.rows[0])
    if alike or row is not None or (nearest.size <= 1 and not equations.field.has_others):
        return nearest
    other = _with_right_inertia(balance, absent)
    if other is not None and len(balance.acting) != 1:
        other = _as_written(other, balance, claim, bottom)
    return _likelier(nearest, other)


def held(case: Case, claim: Claim, equations: Equations) -> Case:
    """A force as a formula: where it is wrong, perhaps it holds where other forces are zero.

    A force that is zero itself is no more than that: tau = 5 (m x'' + k x) is an equation too.
    """
    if case.is_identical:
        return case
    name = equations.forces[claim.subject.index[0] - 1]
    force = equations.field.ring[name] * (name not in claim.still)
    residual = Quotient.of(equations.field.settled(case.claim[()] - force))
    if residual.top == 0:  # zero is zero
        return replace(case, truth=case.claim, zero=(claim.subject.index[0] - 1,), says=())
    balance = Balance(residual.top, equations)
    absent = absent_forces(claim, balance)
    if not balance.is_linear:
        return _nonlinear(case, claim, absent, balance)
    factors = _combination(balance, claim, absent)
    if factors is not None:
        stated = _states(claim, factors, equations)
        right = proved(balance, factors, stated=stated)
        zeros = _zeros(balance.weights(factors).values(), factors, equations, residual.bottom)
        return replace(right, named=case, nonzero=zeros, says=(balance.says(factors),))
    return agreeing(balance, absent) or case


def _states(claim: Claim, factors: Factors, equations: Equations) -> bool:
    """Whether an equation says itself that its force is zero.

    One that is solved for an acceleration says nothing of forces. One that writes a force which is
    zero speaks of that one: tau1 = m y'' is no equation of y, but it holds where tau2 is zero.
    """
    if claim.is_solved(len(equations.forces)):
        return False
    written = {n.key for n in names(claim.typed or claim.node)}
    written |= {f"{FORCE}{k}" for k in claim.subject.index}
    return written.isdisjoint(claim.still) or {equations.forces[i] for i in factors} <= claim.still


def _zeros(
    factors: Iterable[Any], rows: Iterable[int], equations: Equations, bottom: Poly
) -> tuple[Any, ...]:
    """Where equations of motion were multiplied by what is zero; not where they have no value."""
    without = [*(equations.row(i) for i in rows), 1 / bottom]
    return common_zeros(factors, Doubts(equations.facts, equations.field, without))


def _row(claim: Claim, balance: Balance) -> int | None:
    """The equation that of= says it is, from 0 on."""
    if not claim.subject.index:
        return None
    row = claim.subject.index[0] - 1
    others = [i for i in balance.acting if i != row]
    if others:
        listed = ", ".join(f"tau{i + 1}" for i in others)
        raise ArgumentError(f"there is {listed} in the equation, of= says equation {row + 1}")
    return row


def _combination(balance: Balance, claim: Claim, absent: list[int]) -> Factors | None:
    """Of equations, where what stands below a line is not zero with them."""
    try:
        factors = combination(balance, absent)
    except DependentError:
        named = balance.acting or claim.subject.index  # what to compare a wrong one with
        if named and is_refuted(balance, absent):
            return None
        raise ArgumentError(
            "this may be a combination of several equations of motion, which is judged where the "
            "mass matrix can be inverted: write them one by one"
        ) from None
    if factors:
        must_have_values(claim, list(factors), balance.equations)
    return factors


def _nonlinear(named: Case, claim: Claim, absent: list[int], balance: Balance) -> Case:
    """A force as something that is no sum of equations: put in what follows from zero forces."""
    equations = balance.equations
    zero = enough(claim, absent, equations)
    if zero is None:
        return named
    nothing = scalar(equations.field.ring.number(0))
    facts, field = equations.facts, equations.field
    parts = [Balance(x, equations) for x in factors_of(balance.R)]
    following = [(x, k) for x in parts if (k := _follows(x, zero)) is not None]
    firm = [x for x, _ in following] or parts
    loose = [x.R for x in parts if x not in firm]
    says = tuple(x.says(k) for x, k in following) if len(following) == 1 else (None,)
    said = said_of(balance.R, (*equations.accelerations, *equations.forces))
    one = field.ring.number(1)
    found = [_zeros(x, zero, equations, one) for x in (said, *([x] for x in loose))]
    zeros = tuple(dict.fromkeys(y for x in found for y in x))
    case = Case(facts, field, MIXED, nothing, nothing, zero=zero, named=named, nonzero=zeros)
    return replace(case, says=says)


def _follows(part: Balance, zero: Sequence[int]) -> Factors | None:
    """Of equations that make a factor zero where forces are."""
    try:
        return combination(part, zero)
    except DependentError:
        return None


def absent_forces(claim: Claim, balance: Balance) -> list[int]:
    """Forces that stand in no statement of the claim, or that it says are zero."""
    names = balance.equations.forces
    return [i for i, f in enumerate(names) if f not in claim.acting and i not in balance.acting]


def proved(
    balance: Balance, factors: Factors, subject: Subject = MIXED, stated: bool = True
) -> Case:
    """A claim that is a sum of equations, those of `factors` without their forces.

    One equation alone, without any force, is that equation: it says itself that its force is zero.
    What is solved for an acceleration says nothing of forces: it is not `stated`.
    """
    equations = balance.equations
    facts, field = equations.facts, equations.field
    if len(factors) == 1 and not balance.acting and (stated or subject is MIXED):
        ((i, k),) = factors.items()
        truth = scalar(equations.row(i))
        case = Case(facts, field, Subject(EQUATION, (i + 1,)), truth, truth, (i,), 1 / k)
        return replace(case, stated=(i,)) if stated else replace(case, zero=(i,))
    whole, weights = scalar(balance.put_in), balance.weights(factors)
    return Case(facts, field, subject, whole, whole, zero=tuple(factors), weights=weights)


def _fraction(residual: Any, claim: Claim, equations: Equations) -> tuple[Poly, Poly]:
    """What is claimed to be zero, above and below the line."""
    r = Quotient.of(equations.field.settled(residual))
    forces = equations.forces
    if any(r.bottom.derivative(f) != 0 for f in forces):
        raise ArgumentError("a generalized force stands in a denominator")
    slopes = [x for f in forces if (x := r.top.derivative(f)) != 0]
    inside = equations.field.hidden(r) & set(forces)
    if inside or any(x.derivative(f) != 0 for x in slopes for f in forces):
        raise ArgumentError("an equation of motion is linear in the generalized forces")
    return r.top, r.bottom


def _shortened(balance: Balance, named: Case | None) -> Balance:
    """A claim that was multiplied by an acceleration, without it."""
    if named is None:
        raise ArgumentError("an equation of motion is linear in the accelerations")
    if len(balance.acting) > 1:
        return balance
    force = balance.R.ring[balance.equations.forces[balance.acting[0]]]
    return Balance(Quotient.of(force - named.claim[()]).top, balance.equations)


def _named(balance: Balance, claim: Claim, below: Poly) -> Case:
    """Solved for its force; a sum where there are several, as they are written."""
    equations, here = balance.equations, balance.acting
    slopes = balance.slopes
    facts, field = equations.facts, equations.field
    if len(here) == 1:
        (i,) = here
        said, subject = -balance.rest / slopes[i], Subject(EQUATION, (i + 1,))
        return Case(facts, field, subject, scalar(said), scalar(equations.row(i)), (i,))
    truth = sum((slopes[i] * equations.row(i) for i in here), field.ring.number(0))
    case = Case(facts, field, MIXED, scalar(-balance.rest), scalar(truth))
    return _as_written(case, balance, claim, below)


def _as_written(case: Case, balance: Balance, claim: Claim, below: Poly) -> Case:
    """A sum of equations, with the sign that its first force has, or accelerations without one."""
    equations = balance.equations
    if balance.acting:
        symbols: Sequence[str] = (equations.forces[balance.acting[0]],)
        factors = [balance.slopes[balance.acting[0]]]
    else:
        symbols = equations.accelerations
        factors = [x for a in symbols if (x := slope(case.truth[()], a)) != 0]
    if not factors:
        return case
    sign = _sign(case.field.settled(_over(factors[0], below)), symbols, claim)
    said, truth = (scalar(_over(x[()] * sign, below)) for x in (case.claim, case.truth))
    return replace(case, claim=said, truth=truth)


def _over(x: Any, below: Poly) -> Any:
    return x if below == 1 else x / below


def _sign(factor: Any, symbols: Collection[str], claim: Claim) -> int:
    """Which makes a factor positive; of one that is no number, by the side that it stands on."""
    x = Quotient.of(factor)
    if x.top.p.is_constant() and x.bottom.p.is_constant():
        return 1 if x.top.p.leading_coefficient() * x.bottom.p.leading_coefficient() > 0 else -1
    left = claim.node.left if isinstance(claim.node, Equation) else claim.node
    return 1 if any(symbol_of(n) in symbols for n in names(left)) else -1


def _nearest(balance: Balance, absent: list[int], below: Poly, row: int | None) -> Case:
    """An equation without forces as the one from which it differs least, brought to its scale.

    `below`: the denominator that was taken away already; `row`: the only one to compare it with.
    """
    tried = _candidates(balance, row)
    if not tried and row is not None:
        return _beside(balance, row, 1, absent)
    if not tried:
        raise ArgumentError(SAME_SIDES if balance.R == 0 else UNFORCED)
    cases = []
    for i, true, mine in (*tried, *_by_other_terms(balance, row)):
        try:
            with trying(balance.equations.field):
                beside = _beside(balance, i, true / mine, absent)
                cases.append(replace(beside, scale=beside.scale * below))
        except OutsideError:
            continue
    # where no scale can be worked out, as it was written
    nearest = min(cases, key=lambda case: case.distance, default=None)
    return nearest or _beside(balance, tried[0][0], 1, absent)


def _beside(balance: Balance, i: int, scale: Any, absent: list[int]) -> Case:
    """The claim, multiplied by a scale, and one equation."""
    equations, field = balance.equations, balance.equations.field
    truth = equations.row(i)
    if i not in absent:  # its force is in other statements of the claim
        truth = truth - field.ring[equations.forces[i]]
    claim = field.settled(balance.R * scale)
    subject = Subject(EQUATION, (i + 1,))
    return Case(equations.facts, field, subject, scalar(claim), scalar(truth), (i,), scale)


def _with_zero_forces(case: Case, absent: list[int]) -> Case:
    """With the forces that a claim says are zero by its equation, as far as numbers tell it."""
    forces = tuple(i for i in case.rows if i in absent)
    return replace(case, stated=forces) if forces and agrees(case) else case


def _candidates(balance: Balance, only: int | None) -> list[tuple[int, Any, Any]]:
    """Equations, with their factor of one acceleration and the claim's."""
    equations = balance.equations
    pairs = [
        (i, a, slope(row, a), balance.R.derivative(a))
        for i, row in enumerate(equations.rows)
        for a in equations.accelerations
        if only in (None, i)
    ]
    pairs = [x for x in pairs if x[2] != 0 and x[3] != 0]
    if len(equations.rows) > FEW_EQUATIONS:
        pairs = sorted(pairs, key=lambda x: -_matches(balance, x[0], x[1]))[:MOST_READINGS]
    return [(i, true, mine) for i, _, true, mine in pairs]


def _by_other_terms(balance: Balance, only: int | None) -> Iterator[tuple[int, Any, Any]]:
    """Few equations, with the scale at which terms without accelerations are the claim's."""
    equations = balance.equations
    moving = [x for pair in equations.facts.rates for x in pair]
    mine = dict(by_factor(balance.R, moving))
    for i, row in enumerate(equations.rows if len(equations.rows) <= FEW_EQUATIONS else ()):
        true = Quotient.of(row)
        for factor, part in by_factor(true.top, moving) if only in (None, i) else ():
            inertial = any(a in factor for a in equations.accelerations)
            if factor in mine and not inertial:
                scale = product_between(mine[factor], part)
                if scale is not None:
                    yield i, scale, true.bottom


def _matches(balance: Balance, i: int, a: str) -> int:
    """How many factors of accelerations are those of an equation, brought to scale."""
    equations = balance.equations
    mine, true = balance.at(SEEDS[0]), equations.at(SEEDS[0])[1][i]
    k = equations.accelerations.index(a)
    pairs = zip(mine, true, strict=True)
    return sum((x * true[k] - y * mine[k]) % PRIME == 0 for x, y in pairs)


def _is_row(balance: Balance, i: int) -> bool:
    """Whether the factors of accelerations are those of one equation, but for a scale."""
    _, rows = balance.equations.at(SEEDS[0])
    pairs = list(zip(balance.claimed(SEEDS[0]), rows[i][:-1], strict=True))
    return all((x * v - y * u) % PRIME == 0 for x, u in pairs for y, v in pairs)


def agreeing(balance: Balance, absent: list[int], subject: Subject = MIXED) -> Case | None:
    """A sum of equations in functions that have no normal form, where its numbers agree."""
    if not balance.equations.field.has_others:
        return None
    other = _with_right_inertia(balance, absent, subject)
    return other if other is not None and agrees(other) else None


def _with_right_inertia(
    balance: Balance, absent: list[int], subject: Subject = MIXED
) -> Case | None:
    """As a sum of equations of which all inertial terms are right, where it is one."""
    equations = balance.equations
    try:
        with trying(equations.field, MOST_GUESSED):
            factors = inertial(balance, absent)
            if not factors:
                return None
            factors, scale = (factors, 1) if balance.acting else reduced(factors)
            whole, below = total(factors, equations)
            claim, truth = balance.put_in * scale, whole / below
            if balance.acting:
                # of one force, solved for it; of several their sum is on the other side
                unit = balance.slopes[balance.acting[0]] if len(balance.acting) == 1 else 1
                claim, truth = -balance.rest / unit, (balance.put_in - balance.rest - truth) / unit
        parts = equations.facts, equations.field, subject, scalar(claim), scalar(truth)
        return Case(*parts, zero=tuple(factors), weights=balance.weights(factors), scale=scale)
    except (DependentError, OutsideError):
        return None


def _likelier(nearest: Case, other: Case | None) -> Case:
    """Of two readings of a claim that is not proved, the one that it is nearer to.

    Equations that are only added have all accelerations of the claim: they come first.
    """
    if other is None:
        return nearest
    if nearest.field.has_others and (agreeing_cases := [x for x in (nearest, other) if agrees(x)]):
        return agreeing_cases[0]
    weights = map(Quotient.of, other.weights.values())
    added = all(x.top.p.is_constant() and x.bottom.p.is_constant() for x in weights)
    nearer = other.size <= nearest.size if added else other.size < nearest.size
    return other if nearer else nearest
