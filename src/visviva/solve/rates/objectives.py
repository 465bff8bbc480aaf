"""What can be made large along a self-motion: by name, or a function of q."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError, check_known
from visviva.solve.numeric.newton import Newton
from visviva.solve.rates.slopes import Slopes

OBJECTIVES = ("manipulability", "limits")


def objective_of(newton: Newton, objective: str | Callable[[Any], Any]) -> Callable[[Array], Array]:
    """Positions (K, nq) to values (K,)."""
    if callable(objective):
        return lambda q: np.array([float(objective(x)) for x in q])
    if not isinstance(objective, str):
        raise ArgumentError(f"an objective is a function of q or a name, got {objective!r:.60}")
    check_known("objective", objective, OBJECTIVES)
    if objective == "manipulability":
        return lambda q: _manipulability(newton, q)
    low, high = newton.limits
    limited = np.isfinite(low) & np.isfinite(high)
    if not limited.any():
        raise ArgumentError(f"no joint of {newton.reach.model.name!r} on the way has both limits")

    def room(q: Array) -> Array:
        margin = np.minimum(q - low, high - q)[:, limited]
        return np.asarray((margin / ((high - low)[limited] / 2)).min(axis=1))

    return room


def _manipulability(newton: Newton, q: Array) -> Array:
    """√det(A Aᵀ) (K,), Yoshikawa's: the product of the singular values, in SI units."""
    _, A = newton.slope(q)
    return np.asarray(Slopes.of(A).sizes.prod(axis=-1))
