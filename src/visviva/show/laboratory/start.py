"""How a laboratory begins: positions and their rates, velocities, what motors hold at first."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array

_FELT = 1e-3  # of the largest force of weight
_SPREAD = 1.3, 0.8, 1.7  # speeds of what nothing sets in motion, one after the other


def speeds_of(system: Any) -> list[int]:
    """For each entry of q the velocity that is its rate, -1 where none is."""
    places = [-1] * system.nq
    for own, rates in system.joint_slices.values():
        if own.stop - own.start == rates.stop - rates.start:
            places[own] = range(rates.start, rates.stop)
    return places


def first_velocity(system: Any, q: Array, a: Array, size: float) -> Array:
    """Zero where the mechanism sets itself in motion, else such that it moves."""
    scale = np.array([1.0 if "rad" in unit else size for unit in system.velocity_units])
    if np.isfinite(a).all() and np.abs(a / scale).max(initial=0.0) > 1e-6:
        v = np.zeros(system.nv)
    else:
        v = np.array([_SPREAD[k % len(_SPREAD)] for k in range(system.nv)]) * scale
    if not system.held_by:
        return v
    f = system.admitted_velocity
    given = {"q": q, "v": v, "t": 0.0}
    return np.asarray(f.interpret(*(given[k] for k in f.inputs)), dtype=float)


def slid_away(system: Any, weight: Array) -> tuple[int, ...]:
    """Driven slides without limits that weight would move: a motor holds them, or they are lost."""
    if not getattr(system, "bodies", ()):
        return ()
    free = np.isinf(system.lower) & np.isinf(system.upper)
    found = []
    for name, (q, v) in system.joint_slices.items():
        if name in system.passive or q.stop - q.start != 1 or v.stop - v.start != 1:
            continue
        slides = system.coordinate_units[q.start] == "m"
        if slides and free[q.start] and abs(weight[v.start]) > _FELT * np.abs(weight).max():
            found.append(q.start)
    return tuple(found)
