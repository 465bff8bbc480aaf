"""The equations of motion of a system that is held: M a + h = τ + Aᵀ λ, A v + a₀ = 0.

M, h, A and β come from wherever the system states them, bodies or energies.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_exactly, vector
from visviva.describe.model.idle import is_massless
from visviva.describe.quantities import FUNCTIONS, function_at
from visviva.equations.constraints.held import Held
from visviva.equations.constraints.rows import ROUNDED, constraint_matrix, slightness
from visviva.equations.constraints.semidefinite import SemidefiniteFactor, is_below
from visviva.errors import SingularError


def forward_dynamics(s: Any, q: Any, v: Any, tau: Any, wrenches: Any = (), t: Any = 0.0) -> Array:
    """a (n,) under the forces τ, outside wrenches and those of the constraints."""
    if not s.held_by:
        return _stated(s, "free_acceleration", q=q, v=v, tau=tau, wrenches=wrenches, t=t)
    _refuse_massless(s)
    held, forces, bias = _state(s, q, v, tau, wrenches, t)
    return held.acceleration(forces, bias)


def _refuse_massless(model: Any) -> None:
    """Refuse accelerations of what constraints let move, if nothing of it has mass."""
    if not is_massless(model):
        return
    A = np.asarray(constraint_matrix(model.numeric, model.assembled()), dtype=float)
    if np.linalg.matrix_rank(A) < model.nv:
        raise SingularError(
            f"forward dynamics of {model.name!r} does not exist: no body has mass, so that forces "
            "accelerate it without bound; give bodies a mass (mass=, com=, inertia=)"
        )


def multipliers(s: Any, q: Any, v: Any, tau: Any, wrenches: Any = (), t: Any = 0.0) -> Array:
    """λ (k,): one force for each row; those of least norm where rows are redundant."""
    held, forces, bias = _state(s, q, v, tau, wrenches, t)
    return held.multipliers(forces, bias)


def accelerations_and_multipliers(
    s: Any, q: Any, v: Any, tau: Any, wrenches: Any = (), t: Any = 0.0
) -> tuple[Array, Array]:
    """a (n,) and λ (k,)."""
    held, forces, bias = _state(s, q, v, tau, wrenches, t)
    return held.acceleration(forces, bias), held.multipliers(forces, bias)


def constraint_power(s: Any, q: Any, v: Any, tau: Any, wrenches: Any = (), t: Any = 0.0) -> Any:
    """v · Aᵀ λ = -λ · a₀: what moving constraints do per second; those at rest do no work."""
    lam = multipliers(s, q, v, tau, wrenches, t)
    return -(lam @ _stated(s, "constraint_drift", q=q, v=v, t=t))


def constraint_forces(s: Any, q: Any, v: Any, tau: Any, wrenches: Any = (), t: Any = 0.0) -> Array:
    """Aᵀ λ (n,): what the constraints do to the coordinates."""
    held, forces, bias = _state(s, q, v, tau, wrenches, t)
    return held.forces(forces, bias)


def projection(s: Any, q: Any, v: Any = None, t: Any = 0.0) -> Array:
    """P (n, n): the part of a motion that the constraints admit."""
    return _held(s, q, v, t).projection()


def force_projection(s: Any, q: Any, v: Any = None, t: Any = 0.0) -> Array:
    """P_u = Pᵀ (n, n): the part of forces that does work; the rest is resisted."""
    return projection(s, q, v, t).T


def admitted_velocity(s: Any, q: Any, v: Any, t: Any = 0.0) -> Array:
    """The velocity that an impulse of the constraints makes of v."""
    drift = _stated(s, "constraint_drift", q=q, v=v, t=t)
    return _held(s, q, v, t).admitted(v, -drift)


def constraint_impulses(s: Any, q: Any, v: Any, t: Any = 0.0) -> Array:
    """Λ (k,) with M (v⁺ - v) = Aᵀ Λ, v⁺ the admitted velocity; of least norm as λ."""
    lacking = -(_stated(s, "constraint_velocity", q=q, v=v, t=t))
    return _held(s, q, v, t).impulses(lacking)


def actuator_forces(s: Any, q: Any, v: Any, a: Any, t: Any = 0.0, weights: Any = None) -> Array:
    """f of the actuators with M a + h = T f + Aᵀ λ, for some λ: of least norm, Σ w f² if weighted.

    Where no f does it, as at a dead point, those that come nearest: P_u (M a + h - T f) is least.
    `statics` refuses there.
    """
    needed = _stated(s, "inverse_dynamics", q=q, v=v, a=a, t=t)
    T = _stated(s, "actuator_map", q=q, v=v, t=t)
    working: Any = T
    slight: list[Any] = []
    if s.held_by:
        P = force_projection(s, q, v, t)
        needed, working = P @ needed, P @ T
        # what is left of an actuator that constraints resist altogether is rounding error
        bound = (P * P).sum() * ROUNDED**2
        slight = [is_below(w @ w, f @ f * bound) for w, f in zip(working.T, T.T, strict=True)]
    if weights is None:
        return SemidefiniteFactor(working.T @ working, slight).smallest(working.T @ needed)
    ease = 1.0 / np.sqrt(weights)  # f √w is of least norm
    working = working * ease
    return ease * SemidefiniteFactor(working.T @ working, slight).smallest(working.T @ needed)


def _state(s: Any, q: Any, v: Any, tau: Any, wrenches: Any, t: Any) -> tuple[Held, Array, Array]:
    """The system at a position, the forces that drive it and the bias of its rows."""
    pushing = _stated(s, "bias_forces", q=q, v=v, wrenches=wrenches, t=t)
    bias = _stated(s, "constraint_bias", q=q, v=v, t=t)
    return _held(s, q, v, t), vector(tau) - pushing, bias


def _held(s: Any, q: Any, v: Any, t: Any) -> Held:
    M = _stated(s, "mass_matrix", q=q, v=v, t=t)
    A = _stated(s, "constraint_matrix", q=q, v=v, t=t)
    soft = soft_coordinates(s)
    for j in soft:
        if all(is_exactly(x, 0.0) for x in (*vector(M)[:, j], *vector(A)[:, j])):
            raise SingularError(
                f"accelerations of {s.name!r} do not exist: no inertia resists the motion of "
                f"{s.motion_names[j]} alone, and no constraint holds it"
            )
    return Held(M, A, slightness(s), soft)


def soft_coordinates(s: Any) -> tuple[int, ...]:
    """Those that may have a part, somewhere, in a motion without inertia; none where M > 0."""
    soft: tuple[int, ...] = s._input_equations().soft_coordinates(s)
    return soft


def _stated(s: Any, quantity: str, **inputs: Any) -> Any:
    """A quantity by the function that states it for this kind of system."""
    function = function_at(getattr(FUNCTIONS[quantity], s.stated))
    taken = inspect.signature(function).parameters
    return function(s, **{k: x for k, x in inputs.items() if k in taken})


def position_correction(s: Any, q: Any, v: Any = None, t: Any = 0.0) -> Array:
    """-M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁻¹ φ (n,): Newton's step to where the rows about positions hold."""
    home = s._constraint_equations()
    places = list(home.position_rows(s))
    if not places:
        return vector([0.0] * s.nv)
    M = _stated(s, "mass_matrix", q=q, v=v, t=t)
    A = vector(_stated(s, "constraint_matrix", q=q, v=v, t=t))[places]
    some = slightness(s)
    slight = [some[k] for k in places] if some else []
    held = Held(M, A, slight, soft_coordinates(s))
    error = vector(_stated(s, "constraint_error", q=q, t=t))
    return held.admitted(vector([0.0] * s.nv), -error)
