"""Loads at rest: wrenches that stay as they are while a mechanism looks for its position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError
from visviva.motion.stability.place import Place
from visviva.motion.stability.verdict import UNDECIDED
from visviva.solve.rows import directions
from visviva.solve.statics.loads import loads_at_origins

SYMMETRIC = 1e-9  # of the stiffness: by how much it may differ from its transpose


@dataclass(frozen=True, eq=False)
class Loads:
    """Frames, with the axes of their wrenches, and the wrenches (number, 6) on the system."""

    frames: Mapping[str, str] = field(default_factory=dict)
    wrenches: Array = field(default_factory=lambda: np.zeros((0, 6)))


def loads_of(s: Any, wrenches: Any, v: Array) -> Loads:
    """What `wrenches` says: at origins of frames, in world axes, on a model at rest."""
    if wrenches is None:
        return Loads()
    _ = s.frames  # refuses what has none
    if np.any(v):
        raise ArgumentError("wrenches are for positions of rest, and v is not zero")
    timed = "t" in s.function("inverse_dynamics").inputs
    if timed or any(x.is_moving for x in s.constraints.active):
        raise ArgumentError(f"wrenches are for positions of rest, and {s.name!r} depends on time")
    total = loads_at_origins(s.numeric, "equilibria", wrenches)
    return Loads(dict.fromkeys(total, "world"), np.array([*total.values()]).reshape(-1, 6))


def stability_under_loads(balance: Any, q: Array) -> str:
    """By the stiffness K along what can move: positive where the energy is least.

    Forces that stay in world axes have an energy, moments in general not: K is then not symmetric.
    Without gyroscopic forces, as at rest, a negative direction of K is one that grows.
    """
    s = balance.system
    if any(x.frames and x.joint.velocity_rows for x in s.constraints.active):
        return f"{UNDECIDED}: constraints about velocities alone"
    still = np.zeros(s.nv)
    Place(s, q, still, balance.tau, balance.t, {}).check_smooth()
    step = np.zeros(s.nv + balance.pulls)
    N = np.eye(s.nv)
    if balance.pulls:
        A = np.asarray(s.function("constraint_matrix")(q))
        left = np.asarray(balance.left(q, step, np.zeros(0)))[: s.nv]
        step[s.nv :] = np.linalg.lstsq(A.T, left, rcond=1e-10)[0]
        N, _ = directions(A)
    K = N.T @ np.asarray(balance.slope(q, step, np.zeros(0)))[: s.nv, : s.nv] @ N
    size = float(np.abs(K).max(initial=0.0))
    if np.abs(K - K.T).max(initial=0.0) > SYMMETRIC * size:
        return f"{UNDECIDED}: moments that stay in world axes have no energy"
    least = float(np.linalg.eigvalsh((K + K.T) / 2).min(initial=np.inf))
    if abs(least) <= SYMMETRIC * size:
        return f"{UNDECIDED}: nothing drives it back along some motion, to first order"
    return "stable: the energy is least" if least > 0 else "unstable"
