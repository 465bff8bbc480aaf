"""What can be seen: segments, boxes, cylinders, … with constant numbers, fixed to carriers.

A carrier is a number in the list of a scene; 0 is the world. Points are in the carrier's axes,
metres; poses are the twelve numbers of [R | p], row by row.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

Point = tuple[float, float, float]
Anchor = tuple[int, Point]  # a carrier, and a point of it
Numbers = tuple[float, ...]
ROLES = tuple("ground link joint axis centre inertia spring loop frame point trace".split())
HERE: Numbers = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
AROUND = np.linspace(0.0, 2 * np.pi, 49)[:-1]  # angles of a circle
OCTAGON = np.array([[np.cos(a), np.sin(a), 0.0] for a in np.arange(8) * np.pi / 4])


@dataclass(frozen=True)
class Shape:
    """What it is drawn for, and what it is called: a text of people, never code."""

    kind: ClassVar[str]
    role: str
    name: str

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        said = {item.name: _plain(getattr(self, item.name)) for item in fields(self)}
        return {"kind": self.kind, **said}

    def outline(self) -> list[Anchor]:
        """Points that tell how far it reaches."""
        raise NotImplementedError


@dataclass(frozen=True)
class Segment(Shape):
    """A round bar between two points, which may be on two carriers."""

    kind = "segment"
    a: Anchor
    b: Anchor
    radius: float

    def outline(self) -> list[Anchor]:
        return [self.a, self.b]


@dataclass(frozen=True)
class Coil(Segment):
    """A spring between two points, with so many turns."""

    kind = "spring"
    turns: int = 8


@dataclass(frozen=True)
class Box(Shape):
    """A box about the origin of its pose, with its lengths along x, y and z."""

    kind = "box"
    on: int
    pose: Numbers
    size: Numbers

    def outline(self) -> list[Anchor]:
        return _placed(self.on, self.pose, CORNERS * np.array(self.size) / 2)


@dataclass(frozen=True)
class Cylinder(Shape):
    """About the z axis of its pose, half of its length on each side."""

    kind = "cylinder"
    on: int
    pose: Numbers
    radius: float
    length: float

    def outline(self) -> list[Anchor]:
        ring, up = OCTAGON * self.radius, np.array([0.0, 0.0, self.length / 2])
        return _placed(self.on, self.pose, np.concatenate([ring - up, ring + up]))


@dataclass(frozen=True)
class Disc(Shape):
    """A thin disc about the z axis of its pose."""

    kind = "disc"
    on: int
    pose: Numbers
    radius: float

    def outline(self) -> list[Anchor]:
        return _placed(self.on, self.pose, OCTAGON * self.radius)


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """With its semi-axes along x, y and z of its pose."""

    kind = "ellipsoid"
    on: int
    pose: Numbers
    radii: Numbers

    def outline(self) -> list[Anchor]:
        ends = np.concatenate([np.eye(3), -np.eye(3)])
        return _placed(self.on, self.pose, ends * np.array(self.radii))


@dataclass(frozen=True)
class Sphere(Shape):
    """A ball at a point."""

    kind = "sphere"
    on: int
    at: Point
    radius: float

    def outline(self) -> list[Anchor]:
        ends = np.concatenate([np.eye(3), -np.eye(3)]) * self.radius
        return [(self.on, as_point(self.at + e)) for e in ends]


@dataclass(frozen=True)
class Arrow(Shape):
    """From a point along a vector."""

    kind = "arrow"
    on: int
    at: Point
    along: Point

    def outline(self) -> list[Anchor]:
        return [(self.on, self.at), (self.on, as_point(np.add(self.at, self.along)))]


@dataclass(frozen=True)
class Axes(Shape):
    """The three axes of a frame, so long."""

    kind = "frame"
    on: int
    pose: Numbers
    length: float

    def outline(self) -> list[Anchor]:
        return _placed(self.on, self.pose, np.eye(3) * self.length)


@dataclass(frozen=True)
class Path(Shape):
    """A line through points, back to the first if it is closed."""

    kind = "path"
    on: int
    points: tuple[Point, ...]
    closed: bool = False

    def outline(self) -> list[Anchor]:
        return [(self.on, p) for p in self.points]


@dataclass(frozen=True)
class Label(Shape):
    """A text at a point."""

    kind = "label"
    on: int
    at: Point
    text: str

    def outline(self) -> list[Anchor]:
        return [(self.on, self.at)]


def as_point(p: Any) -> Point:
    """Three plain numbers."""
    x, y, z = (float(c) for c in p)
    return x, y, z


def as_pose(R: Any, p: Any) -> Numbers:
    """The twelve numbers of [R | p]."""
    rows = np.concatenate([np.asarray(R, float), np.asarray(p, float)[:, None]], axis=1)
    return tuple(rows.ravel().tolist())


def _placed(on: int, pose: Numbers, points: Any) -> list[Anchor]:
    X = np.array(pose).reshape(3, 4)
    return [(on, as_point(X[:, :3] @ p + X[:, 3])) for p in points]


def _plain(x: Any) -> Any:
    return [_plain(y) for y in x] if isinstance(x, tuple) else x
