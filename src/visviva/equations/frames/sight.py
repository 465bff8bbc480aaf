"""How the twists of the links on a path look: from the world, or from the frame at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_zero
from visviva.equations.bodies.links import Placed, own
from visviva.equations.frames.walk import Mark, Walk, kept_axes
from visviva.space.poses import Pose
from visviva.space.rotations import cross


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


def from_world(steps: Sequence[Placed], tool: Pose, q: Any) -> tuple[Pose, list[Sight]]:
    """The pose of the tool, and the sight of the velocity of its origin in world axes."""
    walk = _outward(steps, tool, q, whole=True)
    levers = _sums(walk.pieces[::-1])[::-1]  # from each piece's start to the tool
    sights = []
    for m in walk.marks:
        beyond = levers[m.run.end]
        if is_zero(m.u) and not is_zero(beyond):
            sights.append(Sight(m.run.A, m.L, m.u, levers[m.at]))
        else:
            sights.append(Sight(m.run.A, m.L, m.run.u - m.u, beyond))
    return Pose.of(walk.R, levers[0]), sights


def from_origin(steps: Sequence[Placed], tool: Pose, q: Any) -> tuple[Pose, list[Sight]]:
    """The pose of the tool, and the sight of the velocity of the point at the world's origin."""
    walk = _outward(steps, tool, q, whole=False)
    places = _sums(walk.pieces)
    return Pose.of(walk.R, places[-1]), [_from_start(m, places) for m in walk.marks]


def from_tool(steps: Sequence[Placed], tool: Pose, q: Any) -> list[Sight]:
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


def _from_start(m: Mark, places: Sequence[Array]) -> Sight:
    return Sight(m.run.A, m.L, -m.u, -places[m.at])


def _sums(pieces: Sequence[Array]) -> list[Array]:
    return list(accumulate(pieces, initial=np.zeros(3)))
