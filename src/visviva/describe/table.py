"""A model as text: the table that `repr` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from visviva.algebra.expr import Expr
from visviva.algebra.expr import text as expression_text
from visviva.describe.parts import WORLD

if TYPE_CHECKING:
    from visviva.describe.model import Model

COLUMNS = ("", "joint", "parent", "type", "limits", "mass", "body")


def text(model: Model) -> str:
    """Index, joint, parent, type, limits and mass of every body."""
    rows = [COLUMNS]
    for i, b in enumerate(model.bodies):
        parent = model.base_name if b.parent == WORLD else model.bodies[b.parent].name
        kind = type(b.joint).__name__.lower()
        if b.mimic is not None:
            kind += f" = {_number(b.mimic.multiplier)}·{b.mimic.joint}"
            offset = _number(b.mimic.offset)
            kind += f" + {offset}" if offset != "0" else ""
        limits = " ".join(
            f"[{lo:.4g}, {hi:.4g}]"
            for lo, hi in zip(b.limits.lower, b.limits.upper, strict=True)
            if lo > -float("inf") or hi < float("inf")
        )
        rows.append((str(i), b.joint_name, parent, kind, limits, _number(b.inertia.mass), b.name))
    widths = [max(len(row[k]) for row in rows) for k in range(len(COLUMNS))]
    lines = [
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    gravity = ", ".join(_number(g) for g in model.gravity)
    head = f"{model.name}: nq {model.nq}, nv {model.nv}, gravity ({gravity})"
    if model.parameters:
        values = ", ".join(f"{k} = {v:g}" for k, v in model.parameters.items())
        head += f"\nparameters: {values}"
    tail = (
        [f"{len(model.frames)} frames: {_some([f.name for f in model.frames])}"]
        if model.frames
        else []
    )
    if model.passive:
        tail.append(f"passive: {', '.join(model.passive)}")
    if model.notes:
        tail.append(f"{len(model.notes)} notes: see .notes")
    return "\n".join([head, *lines, *tail])


def _number(x: Any) -> str:
    return expression_text(x) if isinstance(x, Expr) else f"{x:.6g}"


def _some(names: list[str], most: int = 6) -> str:
    more = ", …" if len(names) > most else ""
    return ", ".join(names[:most]) + more
