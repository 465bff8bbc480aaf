"""Where bodies are joined, and how they move: joints of the tree and loops alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, frozen
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model

FREE = 1e-9  # of a unit wrench: what is less holds nothing


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
