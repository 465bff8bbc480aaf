"""The equations of motion of a system that is held: M a + h = τ + Aᵀ λ, A v + a₀ = 0.

M, h, A and β come from wherever the system states them, bodies or energies.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.algebra.expr import Expr
from visviva.describe.model.idle import is_massless
from visviva.describe.quantities import FUNCTIONS, function_at
from visviva.equations.constraints.rows import ROUNDED, constraint_matrix, slightness
from visviva.equations.constraints.semidefinite import SemidefiniteFactor, dot, is_below
from visviva.equations.constraints.solver import ConstraintSolver, rows_at
from visviva.equations.singular import refuse_unresisted
from visviva.errors import SingularError, VisvivaError

OFF = 1e-3  # of coordinates, and of speeds near one: what SciPy lets its steps be off, too


def forward_dynamics(s: Any, q: Any, v: Any, tau: Any, wrenches: Any = (), t: Any = 0.0) -> Array:
    """a (n,) under the forces τ, outside wrenches and those of the constraints."""
    if not s.held_by:
        a: Array = stated_value(s, "free_acceleration", q=q, v=v, tau=tau, wrenches=wrenches, t=t)
        return a
    _refuse_massless(s)
    solver, forces, bias = _state(s, q, v, tau, wrenches, t)
    return solver.acceleration(forces, bias)


def _refuse_massless(model: Any) -> None:
    """Refuse accelerations of what constraints let move, if nothing of it has mass."""
    if not is_massless(model):
        return
    A = np.asarray(constraint_matrix(model.numeric, model.assembled()), dtype=float)
    if not A.size or np.linalg.matrix_rank(A) < model.nv:
        raise SingularError(
            f"forward dynamics of {model.name!r} does not exist: no body has mass, so that forces "
            "accelerate it without bound; give bodies a mass (mass=, com=, inertia=)"
        )


def multipliers(s: Any, q: Any, v: Any, tau: Any, wrenches: Any = (), t: Any = 0.0) -> Array:
    """λ (k,): one force for each row; those of least norm where rows are redundant."""
    solver, forces, bias = _state(s, q, v, tau, wrenches, t)
    return solver.multipliers(forces, bias)


def accelerations_and_multipliers(
    s: Any, q: Any, v: Any, tau: Any, wrenches: Any = (), t: Any = 0.0
) -> tuple[Array, Array]:
    """a (n,) and λ (k,)."""
    solver, forces, bias = _state(s, q, v, tau, wrenches, t)
    return solver.acceleration(forces, bias), solver.multipliers(forces, bias)


def constraint_power(s: Any, q: Any, v: Any, tau: Any, wrenches: Any = (), t: Any = 0.0) -> Any:
    """v · Aᵀ λ = -λ · a₀: what moving constraints do per second; those at rest do no work."""
    lam = multipliers(s, q, v, tau, wrenches, t)
    return -(lam @ stated_value(s, "constraint_drift", q=q, v=v, t=t))


def constraint_forces(s: Any, q: Any, v: Any, tau: Any, wrenches: Any = (), t: Any = 0.0) -> Array:
    """Aᵀ λ (n,): what the constraints do to the coordinates."""
    solver, forces, bias = _state(s, q, v, tau, wrenches, t)
    return solver.forces(forces, bias)


def projection(s: Any, q: Any, v: Any = None, t: Any = 0.0) -> Array:
    """P (n, n): the part of a motion that the constraints admit."""
    return _solver(s, q, v, t).projection()


def force_projection(s: Any, q: Any, v: Any = None, t: Any = 0.0) -> Array:
    """P_u = Pᵀ (n, n): the part of forces that does work; the rest is resisted."""
    return projection(s, q, v, t).T


def admitted_velocity(s: Any, q: Any, v: Any, t: Any = 0.0) -> Array:
    """The velocity that an impulse of the constraints makes of v."""
    drift = stated_value(s, "constraint_drift", q=q, v=v, t=t)
    return _solver(s, q, v, t).admitted_velocity(v, -drift)


def constraint_impulses(s: Any, q: Any, v: Any, t: Any = 0.0) -> Array:
    """Λ (k,) with M (v⁺ - v) = Aᵀ Λ, v⁺ the admitted velocity; of least norm as λ."""
    lacking = -(stated_value(s, "constraint_velocity", q=q, v=v, t=t))
    return _solver(s, q, v, t).impulses(lacking)


def actuator_forces(s: Any, q: Any, v: Any, a: Any, t: Any = 0.0, weights: Any = None) -> Array:
    """f of the actuators with M a + h = T f + Aᵀ λ, for some λ: of least norm, Σ w f² if weighted.

    Where no f does it, as at a dead point, those that come nearest: P_u (M a + h - T f) is least.
    `statics` refuses there.
    """
    needed = stated_value(s, "inverse_dynamics", q=q, v=v, a=a, t=t)
    T = stated_value(s, "actuator_map", q=q, v=v, t=t)
    working: Any = T
    slight: list[Any] = []
    if s.held_by:
        P = force_projection(s, q, v, t)
        needed, working = P @ needed, P @ T
        expect_held(s, vector(stated_value(s, "constraint_matrix", q=q, v=v, t=t)), q, v, t)
        # what is left of an actuator that constraints resist altogether is rounding error
        bound = (P * P).sum() * ROUNDED**2
        slight = [is_below(w @ w, f @ f * bound) for w, f in zip(working.T, T.T, strict=True)]
    ease = None if weights is None else 1.0 / np.sqrt(weights)
    working = working if ease is None else working * ease
    factor = SemidefiniteFactor(working.T @ working, slight)
    least = factor.least_norm_solution(working.T @ needed)
    return least if ease is None else ease * least  # f √w is of least norm


def _state(
    s: Any, q: Any, v: Any, tau: Any, wrenches: Any, t: Any
) -> tuple[ConstraintSolver, Array, Array]:
    """The system at a position, the forces that drive it and the bias of its rows."""
    pushing = stated_value(s, "bias_forces", q=q, v=v, wrenches=wrenches, t=t)
    bias = stated_value(s, "constraint_bias", q=q, v=v, t=t)
    solver = _solver(s, q, v, t)
    expect_held(s, solver.A, q, v, t)  # last, so that results are traced as without
    return solver, vector(tau) - pushing, bias


def expect_held(s: Any, A: Array, q: Any, v: Any, t: Any) -> None:
    """Constraints hold at a state: a condition of what is being traced.

    Rows may be off as far as they are where coordinates and velocities are, in whatever units.
    """
    graph = next((x.graph for x in vector(q) if isinstance(x, Expr)), None)
    if graph is None or graph.conditions is None:
        return
    size = OFF**2 * (A * A).sum()
    home = getattr(FUNCTIONS["constraint_error"], s.stated).partition(":")[0]
    without_angles = function_at(f"{home}:constraint_conditions")  # of poses

    def rates() -> Array:
        return vector(stated_value(s, "constraint_velocity", q=q, v=v, t=t))

    def errors() -> Array:
        return vector(without_angles(s, q, t=t))

    speeds = size * (1.0 + dot(v, v))
    for name, error, most in (
        ("constraint_velocity", rates, speeds),
        ("constraint_error", errors, size),
    ):
        if t is None and "t" in s._input_equations().inputs(s, FUNCTIONS[name]):
            continue  # nobody says when it is: A and β are always the same
        x = error()
        graph.expect("constraints.motion:off_constraints", most + ROUNDED**2 - dot(x, x))


def off_constraints(s: Any, arguments: Mapping[str, Any]) -> str:
    """Of a state off the constraints, told of single calls."""
    try:
        s.check_state(**{k: arguments[k] for k in ("q", "v", "t") if k in arguments})
    except VisvivaError as error:
        return str(error)
    return (
        f"the state violates the constraints of {s.name!r}; assembled(q) is the nearest position, "
        "admitted_velocity(q, v) the nearest velocity"
    )


def _solver(s: Any, q: Any, v: Any, t: Any) -> ConstraintSolver:
    M, massless = _mass_matrix(s, q, v, t)
    A = vector(stated_value(s, "constraint_matrix", q=q, v=v, t=t))
    if massless:
        refuse_unresisted(s, M, A)
    return ConstraintSolver(M, A, slightness(s), massless)


def _mass_matrix(s: Any, q: Any, v: Any, t: Any) -> tuple[Array, tuple[int, ...]]:
    """M, and the coordinates that may have no inertia.

    Where nothing has mass, forces that balance have the same λ whatever M is: the identity serves.
    """
    if is_massless(s):
        return np.eye(s.nv), ()
    return vector(stated_value(s, "mass_matrix", q=q, v=v, t=t)), possibly_massless(s)


def possibly_massless(s: Any) -> tuple[int, ...]:
    """Coordinates with a part, perhaps, in a motion without inertia at some state; mostly none."""
    coordinates: tuple[int, ...] = s._input_equations().possibly_massless(s)
    return coordinates


def stated_value(s: Any, quantity: str, **inputs: Any) -> Any:
    """A quantity by the function that states it for this kind of system."""
    function = function_at(getattr(FUNCTIONS[quantity], s.stated))
    taken = inspect.signature(function).parameters
    return function(s, **{k: x for k, x in inputs.items() if k in taken})


def position_correction(s: Any, q: Any, v: Any = None, t: Any = 0.0) -> Array:
    """-M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁻¹ φ (n,): Newton's step to where the rows about positions hold."""
    positions = list(s._constraint_equations().position_rows(s))
    if not positions:
        return vector([0.0] * s.nv)
    M, massless = _mass_matrix(s, q, v, t)
    A, slight = vector(stated_value(s, "constraint_matrix", q=q, v=v, t=t)), slightness(s)
    rows = correction_rows(positions, A, massless)
    solver = ConstraintSolver(M, A[rows], [slight[k] for k in rows], massless)
    return correction(solver, stated_value(s, "constraint_error", q=q, t=t))


def correction_rows(positions: Sequence[int], A: Array, massless: Sequence[int]) -> list[int]:
    """The rows about positions, then those about velocities that hold what may have no inertia."""
    return [*positions, *(k for k in rows_at(A, massless) if k not in positions)]


def correction(solver: ConstraintSolver, error: Any) -> Array:
    """The step (n,) that takes φ away and leaves alone what later rows hold."""
    n, later = len(solver.M), len(solver.A) - len(error)
    return solver.admitted_velocity([0.0] * n, [*(-vector(error)), *[0.0] * later])
