"""What is to be simulated: start, forces, time and parameters, checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from visviva.algebra.arrays import entries
from visviva.describe.model.remarks import unmodelled
from visviva.describe.stops import stops_of
from visviva.errors import ArgumentError, ShapeError
from visviva.hints import in_radians
from visviva.machine.function import Function
from visviva.machine.run.call import Array
from visviva.motion.samples.actuators import ActuatorShare
from visviva.motion.samples.forces import Acting, called_forces, is_function
from visviva.motion.samples.occurrences import Events
from visviva.motion.samples.singular import noted
from visviva.motion.simulation import beyond
from visviva.motion.simulation.acting import (
    Steps,
    driven,
    held,
    refuse_law_on_passive,
    refuse_on_passive,
    remembered,
)
from visviva.motion.simulation.integrate import Integrator
from visviva.motion.simulation.span import Span, span_of
from visviva.motion.steps.flow import Flow
from visviva.motion.steps.law import Controller, Law
from visviva.motion.steps.tracing import Kept, traced_law
from visviva.motion.trajectory import Trajectory
from visviva.solve.assembly import VIOLATED

MOST_INTEGRATORS = 64  # integrators of a system, each with its machine code


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be simulated: start (rows, …) of all rows, forces, the time."""

    system: Any
    flow: Flow
    start: Mapping[str, Array]  # q, v, x of every row
    given: Mapping[str, Array]  # tau or u, parameters: (rows, …)
    table: Array | None  # forces that change with time, (rows or 1, samples, n)
    span: Span
    is_batch: bool
    parameters: Mapping[str, Any]
    between: Any  # what a trajectory is told of its forces
    callback: Callable[..., Any] | None = None  # forces that cannot be traced
    callback_law: Law | None = None  # of them, where they are those of actuators
    is_traced: bool = True  # whether the law of a sampled controller could be

    @property
    def rows(self) -> int:
        """How many trajectories."""
        return len(self.start["q"])

    @property
    def is_smooth(self) -> bool:
        """Whether forces are smooth in time: they are neither rows nor those of a computer."""
        return self.table is None and not self.flow.law.is_sampled

    def integrator(self, method: str) -> Integrator:
        """One for a system, a law and a method, compiled once; kept with the system.

        A law is known by the program that it was traced to, which is all that steps have of it:
        numbers in its closure may have changed since the last run. What is not traced is known by
        its controller, which keeps its own.
        """
        law, c = self.flow.law, self.flow.law.controller
        name: tuple[Any, ...] = (method, self.flow.kind, self.flow.parameters, law.drives)
        owner = self.system
        if c is not None and law.traced is None:
            owner, name = c, (*name, id(self.system))  # the integrator holds the system
        elif c is not None and law.traced is not None:
            name = (*name, law.traced.program.digest, law.states, c.period)
        kept: dict[Any, Integrator] = owner.__dict__.setdefault("_integrators", {})
        integrator = kept.pop(name, None) or Integrator(self._own_flow, method)
        kept[name] = integrator
        for oldest in list(kept)[:-MOST_INTEGRATORS]:
            kept.pop(oldest, None)
        return integrator

    @property
    def _own_flow(self) -> Flow:
        """The flow, which holds of a traced law nothing that is the user's."""
        law, c = self.flow.law, self.flow.law.controller
        if c is None or law.traced is None:
            return self.flow
        rate = None if c.rate is None else law.traced
        traced = replace(law, controller=replace(c, law=law.traced, rate=rate))
        return replace(self.flow, law=traced)

    def trajectory(
        self,
        t: Array,
        q: Array,
        v: Array,
        dense: Any,
        statistics: Mapping[str, Any],
        notes: Sequence[str] = (),
        numbers: Callable[[Array], Array] | None = None,
        events: Events | None = None,
        doubtful: Any = slice(None),
    ) -> Trajectory:
        """The result, one or a batch; `numbers` (rows, k, m) are what a controller remembers or
        holds at times (k,); `events` what happened, if anybody looked for it; `doubtful` are the
        rows that may be beyond limits."""
        s = self.system
        for x in (q, v):
            x.setflags(write=False)  # nobody else has them
        tau, between = self._forces(t, numbers)
        rows, texts = np.arange(self.rows)[doubtful], [*notes, *unmodelled(s.notes)]
        if len(rows):
            states = t, q[doubtful], v[doubtful]
            acting = self._limited_forces(doubtful, tau, between, states)
            names = rows if self.is_batch else None
            texts += beyond.in_words(s, *states, acting, names)
            u = self._actuator_forces(doubtful, numbers, acting, states)
            texts += [] if u is None else beyond.drives_exceeded(s, *u, names)
            if tau is None and acting is not None and len(rows) == self.rows:
                tau = acting if self.is_batch else acting[0]
        run = Trajectory(
            s,
            t,
            q if self.is_batch else q[0],
            v if self.is_batch else v[0],
            tau=tau,
            between=between,
            dense=dense,
            parameters=self.parameters,
            statistics=statistics,
            notes=tuple(texts),
            events=Events() if events is None else events,
        )
        return run if not s.held_by else noted(run, is_watched=events is not None)

    def _limited_forces(
        self, rows: Any, tau: Array | None, between: Any, states: Any
    ) -> Array | None:
        """τ (k, times, nv) of some rows at their states, if something may be said of it."""
        if not beyond.has_limited_forces(self.system):
            return None
        if tau is not None:
            return tau[rows] if self.is_batch else tau[None]
        if not is_function(between):
            return None
        if self.is_batch and isinstance(between, Acting):
            return called_forces(between.of(rows), *states)
        return called_forces(between, *states)

    def _actuator_forces(
        self, rows: Any, numbers: Any, tau: Array | None, states: Any
    ) -> tuple[Array, Array] | None:
        """Times, and forces (k, times, m) of actuators then in some rows, if there are limits.

        They are what drives them, or the smallest that give τ at the states.
        """
        law, (t, q, v) = self.flow.law, states
        if tau is None or not beyond.has_limited_actuators(self.system):
            return None
        if self.callback_law is not None:
            ask = self.callback_law.asked
            motions = [zip(t, *pair, strict=True) for pair in zip(q, v, strict=True)]
            u = [[ask(*state, ())[0] for state in motion] for motion in motions]
            return t, np.array(u, dtype=float)
        parameters = self.given.get("parameters")
        if law.drives and (law.is_sampled or law.controller is None):
            steps = numbers if law.is_sampled else self.steps()
            return steps.edges, steps.values[rows]
        if law.drives:
            every = np.arange(self.rows)
            forces = remembered(law, numbers, parameters, every, Law.own_forces)
            return t, forces.of(rows).along(t, q, v)
        values = {} if parameters is None else {"parameters": parameters[rows][:, None]}
        share = ActuatorShare(self.system, self.flow.parameters)
        return t, share(tau, q=q, v=v, t=t, **values)

    def _forces(self, t: Array, numbers: Any) -> tuple[Any, Any]:
        """τ at the samples, and what it is between them."""
        law, rows = self.flow.law, np.arange(self.rows) if self.is_batch else 0
        parameters = self.given.get("parameters")
        if law.is_sampled:
            if law.drives:
                return None, driven(law, numbers, parameters, rows)
            return held(numbers, t, rows)
        if law.states or (law.drives and law.controller is not None):
            return None, remembered(law, numbers, parameters, rows)
        if self.callback is not None or law.controller is not None:
            return None, self.between
        name = next(iter(law.inputs))
        constant = self.given[name][:, None]
        if law.drives:
            return None, driven(law, self.steps(), parameters, rows)
        if self.table is not None:
            return held(self.steps(), t, rows)
        if not constant.any():
            return None, "held"
        return constant if self.is_batch else constant[0], "held"

    def asked(self, integrator: Integrator, now: Mapping[str, Array]) -> dict[str, Array]:
        """Forces of a sampled controller for the next period, and x after it."""
        law = self.flow.law
        states = [now[k] for k in ("q", "v", "x", "t")]
        if self.is_traced:
            tau, x = integrator.sampled(*states)
        else:
            kept = Kept.of(law.controller.law) if law.controller and self.is_batch else None
            rows = [law.sampled(time, q, v, x) for q, v, x, time in zip(*states, strict=True)]
            if kept is not None and kept.is_otherwise():
                raise ArgumentError(
                    "simulate: this controller keeps something by itself from call to call, and "
                    f"the {self.rows} motions of a batch would share it: state it by start= and "
                    "rate=, or simulate one motion with one controller"
                )
            tau, x = (np.array([np.asarray(row[i], dtype=float) for row in rows]) for i in (0, 1))
        return {"tau": tau, "x": x}

    def with_forces_of_rows(self, dt: float | None, save: int) -> Task:
        """Forces (N, n) of N motions, which are not one row for each of their steps, are held.

        Without steps of a given length they may as well be those of N parts of the time.
        """
        table, name = self.table, next(iter(self.flow.law.inputs), "")
        if table is None or table.ndim != 2 or not self.is_batch or len(table) != self.rows:
            return self
        steps = self.rows if dt is None else self.span.steps(dt, save)[0]
        if steps != self.rows:
            return replace(self, table=None, given={**self.given, name: table})
        if steps == 1:
            return self
        pieces, repeated = f"{steps} steps", f"np.repeat({name}[:, None], {steps}, axis=1)"
        if dt is None:
            pieces, repeated = f"{steps} equal parts of the time", f"{name}[:, None]"
        raise ShapeError(
            f"simulate: {name} of shape {table.shape} may be held forces of {steps} motions, or "
            f"the forces of {pieces}: {repeated} are the first, "
            f"np.repeat({name}[None], {steps}, axis=0) the second"
        )

    def who(self, row: int) -> str:
        """Whose motion an error speaks of."""
        return (
            f"the motion{f' of trajectory {row}' if self.is_batch else ''} of {self.system.name!r}"
        )

    def steps(self) -> Steps:
        """The forces that are given as numbers, of every row."""
        span, name = self.span, next(iter(self.flow.law.inputs))
        table = self.given[name][:, None] if self.table is None else self.table
        values = np.broadcast_to(table, (self.rows, *table.shape[-2:]))
        return Steps(np.linspace(span.first, span.last, values.shape[1] + 1), values)


def task_of(
    system: Any,
    q0: Any,
    v0: Any,
    t: Any,
    tau: Any,
    u: Any,
    values: Mapping[str, Any],
    may_stop: bool = False,
) -> Task:
    """A task from what `simulate` was told, or an error that says what is wrong with it.

    `may_stop`: whether who asks goes on from impacts at stops of joints.
    """
    if not may_stop and len(stops_of(system)):
        raise ArgumentError(
            f"joints of {system.name!r} have stops, where motions jump and have no derivatives: "
            "with_stops(None) is the same system without"
        )
    if not system.nv:
        raise ArgumentError(f"simulate: {system.name!r} has no coordinates, so nothing of it moves")
    q, v = _rows("q0", q0, system.nq), _rows("v0", v0, system.nv)
    is_batch = max(q.ndim, v.ndim) > 1
    span = span_of(t)
    if tau is not None and u is not None:
        raise ArgumentError("simulate takes tau= (forces on coordinates) or u= (of actuators)")
    numbers = _parameters(system, values)
    names = tuple(numbers)
    sizes = {len(x) for x in (q, v) if x.ndim > 1} | {len(x) for x in numbers.values() if x.ndim}
    law, given, table, between = _law(system, tau, u, names)
    is_traced = isinstance(between, Function) or law.controller is None
    callback = callback_law = None
    if not is_traced and not law.is_sampled:
        callback_law = law if law.drives else None
        callback = between if callback_law is None else callback_law.called
        if law.drives and names:
            raise ArgumentError(
                "this controller of actuators cannot be traced (it calls numpy, or branches on "
                "numbers), and is not called beside parameters=: write it with vv.generic, or give "
                "the system the parameters itself"
            )
        law, between = Law(system), callback
        given = {"tau": np.zeros(system.nv)}
    if table is not None and table.ndim == 3:
        sizes.add(len(table))
    if len(sizes) > 1:
        raise ShapeError(f"simulate: the batches have different lengths, {sorted(sizes)}")
    is_batch = is_batch or bool(sizes)
    rows = sizes.pop() if sizes else 1
    if not rows:
        raise ShapeError("simulate: a batch is one trajectory and more, got none")
    first = np.array(() if law.controller is None else law.controller.start, dtype=float)
    start = {k: _spread(x, rows) for k, x in (("q", q), ("v", v), ("x", first))}
    given = {
        k: x[None] if rows == 1 else np.broadcast_to(x, (rows, len(x))) for k, x in given.items()
    }
    if names:
        columns = [np.broadcast_to(numbers[name], (rows,)) for name in names]
        given["parameters"] = np.stack(columns, axis=1)
    flow = Flow(system, law, names)
    task = Task(
        system,
        flow,
        start,
        given,
        table,
        span,
        is_batch,
        dict(values),
        between,
        callback,
        callback_law,
        is_traced,
    )
    _check_start(task)
    return task


def _law(system: Any, tau: Any, u: Any, names: Any) -> tuple[Law, dict[str, Array], Any, Any]:
    """The law of forces, its constant inputs, its table, and what stands between samples."""
    drives, value = u is not None, tau if u is None else u
    plain = Law(system, None, drives, names if drives else ())
    size = plain.drives_count if drives else system.nv
    name = "u" if drives else "tau"
    if value is None:
        return plain, {"tau": np.zeros(size)}, None, "held"
    if callable(value) and not isinstance(value, Controller):
        value = Controller(value)
    if isinstance(value, Controller):
        law = replace(plain, controller=value)
        first = {"tau": np.zeros(size)} if law.is_sampled else {}
        made = traced_law(law, value)
        if made is not None and not drives:
            refuse_law_on_passive(system, made, law.states)
        return replace(law, traced=made), first, None, made or value.law
    array = _numbers(name, value)
    if not drives and array.shape[-1:] == (size,):
        refuse_on_passive(system, array)
    if array.shape == (size,):
        return plain, {name: array}, None, "held"
    if array.ndim in (2, 3) and array.shape[-1] == size and array.shape[-2]:
        return plain, {name: np.zeros(size)}, array, "held"
    raise ShapeError(
        f"simulate: {name} is {size} numbers, (steps, {size}) held between samples, or "
        f"(N, steps, {size}) of N trajectories, with dt= also (N, {size}); got shape {array.shape}"
    )


def _check_start(task: Task) -> None:
    s = task.system
    for name, x in (("q0", task.start["q"]), ("v0", task.start["v"]), *task.given.items()):
        if not np.isfinite(x).all():
            raise ArgumentError(f"simulate: {name} is finite, got {x[~np.isfinite(x).all(1)][0]}")
    for name, start in s.quaternions:
        lengths = np.linalg.norm(task.start["q"][:, start : start + 4], axis=1)
        if (abs(lengths - 1) > 1e-6).any():
            raise ArgumentError(
                f"simulate: joint {name!r} has a quaternion (x, y, z, w) of length one, got length "
                f"{lengths[np.argmax(abs(lengths - 1))]:.6g}"
            )
    if s.held_by:
        _check_constraints(task)


def _check_constraints(task: Task) -> None:
    """Refuse a start that violates the constraints, with the parameters of its row."""
    s, names = task.system, task.flow.parameters
    values = {**task.start, **task.given, "t": np.full(task.rows, task.span.first)}
    off = np.zeros(task.rows)
    for name in ("constraint_error", "constraint_velocity"):
        f = s.function(name, parameters=names)
        error = np.abs(f(*(values[k] for k in f.inputs))).reshape(task.rows, -1)
        off = np.maximum(off, error.max(axis=1, initial=0.0))
    for i in np.flatnonzero(~(off <= VIOLATED)):
        numbers = dict(zip(names, task.given["parameters"][i], strict=True)) if names else {}
        own = s.with_parameters(**numbers) if names else s
        own.check_state(task.start["q"][i], task.start["v"][i], task.span.first)


def _parameters(system: Any, values: Any) -> dict[str, Array]:
    """Numbers, or (N,) of N trajectories, by the names of parameters."""
    if not isinstance(values, Mapping):
        raise ArgumentError(
            f"simulate: parameters map names to numbers, {{'m': 2.0}}; got {values!r:.80}"
        )
    numbers: dict[str, Array] = {}
    if not values.keys() <= {*system.parameters}:  # others are of bodies and joints, or unknown
        system._input_equations().parameter_values(system, list(values))
    for name, x in values.items():
        numbers[name] = _numbers(f"the parameter {name!r}", x)
        if numbers[name].ndim > 1:
            raise ShapeError(
                f"simulate: the parameter {name!r} is a number, or (N,) of N trajectories; got "
                f"shape {numbers[name].shape}"
            )
    return numbers


def _numbers(name: str, x: Any) -> Array:
    try:
        array = np.asarray(entries(x))
        if array.dtype.kind not in "biufO":  # neither texts nor what would lose its imaginary part
            raise TypeError
        array = array.astype(float)
    except (TypeError, ValueError):
        said = f"simulate: {name} is an array of numbers, got {x!r:.80}{in_radians(x)}"
        by_name = isinstance(x, Mapping) and name == "q0"
        raise ArgumentError(said, cure=f"q0 = model.q({x!r})" if by_name else "") from None
    if not np.isfinite(array).all():
        raise ArgumentError(f"simulate: {name} is finite, got {array[~np.isfinite(array)][0]}")
    return array


def _spread(x: Array, rows: int) -> Array:
    """A row for every trajectory, (rows, n)."""
    one = x[None] if x.ndim == 1 else x
    return one if len(one) == rows else np.repeat(one, rows, axis=0)


def _rows(name: str, x: Any, size: int) -> Array:
    array = _numbers(name, x)
    if array.ndim not in (1, 2) or array.shape[-1] != size:
        alone = array.ndim == 0 and size == 1
        way = f"; of one coordinate it is a list, {name}=[{float(array):g}]" if alone else ""
        raise ShapeError(
            f"simulate: {name} has shape ({size},), or (N, {size}) of N trajectories; got "
            f"{array.shape}{way}"
        )
    return array


def state_in_words(q: Array, v: Array) -> str:
    """q and v in the text of an error."""
    return ", ".join(f"{k} = {np.array2string(x, precision=6)}" for k, x in (("q", q), ("v", v)))
