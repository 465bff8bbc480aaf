"""`DeadPoints`: where a joint of a linkage turns back.

The one motion of the linkage is followed from a position on, to both ends or through its cycle.
Where the rate of the joint changes its sign, the place is found by halving the step: there the
joint stands still while the others move, and no torque on it does work.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, frozen
from visviva.errors import ArgumentError
from visviva.solve.assembly import check_state
from visviva.solve.following import MOST_STEPS, STEP, OnWay, along, onward, stepped
from visviva.solve.planar.curves import with_fixed
from visviva.solve.planar.meeting import regular_start
from visviva.solve.planar.unit import joint_called
from visviva.solve.rows import Rows, directions

_HALVINGS = 60
_STILL = 1e-12  # of a tangent of length one
_SAME = 1e-6  # positions nearer than this are one


@dataclass(frozen=True, eq=False, repr=False)
class DeadPoints:
    """`values` (N,) of a joint at which it turns back, and the positions q (N, nq) there.

    `is_cycle`: the linkage came back to where it began, so that the whole of this branch was seen.
    """

    name: str
    joint: str
    values: Array
    q: Array
    is_cycle: bool

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Array]:
        return iter(self.q)

    def __repr__(self) -> str:
        how = "its whole cycle" if self.is_cycle else "its motion as far as it could be followed"
        if not len(self):
            return f"dead points of {self.name} driven by {self.joint}: none along {how}"
        listed = ", ".join(f"{x:.6g}" for x in self.values)
        return f"dead points of {self.name} driven by {self.joint}: {listed}, along {how}"


def dead_points(model: Any, joint: str, q0: Any, fixed: Any) -> DeadPoints:
    """Along the branch of q0; `Model.dead_points` says what may be asked."""
    joint = joint_called(model, "dead_points", joint)
    part, motion = model.joint_slices[joint]
    if part.stop - part.start != 1:
        raise ArgumentError(f"dead_points: a joint with one coordinate, {joint!r} has several")
    held = with_fixed(model, joint, fixed)
    start = np.array(held.assembled() if q0 is None else q0, dtype=float)
    check_state(held, start)
    start = regular_start(held, joint, start)
    rows = Rows(held)
    N, _ = directions(rows.slope(start))
    if N.shape[1] != 1:
        raise ArgumentError(
            f"dead points are those of a linkage that moves in one way; {model.name!r} moves in "
            f"{N.shape[1]} here: fixed={{joint: value}} holds some, with_constraint(…) couples them"
        )
    found, is_cycle = _turns(rows, start, N[:, 0], motion.start)
    if not is_cycle:
        found += _turns(rows, start, -N[:, 0], motion.start)[0]
    own = [q for i, q in enumerate(found) if not any(_same(rows, q, x) for x in found[:i])]
    own.sort(key=lambda q: float(q[part.start]))
    q = np.array(own).reshape(len(own), model.nq)
    return DeadPoints(model.name, joint, frozen(q[:, part.start]), frozen(q), is_cycle)


def _same(rows: Rows, q: Array, other: Array) -> bool:
    return float(np.abs(_apart(rows, q, other)).max()) < _SAME


def _apart(rows: Rows, q: Array, other: Array) -> Array:
    """The step (nv,) from q to another position; whole turns of gears that come back are none.

    Those of a pair with the ratio 2 do so together: then all bodies are where they were, and the
    rows are the same there.
    """
    m, step = rows.system.numeric, rows.apart(q, other)
    hinges = np.array([x == "rad/s" for x in m.velocity_units]) & ~rows.circular
    turns = 2 * np.pi * np.round(step / (2 * np.pi)) * hinges
    if not turns.any() or float(np.linalg.norm(step - turns)) > STEP:
        return step
    again = m.integrate(q, turns)
    places = [np.array([X.matrix() for X in m.body_poses(x)], dtype=float) for x in (q, again)]
    off = np.abs(places[1] - places[0]).max() + np.abs(rows.slope(again) - rows.slope(q)).max()
    comes_back = off + np.abs(rows.error(again)).max() < _SAME
    return step - turns if comes_back else step


def _turns(rows: Rows, q: Array, direction: Array, k: int) -> tuple[list[Array], bool]:
    """Where entry k of the tangent is zero on one way, and whether that is a cycle."""
    before, first, farthest, moves = OnWay(q, direction, 0.0), _sign(direction[k]), 0.0, False
    found, is_cycle = [] if first else [q], False
    for place in islice(along(rows, q, direction), MOST_STEPS):
        sign = _sign(place.tangent[k])
        if not sign:
            found.append(place.q)
        elif _sign(before.tangent[k]) * sign < 0:
            found.append(_between(rows, before, place.h, k))
        before, moves = place, moves or sign != 0
        away = float(np.linalg.norm(_apart(rows, q, place.q)[rows.free]))
        farthest = max(farthest, away)
        if farthest > 4 * STEP and away < 0.8 * STEP:
            left = -float(direction @ _apart(rows, q, place.q)[rows.free])
            if left > 0.0 and sign * first < 0:
                found.append(_between(rows, place, left, k))
            is_cycle = True
            break
    if not moves:
        name = next(x for x, (_, v) in rows.system.joint_slices.items() if v.start == k)
        raise ArgumentError(
            f"dead_points: {name!r} of {rows.system.name!r} stands still in this motion"
        )
    return found, is_cycle


def _sign(rate: float) -> int:
    return 0 if abs(rate) <= _STILL else int(np.sign(rate))


def _between(rows: Rows, place: OnWay, h: float, k: int) -> Array:
    """The position within a step from a place at which entry k of the tangent is zero."""
    low, high, q = 0.0, h, place.q
    usual, sign = 1, np.sign(place.tangent[k])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        there = stepped(rows, place.q, place.tangent, middle) if middle > 0.0 else None
        tangent = None if there is None else onward(rows, there, place.tangent, usual)
        if there is None or tangent is None:
            break  # too short a step to be told from rounding
        q = there
        low, high = (middle, high) if tangent[k] * sign > 0.0 else (low, middle)
        if high - low < 1e-15:
            break
    return q
