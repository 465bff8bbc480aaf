"""Shapes of a model's bodies: links, solids of files, centres of mass, ellipsoids of inertia."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.bodies.inertia import Inertia, principal_axes
from visviva.describe.model.body import Visual
from visviva.describe.model.model import Model
from visviva.show.scene.carriers import Rig
from visviva.show.scene.shapes import (
    Anchor,
    Box,
    Cylinder,
    Ellipsoid,
    Numbers,
    Segment,
    Shape,
    Sphere,
    as_point,
    as_pose,
)
from visviva.space.rotations import about_axis

ORIGIN = (0.0, 0.0, 0.0)
LINK, ROD, MASS, BLOB = 0.016, 0.008, 0.022, 0.05  # radii, of the size
THINNEST = 0.03  # of an ellipsoid's largest semi-axis: a lamina and a rod are seen too
NEAR = 1e-6  # of the size: points that are one


def body_shapes(rig: Rig, i: int, size: float) -> list[Shape]:
    """All of one body; one without extent is its ellipsoid, or else a small ball."""
    b = rig.numeric.bodies[i]
    solid = [x for v in b.visuals if (x := visual_shape(rig.of(i), b.name, v)) is not None]
    shapes: list[Shape] = solid or _links(rig, i, size)
    if b.inertia.mass <= 0:
        return shapes
    at = rig.add(f"com:{b.name}", i, lambda m: (np.eye(3), m.bodies[i].inertia.com))
    round_it = ellipsoid(b.inertia)
    if round_it is not None:
        role = "inertia" if shapes else "link"
        shapes = [*shapes, Ellipsoid(role, b.name, at, *round_it)]
    elif not shapes:
        shapes = [Sphere("link", b.name, at, ORIGIN, BLOB * size)]
    return [*shapes, Sphere("centre", b.name, at, ORIGIN, MASS * size)]


def _links(rig: Rig, i: int, size: float) -> list[Shape]:
    """Bars from the body's joint to those of its children and to its frames, else to its centre."""
    b = rig.numeric.bodies[i]
    ends = _ends(rig, i, size)
    if not ends and b.inertia.mass > 0 and np.linalg.norm(b.inertia.com) > NEAR * size:
        com: Anchor = rig.anchor(f"end:{b.name}", i, lambda m: m.bodies[i].inertia.com)
        ends = [com]
    start: Anchor = (rig.of(i), ORIGIN)
    thick = LINK if b.inertia.mass > 0 else ROD
    return [Segment("link", b.name, start, end, thick * size) for end in ends]


def _ends(rig: Rig, i: int, size: float) -> list[Anchor]:
    """Different points of a body, away from its origin, at which something is attached."""
    found: list[tuple[Array, Anchor]] = []

    def add(name: str, here: Any, point: Any) -> None:
        p = np.asarray(here, dtype=float)
        near = [np.zeros(3), *(x for x, _ in found)]
        if all(np.linalg.norm(p - x) > NEAR * size for x in near):
            found.append((p, rig.anchor(name, i, point)))

    for k, child in enumerate(rig.numeric.bodies):
        if child.parent == i:
            add(f"joint:{child.joint_name}", child.placement.p, _placement_of(k))
    for k, f in enumerate(rig.numeric.frames):
        if f.body == i:
            add(f"end:{f.name}", f.placement.p, _frame_at(k))
    return [anchor for _, anchor in found]


def _placement_of(k: int) -> Any:
    return lambda m: m.bodies[k].placement.p


def _frame_at(k: int) -> Any:
    return lambda m: m.frames[k].placement.p


def visual_shape(on: int, name: str, v: Visual) -> Shape | None:
    """A solid of a file; meshes are none of these."""
    pose = as_pose(v.placement.R, v.placement.p)
    size = tuple(float(x) for x in v.size)
    if v.kind == "box":
        return Box("link", name, on, pose, size)
    if v.kind in ("cylinder", "capsule"):
        return Cylinder("link", name, on, pose, size[0], size[1])
    if v.kind == "ellipsoid":
        return Ellipsoid("link", name, on, pose, size)
    if v.kind == "sphere":
        return Sphere("link", name, on, as_point(v.placement.p), size[0])
    return None


def ellipsoid(inertia: Inertia) -> tuple[Numbers, Numbers] | None:
    """Pose about the centre and semi-axes of the uniform ellipsoid with this mass and inertia.

    a² = 5 (I₂ + I₃ - I₁) / 2m, and round for the others; None for a point mass.
    """
    m, tensor = float(inertia.mass), np.asarray(inertia.tensor, dtype=float)
    if not m > 0 or not np.isfinite(tensor).all():
        return None
    own = principal_axes(tensor)
    moments = own.moments
    squares = 2.5 / m * (moments.sum() - 2 * moments)
    radii = np.sqrt(np.maximum(squares, 0.0))  # published tensors may break the inequality
    if radii.max() <= 0:
        return None
    radii = np.maximum(radii, THINNEST * radii.max())
    return as_pose(own.axes, np.zeros(3)), tuple(radii.tolist())


def base_shapes(rig: Rig, model: Model) -> list[Shape]:
    """Solids of what stands still."""
    found = (visual_shape(0, model.base_name, v) for v in model.base_visuals)
    return [x for x in found if x is not None]


def turned_to(axis: Any) -> Array:
    """A rotation whose z axis is along a direction."""
    a = np.asarray(axis, dtype=float)
    a = a / np.linalg.norm(a)
    n = np.cross([0.0, 0.0, 1.0], a)
    s, c = float(np.linalg.norm(n)), float(a[2])
    if s < 1e-12:
        return np.eye(3) if c > 0 else np.diag([1.0, -1.0, -1.0])
    return np.asarray(about_axis(n / s, np.arctan2(s, c)), dtype=float)
