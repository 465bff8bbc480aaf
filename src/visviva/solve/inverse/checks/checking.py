"""What positions of a chain are worth: by how much they miss a target, and whether they are stuck.

One compiled function looks at thousands of positions; what it finds suspicious is looked at again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.algebra.generic import less, maximum, sqrt, where
from visviva.describe.values import digest_of
from visviva.equations.frames.chain import REVOLUTE, SerialChain
from visviva.machine.function import Function
from visviva.machine.program.trace import input_ports, traced
from visviva.solve.inverse.closed.axes import size_of
from visviva.space.poses import Pose
from visviva.space.rotations import about_axis, cross

LOST = 1e-13  # a pivot of JᵀJ, lengths by the arm's size
SUSPECT = 1e-15  # of det JᵀJ, lengths by the arm's size: below it, singular values are looked at


@dataclass(frozen=True, eq=False)
class Checker:
    """For a chain and one of the tasks "pose" and "position"."""

    chain: SerialChain
    task: str

    @cached_property
    def function(self) -> Function[tuple[Array, Array]]:
        """θ (n,), target -> residual, det JᵀJ."""
        n, chain = len(self.chain), self.chain
        ports = input_ports({"theta": n, "target": 3 if self.task == "position" else (4, 4)})
        at = chain.axes, chain.points, chain.home.matrix()
        name = digest_of(chain.kinds, *(x.tobytes() for x in map(np.ascontiguousarray, at)))
        key = None if name is None else ("checker", self.task, name)
        return Function("missed", ports, lambda: traced(self.missed, ports), key)

    def missed(self, theta: Any, target: Any) -> dict[str, Any]:
        """The residual, in metres or radians, and the determinant of JᵀJ in sizes of the arm."""
        X, columns = self._moved(theta)
        off = X.p - (target if self.task == "position" else target[:3, 3])
        residual = sqrt(off @ off)
        if self.task == "pose":
            turn = (X.R - target[:3, :3]).ravel()
            residual = maximum(residual, sqrt(turn @ turn * 0.5))
        gram = [[a @ b for b in columns] for a in columns]
        return {"residual": residual, "gram": determinant(gram)}

    def _moved(self, theta: Any) -> tuple[Pose, list[Array]]:
        """The pose, and what each joint does there: ω (for poses), and v over the arm's size."""
        chain, size = self.chain, size_of(self.chain)
        axes: list[tuple[Array, Array]] = []
        E = Pose.identity()  # what the joints so far make together
        for kind, h, p, t in zip(chain.kinds, chain.axes, chain.points, theta, strict=True):
            axes.append((E.R @ h, E.apply(p)))
            R = about_axis(h, t) if kind == REVOLUTE else np.eye(3)
            E = E @ (Pose.of(R, p - R @ p) if kind == REVOLUTE else Pose.of(R, h * t))
        X = E @ chain.home
        columns: list[Array] = []
        for kind, (h, p) in zip(chain.kinds, axes, strict=True):
            turns = kind == REVOLUTE
            v = (cross(h, X.p - p) if turns else h) * (1.0 / size)
            w = h if turns else np.zeros(3)
            columns.append(v if self.task == "position" else np.concatenate([w, v]))
        return X, columns

    def rows(self, theta: Any) -> Array:
        """The Jacobian of the task (…, rows, n), lengths by the size of the arm."""
        J = self.chain.jacobian(theta)
        J[..., 3:, :] /= size_of(self.chain)
        return J[..., 3:, :] if self.task == "position" else J

    def error(self, theta: Any, target: Any) -> Array:
        """What is left to the target (…, rows), as `rows` counts it."""
        R, p = self.chain.poses(theta)
        target = np.asarray(target, dtype=float)
        size = size_of(self.chain)
        if self.task == "position":
            return np.asarray((target - p) / size)
        turn = target[..., :3, :3] @ np.swapaxes(R, -1, -2)
        return np.concatenate([rotation_vectors(turn), (target[..., :3, 3] - p) / size], axis=-1)

    def polished(self, theta: Array, target: Any, steps: int = 5) -> Array:
        """After a few Newton steps (Gauss's, where J is not square)."""
        for _ in range(steps):
            left = self.error(theta, target)[..., None]
            step = (np.linalg.pinv(self.rows(theta), rcond=1e-9) @ left)[..., 0]
            theta = theta + step
            if np.abs(step).max(initial=0.0) < 1e-15:
                break
        return theta


def rotation_vectors(R: Array) -> Array:
    """Of rotations (…, 3, 3): about which axes, and by how much."""
    twice = np.stack(
        [R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]],
        axis=-1,
    )
    s, c = np.linalg.norm(twice, axis=-1), np.trace(R, axis1=-2, axis2=-1) - 1.0
    angle = np.arctan2(s, c)
    small = s < 1e-12
    near_half = small & (c < 0.0)  # by π: about the column of R + 1 that is largest
    w = twice * np.where(small, 0.5, angle / np.where(small, 1.0, s))[..., None]
    if near_half.any():
        S = R[near_half] + np.eye(3)
        best = np.argmax(np.linalg.norm(S, axis=-2), axis=-1)
        axis = np.take_along_axis(S, best[:, None, None], axis=2)[..., 0]
        w[near_half] = np.pi * axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    return np.asarray(w)


def determinant(m: list[list[Any]]) -> Any:
    """Of a symmetric matrix that is not negative: the product of its pivots, 0 if one is lost."""
    n = len(m)
    a = [list(row) for row in m]
    product: Any = 1.0
    for k in range(n):
        lost = less(a[k][k], LOST)
        product = where(lost, 0.0, product * a[k][k])
        inverse = where(lost, 0.0, 1.0 / where(lost, 1.0, a[k][k]))
        for i in range(k + 1, n):
            factor = a[i][k] * inverse
            for j in range(i, n):
                a[i][j] = a[i][j] - factor * a[k][j]
                a[j][i] = a[i][j]
    return product
