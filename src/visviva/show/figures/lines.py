"""Shapes that are lines, in a plane and in space alike: coils, paths, arrows, axes, words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.drawing.canvas import Canvas
from visviva.drawing.look import AXES, LETTERS
from visviva.drawing.solids import turned_to
from visviva.show.figures.roles import SAID
from visviva.show.scene.shapes import Arrow, Axes, Coil, Label, Path, Shape

PER_TURN = 14  # points of a turn of a coil
GAP = np.full((1, 3), np.nan)


def placed(X: Array, points: Any) -> Array:
    """Points (k, 3) of a carrier in the world."""
    return np.asarray(points, dtype=float) @ X[:, :3].T + X[:, 3]


def posed(X: Array, pose: Sequence[float], points: Any) -> Array:
    """Points (k, 3) in a pose on a carrier, in the world."""
    return placed(X, placed(np.array(pose).reshape(3, 4), points))


def joined_lines(lines: Iterable[Array]) -> Array:
    """Several lines as one with gaps."""
    parts = [part for line in lines for part in (line, GAP)]
    return np.concatenate(parts[:-1]) if parts else np.zeros((0, 3))


def line_of(shape: Shape, X: Array, flat: bool) -> Array | None:
    """(k, 3): the line of a path or a coil in the world; None of what is no line."""
    if isinstance(shape, Path):
        points = [*shape.points, *shape.points[: int(shape.closed)]]
        return placed(X[shape.on], points)
    if isinstance(shape, Coil):
        (i, a), (j, b) = shape.a, shape.b
        return coil(placed(X[i], [a])[0], placed(X[j], [b])[0], shape, flat)
    return None


def coil(a: Array, b: Array, shape: Coil, flat: bool) -> Array:
    """A helix from a point to another, straight at its ends; in a plane a zigzag."""
    along = b - a
    ends, turns = 0.12, max(int(shape.turns), 1)
    s = np.linspace(0.0, 1.0, turns * PER_TURN + 1)
    wave = 2 * np.pi * turns * s
    R = turned_to(along)
    if flat:  # across, seen from the side
        R = R if abs(R[2, 0]) < abs(R[2, 1]) else R[:, [1, 0, 2]]
    round_about = np.outer(np.cos(wave), R[:, 0]) + np.outer(np.sin(wave), R[:, 1])
    body = a + np.outer(ends + (1 - 2 * ends) * s, along) + shape.radius * round_about
    return np.vstack([a, a + ends * along, body, b - ends * along, b])


def draw_arrows(canvas: Canvas, shapes: Sequence[Arrow], X: Array, colour: str, **how: Any) -> None:
    """Arrows of one role; in a plane those that point out of it are left out."""
    starts = np.array([placed(X[s.on], [s.at])[0] for s in shapes]).reshape(-1, 3)
    along = np.array([X[s.on][:, :3] @ np.array(s.along) for s in shapes]).reshape(-1, 3)
    if canvas.axes is not None:
        size = np.linalg.norm(along, axis=1)
        seen = np.linalg.norm(along[:, list(canvas.axes)], axis=1) > 0.05 * size
        starts, along = starts[seen], along[seen]
    if not len(starts):
        return
    name = SAID[shapes[0].role]
    lines = joined_lines(np.stack([starts, starts + along], axis=1))
    canvas.line(lines, name, colour, width=3 if canvas.axes is None else 2, **how)
    if canvas.axes is None:
        canvas.cones(starts + along, along * 0.25, name, colour, **how)


def draw_frames(canvas: Canvas, shapes: Sequence[Axes], X: Array, **how: Any) -> None:
    """x red, y green, z blue, all in one group of the legend."""
    for k, colour in enumerate(AXES):
        lines = []
        for s in shapes:
            ends = np.zeros((2, 3))
            ends[1, k] = s.length
            line = posed(X[s.on], s.pose, ends)
            flat = canvas.axes
            if flat is None or np.abs(np.diff(line[:, list(flat)], axis=0)).max() > 0.05 * s.length:
                lines.append(line)
        if lines:
            said = {"hovertext": LETTERS[k], "hoverinfo": "text", **how}
            said |= {"legendgroup": SAID["frame"]}
            width = 4 if canvas.axes is None else 2
            canvas.line(joined_lines(lines), SAID["frame"], colour, width=width, **said)


def draw_labels(canvas: Canvas, shapes: Sequence[Label], X: Array, group: str, **how: Any) -> None:
    """Words at points, in a group of the legend; in a plane beside what stands there."""
    at = [placed(X[s.on], [s.at])[0] for s in shapes]
    flat = canvas.axes is not None
    side: dict[str, Any] = {"textposition": "top right" if flat else "top center", "beside": flat}
    canvas.text(at, [s.text for s in shapes], name=SAID[group], **side, **how)
