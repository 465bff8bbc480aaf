"""Claims as combinations of the equations of motion: R = Σ kᵢ (M a + h)ᵢ, with any factors kᵢ.

A claim R(q, v, a, τ) = 0 is true if it holds wherever τ = M a + h: forces that are in it are
replaced by what they are, and nothing is left. Where the forces of some equations are zero, R may
be a combination of these equations. Whether it is one is asked at random points first, where a
wrong claim fails at once; a right one is then proved.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from itertools import chain, islice
from itertools import combinations as subsets
from typing import Any

from flint import fmpq

from visviva.algebra.exact.minors import determinant
from visviva.algebra.exact.poly import Poly, Quotient, Wave
from visviva.errors import ArgumentError, OutsideError
from visviva.judge.check.compare.case import Content
from visviva.judge.check.said.subjects import EQUATION
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.exact.elements import elements
from visviva.judge.exact.field import Field
from visviva.judge.exact.forms import Facts
from visviva.judge.exact.residues import (
    PRIME,
    Point,
    Residues,
    all_zero,
    as_fraction,
    changed,
    independent,
    is_linear,
    solved,
)

SEEDS = (1, 2, 3)
MOST_PRODUCTS = 40_000_000  # of terms, in the proof of what holds at random points
MOST_SETS = 20  # of equations that are independent, where not all of them are
MOST_GUESSED = 200_000  # in guessing what a wrong claim was meant as

Factors = dict[int, Any]  # of equations, from 0 on


class DependentError(ArgumentError):
    """Accelerations do not tell equations apart."""


class Equations:
    """The rows of M a + h = τ as elements of a field, and at random points."""

    def __init__(self, facts: Facts, field: Field, rows: Sequence[Any] = ()) -> None:
        self.facts, self.field = facts, field
        self._rows: dict[int, Any] = dict(enumerate(rows))  # others than the system's own
        self.accelerations = tuple(a for _, a in facts.rates)
        self.forces = tuple(f"{FORCE}{k + 1}" for k in range(len(facts.rates)))
        self._points: dict[int, tuple[Point, list[list[int]]]] = {}

    def row(self, i: int) -> Any:
        """(M a + h)ᵢ."""
        if i not in self._rows:
            (element,) = elements(self.facts.quantity(EQUATION)[i : i + 1], self.field)
            self._rows[i] = self.field.settled(element)
        return self._rows[i]

    @property
    def rows(self) -> list[Any]:
        """All of M a + h."""
        return [self.row(i) for i in range(len(self.forces))]

    def said(self, i: int) -> dict[str, Any]:
        """The factors of equation i alone."""
        seconds = {a: slope(self.row(i), a) for a in self.accelerations}
        return {self.forces[i]: self.field.ring.number(1)} | seconds

    def at(self, seed: int) -> tuple[Point, list[list[int]]]:
        """A random point, and the rows of (M | h) there."""
        if seed not in self._points:
            whole = self.rows  # read before there are points: a point knows all roots
            point = self.residues.point(seed)
            rows = [point.parts(x, self.accelerations) for x in whole]
            self._points[seed] = point, rows
        return self._points[seed]

    @cached_property
    def residues(self) -> Residues:
        """Elements of the field, made ready for many points."""
        return Residues(self.field)

    @cached_property
    def is_singular(self) -> bool:
        """Whether det M is zero at all points that are asked; where it is not, it is regular."""
        return all(independent([row[:-1] for row in self.at(s)[1]]) is None for s in SEEDS)

    def coupled(self, i: int) -> list[int]:
        """The forces that acceleration i depends on: where (M⁻¹)ᵢⱼ is not zero."""
        rows = [row[:-1] for row in self.at(SEEDS[0])[1]]
        unit = [int(j == i) for j in range(len(rows))]
        column, _ = solved(rows, unit)
        return [j for j, x in enumerate(column or unit) if x]


class Balance:
    """A claimed equation R = Σ sᵢ τᵢ + Σ rⱼ aⱼ + r₀ = 0; R is a polynomial."""

    def __init__(self, R: Poly, equations: Equations) -> None:
        self.R, self.equations = R, equations
        self.slopes = [R.derivative(f) for f in equations.forces]
        self.acting = [i for i, s in enumerate(self.slopes) if s != 0]

    @cached_property
    def is_linear(self) -> bool:
        """In accelerations and forces; claims that are not are no sums of equations."""
        names = {*self.equations.accelerations, *self.equations.forces}
        return is_linear(self.R, names) and not names & self.equations.field.hidden(self.R)

    def weights(self, factors: Factors) -> Factors:
        """Of all equations in R, where forces of those of `factors` are zero."""
        return {i: -self.slopes[i] for i in self.acting} | factors

    def says(self, factors: Factors, below: Any = 1, solved: bool = False) -> Content:
        """What R/below = 0 says, with the factors of equations whose forces are zero."""
        weights, equations = self.weights(factors), self.equations

        def moving(a: str) -> Any:
            if self.is_linear:
                return self.R.derivative(a)
            return sum(k * slope(equations.row(i), a) for i, k in weights.items())

        def said() -> dict[str, Any]:
            seconds = {a: moving(a) / below for a in equations.accelerations}
            return {equations.forces[i]: k / below for i, k in weights.items()} | seconds

        return Content(said, len(weights) > 1 and not solved)

    @cached_property
    def rest(self) -> Any:
        """R without its forces."""
        forces = (self.R.ring[self.equations.forces[i]] * -self.slopes[i] for i in self.acting)
        return sum(forces, self.R)

    @cached_property
    def put_in(self) -> Any:
        """R with forces replaced by what they are: zero if the claim is true as it stands."""
        forces = (self.slopes[i] * self.equations.row(i) for i in self.acting)
        return self.equations.field.settled(sum(forces, self.rest))

    def at(self, seed: int) -> list[int]:
        """The same at a random point: the factors of accelerations, and the rest."""
        point, rows = self.equations.at(seed)
        n = len(rows)
        parts = point.parts(self.R, (*self.equations.forces, *self.equations.accelerations))
        forces, factors = parts[:n], parts[n:]
        for times, row in zip(forces, rows, strict=True):
            factors = [(x + times * y) % PRIME for x, y in zip(factors, row, strict=True)]
        return factors

    def claimed(self, seed: int) -> list[int]:
        """The factors of accelerations at a random point, as they were written."""
        return self.equations.at(seed)[0].parts(self.R, self.equations.accelerations)[:-1]

    @cached_property
    def holds(self) -> bool:
        """Whether nothing is left: asked at random points, then proved."""
        if not self.is_linear or not all(all_zero(self.at(seed)) for seed in SEEDS):
            return False
        with proving(self.equations.field, "right"):
            return bool(self.put_in == 0)


def combination(balance: Balance, among: Sequence[int]) -> Factors | None:
    """Factors kᵢ with R = Σ kᵢ (M a + h)ᵢ, the sum over `among`; None where there are none.

    A `DependentError` where accelerations do not tell the equations apart: over the field of
    fractions anything could then be a multiple of an equation that has no acceleration. Some of
    them may still be apart, and give factors.
    """
    if not among or not balance.is_linear:
        return None
    numbers = _numbers(balance, among)
    if numbers is not None and _proved(balance, list(numbers), lambda: numbers):
        return numbers
    try:
        return _of_independent(balance, among)
    except DependentError:
        for some in islice(_apart(balance.equations, among), MOST_SETS):
            if factors := _of_independent(balance, some):
                return factors
        raise


def _of_independent(balance: Balance, among: Sequence[int]) -> Factors | None:
    """Factors of equations that accelerations tell apart: these factors are the only ones.

    Where those of the equations that random points show are not enough, all are tried, exactly:
    a multiple of the prime is zero at every point.
    """
    places = _places(balance, among, whole=True)
    if places is None:
        return None
    factors = _proved(balance, places[0], lambda: _factors(balance, *places))
    if factors is not None:
        return factors
    columns = independent([balance.equations.at(SEEDS[0])[1][i][:-1] for i in among])
    if columns is None:
        raise DependentError("accelerations do not tell the equations apart")
    return _proved(balance, list(among), lambda: _factors(balance, among, columns, exact=True))


def _apart(equations: Equations, among: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Sets of equations, as large as possible, that accelerations tell apart."""
    rows = equations.at(SEEDS[0])[1]
    for count in range(len(among) - 1, 0, -1):
        sets = (x for x in subsets(among, count) if independent([rows[i][:-1] for i in x]))
        first = next(sets, None)
        if first is not None:
            yield from chain([first], sets)
            return


def inertial(balance: Balance, among: Sequence[int]) -> Factors | None:
    """Factors as of `combination`, for the terms with accelerations only."""
    if not among or not balance.is_linear:
        return None
    places = _places(balance, among, whole=False)
    return places and _factors(balance, *places)


def total(factors: Factors, equations: Equations) -> tuple[Any, Any]:
    """Σ kᵢ (M a + h)ᵢ as a sum of products, and the denominator it was multiplied by."""
    ring = equations.field.ring
    parts = {i: Quotient.of(k) for i, k in factors.items()}
    below: list[Poly] = []
    for k in parts.values():
        if not any(k.bottom == x for x in below):
            below.append(k.bottom)
    whole: Any = ring.number(0)
    for i, k in parts.items():
        others = (x for x in below if x != k.bottom)
        whole = whole + math.prod(others, start=k.top) * equations.row(i)
    return whole, math.prod(below, start=ring.number(1))


def _proved(
    balance: Balance, support: list[int], factors: Callable[[], Factors | None]
) -> Factors | None:
    field = balance.equations.field
    with proving(field, f"a combination of the equations {', '.join(str(i + 1) for i in support)}"):
        chosen = factors()
        if chosen is None:
            return None
        whole, scale = total(chosen, balance.equations)
        return chosen if field.same(balance.put_in * scale, whole) else None


@contextmanager
def proving(field: Field, what: str) -> Iterator[None]:
    """More work than usual for what holds at random points; beyond that it is refused."""
    field.bound(MOST_PRODUCTS)
    try:
        yield
    except OutsideError as error:
        raise ArgumentError(
            f"at random points this is {what}, but proving it takes too long: {error}, more than "
            f"{MOST_PRODUCTS:,} products of terms"
        ) from None
    finally:
        field.bound()


def _numbers(balance: Balance, among: Sequence[int]) -> Factors | None:
    """Factors that are numbers, the same at several points; where one has none, no more points."""
    rows: list[list[int]] = [[] for _ in among]
    right: list[int] = []
    residues: list[int] | None = []
    single = False
    for seed in SEEDS:
        _, all_rows = balance.equations.at(seed)
        right += balance.at(seed)
        for row, i in zip(rows, among, strict=True):
            row += all_rows[i]
        residues, single = solved(rows, right)
        if residues is None:
            break
    if residues is None or not single:
        return None
    numbers = [as_fraction(x) for x in residues]
    ring = balance.equations.field.ring
    pairs = zip(among, numbers, strict=True)
    factors = {i: ring.number(x) for i, x in pairs if x is not None and x != 0}
    return factors if factors and None not in numbers else None


def _places(
    balance: Balance, among: Sequence[int], whole: bool
) -> tuple[list[int], list[int]] | None:
    """Which equations and which accelerations give the factors, at random points."""
    used: set[int] = set()
    for seed in SEEDS:
        _, rows = balance.equations.at(seed)
        chosen = [rows[i] if whole else rows[i][:-1] for i in among]
        right = balance.at(seed)
        if independent([rows[i][:-1] for i in among]) is None:
            raise DependentError("accelerations do not tell the equations apart")
        factors, _ = solved(chosen, right if whole else right[:-1])
        if factors is None:
            return None
        used |= {i for i, x in zip(among, factors, strict=True) if x}
    support = sorted(used)
    _, rows = balance.equations.at(SEEDS[0])
    columns = independent([rows[i][:-1] for i in support])
    return (support, columns) if support and columns is not None else None


def _factors(
    balance: Balance, support: Sequence[int], columns: list[int], exact: bool = False
) -> Factors | None:
    """By Cramer's rule; unless `exact`, names that the factors seem not to depend on are numbers.

    Numbers may make the determinant zero, and then there are none.
    """
    equations = balance.equations
    names = [equations.accelerations[j] for j in columns]
    M = [[slope(equations.row(i), a) for a in names] for i in support]
    r = [slope(balance.put_in, a) for a in names]
    plain = all(isinstance(x, Poly) for row in (*M, r) for x in row)
    if plain and not exact and not equations.field.squares:
        fixed = _fixed(M, r, equations)
        M = [[fixed(x) for x in row] for row in M]
        r = [fixed(x) for x in r]
    field, nothing = equations.field, equations.field.ring.number(0)
    below = field.settled(determinant(M) + nothing)  # a sum of no products is no element
    if below == 0:
        if exact:
            raise DependentError("accelerations do not tell the equations apart")
        return None
    factors: Factors = {}
    for k, i in enumerate(support):
        changed_rows = [r if row is M[k] else row for row in M]
        above = field.settled(determinant(changed_rows) + nothing)
        if above != 0:
            factors[i] = field.settled(above / below)
    return factors


def _fixed(M: list[list[Any]], r: list[Any], equations: Equations) -> Callable[[Poly], Poly]:
    """Numbers for generators that k with k M = r does not depend on, as far as a point tells."""
    ring = equations.field.ring
    start = equations.at(SEEDS[0])[0]
    other = equations.at(SEEDS[1])[0]

    def factors(point: Point) -> list[int] | None:
        rows = [[point.of(x) for x in row] for row in M]
        return solved(rows, [point.of(x) for x in r])[0]

    first = factors(start)
    groups = [[ring.place[Wave(f, b)] for f in ("sin", "cos")] for b in ring.bases]
    groups += [[ring.place[s]] for s in ring.symbols]
    used = {k for x in (*(y for row in M for y in row), *r) for k in _used(x)}
    numbers: dict[int, Any] = {}
    for k, group in enumerate(groups):
        if not used & set(group):
            continue
        if factors(changed(start, {place: other.values[place] for place in group})) == first:
            values = _on_circle(k + 2) if len(group) == 2 else [Fraction(2 * k + 3, k + 2)]
            pairs = zip(group, values, strict=True)
            numbers |= {place: fmpq(x.numerator, x.denominator) for place, x in pairs}
    return lambda p: Poly(ring, p.p.subs(numbers)) if numbers else p


def _used(p: Poly) -> list[int]:
    return [k for k, degree in enumerate(p.p.degrees()) if degree > 0]


def _on_circle(t: int) -> list[Fraction]:
    return [Fraction(2 * t, 1 + t * t), Fraction(1 - t * t, 1 + t * t)]


def slope(x: Any, name: str) -> Any:
    """∂x/∂name, of an equation linear in it."""
    if isinstance(x, Quotient):
        return x.top.derivative(name) / x.bottom
    return x.derivative(name)
