"""The axis of a loop in a plane: the one about which all of its joints turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_numeric
from visviva.describe.joints.joint import Joint
from visviva.errors import VisvivaError

ONE_WAY = 1e-9  # of directions


def common_axis(model: Any, frame1: str, frame2: str) -> Array | None:
    """The axis (3,), in axes of either frame, about which all joints between two frames turn.

    What slides across it stays in the plane too. None where joints have no axis in common, or where
    it is not one and the same of x, y, z in both frames: who tilts a frame means its z.
    """
    try:
        m = model.numeric
        poses = m.body_poses(m.neutral())
    except (VisvivaError, TypeError, ValueError):  # symbols without values
        return None
    ends = [m.frame(name) for name in (frame1, frame2)]
    motions = [np.zeros((6, 0))]  # of all joints, in axes of the world
    for i in _between(m, *(f.body for f in ends)):
        S = np.asarray(m.bodies[i].joint.subspace(m.bodies[i].joint.neutral()), dtype=float)
        motions.append(np.concatenate([poses[i].R @ S[:3], poses[i].R @ S[3:]]))
    turns, slides = np.split(np.concatenate(motions, axis=1).T, 2, axis=1)
    sizes = np.linalg.norm(turns, axis=1)
    if not (sizes > ONE_WAY).any():
        return None
    axis = turns[sizes.argmax()] / sizes.max()
    if np.abs(np.cross(axis, turns)).max() > ONE_WAY or np.abs(slides @ axis).max() > ONE_WAY:
        return None
    here, there = (
        np.asarray((f.placement.R if f.body < 0 else poses[f.body].R @ f.placement.R).T @ axis)
        for f in ends
    )
    if np.abs(here - there).max() > ONE_WAY:
        return None
    here = np.where(np.abs(here) < ONE_WAY, 0.0, here)
    return np.abs(np.sign(here)) if np.count_nonzero(here) == 1 else None


def hinge_axis(closure: Any) -> Array | None:
    """The axis of a closure that turns about one and does nothing else; None of others."""
    if not isinstance(closure, Joint) or closure.nv != 1:
        return None
    S = closure.subspace(closure.neutral())[:, 0]
    return np.asarray(S[:3], dtype=float) if is_numeric(S) and not np.any(S[3:]) else None


def _between(model: Any, one: int, other: int) -> set[int]:
    """The bodies whose joints are on the way from one body to another."""

    def above(i: int) -> set[int]:
        found = set()
        while i >= 0:
            found.add(i)
            i = model.bodies[i].parent
        return found

    return above(one) ^ above(other)
