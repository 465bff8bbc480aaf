"""Joints: each type is one small class that answers the same list of questions.

A joint lets a child frame move relative to a frame fixed in the parent. `transform(q)` is the pose
of the child, `subspace(q)` the twists it can have (columns, in child axes), so that its twist is
`subspace(q) @ v` and its rate of change, with v constant, is `bias(q, v)`. Positions q and
velocities v may differ in number: `rates`, `integrate` and `difference` connect them.
Rotation comes before translation everywhere. A joint between bodies that are joined already closes
a loop: see `closure`, whose questions it answers from `located`, the way back from poses.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from visviva.algebra.arrays import (
    Array,
    exact_kind,
    float_array,
    frozen,
    is_numeric,
    is_zero,
    vector,
)
from visviva.algebra.generic import less, where
from visviva.describe.joints.closure import Closure, zeros
from visviva.errors import ArgumentError, ShapeError
from visviva.space import rotations
from visviva.space.poses import Pose
from visviva.space.rotations import cross, skew

TURNING, SHIFTING = "revolute", "prismatic"  # what joints may be made of
Motions = tuple[tuple[str, Array, int], ...]
ZERO = frozen(np.zeros(3))
X, Y, Z = (frozen(e) for e in np.eye(3))


@dataclass(frozen=True, eq=False)
class Joint(Closure):
    """The questions. `coordinates` and `velocities` name the entries of q and v."""

    coordinates: ClassVar[tuple[str, ...]]
    velocities: ClassVar[tuple[str, ...]]
    angular: ClassVar[tuple[bool, ...]]  # which coordinates are angles
    quaternion: ClassVar[slice | None] = None  # where in q there is one

    @property
    def nq(self) -> int:
        """How many numbers state its position."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """How many state its velocity: its degrees of freedom."""
        return len(self.velocities)

    @property
    def has_rates(self) -> bool:
        """Whether its velocities are the rates of its coordinates."""
        return self.coordinates == self.velocities

    @property
    def constant_subspace(self) -> bool:
        """Whether subspace(q) is the same at every q."""
        return type(self).subspace_rate is Joint.subspace_rate

    @property
    def keeps_origins(self) -> bool:
        """Whether it never shifts the child frame: its origin stays that of the joint frame."""
        return is_zero(self.transform(self.integrate(self.neutral(), np.full(self.nv, 0.7))).p)

    @property
    def turns(self) -> bool:
        """Whether it turns the child frame; if not, it only shifts it."""
        return not (self.constant_subspace and is_zero(self.subspace(self.neutral())[:3].flat))

    @property
    def motions(self) -> Motions | None:
        """Turns about and shifts along fixed axes that it is made of, in order; None for others.

        Each is `TURNING` or `SHIFTING`, its axis in the joint's frame, and which coordinate it is.
        """
        return None

    @abstractmethod
    def transform(self, q: Any) -> Pose:
        """The pose of the child frame."""

    @abstractmethod
    def subspace(self, q: Any) -> Array:
        """The 6 × nv matrix from v to the twist in child axes."""

    def subspace_rate(self, q: Any, v: Any) -> Array:
        """How subspace(q) changes at velocity v, in child axes."""
        return np.zeros((6, self.nv))

    def complement(self, q: Any) -> Array:
        """The 6 × (6 - nv) matrix T of wrenches (moment, force) that the joint passes on.

        In child axes; none of them does work on its motions: subspace(q)ᵀ T = 0.
        """
        S = vector(self.subspace(q))
        if S.dtype == object:
            raise ArgumentError(
                f"the wrenches that {type(self).__name__} passes on are found for numbers only: "
                "define complement(q)"
            )
        return np.asarray(np.linalg.svd(S)[0][:, self.nv :])

    def bias(self, q: Any, v: Any) -> Array:
        """The rate of change of subspace(q) at velocity v, times v."""
        return self.subspace_rate(q, v) @ vector(v)

    def bracket(self, v: Any, w: Any) -> Array:
        """[v, w]: the velocity of moving along v, w, -v and -w in turn, per area.

        Zero where velocities are rates of coordinates, since steps of those can be exchanged.
        """
        if not self.has_rates:
            raise ArgumentError(
                f"rotors need the bracket of a joint's motions, and {type(self).__name__}, whose "
                "velocities are no rates of its coordinates, has none: define bracket(v, w)"
            )
        return np.zeros(self.nv)

    def slides(self, d: Any) -> Array:
        """The component of d along which both frames may be shifted without changing the motion."""
        return vector(d) * 0.0

    def unfelt(self, m: Any, h: Any, S: Any) -> tuple[Any, Any, Any]:
        """The part of a body's mass moments that can be regrouped to its parent: base parameters.

        Moments (m, h, Σ) = ∫ (1, r, r rᵀ) dm, in child axes. What the joint does not move relative
        to the parent changes neither energies nor joint forces by being moved there.
        """
        return m * 0.0, vector(h) * 0.0, vector(S) * 0.0

    def rates(self, q: Any, v: Any) -> Array:
        """q̇ (nq,) at position q and velocity v (nv,)."""
        return vector(v)

    def velocity(self, q: Any, rates: Any) -> Array:
        """v (nv,) at position q and rates q̇ (nq,)."""
        return vector(rates)

    def integrate(self, q: Any, step: Any) -> Array:
        """Where the constant velocity `step` leads in one unit of time."""
        return vector(q) + vector(step)

    def difference(self, q0: Any, q1: Any) -> Array:
        """The step with integrate(q0, step) = q1."""
        return vector(q1) - vector(q0)

    def located(self, X: Pose) -> Array:
        """The position at which the child frame comes nearest to a pose: transform(q) = X.

        Angles are in (-π, π].
        """
        raise ArgumentError(
            f"{type(self).__name__} does not say at which position its child frame is at a pose, "
            "which is needed where it closes a loop: define located(X)"
        )

    # ---- as a closure

    @property
    def position_rows(self) -> int:
        return 6 - self.nv

    def error(self, X: Pose) -> Array:
        q = self.located(X)
        E = self.transform(q).inverse() @ X  # from where it would hold to where the frame is
        apart = np.concatenate([rotations.log(E.R), E.R.T @ E.p])
        return vector(self.complement(q).T @ apart)

    def conditions(self, X: Pose) -> Array:
        if not self.constant_subspace or not self.position_rows:
            return self.error(X)
        T = self.complement(self.neutral())
        if any(not is_zero(w[:3]) and not is_zero(w[3:]) for w in T.T):  # a screw
            X = self.transform(self.located(X)).inverse() @ X
        turn = rotations.unskew(X.R - X.R.T)  # twice the sine, along the axis
        return vector(T.T @ np.concatenate([turn, X.p]))

    def wrenches(self, X: Pose) -> Array:
        still = self.constant_subspace
        return self.complement(self.neutral() if still else self.located(X))

    def wrench_rate(self, X: Pose, V: Any) -> Array:
        return zeros(self.position_rows) if self.constant_subspace else super().wrench_rate(X, V)

    def neutral(self) -> Array:
        """The position in which the child frame is the joint frame."""
        return np.zeros(self.nq)

    def random(self, rng: np.random.Generator, lower: Any, upper: Any) -> Array:
        """A position within limits; angles without limits in [-π, π], lengths in [-1, 1]."""
        free = np.where(self.angular, np.pi, 1.0)
        low = np.where(
            np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2 * free, -free)
        )
        high = np.where(np.isfinite(upper), upper, low + 2 * free)
        # files may have them the wrong way round
        return np.asarray(rng.uniform(np.minimum(low, high), np.maximum(low, high)))


def unit(axis: Any) -> Array:
    """A checked axis of length one."""
    a = vector(axis)
    if a.shape != (3,):
        raise ShapeError(f"an axis has 3 coordinates, got shape {a.shape}")
    if not is_numeric(a):
        return frozen(a)
    if any(map(exact_kind, a)):  # whose division by a length would not be exact
        a = float_array(a)
    length = float(np.linalg.norm(float_array(a)))
    if not np.isfinite(length) or length < 1e-12:
        raise ArgumentError(f"an axis needs a direction, got {a.tolist()}")
    return frozen(a if abs(length - 1.0) < 1e-15 else a / length)


def columns(*pairs: tuple[Any, Any]) -> Array:
    """6 × n: twists (angular, linear) or wrenches (moment, force) side by side."""
    return np.stack([np.concatenate([vector(a), vector(b)]) for a, b in pairs], axis=1)


def normals(axis: Array) -> tuple[Array, Array]:
    """Two directions that make a right-handed frame with an axis as the third: x and y for z."""
    # an axis that points down is first turned up, so that 1 + n_z is never small
    up = where(less(axis[2], 0.0), -1.0, 1.0)
    flip = np.diag(vector([1.0, up, up]))
    n = flip @ axis
    S = skew(cross([0.0, 0.0, 1.0], n))
    x, y, _ = (flip @ (np.eye(3) + S + (S @ S) / (1.0 + n[2]))).T
    return x, y
