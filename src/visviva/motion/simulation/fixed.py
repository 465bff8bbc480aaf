"""Motions with steps of given length, and the states that are kept of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.errors import ArgumentError, MotionError, ShapeError
from visviva.machine.run.call import Array
from visviva.machine.run.passes import Running
from visviva.motion.simulation import passing
from visviva.motion.simulation.acting import Steps
from visviva.motion.simulation.recording import Recording
from visviva.motion.simulation.task import Task, state_in_words
from visviva.motion.steps.newton import SOLVED
from visviva.motion.trajectory import Trajectory
from visviva.progress import progress


def fixed_steps(
    task: Task,
    method: str,
    dt: float,
    save: int,
    threads: int,
    recording: Recording | None = None,
) -> Trajectory:
    """The motion of a task with steps of dt seconds, every `save`-th of which is kept."""
    span, rows, law = task.span, task.rows, task.flow.law
    steps, every = span.steps(dt, save)
    integrator = task.integrator(method)
    start = {**task.start, "t": np.full(rows, span.first), "h": np.full(rows, dt)}
    start |= {k: np.zeros((rows, *np.atleast_1d(n))) for k, n in integrator.remembers.items()}
    given, table = dict(task.given), task.table
    if table is not None:
        if table.shape[-2] != steps:
            raise ShapeError(
                f"simulate: {table.shape[-2]} rows of forces for {steps} steps of {dt:g} s"
            )
        name = next(iter(law.inputs))
        given.pop(name)
        run = integrator.fixed_with_tables.start({**start, **given}, each={name: table})
    else:
        if law.is_sampled:
            period = np.full(rows, float(_steps_of_a_period(law.controller, dt)))
            given |= {"left": period, "every": period, **task.asked(integrator, start)}
            start["x"] = given.pop("x")
        run = integrator.fixed.start({**start, **given})
    t = np.asarray(span.first + dt * every * np.arange(steps // every + 1), dtype=float)
    t = np.append(t[:-1], span.last) if span.samples is None else span.samples  # as they were asked
    look = recording is None and passing.can_be_looked_for(task, steps)
    with progress(f"simulating {task.system.name}") as at:

        def told(done: int) -> None:
            at.step(f"{span.first + dt * done:.4g} of {span.last:g} s")

        if recording is not None:
            kept = recording.fixed(integrator, run, steps, every, t, threads, told)
            t = t[: kept["q"].shape[1]]
        else:
            kept = _in_memory(run, steps, 1 if look else every, threads, told)
    if look:
        whole = passing.passed(task, method, dt, kept)
        kept = {k: np.ascontiguousarray(x[:, ::every]) for k, x in whole.items()}
    how = f"method {method!r} with dt = {dt:g} s"
    statistics: dict[str, Any] = {"method": method, "dt": dt, "steps": steps}
    _check_finite(task, t, kept, how, statistics)
    if "residual" not in integrator.remembers:
        return _kept(task, t, kept, statistics)
    residual = np.asarray(run.state["residual"])
    statistics["residual"] = residual if task.is_batch else float(residual[0])
    result = _kept(task, t, kept, statistics)
    _check_solved(task, residual, result)
    return result


def _in_memory(
    run: Running, steps: int, every: int, threads: int, told: Callable[[int], None]
) -> dict[str, Array]:
    """All steps, and what was kept of them."""
    run.keep_every(every, steps // every + 1)
    done = 0
    while done < steps:
        done = min(steps, done + max(every, -(-steps // 20 // every) * every))
        run.advance(done, threads)
        told(done)
    return dict(run.history)


def _kept(task: Task, t: Array, kept: Mapping[str, Array], statistics: Any) -> Trajectory:
    """The trajectory of states that were kept at equal distances."""
    law, notes = task.flow.law, []
    numbers: Any = None
    if law.is_sampled and law.controller is not None and law.controller.period is not None:
        numbers, note = _held(t, kept["tau"], law.controller.period)
        notes += note
    elif law.states:
        numbers = _Remembered(t, kept["x"])
    return task.trajectory(t, kept["q"], kept["v"], None, statistics, notes, numbers)


def _held(t: Array, tau: Array, period: float) -> tuple[Steps, list[str]]:
    """The forces of a sampled controller, known at the states that were kept, for all times."""
    apart = t[1] - t[0] if len(t) > 1 else period
    if period < apart * (1 - 1e-9):
        return Steps(np.append(t, t[-1] + apart), tau), [
            f"the controller was asked every {period:g} s, oftener than states were kept: "
            "forces between samples, and their work, are not all known"
        ]
    asked = t[0] + period * np.arange(int((t[-1] - t[0]) / period * (1 + 1e-12) + 1e-9) + 1)
    first = np.searchsorted(t, asked - 1e-9 * period)  # the first state kept since it was asked
    return Steps(np.append(asked, asked[-1] + period), tau[:, first]), []


@dataclass(frozen=True, eq=False)
class _Remembered:
    """What a controller remembers between samples that were kept: cubic splines."""

    t: Array
    x: Array  # (rows, samples, nx)

    def __call__(self, times: Array) -> Array:
        if len(self.t) < 2:
            return np.repeat(self.x, len(times), axis=1)
        from scipy.interpolate import CubicSpline

        return np.asarray(CubicSpline(self.t, self.x, axis=1)(times))


def _steps_of_a_period(controller: Any, dt: float) -> int:
    steps: int = round(controller.period / dt)
    if steps < 1 or abs(steps * dt - controller.period) > 1e-9 * controller.period:
        raise ArgumentError(
            f"simulate: the controller's period, {controller.period:g} s, is no multiple of dt = "
            f"{dt:g} s; dt = {controller.period / max(steps, 1):.17g} would be"
        )
    return steps


def _check_finite(
    task: Task, t: Array, kept: Mapping[str, Array], how: str, statistics: Any
) -> None:
    q, v = kept["q"], kept["v"]
    bad = np.asarray(~(np.isfinite(q).all(axis=2) & np.isfinite(v).all(axis=2)))
    if not bad.any():
        return
    k = int(np.argmax(bad.any(axis=0)))
    i, before = int(np.argmax(bad[:, k])), max(k - 1, 0)
    until = {name: x[:, : before + 1] for name, x in kept.items()}
    where = state_in_words(q[i, before], v[i, before])
    raise MotionError(
        f"simulate: {task.who(i)} is not finite from t = {t[k]:.9g} s on ({how}); at "
        f"{t[before]:.9g} s {where}. Try a shorter dt, or no dt for adaptive steps; "
        "error.trajectory has it until then",
        _kept(task, t[: before + 1], until, statistics),
    )


def _check_solved(task: Task, residual: Array, result: Trajectory) -> None:
    """Of implicit steps: whether the equations of every step were solved."""
    worst = int(np.argmax(residual))
    if residual[worst] <= SOLVED:
        return
    method, dt = result.statistics["method"], result.statistics["dt"]
    raise MotionError(
        f"simulate: a step of {dt:g} s of method {method!r} is too long for "
        f"{task.who(worst)}: {residual[worst]:.1g} of the momenta is left of its equations, "
        f"where {SOLVED:g} may be. Try a shorter dt; error.trajectory has the motion as it is",
        result,
    )
