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
from visviva.describe.model.model import Model
from visviva.equations.constraints.rows import constraint_matrix
from visviva.errors import ArgumentError, AssemblyError
from visviva.solve.following import beside
from visviva.solve.orders import BLOCKED, second_orders
from visviva.solve.planar.pins import driven
from visviva.solve.rows import FLAT, Rows, directions
from visviva.solve.tracking import Track

NEAR = 1e-3  # of the smallest singular value to the largest: digits of a are lost there
LOST = 1e-5  # and of v
APART = (0.01, 0.003)  # radians of the joint that turns most, between the nodes
NODES = np.array([-4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0])
AGREE = 1e-6  # of polynomials through all nodes and through the inner ones
SIDES = 1e-2  # of those from both sides
BESIDE = 0.05  # radians, of a position at which rows leave more motions than there are
MOST = 4  # branches at a position, values in a sentence
TRIES = 20
SAME = 1e-9  # of a step


class Motion(NamedTuple):
    """q (N, nq), and v and a (N, nv) for a unit of the joint's speed; nan where it jams.

    `change_points` are the values of the joint at which branches meet, on the way.
    """

    q: Array
    v: Array
    a: Array
    change_points: tuple[float, ...]


def motion(held: Any, joint: str, start: Array, q: Array) -> Motion:
    """Of a mechanism that is driven through positions q, from `start` on."""
    m: Model = held.numeric
    k = m.joint_slices[joint][0].start
    every = [start, *q]
    rows = _Rows(m, joint, every)
    slopes = [rows(x) for x in every]
    near = [rows.rest(x) for x in slopes]
    v, a = (np.array(x) for x in zip(*(driven(m, x, joint, 1.0) for x in q), strict=True))
    q, meets, last, told = q.copy(), list[float](), 0, False
    for i in range(1, len(every)):
        value = float(every[i][k])
        if near[i] >= NEAR:
            if not told and np.linalg.det(np.linalg.pinv(slopes[last]) @ slopes[i]) < 0.0:
                meets.append(_crossing(held, joint, (every[last], every[i]), rows))
            last, told = i, False  # here the branch is known
            continue
        passed = _passed(held, joint, every[last], value)
        if passed is not None:
            q[i - 1], v[i - 1], a[i - 1] = np.split(passed, [m.nq, m.nq + m.nv])
            q[i - 1, k] = value
        elif near[i] < LOST:
            v[i - 1] = a[i - 1] = np.nan
        if near[i] < LOST and passed is not None:
            told = True
            meets.append(value)
    return Motion(q, v, a, tuple(dict.fromkeys(meets)))


def said(joint: str, at: Sequence[float]) -> str:
    """What is told of change points, after a result; nothing if there are none."""
    if not at:
        return ""
    some = ", ".join(f"{x:.6g}" for x in at[:MOST]) + (", …" if len(at) > MOST else "")
    return (
        f"; change points at {joint} = {some}, where the joint alone does not say how the others "
        "go on: the branch that it came on is followed"
    )


def regular(model: Any, joint: str, start: Array) -> Array:
    """A position to begin with; where branches meet it is refused, as it does not say which."""
    N, _ = directions(np.asarray(constraint_matrix(model.numeric, start), dtype=float), none=FLAT)
    ways = tangents(model, start, N)
    if len(ways) == 1 and (near := beside(Rows(model), start, ways[0], BESIDE)) is not None:
        return near
    if ways:
        value = float(start[model.joint_slices[joint][0].start])
        raise ArgumentError(
            f"branches of {model.name!r} meet at q0 = ({', '.join(_number(x) for x in start)}), "
            "and nothing says which is to be followed: begin beside it, "
            f"q0=assembled({joint}={_number(value + 0.1)})"
        )
    return start


def _number(x: float) -> str:
    return f"{round(float(x), 6) + 0.0:.6g}"


def tangents(model: Any, q: Array, N: Array) -> list[Array]:
    """Velocities of the branches that meet at q, of motions N (columns); none if it is regular.

    One, where rows leave more to first order than goes on to the second.
    """
    if not model.held_by or N.shape[1] != 2:
        return []
    found = [v for size, v in second_orders(Rows(model), q, N) if size <= BLOCKED]
    return found if len(found) <= MOST else []  # of two freedoms all directions go on


class _Rows:
    """Rows along the other joints, measured by the largest lengths that they have on the way."""

    def __init__(self, m: Model, joint: str, way: Sequence[Array]) -> None:
        self.m, self.own, self.scale = m, m.joint_slices[joint][1].start, np.ones((1, 1))
        if len(self(way[0])):
            longest = np.max([np.linalg.norm(self(x), axis=1) for x in way], axis=0)
            self.scale = np.maximum(longest, NEAR * longest.max(initial=1e-300))[:, None]

    def __call__(self, q: Array) -> Array:
        A = np.asarray(constraint_matrix(self.m, q), dtype=float).reshape(-1, self.m.nv)
        return np.asarray(np.delete(A, self.own, axis=1) / self.scale)

    def rest(self, slope: Array) -> float:
        """How near they are to dependent: the smallest singular value to the largest one."""
        if self.m.nv == 1:
            return 1.0
        sizes = np.linalg.svd(slope, compute_uv=False)
        return float(sizes[-1] / sizes[0]) if len(sizes) == self.m.nv - 1 else 0.0


def _passed(held: Any, joint: str, origin: Array, value: float) -> Array | None:
    """(q, v, a) at a value where branches meet, of the branch of `origin`; None if none goes on."""
    m: Model = held.numeric
    k = m.joint_slices[joint][0].start
    fastest = float(np.abs(driven(m, origin, joint, 1.0)[0]).max())
    for apart in APART:
        h = apart / fastest if origin[k] <= value else -apart / fastest
        try:
            track = Track(held, joint, 0.0, np.array(origin))
            there = [track.to(value + h * x) for x in NODES]
        except AssemblyError:
            continue
        known = np.array([np.concatenate([x, *driven(m, x, joint, 1.0)]) for x in there])
        scale = 1.0 + np.abs(known).max(axis=0)
        before, after, inner, every = (
            _weights(NODES[part]) @ known[part]
            for part in (slice(0, 4), slice(4, 8), slice(1, 7), slice(0, 8))
        )
        # a sharp bend beside another branch is none of both: its two sides differ
        bent = np.abs(after - before) > SIDES * scale
        if not np.any(bent | (np.abs(every - inner) > AGREE * scale)):
            return np.asarray(every)
    return None


def _weights(x: Array) -> Array:
    """Of values at x, for the polynomial through them at zero."""
    return np.array([np.prod(np.delete(x, i) / (np.delete(x, i) - y)) for i, y in enumerate(x)])


def _crossing(held: Any, joint: str, ends: tuple[Array, Array], rows: _Rows) -> float:
    """The value between two positions at which the rows change their orientation."""
    k = held.joint_slices[joint][0].start
    back = np.linalg.pinv(rows(ends[0]))

    def turned(value: float) -> float:
        there = Track(held, joint, 0.0, np.array(ends[0])).to(value)
        return float(np.linalg.det(back @ rows(there)))

    (low, high), one, other = (float(x[k]) for x in ends), 1.0, turned(float(ends[1][k]))
    middle = high
    for _ in range(TRIES):  # the secant between signs that differ; an end that stays counts half
        before, middle = middle, low + (high - low) * one / (one - other)
        if abs(middle - before) < SAME * abs(high - low) or low == high:
            break
        size = turned(middle)
        if size > 0.0:
            low, one, other = middle, size, other / 2
        else:
            high, one, other = middle, one / 2, size
    return middle
