"""The equations of motion of a model, M a + C v + g + b = τ, term by term.

The recursions know rigid bodies only; rotors, springs, friction and outside wrenches are added
vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.model import Model
from visviva.equations.bodies.mass_matrix import composite_rigid_body
from visviva.equations.bodies.newton_euler import recursive_newton_euler
from visviva.equations.bodies.regroup import regrouped_links
from visviva.equations.forces.forces import (
    dissipation_forces,
    rotor_inertia,
    spring_forces,
    wrench_forces,
)
from visviva.equations.forces.rotors import rotor_forces


def inverse_dynamics(model: Model, q: Any, v: Any, a: Any, wrenches: Any = ()) -> Array:
    """τ = M a + C v + g + b, less what outside wrenches do."""
    tau = recursive_newton_euler(regrouped_links(model), model.gravity, q, v, a)
    tau = tau + rotor_forces(model, v, a) + spring_forces(model, q)
    return tau + dissipation_forces(model, q, v) - wrench_forces(model, q, wrenches)


def bias_forces(model: Model, q: Any, v: Any, wrenches: Any = ()) -> Array:
    """C v + g + b: the forces that keep all accelerations zero."""
    return inverse_dynamics(model, q, v, np.zeros(model.nv), wrenches)


def gravity_forces(model: Model, q: Any) -> Array:
    """g = ∂V/∂q: the forces that hold the mechanism still, against gravity and springs."""
    still = np.zeros(model.nv)
    g = recursive_newton_euler(regrouped_links(model), model.gravity, q, still, still)
    return g + spring_forces(model, q)


def mass_matrix(model: Model, q: Any) -> Array:
    """M(q) (nv, nv), rotors included: kinetic energy is ½ vᵀ M v."""
    M = composite_rigid_body(regrouped_links(model), q, model.nv)
    with_rotors: Array = M + np.diag(rotor_inertia(model))
    return with_rotors
