"""That there is a true solution within a proved distance of a computed one.

The conditions of a task are stated without angles: polynomials in the entries of the pose that
vanish, near the target, only there. Intervals around everything within a small step enclose their
derivatives; Krawczyk's operator then maps a box of steps into itself, so that one of them solves
the conditions exactly, and only one where there are as many joints as conditions. With more joints
the steps are those across the self-motion. A target that is a rotation up to rounding alone stands
for the rotation nearest to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.describe.model.model import Model
from visviva.equations.frames.kinematics import kinematics
from visviva.equations.frames.parts import Angle, Axis, Part, Position
from visviva.errors import ShapeError
from visviva.machine.function import Function, function
from visviva.numerics.intervals import Enclosure, enclose
from visviva.numerics.zeros import prove_zeros
from visviva.solve.numeric.newton import newton_of, targets_of
from visviva.solve.numeric.step import Reach, whole_pose
from visviva.space.rotations import unskew

STEP_RADII = (1e-10, 1e-8, 1e-12, 1e-6)  # of steps that are tried: radians, metres
UNMOVED = 1e-10  # of the slope of a condition that no joint changes, and of what is left of it
LOOKED_AT = 0.1  # radians and metres: farther away nothing is looked for


@dataclass(frozen=True, eq=False)
class Certificates:
    """What is proved of positions, one by one."""

    radius: Array  # (N,): a solution is within it, in every joint; inf where nothing is proved
    unmoved: Array  # (N,): how well conditions hold that no joint changes; they are not proved
    is_unique: np.ndarray  # (N,): whether there is no other within the radius

    @property
    def certain(self) -> np.ndarray:
        """Which are proved."""
        return np.asarray(np.isfinite(self.radius))

    def __repr__(self) -> str:
        n = int(self.certain.sum())
        within = f", within {self.radius[self.certain].max():.0e}" if n else ""
        return f"Certificates({n} of {len(self.radius)} proved{within})"


def certify(model: Model, frame: str, q: Any, poses: Any, task: str = "pose") -> Certificates:
    """Whether there are solutions near positions (N, nq), one for each of the poses (N, 4, 4)."""
    newton, targets = newton_of(model, frame, task), targets_of(poses)
    reach = newton.reach
    at = np.asarray(q, dtype=float)
    if at.shape != (len(targets), model.nq):
        raise ShapeError(
            f"certify takes a position for every pose, ({len(targets)}, {model.nq}); got shape "
            f"{at.shape}"
        )
    phi, slope = conditions_near(reach)
    known = np.concatenate([at.T, targets.reshape(len(at), 12).T])
    still = np.zeros((len(at), len(reach.moving)))
    phi0, middle = enclose(phi, known, still, still), enclose(slope, known, still, still).middle
    far = ~(newton.left(at, targets) < LOOKED_AT)  # conditions hold half a turn away too
    phi0 = Enclosure(phi0.lo, np.where(far[:, None], np.inf, phi0.hi), phi0.deco)
    size = np.maximum(abs(phi0.lo), abs(phi0.hi))
    idle = (np.abs(middle).max(axis=2) < UNMOVED) & (size < UNMOVED)
    radius = np.full(len(at), np.inf)
    for pattern in np.unique(idle, axis=0):
        rows = np.flatnonzero((idle == pattern).all(axis=1))
        chosen = np.flatnonzero(~pattern)
        if len(chosen) > len(reach.moving):
            continue
        for attempt in STEP_RADII:
            rows = rows[np.isinf(radius[rows])]
            if len(rows):
                near = np.full((len(rows), len(reach.moving)), attempt)
                range_of, rate = (enclose(f, known[:, rows], -near, near) for f in (phi, slope))
                parts = (_part(x, chosen) for x in (_part(phi0, rows, 0), range_of, rate))
                value, range_of, rate = parts
                certain = prove_zeros(value, range_of, rate, near[:, 0])
                radius[rows[certain]] = attempt
    unique = np.isfinite(radius) & ((~idle).sum(axis=1) == len(reach.moving))
    return Certificates(radius, np.where(idle, size, 0.0).max(axis=1, initial=0.0), unique)


def conditions_near(reach: Reach) -> tuple[Function, Function]:
    """The conditions as a function of a position, a target and a step, and their slopes by it."""

    def near(q: Any, target: Any, step: Any) -> Any:
        X, _ = kinematics(reach.model, reach.frame, reach.moved(q, step))
        parts = [_condition(part, X, whole_pose(target)) for part in reach.task.parts]
        return np.concatenate([vector(x) for x in parts])

    kept: dict[str, tuple[Function, Function]] = reach.__dict__.setdefault("_conditions", {})
    if "near" not in kept:
        sizes: dict[str, Any] = {"q": reach.model.nq, "target": (3, 4), "step": len(reach.moving)}
        phi = function(near, sizes, name="conditions")
        kept["near"] = phi, phi.jacobian("step")
    return kept["near"]


def _condition(part: Part, X: Array, target: Array) -> Any:
    """Polynomials that are zero where a part of the pose is that of the target, or opposite."""
    R, wanted = X[:3, :3], target[:3, :3]
    if isinstance(part, Position):
        return part.error(X, target)
    if isinstance(part, Axis):
        return [R[:, k] @ wanted[:, part.which] for k in range(3) if k != part.which]
    if isinstance(part, Angle):
        i, j = part.first, part.second
        return [R[i, 0] * wanted[j, 0] - R[j, 0] * wanted[i, 0]]
    turn = wanted @ R.T  # symmetric only if it turns by nothing, or by half a turn
    return unskew(turn - turn.T) * 0.5


def _part(x: Enclosure, indices: Array, axis: int = 1) -> Enclosure:
    """Some of the points, or some of the conditions."""
    return Enclosure(*(np.take(part, indices, axis=axis) for part in (x.lo, x.hi, x.deco)))
