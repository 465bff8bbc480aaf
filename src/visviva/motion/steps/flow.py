"""A system under forces as a differential equation, over any scalar: q̇ = N(q) v, v̇ = a(t, q, v).

`State` has what is integrated: positions, velocities, and what a controller remembers. Positions
with quaternions are integrated as they are and brought back to length one; where constraints hold
a system, its state is brought back to them, so that no error grows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from visviva.algebra import generic as g
from visviva.algebra.arrays import Array, vector
from visviva.equations.constraints.motion import position_correction
from visviva.motion.steps.law import Law

CORRECTIONS = 2  # of positions, by Newton: a step's error is small, its square is below rounding


class State(NamedTuple):
    """What is integrated; arrays of any scalar."""

    q: Array
    v: Array
    x: Array  # what a controller remembers

    def plus(self, h: Any, *weighted: tuple[Any, State]) -> State:
        """self + h Σ w k; weights that are exactly zero are passed over."""
        sums: list[Any] = [None, None, None]
        for w, k in weighted:
            if isinstance(w, float) and w == 0.0:
                continue
            for i, slope in enumerate(k):
                term = vector(slope) * w
                sums[i] = term if sums[i] is None else sums[i] + term
        pairs = zip(self, sums, strict=True)
        return State(*(vector(y) if s is None else vector(y) + s * h for y, s in pairs))


SlopeAt = Callable[[Any, State, Mapping[str, Any]], State]  # of the time, a state and what is given


@dataclass(frozen=True, eq=False)
class Flow:
    """The motion of a system under a law of forces; parameters named may be inputs."""

    kind: ClassVar[str] = "smooth"

    system: Any
    law: Law
    parameters: tuple[str, ...] = ()

    @property
    def inputs(self) -> dict[str, Any]:
        """What slopes depend on besides the state and the time: shapes by name."""
        sizes = dict(self.law.inputs)
        return {**sizes, "parameters": len(self.parameters)} if self.parameters else sizes

    def acceleration(self, t: Any, s: State, given: Mapping[str, Any]) -> tuple[Any, Any]:
        """v̇ and ẋ."""
        f = self.system.function("forward_dynamics", parameters=self.parameters)
        tau, rates = self.law.at(t, s.q, s.v, s.x, given)
        values = {**given, "q": s.q, "v": s.v, "tau": tau, "t": t}
        return f._evaluated([values[k] for k in f.inputs], "a motion"), rates

    def slope(self, t: Any, s: State, given: Mapping[str, Any]) -> State:
        """(q̇, v̇, ẋ)."""
        a, rates = self.acceleration(t, s, given)
        return State(self.rates(s.q, s.v), a, rates)

    def rates(self, q: Any, v: Any) -> Any:
        """q̇ at velocity v."""
        chart = self.system.charts.get("q")
        return vector(v) if chart is None else vector(chart(q)) @ vector(v)

    def admitted(self, t: Any, s: State, given: Mapping[str, Any]) -> State:
        """The state at which quaternions have length one and the constraints hold."""
        q, v, system = vector(s.q), s.v, self.system
        for _, start in system.quaternions:
            own = q[start : start + 4]
            q = np.concatenate([q[:start], own * (1.0 / g.sqrt(own @ own)), q[start + 4 :]])
        if system.held_by:
            model = self._with(given)
            for _ in range(CORRECTIONS):
                q = self.moved(q, position_correction(model, q, v, t))
            f = system.function("admitted_velocity", parameters=self.parameters)
            values = {**given, "q": q, "v": v, "t": t}
            v = f._evaluated([values[k] for k in f.inputs], "a motion")
        return State(q, v, s.x)

    def _with(self, given: Mapping[str, Any]) -> Any:
        """The system with the parameters that are inputs as such."""
        if not self.parameters:
            return self.system.numeric
        home = self.system._input_equations()
        return home.with_symbols(self.system, self.parameters, given["parameters"])

    def moved(self, q: Any, step: Any) -> Any:
        """q ⊕ step (nv,)."""
        return self.system.integrate(q, step)

    def sizes(self) -> dict[str, Any]:
        """Shapes of the state and the time."""
        s = self.system
        return {"q": s.nq, "v": s.nv, "x": self.law.states, "t": ()}


def stages(
    slope: SlopeAt,
    method: Any,
    t: Any,
    h: Any,
    s: State,
    given: Mapping[str, Any],
    first: Any = None,
) -> list[State]:
    """All slopes of a step of an explicit method; the first may be known."""
    slopes = [slope(t, s, given) if first is None else first]
    return further_stages(slope, method.A[1:], method.c[1:], t, h, s, given, slopes)


def further_stages(
    slope: SlopeAt,
    rows: Any,
    c: Any,
    t: Any,
    h: Any,
    s: State,
    given: Mapping[str, Any],
    slopes: list[State],
) -> list[State]:
    """The slopes so far and those of more rows."""
    slopes = list(slopes)
    for row, at in zip(rows, c, strict=True):
        weights = [float(w) for w in row[: len(slopes)]]
        y = s.plus(h, *zip(weights, slopes, strict=True))
        slopes.append(slope(t + h * float(at), y, given))
    return slopes


def weighted(weights: Any, slopes: Sequence[State]) -> list[tuple[float, State]]:
    """Pairs for `State.plus`."""
    return list(zip([float(w) for w in weights], slopes, strict=False))
