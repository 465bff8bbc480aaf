"""Polynomials by the powers of one symbol: another value put in, and remainders."""

from __future__ import annotations

from typing import Any

from visviva.algebra.exact.poly import Poly, Quotient, Wave
from visviva.algebra.exact.substitute import Substitution
from visviva.errors import OutsideError
from visviva.judge.exact.field import Field


def put(x: Any, name: str, value: Any, field: Field) -> Any:
    """An element with a symbol replaced by an element or fraction."""
    q = Quotient.of(x)
    return _put(q.top, name, value, field) / _put(q.bottom, name, value, field)


def _put(p: Poly, name: str, value: Any, field: Field) -> Any:
    if name in {s for g in _waves(p) for s in p.ring.sums[g.base]}:
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
