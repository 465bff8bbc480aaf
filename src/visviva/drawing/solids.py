"""Surfaces of boxes, cylinders and ellipsoids, as triangles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from visviva.drawing.look import Array

Mesh = tuple[Array, Array]  # vertices (n, 3), triangles (m, 3)
ROUND = 20  # corners of a circle
BELTS = 10  # of a ball


def box(size: Any) -> Mesh:
    """With sides along the axes, centred."""
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2.0
    sides = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    faces = [t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))]
    return corners * np.asarray(size, dtype=float), np.array(faces)


def cylinder(radius: float, length: float) -> Mesh:
    """Along z, centred."""
    t = np.arange(ROUND) * (2 * np.pi / ROUND)
    ring = np.stack([radius * np.cos(t), radius * np.sin(t), np.zeros(ROUND)], axis=1)
    up = np.array([0.0, 0.0, length / 2])
    vertices = np.vstack([ring - up, ring + up, -up, up])
    k, following = np.arange(ROUND), (np.arange(ROUND) + 1) % ROUND
    bottom, top = np.full(ROUND, 2 * ROUND), np.full(ROUND, 2 * ROUND + 1)
    faces = [
        np.stack([k, following, following + ROUND], axis=1),
        np.stack([k, following + ROUND, k + ROUND], axis=1),
        np.stack([bottom, following, k], axis=1),
        np.stack([top, k + ROUND, following + ROUND], axis=1),
    ]
    return vertices, np.vstack(faces)


def ellipsoid(radii: Any) -> Mesh:
    """With these half axes along x, y and z, centred."""
    t = np.arange(ROUND) * (2 * np.pi / ROUND)
    u = np.linspace(0.0, np.pi, BELTS + 1)[1:-1]
    belts = [
        np.stack([np.sin(a) * np.cos(t), np.sin(a) * np.sin(t), np.full(ROUND, np.cos(a))], 1)
        for a in u
    ]
    vertices = np.vstack([*belts, [[0, 0, 1]], [[0, 0, -1]]])
    k, following = np.arange(ROUND), (np.arange(ROUND) + 1) % ROUND
    faces, north, south = [], len(vertices) - 2, len(vertices) - 1
    for b in range(len(u) - 1):
        here, below = b * ROUND, (b + 1) * ROUND
        faces.append(np.stack([k + here, k + below, following + below], axis=1))
        faces.append(np.stack([k + here, following + below, following + here], axis=1))
    last = (len(u) - 1) * ROUND
    faces.append(np.stack([np.full(ROUND, north), k, following], axis=1))
    faces.append(np.stack([np.full(ROUND, south), following + last, k + last], axis=1))
    return vertices * np.asarray(radii, dtype=float), np.vstack(faces)


def rod(a: Any, b: Any, radius: float) -> Mesh:
    """A cylinder from one point to another."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    length = float(np.linalg.norm(b - a))
    vertices, faces = cylinder(radius, length)
    return vertices @ turned_to(b - a).T + (a + b) / 2, faces


def turned_to(direction: Any) -> Array:
    """A rotation whose z axis points there."""
    z = np.asarray(direction, dtype=float)
    size = float(np.linalg.norm(z))
    if size == 0.0:
        return np.eye(3)
    z = z / size
    x = np.cross(np.eye(3)[int(np.abs(z).argmin())], z)
    x = x / np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


def joined(meshes: Iterable[Mesh]) -> Mesh:
    """Several surfaces as one."""
    vertices, faces, count = [], [], 0
    for points, triangles in meshes:
        vertices.append(points)
        faces.append(triangles + count)
        count += len(points)
    return np.vstack(vertices), np.vstack(faces)
