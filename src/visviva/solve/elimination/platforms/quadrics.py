"""Seven quadrics whose common points are the poses of a platform on legs of given lengths.

A pose is a point (e, g) of Study's quadric e·g = 0 in projective space of seven dimensions: e the
quaternion of the rotation, g = ½ p e of the position p, both up to a common factor. With N = e·e
and b̂ the platform's point as a quaternion, |p + R b - a|² = L² times N is

    4 g·g + 4 Sc(ĝ ê* â) - 4 Sc(ĝ b̂ ê*) - 2 N aᵀ R b + N (a·a + b·b - L²) = 0

quadratic in (e, g) (Wampler, *Forward displacement analysis of general six-in-parallel SPS
(Stewart) platform manipulators using soma coordinates*, Mech. Mach. Theory 31, 1996; Husty, *An
algorithm for solving the direct kinematics of general Stewart–Gough platforms*, the same volume).
Besides 40 poses they contain points with e·e = 0, which are none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array

# quaternions are (w, x, y, z) here
_PRODUCT: Array = np.zeros((4, 4, 4))  # (p q)_k = Σ P[k, i, j] p_i q_j
for _i, _j, _k, _sign in (
    *((0, i, i, 1.0) for i in range(4)),
    *((i, 0, i, 1.0) for i in range(1, 4)),
    *((i, i, 0, -1.0) for i in range(1, 4)),
    *((1, 2, 3, 1.0), (2, 3, 1, 1.0), (3, 1, 2, 1.0)),
    *((2, 1, 3, -1.0), (3, 2, 1, -1.0), (1, 3, 2, -1.0)),
):
    _PRODUCT[_k, _i, _j] = _sign
_CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])

_SANDWICH = np.einsum("aij,kal,l->kijl", _PRODUCT, _PRODUCT, _CONJUGATE)  # (p q r*)_k
_SCALAR = _SANDWICH[0]  # Sc(p q r*)


def leg_quadrics(base: Any, platform: Any, squares: Any) -> Array:
    """Symmetric matrices (…, 6, 8, 8) of legs from `base` to `platform` (…, 6, 3), lengths²."""
    a, b = np.asarray(base), np.asarray(platform)
    kind = np.result_type(a, b, squares)
    shape = np.broadcast_shapes(a.shape[:-1], b.shape[:-1], np.shape(squares))
    Q = np.zeros((*shape, 8, 8), dtype=kind)
    constant = (a * a).sum(-1) + (b * b).sum(-1) - squares
    turned = np.einsum("kijl,...k,...j->...il", _SANDWICH[1:, :, 1:, :], a, b)
    Q[..., :4, :4] = constant[..., None, None] * np.eye(4) - (turned + np.swapaxes(turned, -1, -2))
    Q[..., 4:, 4:] = 4.0 * np.eye(4)
    # 2 p·(R b) N = -4 Sc(g b e*), and -2 p·a N = 4 Sc(g e* a) = 4 Sc(a g e*)
    before = np.einsum("ijk,...j->...ik", _SCALAR[:, 1:, :], b)
    after = np.einsum("jik,...j->...ik", _SCALAR[1:, :, :], a)
    cross = -4.0 * before + 4.0 * after
    Q[..., 4:, :4] = 0.5 * cross
    Q[..., :4, 4:] = 0.5 * np.swapaxes(cross, -1, -2)
    return Q


def study_quadric() -> Array:
    """e·g as a symmetric matrix (8, 8)."""
    Q: Array = np.zeros((8, 8))
    Q[:4, 4:] = Q[4:, :4] = 0.5 * np.eye(4)
    return Q


def seven_quadrics(base: Any, platform: Any, squares: Any) -> Array:
    """Those of the legs and Study's: (…, 7, 8, 8)."""
    legs = leg_quadrics(base, platform, squares)
    last = np.broadcast_to(study_quadric(), (*legs.shape[:-3], 1, 8, 8))
    return np.concatenate([legs, last], axis=-3)


def pose_of(x: Any) -> tuple[Array, Array]:
    """R (…, 3, 3) and p (…, 3) of points (…, 8), complex ones too."""
    e, g = x[..., :4], x[..., 4:]
    N = (e * e).sum(-1)
    R = np.einsum("kijl,...i,...l->...kj", _SANDWICH[1:, :, 1:, :], e, e)
    p = 2.0 * np.einsum("kil,l,...i,...l->...k", _PRODUCT[1:], _CONJUGATE, g, e)
    return R / N[..., None, None], p / N[..., None]
