"""Motions with steps of given length, from jump to jump.

The step in which a motion jumps is cut there; a shorter step leads on to its end, and so the motion
comes back to the times at which it would have been without the event.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from visviva.errors import MotionError
from visviva.machine.repetition import Loop
from visviva.machine.run.call import Array
from visviva.motion.simulation.events.driving import watch_motions
from visviva.motion.simulation.events.event import Watch
from visviva.motion.simulation.events.panels import Numbers, Panels, given_panels
from visviva.motion.simulation.events.watching import Cut, Watching, watching_of
from visviva.motion.simulation.fixed import Stepping
from visviva.motion.simulation.integrate import Integrator
from visviva.motion.simulation.task import Task
from visviva.motion.trajectory import Trajectory
from visviva.progress import progress

_NUMBERS = 2_000_000  # of states that wait to be looked at
FEWEST_STEPS, SHORTEST = 32, 1e-12  # steps before one looks; of a step, what is left of it


def watched_steps(
    task: Task, method: str, dt: float, save: int, threads: int, watch: Watch
) -> Trajectory:
    """The motion of a task with steps of dt seconds, every `save`-th of which is kept."""
    with progress(f"simulating {task.system.name}") as at:
        steps = GivenSteps(task, Stepping(task, method, dt, save), threads, watch, at)
        try:
            watch_motions(steps, steps.watching)
        except MotionError as error:
            text = f"{error}; error.trajectory has the motion until then"
            raise MotionError(text, steps.until()) from None
    return steps.result()


class GivenSteps:
    """All trajectories while they are computed: states now, in which step, and what is kept."""

    def __init__(
        self, task: Task, stepping: Stepping, threads: int, watch: Watch, progress: Any
    ) -> None:
        self.task, self.stepping, self.threads, self.progress = task, stepping, threads, progress
        self.integrator: Integrator = stepping.integrator
        law, rows = task.flow.law, task.rows
        asked = ("left", "tau") if law.is_sampled else ()
        self.table_of = next(iter(law.inputs)) if task.table is not None else ""
        apart = (*asked, self.table_of)
        self.given = {k: x for k, x in stepping.given.items() if k not in apart}
        now = {**stepping.start, **{k: stepping.given[k] for k in asked}}
        self.now = {k: np.array(x, dtype=float) for k, x in now.items()}
        self.length = self.now.pop("h")
        self.at = np.zeros(rows, dtype=np.int64)  # steps done
        self.goal = np.full(rows, np.nan)  # the end of the step that is cut, until it is done
        self.dead = np.zeros(rows, dtype=bool)  # not finite any more
        acting: dict[str, Any] = {**self.given, **{k: x for k, x in self.now.items() if k == "tau"}}
        if task.table is not None:
            acting[self.table_of] = np.zeros((rows, task.table.shape[-1]))
        self.watching: Watching = watching_of(task, self.integrator, watch, acting)
        size = sum(int(np.prod(x.shape[1:])) for x in self.now.values())
        self.most = max(1, _NUMBERS // (rows * size))
        self.lots = min(FEWEST_STEPS, self.most), self.most
        kept = ("q", "v", "x", *(("tau",) if law.is_sampled else ()))
        count = stepping.steps // stepping.every + 1
        self.kept = {k: np.full((rows, count, self.now[k].shape[1]), np.nan) for k in kept}
        self._keep(np.arange(rows), np.zeros(rows, dtype=np.int64), self.now)
        self.residual = np.zeros(rows)

    def moving(self, is_over: Any) -> Numbers:
        """Those that have steps to do."""
        return np.flatnonzero(~is_over & ~self.dead & (self.at < self.stepping.steps))

    def take(self, moving: Numbers, most: int) -> list[Panels]:
        """Steps of all; but first what is left of steps that were cut."""
        self.progress.step(self.stepping.progress(int(self.at.min())))
        behind = moving[np.isfinite(self.goal[moving])]
        left = self.stepping.steps - self.at[moving]
        if len(behind):
            moving, left = behind, np.ones(len(behind), dtype=np.int64)
        count = int(min(most, left.max()))
        history, h = (self._rest if len(behind) else self._whole)(moving, count)
        self.valid = np.minimum(left, count)
        both = np.concatenate([history["q"], history["v"]], axis=2)
        whole = np.asarray(np.isfinite(both).all(axis=2))
        finite = np.where(whole.all(axis=1), count, np.argmin(whole, axis=1) - 1)
        self.taken, self.history = moving, history
        self.steps = np.minimum(self.valid, finite)  # of each row that can be looked at
        return [self._panels(h)] if self.steps.any() else []

    def keep(self, cuts: Mapping[int, Cut]) -> None:
        """Until the first cut of each: what is left of that step is next."""
        first = np.cumsum(self.steps) - self.steps  # panels are those of one row after the other
        for k, row in enumerate(self.taken.tolist()):
            cut, mine = cuts.get(row), {n: x[k] for n, x in self.history.items()}
            done = int(self.steps[k] if cut is None else cut.panel - first[k])
            reached = done if cut is not None else min(int(self.valid[k]), done + 1)
            places = np.arange(1, reached + 1)
            self._keep(np.full(reached, row), self.at[row] + places, mine, places)
            for name, x in self.now.items():
                x[row] = mine[name][done].reshape(x.shape[1:])
            self.at[row] += done
            self.goal[row] = np.nan
            self.dead[row] = cut is None and self.steps[k] < self.valid[k]
            if "residual" in mine:
                self.residual[row] = max(self.residual[row], float(mine["residual"][done, 0]))
            if cut is not None and not cut.ends:
                self.now["q"][row], self.now["v"][row] = cut.after
                if not self.task.flow.law.is_sampled:  # else x changes at the end of a step alone
                    self.now["x"][row] = cut.x
                self.now["t"][row], self.goal[row] = cut.t, float(mine["t"][done + 1, 0])
                if "rest" in self.now:
                    self.now["rest"][row] = 0.0

    def keep_until(self, times: Mapping[int, float]) -> None:
        """Nothing of the steps that were taken last."""

    def _whole(self, moving: Numbers, count: int) -> tuple[dict[str, Array], Array]:
        """The states after 0, 1, …, count steps, (rows, count + 1, …) by names; their lengths."""
        each = {self.table_of: self._rows_of_table(moving, count)} if self.table_of else None
        loop = self._loop
        start = {k: x[moving] for k, x in {**self.now, **self.given}.items()}
        run = loop.start({**start, "h": self.length[moving]}, each=each)
        run.keep_every(1, count + 1)
        run.advance(count, self.threads)
        return dict(run.history), self.length[moving]

    def _rest(self, rows: Numbers, count: int) -> tuple[dict[str, Array], Array]:
        """The states now, and at the ends of steps that were cut."""
        h = np.maximum(self.goal[rows] - self.now["t"][rows], SHORTEST * self.stepping.dt)
        inputs = {k: x[rows] for k, x in {**self.now, **self.given}.items()} | {"h": h}
        if self.table_of:
            inputs[self.table_of] = self._rows_of_table(rows, 1)[:, 0]
        f = self.integrator._step
        after = dict(zip(f.outputs, f(*(inputs[k] for k in f.inputs)), strict=True))
        after["t"] = self.goal[rows]
        pairs = {k: np.stack([inputs[k], after[k]], axis=1) for k in self.now}
        return {k: x.reshape(len(rows), 2, -1) for k, x in pairs.items()}, h

    @property
    def _loop(self) -> Loop:
        """All that a step hands on is kept; compiled once."""
        known = self.integrator.__dict__
        name = f"_watched{'_table' if self.table_of else ''}"
        if name not in known:
            each = (self.table_of,) if self.table_of else ()
            known[name] = Loop(self.integrator._step, each=each, keep=tuple(self.now))
        made: Loop = known[name]
        return made

    def _rows_of_table(self, moving: Any, count: int) -> Array:
        """Forces (rows, count, n) of the next steps of some rows; the last ones go on."""
        table = np.zeros((1, 0)) if self.task.table is None else self.task.table
        whole = np.broadcast_to(table, (self.task.rows, *table.shape[-2:]))
        which = np.minimum(self.at[moving][:, None] + np.arange(count), whole.shape[1] - 1)
        return np.asarray(whole[moving[:, None], which])

    def _panels(self, h: Array) -> Panels:
        number = np.repeat(np.arange(len(self.taken)), self.steps)
        place, moving = np.concatenate([np.arange(n) for n in self.steps]), self.taken
        now, then = (
            {
                k: self.history[k][number, place + i].reshape(len(number), *x.shape[1:])
                for k, x in self.now.items()
            }
            for i in (0, 1)
        )
        now |= {k: x[moving[number]] for k, x in self.given.items()}
        if self.table_of:
            last = int(place.max(initial=0)) + 1
            now[self.table_of] = self._rows_of_table(moving, last)[number, place]
        return given_panels(self.integrator, moving[number], h[number], now, then)

    def _keep(self, rows: Any, at: Any, states: Mapping[str, Array], places: Any = None) -> None:
        """States of rows after `at` steps, where they are to be kept."""
        some = np.flatnonzero(at % self.stepping.every == 0)
        where = some if places is None else places[some]
        for name, x in self.kept.items():
            x[rows[some], at[some] // self.stepping.every] = states[name][where]

    def result(self) -> Trajectory:
        """The trajectory, or an error that has it."""
        watching, stepping = self.watching, self.stepping
        t, kept = stepping.times(), self.kept
        if not self.task.is_batch and watching.is_over[0]:
            t, kept = self._until_end(t)
        stepping.taken = int((self.at + watching.is_over).max())
        stepping.events = watching.result()
        over = t > np.where(watching.is_over, watching.ended, np.inf)[:, None]
        return stepping.result(t, kept, self.residual, over, watching.told)

    def until(self) -> Trajectory | None:
        """What was kept until a motion could not be watched any more."""
        count = int((self.at // self.stepping.every).min()) + 1
        kept = {k: x[:, :count] for k, x in self.kept.items()}
        t, events = self.stepping.times()[:count], self.watching.result()
        return self.watching.told(self.stepping.trajectory(t, kept, events))

    def _until_end(self, t: Array) -> tuple[Array, dict[str, Array]]:
        """Of one trajectory what is before its end, and the end."""
        end = float(self.watching.ended[0])
        count = int((t < end).sum())
        final = dict(zip("qv", self.watching.final[0], strict=True))
        kept = {}
        for k, x in self.kept.items():
            last = final.get(k, self.now[k][0])
            kept[k] = np.concatenate([x[:, :count], last[None, None]], axis=1)
        return np.append(t[:count], end), kept
