"""Motions by SciPy's methods, watched: arcs from jump to jump."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from visviva.errors import MotionError
from visviva.motion.simulation.events.event import Watch
from visviva.motion.simulation.events.panels import called_panels
from visviva.motion.simulation.events.watching import Cut, Watching, watching_of
from visviva.motion.simulation.stiff import (
    LOOKED_AT,
    RightSide,
    Solving,
    admitted_states,
    check_for_scipy,
    ended_too_soon,
)
from visviva.motion.simulation.task import Task
from visviva.motion.trajectory import Trajectory
from visviva.progress import progress

DEGREES = {"radau": 3, "lsoda": 12, "scipy-dop853": 7}  # of dense output, at most


def watched_solution(
    task: Task, method: str, rtol: float, atol: float, notes: tuple[str, ...], watch: Watch
) -> Trajectory:
    """The motion by one of SciPy's methods, for one trajectory; begun anew after every jump."""
    check_for_scipy(task, method)
    integrator, span = task.integrator("dop853"), task.span
    right = RightSide(task, integrator)
    solver = Solving(method, right, span.last, rtol, atol)
    watching = watching_of(task, integrator, watch, {k: _Now(right, k) for k in right.given})
    arcs = [_Part([span.first], [np.concatenate([task.start[k][0] for k in "qvx"])], [])]
    trouble, seen = "", 0  # steps of the last arc that were looked at
    steps: Iterator[tuple[float, Any, Any]] | None = None
    with progress(f"simulating {task.system.name}") as at:
        while arcs[-1].t[-1] < span.last and not trouble:
            arc = arcs[-1]
            steps = steps or solver.steps(arc.t[-1], arc.y[-1])
            try:
                for now, then, part in islice(steps, LOOKED_AT):
                    if part is None:
                        trouble = then or "the state is not finite."
                        break
                    arc.add(now, then, part)
            except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
                if isinstance(error, MotionError):
                    raise
                trouble = f"{error}."
            at.step(f"{arc.t[-1]:.4g} of {span.last:g} s")
            try:
                cut = _looked(watching, right, arc, seen, method)
            except MotionError as error:
                arc.shorten(watching.trouble[0])
                trouble, cut = f"{error}.", None
            seen = len(arc.parts)
            if cut is not None:  # whatever came after it
                arc.shorten(cut.t, np.concatenate([*cut.before, cut.x]))
                arcs.append(_Part([cut.t], [np.concatenate([*cut.after, cut.x])], []))
                steps, seen, trouble = None, 0, ""
                if cut.ends:
                    break
    count = sum(len(x.parts) for x in arcs)
    statistics = {"method": method, "rtol": rtol, "atol": atol, "steps": count}
    run = _made(task, right, arcs, {**statistics, "evaluations": right.count}, notes, watching)
    if trouble:
        raise ended_too_soon(task, method, right, arcs[-1].t[-1], arcs[-1].y[-1], trouble, run)
    return run


@dataclass(eq=False)
class _Part:
    """Accepted steps between which nothing jumps: times, states, and SciPy's dense output."""

    t: list[float]
    y: list[Any]
    parts: list[Any]

    def add(self, t: float, y: Any, part: Any) -> None:
        """A step."""
        self.t.append(t)
        self.y.append(y)
        self.parts.append(part)

    def shorten(self, t: float, y: Any = None) -> None:
        """To the steps before a time, and if a state is given until then."""
        k = int(np.searchsorted(self.t, t, side="left"))
        n = max(k if y is not None else k - 1, 0)
        last = [] if y is None or k == 0 else [y]
        self.parts = self.parts[:n]
        self.t = [*self.t[: max(k, 1)], *([t] if last else [])]
        self.y = [*self.y[: max(k, 1)], *last]

    def __call__(self, times: Any) -> Any:
        """All numbers of the states (k, n)."""
        from scipy.integrate import OdeSolution

        if not self.parts:
            return np.repeat([self.y[0]], len(times), axis=0)
        return OdeSolution(self.t, self.parts)(times).T


@dataclass(frozen=True, eq=False)
class _Now:
    """What is given now to trajectory 0, the only one: forces may be those of a function."""

    right: RightSide
    name: str

    def __getitem__(self, row: int) -> Any:
        return self.right.given[self.name]


def _looked(watching: Watching, right: RightSide, arc: _Part, seen: int, method: str) -> Cut | None:
    """The first event that ends the motion or changes its state, in steps that nobody looked at."""
    if len(arc.parts) == seen:
        return None
    parts = [lambda times, f=f: f(times).T for f in arc.parts[seen:]]
    given = {k: np.repeat(np.asarray(x)[None], len(parts), 0) for k, x in right.given.items()}
    degree = DEGREES[method]
    panels = called_panels(right.integrator, parts, np.array(arc.t[seen:]), degree, given)
    return watching.look(panels).get(0)


def _made(
    task: Task,
    right: RightSide,
    arcs: list[_Part],
    statistics: Any,
    notes: Any,
    watching: Watching,
) -> Trajectory:
    """The trajectory through accepted steps, or at the times that were asked for."""
    cut, samples, last = right.cut, task.span.samples, arcs[-1].t[-1]
    starts = np.array([arc.t[0] for arc in arcs[1:]])

    def whole(times: Any) -> Any:
        which = np.searchsorted(starts, times, side="right")  # at a jump the state after it
        y = np.empty((len(times), len(arcs[0].y[0])))
        for k in np.unique(which):
            y[which == k] = arcs[k](times[which == k])
        return y

    def states(times: Any) -> Any:
        return admitted_states(right.integrator, right.given, times, whole(times), cut)

    def numbers(times: Any) -> Any:
        return whole(times)[None, :, cut[1] :]

    if samples is None:
        *before, end = arcs  # where arcs meet, the state is that with which one begins
        times = np.array([t for arc in before for t in arc.t[:-1]] + end.t)
        y = np.array([y for arc in before for y in arc.y[:-1]] + end.y)
        q, v = admitted_states(right.integrator, right.given, times, y, cut)
    else:
        times = samples[samples <= last]
        if watching.is_over[0] and times[-1] < last:
            times = np.append(times, last)
        q, v = states(times)
    found = watching.result()
    run = task.trajectory(times, q[None], v[None], states, statistics, notes, numbers, found)
    return watching.told(run)
