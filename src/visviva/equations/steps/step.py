"""`step`: the state some time later, under forces that are held."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from visviva.algebra import generic as g
from visviva.algebra.arrays import Array, is_exactly, vector
from visviva.algebra.expr import Expr, Graph
from visviva.describe.stops import stops_of
from visviva.equations.forces.forces import static_friction
from visviva.equations.steps.explicit import fixed_step, semi_implicit
from visviva.equations.steps.flow import ForcedMotion, State
from visviva.equations.steps.tableaux import tableaux
from visviva.errors import ArgumentError, check_known

METHODS = {
    "semi-implicit": semi_implicit,
    **{
        name: lambda flow, *rest, method=method: fixed_step(flow, method, *rest)
        for name, method in tableaux().items()
    },
}


def step(
    s: Any,
    q: Any,
    v: Any,
    dt: Any,
    tau: Any = None,
    u: Any = None,
    wrenches: Any = (),
    t: Any = None,
    method: str = "semi-implicit",
    substeps: int = 1,
    clip: bool = False,
) -> tuple[Array, Array]:
    """q and v after dt seconds under forces `tau`, or `u` of the actuators, that are held.

    Conditions are those of the state that is given: what a step leads through is its own.
    """
    check_options(method, substeps)
    _refuse_jumps(s)
    u = _within_limits(s, u) if clip else u
    motion, inputs = ForcedMotion(s), {"tau": tau, "u": u, "wrenches": wrenches}
    state, t = State(vector(q), vector(v), vector(())), 0.0 if t is None else t
    h = dt / float(substeps)
    first: State | None = motion.slope(t, state, inputs)
    graph = next((x.graph for x in state.q if isinstance(x, Expr)), Graph())
    conditions, graph.conditions = graph.conditions, None
    for _ in range(substeps):
        state = METHODS[method](motion, state, t, h, inputs, first)
        t, first = t + h, None
    graph.conditions = conditions
    return state.q, state.v


def _within_limits(s: Any, u: Any) -> Array:
    """Forces of actuators between their limits."""
    if u is None:
        raise ArgumentError("step: clip=True is about u of actuators: say controls=True as well")
    ends = [(x.lower, x.upper) for x in s.limited_actuators]
    if not np.isfinite(ends).any():
        raise ArgumentError(f"step: no actuator of {s.name!r} has limits that clip=True could keep")
    low, high = zip(*ends, strict=True)
    forces: Array = g.minimum(g.maximum(vector(u), vector(low)), vector(high))
    return forces


def check_options(
    method: Any = "semi-implicit", substeps: Any = 1, controls: Any = True, clip: Any = True
) -> None:
    """Refuse methods whose steps are no formulas, and numbers of steps that are none."""
    check_known("method of a step, explicit and of given length,", method, METHODS)
    if isinstance(substeps, bool) or not isinstance(substeps, Integral) or substeps < 1:
        raise ArgumentError(f"step: substeps is a whole number from 1 on, got {substeps!r}")
    for name, x in (("controls", controls), ("clip", clip)):
        if x is not True:
            raise ArgumentError(f"step: {name} is True or False, got {x!r}")


def _refuse_jumps(s: Any) -> None:
    """Refuse what begins or ends inside of a step: joints that stick, or come to their stops."""
    names = stops_of(s).names
    if names:
        raise ArgumentError(
            f"step: joints of {s.name!r} have stops ({', '.join(names)}), which end a step before "
            "its time: simulate(dt=) honours them, with_stops(None) is the same system without"
        )
    friction = static_friction(s) if getattr(s, "bodies", ()) else ()
    sticky = [k for k, x in zip(s.motion_names, friction, strict=False) if not is_exactly(x, 0.0)]
    if sticky:
        raise ArgumentError(
            f"step: joints of {s.name!r} have dry friction ({', '.join(sticky)}), and may stick "
            "inside of a step: simulate(dt=) honours it, without_dry_friction() is the same system "
            "without, with_friction(0.0, damping=...) one with friction that grows with the speed"
        )
