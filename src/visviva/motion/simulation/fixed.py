"""Motions with steps of given length, and the states that are kept of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.errors import ArgumentError, MotionError, ShapeError
from visviva.machine.run.call import Array
from visviva.machine.run.passes import Running
from visviva.motion.samples.occurrences import Events
from visviva.motion.simulation import passing
from visviva.motion.simulation.acting import Steps
from visviva.motion.simulation.bounds import check_memory, ending
from visviva.motion.simulation.integrate import Integrator
from visviva.motion.simulation.recording import Recording
from visviva.motion.simulation.task import Task, state_in_words
from visviva.motion.steps.newton import SOLVED
from visviva.motion.trajectory import Trajectory
from visviva.progress import progress

IN_A_PIECE = 40  # tenths of a second, as they are estimated, until a motion says how far it is


def fixed_steps(
    task: Task,
    method: str,
    dt: float,
    save: int,
    threads: int,
    recording: Recording | None = None,
) -> Trajectory:
    """The motion of a task with steps of dt seconds, every `save`-th of which is kept."""
    stepping = Stepping(task, method, dt, save)
    integrator, steps, every = stepping.integrator, stepping.steps, stepping.every
    start = {**stepping.start, **stepping.given, "doubt": np.zeros(task.rows)}
    tables = {} if task.table is None else {next(iter(task.flow.law.inputs)): task.table}
    start = {k: x for k, x in start.items() if k not in tables}
    loop = integrator.guard_loop_with_table if tables else integrator.guard_loop
    run = loop.start(start, each=tables)
    t, span = stepping.times(), task.span
    look = passing.can_be_looked_for(task, steps)
    apart = 1 if look else every
    with progress(f"simulating {task.system.name}", from_first_step=True) as at:

        def told(done: int) -> None:
            at.step(stepping.progress(done))

        if recording is not None:
            times = t if apart == every else np.asarray(span.first + dt * np.arange(steps + 1.0))
            kept = recording.fixed(integrator, run, steps, apart, times, threads, told)
            t = t if look else t[: kept["q"].shape[1]]
        else:
            kept = _in_memory(run, steps, apart, threads, told)
    if look:
        whole = passing.passed(task, method, dt, steps, kept)
        kept = {k: np.ascontiguousarray(x[:, ::every]) for k, x in whole.items()}
    else:
        stepping.doubtful = _doubtful_rows(task, integrator, run)
    residual = run.state["residual"] if "residual" in integrator.remembers else ()
    return stepping.result(t, kept, np.asarray(residual))


class Stepping:
    """Steps of given length: how many, from which start, with what; and what is made of them."""

    def __init__(self, task: Task, method: str, dt: float, save: int) -> None:
        self.task, self.method, self.dt = task, method, dt
        span, rows, law = task.span, task.rows, task.flow.law
        self.steps, self.every = span.steps(dt, save)
        kept = self.steps // self.every + 1
        check_memory(
            f"{kept} states of {rows} motions",
            rows * kept * (task.system.nq + task.system.nv),
            "save=k keeps every k-th step only",
        )
        self.taken = self.steps  # fewer where events end all motions
        self.residual: dict[str, Any] = {}  # of methods that solve equations
        self.events: Events | None = None  # what happened, if anybody looks for it
        self.doubtful: Any = slice(None)  # rows that may be beyond limits, or not finite
        self.integrator = integrator = task.integrator(method)
        remembers = integrator.remembers.items()
        start = {**task.start, "t": np.full(rows, span.first), "h": np.full(rows, dt)}
        start |= {k: np.zeros((rows, *np.atleast_1d(n))) for k, n in remembers}
        given = dict(task.given)
        if task.table is not None and task.table.shape[-2] != self.steps:
            raise ShapeError(
                f"simulate: {task.table.shape[-2]} rows of forces for {self.steps} steps of "
                f"{dt:g} s"
            )
        if law.is_sampled:
            period = np.full(rows, float(_steps_of_a_period(law.controller, dt)))
            given |= {"left": period, "every": period, **task.asked(integrator, start)}
            start["x"] = given.pop("x")
        self.start: dict[str, Array] = start
        self.given: dict[str, Array] = given

    def times(self) -> Array:
        """Those of the states that are kept, as they were asked for."""
        span, dt, every = self.task.span, self.dt, self.every
        if span.samples is not None:
            return span.samples
        t = span.first + dt * every * np.arange(self.steps // every + 1)
        return np.append(t[:-1], span.last)

    def progress(self, done: int) -> str:
        """How far one is after so many steps."""
        span = self.task.span
        return f"{span.first + self.dt * done:.4g} of {span.last:g} s"

    def trajectory(
        self, t: Array, kept: Mapping[str, Array], events: Events | None = None
    ) -> Trajectory:
        """The motion through what was kept."""
        law, notes = self.task.flow.law, list[str]()
        numbers: Any = None
        if law.is_sampled and law.controller is not None and law.controller.period is not None:
            numbers, notes = _held(t, kept["tau"], law.controller.period)
        elif law.states:
            numbers = _Remembered(t, kept["x"])
        statistics = {"method": self.method, "dt": self.dt, "steps": self.taken, **self.residual}
        states = t, kept["q"], kept["v"]
        return self.task.trajectory(
            *states, None, statistics, notes, numbers, events, self.doubtful
        )

    def result(
        self,
        t: Array,
        kept: Mapping[str, Array],
        residual: Array,
        over: Any = False,
        told: Callable[[Trajectory], Trajectory] = lambda run: run,
    ) -> Trajectory:
        """The trajectory, `told` what happened, or an error that has what is good of it.

        Samples that are `over` (rows, k) come after the end of a motion and are no numbers.
        """
        self._check_finite(t, kept, over)
        is_solved = "residual" not in self.integrator.remembers
        if not is_solved:
            self.residual = {"residual": residual if self.task.is_batch else float(residual[0])}
        run = told(self.trajectory(t, kept, self.events))
        if is_solved or (worst := residual.max()) <= SOLVED:
            return run
        raise MotionError(
            f"simulate: a step of {self.dt:g} s of method {self.method!r} is too long for "
            f"{self.task.who(int(np.argmax(residual)))}: {worst:.1g} of the momenta is left of its "
            f"equations, where {SOLVED:g} may be. Try a shorter dt; error.trajectory has the "
            "motion as it is",
            run,
        )

    def _check_finite(self, t: Array, kept: Mapping[str, Array], over: Any) -> None:
        task, (q, v) = self.task, (kept["q"], kept["v"])
        rows = np.arange(task.rows)[self.doubtful]
        bad = ~(np.isfinite(q[rows]).all(axis=2) & np.isfinite(v[rows]).all(axis=2))
        bad &= ~np.broadcast_to(over, (task.rows, len(t)))[rows]
        if not bad.any():
            return
        k = int(np.argmax(bad.any(axis=0)))
        i, before = int(rows[np.argmax(bad[:, k])]), max(k - 1, 0)
        where = state_in_words(q[i, before], v[i, before])
        partial = self.trajectory(
            t[: before + 1], {name: x[:, : before + 1] for name, x in kept.items()}
        )
        text = (
            f"simulate: {task.who(i)} is not finite from t = {t[k]:.9g} s on (method "
            f"{self.method!r} with dt = {self.dt:g} s); at {t[before]:.9g} s {where}. Try a "
            "shorter dt, or no dt for adaptive steps; error.trajectory has it until then"
        )
        raise MotionError(ending(text, partial), partial)


def _in_memory(
    run: Running, steps: int, every: int, threads: int, told: Callable[[int], None]
) -> dict[str, Array]:
    """All steps, and what was kept of them."""
    run.keep_every(every, steps // every + 1)
    at_once = max(IN_A_PIECE * run.kernel.rows_at_once // run.rows, 1)
    for done in range(at_once, steps, at_once):
        run.advance(done, threads)
        told(done)
    run.advance(steps, threads)
    return dict(run.history)


def _doubtful_rows(task: Task, integrator: Integrator, run: Running) -> Any:
    """Rows of which something may have to be said: of their last states too."""
    f = integrator.guard
    last = {**run.values, **{k: x[:, -1] for k, x in run.tables.items()}}
    shapes = {k: (task.rows, *shape) for k, shape in f.inputs.items()}
    doubt = f(*(last[k].reshape(shape) for k, shape in shapes.items()))
    return np.flatnonzero(doubt)


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
