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

from visviva.algebra.arrays import Array, vector
from visviva.equations.bodies.factor import Factor
from visviva.equations.forces.forces import sliding_friction, static_friction
from visviva.motion.steps.flow import Flow, State

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
        return self._moved_by(M, push, given), rates

    def holding(self, t: Any, s: State, given: Mapping[str, Any]) -> Array:
        """What friction does to every joint (nv,), against its motion or the forces on it."""
        M, push, _ = self.balance(t, s, given)
        slid = self.sliding(s.v, given) * vector(given["slide"])
        return push + slid - M @ self._moved_by(M, push, given)

    def balance(self, t: Any, s: State, given: Mapping[str, Any]) -> tuple[Any, Array, Any]:
        """M, the forces without inertia, sliding friction among them, and ẋ."""
        tau, rates = self.law.at(t, s.q, s.v, s.x, given)
        values = {**given, "q": s.q, "v": s.v, "t": t}
        # numbers of friction are none of the smooth system's: given to it, they would act twice
        kept = [k for k, x in enumerate(self.parameters) if not self._is_friction(x)]
        names = tuple(self.parameters[k] for k in kept)
        if names:
            values["parameters"] = vector(given["parameters"])[kept]

        def value(name: str) -> Any:
            f = self.smooth.function(name, parameters=names)
            return f._evaluated([values[k] for k in f.inputs], "a motion")

        slid = self.sliding(s.v, given) * vector(given["slide"])
        push = vector(tau) - vector(value("bias_forces")) - slid
        return np.asarray(value("mass_matrix")), push, rates

    def _is_friction(self, name: str) -> bool:
        """Whether a parameter is a number of a joint's dry friction, by the name that it has."""
        return name not in self.system.parameters and name.startswith(DRY)

    def sliding(self, v: Any, given: Mapping[str, Any]) -> Array:
        """The size of dry friction at velocities v (nv,)."""
        return sliding_friction(self._with(given), v)

    def limits(self, given: Mapping[str, Any]) -> Array:
        """What friction can hold at rest (nv,)."""
        return static_friction(self._with(given))

    def _moved_by(self, M: Any, push: Array, given: Mapping[str, Any]) -> Array:
        stuck = vector(given["stuck"])
        free = 1.0 - stuck
        n = len(push)
        masked = np.array([[M[i, j] * free[i] * free[j] for j in range(n)] for i in range(n)])
        for i in range(n):
            masked[i, i] = M[i, i] * free[i] + stuck[i]
        return vector(Factor(masked).solve(push * free)) * free
