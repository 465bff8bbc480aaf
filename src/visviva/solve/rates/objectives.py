"""What can be made large where joints are free to: by name, or a function of q.

Along a self-motion the values count, for joint rates the slopes:

    "limits"          joints in the middle of their ranges
    "manipulability"  √det(A Aᵀ), Yoshikawa's: far from singular positions
    "neutral"         joints near their neutral positions
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError, check_known
from visviva.solve.numeric.newton import Newton
from visviva.solve.rates.slopes import Slopes

OBJECTIVES = ("limits", "manipulability", "neutral")


def objective_of(newton: Newton, objective: str | Callable[[Any], Any]) -> Callable[[Array], Array]:
    """Positions (K, nq) to values (K,)."""
    if callable(objective):
        return lambda q: np.array([float(objective(x)) for x in q])
    if not isinstance(objective, str):
        raise ArgumentError(f"an objective is a function of q or a name, got {objective!r:.60}")
    check_known("objective", objective, OBJECTIVES)
    if objective == "manipulability":
        return lambda q: _manipulability(newton, q)
    if objective == "neutral":
        return lambda q: -0.5 * (_to_neutral(newton, q) ** 2).sum(axis=-1)
    low, high, limited = _ranges(newton)

    def room(q: Array) -> Array:
        margin = np.minimum(q - low, high - q)[:, limited]
        return np.asarray((margin / ((high - low)[limited] / 2)).min(axis=1))

    return room


def preferred_by_name(newton: Newton, q: Array, names: str | Mapping[str, Any]) -> Array:
    """Velocities (…, nv) with which objectives grow, each with its weight, at q (…, nq)."""
    weights = {names: 1.0} if isinstance(names, str) else dict(names)
    z = np.zeros((*q.shape[:-1], newton.reach.model.nv))
    for name, weight in weights.items():
        check_known("secondary objective", name, OBJECTIVES)
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or weight < 0.0:
            raise ArgumentError(f"the weight of {name!r} is a number from 0 on, got {weight!r}")
        z = z + float(weight) * _SLOPES[name](newton, q)
    if not np.isfinite(z).all():
        raise ArgumentError(f"weights of secondary objectives are finite, got {weights}")
    return z


def _ranges(newton: Newton) -> tuple[Array, Array, np.ndarray]:
    """Lower and upper limits of q, and which coordinates on the way have both."""
    low, high = newton.limits
    limited = np.isfinite(low) & np.isfinite(high) & (low < high)
    if not limited.any():
        raise ArgumentError(
            f"no joint of {newton.reach.model.name!r} on the way has both limits; "
            "with_limits({joint: (lower, upper)}) states them"
        )
    return low, high, limited


def _from_limits(newton: Newton, q: Array) -> Array:
    """∂/∂q of -½ of the mean square of (q - middle) over half the range (Liégeois)."""
    low, high, limited = _ranges(newton)
    pairs = [(v, k) for v, k in newton.reach.limited.items() if limited[k]]
    z = np.zeros((*q.shape[:-1], newton.reach.model.nv))
    for v, k in pairs:
        half = (high[k] - low[k]) / 2
        z[..., v] = ((low[k] + high[k]) / 2 - q[..., k]) / half**2 / len(pairs)
    return z


def _from_singular(newton: Newton, q: Array) -> Array:
    """∂/∂q of the product of singular values: each by uᵀ ∂A v, times the others."""
    reach = newton.reach
    J = reach.model.task_jacobian(reach.frame, reach.task.text)
    U, sizes, Vt = np.linalg.svd(J(q)[..., reach.moving], full_matrices=False)
    own = np.eye(sizes.shape[-1], dtype=bool)
    others = np.where(own, 1.0, sizes[..., None, :]).prod(axis=-1)
    change = J.jacobian("q")(q)[..., reach.moving, :]
    z = np.einsum("...k,...ik,...ijv,...kj->...v", others, U, change, Vt, optimize=True)
    z[..., np.setdiff1d(np.arange(reach.model.nv), reach.moving)] = 0.0
    return np.asarray(z)


def _to_neutral(newton: Newton, q: Array) -> Array:
    """Motions (…, nv) to the neutral position, of joints on the way."""
    m = newton.reach.model
    flat = q.reshape(-1, m.nq)
    steps = np.array([m.difference(x, m.neutral()) for x in flat]).reshape(*q.shape[:-1], m.nv)
    others = np.setdiff1d(np.arange(m.nv), newton.reach.moving)
    steps[..., others] = 0.0
    return steps


def _manipulability(newton: Newton, q: Array) -> Array:
    """√det(A Aᵀ) (K,), Yoshikawa's: the product of the singular values, in SI units."""
    _, A = newton.slope(q)
    return np.asarray(Slopes.of(A).sizes.prod(axis=-1))


_SLOPES: dict[str, Callable[[Newton, Array], Array]] = {
    "limits": _from_limits,
    "manipulability": _from_singular,
    "neutral": _to_neutral,
}
