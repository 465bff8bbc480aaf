"""Solutions of inverse kinematics as a picture: the arm in every one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.drawing.canvas import Canvas, drawn_plane
from visviva.drawing.look import COLOURS, INK
from visviva.equations.frames.skeleton import skeleton
from visviva.errors import ArgumentError

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure
    from visviva.solve.inverse.solutions import Solutions

MOST_ARMS = 12  # arms in a picture


def solutions_figure(found: Solutions) -> Figure:
    """A plotly figure: all solutions of a pose, or along many poses the first of each."""
    rows = np.asarray(found.q if found.is_single else _first(found), dtype=float)
    rows = np.atleast_2d(rows)
    rows = rows[np.isfinite(rows).all(axis=1)]
    if not len(rows):
        reason = found.reason if found.is_single else next(iter(found.reason), "")
        raise ArgumentError(f"plot: there is no solution to draw; {reason}".rstrip("; "))
    few = rows[np.unique(np.linspace(0, len(rows) - 1, MOST_ARMS).round().astype(int))]
    lines = [skeleton(found.model, found.frame, q) for q in few]
    some = "" if len(few) == len(rows) else f", {len(few)} of them drawn"
    many = "one way" if len(rows) == 1 else f"{len(rows)} ways"
    said = f"{many} to one target" if found.is_single else f"along {len(rows)} poses"
    title = f"{found.frame} of {found.model.name}: {said}{some}"
    canvas = Canvas(drawn_plane(np.concatenate(lines)), title)
    for k, line in enumerate(lines):
        name = f"solution {k + 1}" if found.is_single else "the arm"
        canvas.arm(line, name, COLOURS[k % len(COLOURS) if found.is_single else 0])
    if not found.is_single:
        tips = np.array([skeleton(found.model, found.frame, q)[-1] for q in rows])
        canvas.line(tips, f"path of {found.frame}", INK, line={"dash": "dot"})
    return canvas.done()


def _first(found: Solutions) -> Any:
    """(N, nq): one solution of each pose."""
    return found.q if found.q.ndim == 2 else found.q[:, 0]
