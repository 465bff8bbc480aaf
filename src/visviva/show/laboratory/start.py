"""How a laboratory begins: positions and their rates, velocities, what motors hold at first."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.notation.names import Names
from visviva.notation.writing import page
from visviva.notation.writing.plain import text
from visviva.show.laboratory.pace import Pace

_FELT = 1e-3  # of the largest force of weight
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


def first_velocity(system: Any, q: Array, pace: Pace, size: float) -> Array:
    """Zero where the mechanism sets itself in motion, else such that it moves."""
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
