"""Where factors of a determinant are zero: coordinates solved for, exactly.

A factor that is the sine or cosine of a sum of angles is zero at known angles; one that is
α cos q + β sin q + γ in some angle q is solved for it, one that is linear in a slide for that. What
is left is an equation. Where several determinants must vanish together (redundant arms), one factor
of each does: all ways to choose them are gone through, with values put in as they are found.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import sympy

from visviva.algebra.exact.poly import Poly
from visviva.algebra.exact.ring_sympy import from_textbook
from visviva.notation.textbook.writer import textbook
from visviva.solve.singular.factors import (
    Factor,
    Sizes,
    factored,
    is_zero_at,
    largest_term,
    without_rounding,
)

MOST_BRANCHES = 400  # steps of the search
PATIENCE = 5.0  # seconds of it
Solution = Mapping[str, sympy.Expr]  # of coordinates


@dataclass(frozen=True, eq=False)
class Branch:
    """Coordinates with the values that each may have, and what else is zero."""

    values: dict[str, tuple[sympy.Expr, ...]]
    equations: tuple[Poly, ...] = ()

    @property
    def key(self) -> tuple[frozenset[Any], frozenset[str]]:
        """What it says."""
        values = {(q, frozenset(x)) for q, x in self.values.items()}
        return frozenset(values), frozenset(x.key for x in self.equations)

    def is_in(self, other: Branch) -> bool:
        """Whether all that the other says is said here too."""
        mine, theirs = self.key, other.key
        return mine[0] >= theirs[0] and mine[1] >= theirs[1]

    def is_zero_of(self, x: Poly) -> bool:
        """Whether x is zero on all of it, at sight."""
        ways = [dict(zip(self.values, way, strict=True)) for way in product(*self.values.values())]
        at = [put_in(x, way) for way in ways]
        return all(y.is_zero or any(y == z for z in self.equations) for y in at)


def coordinates_in(x: Poly, coordinates: Sequence[str]) -> tuple[str, ...]:
    """Those that it depends on."""
    return tuple(q for q in coordinates if not x.derivative(q).is_zero)


def solved(x: Poly, coordinates: Sequence[str]) -> tuple[Solution, ...]:
    """Solution of one coordinate, by the others, at which x is zero; none where no rule has them.

    Examples:
        >>> from visviva.algebra.exact.ring import Ring
        >>> ring = Ring(["q", "a", "b"], {"q": {"q": 1}})
        >>> q, a, b = (ring[name] for name in "qab")
        >>> solved(q.sin(), ["q"])
        ({'q': 0}, {'q': pi})
        >>> solved(b * q.sin() - a * q.cos(), ["q"])
        ({'q': atan2(a, b)}, {'q': atan2(-a, -b)})
    """
    inside = coordinates_in(x, coordinates)
    known = _of_one_wave(x, inside)
    if known:
        return known
    slides = [q for q in inside if q not in x.ring.angles]
    for q in slides:
        slope = x.derivative(q)
        if slope.derivative(q).is_zero:
            rest = x - slope * x.ring[q]
            return ({q: sympy.cancel(-textbook(rest) / textbook(slope))},)
    ways = [way for q in inside if q in x.ring.angles and (way := _of_angle(x, q, inside))]
    return min(ways, key=lambda way: way[0])[1] if ways else ()


def _of_one_wave(x: Poly, inside: Sequence[str]) -> tuple[Solution, ...]:
    """sin(A) or cos(A) of a sum of angles."""
    written = textbook(x)
    if not isinstance(written, (sympy.sin, sympy.cos)) or not inside:
        return ()
    last = sympy.Symbol(inside[-1])
    angle = written.args[0]
    times = angle.coeff(last)
    values = (0, sympy.pi) if isinstance(written, sympy.sin) else (sympy.pi / 2, -sympy.pi / 2)
    if times not in (1, -1) or angle.free_symbols - set(map(sympy.Symbol, inside)):
        return ()
    return tuple({last.name: sympy.expand((v - (angle - times * last)) / times)} for v in values)


def without_angle(x: Poly, y: Poly, q: str, sizes: Sizes = ({},)) -> Poly | None:
    """What is zero where both are α cos q + β sin q + γ = 0; None where one is not of this kind.

    Solved for cos q and sin q by Cramer's rule, whose squares are one together. Terms that are
    rounding, where symbols are as large as `sizes` say, are left out.

    Examples:
        >>> from visviva.algebra.exact.ring import Ring
        >>> ring = Ring(["q", "a"], {"q": {"q": 1}})
        >>> q, a = ring["q"], ring["a"]
        >>> without_angle(q.sin() - a, q.cos(), "q")
        a^2 - 1
    """
    one, other = _wave_in(x, q), _wave_in(y, q)
    if one is None or other is None:
        return None
    (a, b, c), (d, e, f) = one, other
    sine, cosine, whole = (b * f - e * c) ** 2, (a * f - d * c) ** 2, (a * e - d * b) ** 2
    largest = np.max([largest_term(part, sizes) for part in (sine, cosine, whole)], axis=0)
    return without_rounding(sine + cosine - whole, sizes, largest)


def _wave_in(x: Poly, q: str) -> tuple[Poly, Poly, Poly] | None:
    """α, β and γ of α cos q + β sin q + γ; None where it has powers or multiples."""
    constant = x + x.derivative(q).derivative(q)  # γ, if there is no cos 2q
    if not constant.derivative(q).is_zero:
        return None
    return _at_zero(x - constant, q), _at_zero(x.derivative(q), q), constant


def _of_angle(x: Poly, q: str, inside: Sequence[str]) -> tuple[Any, tuple[Solution, ...]] | None:
    """α cos q + β sin q + γ = 0, with a rank: the lower the easier to read."""
    wave = _wave_in(x, q)
    if wave is None:
        return None
    a, b, constant = wave
    alpha, beta = textbook(a), textbook(b)
    others = {*coordinates_in(a, inside), *coordinates_in(b, inside)}
    if constant.is_zero:
        rank = (0, len(others), -inside.index(q))
        up, down = sympy.atan2(-alpha, beta), sympy.atan2(alpha, -beta)
        return rank, ({q: up}, {q: down})
    others |= {*coordinates_in(constant, inside)}
    gamma, rank = textbook(constant), (1, len(others), -inside.index(q))
    if b.is_zero:
        angle = sympy.acos(-gamma / alpha)
        return rank, ({q: angle}, {q: -angle})
    if a.is_zero:
        angle = sympy.asin(-gamma / beta)
        return rank, ({q: angle}, {q: sympy.pi - angle})
    middle = sympy.atan2(beta, alpha)
    beside = sympy.acos(-gamma / sympy.sqrt(alpha**2 + beta**2))
    return rank, ({q: middle + beside}, {q: middle - beside})


def _at_zero(x: Poly, q: str) -> Poly:
    return put_in(x, {q: sympy.Integer(0)})


def put_in(x: Poly, values: Solution) -> Poly:
    """An element with coordinates at quarter turns, or at values that are polynomials."""
    symbols = {sympy.Symbol(k): value for k, value in values.items()}
    return from_textbook(textbook(x).subs(symbols), x.ring)


def common_zeros(
    polys: Sequence[Poly],
    coordinates: Sequence[str],
    parameters: Mapping[str, float],
    sizes: Sizes = ({},),
) -> list[Branch] | None:
    """All branches on which all of these vanish; None where they are too many to go through.

    Factors without coordinates are zero or not by the values of the parameters. With values put
    in, terms are left out that are rounding where symbols are as large as `sizes` say.
    """
    search = _Search(coordinates, parameters, sizes)
    try:
        found = [*search.branches(list(polys), Branch({}))]
    except _TooManyError:
        return None
    return _merged(_smallest(found))


class _TooManyError(Exception):
    """Ways to choose factors."""


class _Search:
    def __init__(
        self,
        coordinates: Sequence[str],
        parameters: Mapping[str, float],
        sizes: Sizes,
    ) -> None:
        self.coordinates, self.parameters, self.count = coordinates, parameters, 0
        self.sizes = sizes
        self.until = time.monotonic() + PATIENCE
        self._known: dict[str, list[Factor] | None] = {}

    def branches(self, polys: Sequence[Poly], so_far: Branch) -> Iterator[Branch]:
        """One factor of each polynomial is zero."""
        self.count += 1
        if self.count > MOST_BRANCHES or time.monotonic() > self.until:
            raise _TooManyError
        choices = [(x, c) for x in polys if (c := self._factors(x)) is not None]
        if not choices:
            if not self._contradict(so_far.equations):
                yield so_far
            return
        _, first = min(choices, key=lambda choice: len(choice[1]))
        left = [x for x, _ in choices]
        for f in first:
            values = _values(f.poly, self.coordinates)
            for v in values:  # what was zero before is looked at again, with the value put in
                rest = [self._put(x, v) for x in (*left, *so_far.equations)]
                fixed = {q: (x,) for q, x in v.items()}
                yield from self.branches(rest, Branch({**so_far.values, **fixed}))
            if not values:
                rest = [x for x, c in choices if not any(g.poly == f.poly for g in c)]
                yield from self.branches(rest, Branch(so_far.values, (*so_far.equations, f.poly)))

    def _put(self, x: Poly, values: Solution) -> Poly:
        return without_rounding(put_in(x, values), self.sizes, largest_term(x, self.sizes))

    def _contradict(self, equations: Sequence[Poly]) -> bool:
        """Whether two of these have no common zero: what is left without an angle is none."""
        for x, y in combinations(equations, 2):
            for q in coordinates_in(x, self.coordinates):
                turns = q in x.ring.angles
                rest = without_angle(x, y, q, self.sizes) if turns else None
                if rest is not None and self._factors(rest) == []:
                    return True
        return False

    def _factors(self, x: Poly) -> list[Factor] | None:
        """Those with coordinates; None where it is zero whatever they are."""
        if x.key not in self._known:
            self._known[x.key] = proper_factors(x, self.coordinates, self.parameters)
        return self._known[x.key]


def proper_factors(
    x: Poly, coordinates: Sequence[str], parameters: Mapping[str, float]
) -> list[Factor] | None:
    """The factors with coordinates; None where one without is zero at the parameters' values."""
    if x.is_zero:
        return None
    every = factored(x)
    proper = [f for f in every if coordinates_in(f.poly, coordinates)]
    plain = [f.poly for f in every if f not in proper]
    return None if any(is_zero_at(f, parameters) for f in plain) else proper


def _values(x: Poly, coordinates: Sequence[str]) -> tuple[Solution, ...]:
    """Quarter turns of a single coordinate, and slides that are polynomials in parameters."""
    inside = coordinates_in(x, coordinates)
    if len(inside) != 1:
        return ()
    values = solved(x, coordinates)
    (q,) = inside
    turns = q in x.ring.angles
    plain = all((2 * v[q] / sympy.pi).is_integer if turns else v[q].is_polynomial() for v in values)
    return values if plain else ()


def _smallest(branches: Sequence[Branch]) -> list[Branch]:
    """Without those that lie in others."""
    kept: list[Branch] = []
    for k, x in enumerate(branches):
        if not any(x.is_in(y) for y in (*kept, *branches[k + 1 :])):
            kept.append(x)
    return kept


def _merged(branches: list[Branch]) -> list[Branch]:
    """Those that differ in the values of one coordinate as one."""
    for k, x in enumerate(branches):
        for y in branches[k + 1 :]:
            if x.key[1] != y.key[1] or x.values.keys() != y.values.keys():
                continue
            other = [q for q in x.values if x.values[q] != y.values[q]]
            if len(other) == 1:
                (q,) = other
                values = tuple(dict.fromkeys((*x.values[q], *y.values[q])))
                one = Branch({**x.values, q: values}, x.equations)
                rest = [z for z in branches if z is not x and z is not y]
                return _merged([*rest[:k], one, *rest[k:]])
    return branches
