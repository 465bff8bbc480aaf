"""Derivatives of constrained motion, from the equations instead of through their solver.

Accelerations a and multipliers λ solve M a + h - τ - Aᵀ λ = 0 and A a + β = 0. Differentiated, with
F and b for what τ - h + Aᵀ λ - M a and A a + β change by at constant a and λ, these are
M ∂a - Aᵀ ∂λ = F and A ∂a + b = 0: the same system for ∂a and ∂λ, whose matrix is factored already.

Where rows are redundant, that leaves open the part of ∂λ in the null space of Aᵀ, P ∂λ with the
projector P, Aᵀ P = 0. The λ of least norm has no such part: λ = A w with some w. So P λ = 0 for all
states, and P ∂λ = P (∂A) w, whichever w that is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva.algebra import diff
from visviva.algebra.arrays import Array, vector
from visviva.describe.model.idle import is_massless
from visviva.describe.model.model import Model
from visviva.equations.constraints.motion import expect_held, possibly_massless
from visviva.equations.constraints.rows import constraint_bias, constraint_matrix, slightness
from visviva.equations.constraints.solver import ConstraintSolver
from visviva.equations.derivatives import covered, forward_rule, newton_euler_derivatives
from visviva.equations.dynamics import bias_forces, mass_matrix
from visviva.equations.forces.forces import viscosity
from visviva.equations.forces.rotors import rotor_slopes

Rule = Callable[..., dict[str, Any]]


def acceleration_rule(model: Model, inputs: tuple[str, ...]) -> Rule | None:
    """What computes ∂a/∂(q, v, τ), or None where the formulas do not cover a model."""
    if not model.held_by:
        return forward_rule(model, inputs)
    if not _is_covered(model, inputs):
        return None

    def derivatives(q: Any, v: Any, tau: Any, t: Any = 0.0) -> dict[str, Any]:
        solver = _constraint_solver(model, q, t)
        slopes = _changes(model, inputs, solver, solver.some_multipliers, q, v, tau, t)
        for x, (forces, bias) in slopes.items():
            columns = [solver.acceleration(f, b) for f, b in zip(forces.T, bias.T, strict=True)]
            slopes[x] = np.stack(columns, axis=1)
        expect_held(model, solver.A, q, v, t)
        return {f"da_d{x}": slopes[x] for x in inputs}

    return derivatives


def multipliers_rule(model: Model, inputs: tuple[str, ...]) -> Rule | None:
    """What computes ∂λ/∂(q, v, τ), or None where the formulas do not cover a model."""
    if not model.held_by or not _is_covered(model, inputs) or is_massless(model):
        return None

    def derivatives(q: Any, v: Any, tau: Any, t: Any = 0.0) -> dict[str, Any]:
        solver = _constraint_solver(model, q, t)
        slopes = _changes(model, inputs, solver, solver.multipliers, q, v, tau, t)
        for x, (forces, bias) in slopes.items():
            row_change = _row_changes(model, solver, q, v, tau, t) if x == "q" else 0.0 * bias
            columns = [
                solver.rows.least_norm(solver.some_multipliers(f, b) - r) + r
                for f, b, r in zip(forces.T, bias.T, row_change.T, strict=True)
            ]
            slopes[x] = np.stack(columns, axis=1)
        expect_held(model, solver.A, q, v, t)
        return {f"dlam_d{x}": slopes[x] for x in inputs}

    return derivatives


def _is_covered(model: Model, inputs: tuple[str, ...]) -> bool:
    """Whether the formulas of rigid bodies cover all forces of a model and all these inputs."""
    return covered(model) and set(inputs) <= {"q", "v", "tau"}


def _constraint_solver(model: Model, q: Any, t: Any) -> ConstraintSolver:
    M, A = mass_matrix(model, q), constraint_matrix(model, q, t)
    return ConstraintSolver(M, A, slightness(model), possibly_massless(model))


def _forces_and_bias(model: Model, q: Any, v: Any, tau: Any, t: Any) -> tuple[Array, Array]:
    """τ - h and β."""
    return vector(tau) - bias_forces(model, q, v), constraint_bias(model, q, v, t)


def _changes(
    model: Model,
    inputs: tuple[str, ...],
    solver: ConstraintSolver,
    multipliers: Callable[[Array, Array], Array],  # where rows are redundant: which λ
    q: Any,
    v: Any,
    tau: Any,
    t: Any,
) -> dict[str, Any]:
    """F and b: how τ - h + Aᵀ λ - M a and A a + β change by the inputs, at constant a and λ."""
    n, nq = model.nv, model.nq
    changes = {"tau": (np.eye(n), np.zeros((len(solver.A), n)))}
    if set(inputs) == {"tau"}:
        return changes
    forces, bias = _forces_and_bias(model, q, v, tau, t)
    a, lam = solver.acceleration(forces, bias), multipliers(forces, bias)
    Dq, Dv, _ = newton_euler_derivatives(model, q, v, a)
    Dv = rotor_slopes(model, v, Dv) + np.diag(viscosity(model))

    def rows(x: Array) -> Array:
        """Aᵀ λ and A a + β, of (q, v, a, λ, t)."""
        q, v, a, lam = np.split(x[:-1], [nq, nq + n, nq + 2 * n])
        t = x[-1]
        A = constraint_matrix(model, q, t)
        return np.concatenate([A.T @ lam, A @ a + constraint_bias(model, q, v, t)])

    D = diff.slopes(rows, vector([*q, *v, *a, *lam, t]))
    by_q, by_v = _along_motions(model, q, D[:, :nq]), D[:, nq : nq + n]
    changes |= {"q": (by_q[:n] - Dq, by_q[n:]), "v": (-Dv, by_v[n:])}
    return {x: changes[x] for x in inputs}


def _row_changes(model: Model, solver: ConstraintSolver, q: Any, v: Any, tau: Any, t: Any) -> Array:
    """How A w changes by q, at a constant w with A w = λ."""
    w = solver.nearest_motion(solver.multipliers(*_forces_and_bias(model, q, v, tau, t)))
    n, nq = model.nv, model.nq

    def rows(x: Array) -> Array:
        return vector(constraint_matrix(model, x[:nq], x[-1]) @ x[nq : nq + n])

    D = diff.slopes(rows, vector([*q, *w, t]))
    return _along_motions(model, q, D[:, :nq])


def _along_motions(model: Model, q: Any, D: Array) -> Array:
    """From derivatives by entries of q to those along velocities, which differ for quaternions."""
    return D @ model.tangent(q) if model.charts else D
