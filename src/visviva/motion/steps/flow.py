"""The motion of a system under a law of forces, by its compiled functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from visviva.equations.steps.flow import ForcedMotion, State
from visviva.motion.steps.law import Law


@dataclass(frozen=True, eq=False)
class Flow(ForcedMotion):
    """The motion of a system under a law of forces; parameters named may be inputs."""

    kind: ClassVar[str] = "smooth"

    law: Law
    parameters: tuple[str, ...] = ()

    @property
    def inputs(self) -> dict[str, Any]:
        """What slopes depend on besides the state and the time: shapes by name."""
        sizes = dict(self.law.inputs)
        return {**sizes, "parameters": len(self.parameters)} if self.parameters else sizes

    def acceleration(self, t: Any, s: State, given: Mapping[str, Any]) -> tuple[Any, Any]:
        """v̇ and ẋ."""
        tau, rates = self.law.at(t, s.q, s.v, s.x, given)
        values = {**given, "q": s.q, "v": s.v, "tau": tau, "t": t}
        return self._value("forward_dynamics", values), rates

    def admitted_velocity(self, t: Any, q: Any, v: Any, given: Mapping[str, Any]) -> Any:
        """The velocity at which the constraints hold."""
        return self._value("admitted_velocity", {**given, "q": q, "v": v, "t": t})

    def _value(self, name: str, values: Mapping[str, Any]) -> Any:
        f = self.system.function(name, parameters=self.parameters)
        return f._evaluated([values[k] for k in f.inputs], "a motion")

    def _with(self, given: Mapping[str, Any]) -> Any:
        """The system with the parameters that are inputs as such."""
        if not self.parameters:
            return self.system.numeric
        home = self.system._input_equations()
        return home.with_symbols(self.system, self.parameters, given["parameters"])

    def sizes(self) -> dict[str, Any]:
        """Shapes of the state and the time."""
        s = self.system
        return {"q": s.nq, "v": s.nv, "x": self.law.states, "t": ()}
