"""Motions with steps as long as their error allows, watched: arcs from jump to jump."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from visviva.errors import MotionError
from visviva.machine.run.call import Array
from visviva.motion.simulation import stiff
from visviva.motion.simulation.acting import Steps
from visviva.motion.simulation.adaptive import (
    ATTEMPTS,
    SAMPLES,
    UNTIL_STIFF,
    Piece,
    check_sampled_forces,
    no_accurate_step,
    pieces_of,
)
from visviva.motion.simulation.events.arcs import Bounds, Rows, watched_arcs
from visviva.motion.simulation.events.event import Watch
from visviva.motion.simulation.events.solved import watched_solution
from visviva.motion.simulation.events.watching import Watching, watching_of
from visviva.motion.simulation.integrate import Integrator, Nodes, joined
from visviva.motion.simulation.task import Task
from visviva.motion.steps.inside import Dense
from visviva.motion.trajectory import Trajectory
from visviva.progress import progress


def watched_motion(
    task: Task,
    method: str,
    rtol: float,
    atol: float,
    threads: int,
    may_switch: bool,
    watch: Watch,
) -> Trajectory:
    """The motion of a task with steps as long as tolerances allow; `may_switch`: to radau."""
    span, rows = task.span, task.rows
    integrator = task.integrator(method)
    start = {**task.start, "t": np.full(rows, span.first)}
    acting: dict[str, Array] = {}  # what is given in the piece that is computed
    watching = watching_of(task, integrator, watch, acting)
    whole = _Whole(task, integrator, watching, [[] for _ in range(rows)], [])
    attempts = np.zeros(rows, dtype=np.int64)
    h: Any = None
    with progress(f"simulating {task.system.name}", from_first_step=True) as at:

        def told(run: Any) -> None:
            at.step(f"{run.values['t'].min():.4g} of {span.last:g} s")

        for first, last, given in pieces_of(task):
            if task.flow.law.is_sampled:
                asked = task.asked(integrator, start)
                start["x"] = asked.pop("x")
                given = {**given, **asked}
                forces = np.where(watching.is_over[:, None], 0.0, asked["tau"])
                check_sampled_forces(task, start, forces, whole.until)
            whole.pieces.append((first, last, given))
            acting |= given
            h = integrator.first_step(start, np.full(rows, last)) if h is None else h
            begun = {**start, "h": h, "failed": np.zeros(rows)}
            now = Rows({k: np.array(x) for k, x in begun.items()}, attempts)
            bounds = Bounds(last, rtol, atol, ATTEMPTS)
            if may_switch:
                is_stiff = partial(stiff.is_stiff, integrator, given=given)
                bounds = replace(bounds, until_stiff=UNTIL_STIFF, is_stiff=is_stiff)
            try:
                is_done = watched_arcs(integrator, watching, now, given, bounds, threads, told)
            except MotionError as error:
                whole.add(now.arcs, given)
                text = f"{error}; error.trajectory has the motion until then"
                raise MotionError(text, whole.until()) from None
            if not is_done:
                at.step("the system is stiff: radau")
                return watched_solution(task, "radau", rtol, atol, (stiff.SWITCHED,), watch)
            whole.add(now.arcs, given)
            start, h = {k: now.now[k] for k in ("q", "v", "x", "t")}, now.now["h"]
            late = (start["t"] < last) & ~watching.is_over
            if late.any():
                row = int(np.argmin(np.where(watching.is_over, np.inf, start["t"])))
                raise no_accurate_step(task, start, row, whole.until())
            if watching.is_over.all():
                break
    steps = np.array([sum(len(x.nodes.t) - 1 for x in own) for own in whole.arcs])
    counts = {"steps": steps, "rejected": np.maximum(attempts - steps, 0)}
    statistics: dict[str, Any] = {"method": method, "rtol": rtol, "atol": atol}
    statistics |= counts if task.is_batch else {k: int(x[0]) for k, x in counts.items()}
    return whole.sampled(span.last, statistics)


class _Arc(NamedTuple):
    """Steps between which nothing jumps, and what is given while they are taken."""

    nodes: Nodes
    given: Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class _Whole:
    """The arcs of all trajectories, as far as they are computed, and what is made of them."""

    task: Task
    integrator: Integrator
    watching: Watching
    arcs: list[list[_Arc]]
    pieces: list[Piece]

    def add(self, new: list[list[Nodes]], given: Mapping[str, Array]) -> None:
        """The arcs of one piece."""
        for i, (own, more) in enumerate(zip(self.arcs, new, strict=True)):
            own += [_Arc(nodes, {k: y[i] for k, y in given.items()}) for nodes in more]

    @property
    def curves(self) -> _ArcCurves:
        """Their dense output."""
        final = self.watching.final
        rows = [_ArcCurve(self.integrator, own, final.get(i)) for i, own in enumerate(self.arcs)]
        return _ArcCurves(rows, self.pieces)

    def until(self) -> Trajectory | None:
        """What was computed of a motion that ended too soon: until the first of its rows did."""
        if not all(self.arcs):
            return None
        rows = zip(self.curves.rows, self.watching.is_over, strict=True)
        last = min((row.last for row, is_over in rows if not is_over), default=self.task.span.last)
        return self.sampled(last, {"method": self.integrator.method})

    def sampled(self, last: float, statistics: Mapping[str, Any]) -> Trajectory:
        """The trajectory until `last`, at the accepted steps of one row, or at times asked for."""
        task, watching, curves, span = self.task, self.watching, self.curves, self.task.span
        is_one = not task.is_batch
        ends = is_one and bool(watching.is_over[0])
        dense = curves.rows[0] if is_one else curves
        if is_one:
            last = min(last, curves.rows[0].last)
        if span.samples is None and is_one:
            one = joined([arc.nodes for arc in curves.rows[0].arcs])
            t, q, v = one.t, one.q[None], one.v[None]
        else:
            t = np.linspace(span.first, last, SAMPLES) if span.samples is None else span.samples
            t = t[t <= last] if last > span.first else np.array([span.first])
            if ends and t[-1] < last:
                t = np.append(t, last)
            q, v, _ = curves(t)
        if ends:
            q[0, -1], v[0, -1] = watching.final[0]
        found = watching.result()
        run = task.trajectory(t, q, v, dense.states, statistics, (), curves.numbers, found)
        return watching.told(run)


@dataclass(frozen=True, eq=False)
class _ArcCurve:
    """The dense output of one row, over arcs in each of which the forces are given numbers."""

    integrator: Integrator
    arcs: list[_Arc]
    final: tuple[Array, Array] | None = None  # q and v where an event ended it

    @property
    def last(self) -> float:
        """The time until which it goes."""
        return float(self.arcs[-1].nodes.t[-1])

    def __call__(self, times: Array) -> tuple[Array, Array, Array]:
        s, states = self.integrator.flow.system, self.integrator.flow.law.states
        q, v, x = (np.full((len(times), n), np.nan) for n in (s.nq, s.nv, states))
        starts = np.array([arc.nodes.t[0] for arc in self.arcs[1:]])
        which = np.searchsorted(starts, times, side="right")  # at a jump the state after it
        which[times > self.last] = -1
        for k in np.unique(which[which >= 0]):
            own, arc = which == k, self.arcs[k]
            q[own], v[own], x[own] = Dense(self.integrator, arc.nodes, arc.given)(times[own])
        if self.final is not None:
            q[times == self.last], v[times == self.last] = self.final
        return q, v, x

    def states(self, times: Array) -> tuple[Array, Array]:
        """q and v."""
        return self(times)[:2]


@dataclass(frozen=True, eq=False)
class _ArcCurves:
    """Those of all rows."""

    rows: list[_ArcCurve]
    pieces: list[Piece]

    def __call__(self, times: Array) -> tuple[Array, Array, Array]:
        rows = [curve(times) for curve in self.rows]
        q, v, x = (np.stack(y) for y in zip(*rows, strict=True))
        return q, v, x

    def states(self, times: Array) -> tuple[Array, Array]:
        """q and v."""
        return self(times)[:2]

    @property
    def numbers(self) -> Any:
        """What a controller remembers, or holds, at times (k,): (rows, k, m)."""
        if not self.rows[0].integrator.flow.law.is_sampled:
            return lambda times: self(times)[2]
        edges = np.array([self.pieces[0][0], *(last for _, last, _ in self.pieces)])
        return Steps(edges, np.stack([given["tau"] for _, _, given in self.pieces], axis=1))
