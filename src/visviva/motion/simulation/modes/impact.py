"""Impacts at stops: velocities after them, and when bounces are over.

What comes against a stop with velocity v⁻ leaves with -e v⁻: an impulse p does that, which changes
all velocities, M (v⁺ - v⁻) = N p on what loops leave. Stops that joints lean on already push along,
p ≥ 0, where they would be run through otherwise (Moreau's law). Friction with limits does nothing
in no time: an impact goes through joints that are stuck.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from visviva.machine.run.call import Array
from visviva.motion.simulation.modes.boxed import boxed
from visviva.motion.simulation.modes.mode import Grip

REST = 1e-10  # of the time since the start: bounces that take less in all are over
RESOLVED = 256 * 2.0**-52  # of time and position: shorter and lower ones cannot be told from rest


class Impact(NamedTuple):
    """What happened at stops at one time: velocities before and after it, impulses (nv,)."""

    t: float
    q: Array
    v: Array
    v_after: Array
    impulse: Array


def impact(grip: Grip, now: Mapping[str, Array], began: float) -> Impact | None:
    """At a state (1, …) in which joints are at stops; None if none of them comes against one."""
    t, q, v = float(now["t"][0]), now["q"][0], now["v"][0]
    side = grip.touched(q)
    touching = [int(i) for i in np.flatnonzero((side != 0) & (side * v <= 0))]
    if not any(side[i] * v[i] < 0 for i in touching):
        return None
    s = grip.functions.stops
    e = np.zeros(len(v))
    e[s.v] = s.restitution
    stays: list[int] = []  # joints whose bounces are over
    while True:
        after, impulse = _struck(grip, now, side, touching, e, stays)
        rising = [i for i in touching if side[i] * after[i] > 0 and i not in stays]
        over = _settled(grip, {**now, "v": after[None]}, side, e, rising, t, began)
        if not over:
            return Impact(t, q, v, after, impulse)
        stays += over
        e[over] = 0.0


def _struck(
    grip: Grip,
    now: Mapping[str, Array],
    side: Array,
    touching: list[int],
    e: Array,
    stays: list[int],
) -> tuple[Array, Array]:
    """Velocities after the impulses of some stops, and these (nv,); who `stays` is at rest then,
    although a push of others would lift it for less than can be told."""
    v, n = now["v"][0], side[touching]
    balance = grip.balance(now, grip.mode(now, {}))
    W = balance.W
    G = W[np.ix_(touching, touching)] * np.outer(n, n)
    coming = n * v[touching]
    low = np.array([-np.inf if i in stays else 0.0 for i in touching])
    p = boxed(G, (1.0 + e[touching]) * coming, low, np.full(len(n), np.inf))
    after = v + W[:, touching] @ (n * p)
    impulse = np.zeros(len(v))
    for i, size in zip(touching, n * p, strict=True):
        if size != 0.0:
            impulse[i], after[i] = size, 0.0 - e[i] * v[i]  # to the last bit, and no -0
    return grip.at_rest_together(balance, after, float(np.abs(v).max())), impulse


def _settled(
    grip: Grip,
    now: Mapping[str, Array],
    side: Array,
    e: Array,
    rising: list[int],
    t: float,
    began: float,
) -> list[int]:
    """Joints whose bounces, from these velocities on, would be over before one could tell."""
    rising = [i for i in rising if e[i] < 1.0]
    if not rising:
        return []
    f = grip.integrator.slope
    a = dict(zip(f.outputs, grip.at(f, now, grip.mode(now, {})), strict=True))["v"][0]
    found, places = [], dict(zip(grip.functions.stops.v, grip.functions.stops.q, strict=True))
    for i in rising:
        speed, back = side[i] * now["v"][0, i], -side[i] * a[i]  # it is pushed to the stop again
        if back <= 0:
            continue
        lasts, height = 2.0 * speed / back, 0.5 * speed * speed / back
        is_over = lasts <= max(REST * (t - began) * (1.0 - e[i]), RESOLVED * abs(t))
        if is_over or height <= RESOLVED * abs(now["q"][0, places[i]]):
            found.append(i)
    return found
