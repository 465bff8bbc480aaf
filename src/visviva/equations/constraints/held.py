"""A system at a position, held by rows A a + β = 0: what its multipliers are and how it moves.

    M a + h = τ + Aᵀ λ,    A a + β = 0

With M = Lᵀ D L and Y = L⁻ᵀ Aᵀ, the matrix of the multipliers is A M⁻¹ Aᵀ = Yᵀ D⁻¹ Y. Its rows may
depend on each other: accelerations and constraint forces Aᵀ λ are the same whichever are used.

M need not have an inverse, if all that the rows admit has inertia. Aᵀ S (A a + β) = 0 can be added
to the first equation: a and λ stay as they are, whatever S, and M + Aᵀ S A has an inverse wherever
(M, Aᵀ; A, 0) has one, of rows that do not depend on others. S is there only where it may be needed,
for rows with an entry at a coordinate that is `soft`: one with a part in a motion without inertia.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_exactly, vector
from visviva.equations.bodies.factor import Factor
from visviva.equations.constraints.semidefinite import SemidefiniteFactor, chosen, is_below


class Held:
    """The mass matrix M (n, n) and the rows A (k, n), factored.

    `slight` (k,) has the square of the length below which a row is rounding error, zero for none.
    `soft` are the coordinates that may have a part in a motion without inertia; none of most.
    """

    def __init__(
        self, M: Any, A: Any, slight: Sequence[Any] = (), soft: Sequence[int] = ()
    ) -> None:
        self.M, self.A = vector(M), vector(A)
        self.slight = slight or [0.0] * len(self.A)
        self.stiffness = self._stiffnesses(soft)
        self.factor = Factor(self._stiffened())
        self.Y = [self.factor.first_half(row) for row in self.A]

    def _stiffnesses(self, soft: Sequence[int]) -> dict[int, Any]:
        """S, for the rows that have a part: as large as M along a row, in any units of rows.

        Rows that are none have no part.
        """
        rows = [i for i, row in enumerate(self.A) if any(not is_exactly(row[j], 0.0) for j in soft)]
        if not rows:
            return {}
        size, S = self.M.trace() / len(self.M), {}
        size = chosen(is_below(size, 0.0), 1.0, size)
        for i in rows:
            square = _dot(self.A[i], self.A[i])
            lost = is_below(square, self.slight[i])
            S[i] = chosen(lost, 0.0, size / chosen(lost, 1.0, square))
        return S

    def _stiffened(self) -> Array:
        """M + Aᵀ S A; exact zeros stay."""
        total, n = self.M.astype(object), range(len(self.M))
        for i, size in self.stiffness.items():
            row = self.A[i]
            for j in n:
                for k in range(j + 1):
                    if not is_exactly(row[j], 0.0) and not is_exactly(row[k], 0.0):
                        total[j, k] = total[k, j] = total[j, k] + size * row[j] * row[k]
        return vector(total)

    def _driving(self, forces: Any, bias: Any) -> Array:
        total = vector(forces)
        for i, size in self.stiffness.items():
            if not is_exactly(bias[i], 0.0):
                total = total - self.A[i] * (size * bias[i])
        return total

    @cached_property
    def rows(self) -> SemidefiniteFactor:
        """The factor of A M⁻¹ Aᵀ."""
        scaled = [_each(self.factor.inverse, y) for y in self.Y]
        k = range(len(self.Y))
        upper = {(i, j): _dot(self.Y[i], scaled[j]) for i in k for j in k if i <= j}
        G = [[upper[min(i, j), max(i, j)] for j in k] for i in k]
        slight = [_is_slight(row, size) for row, size in zip(self.A, self.slight, strict=True)]
        return SemidefiniteFactor(np.array(G, dtype=object).reshape(len(k), len(k)), slight)

    def multipliers(self, forces: Any, bias: Any) -> Array:
        """λ (k,) for `forces` = τ - h and `bias` = β; of minimum norm where rows are redundant."""
        return self.rows.smallest(self.missing(forces, bias))

    def acceleration(self, forces: Any, bias: Any) -> Array:
        """a (n,) for `forces` = τ - h and `bias` = β."""
        free = self.factor.first_half(self._driving(forces, bias))
        return self.factor.second_half(self._pushed(free, self._lacking(free, bias)))

    def forces(self, forces: Any, bias: Any) -> Array:
        """Aᵀ λ (n,), the same for all λ that hold the rows."""
        return vector(self.A.T @ self.rows.solve(self.missing(forces, bias)))

    def missing(self, forces: Any, bias: Any) -> Array:
        """What the rows lack in the motion that they do not hold: -(A M⁻¹ forces + β)."""
        return self._lacking(self.factor.first_half(self._driving(forces, bias)), bias)

    def impulses(self, missing: Any) -> Array:
        """Λ (k,) with M Δv = Aᵀ Λ, where A Δv = `missing`; of least norm if rows are redundant."""
        own = self.rows.solve(missing)  # of M + Aᵀ S A, which takes Aᵀ S A Δv besides
        for i, size in self.stiffness.items():
            own[i] = own[i] - size * missing[i]
        return self.rows.least(own)

    def admitted(self, v: Any, wanted: Any) -> Array:
        """The velocity nearest to v, by its energy, with A v = `wanted`: an impulse Aᵀ λ away."""
        return vector(v) + self._moved(vector(wanted) - self.A @ vector(v))

    def projection(self) -> Array:
        """P = 1 - M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁻¹ A: motions that the rows admit, orthogonal by M."""
        n = self.M.shape[0]
        columns = [e - self._moved(self.A @ e) for e in np.eye(n)]
        return np.stack(columns, axis=1) if columns else np.zeros((0, 0))

    def _moved(self, rates: Any) -> Array:
        """M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁻¹ of rates of the rows: the motion of least energy that has them."""
        still: list[Any] = [0.0] * self.M.shape[0]
        return self.factor.second_half(self._pushed(still, rates))

    def _lacking(self, free: Any, bias: Any) -> Array:
        scaled = _each(self.factor.inverse, free)
        return vector([-(_dot(y, scaled) + b) for y, b in zip(self.Y, bias, strict=True)])

    def _pushed(self, free: Any, missing: Any) -> Array:
        """L⁻ᵀ (forces + Aᵀ λ)."""
        total = list(free)
        for y, x in zip(self.Y, self.rows.solve(missing), strict=True):
            total = [t if is_exactly(e, 0.0) else t + e * x for t, e in zip(total, y, strict=True)]
        return vector(total)


def _is_slight(row: Any, size: Any) -> Any:
    """One for a row that is rounding error."""
    return 0.0 if is_exactly(size, 0.0) else is_below(_dot(row, row), size)


def _each(factors: Any, x: Any) -> list[Any]:
    return [e if is_exactly(e, 0.0) else d * e for d, e in zip(factors, x, strict=True)]


def _dot(x: Any, y: Any) -> Any:
    """x · y; exact zeros are passed over."""
    pairs = zip(x, y, strict=True)
    terms = [a * b for a, b in pairs if not is_exactly(a, 0.0) and not is_exactly(b, 0.0)]
    return sum(terms[1:], start=terms[0]) if terms else 0.0
