"""Forward dynamics: accelerations from forces."""

from __future__ import annotations

from typing import Any

from visviva.describe.model import Model
from visviva.equations.dynamics import bias_forces, mass_matrix
from visviva.equations.factor import Factor
from visviva.space.rotations import Array, vector


def forward_dynamics(model: Model, q: Any, v: Any, tau: Any, wrenches: Any = ()) -> Array:
    """a with M a + C v + g + b = τ + what outside wrenches do."""
    return Factor(mass_matrix(model, q)).solve(vector(tau) - bias_forces(model, q, v, wrenches))


def mass_matrix_inverse(model: Model, q: Any) -> Array:
    """M(q)⁻¹."""
    return Factor(mass_matrix(model, q)).inverse_matrix()
