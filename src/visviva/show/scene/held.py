"""Shapes of springs and of what closes loops: coils, rods, wheels, lines and planes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva.algebra.arrays import is_numeric
from visviva.describe.constraints.loop import Loop
from visviva.describe.joints.axis import Prismatic, Revolute
from visviva.describe.joints.points import Distance, PointOnLine, PointOnPlane
from visviva.describe.joints.rolling import KnifeEdge, RollingBall, RollingDisc
from visviva.describe.model.body import WORLD, Spring
from visviva.describe.model.model import Model
from visviva.show.scene.carriers import Rig
from visviva.show.scene.joints import HINGE, foot, knuckle, main_axis
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
PLANE = 1.0  # sizes: how far a plane is drawn
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


def loop_shapes(rig: Rig, k: int, size: float, thick: float) -> list[Shape]:
    """What joins two frames, or what rolls or is held on what; nothing for formulas."""
    loop = rig.numeric.constraints[k]
    if not isinstance(loop, Loop) or not loop.active:
        return []
    one, other = (_frame(rig, x) for x in loop.frames)
    return [
        *_feet(rig, loop, thick),
        *_closure(rig, k, loop.joint, loop.name, one, other, size, thick),
    ]


def is_seen(rig: Rig, i: int, shapes: list[Shape]) -> bool:
    """Whether one of these shapes, a wheel or a ball, shows body i."""
    wide = [x for x in shapes if isinstance(x, (Disc, Ellipsoid))]
    return any(rig.carriers[x.on - 1].body == i for x in wide if x.on)


def _feet(rig: Rig, loop: Loop, thick: float) -> list[Shape]:
    """Ground under a frame of the world that a hinge joins."""
    if not isinstance(loop.joint, Revolute):
        return []
    shapes: list[Shape] = []
    for name in loop.frames:
        f = rig.numeric.frame(name)
        if f.body == WORLD:
            on, at = rig.anchor(f"end:{name}", WORLD, _origin(name))
            axis = np.asarray(f.placement.R, float) @ np.asarray(loop.joint.axis, float)
            shapes += foot(loop.name, on, at, axis, rig.numeric.gravity, thick)
    return shapes


def _origin(name: str) -> Callable[[Model], Any]:
    return lambda m: m.frame(name).placement.p


def _frame(rig: Rig, name: str) -> int:
    body = rig.numeric.frame(name).body
    return rig.frame(f"frame:{name}", body, lambda m: m.frame(name).placement)


def _closure(
    rig: Rig, k: int, joint: Any, name: str, one: int, other: int, size: float, thick: float
) -> list[Shape]:
    if isinstance(joint, Distance):
        return [Segment("loop", name, (one, ORIGIN), (other, ORIGIN), LINK * 0.7 * thick)]
    if isinstance(joint, PointOnLine):
        along = np.asarray(joint.axis, dtype=float) * size
        line = (one, as_point(-along)), (one, as_point(along))
        return [Segment("loop", name, *line, ROD * 0.5 * thick), _dot(name, other, thick)]
    if isinstance(joint, PointOnPlane):
        return [*_plane("loop", name, one, joint.normal, size), _dot(name, other, thick)]
    if isinstance(joint, RollingBall):
        on, r = _scaled(rig, f"ball:{name}", k, other), float(joint.radius)
        return [*_floor(name, one, size), Ellipsoid("loop", name, on, HERE, (r, r, r))]
    if isinstance(joint, RollingDisc):
        on, pose = _scaled(rig, f"wheel:{name}", k, other), as_pose(turned_to(joint.axis), ORIGIN)
        return [*_floor(name, one, size), Disc("loop", name, on, pose, float(joint.radius))]
    if isinstance(joint, KnifeEdge):
        R = turned_to(joint.across)
        lengths = (BLADE * thick, BLADE * thick, 0.1 * BLADE * thick)
        return [Box("loop", name, other, as_pose(R, np.zeros(3)), lengths)]
    if main_axis(joint) is None:
        return [_dot(name, other, thick)]
    return knuckle("loop", name, other, joint, thick)


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


def _plane(role: str, name: str, on: int, normal: Any, size: float) -> list[Shape]:
    """A square with a grid."""
    R, lines, side = turned_to(normal), np.linspace(-1.0, 1.0, 7), PLANE * size
    shapes: list[Shape] = []
    for x in lines * side:
        for ends in ([[x, -side, 0], [x, side, 0]], [[-side, x, 0], [side, x, 0]]):
            shapes.append(Path(role, name, on, tuple(as_point(R @ p) for p in ends)))
    return shapes


def _floor(name: str, on: int, size: float) -> list[Shape]:
    return _plane("ground", name, on, [0.0, 0.0, 1.0], size)
