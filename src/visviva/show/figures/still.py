"""A mechanism at a position, as a vector picture: SVG, small, for papers and pages.

What moves in a plane is seen along its normal, everything else from one side, without perspective,
so that parallel lines stay parallel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.drawing.svg import Still
from visviva.errors import ArgumentError
from visviva.show.figures.drawn import Sheet
from visviva.show.figures.mechanism import grouped, position_of
from visviva.show.figures.roles import colour_of, waiting
from visviva.show.figures.seen import Seen, back_to_front, looking, seen
from visviva.show.scene.of import scene_of
from visviva.show.scene.scene import Scene
from visviva.show.scene.shapes import Arrow, Axes, Label

BELOW, ABOVE = ("ground", "inertia"), ("centre", "point", "trace")  # all others
_WIDTH, _HEIGHT = 480.0, 360.0  # pixels, at most


def still(
    system: Any,
    q: Any = None,
    t: float = 0.0,
    show: Sequence[str] | None = None,
    towards: Any = None,
) -> Still:
    """A vector picture of a system at q, or where its picture begins."""
    scene = scene_of(system)
    at = position_of(system, scene, q, "picture")
    return Still(scene.name, scene_svg(scene, at, t, show, _direction(towards)))


def _direction(towards: Any) -> Array | None:
    if towards is None:
        return None
    found = np.array(towards, dtype=float)
    if found.shape != (3,) or not np.isfinite(found).all() or not found.any():
        raise ArgumentError(f"picture: towards is a direction (x, y, z), got {towards!r:.200}")
    return found


def scene_svg(
    scene: Scene, q: Array, t: float, show: Sequence[str] | None, towards: Array | None
) -> str:
    """A scene at q and t."""
    view, drawn = shapes_seen(scene, q, t, show, towards)
    X, hidden = view @ scene.at(q, t), waiting(scene.shapes, show)
    flat = scene.plane is not None and towards is None
    sheet = Sheet(scene.name, _WIDTH, _HEIGHT, flat)
    for x in drawn:
        sheet.shape(x)
    for arrow in scene.shapes:
        if isinstance(arrow, Arrow) and arrow.role not in hidden:
            foot = X[arrow.on][:, :3] @ arrow.at + X[arrow.on][:, 3]
            sheet.arrow(foot, X[arrow.on][:, :3] @ arrow.along, colour_of(arrow, ()))
        if isinstance(arrow, Axes) and "frame" not in hidden:
            sheet.axes(
                X[arrow.on] @ np.vstack([np.array(arrow.pose).reshape(3, 4), [0, 0, 0, 1]]),
                arrow.length,
            )
    for word in scene.shapes:
        if isinstance(word, Label) and ("frame" if word.role == "frame" else "label") not in hidden:
            sheet.word(X[word.on][:, :3] @ word.at + X[word.on][:, 3], word.text)
    return sheet.done(view)


def shapes_seen(
    scene: Scene, q: Array, t: float, show: Sequence[str] | None, towards: Array | None
) -> tuple[Array, list[Seen]]:
    """View axes (3, 3), and shapes in them in the order in which they are drawn."""
    view, flat = looking(scene.plane, towards), scene.plane is not None and towards is None
    X = view @ scene.at(q, t)
    hidden = waiting(scene.shapes, show)
    layers: dict[str, list[Seen]] = {"below": [], "between": [], "above": []}
    for (role, colour), shapes in grouped(scene).items():
        layer = "below" if role in BELOW else "above" if role in ABOVE else "between"
        made = [seen(x, colour, X, flat) for x in shapes if role not in hidden]
        layers[layer] += [x for x in made if x is not None]
    if not flat:
        layers["between"] = back_to_front(layers["between"], scene.size)
    return view, [x for layer in layers.values() for x in layer]
