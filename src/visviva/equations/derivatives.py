"""Derivatives of inverse and forward dynamics by joint, without differentiating the recursion.

Moving joint k carries all beyond it along a field that is constant in its parent. How that field
changes in time, ψ = Vₚ × S and φ = Aₚ × S + Vₚ × (Vₚ × S) (the twist and the acceleration of the
parent, in the link's axes), and the wrenches of `coriolis` are all that is needed: for an ancestor
i of k, ∂τᵢ/∂qₖ = Sᵢ · (I φₖ + 2 B ψₖ + Sₖ ×* Fₖ) and ∂τₖ/∂qᵢ = φᵢ · G + 2 ψᵢ · H; by velocities the
same with Ψ + ψ. (Singh, Russo and Wensing, *Efficient analytical derivatives of rigid-body dynamics
using spatial vector algebra*, in mass moments.) Joints whose subspace depends on their position are
left to differentiation of the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.describe.model.body import WORLD
from visviva.describe.model.idle import refuse_idle
from visviva.describe.model.model import Model
from visviva.equations.bodies.factor import Factor
from visviva.equations.bodies.links import Placed, ancestors, force_to_parent, placed, velocities
from visviva.equations.bodies.mass_matrix import composites
from visviva.equations.bodies.newton_euler import Motion, forces, inward, outward
from visviva.equations.bodies.regroup import regrouped_links
from visviva.equations.bodies.transport import transports
from visviva.equations.coriolis import drift, momentum_of
from visviva.equations.dynamics import bias_forces, mass_matrix
from visviva.equations.forces.forces import has_stribeck, rotor_inertia, viscosity
from visviva.equations.forces.rotors import rotor_slopes
from visviva.space.rotations import cross
from visviva.space.spatial import cross_force, cross_motion


def newton_euler_derivatives(model: Model, q: Any, v: Any, a: Any) -> tuple[Array, Array, Array]:
    """∂τ/∂q, ∂τ/∂v and M, of the rigid bodies alone."""
    steps = placed(regrouped_links(model), q)
    V = velocities(steps, v)
    motions = outward(steps, model.gravity, q, v, a)
    needed = inward(steps, forces(steps, motions))
    bodies, carried = composites(steps), transports(steps, V)
    fields = [_fields(s, V[i], motions[i], q, v, a) for i, s in enumerate(steps)]
    Dq, Dv, M = (_zeros(model.nv) for _ in range(3))
    for k, s in enumerate(steps):
        for j, column in enumerate(range(s.v.start, s.v.stop)):
            S, (psi, phi, both) = s.S[:, j], (x[:, j] for x in fields[k])
            G = momentum_of(bodies[k], S)
            H = carried[k].across(S)
            D = momentum_of(bodies[k], phi) + np.concatenate(carried[k].along(psi[:3]))
            D = D + cross_force(S, needed[k])
            E = momentum_of(bodies[k], both) + np.concatenate(carried[k].along(S[:3]))
            for i in ancestors(steps, k):
                at = steps[i]
                up_psi, up_phi, up_both = fields[i]
                for r, row in enumerate(range(at.v.start, at.v.stop)):
                    T = at.S[:, r]
                    by_row = up_phi[:, r] @ G + up_psi[:3, r] @ H
                    Dv[row, column] = Dv[row, column] + T @ E
                    M[row, column] = M[row, column] + T @ G
                    Dq[column, row] = Dq[column, row] + by_row
                    if i != k:  # within one joint the formula above already has all pairs
                        Dq[row, column] = Dq[row, column] + T @ D
                        Dv[column, row] = Dv[column, row] + up_both[:, r] @ G + T[:3] @ H
                        M[column, row] = M[column, row] + T @ G
                if at.parent != WORLD:
                    D, E, G = (force_to_parent(at, x) for x in (D, E, G))
                    H = at.R @ H
    return Dq, Dv, M


def _fields(
    s: Placed, V: Any, motion: Motion, q: Any, v: Any, a: Any
) -> tuple[Array, Array, Array]:
    """ψ, φ and Ψ + ψ of a joint, by column."""
    vJ, aJ = s.twist(v), s.twist_rate(q, v, a)
    Vp = V - vJ
    # the parent's spatial acceleration: that of the link less the joint's part
    A = np.concatenate([motion.alpha, motion.a - cross(V[:3], V[3:])])
    Ap = A - aJ - cross_motion(Vp, vJ)
    psi = [cross_motion(Vp, S) for S in s.S.T]
    phi = [cross_motion(Ap, S) + cross_motion(Vp, x) for S, x in zip(s.S.T, psi, strict=True)]
    still = np.zeros((6, 0))
    stacked = [np.stack(x, axis=1) if x else still for x in (psi, phi)]
    return stacked[0], stacked[1], drift(s, V, q, v) + stacked[0]


def _zeros(n: int) -> Any:
    return np.full((n, n), 0.0, dtype=object)


def inverse_rule(model: Model, wanted: tuple[str, ...]) -> Callable[..., dict[str, Any]] | None:
    """∂τ/∂(q, v, a), rotors and viscous friction included."""
    if not covered(model):
        return None

    def derivatives(q: Any, v: Any, a: Any) -> dict[str, Any]:
        Dq, Dv, M = newton_euler_derivatives(model, q, v, a)
        slopes = {
            "q": Dq,
            "v": rotor_slopes(model, v, Dv) + np.diag(viscosity(model)),
            "a": M + np.diag(rotor_inertia(model)),
        }
        return {f"dtau_d{name}": slopes[name] for name in wanted}

    return derivatives


def forward_rule(model: Model, wanted: tuple[str, ...]) -> Callable[..., dict[str, Any]] | None:
    """∂a/∂(q, v, τ): -M⁻¹ ∂τ/∂(q, v) at the accelerations that τ gives, and M⁻¹."""
    if not covered(model):
        return None

    def derivatives(q: Any, v: Any, tau: Any) -> dict[str, Any]:
        refuse_idle(model, "forward dynamics")
        factor = Factor(mass_matrix(model, q))
        slopes = {}
        if "tau" in wanted:
            slopes["tau"] = factor.inverse_matrix()
        if set(wanted) != {"tau"}:
            a = factor.solve(vector(tau) - bias_forces(model, q, v))
            Dq, Dv, _ = newton_euler_derivatives(model, q, v, a)
            Dv = rotor_slopes(model, v, Dv) + np.diag(viscosity(model))
            for name, D in (("q", Dq), ("v", Dv)):
                if name in wanted:
                    slopes[name] = factor.solved(-D)
        return {f"da_d{name}": slopes[name] for name in wanted}

    return derivatives


def covered(model: Model) -> bool:
    """Whether the formulas above say everything about a model."""
    rigid = all(b.joint.constant_subspace for b in model.bodies)
    return rigid and not model.springs and not has_stribeck(model)
