"""A system at a position, held by rows A a + β = 0: what its multipliers are and how it moves.

    M a + h = τ + Aᵀ λ,    A a + β = 0

With M = Lᵀ D L and Y = L⁻ᵀ Aᵀ, the matrix of the multipliers is A M⁻¹ Aᵀ = Yᵀ D⁻¹ Y. Its rows may
depend on each other: accelerations and constraint forces Aᵀ λ are the same whichever are used.
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
    """

    def __init__(
        self, M: Any, A: Any, slight: Sequence[Any] = (), stiffness: Array | None = None
    ) -> None:
        self.M, self.A, self.stiffness = vector(M), vector(A), stiffness
        self.slight = slight or [0.0] * len(self.A)
        self.factor = Factor(M)
        self.Y = [self.factor.first_half(row) for row in self.A]

    @classmethod
    def stiffened(cls, M: Any, A: Any, slight: Sequence[Any] = ()) -> Held:
        """Where M alone has no inverse: Aᵀ W (A a + β) = 0 is added to M a + h = τ + Aᵀ λ.

        W makes Aᵀ W A as large as M, in whatever units rows are; rows that are none have no part.
        """
        M, A = vector(M), vector(A)
        slight = slight or [0.0] * len(A)
        size = M.trace() / len(M)
        size = chosen(is_below(size, 0.0), 1.0, size)
        W = []
        for row, least in zip(A, slight, strict=True):
            square = _dot(row, row)
            lost = is_below(square, least)
            W.append(chosen(lost, 0.0, size / chosen(lost, 1.0, square)))
        return cls(M + A.T @ (vector(W)[:, None] * A), A, slight, vector(W))

    def _driving(self, forces: Any, bias: Any) -> Array:
        if self.stiffness is None:
            return vector(forces)
        return vector(forces) - self.A.T @ (self.stiffness * vector(bias))

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
