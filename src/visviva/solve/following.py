"""Along the motions that constraints admit: to the end of them, or round until they close.

Steps of a given length along the tangent (pseudo-arclength), Newton's steps back across it. Where
rows become dependent for a moment, as branches cross, the direction of before goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from visviva.algebra.arrays import Array
from visviva.solve.assembly import closed, newton
from visviva.solve.rows import Rows, directions

STEP = 0.05  # radians, metres
MOST_STEPS = 2000  # steps of one way
SMOOTH = 0.8
_SHORTEST = 1e-5  # where no step is smooth that is longer, the way ends


@dataclass(frozen=True)
class Way:
    """How far a motion was followed, and how well the rows held."""

    steps: int
    length: float
    residual: float  # the largest at any step
    is_cycle: bool  # whether it came back to where it began
    far: Array  # the position that is farthest from the start

    def __str__(self) -> str:
        how = "through a full cycle" if self.is_cycle else f"over {self.length:.3g} rad and m"
        return f"{how} in {self.steps} steps, residual at most {self.residual:.1g}"


def beside(rows: Rows, q: Array, direction: Array, size: float) -> Array | None:
    """A position on the constraints, about `size` from q in a direction; None if there is none."""
    guess = rows.moved(q, size * direction)
    there = newton(rows, guess)
    if not closed(rows, there):
        return None
    step = rows.system.difference(q, there)[rows.free]
    return there if float(np.linalg.norm(step)) > 0.3 * size else None


def followed(
    rows: Rows, q: Array, direction: Array, most: int = MOST_STEPS, step: float = STEP
) -> Way:
    """From q in a direction, as far as it goes."""
    steps, length, worst, far, farthest = 0, 0.0, _residual(rows, q), q, 0.0
    for place in along(rows, q, direction, step):
        steps, length, worst = steps + 1, length + place.h, max(worst, _residual(rows, place.q))
        away = float(np.linalg.norm(rows.apart(q, place.q)[rows.free]))
        if away > farthest:
            far, farthest = place.q, away
        if farthest > 4 * step and away < 0.8 * step:
            return Way(steps, length, worst, True, far)
        if steps >= most:
            break
    return Way(steps, length, worst, False, far)


class OnWay(NamedTuple):
    """A position on the way, the tangent there (of free motions), and the step that led to it."""

    q: Array
    tangent: Array
    h: float


def along(rows: Rows, q: Array, direction: Array, step: float = STEP) -> Iterator[OnWay]:
    """Positions from q in a direction, one step after the other, as far as it goes."""
    tangent = direction / np.linalg.norm(direction)
    usual = directions(rows.slope(q))[0].shape[1]
    h = step
    while h >= _SHORTEST:
        there = stepped(rows, q, tangent, h)
        new = None if there is None else onward(rows, there, tangent, usual)
        if there is None or new is None or tangent @ new < SMOOTH:
            h *= 0.5
            continue
        q, tangent = there, new
        yield OnWay(q, tangent, h)
        h = min(step, 1.5 * h)


def _residual(rows: Rows, q: Array) -> float:
    return float(np.abs(rows.error(q)).max(initial=0.0))


def stepped(rows: Rows, q: Array, tangent: Array, h: float) -> Array | None:
    """Newton across the tangent, from h ahead."""
    there = rows.moved(q, h * tangent)
    for _ in range(12):
        error = rows.error(there)
        if float(np.abs(error).max(initial=0.0)) <= 1e-15:
            break
        A = np.vstack([rows.slope(there), tangent])
        step = -np.linalg.lstsq(A, np.append(error, 0.0), rcond=1e-9)[0]
        there = rows.moved(there, step)
        if float(np.linalg.norm(step)) < 1e-15:
            break
    apart = rows.system.difference(q, there)[rows.free]
    near = float(np.linalg.norm(apart - h * tangent)) < 0.5 * h
    return there if near and closed(rows, there) else None


def onward(rows: Rows, q: Array, before: Array, usual: int) -> Array | None:
    """The tangent at q: what the rows leave free, most as before."""
    N, _ = directions(rows.slope(q))
    along = N @ (N.T @ before)
    size = float(np.linalg.norm(along))
    return along / size if N.shape[1] >= usual and size > SMOOTH else None
