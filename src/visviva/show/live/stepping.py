"""Steps of a mechanism under a hand and motors, compiled once; what both have done is kept.

A step is that of `simulate(method="rk4")`, with the same corrections where constraints hold the
mechanism. Forces are held during a step; their work is integrated with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.equations.steps.explicit import fixed_step
from visviva.equations.steps.flow import State
from visviva.equations.steps.tableaux import tableaux
from visviva.machine.function import Function, function
from visviva.motion.simulation.integrate import Integrator
from visviva.motion.steps.flow import Flow
from visviva.motion.steps.law import Law
from visviva.show.laboratory.functions import Functions
from visviva.show.laboratory.pace import Pace
from visviva.show.laboratory.subject import Subject, subject_of

ByName = Callable[[Mapping[str, Any]], Any]
HAND, MOTORS = 0, 1  # entries of the work that is kept
SMOOTH = 1e-3  # radians or metres by which the end of a step bends away from its straight line
MOST_HALVINGS = 16
MOST_AT_ONCE = 8  # velocities of a mechanism whose steps are compiled as a whole: seconds at most


@dataclass(frozen=True, eq=False)
class TwoForces(Law):
    """A hand and motors, each with its work as a number that is integrated."""

    @property
    def inputs(self) -> dict[str, Any]:
        return {"hand": self.nv, "tau": self.nv}

    @property
    def states(self) -> int:
        return 2

    def at(self, t: Any, q: Any, v: Any, x: Any, given: Mapping[str, Any]) -> tuple[Array, Array]:
        hand, motors, v = vector(given["hand"]), vector(given["tau"]), vector(v)
        return hand + motors, vector([hand @ v, motors @ v])


@dataclass(frozen=True, eq=False)
class TwoForcesFlow(Flow):
    """A motion whose compiled steps are not those of another law."""

    kind: ClassVar[str] = "hand and motors"


@dataclass(frozen=True, eq=False)
class CalledFlow(TwoForcesFlow):
    """The same in numbers, by compiled accelerations: large mechanisms need not wait for more."""

    def acceleration(self, t: Any, s: State, given: Mapping[str, Any]) -> tuple[Any, Any]:
        f = self._acceleration
        tau, rates = self.law.at(t, s.q, s.v, s.x, given)
        values = {**given, "q": s.q, "v": s.v, "tau": tau, "t": np.asarray(t, dtype=float)}
        return f(*(values[k] for k in f.inputs)), rates

    def rates(self, q: Any, v: Any) -> Any:
        return v if self._rates is None else self._rates(q, v)

    def admitted(self, t: Any, s: State, given: Mapping[str, Any]) -> State:
        f = self._admitted
        values = {**given, "q": s.q, "v": s.v, "x": s.x, "t": np.asarray(t, dtype=float)}
        q, v = f(*(values[k] for k in f.inputs))
        return State(q, v, s.x)

    @cached_property
    def _acceleration(self) -> Function:
        made: Function = self.system.function("forward_dynamics", parameters=self.parameters)
        return made

    @cached_property
    def _rates(self) -> Function | None:
        if "q" not in self.system.charts:
            return None
        return function(super().rates, {"q": self.system.nq, "v": self.system.nv})

    @cached_property
    def _admitted(self) -> Function[Any]:
        flow = TwoForcesFlow(self.system, self.law, self.parameters)
        return Integrator(flow, "rk4").admitted


@dataclass(frozen=True, eq=False)
class Stepping:
    """The compiled functions of a system that a live view needs; gravity is an input."""

    subject: Subject

    @classmethod
    def of(cls, system: Any) -> Stepping:
        """Of a system as it was stated: friction and stops that jump are taken out of the step."""
        known: dict[str, Any] = getattr(system, "__dict__", {})
        if "_stepping" not in known:
            known["_stepping"] = cls(subject_of(system))
        made: Stepping = known["_stepping"]
        return made

    @property
    def system(self) -> Any:
        """The smooth system that is computed with."""
        return self.subject.smooth

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that are inputs: the size of gravity, where there is any."""
        return (self.subject.gravity,) if self.subject.gravity else ()

    @cached_property
    def stated_gravity(self) -> Array:
        """The parameters with gravity on."""
        return np.asarray(self.system.parameter_values(self.names), dtype=float)

    @cached_property
    def functions(self) -> Functions:
        """The laboratory's functions of the same system."""
        return Functions(self.subject, self.names)

    @cached_property
    def step(self) -> ByName:
        """q, v, x, t, h, hand, tau (, parameters) by name -> the state a step later.

        All of them are arrays, numbers too, or calls would take a slower way.
        """
        kind = CalledFlow if self.system.nv > MOST_AT_ONCE else TwoForcesFlow
        flow = kind(self.system, TwoForces(self.system), self.names)
        if isinstance(flow, CalledFlow):
            return partial(_called_step, flow)
        f = Integrator(flow, "rk4").fixed.step
        called, outputs = by_name(f), tuple(f.outputs)
        return lambda x: dict(zip(outputs, called(x), strict=True))

    def moved(self, state: Mapping[str, Any], halvings: int = MOST_HALVINGS) -> Mapping[str, Any]:
        """The state after h: in one step, or in halves of it where velocities change in a flash.

        So they do beside a pole of coordinates, past which a whole step would invent energy.
        """
        h = float(state["h"])
        new: dict[str, Array] = self.step(state)
        jump = np.abs(new["v"] - state["v"]).max(initial=0.0) * h
        if not halvings or jump <= SMOOTH:
            return new
        half = {**state, "h": np.asarray(h / 2)}
        middle = self.moved(half, halvings - 1)
        if not np.isfinite(middle["v"]).all():
            return middle
        return self.moved({**half, **middle}, halvings - 1)

    def value(self, quantity: str, state: Mapping[str, Any]) -> Array:
        """A quantity of the smooth system at a state: mass_matrix, kinetic_energy, …"""
        f = self._known.get(quantity)
        if f is None:
            f = by_name(self.system.function(quantity, parameters=self.names))
            self._known[quantity] = f
        return np.asarray(f(state), dtype=float)

    @cached_property
    def _known(self) -> dict[str, ByName]:
        return {}

    def pace(self, q: Array) -> Pace:
        """How long a step may be at a position."""
        return Pace(self.system, self.functions.acceleration(), q, self.stated_gravity)

    def pushed(self, state: Mapping[str, Any], forces: Array) -> Array:
        """(rows, nv): what generalized forces (rows, nv) add to accelerations."""
        still = np.zeros(self.system.nv)
        base = self.value("forward_dynamics", {**state, "tau": still})
        rows = [self.value("forward_dynamics", {**state, "tau": x}) - base for x in forces]
        return np.array(rows).reshape(-1, self.system.nv)


def by_name(f: Function) -> ByName:
    """A function of values by name, of which it takes those that it needs."""
    names = tuple(f.inputs)
    return lambda x: f(*[x[k] for k in names])


def _called_step(flow: CalledFlow, x: Mapping[str, Any]) -> dict[str, Array]:
    start, t, h = State(x["q"], x["v"], x["x"]), float(x["t"]), float(x["h"])
    s = fixed_step(flow, tableaux()["rk4"], start, t, h, x)
    return {"q": s.q, "v": s.v, "x": s.x, "t": np.asarray(t + h)}
