"""Exact numbers, and the exact linear algebra that angles of a ring need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any, TypeVar

import numpy as np
from flint import fmpq

from visviva.errors import VisvivaError

SHORT = 1e9
BOOKISH = (5, 10, 20, 40, 80)  # denominators that solids have: 2/5 m r², 3/80 m h²
Name = TypeVar("Name")
Base = TypeVar("Base")
NUMBERS = (int, float, Fraction, np.floating, np.integer)


class OutsideError(VisvivaError, TypeError):
    """Something that is no polynomial in symbols, sines and cosines."""


def rational(x: Any) -> Fraction:
    """The exact value of a number; a float is the decimal it prints as."""
    if isinstance(x, Rational):
        return Fraction(int(x.numerator), int(x.denominator))
    try:
        return Fraction(repr(float(x)))
    except (TypeError, ValueError, OverflowError):
        raise OutsideError(f"{x!r} is no finite number") from None


def fraction(x: Any) -> fmpq:
    """The same as a number of FLINT."""
    if isinstance(x, int):
        return fmpq(x)
    if isinstance(x, float) and abs(x) < SHORT:
        over, under = x.as_integer_ratio()
        if under <= 16:  # at most 15 digits: it prints as it is
            return fmpq(over, under)
    exact = rational(x)
    return fmpq(exact.numerator, exact.denominator)


def is_decimal(x: Any, always: bool = False) -> bool:
    """Whether a fraction is better read as a decimal: 9.81, not 981/100, but 1/2, 2/5 and 3/80.

    `always`: wherever it has one with fives in its denominator, beside other decimals.
    """
    top, bottom = abs(x.numerator), x.denominator
    if bottom % 5 or (not always and top < 10 and bottom in BOOKISH):
        return False
    for p in (2, 5):
        while bottom % p == 0:
            bottom //= p
    return bool(bottom == 1)


def solved(
    angles: Mapping[Name, Mapping[Base, Any]], bases: Sequence[Base]
) -> dict[Base, dict[Name, Fraction]]:
    """Each base angle as a combination of coordinates: the inverse of the given matrix."""
    names = list(angles)
    if len(names) != len(bases):
        raise OutsideError(f"{len(names)} angles cannot be told from {len(bases)} base angles")
    rows = [
        [Fraction(angles[n].get(b, 0)) for b in bases] + [Fraction(int(n == m)) for m in names]
        for n in names
    ]
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            listed = ", ".join(map(str, names))
            raise OutsideError(f"the angles {listed} do not determine {bases[k]}")
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i, row in enumerate(rows):
            if i != k and row[k]:
                rows[i] = [x - row[k] * y for x, y in zip(row, rows[k], strict=True)]
    sums = {b: rows[k][len(bases) :] for k, b in enumerate(bases)}
    return {b: {n: x for n, x in zip(names, row, strict=True) if x} for b, row in sums.items()}
