"""What the terms are in which a claim differs: inertial, Coriolis, gyroscopic, gravitational."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from visviva.algebra.exact.poly import Poly
from visviva.describe.energies.formulas import TIME
from visviva.describe.quantities import WEIGHT_TERM
from visviva.errors import VisvivaError
from visviva.judge.check.compare.case import Case
from visviva.judge.check.compare.combinations import slope
from visviva.judge.check.compare.differences import (
    CONSTRAINING,
    CORIOLIS,
    DISSIPATIVE,
    GYROSCOPIC,
    INERTIAL,
    POSITIONAL,
    by_factor,
    by_origin,
    kind_of,
)
from visviva.judge.check.said.quantities import DAMPED
from visviva.judge.check.said.subjects import EQUATION, FORCES_OF_MOTION
from visviva.judge.exact.elements import elements

OUTER = (DAMPED, "applied_forces")  # what is no matter of energies
UNKNOWN = ""  # where nothing is known of a term, nothing is said

Sums = Mapping[tuple[str, ...], Mapping[Any, Any]]  # by factors of velocities, then by powers


class Kinds:
    """Of the terms of one claim, by what they multiply and by where they come from."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self._rows: dict[tuple[int, Any], tuple[Sums, Sums]] = {}

    @cached_property
    def has_forces(self) -> bool:
        """Whether forces are added in it; a balance of powers has forces times velocities."""
        case = self.case
        if case.subject.kind not in FORCES_OF_MOTION:
            return False
        if case.rows or case.subject.kind != EQUATION:
            return True
        speeds = {v for v, _ in case.facts.rates}
        factors = [slope(x, a) for x in case.truth.ravel() for _, a in case.facts.rates]
        return case.used(*factors).isdisjoint(speeds)

    def of(
        self, factor: tuple[str, ...], part: Poly, place: tuple[int, ...] = (), bottom: Any = 1
    ) -> list[tuple[str, Poly]]:
        """Kinds and terms of a part, which stands before a product and above a line."""
        held = self.case.manifold
        if held is None:
            return self._of(factor, part, place, bottom)
        part, pull = self._split(part, frozenset(held.multipliers))
        pulled = [] if pull.is_zero else [(CONSTRAINING, pull)]
        return pulled + ([] if part.is_zero else self._of(factor, part, place, bottom))

    def one(
        self, factor: tuple[str, ...], part: Poly, place: tuple[int, ...] = (), bottom: Any = 1
    ) -> str:
        """What a sum of terms is; of several origins, of position, or not said."""
        kinds = self.of(factor, part, place, bottom)
        if len(kinds) == 1:
            return kinds[0][0]
        return UNKNOWN if factor else POSITIONAL

    def apart(self, part: Poly) -> tuple[Poly, Poly]:
        """Terms that do not move, and those with velocities in a root, a sign, another function."""
        return self._split(part, self.case.motions)

    def is_coriolis(self, factor: tuple[str, ...]) -> bool:
        """Whether terms that multiply this are of two different velocities."""
        return self._moving(factor) == CORIOLIS

    def _of(
        self, factor: tuple[str, ...], part: Poly, place: tuple[int, ...], bottom: Any
    ) -> list[tuple[str, Poly]]:
        kind, row = self._moving(factor), self._row(place)
        if kind == INERTIAL:
            return [(kind, part)]
        if self._moves(bottom):  # then what stands above says nothing
            return [(UNKNOWN, part)]
        if factor:
            return self._of_rates(factor, part, row, bottom)
        part, inside = self.apart(part)
        moving = [] if inside.is_zero else self._of_rates(factor, inside, row, bottom)
        return moving if part.is_zero else [*self._of_position(part, row), *moving]

    def _moves(self, bottom: Any) -> bool:
        """Whether velocities stand below the line."""
        return isinstance(bottom, Poly) and not self.case.used(bottom).isdisjoint(self.case.motions)

    def _row(self, place: tuple[int, ...]) -> int | None:
        """The equation that an entry belongs to, from 0 on; None of a sum of equations."""
        case = self.case
        if case.rows:
            return case.rows[place[0] if place else 0]
        if case.subject.kind == EQUATION:
            return None
        return case.subject.index[0] - 1 if case.subject.index else place[0] if place else None

    # ---- without velocities

    def _of_position(self, part: Poly, row: int | None) -> list[tuple[str, Poly]]:
        case = self.case
        known = row is not None and case.subject.kind == EQUATION
        pulled, others = self._pulled[row] if known and row is not None else (None, None)
        timed = self._is_timed if TIME.name in case.used(part) else None
        return list(by_origin(part, case.facts.forms, pulled, others, timed))

    @cached_property
    def _pulled(self) -> list[tuple[Any, Any]]:
        """For each equation what comes from gravity, and its other terms of position."""
        case = self.case
        try:
            pulled = elements(case.facts.forms.weight_forces, case.field)
            return list(zip(pulled, case.quantity(WEIGHT_TERM.exact) - pulled, strict=True))
        except VisvivaError:
            return [(None, None)] * len(case.facts.rates)

    def _is_timed(self, term: Poly) -> bool:
        """Whether time is in it, and no coordinate."""
        used = self.case.used(term)
        return TIME.name in used and used.isdisjoint(self.case.facts.coordinates)

    # ---- with velocities

    def _of_rates(
        self, factor: tuple[str, ...], part: Poly, row: int | None, bottom: Any
    ) -> list[tuple[str, Poly]]:
        """Dissipative, gyroscopic, or what two velocities say; term by term."""
        if self.case.subject.kind == DAMPED:
            return [(DISSIPATIVE, part)]
        if row is None:
            quadratic = self._moving(factor) if len(factor) == 2 else self._of_sums
            return [(quadratic, part)]
        chosen: dict[str, dict[Any, Any]] = {}
        for powers, coefficient in part.p.to_dict().items():
            kind = self._rated(powers, factor, row, bottom)
            chosen.setdefault(kind, {})[powers] = coefficient
        ring = part.ring
        return [(kind, Poly(ring, ring.context.from_dict(x))) for kind, x in chosen.items()]

    def _rated(self, powers: Any, factor: tuple[str, ...], row: int, bottom: Any) -> str:
        """One term: dissipative if it is so in the system, gyroscopic if it does no work there.

        A term that the system has not would brake the motion of its own coordinate.
        """
        speeds = [v for v, _ in self.case.facts.rates]
        whole, outer = self._in_row(row, bottom)
        here, back = whole.get(factor, {}).get(powers, 0), 0
        is_outer = powers in outer.get(factor, {})
        if len(factor) == 1 and factor[0] != speeds[row]:
            whole, outer = self._in_row(speeds.index(factor[0]), bottom)
            back = whole.get((speeds[row],), {}).get(powers, 0)
            is_outer |= powers in outer.get((speeds[row],), {})
            if here + back == 0 and here != 0:
                return GYROSCOPIC
        if is_outer:
            return DISSIPATIVE
        if len(factor) == 2:
            return self._moving(factor)
        absent = here == 0 and back == 0
        return DISSIPATIVE if absent and {*factor} <= {speeds[row]} else UNKNOWN

    @cached_property
    def _of_sums(self) -> str:
        """What terms of one velocity are in all equations alike."""
        if self.case.is_wide:
            return UNKNOWN
        speeds = {v for v, _ in self.case.facts.rates}
        kinds = {
            self._rated(powers, factor, i, 1)
            for i in range(len(self.case.facts.rates))
            for factor, terms in self._in_row(i, 1)[0].items()
            for powers in (terms if len(factor) == 1 and {*factor} <= speeds else ())
        }
        return kinds.pop() if len(kinds) == 1 else UNKNOWN

    def _in_row(self, i: int, bottom: Any) -> tuple[Sums, Sums]:
        """The terms of an equation, and those of them that b and Q are, times a denominator."""
        if (i, bottom) not in self._rows:
            whole = self._sums(EQUATION, i, bottom)
            outer: dict[tuple[str, ...], dict[Any, Any]] = {}
            for kind in OUTER:
                for factor, terms in self._sums(kind, i, bottom).items():
                    outer.setdefault(factor, {}).update(terms)
            self._rows[i, bottom] = whole, outer
        return self._rows[i, bottom]

    def _sums(self, kind: str, i: int, bottom: Any) -> Sums:
        """One entry of a quantity; nothing where it has none."""
        case = self.case
        try:
            (x,) = elements(case.facts.quantity(kind)[i : i + 1], case.field)
            x = case.field.settled(x * bottom)
        except VisvivaError:
            return {}
        if not isinstance(x, Poly):
            return {}
        return {f: dict(y.p.to_dict()) for f, y in by_factor(x, case.motions)}

    def _moving(self, factor: tuple[str, ...]) -> str:
        return kind_of(factor, {a for _, a in self.case.facts.rates})

    def _split(self, part: Poly, names: frozenset[str]) -> tuple[Poly, Poly]:
        """Terms without and with some names."""
        case = self.case
        if case.used(part).isdisjoint(names):
            return part, part - part
        ring = part.ring
        split: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
        for powers, coefficient in part.p.to_dict().items():
            term = Poly(ring, ring.context.from_dict({powers: coefficient}))
            split[not case.used(term).isdisjoint(names)][powers] = coefficient
        still, inside = (Poly(ring, ring.context.from_dict(terms)) for terms in split)
        return still, inside
