"""Coriolis matrices and Christoffel symbols.

With T_b the pose of body b as a 4 × 4 matrix and P_b its mass moments, the kinetic energy is
½ Σ tr(Ṫ P Ṫᵀ): that of points in a flat space. So the Christoffel symbols of the first kind are
Γ[i, j, k] = Σ tr(∂ᵢT P (∂ⱼ∂ₖT)ᵀ), and C[i, j] = Σ tr(∂ᵢT P (d/dt ∂ⱼT)ᵀ) has C + Cᵀ = Ṁ for every
type of joint. With Ψ = V × S + Ṡ, how a joint's subspace S moves, the pair of a joint k and an
ancestor i needs three wrenches of k: G moves its composite body along S_k, F and H add what the
bodies carry (`Transport`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.describe.model import Model
from visviva.describe.parts import WORLD
from visviva.equations.lean import lean
from visviva.equations.links import Step, ancestors, force_to_parent, placed, velocities
from visviva.equations.mass_matrix import composites
from visviva.equations.transport import transports
from visviva.errors import ArgumentError
from visviva.space.rotations import Array, vector
from visviva.space.spatial import cross_motion


def coriolis_matrix(model: Model, q: Any, v: Any) -> Array:
    """C(q, v) with C v + g + b = bias and Ṁ - 2C skew; from Christoffel symbols if they exist."""
    steps = placed(lean(model), q)
    V = velocities(steps, v)
    bodies, carried = composites(steps), transports(steps, V)
    moving = [drift(s, V[i], q, v) for i, s in enumerate(steps)]
    C: Any = np.full((model.nv, model.nv), 0.0, dtype=object)
    for k, s in enumerate(steps):
        for column, S, psi in zip(range(s.v.start, s.v.stop), s.S.T, moving[k].T, strict=True):
            n, f = carried[k].along(S[:3])
            G = momentum_of(bodies[k], S)
            F = momentum_of(bodies[k], psi) + np.concatenate([n, f]) / 2
            H = carried[k].across(S) / 2
            for i in ancestors(steps, k):
                at = steps[i]
                for j, row in enumerate(range(at.v.start, at.v.stop)):
                    C[row, column] = C[row, column] + at.S[:, j] @ F
                    if i != k:
                        C[column, row] = C[column, row] + moving[i][:, j] @ G + at.S[:3, j] @ H
                if at.parent != WORLD:
                    F, G, H = force_to_parent(at, F), force_to_parent(at, G), at.R @ H
    return C


def drift(s: Step, V: Any, q: Any, v: Any) -> Array:
    """Ψ = V × S + Ṡ: how the columns of S move in space."""
    columns = [cross_motion(V, S) for S in s.S.T]
    moved = np.stack(columns, axis=1) if columns else np.zeros((6, 0))
    return moved + s.subspace_rate(q, v)


def momentum_of(body: Any, V: Any) -> Array:
    """I V: moment of momentum and momentum of a body with twist V, as one wrench."""
    return np.concatenate(body.momentum(V[:3], V[3:]))


def christoffel(model: Model, q: Any) -> Array:
    """Γ[i, j, k] = ½ (∂ₖMᵢⱼ + ∂ⱼMᵢₖ - ∂ᵢMⱼₖ): C with unit velocities."""
    for b in model.bodies:
        if b.joint.nq != b.joint.nv or b.joint.velocities != b.joint.coordinates:
            raise ArgumentError(
                f"Christoffel symbols need coordinates whose rates are the velocities; joint "
                f"{b.joint_name!r} is {type(b.joint).__name__.lower()}: use coriolis_matrix"
            )
    units = np.eye(model.nv)
    return np.stack([coriolis_matrix(model, q, e) for e in units], axis=2)


def coriolis_transpose_product(model: Model, q: Any, v: Any) -> Array:
    """C(q, v)ᵀ v without C: how momenta drift, ∂K/∂q in coordinates."""
    steps = placed(lean(model), q)
    V = velocities(steps, v)
    carried = [momentum_of(s.link.body, V[i]) for i, s in enumerate(steps)]
    made: Any = [0.0] * model.nv
    for i in reversed(range(len(steps))):
        s = steps[i]
        for column, psi in zip(range(s.v.start, s.v.stop), drift(s, V[i], q, v).T, strict=True):
            made[column] = made[column] + psi @ carried[i]
        if s.parent != WORLD:
            carried[s.parent] = carried[s.parent] + force_to_parent(s, carried[i])
    return vector(made)
