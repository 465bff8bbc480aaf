"""What a trajectory is told of motions with friction and stops: states, what holds joints, impacts.

At a change the state, and the forces, are those after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from visviva.errors import MotionError
from visviva.machine.run.call import Array
from visviva.motion.samples.occurrences import SLIP, STICK, Events, Occurrences
from visviva.motion.samples.singular import passages
from visviva.motion.simulation.adaptive import SAMPLES, MotionCurves, pieces_of
from visviva.motion.simulation.integrate import joined
from visviva.motion.simulation.modes.journey import Arc, Journey
from visviva.motion.simulation.modes.mode import Grip
from visviva.motion.simulation.task import Task
from visviva.motion.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class JourneyCurve(MotionCurves):
    """States of one trajectory at any time, and what holds its joints there."""

    journey: Journey

    @property
    def last(self) -> float:
        """The time until which it goes."""
        return float(self.journey.arcs[-1].nodes.t[-1])

    def _arcs_at(self, times: Array) -> Any:
        """The number of the arc for every time; -1 after the end."""
        starts = np.array([arc.nodes.t[0] for arc in self.journey.arcs[1:]])
        which = np.searchsorted(starts, times, side="right")
        which[times > self.last] = -1
        return which

    def __call__(self, times: Array) -> tuple[Array, Array, Array]:
        journey = self.journey
        nodes = journey.arcs[0].nodes
        q, v, x = (np.full((len(times), y.shape[1]), np.nan) for y in (nodes.q, nodes.v, nodes.x))
        which = self._arcs_at(times)
        for k in np.unique(which[which >= 0]):
            own, arc = which == k, journey.arcs[k]
            found = journey.strides.inside(arc.nodes, arc.given, times[own])
            q[own], v[own], x[own] = (found[name] for name in "qvx")
        s = journey.functions.stops
        q[:, s.q] = np.clip(q[:, s.q], s.lower, s.upper)
        if journey.is_over and journey.watching is not None:
            there = times == self.last
            q[there], v[there] = journey.watching.final[journey.row]
        return q, v, x

    def holding(self, t: Array, q: Array, v: Array) -> tuple[Array, Array]:
        """Friction of joints at rest, and forces of stops, (k, nv); 0 after the end."""
        journey, which = self.journey, self._arcs_at(t)
        rubbed, carried = np.zeros_like(v), np.zeros_like(v)
        for k in np.unique(which[which >= 0]):
            own, arc = np.flatnonzero(which == k), journey.arcs[k]
            mode, given = arc.mode, dict(arc.given)
            if not (mode.stuck.any() or ((v[own] == 0) & (mode.slide != 0)).any()):
                continue
            for name in mode.given:
                given.pop(name)
            grip, x = Grip(journey.functions, given), self(t[own])[2]
            now = {"q": q[own], "v": v[own], "x": x, "t": t[own]}
            total = grip.reactions(now, mode)
            slid = grip.least * mode.slide  # where it begins, its sign is not that of v = 0
            load = np.where(mode.side != 0, np.maximum(-mode.side * total, 0.0), 0.0)
            carried[own] = mode.side * load
            rubbed[own] = total + carried[own] + np.where(v[own] == 0, slid, 0.0)
        return rubbed, carried


@dataclass(frozen=True, eq=False)
class JourneyCurves(MotionCurves):
    """Those of all rows."""

    rows: Sequence[JourneyCurve]

    def numbers(self, task: Task) -> Any:
        """What a controller remembers, or holds, at times (k,): (rows, k, m)."""
        law, pieces = task.flow.law, pieces_of(task)

        def held() -> Array:
            values = np.zeros((len(self.rows), len(pieces), law.size))
            for own, row in zip(values, self.rows, strict=True):
                own[: len(row.journey.asked)] = row.journey.asked
            return values

        return self.numbers_of(law, pieces, held)


def sampled_journeys(
    task: Task,
    journeys: Sequence[Journey],
    statistics: Mapping[str, Any],
    grid: tuple[Array, Array] | None = None,
) -> Trajectory:
    """The trajectory, at the steps of one row, at times asked for, or at those of a `grid`: as they
    are reported, and as steps have them."""
    curves = JourneyCurves([JourneyCurve(x) for x in journeys])
    span, is_one, one = task.span, not task.is_batch, journeys[0]
    going = [row.last for row in curves.rows if is_one or not row.journey.is_over]
    last = min(going) if going else max(row.last for row in curves.rows)
    if grid is not None:
        t, at = grid
    elif span.samples is not None:
        t = at = span.samples
    elif is_one:
        t = at = joined([arc.nodes for arc in one.arcs]).t
    else:
        t = at = np.linspace(span.first, last, SAMPLES)
    keep = at <= last
    t, at = (t[keep], at[keep]) if keep.any() else (np.array([span.first]),) * 2
    if is_one and one.is_over and t[-1] < last:
        t, at = np.append(t, last), np.append(at, last)
    q, v, _ = curves(at)
    held = [row.holding(at, *own) for row, *own in zip(curves.rows, q, v, strict=True)]
    run = task.trajectory(
        t, q, v, (curves.rows[0] if is_one else curves).states, statistics, (),
        curves.numbers(task),
    )  # fmt: skip
    if said := passages(run):
        raise MotionError(
            f"simulate: {said[0]}. Friction and stops are not followed beyond such positions: end "
            "the motion before; error.trajectory has it as steps went on",
            run,
        )
    rubbed, carried = (np.stack(x) for x in zip(*held, strict=True))
    one_of: Any = 0 if is_one else slice(None)
    stops = carried[one_of] if len(one.functions.stops) else None
    run = replace(run, holding=rubbed[one_of], carried=stops, events=_events(task, journeys))
    said = [
        f"what holds the joints of {task.who(x.row)} changes too fast to be followed from t = "
        f"{x.doubt:.9g} s on: between places that were looked at they may have slipped"
        for x in journeys
        if np.isfinite(x.doubt)
    ]
    run = run._with_notes(*said[:5])
    return run if one.watching is None else one.watching.told(run)


def _events(task: Task, journeys: Sequence[Journey]) -> Events:
    """What was looked for, impacts at stops, and where joints came to rest and broke loose."""
    watching = journeys[0].watching
    found = Events() if watching is None else watching.result()
    made = _impacts(task, journeys) | _rests(task, journeys)
    if watching is None:
        return Events(made, np.full(task.rows, np.nan), ("",) * task.rows) if made else found
    return replace(found, of={**made, **found.of})


def _rests(task: Task, journeys: Sequence[Journey]) -> dict[str, Occurrences]:
    """Of joints with dry friction: when they stick, and when they slip again."""
    made, nv = {}, task.system.nv
    rubbed = {k for x in journeys for k in np.flatnonzero(_limits(task, x))}
    for i, name in enumerate(task.system.motion_names):
        if i not in rubbed:
            continue
        for called, sign in zip(rest_names(name), (1.0, -1.0), strict=True):
            seen = [(c.row, y.nodes) for c in journeys for y in _changed(c, i, sign)]
            t, q, v = (
                np.array([getattr(x, k)[0] for _, x in seen]).reshape(len(seen), *size)
                for k, size in (("t", ()), ("q", (task.system.nq,)), ("v", (nv,)))
            )
            rows = np.array([row for row, _ in seen], dtype=np.int64)
            made[called] = Occurrences(called, t, q, v, q, v, rows)
    return made


def _limits(task: Task, journey: Journey) -> Array:
    """Of friction at rest (nv,), with the parameters of one row."""
    own = {k: x[journey.row] for k, x in task.given.items()}
    return np.array(journey.functions.flow.limits(own), dtype=float)


def _changed(journey: Journey, i: int, sign: float) -> list[Arc]:
    """The arcs with which a joint begins to be held, or with -1 begins to move."""
    lasting = [x for x in journey.arcs if x.nodes.t[-1] > x.nodes.t[0]]
    return [y for x, y in pairwise(lasting) if y.mode.stuck[i] - x.mode.stuck[i] == sign]


def rest_names(joint: str) -> tuple[str, str]:
    """The events in which friction brings a joint to rest, and in which it breaks loose."""
    return STICK + joint, SLIP + joint


def _impacts(task: Task, journeys: Sequence[Journey]) -> dict[str, Occurrences]:
    made, stops = {}, journeys[0].functions.stops
    for name in dict.fromkeys(stops.names):
        at = [v for own, v in zip(stops.names, stops.v, strict=True) if own == name]
        hits = [(c.row, x) for c in journeys for x in c.impacts if x.impulse[at].any()]
        count, s = len(hits), task.system
        q, v, after, impulse = (
            np.array([getattr(x, k) for _, x in hits]).reshape(count, n)
            for k, n in (("q", s.nq), ("v", s.nv), ("v_after", s.nv), ("impulse", s.nv))
        )
        only = np.zeros(s.nv)
        only[at] = 1.0
        rows = np.array([row for row, _ in hits], dtype=np.int64)
        times = np.array([x.t for _, x in hits], dtype=float)
        made[stop_name(name)] = Occurrences(
            stop_name(name), times, q, v, q, after, rows, jumps=True, impulse=impulse * only
        )
    return made


def stop_name(joint: str) -> str:
    """The event that is an impact at the stops of a joint."""
    return f"stop of {joint}"
