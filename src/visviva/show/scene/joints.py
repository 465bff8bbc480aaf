"""Shapes of joints: hinges, slides and their rails, balls, axes, feet on the ground."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.joints.axis import Cylindrical, Prismatic, Universal
from visviva.describe.joints.free import Free
from visviva.describe.joints.joint import Joint
from visviva.describe.model.body import WORLD
from visviva.show.scene.carriers import Rig
from visviva.show.scene.parts import ORIGIN, ROD, turned_to
from visviva.show.scene.shapes import (
    Arrow,
    Box,
    Cylinder,
    Label,
    Path,
    Segment,
    Shape,
    Sphere,
    as_point,
    as_pose,
)

HINGE, HINGE_LENGTH, BALL, AXIS = 0.026, 0.075, 0.032, 0.2  # of the gauge
SLIDE, RAIL, GROUND = (0.075, 0.075, 0.13), 0.016, 0.05
CART = 1.5  # a block on the ground, of others
RUN = 0.8  # of the size: a rail to both sides


def joint_shapes(rig: Rig, i: int, size: float, label: str) -> list[Shape]:
    """All of the joint that carries body i but its rail."""
    b = rig.numeric.bodies[i]
    on, name, joint = rig.of(i), b.joint_name, b.joint
    shapes: list[Shape] = []
    if isinstance(joint, Free):
        return shapes
    if b.parent == WORLD and not isinstance(joint, Prismatic) and not has_base(rig):
        at = rig.anchor(f"joint:{name}", WORLD, lambda m: m.bodies[i].placement.p)
        axis = main_axis(joint)
        turned = None if axis is None else np.asarray(b.placement.R, float) @ axis
        shapes += foot(name, *at, turned, rig.numeric.gravity, size)
    if isinstance(joint, Prismatic) and b.inertia.mass <= 0:
        return shapes  # one of the motions of the body that it carries
    if b.parent != WORLD and isinstance(joint, (Prismatic, Cylindrical)):
        on1 = rig.frame(f"joint:{name}", b.parent, lambda m: m.bodies[i].placement)
        shapes.append(Segment("link", name, (on1, ORIGIN), (on, ORIGIN), ROD * size))
    role, called = ("link", b.name) if isinstance(joint, Prismatic) else ("joint", name)
    shapes += knuckle(
        role, called, on, joint, CART * size if role == "link" and b.parent == WORLD else size
    )
    if (axis := main_axis(joint)) is not None:
        shapes.append(Arrow("axis", name, on, ORIGIN, as_point(axis * AXIS * size)))
    return [*shapes, Label("joint", name, on, ORIGIN, label)] if label else shapes


def knuckle(role: str, name: str, on: int, joint: Any, size: float) -> list[Shape]:
    """What a joint looks like: a pin about its axis, a block along it, a ball."""
    axis = main_axis(joint)
    if axis is None:
        return [Sphere(role, name, on, ORIGIN, BALL * size)]
    pose = as_pose(turned_to(axis), np.zeros(3))
    if isinstance(joint, Prismatic):
        x, y, z = SLIDE
        return [Box(role, name, on, pose, (x * size, y * size, z * size))]
    pins: list[Shape] = [Cylinder(role, name, on, pose, HINGE * size, HINGE_LENGTH * size)]
    if isinstance(joint, Universal):
        across = as_pose(turned_to(joint.second), np.zeros(3))
        pins.append(Cylinder(role, name, on, across, HINGE * size, HINGE_LENGTH * size))
    return pins


def main_axis(joint: Any) -> Array | None:
    """The first axis or the normal of a joint, in its own frame; None for a ball."""
    if not isinstance(joint, Joint) or not joint.axis_names:
        return None
    return np.asarray(getattr(joint, joint.axis_names[0]), dtype=float)


def rail(
    rig: Rig, i: int, thick: float, limits: tuple[Any, Any], at: float, size: float
) -> list[Shape]:
    """What a slide on the ground runs along: to its limits, or some way to both sides."""
    b = rig.numeric.bodies[i]
    axis = main_axis(b.joint)
    if axis is None or not isinstance(b.joint, (Prismatic, Cylindrical)) or b.inertia.mass <= 0:
        return []
    on = rig.frame(f"joint:{b.joint_name}", WORLD, lambda m: m.bodies[i].placement)
    sides = zip(limits, (-RUN * size, RUN * size), strict=True)
    low, high = (float(x) if np.isfinite(x) else at + side for x, side in sides)
    R = turned_to(axis)
    pose = as_pose(R, R @ [0.0, 0.0, (low + high) / 2])
    wide = RAIL * thick
    return [Box("ground", b.joint_name, on, pose, (wide, wide, abs(high - low)))]


def has_base(rig: Rig) -> bool:
    """Whether what stands still is a body that was stated, not the ground alone."""
    m = rig.numeric
    return m.base_inertia is not None or bool(m.base_visuals)


def foot(name: str, on: int, at: Any, axis: Any, gravity: Any, size: float) -> list[Shape]:
    """Where something stands on the ground: a triangle with hatching, or a plate."""
    down = np.asarray(gravity, dtype=float)
    axis = np.array([0.0, 1.0, 0.0]) if axis is None else axis
    if not np.linalg.norm(down) > 0:  # somewhere in the plane in which it turns
        down = np.array([0.0, -1.0, 0.0]) if abs(axis[2]) > 0.5 else np.array([0.0, 0.0, -1.0])
    down = down / np.linalg.norm(down)
    across = np.cross(axis, down)
    if np.linalg.norm(across) < 0.5:  # it turns about the vertical
        thick = 0.3 * GROUND * size
        under = np.array(at) + down * (0.5 * HINGE_LENGTH * size + thick / 2)
        pose = as_pose(turned_to(-down), under)
        return [Cylinder("ground", name, on, pose, 1.8 * GROUND * size, thick)]
    across, far = across / np.linalg.norm(across), 1.4 * GROUND * size
    base, side = np.array(at) + down * far, across * far

    def path(points: list[Any], closed: bool = False) -> Path:
        return Path("ground", name, on, tuple(map(as_point, points)), closed)

    hatches = [base + side * k for k in np.linspace(-1.2, 1.2, 6)]
    below = down * 0.4 * far - across * 0.4 * far
    return [
        path([np.array(at), base + side, base - side], True),
        path([base - side * 1.5, base + side * 1.5]),
        *(path([p, p + below]) for p in hatches),
    ]
