"""What rotors at joints do: their energy is ½ Σ J v², and forces follow from that energy.

Where a joint's velocities are rates of its coordinates, that is J a. The velocities of balls,
planar and free joints are no rates: they are components in axes that turn, and so do the momenta
p = J v. By Euler and Poincaré (Hamel) τᵢ = Jᵢ aᵢ + p · [eᵢ, v], with the bracket of the joint's own
motions. Equal inertias in all directions act like those of a ball that weighs nothing; unequal ones
like the added mass of Kirchhoff's equations for a body in a fluid.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_zero, vector
from visviva.describe.model.model import Model
from visviva.equations.forces.forces import rotor_inertia

TurningRotor = tuple[slice, Array, Array, Array]  # where in v, inertias, velocities, brackets


def rotor_forces(model: Model, v: Any, a: Any) -> Array:
    """The part of τ that accelerates rotors."""
    tau: Any = rotor_inertia(model) * vector(a)
    for at, J, u, c in _turning(model, v):
        tau = _added(tau, at, c @ (J * u) @ u)
    return vector(tau)


def rotor_regressor(model: Model, v: Any, a: Any) -> Array:
    """Y with `rotor_forces` = Y J: one column for each velocity's rotor."""
    Y = np.diag(vector(a))
    for at, _, u, c in _turning(model, v, all_of_them=True):
        Y = _added(Y, at, np.stack([c[:, :, k] @ u * u[k] for k in range(len(u))], axis=1))
    return Y


def rotor_coriolis(model: Model, v: Any, C: Array) -> Array:
    """C with the rotors' part added: that of the metric J on the joint's motions (Koszul).

    ½ (J A - Aᵀ J + B), where A w = [v, w] and B[i, j] = p · [eᵢ, eⱼ]; it is skew, as J is constant.
    """
    for at, J, u, c in _turning(model, v):
        JA = J[:, None] * _bracket_with(u, c)
        C = _added(C, at, (JA - JA.T + c @ (J * u)) / 2)
    return C


def rotor_slopes(model: Model, v: Any, D: Array) -> Array:
    """∂τ/∂v with the rotors' part added."""
    for at, J, u, c in _turning(model, v):
        JA = J[:, None] * _bracket_with(u, c)
        D = _added(D, at, c @ (J * u) - JA.T)
    return D


def _turning(model: Model, v: Any, all_of_them: bool = False) -> Iterator[TurningRotor]:
    """Joints with rotors whose momenta turn; none of these follows another joint."""
    for b, at in zip(model.bodies, model.v_index, strict=True):
        if not b.joint.has_rates and (all_of_them or not is_zero(b.armature)):
            units = np.eye(b.joint.nv)
            c = np.array([[b.joint.bracket(e, f) for f in units] for e in units])
            yield at, vector(b.armature), vector(v)[at], c


def _bracket_with(u: Array, c: Array) -> Array:
    """A with A w = [u, w]."""
    return sum((x * ci.T for x, ci in zip(u, c, strict=True)), np.zeros(c.shape[1:]))


def _added(total: Array, at: slice, part: Array) -> Array:
    whole: Any = np.array(total, dtype=object)
    index = (at,) * whole.ndim
    whole[index] = whole[index] + part
    return vector(whole.tolist())
