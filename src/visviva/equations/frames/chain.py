"""The serial chain of joints from the world to a frame, as screws at q = 0.

Joint i turns by θᵢ about (or shifts along) the axis hᵢ through the point pᵢ, all in the world at
q = 0, so that the pose of the frame is exp(h₁θ₁) … exp(hₙθₙ) X₀ (Lynch and Park, *Modern Robotics*,
section 4.1). A tool is part of X₀ alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.describe.joints.joint import SHIFTING, TURNING, Motions
from visviva.describe.model.body import WORLD, Body
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError
from visviva.space.poses import Pose
from visviva.space.rotations import about_axis

REVOLUTE, PRISMATIC = TURNING, SHIFTING


@dataclass(frozen=True, eq=False)
class SerialChain:
    """Joints that carry a frame, from the world on: θᵢ = coefficientᵢ q[indexᵢ] + offsetᵢ."""

    name: str  # of the model
    frame: str
    names: tuple[str, ...]  # of the coordinates
    kinds: tuple[str, ...]  # "revolute" or "prismatic"
    axes: Array  # hᵢ (n, 3)
    points: Array  # pᵢ (n, 3)
    home: Pose  # X₀, of the frame where all θ are zero
    index: tuple[int, ...]  # of each joint's coordinate in q
    coefficient: Array  # (n,): 1 but for a joint that follows another
    offset: Array  # (n,)
    lower: Array  # limits of q[index], as the model has them (n,)
    upper: Array
    nq: int  # of the whole model: entries that are not on the way stay where they are

    @classmethod
    def of(cls, model: Model, frame: str) -> SerialChain:
        """The way to a frame. A model with expressions as numbers gives expressions."""
        where = model.frame(frame)
        way: list[int] = []
        i = where.body
        while i != WORLD:
            way.insert(0, i)
            i = model.bodies[i].parent
        rows: list[tuple[Any, ...]] = []
        X = Pose.identity()
        for i in way:
            b = model.bodies[i]
            X = X @ b.placement
            start = model.q_index[i].start
            for kind, axis, k in _motions(model, b):
                factor, shift, source = 1.0, 0.0, b
                if b.mimic is not None:
                    factor, shift = b.mimic.multiplier, b.mimic.offset
                    source = model.bodies[model.joint_index(b.mimic.joint)]
                limits = source.limits.lower[k], source.limits.upper[k]
                name = model.coordinate_names[start + k]
                rows.append((name, kind, X.R @ axis, X.p, start + k, factor, shift, *limits))
        names, kinds, axes, points, index, factors, shifts, lower, upper = (
            zip(*rows, strict=True) if rows else ((),) * 9
        )
        return cls(
            model.name,
            frame,
            names,
            kinds,
            vector([*axes]).reshape(-1, 3),
            vector([*points]).reshape(-1, 3),
            X @ where.placement,
            index,
            vector([*factors]),
            vector([*shifts]),
            np.array(lower, dtype=float),
            np.array(upper, dtype=float),
            model.nq,
        )

    def __len__(self) -> int:
        return len(self.kinds)

    def first(self, n: int) -> SerialChain:
        """The first n joints; the others stay where all θ are zero."""
        cut = {k: getattr(self, k)[:n] for k in ("names", "kinds", "axes", "points", "index")}
        cut |= {k: getattr(self, k)[:n] for k in ("coefficient", "offset", "lower", "upper")}
        return replace(self, **cut)

    @property
    def letters(self) -> str:
        """R for a turn, P for a shift: "RRRRRR"."""
        return "".join("R" if k == REVOLUTE else "P" for k in self.kinds)

    @property
    def is_independent(self) -> bool:
        """Whether each joint has a coordinate of its own."""
        return len(set(self.index)) == len(self.index)

    def angles(self, q: Any) -> Array:
        """θ (…, n) of positions q (…, nq)."""
        return vector(q)[..., list(self.index)] * self.coefficient + self.offset

    def positions(self, theta: Any) -> Array:
        """q[index] (…, n) of θ (…, n), for joints that each have a coordinate of their own."""
        return (vector(theta) - self.offset) / self.coefficient

    def pose(self, theta: Any) -> Pose:
        """The pose of the frame: the product of exponentials, over scalars of any kind."""
        X = self.home
        for kind, h, p, t in reversed(
            [*zip(self.kinds, self.axes, self.points, theta, strict=True)]
        ):
            if kind == REVOLUTE:
                R = about_axis(h, t)
                X = Pose.of(R @ X.R, p + R @ (X.p - p))
            else:
                X = Pose.of(X.R, X.p + h * t)
        return X

    def poses(self, theta: Any) -> tuple[Array, Array]:
        """R (…, 3, 3) and p (…, 3) of numbers θ (…, n)."""
        theta = np.asarray(theta, dtype=float)
        batch = theta.shape[:-1]
        R = np.broadcast_to(np.asarray(self.home.R, dtype=float), (*batch, 3, 3))
        at = np.broadcast_to(np.asarray(self.home.p, dtype=float), (*batch, 3))
        for i in reversed(range(len(self))):
            h, p, t = self.axes[i], self.points[i], theta[..., i]
            if self.kinds[i] == PRISMATIC:
                at = at + t[..., None] * h
                continue
            turn = turns(h, t)
            R = turn @ R
            at = p + (turn @ (at - p)[..., None])[..., 0]
        return R, at

    def jacobian(self, theta: Any) -> Array:
        """(…, 6, n): twists (ω, velocity of the frame's origin) in world axes, per unit of θ."""
        theta = np.asarray(theta, dtype=float)
        _, tip = self.poses(theta)
        batch = theta.shape[:-1]
        J = np.zeros((*batch, 6, len(self)))
        R, at = np.broadcast_to(np.eye(3), (*batch, 3, 3)), np.zeros((*batch, 3))  # moved so far
        for i in range(len(self)):
            h = (R @ self.axes[i][:, None])[..., 0]
            if self.kinds[i] == PRISMATIC:
                J[..., 3:, i] = h
                at = at + h * theta[..., i, None]
                continue
            p = at + (R @ self.points[i][:, None])[..., 0]
            J[..., :3, i] = h
            J[..., 3:, i] = np.cross(h, tip - p)
            turn = turns(self.axes[i], theta[..., i])
            at = p - (R @ turn @ self.points[i][:, None])[..., 0]
            R = R @ turn
        return J


def turns(axis: Array, angles: Array) -> Array:
    """Rotations (…, 3, 3) about one axis by many angles (…)."""
    s, c = np.sin(angles)[..., None, None], np.cos(angles)[..., None, None]
    outer = np.outer(axis, axis)
    x, y, z = axis
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(outer + (np.eye(3) - outer) * c + across * s)


def _motions(model: Model, b: Body) -> Motions:
    """The turns and shifts that a joint is made of, in order."""
    made_of = b.joint.motions
    if made_of is None:
        raise ArgumentError(
            f"the way to a frame of {model.name!r} goes over {b.joint_name!r}, a {b.joint.kind} "
            "joint: chains are made of revolute, prismatic, cylindrical, universal and planar "
            f"joints; locked({{{b.joint_name!r}: …}}) holds it, submodel({b.name!r}) is what hangs "
            "on it"
        )
    return made_of
