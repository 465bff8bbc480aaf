"""A system under forces as a differential equation, over any scalar: q̇ = N(q) v, v̇ = a(t, q, v).

`State` has what is integrated: positions, velocities, and what a controller remembers. Positions
with quaternions are integrated as they are and brought back to length one; where constraints hold
a system, its state is brought back to them, so that no error grows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from visviva.algebra import generic as g
from visviva.algebra.arrays import Array, vector
from visviva.equations.constraints.motion import (
    admitted_velocity,
    forward_dynamics,
    position_correction,
    stated_value,
)

CORRECTIONS = 2  # of positions, by Newton: a step's error is small, its square is below rounding


class State(NamedTuple):
    """What is integrated; arrays of any scalar."""

    q: Array
    v: Array
    x: Array  # what a controller remembers

    def plus(self, h: Any, *pairs: tuple[Any, State]) -> State:
        """self + h Σ w k; weights that are exactly zero are passed over."""
        sums: list[Any] = [None, None, None]
        for w, k in pairs:
            if isinstance(w, float) and w == 0.0:
                continue
            for i, slope in enumerate(k):
                term = vector(slope) * w
                sums[i] = term if sums[i] is None else sums[i] + term
        both = zip(self, sums, strict=True)
        return State(*(vector(y) if s is None else vector(y) + s * h for y, s in both))


SlopeAt = Callable[[Any, State, Mapping[str, Any]], State]  # of the time, a state and what is given


@dataclass(frozen=True, eq=False)
class ForcedMotion:
    """The motion of a system under forces `tau` that are inputs, or `u` of its actuators."""

    system: Any

    def acceleration(self, t: Any, s: State, inputs: Mapping[str, Any]) -> tuple[Any, Any]:
        """v̇ and ẋ."""
        state = {"q": s.q, "v": s.v, "t": t}
        tau = inputs.get("tau")
        if tau is None:
            tau = stated_value(self.system, "actuator_map", **state) @ vector(inputs["u"])
        pushes = inputs.get("wrenches", ())
        return forward_dynamics(self.system, tau=tau, wrenches=pushes, **state), np.zeros(0)

    def slope(self, t: Any, s: State, inputs: Mapping[str, Any]) -> State:
        """(q̇, v̇, ẋ)."""
        a, rates = self.acceleration(t, s, inputs)
        return State(self.rates(s.q, s.v), a, rates)

    def rates(self, q: Any, v: Any) -> Any:
        """q̇ at velocity v."""
        chart = self.system.charts.get("q")
        return vector(v) if chart is None else vector(chart(q)) @ vector(v)

    def admitted(self, t: Any, s: State, inputs: Mapping[str, Any]) -> State:
        """The state at which quaternions have length one and the constraints hold."""
        q, v = self.unit(s.q), s.v
        if self.system.held_by:
            model = self._with(inputs)
            for _ in range(CORRECTIONS):
                q = self.moved(q, position_correction(model, q, v, t))
            v = self.admitted_velocity(t, q, v, inputs)
        return State(q, v, s.x)

    def unit(self, q: Any) -> Any:
        """q with quaternions of length one."""
        q = vector(q)
        for _, start in self.system.quaternions:
            x = q[start : start + 4]
            q = np.concatenate([q[:start], x * (1.0 / g.sqrt(x @ x)), q[start + 4 :]])
        return q

    def admitted_velocity(self, t: Any, q: Any, v: Any, inputs: Mapping[str, Any]) -> Any:
        """The velocity at which the constraints hold."""
        return admitted_velocity(self.system, q, v, t)

    def _with(self, inputs: Mapping[str, Any]) -> Any:
        """The system with what numbers of it are inputs."""
        return self.system

    def moved(self, q: Any, step: Any) -> Any:
        """q ⊕ step (nv,)."""
        return self.system.integrate(q, step)


def stages(
    slope: SlopeAt,
    method: Any,
    t: Any,
    h: Any,
    s: State,
    inputs: Mapping[str, Any],
    first: Any = None,
) -> list[State]:
    """All slopes of a step of an explicit method; the first may be known."""
    slopes = [slope(t, s, inputs) if first is None else first]
    return further_stages(slope, method.A[1:], method.c[1:], t, h, s, inputs, slopes)


def further_stages(
    slope: SlopeAt,
    rows: Any,
    c: Any,
    t: Any,
    h: Any,
    s: State,
    inputs: Mapping[str, Any],
    slopes: list[State],
) -> list[State]:
    """The slopes so far and those of more rows."""
    slopes = list(slopes)
    for row, share in zip(rows, c, strict=True):
        weights = [float(w) for w in row[: len(slopes)]]
        y = s.plus(h, *zip(weights, slopes, strict=True))
        slopes.append(slope(t + h * float(share), y, inputs))
    return slopes


def weighted(weights: Any, slopes: Sequence[State]) -> list[tuple[float, State]]:
    """Pairs for `State.plus`."""
    return list(zip([float(w) for w in weights], slopes, strict=False))
