"""G = L D Lᵀ of a symmetric matrix that is positive semidefinite: rows may depend on others.

Elimination goes from the first row to the last. What is left of the diagonal of a row that depends
on those before it is rounding error: a pivot below `DEPENDENT` times the diagonal itself counts as
zero, and its row takes no part. Independent rows are solved as by any factor, without an iteration.
Exact zeros are passed over.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_exactly, vector
from visviva.algebra.expr import Expr
from visviva.algebra.generic import less_equal, where

DEPENDENT = 1e-10  # sin² of the angle between a row and those before it, below which it is none


class SemidefiniteFactor:
    """Solves G x = y for every y that G x can be."""

    def __init__(self, G: Any) -> None:
        A = [list(row) for row in np.asarray(G, dtype=object)]
        n = self.size = len(A)
        self.inverse: list[Any] = [0.0] * n  # of the pivots; zero for dependent rows
        self.dependent: list[Any] = [1.0] * n  # one for these, zero for the others
        self.below: list[list[int]] = [[] for _ in range(n)]  # entries of column k below k
        full = [A[k][k] for k in range(n)]
        for k in range(n):
            if is_exactly(full[k], 0.0):
                continue
            self.below[k] = rows = [i for i in range(k + 1, n) if not is_exactly(A[i][k], 0.0)]
            self.dependent[k] = lost = _is_lost(A[k][k], full[k])
            self.inverse[k] = _chosen(lost, 0.0, 1.0 / _chosen(lost, 1.0, A[k][k]))
            for i in rows:
                scaled = A[i][k] * self.inverse[k]
                for j in rows[: rows.index(i) + 1]:
                    A[i][j] = A[i][j] - scaled * A[j][k]
            for i in rows:
                A[i][k] = A[i][k] * self.inverse[k]
        self.L = A

    def solve(self, y: Any) -> Array:
        """The x whose entries at dependent rows are zero."""
        x = list(y)
        for k in range(self.size):
            if not is_exactly(x[k], 0.0):
                for i in self.below[k]:
                    x[i] = x[i] - self.L[i][k] * x[k]
        x = [d * z for d, z in zip(self.inverse, x, strict=True)]
        return vector(self._back(x))

    def smallest(self, y: Any) -> Array:
        """The x of minimum norm."""
        x = self.solve(y)
        if all(is_exactly(lost, 0.0) for lost in self.dependent):
            return x
        Z = self.null_space()
        return vector(x - Z @ SemidefiniteFactor(Z.T @ Z).solve(Z.T @ x))

    def null_space(self) -> Array:
        """Columns z with G z = 0, one for each row; those of independent rows are zero."""
        columns = []
        for k, lost in enumerate(self.dependent):
            z: list[Any] = [0.0] * self.size
            if not is_exactly(lost, 0.0):
                # Lᵀ z = e_k, but for the rows after k, which it does not reach
                z[k] = lost
            columns.append(self._back(z))
        return vector(columns).reshape(self.size, self.size).T

    def _back(self, x: list[Any]) -> list[Any]:
        """Lᵀ⁻¹ x."""
        x = list(x)
        for k in reversed(range(self.size)):
            for i in self.below[k]:
                if not is_exactly(x[i], 0.0):
                    x[k] = x[k] - self.L[i][k] * x[i]
        return x


def _is_lost(pivot: Any, full: Any) -> Any:
    """One if a pivot is as good as zero; of scalars without an order, if it is zero."""
    if isinstance(pivot, (Real, Expr)):
        return less_equal(pivot, full * DEPENDENT)
    return 1.0 if pivot == 0 else 0.0


def _chosen(lost: Any, a: Any, b: Any) -> Any:
    return where(lost, a, b) if isinstance(lost, Expr) else a if lost else b
