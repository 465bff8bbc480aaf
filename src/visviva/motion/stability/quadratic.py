"""A₁ q̈ + A₂ q̇ + A₃ q = F: its five matrices, and what kind of system they make.

A₁ = M, A₂ = D + G, A₃ = K + H, symmetric and skew parts. What is zero is decided in units in which
every coordinate has the inertia one, so that metres and radians are alike: entries below rounding
count as none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse.csgraph

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError, ShapeError

NOTHING = 1e-11  # of the largest entry of a matrix: what formulas of mechanisms leave of a zero
CLASSES = (  # which of D, G, H are there
    ("conservative", ""),
    ("gyroscopic conservative", "G"),
    ("damped", "D"),
    ("damped gyroscopic", "DG"),
    ("circulatory", "H"),
)


@dataclass(frozen=True, eq=False)
class Quadratic:
    """The matrices (n, n) of a linear system of second order."""

    A1: Array
    A2: Array
    A3: Array

    def __post_init__(self) -> None:
        for name in ("A1", "A2", "A3"):
            A = np.array(getattr(self, name), dtype=float)
            A.setflags(write=False)
            object.__setattr__(self, name, A)
            if A.ndim != 2 or A.shape != self.A1.shape or A.shape[0] != A.shape[1]:
                raise ShapeError(
                    f"A1, A2 and A3 are square and of one size; {name} is {A.shape}, "
                    f"A1 is {self.A1.shape}"
                )
            if not np.isfinite(A).all():
                raise ArgumentError(f"{name} is finite, got {A.tolist()!r:.200}")
        if np.abs(self.A1 - self.A1.T).max() > NOTHING * np.abs(self.A1).max():
            raise ArgumentError("A1 = M is symmetric: no mechanism has another one")
        least = float(np.linalg.eigvalsh(self._scaled_inertia).min())
        if not least > 0.0:
            raise ArgumentError(
                "A1 = M is positive definite: there is a motion that takes no energy "
                f"(its least eigenvalue is {least:.3g})"
            )

    @cached_property
    def _scaled_inertia(self) -> Array:
        size = np.sqrt(np.abs(np.diag(self.A1)))
        size[size == 0] = 1.0
        return np.asarray(_even(self.A1) / np.outer(size, size))

    @property
    def M(self) -> Array:
        """Inertia, symmetric."""
        return _even(self.A1)

    @property
    def D(self) -> Array:
        """Damping, symmetric."""
        return _even(self.A2)

    @property
    def G(self) -> Array:
        """Gyroscopic, skew."""
        return _odd(self.A2)

    @property
    def K(self) -> Array:
        """Stiffness, symmetric."""
        return _even(self.A3)

    @property
    def H(self) -> Array:
        """Circulatory, skew."""
        return _odd(self.A3)

    @cached_property
    def sizes(self) -> dict[str, float]:
        """The largest entries of D, G (1/s) and K, H (1/s²), for coordinates of inertia one."""
        unit = 1.0 / np.sqrt(np.diag(self.A1))
        scale = np.outer(unit, unit)
        return {x: float(np.abs(getattr(self, x) * scale).max(initial=0.0)) for x in "DGKH"}

    @cached_property
    def parts(self) -> str:
        """Which of D, G, K, H are not zero, as letters."""
        size = self.sizes
        rate = max(size["D"], size["G"], np.sqrt(max(size["K"], size["H"])))
        least = {"D": rate, "G": rate, "K": rate**2, "H": rate**2}
        return "".join(x for x in "DGKH" if size[x] > NOTHING * least[x])

    @property
    def kind(self) -> str:
        """conservative, gyroscopic conservative, damped (gyroscopic), circulatory, or general."""
        there = self.parts.replace("K", "")
        return next((kind for kind, parts in CLASSES if parts == there), "general")

    @cached_property
    def stiffness_signs(self) -> tuple[int, int, int]:
        """How many directions K pushes back in, leaves alone, and pushes away in."""
        return self._signs(self.K)

    @cached_property
    def damping_signs(self) -> tuple[int, int, int]:
        """How many directions D brakes, leaves alone, and drives."""
        return self._signs(self.D) if "D" in self.parts else (0, len(self.A1), 0)

    @property
    def is_passive(self) -> bool:
        """Whether it can give off no more energy than it was given: H = 0, D ≥ 0, K ≥ 0."""
        signs = self.stiffness_signs[2], self.damping_signs[2]
        return "H" not in self.parts and signs == (0, 0)

    @cached_property
    def blocks(self) -> list[Array]:
        """Coordinates that move without the others: which they are, one array for each block."""
        unit = 1.0 / np.sqrt(np.diag(self.A1))
        linked = np.zeros(self.A1.shape, dtype=bool)
        for A in (self.A1, self.A2, self.A3):
            scaled = np.abs(A * np.outer(unit, unit))
            linked |= scaled > NOTHING * scaled.max(initial=0.0)
        count, label = scipy.sparse.csgraph.connected_components(linked, directed=False)
        return [np.flatnonzero(label == k) for k in range(count)]

    def block(self, some: Array) -> Quadratic:
        """The system of some coordinates alone."""
        at = np.ix_(some, some)
        return Quadratic(self.A1[at], self.A2[at], self.A3[at])

    @property
    def state_matrix(self) -> Array:
        """F with d/dt (q, q̇) = F (q, q̇)."""
        n = len(self.A1)
        lower = -np.linalg.solve(self.A1, np.hstack([self.A3, self.A2]))
        return np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), lower])

    def _signs(self, S: Array) -> tuple[int, int, int]:
        """Of the eigenvalues relative to M: above, at and below zero."""
        L = np.linalg.cholesky(self.M)
        half = np.linalg.solve(L, S)
        values = np.linalg.eigvalsh(_even(np.linalg.solve(L, half.T)))
        near = NOTHING * max(float(np.abs(values).max(initial=0.0)), 1e-300)
        away = _count(values < -near)
        return _count(values > near), _count(np.abs(values) <= near), away


def _count(mask: Array) -> int:
    return int(np.count_nonzero(mask))


def _even(A: Array) -> Array:
    return np.asarray(0.5 * (A + A.T))


def _odd(A: Array) -> Array:
    return np.asarray(0.5 * (A - A.T))
