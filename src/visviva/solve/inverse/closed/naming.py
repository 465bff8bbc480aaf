"""What arms are called whose inverse kinematics has a closed form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visviva.solve.inverse.closed.axes import JointAxis, is_across, is_parallel
from visviva.solve.inverse.closed.plans import Plan


def name_of(axes: Sequence[JointAxis], plan: Plan) -> str:
    """By the kinds of joints and how they lie; the axes that matter are named by number."""
    letters = "".join("R" if a.is_turn else "P" for a in axes)
    words = ", ".join(plan.words)
    if plan.words and plan.words[0].startswith("spherical "):
        return f"{letters}, {words}"
    turns, slides = [a for a in axes if a.is_turn], [a for a in axes if not a.is_turn]
    if not turns:
        return "Cartesian" if len(slides) == 3 else letters
    if all(is_parallel(turns[0], a) for a in turns):
        if all(is_across(turns[0], a) for a in slides):
            return f"planar {letters}"
        if len(turns) > 1 and all(is_parallel(turns[0], a) for a in slides):
            return f"SCARA {letters}"
        if len(turns) == 1 and _is_cylinder(turns[0], slides):
            return f"cylindrical {letters}"
    if letters in ("RRP", "RPR", "PRR") and len(slides) == 1 and _meet(turns):
        return f"spherical {letters}"
    if letters == "RRR":
        return f"spatial 3R, {words}" if words else "spatial 3R"
    return f"{letters}, {words}" if words else letters


def _is_cylinder(turn: JointAxis, slides: Sequence[JointAxis]) -> bool:
    along = [is_parallel(turn, a) for a in slides]
    return sum(along) == 1 and all(
        x or is_across(turn, a) for x, a in zip(along, slides, strict=True)
    )


def _meet(turns: Sequence[JointAxis]) -> bool:
    a, b = turns
    between = np.cross(a.direction, b.direction)
    if is_parallel(a, b):
        return False
    return bool(abs(between @ (b.point - a.point)) <= 1e-12 * a.scale)
