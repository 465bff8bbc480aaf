"""Where mechanisms stand: upright, side by side, on a floor, and from where they are seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.drawing.solids import turned_to
from visviva.show.scene.scene import UNSEEN, Scene

GAP = 0.35  # between two mechanisms, of the larger one's size
NEAR = 3.1  # distance of the camera, of the radius of all


@dataclass(frozen=True, eq=False)
class Spot:
    """Where a mechanism stands in the view: x = R x_mechanism + p."""

    R: Array
    p: Array

    def seen(self, x: Any) -> Array:
        """Points of the mechanism's world in the view."""
        return np.asarray(x, dtype=float) @ self.R.T + self.p

    def own(self, x: Any) -> Array:
        """Points of the view in the mechanism's world."""
        return (np.asarray(x, dtype=float) - self.p) @ self.R


@dataclass(frozen=True, eq=False)
class Stage:
    """Spots, the height of the floor, how far it goes, and a camera."""

    spots: tuple[Spot, ...]
    floor: float
    extent: float
    camera: Array
    look_at: Array


def upright(scene: Scene, gravity: bool) -> Array:
    """R (3, 3), under which what is up for the mechanism is up in the view."""
    g = np.asarray(getattr(scene.system.numeric, "gravity", np.zeros(3)), dtype=object)
    pull = np.array([float(x) for x in g]) if len(g) == 3 else np.zeros(3)
    if not pull.any():  # a system of energies: its points are drawn in x, y
        up = [0.0, 1.0, 0.0] if gravity and scene.plane == (0, 1) else [0.0, 0.0, 1.0]
    else:
        up = list(-pull / np.linalg.norm(pull))
    if np.allclose(up, [0.0, 1.0, 0.0]):  # a page of paper put upright
        return np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    return np.asarray(turned_to(up).T) if not np.allclose(up, [0.0, 0.0, 1.0]) else np.eye(3)


def staged(scenes: Sequence[Scene], turned: Sequence[Array]) -> Stage:
    """Side by side along x, on one floor."""
    boxes = [_box(scene, R) for scene, R in zip(scenes, turned, strict=True)]
    spots, right = [], 0.0
    for k, (low, high) in enumerate(boxes):
        gap = GAP * max(scenes[k].size, scenes[k - 1].size) if k else 0.0
        p = np.array([right + gap - low[0] if len(boxes) > 1 else 0.0, 0.0, 0.0])
        right = p[0] + high[0]
        spots.append(Spot(turned[k], p))
    lows = np.array([low + s.p for (low, _), s in zip(boxes, spots, strict=True)])
    highs = np.array([high + s.p for (_, high), s in zip(boxes, spots, strict=True)])
    low, high = lows.min(axis=0), highs.max(axis=0)
    centre, radius = (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, 1e-6)
    floor = 0.0 if low[2] > -0.02 * radius else float(low[2]) - 0.02 * radius
    flat = all(_is_seen_from_the_front(x, R) for x, R in zip(scenes, turned, strict=True))
    side = 0.12 if flat else 0.75 if len(scenes) == 1 else 0.35
    along = np.array([side, -1.0, 0.22 if flat else 0.5])
    camera = centre + NEAR * radius * along / np.linalg.norm(along)
    return Stage(tuple(spots), floor, radius, camera, centre)


def _is_seen_from_the_front(scene: Scene, R: Array) -> bool:
    """Whether it moves in a plane that stands upright across the view."""
    if scene.plane is None:
        return False
    normal = np.cross(*np.eye(3)[list(scene.plane)])
    return bool(abs((R @ normal)[1]) > 0.9)


def _box(scene: Scene, R: Array) -> tuple[Array, Array]:
    """Lowest and highest corner of what is drawn where it begins."""
    X = scene.at(scene.start)
    anchors = [a for x in scene.shapes if x.role not in UNSEEN for a in x.outline()]
    points = np.array([X[k][:, :3] @ p + X[k][:, 3] for k, p in anchors]).reshape(-1, 3)
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        points = np.array([[-1.0, -1, -1], [1, 1, 1]]) * scene.size / 2
    points = points @ R.T
    return points.min(axis=0), points.max(axis=0)
