"""One rigid body: the equations of Euler and Newton, about any point and in any axes.

What goes into one call is given in one set of axes: the body's, fixed ones (there the tensor is
R 𝕀 Rᵀ), or the principal ones. The angular part comes first, also in the six equations (48), which
Bona, *Rigid Body Dynamics*, writes with the forces first. Equations 10.x are those of Choset et
al., *Principles of Robot Motion*; twists as in Lynch and Park, *Modern Robotics*, section 8.2.

Examples:
    >>> euler_torque(np.diag([1, 2, 3]), [0, 1, 1], [0, 0, 0])  # steady, off the principal axes
    array([1., 0., 0.])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_numeric, vector
from visviva.describe.bodies.inertia import Inertia
from visviva.errors import ArgumentError, InertiaError, ShapeError
from visviva.space.poses import Pose
from visviva.space.rotations import cross, quaternion_rates, skew
from visviva.space.spatial import cross_force


def moment(force: Any, at: Any, about: Any) -> Array:
    """The moment about a point A of a force that acts at another: (r - r_A) × f."""
    return cross(_shaped("at", at, 3) - _shaped("about", about, 3), _shaped("force", force, 3))


def resultant(about: Any, forces: Any = (), points: Any = (), torques: Any = ()) -> Array:
    """The wrench (moment, force) at one point that replaces forces at points and free torques."""
    if len(forces) != len(points):
        raise ArgumentError(f"one point for each force: got {len(points)} for {len(forces)}")
    moments = [moment(f, p, about) for f, p in zip(forces, points, strict=True)]
    return np.concatenate([_total([*moments, *torques]), _total(forces)])


def fixed_rate(u: Any, rate: Any, w: Any) -> Array:
    """du/dt seen from a fixed frame, from the rate in a frame that turns with w: u̇ + w × u."""
    return _shaped("rate", rate, 3) + cross(_shaped("w", w, 3), _shaped("u", u, 3))


def moving_rate(u: Any, rate: Any, w: Any) -> Array:
    """du/dt seen in a frame that turns with w, from the rate in a fixed one: u̇ - w × u."""
    return fixed_rate(u, rate, -_shaped("w", w, 3))


def euler_torque(tensor: Any, w: Any, dw: Any) -> Array:
    """The torque of a motion: τ = 𝕀 ẇ + w × 𝕀 w (10.38, 10.44).

    Torque and tensor are about the centre of mass, or about a point that stays at rest.
    """
    tensor, w = _shaped("tensor", tensor, 3, 3), _shaped("w", w, 3)
    return fixed_rate(tensor @ w, tensor @ _shaped("dw", dw, 3), w)


def euler_acceleration(tensor: Any, w: Any, torque: Any) -> Array:
    """ẇ under a torque: the inverse of `euler_torque`."""
    tensor, w = _shaped("tensor", tensor, 3, 3), _shaped("w", w, 3)
    rate = moving_rate(tensor @ w, _shaped("torque", torque, 3), w)
    return _solve(tensor, rate, np.diag(tensor))


def turning_rates(tensor: Any, q: Any, w: Any, torque: Any) -> tuple[Array, Array]:
    """(q̇, ẇ) of a body that turns, in body axes; q is the quaternion (x, y, z, w)."""
    dw = euler_acceleration(tensor, w, torque)
    return quaternion_rates(_shaped("q", q, 4), w), dw


def center_acceleration(mass: Any, forces: Any, gravity: Any) -> Array:
    """Newton's equation of the centre of mass: a_C = Σ f / m + g (43)."""
    _positive(mass, 0.0, f"the mass is {mass}")
    a: Array = _total(forces) / mass + _shaped("gravity", gravity, 3)
    return a


def missing_force(mass: Any, a: Any, forces: Any, gravity: Any) -> Array:
    """The force that the others lack to give this acceleration: m (a_C - g) - Σ f (43)."""
    force: Array = (_shaped("a", a, 3) - _shaped("gravity", gravity, 3)) * mass - _total(forces)
    return force


def newton_euler(body: Inertia, w: Any, point: Any) -> tuple[Array, Array]:
    """M and b of the six equations about a point P of the body: M (ẇ, a_P) + b = (τ_P, f) (48).

    P is given like `body.com` and may move; a_P is its acceleration seen from a fixed frame. The
    loads are all loads, weight and reactions included: see `resultant`.
    """
    w, m, P = _shaped("w", w, 3), body.mass, _shaped("point", point, 3)
    S, gamma = skew(body.com - P), body.about(P)
    M = np.block([[gamma, S * m], [S.T * m, np.diag([m, m, m])]])
    return M, np.concatenate([cross(w, gamma @ w), cross(w, cross(w, body.com - P)) * m])


def newton_euler_loads(body: Inertia, w: Any, acceleration: Any, point: Any) -> Array:
    """(τ_P, f) that give the acceleration (ẇ, a_P)."""
    M, b = newton_euler(body, w, point)
    return M @ _shaped("acceleration", acceleration, 6) + b


def newton_euler_acceleration(body: Inertia, w: Any, loads: Any, point: Any) -> Array:
    """(ẇ, a_P) under the loads (τ_P, f): found at the centre of mass, where the two part."""
    loads, r = _shaped("loads", loads, 6), body.com - _shaped("point", point, 3)
    dw = euler_acceleration(body.tensor, w, loads[:3] - cross(r, loads[3:]))
    return np.concatenate([dw, loads[3:] / body.mass - cross(dw, r) - cross(w, cross(w, r))])


def wrench(G: Any, V: Any, dV: Any) -> Array:
    """The wrench of a motion, in a frame fixed to the body or in space: F = G V̇ - ad_Vᵀ G V."""
    G, V = _shaped("G", G, 6, 6), _shaped("V", V, 6)
    F: Array = G @ _shaped("dV", dV, 6) + cross_force(V, G @ V)
    return F


def twist_rate(G: Any, V: Any, F: Any) -> Array:
    """V̇ under a wrench: the inverse of `wrench`."""
    G, V = _shaped("G", G, 6, 6), _shaped("V", V, 6)
    return _solve(G, _shaped("F", F, 6) - cross_force(V, G @ V), np.diag(G))


def seen_from(X_ba: Pose, G_b: Any) -> Array:
    """The spatial inertia in frame a: G_a = Adᵀ G_b Ad, as V_b = Ad V_a and F_a = Adᵀ F_b."""
    return X_ba.adjoint().T @ _shaped("G_b", G_b, 6, 6) @ X_ba.adjoint()


def _shaped(name: str, x: Any, *shape: int) -> Array:
    array = vector(x)
    if array.shape != shape:
        raise ShapeError(f"{name} has shape {array.shape}; expected {shape}")
    return array


def _total(items: Any) -> Array:
    start = np.zeros(3, dtype=int)  # whole zeros keep fractions exact
    return vector(sum((_shaped("a force or torque", x, 3) for x in items), start))


def _positive(x: Any, scale: Any, what: str) -> None:
    if is_numeric([x, scale]) and x <= 1e-14 * scale:  # nan passes, and stays nan
        raise InertiaError(f"loads do not determine the acceleration: {what}")


def _solve(A: Array, b: Array, scales: Array) -> Array:
    """x with A x = b by LDLᵀ: no pivoting is needed, because inertia is positive definite."""
    pivot, row = A[0, 0], A[0, 1:]
    _positive(pivot, scales[0], "the inertia is singular, as that of a rod or a point")
    if len(b) == 1:
        x: Array = b / pivot
        return x
    factors = row / pivot
    x = _solve(A[1:, 1:] - np.outer(factors, row), b[1:] - factors * b[0], scales[1:])
    return vector([b[0] / pivot - factors @ x, *x])
