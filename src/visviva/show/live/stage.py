"""Where mechanisms stand: upright, side by side, on a floor, and from where they are seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.drawing.solids import turned_to
from visviva.show.scene.scene import UNSEEN, Scene

_TRIED = 12  # positions by which it is seen how far a mechanism goes
_GAP = 0.15  # between two mechanisms, of the larger one's size
_NEAR = 2.7  # distance of the camera, of the radius of all


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
class Arrangement:
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


def staged(scenes: Sequence[Scene], turned: Sequence[Array]) -> Arrangement:
    """Side by side along x, on one floor."""
    boxes = [_box(_points(x, R, _tried(x))) for x, R in zip(scenes, turned, strict=True)]
    spots, right = [], 0.0
    for k, (low, high) in enumerate(boxes):
        gap = _GAP * max(scenes[k].size, scenes[k - 1].size) if k else 0.0
        p = np.array([right + gap - low[0] if len(boxes) > 1 else 0.0, 0.0, 0.0])
        right = p[0] + high[0]
        spots.append(Spot(turned[k], p))
    lows = np.array([low + s.p for (low, _), s in zip(boxes, spots, strict=True)])
    highs = np.array([high + s.p for (_, high), s in zip(boxes, spots, strict=True)])
    low, high = lows.min(axis=0), highs.max(axis=0)
    floor = min(map(_floor, scenes, turned, lows[:, 2].tolist()))
    low[2] = max(low[2], floor)
    centre, radius = (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, 1e-6)
    flat = all(_is_seen_from_the_front(x, R) for x, R in zip(scenes, turned, strict=True))
    side = 0.12 if flat else 0.75 if len(scenes) == 1 else 0.35
    along = np.array([side, -1.0, 0.16 if flat else 0.5])
    camera = centre + _NEAR * radius * along / np.linalg.norm(along)
    return Arrangement(tuple(spots), floor, radius, camera, centre)


def _floor(scene: Scene, R: Array, lowest: float) -> float:
    """Robots stand on the ground at zero; what swings in a plane, or hangs, has it below."""
    low, high = _box(_points(scene, R, [scene.start]))
    if scene.plane is None and low[2] > -0.02 * float(np.linalg.norm(high - low)):
        return 0.0
    return lowest - 0.03 * scene.size


def _is_seen_from_the_front(scene: Scene, R: Array) -> bool:
    """Whether it moves in a plane that stands upright across the view."""
    if scene.plane is None:
        return False
    normal = np.cross(*np.eye(3)[list(scene.plane)])
    return bool(abs((R @ normal)[1]) > 0.9)


def _tried(scene: Scene) -> list[Array]:
    """The start, and where joints can go from there; of a mechanism with loops the start alone."""
    s, rng = scene.system, np.random.default_rng(2)
    if s.held_by:
        return [scene.start]
    far = np.array([2.5 if "rad" in unit else 0.25 * scene.size for unit in s.velocity_units])
    steps = [far * rng.uniform(-1.0, 1.0, s.nv) for _ in range(_TRIED)]
    low = np.array([c.lower for c in scene.coordinates])
    high = np.array([c.upper for c in scene.coordinates])
    return [scene.start, *(np.clip(s.integrate(scene.start, x), low, high) for x in steps)]


def _points(scene: Scene, R: Array, positions: Sequence[Array]) -> Array:
    """What is drawn at some positions, turned as it is seen."""
    anchors = [a for x in scene.shapes if x.role not in UNSEEN for a in x.outline()]
    places = [scene.at(q) for q in positions]
    points = [X[k][:, :3] @ p + X[k][:, 3] for X in places for k, p in anchors]
    found = np.array(points).reshape(-1, 3)
    found = found[np.isfinite(found).all(axis=1)]
    if not len(found):
        found = np.array([[-1.0, -1, -1], [1, 1, 1]]) * scene.size / 2
    return np.asarray(found @ R.T)


def _box(points: Array) -> tuple[Array, Array]:
    """Lowest and highest corner."""
    return points.min(axis=0), points.max(axis=0)
