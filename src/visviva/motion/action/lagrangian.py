"""L = T - V of a system whose forces all come from it, as a function that is compiled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.stops import stops_of
from visviva.errors import ArgumentError
from visviva.machine.function import Function, function

ELSEWHERE = 8  # states at which it is looked whether forces act
FORCES_OUTSIDE_ACTIONS = ("dissipation_forces", "applied_forces")  # forces that no action has
TO_REDUCE = (  # the way of what is held
    "; an action is of independent coordinates, which a Lagrangian has by reduce(): "
    "reduce().system.least_action(…); without_constraints() gives the open system"
)


@dataclass(frozen=True, eq=False)
class Density:
    """What is integrated along a path: a function of position, rate and time, over any scalar."""

    system: Any
    name: str
    at: Callable[[Any, Any, Any], Any]

    @cached_property
    def step(self) -> Function:
        """Of two positions and the time between them: the midpoint rule, second order."""

        def step(a: Any, b: Any, t: Any, h: Any) -> Any:
            return h * self.at((a + b) * 0.5, (b - a) / h, t + 0.5 * h)

        n = self.system.nq
        return function(step, {"a": n, "b": n, "t": (), "h": ()}, name=f"{self.name}_step")

    @cached_property
    def slopes(self) -> Function[Any]:
        """Its derivatives by both positions."""
        return self.step.jacobian("a", "b")

    @cached_property
    def curvatures(self) -> Function[Any]:
        """∂²/∂a², ∂²/∂a∂b, ∂²/∂b∂a, ∂²/∂b²."""
        return self.slopes.jacobian("a", "b")


def lagrangian_of(s: Any) -> Density:
    """T - V; systems that it does not describe whole are refused."""
    check_action(s)
    return Density(s, "lagrangian", lambda q, v, t: energies(s, q, v, t)[2])


def jacobi_metric(s: Any, energy: float) -> Density:
    """(E - V) v · M v: its stationary paths are those of Maupertuis at the energy E."""
    check_action(s)
    q, v, _ = _somewhere(s)
    T = [sampled(s, "kinetic_energy", q, x, np.zeros(ELSEWHERE)) for x in (v, 2.0 * v)]
    inputs = [s.function(x).inputs for x in ("kinetic_energy", "potential_energy")]
    timed = any("t" in x for x in inputs)
    if timed or "v" in inputs[1] or (np.abs(T[1] - 4 * T[0]) > 1e-12 * np.abs(T[1])).any():
        raise ArgumentError(
            f"the principle of Maupertuis is for T = ½ v · M(q) v and V(q); {s.name!r} has others"
            + (", which depend on time" if timed else "")
        )

    def at(q: Any, v: Any, t: Any) -> Any:
        T, V, _ = energies(s, q, v, t)
        return (energy - V) * T * 2.0

    return Density(s, "jacobi_metric", at)


def sampled(s: Any, name: str, q: Array, v: Array, t: Array) -> Array:
    """A quantity along a path, q (k, nq), v and t."""
    f, values = s.function(name), {"q": q, "v": v, "t": t}
    return np.broadcast_to(np.asarray(f(*(values[k] for k in f.inputs))), len(q))


def energies(s: Any, q: Any, v: Any, t: Any) -> tuple[Any, Any, Any]:
    """T, V and T - V, over any scalar."""
    values = {"q": q, "v": v, "t": t}
    functions = (s.function(name) for name in ("kinetic_energy", "potential_energy"))
    T, V = (f._evaluated([values[k] for k in f.inputs], "an action") for f in functions)
    return T, V, T - V


def _somewhere(s: Any) -> tuple[Array, Array, Array]:
    """States and times at which nothing is zero by chance, one a row."""
    rng = np.random.default_rng(0)
    q = s.neutral() + rng.uniform(0.05, 1.5, (ELSEWHERE, s.nq))
    return q, rng.uniform(0.5, 1.0, (ELSEWHERE, s.nv)), rng.uniform(0.0, 3.0, ELSEWHERE)


def check_action(s: Any) -> None:
    """Refuse systems whose motions are not stationary points of an action in their coordinates."""
    s._refuse_constraints("an action", TO_REDUCE)
    if s.charts:
        raise ArgumentError(
            f"an action of {s.name!r}: paths are interpolated in coordinates, which quaternions "
            "do not admit; state it in angles, as heavy_top is"
        )
    if len(stops_of(s)):
        raise ArgumentError(
            f"an action of {s.name!r}: its stops push where a path comes to them, which no "
            "Lagrangian has; with_stops(None) gives it without"
        )
    q, v, t = _somewhere(s)
    for name in FORCES_OUTSIDE_ACTIONS:
        if name not in dir(s):
            continue
        f = s.function(name)
        values = {"q": q, "v": v, "t": t}
        given = [values[k] for k in f.inputs]
        acting = np.abs(np.atleast_2d(np.asarray(f(*given)))).max(axis=0)
        if f.operations["where"]:  # it may act elsewhere
            acting = acting + 1.0
        if acting.max(initial=0.0) > 0.0:
            worst = s.motion_names[int(np.argmax(acting))]
            raise ArgumentError(
                f"an action of {s.name!r}: {name.replace('_', ' ')} act on {worst}, which no "
                "Lagrangian has; without_dissipation() gives the system without friction"
            )
