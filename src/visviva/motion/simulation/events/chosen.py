"""Motions with steps as long as their error allows, watched: arcs from jump to jump."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from visviva.errors import MotionError
from visviva.machine.run.call import Array
from visviva.motion.simulation import stiff
from visviva.motion.simulation.adaptive import (
    ATTEMPTS,
    SAMPLES,
    UNTIL_STIFF,
    MotionCurves,
    Piece,
    check_sampled_forces,
    no_accurate_step,
    pieces_of,
    said_forces,
)
from visviva.motion.simulation.events.driving import (
    ChosenSteps,
    SolverSteps,
    watch_motions,
)
from visviva.motion.simulation.events.event import Watch
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
    pieces = pieces_of(task)
    h = integrator.first_step(start, np.full(rows, pieces[0][1]))
    with progress(f"simulating {task.system.name}", from_first_step=True) as at:

        def told(run: Any) -> None:
            at.step(f"{run.values['t'].min():.4g} of {span.last:g} s")

        steps = ChosenSteps(integrator, {**start, "h": h}, (rtol, atol), ATTEMPTS, threads, told)
        if may_switch:
            steps.until_stiff, steps.stiff = UNTIL_STIFF, partial(stiff.is_stiff, integrator)
        for first, last, given in pieces:
            if task.flow.law.is_sampled:
                asked = task.asked(integrator, {k: steps.now[k] for k in start})
                steps.now["x"] = asked.pop("x")
                given = {**given, **asked}
                forces = np.where(watching.is_over[:, None], 0.0, asked["tau"])
                check_sampled_forces(task, steps.now, forces, whole.until)
            whole.pieces.append((first, last, given))
            acting |= given
            steps.under(given, last)
            whole.watch(steps, given)
            if steps.is_stiff:
                at.step("the system is stiff: radau")
                return watched_solution(task, "radau", rtol, atol, (stiff.SWITCHED,), watch)
            late = (steps.now["t"] < last) & ~watching.is_over
            if late.any():
                row = int(np.argmin(np.where(watching.is_over, np.inf, steps.now["t"])))
                raise no_accurate_step(task, steps.now, row, whole.until())
            if watching.is_over.all():
                break
    counts = {"steps": whole.steps, "rejected": np.maximum(steps.attempts - whole.steps, 0)}
    statistics: dict[str, Any] = {"method": method, "rtol": rtol, "atol": atol}
    statistics |= counts if task.is_batch else {k: int(x[0]) for k, x in counts.items()}
    return whole.sampled(span.last, statistics)


def watched_solution(
    task: Task, method: str, rtol: float, atol: float, notes: tuple[str, ...], watch: Watch
) -> Trajectory:
    """The motion by one of SciPy's methods, for one trajectory; begun anew after every jump."""
    stiff.check_for_scipy(task, method)
    integrator, span = task.integrator("dop853"), task.span
    right = stiff.RightSide(task, integrator)
    solver = stiff.Solving(method, right, span.last, rtol, atol)
    acting = {k: np.asarray(x)[None] for k, x in right.given.items()}
    watching = watching_of(task, integrator, watch, acting)
    whole = _Whole(task, integrator, watching, [[]], [], notes)
    start = {**task.start, "t": np.array([span.first])}
    with progress(f"simulating {task.system.name}") as at:

        def told(t: float) -> None:
            at.step(f"{t:.4g} of {span.last:g} s")

        steps = SolverSteps(start, right, solver, acting, told)
        whole.watch(steps, acting)
    statistics: dict[str, Any] = {"method": method, "rtol": rtol, "atol": atol}
    statistics |= {"steps": int(whole.steps[0]), "evaluations": right.count}
    run = whole.sampled(span.last, statistics)
    if steps.trouble:
        y = np.concatenate([steps.now[k][0] for k in "qvx"])
        t = float(steps.now["t"][0])
        raise stiff.ended_too_soon(task, method, right, t, y, steps.trouble, run)
    return run


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
    notes: tuple[str, ...] = ()

    def watch(self, steps: ChosenSteps | SolverSteps, given: Mapping[str, Array]) -> None:
        """Take the steps of one piece; if an event cannot be asked, the error has those before."""

        def add() -> None:
            for i, (own, more) in enumerate(zip(self.arcs, steps.taken_over(), strict=True)):
                own += [_Arc(nodes, {k: y[i] for k, y in given.items()}) for nodes in more]

        try:
            watch_motions(steps, self.watching)
        except MotionError as error:
            add()
            text = f"{error}; error.trajectory has the motion until then"
            raise MotionError(text, self.until()) from None
        add()

    @property
    def steps(self) -> Any:
        """How many were taken, of each row."""
        return np.array([sum(len(x.nodes.t) - 1 for x in own) for own in self.arcs])

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
        run = task.trajectory(t, q, v, dense.states, statistics, self.notes, curves.numbers, found)
        return watching.told(run)


@dataclass(frozen=True, eq=False)
class _ArcCurve(MotionCurves):
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
            q[own], v[own], x[own] = self._inside(arc, times[own])
        if self.final is not None:
            q[times == self.last], v[times == self.last] = self.final
        return q, v, x

    def _inside(self, arc: _Arc, times: Array) -> tuple[Array, Array, Array]:
        nodes = arc.nodes
        if not nodes.dense:
            return Dense(self.integrator, nodes, arc.given)(times)
        from scipy.integrate import OdeSolution

        y, s = OdeSolution(nodes.t, nodes.dense)(times).T, self.integrator.flow.system
        cut = (s.nq, s.nq + s.nv)
        return (*stiff.admitted_states(self.integrator, arc.given, times, y, cut), y[:, cut[1] :])


@dataclass(frozen=True, eq=False)
class _ArcCurves(MotionCurves):
    """Those of all rows."""

    rows: list[_ArcCurve]
    pieces: list[Piece]

    @property
    def numbers(self) -> Any:
        """What a controller remembers, or holds, at times (k,): (rows, k, m)."""
        law, pieces = self.rows[0].integrator.flow.law, self.pieces
        return self.numbers_of(law, pieces, lambda: said_forces(pieces))
