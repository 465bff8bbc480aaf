"""Motions of chosen steps from jump to jump: steps are taken some at a time, and looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.errors import MotionError
from visviva.machine.run.call import Array
from visviva.motion.simulation.events.panels import panels_of_nodes
from visviva.motion.simulation.events.watching import Cut, Watching
from visviva.motion.simulation.integrate import Integrator, Nodes, adaptive_nodes, joined

FEWEST, MOST_AT_ONCE = 32, 4096  # attempts before one looks at what they were


@dataclass(frozen=True)
class Bounds:
    """Until when steps are taken, how accurate, how many; and after how many to ask if they are
    bounded by stability."""

    last: float
    rtol: float
    atol: float
    attempts: int
    until_stiff: int | None = None
    is_stiff: Callable[[Nodes], bool] = lambda nodes: False


class Rows:
    """All trajectories while they are computed: states now, and the arcs that led to them."""

    def __init__(self, now: dict[str, Array], attempts: Any) -> None:
        self.now = now  # q, v, x, t, h and whether the last attempt failed
        self.attempts = attempts  # how many so far
        self.arcs: list[list[Nodes]] = [[] for _ in attempts]
        self.parts: list[list[Nodes]] = [[] for _ in attempts]  # of the arc that is not over

    def close(self, row: int) -> None:
        """End the arc of a row."""
        if self.parts[row]:
            self.arcs[row].append(joined(self.parts[row]))
            self.parts[row] = []

    def go_on(self, row: int, nodes: Nodes, after: Mapping[str, Array], k: int) -> None:
        """With steps that nothing interrupted; k is the row's number among those computed."""
        for name, x in self.now.items():
            x[row] = after[name][k]
        self.parts[row].append(nodes)

    def jump(self, row: int, nodes: Nodes, cut: Cut) -> None:
        """To the state after a cut: an arc ends and another begins."""
        until = _shortened(nodes, cut)
        self.attempts[row] -= len(nodes.t) - len(until.t)  # those after it count for nothing
        self.parts[row].append(until)
        self.close(row)
        for name, x in zip("qvx", (*cut.after, cut.x), strict=True):
            self.now[name][row] = x
        self.now["t"][row], self.now["failed"][row] = cut.t, 0.0


def watched_arcs(
    integrator: Integrator,
    watching: Watching,
    rows: Rows,
    given: Mapping[str, Array],
    bounds: Bounds,
    threads: int,
    told: Callable[[Any], None],
) -> bool:
    """Add the arcs of every row until the last time, in which `given` acts; False if it is stiff.

    An arc ends where an event ends the motion or makes it jump; the next begins in the state after
    it. Rows that come no farther stay where they are.
    """
    loop = integrator.adaptive_for(len(rows.arcs))
    now, stops, until_stiff = rows.now, watching.watch.stops, bounds.until_stiff
    done = np.zeros(len(rows.arcs), dtype=np.int64)
    stuck = np.zeros(len(rows.arcs), dtype=bool)
    most = FEWEST if stops else (until_stiff or bounds.attempts)
    while True:
        free = ~watching.is_over & ~stuck & (done < bounds.attempts)
        moving = np.flatnonzero(free & (now["t"] < bounds.last))
        if not len(moving):
            break
        start = {k: x[moving] for k, x in now.items()}
        own = {k: x[moving] for k, x in given.items()}
        more = {"end": np.full(len(moving), bounds.last)}
        more["tolerances"] = np.array([bounds.rtol, bounds.atol])
        run = loop.start({**start, **own, **more})
        part = adaptive_nodes(run, start, most, threads, told)
        cuts = _looked(integrator, watching, rows, part, moving, own)
        made = run.passes // run.cycle
        done[moving] += made
        rows.attempts[moving] += made
        after, resting = run.state, run.resting.copy()
        loop.over(run)
        for k, row in enumerate(moving.tolist()):
            if row in cuts:
                rows.jump(row, part[k], cuts[row])
            else:
                rows.go_on(row, part[k], after, k)
                stuck[row] = bool(resting[k]) and now["t"][row] < bounds.last
        _begin(integrator, rows, bounds, [i for i, cut in cuts.items() if not cut.ends])
        if until_stiff is not None and done[0] >= until_stiff and rows.parts[0]:
            if bounds.is_stiff(joined(rows.parts[0])):
                return False
            until_stiff, most = None, most if stops else bounds.attempts
        if stops:
            most = max(most // 2, FEWEST) if cuts else min(2 * most, MOST_AT_ONCE)
    for row in range(len(rows.arcs)):
        rows.close(row)
    return True


def _looked(
    integrator: Integrator,
    watching: Watching,
    rows: Rows,
    part: list[Nodes],
    moving: Any,
    own: Mapping[str, Array],
) -> dict[int, Cut]:
    """All cuts in the steps of some rows; if an event cannot be asked, what was so far is kept."""
    cuts: dict[int, Cut] = {}
    try:
        for panels in panels_of_nodes(integrator, part, moving, own):
            cuts |= watching.look(panels)
    except MotionError:
        for k, row in enumerate(moving.tolist()):
            until = watching.trouble.get(row, part[k].t[0])
            n = max(int(np.searchsorted(part[k].t, until, side="right")), 1)
            few = (x[:n] for x in (part[k].t, part[k].q, part[k].v, part[k].x))
            rows.parts[row].append(Nodes(*few))
            rows.close(row)
        raise
    return cuts


def _begin(integrator: Integrator, rows: Rows, bounds: Bounds, again: list[int]) -> None:
    """Choose the length of the first step after jumps."""
    again = [row for row in again if rows.now["t"][row] < bounds.last]
    if again:
        begun = {"t": rows.now["t"][again]}
        rows.now["h"][again] = integrator.first_step(begun, np.full(len(again), bounds.last))


def _shortened(nodes: Nodes, cut: Cut) -> Nodes:
    """Until a cut; the polynomial of the last step stays that of the whole one."""
    k = max(int(np.searchsorted(nodes.t, cut.t, side="left")), 1)
    if cut.t <= nodes.t[0]:
        return Nodes(nodes.t[:1], nodes.q[:1], nodes.v[:1], nodes.x[:1])
    columns = zip((nodes.q, nodes.v, nodes.x), (*cut.before, cut.x), strict=True)
    q, v, x = (np.concatenate([y[:k], at[None]]) for y, at in columns)
    return Nodes(np.append(nodes.t[:k], cut.t), q, v, x, nodes.lengths[:k])
