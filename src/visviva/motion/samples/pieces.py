"""States between samples of motions that jump or end: interpolated from jump to jump."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva.machine.run.call import Array
from visviva.motion.samples.between import hermite
from visviva.motion.samples.occurrences import Events

Curve = Callable[[Array], tuple[Array, Array]]


def interpolated(system: Any, t: Array, q: Array, v: Array, events: Events) -> Curve:
    """As `hermite`, but never across a jump: states before and after it are samples as well.

    At the time of a jump the state is that after it, and after the end of a motion it is nan.
    """
    if not events.has_breaks:
        return hermite(system, t, q, v)
    if q.ndim == 2:
        return _pieced(system, t, q, v, events, 0)
    rows = [_pieced(system, t, q[i], v[i], events, i) for i in range(len(q))]

    def between(at: Array) -> tuple[Array, Array]:
        found = [row(at) for row in rows]
        return np.stack([x for x, _ in found]), np.stack([x for _, x in found])

    return between


def _pieced(system: Any, t: Array, q: Array, v: Array, events: Events, row: int) -> Curve:
    """Of one trajectory."""
    breaks, end = events.breaks(row), events.end(row)
    times = np.array([x[0] for x in breaks])
    first = [(float(t[0]), (q[0], v[0])), *((x[0], x[2]) for x in breaks)]
    last = [*((x[0], x[1]) for x in breaks), (float(t[-1]), (q[-1], v[-1])) if end is None else end]
    curves = []
    for (start, there), (stop, then) in zip(first, last, strict=True):
        inside = np.flatnonzero((t > start) & (t < stop))
        knots = np.concatenate([[start], t[inside], [stop] if stop > start else []])
        both = [
            np.concatenate([[a], x[inside], [b] if stop > start else np.zeros((0, len(a)))])
            for a, x, b in zip(there, (q, v), then, strict=True)
        ]
        curves.append(hermite(system, knots, *both))

    def between(at: Array) -> tuple[Array, Array]:
        which = np.searchsorted(times, at, side="right")
        states = np.full((len(at), q.shape[1]), np.nan), np.full((len(at), v.shape[1]), np.nan)
        for k in np.unique(which):
            own = which == k
            own &= True if end is None else at <= end[0]
            for whole, part in zip(states, curves[k](at[own]), strict=True):
                whole[own] = part
        return states

    return between
