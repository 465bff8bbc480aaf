"""All poses of a platform, followed along paths from those of another one.

Base, platform and squares of lengths go on a straight line from a platform of complex numbers
without any symmetry (`start`) to the one that is asked for; on such a line no two of the 40 poses
meet before the end (parameter continuation: Sommese and Wampler, *The Numerical Solution of
Systems of Polynomials*, 2005, chapter 7). A path is followed by Runge–Kutta steps of fourth order
and Newton's method, its point kept at length one and moved across itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visviva.algebra.arrays import Array
from visviva.solve.elimination.platforms.quadrics import seven_quadrics

TRACKED = 1e-7  # the last of Newton's corrections, relative
_FIRST, _LONGEST, _SHORTEST = 0.02, 0.2, 1e-9
_PASSES = 4000  # of all paths together, at most


@dataclass(frozen=True, eq=False)
class Anchors:
    """Points on base and platform (6, 3) and squares of lengths (6,), real or complex."""

    base: Array
    platform: Array
    squares: Array

    def quadrics(self) -> Array:
        """Their seven matrices (7, 8, 8)."""
        return seven_quadrics(self.base, self.platform, self.squares)


class _Line:
    """Quadrics along the straight line between two platforms: Q₀ + t Q₁ + t² Q₂."""

    def __init__(self, first: Anchors, last: Anchors) -> None:
        middle = Anchors(
            *(0.5 * (getattr(first, k) + getattr(last, k)) for k in ("base", "platform", "squares"))
        )
        a, m, b = (x.quadrics() for x in (first, middle, last))
        self.parts = np.stack([a + 0j, 4.0 * m - 3.0 * a - b, 2.0 * a + 2.0 * b - 4.0 * m])

    def at(self, x: Array, t: Array) -> tuple[Array, Array]:
        """Q(t) x (M, 7, 8) and its derivative for t, for points (M, 8)."""
        n = len(x)
        zero, one, two = (
            (x @ self.parts.reshape(168, 8).T).reshape(n, 3, 7, 8).transpose(1, 0, 2, 3)
        )
        s = t[:, None, None]
        return zero + s * (one + s * two), one + 2.0 * s * two


@np.errstate(all="ignore")  # paths that end nowhere
def led_along(first: Anchors, points: Array, last: Anchors) -> tuple[Array, Array]:
    """Where paths from points (M, 8) of the first platform lead, and whether they got there."""
    line = _Line(first, last)
    x = points / np.linalg.norm(points, axis=1, keepdims=True)
    t, h = np.zeros(len(x)), np.full(len(x), _FIRST)
    for _ in range(_PASSES):
        going = np.flatnonzero((t < 1.0) & (h > _SHORTEST))
        if not len(going):
            break
        s = np.minimum(h[going], 1.0 - t[going])
        ahead, good = _step(line, x[going], t[going], s)
        there = going[good]
        x[there], t[there] = ahead[good], t[there] + s[good]
        t[there[t[there] > 1.0 - 1e-14]] = 1.0
        h[there] = np.minimum(1.6 * s[good], _LONGEST)
        h[going[~good]] = 0.4 * s[~good]
    return x, t == 1.0


@np.errstate(all="ignore")
def corrected(anchors: Anchors, points: Array, steps: int = 6) -> Array:
    """Points (M, 8) near those of a platform after Newton's steps, of length one."""
    Q, x = anchors.quadrics(), points + 0j
    for _ in range(steps):
        x = x / np.linalg.norm(x, axis=1, keepdims=True)
        Qx = np.einsum("kij,mj->mki", Q, x)
        x = x - _solved(2.0 * Qx, np.conj(x), np.einsum("mki,mi->mk", Qx, x))
    unit: Array = x / np.linalg.norm(x, axis=1, keepdims=True)
    return unit


def _step(line: _Line, x: Array, t: Array, h: Array) -> tuple[Array, Array]:
    """Points one step ahead, of length one, and whether Newton's method agreed with them."""
    patch = np.conj(x)
    k1 = _slope(line, x, t, patch)
    k2 = _slope(line, x + 0.5 * h[:, None] * k1, t + 0.5 * h, patch)
    k3 = _slope(line, x + 0.5 * h[:, None] * k2, t + 0.5 * h, patch)
    k4 = _slope(line, x + h[:, None] * k3, t + h, patch)
    y = x + h[:, None] / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    size = np.full(len(x), np.inf)
    for _ in range(2):
        Qy, _ = line.at(y, t + h)
        change = _solved(2.0 * Qy, patch, np.einsum("mki,mi->mk", Qy, y))
        y = y - change
        size = np.linalg.norm(change, axis=1) / np.linalg.norm(y, axis=1)
    return y / np.linalg.norm(y, axis=1, keepdims=True), size < TRACKED


def _slope(line: _Line, x: Array, t: Array, patch: Array) -> Array:
    Qx, rate = line.at(x, t)
    return -_solved(2.0 * Qx, patch, np.einsum("mki,mi->mk", rate, x))


def _solved(J: Array, patch: Array, right: Array) -> Array:
    """J x = right with x across the patch; nan where that has no solution."""
    A = np.concatenate([J, patch[:, None, :]], axis=1)
    b = np.concatenate([right, np.zeros((len(right), 1))], axis=1)
    try:
        return np.linalg.solve(A, b[..., None])[..., 0]
    except np.linalg.LinAlgError:
        singular = np.abs(np.linalg.det(A)) == 0.0
        A[singular] = np.nan
        return np.linalg.solve(A, b[..., None])[..., 0]
