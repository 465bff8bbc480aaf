"""A model as text: the table that `repr` prints."""

from __future__ import annotations

from collections.abc import Sized
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import is_zero
from visviva.algebra.expr import Expr
from visviva.algebra.expr import text as expression_text
from visviva.describe.model.body import JOINT_NUMBERS, WORLD
from visviva.describe.model.stiffness import Stiffness
from visviva.drawing.digits import plain_number

if TYPE_CHECKING:
    from visviva.describe.model.model import Model

MOST = 6  # names in one line
HEADINGS = ("", "joint", "parent", "type", "limits", "mass", "body")


def body_rows(model: Model) -> list[tuple[str, ...]]:
    """Index, joint, parent, type, limits, mass and name of every body, as `HEADINGS` say."""
    rows: list[tuple[str, ...]] = []
    for i, b in enumerate(model.bodies):
        parent = model.base_name if b.parent == WORLD else model.bodies[b.parent].name
        kind = b.joint.kind
        if b.mimic is not None:
            offset = _number(b.mimic.offset)
            kind += f" = {_number(b.mimic.multiplier)}·{b.mimic.joint}"
            kind += f" + {offset}" if offset != "0" else ""
        limits = " ".join(
            f"[{lo:.4g}, {hi:.4g}]"
            for lo, hi in zip(b.limits.lower, b.limits.upper, strict=True)
            if lo > -float("inf") or hi < float("inf")
        )
        rows.append((str(i), b.joint_name, parent, kind, limits, _number(b.inertia.mass), b.name))
    return rows


def text(model: Model) -> str:
    """Everything that a model has, in lines."""
    rows = [HEADINGS, *body_rows(model)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(HEADINGS))]
    lines = [
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    gravity = ", ".join(_number(g) for g in model.gravity)
    m = model
    values = ", ".join(f"{k} = {v:g}" for k, v in m.parameters.items())
    frames = f"{_count(m.frames, 'frame')}: {_some([f.name for f in m.frames])}"
    parts = (
        (True, [f"{m.name}: nq {m.nq}, nv {m.nv}, gravity ({gravity})"]),
        (m.parameters, [f"parameters: {values}"]),
        (True, lines),
        (m.frames, [frames]),
        (True, _acting(m)),
        (m.passive, [f"passive: {', '.join(m.passive)}"]),
        (m.notes, [f"{_count(m.notes, 'note')}: see .notes"]),
    )
    return "\n".join(line for there, some in parts if there for line in some)


def _acting(model: Model) -> list[str]:
    """What acts on joints and frames beside gravity, and what closes the tree; a line each."""
    lines = []
    for what in JOINT_NUMBERS:
        felt = {b.joint_name: [_number(x) for x in getattr(b, what)] for b in model.bodies}
        if felt := {joint: x for joint, x in felt.items() if {*x} - {"0"}}:
            each = [f"{joint} {_same(x)}" for joint, x in felt.items()]
            alike = len({*map(tuple, felt.values())}) == 1 and len(felt) > MOST
            said = f"{_same(next(iter(felt.values())))} at {len(felt)} joints"
            lines.append(f"{what}: {said if alike else _some(each)}")
    stops = [(b.joint_name, b.limits.restitution) for b in model.bodies if b.limits.are_stops]
    if stops:
        each = [f"{joint} {_same([_number(x) for x in e])}" for joint, e in stops]
        lines.append(f"stops with restitution: {_some(each)}")
    if model.springs:
        lines.append(f"springs: {_some([_spring(s) for s in model.springs])}")
    if model.actuators:
        each = [f"{a.name} ({a.kind} at {a.joint or a.frame})" for a in model.actuators]
        lines.append(f"{_count(each, 'actuator')}: {_some(each)}")
    for what, some in _holding(model):
        each = [f"{x}{'' if x.active else ' (switched off)'}" for x in some]
        lines.append(f"{_count(each, what)}: {_some(each)}")
    if any(x.active for x in model.constraints):
        lines.append("held: actuator_forces has motors' forces, inverse_dynamics the open tree's")
    return lines


def _holding(model: Model) -> list[tuple[str, list[Any]]]:
    """Loops, and constraints that are none, where there are any."""
    loops = [x for x in model.constraints if x.frames]
    others = [x for x in model.constraints if not x.frames]
    return [(what, some) for what, some in (("loop", loops), ("constraint", others)) if some]


def _spring(s: Any) -> str:
    """Its name, where it is, stiffness and rest, and the damper if there is one."""
    where = f"on {s.joint}" if s.joint else f"between {' and '.join(s.frames)}"
    more = {"damper": s.damping, "turning": s.turning, "turning damper": s.turning_damping}
    others = "".join(f", {k} {_value(x)}" for k, x in more.items() if _value(x) != "0")
    return f"{s.name} {where} (stiffness {_value(s.stiffness)}, rest {_value(s.rest)}{others})"


def _value(x: Any) -> str:
    """A number, the entries of a vector or matrix, or a law."""
    if isinstance(x, Stiffness):
        said = x.text if x.of == "stiffness" else f"by its {x.of} {x.text}"
        return said + "".join(f", {k} = {_number(y)}" for k, y in x.values.items())
    if not np.ndim(x):
        return _number(x)
    if np.ndim(x) == 2 and is_zero([y for (r, c), y in np.ndenumerate(x) if r != c]):
        return f"diag({', '.join(map(_number, np.diag(x)))})"
    return f"({', '.join(map(_value, x))})"


def _same(values: list[str]) -> str:
    """One number for all where they are the same."""
    return values[0] if len({*values}) == 1 else f"({', '.join(values)})"


def _count(some: Sized, what: str) -> str:
    """1 loop, 2 loops."""
    return f"{len(some)} {what}{'' if len(some) == 1 else 's'}"


def _number(x: Any) -> str:
    return expression_text(x) if isinstance(x, Expr) else plain_number(x)


def _some(names: list[str]) -> str:
    more = ", …" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more
