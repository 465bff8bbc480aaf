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
from visviva.describe.model.stiffness import Stiffness
from visviva.equations.bodies.links import Placed, ancestors
from visviva.equations.forces.chains import Chain, lifted, lowered
from visviva.errors import ArgumentError, OutsideError
from visviva.space.rotations import cross, log, log_derivative

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

    def energy(self, q: Any) -> Any:
        """∫ f dx, or ½ k (x - rest)²."""
        k, e = self.spring.stiffness, self.stretch(q)
        return k.energy(e) if isinstance(k, Stiffness) else e * e * (k / 2)

    def holding(self, q: Any) -> Any:
        """∂V/∂q, the joint force that holds against it."""
        k, e = self.spring.stiffness, self.stretch(q)
        return k.force(e) * self.ratio if isinstance(k, Stiffness) else e * (k * self.ratio)


class Ends:
    """Two points of two frames, at a position of the links."""

    def __init__(self, model: Model, steps: Sequence[Placed], spring: Spring) -> None:
        frames = [model.frame(name) for name in spring.frames]
        if len(frames) != 2 or len(spring.points) != 2:
            raise ArgumentError(
                f"spring {spring.name!r} needs a joint, or two frames and a point in each; got "
                f"frames {spring.frames} and {len(spring.points)} points"
            )
        self.steps, self.spring, self.frames = steps, spring, frames
        self.bodies = [f.body for f in frames]
        chains = [[*ancestors(steps, i), WORLD] for i in self.bodies]
        root = next(i for i in chains[0] if i in chains[1])
        points = [f.placement.apply(p) for f, p in zip(frames, spring.points, strict=True)]
        seen = [lifted(steps, i, r, root) for i, r in zip(self.bodies, points, strict=True)]
        self.paths: list[Chain] = [path for path, _ in seen]
        self.ends: list[Array] = [r for _, r in seen]
        self.d: Array = self.ends[1] - self.ends[0]

    def moments(self, f: Any, couple: Any) -> tuple[Any, Any]:
        """Beside a force f on the first end and -f on the second, in the axes of the root."""
        return np.zeros(3), np.zeros(3)

    def felt(self, f: Any, couple: Any = 0.0) -> Iterator[tuple[int, Array]]:
        """What links feel of a force f on the first end and -f on the second."""
        for path, m, force in zip(self.paths, self.moments(f, couple), (f, -f), strict=True):
            yield from lowered(self.steps, path, m, force)

    def loads(self, f: Any, couple: Any = 0.0) -> Iterator[tuple[int, Array]]:
        """The same forces as wrenches on the two bodies."""
        sides = zip(self.paths, self.ends, self.moments(f, couple), (f, -f), strict=True)
        for i, (path, r, m, force) in zip(self.bodies, sides, strict=True):
            here = (i, np.concatenate([m + cross(r, force), force]))  # it may carry the other
            yield [here, *lowered(self.steps, path, m, force)][-1]

    def _rate(self, path: Chain, v: Any) -> Array:
        """How fast an end moves, seen from the root."""
        rate = np.zeros(3)
        for i, r in path:
            vJ = self.steps[i].twist(v)
            rate = self.steps[i].R @ (rate + vJ[3:] + cross(vJ[:3], r))
        return rate


class Between(Ends):
    """A spring along the line between two points."""

    def square(self) -> tuple[Any, Any]:
        """Whether the ends are one point; the square of their distance, or 1 if they are."""
        try:
            near = less(self.d @ self.d, NEAR)
        except OutsideError:  # polynomials have no order
            ends = " and ".join(map(repr, self.spring.frames))
            why = (
                "a law of its length: its force has the square root of a distance in it"
                if isinstance(self.spring.stiffness, Stiffness)
                else "a damper: its force is divided by the square of a distance"
                if is_exactly(self.spring.rest, 0.0)
                else "a length at rest: its force has the square root of a distance in it"
            )
            raise OutsideError(
                f"spring {self.spring.name!r} between {ends} has {why}, "
                "which is in no closed form of this kind"
            ) from None
        return near, where(near, 1.0, self.d @ self.d)

    def stretch(self) -> Any:
        """x - rest, x the distance of the ends."""
        near, dd = self.square()
        return where(near, 0.0, sqrt(dd)) - self.spring.rest

    def energy(self) -> Any:
        """∫ f dx, or ½ k (x - rest)²."""
        k = self.spring.stiffness
        if isinstance(k, Stiffness):
            return k.energy(self.stretch())
        if is_exactly(self.spring.rest, 0.0):
            return (self.d @ self.d) * (k / 2)
        e = self.stretch()
        return e * e * (k / 2)

    def pull(self) -> tuple[Array, Any]:
        """k (x - rest), from the first end towards the second; and no couple.

        Where the ends are one point there is no such direction, and the spring pushes in none.
        """
        k, rest = self.spring.stiffness, self.spring.rest
        if isinstance(k, Stiffness):
            near, dd = self.square()
            return self.d * where(near, 0.0, k.force(self.stretch()) / sqrt(dd)), 0.0
        if is_exactly(rest, 0.0):
            return self.d * k, 0.0
        near, dd = self.square()
        part = 1.0 - where(near, 0.0, rest / sqrt(dd))
        return self.d * (k * part), 0.0

    def drag(self, v: Any) -> tuple[Array, Any]:
        """The damper's c ẋ along the same line; where the ends meet, along their motion."""
        if is_exactly(self.spring.damping, 0.0):
            return np.zeros(3), 0.0
        rate = self._rate(self.paths[1], v) - self._rate(self.paths[0], v)
        near, dd = self.square()
        along = self.d * ((self.d @ rate) / dd)
        both = zip(rate, along, strict=True)
        return vector([where(near, x, y) for x, y in both]) * self.spring.damping, 0.0


class Element(Ends):
    """An elastic element: K in the axes of the first frame, and there x, of the second point.

    x = Rᵀ (p₂ - p₁) turns with the first frame. By virtual work its force on the first body acts
    at the second point too: forces alone at both ends would make energy where it turns.
    """

    def __init__(self, model: Model, steps: Sequence[Placed], spring: Spring) -> None:
        super().__init__(model, steps, spring)
        self.R, other = (
            _turned(steps, f.placement.R, path)
            for f, path in zip(self.frames, self.paths, strict=True)
        )
        self.e: Array = self.R.T @ self.d - spring.rest
        self.turns = not is_exactly(spring.turning, 0.0)
        self.turn: Array = log(self.R.T @ other) if self.turns else np.zeros(3)
        self.other = other

    def moments(self, f: Any, couple: Any) -> tuple[Any, Any]:
        turned = cross(self.d, f)
        return (turned + couple, -couple) if np.ndim(couple) else (turned, np.zeros(3))

    def energy(self) -> Any:
        """½ eᵀ K e and ½ φᵀ K φ of the rotation vector φ."""
        pairs = ((self.e, self.spring.stiffness), (self.turn, self.spring.turning))
        return sum((x @ _times(K, x)) / 2 for x, K in pairs if not is_exactly(K, 0.0))

    def pull(self) -> tuple[Array, Any]:
        """The force on the first body towards the second, and the couple on it."""
        f = self.R @ _times(self.spring.stiffness, self.e)
        if not self.turns:
            return f, 0.0
        # a turn δ of the second frame, in its axes, changes φ by the inverse right Jacobian
        slope = log_derivative(self.turn).T @ _times(self.spring.turning, self.turn)
        return f, self.other @ slope

    def drag(self, v: Any) -> tuple[Array, Any]:
        """C ė and C ω: of what an observer on the first frame sees."""
        w = [_spin(self.steps, path, v) for path in self.paths]
        rate = self._rate(self.paths[1], v) - self._rate(self.paths[0], v) - cross(w[0], self.d)
        f = self.R @ _times(self.spring.damping, self.R.T @ rate)
        if is_exactly(self.spring.turning_damping, 0.0):
            return f, 0.0
        return f, self.R @ _times(self.spring.turning_damping, self.R.T @ (w[1] - w[0]))


def between(model: Model, steps: Sequence[Placed], spring: Spring) -> Between | Element:
    """A spring between two frames, at a position of the links."""
    return (Element if spring.is_spatial else Between)(model, steps, spring)


def _times(K: Any, x: Array) -> Array:
    """K x, of a matrix or of one number for all directions."""
    product: Array = K @ x if np.ndim(K) else x * K
    return product


def _turned(steps: Sequence[Placed], R: Array, path: Chain) -> Array:
    """A rotation in the first link of a path, seen from the root."""
    for i, _ in path:
        R = steps[i].R @ R
    return R


def _spin(steps: Sequence[Placed], path: Chain, v: Any) -> Array:
    """How fast the first link of a path turns, seen from the root."""
    w = np.zeros(3)
    for i, _ in path:
        w = steps[i].R @ (w + steps[i].twist(v)[:3])
    return w
