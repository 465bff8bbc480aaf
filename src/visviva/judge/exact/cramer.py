"""Systems that are held, solved over fractions: nothing is divided before the last step.

With the rows A that do not depend on others,

    K = [[M, -Aᵀ], [A, 0]],    K (a, λ) = (τ - h, -β)

by Cramer's rule. A factor of M, as numbers take it, would divide at every step, and over
polynomials each division is the search for a common divisor.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, as_array
from visviva.algebra.exact.minors import determinant

Rows = list[list[Any]]


class Bordered:
    """M (n, n) and A (k, n), of exact scalars.

    ZeroDivisionError where a motion that A admits has no inertia.

    Examples:
        >>> from fractions import Fraction
        >>> one, two = Fraction(1), Fraction(2)
        >>> held = Bordered(np.array([[two, 0], [0, one]]), np.array([[one, one], [two, two]]))
        >>> held.independent
        [0]
        >>> [str(x) for x in held.acceleration([3 * one, 0], [0, 0])]
        ['1', '-1']
        >>> [str(x) for x in held.multipliers([3 * one, 0], [0, 0])]
        ['-1/5', '-2/5']
    """

    def __init__(self, M: Array, A: Array) -> None:
        self.A, self.n = A, len(M)
        self.M, self.bottom = M, determinant(M.tolist())
        if self.bottom == 0:  # with Aᵀ A added, nothing of the solution changes
            self.M = M + A.T @ A
            self.bottom = determinant(self.M.tolist())
        if self.bottom == 0:
            raise ZeroDivisionError("a motion that the rows admit has no inertia")
        self.independent: list[int] = []
        for row in range(len(A)):
            size = determinant(self._bordered([*self.independent, row]))
            if size != 0:
                self.independent.append(row)
                self.bottom = size
        self.M = M  # rows of A take Aᵀ A away again: the determinant is the same
        self.K = self._bordered(self.independent)
        self._cofactor = cache(self._new_cofactor)

    def acceleration(self, forces: Any, bias: Any) -> Array:
        """a (n,) for `forces` = τ - h and `bias` = β."""
        return self._solution(forces, bias, range(self.n))

    def multipliers(self, forces: Any, bias: Any) -> Array:
        """λ (k,); of minimum norm where rows are redundant."""
        known = self._solution(forces, bias, range(self.n, len(self.K)))
        if len(known) == len(self.A):
            return known
        # rows are S B, of independent rows B: least |λ| with Sᵀ λ given is S (Sᵀ S)⁻¹ of it
        B = self.A[self.independent]
        S = self.A @ B.T @ inverted(B @ B.T)
        spread: Array = S @ inverted(S.T @ S) @ known
        return spread

    def projection(self) -> Array:
        """P (n, n): of a motion, what A admits; K (P x, …) = (M x, 0)."""
        still = [0] * len(self.A)
        columns = [self._solution(self.M[:, j], still, range(self.n)) for j in range(self.n)]
        return np.stack(columns, axis=1)

    def _solution(self, forces: Any, bias: Any, places: range) -> Array:
        """Some entries of K⁻¹ (forces, -bias)."""
        right = [*forces, *(-bias[i] for i in self.independent)]
        tops = [
            sum((y * self._cofactor(r, i) for r, y in enumerate(right) if y != 0), 0)
            for i in places
        ]
        return as_array([0 if x == 0 else x / self.bottom for x in tops])

    def _bordered(self, chosen: list[int]) -> Rows:
        A = self.A[chosen]
        top = [[*self.M[i], *(-x for x in A[:, i])] for i in range(self.n)]
        return [*top, *([*row, *[0] * len(chosen)] for row in A)]

    def _new_cofactor(self, row: int, column: int) -> Any:
        return cofactor(self.K, row, column)


def cofactor(rows: Rows, row: int, column: int) -> Any:
    """± the determinant of what is left without a row and a column."""
    kept = [[*x[:column], *x[column + 1 :]] for i, x in enumerate(rows) if i != row]
    return determinant(kept) * (-1) ** (row + column)


def inverted(matrix: Array) -> Array:
    """Of a matrix of exact scalars."""
    rows = matrix.tolist()
    bottom, places = determinant(rows), np.ndindex(matrix.shape)
    return as_array([cofactor(rows, j, i) / bottom for i, j in places], matrix.shape)
