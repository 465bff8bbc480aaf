"""Conjugate points: where motions from one position with slightly other velocities meet again.

There ∂q/∂v₀ is singular: the action of the path is a minimum before the first of them, not after.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError
from visviva.motion.action.lagrangian import check_action
from visviva.solve.rows import finite

FINE = {"rtol": 1e-12, "atol": 1e-13}
GRID = 400  # times at which it is looked
TOUCHES = 1e-7  # of the singular values: two conjugate points in one


def conjugate_times(s: Any, q0: Any, v0: Any, t: float) -> Array:
    """Times after the start, up to t, at which the motion has conjugate points."""
    check_action(s)
    (end,) = finite("conjugate_times: t", [t], 1)
    if not end > 0.0:
        raise ArgumentError(f"conjugate_times: t is a duration, got {t!r}")

    def spread(times: Any) -> Array:
        found = s.sensitivities(q0, v0, times, wrt="v0", **FINE)
        return np.asarray(found.q["v0"])

    def determinant(time: float) -> float:
        return float(np.linalg.det(spread(time)[-1] / time))

    def least(time: float) -> float:
        return float(np.linalg.svd(spread(time)[-1] / time, compute_uv=False)[-1])

    times = np.linspace(0.0, end, GRID + 1)
    J = spread(times)[1:] / times[1:, None, None]
    det, low = np.linalg.det(J), np.linalg.svd(J, compute_uv=False)[:, -1]
    times = times[1:]
    found = [
        scipy.optimize.brentq(determinant, times[k], times[k + 1], xtol=1e-13)
        for k in np.flatnonzero(np.sign(det[1:]) * np.sign(det[:-1]) < 0)
    ]
    size = np.abs(J).max()
    for k in np.flatnonzero((low[1:-1] < low[:-2]) & (low[1:-1] < low[2:])) + 1:
        bounds = (times[k - 1], times[k + 1])
        if np.sign(det[k - 1]) == np.sign(det[k + 1]):  # it only touches zero, or does not
            best = scipy.optimize.minimize_scalar(least, bounds=bounds, method="bounded",
                                                  options={"xatol": 1e-12})  # fmt: skip
            found += [float(best.x)] * 2 if best.fun < TOUCHES * size else []
    return np.sort(np.array(found, dtype=float))
