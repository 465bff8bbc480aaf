"""Coriolis matrices and Christoffel symbols.

With T_b the pose of body b as a 4 × 4 matrix and P_b its mass moments, the kinetic energy is
½ Σ tr(Ṫ P Ṫᵀ): that of points in a flat space. So the Christoffel symbols of the first kind are
Γ[i, j, k] = Σ tr(∂ᵢT P (∂ⱼ∂ₖT)ᵀ), and C[i, j] = Σ tr(∂ᵢT P (d/dt ∂ⱼT)ᵀ) has C + Cᵀ = Ṁ for every
type of joint. With Ψ = V × S + Ṡ, how a joint's subspace S moves, the pair of a joint k and an
ancestor i needs three wrenches of k: G moves its composite body along S_k, F and H add what the
bodies carry (`Transport`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_zero, vector
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import (
    Placed,
    ancestors,
    carried_inward,
    force_to_parent,
    placed,
    velocities,
)
from visviva.equations.bodies.mass_matrix import composites
from visviva.equations.bodies.moments import Moments
from visviva.equations.bodies.regroup import regrouped_links
from visviva.equations.bodies.transport import transports
from visviva.equations.forces.rotors import rotor_coriolis, rotor_forces
from visviva.errors import ArgumentError
from visviva.space.spatial import cross_motion


def coriolis_matrix(model: Model, q: Any, v: Any) -> Array:
    """C(q, v) with C v + g + b = bias and Ṁ - 2C skew; from Christoffel symbols if they exist."""
    steps = placed(regrouped_links(model), q)
    return rotor_coriolis(model, v, coriolis_columns(steps, composites(steps), q, v, model.nv))


def coriolis_columns(
    steps: Sequence[Placed], bodies: Sequence[Moments], q: Any, v: Any, wanted: int
) -> Array:
    """The first `wanted` columns of C, from the wrenches of each joint carried to its ancestors."""
    V = velocities(steps, v)
    carried = transports(steps, V)
    moving = [drift(s, V[i], q, v) for i, s in enumerate(steps)]
    still = [is_zero(x) for x in V]
    C: Array = np.full((len(v), len(v)), 0.0, dtype=object)
    for k, s in enumerate(steps):
        resting = all(still[i] for i in ancestors(steps, k)[1:])
        if carried[k].is_zero and resting and still[k]:
            continue
        for column, S, psi in zip(range(s.v.start, s.v.stop), s.S.T, moving[k].T, strict=True):
            n, f = carried[k].along(S[:3])
            G = np.zeros(6) if resting else momentum_of(bodies[k], S)
            F = np.concatenate([n, f]) / 2
            F = F + momentum_of(bodies[k], psi) if column < wanted else np.zeros(6)
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


def drift(s: Placed, V: Any, q: Any, v: Any) -> Array:
    """Ψ = V × S + Ṡ: how the columns of S move in space."""
    if is_zero(V) or not s.S.size:
        return np.zeros(s.S.shape)
    return np.stack([cross_motion(V, S) for S in s.S.T], axis=1) + s.subspace_rate(q, v)


def momentum_of(body: Any, V: Any) -> Array:
    """I V: moment of momentum and momentum of a body with twist V, as one wrench."""
    return np.concatenate(body.momentum(V[:3], V[3:]))


def christoffel(model: Model, q: Any) -> Array:
    """Γ[i, j, k] = ½ (∂ₖMᵢⱼ + ∂ⱼMᵢₖ - ∂ᵢMⱼₖ): C with unit velocities."""
    for b in model.bodies:
        if not b.joint.has_rates:
            raise ArgumentError(
                f"Christoffel symbols need coordinates whose rates are the velocities; joint "
                f"{b.joint_name!r} is {b.joint.kind}: use coriolis_matrix"
            )
    n, steps = model.nv, placed(regrouped_links(model), q)
    bodies = composites(steps)
    C = [coriolis_columns(steps, bodies, q, e, k + 1) for k, e in enumerate(np.eye(n))]
    # symmetric in j and k; the later one moves fewer bodies
    gamma: Array = np.full((n, n, n), 0.0, dtype=object)
    for j in range(n):
        for k in range(n):
            gamma[:, j, k] = C[max(j, k)][:, min(j, k)]
    return gamma


def coriolis_transpose_product(model: Model, q: Any, v: Any) -> Array:
    """C(q, v)ᵀ v without C: how momenta drift, ∂K/∂q in coordinates."""
    steps = placed(regrouped_links(model), q)
    V = velocities(steps, v)
    own = [momentum_of(s.link.body, V[i]) for i, s in enumerate(steps)]
    carried = carried_inward(steps, own, force_to_parent)
    product: Any = [0.0] * model.nv
    for i, s in enumerate(steps):
        for column, psi in zip(range(s.v.start, s.v.stop), drift(s, V[i], q, v).T, strict=True):
            product[column] = product[column] + psi @ carried[i]
    return vector(product) - rotor_forces(model, v, np.zeros(model.nv))  # their part of C is skew
