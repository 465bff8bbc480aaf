"""From where a picture in space is looked at, so that all of it is seen."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from visviva.drawing.look import LETTERS

TOWARDS = np.array([0.49, -0.8, 0.35]) / np.linalg.norm([0.49, -0.8, 0.35])
OPENING = 0.96 * np.tan(np.pi / 8)  # nearly all of plotly's camera, up and down
ASPECT = 1.25  # of a picture, at least
WORDS = np.array([1.32, 1.32, 1.12])  # of the sides of a box: how far numbers and names stand out
NEAREST, FARTHEST = 1.1, 5.0
HEIGHTS = np.linspace(-0.3, 0.15, 19)  # of what is looked at, above the middle of the box


def camera(sides: Any) -> dict[str, Any]:
    """Plotly's camera for a box with these sides, the longest of length one."""
    distance, height = _fitting(tuple(float(x) for x in np.round(sides, 3)))
    eye = distance * TOWARDS + [0.0, 0.0, height]
    centre = {"x": 0.0, "y": 0.0, "z": float(height)}
    return {"eye": dict(zip(LETTERS, eye.tolist(), strict=True)), "center": centre}


@lru_cache(maxsize=256)
def _fitting(sides: tuple[float, ...]) -> tuple[float, float]:
    """The least distance from which all corners are in the picture, and at which height to look."""
    best = (FARTHEST, -0.1)
    for height in HEIGHTS:
        near, far = NEAREST, best[0]
        if not _is_seen(sides, far, height):
            continue
        while far - near > 0.01:
            middle = (near + far) / 2
            near, far = (near, middle) if _is_seen(sides, middle, height) else (middle, far)
        best = min(best, (far, float(height)))
    return best


def _is_seen(sides: tuple[float, ...], distance: float, height: float) -> bool:
    right = np.cross([0.0, 0.0, 1.0], TOWARDS)
    right /= np.linalg.norm(right)
    up = np.cross(TOWARDS, right)
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = signs * np.asarray(sides) / 2 * np.where(signs[:, 2:] < 0, WORDS, 1.0)
    seen = corners - [0.0, 0.0, height]
    depth = distance - seen @ TOWARDS
    if (depth <= 0.05).any():
        return False
    across, above = np.abs(seen @ right) / depth, np.abs(seen @ up) / depth
    return bool(across.max() <= OPENING * ASPECT and above.max() <= OPENING)
