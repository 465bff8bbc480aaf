"""Where branches of a linkage meet: flat parallelograms, toggles that fold.

There the rows leave more than one motion, and velocities are those of the branch that is followed:
its positions, velocities and accelerations are analytic in the driven joint, so that those at
regular positions on both sides tell them (a polynomial through them).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from visviva.algebra.arrays import Array
from visviva.drawing.digits import plain_number
from visviva.equations.constraints.rows import constraint_matrix
from visviva.errors import ArgumentError, AssemblyError
from visviva.solve.following import beside
from visviva.solve.orders import BLOCKED, second_orders
from visviva.solve.planar.unit import Driven
from visviva.solve.rows import VANISHING, Rows, directions
from visviva.solve.tracking import Track

_NEAR = 1e-3  # of the smallest singular value to the largest: digits of a are lost there
_LOST = 1e-5  # and of v
_APART = (0.01, 0.003)  # radians of the joint that turns most, between the nodes
_NODES = np.array([-4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0])
_AGREE = 1e-6  # of polynomials through all nodes and through the inner ones
_SIDES = 1e-2  # of those from both sides
_BESIDE = 0.05  # radians, of a position at which rows leave more motions than there are
_MOST = 4  # branches at a position, values in a sentence
_TRIES = 20
_SAME = 1e-8  # of a step
_HALF_KNOWN = 1e-7  # radians or metres: rows at branches tell half of the digits


class DrivenMotion(NamedTuple):
    """q (N, nq), and v and a (N, nv) for a unit of the joint's speed; nan where it jams.

    `change_points` are the values of the joint at which branches meet, on the way. `notes` say
    where it begins, if nobody stated that.
    """

    q: Array
    v: Array
    a: Array
    change_points: tuple[float, ...]
    notes: tuple[str, ...] = ()


def driven_motion(held: Any, joint: str, start: Array, q: Array) -> DrivenMotion:
    """Of a mechanism that is driven through positions q, from `start` on."""
    every = np.array([start, *q])
    unit = Driven(held, joint, every)
    slopes, near = unit.slopes(every), unit.rest(every)
    v, a = unit.rates(every)
    changes: list[float] = []
    known = np.concatenate([every, v, a], axis=1)
    last, told = 0, False
    for i in range(1, len(every)):
        value = float(every[i, unit.at])
        if near[i] >= _NEAR:
            if not told and np.linalg.det(np.linalg.pinv(slopes[last]) @ slopes[i]) < 0.0:
                changes.append(_crossing(unit, every[last], every[i]))
            last, told = i, False  # here the branch is known
            continue
        passed = _passed(unit, every[last], value)
        if passed is not None:
            known[i] = passed
            known[i, unit.at] = value
        elif near[i] < _LOST:
            known[i, held.nq :] = np.nan
        if near[i] < _LOST and passed is not None:
            told = True
            changes.append(value)
    q, v, a = np.split(known[1:], [held.nq, held.nq + held.nv], axis=1)
    return DrivenMotion(q, v, a, tuple(dict.fromkeys(changes)))


def told_of_changes(joint: str, at: Sequence[float]) -> str:
    """What is told of change points, after a result; nothing if there are none."""
    if not at:
        return ""
    some = ", ".join(f"{x:.6g}" for x in at[:_MOST]) + (", …" if len(at) > _MOST else "")
    return (
        f"; change points at {joint} = {some}, where the joint alone does not say how the others "
        "go on: the branch that it came on is followed"
    )


def regular_start(model: Any, joint: str, start: Array) -> Array:
    """A position to begin with; where branches meet it is refused, as it does not say which."""
    N, _ = directions(
        np.asarray(constraint_matrix(model.numeric, start), dtype=float), none=VANISHING
    )
    ways = branch_tangents(model, start, N)
    if len(ways) == 1 and (near := beside(Rows(model), start, ways[0], _BESIDE)) is not None:
        return near
    if ways:
        value = float(start[model.joint_slices[joint][0].start])
        place = ", ".join(plain_number(x, least=_HALF_KNOWN) for x in start)
        raise ArgumentError(
            f"branches of {model.name!r} meet at q0 = ({place}), "
            "and nothing says which is to be followed: begin beside it, "
            f"q0=assembled({joint}={plain_number(value + 0.1)})"
        )
    return start


def branch_tangents(model: Any, q: Array, N: Array) -> list[Array]:
    """Velocities of the branches that meet at q, of motions N (columns); none if it is regular.

    One, where rows leave more to first order than goes on to the second.
    """
    if not model.held_by or N.shape[1] != 2:
        return []
    found = [v for size, v in second_orders(Rows(model), q, N) if size <= BLOCKED]
    return found if len(found) <= _MOST else []  # of two freedoms all directions go on


def _passed(unit: Driven, origin: Array, value: float) -> Array | None:
    """(q, v, a) at a value where branches meet, of the branch of `origin`; None if none goes on."""
    fastest = float(np.abs(unit.rates(origin[None])[0]).max())
    for apart in _APART:
        h = apart / fastest if origin[unit.at] <= value else -apart / fastest
        try:
            track = Track(unit.held, unit.joint, 0.0, np.array(origin))
            there = np.array([track.to(value + h * x) for x in _NODES])
        except AssemblyError:
            continue
        known = np.concatenate([there, *unit.rates(there)], axis=1)
        scale = 1.0 + np.abs(known).max(axis=0)
        before, after, inner, every = (
            _weights(_NODES[part]) @ known[part]
            for part in (slice(0, 4), slice(4, 8), slice(1, 7), slice(0, 8))
        )
        # a sharp bend beside another branch is none of both: its two sides differ
        good = np.abs(after - before) < _SIDES * scale
        if np.all(good & (np.abs(every - inner) < _AGREE * scale)):
            return np.asarray(every)
    return None


def _weights(x: Array) -> Array:
    """Of values at x, for the polynomial through them at zero."""
    return np.array([np.prod(np.delete(x, i) / (np.delete(x, i) - y)) for i, y in enumerate(x)])


def _crossing(unit: Driven, start: Array, end: Array) -> float:
    """The value between two positions at which the rows change their orientation."""
    back = np.linalg.pinv(unit.slopes(start[None])[0])

    def turned(q: Array) -> float:
        return float(np.linalg.det(back @ unit.slopes(q[None])[0]))

    low, high, origin, one, other = start, end, start, 1.0, turned(end)
    value = float(end[unit.at])
    far = abs(value - float(start[unit.at]))
    for _ in range(_TRIES):  # the secant between signs that differ; an end that stays counts half
        left, right = float(low[unit.at]), float(high[unit.at])
        before, value = value, left + (right - left) * one / (one - other)
        if abs(value - before) < _SAME * far:
            break
        q = Track(unit.held, unit.joint, 0.0, origin.copy()).to(value)
        size = turned(q)
        if size > 0.0:
            low, one, other = q, size, other / 2
            origin = q if unit.rest(q[None])[0] >= _NEAR else origin
        else:
            high, one, other = q, one / 2, size
    return value
