"""The tables that are printed: loads, torques by both roads, and what joints exert."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.describe.model.body import WORLD
from visviva.drawing.digits import plain_number
from visviva.solve.statics.holding import force_units
from visviva.solve.statics.inside import loop_label
from visviva.solve.statics.loads import Load

if TYPE_CHECKING:
    from visviva.solve.statics.statics import Statics

SHOWN_AS_ZERO = 1e-12  # of the largest number of a table: what is less is printed as zero


def text(s: Statics) -> str:
    """All of it."""
    m = s.model
    lines = [f"{m.name} at rest, q = {_row(s.q)}, gravity {_row(m.gravity)}"]
    if s.loads:
        lines += ["", "loads, exerted by the robot, in world axes at their points"]
        lines += _table(("frame", "point", *_heads("f", "N"), *_heads("m", "N m")), _loads(s.loads))
    lines += ["", "torques, by virtual work and by the balance of the links"]
    units = force_units(m)
    heads: tuple[str, ...] = ("joint", "virtual work", "balance", "")
    scale = _largest([*s.torques, *s.balance])
    rows: list[tuple[str, ...]] = [
        (name, _number(a, scale), _number(b, scale), unit)
        for name, a, b, unit in zip(m.motion_names, s.torques, s.balance, units, strict=True)
    ]
    lines += [*_table(heads, rows), f"they differ by {s.disagreement:.1e} of the largest force"]
    if s.drives.actuators:
        lines += ["", "actuators"]
        scale = _largest(s.efforts)
        rows = [
            (name, _number(f, scale), unit)
            for name, f, unit in zip(s.drives.names, s.efforts, s.drives.units, strict=True)
        ]
        lines += _table(("name", "f", ""), rows)
    lines += ["", "what joints exert on the body they carry, in world axes, at the joint"]
    heads = ("joint", "on", *_heads("f", "N"), *_heads("m", "N m"))
    lines += _table(heads, _joints(s))
    if s.joint_springs:
        lines += ["", "springs at joints: what they exert there"]
        joint = {x.name: x.joint for x in s.model.springs}
        unit = dict(zip(m.motion_names, units, strict=True))
        rows = [
            (k, joint[k], f"{x:.6g}", unit.get(joint[k], "")) for k, x in s.joint_springs.items()
        ]
        lines += _table(("spring", "joint", "torque or force", ""), rows)
    springs = [x for b in s.bodies for x in b.acting if x.cause == "spring"]
    if springs:
        lines += ["", "springs between frames, in world axes, on each end"]
        force, moment = (_largest([y for x in springs for y in getattr(x, k)]) for k in PARTS)
        rows = [
            (x.name, _row(x.at), *_three(x.force, force), *_three(x.moment, moment))
            for x in springs
        ]
        lines += _table(("spring", "point", *_heads("f", "N"), *_heads("m", "N m")), rows)
    return "\n".join([*lines, *(f"note: {x}" for x in s.notes)])


PARTS = ("force", "moment")


def _loads(loads: Sequence[Load]) -> list[tuple[str, ...]]:
    force, moment = (_largest([y for x in loads for y in getattr(x, k)]) for k in PARTS)
    return [
        (x.frame, _row(x.point), *_three(-x.force, force), *_three(-x.moment, moment))
        for x in loads
    ]


def _joints(s: Statics) -> list[tuple[str, ...]]:
    force, moment = (_largest([y for x in s.joints.values() for y in getattr(x, k)]) for k in PARTS)
    on = {b.joint_name: b.name for b in s.model.bodies}
    for loop in s.model.constraints.active:
        if loop.frames:
            body = s.model.frame(loop.frames[1]).body
            on[loop_label(s.model, loop)] = (
                s.model.base_name if body == WORLD else s.model.bodies[body].name
            )
    return [
        (name, on[name], *_three(x.force, force), *_three(x.moment, moment))
        for name, x in s.joints.items()
    ]


def _heads(letter: str, unit: str) -> tuple[str, ...]:
    return tuple(f"{letter}{axis} [{unit}]" for axis in "xyz")


def _largest(numbers: Any) -> float:
    return float(np.abs(np.asarray(numbers, dtype=float)).max(initial=0.0))


def _three(x: Any, scale: float) -> tuple[str, ...]:
    return tuple(_number(y, scale) for y in x)


def _number(x: float, scale: float) -> str:
    return plain_number(x, least=SHOWN_AS_ZERO * scale)


def _row(x: Any) -> str:
    return f"({', '.join(map(plain_number, x))})"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns of texts to the left, of numbers to the right."""
    widths = [max(len(row[k]) for row in (heads, *rows)) for k in range(len(heads))]
    numbers = [k > 0 and all(_is_number(row[k]) for row in rows) for k in range(len(heads))]
    return [
        "  "
        + "  ".join(
            x.rjust(w) if right else x.ljust(w)
            for x, w, right in zip(row, widths, numbers, strict=True)
        ).rstrip()
        for row in (heads, *rows)
    ]


def _is_number(x: str) -> bool:
    try:
        float(x)
    except ValueError:
        return False
    return True
