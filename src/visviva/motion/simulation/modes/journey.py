"""One trajectory, from mode to mode.

Where a joint comes to rest, needs more than can hold it or comes to a stop, the step is cut, to the
last bit of the time, and it is asked anew who slides. Joints that are held have velocity zero
exactly, and those that lean on a stop are where it is, exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from visviva.machine.run.call import Array
from visviva.motion.simulation.adaptive import pieces_of
from visviva.motion.simulation.events.watching import Cut, Watching
from visviva.motion.simulation.integrate import Nodes, joined
from visviva.motion.simulation.modes.impact import Impact, impact
from visviva.motion.simulation.modes.mode import Functions, Grip, JointMode
from visviva.motion.simulation.modes.strides import LEFT_AT_AN_END, Now, Strides
from visviva.motion.simulation.task import Task

LOOKS_AT_A_STEP = 8  # at least, at a step
LOOKS_WHILE_HELD = 2000  # at least, in all of the time: steps say nothing of forces that hold
LOOKS_IN_LOOPS = 200
LOOKS_TOGETHER = 256  # looks
REFINED = 12  # times, between looks at forces that are not what their neighbours say
MOST_LOOKS = 50_000  # at some steps
SECTIONS = np.arange(1, 128) / 128  # of a bracket
BISECTIONS = 60
MOST_CHANGES = 200_000  # of modes, and impacts


class Arc(NamedTuple):
    """Steps in one mode, under forces that are given so."""

    nodes: Nodes
    given: Mapping[str, Array]  # (1, …), the mode among it
    mode: JointMode


class Change(NamedTuple):
    """Where a mode ends: the steps until then, who is held no longer and who met a stop."""

    nodes: Nodes
    released: dict[int, float] | None  # None where the time is over
    is_hit: bool


@dataclass(eq=False)
class Journey:
    """A trajectory as far as it is computed."""

    task: Task
    row: int
    functions: Functions
    strides: Strides
    watching: Watching | None = None
    acting: dict[str, Any] = field(default_factory=dict)  # what watching is told of forces
    arcs: list[Arc] = field(default_factory=list)
    impacts: list[Impact] = field(default_factory=list)
    asked: list[Array] = field(default_factory=list)  # forces of a sampled controller, by period
    changes: int = 0  # of modes

    @property
    def steps(self) -> int:
        """How many were kept."""
        return sum(len(x.nodes.t) - 1 for x in self.arcs)

    @property
    def is_over(self) -> bool:
        """Whether an event ended it."""
        return self.watching is not None and bool(self.watching.is_over[self.row])

    @property
    def end(self) -> dict[str, Array]:
        """The state now."""
        if not self.arcs:
            return self._start
        last = self.arcs[-1].nodes
        return {k: np.array(getattr(last, k)[-1:]) for k in ("q", "v", "x", "t")}

    @property
    def _start(self) -> dict[str, Array]:
        now = {k: np.array(x[self.row : self.row + 1]) for k, x in self.task.start.items()}
        return {**now, "t": np.array([self.task.span.first])}

    def run(self, at: Any) -> str:
        """All of it; what is wrong where it cannot go on."""
        now = self._start
        for _, last, all_of in pieces_of(self.task):
            given = {k: x[self.row : self.row + 1] for k, x in all_of.items()}
            if self.task.flow.law.is_sampled:
                given |= self.task.asked(self.functions.integrator, now)
                now["x"] = given.pop("x")
                self.asked.append(given["tau"][0])
                if not np.isfinite(given["tau"]).all():
                    return f"the controller returned {given['tau'][0]}; expected finite numbers"
            now, trouble = self._within(Grip(self.functions, given), now, last, at)
            if trouble or self.is_over:
                return trouble
        if any((now[k] != x).any() for k, x in self.end.items()):  # an impact at the very end
            nodes = Nodes(now["t"], now["q"], now["v"], now["x"])
            self.arcs.append(self.arcs[-1]._replace(nodes=nodes))
        return ""

    def _within(self, grip: Grip, now: Now, last: float, at: Any) -> tuple[Any, str]:
        """While forces are given so: the state at the end, and what is wrong if it is not there."""
        mode = grip.mode(now, {})
        moment = LEFT_AT_AN_END * max(abs(last), abs(float(now["t"][0])))
        while last - now["t"][0] > moment:
            given = {**grip.given, **mode.given}
            change, cut = self._until_change(grip, now, mode, last)
            self.changes += bool(self.arcs) and not mode.is_like(self.arcs[-1].mode)
            self.arcs.append(Arc(change.nodes, given, mode))
            now = self.end
            if self.changes + len(self.impacts) > MOST_CHANGES:
                return now, f"joints began or ended to slide, or met stops, {MOST_CHANGES} times"
            if cut is not None:
                now |= {"q": np.array(cut.after[0][None]), "v": np.array(cut.after[1][None])}
                if cut.ends:
                    return now, ""
                change = change._replace(released={})
                if grip.distances(now["q"]).min(initial=0.0) < 0:
                    return now, "an event led beyond a stop"
            elif change.released is None:
                if last - now["t"][0] > moment:
                    return now, self.strides.trouble
                break
            if change.is_hit and cut is None:
                now = self._struck(grip, now)
            mode = grip.mode(now, change.released or {})
            at.step(f"{now['t'][0]:.4g} of {last:g} s")
        if self.arcs:  # what is left is rounding
            arc = self.arcs[-1]
            nodes = replace(arc.nodes, t=np.append(arc.nodes.t[:-1], last), h=arc.nodes.lengths)
            self.arcs[-1] = arc._replace(nodes=nodes)
        return {**now, "t": np.array([last])}, ""

    def _struck(self, grip: Grip, now: Now) -> dict[str, Array]:
        """The state after an impact, if there is one."""
        found = impact(grip, now, self.task.span.first)
        if found is None:
            return dict(now)
        self.impacts.append(found)
        if self.watching is not None:  # what it changes at once crosses nothing
            self.watching.fresh[self.row] = True
        return {**now, "v": np.array(found.v_after[None])}

    def _until_change(
        self, grip: Grip, now: Now, mode: JointMode, last: float
    ) -> tuple[Change, Cut | None]:
        """Steps until the mode changes, an event cuts them, or until the end."""
        parts: list[Nodes] = []
        given = {**grip.given, **mode.given}
        for new in self.strides.taken(now, given, last):
            change = self._first_change(grip, new, given, mode)
            nodes = new if change is None else change.nodes
            cut = self._looked(nodes, given) if len(nodes.t) > 1 else None
            if cut is not None:
                self.strides.cut()
                return Change(joined([*parts, _until(nodes, cut)]), {}, False), cut
            if change is not None:
                self.strides.cut()
                return change._replace(nodes=joined([*parts, nodes])), None
            parts.append(nodes)
        return Change(joined(parts), None, False), None

    def _looks(self, mode: JointMode) -> int:
        """How many, in all of the time: in loops each of them is a problem to be solved."""
        if not mode.stuck.any():
            return 1
        return LOOKS_IN_LOOPS if self.task.system.held_by else LOOKS_WHILE_HELD

    def _divided(self, t: Array, parts: int, least: int) -> Array:
        """Times (k,) of steps, each divided so that the whole time would have `least` parts."""
        span = self.task.span.last - self.task.span.first
        counts = np.maximum(parts, np.ceil(np.diff(t) / span * least)).astype(int)
        inner = [
            a + (b - a) / n * np.arange(n) for a, b, n in zip(t[:-1], t[1:], counts, strict=True)
        ]
        return np.concatenate([*inner, t[-1:]])

    def _looked(self, nodes: Nodes, given: Mapping[str, Array]) -> Cut | None:
        """What events say of some steps."""
        if self.watching is None:
            return None
        for name, x in given.items():
            own = self.acting.setdefault(name, np.zeros((self.task.rows, *x.shape[1:])))
            own[self.row] = x[0]
        return self.watching.look(self.strides.panels(nodes, given, self.row)).get(self.row)

    def _first_change(
        self, grip: Grip, nodes: Nodes, given: Mapping[str, Array], mode: JointMode
    ) -> Change | None:
        """The steps until the first change of the mode; None without one."""
        if len(nodes.t) < 2:
            return None

        def state(times: Any) -> dict[str, Array]:
            return self.strides.inside(nodes, given, np.asarray(times, dtype=float))

        times = self._divided(nodes.t, LOOKS_AT_A_STEP, self._looks(mode))
        for first in range(0, len(times) - 1, LOOKS_TOGETHER):
            found = self._bracket(grip, times[first : first + LOOKS_TOGETHER + 1], mode, state)
            if found is not None:
                break
        else:
            return None
        low, high = found
        while True:  # many places at once: a call costs as much as one
            between = np.unique(low + (high - low) * SECTIONS)
            between = between[(between > low) & (between < high)]
            if not len(between):
                break
            past = np.asarray((grip.guards(state(between), mode) < 0).any(axis=1))
            first = int(np.argmax(past)) if past.any() else len(past)
            ends = np.concatenate([[low], between, [high]])
            low, high = float(ends[first]), float(ends[first + 1])
        return self._changed(grip, nodes, mode, state([high]))

    @staticmethod
    def _bracket(
        grip: Grip, times: Array, mode: JointMode, state: Any
    ) -> tuple[float, float] | None:
        """Two times between which the mode is over for the first time; None if it is not."""
        seen = state(times)
        guards = grip.guards(seen, mode)
        if mode.stuck.any():
            held = np.flatnonzero(mode.stuck)
            times = _resolved(
                times, guards[:, held], lambda x: grip.guards(state(x), mode)[:, held]
            )
            seen = state(times)
            guards = grip.guards(seen, mode)
        below = np.asarray((guards[1:] < 0).any(axis=1))
        k = int(np.argmax(below)) if below.any() else len(below)
        dip = _first_dip(grip, seen, k, mode, state)
        if dip is not None or not below.any():
            return dip
        return float(times[k]), float(times[k + 1])

    def _changed(self, grip: Grip, nodes: Nodes, mode: JointMode, then: dict[str, Array]) -> Change:
        """At the state in which a mode is over."""
        n, s = len(mode.slide), grip.functions.stops
        then = {k: np.array(x) for k, x in then.items()}
        past = grip.guards(then, mode)[0] < 0
        loose = past[:n] & (mode.stuck > 0)
        released = grip.released(then, mode, loose) if loose.any() else {}
        stopped = past[:n] & (mode.slide != 0)
        if stopped.any():
            then["v"][0] = grip.brought_to_rest(then, mode, stopped, np.abs(nodes.v).max())
        for k in np.flatnonzero(past[n:]):
            which, bound = k % len(s), (s.lower if k < len(s) else s.upper)
            then["q"][0, s.q[which]] = bound[which]
        keep = nodes.t < then["t"][0]
        own = (np.concatenate([getattr(nodes, k)[keep], then[k]]) for k in ("t", "q", "v", "x"))
        t, q, v, x = own
        until = Nodes(t, q, v, x, h=nodes.lengths[: len(t) - 1])
        return Change(until, released, bool(past[n:].any()))


def _resolved(times: Array, guards: Array, look: Any) -> Array:
    """Times at which guards are looked at, more of them where these are not what lines between
    their neighbours say, and may be below zero there; none after they are so for the first time."""
    for _ in range(REFINED):
        below = (guards[1:] < 0).any(axis=1)
        if below.any():
            until = int(np.argmax(below)) + 2
            times, guards = times[:until], guards[:until]
        with np.errstate(invalid="ignore"):
            bend = np.abs(guards[:-2] - 2.0 * guards[1:-1] + guards[2:])
            lowest = np.minimum(np.minimum(guards[:-2], guards[1:-1]), guards[2:])
            open_ = np.isfinite(bend) & (bend > 0.0) & (lowest < bend) & (lowest >= 0.0)
        places = np.flatnonzero(open_.any(axis=1))
        if not len(places) or len(times) > MOST_LOOKS:
            break
        gaps = np.unique(np.concatenate([places, places + 1]))
        more = 0.5 * (times[gaps] + times[gaps + 1])
        more = more[(more > times[gaps]) & (more < times[gaps + 1])]
        if not len(more):
            break
        order = np.argsort(np.concatenate([times, more]), kind="stable")
        guards = np.concatenate([guards, look(more)])[order]
        times = np.concatenate([times, more])[order]
    return times


def _first_dip(
    grip: Grip, seen: Mapping[str, Array], before: int, mode: JointMode, state: Any
) -> tuple[float, float] | None:
    """Times between which a joint was beyond a stop and came back between two looks, the first."""
    s = grip.functions.stops
    if not len(s):
        return None
    away, rate = grip.distances(seen["q"]), np.tile(seen["v"][:, s.v], 2)
    rate[:, len(s) :] *= -1.0
    step = np.diff(seen["t"])[:, None]
    turns = (rate[:-1] < 0) & (rate[1:] > 0) & np.tile(mode.side[s.v] == 0, 2)
    near = np.minimum(away[:-1], away[1:]) < np.maximum(-rate[:-1], rate[1:]) * step
    for j, k in np.argwhere(turns & near):
        if j >= before:
            return None
        low, high = float(seen["t"][j]), float(seen["t"][j + 1])
        start = low
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            v = state([middle])["v"][0, s.v[k % len(s)]] * (1.0 if k < len(s) else -1.0)
            low, high = (middle, high) if v < 0 else (low, middle)
        if grip.distances(state([low])["q"])[0, k] < 0:
            return start, low
    return None


def _until(nodes: Nodes, cut: Cut) -> Nodes:
    """The steps before a cut."""
    keep = nodes.t < cut.t
    keep[0] = True
    if not (cut.t > nodes.t[0]):
        return Nodes(*(x[:1] for x in (nodes.t, nodes.q, nodes.v, nodes.x)))
    last = (np.array([cut.t]), cut.before[0][None], cut.before[1][None], cut.x[None])
    columns = zip((nodes.t, nodes.q, nodes.v, nodes.x), last, strict=True)
    t, q, v, x = (np.concatenate([y[keep], at]) for y, at in columns)
    return Nodes(t, q, v, x, h=nodes.lengths[: len(t) - 1])
