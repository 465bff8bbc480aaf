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
    size[size == 0.0] = 1.0
    _, w, V = np.linalg.svd(M / size / size[:, None])
    if w[-1] > SINGULAR * w[0]:
        return ""
    motion = singular_reason([motion_text(list(system.motion_names), V[-1] / size)])
    return f"the mass matrix is singular here (Euler angles have such places): {motion}"
