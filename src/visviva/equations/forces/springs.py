"""Springs and the dampers beside them: on a joint's coordinate, or between points of two frames.

Such a spring acts between the two ends only, so all is seen from the last link that carries both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_exactly, vector
from visviva.algebra.generic import less, sqrt, where
from visviva.describe.model.body import WORLD, Spring
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import Placed, ancestors
from visviva.equations.forces.chains import Chain, lifted, lowered
from visviva.errors import ArgumentError, OutsideError
from visviva.space.rotations import cross

NEAR = 1e-280  # square of a distance below which two points are one


class OnJoint:
    """A spring on the one coordinate of a joint: x = ratio · q + offset."""

    def __init__(self, model: Model, spring: Spring) -> None:
        i = model.joint_index(spring.joint)
        b = model.bodies[i]
        if b.joint.nv != 1:
            raise ArgumentError(
                f"spring {spring.name!r}: joint {spring.joint!r} has {b.joint.nv} velocities, "
                "and a spring acts on one"
            )
        self.spring, self.q, self.v = spring, model.q_index[i].start, model.v_index[i].start
        self.ratio = 1.0 if b.mimic is None else b.mimic.multiplier
        self.offset = 0.0 if b.mimic is None else b.mimic.offset

    def stretch(self, q: Any) -> Any:
        """x - rest, in radians or metres."""
        return q[self.q] * self.ratio + self.offset - self.spring.rest


class Between:
    """A spring between two points, at a position of the links."""

    def __init__(self, model: Model, steps: Sequence[Placed], spring: Spring) -> None:
        frames = [model.frame(name) for name in spring.frames]
        if len(frames) != 2 or len(spring.points) != 2:
            raise ArgumentError(
                f"spring {spring.name!r} needs a joint, or two frames and a point in each; got "
                f"frames {spring.frames} and {len(spring.points)} points"
            )
        self.steps, self.spring = steps, spring
        self.bodies = [f.body for f in frames]
        chains = [[*ancestors(steps, i), WORLD] for i in self.bodies]
        root = next(i for i in chains[0] if i in chains[1])
        points = [f.placement.apply(p) for f, p in zip(frames, spring.points, strict=True)]
        seen = [lifted(steps, i, r, root) for i, r in zip(self.bodies, points, strict=True)]
        self.paths: list[Chain] = [path for path, _ in seen]
        self.ends: list[Array] = [r for _, r in seen]
        self.d: Array = self.ends[1] - self.ends[0]

    def square(self) -> tuple[Any, Any]:
        """Whether the ends are one point; the square of their distance, or 1 if they are."""
        try:
            near = less(self.d @ self.d, NEAR)
        except OutsideError:  # polynomials have no order
            ends = " and ".join(map(repr, self.spring.frames))
            why = (
                "a damper: its force is divided by the square of a distance"
                if is_exactly(self.spring.rest, 0.0)
                else "a length at rest: its force has the square root of a distance in it"
            )
            raise OutsideError(
                f"spring {self.spring.name!r} between {ends} has {why}, "
                "which is in no closed form of this kind"
            ) from None
        return near, where(near, 1.0, self.d @ self.d)

    def squared_stretch(self) -> Any:
        """(x - rest)², x the distance of the ends."""
        if is_exactly(self.spring.rest, 0.0):
            return self.d @ self.d
        near, dd = self.square()
        stretch = where(near, 0.0, sqrt(dd)) - self.spring.rest
        return stretch * stretch

    def pull(self) -> Array:
        """k (x - rest), from the first end towards the second.

        Where the ends are one point there is no such direction, and the spring pushes in none.
        """
        if is_exactly(self.spring.rest, 0.0):
            return self.d * self.spring.stiffness
        near, dd = self.square()
        part = 1.0 - where(near, 0.0, self.spring.rest / sqrt(dd))
        return self.d * (self.spring.stiffness * part)

    def drag(self, v: Any) -> Array:
        """The damper's c ẋ along the same line; where the ends meet, along their motion."""
        if is_exactly(self.spring.damping, 0.0):
            return np.zeros(3)
        rate = self._rate(self.paths[1], v) - self._rate(self.paths[0], v)
        near, dd = self.square()
        along = self.d * ((self.d @ rate) / dd)
        both = zip(rate, along, strict=True)
        return vector([where(near, x, y) for x, y in both]) * self.spring.damping

    def felt(self, f: Any) -> Iterator[tuple[int, Array]]:
        """What links feel of a force f on the first end and -f on the second."""
        for path, force in zip(self.paths, (f, -f), strict=True):
            yield from lowered(self.steps, path, np.zeros(3), force)

    def loads(self, f: Any) -> Iterator[tuple[int, Array]]:
        """The same forces as wrenches on the two bodies."""
        for i, path, r, force in zip(self.bodies, self.paths, self.ends, (f, -f), strict=True):
            here = (i, np.concatenate([cross(r, force), force]))  # if the body carries the other
            yield [here, *lowered(self.steps, path, np.zeros(3), force)][-1]

    def _rate(self, path: Chain, v: Any) -> Array:
        """How fast an end moves, seen from the root."""
        rate = np.zeros(3)
        for i, r in path:
            vJ = self.steps[i].twist(v)
            rate = self.steps[i].R @ (rate + vJ[3:] + cross(vJ[:3], r))
        return rate
