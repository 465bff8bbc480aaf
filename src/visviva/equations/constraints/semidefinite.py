"""G = L D Lᵀ of a symmetric matrix that is positive semidefinite: rows may depend on others.

Elimination goes from the first row to the last. What is left of the diagonal of a row that depends
on those before it is rounding error: a pivot below `DEPENDENT` times the diagonal itself counts as
zero, and its row takes no part. So does a row that is said to be `slight`: one that is rounding
error as a whole has nothing to be compared with. Independent rows are solved as by any factor,
without an iteration. Exact zeros are passed over.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_exactly, vector
from visviva.algebra.expr import Expr
from visviva.algebra.generic import less_equal, where

DEPENDENT = 1e-10  # sin² of the angle between a row and those before it, below which it is none


class SemidefiniteFactor:
    """Solves G x = y for every y that G x can be."""

    def __init__(self, G: Any, slight: Sequence[Any] = ()) -> None:
        A = np.asarray(G, dtype=object)
        n = self.size = len(A)
        slight = slight or [0.0] * n  # one for rows that count as zero, zero for others
        self.inverse: list[Any] = [0.0] * n  # of the pivots; zero for dependent rows
        self.dependent: list[Any] = [1.0] * n  # one for these, zero for the others
        self.L: list[dict[int, Any]] = [{} for _ in range(n)]  # entries of row i left of i
        scaled: list[dict[int, Any]] = [{} for _ in range(n)]  # L D, the same entries
        for k in range(n):
            if is_exactly(A[k, k], 0.0):
                continue
            # entry after entry: a sum that is not put down between its terms
            pivot = _less(A[k, k], self.L[k], scaled[k])
            self.dependent[k] = lost = select(slight[k], 1.0, _is_lost(pivot, A[k, k]))
            self.inverse[k] = select(lost, 0.0, 1.0 / select(lost, 1.0, pivot))
            for i in range(k + 1, n):
                entry = _less(A[i, k], self.L[i], scaled[k])
                if not is_exactly(entry, 0.0):
                    scaled[i][k], self.L[i][k] = entry, entry * self.inverse[k]

    def solve(self, y: Any) -> Array:
        """The x whose entries at dependent rows are zero."""
        x: list[Any] = []
        for k, value in enumerate(y):
            x.append(_less(value, self.L[k], dict(enumerate(x))))
        return vector(self._back([d * z for d, z in zip(self.inverse, x, strict=True)]))

    def least_norm_solution(self, y: Any) -> Array:
        """The x of minimum norm."""
        return self.least_norm(self.solve(y))

    def least_norm(self, x: Any) -> Array:
        """The x' of minimum norm with G x' = G x: less its part in the null space.

        That is taken away twice: where rows differ by many orders, rounding leaves some of it.
        """
        directions = self._null_directions()
        for z, inverse in directions * 2:
            x = _less_its_part(x, z, inverse)
        return vector(x)

    def _null_directions(self) -> list[tuple[Array, Any]]:
        """Orthogonal z with G z = 0, and 1/z·z (Gram and Schmidt): rows may be in any units."""
        directions: list[tuple[Array, Any]] = []
        for z, is_dependent in zip(self.null_space().T, self.dependent, strict=True):
            if not is_exactly(is_dependent, 0.0):
                for other, inverse in directions:
                    z = _less_its_part(z, other, inverse)
                directions.append((z, 1.0 / select(is_dependent, dot(z, z), 1.0)))
        return directions

    def null_space(self) -> Array:
        """Columns z with G z = 0, one for each row; those of independent rows are zero."""
        columns = []
        for k, is_dependent in enumerate(self.dependent):
            z: list[Any] = [0.0] * self.size
            if not is_exactly(is_dependent, 0.0):
                # Lᵀ z = e_k, but for the rows after k, which it does not reach
                z[k] = is_dependent
            columns.append(self._back(z))
        return vector(columns).reshape(self.size, self.size).T

    def _back(self, x: list[Any]) -> list[Any]:
        """Lᵀ⁻¹ x."""
        x = list(x)
        for k in reversed(range(self.size)):
            for i in range(k + 1, self.size):
                if k in self.L[i] and not is_exactly(x[i], 0.0):
                    x[k] = x[k] - self.L[i][k] * x[i]
        return x


def _less(value: Any, row: dict[int, Any], other: dict[int, Any]) -> Any:
    """value - row · other, of entries that both have."""
    for j, entry in row.items():
        if j in other and not is_exactly(other[j], 0.0):
            value = value - entry * other[j]
    return value


def _less_its_part(x: Any, z: Array, inverse: Any) -> Any:
    """x - z (z · x) / (z · z)."""
    part = dot(z, x) * inverse
    return [e if is_exactly(w, 0.0) else e - w * part for e, w in zip(x, z, strict=True)]


def dot(x: Any, y: Any) -> Any:
    """x · y; exact zeros are passed over."""
    pairs = zip(x, y, strict=True)
    terms = [a * b for a, b in pairs if not is_exactly(a, 0.0) and not is_exactly(b, 0.0)]
    return sum(terms[1:], start=terms[0]) if terms else 0.0


def _is_lost(pivot: Any, full: Any) -> Any:
    """One if a pivot is as good as zero; of scalars without an order, if it is zero."""
    return is_below(pivot, full * DEPENDENT)


def is_below(x: Any, bound: Any) -> Any:
    """One if x ≤ bound; of scalars without an order, if x is zero."""
    if isinstance(x, (Real, Expr)):
        return less_equal(x, bound)
    return 1.0 if x == 0 else 0.0


def select(condition: Any, a: Any, b: Any) -> Any:
    """The one of two numbers that a condition takes."""
    return where(condition, a, b) if isinstance(condition, Expr) else a if condition else b
