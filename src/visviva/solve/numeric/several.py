"""Distinct solutions from many starts, each with a proof: many of them, perhaps not all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.model import Model
from visviva.numerics.intervals import TURN
from visviva.solve.numeric.certified import certify
from visviva.solve.numeric.newton import ARRIVED, Newton, newton_of, targets_of

SEVERAL = 400  # starts of each target
APART = 1e-5  # radians and metres: what is nearer is one solution, found twice
ROWS = 100_000  # that are looked at together


@dataclass(frozen=True, eq=False)
class Search:
    """Solutions (N, S, nq) of N targets, nan where a target has fewer than others.

    A search can miss solutions: it is never complete.
    """

    q: Array
    count: np.ndarray  # (N,)
    residual: Array  # (N, S)
    radius: Array  # (N, S): a true solution is within it; inf where that is not proved
    hits: np.ndarray  # (N, S): how many starts led there
    nullity: int  # motions that leave the task alone: above 0 solutions are points of a continuum

    @property
    def complete(self) -> np.ndarray:
        """(N,), never: no search proves that there is nothing else."""
        return np.zeros(len(self.count), dtype=bool)

    def __repr__(self) -> str:
        low, high = (int(f(self.count)) if len(self.count) else 0 for f in (np.min, np.max))
        number = f"{low}" if low == high else f"{low} to {high}"
        proved = int(np.isfinite(self.radius).sum())
        more = f", points of a continuum of dimension {self.nullity}" if self.nullity else ""
        return (
            f"Search({len(self.count)} targets with {number} solutions each, {proved} of "
            f"{int(self.count.sum())} proved{more}; there may be others)"
        )


def all_by_search(
    model: Model,
    frame: str,
    poses: Any,
    task: str = "pose",
    starts: int = SEVERAL,
    limits: bool = True,
    rng: Any = 0,
) -> Search:
    """Distinct solutions for each of the poses (N, 4, 4), from so many random starts each.

    Joints that go round count modulo whole turns, within their limits.
    """
    newton, targets = newton_of(model, frame, task), targets_of(poses)
    source = np.random.default_rng(rng)
    m = newton.reach.model
    begin = np.tile(m.neutral(), (starts, 1))
    own = newton.reach.coordinates
    begin[:, own] = np.array([m.random(source) for _ in range(starts)])[:, own]
    found: list[tuple[Array, Array, np.ndarray]] = []
    together = max(ROWS // starts, 1)
    for k in range(0, len(targets), together):
        part = targets[k : k + together]
        each = np.repeat(np.arange(len(part)), starts)
        q, left = newton.run(np.tile(begin, (len(part), 1)), part[each], limits)
        for i in range(len(part)):
            rows = slice(i * starts, (i + 1) * starts)
            good = left[rows] <= ARRIVED
            found.append(_distinct(newton, q[rows][good], left[rows][good]))
    return _gathered(model, frame, task, targets, found, newton)


def _distinct(newton: Newton, q: Array, left: Array) -> tuple[Array, Array, np.ndarray]:
    """One of each, the best, in the order of their coordinates; and how often each was found."""
    rest, kept, hits = np.argsort(left, kind="stable"), [], []
    while len(rest):
        best = rest[0]
        away = np.abs(q[rest] - q[best])
        around = away[:, newton.circular]
        away[:, newton.circular] = np.abs(around - TURN * np.round(around / TURN))
        same = away.max(axis=1) < APART
        kept.append(best)
        hits.append(int(same.sum()))
        rest = rest[~same]
    if not kept:
        return q, left, np.zeros(0, dtype=int)
    order = np.lexsort(q[kept].round(6).T[::-1])
    chosen = np.array(kept, dtype=int)[order]
    return q[chosen], left[chosen], np.array(hits, dtype=int)[order]


def _gathered(
    model: Model, frame: str, task: str, targets: Array, found: list[Any], newton: Newton
) -> Search:
    """All of them side by side, certified together."""
    count = np.array([len(q) for q, _, _ in found], dtype=int)
    shape = len(targets), int(count.max(initial=0))
    there = np.arange(shape[1]) < count[:, None]
    q = np.full((*shape, model.nq), np.nan)
    residual, radius = np.full(shape, np.nan), np.full(shape, np.nan)
    hits = np.zeros(shape, dtype=int)
    if there.any():
        q[there] = np.concatenate([x for x, _, _ in found])
        residual[there] = np.concatenate([x for _, x, _ in found])
        hits[there] = np.concatenate([x for _, _, x in found])
        X = np.tile(np.eye(4), (len(targets), 1, 1))
        X[:, :3] = targets
        each = np.nonzero(there)[0]
        radius[there] = certify(model, frame, q[there], X[each], task).radius
    free = len(newton.reach.moving) - newton.reach.task.size
    return Search(q, count, residual, radius, hits, max(free, 0))
