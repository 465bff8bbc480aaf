"""The plane in which a mechanism moves.

Every motion of the tree turns bodies about one direction and shifts them across it. That is looked
at in a few random positions too: what holds there holds everywhere, as poses are analytic functions
of the joints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, frozen
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import in_world, links, placed
from visviva.equations.frames.kinematics import jacobian
from visviva.errors import ArgumentError

OUT_OF_PLANE = 1e-9  # of a unit axis: what stands out of the plane by less is rounding error
POSITIONS = 3
UPRIGHT = {0: (1, 2), 1: (0, 2), 2: (0, 1)}  # axes to the right and up, by that of the normal


@dataclass(frozen=True, eq=False)
class Plane:
    """Its axes to the right and up, and the normal, about which turns are counterclockwise."""

    right: FloatArray
    up: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "right", frozen(self.right))
        object.__setattr__(self, "up", frozen(self.up))

    @property
    def normal(self) -> FloatArray:
        """right × up."""
        return np.cross(self.right, self.up)

    def flat(self, x: Any) -> FloatArray:
        """Vectors (…, 3) in coordinates of the plane (…, 2)."""
        coordinates: FloatArray = np.asarray(x, dtype=float) @ np.stack(
            [self.right, self.up], axis=1
        )
        return coordinates

    def turning(self, x: Any) -> Any:
        """The part of vectors (…, 3) along the normal."""
        return np.asarray(x, dtype=float) @ self.normal


def plane_of_motion(model: Model, q: Any) -> Plane | None:
    """The plane of a mechanism in numbers, or None where it has none."""
    rng = np.random.default_rng(0)
    twists = _twists(model, np.asarray(q, dtype=float))
    normal = _normal(twists)
    if normal is None:
        return None
    for k in range(POSITIONS):
        if k:
            twists = _twists(model, model.random(rng))
        w, v = twists[..., :3], twists[..., 3:]
        size = max(1.0, float(np.abs(v).max(initial=0.0)))
        if np.abs(np.cross(w, normal)).max(initial=0.0) > OUT_OF_PLANE:
            return None
        if np.abs(v @ normal).max(initial=0.0) > OUT_OF_PLANE * size:
            return None
    return _upright(normal)


def plane_needed(model: Model, q: Any, asked: str) -> Plane:
    """The same, or an error that says which joint leaves a plane."""
    plane = plane_of_motion(model, q)
    if plane is None:
        axes = []
        steps = placed(links(model), np.asarray(q, dtype=float))
        for b, X, s in zip(model.bodies, in_world(steps), steps, strict=True):
            w = X.R @ np.asarray(s.S, dtype=float)[:3]
            kind = b.joint.kind
            along = f" about {np.round(w[:, 0], 3).tolist()}" if w.any() and w.shape[1] == 1 else ""
            axes.append(f"{b.joint_name} ({kind}{along})")
        raise ArgumentError(
            f"{asked} is for plane mechanisms, and {model.name!r} is none: its bodies do not all "
            f"turn about one direction and shift across it; joints: {', '.join(axes)}"
        )
    return plane


def _twists(model: Model, q: Array) -> Array:
    """(bodies, velocities, 6) in world axes, of the bodies' origins."""
    return np.array([np.asarray(jacobian(model, b.name, q), dtype=float).T for b in model.bodies])


def _normal(twists: Array) -> Array | None:
    """The direction about which something turns, or across which everything shifts."""
    turns = twists[..., :3].reshape(-1, 3)
    sizes = np.linalg.norm(turns, axis=1)
    if sizes.size and sizes.max() > OUT_OF_PLANE:
        k = int(sizes.argmax())
        return np.asarray(turns[k] / sizes[k])
    shifts = twists[..., 3:].reshape(-1, 3)
    _, s, Vt = np.linalg.svd(np.vstack([shifts, np.zeros((3, 3))]))
    if s[0] <= OUT_OF_PLANE or s[2] > OUT_OF_PLANE * s[0]:
        return None
    if s[1] > OUT_OF_PLANE * s[0]:
        return np.asarray(Vt[2])
    # along one line: the plane that has it and lies nearest to x and y, or to x and z
    d = Vt[0]
    flat = np.eye(3)[1 if np.abs(d).argmax() == 2 else 2]
    normal = flat - (flat @ d) * d
    return np.asarray(normal / np.linalg.norm(normal))


def _upright(normal: Array) -> Plane:
    """x to the right and y up in the plane z = 0, z up in those that have it."""
    k = int(np.abs(normal).argmax())
    a, b = UPRIGHT[k]
    up = np.eye(3)[b] - normal[b] * normal
    up = up / np.linalg.norm(up)
    right = np.cross(up, normal)
    return Plane(right if right[a] > 0 else -right, up)
