"""Shapes of joints: hinges, slides and their rails, balls, axes, feet on the ground."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.joints.axis import Cylindrical, Helical, Prismatic, Revolute, Universal
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

HINGE, HINGE_LENGTH, BALL, SLIDE, AXIS = 0.026, 0.075, 0.032, 0.06, 0.2  # of the size
RAIL, GROUND = 0.012, 0.05
TURNING = (Revolute, Helical)


def joint_shapes(
    rig: Rig, i: int, size: float, label: str, span: tuple[float, float]
) -> list[Shape]:
    """All of the joint that carries body i; `span` is how far its first coordinate goes."""
    b = rig.numeric.bodies[i]
    on, name, joint = rig.of(i), b.joint_name, b.joint
    shapes: list[Shape] = []
    if isinstance(joint, (Prismatic, Cylindrical)):
        shapes += _rail(rig, i, size, span)
    if isinstance(joint, Free):
        return shapes
    if b.parent == WORLD and not isinstance(joint, Prismatic):
        shapes += ground(rig, i, size)
    shapes += knuckle("joint", name, on, joint, size)
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
        thick = SLIDE * 0.6 * size
        return [Box(role, name, on, pose, (thick, thick, SLIDE * size))]
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


def _rail(rig: Rig, i: int, size: float, span: tuple[float, float]) -> list[Shape]:
    """Along which it slides: a rail that stands still, or a rod that grows."""
    b = rig.numeric.bodies[i]
    at = rig.frame(f"joint:{b.joint_name}", b.parent, lambda m: m.bodies[i].placement)
    if b.parent != WORLD:
        end = (rig.of(i), ORIGIN)
        return [Segment("link", b.joint_name, (at, ORIGIN), end, ROD * size)]
    axis = main_axis(b.joint)
    low, high = span
    R, thick = turned_to(axis), RAIL * size
    pose = as_pose(R, R @ [0.0, 0.0, (low + high) / 2])
    return [Box("ground", b.joint_name, at, pose, (thick, thick, high - low))]


def ground(rig: Rig, i: int, size: float) -> list[Shape]:
    """Where a joint stands: a foot below it, opposite to gravity's pull, and hatching."""
    b = rig.numeric.bodies[i]
    on, at = rig.anchor(f"joint:{b.joint_name}", WORLD, lambda m: m.bodies[i].placement.p)
    down = np.asarray(rig.numeric.gravity, dtype=float)
    if not np.linalg.norm(down) > 0:
        down = np.array([0.0, 0.0, -1.0])
    down = down / np.linalg.norm(down)
    axis = main_axis(b.joint)
    if axis is None:
        axis = np.array([0.0, 1.0, 0.0])
    across = np.cross(np.asarray(b.placement.R, float) @ axis, down)
    if np.linalg.norm(across) < 0.5:  # it turns about the vertical: a plate under it
        thick = 0.3 * GROUND * size
        under = np.array(at) + down * (0.5 * HINGE_LENGTH * size + thick / 2)
        pose = as_pose(turned_to(-down), under)
        return [Cylinder("ground", b.joint_name, on, pose, 1.8 * GROUND * size, thick)]
    across, far = across / np.linalg.norm(across), 1.4 * GROUND * size
    foot, side = np.array(at) + down * far, across * far

    def path(points: list[Any], closed: bool = False) -> Path:
        return Path("ground", b.joint_name, on, tuple(map(as_point, points)), closed)

    hatches = [foot + side * k for k in np.linspace(-1.2, 1.2, 6)]
    below = down * 0.4 * far - across * 0.4 * far
    return [
        path([np.array(at), foot + side, foot - side], True),
        path([foot - side * 1.5, foot + side * 1.5]),
        *(path([p, p + below]) for p in hatches),
    ]
