"""The axes of a chain, and how they lie: parallel, across, meeting in a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from visviva.algebra.arrays import Array
from visviva.equations.frames.chain import REVOLUTE, SerialChain
from visviva.solve.inverse.closed.subproblems import turned

EXACT = 1e-12  # what lies so within this holds: of directions, and of lengths by those of the arm


class Place(NamedTuple):
    """A point in scalars of any kind, and as numbers."""

    p: Array
    point: Array


@dataclass(frozen=True, eq=False)
class JointAxis:
    """A joint: its line in the world at q = 0, in scalars of any kind and as numbers.

    Numbers decide which formulas hold; they are then computed with the scalars.
    """

    index: int  # in the chain
    is_turn: bool
    h: Array
    p: Array
    direction: Array  # the same two as numbers
    point: Array
    scale: float  # the length that others are compared with

    def back(self) -> JointAxis:
        """The inverse motion, for the same coordinate."""
        return replace(self, h=-self.h, direction=-self.direction)

    def through(self, place: Place) -> JointAxis:
        """The same line, known by another of its points."""
        return replace(self, p=place.p, point=place.point)

    def moved(self, value: Any, x: Array) -> Array:
        """A point after the joint has moved."""
        if self.is_turn:
            return self.p + turned(self.h, value, x - self.p)
        after: Array = x + self.h * value
        return after

    def turned(self, value: Any, v: Array) -> Array:
        """A direction after the joint has moved."""
        return turned(self.h, value, v) if self.is_turn else v


def axes_of(chain: SerialChain, numbers: SerialChain | None = None) -> list[JointAxis]:
    """The joints of a chain; `numbers` is the same chain with values, if it has expressions."""
    known = chain if numbers is None else numbers
    scale = size_of(known)
    both = zip(chain.kinds, chain.axes, chain.points, known.axes, known.points, strict=True)
    return [
        JointAxis(i, kind == REVOLUTE, _tidy(h), _tidy(p), np.array(H), np.array(P), scale)
        for i, (kind, h, p, H, P) in enumerate(both)
    ]


def _tidy(v: Array) -> Array:
    """Without what rounding left: entries below 1e-16 of the rest are zero, one that is ±1 is."""
    if v.dtype == object:
        return v
    size = np.abs(v).max(initial=0.0)
    clean = np.where(np.abs(v) <= 4e-16 * size, 0.0, v)
    return np.where(np.abs(np.abs(clean) - 1.0) <= 4e-16, np.sign(clean), clean)


def size_of(chain: SerialChain) -> float:
    """A length of the size of the arm: the largest between its axes and the frame's origin."""
    at = np.concatenate([chain.points, chain.home.p[None]]).astype(float)
    return float(np.linalg.norm(at - at[0], axis=1).max(initial=0.0)) or 1.0


def is_parallel(a: JointAxis, b: JointAxis) -> bool:
    """Whether two directions are the same or opposite."""
    return bool(np.linalg.norm(np.cross(a.direction, b.direction)) <= EXACT)


def is_across(a: JointAxis, b: JointAxis) -> bool:
    """Whether two directions are at a right angle."""
    return bool(abs(a.direction @ b.direction) <= EXACT)


def meeting(axes: Sequence[JointAxis]) -> Place | None:
    """The point in which all these lines meet; None if there is none, or many."""
    across = [np.eye(3) - np.outer(a.direction, a.direction) for a in axes]
    shift = axes[0].point
    rows = np.concatenate(across)
    here = np.concatenate([n @ (a.point - shift) for n, a in zip(across, axes, strict=True)])
    point, _, rank, _ = np.linalg.lstsq(rows, here, rcond=1e-9)
    if rank < 3 or np.abs(rows @ point - here).max() > EXACT * axes[0].scale:
        return None
    found = point + shift
    for a in axes:  # a point that is given is better than one that is computed
        if np.abs(a.point - found).max() <= EXACT * a.scale:
            return Place(a.p, a.point)
    return None if axes[0].p.dtype == object else Place(found, found)
