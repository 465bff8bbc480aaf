"""Numbers that look like degrees or millimetres: told in the notes, never changed.

An arm may turn several times about itself, so limits are suspected from thirty radians on; beyond a
thousand they stand for none. Angles of fixed rotations have no reason to pass a full turn.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import hypot, isfinite, pi
from typing import Any

from visviva.algebra.arrays import is_numeric
from visviva.algebra.expr import Expr, names_in
from visviva.describe.model.body import Body
from visviva.describe.model.model import Model
from visviva.describe.values import at_values

TURN = 2 * pi * (1 + 1e-6)  # files round
ANGLES = (30.0, 1000.0)  # of a limit, in radians
FAR = 30.0  # metres
SHOWN = 6


def suspicions(model: Model, stated: Iterable[Body]) -> list[str]:
    """A sentence for each kind of number that looks like another unit.

    Of bodies as they were stated: in a model limits are narrower where joints follow each other.
    """
    turned, far, placed = [], [], []
    for b in stated:
        angles = [x for x in _limits(b) if isfinite(x) and abs(x) >= ANGLES[0]]
        if angles and all(abs(x) <= ANGLES[1] for x in angles):
            turned.append(f"{b.joint_name!r} ({_pair(angles)})")
        if (length := _length(model, b.inertia.com)) >= FAR:
            far.append(f"{b.name!r} ({length:g} m)")
        if (length := _length(model, b.placement.p)) >= FAR:
            placed.append(f"{b.joint_name!r} ({length:g} m)")
    return [
        f"{said}: {some(names)}"
        for said, names in (
            ("limits in radians that look like degrees", turned),
            ("centres of mass so far from their frames that they look like millimetres", far),
            ("joints so far from their parents that they look like millimetres", placed),
        )
        if names
    ]


def turned_too_far(where: str, angles: Iterable[Any]) -> str:
    """The word on fixed angles beyond a full turn; empty if there is none."""
    large = [float(x) for x in angles if is_numeric(x) and abs(float(x)) > TURN]
    return f"{where}: {', '.join(f'{x:g}' for x in large)} rad looks like degrees" if large else ""


def some(names: list[str]) -> str:
    """The first of them, and how many there are."""
    return ", ".join(names[:SHOWN]) + (f", … ({len(names)} in all)" if len(names) > SHOWN else "")


def _limits(b: Body) -> list[float]:
    """Of coordinates that are angles; a slide has none."""
    angles = list(b.joint.angular)
    return [float(x) for side in (b.limits.lower, b.limits.upper) for x in side[angles]]


def _pair(angles: list[float]) -> str:
    low, high = min(angles), max(angles)
    return f"±{high:g}" if low == -high else " and ".join(f"{x:g}" for x in angles)


def _length(model: Model, p: Any) -> float:
    return hypot(*(_value(x, model.parameters) for x in p))


def _value(x: Any, values: Any) -> float:
    """A number; zero for what has no value: a symbol of another kind, an unvalued name."""
    if not isinstance(x, Expr):
        return float(x) if is_numeric(x) else 0.0
    known = all(name in values for name in names_in([x]))
    return float(at_values(x, values)) if known else 0.0
