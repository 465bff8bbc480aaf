"""Frames and Euler angles as pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import Array, is_numeric, vector
from visviva.drawing.look import COLOURS, INK
from visviva.errors import ArgumentError, ShapeError
from visviva.space.euler import convention, euler_matrix
from visviva.space.rotations import about_axis, check_rotation

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

AXIS_LENGTH = 0.4  # of the distance of frames
ARC_POINTS = 40
NONE = 1e-9  # rad: no turn to draw


def plot_frames(*frames: Any, **named: Any) -> Figure:
    """The axes of frames in the world's, x red, y green, z blue: a plotly figure.

    A frame is a `Pose`, a matrix (4, 4) or a rotation (3, 3), given by its name: `base=X, tool=Y`.

    Examples:
        >>> import visviva as vv
        >>> R = vv.space.euler_matrix([0.4, 0.3, 0.2], "ZYX")
        >>> vv.space.plot_frames(body=R).layout.title.text
        'frame body in the world'
    """
    from visviva.drawing.canvas import Canvas

    known = {f"{k + 1}" if len(frames) > 1 else "": x for k, x in enumerate(frames)} | named
    if not known:
        raise ArgumentError("plot_frames: give a frame, as a pose, a matrix or a rotation")
    placed = {name: _placed(name, x) for name, x in known.items()}
    far = max(float(np.linalg.norm(p)) for _, p in placed.values())
    length = AXIS_LENGTH * far if far > NONE else 1.0
    said = ", ".join(name for name in placed if name)
    title = f"frame{'s' if len(placed) > 1 else ''} {said} in the world".replace("  ", " ")
    canvas = Canvas(None, title)
    canvas.frame(np.eye(3), np.zeros(3), length, marked="ₛ", opacity=0.45, showlegend=False)
    for name, (R, p) in placed.items():
        canvas.frame(R, p, length, name)
        if np.linalg.norm(p) > NONE:
            dashed = {"dash": "dash"}
            canvas.line([np.zeros(3), p], "p", INK, line=dashed, showlegend=False)
    return canvas.done()


def plot_euler(q: Any, name: str) -> Figure:
    """Three Euler angles as arcs, each about the axis of its turn: a plotly figure.

    Fixed axes are marked with s; dashed is the axis of the second turn, of conventions as "ZXZ" the
    line of nodes (Choset et al., figure 10.7).

    Examples:
        >>> import visviva as vv
        >>> fig = vv.space.plot_euler([0.7, 0.5, 0.9], "ZXZ")
    """
    from visviva.drawing.canvas import Canvas

    c, angles = convention(name), vector(q)
    if (
        angles.shape != (3,)
        or not is_numeric(angles)
        or not np.isfinite(angles.astype(float)).all()
    ):
        raise ArgumentError(f"plot_euler: three angles as finite numbers, got {q!r:.80}")
    canvas = Canvas(None, f"Euler angles {name}: three turns from the fixed axes to the body's")
    canvas.frame(np.eye(3), np.zeros(3), 1.0, marked="ₛ", opacity=0.45, showlegend=False)
    R, unit = np.eye(3), np.eye(3)
    carried = (c.axes[1], c.axes[2], c.axes[1])  # what each turn takes along, and shows its angle
    for k, (axis, place) in enumerate(zip(c.axes, c.places, strict=True)):
        angle = float(angles[place])
        start, about = R @ unit[carried[k]], R @ unit[axis]
        label = f"q{'₁₂₃'[place]} = {np.degrees(angle):.4g}°"
        radius = 0.5 + 0.14 * k
        arc = radius * _arc(start, about, angle)
        canvas.line(arc, label, COLOURS[4 - k], width=5)
        if abs(angle) > NONE:
            at = 1.12 * arc[len(arc) // 2]
            canvas.text([at], [f"q{'₁₂₃'[place]}"], COLOURS[4 - k], size=14)
        R = R @ about_axis(unit[axis], angle)
        if k == 0:
            nodes = R @ unit[c.axes[1]]
            line = {"dash": "dash"}
            said = "line of nodes" if c.is_proper else "axis of the second turn"
            canvas.line([-nodes, nodes], said, INK, width=3, line=line)
    canvas.frame(euler_matrix(angles, name), np.zeros(3), 1.0, marked="", showlegend=False)
    return canvas.done()


def _arc(start: Array, about: Array, angle: float) -> Array:
    """(k, 3): where a vector goes while it turns."""
    t = np.linspace(0.0, angle, ARC_POINTS)
    along = np.outer(np.full(ARC_POINTS, about @ start), about)
    across = start - (about @ start) * about
    side = np.cross(about, across)
    return np.asarray(along + np.outer(np.cos(t), across) + np.outer(np.sin(t), side))


def _placed(name: str, x: Any) -> tuple[Array, Array]:
    """Rotation and origin of a frame, in numbers."""
    is_pose = getattr(x, "R", None) is not None
    whole: Any = x if is_pose else vector(x)
    if not is_pose and whole.shape not in ((3, 3), (4, 4)):
        raise ShapeError(
            f"plot_frames: frame {name!r} is a pose, a matrix (4, 4) or a rotation (3, 3), got the "
            f"shape {whole.shape}"
        )
    R, p = (whole.R, whole.p) if is_pose else (whole[:3, :3], np.zeros(3))
    p = whole[:3, 3] if not is_pose and whole.shape == (4, 4) else p
    if not (is_numeric(R) and is_numeric(p)):
        raise ArgumentError(f"plot_frames: frame {name!r} has symbols; a picture needs numbers")
    R, p = np.asarray(R, dtype=float), np.asarray(p, dtype=float)
    check_rotation(R, f"the rotation of frame {name!r}")
    if not np.isfinite(p).all():
        raise ArgumentError(f"plot_frames: frame {name!r} is not finite, at {p.tolist()}")
    return R, p
