"""How a mechanism is seen: in its plane, or from somewhere; scales of lengths and forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError
from visviva.solve.planar.plane import Plane, plane_of_motion
from visviva.solve.statics.free_body import Acting, FreeBody
from visviva.solve.statics.shapes import Point

LINK_LENGTH = 190.0  # pixels of the longest link
ARROW_LENGTH = 95.0  # of the largest force
ARROW_LEAST = 16.0  # of any
UNDRAWN = 1e-9  # of the largest: what is less is not drawn
OBLIQUE = (1.0, -1.6, 0.9)  # from where mechanisms in space are looked at


@dataclass(frozen=True, eq=False)
class View:
    """How the world is seen, and how large."""

    plane: Plane
    flat: bool  # a plane mechanism, seen in its plane
    metre: float  # in pixels
    newton: float
    newton_metre: float
    least_force: float  # what is drawn at all
    least_moment: float

    def at(self, p: Any) -> Point:
        """A point of the world on the page."""
        x, y = self.plane.flat(p)
        return float(self.metre * x), float(-self.metre * y)

    def along(self, f: Any, scale: float) -> Point:
        """A vector on the page, made longer if it is too short; nothing of one along the sight."""
        x, y = self.plane.flat(f)
        long = hypot(x, y)
        if long <= UNDRAWN * float(np.linalg.norm(f)):
            return 0.0, 0.0
        grown = max(scale, ARROW_LEAST / long)
        return float(x * grown), float(-y * grown)


def viewed(model: Model, q: Array, bodies: Sequence[FreeBody], view: Any) -> View:
    """The plane of a plane mechanism, or a view; scales in which all links fit."""
    plane = plane_of_motion(model, q) if view is None else None
    flat = plane is not None
    if plane is None:
        plane = _looking(OBLIQUE if view is None else view)
    extent = [_extent(b, plane) for b in bodies]
    every = [x for b in bodies for x in b.acting]
    force = max((float(np.linalg.norm(x.force)) for x in every), default=0.0)
    moment = max((float(np.linalg.norm(x.moment)) for x in every), default=0.0)
    longest = max(extent)
    return View(
        plane,
        flat,
        LINK_LENGTH / longest if longest > 0 else 1.0,
        ARROW_LENGTH / force if force > 0 else 1.0,
        ARROW_LENGTH / moment if moment > 0 else 1.0,
        UNDRAWN * force,
        UNDRAWN * max(moment, force * longest),
    )


def _looking(view: Any) -> Plane:
    """The plane of the page, seen from a direction; z is up where it can be."""
    try:
        d = np.array(view, dtype=float)
    except (TypeError, ValueError):
        d = np.zeros(0)
    if d.shape != (3,) or not np.isfinite(d).all() or not d.any():
        raise ArgumentError(f"view is a direction, three numbers that are not all 0; got {view!r}")
    d = d / np.linalg.norm(d)
    up = np.eye(3)[2] if abs(d[2]) < 0.999 else np.eye(3)[1]
    right = np.cross(up, d)
    right = right / np.linalg.norm(right)
    return Plane(right, np.cross(d, right))


def _extent(b: FreeBody, plane: Plane) -> float:
    """The larger side of a link on the page, in metres."""
    flat = plane.flat(np.array([b.centre, *(x.at for x in b.acting)]))
    return float(np.ptp(flat, axis=0).max())


def colour(x: Acting) -> str:
    """Which colour it has: loops that of joints."""
    return "joint" if x.cause == "loop" else x.cause


def shown_name(x: Acting) -> str:
    """What its label says."""
    return "weight" if x.cause == "weight" else x.name
