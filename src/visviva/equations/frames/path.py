"""The way from the world to a frame: the links that carry it, one after the other.

Where on its axis a hinge has its origin is a choice. Here it is made so that few offsets are left
between the origins; poses and twists of the frame stay what they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_exactly, vector
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import Link, ancestors, links
from visviva.errors import ArgumentError, ShapeError
from visviva.space.poses import Pose


@dataclass(frozen=True, eq=False)
class Path:
    """Links in a row, each the parent of the next, and what is fixed to the last.

    `tool` is the pose of the frame's axes, with its origin at the point that is looked at.
    """

    links: list[Link]
    tool: Pose
    point: Array  # in the frame's coordinates

    @property
    def offsets(self) -> list[Array]:
        """From each origin to the next, and to the point."""
        return [*(link.placement.p for link in self.links), self.tool.p]


def path(model: Model, frame: str, point: Any = None) -> Path:
    """The way to a point of a frame, by default its origin."""
    at = np.zeros(3) if point is None else _point(point)
    f, tree = model.frame(frame), links(model)
    chain = ancestors(tree, f.body)
    return _row(tree, chain[::-1], f.placement @ Pose.translation(at), at)


def ways(model: Model, frame1: str, frame2: str) -> tuple[Path, Path]:
    """The ways to two frames from the nearest link that carries both, or from the world."""
    tree = links(model)
    ends = [model.frame(name) for name in (frame1, frame2)]
    chains = [ancestors(tree, f.body)[::-1] for f in ends]
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*chains, strict=False)))
    one, other = (
        _row(tree, chain[shared:], f.placement, np.zeros(3))
        for f, chain in zip(ends, chains, strict=True)
    )
    return one, other


def _row(tree: Sequence[Link], chain: Sequence[int], tool: Pose, at: Array) -> Path:
    """Links that follow each other, as a way of their own."""
    row = [replace(tree[i], parent=k - 1) for k, i in enumerate(chain)]
    return Path(*_slid(row, tool), at)


def _point(point: Any) -> Array:
    at = vector(point)
    if at.shape != (3,):
        raise ShapeError(f"a point has 3 coordinates, got {point!r}")
    if at.dtype != object and not np.isfinite(at).all():
        raise ArgumentError(f"a point has finite coordinates, got {point!r}")
    return at


def _slid(row: Sequence[Link], tool: Pose) -> tuple[list[Link], Pose]:
    """Offsets emptied where joints let them pass."""
    places = [*(link.placement for link in row), tool]

    def slide(k: int, d: Array, tie: bool) -> None:
        """Take d, in the axes of joint k, from the offset before it to the one behind it."""
        before, behind = places[k], places[k + 1]
        moved = Pose.of(before.R, before.p - before.R @ d), Pose.of(behind.R, behind.p + d)
        gain = _cost(k, before, behind) - _cost(k, *moved)
        if gain > 0 or (gain == 0 and tie):
            places[k : k + 2] = moved

    for k, link in enumerate(row):
        slide(k, link.joint.slides(places[k].R.T @ places[k].p), True)
    for k, link in reversed(list(enumerate(row))):
        # a tip on the last axis is better than one beside it
        slide(k, -link.joint.slides(places[k + 1].p), k == len(row) - 1)
    return [replace(link, placement=X) for link, X in zip(row, places, strict=False)], places[-1]


def _cost(k: int, before: Pose, behind: Pose) -> int:
    """Numbers that have to be turned; what is fixed in the world needs no turning."""
    offsets = (before.p, behind.p) if k else (behind.p,)
    return sum(not is_exactly(x, 0.0) for p in offsets for x in p)
