"""The Jacobian of a pose as it is seen from a link in the middle, where it is shortest.

Twists may be seen from any link: the determinant stays what it is, as that of the change of view is
one. What is fixed to the last link has left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import Placed, placed
from visviva.equations.frames.kinematics import gathered
from visviva.equations.frames.path import path
from visviva.space.rotations import cross


def jacobian_from_the_middle(model: Model, frame: str, q: Any) -> Array:
    """(6, nv): the twists (ω, v) of all joints on the way to a frame, over any scalar."""
    steps = placed(path(model, frame).links, q)
    return _seen_from(steps, (len(steps) - 1) // 2, model.nv)


def _seen_from(steps: Sequence[Placed], k: int, nv: int) -> Array:
    """The twists of all joints, about the origin of link k and in its axes."""
    columns: dict[int, Array] = {}
    R: Any = np.eye(3)
    p: Any = np.zeros(3)
    for i in range(k, -1, -1):  # back to the base
        columns[i] = _moved(steps[i].S, R, p)
        R = R @ steps[i].R.T
        p = p - R @ steps[i].p
    R, p = np.eye(3), np.zeros(3)
    for i in range(k + 1, len(steps)):  # on to the tip
        p = p + R @ steps[i].p
        R = R @ steps[i].R
        columns[i] = _moved(steps[i].S, R, p)
    return gathered([columns[i] for i in range(len(steps))], steps, (6, nv))


def _moved(S: Array, R: Array, p: Array) -> Array:
    w, v = R @ S[:3], R @ S[3:]
    lever = np.stack([cross(p, w[:, j]) for j in range(w.shape[1])], axis=1)
    return np.concatenate([w, v + lever])
