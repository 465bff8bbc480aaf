"""Fourteen functions of a point on a directed line that rigid motions act on linearly.

Of a point P and a direction L through it, Raghavan and Roth (*Inverse kinematics of the general
6R manipulator and related linkages*, J. Mech. Des. 115, 1993, equations 7–14) take

    P, P·P, L, P × L, P·L, (P·P) L - 2 (P·L) P

A motion P → R P + t, L → R L maps the first two, with 1, and the others each linearly: these are
the coordinates of the point and of the tangent element in conformal geometry, on which motions
act as rotations of a space of five dimensions. A turn by θ about an axis is then of degree one in
cos θ and sin θ, wherever the axis is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array

_SIZE = 15  # 1, P, P·P, L, P × L, P·L, (P·P) L - 2 (P·L) P
_ONE, _POINT, _SQUARE, _LINE = 0, slice(1, 4), 4, slice(5, 8)
_MOMENT, _ALONG, _INVERTED = slice(8, 11), 11, slice(12, 15)


def tangent(P: Any, L: Any) -> Array:
    """The functions, 1 first, of points and directions (…, 3): (…, 15)."""
    P, L = np.broadcast_arrays(P, L)
    square, along = ((x * y).sum(-1, keepdims=True) for x, y in ((P, P), (P, L)))
    inverted = square * L - 2.0 * along * P
    one = np.ones_like(square)
    return np.concatenate([one, P, square, L, np.cross(P, L), along, inverted], axis=-1)


def motion(R: Any, t: Any) -> Array:
    """The matrix (…, 15, 15) by which P → R P + t, L → R L acts on `tangent`."""
    A: Array = np.zeros((*R.shape[:-2], _SIZE, _SIZE), dtype=np.result_type(R, t))
    T, column, square = skews(t), t[..., :, None], (t * t).sum(-1)
    turned = (column * R).sum(-2)  # tᵀ R
    A[..., _ONE, _ONE] = 1.0
    A[..., _POINT, _ONE], A[..., _POINT, _POINT] = t, R
    A[..., _SQUARE, _ONE], A[..., _SQUARE, _POINT], A[..., _SQUARE, _SQUARE] = (
        square,
        2 * turned,
        1.0,
    )
    A[..., _LINE, _LINE] = A[..., _MOMENT, _MOMENT] = A[..., _INVERTED, _INVERTED] = R
    A[..., _MOMENT, _LINE] = T @ R
    A[..., _ALONG, _LINE], A[..., _ALONG, _ALONG] = turned, 1.0
    A[..., _INVERTED, _LINE] = square[..., None, None] * R - 2.0 * column * turned[..., None, :]
    A[..., _INVERTED, _MOMENT] = -2.0 * T @ R
    A[..., _INVERTED, _ALONG] = -2.0 * t
    return A


def turning(axis: Any, point: Any, offset: float = 0.0) -> Array:
    """Matrices (…, 3, 15, 15) of 1, cos θ, sin θ in the turn by θ + offset about an axis."""
    K = skews(axis)
    whole = np.eye(3)
    at = []
    for angle in (offset, offset + np.pi, offset + 0.5 * np.pi):
        R = whole + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K
        at.append(motion(R, point - (R @ point[..., None])[..., 0]))
    mean = 0.5 * (at[0] + at[1])
    return np.stack([mean, 0.5 * (at[0] - at[1]), at[2] - mean], axis=-3)


def skews(v: Any) -> Array:
    """[v×] of vectors (…, 3)."""
    x, y, z = (np.asarray(v)[..., k] for k in range(3))
    o = 0 * x
    return np.stack([o, -z, y, z, o, -x, -y, x, o], axis=-1).reshape(*x.shape, 3, 3)
