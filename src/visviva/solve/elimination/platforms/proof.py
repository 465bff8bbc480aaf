"""Which points are poses for certain, which of them are real, and which are different.

Across a unit vector x₀ the seven quadrics are F(x₀ + η), η in the hyperplane x₀*·η = 0: eight
equations with constant second derivatives. With C ≈ F'(x₀)⁻¹ the map T(η) = η - C F(x₀ + η) has
|T'| ≤ |1 - C F'| + L |η|, L = |C F''|; where that is at most 1/2 for |η| ≤ r = 2 |C F(x₀)|, there
is one root in the ball, and it is simple. All norms are largest entries; what rounding may add is
bounded by the same sums over absolute values.

A real x₀ has a real hyperplane and a ball that conjugation maps to itself: its root is real.
Directions with an angle between them that is larger than that of their balls are different, and
so is a point from its conjugate.
"""

from __future__ import annotations

import numpy as np

from visviva.algebra.arrays import Array
from visviva.solve.elimination.platforms.paths import Anchors
from visviva.solve.elimination.platforms.quadrics import seven_quadrics

_UNIT = 0.5 * float(np.finfo(float).eps)
_ROUNDINGS = 30  # of one entry of a quadric, and of a sum of 64 products of it, in pairs
_NEARLY_REAL = 1e-7


def straightened(x: Array) -> tuple[Array, Array]:
    """Points (M, 8) of length one, those that are real but for a factor as real numbers."""
    square = (x * x).sum(1)  # of size one only for real directions
    turned = x * np.exp(-0.5j * np.angle(square))[:, None]
    is_real = np.abs(turned.imag).max(axis=1, initial=0.0) < _NEARLY_REAL
    turned = np.where(is_real[:, None], turned.real, turned)
    return turned / np.linalg.norm(turned, axis=1, keepdims=True), is_real


def proved(anchors: Anchors, x: Array) -> tuple[Array, Array]:
    """Angles (M,) within which the direction x has a root that is a pose, ∞ if not certain.

    And the residual: the largest error of a squared length, in relation to those in sight.
    """
    Q = anchors.quadrics()
    most = _magnitudes(anchors)
    n = len(x)
    size = np.abs(x)
    Qx = np.einsum("kij,mj->mki", Q, x)
    F = np.einsum("mki,mi->mk", Qx, x)
    doubt = _ROUNDINGS * _UNIT * np.einsum("kij,mi,mj->mk", most, size, size)
    slopes = _ROUNDINGS * _UNIT * 2.0 * np.einsum("kij,mj->mki", most, size)
    J = np.concatenate([2.0 * Qx, np.conj(x)[:, None, :]], axis=1)
    radius: Array = np.full(n, np.inf)
    sound = np.linalg.cond(J) < 1e14
    J, F, doubt = J[sound], F[sound], doubt[sound]
    C = np.linalg.inv(J)
    across, length = np.abs(C[:, :, :7]), np.abs(C).sum(2).max(1)
    lead = np.abs(np.einsum("mik,mk->mi", C[:, :, :7], F)) + np.einsum("mik,mk->mi", across, doubt)
    lead = lead.max(1)
    defect = np.abs(C @ J - np.eye(8)).sum(2).max(1) + 64 * _UNIT * length * np.abs(J).sum(2).max(1)
    defect += np.einsum("mik,mkj->mij", across, slopes[sound]).sum(2).max(1)
    second = 2.0 * np.abs(np.einsum("mik,kjl->mijl", C[:, :, :7], Q)).sum(axis=(2, 3)).max(1)
    r = 2.0 * lead
    # η in the ball is at most √8 r long, the tangent of the angle; a pose has e·e ≠ 0
    e, angle = x[sound, :4], np.sqrt(8.0) * r
    is_pose = np.abs((e * e).sum(1)) > 4.0 * angle
    radius[sound] = np.where((defect + 1.01 * second * r < 0.45) & is_pose, angle, np.inf)
    scale = np.einsum("kij,mi,mj->mk", most, size, size)
    residual = np.abs(np.einsum("mki,mi->mk", Qx, x)) / scale
    return radius, residual.max(1, initial=0.0)


def _magnitudes(anchors: Anchors) -> Array:
    """What the entries of the quadrics are sums of, with all signs the same."""
    base, platform, squares = (np.abs(getattr(anchors, k)) for k in ("base", "platform", "squares"))
    most = np.abs(seven_quadrics(base, platform, -squares))
    far = np.einsum("ki,kj->k", base, platform)
    most[:6, :4, :4] += (2.0 * far + squares)[:, None, None]
    return most


def is_apart(x: Array, radius: Array) -> Array:
    """Which of the points, in this order, are different from all before, for certain."""
    overlap = np.abs(np.conj(x) @ x.T)
    with np.errstate(invalid="ignore"):
        angle = np.arcsin(np.sqrt(np.clip(1.0 - overlap**2, 0.0, 1.0)))
    limit = radius[:, None] + radius[None, :] + 1e-7  # of angles by cosines: half the digits
    near = ~(angle > limit)
    kept = np.zeros(len(x), dtype=bool)
    for k in np.argsort(radius, kind="stable"):
        kept[k] = np.isfinite(radius[k]) and not (near[k] & kept).any()
    return kept


def is_not_real(x: Array, radius: Array) -> Array:
    """Whether a point and its conjugate are different for certain."""
    overlap = np.abs((x * x).sum(1))
    angle = np.arcsin(np.sqrt(np.clip(1.0 - overlap**2, 0.0, 1.0)))
    return np.asarray(angle > 2.0 * radius + 1e-7)
