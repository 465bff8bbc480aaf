"""A constrained system at a state, held by rows A a + β = 0: its multipliers, and how it moves.

    M a + h = τ + Aᵀ λ,    A a + β = 0

With M = Lᵀ D L and Y = L⁻ᵀ Aᵀ, the matrix of the multipliers is A M⁻¹ Aᵀ = Yᵀ D⁻¹ Y. Its rows may
depend on each other: accelerations and constraint forces Aᵀ λ are the same whichever are used.

M, positive semidefinite, need not have an inverse if all that the rows admit has inertia. Aᵀ S
times the second equation is added to the first: a and λ stay as they are, whatever S. Where S is
positive for all rows that hold motions without inertia, M + Aᵀ S A is positive definite exactly
where a is determined. Such motions are of coordinates that are `possibly_massless`; rows without an
entry there get no S. Most systems have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_exactly, vector
from visviva.equations.bodies.factor import Factor
from visviva.equations.constraints.semidefinite import SemidefiniteFactor, dot, is_below, select


class ConstraintSolver:
    """The mass matrix M (n, n), with Aᵀ S A where that is needed, and the rows A (k, n), factored.

    `slight` (k,) has the square of the length below which a row is rounding error, zero for none.
    """

    def __init__(
        self, M: Any, A: Any, slight: Sequence[Any] = (), possibly_massless: Sequence[int] = ()
    ) -> None:
        self.M, self.A = vector(M), vector(A)
        self.slight = slight or [0.0] * len(self.A)
        self.added_inertias = self._added_inertias(possibly_massless)
        self.factor = Factor(self._mass_matrix_with_added())
        self.Y = [self.factor.first_half(row) for row in self.A]

    def _added_inertias(self, possibly_massless: Sequence[int]) -> dict[int, Any]:
        """S of the rows that have one: M + Aᵀ S A is as large as M along a row, in any units of it.

        A row that is rounding error has none.
        """
        rows = rows_at(self.A, possibly_massless)
        if not rows:
            return {}
        mean, S = self.M.trace() / len(self.M), {}
        mean = select(is_below(mean, 0.0), 1.0, mean)
        for i in rows:
            square = dot(self.A[i], self.A[i])
            is_none = is_below(square, self.slight[i])
            S[i] = select(is_none, 0.0, mean / select(is_none, 1.0, square))
        return S

    def _mass_matrix_with_added(self) -> Array:
        """M + Aᵀ S A; exact zeros stay."""
        total = self.M.astype(object)
        for i, size in self.added_inertias.items():
            row = self.A[i]
            places = [j for j in range(len(row)) if not is_exactly(row[j], 0.0)]
            for j in places:
                entry = size * row[j]
                for k in (k for k in places if k <= j):
                    total[j, k] = total[k, j] = total[j, k] + entry * row[k]
        return vector(total)

    def _driving_forces(self, forces: Any, bias: Any) -> Array:
        """forces - Aᵀ S β."""
        total = vector(forces)
        for i, size in self.added_inertias.items():
            if not is_exactly(bias[i], 0.0):
                total = total - self.A[i] * (size * bias[i])
        return total

    @cached_property
    def rows(self) -> SemidefiniteFactor:
        """The factor of A M⁻¹ Aᵀ."""
        by_inertia = [_each(self.factor.inverse, y) for y in self.Y]
        k = range(len(self.Y))
        upper = {(i, j): dot(self.Y[i], by_inertia[j]) for i in k for j in k if i <= j}
        G = [[upper[min(i, j), max(i, j)] for j in k] for i in k]
        slight = [_is_slight(row, size) for row, size in zip(self.A, self.slight, strict=True)]
        return SemidefiniteFactor(np.array(G, dtype=object).reshape(len(k), len(k)), slight)

    def multipliers(self, forces: Any, bias: Any) -> Array:
        """λ (k,) for `forces` = τ - h and `bias` = β; of minimum norm where rows are redundant."""
        return self.rows.least_norm(self.some_multipliers(forces, bias))

    def some_multipliers(self, forces: Any, bias: Any) -> Array:
        """λ (k,) that hold the rows; zero for those that depend on rows before them."""
        return self.rows.solve(self._unmet_rates(self._free(forces, bias), bias))

    def acceleration(self, forces: Any, bias: Any) -> Array:
        """a (n,) for `forces` = τ - h and `bias` = β."""
        free = self._free(forces, bias)
        return self.factor.second_half(self._half_of_motion(free, self._unmet_rates(free, bias)))

    def forces(self, forces: Any, bias: Any) -> Array:
        """Aᵀ λ (n,), the same for all λ that hold the rows."""
        return vector(self.A.T @ self.some_multipliers(forces, bias))

    def impulses(self, rates: Any) -> Array:
        """Λ (k,) with M Δv = Aᵀ Λ, where A Δv = `rates`; of least norm if rows are redundant."""
        total = self.rows.solve(rates)  # (M + Aᵀ S A) Δv = Aᵀ of it
        for i, size in self.added_inertias.items():
            total[i] = total[i] - size * rates[i]
        return self.rows.least_norm(total)

    def admitted_velocity(self, v: Any, rates: Any) -> Array:
        """The velocity nearest to v, by its energy, with A v = `rates`: an impulse Aᵀ λ away."""
        return vector(v) + self.nearest_motion(vector(rates) - self.A @ vector(v))

    def projection(self) -> Array:
        """P = 1 - M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁻¹ A: motions that the rows admit, orthogonal by M."""
        n = self.M.shape[0]
        columns = [e - self.nearest_motion(self.A @ e) for e in np.eye(n)]
        return np.stack(columns, axis=1) if columns else np.zeros((0, 0))

    def nearest_motion(self, rates: Any) -> Array:
        """M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁻¹ of rates of the rows: the motion of least energy that has them."""
        at_rest: list[Any] = [0.0] * self.M.shape[0]
        return self.factor.second_half(self._half_of_motion(at_rest, rates))

    def _free(self, forces: Any, bias: Any) -> Array:
        """L⁻ᵀ forces: half of the way to the accelerations without constraint forces."""
        return self.factor.first_half(self._driving_forces(forces, bias))

    def _unmet_rates(self, free: Any, bias: Any) -> Array:
        """What the rows lack in the motion that they do not hold: -(A M⁻¹ forces + β)."""
        rates = _each(self.factor.inverse, free)
        return vector([-(dot(y, rates) + b) for y, b in zip(self.Y, bias, strict=True)])

    def _half_of_motion(self, free: Any, rates: Any) -> Array:
        """L⁻ᵀ (forces + Aᵀ λ)."""
        total = list(free)
        for y, x in zip(self.Y, self.rows.solve(rates), strict=True):
            total = [t if is_exactly(e, 0.0) else t + e * x for t, e in zip(total, y, strict=True)]
        return vector(total)


def rows_at(A: Array, coordinates: Sequence[int]) -> list[int]:
    """The rows with an entry at one of some coordinates, whatever its value."""
    return [i for i, row in enumerate(A) if any(not is_exactly(row[j], 0.0) for j in coordinates)]


def _is_slight(row: Any, size: Any) -> Any:
    """One for a row that is rounding error."""
    return 0.0 if is_exactly(size, 0.0) else is_below(dot(row, row), size)


def _each(factors: Any, x: Any) -> list[Any]:
    return [e if is_exactly(e, 0.0) else d * e for d, e in zip(factors, x, strict=True)]
