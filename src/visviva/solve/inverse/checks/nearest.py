"""Of a target that cannot be reached: the pose that comes nearest to it, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visviva.algebra.arrays import Array
from visviva.equations.frames.chain import REVOLUTE
from visviva.solve.inverse.checks.checking import Checker
from visviva.solve.inverse.closed.axes import size_of

ATTEMPTS, ROUGH_STEPS, FINE_STEPS = 12, 60, 400


@dataclass(frozen=True, eq=False)
class Nearest:
    """A pose and how far it is from the target."""

    theta: Array
    pose: Array  # (4, 4)
    metres: float
    radians: float


def nearest(checker: Checker, targets: Array) -> list[Nearest]:
    """For each target the pose with the least |Δp|² + (size of the arm · angle)².

    From several starts, all of which descend together.
    """
    chain, M = checker.chain, len(targets)
    n, size = len(chain), size_of(chain)
    lengths = np.array([1.0 if k == REVOLUTE else size for k in chain.kinds])
    start = np.random.default_rng(0).uniform(-np.pi, np.pi, (ATTEMPTS, n)) * lengths
    start[0] = 0.0
    goals = np.repeat(targets, ATTEMPTS, axis=0)
    theta, cost = _descended(checker, np.tile(start, (M, 1)), goals, ROUGH_STEPS)
    first = np.argmin(cost.reshape(M, ATTEMPTS), axis=1) + ATTEMPTS * np.arange(M)
    best, _ = _descended(checker, theta[first], targets, FINE_STEPS)
    left = checker.error(best, targets)
    R, p = chain.poses(best)
    poses = np.tile(np.eye(4), (M, 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = R, p
    metres = np.linalg.norm(left[:, -3:], axis=1) * size
    radians = 0.0 * metres if checker.task == "position" else np.linalg.norm(left[:, :3], axis=1)
    rows = zip(best, poses, metres.tolist(), radians.tolist(), strict=True)
    return [Nearest(*row) for row in rows]


def _descended(checker: Checker, theta: Array, goal: Array, steps: int) -> tuple[Array, Array]:
    """Levenberg and Marquardt: damping falls where steps help and rises where they do not."""
    damping = np.full(len(theta), 1e-2)
    e = checker.error(theta, goal)
    cost = np.sum(e * e, axis=-1)
    for _ in range(steps):
        J = checker.rows(theta)
        down = np.swapaxes(J, -1, -2)
        H = down @ J + damping[:, None, None] * np.eye(theta.shape[-1])
        step = np.linalg.solve(H, down @ e[..., None])[..., 0]
        trial = checker.error(theta + step, goal)
        new = np.sum(trial * trial, axis=-1)
        better = new < cost
        theta = np.where(better[:, None], theta + step, theta)
        e, cost = np.where(better[:, None], trial, e), np.where(better, new, cost)
        damping = np.clip(np.where(better, damping * 0.3, damping * 5.0), 1e-9, 1e6)
        if not better.any() and (damping > 1e5).all():
            break
    return theta, cost
