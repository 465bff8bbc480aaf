"""A claim and the truth side by side, as elements of one field."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from dataclasses import field as field_of
from enum import Enum
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import sympy

from visviva.algebra.arrays import Array, each
from visviva.algebra.exact.poly import Poly
from visviva.algebra.exact.substitute import Substitution
from visviva.describe.energies.formulas import TIME
from visviva.describe.quantities import EXACT, FRAME_JACOBIAN
from visviva.errors import ArgumentError, OutsideError
from visviva.judge.check.compare.balls import (
    MORE_BITS,
    Agreement,
    Solution,
    Witness,
    ball,
    compared,
    value,
    weakest,
)
from visviva.judge.check.compare.differences import difference
from visviva.judge.check.compare.manifold import STATED, Manifold
from visviva.judge.check.compare.places import Places
from visviva.judge.check.said.subjects import ACCELERATION, Subject
from visviva.judge.check.said.used import WITH_ZERO
from visviva.judge.exact.elements import elements, expression, scalar
from visviva.judge.exact.field import Field
from visviva.judge.exact.forms import Facts
from visviva.notation.writing.arrange import Boxes
from visviva.notation.writing.plain import text

LARGE, WIDE = 400, 4  # terms, coordinates
FEW_GROUPS = 12  # of assemblies that are looked at
FEW_POINTS = 3  # where many digits are asked for
MOST_TRIED = 1_000_000  # products of terms, in writing out the truth beside a wrong claim


class Level(Enum):
    """What statements are about: equations of motion, or what constraints say, and of what."""

    MOTION, ACCELERATIONS, VELOCITIES = range(3)


class Content(NamedTuple):
    """What one equation R = Σ kᵢ (M a + h - τ - Aᵀ λ)ᵢ = 0 of a true claim says."""

    factors: Callable[[], Mapping[str, Any]]  # kᵢ by the name of τᵢ, and those of a and λ in R
    is_mixed: bool  # no one equation alone, and not solved for an acceleration or λ
    level: Level = Level.MOTION


@dataclass(frozen=True, eq=False)
class Case:
    """`claim` and `truth`: arrays of elements, of one shape; scalars have no axes."""

    facts: Facts
    field: Field
    subject: Subject
    claim: Array
    truth: Array
    rows: tuple[int, ...] = ()  # equations of motion: which ones, from 0 on
    scale: Any = 1  # what an equation without forces was multiplied by
    notes: tuple[str, ...] = ()  # how the claim was taken
    names: Mapping[str, str] = field_of(default_factory=dict)  # the system's -> the user's
    zero: tuple[int, ...] = ()  # forces, from 0 on, that are taken as zero in comparing
    stated: tuple[int, ...] = ()  # forces that the claim itself says are zero, by its equation
    weights: Mapping[int, Any] = field_of(default_factory=dict)  # of a sum of equations
    says: tuple[
        Content | None, ...
    ] = ()  # equations that are in it; None where factors are not known
    named: Case | None = None  # the equation that it names by its force, which it is not
    nonzero: tuple[Any, ...] = ()  # factors of what is proved, which may be zero somewhere
    unwritten: Solution | None = None  # what the truth is, where it is a symbol only
    manifold: Manifold | None = None  # of a system that is held: where claims are compared
    residual: Array | None = None  # what its equations say is zero, not brought to scale

    def entries(self) -> Iterator[tuple[tuple[int, ...], Any, Any]]:
        """Place, claim and truth of every entry."""
        for place in np.ndindex(self.truth.shape):
            yield place, self.claim[place], self.truth[place]

    @property
    def is_identical(self) -> bool:
        """Proved equal."""
        return self.equals(self.truth)

    def equals(self, other: Array) -> bool:
        """Whether the claim equals something else."""
        return self.same(self.claim, other)

    def same(self, one: Any, other: Any) -> bool:
        """Whether two arrays of elements are equal; numpy unwraps those without axes."""
        a, b, held = np.ravel(one), np.ravel(other), self.manifold
        if all(self.field.same(x, y) for x, y in zip(a, b, strict=True)):
            return True
        if held is None or len(a) != len(b):
            return False
        return all(held.vanishes(x - y) for x, y in zip(a, b, strict=True))

    @property
    def shifted(self) -> Case | None:
        """With a truth that is off by a constant, which no equation notices, where an energy is.

        Where constraints hold: V = (m2 - m1) g x is off by m2 g L if x + y = L.
        """
        if self.subject.kind not in WITH_ZERO or self.truth.shape:
            return None
        off, held = self.field.settled(self.claim[()] - self.truth[()]), self.manifold
        try:
            constant = off if held is None else held.divided(held.reduced(off))
        except OutsideError:
            return None
        if self.used(constant) & (self.motions | {*self.facts.coordinates, TIME.name}):
            return None
        if held is not None and not held.vanishes(off - constant):
            return None
        return replace(self, truth=scalar(self.field.settled(self.claim[()] - constant)))

    def quantity(self, kind: str, frame: str = "") -> Any:
        """Some quantity of the system, as elements."""
        if (kind, frame) not in self._known:
            self._known[kind, frame] = elements(self.facts.quantity(kind, frame), self.field)
        return self._known[kind, frame]

    @cached_property
    def _known(self) -> dict[tuple[str, str], Array]:
        return {}

    def about(self, whole: Array) -> Array:
        """The entries of a quantity that the claim speaks about."""
        if self.rows:
            picked = whole[list(self.rows)]
            return picked if self.truth.shape else np.asarray(picked[0])
        is_rows = self.subject.kind == FRAME_JACOBIAN.exact and self.truth.ndim
        if is_rows and len(self.truth) < len(whole):
            return whole[3 : 3 + len(self.truth)]
        place = tuple(k - 1 for k in self.subject.index)
        return whole[place] if isinstance(whole[place], np.ndarray) else scalar(whole[place])

    def changed(self, whole: Array, changes: Mapping[str, Any]) -> Array:
        """With names replaced by elements."""
        inside = [a for _, arguments in self.field.meaning.values() for a in arguments]
        if inside and self.used(*inside) & set(changes):
            raise OutsideError("names inside a root or another function")
        carrier = Substitution(self.field.ring, self.field.ring, changes)
        return each(carrier.of, whole)

    @cached_property
    def size(self) -> float:
        """Terms in which claim and truth differ; infinite where counting them takes long."""
        total, field = 0, self.field
        try:
            for _, claim, truth in self.entries():
                with trying(field):
                    gap = difference(field.settled(claim), field.settled(truth))
                total += gap.missing.size + gap.extra.size
        except OutsideError:
            return float("inf")
        return total

    @property
    def distance(self) -> float:
        """Its size, twice that at a scale that changes with the position."""
        return self.size * (2 if self.used(self.scale) & {*self.facts.coordinates} else 1)

    @property
    def is_unforced(self) -> bool:
        """Whether it is an equation without forces, brought to scale: a multiple says the same."""
        return not isinstance(self.scale, int) and not self.truth.shape

    @property
    def is_wide(self) -> bool:
        """Whether deriving other quantities than the one in question would take long."""
        return len(self.facts.rates) > WIDE

    def product(self, factor: tuple[str, ...]) -> Poly:
        """Of the velocities and accelerations that a term multiplies."""
        ring = self.field.ring
        return math.prod((ring[name] for name in factor), start=ring.number(1))

    def used(self, *whole: Any) -> set[str]:
        """The symbols that elements depend on."""
        return self.field.used(*whole)

    def spell(self, name: str) -> str:
        """A name as the user writes it, in plain text."""
        return self.shown(self.field.ring[name])

    def shown(self, x: Any) -> str:
        """An element in plain text."""
        return plain(self.written(x), self.spoken)

    def written(self, x: Any) -> Any:
        """An element as a SymPy expression, in the user's names."""
        names = {sympy.Symbol(k): sympy.Symbol(name) for k, name in self.names.items()}
        return expression(x, self.field).xreplace(names)

    @cached_property
    def spoken(self) -> tuple[str, ...]:
        """The coordinates in the user's names."""
        return tuple(self.names.get(q, q) for q in self.facts.coordinates)

    @cached_property
    def motions(self) -> frozenset[str]:
        """The symbols of velocities and accelerations."""
        return frozenset(x for pair in self.facts.rates for x in pair)


@contextmanager
def trying(field: Field, products: int = MOST_TRIED) -> Iterator[None]:
    """Some work for a better explanation; an `OutsideError` where it is not enough."""
    field.bound(products)
    try:
        yield
    finally:
        field.bound()


def seen(case: Case) -> Witness | Agreement:
    """A point that tells claim and truth apart, or how well they agree where they do worst."""
    if case.unwritten is not None:
        parts = case.claim[()], *case.unwritten.right, *(x for row in case.unwritten.M for x in row)
        return _apart(case, case.claim[()], case.unwritten, parts, not case.field.has_others)
    agreements = []
    pairs = [(claim, truth) for _, claim, truth in case.entries()]
    if case.residual is not None:  # a scale may be zero where constraints hold
        pairs += [(x, x - x) for x in case.residual.ravel()]
    for claim, truth in pairs:
        gap = case.field.settled(claim - truth)
        if gap != 0:
            result = _apart(case, claim, truth, (claim, truth), not case.field.has_functions(gap))
            if isinstance(result, Witness):
                return result
            agreements.append(result)
    return weakest(agreements)


def _apart(
    case: Case, claim: Any, truth: Any, parts: Iterable[Any], decided: bool
) -> Witness | Agreement:
    """Claim and truth at points; with more digits where they agree, many if forms have `decided`.

    10^-100 is not seen in 72 digits, and different normal forms are different functions.
    """
    sides = claim, truth, case.field, case.used(*parts), case.facts
    places = None if case.manifold is None else Places(case.manifold)
    result = compared(*sides, places=places)
    for bits in MORE_BITS if decided and places is None else MORE_BITS[:1]:
        if isinstance(result, Agreement) and result.points:
            again = compared(*sides, bits, FEW_POINTS, places)
            result = again if isinstance(again, Witness) else result
    return result


def is_somewhere(held: Manifold) -> bool:
    """Whether there is a point where constraints hold and what rows are solved for exists."""
    return not held.knows_positions or any(Places(held).groups(()))


def must_move(case: Case) -> None:
    """Refuse claims about motions where exact formulas of them say nothing."""
    held = case.manifold
    if held is None:
        return
    row = EXACT.get(case.subject.kind)
    said = case.used(*case.claim.ravel(), *case.truth.ravel())
    moving = {*held.multipliers, *(a for _, a in held.facts.rates)}
    follows = row is not None and row.in_fractions and row.exact not in STATED
    if not (follows or case.subject.kind == ACCELERATION or said & moving):
        return
    if not Places(held).has_motion():
        raise ArgumentError(
            f"no position was found at which the constraints of {case.facts.name!r} hold and are "
            "as independent as elsewhere: accelerations, λ and what follows from them are not "
            "judged"
        )


def mode(case: Case) -> str:
    """Where a claim that differs holds, if constraints are closed in another way there."""
    if case.manifold is None or not case.manifold.open_rows:
        return ""
    symbols = case.used(*case.claim.ravel(), *case.truth.ravel())
    names = [q for q in case.facts.coordinates if q in symbols] or case.facts.coordinates
    for group in islice(Places(case.manifold).groups(symbols), FEW_GROUPS):
        gaps = [_gap_at(case, place) for place in group]
        holds = [p for p, gap in zip(group, gaps, strict=True) if gap.contains(0)]
        fails = [p for p, gap in zip(group, gaps, strict=True) if not gap.contains(0)]
        if holds and fails:
            both = (
                ", ".join(f"{case.spell(q)} = {float(ball(p[q]).mid()):.6g}" for q in names)
                for p in (holds[0], fails[0])
            )
            return "it holds in one assembly only: at {}, but not at {}".format(*both)
    return ""


def _gap_at(case: Case, place: Mapping[str, Any]) -> Any:
    """The largest of the differences at a point."""
    pairs = [
        (value(c, place, case.field), value(t, place, case.field)) for _, c, t in case.entries()
    ]
    gaps = [c - t for c, t in pairs]
    return next((x for x in gaps if not x.contains(0)), gaps[0])


def agrees(case: Case) -> bool:
    """Whether no point was found that tells claim and truth apart."""
    return case.is_identical or isinstance(seen(case), Agreement)


def plain(x: Any, coordinates: Iterable[str]) -> str:
    """A SymPy expression in one line of plain text, θ̇₁² sin(θ₂)."""
    names = tuple(coordinates)
    return text(Boxes(names).in_full(x))
