"""`DeadPoints`: where a joint of a linkage turns back.

The one motion of the linkage is followed from a position on, to both ends or through its cycle.
Where the rate of the joint changes its sign, it stands still while the others move, and no torque
on it does work.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, frozen
from visviva.errors import ArgumentError
from visviva.solve.assembly import VIOLATED, check_state, within
from visviva.solve.following import STEP, OnWay, signs_along
from visviva.solve.planar.curves import begun, notes_as_text, notes_on_beginning, with_fixed
from visviva.solve.planar.meeting import regular_start
from visviva.solve.planar.unit import joint_called
from visviva.solve.rows import Rows, directions

_TURN = 2 * np.pi
_STILL = 1e-12  # of a tangent of length one
_SAME = 1e-6  # positions nearer than this are one


@dataclass(frozen=True, eq=False, repr=False)
class DeadPoints:
    """`values` (N,) of a joint at which it turns back, and the positions q (N, nq) there.

    `is_cycle`: the linkage came back to where it began, so that the whole of this branch was seen.
    `beyond` (K,) are those at which some joint is outside of its limits: no motion comes there.
    """

    name: str
    joint: str
    values: FloatArray
    q: FloatArray
    is_cycle: bool
    beyond: FloatArray = field(default_factory=lambda: np.zeros(0))
    notes: tuple[str, ...] = ()  # where it begins, if nobody stated that

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[FloatArray]:
        return iter(self.q)

    def __repr__(self) -> str:
        how = "its whole cycle" if self.is_cycle else "its motion as far as it could be followed"
        own, out = (", ".join(f"{x:.6g}" for x in some) for some in (self.values, self.beyond))
        listed = f"{own}," if own else "none"
        more = (f"; beyond limits of joints: {out}" if out else "") + notes_as_text(self.notes)
        return f"dead points of {self.name} driven by {self.joint}: {listed} along {how}{more}"


def dead_points(model: Any, joint: str, q0: Any, fixed: Any) -> DeadPoints:
    """Along the branch of q0; `Model.dead_points` says what may be asked."""
    joint = joint_called(model, "dead_points", joint)
    part, motion = model.joint_slices[joint]
    if part.stop - part.start != 1:
        raise ArgumentError(f"dead_points: a joint with one coordinate, {joint!r} has several")
    held = with_fixed(model, joint, fixed)
    begin = begun(model, joint, q0, fixed)
    start = np.array(held.assembled() if begin is None else begin, dtype=float)
    check_state(held, start)
    start = regular_start(held, joint, start)
    rows = Rows(held)
    N, _ = directions(rows.slope(start))
    if N.shape[1] != 1:
        raise ArgumentError(
            f"dead points are those of a linkage that moves in one way; {model.name!r} moves in "
            f"{N.shape[1]} here: fixed={{joint: value}} holds some, with_constraint(…) couples "
            "them; where another assembly has another mobility(), q0= begins there"
        )
    found, is_cycle = _turns(rows, start, N[:, 0], motion.start)
    if not is_cycle:
        found += _turns(rows, start, -N[:, 0], motion.start)[0]
    own = [
        _turned(rows, q)
        for i, q in enumerate(found)
        if not any(_same(rows, q, x) for x in found[:i])
    ]
    own.sort(key=lambda q: float(q[part.start]))
    q = np.array(own).reshape(len(own), model.nq)
    inside = np.array([within(held.numeric, x) for x in own], dtype=bool)
    beyond = frozen(q[~inside, part.start])
    q = q[inside]
    notes = notes_on_beginning(held, q0, start)
    values = frozen(q[:, part.start])
    return DeadPoints(model.name, joint, values, frozen(q), is_cycle, beyond, notes)


def _turned(rows: Rows, q: Array) -> Array:
    """The position by whole turns on, where limits want it."""
    low, high, there = rows.system.numeric.lower, rows.system.numeric.upper, q.copy()
    for k in rows.turning.values():
        below = np.ceil((low[k] - VIOLATED - q[k]) / _TURN) if np.isfinite(low[k]) else 0.0
        above = np.floor((high[k] + VIOLATED - q[k]) / _TURN) if np.isfinite(high[k]) else 0.0
        there[k] += _TURN * (max(below, 0.0) + min(above, 0.0))
    return there


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
    found = signs_along(
        rows,
        OnWay(q, direction, 0.0),
        lambda _, tangent: float(tangent[k]),
        lambda x, y: _apart(rows, x, y),
        _STILL,
    )
    if not any(found.values):
        name = next(x for x, (_, v) in rows.system.joint_slices.items() if v.start == k)
        raise ArgumentError(
            f"dead_points: {name!r} of {rows.system.name!r} stands still in this motion"
        )
    return found.zeros, found.is_cycle
