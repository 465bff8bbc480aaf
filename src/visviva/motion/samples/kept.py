"""Whether a motion stays on its constraints: never beyond a kink of them, nor off them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from visviva.errors import MotionError
from visviva.machine.kinks import Kink, kinks, may_have_kinks
from visviva.motion.samples.along import along, parameter_rows

LEFT = 1e-6  # metres or radians, of mechanisms of the size of metres: what is more is off them
_BETWEEN = 8  # states between two samples, where they are known
_UNTIL = "error.trajectory has the motion until then"


def check_kept(run: Any) -> None:
    """Refuse a motion that comes to a kink of its constraints, or that leaves them."""
    if len(run.t) < 2:
        return
    off, found = _left(run), _kinks(run)
    k = len(run.t) - 1 if off is None else off[0]
    if found and found[0][1] <= run.t[k]:
        _refuse_kink(run, *found[0])
    if off is not None:
        _, row, error = off
        raise MotionError(
            f"simulate: the motion of {_whose(run, row)} leaves its constraints by {error:.3g} at "
            f"t = {run.t[k]:.6g} s: a step cannot be brought back to them{_why(run.system)}. "
            f"Shorter steps (dt=) or smaller tolerances (rtol=, atol=) may follow them; {_UNTIL}",
            until(run, max(k, 1)),
        )


def _why(s: Any) -> str:
    """Whether they may have kinks anywhere."""
    said = ", perhaps for a kink (abs, where, max), which smooth laws have not"
    return said if may_have_kinks(s) else ""


def _whose(run: Any, row: int) -> str:
    return f"trajectory {row} of {run.system.name!r}" if run.is_batch else repr(run.system.name)


def _refuse_kink(run: Any, row: int, time: float, kink: Kink) -> None:
    q = np.array2string(kink.q, precision=6, separator=", ", suppress_small=True)
    where = "" if kink.jump else f", near q = {q}"  # beside a jump there are two
    what = "positions would" if kink.jump else "velocities would"
    raise MotionError(
        f"simulate: the constraints of {_whose(run, row)} have {kink.told} at t = {time:.6g} s"
        f"{where}: {what} have to jump there, in an impact of which nothing is stated. A law that "
        f"is smooth is passed, as sqrt(x^2 + 1e-6) for abs(x); {_UNTIL}",
        until(run, max(int(np.searchsorted(run.t, time)), 1)),
    )


def _left(run: Any) -> tuple[int, int, float] | None:
    """The first sample that is off the constraints, of which trajectory most, and by how much."""
    error = np.abs(run.constraint_error)
    if not error.size:
        return None
    first = {"q": run.q[..., :1, :], "v": run.v[..., :1, :], "t": run.t[:1]}
    A = along(run.system, "constraint_matrix", first, run.parameters)
    most = LEFT * (1.0 + float(np.nanmax(np.abs(A), initial=0.0)))
    off = (error > most).reshape(-1, *error.shape[-2:]).any(axis=(0, 2))
    if not off.any():
        return None
    k = int(np.argmax(off))
    sizes = np.nan_to_num(error[..., k, :]).reshape(-1, error.shape[-1]).max(axis=1)
    row = int(np.argmax(sizes))
    return k, row, float(sizes[row])


def _kinks(run: Any) -> list[tuple[int, float, Kink]]:
    """Kinks on the way: of which trajectory, when, and what they are; the first ones first."""
    names, times = tuple(run.parameters), run.t
    if not may_have_kinks(run.system, names):
        return []
    if run.dense is not None:
        count = (len(run.t) - 1) * _BETWEEN + 1
        times = np.interp(np.arange(count) / _BETWEEN, np.arange(len(run.t)), run.t)
    q = run.q if run.dense is None else run.at(times)[0]
    q = q if run.is_batch else q[None]
    values = parameter_rows(run.parameters) if names else np.zeros(0)
    shape, ways = q.shape[:2], len(times) - 1
    state = {
        "q": q,
        "t": np.broadcast_to(times, shape),
        "parameters": np.broadcast_to(values, (*shape, values.shape[-1])),
    }
    start, end = (  # of all ways of all trajectories
        {k: x[:, part].reshape(shape[0] * ways, *x.shape[2:]) for k, x in state.items()}
        for part in (slice(-1), slice(1, None))
    )
    found = []
    for kink in kinks(run.system, start, end, names):
        row, way = divmod(kink.way, ways)
        a, b = times[way : way + 2]
        found.append((row, float(a + kink.share * (b - a)), kink))
    return sorted(found, key=lambda x: x[1])


def until(run: Any, count: int) -> Any:
    """The first samples of a motion."""
    columns = ("q", "v", "tau", "holding", "carried")
    whole = {k: x for k in columns if (x := getattr(run, k)) is not None}
    cut = {k: x[..., :count, :] for k, x in whole.items()}
    return replace(run, t=run.t[:count], **cut, events=run.events.until(run.t[count - 1]))
