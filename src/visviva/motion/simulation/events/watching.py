"""Events along motions as they are computed: what happened, where a motion ends or jumps.

Whoever computes motions shows the steps it has taken, as `Panels`, and is told where the first
event stands in each trajectory after which the motion ends or goes on from another state: a `Cut`.
Steps after it are forgotten, and the motion begins anew there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import frozen
from visviva.errors import ArgumentError, MotionError, ShapeError
from visviva.machine.run.call import Array
from visviva.motion.samples.occurrences import COLUMNS, Events, Occurrences
from visviva.motion.simulation.events.event import Watch
from visviva.motion.simulation.events.locate import Crossings, locate_events
from visviva.motion.simulation.events.panels import EPSILON, Panels
from visviva.motion.simulation.integrate import Integrator
from visviva.motion.simulation.task import Task, state_in_words
from visviva.motion.trajectory import Trajectory

_TOGETHER = 16 * EPSILON  # of the time: events that are no farther apart happen at once
MOST_JUMPS = 10_000  # of one trajectory, bounded always
ZENO = 1e-10  # of the time since the start: jumps that would all be over within it are at an end
_OFF = 1e-6  # how far from its constraints the position after an event may be

AdmitState = Callable[[float, Array, Array, Array, int], tuple[Array, Array]]  # t, q, v, x, row
Slope = Callable[[float, Array, Array, Array, int], Array]  # (q̇, v̇, ẋ) of the same


@dataclass(frozen=True, eq=False)
class Cut:
    """Where the motion of a trajectory ends, or jumps: in which step, when, and the states."""

    panel: int
    share: float
    t: float
    before: tuple[Array, Array]
    after: tuple[Array, Array]
    x: Array
    ends: bool


class Watching:
    """What is known of the events of all trajectories so far."""

    def __init__(self, task: Task, watch: Watch, admit: AdmitState, slope: Slope) -> None:
        self.task, self.watch, self.admit, self.slope = task, watch, admit, slope
        shape = (task.rows, len(watch.events))
        self.signs, self.counts = np.zeros(shape), np.zeros(shape, dtype=np.int64)
        self.left = np.zeros(shape, dtype=bool)  # events that a jump has just left at zero
        self.fresh = np.ones(task.rows, dtype=bool)  # a start or a jump has just been
        self.side = np.zeros(shape)  # to which an event crossed that made the motion jump
        self.jumps = np.zeros(task.rows, dtype=np.int64)
        self.ended, self.reasons = np.full(task.rows, np.nan), [""] * task.rows
        self.final: dict[int, tuple[Array, Array]] = {}  # the states in which motions ended
        self.trouble: dict[int, float] = {}  # when an event could not be asked
        self.found: list[list[tuple[Any, ...]]] = [[] for _ in watch.events]
        self.pace = np.full((*shape, 2), np.nan)  # when an event made the motion jump, the last two
        self.touches: list[tuple[int, int, float]] = []
        self.unsure: list[tuple[int, int, float]] = []
        self.most: dict[int, int] = {}  # pieces of events that were given up

    @property
    def is_over(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """(N,): whether an event ended the motion."""
        return np.asarray(np.isfinite(self.ended))

    def look(self, panels: Panels) -> dict[int, Cut]:
        """Note what happens in these steps; the first cut of every trajectory that has one."""
        events = self.watch.functions
        crossings = locate_events(events, panels, self.signs, self.fresh, self.left, self.most)
        cuts: dict[int, Cut] = {}
        bounds = np.flatnonzero(np.append(True, panels.row[1:] != panels.row[:-1]))
        for first in bounds:
            row = int(panels.row[first])
            cut = self._of_row(panels, crossings, row, int(first))
            if cut is not None:
                cuts[row] = cut
        return cuts

    def _of_row(self, panels: Panels, crossings: Crossings, row: int, first: int) -> Cut | None:
        events = list(self.watch.events.values())
        counts, stop = self.counts[row].copy(), np.inf
        counted: list[int] = []
        for k in np.flatnonzero(crossings.row == row):
            if crossings.t[k] > stop + _TOGETHER * max(abs(stop), panels.h[first]):
                break
            e = crossings.event[k]
            if events[e].direction * crossings.rises[k] < 0:
                continue
            counts[e] += 1
            counted.append(int(k))
            ends = bool(events[e].terminal) and counts[e] >= events[e].terminal
            if ends or events[e].then is not None:
                stop = min(stop, float(crossings.t[k]))
        if (
            np.isfinite(crossings.undefined_from[row]) & (crossings.undefined_from[row] <= stop)
        ).any():
            raise self._no_number(panels, crossings, row)
        self._doubts(crossings, row, stop)
        told = crossings.since[row] <= stop
        for e in np.flatnonzero(
            told & (self.side[row] != 0) & (crossings.first_signs[row] == self.side[row])
        ):
            if self._is_turned(panels, row, first, int(e)):
                return self._stuck(panels, row, first, int(e))
        self.side[row, told] = 0.0
        self._note(panels, crossings, row, [k for k in counted if crossings.t[k] < stop])
        if np.isinf(stop):
            self.signs[row], self.left[row], self.fresh[row] = crossings.last[row], False, False
            return None
        return self._cut(
            panels, crossings, row, [k for k in counted if crossings.t[k] >= stop], stop
        )

    def _cut(
        self, panels: Panels, crossings: Crossings, row: int, together: list[int], stop: float
    ) -> Cut:
        """What happens at one time: one event after the other changes the state."""
        k = together[0]
        panel, share = int(crossings.panel[k]), float(crossings.share[k])
        q, v, x = panels.state(panel, share)
        before, current, ends = (q, v), (q, v), False
        names, state = self.watch.names, np.concatenate([q, v, x])
        self.signs[row], self.left[row] = self._signs_at(crossings, row, stop), False
        for k in together:
            e = int(crossings.event[k])
            event = self.watch.events[names[e]]
            after = current if event.then is None else self._after(names[e], stop, current, x, row)
            self.found[e].append((row, stop, *current, *after))
            self.counts[row, e] += 1
            self.signs[row, e], self.left[row, e] = 0.0, self._is_left(e, stop, state, after, x)
            if event.then is not None:
                self.jumps[row] += 1
                self.fresh[row], self.side[row, e] = True, float(crossings.rises[k])
                ends |= self._accumulates(row, e, stop)
            current = after
            if event.terminal and self.counts[row, e] >= event.terminal:
                ends, self.reasons[row] = True, f"event {names[e]!r} ended it"
        if not ends and self.jumps[row] >= MOST_JUMPS:
            ends = True
            self.reasons[row] = f"{MOST_JUMPS} events that change the state are all that are taken"
        if ends:
            self.ended[row], self.final[row] = stop, current
        return Cut(panel, share, stop, before, current, x, ends)

    def _is_left(self, e: int, t: float, y: Array, after: tuple[Array, Array], x: Array) -> bool:
        """Whether an event that was zero in a state is so in that after it, as well as is known."""
        event, new = self.watch.functions[e], np.concatenate([*after, x])
        was, value = np.abs(event.value(np.array([t, t]), np.stack([y, new])))
        near = event.near(t, new) if value > 4 * was else None
        return near is None or bool(near.lo[0] <= 4 * was and near.hi[0] >= -4 * was)

    def _is_turned(self, panels: Panels, row: int, first: int, e: int) -> bool:
        """Whether a jump turned an event back, or left it at rest."""
        t, (q, v, x) = float(panels.t[first]), panels.state(first, 0.0)
        rates = self.slope(t, q, v, x, row)
        rate = self.watch.functions[e].rate(t, np.concatenate([q, v, x]), rates)
        return bool(rate.lo[0] <= 0.0 if self.side[row, e] > 0 else rate.hi[0] >= 0.0)

    def _stuck(self, panels: Panels, row: int, first: int, e: int) -> Cut:
        """Turned back by a jump, an event was on the other side again before it could be seen."""
        name = self.watch.names[e]
        q, v, x = panels.state(first, 0.0)
        t = float(panels.t[first])
        self.ended[row], self.final[row] = t, (q, v)
        self.reasons[row] = (
            f"event {name!r} follows upon itself without end at t = {t:.9g} s: its `then` turns "
            "the motion back, and it is there again at once, nearer than rounding lets be told. "
            "What would hold it there is a force that no event gives"
        )
        return Cut(first, 0.0, t, (q, v), (q, v), x, True)

    def _signs_at(self, crossings: Crossings, row: int, stop: float) -> Array:
        """The signs that events have just before a time."""
        signs = np.where(crossings.since[row] <= stop, crossings.first_signs[row], self.signs[row])
        for k in np.flatnonzero((crossings.row == row) & (crossings.t < stop)):
            signs[crossings.event[k]] = crossings.rises[k]
        return np.asarray(signs)

    def _note(self, panels: Panels, crossings: Crossings, row: int, which: list[int]) -> None:
        """Add events that change nothing."""
        if not which:
            return
        y = panels.states(crossings.panel[which], crossings.share[which])
        q, v, _ = np.split(y, panels.cut, axis=1)
        for i, k in enumerate(which):
            self.found[crossings.event[k]].append(
                (row, float(crossings.t[k]), q[i], v[i], q[i], v[i])
            )
            self.counts[row, crossings.event[k]] += 1

    def _after(
        self, name: str, t: float, state: tuple[Array, Array], x: Array, row: int
    ) -> tuple[Array, Array]:
        """What `then` says, brought to the constraints."""
        s, then = self.task.system, self.watch.events[name].then
        said = None if then is None else then(t, state[0].copy(), state[1].copy())
        pair = said if isinstance(said, tuple) and len(said) == 2 else (state[0], said)
        if isinstance(said, tuple) and s.nv == 2 and all(np.ndim(y) == 0 for y in said):
            pair = (state[0], said)  # two numbers are a velocity
        try:
            q, v = (np.atleast_1d(np.array(y, dtype=float)) for y in pair)
        except (TypeError, ValueError):
            q = v = np.full((0, 0), np.nan)
        if q.shape != (s.nq,) or v.shape != (s.nv,):
            raise ShapeError(
                f"simulate: then of event {name!r} returns the velocity ({s.nv},) after it, or "
                f"(q, v) of shapes ({s.nq},) and ({s.nv},); at t = {t:.9g} s it returned "
                f"{said!r:.200}"
            )
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            self.trouble[row] = t
            raise MotionError(
                f"simulate: then of event {name!r} returned {said!r:.200} for {self.task.who(row)} "
                f"at t = {t:.9g} s; expected finite numbers. {state_in_words(*state)}"
            )
        admitted = self.admit(t, q, v, x, row)
        off = float(np.abs(admitted[0] - q).max(initial=0.0))
        if off > _OFF:
            raise ArgumentError(
                f"simulate: then of event {name!r} returned a position at t = {t:.9g} s that is "
                f"{off:.3g} away from where quaternions have length one and constraints hold"
            )
        return np.asarray(admitted[0]), np.asarray(admitted[1])

    def _accumulates(self, row: int, e: int, t: float) -> bool:
        """Whether jumps of an event follow upon each other so that all that are left, if their
        intervals go on to shrink as they do, are over within ZENO of the time since the start."""
        first, second = self.pace[row, e]
        self.pace[row, e] = second, t
        d0, d1 = second - first, t - second
        rest = d1 * d1 / (d0 - d1) if 0.0 < d1 < d0 else np.inf
        if rest > ZENO * (t - self.task.span.first):
            return False
        self.reasons[row] = (
            f"event {self.watch.names[e]!r} follows upon itself without end: its jumps are "
            f"{d1:.3g} s apart, each {d1 / d0:.3g} of the one before, and all that are left would "
            f"be over at t = {t + rest:.12g} s. What would hold it there is a force that no event "
            "gives"
        )
        return True

    def _doubts(self, crossings: Crossings, row: int, stop: float) -> None:
        """What was not decided before a time."""
        self.touches += [x for x in crossings.touches if x[0] == row and x[2] < stop]
        unsure = [x for x in crossings.unsure if x[0] == row and x[2] < stop]
        self.unsure += unsure
        self.most |= {e: 0 for _, e, _ in unsure}

    def _doubts_in_words(self) -> list[str]:
        """The same in words, by event."""
        sentences = []
        for e, (name, event) in enumerate(zip(self.watch.names, self.watch.functions, strict=True)):
            touches, unsure = (sorted(t for _, k, t in x if k == e)
                               for x in (self.touches, self.unsure))  # fmt: skip
            if touches:
                others = f" and {len(touches) - 1} times more" if len(touches) > 1 else ""
                sentences.append(
                    f"event {name!r} comes to zero and back, nearer than rounding tells, at t = "
                    f"{touches[0]:.9g} s{others}: no crossing is reported there"
                )
            if unsure:
                sentences.append(
                    f"event {name!r} changes too fast to be followed, or has no bounds, from t = "
                    f"{unsure[0]:.9g} s on: crossings between places that were looked at may be "
                    "missing"
                )
            if not event.is_proved:
                sentences.append(
                    f"event {name!r} cannot be traced: it is taken for polynomials through nine "
                    "places of every piece of a step, and crossings that none of them tells of are "
                    "missing"
                )
        return sentences

    def _no_number(self, panels: Panels, crossings: Crossings, row: int) -> MotionError:
        e = int(np.argmin(crossings.undefined_from[row]))
        t = self.trouble[row] = float(crossings.undefined_from[row, e])
        own = np.flatnonzero(panels.row == row)
        k = int(own[max(int(np.searchsorted(panels.t[own], t, side="right")) - 1, 0)])
        q, v, _ = panels.state(k, (t - panels.t[k]) / panels.h[k])
        return MotionError(
            f"simulate: event {self.watch.names[e]!r} is no finite number at t = {t:.9g} s of "
            f"{self.task.who(row)}; {state_in_words(q, v)}"
        )

    def result(self) -> Events:
        """All that happened, as a trajectory tells it."""
        s = self.task.system
        sizes = {"t": (), "q": (s.nq,), "v": (s.nv,), "q_after": (s.nq,), "v_after": (s.nv,)}
        made: dict[str, Occurrences] = {}
        for (name, event), found in zip(self.watch.events.items(), self.found, strict=True):
            found = sorted(found, key=lambda x: (x[0], x[1]))
            columns = {
                k: np.array([x[1 + i] for x in found], dtype=float).reshape(len(found), *sizes[k])
                for i, k in enumerate(COLUMNS)
            }
            rows = np.array([x[0] for x in found], dtype=np.int64)
            made[name] = Occurrences(name, **columns, row=rows, jumps=event.then is not None)
        return Events(made, frozen(self.ended), tuple(self.reasons), dict(self.final))

    def told(self, run: Trajectory) -> Trajectory:
        """A trajectory with what is to be said of its end."""
        last = f"{self.task.span.last:g} s"
        said = [
            f"{self.task.who(i)} ends at t = {self.ended[i]:.9g} s of {last}: {x}"
            for i, x in enumerate(self.reasons)
            if x
        ]
        more = [f"and {len(said) - 5} more end before their time"] if len(said) > 5 else []
        return run._with_notes(*said[:5], *more, *self._doubts_in_words())


def watching_of(
    task: Task, integrator: Integrator, watch: Watch, given: Mapping[str, Any]
) -> Watching:
    """A watch over the motions of a task; `given` has forces and parameters of all rows, as now."""

    def values(t: float, q: Array, v: Array, x: Array, row: int) -> dict[str, Any]:
        return {"t": t, "q": q, "v": v, "x": x, **{k: y[row] for k, y in given.items()}}

    def admit(t: float, q: Array, v: Array, x: Array, row: int) -> tuple[Array, Array]:
        if not (task.system.quaternions or task.system.held_by):
            return q, v
        f, now = integrator.admitted, values(t, q, v, x, row)
        admitted: tuple[Array, Array] = f(*(now[k] for k in f.inputs))
        return admitted

    def slope(t: float, q: Array, v: Array, x: Array, row: int) -> Array:
        f, now = integrator.slope, values(t, q, v, x, row)
        return np.concatenate(f(*(now[k] for k in f.inputs)))

    return Watching(task, watch, admit, slope)
