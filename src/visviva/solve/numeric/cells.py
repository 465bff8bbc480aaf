"""Areas and volumes of all that positions lead to, in cells of grids.

A cell that points fall into counts in full inside, and half at the edge. From cells at the edge
positions are moved a little, until the count stays; cells of twice the size tell the error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from visviva.algebra.arrays import Array

CELLS = {2: 96, 3: 32}  # across a region of a plane, of space
# of grids: where in a cell a region begins
PLACES = np.array([[1, 3, 5], [3, 5, 1], [5, 1, 3]]) / 6
PUSHED = 40000  # positions in a round
ROUNDS = 24
SETTLED = 0.004  # of a size: rounds change it less
UNKNOWN_FROM = 0.1  # of a size: an error with which it is not told


@dataclass(frozen=True)
class Measured:
    """A size with its error, and the distances from the origin that were seen."""

    size: float
    error: float
    reach: tuple[float, float]

    @property
    def is_rough(self) -> bool:
        """As good as unknown."""
        return not self.error <= UNKNOWN_FROM * self.size


def measured(
    at: Callable[[Array], Array], q: Array, ranges: tuple[Array, Array], turned: bool, seed: int
) -> Measured:
    """The area or volume of all that `at` leads to within ranges, from positions q on.

    If turned, of what (distance from the axis, height) makes when it turns all round.
    """

    def places(q: Array) -> Array:
        x = at(q)
        if turned:  # as many on the other side of the axis, which is no edge
            x[::2, 0] *= -1
        return x

    rng, x, counts = np.random.default_rng(seed), places(q), [0.0] * 3
    cells = CELLS[x.shape[1]]
    for k in range(ROUNDS):
        grid = _Grid(x, cells, PLACES[k % 3])
        size, edge = grid.counted(turned)
        counts.append(size)
        change = abs(sum(counts[-3:]) - sum(counts[-6:-3])) / 3
        if k > 4 and change < SETTLED * size:
            break
        q = np.vstack([q, _moved(q[grid.one_of_each(edge)], *ranges, rng)])
        x = np.vstack([x, places(q[-PUSHED:])])
    fine, coarse = (
        [_Grid(x, n, place).counted(turned)[0] for place in PLACES] for n in (cells, cells // 2)
    )
    apart = float(np.mean(fine) - np.mean(coarse))  # four times the error of the finer one, and off
    error = abs(apart) / 2 + float(np.ptp(fine)) / 2 + change
    gaps = np.linalg.norm(x, axis=1)
    reach = (float(gaps.min()), float(gaps.max()))
    return Measured(float(np.mean(fine)) + apart / 3, error, reach)


def _moved(q: Array, low: Array, high: Array, rng: np.random.Generator) -> Array:
    """Positions near to some of q, by small and large steps, and often at limits."""
    shape = (PUSHED, q.shape[1])
    far = np.exp(rng.uniform(np.log(0.002), np.log(0.3), (PUSHED, 1)))
    steps = far * (high - low) * rng.normal(size=shape) * (rng.random(shape) < 0.6)
    positions: Array = np.clip(q[rng.integers(0, len(q), PUSHED)] + steps, low, high)
    return positions


class _Grid:
    """Cells over points, with one row more than the points need on every side."""

    def __init__(self, points: Array, count: int, place: Array) -> None:
        low, high = points.min(axis=0), points.max(axis=0)
        self.size = np.maximum(high - low, 1e-300) / count
        self.start = low - self.size * (1 + place[: len(low)])
        self.shape = (count + 3,) * len(low)
        cells = ((points - self.start) / self.size).astype(int)
        self.cell = np.ravel_multi_index(tuple(cells.T), self.shape)

    def counted(self, turned: bool) -> tuple[float, Array]:
        """The mean of all cells and of those inside, and which are at the edge.

        A cell that a plane cuts has a neighbour beyond it, one inside has none.
        """
        cells = np.zeros(self.shape, bool)
        cells.ravel()[self.cell] = True
        all_around = 3**cells.ndim
        cells = cells | (_around(cells) >= 0.75 * all_around)  # beside a plane it is half of them
        inside = _around(cells) == all_around
        size = float(np.sum((cells * 0.5 + inside * 0.5) * self._sizes(turned)))
        return size, cells & ~inside

    def one_of_each(self, cells: Array) -> Array:
        """Indices of points, one in each of these cells where there is any."""
        which = np.full(cells.size, -1)
        which[self.cell] = np.arange(len(self.cell))
        return np.asarray(which[cells.ravel() & (which >= 0)])

    def _sizes(self, turned: bool) -> Array:
        if not turned:
            return np.asarray(self.size.prod())
        r = self.start[0] + self.size[0] * np.arange(self.shape[0] + 1)
        rings = np.diff(r * np.abs(r)) * np.pi / 2  # half: the other side turns as well
        return np.asarray(rings[:, None] * self.size[1])


def _around(cells: Array) -> Array:
    """How many of a cell and its neighbours, those across corners too, are occupied."""
    around = np.pad(cells, 1).astype(np.int8)
    for axis in range(cells.ndim):
        around = around + np.roll(around, 1, axis) + np.roll(around, -1, axis)
    return np.asarray(around[(slice(1, -1),) * cells.ndim])
