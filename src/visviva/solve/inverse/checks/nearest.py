"""Of a target that cannot be reached: the pose that comes nearest to it, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visviva.algebra.arrays import Array
from visviva.equations.frames.chain import REVOLUTE, SerialChain
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
    is_limited: bool  # it is the nearest that was found within the limits


def nearest(checker: Checker, targets: Array, limits: bool = False) -> list[Nearest]:
    """For each target the pose with the least |Δp|² + (size of the arm · angle)².

    From several starts, all of which descend together; with `limits` within those of the joints.
    """
    chain, M = checker.chain, len(targets)
    n, size = len(chain), size_of(chain)
    lengths = np.array([1.0 if k == REVOLUTE else size for k in chain.kinds])
    start = np.random.default_rng(0).uniform(-np.pi, np.pi, (ATTEMPTS, n)) * lengths
    start[0] = 0.0
    low, high = ends_of(chain) if limits else (np.full(n, -np.inf), np.full(n, np.inf))
    both = np.isfinite(low) & np.isfinite(high)
    share = (start / lengths + np.pi) / (2.0 * np.pi)
    ends = np.where(both, low, 0.0), np.where(both, high, 0.0)
    start = np.where(both, ends[0] + share * (ends[1] - ends[0]), np.clip(start, low, high))
    goals = np.repeat(targets, ATTEMPTS, axis=0)
    theta, cost = _descended(checker, np.tile(start, (M, 1)), goals, ROUGH_STEPS, (low, high))
    first = np.argmin(cost.reshape(M, ATTEMPTS), axis=1) + ATTEMPTS * np.arange(M)
    best, _ = _descended(checker, theta[first], targets, FINE_STEPS, (low, high))
    left = checker.error(best, targets)
    R, p = chain.poses(best)
    poses = np.tile(np.eye(4), (M, 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = R, p
    metres = np.linalg.norm(left[:, -3:], axis=1) * size
    radians = 0.0 * metres if checker.task == "position" else np.linalg.norm(left[:, :3], axis=1)
    rows = zip(best, poses, metres.tolist(), radians.tolist(), strict=True)
    is_limited = bool(np.isfinite([low, high]).any())
    return [Nearest(*row, is_limited) for row in rows]


def ends_of(chain: SerialChain) -> tuple[Array, Array]:
    """The limits of θ (n,), infinite of joints that go all round."""
    ends = np.stack([chain.lower, chain.upper]) * chain.coefficient + chain.offset
    low, high = ends.min(axis=0).astype(float), ends.max(axis=0).astype(float)
    turns = np.array([k == REVOLUTE for k in chain.kinds])
    free = turns & (high - low >= 2.0 * np.pi)
    return np.where(free, -np.inf, low), np.where(free, np.inf, high)


def _descended(
    checker: Checker, theta: Array, goal: Array, steps: int, ends: tuple[Array, Array]
) -> tuple[Array, Array]:
    """Levenberg and Marquardt: damping falls where steps help and rises where they do not.

    A joint that stands at its end and would go on beyond it keeps still.
    """
    damping = np.full(len(theta), 1e-2)
    e = checker.error(theta, goal)
    cost = np.sum(e * e, axis=-1)
    for _ in range(steps):
        J = checker.rows(theta)
        pull = (np.swapaxes(J, -1, -2) @ e[..., None])[..., 0]
        held = ((theta <= ends[0]) & (pull < 0.0)) | ((theta >= ends[1]) & (pull > 0.0))
        J = np.where(held[:, None], 0.0, J)
        down = np.swapaxes(J, -1, -2)
        H = down @ J + damping[:, None, None] * np.eye(theta.shape[-1])
        step = np.linalg.solve(H, down @ e[..., None])[..., 0]
        there = np.clip(theta + step, *ends)
        trial = checker.error(there, goal)
        new = np.sum(trial * trial, axis=-1)
        better = new < cost
        theta = np.where(better[:, None], there, theta)
        e, cost = np.where(better[:, None], trial, e), np.where(better, new, cost)
        damping = np.clip(np.where(better, damping * 0.3, damping * 5.0), 1e-9, 1e6)
        if not better.any() and (damping > 1e5).all():
            break
    return theta, cost
