"""Derivatives of constrained motion, through the solve instead of along it.

At the accelerations a and multipliers λ of a state, M a + h - τ - Aᵀ λ and A a + β stay zero when
the state changes: with their derivatives at constant a and λ, ∂a is a solution of the same system
again, whose factor is there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva.algebra import diff
from visviva.algebra.arrays import Array, vector
from visviva.describe.model.model import Model
from visviva.equations.constraints.motion import expect_held, possibly_massless
from visviva.equations.constraints.rows import constraint_bias, constraint_matrix, slightness
from visviva.equations.constraints.solver import ConstraintSolver
from visviva.equations.derivatives import covered, forward_rule, newton_euler_derivatives
from visviva.equations.dynamics import bias_forces, mass_matrix
from visviva.equations.forces.forces import viscosity
from visviva.equations.forces.rotors import rotor_slopes

Rule = Callable[..., dict[str, Any]]


def held_rule(model: Model, wanted: tuple[str, ...]) -> Rule | None:
    """∂a/∂(q, v, τ)."""
    if not model.held_by:
        return forward_rule(model, wanted)
    if not covered(model) or not set(wanted) <= {"q", "v", "tau"}:
        return None

    def derivatives(q: Any, v: Any, tau: Any, t: Any = 0.0) -> dict[str, Any]:
        M, A = mass_matrix(model, q), constraint_matrix(model, q, t)
        solver = ConstraintSolver(M, A, slightness(model), possibly_massless(model))
        columns = {"tau": (np.eye(model.nv), np.zeros((len(solver.A), model.nv)))}
        if set(wanted) != {"tau"}:
            columns |= _changes(model, solver, q, v, tau, t)
        slopes = {}
        for x in wanted:
            forces, bias = columns[x]
            solved = [solver.acceleration(f, b) for f, b in zip(forces.T, bias.T, strict=True)]
            slopes[f"da_d{x}"] = np.stack(solved, axis=1)
        expect_held(model, solver.A, q, v, t)
        return slopes

    return derivatives


def _changes(
    model: Model, solver: ConstraintSolver, q: Any, v: Any, tau: Any, t: Any
) -> dict[str, tuple[Array, Array]]:
    """How τ - h + Aᵀ λ - M a and A a + β change by q and by v, at constant a and λ."""
    n, nq = model.nv, model.nq
    forces, bias = vector(tau) - bias_forces(model, q, v), constraint_bias(model, q, v, t)
    a, lam = solver.acceleration(forces, bias), solver.some_multipliers(forces, bias)
    Dq, Dv, _ = newton_euler_derivatives(model, q, v, a)
    Dv = rotor_slopes(model, v, Dv) + np.diag(viscosity(model))

    def rows(x: Array) -> Array:
        """Aᵀ λ and A a + β, of (q, v, a, λ, t)."""
        q, v, a, lam = np.split(x[:-1], [nq, nq + n, nq + 2 * n])
        t = x[-1]
        A = constraint_matrix(model, q, t)
        return np.concatenate([A.T @ lam, A @ a + constraint_bias(model, q, v, t)])

    D = diff.slopes(rows, vector([*q, *v, *a, *lam, t]))
    by_q = D[:, :nq] @ model.tangent(q) if model.charts else D[:, :nq]
    by_v = D[:, nq : nq + n]
    return {"q": (by_q[:n] - Dq, by_q[n:]), "v": (-Dv, by_v[n:])}
