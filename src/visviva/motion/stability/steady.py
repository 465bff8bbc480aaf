"""Velocities that constraints prescribe: what they drive is steady, not at rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.machine.function import function
from visviva.solve.rows import dependence

ROUNDING_OF_ROWS = 1e-9  # of rows

Mask = np.ndarray[Any, np.dtype[np.bool_]]


def idle_coordinates(s: Any) -> Mask:
    """Coordinates that inertia, forces and rows A v + a₀ do not have: a mask (nv,).

    A motion along these alone, at constant velocities, changes nothing but the position.
    """
    names = ("mass_matrix", "bias_forces", "constraint_velocity", "constraint_matrix")
    functions = [s.function(x) for x in (names if s.held_by else names[:2])]

    def acting(q: Any, step: Any, v: Any, t: Any) -> Any:
        known = {"q": s.integrate(q, step), "v": v, "t": t[0]}
        values = [f._evaluated([known[k] for k in f.inputs], "a motion") for f in functions]
        return np.concatenate([vector(np.asarray(x).ravel()) for x in values])

    sizes = {"q": s.nq, "step": s.nv, "v": s.nv, "t": 1}
    program = function(acting, sizes, name="acting").program
    return np.asarray(~dependence(program)[s.nq : s.nq + s.nv])


def prescribed_velocity(s: Any, t: float) -> Array:
    """v with A v + a₀ = 0 along coordinates that nothing depends on; zero where there is none.

    Where a₀ is zero, too: constraints leave the system at rest.
    """
    drift = s.function("constraint_velocity")

    def rows(q: Any, v: Any, t: Any) -> Any:
        known = {"q": q, "v": v, "t": t[0]}
        return drift._evaluated([known[k] for k in drift.inputs], "a motion")

    at_rest = function(lambda q, t: rows(q, np.zeros(s.nv), t), {"q": s.nq, "t": 1}, name="a0")
    still, home = np.zeros(s.nv), np.asarray(s.neutral(), dtype=float)
    time = np.array([t])
    a0 = np.asarray(at_rest(home, time))
    if dependence(at_rest.program).any() or not a0.any():
        return still
    own = idle_coordinates(s)

    def moving(q: Any, v: Any, t: Any) -> Any:
        return rows(q, np.where(own, v, 0.0), t)

    along = function(moving, {"q": s.nq, "v": s.nv, "t": 1}, name="moving")
    slope = along.jacobian("v")
    if dependence(slope.program).any():
        return still
    A = np.asarray(slope(home, still, time))
    v = -np.linalg.lstsq(A, a0, rcond=ROUNDING_OF_ROWS)[0]
    v[np.abs(v) <= ROUNDING_OF_ROWS * np.abs(v).max(initial=0.0)] = 0.0
    is_steady = np.abs(A @ v + a0).max() <= ROUNDING_OF_ROWS * np.abs(a0).max()
    return v if is_steady else still


def driven_rows(s: Any, v: Array, A: Array, slope: Array) -> Array:
    """Rows (k, nv) that keep coordinates of a steady motion on their way, where A prescribes it.

    Nothing depends on where these are, and their velocities on no other position, which `slope`
    tells, of A v + a₀: small changes of them are no motions.
    """
    if not np.any(v):
        return np.zeros((0, s.nv))
    units = np.eye(s.nv)[(v != 0) & idle_coordinates(s)]
    combined = np.linalg.lstsq(A.T, units.T, rcond=ROUNDING_OF_ROWS)[0].T
    off = np.hstack([units - combined @ A, combined @ slope])
    return np.asarray(units[np.abs(off).max(axis=1, initial=0.0) <= ROUNDING_OF_ROWS])
