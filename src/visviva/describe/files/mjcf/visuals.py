"""MuJoCo's geoms as things to draw."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.describe.files.mjcf.compile import Compiled
from visviva.describe.model.body import Visual
from visviva.space.poses import Pose

SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(2, 8)
GREY = (0.5, 0.5, 0.5, 1.0)  # MuJoCo's colour of a geom that names none


def visuals(m: Compiled, body: int, back: Pose | None = None) -> tuple[Visual, ...]:
    """What a body's geoms look like; planes, height fields and inline meshes are left out."""
    shift = back or Pose.identity()
    visuals = (_visual(m, int(g), shift) for g in np.flatnonzero(m["geom_bodyid"] == body))
    return tuple(v for v in visuals if v is not None)


def left_out(m: Compiled) -> int:
    """How many geoms have no picture, or stand on the world, which has none."""
    return len(m["geom_type"]) - sum(
        len(visuals(m, body)) for body in range(1, len(m["body_mass"]))
    )


def _visual(m: Compiled, g: int, shift: Pose) -> Visual | None:
    kind = int(m["geom_type"][g])
    at = shift @ m.pose("geom", g)
    if kind == MESH:
        mesh = int(m["geom_dataid"][g])
        file = m.files.get(m.info["meshes"][mesh])
        if file is None:
            return None
        # MuJoCo moves a mesh into its own inertia frame; undo it for the file's vertices
        placement = at @ m.pose("mesh", mesh).inverse()
        scale = tuple(float(x) for x in m["mesh_scale"][mesh])
        return Visual("mesh", placement, scale, str(file), _color(m, g))
    shape = _shape(kind, [float(x) for x in m["geom_size"][g]])
    return None if shape is None else Visual(shape[0], at, shape[1], color=_color(m, g))


def _shape(kind: int, s: list[float]) -> tuple[str, tuple[float, ...]] | None:
    """Name and full sizes; MuJoCo's are halves."""
    shapes: dict[int, tuple[str, tuple[float, ...]]] = {
        SPHERE: ("sphere", (s[0],)),
        CAPSULE: ("capsule", (s[0], 2 * s[1])),
        ELLIPSOID: ("ellipsoid", (s[0], s[1], s[2])),
        CYLINDER: ("cylinder", (s[0], 2 * s[1])),
        BOX: ("box", (2 * s[0], 2 * s[1], 2 * s[2])),
    }
    return shapes.get(kind)


def _color(m: Compiled, g: int) -> tuple[float, ...]:
    own = m["geom_rgba"][g]
    material = int(m["geom_matid"][g])
    chosen: Any = own
    if material >= 0 and np.allclose(own, GREY):
        chosen = m["mat_rgba"][material]
    return tuple(float(x) for x in chosen)
