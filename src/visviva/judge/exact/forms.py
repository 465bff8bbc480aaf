"""The terms of the equations of motion as exact polynomials.

The recursions run on exact scalars; what comes out is in normal form, so that two derivations agree
exactly if their polynomials are the same. Nothing is computed before it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, each
from visviva.algebra.exact.poly import Poly
from visviva.describe.model.model import Model
from visviva.equations import coriolis, energy
from visviva.equations.bodies.links import links, placed
from visviva.equations.bodies.mass_matrix import assembled, composites
from visviva.equations.bodies.newton_euler import forces as needed
from visviva.equations.bodies.newton_euler import inward, joint_forces, outward
from visviva.equations.forces import forces
from visviva.equations.forces.rotors import rotor_coriolis, rotor_forces
from visviva.equations.frames import kinematics
from visviva.errors import ArgumentError
from visviva.judge.exact.model import Exact, exact, polynomial


class ModelForms:
    """The terms of M a + C v + g + b = τ of a model."""

    def __init__(self, model: Model, symbols: Iterable[str] | None = None) -> None:
        self._set(exact(model, symbols))

    @classmethod
    def of(cls, model: Exact) -> ModelForms:
        """The terms of a model that is exact already."""
        made = cls.__new__(cls)
        made._set(model)
        return made

    def _set(self, model: Exact) -> None:
        self.exact, self.ring = model, model.ring
        self.coordinates, self.names = model.names.q, model.names
        self.velocities, self.accelerations = model.v, model.a

    @property
    def values(self) -> Mapping[str, float]:
        """Of the parameters that are symbols."""
        return self.exact.values

    @cached_property
    def steps(self) -> Any:
        """The links at the position q."""
        return placed(links(self.exact.model), self.exact.q)

    @cached_property
    def bodies(self) -> Any:
        """Composite bodies."""
        return composites(self.steps)

    @property
    def rotor_inertia(self) -> Array:
        """What rotors add to the diagonal of M."""
        return forces.rotor_inertia(self.exact.model)

    @cached_property
    def mass_matrix(self) -> Array:
        """M."""
        n = len(self.exact.v)
        return self._ring(assembled(self.steps, self.bodies, n) + np.diag(self.rotor_inertia))

    @cached_property
    def coriolis_matrix(self) -> Array:
        """C: Ṁ - 2C is skew."""
        e = self.exact
        C = coriolis.assembled(self.steps, self.bodies, e.q, e.v, len(e.v))
        return self._ring(rotor_coriolis(e.model, e.v, C))

    @cached_property
    def christoffel(self) -> Array:
        """Γ[i, j, k]."""
        return self._ring(coriolis.christoffel(self.exact.model, self.exact.q))

    @cached_property
    def gravity(self) -> Array:
        """g = ∂V/∂q, springs included."""
        e = self.exact
        still = np.zeros(len(e.v))
        return self._ring(self._newton_euler(still, still) + forces.spring_forces(e.model, e.q))

    @cached_property
    def dissipation(self) -> Array:
        """b(q, v): viscous terms; dry friction has no closed form of this kind."""
        e = self.exact
        return self._ring(forces.viscosity(e.model) * e.v)

    @cached_property
    def equations(self) -> Array:
        """τ = M a + C v + g + b."""
        e = self.exact
        tau = self._newton_euler(e.v, e.a) + rotor_forces(e.model, e.v, e.a)
        return self._ring(tau + forces.spring_forces(e.model, e.q) + self.dissipation)

    @cached_property
    def kinetic_energy(self) -> Poly:
        """½ vᵀ M v."""
        v = self.exact.v
        return polynomial(v @ self.mass_matrix @ v / 2, self.exact.ring)

    @cached_property
    def potential_energy(self) -> Poly:
        """Of gravity and springs."""
        return polynomial(energy.potential_energy(self.exact.model, self.exact.q), self.exact.ring)

    def pose(self, frame: str) -> Array:
        """The 4 × 4 pose of a frame."""
        return self._ring(kinematics.pose(self.exact.model, frame, self.exact.q))

    def jacobian(self, frame: str, reference: str = "world") -> Array:
        """The 6 × n matrix from v to the twist of a frame."""
        return self._ring(kinematics.jacobian(self.exact.model, frame, self.exact.q, reference))

    def _newton_euler(self, v: Array, a: Array) -> Array:
        """Joint forces of the links at q, by Newton and Euler."""
        motions = outward(self.steps, self.exact.gravity, self.exact.q, v, a)
        return joint_forces(self.steps, inward(self.steps, needed(self.steps, motions)), len(v))

    def _ring(self, x: Any) -> Array:
        """Every entry as an element of the ring."""
        self.ring.budget.renew()  # what comes next is another quantity
        return each(lambda e: polynomial(e, self.exact.ring), x)


def determinant(M: Array) -> Any:
    """Of a matrix of at most three rows; larger ones have no form that anybody reads."""
    n = len(M)
    if n > 3:
        raise ArgumentError(f"the determinant is written out for at most 3 coordinates, got {n}")
    if n == 1:
        return M[0, 0]
    minors = [np.delete(np.delete(M, 0, axis=0), k, axis=1) for k in range(n)]
    return sum((M[0, k] * determinant(x) * (-1) ** k for k, x in enumerate(minors)), 0)
