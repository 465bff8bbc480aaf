"""A mechanism as an image of pixels, as vector pictures show it, in plain numpy."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from visviva.show.figures.drawn import mixed
from visviva.show.figures.roles import PALE
from visviva.show.figures.still import shapes_seen
from visviva.show.scene.of import scene_of
from visviva.show.scene.scene import Scene

WIDTH, HEIGHT = 480, 360
FINE = 2  # pixels that become one, in each direction
ROOM = 2.4  # of the mechanism at its start: how far it is seen to move
PARTS = ("ground", "loops", "links", "springs", "joints")
LINE = 1.5  # pixels


def image(system: Any, q: np.ndarray) -> np.ndarray:
    """(HEIGHT, WIDTH, 3) of whole numbers from 0 to 255; the view follows what leaves it."""
    scene = scene_of(system)
    view, shapes = shapes_seen(scene, q, 0.0, PARTS, None)
    radius = ROOM * scene.bounds[1]
    scale = FINE * min(WIDTH, HEIGHT) / 2 / radius
    middle = view @ _view_center(scene, q, radius / 2)
    canvas = np.full((FINE * HEIGHT, FINE * WIDTH, 3), 255.0)
    corner = np.array([FINE * WIDTH, FINE * HEIGHT]) / 2

    def pixels(points: np.ndarray) -> np.ndarray:
        return np.asarray(corner + (points[:, :2] - middle[:2]) * [scale, -scale])

    for x in shapes:
        for k, (ring, light) in enumerate(x.faces):
            colour = x.colour if k == 0 else mixed(x.colour, 0.35 * light)
            _fill(canvas, pixels(ring), colour, PALE.get(x.shape.role, 1.0))
        for a, b in pairwise(pixels(x.line) if x.line is not None else []):
            length = max(float(np.hypot(*(b - a))), 1e-9)
            side = np.array([a[1] - b[1], b[0] - a[0]]) / length * LINE * FINE / 2
            _fill(canvas, np.array([a - side, b - side, b + side, a + side]), x.colour, 1.0)
    small = canvas.reshape(HEIGHT, FINE, WIDTH, FINE, 3).mean(axis=(1, 3))
    return np.asarray(small.round(), dtype=np.uint8)


def _view_center(scene: Scene, q: np.ndarray, slack: float) -> np.ndarray:
    """The middle of the view: that of the start, until the mechanism is farther off."""
    first, last = (scene.at(x)[1:, :, 3].mean(axis=0) for x in (scene.start, q))
    motion = last - first
    return np.asarray(scene.bounds[0] + motion - np.clip(motion, -slack, slack))


def _fill(canvas: np.ndarray, ring: np.ndarray, colour: str, opacity: float) -> None:
    """A polygon of pixels (k, 2): what is inside has an odd number of edges to its right."""
    size = np.array(canvas.shape[1::-1])
    low = np.clip(np.floor(np.nan_to_num(ring.min(axis=0))).astype(int), 0, size)
    high = np.clip(np.ceil(np.nan_to_num(ring.max(axis=0))).astype(int), 0, size)
    x, y = np.arange(low[0], high[0]) + 0.5, (np.arange(low[1], high[1]) + 0.5)[:, None]
    inside = np.zeros((len(y), len(x)), dtype=bool)
    for a, b in pairwise([*ring, ring[0]]):
        if a[1] != b[1]:
            edge = a[0] + (y - a[1]) * (b[0] - a[0]) / (b[1] - a[1])
            inside ^= ((a[1] > y) != (b[1] > y)) & (x < edge)
    part = canvas[low[1] : high[1], low[0] : high[0]]
    ink = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], dtype=float)
    part[inside] += opacity * (ink - part[inside])
