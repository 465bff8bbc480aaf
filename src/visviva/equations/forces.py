"""Forces beside the rigid bodies' own: rotors, friction, springs, wrenches from outside."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.describe.model import Model
from visviva.space.rotations import Array


def rotor_inertia(model: Model) -> Array:
    return np.zeros(model.nv)


def viscosity(model: Model) -> Array:
    """nv vector: viscous damping of the joints, coupled ones times ratio² (used by derivatives.py)."""
    return np.zeros(model.nv)


def spring_forces(model: Model, q: Any) -> Array:
    return np.zeros(model.nv)


def dissipation_forces(model: Model, q: Any, v: Any) -> Array:
    return np.zeros(model.nv)


def wrench_forces(model: Model, q: Any, wrenches: Any) -> Array:
    return np.zeros(model.nv)
