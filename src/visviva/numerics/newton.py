"""Newton's method, damped as by Levenberg, for one start or many, with one report.

A step is the shortest that is best to first order (singular values that count for nothing are left
out), damped by λ |f|: far away it is cautious, near a zero it is Newton's own. A step that makes it
worse is taken back, and λ is raised. Rows, columns, the longest step and the way in which a step
moves x are the caller's; nothing else is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from visviva.algebra.arrays import Array

_EPS = float(np.finfo(float).eps)


class Ending(IntEnum):
    """Why the steps ended."""

    CONVERGED = 0  # nothing is left, or steps are as small as rounding
    STALLED = 1  # no step makes it better
    TOO_MANY = 2
    NOT_FINITE = 3


@dataclass(frozen=True)
class NewtonOptions:
    """All numbers of the method."""

    residual_tolerance: float = 0.0  # as good as zero
    step_tolerance: float = 4 * _EPS  # to 1 + |x|: as good as no step
    max_step: float = np.inf
    max_steps: int = 60
    damping: float = 1e-3  # λ to begin with; 0 is Newton's own method, without steps back
    rank_tolerance: float = 1e-13  # singular values that count, to the largest


@dataclass(frozen=True, eq=False)
class NewtonReport:
    """Where steps from N starts led."""

    x: Array  # (N, nx)
    residual: Array  # (N,): the largest entry of what is left, in units of rows
    steps: np.ndarray  # (N,)
    ending: np.ndarray  # (N,) of `Ending`

    @property
    def converged(self) -> np.ndarray:
        """Which ended at a zero."""
        return np.asarray(self.ending == Ending.CONVERGED)


def _add(x: Array, step: Array) -> Array:
    return x + step


def newton(
    value: Callable[[Array], Array],
    slope: Callable[[Array], Array],
    x: Array,
    *,
    move: Callable[[Array, Array], Array] = _add,
    rows: Array | float = 1.0,
    columns: Array | float = 1.0,
    options: NewtonOptions | None = None,
) -> NewtonReport:
    """Zeros of f: (N, nx) -> (N, m) from starts x, with slopes (N, m, n) by steps (N, n)."""
    o = options or NewtonOptions()
    x = np.array(np.atleast_2d(x), dtype=float)
    count = len(x)
    f, ending = np.asarray(value(x)) * rows, np.full(count, Ending.TOO_MANY)
    size = np.linalg.norm(f, axis=1)
    damping, steps = np.full(count, o.damping), np.zeros(count, dtype=int)
    active = np.arange(count)
    for _ in range(o.max_steps):
        is_zero = np.abs(f[active]).max(axis=1, initial=0.0) <= o.residual_tolerance
        is_bad = ~np.isfinite(f[active]).all(axis=1)
        ending[active[is_zero]], ending[active[is_bad]] = Ending.CONVERGED, Ending.NOT_FINITE
        active = active[~(is_zero | is_bad)]
        if not len(active):
            break
        J = np.atleast_2d(rows)[..., None] * np.asarray(slope(x[active])) * columns
        is_finite = np.isfinite(J).all(axis=(1, 2))
        ending[active[~is_finite]] = Ending.NOT_FINITE
        active, J = active[is_finite], J[is_finite]
        step = _step(
            J, f[active], damping[active] * np.minimum(1.0, size[active]) * size[active], o
        )
        step = step * columns
        x_new = np.asarray(move(x[active], step))
        f_new = np.asarray(value(x_new)) * rows
        size_new = np.linalg.norm(f_new, axis=1)
        is_better = size_new < size[active] if o.damping else np.isfinite(size_new)
        least_step = o.step_tolerance * (1 + np.abs(x[active]).max(axis=1))
        is_short = np.abs(step).max(axis=1, initial=0.0) <= least_step
        damping[active] = np.where(
            is_better, 0.1 * damping[active], 10 * np.maximum(damping[active], 1e-12)
        )
        ending[active[is_short]] = Ending.CONVERGED
        is_stuck = ~is_better & ~is_short & (damping[active] > 1e8)
        ending[active[is_stuck]] = Ending.STALLED
        k = active[is_better]
        x[k], f[k], size[k] = x_new[is_better], f_new[is_better], size_new[is_better]
        steps[active] += 1
        active = active[~(is_short | is_stuck)]
    return NewtonReport(x, np.abs(f).max(axis=1, initial=0.0), steps, ending)


def _step(J: Array, f: Array, damping: Array, o: NewtonOptions) -> Array:
    """-V diag(σ / (σ² + λ)) Uᵀ f, no longer than is allowed."""
    U, sizes, Vt = np.linalg.svd(J, full_matrices=False)
    least = o.rank_tolerance * sizes.max(axis=1, initial=0.0)[:, None]
    counts = (sizes > least) & (sizes > 0)
    gain = np.where(counts, sizes / np.where(counts, sizes**2 + damping[:, None], 1.0), 0.0)
    step = -np.einsum("bji,bj->bi", Vt, gain * np.einsum("bji,bj->bi", U, f))
    length = np.abs(step).max(axis=1, initial=0.0)[:, None]
    return np.asarray(step * np.minimum(1.0, o.max_step / np.maximum(length, 1e-300)))
