"""Motions with dry friction or stops, of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from visviva.describe.stops import stops_of
from visviva.errors import ArgumentError, MotionError
from visviva.motion.simulation.bounds import Pace, ending
from visviva.motion.simulation.events.event import Watch
from visviva.motion.simulation.events.watching import watching_of
from visviva.motion.simulation.fixed import Stepping
from visviva.motion.simulation.modes.friction import has_dry_friction
from visviva.motion.simulation.modes.journey import Journey
from visviva.motion.simulation.modes.mode import Functions
from visviva.motion.simulation.modes.sampled import rest_names, sampled_journeys, stop_name
from visviva.motion.simulation.modes.strides import ChosenStrides, GivenStrides, Strides
from visviva.motion.simulation.task import Task, state_in_words
from visviva.motion.steps.sticking import StickingFlow
from visviva.motion.trajectory import Trajectory
from visviva.progress import progress

EXPLICIT = ("semi-implicit", "rk4", "dopri5", "dop853")  # methods that ask for accelerations alone


def has_modes(task: Task, method: str) -> bool:
    """Whether a motion is computed so: joints have friction or stops, and the method honours them.

    Stops are never passed over: what cannot honour them is refused.
    """
    s = task.system
    stops = len(stops_of(s))
    if not stops and not has_dry_friction(task):
        return False
    if method in EXPLICIT and task.callback is None:
        return True
    what = "stops" if stops else "dry friction"
    if task.callback is not None:
        raise ArgumentError(
            f"simulate: joints of {s.name!r} have {what}, and this controller cannot be traced and "
            "is called from Python, by SciPy's method, which honours none; write it with vv.generic"
        )
    if stops:
        raise ArgumentError(
            f"simulate: joints of {s.name!r} have stops to be honoured, and method {method!r} "
            f"does not; take one of {', '.join(EXPLICIT)}"
        )
    return False


def moded_steps(
    task: Task,
    method: str,
    how: dict[str, Any],
    threads: int = 1,
    watch: Watch | None = None,
) -> Trajectory:
    """The motion of a task, from mode to mode; `how` has rtol and atol, or dt and save."""
    flow = task.flow
    task = replace(task, flow=StickingFlow(flow.system, flow.law, flow.parameters))
    integrator = task.integrator(method)
    functions = Functions(integrator)
    _check_stops(task, functions, watch)
    acting: dict[str, Any] = {}
    watching = None if watch is None else watching_of(task, integrator, watch, acting)
    stepping = Stepping(task, method, how["dt"], how["save"]) if "dt" in how else None
    span = task.span
    with progress(f"simulating {task.system.name}", from_first_step=True) as at:

        def strides() -> Strides:
            if stepping is None:
                pace = Pace(span.first, span.last)
                return ChosenStrides(integrator, np.array([how["rtol"], how["atol"]]), at, pace)
            return GivenStrides(integrator, span.first, stepping.dt, stepping.steps, span.last)

        journeys = [
            Journey(task, i, functions, strides(), watching, acting) for i in range(task.rows)
        ]
        _run(task, journeys, threads if watch is None else 1, at, lambda x: _made(x, how, stepping))
    return _made(journeys, how, stepping)


def _run(task: Task, journeys: Sequence[Journey], threads: int, at: Any, made: Any) -> None:
    """All of them, or an error with what was computed of one."""

    def run(journey: Journey) -> str:
        try:
            return journey.run(at)
        except MotionError as error:
            partial = made([journey]) if task.rows == 1 and journey.arcs else None
            text = f"{error}; error.trajectory has the motion until then" if partial else str(error)
            raise MotionError(ending(text, partial), partial) from None

    if threads > 1 and task.rows > 1:
        with ThreadPoolExecutor(threads) as pool:
            troubles = list(pool.map(run, journeys))
    else:
        troubles = []
        for journey in journeys:
            troubles.append(run(journey))
            if troubles[-1]:
                break
    for journey, trouble in zip(journeys, troubles, strict=False):
        if trouble:
            partial = made([journey]) if task.rows == 1 and journey.arcs else None
            raise _over(journey, trouble, partial)


def _made(
    journeys: Sequence[Journey], how: dict[str, Any], stepping: Stepping | None
) -> Trajectory:
    task = journeys[0].task
    counts = {"steps": [x.steps for x in journeys]}
    statistics: dict[str, Any] = {"method": journeys[0].functions.integrator.method}
    grid = None
    if stepping is None:
        statistics |= {"rtol": how["rtol"], "atol": how["atol"]}
        counts["rejected"] = [max(x.strides.attempts - x.steps, 0) for x in journeys]
    else:
        statistics["dt"] = how["dt"]
        strides: Any = journeys[0].strides
        grid = (stepping.times(), strides.time(stepping.every * np.arange(len(stepping.times()))))
    counts["changes"] = [x.changes for x in journeys]
    if len(journeys[0].functions.stops):
        counts["impacts"] = [len(x.impacts) for x in journeys]
    own = {k: np.array(x) if task.is_batch else x[0] for k, x in counts.items()}
    return sampled_journeys(task, journeys, {**statistics, **own}, grid)


def _check_stops(task: Task, functions: Functions, watch: Watch | None) -> None:
    """Refuse starts outside of stops, or against them, and events that are called as ours."""
    s, q, v = functions.stops, task.start["q"], task.start["v"]
    rests = {x for name in task.system.motion_names for x in rest_names(name)}
    if own := [x for x in (() if watch is None else watch.names) if x in rests]:
        raise ArgumentError(
            f"simulate: {own[0]!r} is the name of the times when friction holds a joint or lets it "
            "go; give the event another one"
        )
    for k, name in enumerate(s.names):
        at, speed, who = q[:, s.q[k]], v[:, s.v[k]], f"joint {name!r} of {task.system.name!r}"
        outside = np.flatnonzero((at < s.lower[k]) | (at > s.upper[k]))
        if len(outside):
            raise ArgumentError(
                f"simulate: {who} starts at {at[outside[0]]:g}, outside of its stops at "
                f"{s.lower[k]:g} and {s.upper[k]:g}"
            )
        into = ((at == s.lower[k]) & (speed < 0)) | ((at == s.upper[k]) & (speed > 0))
        if into.any():
            first = int(np.argmax(into))
            raise ArgumentError(
                f"simulate: {who} starts at its stop, {at[first]:g}, and moves against it with "
                f"{speed[first]:g}; start with the velocity after the impact, "
                f"{-s.restitution[k] * speed[first]:g}"
            )
        if watch is not None and stop_name(name) in watch.names:
            raise ArgumentError(
                f"simulate: {stop_name(name)!r} is the name of the impacts at a stop; give the "
                "event another one"
            )


def _over(journey: Journey, why: str, partial: Any) -> MotionError:
    now, task = journey.end, journey.task
    where = state_in_words(now["q"][0], now["v"][0])
    text = (
        f"simulate: {task.who(journey.row)} ends at t = {now['t'][0]:.9g} s of {task.span.last:g} "
        f"s: {why}; {where}; error.trajectory has it until then"
    )
    return MotionError(ending(text, partial), partial)
