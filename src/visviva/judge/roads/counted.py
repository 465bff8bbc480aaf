"""Numbers that count what is done to them, and dense products of matrices of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np


@dataclass
class Tally:
    """How many products and sums; a difference is a sum, a change of sign is free."""

    products: int = 0
    sums: int = 0


class Counted:
    """A number that counts."""

    __slots__ = ("tally", "value")

    def __init__(self, value: float, tally: Tally) -> None:
        self.value, self.tally = value, tally

    def __mul__(self, other: Counted) -> Counted:
        self.tally.products += 1
        return Counted(self.value * other.value, self.tally)

    def __add__(self, other: Counted) -> Counted:
        self.tally.sums += 1
        return Counted(self.value + other.value, self.tally)

    def __sub__(self, other: Counted) -> Counted:
        self.tally.sums += 1
        return Counted(self.value - other.value, self.tally)

    def __neg__(self) -> Counted:
        return Counted(-self.value, self.tally)


def counted(x: Any, tally: Tally | None) -> Any:
    """An array of numbers that count; plain numbers without a tally."""
    values = np.asarray(x, dtype=float)
    made = np.empty(values.shape, dtype=object)
    for at in np.ndindex(values.shape):
        made[at] = float(values[at]) if tally is None else Counted(float(values[at]), tally)
    return made


def dot(a: Any, b: Any) -> Any:
    """As many products as there are entries, and one sum less."""
    return reduce(add, (x * y for x, y in zip(a, b, strict=True)))


def product_of_all(A: Any, x: Any) -> Any:
    """A matrix times a column or a matrix, dense."""
    if x.ndim == 1:
        return np.array([dot(row, x) for row in A], dtype=object)
    return np.array([[dot(row, column) for column in x.T] for row in A], dtype=object)


def vector_product(a: Any, b: Any) -> Any:
    """6 products and 3 sums."""
    pairs = ((1, 2), (2, 0), (0, 1))
    return np.array([a[i] * b[j] - a[j] * b[i] for i, j in pairs], dtype=object)
