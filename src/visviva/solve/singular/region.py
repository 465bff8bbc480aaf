"""Areas and volumes of what a frame sweeps, and at which points how many orientations are taken.

One joint sweeps a curve, two a surface: length and area are integrals over the joints, given where
it is known that every place is counted once. Orientations are random ones, tried by inverse
kinematics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError, ShapeError
from visviva.solve.singular.chosen import Arm, placed
from visviva.space.rotations import about_axis, quaternion_matrix

RANKED = 64  # positions at which a rank is looked at
THIN = 1e-9  # of a size: as good as zero
STRIPS = 2000  # of an integral
Interval = tuple[float, float]


def seen_from_axis(points: Array, centre: Array, axis: Array) -> Array:
    """(N, 2): distance from an axis, and height along it."""
    apart = points - centre
    height = apart @ axis
    return np.stack([np.linalg.norm(apart - np.outer(height, axis), axis=1), height], axis=1)


def rank_and_joints(
    arm: Arm, text: str, q: Array, low: Array, high: Array
) -> tuple[int, tuple[int, ...]]:
    """Of how many dimensions is what the frame sweeps, and which joints move its point.

    The rank of the Jacobian is the same at almost all positions, and nowhere larger. What rounding
    leaves of a joint whose axis meets the point is measured by how far away the point is.
    """
    J = np.asarray(arm.model.task_jacobian(arm.frame, text)(q[:RANKED]))
    far = float(np.abs(arm.model.pose(arm.frame)(q[:RANKED])[:, :3, 3]).max())
    turns = float(np.abs(placed(arm.model, arm.frame, q[0])[1][:3]).max())
    if arm.model.nq == arm.model.nv:
        J = J * (high > low)  # a joint without any play drives nothing
    sizes = np.linalg.svd(J, compute_uv=False)
    columns = np.abs(J).max(axis=(0, 1))
    least = THIN * max(float(sizes.max()), turns * far, 1e-300)
    joints = [k for k, x in enumerate(columns.tolist()) if x > least]
    rank = (sizes > least).sum(axis=-1).max()
    return int(rank), tuple(joints)


def swept(arm: Arm, joints: Sequence[int], low: Array, high: Array) -> float | None:
    """The length of the curve that one joint sweeps, or the area of the surface of two.

    None where it is not known how often a place is counted.
    """
    model = arm.model.numeric
    if model.nq != model.nv or len(joints) > 2:
        return None
    *before, last = joints

    def tip(x: Array, first: Any = 0.0) -> Array:
        q = np.tile(low, (len(x), 1))
        q[:, before], q[:, last] = np.reshape(first, (-1, 1)), x
        return np.asarray(arm.model.pose(arm.frame)(q)[:, :3, 3])

    path = _path(tip)
    if path is None:
        return None
    span = (float(low[last]), float(high[last]))
    span = (span[0], min(span[1], span[0] + path.period))
    if not before:
        return _integral(lambda x: np.linalg.norm(path.velocity(x), axis=1), [span])
    (k,) = before
    q = np.array(low, float)
    q[k] = 0.0
    X, J = placed(model, arm.frame, q)
    base = _Base(J[:3, k], J[3:, k], X[:3, 3])
    if not base.moves(tip):
        return None
    wide = min(float(high[k] - low[k]), base.period)
    parts = base.parts(path, span, wide >= 2 * np.pi - THIN)
    if parts is None:
        return None
    across = _integral(lambda x: np.linalg.norm(base.crossed(path, x), axis=1), parts)
    return wide * across


@dataclass(frozen=True, eq=False)
class _Path:
    """centre + along x + a cos x + b sin x: a line or a circle."""

    centre: Array
    along: Array
    a: Array
    b: Array

    @property
    def period(self) -> float:
        return np.inf if self.along.any() else 2 * np.pi

    @property
    def size(self) -> float:
        return float(np.linalg.norm([self.along, self.a, self.b]))

    def point(self, x: Array) -> Array:
        waves = np.outer(np.cos(x), self.a) + np.outer(np.sin(x), self.b)
        return np.asarray(self.centre + np.outer(x, self.along) + waves)

    def velocity(self, x: Array) -> Array:
        waves = np.outer(np.cos(x), self.b) - np.outer(np.sin(x), self.a)
        return np.asarray(self.along + waves)


def _path(tip: Callable[[Array], Array]) -> _Path | None:
    """The tip's path in one joint, if it is a line or a circle; else None."""
    x = np.linspace(-2.0, 2.5, 11)
    points = tip(x)
    shape = np.stack([np.ones_like(x), x, np.cos(x), np.sin(x)], axis=1)
    centre, along, a, b = np.linalg.lstsq(shape, points, rcond=None)[0]
    size = max(float(np.linalg.norm(v)) for v in (along, a, b))
    if max(np.linalg.norm(a), np.linalg.norm(b)) <= THIN * size:
        a, b = np.zeros(3), np.zeros(3)
    elif np.linalg.norm(along) <= THIN * size:
        along = np.zeros(3)
        round_ = abs(a @ b) <= THIN * size**2 and abs(a @ a - b @ b) <= THIN * size**2
        if not round_:
            return None
    else:
        return None
    path = _Path(centre, along, a, b)
    return path if np.abs(path.point(x) - points).max() <= THIN * size else None


class _Base:
    """The first joint of two: it turns all that follows about an axis, or slides it along."""

    def __init__(self, w: Array, v: Array, p: Array) -> None:
        self.turns = bool(np.linalg.norm(w) > THIN)
        self.axis = w if self.turns else v
        self.foot = p + np.cross(w, v) / (w @ w) if self.turns else p
        self.period = 2 * np.pi if self.turns else np.inf

    def moves(self, tip: Callable[[Array, Any], Array]) -> bool:
        """Whether it does just that; joints in gear do not."""
        x, y = np.linspace(-1.0, 2.0, 5), np.array([-1.3, -0.4, 0.3, 1.1, 2.9])
        here, there = tip(x, 0.0), tip(x, y)
        if self.turns:
            turns = [about_axis(self.axis, angle) for angle in y.tolist()]
            moved = self.foot + np.einsum("nij,nj->ni", np.array(turns), here - self.foot)
        else:
            moved = here + np.outer(y, self.axis)
        unit = not self.turns or abs(self.axis @ self.axis - 1.0) <= THIN
        return bool(unit and np.abs(moved - there).max() <= THIN * np.abs(here - self.foot).max())

    def crossed(self, path: _Path, x: Array) -> Array:
        """J1 × J2, which does not depend on the first joint."""
        v = np.cross(self.axis, path.point(x) - self.foot) if self.turns else self.axis
        return np.asarray(np.cross(v, path.velocity(x)))

    def parts(self, path: _Path, span: Interval, is_whole: bool) -> list[Interval] | None:
        """Of the last joint, so that every place is passed once; None where that is not known."""
        if not self.turns:  # a place tells how far it was slid, if the path lies across
            plane = np.cross(path.a, path.b)
            across = plane @ self.axis if plane.any() else np.cross(path.along, self.axis)
            return [span] if np.abs(across).max() > THIN * path.size else None
        if path.along.any():  # the height tells where on the line it is
            return [span] if abs(path.along @ self.axis) > THIN * path.size else None
        rise = np.array([path.a @ self.axis, path.b @ self.axis])
        if np.linalg.norm(rise) <= THIN * path.size:
            return None
        top = float(np.arctan2(rise[1], rise[0]))  # each height twice, before and behind the top
        u = np.linspace(0.2, 3.0, 9)
        radii = [np.linalg.norm(path.point(top + s * u) - self.foot, axis=1) for s in (1, -1)]
        uneven = float(np.abs(radii[0] - radii[1]).max())
        if uneven > 1e-6 * path.size:
            return [span]
        if uneven > THIN * path.size:
            return None
        folded = _folded(span[0] - top, span[1] - top)
        once = _joined(folded)
        overlap = sum(b - a for a, b in folded) - sum(b - a for a, b in once)
        if overlap > THIN and not is_whole:
            return None
        return [(a + top, b + top) for a, b in once]


def _folded(low: float, high: float) -> list[Interval]:
    """Angles from low to high as those from 0 to π with the same cosines."""
    turns = np.arange(np.floor(low / np.pi) + 1, np.ceil(high / np.pi)) * np.pi
    ends = [(np.arccos(np.cos(a)), np.arccos(np.cos(b))) for a, b in pairwise([low, *turns, high])]
    return [(float(min(x)), float(max(x))) for x in ends]


def _joined(parts: Sequence[Interval]) -> list[Interval]:
    """Intervals that overlap as one."""
    joined: list[Interval] = []
    for a, b in sorted(parts):
        if joined and a <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(b, joined[-1][1]))
        else:
            joined.append((a, b))
    return joined


def _integral(f: Callable[[Array], Array], parts: Sequence[Interval]) -> float:
    x, weights = np.polynomial.legendre.leggauss(4)
    total = 0.0
    for a, b in parts:
        step = (b - a) / STRIPS
        at = a + step * (np.arange(STRIPS)[:, None] + (x + 1) / 2)
        total += float(np.sum(f(at.ravel()).reshape(at.shape) * weights) * step / 2)
    return total


def shares(
    arm: Arm, plane: tuple[int, int] | None, points: Any, orientations: int, seed: int
) -> Array:
    """Of random orientations, those that are taken at points (N, 3)."""
    p = np.asarray(points, float)
    if p.ndim != 2 or p.shape[1] != 3 or not np.isfinite(p).all():
        raise ShapeError(f"dexterity: points are (N, 3) finite numbers, got the shape {p.shape}")
    if not isinstance(orientations, int) or orientations < 1:
        raise ArgumentError(f"dexterity: orientations is a whole number, got {orientations!r}")
    rng = np.random.default_rng(seed)
    model, unit = arm.model, np.eye(3)
    if plane is None:
        x = rng.normal(size=(orientations, 4))
        turns = [quaternion_matrix(y / np.linalg.norm(y)) for y in x]
    else:  # about the normal, from where the frame is now
        normal = np.cross(unit[plane[0]], unit[plane[1]])
        here = model.pose(arm.frame)(model.neutral())[:3, :3]
        turns = [about_axis(normal, a) @ here for a in rng.uniform(-np.pi, np.pi, orientations)]
    X = np.zeros((len(p), orientations, 4, 4))
    X[..., :3, :3], X[..., :3, 3], X[..., 3, 3] = np.array(turns), p[:, None], 1.0
    q = model.inverse_kinematics_function(arm.frame)(X)
    return np.asarray((_fits(arm, q, X)).any(axis=-1).mean(axis=-1))


def _fits(arm: Arm, q: Array, X: Array) -> Array:
    """Which positions are numbers, at the pose, and within the limits in whole turns."""
    model = arm.model
    low, high = np.asarray(model.lower, float), np.asarray(model.upper, float)
    turns = np.array([unit == "rad" for unit in model.coordinate_units])
    finite = np.asarray(np.isfinite(q).all(axis=-1))
    q = np.where(finite[..., None], q, 0.0)
    base = np.where(np.isfinite(low), low, q)
    q = np.where(turns, q + 2 * np.pi * np.ceil((base - 1e-12 - q) / (2 * np.pi)), q)
    within = ((q >= low - 1e-12) & (q <= high + 1e-12)).all(axis=-1)
    there = np.abs(model.pose(arm.frame)(q) - X[..., None, :, :]).max(axis=(-1, -2)) < 1e-9
    return np.asarray(finite & within & there)


def first_axis(arm: Arm, axes: Sequence[int]) -> complex:
    """Where the first hinge of an arm in a plane is, or else the origin."""
    X, J = placed(arm.model, arm.frame, np.zeros(arm.model.nq))
    for k in arm.moving:
        w, v = J[:3, k], J[3:, k]
        if w @ w > 0.5:
            foot = X[:3, 3] + np.cross(w, v) / (w @ w)
            return complex(foot[list(axes)] @ np.array([1.0, 1j]))
    return 0j


def nearest_on_axis(foot: Array, axis: Array, second: Any) -> Array:
    """The point of the first axis nearest to the second one, or to the origin."""
    if second is None or np.linalg.norm(np.cross(axis, second.axis)) < 1e-9:
        return np.asarray(foot - (foot @ axis) * axis)
    n = np.cross(axis, second.axis)
    t = np.linalg.det([second.foot - foot, second.axis, n]) / float(n @ n)
    return np.asarray(foot + t * axis)
