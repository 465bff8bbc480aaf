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

NOTHING = 1e-11  # of what a row and a column have: what formulas of mechanisms leave of a zero
FEWER = 1e-3  # of the fastest rate to that of a row: less may be what rounding leaves of zeros
EPS = float(np.finfo(float).eps)
CLASSES = (  # which of D, G, H are there
    ("conservative", ""),
    ("gyroscopic conservative", "G"),
    ("damped", "D"),
    ("damped gyroscopic", "DG"),
    ("circulatory", "H"),
)


@dataclass(frozen=True, eq=False)
class Quadratic:
    """The matrices (n, n) of a linear system of second order.

    `noise` bounds the errors of the entries of A2 and A3, where they are known; `is_exact` if the
    matrices were given, not computed, so that each stands for itself.
    """

    A1: Array
    A2: Array
    A3: Array
    noise: tuple[Array, Array] | None = None
    is_exact: bool = True

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
            if not A.size:
                raise ShapeError(f"A1, A2 and A3 have one row at least; {name} is {A.shape}")
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
    def zero(self) -> dict[str, Array]:
        """Below what entries of A2, A3 and their parts count as zero."""
        two, three = self.noise or self._usual()
        both = {"A2": two, "A3": three}
        return both | {"D": _even(two), "G": _even(two), "K": _even(three), "H": _even(three)}

    def _usual(self) -> tuple[Array, Array]:
        """What rounding may leave of zeros in A2 and A3, where nothing better is known."""
        inertia = np.sqrt(np.diag(self.A1))
        scale = np.outer(inertia, inertia)
        damped, stiff = (
            np.maximum(*(np.abs(A / scale).max(axis=k) for k in (0, 1))) for A in (self.A2, self.A3)
        )
        if not self.is_exact:
            rate = np.maximum(damped, np.sqrt(stiff))
            rate = np.maximum(rate, FEWER * rate.max())
            damped, stiff = rate, rate**2
        two, three = (NOTHING * np.sqrt(np.outer(x, x)) * scale for x in (damped, stiff))
        return two, three

    @cached_property
    def parts(self) -> str:
        """Which of D, G, K, H are not zero, as letters."""
        return "".join(x for x in "DGKH" if (np.abs(getattr(self, x)) > self.zero[x]).any())

    @property
    def kind(self) -> str:
        """conservative, gyroscopic conservative, damped (gyroscopic), circulatory, or general."""
        there = self.parts.replace("K", "")
        return next((kind for kind, parts in CLASSES if parts == there), "general")

    @cached_property
    def stiffness_signs(self) -> tuple[int, int, int]:
        """How many directions K pushes back in, leaves alone, and pushes away in."""
        return _signs(self.K, self.zero["K"])

    @cached_property
    def damping_signs(self) -> tuple[int, int, int]:
        """How many directions D brakes, leaves alone, and drives."""
        return _signs(self.D, self.zero["D"])

    @cached_property
    def level(self) -> int:
        """In how many directions A3 has no force at all: those that stay where they are put."""
        A, off = _evened(self.A3, self.zero["A3"])
        sizes = np.linalg.svd(A, compute_uv=False)
        return int(np.count_nonzero(sizes <= off))

    @property
    def is_passive(self) -> bool:
        """Whether it can give off no more energy than it was given: H = 0, D ≥ 0, K ≥ 0."""
        signs = self.stiffness_signs[2], self.damping_signs[2]
        return "H" not in self.parts and signs == (0, 0)

    @cached_property
    def blocks(self) -> list[Array]:
        """Coordinates that move without the others: which they are, one array for each block."""
        unit = 1.0 / np.sqrt(np.diag(self.A1))
        linked = np.abs(self.A1 * np.outer(unit, unit)) > NOTHING
        for name in ("A2", "A3"):
            linked |= np.abs(getattr(self, name)) > self.zero[name]
        count, label = scipy.sparse.csgraph.connected_components(linked, directed=False)
        return [np.flatnonzero(label == k) for k in range(count)]

    def block(self, some: Array) -> Quadratic:
        """The system of some coordinates alone, with zeros where nothing else is known."""
        at = np.ix_(some, some)
        noise = None if self.noise is None else (self.noise[0][at], self.noise[1][at])
        A2, A3 = (
            np.where(np.abs(A) > self.zero[x], A, 0.0)
            for x, A in zip(("A2", "A3"), (self.A2, self.A3), strict=True)
        )
        return Quadratic(self.A1[at], A2[at], A3[at], noise, self.is_exact)

    @property
    def state_matrix(self) -> Array:
        """F with d/dt (q, q̇) = F (q, q̇); what rounding leaves where inertia couples is zero."""
        n, forces = len(self.A1), np.hstack([self.A3, self.A2])
        lower = -np.linalg.solve(self.A1, forces)
        inverse = np.abs(np.linalg.inv(self.A1))
        off = 8 * EPS * n * (inverse @ (np.abs(self.A1) @ np.abs(lower) + np.abs(forces)))
        if self.noise is not None:
            off = off + inverse @ np.hstack([self.noise[1], self.noise[0]])
        lower[np.abs(lower) <= off] = 0.0
        return np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), lower])

    @property
    def state_noise(self) -> Array | float:
        """Bounds of the errors of its entries that A2 and A3 bring, where they are known."""
        if self.noise is None:
            return 0.0
        n = len(self.A1)
        lower = np.abs(np.linalg.inv(self.A1)) @ np.hstack([self.noise[1], self.noise[0]])
        return np.vstack([np.zeros((n, 2 * n)), lower])


def _signs(S: Array, noise: Array) -> tuple[int, int, int]:
    """Of the eigenvalues of a symmetric matrix: above, at and below zero.

    Signs are the same in all units (Sylvester), so that a weak direction beside a stiff one is
    judged by its own.
    """
    even, off = _evened(S, noise)
    values = np.linalg.eigvalsh(_even(even))
    counts = values > off, np.abs(values) <= off, values < -off
    above, at, below = (int(np.count_nonzero(x)) for x in counts)
    return above, at, below


def _evened(A: Array, noise: Array) -> tuple[Array, float]:
    """A in units in which each row or column has a largest entry near one; and what is zero."""
    A = np.where(np.abs(A) > noise, A, 0.0)
    unit = np.ones(len(A))
    for _ in range(12):
        size = np.abs(A * np.outer(unit, unit))
        row = np.maximum(size.max(axis=0), size.max(axis=1))
        unit = unit / np.sqrt(np.where(row > 0, row, 1.0))
    scale = np.outer(unit, unit)
    kept = np.where(A != 0, noise * scale, 0.0)
    return A * scale, 8 * EPS * len(A) + float(np.linalg.norm(kept))


def _even(A: Array) -> Array:
    return np.asarray(0.5 * (A + A.T))


def _odd(A: Array) -> Array:
    return np.asarray(0.5 * (A - A.T))
