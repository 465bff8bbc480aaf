"""Motions from jump to jump: steps are taken some at a time, and cut where events are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Protocol

import numpy as np

from visviva.errors import MotionError
from visviva.machine.run.call import Array
from visviva.motion.simulation.events.panels import (
    Numbers,
    Panels,
    called_panels,
    panels_of_nodes,
)
from visviva.motion.simulation.events.watching import Cut, Watching
from visviva.motion.simulation.integrate import Integrator, Nodes, adaptive_nodes, joined
from visviva.motion.simulation.stiff import RightSide, Solving, admitted_states

DEGREES = {"radau": 3, "lsoda": 12, "scipy-dop853": 7}  # of dense output, at most


class Stepper(Protocol):
    """Steps of some trajectories, whichever method takes them."""

    lots: tuple[int, int]  # how many before one looks, at least and at most, where they may be cut
    most: int  # where they may not

    def moving(self, is_over: Any) -> Numbers:
        """The trajectories that can go on."""

    def take(self, moving: Numbers, most: int) -> Iterable[Panels]:
        """Take so many steps of these at most."""

    def keep(self, cuts: Mapping[int, Cut]) -> None:
        """Keep those that were taken, until the first cut of each, and go on from there."""

    def keep_until(self, times: Mapping[int, float]) -> None:
        """The same, of those of which the time is known until which they could be looked at."""


def watch_motions(stepper: Stepper, watch: Watching) -> None:
    """Take steps of all trajectories to their ends, or to the events that end them."""
    stops, (fewest, largest) = watch.watch.stops, stepper.lots
    count = fewest if stops else stepper.most
    while len(rows := stepper.moving(watch.is_over)):
        cuts: dict[int, Cut] = {}
        try:
            for panels in stepper.take(rows, count):
                cuts |= watch.look(panels)
        except MotionError:
            stepper.keep_until(watch.trouble)
            raise
        stepper.keep(cuts)
        if stops:
            count = max(count // 2, fewest) if cuts else min(2 * count, largest)


class ArcSteps:
    """States now, and the arcs that led to them: steps between which nothing jumps."""

    def __init__(self, now: Mapping[str, Array]) -> None:
        self.now = {k: np.array(x) for k, x in now.items()}  # q, v, x, t and what steps hand on
        rows = len(self.now["t"])
        self.arcs: list[list[Nodes]] = [[] for _ in range(rows)]
        self.parts: list[list[Nodes]] = [[] for _ in range(rows)]  # of the arc that is not over
        self.lot: dict[int, Nodes] = {}  # what was taken and is not kept yet
        self.after: Mapping[str, Array] = {}  # the states behind it
        self.attempts = np.zeros(rows, dtype=np.int64)
        self.stuck = np.zeros(rows, dtype=bool)  # those that come no farther

    def keep(self, cuts: Mapping[int, Cut]) -> None:
        """Until the first cut of each, where an arc ends and another begins."""
        for k, (row, nodes) in enumerate(self.lot.items()):
            if row not in cuts:
                for name, x in self.now.items():
                    x[row] = self.after[name][k]
                self.parts[row].append(nodes)
                continue
            cut, self.stuck[row] = cuts[row], False
            until = nodes.until(cut.t, *cut.before, cut.x)
            self.attempts[row] -= len(nodes.t) - len(until.t)  # those after it count for nothing
            self.parts[row].append(until)
            self.close(row)
            for name, x in zip("qvx", (*cut.after, cut.x), strict=True):
                self.now[name][row] = x
            self.now["t"][row] = cut.t
        self.begin([row for row, cut in cuts.items() if not cut.ends])

    def begin(self, again: list[int]) -> None:
        """Steps after jumps."""

    def keep_until(self, times: Mapping[int, float]) -> None:
        """Of trajectories of which it is not known, the state with which steps began."""
        for row, nodes in self.lot.items():
            until = times.get(row, nodes.t[0])
            n = max(int(np.searchsorted(nodes.t, until, side="right")), 1)
            self.parts[row].append(nodes.first(n))
            self.close(row)

    def close(self, row: int) -> None:
        """End the arc of a row."""
        if self.parts[row]:
            self.arcs[row].append(joined(self.parts[row]))
            self.parts[row] = []

    def taken_over(self) -> list[list[Nodes]]:
        """The arcs of every row, which are not kept here any longer."""
        for row in range(len(self.arcs)):
            self.close(row)
        arcs, self.arcs = self.arcs, [[] for _ in self.arcs]
        return arcs


class ChosenSteps(ArcSteps):
    """As long as their error allows: of all rows at once, while forces are `given` so."""

    lots = 32, 4096  # attempts

    def __init__(
        self,
        integrator: Integrator,
        now: Mapping[str, Array],
        tolerances: tuple[float, float],
        attempts: int,
        threads: int,
        told: Callable[[Any], None],
    ) -> None:
        super().__init__({**now, "failed": np.zeros(len(now["t"]))})
        self.integrator, self.tolerances = integrator, np.array(tolerances)
        self.bound = self.most = attempts
        self.threads, self.told = threads, told
        self.until_stiff: int | None = None  # attempts after which it is asked what bounds lengths
        self.stiff: Callable[..., bool] = lambda nodes, given: False
        self.is_stiff = False

    def under(self, given: Mapping[str, Array], last: float) -> None:
        """Forces act so until a time."""
        self.given, self.last, self.done = given, last, np.zeros_like(self.attempts)
        self.now["failed"][:], self.stuck[:] = 0.0, False

    def moving(self, is_over: Any) -> Numbers:
        """Those that are not at the last time, unless the motion is stiff."""
        first, nodes = self.until_stiff, self.parts[0]
        if first is not None and self.done[0] >= first and nodes:
            self.is_stiff = self.stiff(joined(nodes), self.given)
            self.until_stiff = None
        free = ~is_over & ~self.stuck & (self.done < self.bound) & (self.now["t"] < self.last)
        return np.flatnonzero(free & (not self.is_stiff))

    def take(self, moving: Numbers, most: int) -> Iterator[Panels]:
        """By the loop of attempts."""
        loop = self.integrator.adaptive_for(len(self.arcs))
        start = {k: x[moving] for k, x in self.now.items()}
        own = {k: x[moving] for k, x in self.given.items()}
        more = {"end": np.full(len(moving), self.last), "tolerances": self.tolerances}
        run = loop.start({**start, **own, **more})
        most = most if self.until_stiff is None else min(most, self.until_stiff)
        part = adaptive_nodes(run, start, most, self.threads, self.told)
        made, self.after = run.passes // run.cycle, run.state
        self.done[moving] += made
        self.attempts[moving] += made
        self.stuck[moving] = run.resting & (np.asarray(self.after["t"]) < self.last)
        self.lot = dict(zip(moving.tolist(), part, strict=True))
        loop.over(run)
        return panels_of_nodes(self.integrator, part, moving, own)

    def begin(self, again: list[int]) -> None:
        """Choose the length of the first step after jumps."""
        self.now["failed"][again] = 0.0
        again = [row for row in again if self.now["t"][row] < self.last]
        if again:
            ends, begun = np.full(len(again), self.last), {"t": self.now["t"][again]}
            self.now["h"][again] = self.integrator.first_step(begun, ends)


class SolverSteps(ArcSteps):
    """Those of SciPy's methods, of one trajectory."""

    lots, most = (15, 15), 512

    def __init__(
        self,
        now: Mapping[str, Array],
        right: RightSide,
        solver: Solving,
        acting: dict[str, Any],
        told: Callable[[float], None],
    ) -> None:
        super().__init__(now)
        self.right, self.solver, self.acting, self.told = right, solver, acting, told
        self.steps: Iterator[tuple[float, Any, Any]] | None = None
        self.trouble = ""

    def moving(self, is_over: Any) -> Numbers:
        """The one, until the last time or until it comes no farther."""
        return np.flatnonzero(~is_over & ~self.stuck & (self.now["t"] < self.solver.last))

    def take(self, moving: Numbers, most: int) -> list[Panels]:
        """As its solver does; begun anew after a jump."""
        t = [float(self.now["t"][0])]
        y, parts = [np.concatenate([self.now[k][0] for k in "qvx"])], []
        self.steps = self.steps or self.solver.steps(t[0], y[0])
        try:
            for now, then, part in islice(self.steps, most):
                if part is None:
                    self._stop(then or "the state is not finite.")
                    break
                t.append(now)
                y.append(then)
                parts.append(part)
                self.told(now)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            if isinstance(error, MotionError):
                raise
            self._stop(f"{error}.")
        right, times, states = self.right, np.array(t), np.array(y)
        self.acting |= {k: np.asarray(x)[None] for k, x in right.given.items()}
        q, v = admitted_states(right.integrator, right.given, times, states, right.cut)
        nodes = Nodes(times, q, v, states[:, right.cut[1] :], dense=parts)
        self.lot, self.after = {0: nodes}, {k: getattr(nodes, k)[-1:] for k in "qvxt"}
        if not parts:
            return []
        given = {k: np.repeat(x, len(parts), 0) for k, x in self.acting.items()}
        method = self.solver.method
        return [called_panels(right.integrator, parts, times, DEGREES[method], given)]

    def _stop(self, why: str) -> None:
        self.trouble, self.stuck[0] = why, True

    def begin(self, again: list[int]) -> None:
        """With another solver."""
        if again:
            self.steps, self.trouble = None, ""
