"""A mechanism at a position, as a plotly figure.

What moves in a plane is drawn flat in it, with its real widths; everything else in space.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.drawing.canvas import Canvas
from visviva.errors import ArgumentError, ShapeError
from visviva.hints import in_radians
from visviva.show.figures.lines import draw_arrows, draw_frames, draw_labels
from visviva.show.figures.outlines import draw_outlines
from visviva.show.figures.roles import SAID, carrier_of, colour_of, waiting
from visviva.show.figures.surfaces import draw_surfaces
from visviva.show.scene.of import scene_of
from visviva.show.scene.scene import Scene
from visviva.show.scene.shapes import Arrow, Axes, Label, Shape

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

MOST_SAID = 6  # coordinates in a title


def mechanism_figure(
    system: Any, q: Any = None, t: float = 0.0, show: Sequence[str] | None = None
) -> Figure:
    """A plotly figure of a system at q, or where its picture begins."""
    scene = scene_of(system)
    at = position_of(system, scene, q, "plot")
    said = [f"{c.label} = {at[c.index]:.4g}" for c in scene.coordinates if c.kind != "quaternion"]
    said = said if len(said) <= MOST_SAID else []
    said += [f"t = {t:.4g} s"] if scene.is_timed else []
    title = f"{scene.name}: {', '.join(said)}" if said else scene.name
    return scene_figure(scene, at, t, title, show)


def position_of(system: Any, scene: Scene, q: Any, asked: str) -> Array:
    """q (nq,) as numbers; by names; or the start of the scene."""
    if q is None:
        return scene.start
    given = system.q(q) if isinstance(q, dict) else q
    try:
        at = np.array(given, dtype=float)
    except (TypeError, ValueError):
        said = f"{asked}: q has {system.nq} numbers, got {q!r:.200}{in_radians(q)}"
        raise ShapeError(said) from None
    if at.shape != (system.nq,):
        raise ShapeError(
            f"{asked}: q of {system.name!r} has {system.nq} numbers "
            f"({', '.join(system.coordinate_names)}), got the shape {at.shape}"
        )
    if not np.isfinite(at).all():
        raise ArgumentError(f"{asked}: q is not finite, {at.tolist()}")
    return at


def scene_figure(
    scene: Scene, q: Array, t: float, title: str, show: Sequence[str] | None = None
) -> Figure:
    """A scene at q and t."""
    canvas, X = Canvas(scene.plane, title), scene.at(q, t)
    hidden = waiting(scene.shapes, show)
    groups = grouped(scene)
    (draw_surfaces if scene.plane is None else draw_outlines)(canvas, groups, X, hidden)
    for role in SAID:
        how: dict[str, Any] = {"visible": "legendonly"} if role in hidden else {}
        own = [x for x in scene.shapes if x.role == role]
        arrows = [x for x in own if isinstance(x, Arrow)]
        frames = [x for x in own if isinstance(x, Axes)]
        if arrows:
            draw_arrows(canvas, arrows, X, colour_of(arrows[0], ()), **how)
        if frames:
            draw_frames(canvas, frames, X, **how)
    for group in ("frame", "label"):
        words = [x for x in scene.shapes if isinstance(x, Label)]
        words = [x for x in words if (x.role == "frame") == (group == "frame")]
        if words:
            how = {"visible": "legendonly"} if group in hidden else {}
            draw_labels(canvas, words, X, group, **how)
    return canvas.done()


def grouped(scene: Scene) -> dict[tuple[str, str], list[Shape]]:
    """Shapes that are drawn together, by role and colour, in the order in which they are drawn."""
    carriers = list(dict.fromkeys(carrier_of(x) for x in scene.shapes if x.role == "link"))
    found: dict[tuple[str, str], list[Shape]] = defaultdict(list)
    for role in SAID:
        for shape in scene.shapes:
            if shape.role == role and not isinstance(shape, (Arrow, Axes, Label)):
                found[role, colour_of(shape, carriers)].append(shape)
    return found
