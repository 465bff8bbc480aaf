"""Polynomials by the powers of one symbol: other values put in, and remainders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from flint import fmpq, fmpq_mat

from visviva.algebra.exact.poly import Poly, Quotient, Wave
from visviva.algebra.exact.substitute import Substitution
from visviva.errors import OutsideError
from visviva.judge.exact.field import Field

MOST_ENTRIES = 20_000  # of a table in which multiples of rows are looked for


@dataclass(frozen=True)
class Solved:
    """A symbol with what it is where a row holds; `divisor` is not zero there."""

    name: str
    value: Any
    divisor: Any


@dataclass(frozen=True)
class Implicit:
    """A position row that is a polynomial in `name`, with a leading factor that is never zero."""

    row: Poly
    name: str


def put(x: Any, name: str, value: Any, field: Field) -> Any:
    """An element with a symbol replaced by an element or fraction."""
    q = Quotient.of(x)
    return _put(q.top, name, value, field) / _put(q.bottom, name, value, field)


def _put(p: Poly, name: str, value: Any, field: Field) -> Any:
    if any(name in p.ring.names_in[g.base] for g in _waves(p)):
        value = field.settled(value)
        if not isinstance(value, Poly):
            raise OutsideError(f"a sine of {name}, which is a fraction")
        return Substitution(p.ring, p.ring, {name: value}, field.cos_sin)(p)
    total = p.ring.number(0)
    for coefficient in reversed(coefficients(p, name)):
        total = total * value + coefficient
    return total


def _waves(p: Poly) -> list[Wave]:
    pairs = zip(p.ring.generators, p.p.degrees(), strict=True)
    return [g for g, degree in pairs if degree > 0 and isinstance(g, Wave)]


def coefficients(p: Poly, name: str) -> list[Poly]:
    """By powers of a symbol, from 0 on."""
    place = p.ring.place[name]
    parts: list[dict[Any, Any]] = [{} for _ in range(max(int(p.p.degrees()[place]), 0) + 1)]
    for powers, c in p.p.to_dict().items():
        rest = list(powers)
        k, rest[place] = int(rest[place]), 0
        parts[k][tuple(rest)] = c
    return [Poly(p.ring, p.ring.context.from_dict(x)) for x in parts]


def at_zero(p: Poly, name: str) -> Poly:
    """What has no power of a symbol."""
    return coefficients(p, name)[0]


def remainder(p: Poly, row: Poly, name: str) -> Poly:
    """Of p, times powers of the row's leading factor, divided by the row in powers of a symbol."""
    divisor = coefficients(row, name)
    degree, x = len(divisor) - 1, row.ring[name]
    while (k := len(parts := coefficients(p, name)) - 1) >= degree:
        p = p * divisor[-1] - row * parts[k] * x ** (k - degree)
        if p == 0:
            break
    return p


def is_combination(p: Poly, rows: Iterable[Poly]) -> bool:
    """Whether p is a sum of rows, times numbers and single sines and cosines."""
    ring = p.ring
    waves = [ring.generator(g) for g in ring.generators if isinstance(g, Wave)]
    spanned = [dict((row * g).p.to_dict()) for row in rows for g in (ring.number(1), *waves)]
    target = dict(p.p.to_dict())
    monomials = list(dict.fromkeys(k for x in (*spanned, target) for k in x))
    if not spanned or len(monomials) * len(spanned) > MOST_ENTRIES:
        return False
    table = [[x.get(k, fmpq(0)) for x in spanned] for k in monomials]
    wider = [[*row, target.get(k, fmpq(0))] for row, k in zip(table, monomials, strict=True)]
    return bool(fmpq_mat(table).rank() == fmpq_mat(wider).rank())
