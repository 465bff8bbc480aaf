"""Joints whose velocities are not the rates of their coordinates: planar, spherical, free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.algebra.generic import sincos
from visviva.describe.joints.axis import along
from visviva.describe.joints.joint import (
    SHIFTING,
    TURNING,
    ZERO,
    Joint,
    Motions,
    columns,
    normals,
    unit,
)
from visviva.space import poses, rotations
from visviva.space.poses import Pose
from visviva.space.rotations import about_axis, cross
from visviva.space.spatial import cross_motion


@dataclass(frozen=True, eq=False)
class Planar(Joint):
    """Motion in the plane normal to `normal`: q = (angle, x, y), v = (ω, vx, vy) in child axes.

    x and y are measured along the first two columns of `basis`, a frame whose third is the normal.
    """

    normal: Array
    axis_names = ("normal",)
    coordinates = ("angle", "x", "y")
    velocities = ("w", "vx", "vy")
    angular = (True, False, False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", unit(self.normal))

    @property
    def basis(self) -> Array:
        """The coordinate axes for the normal z; otherwise z turned onto the normal."""
        return np.stack([*normals(self.normal), self.normal], axis=1)

    @property
    def motions(self) -> Motions:
        """Shifted, then turned; q = (angle, x, y)."""
        x, y, normal = self.basis.T
        return (SHIFTING, x, 1), (SHIFTING, y, 2), (TURNING, normal, 0)

    def transform(self, q: Any) -> Pose:
        return Pose.of(about_axis(self.normal, q[0]), self.basis @ vector([q[1], q[2], 0.0]))

    def subspace(self, q: Any) -> Array:
        x, y = normals(self.normal)
        return columns((self.normal, ZERO), (ZERO, x), (ZERO, y))

    def complement(self, q: Any) -> Array:
        x, y = normals(self.normal)
        return columns((x, ZERO), (y, ZERO), (ZERO, self.normal))

    def located(self, X: Pose) -> Array:
        x, y, _ = self.basis.T @ X.p
        return vector([rotations.angle_about(self.normal, X.R), x, y])

    def bracket(self, v: Any, w: Any) -> Array:
        return vector([0.0, w[0] * v[2] - v[0] * w[2], v[0] * w[1] - w[0] * v[1]])

    def unfelt(self, m: Any, h: Any, S: Any) -> tuple[Any, Any, Any]:
        return m * 0.0, vector(h) * 0.0, along(self.normal, S)

    def rates(self, q: Any, v: Any) -> Array:
        s, c = sincos(q[0])
        return vector([v[0], c * v[1] - s * v[2], s * v[1] + c * v[2]])

    def velocity(self, q: Any, rates: Any) -> Array:
        s, c = sincos(q[0])
        return vector([rates[0], c * rates[1] + s * rates[2], c * rates[2] - s * rates[1]])

    def integrate(self, q: Any, step: Any) -> Array:
        moved = poses.exp([0.0, 0.0, step[0], step[1], step[2], 0.0])
        _, x, y = self.rates(q, [0.0, moved.p[0], moved.p[1]])
        return vector([q[0] + step[0], q[1] + x, q[2] + y])

    def difference(self, q0: Any, q1: Any) -> Array:
        angle = q1[0] - q0[0]
        _, x, y = self.velocity(q0, [0.0, q1[1] - q0[1], q1[2] - q0[2]])
        w = vector([0.0, 0.0, angle])
        # the shift in child axes is V(w) times the step, and V is exp_derivative transposed
        v = rotations.log_derivative(w).T @ vector([x, y, 0.0])
        return vector([angle, v[0], v[1]])


@dataclass(frozen=True, eq=False)
class Spherical(Joint):
    """A ball: q is a unit quaternion (x, y, z, w), v the angular velocity in child axes."""

    coordinates = ("x", "y", "z", "w")
    velocities = ("wx", "wy", "wz")
    angular = (False,) * 4
    quaternion = slice(0, 4)

    def transform(self, q: Any) -> Pose:
        return Pose.of(rotations.quaternion_matrix(q), ZERO)

    def subspace(self, q: Any) -> Array:
        return np.eye(6)[:, :3]

    def complement(self, q: Any) -> Array:
        return np.eye(6)[:, 3:]

    def located(self, X: Pose) -> Array:
        return rotations.quaternion(X.R)

    def error(self, X: Pose) -> Array:
        return vector(X.R.T @ X.p)

    def says(self, frame1: str, frame2: str) -> str:
        return f"keeps the origins of {frame1!r} and {frame2!r} together"

    def bracket(self, v: Any, w: Any) -> Array:
        return cross(v, w)

    def unfelt(self, m: Any, h: Any, S: Any) -> tuple[Any, Any, Any]:
        return m, vector(h) * 0.0, vector(S) * 0.0

    def rates(self, q: Any, v: Any) -> Array:
        return rotations.quaternion_rates(q, v)

    def velocity(self, q: Any, rates: Any) -> Array:
        return rotations.quaternion_product(rotations.quaternion_inverse(q), rates)[:3] * 2.0

    def integrate(self, q: Any, step: Any) -> Array:
        turned = rotations.quaternion_product(q, rotations.quaternion_exp(step))
        return rotations.normalised(turned)

    def difference(self, q0: Any, q1: Any) -> Array:
        turn = rotations.quaternion_product(rotations.quaternion_inverse(q0), q1)
        return rotations.quaternion_log(turn)

    def neutral(self) -> Array:
        return np.array([0.0, 0.0, 0.0, 1.0])

    def random(self, rng: np.random.Generator, lower: Any, upper: Any) -> Array:
        return rotations.normalised(rng.normal(size=4))


@dataclass(frozen=True, eq=False)
class Free(Joint):
    """All motion: q = (quaternion x y z w, position), v = the twist (ω, v) in child axes."""

    coordinates = ("x", "y", "z", "w", "px", "py", "pz")
    velocities = ("wx", "wy", "wz", "vx", "vy", "vz")
    angular = (False,) * 7
    quaternion = slice(0, 4)

    def transform(self, q: Any) -> Pose:
        return Pose.of(rotations.quaternion_matrix(q[:4]), q[4:])

    def subspace(self, q: Any) -> Array:
        return np.eye(6)

    def complement(self, q: Any) -> Array:
        return np.zeros((6, 0))

    def located(self, X: Pose) -> Array:
        return np.concatenate([rotations.quaternion(X.R), X.p])

    def error(self, X: Pose) -> Array:
        return np.zeros(0)

    def bracket(self, v: Any, w: Any) -> Array:
        return cross_motion(v, w)

    def rates(self, q: Any, v: Any) -> Array:
        turning = rotations.quaternion_rates(q[:4], v[:3])
        return np.concatenate([turning, rotations.quaternion_matrix(q[:4]) @ vector(v[3:])])

    def velocity(self, q: Any, rates: Any) -> Array:
        w = Spherical().velocity(q[:4], rates[:4])
        return np.concatenate([w, rotations.quaternion_matrix(q[:4]).T @ vector(rates[4:])])

    def integrate(self, q: Any, step: Any) -> Array:
        moved = poses.exp(step)
        turn = Spherical().integrate(q[:4], step[:3])
        position = vector(q[4:]) + rotations.quaternion_matrix(q[:4]) @ moved.p
        return np.concatenate([turn, position])

    def difference(self, q0: Any, q1: Any) -> Array:
        return poses.log(self.transform(q0).inverse() @ self.transform(q1))

    def neutral(self) -> Array:
        return np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

    def random(self, rng: np.random.Generator, lower: Any, upper: Any) -> Array:
        return np.concatenate([rotations.normalised(rng.normal(size=4)), rng.uniform(-1, 1, 3)])
