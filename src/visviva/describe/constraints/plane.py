"""The axis of a loop in a plane: the one about which all of its joints turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.joints.axis import Prismatic, Revolute
from visviva.errors import VisvivaError

PARALLEL = 1e-9  # of directions
WORLD = -1


def common_axis(model: Any, frame1: str, frame2: str) -> Array | None:
    """The axis (3,), in axes of either frame, about which all joints between two frames turn.

    Joints that slide across it stay in the plane too. None where joints have no axis in common, or
    where it is not the same direction in both frames.
    """
    try:
        m = model.numeric
        poses = m.body_poses(m.neutral())
    except (VisvivaError, TypeError, ValueError):  # symbols without values
        return None
    ends = [m.frame(name) for name in (frame1, frame2)]
    turns, slides = [], []
    for i in _between(m, *(f.body for f in ends)):
        joint = m.bodies[i].joint
        if type(joint) not in (Revolute, Prismatic):
            return None
        some = turns if type(joint) is Revolute else slides
        some.append(np.asarray(poses[i].R @ joint.axis, dtype=float))
    if not turns:
        return None
    axis = turns[0]
    if any(np.abs(np.cross(axis, a)).max() > PARALLEL for a in turns):
        return None
    if any(abs(float(axis @ a)) > PARALLEL for a in slides):
        return None
    here, there = (
        np.asarray((f.placement.R if f.body == WORLD else poses[f.body].R @ f.placement.R).T @ axis)
        for f in ends
    )
    if np.abs(here - there).max() > PARALLEL:
        return None
    here = np.where(np.abs(here) < PARALLEL, 0.0, here)
    if np.count_nonzero(here) == 1:
        here = np.sign(here)
    return np.asarray(here * np.sign(here[np.flatnonzero(here)[-1]]) + 0.0)


def _between(model: Any, one: int, other: int) -> set[int]:
    """The bodies whose joints are on the way from one body to another."""

    def above(i: int) -> set[int]:
        found = set()
        while i != WORLD:
            found.add(i)
            i = model.bodies[i].parent
        return found

    return above(one) ^ above(other)
