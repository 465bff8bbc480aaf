"""Linkages as pictures: links, pins and what moves, in the plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.drawing.canvas import TALL
from visviva.drawing.look import COLOURS, words
from visviva.solve.planar.pins import body_called, pins, points_of
from visviva.solve.planar.plane import Plane

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

PADDING = 0.12  # of the size of a linkage, on each side


def linkage_figure(
    model: Model, q: Any, plane: Plane, title: str, more: Mapping[int, Any] | None = None
) -> Figure:
    """The links at a position, each in a colour; pins, and the ground as triangles. (plotly)

    `more` has further points of bodies, which are drawn with them.
    """
    from visviva.drawing.figure import new_figure

    fig = new_figure(title, height=TALL)
    for body, points in points_of(model, q).items():
        if body == WORLD or not points:
            continue
        flat = plane.flat(np.array(_around([*points, *(more or {}).get(body, ())])))
        line = {"color": COLOURS[body % len(COLOURS)], "width": 3}
        fig.add_scatter(
            x=flat[:, 0],
            y=flat[:, 1],
            mode="lines" if len(points) > 1 else "markers",
            line=line,
            marker={"size": 14, "symbol": "square", "color": line["color"]},
            fill="toself" if len(flat) > 2 else None,
            opacity=0.7,
            name=words(body_called(model, body)),
        )
    for ground in (False, True):
        some = [p for p in pins(model, q) if (WORLD in p.bodies) == ground and not p.along.any()]
        if some:
            flat = plane.flat(np.array([p.at for p in some]))
            marker = {"size": 9, "color": "white", "line": {"color": "#333", "width": 2}}
            marker["symbol"] = "triangle-up" if ground else "circle"
            fig.add_scatter(
                x=flat[:, 0],
                y=flat[:, 1],
                mode="markers",
                marker=marker,
                name="on the ground" if ground else "pins",
                hovertext=[words(p.name) for p in some],
            )
    return laid_out(fig, plane)


def laid_out(fig: Figure, plane: Plane) -> Figure:
    """Axes of equal scale, in metres, large enough for all that is drawn."""
    names = [_axis(x) for x in (plane.right, plane.up)]
    points = [np.stack([t.x, t.y], axis=1).astype(float) for t in fig.data if t.x is not None]
    every = np.concatenate([*points, np.zeros((0, 2))])
    low, high = np.nanmin(every, axis=0), np.nanmax(every, axis=0)
    pad = PADDING * max(float((high - low).max()), 1e-9)
    (x0, y0), (x1, y1) = (low - pad).tolist(), (high + pad).tolist()
    fig.update_xaxes(title_text=f"{names[0]} [m]", range=[x0, x1])
    fig.update_yaxes(title_text=f"{names[1]} [m]", range=[y0, y1], scaleanchor="x")
    return fig


def label_places(points: Sequence[Any], texts: Sequence[str]) -> list[str]:
    """Where labels stand beside their points, so that they keep off each other as they can."""
    at = np.array(points, dtype=float).reshape(-1, 2)
    letter, line = (float(np.ptp(at, axis=0).max(initial=0.0) or 1.0) * k for k in (0.013, 0.05))
    sides = {"top center": (-0.5, 0.7), "bottom center": (-0.5, -1.7)}
    sides |= {"middle right": (0.15, -0.5), "middle left": (-1.15, -0.5)}
    taken = [(x - line / 3, y - line / 3, x + line / 3, y + line / 3) for x, y in at]
    chosen = []
    for (x, y), text in zip(at, texts, strict=True):
        rows = text.split("<br>")
        wide, high = letter * max(map(len, rows)), line * len(rows)
        boxes = {}
        for side, (a, b) in sides.items():
            low = y + (b * line if b > 0 else b * high)
            boxes[side] = (x + a * wide, low, x + (a + 1) * wide, low + high)
        best = min(boxes, key=lambda side: sum(_common(boxes[side], other) for other in taken))
        chosen.append(best)
        taken.append(boxes[best])
    return chosen


def _common(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """The area that two boxes share."""
    wide = min(a[2], b[2]) - max(a[0], b[0])
    high = min(a[3], b[3]) - max(a[1], b[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def _axis(direction: Any) -> str:
    k = int(np.abs(direction).argmax())
    if abs(abs(direction[k]) - 1.0) > 1e-9:
        return "along the plane"
    return ("" if direction[k] > 0 else "-") + "xyz"[k]


def _around(points: list[Any]) -> list[Any]:
    """A body's points as a line, or as a ring where it has more than two that differ."""
    apart: list[Any] = []
    for p in points:
        if all(np.abs(p - x).max() > 1e-9 for x in apart):
            apart.append(p)
    return [*apart, apart[0]] if len(apart) > 2 else apart
