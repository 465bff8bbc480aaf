"""The composite-rigid-body algorithm: what is beyond a joint moves as one body.

Featherstone, *Rigid Body Dynamics Algorithms*, table 6.2, in mass moments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.body import WORLD
from visviva.equations.bodies.links import (
    Link,
    Placed,
    ancestors,
    carried_inward,
    force_to_parent,
    placed,
)
from visviva.equations.bodies.moments import Moments


def composite_rigid_body(tree: Sequence[Link], q: Any, n: int) -> Array:
    """M(q) (n, n) of the rigid bodies: Featherstone, table 6.2."""
    steps = placed(tree, q)
    return assembled(steps, composites(steps), n)


def composites(steps: Sequence[Placed]) -> list[Moments]:
    """Each link with all that it carries, as one body."""
    return carried_inward(steps, [s.link.body for s in steps], lambda s, x: x.moved(s.R, s.p))


def assembled(steps: Sequence[Placed], bodies: Sequence[Moments], n: int) -> Array:
    """M from the wrench that moves each composite along its joint, carried to its ancestors."""
    M: Array = np.full((n, n), 0.0, dtype=object)
    for i, s in enumerate(steps):
        for k, column in zip(range(s.v.start, s.v.stop), s.S.T, strict=True):
            F = np.concatenate(bodies[i].momentum(column[:3], column[3:]))
            for j in ancestors(steps, i):
                at = steps[j]
                for r, x in zip(range(at.v.start, at.v.stop), at.S.T @ F, strict=True):
                    if j != i:
                        M[r, k] = M[r, k] + x
                        M[k, r] = M[r, k] if r != k else M[r, k] + x
                    elif r <= k:
                        M[r, k] = M[r, k] + x
                        M[k, r] = M[r, k]
                if at.parent != WORLD:
                    F = force_to_parent(at, F)
    return M
