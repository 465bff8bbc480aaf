"""Steps of given length, by explicit methods."""

from __future__ import annotations

from typing import Any

from visviva.algebra.arrays import vector
from visviva.equations.steps.flow import ForcedMotion, State, stages, weighted
from visviva.equations.steps.tableaux import Tableau


def fixed_step(
    flow: ForcedMotion, method: Tableau, s: State, t: Any, h: Any, inputs: Any, first: Any = None
) -> State:
    """The state a step later; the slope at its beginning may be known."""
    slopes = stages(flow.slope, method, t, h, s, inputs, first)
    return flow.admitted(t + h, s.plus(h, *weighted(method.b, slopes)), inputs)


def semi_implicit(
    flow: ForcedMotion, s: State, t: Any, h: Any, inputs: Any, first: Any = None
) -> State:
    """Semi-implicit Euler: velocities first, positions with the new ones; symplectic."""
    slope = flow.slope(t, s, inputs) if first is None else first
    v = vector(s.v) + vector(slope.v) * h
    x = vector(s.x) + vector(slope.x) * h
    return flow.admitted(t + h, State(flow.moved(s.q, v * h), v, x), inputs)
