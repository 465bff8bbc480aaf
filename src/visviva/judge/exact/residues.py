"""Elements of a field at random points modulo a prime: what is not zero there is not zero.

A point gives every generator a residue such that sines and cosines lie on their circles,
quaternions have the length one and roots are roots. Taking values there keeps sums and products, so
that it can refute an equation for sure; one that holds at random points still wants a proof.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpz, nmod_mat

from visviva.algebra.exact.poly import Poly, Quotient, Wave
from visviva.errors import OutsideError
from visviva.judge.exact.field import Field

# of the form 4k + 3, so that roots are powers; all primes up to 131 are squares: √2 and √3 exist
PRIME = 7632213126812874599
TRIES = 200  # points until all roots exist
MOST_FACTORS = 200_000  # of all terms, whose exact values FLINT finds in an instant
LARGEST_NUMBER = 2**29  # above and below the line of a fraction that a residue is taken for

Terms = list[tuple[int, list[tuple[int, int]]]]


class Residues:
    """Elements of one field, made ready to be taken at many points."""

    def __init__(self, field: Field) -> None:
        self.field = field
        self._ready: dict[int, tuple[Poly, Terms]] = {}

    def point(self, seed: int) -> Point:
        """A random point where all roots exist."""
        chance = np.random.default_rng(seed)
        for _ in range(TRIES):
            values = self._values(chance)
            if values is not None:
                return Point(self, values)
        raise OutsideError("roots that exist nowhere")

    def terms(self, p: Poly) -> Terms:
        """Coefficients, and the powers of generators by their places."""
        if id(p) not in self._ready:
            used = [k for k, degree in enumerate(p.p.degrees()) if degree > 0]
            terms = [
                (_residue(c), [(k, int(powers[k])) for k in used if powers[k]])
                for powers, c in p.p.to_dict().items()
            ]
            self._ready[id(p)] = p, terms  # with p, so that no other takes its id
        return self._ready[id(p)][1]

    def _values(self, chance: np.random.Generator) -> list[int] | None:
        ring = self.field.ring
        values = [int(x) for x in chance.integers(1, PRIME, len(ring.generators))]
        for base in ring.bases:
            s, c = on_circle(int(chance.integers(2, PRIME)))
            values[ring.place[Wave("sin", base)]], values[ring.place[Wave("cos", base)]] = s, c
        for name, inside in self.field.squares.items():
            square = Point(self, values).of(inside)
            root = pow(square, (PRIME + 1) // 4, PRIME)
            if root * root % PRIME != square:
                return None
            values[ring.place[name]] = root
        return values


class Point:
    """A residue for every generator."""

    def __init__(self, residues: Residues, values: Sequence[int]) -> None:
        self.residues, self.values = residues, list(values)

    def of(self, x: Any) -> int:
        """The residue of an element or fraction."""
        return self.parts(x, ())[0]

    def parts(self, x: Any, names: Sequence[str]) -> list[int]:
        """The factors of `names` in an element, and last what has none of them.

        The element is of the first degree in them, see `is_linear`.
        """
        if isinstance(x, Quotient):
            below = inverse(self.of(x.bottom))
            return [y * below % PRIME for y in self.parts(x.top, names)]
        if len(x.p) * int(x.p.total_degree()) <= MOST_FACTORS:
            return self._by_flint(x.p, [x.ring.place[name] for name in names])
        return self._term_by_term(x, names)

    def _by_flint(self, p: Any, places: Sequence[int]) -> list[int]:
        """From exact values at whole numbers: those of steep polynomials would be endless."""
        degrees, values = p.degrees(), [fmpz(y) for y in self.values]
        slopes = [p.derivative(k)(*values) if degrees[k] > 0 else fmpq(0) for k in places]
        for k in places:
            values[k] = fmpz(0)
        return [_residue(y) for y in (*slopes, p(*values))]

    def _term_by_term(self, x: Poly, names: Sequence[str]) -> list[int]:
        slots = {x.ring.place[name]: k for k, name in enumerate(names)}
        totals = [0] * (len(names) + 1)
        values, powers = self.values, self._powers
        for coefficient, factors in self.residues.terms(x):
            slot, product = len(names), coefficient
            for place, power in factors:
                if place in slots:
                    slot = slots[place]
                elif power == 1:
                    product = product * values[place] % PRIME
                else:
                    product = product * powers(place, power) % PRIME
            totals[slot] += product
        return [y % PRIME for y in totals]

    def _powers(self, place: int, power: int) -> int:
        return pow(self.values[place], power, PRIME)


def is_linear(x: Any, names: Collection[str]) -> bool:
    """Whether names have the first degree, all together, and stand in no denominator."""
    q = Quotient.of(x)
    places = [q.ring.place[name] for name in names]
    if any(q.bottom.p.degrees()[k] > 0 for k in places):
        return False
    monomials = q.top.p.monoms()
    return all(sum(powers[k] for k in places) <= 1 for powers in monomials)


def on_circle(t: int) -> tuple[int, int]:
    """Residues with s² + c² = 1."""
    below = inverse(1 + t * t)
    return 2 * t * below % PRIME, (1 - t * t) * below % PRIME


def solved(rows: Sequence[Sequence[int]], right: Sequence[int]) -> tuple[list[int] | None, bool]:
    """k with Σ kᵢ rowᵢ = right modulo the prime, or None; and whether there is just one.

    Examples:
        >>> solved([[1, 0, 2], [0, 1, 1]], [3, 4, 10])
        ([3, 4], True)
        >>> solved([[1, 0, 2], [0, 1, 1]], [3, 4, 11])
        (None, True)
    """
    table = nmod_mat([[*(row[j] for row in rows), y] for j, y in enumerate(right)], PRIME)
    reduced, pivots = _reduced(table)
    single = len([k for k in pivots if k < len(rows)]) == len(rows)
    if len(rows) in pivots:  # 0 = 1
        return None, single
    values = {k: int(reduced[i, len(rows)]) for i, k in enumerate(pivots)}
    return [values.get(k, 0) for k in range(len(rows))], single


def independent(rows: Sequence[Sequence[int]]) -> list[int] | None:
    """Columns in which rows are linearly independent, or None where they are not."""
    _, pivots = _reduced(nmod_mat([list(row) for row in rows], PRIME))
    return pivots if len(pivots) == len(rows) else None


def _reduced(matrix: nmod_mat) -> tuple[nmod_mat, list[int]]:
    """By rows, and the columns of the first entries of its rows."""
    reduced, rank = matrix.rref()
    first = (next(k for k in range(reduced.ncols()) if int(reduced[i, k])) for i in range(rank))
    return reduced, list(first)


def as_fraction(residue: int) -> Fraction | None:
    """The fraction with short numbers that a residue is, if there is one."""
    a, b, x, y = PRIME, residue % PRIME, 0, 1
    while b > LARGEST_NUMBER:
        a, b, x, y = b, a % b, y, x - a // b * y
    return Fraction(b, y) if y and abs(y) <= LARGEST_NUMBER else None


def _residue(c: Any) -> int:
    top, bottom = int(c.p), int(c.q)
    return top * inverse(bottom) % PRIME if bottom != 1 else top % PRIME


def inverse(x: int) -> int:
    """Of a residue that is not zero."""
    if x % PRIME == 0:
        raise OutsideError(f"a denominator that is a multiple of {PRIME}")
    return pow(x, -1, PRIME)


def changed(point: Point, values: Mapping[int, int]) -> Point:
    """A point with other residues in some places."""
    there = {**dict(enumerate(point.values)), **values}
    return Point(point.residues, list(there.values()))


def all_zero(xs: Iterable[int]) -> bool:
    """Of residues."""
    return all(x % PRIME == 0 for x in xs)
