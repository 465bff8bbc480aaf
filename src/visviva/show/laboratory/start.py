"""How a laboratory begins: positions and their rates, velocities, what motors hold at first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.notation.names import Names
from visviva.notation.writing import page
from visviva.notation.writing.plain import text
from visviva.show.laboratory.pace import Pace
from visviva.solve.rows import Rows, directions

_FELT = 1e-3  # of the largest force of weight
_MADE = 1e-9  # of a unit of force: what motors leave of it
_HELD = 1e-6  # of the way: what constraints may fail by, there
_AWAY = 1e4  # sizes: what has not come to rest there goes on
_FAST = 20.0  # rad/s, or sizes in a second: the end of a slider
_MOST_RATES = 12
_SLOWER = 20  # times that a velocity is halved
_SPREAD = 1.3, 0.8, 1.7  # speeds of what nothing sets in motion, one after the other


def speeds_of(system: Any) -> list[int]:
    """For each entry of q the velocity that is its rate, -1 where none is."""
    places = [-1] * system.nq
    for own, rates in system.joint_slices.values():
        if own.stop - own.start == rates.stop - rates.start:
            places[own] = range(rates.start, rates.stop)
    return places


def rates_of(system: Any, size: float) -> list[dict[str, Any]]:
    """The entries of v as sliders show them, nothing where there are too many."""
    if system.nv > _MOST_RATES:
        return []
    names = Names(system.coordinate_names, system.velocity_names)
    entries = zip(system.velocity_names, system.velocity_units, strict=True)
    return [
        {
            "label": text(page.Name(names.parts(name))),
            "unit": unit,
            "lower": -_FAST * (1.0 if "rad" in unit or not unit else size),
            "upper": _FAST * (1.0 if "rad" in unit or not unit else size),
            "index": k,
        }
        for k, (name, unit) in enumerate(entries)
    ]


def first_velocity(system: Any, q: Array, stated: Array, pace: Pace, size: float) -> Array:
    """The stated one; else zero where the mechanism sets itself in motion, or such that it moves.

    A top is stated with its spin: without it, it would only fall.
    """
    if np.any(stated):
        return stated
    scale = np.array([1.0 if "rad" in unit else size for unit in system.velocity_units])
    if np.abs(pace.rest / scale).max(initial=0.0) > 1e-6:
        v = np.zeros(system.nv)
    else:
        v = np.array([_SPREAD[k % len(_SPREAD)] for k in range(system.nv)]) * scale
    if system.held_by:
        f = system.admitted_velocity
        given = {"q": q, "v": v, "t": 0.0}
        v = np.asarray(f.interpret(*(given[k] for k in f.inputs)), dtype=float)
    for _ in range(_SLOWER):  # nothing is faster than light, where there is some
        if np.isfinite(pace.accelerations(q[None], v[None], np.zeros((1, len(v))))).all():
            break
        v = v / 2
    return v


def driven_by_motors(system: Any, q: Array) -> Array:
    """For each velocity whether actuators can make any force on it, and none on the others."""
    f = system.actuator_map
    given = {"q": q, "v": np.zeros(system.nv), "t": 0.0}
    T = np.asarray(f(*(given[k] for k in f.inputs)), dtype=float)
    left = np.eye(len(T)) - T @ np.linalg.pinv(T)
    return np.asarray(np.abs(left).max(axis=0, initial=0.0) < _MADE)


def slid_away(
    system: Any, q: Array, size: float, at_rest: Callable[[str, Array], Array]
) -> tuple[int, ...]:
    """Driven slides that weight would move without end: a motor holds them, or they are lost.

    Those with limits end there, and so do those that loops lead back, and those on
    springs, which far away push back from both sides.
    """
    if not getattr(system, "bodies", ()):
        return ()
    weight, driven = at_rest("gravity_forces", q), driven_by_motors(system, q)
    free = np.isinf(system.lower) & np.isinf(system.upper)
    found = []
    for part, v in system.joint_slices.values():
        if part.stop - part.start != 1 or v.stop - v.start != 1 or not driven[v.start]:
            continue
        k = part.start
        if system.coordinate_units[k] != "m" or not free[k]:
            continue
        far = np.zeros(len(q))
        far[k] = _AWAY * size
        ends = [at_rest("gravity_forces", q + s * far)[v.start] for s in (-1.0, 1.0)]
        is_kept = ends[0] < 0.0 < ends[1]
        if is_kept or not abs(weight[v.start]) > _FELT * np.abs(weight).max():
            continue
        if _goes_on(system, q, v.start, _AWAY * size):
            found.append(k)
    return tuple(found)


def _goes_on(system: Any, q: Array, k: int, far: float) -> bool:
    """Whether constraints hold far away too, straight on along velocity k."""
    if not system.held_by:
        return True
    rows = Rows(system)
    N, _ = directions(rows.matrix(q))
    reach = float(N[k] @ N[k])
    if reach < _MADE:
        return False
    error = rows.error(system.integrate(q, N @ N[k] * (far / reach)))
    return bool(np.abs(error).max(initial=0.0) < _HELD * far)
