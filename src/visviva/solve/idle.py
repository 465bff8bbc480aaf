"""Freedoms that move nothing else: a rod between two balls spins about itself.

Such a motion turns a group of bodies as one, between neighbours that stay: it is in the joint that
carries the group, alone or together with one further out that undoes it for what comes after.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.body import WORLD
from visviva.equations.frames.kinematics import jacobian
from visviva.solve.assembly import CLOSED
from visviva.solve.rows import Rows, directions

TRIED = 0.7  # radians, by which it is tried


def idle(s: Any, rows: Rows, q: Array) -> dict[str, Array]:
    """Motions (nv,) that turn one group of bodies only, by the joint that carries it."""
    found: dict[str, Array] = {}
    A = rows.slope(q)
    bodies = s.bodies if s.loops else ()
    below = _subtrees(bodies)
    for i, b in enumerate(bodies):
        if b.mimic is not None:
            continue
        own = list(range(*s.v_index[i].indices(s.nv)))
        for outer in (None, *(j for j in below[i] if j != i and bodies[j].mimic is None)):
            group = set(below[i]) - (set() if outer is None else set(below[outer]))
            if len(_neighbours(s, group)) < 2:
                continue
            more = [] if outer is None else list(range(*s.v_index[outer].indices(s.nv)))
            columns = own + more
            held = [A[:, columns]]
            if outer is not None:
                J = np.asarray(jacobian(s.numeric, bodies[outer].name, q), dtype=float)
                held.append(J[:, columns])
            for x in directions(np.vstack(held))[0].T:
                v = np.zeros(s.nv)
                v[columns] = x
                if np.linalg.norm(v[own]) > 1e-6 and _turns(rows, q, v):
                    found.setdefault(b.joint_name, v / np.linalg.norm(v[own]))
    return found


def _turns(rows: Rows, q: Array, v: Array) -> bool:
    """Whether the rows still hold after a turn."""
    there = rows.system.integrate(q, TRIED * v)
    return float(np.abs(rows.error(there)).max(initial=0.0)) <= 100 * CLOSED


def _subtrees(bodies: Any) -> list[list[int]]:
    below: list[list[int]] = [[i] for i in range(len(bodies))]
    for i in reversed(range(len(bodies))):
        if bodies[i].parent != WORLD:
            below[bodies[i].parent] += below[i]
    return below


def _neighbours(s: Any, group: set[int]) -> set[int]:
    """The bodies outside that a group is joined to."""
    pairs = [(i, b.parent) for i, b in enumerate(s.bodies) if b.joint.position_rows]
    for x in s.loops:
        if x.active:
            one, other = (s.frame(name).body for name in x.frames)
            pairs.append((one, other))
    outside = set()
    for a, b in pairs:
        if (a in group) != (b in group):
            outside.add(b if a in group else a)
    return outside
