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
from visviva.motion.simulation.bounds import PaceOfChanges
from visviva.motion.simulation.events.locate import (
    PROBES,
    CalledEvent,
    EventFunction,
    LinearEvent,
    locate_events,
)
from visviva.motion.simulation.events.panels import Panels
from visviva.motion.simulation.events.watching import Cut, Watching
from visviva.motion.simulation.integrate import Nodes, joined
from visviva.motion.simulation.modes.impact import Impact, impact
from visviva.motion.simulation.modes.mode import Functions, Grip, JointMode
from visviva.motion.simulation.modes.strides import LEFT_AT_AN_END, Now, Strides
from visviva.motion.simulation.task import Task

LOOKS_WHILE_HELD = 2000  # at least, in all of the time: steps say nothing of forces that hold
LOOKS_IN_LOOPS = 200  # each of them is a problem to be solved
MOST_PIECES_OF_FORCES = 1 << 13  # at some steps, at which one looks
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
    pace: PaceOfChanges = field(init=False)
    doubt: float = np.inf  # from when on forces that hold were not followed to the end

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
        now, span = self._start, self.task.span
        self.pace = PaceOfChanges(span.first, span.last)
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
            if self.strides.is_over and last - now["t"][0] > moment:
                return now, self.strides.trouble
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
            if change.is_hit or cut is not None:
                self.pace.begin_at(float(now["t"][0]))
            elif trouble := self.pace.change_at(float(now["t"][0])):
                return now, trouble
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
                return Change(
                    joined([*parts, nodes.until(cut.t, *cut.before, cut.x)]), {}, False
                ), cut
            if change is not None:
                self.strides.cut()
                return change._replace(nodes=joined([*parts, nodes])), None
            parts.append(nodes)
        return Change(joined(parts), None, False), None

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
        panels = self.strides.panels(nodes, given, 0)
        guards = self._guards(grip, mode, panels)
        if not guards:
            return None
        none = np.zeros((1, len(guards)), dtype=bool)
        most = dict.fromkeys(range(len(guards)), MOST_PIECES_OF_FORCES)
        seen = locate_events(guards, panels, np.ones((1, len(guards))), none[0], none, most, True)
        self.doubt = min([self.doubt, *(t for *_, t in seen.unsure)])
        falls = np.flatnonzero(seen.rises < 0)
        if not len(falls):
            return None
        k = int(falls[0])
        q, v, x = panels.state(int(seen.panel[k]), float(seen.share[k]))
        then = {"q": q[None], "v": v[None], "x": x[None], "t": np.array([seen.t[k]])}
        return self._changed(grip, nodes, mode, then)

    def _guards(self, grip: Grip, mode: JointMode, panels: Panels) -> list[EventFunction]:
        """What is not negative while a mode lasts; without those that are positive in all steps."""
        s, n = grip.functions.stops, panels.cut[0]
        slides, free = np.flatnonzero(mode.slide * (mode.stuck == 0)), mode.side[s.v] == 0
        guards = [LinearEvent(n + int(i), float(mode.slide[i])) for i in slides]
        for sign, bounds in ((1.0, s.lower), (-1.0, s.upper)):
            pairs = zip(s.q[free], bounds[free], strict=True)
            guards += [LinearEvent(int(i), sign, float(x)) for i, x in pairs if np.isfinite(x)]
        ends = {1.0: panels.B.min(axis=(0, 1)), -1.0: panels.B.max(axis=(0, 1))}
        off = panels.corrections.max(axis=0, initial=0.0)
        near = [
            x for x in guards
            if x.sign * (ends[x.sign][x.number] - x.bound) <= off[x.number]
        ]  # fmt: skip
        held = np.flatnonzero(mode.stuck)
        if not len(held):
            return [*near]

        def spare(t: Array, y: Array) -> Array:
            q, v, x = np.split(y, panels.cut, axis=1)
            left = grip.guards({"q": q, "v": v, "x": x, "t": t}, mode)[:, held]
            return np.asarray(left.min(axis=1))

        looks = LOOKS_IN_LOOPS if self.task.system.held_by else LOOKS_WHILE_HELD
        span = self.task.span.last - self.task.span.first
        return [*near, CalledEvent(spare, span * PROBES / looks)]

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
        last = (then[k] for k in ("t", "q", "v", "x"))
        pairs = zip(nodes.columns, last, strict=True)
        columns = [np.concatenate([y[keep], at]) for y, at in pairs]
        until = Nodes.from_columns(columns, nodes.lengths[: len(columns[0]) - 1])
        return Change(until, released, bool(past[n:].any()))
