"""What a change of the kinetic energy does to everything that comes of it; all of it is linear."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.judge.check.compare.case import Case


def change(case: Case, T: Any) -> Array | None:
    """How the quantity that a claim is about changes with T added; None if it does not."""
    ring = case.field.ring
    q = case.facts.coordinates
    if len(q) != len(case.facts.rates):
        return None  # velocities are no rates of coordinates
    v, a = ([ring[x] for x in names] for names in zip(*case.facts.rates, strict=True))
    n = range(len(v))
    made: Any = None
    match case.subject.kind:
        case "kinetic_energy" | "lagrangian" | "energy":
            made = np.array(T, dtype=object)
        case "momenta":
            made = [T.derivative(str(x)) for x in v]
        case "mass_matrix":
            made = _mass(T, v)
        case "christoffel":
            made = _christoffel(_mass(T, v), q)
        case "coriolis_matrix":
            made = _christoffel(_mass(T, v), q) @ np.array(v, dtype=object)
        case "velocity_forces" | "bias_forces":
            made = [_drift(T, i, q, v) for i in n]
        case "equations":
            M = _mass(T, v)
            made = [sum((M[i, j] * a[j] for j in n), _drift(T, i, q, v)) for i in n]
    return None if made is None else np.array(made, dtype=object)


def _mass(T: Any, v: Any) -> Array:
    slopes = [T.derivative(str(x)) for x in v]
    return np.array([[p.derivative(str(x)) for x in v] for p in slopes], dtype=object)


def _christoffel(M: Array, q: Any) -> Array:
    n = len(q)
    D = np.array([[[x.derivative(k) for k in q] for x in row] for row in M], dtype=object)
    made = np.empty((n, n, n), dtype=object)
    for i, j, k in np.ndindex(n, n, n):
        made[i, j, k] = (D[i, j, k] + D[i, k, j] - D[j, k, i]) / 2
    return made


def _drift(T: Any, i: int, q: Any, v: Any) -> Any:
    """Σ ∂²T/∂vᵢ∂qⱼ vⱼ - ∂T/∂qᵢ."""
    p = T.derivative(str(v[i]))
    carried = (p.derivative(name) * rate for name, rate in zip(q, v, strict=True))
    return sum(carried, -T.derivative(q[i]))
