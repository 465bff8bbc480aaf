"""Steps of given length through singular positions: those beside one are made anew, accurately.

A stage of such a step that happens to lie at the position has accelerations of any size. So the
motion from well before to well behind is that of accurate steps and a leap (`crossing`), at the
same times; from there steps of given length go on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.machine.run.call import Array
from visviva.motion.samples.between import hermite
from visviva.motion.samples.singular import PASSED, Regularity
from visviva.motion.simulation.crossing import CLOSE, FARTHEST, TIGHT, Crossing, Passages
from visviva.motion.simulation.task import Task

_MOST = 200_000  # states among which passages are looked for
_REFINED = 6  # times that the least is looked for more closely


def can_be_looked_for(task: Task, steps: int) -> bool:
    """Whether all steps of a task are looked at, and its forces are smooth."""
    return bool(task.system.held_by) and task.is_smooth and task.rows * steps <= _MOST


def passed(
    task: Task, method: str, dt: float, steps: int, kept: dict[str, Array]
) -> dict[str, Array]:
    """States q, v, x (rows, steps + 1, …) of all steps, right through singular positions.

    Of those that are given the last may be missing, behind one that is not finite.
    """
    whole = {k: np.full((task.rows, steps + 1, kept[k].shape[2]), np.nan) for k in "qvx"}
    for k, x in whole.items():
        x[:, : kept[k].shape[1]] = kept[k]
    for i in range(task.rows):
        _Passing(task, method, dt, i, {k: x[i] for k, x in whole.items()}).go()
    return whole


class _Passing:
    """One motion, whose states `own` (steps + 1, …) are put right in their places."""

    def __init__(self, task: Task, method: str, dt: float, row: int, own: Any) -> None:
        self.task, self.method, self.dt, self.own = task, method, dt, own
        self.count = len(own["q"]) - 1
        self.t: Array = np.asarray(task.span.first + dt * np.arange(self.count + 1), dtype=float)
        self.given = {k: x[row : row + 1] for k, x in task.given.items()}
        self.values = {k: np.broadcast_to(x, task.rows)[row] for k, x in task.parameters.items()}

    def go(self) -> None:
        """Through all passages, one after the other."""
        finite = np.isfinite(self.own["q"]).all(axis=1) & np.isfinite(self.own["v"]).all(axis=1)
        whole = self.count + 1 if finite.all() else int(np.argmin(finite))
        if whole < 3:
            return
        self.measure = Regularity.along(self.task.system, self._state(0, whole), self.values)
        begin = 0
        while begin < self.count:
            begin = self._next(begin)

    def _next(self, begin: int) -> int:
        """The first state from which nothing was looked at yet."""
        finite = np.isfinite(self.own["q"][begin:]).all(axis=1)
        last = self.count + 1 if finite.all() else begin + int(np.argmin(finite))
        state = self._state(begin, last)
        curve = hermite(self.task.system, state["t"], state["q"], state["v"])
        for a, b in self.measure.lows(state):
            at = self._singular(curve, a, b)
            if at is not None:
                k = int(np.searchsorted(self.t, at))  # states from here on may be nonsense
                end = self._through(begin, k, int(np.searchsorted(self.t, a)))
                return k + 1 if end is None else end
        if last <= self.count:  # it ended in a step that came too near
            end = self._through(begin, last - 1, last - 1)
            return self.count if end is None else end
        return self.count

    def _singular(self, curve: Any, a: float, b: float) -> float | None:
        for _ in range(_REFINED):
            times = np.linspace(a, b, 17)
            q, v = curve(times)
            sizes = self.measure({"q": q, "v": v, "t": times})
            k = int(np.argmin(sizes))
            a, b = times[max(k - 1, 0)], times[min(k + 1, 16)]
        return float(times[k]) if sizes[k] < PASSED else None

    def _through(self, begin: int, k: int, before: int) -> int | None:
        """Replace the steps around time k; the last of them, None if that cannot be done."""
        sizes = self.measure(self._state(begin, before + 1))
        far = np.flatnonzero(sizes > FARTHEST * CLOSE)
        j = begin + (int(far[-1]) if len(far) else 0)
        n = k + max(k - j, 1)
        end = float(self.t[0] + self.dt * (n + 1))
        start = {x: self.own[x][j : j + 1] for x in "qvx"} | {"t": self.t[j : j + 1]}
        integrator = self.task.integrator("dop853")
        crossing = Crossing(integrator, self.given, self.values, end, *TIGHT, [], self.measure)
        nodes, leaps = crossing.crossed(crossing.steps(start, end, *TIGHT))
        if nodes.t[-1] < end:
            return None
        n = min(n, self.count)
        times: Array = self.t[j + 1 : n + 1]
        q, v, x = crossing.dense(nodes)(times)
        Passages(crossing, nodes, leaps).fill(times, q, v)
        for name, new in zip("qvx", (q, v, x), strict=True):
            self.own[name][j + 1 : n + 1] = new
        if n < self.count:
            self._go_on(n)
        return n

    def _go_on(self, n: int) -> None:
        """Steps of given length from state n on."""
        start = {x: self.own[x][n : n + 1] for x in "qvx"}
        start |= {"t": self.t[n : n + 1], "h": np.array([self.dt]), **self.given}
        run = self.task.integrator(self.method).fixed.start(start)
        run.keep_every(1, self.count - n + 1)
        run.advance(self.count - n, 1)
        for name in "qvx":
            self.own[name][n:] = run.history[name][0]

    def _state(self, first: int, last: int) -> dict[str, Array]:
        own = {k: self.own[k][first:last] for k in "qv"}
        return {**own, "t": self.t[first:last]}
