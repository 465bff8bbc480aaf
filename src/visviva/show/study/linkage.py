"""A linkage with one freedom, turned by its motor: how far it goes, and where others turn back.

Where another joint on the ground stands still while the input goes on, that joint is at a dead
point: a force at it cannot start the linkage. Where the input itself turns back, the others would
have to move infinitely fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from visviva.algebra.arrays import Array
from visviva.describe.model.body import WORLD
from visviva.errors import AssemblyError

_STEPS = 181  # along a whole turn
_CLOSE = 1e-9  # of the input, to which dead points are found


@dataclass(frozen=True)
class DeadPoint:
    """The joint `output` stands still at the position q, where the input has this value."""

    output: str
    value: float
    at: float  # of the output
    q: Array


@dataclass(frozen=True, eq=False)
class Turned:
    """Positions q (n, nq) along values (n,) of the input, from one end to the other."""

    joint: str
    is_whole: bool  # a turn without an end
    values: Array
    q: Array
    dead: tuple[DeadPoint, ...]


def turned(system: Any, start: Array) -> Turned | None:
    """By its first motor that turns a body on the ground; None where no such joint moves all."""
    joint = _input(system)
    if joint is None or system.mobility().true != 1:
        return None
    k = system.joint_slices[joint][0].start
    first = float(start[k])
    low, high, is_whole = first, first + 2 * np.pi, True
    try:
        q = _followed(system, joint, np.linspace(low, high, _STEPS), start)
    except AssemblyError:
        low, high = (_end(system, joint, first, s, start, k) for s in (-1, 1))
        is_whole = False
        inside = np.linspace(low, high, _STEPS)[1:-1]
        up = inside[inside >= first]
        down = inside[inside < first][::-1]
        q = np.concatenate([x[::s] for x, s in _both(system, joint, down, up, start) if len(x)])
    values = np.array(q[:, k])
    dead = tuple(x for name in _outputs(system, joint) for x in _dead(system, joint, name, q))
    return Turned(joint, is_whole, values, q, dead)


def _both(system: Any, joint: str, down: Array, up: Array, start: Array) -> list[tuple[Array, int]]:
    return [
        (_followed(system, joint, x, start), s) if len(x) else (x, s)
        for x, s in ((down, -1), (up, 1))
    ]


def _followed(system: Any, joint: str, values: Array, start: Array) -> Array:
    return np.asarray(system.tracked(start, joint, values), dtype=float)


def _end(system: Any, joint: str, first: float, sign: int, start: Array, k: int) -> float:
    """Where the input turns back; a whole turn further where it does not."""
    far = first + sign * 2 * np.pi
    try:
        _followed(system, joint, np.linspace(first, far, _STEPS), start)
    except AssemblyError as error:
        return float(np.asarray(error.q)[k])
    return far


def _input(system: Any) -> str | None:
    """The first motor that turns a body on the ground."""
    idle = set(system.passive)
    names = (b.joint_name for b in _grounded(system) if any(b.joint.angular))
    return next((x for x in names if x not in idle), None)


def _outputs(system: Any, joint: str) -> list[str]:
    return [b.joint_name for b in _grounded(system) if b.joint_name != joint]


def _grounded(system: Any) -> list[Any]:
    return [b for b in system.bodies if b.parent == WORLD and b.joint.nq == 1 and b.mimic is None]


def _dead(system: Any, joint: str, output: str, q: Array) -> list[DeadPoint]:
    """Where the output's rate changes its sign, found between two positions."""
    i, o = (system.joint_slices[x][0].start for x in (joint, output))

    def rate(x: Array) -> float:
        way = np.asarray(system.displacements(x), dtype=float)[:, 0]
        a, b = (system.joint_slices[name][1].start for name in (joint, output))
        return float(way[b] / way[a])

    rates = [rate(x) for x in q]
    found = []
    for n in map(int, np.flatnonzero(np.diff(np.array(rates) >= 0))):

        def at(value: float, n: int = n) -> Array:
            return np.asarray(_followed(system, joint, np.array([value]), q[n])[-1])

        ends = sorted((float(q[n, i]), float(q[n + 1, i])))
        value = brentq(lambda x: rate(at(x)), *ends, xtol=_CLOSE)
        there = at(value)
        found.append(DeadPoint(output, float(value), float(there[o]), there))
    return found
