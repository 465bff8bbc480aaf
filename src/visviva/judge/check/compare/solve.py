"""A claim brought to the form of the truth: solved for what it speaks about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, each
from visviva.algebra.exact.minors import determinant
from visviva.algebra.exact.poly import Quotient
from visviva.algebra.exact.substitute import Substitution
from visviva.describe.quantities import BIAS_TERM, EXACT, FRAME_JACOBIAN, KINDS, MASS_TERM
from visviva.errors import ArgumentError, OutsideError, ShapeError
from visviva.judge.check.compare.balances import absent_forces, agreeing, balanced, held, proved
from visviva.judge.check.compare.balls import Solution
from visviva.judge.check.compare.case import MOST_TRIED, Case, Content, trying
from visviva.judge.check.compare.combinations import (
    Balance,
    DependentError,
    Equations,
    combination,
    slope,
)
from visviva.judge.check.compare.constrained import constrained
from visviva.judge.check.compare.manifold import STATED, Manifold, stated_positions
from visviva.judge.check.compare.motions import steady
from visviva.judge.check.compare.steps import ALONG, CALCULUS, is_calculus
from visviva.judge.check.said.arms import ORDERS
from visviva.judge.check.said.claims import Claim
from visviva.judge.check.said.laws import multiple
from visviva.judge.check.said.subjects import (
    ACCELERATION,
    EQUATION,
    IDENTITY,
    Subject,
    fitting,
    of_velocity,
)
from visviva.judge.check.said.values import fixes_motion
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.exact.elements import elements, formulas, scalar
from visviva.judge.exact.field import Field
from visviva.judge.exact.forms import Facts
from visviva.judge.exact.sums import symbol_of
from visviva.notation.tree import Equation, Name, Node, Number, names, rewritten


def likeliest(claim: Claim, facts: Facts, spelled: Mapping[str, str]) -> Case:
    """The claim beside the truth, under the reading of its left side that it is nearest to.

    Letters stand for several things in the books: N(q, q̇), h(q, q̇), b(q, q̇). A claim is judged
    under each reading. It is identical if one of them makes it so, and differs only if none does;
    then it is shown beside the nearest.
    """
    if claim.subject.truths:
        return _nearest(claim, facts, spelled)
    kinds = (claim.subject.kind, *claim.others)
    if len(kinds) == 1:
        return case_of(claim, facts, spelled)
    subjects = [replace(claim.subject, kind=kind) for kind in kinds]
    cases = [case_of(replace(claim, subject=s, others=()), facts, spelled) for s in subjects]
    for case in cases:
        if case.is_identical:
            return replace(case, notes=(*case.notes, f"read as {case.subject}"))
    listed = ", or ".join(KINDS[kind].phrase for kind in kinds)
    if any(case.field.has_others for case in cases):
        names = ", ".join(kinds)
        raise ArgumentError(f"{claim.text:.200}: the left side may be {listed}; say of= {names}")
    nearest = min(cases, key=lambda case: case.size)
    note = f"the left side may be {listed}: it is none of these, here is the nearest"
    note += "; call it otherwise if it is something else"
    return replace(nearest, notes=(*nearest.notes, note))


def case_of(claim: Claim, facts: Facts, spelled: Mapping[str, str]) -> Case:
    """The claim in a field with the truth about its subject."""
    row = EXACT.get(EQUATION if claim.subject.kind == ACCELERATION else claim.subject.kind)
    if facts.refuses and row is not None and row.has_friction:
        raise ArgumentError(f"{row.phrase} of {facts.name!r} are not judged: {facts.refuses}")
    claim = _without_zero_forces(claim, facts)
    needed = _needed(claim.subject, facts)
    field = common_field(claim, facts, [facts.quantity(*kind) for kind in needed])
    if claim.subject.kind == IDENTITY and isinstance(claim.node, Equation):
        return _step(claim, facts, field, spelled)
    said = field.read(claim.node)
    if claim.step and isinstance(claim.node, Equation) and not _moves(said, facts, field):
        # what was derived holds as it stands, or has no motion in it
        return _step(replace(claim, subject=Subject(IDENTITY)), facts, field, spelled)
    if facts.forms.held_by:
        return replace(constrained(claim, said, Manifold(facts, field, claim.still)), names=spelled)
    if isinstance(claim.node, Equation):
        equations, whole = Equations(facts, field), np.asarray(said, dtype=object)
        balance = steady(whole[()], claim, equations) if whole.ndim == 0 else None
        case = balance or _solved(whole, claim, equations)
    elif claim.subject.kind == ACCELERATION:
        case = accelerated(claim, said, Equations(facts, field))
    else:
        truth = elements(facts.of(claim.subject), field)
        truth = of_velocity(said, truth, claim.subject)
        fitted = fitting(said, truth, claim.subject)
        truth, notes = _in_order(fitted, truth, claim.subject, field)
        rows = _rows(claim.subject, facts)
        says = tuple(_says(i, facts, field) for i in rows)
        case = Case(facts, field, claim.subject, fitted, truth, rows, notes=notes, says=says)
        fixed = fixes_motion(claim.assumed, facts)
        if claim.subject.kind == EQUATION and not fixed and not case.is_identical:
            equations = Equations(facts, field)
            if claim.subject.index:
                case = held(case, claim, equations)
            elif claim.still:
                case = _solved(_forces(claim, equations) - fitted, claim, equations)
    if claim.step:
        case = _as_step(case, claim)
    field.bound()
    settled = [each(field.settled, x) for x in (case.claim, case.truth)]
    return replace(case, names=spelled, claim=settled[0], truth=settled[1])


def motion(claim: Claim, equations: Equations) -> Case:
    """A claim of motions beside equations that need not be the system's own: linear ones."""
    claim = _without_zero_forces(claim, equations.facts)
    said, forces = equations.field.read(claim.node), _forces(claim, equations)
    if isinstance(claim.node, Equation):
        return _solved(np.asarray(said, dtype=object), claim, equations)
    if claim.subject.kind == ACCELERATION:
        return accelerated(claim, said, equations)
    if not claim.subject.index:
        return _solved(forces - fitting(said, forces, claim.subject), claim, equations)
    k = claim.subject.index[0]
    typed = replace(claim, node=Equation(Name(f"{FORCE}{k}"), claim.node))
    return balanced(forces[k - 1] - said, typed, equations)


def common_field(claim: Claim, facts: Facts, truths: Iterable[Any]) -> Field:
    """Where a claim and some truths meet."""
    forces = [f"{FORCE}{k + 1}" for k in range(len(facts.rates))]
    given = [node for _, node in claim.assumed]
    nodes = [claim.node, *given, *(x for truth in truths for x in formulas(truth))]
    symbols = [*forces, *sorted(claim.free)]
    if facts.forms.held_by:
        nodes += _rows_formulas(facts)
        symbols += [*facts.forms.force_names, *facts.forms.multiplier_names]
    positive = (p for p, x in facts.parameters.items() if x is None or x > 0)
    field = Field(facts.ring, symbols, nodes, facts.unit, facts.turns, positive)
    field.bound()
    for name, node in claim.assumed:
        field.take(name, node)
    return field


def _rows_formulas(facts: Facts) -> list[Node]:
    """What a field has to know beforehand of a system that is held."""
    kinds = (MASS_TERM.name, BIAS_TERM.name, *STATED)
    nodes = [x for kind in kinds for x in formulas(facts.quantity(kind))]
    try:
        return [*nodes, *formulas(stated_positions(facts))]
    except OutsideError:
        return nodes


def _nearest(claim: Claim, facts: Facts, spelled: Mapping[str, str]) -> Case:
    """The claim beside what it is of all that its name may mean, or beside the nearest of them."""
    cases = []
    for note, of in claim.subject.truths:
        whole = of(facts)
        field = common_field(claim, facts, [whole])
        truth = elements(whole, field)
        said = fitting(field.read(claim.node), truth, claim.subject)
        field.bound()
        said, truth = (each(field.settled, x) for x in (said, truth))
        where = Manifold(facts, field) if facts.forms.held_by else None
        case = Case(facts, field, claim.subject, said, truth, names=spelled, manifold=where)
        case = replace(case, notes=(note,) if note else ())
        if case.is_identical:
            return case
        cases.append(case)
    nearest = min(cases, key=lambda case: case.size)
    if len(cases) == 1:
        return nearest
    listed = "; or ".join(note for note, _ in claim.subject.truths)
    note = f"it may be that {listed}: it is none of these, here is the nearest"
    return replace(nearest, notes=(note,))


def _in_order(
    said: Array, truth: Array, subject: Subject, field: Field
) -> tuple[Array, tuple[str, ...]]:
    """A whole Jacobian with its rows as the claim has most of them, ω above or v, and which."""
    if subject.kind != FRAME_JACOBIAN.exact or truth.ndim != 2 or len(truth) != 6:
        return truth, ()
    other = np.concatenate([truth[3:], truth[:3]])
    fits = [
        sum(field.same(a, b) for a, b in zip(said.ravel(), x.ravel(), strict=True))
        for x in (truth, other)
    ]
    above = fits[1] > fits[0]
    return (other if above else truth), (ORDERS[above],)


def _step(claim: Claim, facts: Facts, field: Field, spelled: Mapping[str, str]) -> Case:
    """Both sides as formulas, where constraints hold."""
    case = _identity(claim.subject, claim.node, facts, field)
    where = Manifold(facts, field) if facts.forms.held_by else None
    notes = (CALCULUS,) if is_calculus(claim) and case.is_identical else ()
    return replace(case, names=spelled, manifold=where, notes=notes)


def _moves(said: Any, facts: Facts, field: Field) -> bool:
    """Whether forces or accelerations are left in what is claimed to be zero."""
    moving = {*(a for _, a in facts.rates), *(f"{FORCE}{k + 1}" for k in range(len(facts.rates)))}
    return bool(field.used(*map(field.settled, np.ravel(said))) & moving)


def _as_step(case: Case, claim: Claim) -> Case:
    """A wrong equation with accelerations on both sides, as two formulas that are not the same."""
    node = claim.node
    if isinstance(node, Equation) and not case.is_identical:
        sides = ({symbol_of(n) for n in names(x)} for x in (node.left, node.right))
        if all(x & {a for _, a in case.facts.rates} for x in sides):
            return _identity(Subject(IDENTITY), node, case.facts, case.field)
    return replace(case, notes=(*case.notes, ALONG)) if claim.rated else case


def _without_zero_forces(claim: Claim, facts: Facts) -> Claim:
    """Forces that somebody says are zero are so wherever they are written, in functions too."""
    zero = claim.still | {f"{FORCE}{k + 1}" for k in facts.passive}
    if claim.subject.kind == IDENTITY:
        return claim
    node = rewritten(claim.node, lambda name: Number(0) if name.key in zero else None)
    return replace(claim, node=node, typed=claim.node, acting=claim.acting - zero, still=zero)


def _forces(claim: Claim, equations: Equations) -> Array:
    """The generalized forces, without those that are zero."""
    ring = equations.field.ring
    return np.array([ring[f] * (f not in claim.still) for f in equations.forces], dtype=object)


def _identity(subject: Subject, node: Any, facts: Facts, field: Field) -> Case:
    """The right side is claimed to be what the left side is."""
    left, right = (field.read(x) for x in (node.left, node.right))
    truth = left if isinstance(left, np.ndarray) else scalar(left)
    return Case(facts, field, subject, fitting(right, truth, subject), truth)


def _needed(subject: Subject, facts: Facts) -> list[tuple[str, str]]:
    if subject.kind == ACCELERATION:
        return [(EQUATION, "")]
    if subject.kind == IDENTITY:
        return []
    return [(subject.kind, subject.frame)]


def _rows(subject: Subject, facts: Facts) -> tuple[int, ...]:
    if subject.kind != EQUATION:
        return ()
    return (subject.index[0] - 1,) if subject.index else tuple(range(len(facts.rates)))


def _says(i: int, facts: Facts, field: Field) -> Content:
    """What one equation of motion says."""
    return Content(lambda: Equations(facts, field).said(i), is_mixed=False)


def _row(residual: Any, claim: Claim, typed: Equation, equations: Equations) -> Case:
    """One row of a vector; what it says of a force that is zero is judged as if it stood alone."""
    for left, right in ((typed.left, typed.right), (typed.right, typed.left)):
        alone = not any(n.key.startswith(FORCE) for n in names(right))
        if isinstance(left, Name) and left.key in claim.still and alone:
            i = equations.forces.index(left.key)
            subject = Subject(EQUATION, (i + 1,))
            said = scalar(residual if right is typed.left else -residual)
            parts = equations.facts, equations.field, subject, said, scalar(equations.row(i)), (i,)
            case = Case(*parts, says=(_says(i, equations.facts, equations.field),))
            return held(case, replace(claim, subject=subject, node=right), equations)
    return _accelerated(residual, claim, equations) or balanced(residual, claim, equations)


def _accelerated(residual: Any, claim: Claim, equations: Equations) -> Case | None:
    """A row that is solved for an acceleration, at the scale at which it is written.

    None for others, and with one coordinate, where it is an equation of motion as any other.
    """
    node = claim.node
    if not isinstance(node, Equation) or claim.subject.index or len(equations.forces) == 1:
        return None
    for left, right in ((node.left, node.right), (node.right, node.left)):
        alone = multiple(left)
        if alone is None or any(n.dots == 2 for n in names(right)):
            continue
        name, times = alone
        symbol = symbol_of(name)
        if symbol not in equations.accelerations:
            continue
        ring = equations.field.ring
        subject = Subject(ACCELERATION, (equations.accelerations.index(symbol) + 1,))
        rest = residual * ring.number((-1 if left is node.left else 1) / times)
        solved = replace(claim, subject=subject, node=right)
        case = accelerated(solved, ring[symbol] + rest, equations)
        if case.unwritten is not None:
            return None
        claimed, truth = (scalar(x[()] * ring.number(times)) for x in (case.claim, case.truth))
        return replace(case, claim=claimed, truth=truth)
    return None


def _solved(residual: Array, claim: Claim, equations: Equations) -> Case:
    """An equation of motion as it was written, row by row."""
    if claim.subject.index and residual.size > 1:
        raise ShapeError(f"of= says {claim.subject}, the claim has {residual.size} equations")
    n = residual.size
    typed = replace(claim, node=claim.typed or claim.node).rows(n)
    cases = [
        _row(x, replace(claim, node=node, typed=said), said, equations)
        for x, node, said in zip(residual.flat, claim.rows(n), typed, strict=True)
    ]
    if n == 1:
        return cases[0]
    solved = all(case.subject.kind == ACCELERATION for case in cases)
    mixed = not solved and not all(case.rows for case in cases)
    rows = () if mixed or solved else tuple(case.rows[0] for case in cases)
    said = np.array([c.claim[()] for c in cases], dtype=object)
    truth = np.array([c.truth[()] for c in cases], dtype=object)
    notes = tuple(dict.fromkeys(x for c in cases for x in c.notes))
    stated = tuple(sorted({i for c in cases for i in c.stated}))
    zero = tuple(sorted({i for c in cases for i in c.zero} - set(stated)))
    whole = rows == tuple(range(len(equations.forces)))
    subject = Subject(EQUATION, rows=() if whole else tuple(k + 1 for k in rows), mixed=mixed)
    if solved:
        subject = Subject(ACCELERATION, rows=tuple(c.subject.index[0] for c in cases))
    parts = equations.facts, equations.field, subject, said, truth, rows
    nonzero = tuple(dict.fromkeys(x for c in cases for x in c.nonzero))
    says = tuple(x for c in cases for x in c.says)
    return Case(*parts, notes=notes, zero=zero, stated=stated, nonzero=nonzero, says=says)


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
        says = (balance.says({}, q.bottom, solved=True),)
        return Case(equations.facts, equations.field, claim.subject, whole, whole, says=says)
    absent = absent_forces(claim, balance)
    try:
        factors = combination(balance, absent)
    except DependentError:
        factors = None
    if factors is not None:
        says = (balance.says(factors, q.bottom, solved=True),)
        return replace(proved(balance, factors, claim.subject, stated=False), says=says)
    if case := agreeing(balance, absent, claim.subject):
        return case
    given, passive = {key for key, _ in claim.assumed}, equations.facts.passive
    names, rows = [*equations.accelerations], tuple(range(len(equations.forces)))
    driven = {a for k, a in enumerate(names) if k not in passive}
    if driven and given & {*names} == driven and index in passive and not balance.acting:
        names, rows, zero = [names[k] for k in passive], passive, passive  # these follow
    elif equations.is_singular:
        raise ArgumentError(
            f"the mass matrix of {equations.facts.name!r} is singular: no acceleration follows"
        )
    else:
        zero = tuple(j for j in equations.coupled(index) if j in absent)
    return replace(_compared(claim, said, names, rows, zero, equations), zero=zero)


_Rows = tuple[int, ...]


def _compared(
    claim: Claim, said: Any, names: list[str], rows: _Rows, zero: _Rows, equations: Equations
) -> Case:
    """With the acceleration by Cramer's rule; if that is endless, with its symbol."""
    field, ring = equations.field, equations.field.ring
    index = names.index(equations.accelerations[claim.subject.index[0] - 1])
    rest = Substitution(ring, ring, {a: ring.number(0) for a in names})
    M = [[slope(equations.row(k), a) for a in names] for k in rows]
    right = [ring[equations.forces[k]] * (k not in zero) - rest.of(equations.row(k)) for k in rows]
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
