"""A body as a picture: principal axes, and a shape that moves as it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import Array, is_numeric
from visviva.drawing.look import COLOURS, INK
from visviva.errors import ArgumentError, check_known

if TYPE_CHECKING:
    from visviva.describe.bodies.inertia import Inertia
    from visviva.drawing.figure import Figure

EQUIVALENTS = {"ellipsoid": 5 / 2, "box": 3 / 2}  # half size² over (sum - 2 moment) / mass
THIN = 0.012  # of the largest: what a rod or a plate is drawn with
BEYOND = 1.3  # of the surface: how far principal axes are drawn


def half_sizes(body: Inertia, shape: str) -> Array:
    """(3,): of the uniform ellipsoid or box with the same mass and principal moments."""
    moments = body.principal().moments
    squares = EQUIVALENTS[shape] * (moments.sum() - 2 * moments) / float(body.mass)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def inertia_figure(body: Inertia, parts: Mapping[str, Inertia] | None, shape: str) -> Figure:
    """A plotly figure; parts, if any, are drawn instead of the whole, which has the axes."""
    from visviva.drawing.canvas import Canvas

    check_known("shape of a body", shape, EQUIVALENTS)
    for name, one in (parts or {"": body}).items():
        _check(one, name)
    _check(body, "")
    label = f" {body.frame!r}" if body.frame else ""
    canvas = Canvas(None, f"body{label} of {float(body.mass):.4g} kg: principal moments and axes")
    for k, (name, one) in enumerate((parts or {}).items()):
        _solid(canvas, one, shape, name, COLOURS[k % len(COLOURS)], 0.5)
    if not parts:
        _solid(canvas, body, shape, f"equivalent {shape}", COLOURS[0], 0.45)
    com, principal = np.asarray(body.com, dtype=float), body.principal()
    sizes = half_sizes(body, shape)
    floor = 0.35 * max(float(sizes.max()), 0.2 * canvas.size)
    names = []
    for k, colour in enumerate((COLOURS[1], COLOURS[4], COLOURS[3])):
        along = principal.axes[:, k] * max(BEYOND * sizes[k], floor)
        said = f"I{'₁₂₃'[k]} = {principal.moments[k]:.4g} kg m²"
        canvas.line([com - along, com + along], said, colour, width=5)
        names.append((com + 1.06 * along, f"I{'₁₂₃'[k]}", colour))
    for at, word, colour in names:
        canvas.text([at], [word], colour, size=13)
    canvas.points([com], "centre of mass", size=5, color=INK)
    if np.linalg.norm(com) > 1e-9 * canvas.size:
        canvas.line([np.zeros(3), com], "", INK, line={"dash": "dash"})
    axis = max(0.3 * canvas.size, 1e-6)
    canvas.frame(np.eye(3), np.zeros(3), axis, marked="", opacity=0.5, showlegend=False)
    return canvas.done()


def _solid(canvas: Any, body: Inertia, shape: str, name: str, colour: str, pale: float) -> None:
    from visviva.drawing import solids

    sizes = half_sizes(body, shape)
    if sizes.max() == 0.0:  # a point
        canvas.points([np.asarray(body.com, dtype=float)], name, size=7, color=colour)
        return
    drawn = np.maximum(sizes, THIN * sizes.max())
    vertices, faces = solids.box(2 * drawn) if shape == "box" else solids.ellipsoid(drawn)
    placed = vertices @ body.principal().axes.T + np.asarray(body.com, dtype=float)
    said = f"{name}: {float(body.mass):.4g} kg"
    flat = shape == "box"
    canvas.mesh(placed, faces, name, colour, opacity=pale, hovertext=said, flatshading=flat)


def _check(body: Any, name: str) -> None:
    where = f"part {name!r}" if name else "the body"
    if getattr(body, "principal", None) is None:
        raise ArgumentError(f"plot: {where} is a vv.Inertia, got {type(body).__name__}")
    if not (is_numeric([body.mass]) and is_numeric(body.com) and is_numeric(body.tensor)):
        raise ArgumentError(f"plot: {where} has symbols; a picture needs numbers")
    if not float(body.mass) > 0:
        raise ArgumentError(f"plot: {where} has no mass, {body.mass}, and so no shape")
