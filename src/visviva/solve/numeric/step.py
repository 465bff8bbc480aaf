"""One damped Newton step towards a task of a frame, over any scalar.

Levenberg's step v = S Aᵀ (A Aᵀ + λ)⁻¹ e, with rows in radians and in lengths of the mechanism's own
size, and with λ that falls as the square of what is left (Chan and Lawrence): far away it is
a cautious step, near the end it is Newton's. A joint that stands at a limit and would go on outward
is held for this step, so that the others do its part.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra import generic as g
from visviva.algebra.arrays import Array, is_exactly, vector
from visviva.algebra.expr import Graph
from visviva.describe.model.model import Model
from visviva.equations.bodies.factor import Factor
from visviva.equations.frames.kinematics import kinematics
from visviva.equations.frames.tasks import Task
from visviva.errors import ArgumentError

DAMPING = 0.05  # λ over ½|e|²
LEAST = 1e-15  # λ over the mean of the diagonal: no pivot is zero
LONGEST_STEP = 1.0  # of a step, in any joint: radians, or lengths that move the frame as much


@dataclass(frozen=True, eq=False)
class Reach:
    """A task of a frame of a model, and the motions that take part in it."""

    model: Model  # with numbers
    frame: str
    task: Task

    @cached_property
    def moving(self) -> list[int]:
        """Entries of v that move what the task looks at, by the formulas themselves."""
        graph = Graph()
        q = np.array([graph.input(f"q{k}") for k in range(self.model.nq)], dtype=object)
        J = self.task.jacobian(*kinematics(self.model, self.frame, q))
        columns = [k for k in range(self.model.nv) if not all(is_exactly(x, 0.0) for x in J[:, k])]
        if not columns:
            raise ArgumentError(
                f"no joint of {self.model.name!r} moves the {self.task} of {self.frame!r}"
            )
        return columns

    @cached_property
    def limited(self) -> dict[int, int]:
        """Motions that are the rates of a coordinate: entries of v, with those of q."""
        pairs: dict[int, int] = {}
        for i, b in enumerate(self.model.bodies):
            if b.joint.has_rates and b.mimic is None:
                own = zip(_range(self.model.v_index[i]), _range(self.model.q_index[i]), strict=True)
                pairs |= {v: q for v, q in own if v in self.moving}
        return pairs

    @cached_property
    def coordinates(self) -> list[int]:
        """Entries of q that belong to these motions."""
        m, own = self.model, set(self.moving)
        parts = [m.q_index[i] for i in range(len(m.bodies)) if own & {*_range(m.v_index[i])}]
        return sorted({k for part in parts for k in _range(part)})

    def moved(self, q: Any, step: Any) -> Array:
        """Where a step of these motions leads, over any scalar."""
        whole: Any = np.full(self.model.nv, 0.0, dtype=object)
        whole[self.moving] = step
        return vector(self.model.integrate(q, whole))

    def left(self, q: Any, target: Any) -> Any:
        """The largest error: radians or metres."""
        X, _ = kinematics(self.model, self.frame, vector(q))
        return _largest([g.absolute(x) for x in self.task.error(X, whole_pose(target))])

    def step(self, q: Any, target: Any, length: Any, scale: Any, lower: Any, upper: Any) -> Any:
        """The next position, and what was left before: the largest of radians and metres."""
        q, scale = vector(q), vector(scale)
        X, J = kinematics(self.model, self.frame, q)
        left = self.task.error(X, whole_pose(target))
        unit = [1.0 if a else 1.0 / length for a in self.task.angular]
        e = vector([x * w for x, w in zip(left, unit, strict=True)])
        A = self.task.jacobian(X, J)[:, self.moving]
        A = np.array([row * w for row, w in zip(A, unit, strict=True)]) * scale
        A = A * self._may_move(q, e @ A, lower, upper)
        motion = self._solved(A, e) * scale
        longest = _largest([g.absolute(x / s) for x, s in zip(motion, scale, strict=True)])
        motion = motion * (LONGEST_STEP / g.maximum(longest, LONGEST_STEP))
        there = self._admitted(self.moved(q, motion), lower, upper)
        return {"q": there, "residual": _largest([g.absolute(x) for x in left])}

    def _solved(self, A: Array, e: Array) -> Array:
        """(A Aᵀ + λ) y = e, or AᵀA + λ where that is the smaller matrix: Aᵀ y."""
        rows, columns = A.shape
        by_rows = rows <= columns
        G = A @ A.T if by_rows else A.T @ A
        trace = sum(G[k, k] for k in range(len(G)))
        damping = (e @ e) * (0.5 * DAMPING) + trace * (LEAST / len(G)) + 1e-300
        G = G + np.eye(len(G)) * damping
        return A.T @ Factor(G).solve(e) if by_rows else Factor(G).solve(e @ A)

    def _may_move(self, q: Array, gradient: Array, lower: Any, upper: Any) -> Array:
        """1, and 0 for a joint at a limit that would go on outward."""
        may: Any = np.full(len(self.moving), 1.0, dtype=object)
        for k, v in enumerate(self.moving):
            if v in self.limited:
                x = q[self.limited[v]]
                low = g.less_equal(x, lower[self.limited[v]]) * g.less(gradient[k], 0.0)
                high = g.less_equal(upper[self.limited[v]], x) * g.less(0.0, gradient[k])
                may[k] = 1.0 - low - high
        return vector(may)

    def _admitted(self, q: Array, lower: Any, upper: Any) -> Array:
        """Joints back to their limits."""
        new = np.array(q, dtype=object)
        for k in self.limited.values():
            new[k] = g.minimum(g.maximum(q[k], lower[k]), upper[k])
        return new


def whole_pose(target: Any) -> Array:
    """(3, 4), as targets are handed on, to (4, 4)."""
    return np.concatenate([vector(target), vector([[0.0, 0.0, 0.0, 1.0]])])


def _range(part: slice) -> range:
    return range(part.start, part.stop)


def _largest(sizes: Any) -> Any:
    most: Any = 0.0
    for x in sizes:
        most = g.maximum(most, x)
    return most
