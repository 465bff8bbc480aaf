"""Through singular positions: where rows of constraints become dependent, and branches meet.

A four-bar that lies flat may go on in two ways. Newton's equations have one answer there: what
comes with a velocity goes on with it, along the smooth curve that it came on. Steps cannot see
that: accelerations are 0/0, and a step into the neighbourhood is brought back to either branch.
So the way up to it is computed anew, as exactly as numbers allow, and its smooth curve continued to
the other side. If the constraints hold there, it is the branch; if not, the position was only
nearly singular, the motion turns there, and nothing is leapt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visviva.machine.run.call import Array
from visviva.motion.samples.between import hermite
from visviva.motion.samples.singular import Regularity
from visviva.motion.simulation.integrate import Integrator, Nodes, adaptive_nodes
from visviva.motion.steps.inside import Dense

CLOSE = 1e-3  # of the regularity along a motion: rounding of accelerations grows by its square
_LEAVE = 1.5 * CLOSE  # where the curve is left
FARTHEST = 60.0  # lengths of a leap that the curve is known before it
_DEGREE, _POINTS = 8, 24
TIGHT = (1e-13, 1e-14)  # tolerances of the way up to it
_HOLDS = 1e-10  # of the size of positions: what a continued curve may violate constraints by
_ATTEMPTS, _BLOCK = 100_000, 512  # of steps
_LOOKED_AT, _HALVINGS = 400, 30  # for where the curve is left
_MOST = 10_000  # passages of one motion
_REFINED, _OUTWARD = 6, 60  # in a step: times that the least is looked for, ways out of it


@dataclass(frozen=True, eq=False)
class Leap:
    """From a state before a singular position to one behind it: t (2,), q (2, nq), v and x."""

    system: Any
    t: Array
    q: Array
    v: Array
    x: Array

    def fill(self, times: Array, q: Array, v: Array) -> None:
        """States (k, …) at times inside of it, put in their places."""
        inside = (times > self.t[0]) & (times < self.t[1])
        if inside.any():
            q[inside], v[inside] = hermite(self.system, self.t, self.q, self.v)(times[inside])


@dataclass(frozen=True, eq=False)
class Crossing:
    """Singular passages of one motion under a flow that is smooth until `end`."""

    integrator: Integrator
    given: Mapping[str, Array]  # (1, …), what the flow depends on
    parameters: Mapping[str, Any]
    end: float
    rtol: float
    atol: float
    attempts: list[int]  # of steps, as they are made
    measure: Regularity | None = None  # that of the whole motion, where it is known

    def crossed(self, nodes: Nodes) -> tuple[Nodes, list[Leap]]:
        """Accepted steps through all passages, instead of those that came near to one."""
        leaps: list[Leap] = []
        s, measure = self.integrator.flow.system, self.measure
        measure = measure or Regularity.along(s, _state(nodes), self.parameters)
        sizes, begin, is_told = measure(_state(nodes)), 1, False
        while len(leaps) < _MOST:
            close = np.flatnonzero(sizes[begin:] < CLOSE)
            if not len(close):
                if not leaps or nodes.t[-1] >= self.end or is_told:
                    break  # of a motion without leaps all steps are there
                more = self.steps(_last(nodes), self.end, self.rtol, self.atol, _BLOCK)
                is_told, begin = len(more.t) < 2, len(nodes.t)
                nodes = _chained(nodes, _slice(more, 1))
                sizes = np.append(sizes, measure(_state(nodes, begin)))
                continue
            k = begin + int(close[0])
            found = self._leap(nodes, k, sizes[:k], measure)
            if found is None:  # the motion only comes near: steps as they are
                begin = k + 1
                continue
            way, leap = found
            leaps.append(leap)
            before = _slice(nodes, 0, int(np.searchsorted(nodes.t, way.t[0], side="right")))
            there = Nodes(leap.t[1:], leap.q[1:], leap.v[1:], leap.x[1:])
            nodes, sizes = _chained(before, _slice(way, 1), there), sizes[: len(before.t)]
            sizes = np.append(sizes, measure(_state(nodes, len(sizes))))
            begin = len(nodes.t)
        return nodes, leaps

    def _leap(
        self, nodes: Nodes, k: int, sizes: Array, measure: Regularity
    ) -> tuple[Nodes, Leap] | None:
        """The way up to the position near node k and over it; None if its curve leaves the rows."""
        far = np.flatnonzero(sizes > FARTHEST * CLOSE)
        j = int(far[-1]) if len(far) else 0
        rough = self.dense(nodes)
        times = np.linspace(nodes.t[j], nodes.t[k], _LOOKED_AT)
        above = np.flatnonzero(measure(_on(rough, times)) > _LEAVE)
        if not len(above) or above[-1] + 1 == len(times):
            return None
        a, b = float(times[above[-1]]), float(times[above[-1] + 1])
        for _ in range(_HALVINGS):
            middle = (a + b) / 2
            is_above = measure(_on(rough, np.array([middle])))[0] > _LEAVE
            a, b = (middle, b) if is_above else (a, middle)
        way = self.steps(_last(_slice(nodes, 0, j + 1)), a, *TIGHT)
        if a <= nodes.t[j] or way.t[-1] != a:
            return None
        curve, known = self.dense(way), a - way.t[0]
        earlier = a - 0.05 * known
        fall = (measure(_on(curve, np.array([earlier, a]))) @ [1.0, -1.0]) / (a - earlier)
        if not fall > 0:
            return None
        length = 2 * _LEAVE / float(fall)
        leap = self._continued(curve, a, length, min(known, FARTHEST * length))
        return None if leap is None else (way, leap)

    def _continued(self, curve: Dense, leave: float, length: float, known: float) -> Leap | None:
        """The smooth curve of the last `known` seconds, `length` further."""
        if leave + length >= self.end:
            return None
        x = np.cos(np.pi * (np.arange(_POINTS) + 0.5) / _POINTS)
        fit = np.linalg.pinv(np.polynomial.chebyshev.chebvander(x, _DEGREE))
        beyond = np.polynomial.chebyshev.chebvander([1 + 2 * length / known], _DEGREE)
        q, v, w = (beyond @ (fit @ y) for y in curve(leave + known * (x - 1) / 2))
        at = {"q": q, "v": v, "x": w, "t": np.array([leave + length]), **self.given}
        admitted = self.integrator.admitted
        for _ in range(2):
            at["q"], at["v"] = admitted(*(at[k] for k in admitted.inputs))
        off = max(np.abs(at["q"] - q).max(), np.abs(at["v"] - v).max() * known)
        if not off <= _HOLDS * max(1.0, np.abs(q).max()):
            return None
        first = curve.nodes
        both = [np.concatenate([getattr(first, k)[-1:], at[k]]) for k in ("t", "q", "v", "x")]
        return Leap(self.integrator.flow.system, *both)

    def dense(self, nodes: Nodes) -> Dense:
        """States between steps."""
        return Dense(self.integrator, nodes, {k: x[0] for k, x in self.given.items()})

    def steps(
        self,
        start: Mapping[str, Array],
        end: float,
        rtol: float,
        atol: float,
        most: int = _ATTEMPTS,
    ) -> Nodes:
        """Accepted steps from a state (1, …) until `end`, of at most so many attempts."""
        last = np.array([end])
        h = self.integrator.first_step(start, last)
        more = {"h": h, "failed": np.zeros(1), "end": last, "tolerances": [rtol, atol]}
        run = self.integrator.adaptive_for(1).start({**start, **self.given, **more})
        made = adaptive_nodes(run, start, most, 1, lambda run: None)[0]
        self.attempts.append(int(run.passes[0]) // run.cycle)
        return made


@dataclass(frozen=True, eq=False)
class Passages:
    """The leaps of one motion, and states between its steps beside singular positions.

    Long steps go over such a position without coming near. A state of theirs that happens to be
    close to it cannot be brought onto the constraints, which do not say there where that is: it is
    on the smooth curve between the nearest states that can be.
    """

    crossing: Crossing
    nodes: Nodes
    leaps: list[Leap]

    def fill(self, times: Array, q: Array, v: Array) -> None:
        """Those among states (k, …) between steps, put in their places."""
        left = np.ones(len(times), dtype=bool)
        for leap in self.leaps:
            leap.fill(times, q, v)
            left &= (times <= leap.t[0]) | (times >= leap.t[1])
        left &= ~np.isin(times, self.nodes.t)
        near = np.flatnonzero(left)
        near = near[self._measure({"q": q[near], "v": v[near], "t": times[near]}) < CLOSE]
        for k in np.unique(np.searchsorted(self.nodes.t, times[near])):
            for bridge in self._bridges(int(k)):
                bridge.fill(times, q, v)

    @cached_property
    def _measure(self) -> Regularity:
        s, parameters = self.crossing.integrator.flow.system, self.crossing.parameters
        return self.crossing.measure or Regularity.along(s, _state(self.nodes), parameters)

    def _bridges(self, k: int) -> list[Leap]:
        """Over the positions inside of the step that ends at node k, made once.

        They are those of the step, whatever times are asked for: so are the states.
        """
        if k not in self._made:
            step = self.nodes.t[max(k - 1, 0) : k + 1]
            times = np.linspace(step[0], step[-1], _LOOKED_AT // 10 + 1)
            lows = self._measure.lows(_on(self._curve, times)) if len(step) == 2 else []
            found = [self._bridge(step, a, b) for a, b in lows]
            self._made[k] = [bridge for bridge in found if bridge is not None]
        return self._made[k]

    @cached_property
    def _made(self) -> dict[int, list[Leap]]:
        return {}

    @cached_property
    def _curve(self) -> Dense:
        return self.crossing.dense(self.nodes)

    def _bridge(self, step: Array, a: float, b: float) -> Leap | None:
        """Over the position between two times, from one side to the other inside of its step."""
        ends, at = [], a
        for _ in range(_REFINED):
            times = np.linspace(a, b, 17)
            i = int(np.argmin(self._measure(_on(self._curve, times))))
            a, b, at = times[max(i - 1, 0)], times[min(i + 1, 16)], float(times[i])
        for end in step:
            times = at + np.geomspace(1e-6, 1.0, _OUTWARD) * (end - at)
            times[-1] = end
            far = np.flatnonzero(self._measure(_on(self._curve, times)) > _LEAVE)
            if not len(far):
                return None
            ends.append(float(times[far[0]]))
        t = np.array(ends)
        return Leap(self.crossing.integrator.flow.system, t, *self._curve(t))


def through(
    task: Any,
    integrator: Integrator,
    part: list[Nodes],
    now: dict[str, Array],
    end: float,
    tolerances: tuple[float, float],
    attempts: Any,
) -> list[Passages]:
    """Those of every row; its steps in `part` and its state in `now` become those with them."""
    passages: list[Passages] = []
    for i, nodes in enumerate(part):
        given = {k: x[i : i + 1] for k, x in task.given.items()}
        values = {k: np.broadcast_to(x, task.rows)[i] for k, x in task.parameters.items()}
        crossing = Crossing(integrator, given, values, end, *tolerances, [])
        part[i], over = crossing.crossed(nodes)
        passages.append(Passages(crossing, part[i], over))
        attempts[i] += sum(crossing.attempts)
        for k in now if over else ():
            now[k][i] = getattr(part[i], k)[-1]
    return passages


def _last(nodes: Nodes) -> dict[str, Array]:
    return {k: getattr(nodes, k)[-1:] for k in ("t", "q", "v", "x")}


def _state(nodes: Nodes, first: int = 0) -> dict[str, Array]:
    return {k: getattr(nodes, k)[first:] for k in ("t", "q", "v")}


def _on(curve: Dense, times: Array) -> dict[str, Array]:
    q, v, _ = curve(times)
    return {"q": q, "v": v, "t": times}


def _slice(nodes: Nodes, first: int, last: int | None = None) -> Nodes:
    return Nodes.from_columns(x[first:last] for x in nodes.columns)


def _chained(*parts: Nodes) -> Nodes:
    return Nodes.from_columns(map(np.concatenate, zip(*(p.columns for p in parts), strict=True)))
