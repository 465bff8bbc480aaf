"""The way from the world to a frame: the links that carry it, and nothing else.

Where a joint's origin lies on its axis is a choice. Here it is made so that few offsets are left:
a hinge slides along its axis, a slider anywhere. Twists and poses of the frame stay what they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from visviva.describe.joints import Cylindrical, Helical, Joint, Prismatic, Revolute
from visviva.describe.model import Model
from visviva.describe.parts import WORLD
from visviva.equations.links import Link, links
from visviva.equations.moments import is_exactly
from visviva.errors import ShapeError
from visviva.space.poses import Pose
from visviva.space.rotations import Array, vector


@dataclass(frozen=True, eq=False)
class Path:
    """Links in a row, each the parent of the next, and the pose of the frame in the last."""

    links: list[Link]
    tool: Pose
    point: Array  # of which velocities are taken, in the frame's coordinates


def path(model: Model, frame: str, point: Any = None) -> Path:
    """The way to a frame; `point` is in its coordinates, its origin by default."""
    at = np.zeros(3) if point is None else vector(point)
    if at.shape != (3,):
        raise ShapeError(f"a point has 3 coordinates, got {point!r}")
    f, tree = model.frame(frame), links(model)
    chain: list[int] = []
    i = f.body
    while i != WORLD:
        chain.insert(0, i)
        i = tree[i].parent
    row = [replace(tree[i], parent=k - 1) for k, i in enumerate(chain)]
    return Path(*_slid(row, f.placement @ Pose.translation(at)), at)


def _slid(row: Sequence[Link], tool: Pose) -> tuple[list[Link], Pose]:
    """Offsets between origins emptied where joints let them."""
    places = [*(link.placement for link in row), tool]
    joints = [link.joint for link in row]

    def slide(k: int, step: Any, tie: bool) -> None:
        """Move an offset from before a joint to behind it."""
        before, after = places[k], places[k + 1]
        moved = before.p - before.R @ step, after.p + step
        # what is fixed in the world costs nothing
        old = (_size(before.p) if k else 0) + _size(after.p)
        new = (_size(moved[0]) if k else 0) + _size(moved[1])
        if new < old or (tie and new == old):
            places[k], places[k + 1] = Pose(before.R, moved[0]), Pose(after.R, moved[1])

    for k, joint in enumerate(joints):
        slide(k, _along(joint, places[k].R.T @ places[k].p), True)
    for k, joint in reversed(list(enumerate(joints))):
        slide(k, -_along(joint, places[k + 1].p), k == len(joints) - 1)
    pairs = zip(row, places[:-1], strict=True)
    return [replace(link, placement=X) for link, X in pairs], places[-1]


def _along(joint: Joint, p: Any) -> Array:
    """The part of a vector by which a joint's origin can be moved without changing its motion."""
    if isinstance(joint, Prismatic):
        return vector(p)
    if isinstance(joint, (Revolute, Helical, Cylindrical)):
        return joint.axis * (joint.axis @ p)
    return np.zeros(3)


def _size(*offsets: Any) -> int:
    return sum(not is_exactly(x, 0.0) for p in offsets for x in p)
