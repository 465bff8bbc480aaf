"""Shapes of springs and of what closes loops: coils, rods, wheels, lines and planes."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import is_numeric
from visviva.describe.joints.axis import Prismatic
from visviva.describe.joints.points import Distance, PointOnLine, PointOnPlane
from visviva.describe.joints.rolling import KnifeEdge, RollingBall, RollingDisc
from visviva.describe.model.body import Spring
from visviva.show.scene.carriers import Rig
from visviva.show.scene.joints import HINGE, knuckle, main_axis
from visviva.show.scene.parts import LINK, ORIGIN, ROD, turned_to
from visviva.show.scene.shapes import (
    HERE,
    Anchor,
    Box,
    Coil,
    Disc,
    Ellipsoid,
    Path,
    Segment,
    Shape,
    Sphere,
    as_point,
    as_pose,
)

COIL, TURNS, BLADE = 0.02, 9, 0.1
PLANE = 3.0  # sizes: how far a plane is drawn
SPIRAL = np.linspace(0.0, 1.0, 60)


def spring_shapes(rig: Rig, k: int, size: float) -> list[Shape]:
    """A coil between two points or along a slide, a spiral about a hinge."""
    s = rig.numeric.springs[k]
    if not s.joint:
        return [Coil("spring", s.name, _end(rig, s, k, 0), _end(rig, s, k, 1), COIL * size, TURNS)]
    i = rig.numeric.joint_index(s.joint)
    b = rig.numeric.bodies[i]
    at = rig.frame(f"joint:{b.joint_name}", b.parent, lambda m: m.bodies[i].placement)
    if isinstance(b.joint, Prismatic):
        return [Coil("spring", s.name, (at, ORIGIN), (rig.of(i), ORIGIN), COIL * size, TURNS)]
    axis = main_axis(b.joint)
    R = turned_to([0.0, 0.0, 1.0] if axis is None else axis)
    turn, out = SPIRAL * 6 * np.pi, (1.2 + SPIRAL * 1.2) * HINGE * size
    flat = np.stack([out * np.cos(turn), out * np.sin(turn), 0 * turn])
    return [Path("spring", s.name, at, tuple(as_point(p) for p in (R @ flat).T))]


def _end(rig: Rig, s: Spring, k: int, side: int) -> Anchor:
    body = rig.numeric.frame(s.frames[side]).body

    def point(m: Any) -> Any:
        f = m.frame(m.springs[k].frames[side])
        return f.placement.apply(m.springs[k].points[side])

    return rig.anchor(f"spring:{s.name}:{side + 1}", body, point)


def loop_shapes(rig: Rig, k: int, size: float) -> list[Shape]:
    """What joins two frames, or what rolls or is held on what."""
    loop = rig.numeric.constraints[k]
    one, other = (_frame(rig, x) for x in loop.frames)
    return _closure(rig, k, loop.joint, loop.name, one, other, size)


def _frame(rig: Rig, name: str) -> int:
    body = rig.numeric.frame(name).body
    return rig.frame(f"frame:{name}", body, lambda m: m.frame(name).placement)


def _closure(
    rig: Rig, k: int, joint: Any, name: str, one: int, other: int, size: float
) -> list[Shape]:
    if isinstance(joint, Distance):
        return [Segment("loop", name, (one, ORIGIN), (other, ORIGIN), LINK * 0.7 * size)]
    if isinstance(joint, PointOnLine):
        along = np.asarray(joint.axis, dtype=float) * size
        line = (one, as_point(-along)), (one, as_point(along))
        return [Segment("loop", name, *line, ROD * 0.5 * size), _dot(name, other, size)]
    if isinstance(joint, PointOnPlane):
        return [_plane("loop", name, one, joint.normal, size), _dot(name, other, size)]
    if isinstance(joint, RollingBall):
        on, r = _scaled(rig, f"ball:{name}", k, other), float(joint.radius)
        return [_floor(name, one, size), Ellipsoid("loop", name, on, HERE, (r, r, r))]
    if isinstance(joint, RollingDisc):
        on, pose = _scaled(rig, f"wheel:{name}", k, other), as_pose(turned_to(joint.axis), ORIGIN)
        return [_floor(name, one, size), Disc("loop", name, on, pose, float(joint.radius))]
    if isinstance(joint, KnifeEdge):
        R = turned_to(joint.across)
        lengths = (BLADE * size, BLADE * size, 0.1 * BLADE * size)
        return [Box("loop", name, other, as_pose(R, np.zeros(3)), lengths)]
    if main_axis(joint) is None:
        return [_dot(name, other, size)]
    return knuckle("loop", name, other, joint, size)


def _scaled(rig: Rig, name: str, k: int, on: int) -> int:
    """A carrier that grows with the radius of a loop, from what it is stated to be."""
    if is_numeric([rig.model.constraints[k].joint.radius]):
        return on
    under, stated = rig.carriers[on - 1], float(rig.numeric.constraints[k].joint.radius)

    def local(m: Any) -> tuple[Any, Any]:
        A, p = (np.eye(3), np.zeros(3)) if under.local is None else under.local(m)
        return A * (m.constraints[k].joint.radius / stated), p

    return rig.add(name, under.body, local)


def _dot(name: str, on: int, size: float) -> Shape:
    return Sphere("loop", name, on, ORIGIN, HINGE * size)


def _plane(role: str, name: str, on: int, normal: Any, size: float) -> Shape:
    lengths = (PLANE * size, PLANE * size, 0.002 * size)
    return Box(role, name, on, as_pose(turned_to(normal), np.zeros(3)), lengths)


def _floor(name: str, on: int, size: float) -> Shape:
    return _plane("ground", name, on, [0.0, 0.0, 1.0], size)
