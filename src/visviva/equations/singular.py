"""Why a result of a mechanism is not finite: where its mass matrix has no inverse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from visviva.describe.model.idle import motion_text, singular_reason

SINGULAR = 1e-14  # of the largest singular value, of a matrix with ones on its diagonal


def reason(system: Any, arguments: Mapping[str, Any]) -> str:
    """The motion that no inertia resists in this state; empty if there is none."""
    if "parameters" in arguments or "q" not in arguments:
        return ""
    f = system.mass_matrix
    M = f(*(arguments[k] for k in f.inputs)) if set(f.inputs) <= set(arguments) else np.zeros(0)
    if not M.size or not np.isfinite(M).all():
        return ""
    size = np.sqrt(np.abs(np.diag(M)))
    size[size == 0.0] = size.max(initial=0.0) or 1.0
    N = np.eye(len(M))  # what rows admit
    if system.held_by:
        f = system.constraint_matrix
        A = f(*(arguments[k] for k in f.inputs)) if set(f.inputs) <= set(arguments) else None
        if A is None or not np.isfinite(A).all():
            return ""
        A = A / size
        long = np.linalg.norm(A, axis=1, keepdims=True)
        _, s, V = np.linalg.svd(A / np.where(long > 0, long, 1.0))
        N = V[int((s > SINGULAR * s.max(initial=0.0)).sum()) :].T
    _, w, V = np.linalg.svd(N.T @ (M / size / size[:, None]) @ N)
    if not len(w) or w[-1] > SINGULAR * max(w[0], 1.0):
        return ""
    motion = singular_reason([motion_text(list(system.motion_names), N @ V[-1] / size)])
    return f"the mass matrix is singular here (Euler angles have such places): {motion}"
