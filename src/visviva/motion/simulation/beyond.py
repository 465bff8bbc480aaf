"""Limits that a run is beyond, which hold nothing here: what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visviva.algebra import generic as g
from visviva.algebra.arrays import BoolArray
from visviva.machine.run.call import Array
from visviva.motion.simulation.acting import passive_entries
from visviva.motion.simulation.bounds import FAST, ran_away

JUST_KEPT = 1e-9  # of a limit that is just kept
LARGEST = float(np.finfo(float).max)


def bounds_of(s: Any) -> list[tuple[float, float]]:
    """Between which all numbers of q, v and τ are where nothing has to be said of them.

    Limits, the speed from which a motion may run away, and for positions what is finite.
    """
    close = 1 + 0.5 * JUST_KEPT
    speeds = np.minimum(s.velocity_limits * close, FAST)
    forces = np.full(s.nv, np.inf) if s.limited_actuators else s.effort_limits * close
    forces[passive_entries(s)] = 0.0
    low = np.concatenate([np.maximum(s.lower, -LARGEST), -speeds, -forces])
    high = np.concatenate([np.minimum(s.upper, LARGEST), speeds, forces])
    return list(zip(low.tolist(), high.tolist(), strict=True))


def actuator_bounds(s: Any) -> list[tuple[float, float]]:
    """The same of the forces of actuators; empty where none has limits."""
    low, high = _actuator_limits(s, 0.5 * JUST_KEPT)
    if not has_limited_actuators(s):
        return []
    low, high = np.maximum(low, -LARGEST), np.minimum(high, LARGEST)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def doubt(bounds: Sequence[tuple[float, float]], numbers: Any, before: Any) -> Any:
    """`before`, or 1 where one is beyond its bounds, as what is no number is; over any scalar."""
    for x, (low, high) in zip(numbers, bounds, strict=True):
        sides = [(g.absolute(x), high)] if low == -high else [(x, high), (-x, -low)]
        for y, most in sides if high < np.inf else ():
            before = g.where(g.less_equal(y, most), before, 1.0)
    return before


def in_words(s: Any, t: Array, q: Array, v: Array, tau: Array | None, rows: Any) -> list[str]:
    """What is said of states (k, times, n) of some rows, None for the only one, and forces there.

    Forces are left out where there is nothing to be said of them (`has_limited_forces`).
    """
    run_away = ran_away(t, v)
    texts = limits_left(s, t, q) + ([run_away] if run_away else [])
    texts += [] if tau is None else on_passive(s, tau)
    texts += size_exceeded(s, "velocity", t, v, rows)
    if tau is not None and not s.limited_actuators:  # these have limits of their own
        texts += size_exceeded(s, "effort", t, tau, rows)
    return texts


def has_limited_forces(s: Any) -> bool:
    """Whether something may be said of forces."""
    if s.limited_actuators:
        return bool(s.passive) or has_limited_actuators(s)
    return bool(s.passive) or bool(np.isfinite(s.effort_limits).any())


def has_limited_actuators(s: Any) -> bool:
    """Whether an actuator has a limit."""
    return any(np.isfinite((float(a.lower), float(a.upper))).any() for a in s.limited_actuators)


def limits_left(system: Any, t: Array, q: Array) -> list[str]:
    """Joints that leave their limits, q (rows, times, n)."""
    outside, said = (q < system.lower) | (q > system.upper), []
    if not outside.any():
        return []
    for joint, (part, _) in system.joint_slices.items():
        when = outside[:, :, part].any(axis=(0, 2))
        if when.any():
            first = t[int(np.argmax(when))]
            way = f"; model.with_stops({{{joint!r}: 0.0}}) has one"
            since = f"at t = {first:.6g} s, if not before"
            said.append(f"{joint!r} is beyond its limits {since}: no stop acts{way}")
    return said


def on_passive(s: Any, tau: Array) -> list[str]:
    """Forces on what nothing drives."""
    names = [s.motion_names[k] for k in passive_entries(s) if np.any(tau[..., k])]
    said = f"tau acts on {', '.join(names)}, which is passive: nothing drives it"
    return [said] if names else []


def size_exceeded(s: Any, kind: str, t: Array, x: Array, rows: Any) -> list[str]:
    """Joints faster ("velocity"), or driven harder ("effort"), than they may be."""
    over = np.abs(x) > np.asarray(getattr(s, f"{kind}_limits")) * (1 + JUST_KEPT)
    return _exceeded(f"limits of {kind} are exceeded", over, t, s.motion_names, rows)


def drives_exceeded(s: Any, t: Array, u: Array, rows: Any) -> list[str]:
    """Actuators that are driven harder than they may be, by u (rows, times, k)."""
    low, high = _actuator_limits(s, JUST_KEPT)
    names = [a.name for a in s.limited_actuators]
    over = (u < low) | (u > high)
    return _exceeded("actuators are driven beyond their limits", over, t, names, rows)


def _actuator_limits(s: Any, room: float) -> tuple[Array, Array]:
    """Lower and upper ones, with some room of their size."""
    ends = np.array([(a.lower, a.upper) for a in s.limited_actuators], dtype=float).reshape(-1, 2)
    size = np.where(np.isfinite(ends), np.abs(ends), 0.0)
    low, high = (ends + room * size * [-1.0, 1.0]).T
    return low, high


def _exceeded(what: str, over: BoolArray, t: Array, names: Sequence[str], rows: Any) -> list[str]:
    """The word on what is over its limits (rows, k, n) at times (k,); none where nothing is.

    `rows` are numbers of trajectories, None where there is one.
    """
    if not over.any():
        return []
    who = [names[k] for k in np.flatnonzero(over.any(axis=(0, 1))).tolist()]
    first = t[int(np.argmax(over.any(axis=(0, 2))))]
    one = "run" if rows is None else f"run[{rows[int(np.argmax(over.any(axis=(1, 2))))]}]"
    return [
        f"{what} from t = {first:.6g} s, if not before: {', '.join(who)}. Nothing "
        f"holds them; model.feasibility({one}) says by how much"
    ]
