"""Shapes of bodies: links, solids of files, centres of mass, ellipsoids of inertia."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.bodies.principal import principal_axes
from visviva.describe.joints.axis import Prismatic
from visviva.describe.joints.free import Free
from visviva.describe.model.body import WORLD, Body, Visual
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
LINK, ROD, MASS, BLOB = 0.016, 0.009, 0.022, 0.04  # radii, of the gauge
HOUSING = 0.12  # largest length of what is drawn around a joint
THINNEST = 0.03  # of an ellipsoid's largest semi-axis: a lamina and a rod are seen too
NEAR, OFF = 1e-6, 0.06  # of the gauge: points that are one, a centre beside its link


def body_shapes(rig: Rig, i: int, size: float, thick: float, seen: bool) -> list[Shape]:
    """All of one body; one without extent is a box of its inertia, or else a small ball.

    `seen`: whether something else shows where it is, a wheel that rolls.
    """
    b = rig.numeric.bodies[i]
    solid = [x for v in b.visuals if (x := visual_shape(rig.of(i), b.name, v)) is not None]
    bars = _links(rig, i, thick) if len(solid) < len(b.visuals) or not solid else []
    shapes: list[Shape] = [*solid, *bars]
    if b.inertia.mass <= 0:
        return shapes
    at = rig.add(f"com:{b.name}", i, lambda m: (np.eye(3), m.bodies[i].inertia.com))
    round_it = ellipsoid(b.inertia)
    if round_it is not None:
        shapes.append(Ellipsoid("inertia", b.name, at, *round_it))
    if not solid and not bars and not seen and not _has_joints(rig, i):
        largest = 2 * size if len(rig.numeric.bodies) < 4 else HOUSING * thick
        shapes.append(_block(b, at, round_it, largest, thick))
    return [*shapes, Sphere("centre", b.name, at, ORIGIN, MASS * thick)]


def _has_joints(rig: Rig, i: int) -> bool:
    """Whether the block of a slide, or hinges at both of its ends, show where it is."""
    bodies = rig.numeric.bodies
    parent = bodies[i].parent
    moves_alone = parent != WORLD and bodies[parent].inertia.mass <= 0
    carries = any(b.parent == i for b in bodies) and not isinstance(bodies[i].joint, Free)
    return isinstance(bodies[i].joint, Prismatic) or (carries and not moves_alone)


def _block(
    b: Body, at: int, round_it: tuple[Numbers, Numbers] | None, largest: float, thick: float
) -> Shape:
    """The uniform box with this mass and inertia, or smaller; a box shows how it turns.

    Its lengths are to the semi-axes of the ellipsoid as √12 to √5.
    """
    if round_it is None:
        return Sphere("link", b.name, at, ORIGIN, BLOB * thick)
    pose, radii = round_it
    lengths = np.array(radii) * np.sqrt(12 / 5)
    lengths = lengths * min(1.0, largest / lengths.max())
    return Box("link", b.name, at, pose, tuple(lengths.tolist()))


def _links(rig: Rig, i: int, size: float) -> list[Shape]:
    """Bars from the body's joint to those of its children and to its frames, else to its centre."""
    b = rig.numeric.bodies[i]
    ends = _ends(rig, i, size)
    start: Anchor = (rig.of(i), ORIGIN)
    com = np.asarray(b.inertia.com, dtype=float)
    apart = min((_apart(com, p) for p, _ in [(np.zeros(3), start), *ends]), default=0.0)
    thick = (LINK if b.inertia.mass > 0 else ROD) * size
    bars = [(anchor, thick) for _, anchor in ends]
    if b.inertia.mass > 0 and apart > (OFF if ends else NEAR) * size:
        centre = rig.anchor(f"end:{b.name}", i, lambda m: m.bodies[i].inertia.com)
        if isinstance(b.joint, Free):  # whose origin may be anywhere
            start = centre
        else:  # thin where it is beside what joins the joints
            bars.append((centre, ROD * size if ends else thick))
    return [Segment("link", b.name, start, end, radius) for end, radius in bars]


def _apart(p: Array, end: Array) -> float:
    """How far a point is from the bar between the origin and an end."""
    along = float(np.clip(p @ end / max(end @ end, 1e-300), 0.0, 1.0))
    return float(np.linalg.norm(p - along * end))


def _ends(rig: Rig, i: int, size: float) -> list[tuple[Array, Anchor]]:
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
        if f.body == i != WORLD:
            add(f"end:{f.name}", f.placement.p, _frame_at(k))
    return found


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


def base_shapes(rig: Rig, thick: float) -> list[Shape]:
    """What stands still: solids of a file, and bars from its origin to the joints on it."""
    m = rig.numeric
    found = [visual_shape(0, m.base_name, v) for v in m.base_visuals]
    solid: list[Shape] = [x for x in found if x is not None]
    if m.base_inertia is None and not m.base_visuals:
        return solid
    bars = _ends(rig, WORLD, thick) if len(solid) < len(found) or not solid else []
    start: Anchor = (0, ORIGIN)
    return solid + [Segment("ground", m.base_name, start, end, LINK * thick) for _, end in bars]


def turned_to(axis: Any) -> Array:
    """A rotation whose z axis is along a direction."""
    a = np.asarray(axis, dtype=float)
    a = a / np.linalg.norm(a)
    n = np.cross([0.0, 0.0, 1.0], a)
    s, c = float(np.linalg.norm(n)), float(a[2])
    if s < 1e-12:
        return np.eye(3) if c > 0 else np.diag([1.0, -1.0, -1.0])
    return np.asarray(about_axis(n / s, np.arctan2(s, c)), dtype=float)
