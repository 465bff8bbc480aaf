"""The work of each kind of force along a motion: its power, integrated by Gauss and Legendre.

Powers are evaluated between samples, never taken from differences of energy, so that energy and
work are two roads to one number. Panels between two samples are halved until the work changes no
more. Where states between samples are interpolated, the work along a motion through every second
sample says how much the interpolation may have changed it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from visviva.machine.run.call import Array
from visviva.motion.samples.along import along, called, function_of, has
from visviva.motion.samples.forces import Acting
from visviva.motion.samples.pieces import interpolated

ACTUATORS, POTENTIAL, FRICTION = "actuators", "gravity and springs", "friction and dampers"
APPLIED, MOVING, TIME = "applied forces", "moving constraints", "explicit time"
KINDS = (ACTUATORS, POTENTIAL, FRICTION, APPLIED, MOVING, TIME)
IMPACTS = "impacts"  # one more kind of work, which has no power: what events change at once
NODES, WEIGHTS = np.polynomial.legendre.leggauss(5)
FINEST = 64  # panels between two samples
AT_ONCE = 1 << 17  # states in one call
COARSER = 8  # an error of fourth order in q, third in v, shrinks by so much with half the step


class Work(NamedTuple):
    """The work of each kind of force until each sample (..., steps), in joules, and its error."""

    of: dict[str, Array]
    error: Array  # (...,), an estimate of what the largest error of their sum without gravity is


def powers(system: Any, state: Mapping[str, Any], parameters: Mapping[str, Any]) -> list[Array]:
    """The power of each kind of force at states (..., k), in the order of `KINDS`, in watts.

    That of gravity and springs is -∂V/∂q · v. Where L has the time in it, -∂L/∂t changes the energy
    besides.
    """
    v = state["v"]

    def of(force: Any) -> Array:
        return np.asarray(np.einsum("...i,...i->...", force, v))

    def slope(quantity: str, by: str) -> Any:
        f = function_of(system, quantity, parameters)
        return called(f.jacobian(by), state, parameters) if by in f.inputs else 0.0

    none = np.zeros(v.shape[:-1])
    applied = along(system, "applied_forces", state, parameters) if _has_forces(system) else None
    moving = along(system, "constraint_power", state, parameters) if system.held_by else none
    return [
        of(np.broadcast_to(state["tau"], v.shape)),
        -of(slope("potential_energy", "q")),
        -of(along(system, "dissipation_forces", state, parameters)),
        none if applied is None else of(applied),
        none + moving,
        none + slope("potential_energy", "t") - slope("kinetic_energy", "t"),
    ]


def _has_forces(system: Any) -> bool:
    return has(system, "applied_forces")


def work(run: Any, enough: Array) -> Work:
    """Along a trajectory; panels are halved until nothing changes by more than `enough`."""
    panels, before = 1, _integrated(run, run.at, 1)
    while True:
        panels *= 2
        now = _integrated(run, run.at, panels)
        error = _difference(now, before)
        if panels >= FINEST or not (error > enough).any():
            break
        before = now
    if run.dense is None and len(run.t) > 2:
        every = np.unique([*range(0, len(run.t), 2), len(run.t) - 1])
        q, v = run.q[..., every, :], run.v[..., every, :]
        wide = interpolated(run.system, run.t[every], q, v, run.events)
        error = error + _difference(now, _integrated(run, wide, panels)) / (COARSER - 1)
    return Work(dict(zip(KINDS, now, strict=True)), error)


def _difference(a: list[Array], b: list[Array]) -> Array:
    """The largest, along the motion, of what changes the energy."""
    differences = [np.abs(x - y) for k, x, y in zip(KINDS, a, b, strict=True) if k != POTENTIAL]
    return np.asarray(sum(differences).max(axis=-1))  # type: ignore[union-attr]


def _integrated(
    run: Any, states: Callable[[Array], tuple[Array, Array]], panels: int
) -> list[Array]:
    """Works until every sample (..., steps)."""
    grid = _smooth(run)
    lanes, count = run.q.shape[:-2], len(grid) - 1
    total = np.zeros((len(KINDS), *lanes, count + 1))
    each = panels * len(NODES)
    chunk = max(1, AT_ONCE // (each * max(1, int(np.prod(lanes)))))
    s = (np.arange(panels)[:, None] + (NODES + 1) / 2).ravel() / panels
    weights = np.tile(WEIGHTS, panels) / (2 * panels)
    for first in range(0, count, chunk):
        start = grid[first : min(first + chunk, count)]
        h = grid[first + 1 : first + 1 + len(start)] - start
        t = np.minimum((start[:, None] + h[:, None] * s).ravel(), run.t[-1])
        q, v = states(t)
        state = {"q": q, "v": v, "t": t, "tau": run.forces_at(t, q, v)}
        for k, power in enumerate(powers(run.system, state, run.parameters)):
            rows = power.reshape(*lanes, len(start), each) @ weights * h
            total[k, ..., first + 1 : first + 1 + len(start)] = rows
    return list(np.cumsum(total, axis=-1)[..., np.searchsorted(grid, run.t)])


def _smooth(run: Any) -> Array:
    """Times between which nothing jumps: the samples, and where forces or states change."""
    breaks = run.between.breaks if isinstance(run.between, Acting) else ()
    jumps = () if run.is_batch else [x for x, _, _ in run.events.breaks()]
    inside = [x for x in (*breaks, *jumps) if run.t[0] < x < run.t[-1]]
    return np.union1d(run.t, inside) if inside else run.t
