"""M = Lᵀ D L without square roots, from the last row to the first, so that branches stay sparse.

Featherstone, *Rigid Body Dynamics Algorithms*, section 6.5. Exact zeros are passed over, which is
all that is needed to make use of the tree: elimination in this order fills nothing in. M must be
symmetric and positive definite; there is no pivoting. Where a pivot is next to nothing of its
diagonal what is solved is rounding error, which single calls tell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_exactly, vector
from visviva.algebra.expr import Expr

NEARLY = 1e-12  # of its diagonal; a pivot below it has hardly a digit that is right


class Factor:
    """Solves M x = y for as many y as needed."""

    def __init__(self, M: Any) -> None:
        A = [list(row) for row in np.asarray(M, dtype=object)]
        n = len(A)
        diagonal = [A[k][k] for k in range(n)]
        self.below: list[list[int]] = [[] for _ in range(n)]  # entries of row k left of k
        self.inverse: list[Any] = [None] * n
        for k in reversed(range(n)):
            row = A[k]
            self.below[k] = left = [i for i in range(k) if not is_exactly(row[i], 0.0)]
            self.inverse[k] = 1 / row[k]
            for i in reversed(left):
                scaled = row[i] * self.inverse[k]
                for j in left[: left.index(i) + 1]:
                    A[i][j] = A[i][j] - scaled * row[j]
                row[i] = scaled  # only entries left of it are still to be read
        self.L = A
        _expect_pivots(diagonal, [A[k][k] for k in range(n)], self.inverse)

    def solve(self, y: Any) -> Array:
        """x with M x = y: x = L⁻¹ D⁻¹ L⁻ᵀ y."""
        return self.second_half(self.first_half(y))

    def first_half(self, y: Any) -> Array:
        """L⁻ᵀ y: M⁻¹ is the product of such halves, with D⁻¹ between them."""
        x = list(y)
        for k in reversed(range(len(x))):
            if not is_exactly(x[k], 0.0):
                for i in self.below[k]:
                    x[i] = x[i] - self.L[k][i] * x[k]
        return vector(x)

    def second_half(self, y: Any) -> Array:
        """L⁻¹ D⁻¹ y."""
        x = [d * y for d, y in zip(self.inverse, y, strict=True)]
        for k in range(len(x)):
            for i in self.below[k]:
                if not is_exactly(x[i], 0.0):
                    x[k] = x[k] - self.L[k][i] * x[i]
        return vector(x)

    def solved(self, Y: Any) -> Array:
        """X with M X = Y, column by column."""
        columns = [self.solve(y) for y in np.asarray(Y).T]
        return np.stack(columns, axis=1) if columns else np.zeros(np.shape(Y))

    def inverse_matrix(self) -> Array:
        """M⁻¹; the second half of each column follows from the symmetry."""
        n = len(self.inverse)
        X = self.solved(np.eye(n))
        entries = [[X[min(i, j), max(i, j)] for j in range(n)] for i in range(n)]
        return vector(entries).reshape(n, n)


def _expect_pivots(diagonal: list[Any], pivots: list[Any], inverse: list[Any]) -> None:
    """No pivot is next to nothing of its diagonal: a condition of what is being traced."""
    rows = zip(diagonal, pivots, inverse, strict=True)
    changed = [(d, x) for d, p, x in rows if d is not p and isinstance(x, Expr)]
    if changed:
        ratios = [d * x for d, x in changed]
        margin = NEARLY**-2 - sum(x * x for x in ratios[::2]) - sum(x * x for x in ratios[1::2])
        changed[0][1].graph.expect("singular:small_pivot", margin, [x for _, x in changed])
