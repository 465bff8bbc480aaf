"""A mechanism whose joints slide or stick: smooth as long as none of them begins or ends sliding.

A mode says of every joint with dry friction which way it slides, or that it is stuck. While it
lasts, friction is a constant force against the sliding, and stuck joints do not accelerate: their
rows of M a = … are replaced, so that their accelerations are exactly zero. Modes are inputs, so
that one program serves them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from visviva.algebra import generic as g
from visviva.algebra.arrays import Array, vector
from visviva.equations.bodies.factor import Factor
from visviva.equations.constraints.motion import correction, correction_rows, possibly_massless
from visviva.equations.constraints.rows import ROUNDED, slightness
from visviva.equations.constraints.solver import ConstraintSolver
from visviva.equations.forces.forces import sliding_friction, static_friction
from visviva.equations.steps.flow import CORRECTIONS, State
from visviva.motion.steps.flow import Flow

DRY = ("friction_", "stiction_", "stribeck_")


@dataclass(frozen=True, eq=False)
class StickingFlow(Flow):
    """A flow in a mode: `slide` (nv,) is the sign of the velocity, `stuck` (nv,) is 1 or 0."""

    kind: ClassVar[str] = "sticking"

    @cached_property
    def smooth(self) -> Any:
        """The system without dry friction."""
        return self.system.without_dry_friction()

    @property
    def inputs(self) -> dict[str, Any]:
        """What slopes depend on besides the state and the time: shapes by name."""
        n = self.system.nv
        return {**super().inputs, "slide": n, "stuck": n}

    def acceleration(self, t: Any, s: State, given: Mapping[str, Any]) -> tuple[Any, Any]:
        """v̇ and ẋ."""
        M, push, rates = self.balance(t, s, given)
        return self._moved_by(M, push, self.rows(t, s, given), given), rates

    def holding(self, t: Any, s: State, given: Mapping[str, Any]) -> Array:
        """What friction does to every joint (nv,), against its motion or the forces on it.

        Of a system without constraints: joints of a loop share what holds them.
        """
        M, push, _ = self.balance(t, s, given)
        slid = self.sliding(s.v, given) * vector(given["slide"])
        friction: Array = push + slid - M @ self._moved_by(M, push, {}, given)
        return friction

    def rows(self, t: Any, s: State, given: Mapping[str, Any]) -> dict[str, Any]:
        """A and β of constraints A a + β = 0; nothing where none hold the system."""
        if not self.system.held_by:
            return {}
        values, names = self._smooth_values(t, s, given)
        named = {"A": "constraint_matrix", "beta": "constraint_bias"}
        return {k: self._smooth_value(name, values, names) for k, name in named.items()}

    def _smooth_values(self, t: Any, s: State, given: Mapping[str, Any]) -> tuple[Any, Any]:
        """What functions of the smooth system take, and the parameters among it."""
        values = {**given, "q": s.q, "v": s.v, "t": t}
        # numbers of friction are none of the smooth system's: given to it, they would act twice
        kept = [k for k, x in enumerate(self.parameters) if not self._is_friction(x)]
        names = tuple(self.parameters[k] for k in kept)
        if names:
            values["parameters"] = vector(given["parameters"])[kept]
        return values, names

    def _smooth_value(self, name: str, values: Mapping[str, Any], names: Any) -> Any:
        f = self.smooth.function(name, parameters=names)
        return f._evaluated([values[k] for k in f.inputs], "a motion")

    def balance(self, t: Any, s: State, given: Mapping[str, Any]) -> tuple[Any, Array, Any]:
        """M, the forces without inertia, sliding friction among them, and ẋ."""
        tau, rates = self.law.at(t, s.q, s.v, s.x, given)
        values, names = self._smooth_values(t, s, given)
        slid = self.sliding(s.v, given) * vector(given["slide"])
        push = vector(tau) - vector(self._smooth_value("bias_forces", values, names)) - slid
        return np.asarray(self._smooth_value("mass_matrix", values, names)), push, rates

    def _is_friction(self, name: str) -> bool:
        """Whether a parameter is a number of a joint's dry friction, by the name that it has."""
        return name not in self.system.parameters and name.startswith(DRY)

    def sliding(self, v: Any, given: Mapping[str, Any]) -> Array:
        """The size of dry friction at velocities v (nv,)."""
        return sliding_friction(self._with(given), v)

    def limits(self, given: Mapping[str, Any]) -> Array:
        """What friction can hold at rest (nv,)."""
        return static_friction(self._with(given))

    def admitted(self, t: Any, s: State, given: Mapping[str, Any]) -> State:
        """The state at which quaternions have length one and constraints hold; what is stuck stays
        where it is."""
        if not self.system.held_by:
            return super().admitted(t, s, given)
        q, free = vector(s.q), 1.0 - vector(given["stuck"])
        for _, start in self.system.quaternions:
            own = q[start : start + 4]
            q = np.concatenate([q[:start], own * (1.0 / g.sqrt(own @ own)), q[start + 4 :]])
        home = self.system._constraint_equations()
        places = list(home.position_rows(self.system))
        for _ in range(CORRECTIONS if places else 0):
            solver, values, names = self._solver(t, State(q, s.v, s.x), given, places)
            error = vector(self._smooth_value("constraint_error", values, names))
            q = self.moved(q, correction(solver, error) * free)
        solver, values, names = self._solver(t, State(q, s.v, s.x), given)
        drift = vector(self._smooth_value("constraint_drift", values, names))
        return State(q, solver.admitted_velocity(vector(s.v) * free, -drift) * free, s.x)

    def _solver(
        self, t: Any, s: State, given: Mapping[str, Any], places: Any = None
    ) -> tuple[ConstraintSolver, Any, Any]:
        """Constraints on the joints that are free; of some rows only."""
        values, names = self._smooth_values(t, s, given)
        M = self._smooth_value("mass_matrix", values, names)
        A = vector(self._smooth_value("constraint_matrix", values, names))
        return self._masked_rows(M, A, given, places), values, names

    def _masked_rows(
        self, M: Any, A: Any, given: Mapping[str, Any], places: Any = None
    ) -> ConstraintSolver:
        model = self._with(given)
        massless, slight = possibly_massless(model), [ROUNDED**2 + x for x in slightness(model)]
        rows = range(len(A)) if places is None else correction_rows(places, A, massless)
        free, slight = 1.0 - vector(given["stuck"]), [slight[k] for k in rows]
        return ConstraintSolver(self._masked(M, given), A[rows] * free, slight, massless)

    @staticmethod
    def _masked(M: Any, given: Mapping[str, Any]) -> Array:
        """M of the joints that are free, 1 for those that are stuck."""
        stuck = vector(given["stuck"])
        free, n = 1.0 - stuck, len(stuck)
        masked = np.array([[M[i, j] * free[i] * free[j] for j in range(n)] for i in range(n)])
        for i in range(n):
            masked[i, i] = M[i, i] * free[i] + stuck[i]
        return masked

    def _moved_by(self, M: Any, push: Array, rows: Any, given: Mapping[str, Any]) -> Array:
        free = 1.0 - vector(given["stuck"])
        if rows:
            solver = self._masked_rows(M, vector(rows["A"]), given)
            return solver.acceleration(push * free, rows["beta"]) * free
        return vector(Factor(self._masked(M, given)).solve(push * free)) * free
