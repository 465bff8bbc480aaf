"""Where to begin: positions drawn once, of which the one nearest to a target is taken.

Their poses are known, so that the nearest is found by a product of matrices: half of Newton's way
is saved, and what fails begins again at the next one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.algebra.expr import CONSTANT
from visviva.equations.frames.tasks import Task
from visviva.machine.function import function

# positions that attempts choose the nearest from, each from its own; later ones take any
CHOICES = (512, 128, 128, 128, 128)
DRAWN = sum(CHOICES)
LEAST_COLUMN = 0.01  # of a joint to the largest: what moves less than that is not made up for
AT_ONCE = 128  # targets: what is compared stays in the cache


@dataclass(frozen=True, eq=False)
class Starts:
    """Positions, and what matters of their poses."""

    q: Array  # (M, nq)
    compared: Array  # (k + 1, M), of their poses: the nearest has the largest product
    weights: Array  # (3, 4), of the entries of poses: zero where they do not matter
    length: float  # of the mechanism: how far what it carries is moved
    scale: Array  # of each motion that takes part: how far it goes to move the frame by one

    def chosen(
        self, targets: Array, attempt: int, several: int, rng: np.random.Generator
    ) -> np.ndarray:
        """Which positions to begin with at several attempts from one on, (several * N,)."""
        near = [
            self.nearest(targets, k) for k in range(attempt, min(attempt + several, len(CHOICES)))
        ]
        any_ = rng.integers(len(self.q), size=(several - len(near)) * len(targets))
        return np.concatenate([*near, any_])

    def nearest(self, targets: Array, attempt: int = 0) -> np.ndarray:
        """The nearest (N,) of those that an attempt chooses from."""
        first = sum(CHOICES[:attempt])
        compared = self.compared[:, first : first + CHOICES[attempt]]
        found = np.empty(len(targets), dtype=int)
        wanted = _features(targets, self.weights)
        nearness = np.empty((AT_ONCE, CHOICES[attempt]), dtype=np.float32)
        for k in range(0, len(targets), AT_ONCE):
            part = wanted[k : k + AT_ONCE]
            near = np.matmul(part, compared, out=nearness[: len(part)])
            found[k : k + AT_ONCE] = near.argmax(axis=1)
        return found + first


def drawn(q: Array, poses: Array, J: Array, task: Task) -> Starts:
    """Positions (M, nq) with their poses (M, 4, 4) and Jacobians of the task (M, size, n)."""
    p = poses[:, :3, 3]
    length = float(np.sqrt(((p - p.mean(axis=0)) ** 2).sum(axis=1).mean())) or 1.0
    unit = np.where(task.angular, 1.0, 1.0 / length)
    columns = np.sqrt(((J * unit[:, None]) ** 2).sum(axis=1).mean(axis=0))
    most = columns.max(initial=0.0) or 1.0
    scale = 1.0 / np.where(columns > LEAST_COLUMN * most, columns, most)
    weights = np.full((3, 4), np.sqrt(0.5))
    weights[:, 3] = 1.0 / length
    weights *= entries(task)
    features = _features(poses[:, :3], weights)
    features[:, -1] = -(features[:, :-1] ** 2).sum(axis=1) / 2  # |x - y|² = |x|² - 2 (x y - |y|²/2)
    return Starts(q, np.ascontiguousarray(features.T), weights, length, scale)


def entries(task: Task) -> Array:
    """Which entries (3, 4) of a target the error of a task depends on: a mask."""

    def error(X: Any, target: Any) -> Any:
        return task.error(X, target)

    program = function(error, {"X": (4, 4), "target": (4, 4)}, name="error").program
    reads: list[set[int]] = [{k} for k in range(32)]
    for op, *args in program.code:
        reads.append(set() if op == CONSTANT else set().union(*(reads[i] for i in args)))
    used = set().union(*(reads[i] for i in program.results))
    mask = np.isin(np.arange(16, 32), list(used)).reshape(4, 4)
    return np.asarray(mask[:3], dtype=float)


def _features(X: Array, weights: Array) -> Array:
    """Entries that count, and 1; single precision is enough to compare distances."""
    counted = weights > 0
    features = np.ones((len(X), int(counted.sum()) + 1), dtype=np.float32)
    np.multiply(X[:, counted], weights[counted], out=features[:, :-1], casting="same_kind")
    return features
