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
from visviva.motion.simulation.events.event import Watch
from visviva.motion.simulation.events.panels import Panels, given_panels
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
    stepping = Stepping(task, method, dt, save)
    asked = ("left", "tau") if task.flow.law.is_sampled else ()
    given = {k: x for k, x in stepping.given.items() if k not in asked}
    now = {**stepping.start, **{k: stepping.given[k] for k in asked}}
    rows = _Stepped(task, stepping, now, given, threads, watch)
    with progress(f"simulating {task.system.name}") as at:
        try:
            while rows.advance():
                at.step(stepping.progress(int(rows.at.min())))
        except MotionError as error:
            text = f"{error}; error.trajectory has the motion until then"
            raise MotionError(text, rows.until()) from None
    return rows.result()


class _Stepped:
    """All trajectories while they are computed: states now, in which step, and what is kept."""

    def __init__(
        self,
        task: Task,
        stepping: Stepping,
        now: dict[str, Array],
        given: dict[str, Array],
        threads: int,
        watch: Watch,
    ) -> None:
        self.task, self.stepping, self.given, self.threads = task, stepping, given, threads
        self.integrator: Integrator = stepping.integrator
        law, rows = task.flow.law, task.rows
        self.table_of = next(iter(law.inputs)) if task.table is not None else ""
        self.given.pop(self.table_of, None)
        self.now = {k: np.array(x, dtype=float) for k, x in now.items()}
        self.length = self.now.pop("h")
        self.at = np.zeros(rows, dtype=np.int64)  # steps done
        self.dead = np.zeros(rows, dtype=bool)  # not finite any more
        acting: dict[str, Any] = {**self.given, **{k: x for k, x in self.now.items() if k == "tau"}}
        if task.table is not None:
            acting[self.table_of] = np.zeros((rows, task.table.shape[-1]))
        self.acting = acting
        self.watching: Watching = watching_of(task, self.integrator, watch, acting)
        size = sum(int(np.prod(x.shape[1:])) for x in self.now.values())
        self.room = max(1, _NUMBERS // (rows * size))
        self.most = min(FEWEST_STEPS if watch.stops else self.room, self.room)
        kept = ("q", "v", "x", *(("tau",) if law.is_sampled else ()))
        count = stepping.steps // stepping.every + 1
        self.kept = {k: np.full((rows, count, self.now[k].shape[1]), np.nan) for k in kept}
        self._keep(np.arange(rows), np.zeros(rows, dtype=np.int64), self.now)
        self.residual = np.zeros(rows)

    def advance(self) -> bool:
        """Take some steps; whether there are more."""
        free = ~self.watching.is_over & ~self.dead
        moving = np.flatnonzero(free & (self.at < self.stepping.steps))
        if not len(moving):
            return False
        left = self.stepping.steps - self.at[moving]
        count = int(min(self.most, left.max()))
        history = self._taken(moving, count)
        valid = np.minimum(left, count)
        both = np.concatenate([history["q"], history["v"]], axis=2)
        whole = np.asarray(np.isfinite(both).all(axis=2))
        finite = np.where(whole.all(axis=1), count, np.argmin(whole, axis=1) - 1)
        steps = np.minimum(valid, finite)  # of each row that can be looked at
        cuts = self.watching.look(self._panels(moving, history, steps)) if steps.any() else {}
        for k, row in enumerate(moving):
            cut = cuts.get(int(row))
            done = int(steps[k] if cut is None else self._step_of(cut, steps, k))
            reached = done if cut is not None else min(int(valid[k]), done + 1)
            places = np.arange(1, reached + 1)
            self._keep(
                np.full(reached, row), self.at[row] + places, {n: x[k] for n, x in history.items()},
                places,
            )  # fmt: skip
            for name, x in self.now.items():
                x[row] = history[name][k, done].reshape(x.shape[1:])
            self.at[row] += done
            self.dead[row] = cut is None and steps[k] < valid[k]
            if "residual" in history:
                self.residual[row] = max(self.residual[row], float(history["residual"][k, done, 0]))
        behind = {row: cut for row, cut in cuts.items() if not cut.ends}
        ends = {row: float(history["t"][k, self._step_of(cuts[row], steps, k) + 1, 0])
                for k, row in enumerate(moving.tolist()) if row in behind}  # fmt: skip
        while behind:
            behind = self._finish(behind, ends)
        if self.watching.watch.stops:
            self.most = min(max(self.most // 2, 1) if cuts else 2 * self.most, self.room)
            self.most = max(self.most, min(FEWEST_STEPS, self.room))
        return True

    def _taken(self, moving: Any, count: int) -> dict[str, Array]:
        """The states after 0, 1, …, count steps: (rows, count + 1, …) by names."""
        each = {self.table_of: self._rows_of_table(moving, count)} if self.table_of else None
        loop = self._loop
        start = {k: x[moving] for k, x in {**self.now, **self.given}.items()}
        run = loop.start({**start, "h": self.length[moving]}, each=each)
        run.keep_every(1, count + 1)
        run.advance(count, self.threads)
        return dict(run.history)

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

    def _panels(self, moving: Any, history: Mapping[str, Array], steps: Any) -> Panels:
        number = np.repeat(np.arange(len(moving)), steps)
        place = np.concatenate([np.arange(n) for n in steps])
        now, then = (
            {k: history[k][number, place + i].reshape(len(number), *x.shape[1:])
             for k, x in self.now.items()} for i in (0, 1)
        )  # fmt: skip
        now |= {k: x[moving[number]] for k, x in self.given.items()}
        if self.table_of:
            last = int(place.max(initial=0)) + 1
            now[self.table_of] = self._rows_of_table(moving, last)[number, place]
        return given_panels(self.integrator, moving[number], self.length[moving[number]], now, then)

    def _step_of(self, cut: Cut, steps: Any, k: int) -> int:
        """Which of the row's steps is cut: panels are those of all rows, one after the other."""
        return cut.panel - int(steps[:k].sum())

    def _finish(self, behind: Mapping[int, Cut], ends: Mapping[int, float]) -> dict[int, Cut]:
        """Take what is left of the steps that were cut; those that are cut again."""
        rows = np.array(sorted(behind), dtype=np.int64)
        for row in rows:
            cut = behind[row]
            for name, x in zip("qvx", (*cut.after, cut.x), strict=True):
                self.now[name][row] = x
            self.now["t"][row] = cut.t
            if "rest" in self.now:
                self.now["rest"][row] = 0.0
        last = np.array([ends[int(row)] for row in rows])
        h = np.maximum(last - self.now["t"][rows], SHORTEST * self.stepping.dt)
        inputs = {k: x[rows] for k, x in {**self.now, **self.given}.items()}
        if self.table_of:
            inputs[self.table_of] = self._rows_of_table(rows, 1)[:, 0]
        f = self.integrator._step
        said = f(*({**inputs, "h": h}[k] for k in f.inputs))
        after = dict(zip(f.outputs, said, strict=True))
        cuts = self.watching.look(given_panels(self.integrator, rows, h, inputs, after))
        for k, row in enumerate(rows):
            if int(row) in cuts:
                continue
            for name, x in self.now.items():
                x[row] = after[name][k]
            self.now["t"][row] = last[k]
            self.at[row] += 1
            self._keep(np.array([row]), self.at[[row]], {n: x[[row]] for n, x in self.now.items()})
        return {row: cut for row, cut in cuts.items() if not cut.ends}

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
        self.stepping.events = self.watching.result()
        return self.watching.told(self.stepping.trajectory(self.stepping.times()[:count], kept))

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
