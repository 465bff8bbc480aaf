"""Shapes of a scene as outlines in its plane."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.drawing.canvas import Canvas, shadow
from visviva.drawing.look import words
from visviva.show.figures.lines import GAP, line_of, placed, posed
from visviva.show.figures.roles import HOVERED, PALE, SAID
from visviva.show.scene.shapes import (
    CORNERS,
    Box,
    Coil,
    Cylinder,
    Disc,
    Ellipsoid,
    Segment,
    Shape,
    Sphere,
)

CENTRE_DOT = {"size": 9, "symbol": "circle-cross", "color": "white"}  # a centre of mass
FINE_CIRCLE = np.array([[np.cos(t), np.sin(t)] for t in np.linspace(0.0, 2 * np.pi, 37)])


def draw_outlines(
    canvas: Canvas, groups: Mapping[tuple[str, str], Sequence[Shape]], X: Array, hidden: Any
) -> None:
    """Filled outlines by role and colour, each group one trace; and lines."""
    plane = canvas.axes or (0, 1)
    for (role, colour), shapes in groups.items():
        how: dict[str, Any] = {"visible": "legendonly"} if role in hidden else {}
        if role == "centre":
            _centres(canvas, shapes, X, colour, how)
            continue
        rings, lines, names = [], [], defaultdict(list)
        for shape in shapes:
            line = line_of(shape, X, True)
            if line is not None:
                lines += [line, GAP]
            elif (ring := outline(shape, X, plane)) is not None:
                rings += [ring, GAP]
                names[shape.name].append(ring)
        if rings:
            look = {"fill": "toself", "fillcolor": tinted(colour, PALE.get(role, 0.8)), **how}
            said = {"hoveron": "fills", "hoverinfo": "text"}
            said["text"] = words(", ".join(dict.fromkeys(names)), HOVERED)
            width = 1.0 if role in PALE else 1.5
            canvas.line(np.concatenate(rings), SAID[role], colour, width=width, **look, **said)
        if lines:
            canvas.line(np.concatenate(lines), SAID[role], colour, width=1.8, **how)


def _centres(canvas: Canvas, shapes: Sequence[Shape], X: Array, colour: str, how: Any) -> None:
    """Dots of one size, so that they are not taken for pins."""
    balls = [s for s in shapes if isinstance(s, Sphere)]
    at = [placed(X[s.on], [s.at])[0] for s in balls]
    said = [words(s.name) for s in balls]
    edge = {"color": colour, "width": 1.5}
    canvas.points(at, SAID["centre"], line=edge, hovertext=said, **CENTRE_DOT, **how)


def tinted(colour: str, share: float) -> str:
    """A colour that lets through what is behind it."""
    r, g, b = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({r},{g},{b},{share})"


def outline(shape: Shape, X: Array, plane: tuple[int, int]) -> Array | None:
    """(k, 3): the closed line around a shape, seen along the normal of the plane."""
    if isinstance(shape, Segment) and not isinstance(shape, Coil):
        ends = np.array([placed(X[k], [p])[0] for k, p in (shape.a, shape.b)])
        return hull(np.concatenate([_ring(end, shape.radius, plane) for end in ends]), plane)
    if isinstance(shape, Sphere):
        return _ring(placed(X[shape.on], [shape.at])[0], shape.radius, plane)
    if isinstance(shape, Ellipsoid):
        points = posed(X[shape.on], shape.pose, [np.zeros(3), *np.diag(shape.radii)])
        centre: Array = points[0]
        first, second = shadow((points[1:] - centre).T, plane)
        return np.asarray(centre + FINE_CIRCLE @ np.stack([first, second]))
    if isinstance(shape, Box):
        return hull(posed(X[shape.on], shape.pose, CORNERS * np.array(shape.size) / 2), plane)
    if isinstance(shape, (Cylinder, Disc)):
        ring = np.column_stack([FINE_CIRCLE * shape.radius, np.zeros(len(FINE_CIRCLE))])
        half = np.array([0.0, 0.0, shape.length / 2 if isinstance(shape, Cylinder) else 0.0])
        return hull(
            posed(X[shape.on], shape.pose, np.concatenate([ring - half, ring + half])), plane
        )
    return None


def _ring(centre: Array, radius: float, plane: tuple[int, int]) -> Array:
    ring = np.zeros((len(FINE_CIRCLE), 3))
    ring[:, list(plane)] = FINE_CIRCLE * radius
    return centre + ring


def hull(points: Array, plane: tuple[int, int]) -> Array:
    """(k, 3): the convex line around points as seen in the plane, closed (Andrew's chains)."""
    flat = points[:, list(plane)]
    order = np.lexsort((flat[:, 1], flat[:, 0]))
    chains: list[int] = []
    for run in (order, order[::-1]):
        chain: list[int] = []
        for k in run:
            while len(chain) > 1 and _turn(flat[chain[-2]], flat[chain[-1]], flat[k]) <= 0:
                chain.pop()
            chain.append(int(k))
        chains += chain[:-1]
    return points[[*chains, chains[0]] if chains else [0, 0]]


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
