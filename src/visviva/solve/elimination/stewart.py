"""Forward kinematics of platforms on six legs: all 40 poses over the complex numbers.

The 40 poses are followed from those of a platform without symmetry (`platforms`), each one is
proved, and so are their differences. Poses and platforms form an irreducible variety that (pose,
platform) → (platform, lengths²) maps 40 to 1 (Ronga and Vust 1992, Lazard 1993); where 40 simple
points lie over some lengths, there is no further one, as platforms near by would have 41. So 40
proved poses are all. With the same argument 16 are all for legs that meet in pairs on the
platform or on the base (6-3, 3-6 and 3-3: Nanua, Waldron and Murthy, IEEE Trans. Rob. Autom. 6,
1990).

Lengths from a pose are the closed form Lᵢ = |p + R bᵢ - aᵢ|, with the rows [(R bᵢ × uᵢ)ᵀ, uᵢᵀ] of
the Jacobian: twists have their angular part first, here of the platform, in world axes, at its
origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, float_array
from visviva.errors import ArgumentError, ShapeError
from visviva.solve.elimination.legs import SixLegs
from visviva.solve.elimination.platforms.paths import Anchors, corrected, led_along
from visviva.solve.elimination.platforms.proof import is_apart, is_not_real, proved, straightened
from visviva.solve.elimination.platforms.quadrics import pose_of
from visviva.solve.elimination.platforms.start import start

GENERAL, IN_PAIRS = 40, 16  # poses of a platform over the complex numbers
_SHAPES = ((6, 3), (6, 3), (6,))  # of base, platform, lengths
_ROUNDS = 3  # platforms between start and end, if the straight way loses poses


@dataclass(frozen=True, eq=False, repr=False)
class PlatformPoses:
    """Every pose of a platform on legs of given lengths, and an account of the complex ones."""

    poses: FloatArray  # (count, 4, 4), real ones: the platform's frame in that of the base
    points: FloatArray  # (found, 8), all that are proved as (e, g), real ones first
    radius: FloatArray  # (found,), angles between these directions and the true ones, at most
    residual: float  # the largest error of a squared length, relative
    expected: int  # 40, or 16 where legs meet in pairs
    is_complete: bool  # that many are proved: no other pose exists

    @property
    def count(self) -> int:
        """Of the real poses."""
        return len(self.poses)

    @property
    def found(self) -> int:
        """Of all poses that are proved, complex ones included."""
        return len(self.points)

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        said = f"{self.count} real poses, {self.found - self.count} complex ones, all proved"
        if self.is_complete:
            return f"{said}: {self.expected}, no other pose exists"
        left = self.expected - self.found
        why = "multiple, at infinity or not proved"
        return f"{said}; {left} of {self.expected} are {why}: not complete"


def platform_poses(base: Any, platform: Any, lengths: Any) -> PlatformPoses:
    """All poses in which points `platform` (6, 3) are `lengths` (6,) away from `base` (6, 3)."""
    a, b = (_points(name, x) for name, x in (("base", base), ("platform", platform)))
    L = np.asarray(lengths, dtype=float)
    if L.shape != (6,):
        raise ShapeError(f"lengths: expected shape (6,), got {np.shape(lengths)}")
    if not (np.isfinite(L) & (L > 0.0)).all():
        raise ArgumentError(f"lengths of legs are positive; got {L.tolist()}")
    # in units of the platform, about the middle of its points: quadrics of like coefficients
    middles = a.mean(axis=0), b.mean(axis=0)
    size = float(
        np.sqrt(((b - middles[1]) ** 2).sum(1).mean() + ((a - middles[0]) ** 2).sum(1).mean())
    )
    size = size or 1.0
    anchors = Anchors((a - middles[0]) / size, (b - middles[1]) / size, (L / size) ** 2)
    expected = IN_PAIRS if _meets_in_pairs(a) or _meets_in_pairs(b) else GENERAL
    x, radius, residual = _all(anchors, expected)
    real: Array = (x.imag == 0.0).all(axis=1)
    R, p = pose_of(x[real].real)
    at = middles[0] + size * p - (R @ middles[1])
    poses = np.tile(np.eye(4), (len(R), 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = R, at
    order = np.lexsort(np.round(at, 9).T)
    both = np.concatenate([np.flatnonzero(real)[order], np.flatnonzero(~real)])
    return PlatformPoses(
        poses[order], x[both], radius[both], residual, expected, len(x) == expected
    )


def assembly_modes(model: Any, legs: Any) -> PlatformPoses:
    """Every pose of the platform of a model with its sliding joints at positions `legs` (6,)."""
    six = SixLegs.of(model)
    return platform_poses(six.base, six.platform, six.lengths(legs))


def _points(name: str, x: Any) -> Array:
    points = np.asarray(x, dtype=float)
    if points.shape != (6, 3) or not np.isfinite(points).all():
        raise ShapeError(
            f"{name}: expected six points, shape (6, 3), of finite numbers; got {np.shape(x)}"
        )
    return points


def _meets_in_pairs(points: Array) -> bool:
    """Whether six points are three, each of two legs."""
    same = (points[:, None] == points[None]).all(axis=2)
    return bool((same.sum(axis=1) == 2).all())


def _all(anchors: Anchors, expected: int) -> tuple[Array, Array, float]:
    """Points that are proved and different, their radii, and the largest residual."""
    first, points = start()
    x, there = led_along(first, points, anchors)
    known = _sifted(anchors, x[there])
    rng = np.random.default_rng(6)
    for _ in range(_ROUNDS):
        before = len(known[0])
        if before >= expected:
            break
        # another way, through a platform that is complex, too
        between = Anchors(*(rng.normal(size=s) + 1j * rng.normal(size=s) for s in _SHAPES))
        y, there = led_along(first, points, between)
        y, there = led_along(between, y[there], anchors)
        known = _sifted(anchors, np.concatenate([known[0], y[there]]))
        if len(known[0]) == before:
            break
    return known


def _sifted(anchors: Anchors, x: Array) -> tuple[Array, Array, float]:
    x = corrected(anchors, x, steps=3)
    x = x[np.isfinite(x).all(axis=1)]
    x, is_real = straightened(x)
    # conjugates of poses are poses: what one path lost, another one may have found
    x = np.concatenate([x, np.conj(x[~is_real])])
    is_real = np.concatenate([is_real, np.zeros(len(x) - len(is_real), dtype=bool)])
    radius, residual = proved(anchors, x)
    sure = is_apart(x, radius) & (is_real | is_not_real(x, radius))
    x, radius = np.where(is_real[:, None], x.real, x)[sure], radius[sure]
    return x, radius, float(residual[sure].max(initial=0.0))


def leg_lengths(base: Any, platform: Any, poses: Any) -> Array:
    """Lᵢ = |p + R bᵢ - aᵢ|, (…, 6), of poses (…, 4, 4)."""
    return np.asarray(np.linalg.norm(_legs(base, platform, poses)[1], axis=-1))


def leg_jacobian(base: Any, platform: Any, poses: Any) -> Array:
    """∂L: rows [(R bᵢ × uᵢ)ᵀ, uᵢᵀ] (…, 6, 6), for twists (ω, velocity of the platform's origin)."""
    arms, legs = _legs(base, platform, poses)
    lengths = np.linalg.norm(legs, axis=-1, keepdims=True)
    if not lengths.all():
        *pose, leg = np.argwhere(lengths[..., 0] == 0)[0].tolist()
        pose_text = f" at pose {pose[0] if len(pose) == 1 else pose}" if pose else ""
        raise ArgumentError(
            f"leg {leg + 1} has length zero{pose_text}, where lengths have no derivatives: "
            "base and platform join there"
        )
    u = legs / lengths
    return np.concatenate([np.cross(arms, u), u], axis=-1)


def _legs(base: Any, platform: Any, poses: Any) -> tuple[Array, Array]:
    """R bᵢ and p + R bᵢ - aᵢ."""
    a, b = (_points(name, x) for name, x in (("base", base), ("platform", platform)))
    try:
        X = float_array(poses)
    except (TypeError, ValueError):
        raise ArgumentError(f"poses are made of real numbers, got {poses!r:.200}") from None
    if X.shape[-2:] != (4, 4):
        raise ShapeError(f"poses: expected a pose or shape (..., 4, 4), got {X.shape}")
    if not np.isfinite(X).all():
        raise ArgumentError("poses are made of finite numbers, and some are not")
    arms = b @ np.swapaxes(X[..., :3, :3], -1, -2)
    return arms, X[..., None, :3, 3] + arms - a
