"""Poses, Jacobians, velocities and accelerations of frames.

The twist (ω, v) of a frame is J(q) v. `reference` says how it is written: "world" has ω and the
velocity of the frame's origin in world axes, "body" has both in the frame's own axes, "space" has
the velocity of the body's point at the world's origin instead. With `point`, in the frame's
coordinates, the velocity is that of this point instead of the origin. (Lynch and Park, *Modern
Robotics*, chapter 5; "world" is their geometric Jacobian.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visviva.describe.model import Model
from visviva.describe.parts import WORLD
from visviva.equations.links import Step, links, placed, velocities
from visviva.equations.newton_euler import Motion, outward
from visviva.equations.path import Path, path
from visviva.equations.sight import Sight, from_origin, from_tool, from_world
from visviva.errors import UnknownNameError
from visviva.space.poses import Pose
from visviva.space.rotations import Array, cross, vector
from visviva.space.spatial import cross_motion

REFERENCES = ("world", "body", "space")


def pose(model: Model, frame: str, q: Any) -> Array:
    """X(q), the 4 × 4 pose of a frame in the world."""
    return kinematics(model, frame, q)[0]


def jacobian(
    model: Model, frame: str, q: Any, reference: str = "world", point: Any = None
) -> Array:
    """J(q), 6 × n: its columns are the twists of the frame per unit of each velocity."""
    way, steps = _way(model, frame, q, point)
    return _summed(model, steps, [see(s.S) for s, see in _seen(way, steps, q, reference)])


def kinematics(
    model: Model, frame: str, q: Any, reference: str = "world", point: Any = None
) -> tuple[Array, Array]:
    """X(q) and J(q), together."""
    way, steps = _way(model, frame, q, point)
    J = _summed(model, steps, [see(s.S) for s, see in _seen(way, steps, q, reference)])
    X, _ = (from_origin if reference == "space" else from_world)(steps, way.tool, q)
    return Pose(X.R, X.p - X.R @ way.point).matrix(), J


def jacobian_rate(
    model: Model, frame: str, q: Any, v: Any, reference: str = "world", point: Any = None
) -> Array:
    """J̇(q, v).

    A column changes as its axis is carried along by the links before it, and as the links behind
    it move the frame.
    """
    way, steps = _way(model, frame, q, point)
    pairs = _seen(way, steps, q, reference)
    seen = [see(s.S) for s, see in pairs]
    rates = [see(s.subspace_rate(q, v)) for s, see in pairs]
    speeds = [v[s.v] for s in steps]
    before, behind = _sums(seen, speeds), _sums(seen[::-1], speeds[::-1])[::-1]
    for k, J in enumerate(seen):
        columns = []
        for i, c in enumerate(J.T):
            others = before[k] + sum(...)
    return _summed(model, steps, rates)
