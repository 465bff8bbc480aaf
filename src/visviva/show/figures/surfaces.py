"""Shapes of a scene as surfaces in space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.drawing import solids
from visviva.drawing.canvas import Canvas
from visviva.drawing.look import words
from visviva.show.figures.lines import joined_lines, line_of, placed, posed
from visviva.show.figures.roles import HOVERED, PALE, SAID
from visviva.show.scene.shapes import (
    Box,
    Coil,
    Cylinder,
    Disc,
    Ellipsoid,
    Segment,
    Shape,
    Sphere,
)

THIN = 0.02  # of a disc's radius: what it is drawn with


def draw_surfaces(
    canvas: Canvas, groups: Mapping[tuple[str, str], Sequence[Shape]], X: Array, hidden: Any
) -> None:
    """Surfaces by role and colour, each group one trace; and lines."""
    for (role, colour), shapes in groups.items():
        how = {"visible": "legendonly"} if role in hidden else {}
        meshes, lines = [], []
        for shape in shapes:
            line = line_of(shape, X, False)
            if line is not None:
                lines.append(line)
            elif (made := surface(shape, X)) is not None:
                meshes.append(made)
        if meshes:
            names = ", ".join(dict.fromkeys(shape.name for shape in shapes))
            look: dict[str, Any] = {"opacity": PALE.get(role, 1.0), **how}
            vertices, faces = solids.joined(meshes)
            said = words(names, HOVERED)
            canvas.mesh(vertices, faces, SAID[role], colour, hovertext=said, **look)
        if lines:
            canvas.line(joined_lines(lines), SAID[role], colour, width=4, **how)


def surface(shape: Shape, X: Array) -> solids.Mesh | None:
    """The triangles of a shape in the world."""
    if isinstance(shape, Segment) and not isinstance(shape, Coil):
        a, b = (placed(X[k], [p])[0] for k, p in (shape.a, shape.b))
        return solids.rod(a, b, shape.radius)
    if isinstance(shape, Sphere):
        vertices, faces = solids.ellipsoid([shape.radius] * 3)
        return placed(X[shape.on], vertices + np.array(shape.at)), faces
    made = _own(shape)
    if made is None:
        return None
    vertices, faces = made
    where: Any = shape
    return posed(X[where.on], where.pose, vertices), faces


def _own(shape: Shape) -> solids.Mesh | None:
    """In the axes of its pose."""
    if isinstance(shape, Box):
        return solids.box(shape.size)
    if isinstance(shape, Cylinder):
        return solids.cylinder(shape.radius, shape.length)
    if isinstance(shape, Disc):
        return solids.cylinder(shape.radius, THIN * shape.radius)
    if isinstance(shape, Ellipsoid):
        return solids.ellipsoid(shape.radii)
    return None
