"""Limits that a run is beyond, which hold nothing here: what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import BoolArray
from visviva.machine.run.call import Array
from visviva.motion.simulation.acting import Steps, passive_entries
from visviva.motion.trajectory import Trajectory

JUST_KEPT = 1e-9  # of a limit that is just kept


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


def on_passive(run: Trajectory) -> list[str]:
    """Forces on what nothing drives."""
    s, tau = run.system, run.tau
    if tau is None:
        return []
    names = [s.motion_names[k] for k in passive_entries(s) if np.any(tau[..., k])]
    said = f"tau acts on {', '.join(names)}, which is passive: nothing drives it"
    return [said] if names else []


def sizes_exceeded(run: Trajectory, is_batch: bool) -> list[str]:
    """Joints faster, or driven harder, than they may be."""
    s = run.system
    sizes = [("velocity", run.v, s.velocity_limits)]
    if run.tau is not None and not s.limited_actuators:  # these have limits of their own
        sizes.append(("effort", run.tau, s.effort_limits))
    over = [(kind, np.abs(x) > most * (1 + JUST_KEPT)) for kind, x, most in sizes]
    return [
        said
        for kind, x in over
        for said in _exceeded(f"limits of {kind} are exceeded", x, run.t, s.motion_names, is_batch)
    ]


def drives_exceeded(drives: Sequence[Any], u: Steps, is_batch: bool) -> list[str]:
    """Actuators that are driven harder than they may be."""
    ends = np.array([(a.lower, a.upper) for a in drives])
    low, high = (ends + JUST_KEPT * np.abs(ends) * [-1.0, 1.0]).T
    over = (u.values < low) | (u.values > high)
    names = [a.name for a in drives]
    return _exceeded("actuators are driven beyond their limits", over, u.edges, names, is_batch)


def _exceeded(
    what: str, over: BoolArray, t: Array, names: Sequence[str], is_batch: bool
) -> list[str]:
    """The word on what is over its limits (…, k, n) at times (k,); none where nothing is."""
    if not over.any():
        return []
    rows = over.reshape(-1, *over.shape[-2:])
    who = [names[k] for k in np.flatnonzero(rows.any(axis=(0, 1))).tolist()]
    first = t[int(np.argmax(rows.any(axis=(0, 2))))]
    one = f"run[{int(np.argmax(rows.any(axis=(1, 2))))}]" if is_batch else "run"
    return [
        f"{what} from t = {first:.6g} s, if not before: {', '.join(who)}. Nothing "
        f"holds them; model.feasibility({one}) says by how much"
    ]
