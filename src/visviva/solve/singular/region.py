"""Areas and volumes of clouds of points, and at which of them how many orientations are taken.

A cell inside counts in full, one at the edge half, and single cells inside that no point fell into
are filled; the result is what was seen, at the resolution of the grid. Orientations are random
ones, tried by inverse kinematics.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError, ShapeError
from visviva.solve.singular.chosen import Arm
from visviva.space.rotations import about_axis, quaternion_matrix

CELLS = 120  # across a plane region
BLOCKS = 40  # across a region of space


def occupied_area(points: Array) -> float:
    """Of complex points in a plane."""
    x = np.stack([points.real, points.imag], axis=1)
    cells, size = _cells(x, _fine(len(x), CELLS))
    return float(cells.sum() * size.prod())


def seen_from_axis(points: Array, centre: Array, axis: Array) -> Array:
    """(N, 2): distance from an axis, and height along it."""
    apart = points - centre
    height = apart @ axis
    return np.stack([np.linalg.norm(apart - np.outer(height, axis), axis=1), height], axis=1)


def volume_of(section: Array) -> float:
    """Of what a section (distance from the axis, height) makes when it turns all round."""
    cells, size = _cells(section, _fine(len(section), CELLS))
    start = section.min(axis=0)[0]
    middle = start + (np.arange(cells.shape[0]) + 0.5) * size[0]
    return float(np.sum(cells * middle[:, None]) * 2 * np.pi * size.prod())


def spread(points: Array) -> float:
    """The volume of the cells of space that points fall into."""
    cells, size = _cells(points, _fine(len(points), BLOCKS))
    return float(cells.sum() * size.prod())


def shares(
    arm: Arm, plane: tuple[int, int] | None, points: Any, orientations: int, seed: int
) -> Array:
    """Of random orientations, those that are taken at points (N, 3)."""
    p = np.asarray(points, float)
    if p.ndim != 2 or p.shape[1] != 3 or not np.isfinite(p).all():
        raise ShapeError(f"dexterity: points are (N, 3) finite numbers, got the shape {p.shape}")
    if not isinstance(orientations, int) or orientations < 1:
        raise ArgumentError(f"dexterity: orientations is a whole number, got {orientations!r}")
    rng = np.random.default_rng(seed)
    model, unit = arm.model, np.eye(3)
    if plane is None:
        x = rng.normal(size=(orientations, 4))
        turns = [quaternion_matrix(y / np.linalg.norm(y)) for y in x]
    else:  # about the normal, from where the frame is now
        normal = np.cross(unit[plane[0]], unit[plane[1]])
        here = model.pose(arm.frame)(model.neutral())[:3, :3]
        turns = [about_axis(normal, a) @ here for a in rng.uniform(-np.pi, np.pi, orientations)]
    X = np.zeros((len(p), orientations, 4, 4))
    X[..., :3, :3], X[..., :3, 3], X[..., 3, 3] = np.array(turns), p[:, None], 1.0
    q = model.inverse_kinematics_function(arm.frame)(X)
    return np.asarray((_fits(arm, q, X)).any(axis=-1).mean(axis=-1))


def _fits(arm: Arm, q: Array, X: Array) -> Array:
    """Which positions are numbers, at the pose, and within the limits in whole turns."""
    model = arm.model
    low, high = np.asarray(model.lower, float), np.asarray(model.upper, float)
    turns = np.array([unit == "rad" for unit in model.coordinate_units])
    finite = np.isfinite(q).all(axis=-1)
    q = np.where(finite[..., None], q, 0.0)
    base = np.where(np.isfinite(low), low, q)
    q = np.where(turns, q + 2 * np.pi * np.ceil((base - 1e-12 - q) / (2 * np.pi)), q)
    within = ((q >= low - 1e-12) & (q <= high + 1e-12)).all(axis=-1)
    there = np.abs(model.pose(arm.frame)(q) - X[..., None, :, :]).max(axis=(-1, -2)) < 1e-9
    return np.asarray(finite & within & there)


def _fine(count: int, most: int) -> int:
    """So that a cell has several points."""
    return int(np.clip((count / 8) ** 0.5, 8, most))


def _cells(points: Array, count: int) -> tuple[Array, Array]:
    low, high = points.min(axis=0), points.max(axis=0)
    wide = np.maximum(high - low, 1e-12)
    size = wide / count
    place = np.minimum(((points - low) / size).astype(int), count - 1)
    cells = np.zeros((count,) * points.shape[1], bool)
    cells[tuple(place.T)] = True
    cells = cells | (_around(cells) >= 2 * cells.ndim - 1)
    return np.where(_around(cells) == 2 * cells.ndim, 1.0, 0.5) * cells, size


def _around(cells: Array) -> Array:
    """How many neighbours of each cell are occupied; those outside of the grid are not."""
    around = np.zeros(cells.shape, int)
    padded = np.pad(cells, 1)
    for axis in range(cells.ndim):
        for step in (-1, 1):
            around += np.roll(padded, step, axis)[(slice(1, -1),) * cells.ndim]
    return around
