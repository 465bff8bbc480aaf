"""Shapes of a scene as flat faces and lines, seen from one side; and which covers which.

View axes are x to the right, y up, z towards who looks. Bodies are drawn from back to front. Where
two overlap, the one that is nearer there covers the other: a long bar may be before one neighbour
and behind the next, which one depth for each would get wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from visviva.algebra.arrays import Array
from visviva.drawing.view import TOWARDS
from visviva.show.figures.lines import line_of, posed
from visviva.show.figures.outlines import FINE_CIRCLE, hull, outline
from visviva.show.scene.shapes import (
    CORNERS,
    Box,
    Coil,
    Cylinder,
    Ellipsoid,
    Segment,
    Shape,
    Sphere,
)

VIEWED = (0, 1)  # the axes of a view
SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
EDGE_ON = 0.03  # a face is seen if its normal turns towards us by more
LIGHT = np.array([-0.35, 0.8, 0.5]) / np.linalg.norm([-0.35, 0.8, 0.5])  # in view axes
NEARER = 1e-6  # of the size: depths that differ by less are the same


@dataclass(frozen=True, eq=False)
class Seen:
    """A shape in view axes: faces (k, 3), each with its light from -1 to 1, or a line (k, 3)."""

    shape: Shape
    colour: str
    faces: tuple[tuple[Array, float], ...]
    line: Array | None
    ends: Array  # (2, 3): along this its depth changes

    @property
    def points(self) -> Array:
        """All of it, (k, 3)."""
        return np.vstack(
            [*(ring for ring, _ in self.faces), *([] if self.line is None else [self.line])]
        )

    def depth(self, at: Array) -> float:
        """How near it is where it is seen at a point (2,)."""
        a, b = self.ends
        along = (b - a)[:2]
        size = float(along @ along)
        s = 0.5 if size < 1e-18 else float(np.clip((at - a[:2]) @ along / size, 0.0, 1.0))
        return float(a[2] + s * (b[2] - a[2]))


def looking(plane: tuple[int, int] | None, towards: Array | None = None) -> Array:
    """(3, 3): from world axes to view axes; in a plane along its normal."""
    if plane is not None and towards is None:
        right, up = np.eye(3)[list(plane)]
        return np.array([right, up, np.cross(right, up)])
    ahead = TOWARDS if towards is None else towards / np.linalg.norm(towards)
    above = np.array([0.0, 0.0, 1.0]) if abs(ahead[2]) < 0.999 else np.array([0.0, 1.0, 0.0])
    right = np.cross(above, ahead)
    right = right / np.linalg.norm(right)
    return np.array([right, np.cross(ahead, right), ahead])


def seen(shape: Shape, colour: str, X: Array, flat: bool) -> Seen | None:
    """A shape on carriers X (k, 3, 4) in view axes; None if there is nothing of it."""
    line = line_of(shape, X, flat)
    if line is not None:
        whole = line[np.isfinite(line).all(axis=1)]
        if not len(whole):
            return None
        ends = whole[[0, -1]] if isinstance(shape, Coil) else np.array([whole.mean(axis=0)] * 2)
        return Seen(shape, colour, (), whole, ends)
    ring = outline(shape, X, VIEWED)
    if ring is None or not np.isfinite(ring).all():
        return None
    faces = [(ring, 0.0)]
    ends = np.array([ring.mean(axis=0)] * 2)
    if isinstance(shape, Segment):
        ends = np.array([X[k][:, :3] @ p + X[k][:, 3] for k, p in (shape.a, shape.b)])
    elif isinstance(shape, Sphere):
        ends = np.array([X[shape.on][:, :3] @ shape.at + X[shape.on][:, 3]] * 2)
    elif isinstance(shape, Box):
        corners = posed(X[shape.on], shape.pose, CORNERS * np.array(shape.size) / 2)
        k = int(np.argmax(shape.size))
        ends = posed(X[shape.on], shape.pose, np.outer([-0.5, 0.5], shape.size * np.eye(3)[k]))
        faces += [] if flat else _sides(corners)
    elif isinstance(shape, Cylinder):
        half = np.array([0.0, 0.0, shape.length / 2])
        ends = posed(X[shape.on], shape.pose, [-half, half])
        faces += [] if flat else _cap(shape, X, ends)
    elif isinstance(shape, Ellipsoid):
        ends = np.array([posed(X[shape.on], shape.pose, np.zeros((1, 3)))[0]] * 2)
    return Seen(shape, colour, tuple(faces), None, ends)


def _sides(corners: Array) -> list[tuple[Array, float]]:
    """Sides of a box that look at us."""
    middle, found = corners.mean(axis=0), []
    for side in SIDES:
        ring = corners[list(side)]
        n = np.cross(ring[1] - ring[0], ring[2] - ring[0])
        n = n if n @ (ring.mean(axis=0) - middle) > 0 else -n
        size = float(np.linalg.norm(n))
        if size > 0 and n[2] > EDGE_ON * size:
            found.append((np.vstack([ring, ring[:1]]), float(n @ LIGHT) / size))
    return found


def _cap(shape: Cylinder, X: Array, ends: Array) -> list[tuple[Array, float]]:
    """The end of a cylinder that looks at us."""
    along = ends[1] - ends[0]
    size = float(np.linalg.norm(along))
    if size == 0 or abs(along[2]) < EDGE_ON * size:
        return []
    up = along[2] > 0
    ring = np.column_stack([FINE_CIRCLE * shape.radius, np.zeros(len(FINE_CIRCLE))])
    ring[:, 2] = shape.length / 2 if up else -shape.length / 2
    n = along / size if up else -along / size
    return [(hull(posed(X[shape.on], shape.pose, ring), VIEWED), 0.3 + 0.7 * float(n @ LIGHT))]


def back_to_front(shapes: Sequence[Seen], size: float) -> list[Seen]:
    """So that each covers what is behind it; where they go round in a circle, by the middle."""
    lows = [s.points[:, :2].min(axis=0) for s in shapes]
    highs = [s.points[:, :2].max(axis=0) for s in shapes]
    middles = [round(float(s.ends[:, 2].mean()) / (NEARER * size)) for s in shapes]
    behind: list[set[int]] = [set() for _ in shapes]
    for i in range(len(shapes)):
        for j in range(i):
            low, high = np.maximum(lows[i], lows[j]), np.minimum(highs[i], highs[j])
            if (low > high).any():
                continue
            at = (low + high) / 2
            gap = shapes[i].depth(at) - shapes[j].depth(at)
            if abs(gap) < NEARER * size:
                continue  # joints of a plane, say: as they are listed
            near, far = (i, j) if gap > 0 else (j, i)
            behind[near].add(far)
    left, order = set(range(len(shapes))), []
    while left:
        free = [k for k in left if not behind[k] & left]
        k = min(
            free or left,
            key=lambda k: (_rank(shapes[k]), middles[k], k) if free else (0, middles[k], k),
        )
        order.append(shapes[k])
        left.remove(k)
    return order


def _rank(s: Seen) -> int:
    return 1 if s.shape.role == "joint" else 0
