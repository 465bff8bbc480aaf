"""One solution for each pose: the nearest to a position, or the one that continues a path."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visviva.algebra.arrays import Array
from visviva.solve.inverse.answers import Answers, Solver


def nearest_of(found: Answers, near: Array) -> Answers:
    """Of every target the solution nearest to `near` (N, n), as an `Answers` with S = 1."""
    if not found.q.shape[1]:
        return found
    off = found.q - near[:, None]
    far = np.where(np.isfinite(found.residuals), np.sqrt(np.sum(off * off, axis=-1)), np.inf)
    best = np.argmin(far, axis=1)[:, None]
    q = np.take_along_axis(found.q, best[..., None], axis=1)
    return replace(found, q=q, residuals=np.take_along_axis(found.residuals, best, axis=1))


def path_followed(solver: Solver, X: Array, start: Array, max_jump: float) -> tuple[Answers, str]:
    """From target to target the nearest solution; and where none is within `max_jump`, the reason.

    What comes after that is nan.
    """
    whole = solver.answers(X, np.broadcast_to(start, (len(X), len(start))))
    before = start
    steps: list[Answers] = []
    for i in range(len(X)):
        here = solver.replaced(whole, i, X, before)
        one = nearest_of(here, before[None])
        jump = np.abs(one.q[0, 0] - before).max(initial=0.0) if one.q.shape[1] else np.nan
        if not jump <= max_jump:
            return _joined(whole, steps, len(X)), _stopped(solver, i, one, before, jump, max_jump)
        steps.append(one)
        before = one.q[0, 0]
    return _joined(whole, steps, len(X)), ""


def _joined(whole: Answers, steps: list[Answers], N: int) -> Answers:
    n = whole.q.shape[-1]
    q, residuals = np.full((N, 1, n), np.nan), np.full((N, 1), np.nan)
    for i, one in enumerate(steps):
        q[i], residuals[i] = one.q[0], one.residuals[0]
    return replace(whole, q=q, residuals=residuals)


def _stopped(
    solver: Solver, i: int, one: Answers, before: Array, jump: float, max_jump: float
) -> str:
    where = f"none continues at pose {i}"
    if not np.isfinite(jump):
        return f"{where}: there is no solution"
    k = int(np.argmax(np.abs(one.q[0, 0] - before)))
    return (
        f"{where}: in the nearest solution {solver.chain.names[k]} jumps by {jump:.6g}, "
        f"more than max_jump = {max_jump:g}"
    )
