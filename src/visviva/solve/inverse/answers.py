"""From the angles that a method finds to positions, checked, at the right turns and in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.equations.frames.chain import SerialChain
from visviva.solve.inverse.checks.checking import SUSPECT, Checker
from visviva.solve.inverse.checks.continua import brought_to, freedom
from visviva.solve.inverse.closed.axes import size_of
from visviva.solve.inverse.methods import Method
from visviva.solve.inverse.placing import all_copies, at_their_turns, in_order, without_twins

MEETS = 1e-9  # radians, and of the arm's size: what is nearer to a target is at it
SHARP = 1e-13  # radians and metres: what formulas leave, but for those that lose digits
VERY_NEAR = 1e-6  # radians, and of the arm's size: from a pose to one very near
NEARER = 5e-3  # of the least singular value: solutions there are no farther than a share of FAR
FLAT = 1e-8  # singular values below it are those of rounding
FAR = (
    0.05  # from solutions of the one to those of the other, which are no more than roots of it away
)
ELSEWHERE = 49  # positions of a continuum that are tried where the limits exclude the first
TOGETHER = 16384  # poses that are looked at at once


@dataclass(eq=False)
class Answers:
    """Positions of the chain's joints for N targets, nan where there are fewer than S."""

    q: Array  # (N, S, n)
    residuals: Array  # (N, S)
    complete: np.ndarray  # (N,)
    outside: np.ndarray  # (N,): how many the limits exclude
    free: dict[int, np.ndarray] = field(default_factory=dict)  # by target: joints that may move

    @property
    def count(self) -> np.ndarray:
        """How many solutions each target has."""
        return np.asarray(np.isfinite(self.residuals).sum(axis=1))


@dataclass(frozen=True, eq=False)
class Solver:
    """A chain, what is asked of its frame, and how the angles are found."""

    chain: SerialChain
    task: str
    method: Method
    limits: bool
    copies: bool

    @cached_property
    def checker(self) -> Checker:
        """Looks at what the method finds."""
        return Checker(self.chain, self.task)

    @cached_property
    def tolerance(self) -> float:
        """What misses a target by no more is at it."""
        return MEETS * max(1.0, size_of(self.chain))

    def answers(self, X: Array, near: Array) -> Answers:
        """All solutions; angles at the turn nearest to `near` (N, n) that the limits allow."""
        cuts = [*range(0, max(len(X), 1), TOGETHER), len(X)]
        parts = [self._part(X[i:j], near[i:j]) for i, j in pairwise(cuts)]
        if len(parts) == 1:
            return parts[0]
        width = max(part.q.shape[1] for part in parts)
        free = {
            i + k: x for i, part in zip(cuts, parts, strict=False) for k, x in part.free.items()
        }
        return Answers(
            np.concatenate([_widened(part.q, width) for part in parts]),
            np.concatenate([_widened(part.residuals, width) for part in parts]),
            np.concatenate([part.complete for part in parts]),
            np.concatenate([part.outside for part in parts]),
            free,
        )

    def replaced(self, whole: Answers, i: int, X: Array, near: Array) -> Answers:
        """The solutions of target i with their angles nearest to another position."""
        if i in whole.free:  # free joints go where they are wanted
            return self._part(X[i : i + 1], near[None])
        q = at_their_turns(self.chain, whole.q[i : i + 1], near, self.limits)
        residuals = np.where(np.isfinite(q[..., 0]), whole.residuals[i : i + 1], np.nan)
        return Answers(q, residuals, whole.complete[i : i + 1], whole.outside[i : i + 1])

    def _part(self, X: Array, near: Array) -> Answers:
        chain = self.chain
        theta, complete = self.method.solve(X)
        theta, complete = np.array(theta, dtype=float), np.array(complete, dtype=bool)
        residuals, gram = self.residuals_and_grams(theta, X)
        with np.errstate(invalid="ignore"):
            self._refine(theta, residuals, gram, X)
            theta[~(residuals <= self.tolerance)] = np.nan
            theta[np.isnan(without_twins(chain, chain.positions(theta))[..., 0])] = np.nan
            residuals[np.isnan(theta[..., 0])] = np.nan
            suspects = np.argwhere((gram < SUSPECT) & (residuals <= self.tolerance))
        free, moving = self._freed(theta, residuals, complete, suspects, X, near)
        if self.method.branches:
            complete &= ~self._has_others(theta)
        q = without_twins(chain, chain.positions(theta))
        before = np.isfinite(q[..., 0]).sum(axis=1)
        whole, q = q, at_their_turns(chain, q, near[:, None], self.limits)
        lost = [x for x in moving if np.isfinite(whole[x[0]]).all() and np.isnan(q[x[0]]).any()]
        for at, joint in lost:
            q[at], residuals[at] = self._elsewhere(theta[at], X[at[0]], joint, near[at[0]])
        there = np.isfinite(q[..., 0])
        residuals, outside = np.where(there, residuals, np.nan), before - there.sum(axis=1)
        if self.copies:
            q, residuals, complete = self._with_copies(q, residuals, complete)
        q, residuals = in_order(q, residuals)
        most = int(np.isfinite(residuals).sum(axis=1).max(initial=0))
        return Answers(q[:, :most], residuals[:, :most], complete, outside, free)

    def _refine(self, theta: Array, residuals: Array, gram: Array, X: Array) -> None:
        """Newton's steps where a formula has lost digits, kept if they help."""
        i, k = np.nonzero((residuals > SHARP) & (residuals <= self.tolerance) & (gram > SUSPECT))
        if not len(i):
            return
        better = self.checker.polished(theta[i, k], X[i], 2)
        left, size = self.residuals_and_grams(better[:, None], X[i])
        good = left[:, 0] < residuals[i, k]
        i, k = i[good], k[good]
        theta[i, k], residuals[i, k], gram[i, k] = better[good], left[good, 0], size[good, 0]

    def _has_others(self, theta: Array) -> np.ndarray:
        """Whether poses (N,) very near have solutions that are far from all of θ (N, S, n).

        A branch ends where a joint is free and was put somewhere from where the others do not
        reach: at one pose and not beside it. Beside a singular position solutions go far from one
        pose to the next: what is found there is looked at again at a pose that is nearer.
        """
        found = np.asarray(np.isfinite(theta).all(axis=2))
        others = np.zeros(len(theta), dtype=bool)
        some = np.flatnonzero(found.any(axis=1))
        some = some[self._beside(theta[some], np.full(len(some), VERY_NEAR))]
        if not len(some):
            return others
        J = self.checker.rows(np.nan_to_num(theta[some]))
        sizes = np.linalg.svd(J, compute_uv=False)[..., -1]
        least = np.where(found[some], sizes, np.inf).min(axis=1)
        again = np.flatnonzero(least > FLAT)
        others[some] = True
        near = np.minimum(NEARER * least[again], VERY_NEAR)
        others[some[again]] = self._beside(theta[some[again]], near)
        return others

    def _beside(self, theta: Array, near: Array) -> np.ndarray:
        """Whether poses (N,), so near (N,), have solutions far from all of θ (N, S, n)."""
        if not len(theta):
            return np.zeros(0, dtype=bool)
        chain, n = self.chain, theta.shape[2]
        found = np.isfinite(theta).all(axis=2)
        first = theta[np.arange(len(theta)), np.argmax(found, axis=1)]
        scale = np.array([1.0 if x == "R" else size_of(chain) for x in chain.letters])
        step = near[:, None] * scale * np.resize([1.0, -0.7, 0.4, -0.9], n)
        R, p = chain.poses(first + step)
        X = np.tile(np.eye(4), (len(theta), 1, 1))
        X[:, :3, :3], X[:, :3, 3] = R, p
        goal = p if self.task == "position" else X
        beside = np.array(self.method.solve(goal)[0], dtype=float)
        residuals, _ = self.residuals_and_grams(beside, goal)
        with np.errstate(invalid="ignore"):
            meets = residuals <= self.tolerance
            gaps = np.abs(beside[:, :, None] - theta[:, None]) / scale
            turns = np.array([2 * np.pi if x == "R" else np.inf for x in chain.letters])
            gaps = np.minimum(gaps % turns, turns - gaps % turns)
            nearest = np.nanmin(np.where(np.isnan(gaps), np.inf, gaps).max(axis=3), axis=2)
        return np.asarray((meets & (nearest > FAR)).any(axis=1))

    def residuals_and_grams(self, theta: Array, X: Array) -> tuple[Array, Array]:
        """Residuals and det JᵀJ of θ (N, S, n)."""
        N, S, n = theta.shape
        goal = np.repeat(X, S, axis=0)
        residuals, gram = self.checker.function(theta.reshape(N * S, n), goal)
        return residuals.reshape(N, S).copy(), gram.reshape(N, S)

    def _freed(
        self,
        theta: Array,
        residuals: Array,
        complete: np.ndarray,
        suspects: np.ndarray,
        X: Array,
        near: Array,
    ) -> tuple[dict[int, np.ndarray], list[tuple[tuple[int, int], int]]]:
        """Joints that may move, by target: where some may, the first is put where the seed is.

        And which solutions these are, each with that joint.
        """
        if not len(suspects):
            return {}, []
        i, k = suspects.T
        found = freedom(self.checker, theta[i, k], X[i])
        complete[i[found.is_unclear | found.any]] = False
        free: dict[int, np.ndarray] = {}
        for row in np.flatnonzero(found.any).tolist():
            target = int(i[row])
            free[target] = free.get(target, False) | found.joints[row]
        i, k, joints = i[found.any], k[found.any], found.joints[found.any]
        if not len(i):
            return {}, []
        theta[i, k] = self._at_seed(theta[i, k], X[i], joints, near[i])
        residuals[i, k] = self.residuals_and_grams(theta[i, k][:, None], X[i])[0][:, 0]
        pairs = zip(i.tolist(), k.tolist(), strict=True)
        return free, [*zip(pairs, joints.argmax(axis=1).tolist(), strict=True)]

    def _elsewhere(self, theta: Array, X: Array, joint: int, near: Array) -> tuple[Array, float]:
        """A position of a continuum within the limits, near the seed, and its residual; or nan."""
        chain = self.chain
        ends = np.array([chain.lower[joint], chain.upper[joint]]) * chain.coefficient[joint]
        ends = np.where(
            np.isfinite(ends), ends + chain.offset[joint], theta[joint] + [-np.pi, np.pi]
        )
        values = np.linspace(float(ends[0]), float(ends[1]), ELSEWHERE)
        rows = np.full(ELSEWHERE, joint)
        goal = np.broadcast_to(X, (ELSEWHERE, *X.shape))
        there = brought_to(self.checker, np.tile(theta, (ELSEWHERE, 1)), goal, rows, values)
        q = at_their_turns(chain, chain.positions(there), near, True)
        far = np.where(np.isfinite(q[:, 0]), np.linalg.norm(q - near, axis=1), np.inf)
        best = int(np.argmin(far))
        residual = self.residuals_and_grams(there[None, None, best], X[None])[0][0, 0]
        return q[best], float(residual) if np.isfinite(far[best]) else np.nan

    def _at_seed(self, theta: Array, X: Array, joints: np.ndarray, near: Array) -> Array:
        """Of each position (M, n) the first free joint where the seed has it."""
        first, rows = joints.argmax(axis=1), np.arange(len(theta))
        chain = self.chain
        wanted = (near * chain.coefficient + chain.offset)[rows, first]
        off = wanted - theta[rows, first]
        turns = np.array([x == "R" for x in chain.letters])[first]
        off = np.where(turns, off - 2 * np.pi * np.round(off / (2 * np.pi)), off)
        return brought_to(self.checker, theta, X, first, theta[rows, first] + off)

    def _with_copies(
        self, q: Array, residuals: Array, complete: np.ndarray
    ) -> tuple[Array, Array, np.ndarray]:
        rows: list[list[Any]] = []
        for i, found in enumerate(q):
            rows.append([])
            for k in np.flatnonzero(np.isfinite(residuals[i])).tolist():
                copies, are_all = all_copies(self.chain, found[k])
                complete[i] &= are_all
                rows[-1] += [(x, residuals[i, k]) for x in copies]
        most = max(map(len, rows), default=0)
        wide, errors = np.full((len(q), most, q.shape[-1]), np.nan), np.full((len(q), most), np.nan)
        for i, row in enumerate(rows):
            for k, (x, error) in enumerate(row):
                wide[i, k], errors[i, k] = x, error
        return wide, errors, complete


def _widened(x: Array, width: int) -> Array:
    more = ((0, 0), (0, width - x.shape[1]), *((0, 0),) * (x.ndim - 2))
    return np.pad(x, more, constant_values=np.nan)
