"""Rotations of space: matrices, rotation vectors, quaternions (x, y, z, w).

`R_AB` turns coordinates in B into coordinates in A. All functions work on arrays of any scalar and
are accurate from angle 0 to π. Notation as in Lynch and Park, *Modern Robotics*, chapter 3.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, alike, vector
from visviva.algebra.generic import absolute, atan2, less, maximum, sincos, sqrt, where
from visviva.errors import RotationError
from visviva.space.series import cosc, cotc, sinc, sinc3

ORTHOGONAL = 1e-6  # how far RᵀR may be from the unit matrix: what is given to six digits passes


def check_rotation(R: Array, what: str = "R") -> None:
    """Refuse a 3 × 3 matrix of numbers that is no rotation; other scalars pass."""
    if R.dtype == object:
        return
    x, y, z = rows = R.tolist()  # floats: every pose is checked, and numpy is slower
    pairs = ((x, x), (y, y), (z, z), (x, y), (y, z), (z, x))
    off = max(abs(_dot(a, b) - (a is b)) for a, b in pairs)
    if not off <= ORTHOGONAL:
        reason = f"R Rᵀ differs from the unit matrix by {off:.3g}"
        raise RotationError(f"{what} is not a rotation: {reason}, got {rows}")
    if _dot(x, _cross(y, z)) < 0:
        raise RotationError(f"{what} is not a rotation, it mirrors (determinant -1): got {rows}")


def snapped(values: Array, near: float) -> Array:
    """Entries of a rotation (or an axis) within `near` of 0 made 0, and of ±1 made ±1.

    ±1 only where nothing else is left in the entry's row and in its column; what is left of a
    rotation is made one again. With `near` 0 nothing changes.
    """
    if not near:
        return values
    new = np.where(np.abs(values) <= near, 0.0, values)
    unit = np.abs(np.abs(new) - 1.0) <= near
    for axis in range(new.ndim):
        unit &= np.count_nonzero(new, axis=axis, keepdims=True) == 1
    new = np.where(unit, np.sign(new), new)
    if (
        new.ndim < 2
        or np.array_equal(new, values)
        or np.abs(_orthogonality_defect(new)).max() > 10 * near
    ):
        return new
    return _nearest_rotation(new)


def _orthogonality_defect(R: Array) -> Array:
    """1 - Rᵀ R, zero of a rotation."""
    return np.asarray(np.eye(3) - R.T @ R)


def _nearest_rotation(R: Array) -> Array:
    """The nearest rotation, with the same zeros if there is one: Newton's steps R (3 - Rᵀ R)/2."""
    for exact in ((R == 0) | (np.abs(R) == 1), np.zeros(R.shape, dtype=bool)):
        for _ in range(20):
            defect = _orthogonality_defect(R)
            if np.abs(defect).max() <= 4 * np.finfo(float).eps:
                return R
            R = np.where(exact, R, R + R @ defect / 2)
    return R


def _dot(a: Any, b: Any) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def skew(w: Any) -> Array:
    """The matrix [w] with [w] r = w × r."""
    x, y, z = w
    return vector([[0, -z, y], [z, 0, -x], [-y, x, 0]])  # whole zeros keep fractions exact


def unskew(S: Any) -> Array:
    """The vector of a skew-symmetric matrix."""
    return vector([S[2][1], S[0][2], S[1][0]])


def cross(a: Any, b: Any) -> Array:
    """a × b."""
    return vector(_cross(a, b))


def _cross(a: Any, b: Any) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def about_axis(axis: Any, angle: Any) -> Array:
    """The rotation by `angle` about a unit axis (Rodrigues)."""
    s, c = sincos(angle)
    (x, y, z), s, c, one = alike(axis, s, c, np.eye(3))
    outer = vector([[x * x, x * y, x * z], [x * y, y * y, y * z], [x * z, y * z, z * z]])
    # in this order the axis itself is kept exactly: 1 + 0 c, not c + (1 - c)
    R: Array = outer + (one - outer) * c + skew([x, y, z]) * s
    return R


def angle_about(axis: Any, R: Any) -> Any:
    """The twist angle of R about a unit axis, in (-π, π]: R = swing · twist.

    The axis of the swing is normal to that of the twist, which is the nearest to R of all rotations
    about its axis.
    """
    axis, R = vector(axis), vector(R)
    trace = R[0][0] + R[1][1] + R[2][2]
    twice = vector([R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]])  # 2 sin · axis
    # both are multiples of one positive number, so that neither is divided
    return atan2(_dot(twice, axis), trace - _dot(axis, R @ axis))


def exp(w: Any) -> Array:
    """The rotation by |w| about w."""
    S, t = skew(w), _squared_norm(w)
    R: Array = np.eye(3) + S * sinc(t) + (S @ S) * cosc(t)
    return R


def log(R: Any) -> Array:
    """The rotation vector of R, of length at most π."""
    return quaternion_log(quaternion(R))


def exp_derivative(w: Any) -> Array:
    """D with: a change dw of w turns exp(w) by D dw in turned axes (the right Jacobian)."""
    S, t = skew(w), _squared_norm(w)
    D: Array = np.eye(3) - S * cosc(t) + (S @ S) * sinc3(t)
    return D


def log_derivative(w: Any) -> Array:
    """The inverse of `exp_derivative`."""
    S, t = skew(w), _squared_norm(w)
    inverse: Array = np.eye(3) + S * 0.5 + (S @ S) * cotc(t)
    return inverse


# ---- quaternions


def quaternion(R: Any) -> Array:
    """The unit quaternion of a rotation matrix, with w ≥ 0 (up to rounding).

    Four formulas are exact, each accurate where its own component is large (Shepperd): the largest
    is taken.
    """
    R = vector(R)
    trace = R[0][0] + R[1][1] + R[2][2]
    squares = [1.0 + 2.0 * R[i][i] - trace for i in range(3)] + [1.0 + trace]  # 4 (x², y², z², w²)
    (xx, yy, zz, ww) = squares
    xy, yz, zx = R[0][1] + R[1][0], R[1][2] + R[2][1], R[2][0] + R[0][2]
    wx, wy, wz = R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]
    rows = [[xx, xy, zx, wx], [xy, yy, yz, wy], [zx, yz, zz, wz], [wx, wy, wz, ww]]  # 4 qᵢ q
    best, chosen = ww, rows[3]
    for i in (0, 1, 2):
        larger = less(best, squares[i])
        chosen = [where(larger, a, b) for a, b in zip(rows[i], chosen, strict=True)]
        best = maximum(best, squares[i])
    scale = 0.5 / sqrt(best)
    scale = where(less(chosen[3], 0.0), -scale, scale)
    return vector([x * scale for x in chosen])


def check_unit(q: Any) -> None:
    """Refuse a quaternion of floats whose length is off one by more than 1e-6; nan passes."""
    length = math.hypot(*q)
    if abs(length - 1.0) > ORTHOGONAL:
        raise RotationError(
            f"{[*q]} is not a rotation: a quaternion (x, y, z, w) has length one, got {length:.6g}"
        )


def quaternion_matrix(q: Any) -> Array:
    """The rotation matrix of a unit quaternion; numbers of another length are refused."""
    x, y, z, w = q
    if np.ndim(q) == 1 and vector(q).dtype != object:
        check_unit(vector(q).tolist())
    return vector(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def quaternion_product(a: Any, b: Any) -> Array:
    """The quaternion of R(a) R(b)."""
    u, v = vector(a[:3]), vector(b[:3])
    turned = cross(u, v) + u * b[3] + v * a[3]
    return vector([*turned, a[3] * b[3] - u @ v])


def quaternion_inverse(q: Any) -> Array:
    """The conjugate of a unit quaternion."""
    return vector([-q[0], -q[1], -q[2], q[3]])


def quaternion_exp(w: Any) -> Array:
    """The quaternion of the rotation by |w| about w."""
    t = _squared_norm(w) / 4
    half = sinc(t) / 2
    cosine = 1.0 - t * cosc(t)
    return vector([w[0] * half, w[1] * half, w[2] * half, cosine])


def quaternion_log(q: Any) -> Array:
    """The rotation vector of a unit quaternion; q and -q mean the same."""
    v = vector(q[:3])
    t = _squared_norm(v)
    tiny = less(t, 1e-280)
    size = sqrt(where(tiny, 1.0, t))
    w = absolute(q[3])
    angle = atan2(size, w)  # half of it, in [0, π/2]
    factor = where(tiny, 2.0, 2.0 * angle / size)
    rotation_vector: Array = v * where(less(q[3], 0.0), -factor, factor)
    return rotation_vector


def quaternion_rates(q: Any, w: Any) -> Array:
    """q̇ for the angular velocity w in body axes: ½ q ⊗ (w, 0)."""
    return quaternion_product(q, [w[0] * 0.5, w[1] * 0.5, w[2] * 0.5, 0.0])


def normalised(q: Any) -> Array:
    """q scaled to length one."""
    unit: Array = vector(q) / sqrt(sum(x * x for x in q))
    return unit


def _squared_norm(w: Any) -> Any:
    return _dot(w, w)
