"""The way to a frame, walked with few multiplications, and how twists look from its ends.

A way is shifts and turns one after the other. Multiplying its rotations one by one takes 12
products for every joint. Turns that keep an axis in common, as those of parallel hinges do, are a
*run*: they are first multiplied among themselves, which takes 4, and offsets between them are added
up in the axes before them; only then is the run multiplied out, as one *piece* of the way. A *mark*
remembers where on the way a link is, and a `View` how its twists look from the world or the tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_exactly, is_zero
from visviva.equations.bodies.links import Placed, own
from visviva.space.poses import Pose
from visviva.space.rotations import cross


@dataclass(eq=False)
class Run:
    """Turns with an axis in common: A is the rotation before them, L theirs, u the way in A."""

    A: Array
    L: Array | None = None
    u: Array = field(default_factory=lambda: np.zeros(3))
    marks: list[Mark] = field(default_factory=list)
    end: int = 0  # how many pieces the way has after it


@dataclass(frozen=True, eq=False)
class Mark:
    """A place on the way: within a run, turned by L, shifted by u, after some pieces."""

    run: Run
    L: Array
    u: Array
    at: int


class Walk:
    """The way so far, in the axes of its start: a sum of pieces.

    A run makes one piece if it is `whole`; otherwise offsets before its first turn are pieces of
    their own.
    """

    def __init__(self, turns: Sequence[Any], whole: bool) -> None:
        self._breaks = breaks(turns)
        self._whole = whole
        self._turns = 0
        self.runs = [Run(np.eye(3))]
        self.pieces: list[Array] = []

    @property
    def marks(self) -> list[Mark]:
        """All places that were marked, in order."""
        return [mark for run in self.runs for mark in run.marks]

    @property
    def R(self) -> Array:  # noqa: N802
        """The rotation (3, 3) from the start of the way to its end."""
        return self.runs[-1].A

    def shift(self, d: Any) -> None:
        """Move on by d, in the axes of the place reached so far."""
        run = self.runs[-1]
        if run.L is not None:
            run.u = run.u + run.L @ d
        elif self._whole:
            run.u = run.u + d
        else:
            self.pieces.append(run.A @ d)

    def turn(self, T: Any) -> None:
        """Turn the axes by the rotation T (3, 3)."""
        run = self.runs[-1]
        run.L = T if run.L is None else run.L @ T
        if self._turns in self._breaks:
            self.close()
        self._turns += 1

    def mark(self) -> None:
        """Remember this place, as that of the next link."""
        run = self.runs[-1]
        L = np.eye(3) if run.L is None else run.L
        run.marks.append(Mark(run, L, run.u, len(self.pieces)))

    def close(self) -> None:
        """End the run and multiply it out."""
        run = self.runs[-1]
        self.pieces.append(run.A @ run.u)
        run.end = len(self.pieces)
        self.runs.append(Run(run.A if run.L is None else run.A @ run.L))


@dataclass(frozen=True, eq=False)
class View:
    """How twists of one link are seen from a point: v + ω × (w + r), in the axes of the start.

        start ─ A ─▸ [ turn ─ link ─ turn ]  ─▸  …  ─▸ point
                 └──── L ────┘
                             └─── w ────┘└────── r ───────┘

    A is the rotation before the link's run, L that from there to the link; w goes from the link to
    an end of its run, in axes A, and r from there to the point, in the axes of the start.
    """

    A: Array
    L: Array
    w: Array
    r: Array

    def __call__(self, S: Any) -> Array:
        """Twists (columns) about the link's origin and in its axes, as they are seen."""
        turn, slide = self.L @ S[:3], self.L @ S[3:]
        angular = self.A @ turn
        linear = self.A @ (slide + cross(turn, self.w)) + cross(angular, self.r)
        return np.concatenate([angular, linear])


def from_world(steps: Sequence[Placed], tool: Pose, q: Any) -> tuple[Pose, list[View]]:
    """The pose of the tool, and the view of the velocity of its origin in world axes."""
    walk = _outward(steps, tool, q, whole=True)
    levers = _sums(walk.pieces[::-1])[::-1]  # from each piece's start to the tool
    views = []
    for m in walk.marks:
        beyond = levers[m.run.end]
        if is_zero(m.u) and not is_zero(beyond):
            views.append(View(m.run.A, m.L, m.u, levers[m.at]))
        else:
            views.append(View(m.run.A, m.L, m.run.u - m.u, beyond))
    return Pose.of(walk.R, levers[0]), views


def from_origin(steps: Sequence[Placed], tool: Pose, q: Any) -> tuple[Pose, list[View]]:
    """The pose of the tool, and the view of the velocity of the point at the world's origin."""
    walk = _outward(steps, tool, q, whole=False)
    places = _sums(walk.pieces)
    return Pose.of(walk.R, places[-1]), [_from_start(m, places) for m in walk.marks]


def from_tool(steps: Sequence[Placed], tool: Pose, q: Any) -> list[View]:
    """The sight of the velocity of the tool's origin in its own axes."""
    beyond = [(tool.p, [tool.R]), *((s.p, _turns(s, q)) for s in reversed(steps[1:]))]
    stages = beyond[: len(steps)]  # none if there are no links
    walk = Walk([T.T for _, turns in stages for T in reversed(turns)], whole=False)
    for d, turns in stages:
        for T in reversed(turns):
            walk.turn(T.T)
        walk.shift(-d)
        walk.mark()
    walk.close()
    places = _sums(walk.pieces)
    return [_from_start(m, places) for m in reversed(walk.marks)]


def velocity_from_world(steps: Sequence[Placed], tool: Pose, q: Any, v: Any) -> Array:
    """The twist of the tool, in world axes: each piece of the way turns with what is before it."""
    walk = _outward(steps, tool, q, whole=True)
    twists = iter([s.twist(v) for s in steps])
    w, u = np.zeros(3), np.zeros(3)
    for run, piece in zip(walk.runs, walk.pieces, strict=False):
        inner, slides = np.zeros(3), np.zeros(3)  # what happens within the run, in axes A
        for m, V in zip(run.marks, twists, strict=False):
            turn, slide = m.L @ V[:3], m.L @ V[3:]
            slides = slides + slide
            if is_zero(m.u):
                w = w + run.A @ turn
            else:
                inner, slides = inner + turn, slides + cross(turn, run.u - m.u)
        w, u = w + run.A @ inner, u + cross(w, piece) + run.A @ slides
    return np.concatenate([w, u])


def _outward(steps: Sequence[Placed], tool: Pose, q: Any, whole: bool) -> Walk:
    """From the world to the tool, with a mark at every link."""
    stages = [*((s.p, _turns(s, q)) for s in steps), (tool.p, [tool.R])]
    walk = Walk([T for _, turns in stages for T in turns], whole)
    for k, (d, turns) in enumerate(stages):
        walk.shift(d)
        for T in turns:
            walk.turn(T)
        if k < len(steps):
            walk.mark()
    walk.close()
    return walk


def _turns(s: Placed, q: Any) -> list[Array]:
    """A step's rotation; in two parts where the placement turns about an axis."""
    C = s.link.placement.R
    return [C, s.link.joint.transform(own(s.link, q)).R] if len(kept_axes(C)) == 1 else [s.R]


def _from_start(m: Mark, places: Sequence[Array]) -> View:
    return View(m.run.A, m.L, -m.u, -places[m.at])


def _sums(pieces: Sequence[Array]) -> list[Array]:
    return list(accumulate(pieces, initial=np.zeros(3)))


def breaks(turns: Sequence[Any]) -> set[int]:
    """After which turns no axis is left that the next one keeps.

    A turn that only renames axes does not join a single other one: nothing would be saved.
    """
    places: set[int] = set()
    axes, real = {0, 1, 2}, 0
    for k, T in enumerate(turns):
        pairs = kept_axes(T)
        common = {j for i, j in pairs if i in axes}
        renames = len(pairs) == 3
        if k > 0 and (not common or (renames and real == 1)):
            places.add(k - 1)
            common, real = {j for _, j in pairs}, 0
        axes = common
        real += not renames
    return places


def kept_axes(T: Any) -> list[tuple[int, int]]:
    """Which axes before the turn are axes behind it: rows and columns with a single ±1."""
    rows = [_is_axis(row) for row in T]
    columns = [_is_axis(column) for column in np.transpose(T)]
    return [
        (i, j)
        for i in range(3)
        for j in range(3)
        if rows[i] and columns[j] and not is_exactly(T[i][j], 0.0)
    ]


def _is_axis(a: Any) -> bool:
    others = [x for x in a if not is_exactly(x, 0.0)]
    return len(others) == 1 and (is_exactly(others[0], 1.0) or is_exactly(others[0], -1.0))
