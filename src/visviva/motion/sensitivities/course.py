"""The steps of a motion, and the states at them.

Derivatives are those of the steps that are taken, as they are: of given length, or as long as an
adaptive run of the same motion found them, and cut where a sample is wanted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.errors import ArgumentError, MotionError, ShapeError, UnknownNameError
from visviva.machine.kinks import is_dry, way_without_dry_friction
from visviva.machine.repetition import Loop
from visviva.machine.run.call import Array
from visviva.motion.simulation import stiff
from visviva.motion.simulation.integrate import Integrator
from visviva.motion.simulation.simulate import (
    METHOD_NAMES,
    _check_numbers,
    _chosen,
    simulate,
)
from visviva.motion.simulation.task import Task, task_of
from visviva.motion.steps.newton import SOLVED

SAME_TIME = 1e-10  # of a motion: a sample so near to the end of a step is that end
NUMBERS_AT_A_TIME = 4_000_000  # numbers that wait in memory at a time


@dataclass(frozen=True, eq=False)
class Course:
    """Steps of all rows of a task: their lengths (K,), and forces (rows, K, n) if these change.

    Sample i is the state before step `at[i]`; step k has the forces of row `of_table[k]`.
    """

    task: Task
    integrator: Integrator
    t: Array  # of the samples
    at: np.ndarray
    h: Array
    forces: Array | None
    of_table: np.ndarray

    @property
    def steps(self) -> int:
        """How many there are."""
        return len(self.h)

    @property
    def force(self) -> str:
        """What forces that are numbers are called: "tau" or "u"; or "", of a controller."""
        return next(iter(self.task.flow.law.inputs), "")

    @property
    def states(self) -> dict[str, int]:
        """Lengths of what one step hands on to the next, by name."""
        more = {k: n for k, n in self.integrator.remembers.items() if k != "residual"}
        return {k: n for k, n in (self.task.flow.sizes() | more).items() if k != "t"}

    @property
    def first(self) -> dict[str, Array]:
        """The state at the start, and all that stays as it is."""
        rows, task = self.task.rows, self.task
        zeros = {
            k: np.zeros((rows, *np.atleast_1d(n))) for k, n in self.integrator.remembers.items()
        }
        return {**task.start, "t": np.full(rows, task.span.first), **zeros}

    @property
    def given(self) -> dict[str, Array]:
        """Parameters, and forces that do not change: (rows, n)."""
        changing = self.force if self.forces is not None else ""
        return {k: x for k, x in self.task.given.items() if k != changing}

    def tables(self, part: slice) -> dict[str, Array]:
        """What differs from step to step, of some steps."""
        own = {"h": self.h[part]}
        return own if self.forces is None else {**own, self.force: self.forces[:, part]}

    def parts(self, numbers: int) -> list[slice]:
        """Steps in parts, so that so many numbers of each step find room."""
        size = int(np.clip(NUMBERS_AT_A_TIME // (self.task.rows * numbers), 1, self.steps))
        return [slice(k, min(k + size, self.steps)) for k in range(0, self.steps, size)]

    def run(
        self, state: Mapping[str, Array], part: slice, threads: int, save: bool = True
    ) -> tuple[dict[str, Array], dict[str, Array]]:
        """The state after some steps, and the states (rows, steps + 1, …) along them."""
        loop = _loop(self.integrator, self.forces is not None)
        done = loop(
            {**state, **self.given},
            times=part.stop - part.start,
            each=self.tables(part),
            save=1 if save else None,
            threads=threads,
        )
        self._check(done.state)
        return dict(done.state), dict(done.saved)

    def _check(self, state: Mapping[str, Array]) -> None:
        """Refuse to differentiate what is no motion any more."""
        for i in range(self.task.rows):
            if not all(np.isfinite(state[k][i]).all() for k in "qvx"):
                raise MotionError(
                    f"sensitivities: {self.task.who(i)} is not finite before t = "
                    f"{self.task.span.last:g} s; simulate says from when on"
                )
            if "residual" in state and not state["residual"][i] <= SOLVED:
                raise MotionError(
                    f"sensitivities: a step of method {self.integrator.method!r} is too long for "
                    f"{self.task.who(i)}: {state['residual'][i]:.1g} of the momenta is left of its "
                    f"equations, where {SOLVED:g} may be. Try a shorter dt"
                )

    def at_steps(self, part: slice, saved: Mapping[str, Array]) -> dict[str, Array]:
        """All inputs of a step, of every step of a part: (rows, steps, …)."""
        rows, count = self.task.rows, part.stop - part.start
        values = {k: x[:, :-1] for k, x in saved.items()}
        values |= {k: np.broadcast_to(x[:, None], (rows, count, x.shape[-1]))
                   for k, x in self.given.items()}  # fmt: skip
        tables = self.tables(part)
        values["h"] = np.broadcast_to(tables.pop("h"), (rows, count))
        return values | {k: np.broadcast_to(x, (rows, *x.shape[1:])) for k, x in tables.items()}

    def sampled(self, part: slice, is_last: bool) -> Iterator[tuple[int, int]]:
        """Samples of a part: their numbers, and after how many of its steps they are."""
        end = part.stop + (1 if is_last else 0)
        for i in np.flatnonzero((self.at >= part.start) & (self.at < end)):
            yield int(i), int(self.at[i]) - part.start


def _loop(integrator: Integrator, with_table: bool) -> Loop:
    kept: dict[bool, Loop] = integrator.__dict__.setdefault("_loops", {})
    if with_table not in kept:
        forces = tuple(integrator.flow.law.inputs) if with_table else ()
        kept[with_table] = Loop(integrator._step, each=("h", *forces))
    return kept[with_table]


def courses_of(
    system: Any,
    start: tuple[Any, Any, Any],
    tau: Any,
    u: Any,
    values: Mapping[str, Any],
    how: Mapping[str, Any],
) -> tuple[Task, list[Course]]:
    """The task, and its steps: of all rows at once if their length is given, else of each row.

    `how`: method, rtol, atol, dt, save, as `simulate` takes them.
    """
    method, dt = how["method"], how["dt"]
    if method not in METHOD_NAMES:
        raise UnknownNameError("method of simulate", method, METHOD_NAMES)
    task = task_of(system, *start, tau, u, values)
    _check_smooth(task)
    if method in stiff.OF_SCIPY:
        raise ArgumentError(
            f"sensitivities are those of steps that are machine code, and method {method!r} is "
            "SciPy's; 'dop853' and 'dopri5' choose their steps too, and dt= gives their length "
            "('midpoint' for stiff systems)"
        )
    chosen = _chosen(method, dt, task)
    _check_numbers(how["rtol"], how["atol"], dt, how["save"], chosen)
    if dt is None:
        found = [_found(task, i, start, tau, u, values, how) for i in range(task.rows)]
        return task, found
    span, save = task.span, how["save"]
    steps, every = span.steps(float(dt), save)
    forces = task.table
    if forces is not None and forces.shape[-2] != steps:
        raise ShapeError(
            f"simulate: {forces.shape[-2]} rows of forces for {steps} steps of {dt:g} s"
        )
    if forces is not None and forces.ndim == 2:
        forces = forces[None]
    at = np.arange(0, steps + 1, every)
    t = np.append(span.first + dt * at[:-1], span.last) if span.samples is None else span.samples
    course = Course(
        task, task.integrator(chosen), t, at, np.full(steps, float(dt)), forces, np.arange(steps)
    )
    return task, [course]


def _row(values: Mapping[str, Any], i: int) -> dict[str, Any]:
    return {k: np.asarray(x)[i] if np.ndim(x) else x for k, x in values.items()}


def _found(
    task: Task,
    i: int,
    start: tuple[Any, Any, Any],
    tau: Any,
    u: Any,
    values: Mapping[str, Any],
    how: Mapping[str, Any],
) -> Course:
    """The steps that an adaptive run of one row takes, cut at the samples."""
    s, span = task.system, task.span
    own = _row(values, i)
    forces = {"tau": tau, "u": u}
    if task.table is not None and task.table.ndim == 3:
        forces = {k: None if x is None else np.asarray(x)[i] for k, x in forces.items()}
    q, v = task.start["q"][i], task.start["v"][i]
    named = {k: how[k] for k in ("method", "rtol", "atol", "save")}
    run = simulate(s, q, v, (span.first, span.last), **forces, parameters=own, **named)
    method = str(run.statistics["method"])
    if method in stiff.OF_SCIPY:
        raise ArgumentError(
            f"sensitivities: {task.who(i)} is stiff, and steps of {method!r} are SciPy's, which "
            "are not differentiated: dt= with method='midpoint' is stable however stiff it is"
        )
    alone = task_of(s, q, v, (span.first, span.last), forces["tau"], forces["u"], own)
    if span.samples is None:
        samples = np.array([span.first, span.last]) if task.is_batch else run.t
    else:
        samples = span.samples
    times = _cut(run.t, samples)
    edges = None if alone.table is None else alone.steps()
    middle = (times[1:] + times[:-1]) / 2
    of_table = np.zeros(len(middle), dtype=int)
    if edges is not None:
        of_table = np.clip(np.searchsorted(edges.edges, middle) - 1, 0, len(edges.edges) - 2)
    table = None if edges is None else edges.values[:, of_table]
    at = np.searchsorted(times, samples)
    return Course(alone, alone.integrator(method), samples, at, np.diff(times), table, of_table)


def _cut(times: Array, samples: Array) -> Array:
    """Ends of steps, and samples; an end that is a sample but for rounding is the sample."""
    room = SAME_TIME * (times[-1] - times[0])
    place = np.clip(np.searchsorted(samples, times), 1, len(samples) - 1)
    near = np.minimum(abs(samples[place] - times), abs(samples[place - 1] - times))
    return np.union1d(times[near > room], samples)


def _check_smooth(task: Task) -> None:
    """Refuse what has no derivative, or none that the steps know of."""
    law, s = task.flow.law, task.system
    if task.callback is not None:
        raise ArgumentError(
            "sensitivities: this controller cannot be traced (it calls numpy, or branches on "
            "numbers), so that nothing is known of its derivative; write it with vv.generic"
        )
    if law.is_sampled:
        raise ArgumentError(
            "sensitivities: forces of a sampled controller are held for a period, and motions are "
            "not differentiated through that; leave its period= out, or give the forces as numbers"
        )
    asked = s.function("forward_dynamics", parameters=task.flow.parameters)
    which = (
        "the system has dry friction" if is_dry(asked) else "the system takes signs, as of abs(x)"
    )
    jumping = [(which, asked.operations["sign"])]
    if law.traced is not None:
        jumping.append(("the controller takes signs", law.traced.operations["sign"]))
    for what, count in jumping:
        if count:
            raise ArgumentError(
                f"sensitivities: {what}, so that forces of {s.name!r} jump, and no derivative of "
                "steps knows of a jump; tanh(v / small) is smooth, and "
                f"{way_without_dry_friction(s)}"
            )
