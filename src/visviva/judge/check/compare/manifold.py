"""Where constraints hold: what is zero there, and what follows for accelerations and λ.

    φ(q, t) = 0,    A v + a₀ = 0,    M a + h = τ + Aᵀ λ,    A a + β = 0

Rows are solved one by one: a position row for a coordinate that it has alone and linearly, a
velocity row for a velocity. What is left of a formula when all that is put in is zero only if the
formula is zero wherever the divisors are not. Position rows that no coordinate solves are divided
out: a remainder of zero is a multiple of the row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, each
from visviva.algebra.exact.poly import Poly, Quotient
from visviva.algebra.exact.substitute import Substitution
from visviva.describe.quantities import BIAS_TERM, FUNCTIONS, MASS_TERM, MULTIPLIERS
from visviva.errors import ArgumentError, OutsideError
from visviva.judge.check.compare.division import (
    Implicit,
    Solved,
    at_zero,
    coefficients,
    is_combination,
    put,
    remainder,
)
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.exact.elements import elements, scalar
from visviva.judge.exact.field import Field
from visviva.judge.exact.forms import Facts

STATED = ("constraint_matrix", "constraint_drift", "constraint_bias")
MOTION, CLOSURE = "motion", "closure"  # that a or λ were put in, that position rows were added


class Manifold:
    """Motions of a system that is held; generalized forces `still` are zero."""

    def __init__(self, facts: Facts, field: Field, still: Collection[str] = ()) -> None:
        self.facts, self.field, self.still = facts, field, frozenset(still)
        self.forces = [f"{FORCE}{k + 1}" for k in range(len(facts.rates))]
        self.multipliers = facts.forms.multiplier_names
        self.used: dict[str, None] = {}  # of rows: what they were solved for, in proofs
        self._shared: dict[str, Any] = {}

    def with_still(self, forces: Iterable[str]) -> Manifold:
        """Where further forces are zero."""
        return self._where(self.still | {*forces})

    @property
    def free(self) -> Manifold:
        """Where any forces act."""
        return self._where(frozenset())

    def _where(self, still: frozenset[str]) -> Manifold:
        other = copy(self)
        other.still, other.used = still, {}
        return other

    # ---- what the system states

    def read(self, kind: str) -> Array:
        """A quantity, with the claim's names of forces."""
        return np.asarray(self._once(kind, lambda: self.elements(self.facts.quantity(kind))))

    def _once(self, what: str, make: Callable[[], Any]) -> Any:
        """Made for all motions; which rows that takes is no part of later proofs."""
        if what not in self._shared:
            before = dict(self.used)
            self._shared[what] = make()
            self.used = before
        return self._shared[what]

    def elements(self, whole: Any) -> Array:
        """Entries of a quantity as elements, with the claim's names of forces."""
        own = zip(self.facts.forms.force_names, self.forces, strict=True)
        ring = self.field.ring
        carrier = Substitution(ring, ring, {tau: ring[force] for tau, force in own})
        array = whole if isinstance(whole, np.ndarray) else scalar(whole)
        return each(lambda x: self.field.settled(carrier.of(x)), elements(array, self.field))

    def equation(self, i: int) -> Any:
        """τᵢ = M a + h - Aᵀ λ, with symbols a and λ."""
        return self.read("equations")[i]

    def without_still(self, x: Any) -> Any:
        """With forces that are zero put in."""
        for force in self.still:
            x = self._put(x, Solved(force, self.field.ring.number(0), None))
        return x

    @cached_property
    def positions(self) -> Array:
        """φ, or conditions that are zero where φ is; an `OutsideError` where both have angles."""
        return elements(np.asarray(stated_positions(self.facts), dtype=object), self.field)

    @cached_property
    def matrix(self) -> Array:
        """A (k, n)."""
        return self.read("constraint_matrix")

    @cached_property
    def rates(self) -> Array:
        """A v + a₀ (k,)."""
        v = np.array([self.field.ring[v] for v, _ in self.facts.rates], dtype=object)
        rows: Array = self.matrix @ v + self.read("constraint_drift")
        return rows

    @cached_property
    def seconds(self) -> Array:
        """A a + β (k,)."""
        a = np.array([self.field.ring[a] for _, a in self.facts.rates], dtype=object)
        rows: Array = self.matrix @ a + self.bias
        return rows

    @cached_property
    def bias(self) -> Array:
        """β (k,)."""
        return self.read("constraint_bias")

    @property
    def terms(self) -> tuple[Array, Array]:
        """M (n, n) and h (n,) of M a + h = τ + Aᵀ λ."""
        return self.read(MASS_TERM.name), self.read(BIAS_TERM.name)

    @property
    def accelerations(self) -> Array:
        """a (n,), as what they are."""
        return self.read("forward_dynamics")

    @property
    def motion(self) -> dict[str, Any]:
        """Accelerations and λ by their symbols, as what they are."""
        names = [a for _, a in self.facts.rates]
        values = dict(zip(names, self.accelerations, strict=True))
        return values | dict(zip(self.multipliers, self.read(MULTIPLIERS.name), strict=True))

    # ---- rows, solved

    @property
    def _placed(self) -> Any:
        return self._once("places", self._solved_places)

    def _solved_places(self) -> tuple[list[Solved], list[Implicit], list[Any]]:
        """Coordinates that rows are solved for, rows that are polynomials, and all others."""
        try:
            rows = [y for x in self.positions if (y := self.field.settled(x)) != 0]
        except OutsideError:
            return [], [], []
        solved: list[Solved] = []
        while (best := self._explicit(rows)) is not None:
            k, found = best
            solved.append(found)
            others_there = (self._put(x, found) for i, x in enumerate(rows) if i != k)
            rows = [x for x in others_there if x != 0]  # what says the same again is gone
        implicit: list[Implicit] = []
        others = []
        for row in rows:
            top = Quotient.of(row).top
            rest = top
            for before in implicit:
                rest = remainder(rest, before.row, before.name)
            if rest == 0:
                continue
            name = self._main(top, [x.name for x in implicit], [x.row for x in implicit])
            if name is None:
                others.append(top)
            else:
                implicit.append(Implicit(top, name))
        return solved, implicit, others

    @property
    def placed(self) -> list[Solved]:
        """Coordinates, in the order in which they are put in."""
        return list(self._placed[0])

    @property
    def implicit(self) -> list[Implicit]:
        """Position rows that are divided out."""
        return list(self._placed[1])

    @property
    def open_rows(self) -> list[Poly]:
        """All position rows that no coordinate solves."""
        return [*(x.row for x in self.implicit), *self._placed[2]]

    @cached_property
    def knows_positions(self) -> bool:
        """Whether its position rows are formulas of the field."""
        try:
            return self.positions is not None
        except OutsideError:
            return False

    def _explicit(self, rows: list[Any]) -> tuple[int, Solved] | None:
        """A row that has a coordinate alone and linearly, times a number or parameters."""
        choices = []
        for k, row in enumerate(rows):
            q = Quotient.of(row)
            hidden = self.field.hidden(q)
            for name in self.facts.coordinates:
                slope = q.top.derivative(name)
                if slope == 0 or name in hidden or not self._is_sure(slope):
                    continue
                value = -at_zero(q.top, name) / slope
                choices.append((Quotient.of(value).bottom.size, k, Solved(name, value, slope)))
        best = min(choices, key=lambda x: x[:2], default=None)
        return best and (best[1], best[2])

    def _is_sure(self, x: Any) -> bool:
        """Whether it is one product of numbers and parameters, which are not zero."""
        p = Quotient.of(x).top
        return p.size == 1 and self.field.used(p) <= {*self.facts.parameters}

    def _main(self, p: Poly, taken: Collection[str], before: Iterable[Poly]) -> str | None:
        """A coordinate in whose powers a row can be divided, new to the rows before it."""
        if any(p.p.degrees()[p.ring.place[name]] > 0 for name in taken):
            return None
        for name in self.facts.coordinates:
            degree = p.p.degrees()[p.ring.place[name]]
            new = all(x.p.degrees()[x.ring.place[name]] <= 0 for x in before)
            if degree <= 0 or not new or name in self.field.hidden(p):
                continue
            if self._is_sure(coefficients(p, name)[degree]):
                return name
        return None

    @property
    def driven(self) -> list[Solved]:
        """Velocities that rows are solved for, in the order in which they are put in."""
        return list(self._driven[0])

    @property
    def independent(self) -> list[int]:
        """Rows that do not follow from those before them."""
        return list(self._driven[1])

    @property
    def _driven(self) -> Any:
        return self._once("rates", self._solved_rates)

    def _solved_rates(self) -> tuple[list[Solved], list[int]]:
        solved: list[Solved] = []
        independent: list[int] = []
        rows = [self._at_places(x) for x in self.rates]
        for k, row in enumerate(rows):
            row = self.divided(self.field.settled(self.put(row, solved)))
            choices = []
            for v, _ in self.facts.rates:
                slope = Quotient.of(row).top.derivative(v)
                if slope != 0:
                    choices.append((not self._is_sure(slope), slope.size, v, slope))
            if choices:
                _, _, v, slope = min(choices, key=lambda x: x[:2])
                value = -at_zero(Quotient.of(row).top, v) / slope
                solved.append(Solved(v, value, slope))
                independent.append(k)
            elif row != 0:
                raise ArgumentError(
                    f"constraints of {self.facts.name!r} leave no velocity in row {k + 1}, which "
                    "then says more of positions than is stated: not judged"
                )
        return solved, independent

    @property
    def is_redundant(self) -> bool:
        """Whether rows follow from others, so that λ is not unique."""
        rows = [k for k, row in enumerate(self.matrix) if any(x != 0 for x in row)]
        return len(self.independent) < len(rows)

    # ---- what is zero

    def vanishes(self, x: Any) -> bool:
        """Whether an element is proved to be zero in every motion; False where that is open."""
        self.field.bound()
        try:
            return self._vanishes(self.field.settled(x))
        except OutsideError:
            return False
        finally:
            self.field.bound()

    def _vanishes(self, x: Any) -> bool:
        x = self._less_power(x)
        if x == 0:
            return True
        y = Quotient.of(self.reduced(x))
        top, bottom = y.top, y.bottom
        if top != 0 and self.implicit:
            top, bottom = self.divided(top), self.divided(bottom)
            if bottom == 0:
                raise ZeroDivisionError
            if top == 0:
                self.used |= {x.name: None for x in self.implicit}
        if top != 0 and self._placed[2] and is_combination(top, self.open_rows):
            self.used[CLOSURE] = None
            return not is_combination(bottom, self.open_rows)
        return bool(top == 0)

    def _less_power(self, x: Any) -> Any:
        """What dE/dt has besides v · (M a + h - τ - Aᵀ λ) = 0, which needs no accelerations."""
        seconds, ring = {a for _, a in self.facts.rates}, self.field.ring
        if not seconds <= self.field.used(x):
            return x
        rows = zip(self.facts.rates, self.forces, self.read("equations"), strict=True)
        rest = self.field.settled(x - sum(ring[v] * (row - ring[f]) for (v, _), f, row in rows))
        if self.field.used(rest) & seconds:
            return x
        self.used[MOTION] = None
        return self._at_places(self.put(rest, self.driven))

    def reduced(self, x: Any) -> Any:
        """With accelerations, λ, and all that rows are solved for put in."""
        x = self.in_motion(x)
        moving = self.field.used(x)
        if moving & {v for v, _ in self.facts.rates}:
            x = self.put(x, self.driven)
        return self._at_places(x)

    def in_motion(self, x: Any) -> Any:
        """With accelerations and λ put in, and forces that are zero."""
        used = self.field.used(x)
        if used & {*self.multipliers, *(a for _, a in self.facts.rates)}:
            if used & {*self.multipliers} and self.is_redundant:
                raise ArgumentError(
                    f"rows of the constraints of {self.facts.name!r} depend on each other, so that "
                    "λ is not unique: an equation with λ is not judged"
                )
            for name, value in self.motion.items():
                if name in used:
                    x = self._put(x, Solved(name, value, None))
                    self.used[MOTION] = None
        return self.field.settled(self.without_still(x))

    def _at_places(self, x: Any) -> Any:
        return self.put(x, self.placed)

    def put(self, x: Any, solved: Iterable[Solved]) -> Any:
        """With what rows are solved for, one after the other."""
        for found in solved:
            x = self._put(x, found)
        return x

    def _put(self, x: Any, found: Solved) -> Any:
        q = Quotient.of(x)
        if found.name not in self.field.used(q):
            return x
        if found.divisor is not None:
            self.used[found.name] = None
        value = put(q, found.name, found.value, self.field)
        return self.field.settled(value)

    def divided(self, x: Any) -> Any:
        """The numerator's remainder by position rows, times factors that are not zero."""
        q = Quotient.of(x)
        top = q.top
        for each_row in self.implicit:
            top = remainder(top, each_row.row, each_row.name)
        return top if q.bottom == 1 or top is q.top else top / q.bottom

    # ---- in words

    def certificate(self, shown: Any) -> str:
        """How it was proved, in the user's words; `shown` writes an element."""
        divisors = {x.name: x.divisor for x in (*self.driven, *self.placed)}
        where = {
            shown(d): None
            for name, d in divisors.items()
            if name in self.used and not self._is_sure(d)
        }
        names = [x.name for x in (*self.placed, *self.driven) if x.name in self.used]
        said = "with the accelerations and multipliers of motions" if MOTION in self.used else ""
        if names:
            listed = ", ".join(shown(self.field.ring[x]) for x in names)
            said += f"{' and ' if said else 'with '}the constraints solved for {listed}"
        rows = [x for x in self.implicit if x.name in self.used]
        if rows:
            listed = ", ".join(f"{shown(x.row)} = 0" for x in rows)
            said += f"{', ' if said else ''}as a multiple of {listed}"
        if CLOSURE in self.used:
            said += f"{', ' if said else ''}as a sum of multiples of position rows"
        if where:
            said += f", where {', '.join(where)} is not zero"
        return said


def stated_positions(facts: Facts) -> Any:
    """φ, or conditions in its place, in the scalars in which claims are compared."""
    row, forms = FUNCTIONS["constraint_error"], facts.forms
    bodies, energies = (
        f"{x.split(':')[0]}:constraint_conditions" for x in (row.bodies, row.energies)
    )
    return forms.judged(forms.stated(replace(row, bodies=bodies, energies=energies)))
