"""Motions with steps as long as their error allows, and the states between them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import numpy as np

from visviva.errors import MotionError
from visviva.machine.kinks import is_dry
from visviva.machine.run.call import Array
from visviva.motion.simulation import stiff
from visviva.motion.simulation.acting import Steps
from visviva.motion.simulation.bounds import WINDOW, check_memory, ending
from visviva.motion.simulation.crossing import Passages, through
from visviva.motion.simulation.integrate import Integrator, Nodes, adaptive_nodes, joined
from visviva.motion.simulation.recording import Recording
from visviva.motion.simulation.task import Task, state_in_words
from visviva.motion.steps.inside import states_between, states_on
from visviva.motion.steps.law import Law
from visviva.motion.trajectory import Trajectory
from visviva.progress import progress

SAMPLES = 201  # of a batch whose steps are its own, where no times are asked for
ATTEMPTS = 2_000_000  # of steps, bounded always
TOGETHER = 64  # rows of which states between steps are computed at a time
UNTIL_STIFF = 3000  # attempts after which it is asked what bounds the length of steps
Piece = tuple[float, float, dict[str, Array]]  # from when to when, and what is given


def adaptive_steps(
    task: Task,
    method: str,
    rtol: float,
    atol: float,
    threads: int,
    may_switch: bool,
    recording: Recording | None = None,
) -> Trajectory:
    """The motion of a task with steps as long as tolerances allow; `may_switch`: to radau."""
    if recording is not None and recording.is_begun:  # it was decided before the first block
        if recording.method == "radau":
            return stiff.solved(task, "radau", rtol, atol, (stiff.SWITCHED,), recording)
        may_switch = False
    span, rows, s = task.span, task.rows, task.system
    wanted = SAMPLES * task.is_batch if span.samples is None else len(span.samples)
    check_memory(
        f"{wanted} states of {rows} motions", rows * wanted * (s.nq + s.nv), "ask for fewer times"
    )
    integrator = task.integrator(method)
    loop = integrator.adaptive_for(rows)
    start = {**task.start, "t": np.full(rows, span.first)}
    nodes: list[list[Nodes]] = [[] for _ in range(rows)]
    pieces: list[Piece] = []
    h = None
    attempts: Any = np.zeros(rows, dtype=np.int64)
    tolerances = np.array([rtol, atol], dtype=float)
    passages: list[Passages] = []
    nodes_of = _nodes_in_memory if recording is None else recording.nodes
    statistics: dict[str, Any] = {"method": method, "rtol": rtol, "atol": atol}
    with progress(f"simulating {s.name}", from_first_step=True) as at:

        def told(run: Any) -> None:
            at.step(f"{run.values['t'].min():.4g} of {span.last:g} s")

        todo = pieces_of(task)
        if recording is not None:
            earlier = recording.earlier(integrator, start, [given for _, _, given in todo])
            if earlier is not None:
                nodes = [list(own) for own in zip(*earlier.nodes, strict=True)]
                pieces = [(*x[:2], given) for x, given in zip(todo, earlier.given, strict=False)]
                start, attempts = earlier.state, earlier.passes // loop.passes
        for k, (first, last, given) in list(enumerate(todo))[len(pieces) :]:
            if task.flow.law.is_sampled:
                asked = task.asked(integrator, start)
                start["x"] = asked.pop("x")
                given = {**given, **asked}
                check_sampled_forces(
                    task, start, asked["tau"], lambda: _until(task, integrator, nodes, pieces)
                )
            pieces.append((first, last, given))
            end = np.full(rows, last)
            if h is None:
                h = integrator.first_step(start, end)
            more = {"h": h, "failed": np.zeros(rows), "end": end, "tolerances": tolerances}
            run = loop.start({**start, **given, **more})
            bound = UNTIL_STIFF if may_switch else ATTEMPTS
            now = k, integrator, run, start, given
            part = nodes_of(*now, bound, threads, told, not may_switch)
            if may_switch and not run.resting.all():
                if stiff.is_stiff(integrator, part[0], given):
                    at.step("the system is stiff: radau")
                    if recording is not None:
                        recording.forget()
                    return stiff.solved(task, "radau", rtol, atol, (stiff.SWITCHED,), recording)
                now = k, integrator, run, run.state, given
                rest = nodes_of(*now, ATTEMPTS, threads, told, True)
                part = [joined([a, b]) for a, b in zip(part, rest, strict=True)]
            state, attempts = run.state, attempts + run.passes // run.cycle
            start, h = {k: np.array(state[k]) for k in ("q", "v", "x", "t")}, state["h"]
            loop.over(run)
            if s.held_by and task.is_smooth:
                passages = through(task, integrator, part, start, last, (rtol, atol), attempts)
            for own, new in zip(nodes, part, strict=True):
                own.append(new)
            if (start["t"] < last).any():
                partial = _until(task, integrator, nodes, pieces)
                raise no_accurate_step(task, start, int(np.argmin(start["t"])), partial)
    steps = [sum(len(x.t) - 1 for x in own) for own in nodes]
    if task.is_batch:
        statistics |= {"steps": np.array(steps), "rejected": attempts - np.array(steps)}
    else:
        statistics |= {"steps": steps[0], "rejected": int(attempts[0]) - steps[0]}
    curves = _curves(integrator, nodes, pieces, passages)
    return sampled_at(task, nodes, curves, span.last, statistics)


def _nodes_in_memory(
    piece: int, integrator: Any, run: Any, start: Any, given: Any, most: int, threads: int,
    told: Any, may_write: bool,
) -> list[Nodes]:  # fmt: skip
    return adaptive_nodes(run, start, most, threads, told)


def sampled_at(
    task: Task, nodes: list[list[Nodes]], curves: RowCurves, last: float, statistics: Any
) -> Trajectory:
    """The trajectory until `last`, at the accepted steps of one row, or at the times asked for."""
    span = task.span
    dense = curves if task.is_batch else curves.rows[0]
    if span.samples is None and not task.is_batch:
        one = joined(nodes[0])
        return task.trajectory(
            one.t, one.q[None], one.v[None], dense.states, statistics, (), curves.numbers
        )
    t = np.linspace(span.first, last, SAMPLES) if span.samples is None else span.samples
    t = t[t <= last] if last > span.first else np.array([span.first])
    q, v, _ = curves(t)
    return task.trajectory(t, q, v, dense.states, statistics, (), curves.numbers)


class MotionCurves:
    """States at any times, and what a controller remembers there: a call gives q, v and x."""

    def __call__(self, times: Array) -> tuple[Array, Array, Array]:
        """Of all `rows`, one after the other."""
        each = [row(times) for row in cast("Any", self).rows]
        q, v, x = (np.stack(y) for y in zip(*each, strict=True))
        return q, v, x

    def states(self, times: Array) -> tuple[Array, Array]:
        """q and v."""
        return self(times)[:2]

    def numbers_of(self, law: Law, pieces: Sequence[Piece], held: Any) -> Any:
        """What a controller remembers, or has said in all pieces, at times (k,): (rows, k, m)."""
        if not law.is_sampled:
            return lambda times: self(times)[2]
        return Steps(np.array([pieces[0][0], *(last for _, last, _ in pieces)]), held())


def said_forces(pieces: Sequence[Piece]) -> Array:
    """Of a controller that is sampled, (rows, pieces, m)."""
    return np.stack([given["tau"] for _, _, given in pieces], axis=1)


@dataclass(frozen=True, eq=False)
class RowCurve(MotionCurves):
    """The dense output of one row, over intervals in each of which the forces are given numbers."""

    integrator: Integrator
    nodes: list[Nodes]
    pieces: list[Piece]
    row: int
    passages: Passages | None = None

    def __call__(self, times: Array) -> tuple[Array, Array, Array]:
        which, of = np.unique(self.pieces_at(times), return_inverse=True)
        which = which if len(times) else np.zeros(1, dtype=int)
        each = [self.pieces[k][2] for k in which]
        given = {name: np.stack([x[name][self.row] for x in each]) for name in each[0]}
        nodes = [self.nodes[k] for k in which]
        q, v, x = states_on(self.integrator, nodes, given, of, times)
        if self.passages is not None:
            self.passages.fill(times, q, v)
        return q, v, x

    def pieces_at(self, times: Array) -> Array:
        """In which interval every time is."""
        ends = np.array([last for _, last, _ in self.pieces[:-1]])
        return np.asarray(np.searchsorted(ends, times, side="left"))


@dataclass(frozen=True, eq=False)
class RowCurves(MotionCurves):
    """Those of all rows."""

    rows: list[RowCurve]

    def __call__(self, times: Array) -> tuple[Array, Array, Array]:
        one = self.rows[0]
        if any(row.pieces is not one.pieces for row in self.rows):  # each has its own intervals
            return super().__call__(times)
        s, states = one.integrator.flow.system, one.integrator.flow.law.states
        q, v, x = (np.empty((len(self.rows), len(times), n)) for n in (s.nq, s.nv, states))
        which = one.pieces_at(times)
        for k in np.unique(which):
            given, own = one.pieces[k][2], np.flatnonzero(which == k)
            for i in range(0, len(self.rows), TOGETHER):
                part = slice(i, i + TOGETHER)
                nodes = [curve.nodes[k] for curve in self.rows[part]]
                several = {name: y[part] for name, y in given.items()}
                found = states_between(one.integrator, nodes, several, times[own])
                q[part, own], v[part, own], x[part, own] = found
        for i, curve in enumerate(self.rows):
            if curve.passages is not None:
                curve.passages.fill(times, q[i], v[i])
        return q, v, x

    @property
    def numbers(self) -> Any:
        """What a controller remembers, or holds, at times (k,): (rows, k, m)."""
        one = self.rows[0]
        law, pieces = one.integrator.flow.law, one.pieces
        return self.numbers_of(law, pieces, lambda: said_forces(pieces))


def _curves(
    integrator: Integrator, nodes: list[list[Nodes]], pieces: list[Piece], passages: Any = None
) -> RowCurves:
    """The dense output of all rows, through the leaps of each."""
    over = passages or [None] * len(nodes)
    return RowCurves([RowCurve(integrator, own, pieces, i, over[i]) for i, own in enumerate(nodes)])


def pieces_of(task: Task) -> list[Piece]:
    """Intervals in which forces are held; those of a controller are not known yet."""
    span, law = task.span, task.flow.law
    if task.table is not None:
        steps, name = task.steps(), next(iter(law.inputs))
        return [
            (float(a), float(b), {**task.given, name: steps.values[:, k]})
            for k, (a, b) in enumerate(pairwise(steps.edges))
        ]
    if law.is_sampled and law.controller is not None and law.controller.period is not None:
        period = law.controller.period
        count = max(1, math.ceil((span.last - span.first) / period * (1 - 1e-12)))
        edges = np.append(span.first + period * np.arange(count), span.last)
        return [(float(a), float(b), dict(task.given)) for a, b in pairwise(edges)]
    return [(span.first, span.last, dict(task.given))]


def _until(
    task: Task, integrator: Integrator, nodes: list[list[Nodes]], pieces: list[Piece]
) -> Trajectory | None:
    """What was computed of a motion that ended too soon: until the first of its rows did."""
    if not pieces:
        return None
    last = min(float(own[-1].t[-1]) for own in nodes)
    curves = _curves(integrator, nodes, pieces)
    return sampled_at(task, nodes, curves, last, {"method": integrator.method})


def no_accurate_step(task: Task, now: Mapping[str, Array], i: int, partial: Any) -> MotionError:
    """What is said where no step is accurate."""
    where = state_in_words(now["q"][i], now["v"][i])
    asked = task.system.function("forward_dynamics", parameters=task.flow.parameters)
    why = (
        "Dry friction jumps where a velocity becomes zero, and what sticks is not honoured by "
        "adaptive steps: steps of given length, dt=, go on through it"
        if is_dry(asked)
        else "Forces or accelerations that are not finite or that jump, or a position at which M "
        "is singular, end a motion so"
    )
    text = (
        f"simulate: {task.who(i)} ends at t = {now['t'][i]:.9g} s of {task.span.last:g} s: no step "
        f"however short is accurate there, {WINDOW} tries gained next to no time, or {ATTEMPTS} "
        f"were not enough; {where}. {why}; error.trajectory has it until then"
    )
    return MotionError(ending(text, partial), partial)


def check_sampled_forces(task: Task, now: Mapping[str, Array], tau: Array, until: Any) -> None:
    """Refuse forces of a sampled controller that are not finite."""
    bad = np.flatnonzero(~np.isfinite(tau).all(axis=1))
    if not len(bad):
        return
    i = int(bad[0])
    raise MotionError(
        f"simulate: at t = {now['t'][i]:.9g} s the controller of {task.who(i)} "
        f"returned {tau[i]}; expected finite numbers. "
        f"{state_in_words(now['q'][i], now['v'][i])}; error.trajectory has the motion until then",
        until(),
    )
