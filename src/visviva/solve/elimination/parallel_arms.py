"""Delta robots and five-bar linkages in closed form: both tips forwards, all branches backwards.

Both are driven by cranks whose rods meet: forwards the tip is on spheres or circles about the
ends of the cranks, backwards each crank solves A cos θ + B sin θ = C by itself. What does not
exist is nan. Geometry as in the catalogue: `delta` (rb, rp, arm L, rod l; angles downwards from the
level, arms at 0°, 120° and 240°) and `five_bar` (l0, l1, l2; angles from the ground).
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.algebra.generic import atan2, cos, sin, sincos, sqrt
from visviva.errors import ArgumentError
from visviva.foreign import explained_as
from visviva.machine.function import Function
from visviva.solve.elimination.pairs import gapped

_ARMS = (0.0, 2.0 * np.pi / 3.0, 4.0 * np.pi / 3.0)


@explained_as("vv.parallel.delta_tips")
def delta_tips(angles: Any, *, rb: float, rp: float, arm: float, rod: float) -> Array:
    """Both positions (…, 2, 3) of the platform for arms at `angles` (…, 3), the lower one first."""
    return np.asarray(_delta_forward()(angles, _sizes(rb=rb, rp=rp, arm=arm, rod=rod)))


@explained_as("vv.parallel.delta_angles")
def delta_angles(positions: Any, *, rb: float, rp: float, arm: float, rod: float) -> Array:
    """All angles (…, 8, 3) of the arms for the platform at positions (…, 3).

    The first row has every elbow outside, as arms are built.
    """
    each = np.asarray(_delta_inverse()(positions, _sizes(rb=rb, rp=rp, arm=arm, rod=rod)))
    return _combined(each)


def five_bar_tips(cranks: Any, *, l0: float, l1: float, l2: float) -> Array:
    """Both tips (…, 2, 2) for cranks at angles (…, 2), first the one left of the way B to D."""
    return np.asarray(_five_bar_forward()(cranks, _sizes(l0=l0, l1=l1, l2=l2)))


def five_bar_cranks(tips: Any, *, l0: float, l1: float, l2: float) -> Array:
    """All angles (…, 4, 2) of the cranks for tips (…, 2), first with both turned outwards."""
    return _combined(np.asarray(_five_bar_inverse()(tips, _sizes(l0=l0, l1=l1, l2=l2))))


def _sizes(**given: float) -> Array:
    bad = {k: x for k, x in given.items() if not (np.isfinite(x) and x >= 0.0)}
    if bad:
        listed = ", ".join(f"{k} = {x}" for k, x in bad.items())
        raise ArgumentError(f"lengths are numbers that are not negative; got {listed}")
    return np.array([float(x) for x in given.values()])


def _combined(each: Array) -> Array:
    """(…, arms, 2) angles of every arm by itself, as all combinations (…, 2^arms, arms)."""
    arms = each.shape[-2]
    ways = np.array([*product((0, 1), repeat=arms)])
    whole = np.stack([each[..., k, :][..., ways[:, k]] for k in range(arms)], axis=-1)
    return np.where(np.isfinite(whole).all(axis=-1, keepdims=True), whole, np.nan)


def _crank(A: Any, B: Any, C: Any) -> tuple[Any, Any]:
    """θ with A cos θ + B sin θ = C: atan2(B, A) ∓ atan2(√(A² + B² - C²), C)."""
    middle, aside = atan2(B, A), atan2(sqrt(A * A + B * B - C * C), C)
    return middle - aside, middle + aside


@cache
def _delta_inverse() -> Function:
    def delta_inverse(position: Array, sizes: Array) -> Any:
        rb, rp, L, length = sizes
        rows = []
        for turn in _ARMS:
            c, s = np.cos(turn), np.sin(turn)
            # from the shoulder to the platform's joint, in the plane of the arm and across it
            x = c * position[0] + s * position[1] + rp - rb
            y = c * position[1] - s * position[0]
            z = position[2]
            # elbow (L cos θ, 0, -L sin θ), a rod's length from there
            C = (x * x + y * y + z * z + L * L - length * length) / (2.0 * L)
            rows.append(_crank(x, -z, C))
        return vector([list(row) for row in rows])

    return gapped(delta_inverse, {"position": 3, "sizes": 4}, name="delta_inverse")


@cache
def _delta_forward() -> Function:
    def delta_forward(angles: Array, sizes: Array) -> Any:
        rb, rp, L, length = sizes
        centres = []
        for turn, angle in zip(_ARMS, angles, strict=True):
            c, s = np.cos(turn), np.sin(turn)
            out = rb - rp + L * cos(angle)
            centres.append([c * out, s * out, -(L * sin(angle))])
        first, second, third = centres
        return vector(_three_spheres(first, second, third, length))

    return gapped(delta_forward, {"angles": 3, "sizes": 4}, name="delta_forward")


def _three_spheres(a: Any, b: Any, c: Any, r: Any) -> list[list[Any]]:
    """The two points at the distance r from three points: below and above their circumcentre."""
    u, v = ([y - x for x, y in zip(a, p, strict=True)] for p in (b, c))
    n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    uu, uv, vv, nn = (_dot(x, y) for x, y in ((u, u), (u, v), (v, v), (n, n)))
    # circumcentre a + α u + β v: its distances from a, b and c are equal
    alpha, beta = vv * (uu - uv) / (2.0 * nn), uu * (vv - uv) / (2.0 * nn)
    foot = [alpha * x + beta * y for x, y in zip(u, v, strict=True)]
    high = sqrt((r * r - _dot(foot, foot)) / nn)
    return [
        [x + y + sign * high * z for x, y, z in zip(a, foot, n, strict=True)]
        for sign in (-1.0, 1.0)
    ]


def _dot(a: Any, b: Any) -> Any:
    return sum((x * y for x, y in zip(a[1:], b[1:], strict=True)), a[0] * b[0])


@cache
def _five_bar_inverse() -> Function:
    def five_bar_inverse(tip: Array, sizes: Array) -> Any:
        l0, l1, l2 = sizes
        rows = []
        for k, x in enumerate((tip[0], tip[0] - l0)):
            y = tip[1]
            C = (x * x + y * y + l1 * l1 - l2 * l2) / (2.0 * l1)
            less, more = _crank(x, y, C)
            rows.append((more, less) if k == 0 else (less, more))  # outwards first
        return vector([list(row) for row in rows])

    return gapped(five_bar_inverse, {"tip": 2, "sizes": 3}, name="five_bar_inverse")


@cache
def _five_bar_forward() -> Function:
    def five_bar_forward(cranks: Array, sizes: Array) -> Any:
        l0, l1, l2 = sizes
        (s1, c1), (s2, c2) = sincos(cranks[0]), sincos(cranks[1])
        B, D = (l1 * c1, l1 * s1), (l0 + l1 * c2, l1 * s2)
        x, y = D[0] - B[0], D[1] - B[1]
        half = sqrt(l2 * l2 / (x * x + y * y) - 0.25)  # of the way from B to D, aside
        middle = (B[0] + D[0]) * 0.5, (B[1] + D[1]) * 0.5
        return vector(
            [[middle[0] - sign * half * y, middle[1] + sign * half * x] for sign in (1.0, -1.0)]
        )

    return gapped(five_bar_forward, {"cranks": 2, "sizes": 3}, name="five_bar_forward")
