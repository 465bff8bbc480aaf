"""An arm as a line: from the base through its joints to a frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import in_world, links, placed
from visviva.space.poses import IDENTITY

ONE_POINT = 1e-9  # m: points that are one


def skeleton(model: Model, frame: str, q: Any) -> Array:
    """(k, 3): the base, the joints, the frame.

    A slide has two points, where it is on what carries it and where its body is now: the line
    between them is its axis.
    """
    m = model.numeric
    f, bodies = m.frame(frame), in_world(placed(links(m), np.asarray(q, dtype=float)))
    chain, i = [], f.body
    while i != WORLD:
        b = m.bodies[i]
        carrier = IDENTITY if b.parent == WORLD else bodies[b.parent]
        chain += [bodies[i].p, (carrier @ b.placement).p]
        i = b.parent
    tip = f.placement.p if f.body == WORLD else (bodies[f.body] @ f.placement).p
    points = [np.zeros(3), *chain[::-1], tip]
    rows = np.array([np.asarray(p, dtype=float) for p in points])
    apart = np.abs(np.diff(rows, axis=0)).max(axis=1) > ONE_POINT
    corners: Array = rows[np.append(True, apart)]
    return corners
