"""Where bodies are joined, and how they move: joints of the tree and loops alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, frozen
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.equations.constraints.rows import constraint_bias, constraint_matrix

FREE = 1e-9  # of a unit wrench: what is less holds nothing
ADMITTED = 1e-8  # of a velocity: by how much the rows may be violated


@dataclass(frozen=True, eq=False)
class Pin:
    """A joint or a loop between two bodies, at a point of the world; WORLD is the ground.

    `along` is the direction in which it slides, zero of what does not.
    """

    name: str
    bodies: tuple[int, int]
    at: Array
    along: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", frozen(self.at))
        object.__setattr__(self, "along", frozen(self.along))

    def other(self, body: int) -> int:
        """The body on the other side."""
        one, other = self.bodies
        return other if body == one else one


def pins(model: Model, q: Any) -> list[Pin]:
    """Of a model in numbers; loops that join points alone among them."""
    poses, found = model.body_poses(q), []
    for i, (b, X) in enumerate(zip(model.bodies, poses, strict=True)):
        S = np.asarray(b.joint.subspace(model.local(i, q)), dtype=float)
        found.append(Pin(b.joint_name, (b.parent, i), X.p, _slide(X.R, S)))
    for loop in model.constraints.active:
        if loop.frames:
            one, other = (model.frame(name) for name in loop.frames)
            first, X = (
                f.placement if f.body == WORLD else poses[f.body] @ f.placement
                for f in (one, other)
            )
            T = np.asarray(loop.joint.wrenches(first.inverse() @ X), dtype=float)
            _, sizes, Vt = np.linalg.svd(T.T)
            S = Vt[int(np.sum(sizes > FREE)) :].T  # what no wrench of the loop holds
            found.append(Pin(loop.name, (one.body, other.body), X.p, _slide(X.R, S)))
    return found


def _slide(R: Array, S: Array) -> Array:
    """The direction of a joint that slides and does nothing else."""
    if S.shape[1] == 1 and np.abs(S[:3]).max() <= FREE:
        return np.asarray(R @ S[3:, 0] / np.linalg.norm(S[3:, 0]))
    return np.zeros(3)


def body_called(model: Model, body: int) -> str:
    """Of a body, or of the ground."""
    return model.base_name if body == WORLD else model.bodies[body].name


def points_of(model: Model, q: Any) -> dict[int, list[Array]]:
    """For every body the points that show it: where it is joined, and frames that are fixed to it.

    What slides on the ground is shown where it is.
    """
    where = model.body_poses(q)
    shown: dict[int, list[Array]] = {i: [] for i in (WORLD, *range(len(model.bodies)))}
    for pin in pins(model, q):
        for body in pin.bodies:
            if not (pin.along.any() and body == WORLD):
                shown[body].append(pin.at)
    for f in model.frames:
        if f.body != WORLD:
            shown[f.body].append((where[f.body] @ f.placement).p)
    return shown


def driven(model: Model, q: Any, joint: str, speed: float, t: float = 0.0) -> tuple[Array, Array]:
    """v and a of a mechanism whose joint is driven at a constant speed; nan where that jams."""
    n, k = model.nv, model.joint_slices[joint][1].start
    v, a = np.zeros(n), np.zeros(n)
    v[k] = speed
    others = [i for i in range(n) if i != k]
    A = np.asarray(constraint_matrix(model, q, t), dtype=float)
    if len(A):
        v[others] = np.linalg.lstsq(A[:, others], -A[:, k] * speed, rcond=1e-12)[0]
        bias = np.asarray(constraint_bias(model, q, v, t), dtype=float)
        a[others] = np.linalg.lstsq(A[:, others], -bias, rcond=1e-12)[0]
        length = np.abs(A).max() * max(float(np.abs(v).max()), 1e-300)
        if np.abs(A @ v).max() > ADMITTED * length:
            return np.full(n, np.nan), np.full(n, np.nan)
    return v, a
