"""Loads at rest: wrenches that stay as they are while a mechanism looks for its position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError
from visviva.solve.statics.loads import loads_at_origins


@dataclass(frozen=True, eq=False)
class Loads:
    """Frames, with the axes of their wrenches, and the wrenches (number, 6) on the system."""

    frames: Mapping[str, str] = field(default_factory=dict)
    wrenches: Array = field(default_factory=lambda: np.zeros((0, 6)))


def loads_of(s: Any, wrenches: Any, v: Array) -> Loads:
    """What `wrenches` says: at origins of frames, in world axes, on a model at rest."""
    if wrenches is None:
        return Loads()
    _ = s.frames  # refuses what has none
    if np.any(v):
        raise ArgumentError("wrenches are for positions of rest, and v is not zero")
    timed = "t" in s.function("inverse_dynamics").inputs
    if timed or any(x.is_moving for x in s.constraints.active):
        raise ArgumentError(f"wrenches are for positions of rest, and {s.name!r} depends on time")
    total = loads_at_origins(s.numeric, "equilibria", wrenches)
    return Loads(dict.fromkeys(total, "world"), np.array([*total.values()]).reshape(-1, 6))
