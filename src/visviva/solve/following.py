"""Along the motions that constraints admit: to the end of them, or round until they close.

Steps of a given length along the tangent (pseudo-arclength), Newton's steps back across it. Where
rows become dependent for a moment, as branches cross, the direction of before goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from visviva.algebra.arrays import Array
from visviva.solve.assembly import closed, newton
from visviva.solve.rows import Rows, directions

STEP = 0.05  # radians, metres
MOST_STEPS = 2000  # steps of one way
SMOOTH = 0.8
EPS = float(np.finfo(float).eps)
_SHORTEST = 1e-5  # where no step is smooth that is longer, the way ends
_HALVINGS = 60  # of a step, to where a sign changes


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
        bound = 10.0 ** np.ceil(np.log10(max(self.residual, EPS)))  # digits of rounding say nothing
        return f"{how} in {self.steps} steps, residual at most {bound:.0e}"


def beside(rows: Rows, q: Array, direction: Array, size: float) -> Array | None:
    """A position on the constraints, about `size` from q in a direction; None if there is none.

    In radians, and in levers of the mechanism where something slides.
    """
    guess = rows.moved(q, size / np.linalg.norm(direction / rows.units) * direction)
    there = newton(rows, guess)
    if not closed(rows, there):
        return None
    step = rows.system.difference(q, there)[rows.free] / rows.units
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


class Signs(NamedTuple):
    """Where a value along a way is zero, the places on it with its values, and if it came back."""

    zeros: list[Array]
    places: list[OnWay]
    values: list[float]
    is_cycle: bool


def signs_along(
    rows: Rows,
    start: OnWay,
    value: Callable[[Array, Array], float],
    apart: Callable[[Array, Array], Array],
    none: float = 0.0,
    goes_on: Callable[[Array], bool] = lambda q: True,
) -> Signs:
    """Where a value of position and tangent changes its sign, from a start along its tangent.

    `apart` gives the step (nv,) between positions: none where the motion has come back. Values of
    at most `none` count as zero.
    """

    def valued(place: OnWay) -> float:
        found = value(place.q, place.tangent)
        return 0.0 if abs(found) <= none else found

    places, values, farthest = [start], [valued(start)], 0.0
    zeros = [] if values[0] else [start.q]
    for place in islice(along(rows, start.q, start.tangent), MOST_STEPS):
        now, before = valued(place), values[-1]
        if not now and before:
            zeros.append(place.q)
        elif now * before < 0:
            zeros.append(_zero(rows, places[-1], place.h, before, value))
        places.append(place)
        values.append(now)
        gone = apart(start.q, place.q)[rows.free]
        away = float(np.linalg.norm(gone))
        farthest = max(farthest, away)
        if farthest > 4 * STEP and away < 0.8 * STEP:
            left = -float(start.tangent @ gone)
            if left > 0.0 and now * values[0] < 0:
                zeros.append(_zero(rows, place, left, now, value))
            return Signs(zeros, places, values, True)
        if not goes_on(place.q):
            break
    return Signs(zeros, places, values, False)


def _zero(
    rows: Rows, place: OnWay, h: float, before: float, value: Callable[[Array, Array], float]
) -> Array:
    """The position within a step from a place at which a value changes its sign, by halving."""
    low, high, q = 0.0, h, place.q
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        there = stepped(rows, place.q, place.tangent, middle) if middle > 0.0 else None
        tangent = None if there is None else onward(rows, there, place.tangent, 1)
        if there is None or tangent is None:
            break  # too short a step to be told from rounding
        q = there
        low, high = (middle, high) if value(q, tangent) * before > 0.0 else (low, middle)
        if high - low < 1e-15:
            break
    return q
