"""How far a frame can come from a point at all: a bound that needs no search.

A joint that turns keeps the distances between the points of its axis and what it carries. So from a
point on the first axis over one point on each further axis to the frame, no distance changes but by
joints that slide, within their limits: the frame is never farther than the sum of these lengths,
nor nearer than the longest of them less the others. Points on the axes are chosen for a short way;
any choice gives a bound that holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from visviva.algebra.arrays import Array
from visviva.equations.frames.chain import REVOLUTE, SerialChain

SWEEPS = 30  # in which points move along their axes to where the way is shorter
MOST_SLIDES = 6  # between two turns, whose corners are looked at
SAFE = 1e-9  # of the lengths: more than rounding


@dataclass(frozen=True, eq=False)
class ReachBound:
    """Distances from a point between which a frame always is; `near` says what the point is."""

    point: Array
    least: float
    most: float
    near: str

    def refused(self, frame: str, target: Array) -> str:
        """Why a position cannot be reached; empty if the bound does not tell."""
        far = float(np.linalg.norm(target - self.point))
        slack = SAFE * (self.most + far)
        if far > self.most + slack:
            limit = f"farther than {self.most:.6g} m"
        elif far < self.least - slack:
            limit = f"nearer than {self.least:.6g} m"
        else:
            return ""
        return f"unreachable, proved: it is {far:.6g} m from {self.near}, {frame} never {limit}"


def reach_bound(chain: SerialChain, limits: bool) -> ReachBound:
    """Of all positions of a chain; without `limits` joints slide without end."""
    turning = [i for i, kind in enumerate(chain.kinds) if kind == REVOLUTE]
    nodes = np.array([*(chain.points[i] for i in turning), chain.home.p], dtype=float)
    _shorten(nodes, np.asarray(chain.axes, dtype=float)[turning])
    ends = zip(chain.coefficient * chain.lower, chain.coefficient * chain.upper, strict=True)
    spans = [np.sort(pair) + x for pair, x in zip(ends, chain.offset, strict=True)]
    if not limits:
        spans = [np.array([-np.inf, np.inf])] * len(chain)

    def slides(first: int, last: int) -> list[tuple[Array, Array]]:
        return [(np.asarray(chain.axes[k], dtype=float), spans[k]) for k in range(first, last)]

    before = slides(0, turning[0] if turning else len(chain))
    middle = np.zeros(3)
    if np.isfinite([s for _, s in before]).all():
        middle = sum((h * s.mean() for h, s in before), middle)
    lengths = [_lengths(-middle, before)]
    for k, (i, j) in enumerate(pairwise([*turning, len(chain)])):
        lengths.append(_lengths(nodes[k + 1] - nodes[k], slides(i + 1, j)))
    most = sum(high for _, high in lengths)
    alone = [low + high - most for low, high in lengths] if np.isfinite(most) else []
    axis = f"a point on the axis of {chain.names[turning[0]]}" if turning else ""
    return ReachBound(
        nodes[0] + middle, max([0.0, *alone]), most, axis or "the middle of its range"
    )


def _lengths(apart: Array, slides: list[tuple[Array, Array]]) -> tuple[float, float]:
    """The least and the largest of |apart + Σ h t|, each t within its span."""
    if not slides:
        return (size := float(np.linalg.norm(apart))), size
    if len(slides) > MOST_SLIDES or not np.isfinite([s for _, s in slides]).all():
        return 0.0, np.inf
    corners = product(*(s for _, s in slides))
    ends = [sum((h * t for (h, _), t in zip(slides, at, strict=True)), apart) for at in corners]
    return 0.0, float(np.linalg.norm(ends, axis=1).max())


def _shorten(nodes: Array, axes: Array) -> None:
    """Move points along their axes, in place, to where the way over them is shorter."""
    for _ in range(SWEEPS):
        for k in range(len(axes)):
            beside = nodes[[i for i in (k - 1, k + 1) if i >= 0]] - nodes[k]
            along = beside @ axes[k]
            off = np.linalg.norm(beside - along[:, None] * axes[k], axis=1)
            # as light is reflected: the nearer of two points to the axis has the larger weight
            weights = off[::-1] if len(off) == 2 and off.sum() > 0 else np.ones(len(off))
            nodes[k] = nodes[k] + axes[k] * (weights @ along / weights.sum())
