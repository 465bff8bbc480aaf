"""Exact numbers, and the exact linear algebra that angles of a ring need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any, TypeVar

import numpy as np
from flint import fmpq, fmpq_mat

from visviva.errors import OutsideError

SHORT = 1e9
BOOKISH = (5, 10, 20, 40, 80)  # denominators that solids have: 2/5 m r², 3/80 m h²
_Name = TypeVar("_Name")
_Base = TypeVar("_Base")
NUMBERS = (int, float, Fraction, np.floating, np.integer)


def rational(x: Any) -> Fraction:
    """The exact value of a number; a float is the decimal it prints as."""
    if isinstance(x, Rational):
        return Fraction(int(x.numerator), int(x.denominator))
    try:
        return Fraction(repr(float(x)))
    except (TypeError, ValueError, OverflowError):
        raise OutsideError(f"{x!r} is no finite number") from None


def as_fmpq(x: Any) -> fmpq:
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
    angles: Mapping[_Name, Mapping[_Base, Any]], bases: Sequence[_Base]
) -> dict[_Base, dict[_Name, Fraction]]:
    """Each base angle as a combination of coordinates: the inverse of the given matrix."""
    names = list(angles)
    if len(names) != len(bases):
        raise OutsideError(f"{len(names)} angles cannot be told from {len(bases)} base angles")
    A = matrix([[angles[n].get(b, 0) for b in bases] for n in names])
    free = set(range(len(bases))) - set(_pivots(A))
    if free:
        listed = ", ".join(map(str, names))
        raise OutsideError(f"the angles {listed} do not determine {bases[min(free)]}")
    rows = zip(bases, A.inv().tolist() if names else [], strict=True)
    return {
        b: {n: Fraction(int(x.p), int(x.q)) for n, x in zip(names, row, strict=True) if x}
        for b, row in rows
    }


def independent(rows: Sequence[Sequence[Any]]) -> list[int]:
    """Which rows are the first independent ones."""
    return _pivots(matrix(rows).transpose()) if rows else []


def matrix(rows: Sequence[Sequence[Any]]) -> Any:
    """A matrix of FLINT's fractions."""
    return fmpq_mat([[as_fmpq(x) for x in row] for row in rows])


def _pivots(A: Any) -> list[int]:
    """The columns of A that the columns before them do not make."""
    reduced, rank = A.rref()
    table = reduced.tolist()
    return [next(k for k, x in enumerate(table[i]) if x != 0) for i in range(rank)]
