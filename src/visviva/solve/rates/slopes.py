"""The velocities that joints give to a task of a frame, at positions by thousands.

`Slopes` is the matrix A with A v = velocities of the task, for the joints that move it, with its
singular values; other joints stay out of the account.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.equations.frames.tasks import Task

NO_VELOCITY = 1e-9  # of singular values to the largest one: what is below is zero


@dataclass(frozen=True, eq=False)
class Slopes:
    """A (…, size, n) of a task, where n joints move it, as U Σ Vᵀ."""

    A: Array
    U: Array  # (…, size, size)
    sizes: Array  # (…, min(size, n)), falling
    V: Array  # (…, n, n)

    @classmethod
    def of(cls, A: Array) -> Slopes:
        """By singular values."""
        U, sizes, Vt = np.linalg.svd(A)
        return cls(A, U, sizes, np.swapaxes(Vt, -1, -2))

    @property
    def rank(self) -> Any:
        """(…,) whole numbers."""
        largest = self.sizes[..., :1] if self.sizes.shape[-1] else self.sizes
        return (self.sizes > NO_VELOCITY * np.maximum(largest, 1e-300)).sum(axis=-1)

    def inverse(self, damping: float = 0.0) -> Array:
        """(…, n, size): v of least norm with A v nearest to what is wanted, or damped."""
        k = self.sizes.shape[-1]
        if damping:
            turned = self.sizes / (self.sizes**2 + damping**2)
        else:
            kept = np.arange(k) < np.expand_dims(self.rank, -1)
            turned = np.where(kept, 1.0 / np.where(kept, self.sizes, 1.0), 0.0)
        V, U = self.V[..., :, :k], self.U[..., :, :k]
        return np.asarray((V * turned[..., None, :]) @ np.swapaxes(U, -1, -2))

    @property
    def free(self) -> Array:
        """(…, n, k): motions (columns, orthonormal) that leave the task alone; then zeros."""
        return _after(self.V, self.rank)

    @property
    def lost(self) -> Array:
        """(…, size, k): velocities (columns, orthonormal) that no joint gives; then zeros."""
        return _after(self.U, self.rank)


def _after(columns: Array, rank: Any) -> Array:
    """Columns from the rank on, moved to the front."""
    n = columns.shape[-1]
    most = n - int(np.min(rank, initial=n))
    place = np.expand_dims(rank, -1) + np.arange(most)
    taken = np.take_along_axis(columns, np.minimum(place, n - 1)[..., None, :], axis=-1)
    return np.where((place < n)[..., None, :], taken, 0.0)


def in_words(task: Task, direction: Array) -> str:
    """A velocity of a task as a sum of its rows: "0.8 wx - 0.6 z", the sign so that it begins +."""
    sized = direction / max(float(np.abs(direction).max()), 1e-300)
    terms = [(x, name) for x, name in zip(sized, task.names, strict=True) if abs(x) > 1e-3]
    length = float(np.sqrt(sum(x * x for x, _ in terms)))
    sign = 1.0 if terms[0][0] > 0 else -1.0
    text = ""
    for x, name in terms:
        number = abs(x) / length
        size = "" if abs(number - 1) < 5e-4 else f"{number:.3g} "
        mark = "-" if x * sign < 0 else "+" if text else ""
        text += f" {mark} {size}{name}" if text else f"{mark}{size}{name}"
    return text
