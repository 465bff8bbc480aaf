"""`simulate`: from a start and forces to a `Trajectory`."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from visviva.errors import ArgumentError, UnknownNameError
from visviva.motion.simulation import stiff
from visviva.motion.simulation.adaptive import adaptive_steps
from visviva.motion.simulation.events.chosen import watched_motion, watched_solution
from visviva.motion.simulation.events.event import watch_of
from visviva.motion.simulation.events.stepped import watched_steps
from visviva.motion.simulation.fixed import fixed_steps
from visviva.motion.simulation.identity import identity
from visviva.motion.simulation.modes.moded import has_modes, moded_steps
from visviva.motion.simulation.recording import Recording
from visviva.motion.simulation.task import Task, task_of
from visviva.motion.trajectory import Trajectory

STEP_METHODS = ("semi-implicit", "midpoint", "variational", "rk4", "dopri5", "dop853")
ADAPTIVE = ("dopri5", "dop853")
STEPLESS = (*ADAPTIVE, *stiff.OF_SCIPY)
METHOD_NAMES = ("auto", *dict.fromkeys((*STEP_METHODS, *STEPLESS)))

THEIRS = dict.fromkeys(("rk45", "ode45", "dopri", "tsit5"), "dopri5")  # as others call methods
THEIRS |= dict.fromkeys(("odeint", "ode113"), "lsoda") | dict.fromkeys(("bdf", "ode15s"), "radau")
THEIRS |= dict.fromkeys(("euler", "symplectic"), "semi-implicit") | {"runge-kutta": "rk4"}


def simulate(
    system: Any,
    q0: Any,
    v0: Any,
    t: Any,
    *,
    tau: Any = None,
    u: Any = None,
    method: str = "auto",
    rtol: float = 1e-9,
    atol: float = 1e-12,
    dt: float | None = None,
    save: int = 1,
    parameters: Mapping[str, Any] | None = None,
    threads: int = 1,
    record: str | os.PathLike[str] | None = None,
    events: Any = None,
) -> Trajectory:
    """The motion of a system; `System.simulate` says what may be asked."""
    if method not in METHOD_NAMES:
        low = str(method).lower()
        meant = low if low in METHOD_NAMES else THEIRS.get(low)
        way = meant and f"did you mean {meant!r}?"
        raise UnknownNameError("method of simulate", method, METHOD_NAMES, way)
    values = {} if parameters is None else parameters
    task = task_of(system, q0, v0, t, tau, u, values, may_stop=True)
    chosen = _chosen(method, dt, task)
    _check_numbers(rtol, atol, dt, save, chosen)
    if dt is None and save != 1:
        raise ArgumentError("save=k keeps every k-th step of length dt=; give dt, or times as t")
    task = task.with_forces_of_rows(dt, save)
    is_pieced = task.table is not None or task.flow.law.is_sampled
    may_switch = method == "auto" and not task.is_batch and not is_pieced
    watch, moded = watch_of(system, events), has_modes(task, chosen)
    how_long: dict[str, Any] = {"rtol": rtol, "atol": atol}
    if dt is not None:
        how_long = {"dt": float(dt), "save": save}
    if watch is not None:
        if record is not None:
            raise ArgumentError(
                "simulate: runs with events= are not recorded: leave record= out, and write the "
                "whole run with run.save(path)"
            )
        if moded:
            return moded_steps(task, chosen, how_long, threads, watch)
        if dt is not None:
            return watched_steps(task, chosen, float(dt), save, threads, watch)
        if chosen in stiff.OF_SCIPY:
            return watched_solution(task, chosen, rtol, atol, (), watch)
        return watched_motion(task, chosen, rtol, atol, threads, may_switch, watch)

    def run(recording: Recording | None) -> Trajectory:
        if moded:
            return moded_steps(task, chosen, how_long, threads)
        if dt is not None:
            return fixed_steps(task, chosen, float(dt), save, threads, recording)
        if chosen in stiff.OF_SCIPY:
            return stiff.solved(task, chosen, rtol, atol, (), recording)
        return adaptive_steps(task, chosen, rtol, atol, threads, may_switch, recording)

    if record is None:
        return run(None)
    if moded:
        raise ArgumentError(
            "simulate: runs in which friction of joints sticks, or stops hold them, are not "
            "recorded: leave record= out, and write the whole run with run.save(path)"
        )
    how = {"method": method, **{k: float(x) for k, x in how_long.items()}}
    recording = Recording(record, identity(task, how), task)
    with recording.kept():
        return recording.finish(run(recording))


def _chosen(method: str, dt: float | None, task: Task) -> str:
    if task.callback is not None:
        if method not in ("auto", "scipy-dop853") or dt is not None or task.is_batch:
            raise ArgumentError(
                "this controller cannot be traced (it calls numpy, or branches on numbers); it is "
                "called from Python, for one trajectory with adaptive steps. Written with "
                "vv.generic it becomes part of the machine code"
            )
        return "scipy-dop853"
    if not task.is_traced and dt is not None:
        raise ArgumentError(
            "steps of given length are machine code, and this controller cannot be traced (it "
            "calls numpy, or branches on numbers): leave dt= out, or write it with vv.generic"
        )
    if method != "auto":
        if dt is None and method not in STEPLESS:
            raise ArgumentError(f"method {method!r} takes steps of given length: dt=")
        if dt is not None and method not in STEP_METHODS:
            raise ArgumentError(f"method {method!r} chooses its steps itself: leave dt= out")
        return method
    return "dop853" if dt is None else "rk4"


def _check_numbers(rtol: Any, atol: Any, dt: Any, save: Any, method: str) -> None:
    for name, x in (("rtol", rtol), ("atol", atol), ("dt", dt)):
        if x is None:
            continue
        if not isinstance(x, (int, float, np.floating)) or not 0.0 < x < math.inf:
            raise ArgumentError(f"simulate: {name} is a number above zero, got {x!r}")
    if dt is None and rtol < 1e-14:
        raise ArgumentError(f"simulate: rtol is at least 1e-14, got {rtol:g}: doubles have no more")
    if not isinstance(save, (int, np.integer)) or isinstance(save, bool) or save < 1:
        raise ArgumentError(f"simulate: save is a whole number of steps from 1 on, got {save!r}")
