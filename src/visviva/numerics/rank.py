"""Rank, null space and least squares of a matrix, and signs of a symmetric one.

The rule of tolerance: a singular value counts if it is more than `relative` of the largest plus
`noise`, a bound of the norm of what the entries may be off. Rows of different units are first made
one long each, if `unit_rows`; a row shorter than `relative` of the longest counts as none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from visviva.algebra.arrays import Array

RELATIVE = 1e-9  # THE tolerance of rank, where no errors of entries are known
CLEAR = 1e3  # between the last singular value that counts and the first that does not
_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Split:
    """U diag(σ) Vᵀ, and how many σ count."""

    U: Array
    sizes: Array
    Vt: Array
    least: float  # what does not count is at most this

    @cached_property
    def rank(self) -> int:
        """How many singular values count."""
        return int((self.sizes > self.least).sum())

    @property
    def null_space(self) -> Array:
        """Columns x with A x = 0, orthonormal."""
        return np.asarray(self.Vt[self.rank :].T)

    @property
    def is_clear(self) -> bool:
        """Whether another tolerance, within reason, would give the same rank."""
        after = float(self.sizes[self.rank]) if self.rank < len(self.sizes) else 0.0
        return self.rank == 0 or float(self.sizes[self.rank - 1]) > CLEAR * max(after, self.least)

    def solve(self, b: Array) -> Array:
        """The shortest x for which A x is nearest to b."""
        k = self.rank
        return np.asarray(self.Vt[:k].T @ ((self.U[:, :k].T @ b).T / self.sizes[:k]).T)


def split(
    A: Array, *, relative: float = RELATIVE, noise: float = 0.0, unit_rows: bool = False
) -> Split:
    """Of a matrix (m, n)."""
    A = np.asarray(A, dtype=float)
    if unit_rows and A.size:
        length = np.linalg.norm(A, axis=1)
        large = length > relative * length.max()
        A = np.where(large[:, None], A / np.where(large, length, 1.0)[:, None], 0.0)
    if not A.size:
        return Split(np.eye(A.shape[0]), np.zeros(0), np.eye(A.shape[1]), noise)
    U, sizes, Vt = np.linalg.svd(A)
    return Split(U, sizes, Vt, max(relative, _EPS * max(A.shape)) * float(sizes[0]) + noise)


def signs(A: Array, radius: Array | float = 0.0) -> tuple[int, int, int]:
    """How many eigenvalues of a symmetric matrix are certainly > 0, not known, certainly < 0.

    Entries are known to ± `radius`. Scaled to a unit diagonal first, which changes no sign
    (Sylvester), so that a weak direction is judged beside a stiff one; then by Weyl's bound.
    """
    A = (A + A.T) / 2
    radii = np.broadcast_to(np.asarray(radius, dtype=float), A.shape)
    size = np.sqrt(np.maximum(np.abs(A).max(axis=0, initial=0.0), 1e-300))
    unit = np.exp2(-np.round(np.log2(size)))  # powers of two: exactly
    even, doubt = A * np.outer(unit, unit), (radii + radii.T) / 2 * np.outer(unit, unit)
    bound = float(np.linalg.norm(doubt)) + 8 * _EPS * len(A) * float(np.linalg.norm(even))
    values = np.linalg.eigvalsh(even) if len(A) else np.zeros(0)
    above, below = int((values > bound).sum()), int((values < -bound).sum())
    return above, len(values) - above - below, below


def smallest_singular_value(A: Array, radius: Array | float = 0.0) -> float:
    """A bound below it for all matrices with entries in A ± radius; 0 if they may lose rank."""
    if not A.size:
        return 0.0
    sizes = np.linalg.svd(A, compute_uv=False)
    doubt = float(np.linalg.norm(np.broadcast_to(radius, A.shape)))
    return float(max(0.0, sizes[-1] - doubt - 8 * _EPS * max(A.shape) * sizes[0]))
