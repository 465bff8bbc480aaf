"""Forward dynamics: accelerations from forces, by the road that takes fewer operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.algebra.diff import count
from visviva.algebra.expr import Expr
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.equations.bodies.articulated import articulated_body
from visviva.equations.bodies.factor import Factor
from visviva.equations.bodies.regroup import regrouped_links
from visviva.equations.dynamics import bias_forces, mass_matrix
from visviva.equations.forces.forces import (
    dissipation_forces,
    rotor_inertia,
    spring_forces,
    wrench_forces,
)
from visviva.equations.forces.rotors import rotor_forces
from visviva.equations.parameters.parameters import check_inertia

LONG = 10  # links in a row, below which the articulated-body road was never the shorter one


def free_acceleration(model: Model, q: Any, v: Any, tau: Any, wrenches: Any = ()) -> Array:
    """a with M a + C v + g + b = τ + what outside wrenches do."""
    check_inertia(model, "forward dynamics")
    if _depth(model) < LONG or any(b.mimic for b in model.bodies):
        return by_factor(model, q, v, tau, wrenches)
    swept = by_sweep(model, q, v, tau, wrenches)
    cost = _cost(swept)
    if cost < least_of_factor(model):  # tracing the other one would be for nothing
        return swept
    factored = by_factor(model, q, v, tau, wrenches)
    return swept if cost < _cost(factored) else factored


def least_of_factor(model: Model) -> int:
    """Operations that factoring and solving take alone, if joints feel all that they carry.

    Of row k of M the entries of its ancestors, d of them: d products, d (d + 1) / 2 products and
    sums, then 2 d products and sums to solve. M itself and the bias come on top.
    """
    d, total = [0] * len(model.bodies), 0
    for i, b in enumerate(model.bodies):
        before = 0 if b.parent == WORLD else d[b.parent]
        d[i] = before + b.joint.nv
        total += sum(k + k * (k + 1) + 4 * k for k in range(before, d[i]))
    return total


def by_factor(model: Model, q: Any, v: Any, tau: Any, wrenches: Any = ()) -> Array:
    """Bias forces, mass matrix, and its sparse factor."""
    return Factor(mass_matrix(model, q)).solve(vector(tau) - bias_forces(model, q, v, wrenches))


def by_sweep(model: Model, q: Any, v: Any, tau: Any, wrenches: Any = ()) -> Array:
    """The articulated-body algorithm, with all other forces beside τ."""
    other = spring_forces(model, q) + dissipation_forces(model, q, v)
    other = other + rotor_forces(model, v, np.zeros(model.nv))  # but for J a, which D has
    driving = vector(tau) - other + wrench_forces(model, q, wrenches)
    return articulated_body(
        regrouped_links(model), model.gravity, rotor_inertia(model), q, v, driving
    )


def mass_matrix_inverse(model: Model, q: Any) -> Array:
    """M(q)⁻¹ (nv, nv), by the factor of M."""
    check_inertia(model, "the inverse of the mass matrix")
    return Factor(mass_matrix(model, q)).inverse_matrix()


def _cost(x: Array) -> int:
    """Operations, if they are being recorded."""
    return count([e for e in x if isinstance(e, Expr)])


def _depth(model: Model) -> int:
    depth: list[int] = []
    for b in model.bodies:
        depth.append(1 + (depth[b.parent] if b.parent >= 0 else 0))
    return max(depth, default=0)
