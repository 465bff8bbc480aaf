"""The functions that a laboratory needs of a system, each as a program.

They are those that `simulate` steps with: accelerations, q̇, corrections where constraints hold the
system; and what the account takes: energies, and the power of whatever changes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.algebra.expr import CONSTANT
from visviva.equations.constraints.motion import position_correction
from visviva.equations.constraints.rows import ROUNDED, slightness
from visviva.equations.constraints.solver import ConstraintSolver
from visviva.equations.forces.forces import sliding_friction
from visviva.machine.function import Function, function
from visviva.machine.program.program import Program
from visviva.machine.systems import stated_functions
from visviva.motion.account import NATURAL
from visviva.motion.steps.flow import Flow
from visviva.motion.steps.law import Law
from visviva.show.laboratory.subject import Subject

POWERS = ("friction", "applied", "moving", "time")  # what `powers` has, in this order


@dataclass(frozen=True, eq=False)
class Functions:
    """Of the smooth system of a subject, with some of its parameters as inputs."""

    subject: Subject
    parameters: tuple[str, ...]

    @property
    def system(self) -> Any:
        """The system that is computed with."""
        return self.subject.smooth

    @cached_property
    def flow(self) -> Flow:
        """As a differential equation under forces τ that are handed in."""
        return Flow(self.system, Law(self.system), self.parameters)

    @property
    def values(self) -> Array:
        """The values that the system has for the parameters that are inputs."""
        return np.asarray(self.system.parameter_values(self.parameters), dtype=float)

    # ---- the step

    def acceleration(self) -> Program:
        """v̇ of q, v, τ (and t): what every stage of a step asks for."""
        return self._quantity("forward_dynamics").program

    def rates(self) -> Program | None:
        """q̇ of q and v; None where it is v."""
        if "q" not in self.system.charts:
            return None
        return function(self.flow.rates, self._sizes("q", "v")).program

    def correct(self) -> Program | None:
        """q nearer to where constraints on positions hold; None where there are none.

        One step of Newton; a step of the motion ends with two of them.
        """
        if not self._position_rows:
            return None

        def correct(**x: Any) -> Any:
            step = position_correction(self.flow._with(x), x["q"], x["v"], x["t"])
            return self.flow.moved(x["q"], step)

        return self._made(correct, "q", "v", "t")

    def admit(self) -> Program | None:
        """The velocity that constraints admit; None where nothing holds the system."""
        return self._quantity("admitted_velocity").program if self.system.held_by else None

    def close(self) -> Program | None:
        """q nearer to where positions are admitted, with some velocities (`held` is 1) left out.

        The last entries are the errors φ that are left at the q that came in.
        """
        places = list(self._position_rows)
        if not places:
            return None

        def close(**x: Any) -> Any:
            v = np.zeros(self.system.nv)
            values = {**x, "v": v}
            A = vector(self._value("constraint_matrix", values))[places]
            error = vector(self._value("constraint_error", values))
            some = slightness(self.flow._with(x))
            slight = [ROUNDED**2 + (some[k] if some else 0.0) for k in places]
            free = 1.0 - vector(x["held"])
            solver = ConstraintSolver(np.eye(len(free)), A * free, slight)
            step = solver.admitted_velocity(v, -error) * free
            return np.concatenate([vector(self.flow.moved(x["q"], step)), error])

        return self._made(close, "q", "held", "t")

    # ---- energies

    def energies(self) -> Program:
        """T, V, and v · ∂L/∂v - L where it is not T + V."""
        quantities = ["kinetic_energy", "potential_energy"]
        quantities += [] if self.is_natural else ["jacobi_integral"]

        def energies(**x: Any) -> Any:
            return [self._value(name, x)[()] for name in quantities]

        return self._made(energies, "q", "v", "t")

    @cached_property
    def is_natural(self) -> bool:
        """Whether T + V is what forces change."""
        if "jacobi_integral" not in stated_functions(self.system):
            return True
        rng = np.random.default_rng(0)
        names = ("kinetic_energy", "potential_energy", "jacobi_integral")
        for k in range(4):  # the last ones with other numbers: a rate that is 0 may be a slider
            x: dict[str, Any] = {"q": rng.uniform(0.3, 0.9, self.system.nq), "t": 0.4}
            values = self.values + (k // 2) * rng.uniform(0.1, 0.2, len(self.values))
            x |= {"v": rng.uniform(0.1, 0.5, self.system.nv), "parameters": values}
            T, V, h = (float(self._value(name, x)[()]) for name in names)
            if not abs(h - (T + V)) <= NATURAL * (abs(T) + abs(V)):
                return False
        return True

    def powers(self) -> Program | None:
        """What friction, forces of the system, moving constraints and explicit time give, in watts.

        None where all of them are zero whatever the motion; τ is not among them.
        """

        def powers(**x: Any) -> Any:
            v = vector(x["v"])
            taken = -(vector(self._value("dissipation_forces", x)) @ v)
            applied = self._value("applied_forces", x) @ v if self._has("applied_forces") else 0.0
            moving = self._value("constraint_power", x)[()] if self._is_moving else 0.0
            return [taken, applied, moving, self._slope_of_time(x)]

        program = self._made(powers, "q", "v", "tau", "t")
        return None if is_nothing(program) else program

    def weight(self) -> Program | None:
        """∂V/∂q: what motors do that carry the weight; None where not every joint has a motor."""
        s = self.system
        if not getattr(s, "bodies", ()) or s.passive or s.held_by or s.actuators or s.quaternions:
            return None
        program = self._quantity("gravity_forces").program
        return None if is_nothing(program) else program

    def at_rest(self, quantity: str, q: Array) -> Array:
        """A quantity in numbers, at rest in a position; 0 where it is no number."""
        x = {"q": q, "v": np.zeros(self.system.nv), "t": 0.0, "parameters": self.values}
        with np.errstate(all="ignore"):
            made = np.asarray(self._value(quantity, x), dtype=float)
        finite: Array = np.nan_to_num(made, posinf=0.0, neginf=0.0)
        return finite

    def dry(self) -> Program | None:
        """The size of friction that jumps at rest, of v; None where there is none."""
        if not self.subject.is_dry:
            return None
        home = self.system._input_equations()
        stated = self.subject.stated
        own = [k for k, name in enumerate(self.parameters) if name in stated.parameters]
        names = tuple(self.parameters[k] for k in own)

        def dry(**x: Any) -> Any:
            model = stated.numeric
            if names:
                model = home.with_symbols(stated, names, [x["parameters"][k] for k in own])
            return sliding_friction(model, x["v"])

        return self._made(dry, "v")

    # ---- how

    @property
    def _position_rows(self) -> Sequence[int]:
        if not self.system.held_by:
            return ()
        home = self.system._constraint_equations()
        rows: Sequence[int] = home.position_rows(self.system)
        return rows

    @cached_property
    def _is_moving(self) -> bool:
        """Whether constraints do work."""
        if not self.system.held_by:
            return False
        return not is_nothing(self._quantity("constraint_drift").program)

    def _slope_of_time(self, x: Mapping[str, Any]) -> Any:
        """-∂L/∂t."""
        total: Any = 0.0
        for quantity, sign in (("potential_energy", 1.0), ("kinetic_energy", -1.0)):
            f = self._quantity(quantity)
            if "t" in f.inputs:
                slope = f.jacobian("t")
                total = total + sign * slope._evaluated([x[k] for k in slope.inputs], "powers")[()]
        return total

    def _has(self, quantity: str) -> bool:
        return quantity in stated_functions(self.system)

    def _quantity(self, name: str) -> Function:
        made: Function = self.system.function(name, parameters=self.parameters)
        return made

    def _value(self, name: str, x: Mapping[str, Any]) -> Array:
        f = self._quantity(name)
        return np.asarray(f._evaluated([x[k] for k in f.inputs], "a laboratory"))

    def _sizes(self, *names: str) -> dict[str, Any]:
        s = self.system
        sizes = {"q": s.nq, "v": s.nv, "tau": s.nv, "held": s.nv, "t": ()}
        return {k: sizes[k] for k in names}

    def _made(self, f: Callable[..., Any], *names: str) -> Program:
        """f of inputs by name, and of the parameters."""
        sizes = self._sizes(*names)
        if self.parameters:
            sizes["parameters"] = len(self.parameters)
        inputs = list(sizes)
        return function(lambda *x: f(**dict(zip(inputs, x, strict=True))), sizes).program


def is_nothing(program: Program) -> bool:
    """Whether all results are zero, whatever goes in."""
    first = program.arguments
    made = [program.code[x - first] if x >= first else () for x in program.results]
    return all(len(x) == 2 and x[0] == CONSTANT and x[1] == 0.0 for x in made)
