"""Equations for small motions, where those of any motion are meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, product
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.algebra.exact.poly import Poly, Quotient, Wave
from visviva.algebra.exact.substitute import PI, Substitution
from visviva.errors import OutsideError, VisvivaError
from visviva.judge.check.compare.case import Case
from visviva.judge.check.compare.combinations import Equations
from visviva.judge.check.compare.solve import motion
from visviva.judge.check.mistakes.mistake import Mistake
from visviva.judge.check.said.claims import Claim
from visviva.judge.check.said.subjects import ACCELERATION, EQUATION
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.exact.residues import is_linear

LINEARISED = "linearised"
IN_QUARTERS = (0, 2, 1, -1)  # of a turn: where sines and cosines are 0 or ±1
MOST_PLACES = 64  # equilibria that are looked for


def mistakes(case: Case, claim: Claim) -> Iterator[Mistake]:
    """A linear equation may be that of small motions about an equilibrium."""
    if case.subject.kind not in (EQUATION, ACCELERATION) or case.manifold is not None:
        return
    try:
        equations = Equations(case.facts, case.field)
        rows = equations.rows
        said = np.ravel(np.asarray(case.field.read(claim.node), dtype=object))
        if not _is_linear(case, said) or _is_linear(case, rows) or not _moves(case, said):
            return
        places = list(islice(_equilibria(case, rows), MOST_PLACES))
    except VisvivaError:  # functions that have no exact slope
        return
    for place in places:
        for shifted in (False, True) if any(place.values()) else (False,):
            about = partial(_about, case, claim, rows, place, shifted)
            yield Mistake(LINEARISED, _said(case, rows, place, shifted), about)


def _said(case: Case, rows: Sequence[Any], place: Mapping[str, int], shifted: bool) -> str:
    ring, used = case.field.ring, case.used(*rows)
    where = [(q, ring[PI] * k / 2 if k else 0) for q, k in place.items() if q in used]
    slow = {v for q, v, _ in case.facts.moving if q in place} | used
    still = [(v, 0) for v, _ in case.facts.rates if v in slow]
    values = ((case.spell(x), case.shown(y) if y != 0 else "0") for x, y in (*where, *still))
    listed = ", ".join(f"{name} = {value}" for name, value in values)
    begin = "These are the equations" if case.truth.shape else "It is the equation"
    turned = [case.spell(q) for q, k in place.items() if k and shifted]
    counted = f", with {' and '.join(turned)} counted from there" if turned else ""
    small = "small angles" if any(q in ring.angles for q, _ in where) else "small motions"
    return f"{begin} linearised about {listed}{counted}: {small}."


def _moves(case: Case, said: Array) -> bool:
    """Whether every row of a claim has an acceleration in it, or is one."""
    if case.subject.kind == ACCELERATION:
        return True
    seconds = {a for _, a in case.facts.rates}
    return all(case.used(x) & seconds for x in said)


def _is_linear(case: Case, whole: Iterable[Any]) -> bool:
    """In coordinates, velocities and accelerations, with no angle of them in a sine."""
    names = [*case.facts.coordinates, *case.motions]
    moved = {base for q in names for base in case.field.ring.moved_by.get(q, {})}
    for x in whole:
        element = Quotient.of(case.field.settled(x))
        if not is_linear(element, names) or case.field.hidden(element) & {*names}:
            return False
        for part in (element.top, element.bottom):
            pairs = zip(part.ring.generators, part.p.degrees(), strict=True)
            if any(k > 0 and isinstance(g, Wave) and g.base in moved for g, k in pairs):
                return False
    return True


def _equilibria(case: Case, rows: Sequence[Any]) -> Iterator[dict[str, int]]:
    """Places at rest at which no force is needed: angles in quarters of a turn, others zero."""
    used = case.used(*rows)
    coordinates = [q for q in case.facts.coordinates if q in used]
    choices = [IN_QUARTERS if q in case.field.ring.angles else (0,) for q in coordinates]
    for turns in product(*choices):
        place = dict(zip(coordinates, turns, strict=True))
        if _is_at_rest(case, rows, _there(case, place)):
            yield place


def _is_at_rest(case: Case, rows: Sequence[Any], at: Substitution) -> bool:
    """Whether no force is needed there; at the pole of a force, k/r² at r = 0, it is."""
    if any(at(Quotient.of(x).bottom) == 0 for x in rows):
        return False
    return all(case.field.settled(at.of(x)) == 0 for x in rows)


def _there(case: Case, place: Mapping[str, int]) -> Substitution:
    """At rest at a place."""
    ring = case.field.ring
    values: dict[str, Poly] = {name: ring.number(0) for name in case.motions}
    values |= {q: ring[PI] * ring.number(k) / 2 if k else ring.number(0) for q, k in place.items()}
    return Substitution(ring, ring, values)


def _about(
    case: Case, claim: Claim, rows: Sequence[Any], place: Mapping[str, int], shifted: bool
) -> Array:
    """The claim itself, where it follows from the linear equations."""
    at = _there(case, place)
    small = [_linear(case, x, place, at, shifted) for x in rows]
    if any(x == 0 for x in small):
        raise OutsideError("nothing is left of an equation at this place")
    other = motion(claim, Equations(case.facts, case.field, small))
    said = {i for i in range(len(case.facts.rates)) if f"{FORCE}{i + 1}" in claim.still}
    if other.is_identical and {*other.zero} <= {*case.zero, *case.facts.passive, *said}:
        return case.claim
    raise OutsideError("it is no equation of small motions")


def _linear(case: Case, row: Any, place: Mapping[str, int], at: Substitution, shifted: bool) -> Any:
    """A row that is zero at the place, to first order; if `shifted`, counted from there."""
    ring, x = case.field.ring, Quotient.of(row)
    total = ring.number(0)
    for name in (*place, *case.motions):
        away = ring[name]
        if place.get(name) and not shifted:
            away = away - ring[PI] * ring.number(place[name]) / 2
        total = total + at.of(x.top.derivative(name)) * away
    return case.field.settled(total / at.of(x.bottom))
