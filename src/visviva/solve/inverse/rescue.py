"""Targets without a solution, looked at again before that is said.

A closed form loses its way where every angle of a joint would do: it goes on with one of them, and
what comes after may fail for this one alone. Such targets are few and singular: near them there
are solutions. And the pose that comes nearest to a target tells whether that is a solution.
"""

from __future__ import annotations

import numpy as np

from visviva.algebra.arrays import Array
from visviva.solve.inverse.answers import Answers, Solver
from visviva.solve.inverse.checks.nearest import Nearest, ends_of, nearest
from visviva.solve.inverse.closed.axes import size_of
from visviva.solve.inverse.placing import at_their_turns

EXPLAINED = 64  # targets out of reach whose nearest pose is looked for
ASIDE = 1e-7  # of the arm's size, and in radians: how far beside a target it is tried
NEIGHBOURS = 6
THERE = 1e-8  # metres and radians: a nearest pose that is the target


def looked_at_again(solver: Solver, X: Array, found: Answers, near: Array) -> dict[int, Nearest]:
    """The nearest poses of targets without solutions; what are solutions after all is put in."""
    missing = np.flatnonzero((found.count == 0) & (found.outside == 0))
    if not len(missing):
        return {}
    suspects = missing[_has_neighbours(solver, X[missing])] if found.complete.any() else missing
    first = [*suspects.tolist(), *(i for i in missing.tolist() if i not in {*suspects.tolist()})]
    told: dict[int, Nearest] = {}
    shown = first[:EXPLAINED]
    for i, best in zip(shown, nearest(solver.checker, X[shown]), strict=True):
        theta = solver.checker.polished(best.theta, X[i])
        if max(best.metres, best.radians) < THERE and _put_in(solver, X, found, near, i, theta):
            continue
        told[i] = best
    ends = ends_of(solver.chain)
    if solver.limits and told and np.isfinite(ends).any():
        told = dict(zip(told, nearest(solver.checker, X[[*told]], limits=True), strict=True))
    for i in first[EXPLAINED:]:  # nobody looked
        found.complete[i] &= i not in {*suspects.tolist()} and not solver.method.is_checked
    return told


def _has_neighbours(solver: Solver, X: Array) -> np.ndarray:
    """Which targets have solutions a little beside them."""
    rng = np.random.default_rng(0)
    seen = np.zeros(len(X), dtype=bool)
    size = size_of(solver.chain)
    for _ in range(NEIGHBOURS):
        step = rng.normal(size=(len(X), 3)) * ASIDE * size
        beside = X.copy()
        if solver.task == "position":
            beside += step
        else:
            beside[:, :3, 3] += step
        theta, _ = solver.method.solve(beside)
        seen |= np.any(np.isfinite(theta).all(axis=-1), axis=1)
    return seen


def _put_in(solver: Solver, X: Array, found: Answers, near: Array, i: int, theta: Array) -> bool:
    """A solution that was overlooked; whether limits allow it."""
    residual = float(solver.checker.function(theta, X[i])[0])
    q = at_their_turns(solver.chain, solver.chain.positions(theta), near[i], solver.limits)
    found.complete[i] = False
    if not residual < THERE or not np.isfinite(q).all():
        return False
    if not found.q.shape[1]:
        N, _, n = found.q.shape
        found.q, found.residuals = np.full((N, 1, n), np.nan), np.full((N, 1), np.nan)
    found.q[i, 0], found.residuals[i, 0] = q, residual
    return True
