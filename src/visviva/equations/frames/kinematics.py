"""Poses, Jacobians, velocities and accelerations of frames.

The twist (ω, v) of a frame is J(q) v. `reference` says how it is written: "world" has ω and the
velocity of the frame's origin in world axes, "body" has both in the frame's own axes, "space" has
the velocity of the body's point at the world's origin. With `point`, in the frame's coordinates,
the velocity is that of this point instead of the origin. (Lynch and Park, *Modern Robotics*,
chapter 5; "world" is the geometric Jacobian of most other books.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.describe.model.body import REFERENCES, WORLD
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import Placed, in_world, links, placed, velocities
from visviva.equations.bodies.newton_euler import outward
from visviva.equations.frames.path import Path, path
from visviva.equations.frames.walk import (
    View,
    from_origin,
    from_tool,
    from_world,
    velocity_from_world,
)
from visviva.errors import check_known
from visviva.space.poses import Pose
from visviva.space.rotations import cross
from visviva.space.spatial import cross_motion, point_velocity


def poses(model: Model, q: Any) -> Array:
    """X(q) of all frames, in the order of `frame_names`: an array of 4 × 4 matrices."""
    bodies = in_world(placed(links(model), vector(q)))
    fixed = [f.placement if f.body == WORLD else bodies[f.body] @ f.placement for f in model.frames]
    return np.array([X.matrix() for X in (*bodies, *fixed)]).reshape(-1, 4, 4)


def pose(model: Model, frame: str, q: Any) -> Array:
    """X(q), the 4 × 4 pose of a frame in the world."""
    return kinematics(model, frame, q)[0]


def jacobian(
    model: Model, frame: str, q: Any, reference: str = "world", point: Any = None
) -> Array:
    """J(q), 6 × n: the twists of the frame per unit of each velocity."""
    return kinematics(model, frame, q, reference, point)[1]


def kinematics(
    model: Model, frame: str, q: Any, reference: str = "world", point: Any = None
) -> tuple[Array, Array]:
    """The pose X(q) (4, 4) and the Jacobian J(q) (6, nv) of a frame, together."""
    way, steps = _way(model, frame, q, reference, point)
    X, views = _seen(way, steps, q, reference)
    J = [see(s.S) for s, see in zip(steps, views, strict=True)]
    return Pose.of(X.R, X.p - X.R @ way.point).matrix(), gathered(J, steps, (6, model.nv))


def jacobian_rate(
    model: Model, frame: str, q: Any, v: Any, reference: str = "world", point: Any = None
) -> Array:
    """J̇(q, v) (6, nv): the time derivative of the Jacobian along v."""
    q, v = vector(q), vector(v)
    way, steps = _way(model, frame, q, reference, point)
    _, views = _seen(way, steps, q, reference)
    seen = [see(s.S) for s, see in zip(steps, views, strict=True)]
    twists = [J @ v[s.v] for s, J in zip(steps, seen, strict=True)]
    rates = []
    for k, (s, see) in enumerate(zip(steps, views, strict=True)):
        J, u, rate = seen[k], v[s.v], see(s.subspace_rate(q, v))
        before, behind = sum(twists[:k], np.zeros(6)), sum(twists[:k:-1], np.zeros(6))
        for i in range(len(u)):
            others = before + np.delete(J, i, axis=1) @ np.delete(u, i)
            change = _change(reference, J[:, i], u[i], others, behind)
            rate = np.column_stack([rate[:, :i], rate[:, i] + change, rate[:, i + 1 :]])
        rates.append(rate)
    return gathered(rates, steps, (6, model.nv))


def velocity(
    model: Model, frame: str, q: Any, v: Any, reference: str = "world", point: Any = None
) -> Array:
    """V = J v, the twist (ω, v) of a frame, without J."""
    q, v = vector(q), vector(v)
    way, steps = _way(model, frame, q, reference, point)
    if reference == "body":
        return _body_twist(way.tool, steps, v)
    if reference == "world":
        return velocity_from_world(steps, way.tool, q, v)
    _, views = from_origin(steps, way.tool, q)
    return sum((see(s.twist(v)) for s, see in zip(steps, views, strict=True)), np.zeros(6))


def acceleration(
    model: Model,
    frame: str,
    q: Any,
    v: Any,
    a: Any,
    reference: str = "world",
    point: Any = None,
) -> Array:
    """V̇ = J a + J̇ v, without J: how the components of V change; in world axes ω̇ and p̈."""
    q, v, a = vector(q), vector(v), vector(a)
    way, steps = _way(model, frame, q, reference, point)
    if not steps:
        return np.zeros(6)
    last, R, p = outward(steps, np.zeros(3), q, v, a)[-1], way.tool.R, way.tool.p
    alpha, lin = R.T @ last.alpha, R.T @ (last.a + last.spin @ p)
    if reference != "world":
        V = _body_twist(way.tool, steps, v)
        lin = lin - cross(V[:3], V[3:])
    if reference != "body":
        X, _ = from_world(steps, way.tool, q)
        alpha, lin = X.R @ alpha, X.R @ lin
        if reference == "space":
            lin = lin + cross(X.p, alpha)
    return np.concatenate([alpha, lin])


def _way(model: Model, frame: str, q: Any, reference: str, point: Any) -> tuple[Path, list[Placed]]:
    check_known("reference", reference, REFERENCES)
    way = path(model, frame, point)
    return way, placed(way.links, vector(q))


def _seen(way: Path, steps: Sequence[Placed], q: Any, reference: str) -> tuple[Pose, list[View]]:
    """The pose of the frame's axes at the point, and how twists of the links are seen."""
    X, views = (from_origin if reference == "space" else from_world)(steps, way.tool, vector(q))
    return X, (from_tool(steps, way.tool, vector(q)) if reference == "body" else views)


def gathered(columns: Sequence[Array], steps: Sequence[Placed], shape: tuple[int, int]) -> Array:
    """Columns of links as columns of v: those of coupled links add up."""
    J: Array = np.full(shape, 0.0, dtype=np.result_type(float, *columns))
    for s, c in zip(steps, columns, strict=True):
        J[:, s.v] = J[:, s.v] + c
    return J


def _change(reference: str, c: Array, speed: Any, before: Array, behind: Array) -> Array:
    """How a column changes: links `before` it carry its axis, links `behind` it the frame."""
    if reference == "body":
        return cross_motion(c, behind)
    if reference == "space":
        return cross_motion(before, c)
    w, moved = before[:3], behind[3:] + c[3:] * speed
    return np.concatenate([cross(w, c[:3]), cross(w, c[3:]) + cross(c[:3], moved)])


def _body_twist(tool: Pose, steps: Sequence[Placed], v: Any) -> Array:
    """The twist of the tool in its own axes."""
    if not steps:
        return np.zeros(6)
    V = velocities(steps, v)[-1]
    return np.concatenate([tool.R.T @ V[:3], tool.R.T @ point_velocity(V, tool.p)])
