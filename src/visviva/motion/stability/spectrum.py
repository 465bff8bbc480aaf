"""Eigenvalues of ẋ = F x with bounds of their errors, and the directions that stay or drift.

What F does not move is taken out first, again and again: directions x with F x = 0 stay where they
are put, then those that F moves into them, and so on: on all of these F is a nilpotent N. exp(N t)
grows as N^p t^p / p!, so that what drifts is the image of the last power of N that is not zero. The
rest has no eigenvalue zero, and none of the false pairs ±1e-8 that rounding makes of a double zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.linalg

from visviva.algebra.arrays import Array
from visviva.motion.stability.quadratic import EPS

STILL = 1e-12  # of singular values to the largest: directions that F does not move


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues (m,), their vectors (columns), and how far each may be off."""

    eigenvalues: Array  # those of what stays or drifts are last, exactly zero
    vectors: Array
    bounds: Array
    staying: Array  # (m, k): directions that stay where they are put
    drifting: Array  # (m, j): directions in which it goes on at a constant rate, or faster
    power: int = 0  # of t, by which what has the eigenvalue zero grows: 1 at a constant rate
    going: Array = field(default_factory=lambda: np.zeros((0, 0)))  # (m, i): changes that begin it
    zeros: int = 0  # how many eigenvalues are those of what stays or drifts

    @property
    def moving(self) -> int:
        """How many eigenvalues are not those of what stays or drifts."""
        return len(self.eigenvalues) - self.zeros

    @property
    def growing(self) -> Array:
        """Which of them certainly grow."""
        return np.asarray(self.eigenvalues.real > self.bounds)

    @property
    def decaying(self) -> Array:
        """Which of them certainly decay."""
        return np.asarray(self.eigenvalues.real < -self.bounds)

    def on_axis(self) -> Array:
        """Which are on the imaginary axis for certain, where spectra are mirrored in it.

        A mirrored eigenvalue that no other one is near must be its own mirror image.
        """
        z, off = self.eigenvalues[: self.moving], self.bounds[: self.moving]
        alone = np.ones(len(self.eigenvalues), dtype=bool)
        for i in range(len(z)):
            apart = np.abs(z - z[i]) > 2 * (off + off[i])
            apart[i] = True
            alone[i] = abs(z[i].real) <= off[i] and bool(apart.all())
        return alone


def spectrum(F: Array, level: int | None = None, noise: Array | float = 0.0) -> Spectrum:
    """Of a square matrix; its states are scaled by powers of two first.

    `level`: how many directions F does not move, where that is known; `noise`: errors of entries.
    """
    m = len(F)
    if not m:
        none = np.zeros((0, 0))
        return Spectrum(np.zeros(0, complex), none, np.zeros(0), none, none)
    with np.errstate(invalid="ignore"):  # of permutations, which there are none of
        balanced, (scale, _) = scipy.linalg.matrix_balance(F, permute=False, separate=True)
    whole, all_of_it = np.eye(m), balanced
    rounding = 8 * EPS * m * float(np.linalg.norm(balanced))  # of what is left of it below
    parts: list[Array] = []
    while balanced.size:
        _, sizes, Vt = np.linalg.svd(balanced)
        least = max(STILL * sizes[0], 1e-300, rounding if parts else 0.0)
        rank = int((sizes > least).sum())
        most = parts[-1].shape[1] if parts else level  # each chain begins with what stays
        rank = rank if most is None else max(rank, len(sizes) - most)
        if rank == len(sizes):
            break
        parts.append(whole @ Vt[rank:].T)
        rest = Vt[:rank].T
        balanced, whole = rest.T @ balanced @ rest, whole @ rest
    values, left, right = (
        scipy.linalg.eig(balanced, left=True)
        if balanced.size
        else (np.zeros(0, complex), np.zeros((0, 0)), np.zeros((0, 0)))
    )
    cosines = np.abs((left.conj() * right).sum(axis=0)) if balanced.size else np.zeros(0)
    with np.errstate(divide="ignore"):
        errors = np.full(len(values), rounding)
        if np.any(noise):
            spread = np.abs(whole).T @ (noise / scale[:, None] * scale) @ np.abs(whole)
            errors = errors + (np.abs(left) * (spread @ np.abs(right))).sum(axis=0)
        bounds = errors / cosines
    order = np.lexsort((values.imag, np.abs(values.imag), -values.real.round(12)))
    values, right, bounds = values[order], right[:, order], bounds[order]
    zeros = sum(p.shape[1] for p in parts)
    still = np.hstack(parts) if parts else np.zeros((m, 0))
    own = whole @ right
    for _ in parts:  # each adds what F moves into the directions that were taken out
        own = all_of_it @ own / values
    vectors = np.hstack([own, still]) * scale[:, None]
    first = parts[0] if parts else np.zeros((m, 0))
    power = max(len(parts) - 1, 0)
    grown = parts[-1] if power else np.zeros((m, 0))
    for _ in range(power):
        grown = all_of_it @ grown
    return Spectrum(
        np.concatenate([values, np.zeros(zeros)]),
        vectors,
        np.concatenate([bounds, np.zeros(zeros)]),
        first * scale[:, None],
        first @ (first.T @ grown) * scale[:, None],  # F^(p+1) moves it no more
        power,
        (np.hstack(parts[1:]) if power else np.zeros((m, 0))) * scale[:, None],
        zeros,
    )
