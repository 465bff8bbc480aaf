"""Principal moments and axes of a tensor, and which of these are not unique."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visviva.algebra.arrays import Array, FloatArray


@dataclass(frozen=True)
class Principal:
    """Principal moments in ascending order, and a right-handed frame of their axes (columns)."""

    moments: FloatArray
    axes: FloatArray
    notice: str  # empty, or which axes are not unique


def principal_axes(tensor: Array) -> Principal:
    """Eigenvectors as a right-handed frame, with a notice where they are not unique."""
    moments, axes = np.linalg.eigh(tensor)
    if np.linalg.det(axes) < 0:
        axes[:, 2] *= -1
    return Principal(moments, axes, _notice(moments))


def _notice(moments: Array) -> str:
    scale = max(abs(moments[2]), 1e-300)
    same = [abs(moments[i + 1] - moments[i]) <= 1e-9 * scale for i in (0, 1)]
    if all(same):
        return "all three moments are equal: every axis is principal"
    if any(same):
        i = same.index(True)
        return f"moments {i + 1} and {i + 2} are equal: their axes may turn freely about the other"
    return ""
