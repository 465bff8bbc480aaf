"""How the twists of links on a path look from the world, or from the frame at its end.

Multiplying rotations one after the other takes 12 products for every joint. Turns that keep an
axis in common, as those of parallel hinges do, are first multiplied among themselves, which takes
4, and offsets between them are added up in the axes before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from visviva.equations.links import Step, own
from visviva.equations.moments import is_exactly
from visviva.space.poses import Pose
from visviva.space.rotations import Array, cross

Stage = tuple[Array, list[Array]]  # an offset, then turns


@dataclass(frozen=True, eq=False)
class Sight:
    """How twists of one link are seen: turned by A L, from w (in axes A) and r away."""

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


def from_world(steps: Sequence[Step], tool: Pose, q: Any) -> tuple[Pose, list[Sight]]:
    """The pose of the tool, and the sight of the velocity of its origin in world axes."""
    walk = _outward(steps, tool, q, whole=True)
    levers = [np.zeros(3)]
    for piece in reversed(walk.pieces):
        levers.insert(0, levers[0] + piece)
    sights = []
    for m in walk.marks:
        beyond = levers[m.run.end]
        if is_zero(m.u) and not is_zero(beyond):
            sights.append(Sight(m.run.A, m.L, m.u, levers[m.at]))
        else:
            sights.append(Sight(m.run.A, m.L, m.run.u - m.u, beyond))
    return Pose(walk.run.A, levers[0]), sights


def from_origin(steps: Sequence[Step], tool: Pose, q: Any) -> tuple[Pose, list[Sight]]:
    """The pose of the tool, and the sight of the velocity of the point at the world's origin."""
    walk = _outward(steps, tool, q, whole=False)
    places = walk.places()
    return Pose(walk.run.A, places[-1]), [m.seen(places) for m in walk.marks]


def from_tool(steps: Sequence[Step], tool: Pose, q: Any) -> list[Sight]:
    """The sight of the velocity of the tool's origin in its own axes."""
    stages = [([tool.R], tool.p), *((_turns(s, q), s.p) for s in reversed(steps[1:]))]
    walk = Walk([T.T for turns, _ in stages for T in reversed(turns)])
    for turns, d in stages:
        for T in reversed(turns):
            walk.turn(T.T)
        walk.shift(-d)
        walk.mark()
    walk.close()
    places = walk.places()
    return [m.seen(places) for m in reversed(walk.marks)]


def _outward(steps: Sequence[Step], tool: Pose, q: Any, whole: bool) -> Walk:
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


def _turns(s: Step, q: Any) -> list[Array]:
    """A step's rotation, in two parts if both keep an axis."""
    C = s.link.placement.R
    return [C, s.link.joint.transform(own(s.link, q)).R] if len(_kept(C)) == 1 else [s.R]


@dataclass(eq=False)
class Run:
    """Turns with an axis in common: A is the rotation before them, L theirs, u the way in A."""

    A: Array
    L: Array | None = None
    u: Array = field(default_factory=lambda: np.zeros(3))
    end: int = 0  # how many pieces the way has after it


@dataclass(frozen=True, eq=False)
class Mark:
    """Where a link is: within a run, and after how many pieces of the way."""

    run: Run
    L: Array
    u: Array
    at: int

    def seen(self, places: Sequence[Array]) -> Sight:
        """From the start of the walk."""
        return Sight(self.run.A, self.L, -self.u, -places[self.at])


class Walk:
    """Shifts and turns, one after the other, in the axes of the start.

    The way is a sum of pieces, one or two for every run. If it is to be kept `whole`, there is one.
    """

    def __init__(self, turns: Sequence[Any], whole: bool = False) -> None:
        self.breaks = _breaks(turns)
        self.whole = whole
        self.count = 0
        self.run = Run(np.eye(3))
        self.pieces: list[Array] = []
        self.marks: list[Mark] = []

    def shift(self, d: Any) -> None:
        """Move on by d."""
        run = self.run
        if run.L is not None:
            run.u = run.u + run.L @ d
        elif self.whole:
            run.u = run.u + d
        else:
            self.pieces.append(run.A @ d)

    def turn(self, T: Any) -> None:
        """Turn the axes by T."""
        run = self.run
        run.L = T if run.L is None else run.L @ T
        if self.count in self.breaks:
            self.close()
        self.count += 1

    def mark(self) -> None:
        """Remember this place."""
        run = self.run
        L = np.eye(3) if run.L is None else run.L
        self.marks.append(Mark(run, L, run.u, len(self.pieces)))

    def close(self) -> None:
        """End the run: multiply it out."""
        run = self.run
        self.pieces.append(run.A @ run.u)
        run.end = len(self.pieces)
        self.run = Run(run.A if run.L is None else run.A @ run.L)

    def places(self) -> list[Array]:
        """Where each piece starts, and where the last ends."""
        made = [np.zeros(3)]
        for piece in self.pieces:
            made.append(made[-1] + piece)
        return made


def _breaks(turns: Sequence[Any]) -> set[int]:
    """After which turns no axis is left that the next one keeps.

    A turn that only renames axes does not join a single other one: nothing would be saved.
    """
    found: set[int] = set()
    axes, real = {0, 1, 2}, 0
    for k, T in enumerate(turns):
        pairs = _kept(T)
        common = {j for i, j in pairs if i in axes}
        renames = len(pairs) == 3
        if k > 0 and (not common or (renames and real == 1)):
            found.add(k - 1)
            common, real = {j for _, j in pairs}, 0
        axes = common
        real += not renames
    return found


def _kept(T: Any) -> list[tuple[int, int]]:
    """Axes before that are axes behind: the rows and columns of ±1."""
    one = [[is_exactly(x, 1.0) or is_exactly(x, -1.0) for x in row] for row in T]
    rows = [is_unit(row) for row in T]
    columns = [is_unit(column) for column in np.transpose(T)]
    return [(i, j) for i in range(3) for j in range(3) if one[i][j] and rows[i] and columns[j]]


def is_unit(a: Any) -> bool:
    """Whether two of three numbers are exactly zero."""
    return sum(is_exactly(x, 0.0) for x in a) == 2


def is_zero(a: Any) -> bool:
    """Whether all numbers are exactly zero."""
    return all(is_exactly(x, 0.0) for x in a)
