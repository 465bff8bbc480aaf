"""How far the next singular position is, in the joints: a proved bound below, a found one above.

The smallest singular value σ of J is the distance of J from the nearest matrix of lower rank
(Eckart and Young), and changes no faster than J does. So within σ / K of q, where K bounds the rate
of J for joint velocities of length one, no position is singular. From q on, Newton's steps along
the slope of σ lead to a singular position, which is one at most that far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from visviva.algebra.arrays import Array
from visviva.equations.bodies.links import Link
from visviva.equations.frames.parts import Angle, Axis, Orientation, Part, Position
from visviva.equations.frames.path import path
from visviva.errors import ConstrainedError
from visviva.solve.singular.chosen import LOOKS, Arm, moving_columns, placed, random_positions

DESCENTS = 60
LONGEST_DESCENT = 0.3  # of a step, in radians


@dataclass(frozen=True, eq=False)
class Distance:
    """Between `lower` and `upper`, in radians (slides over the length that counts as one).

    `lower` is proved: no singular position is nearer; 0 where J has no bound (slides without
    limits, joints that turn freely, coordinates of orientation). `upper` belongs to `nearest`, a
    singular position that was found; infinite if none was.
    """

    lower: float
    upper: float
    nearest: Array | None

    def __str__(self) -> str:
        return f"between {self.lower:.4g} and {self.upper:.4g}"


def distance(arm: Arm, q: Array, rows: Array, columns: Array, threshold: float) -> Distance:
    """From q to the nearest singular position."""
    if arm.model.held_by:
        raise ConstrainedError(
            f"distance: {arm.model.name!r} is held by constraints, along which distances in free "
            "joints mean nothing"
        )
    descent = _Descent(arm, rows, columns, threshold)
    rate = _rate(arm, rows, columns)
    s = descent.at(q)[1]
    lower = float(s[-1] / rate) if np.isfinite(rate) else 0.0
    ways = [descent.found(q, which) for which in (_least, _product)]
    gaps = [(descent.gap(q, x), x) for x in ways if x is not None]
    if not gaps:
        return Distance(lower, np.inf, None)
    upper, nearest = min(gaps, key=lambda pair: pair[0])
    return Distance(lower, upper, nearest)


def _least(s: Array) -> Array:
    """How the smallest singular value changes with all of them."""
    last: Array = np.eye(len(s))[-1]
    return last


def _product(s: Array) -> Array:
    """How the logarithm of their product does: it finds zeros of another one."""
    return np.asarray(1.0 / s)


class _Descent:
    """From a position to a singular one: Newton's steps along the slope of something."""

    def __init__(self, arm: Arm, rows: Array, columns: Array, threshold: float) -> None:
        self.arm, self.rows, self.columns, self.threshold = arm, rows, columns, threshold
        self.J = arm.model.task_jacobian(arm.frame, arm.task.text)
        self.slopes = self.J.jacobian("q")
        self.moving = list(arm.moving)

    def at(self, q: Array) -> tuple[Array, Array, Array]:
        """U, s, Vᵀ of the scaled J."""
        scaled = self.rows[:, None] * moving_columns(self.arm, self.J(q)) * self.columns
        U, s, Vt = np.linalg.svd(scaled, full_matrices=False)
        return U, s, Vt

    def gap(self, q: Array, x: Array) -> float:
        """Between two positions, in scaled joints."""
        apart = self.arm.model.difference(q, x)[self.moving] / self.columns
        return float(np.linalg.norm(apart))

    def found(self, q: Array, weights: Callable[[Array], Array]) -> Array | None:
        """A singular position, or None."""
        x = np.array(q)
        for _ in range(DESCENTS):
            U, s, Vt = self.at(x)
            if s[-1] <= self.threshold * s[0]:
                return x
            change = self.slopes(x)[:, self.moving][:, :, self.moving]
            change = self.rows[:, None, None] * change * self.columns[:, None] * self.columns
            w = weights(s)
            slope = np.einsum("ia,ijk,aj,a->k", U, change, Vt, w)
            steep = float(slope @ slope)
            if not steep > 1e-24:
                return None
            value = float(s[-1]) if w[0] == 0.0 else 1.0  # f / f' of f itself, or by its logarithm
            step = -value * slope / steep
            v = np.zeros(self.arm.model.nv)
            longest = LONGEST_DESCENT / max(float(np.linalg.norm(step)), LONGEST_DESCENT)
            v[self.moving] = step * self.columns * longest
            x = np.asarray(self.arm.model.integrate(x, v))
        return None


def _is_steady(arm: Arm, part: Part) -> bool:
    """Whether its rows are unit vectors, in axes of the world or of the frame."""
    if not isinstance(part, Angle):
        return isinstance(part, (Position, Orientation, Axis))
    poses = [placed(arm.model, arm.frame, q)[0] for q in random_positions(arm.model, LOOKS)]
    # φ of a motion in its plane
    return all(np.allclose(part.rows(X), part.rows(np.eye(4)), atol=1e-12) for X in poses)


def _slide(link: Link) -> bool | None:
    """Whether its joint slides along a fixed axis, or turns about one; None if neither."""
    joint = link.joint
    if link.coupled or joint.nv != 1 or not joint.constant_subspace:
        return None
    w, v = (np.linalg.norm(part) for part in np.split(joint.subspace(joint.neutral()), 2))
    return bool(w == 0) if w == 0 or v == 0 else None


def _rate(arm: Arm, rows: Array, columns: Array) -> float:
    """K: a bound of |dJ/dt| for joint velocities of length one, everywhere within the limits.

    With n joints |ω| ≤ √n. A hinge moves the tip by at most R, the length of the way, a slide by
    its scale. z × r changes by |ω| R and by the change of r, z by |ω|.
    """
    if not all(_is_steady(arm, part) for part in arm.task.parts):
        return np.inf
    way = path(arm.model.numeric, arm.frame)
    reach = sum(float(np.linalg.norm(p)) for p in way.offsets)
    low, high = np.asarray(arm.model.lower, float), np.asarray(arm.model.upper, float)
    for link in way.links:
        slide = _slide(link)
        if slide is None:
            return np.inf
        if slide:
            reach += float(max(abs(low[link.q][0]), abs(high[link.q][0])))
    turns = np.sqrt(len(arm.moving))
    fastest = max(reach, float(columns.max()))
    angular = float(rows[np.array(arm.task.angular)].max(initial=0.0))
    tilting = 2.0 if any(isinstance(p, Axis) for p in arm.task.parts) else 1.0
    one = np.hypot(angular * tilting * turns, turns * (reach + fastest))
    return float(one * turns)
