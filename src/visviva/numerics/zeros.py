"""All zeros of a function in a box: branch and prune with Krawczyk's operator.

A box ends in one of four ways: nothing in it is a zero (dropped); exactly one point near it is
(`single`); every point of it is (`flat`); or it is too small to be split, or there are too many of
them, and it stays `open`. Outside of these no zero is, which is proved. Boxes may be unbounded.

Krawczyk's operator needs a continuous function and an enclosure of its slopes; a kink has both
(slopes are then Clarke's, and Lebourg's mean value theorem holds), a jump has not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from visviva.algebra.arrays import Array
from visviva.numerics.intervals import CONTINUOUS, DEFINED, EMPTY, EPS, UNDERFLOW, Enclosure

EnclosingFunction = Callable[[Array, Array], Enclosure]
CUT = 0.4837  # where a box is cut: zeros are often in the middle, or at round numbers
WIDER = 0.1  # of its radius, by which a box is tried wider: zeros at its border are inside then


@dataclass(frozen=True)
class Budget:
    """When a search stops."""

    min_width: float = 1e-9  # a box that is narrower, to the scale, is split no more
    min_width_at_zero: float = 1e-6  # nor one narrower than this, if f is zero there to rounding
    max_boxes: int = 4096  # of one generation: where more are left they all stay open
    max_zeros: int = 200  # where more are found, of something periodic, the rest stays open
    max_distance: float = 1e9  # an unbounded box that begins farther is split no more


@dataclass(frozen=True, eq=False)
class Zeros:
    """Boxes (k, 2, n), lower ends and upper ones. No zero is outside of all of them."""

    single: Array  # exactly one zero each; two of them may have the same one
    flat: Array  # every point is a zero
    open: Array  # not decided

    @property
    def is_complete(self) -> bool:
        """Whether everything was decided."""
        return not len(self.open)


def find_zeros(
    value: EnclosingFunction,
    slope: EnclosingFunction,
    lo: Array,
    hi: Array,
    budget: Budget | None = None,
) -> Zeros:
    """Of a function (n,) -> (n,) in a box [lo, hi], which may be unbounded."""
    limits = budget or Budget()
    a, b = np.array([lo], dtype=float), np.array([hi], dtype=float)
    width = hi - lo
    scale = np.where(np.isfinite(width), np.where(width > 0, width, 1.0), 1.0)
    single: list[Array] = []
    flat: list[Array] = []
    small: list[Array] = []
    while len(a):
        f = value(a, b)
        is_zero = ((f.lo == 0) & (f.hi == 0) & (f.deco >= DEFINED)).all(axis=1)
        flat += [*np.stack([a, b], axis=1)[is_zero]]
        keep = _may_be_zero(f) & ~is_zero
        a, b = a[keep], b[keep]
        if not len(a):
            break
        near = Expansion.about_middles(value, slope, a, b)
        is_flat = near.is_flat()
        flat += [*np.stack([a, b], axis=1)[is_flat]]
        low, high, certain = near.krawczyk()
        a, b = np.maximum(a, low), np.minimum(b, high)
        keep = (a <= b).all(axis=1) & near.may_vanish() & ~is_flat
        single += [*np.stack([low, high], axis=1)[keep & certain]]
        keep &= ~certain
        is_rounded = (_may_be_zero(near.f_c) & (near.f_c.lo < near.f_c.hi).any(axis=1))[keep]
        a, b = a[keep], b[keep]
        min_width = np.where(is_rounded, limits.min_width_at_zero, limits.min_width)
        is_small = _is_small(a, b, scale, limits, min_width)
        small += [*np.stack([a, b], axis=1)[is_small]]
        a, b = a[~is_small], b[~is_small]
        if 2 * len(a) > limits.max_boxes or len(single) > limits.max_zeros:
            small += [*np.stack([a, b], axis=1)]
            break
        a, b = _split(a, b, scale)
    n = len(lo)
    return Zeros(*(np.array(x).reshape(-1, 2, n) for x in (single, flat, small)))


@dataclass(frozen=True, eq=False)
class Expansion:
    """f(x) in f(c) + J (x - c) for all x of boxes [a, b], c being one point of each."""

    a: Array  # (N, n), a little wider than the boxes that were asked for
    b: Array
    c: Array
    f_c: Enclosure  # f(c)
    J: Enclosure  # slopes over the boxes
    is_valid: np.ndarray  # (N,): f is continuous on the box, and slopes are defined there

    @classmethod
    def about_middles(
        cls,
        value: EnclosingFunction,
        slope: EnclosingFunction,
        a: Array,
        b: Array,
        wider: float = WIDER,
    ) -> Expansion:
        """About an end of boxes that are unbounded."""
        with np.errstate(invalid="ignore"):
            is_bounded = np.isfinite(a) & np.isfinite(b)
            margin = np.where(is_bounded, wider * (b - a), 0.0)
            a, b = a - margin, b + margin
            c = np.where(is_bounded, a / 2 + b / 2, np.where(np.isfinite(a), a, b))
        c = np.where(np.isfinite(c), c, 0.0)
        f_c, J, f = value(c, c), slope(a, b), value(a, b)
        is_valid = (f.deco == CONTINUOUS).all(axis=1) & (J.deco >= DEFINED).all(axis=(1, 2))
        return cls(a, b, c, f_c, J, is_valid & f_c.is_finite.all(axis=1))

    def is_flat(self) -> np.ndarray:
        """Where f is zero, exactly, on the whole box."""
        f_is_zero, J_is_zero = (
            ((x.lo == 0) & (x.hi == 0)).reshape(len(self.a), -1).all(axis=1)
            for x in (self.f_c, self.J)
        )
        return np.asarray(self.is_valid & f_is_zero & J_is_zero)

    def may_vanish(self) -> np.ndarray:
        """Where f(c) + J (x - c) may be zero; also of unbounded boxes."""
        with np.errstate(all="ignore"):
            ends = [
                x * (y - self.c)[:, None, :]
                for x in (self.J.lo, self.J.hi)
                for y in (self.a, self.b)
            ]
            ends = [np.where(np.isnan(x), 0.0, x) for x in ends]
            low, high = np.minimum.reduce(ends), np.maximum.reduce(ends)
            size = np.where(np.isfinite(low), np.abs(low), 0.0)
            size = (size + np.where(np.isfinite(high), np.abs(high), 0.0)).sum(axis=2)
            slack = 16 * self.a.shape[1] * EPS * (size + np.abs(self.f_c.middle)) + UNDERFLOW
            above = self.f_c.lo + low.sum(axis=2) > slack
            below = self.f_c.hi + high.sum(axis=2) < -slack
        return np.asarray(~(self.is_valid & (above | below).any(axis=1)))

    def krawczyk(self) -> tuple[Array, Array, np.ndarray]:
        """K(x) = c - C f(c) + (1 - C J) (x - c): its ends (N, n), and where it proves one zero.

        All zeros in a box are in K; where K is inside of the box there is exactly one (N,). Where
        nothing can be said K is the whole line.
        """
        low, high = np.full(self.a.shape, -np.inf), np.full(self.a.shape, np.inf)
        certain = np.zeros(len(self.a), dtype=bool)
        with np.errstate(invalid="ignore"):
            radius = (self.b / 2 - self.a / 2) * (1 + 4 * EPS)
        ok = self.is_valid & self.J.is_finite.all(axis=(1, 2)) & np.isfinite(radius).all(axis=1)
        if ok.any():
            c, r, f, doubt = self.c[ok], radius[ok], self.f_c.middle[ok], self.f_c.radius[ok]
            J, spread, n = self.J.middle[ok], self.J.radius[ok], self.a.shape[1]
            C = np.linalg.pinv(J)
            size = np.abs(C)
            rounding = 8 * n * EPS * (1.0 + size @ (np.abs(J) + spread))
            defect = np.abs(np.eye(n) - C @ J) + size @ spread + rounding  # |1 - C J|
            new = c - np.einsum("bij,bj->bi", C, f)
            reach = np.einsum("bij,bj->bi", defect, r) + 4 * EPS * (np.abs(c) + np.abs(new))
            reach += np.einsum("bij,bj->bi", size, doubt + 4 * n * EPS * np.abs(f))
            low[ok], high[ok] = new - reach, new + reach
            certain[ok] = ((low[ok] > self.a[ok]) & (high[ok] < self.b[ok])).all(axis=1)
        return low, high, certain


def prove_zeros(f_c: Enclosure, f: Enclosure, slope: Enclosure, radius: Array) -> np.ndarray:
    """Where f has a zero within `radius` (N,) of points c, in every coordinate (N,).

    `f_c` is f(c), `f` and `slope` are f and its slopes (N, m, n) on boxes of that radius. The zero
    is on c + C y for C the pseudo-inverse of the slope, so that there may be fewer equations
    than unknowns: T(y) = y - f(c + C y) maps a ball of y into itself. With m = n there is one only.
    """
    certain = np.zeros(len(f_c.lo), dtype=bool)
    ok = slope.is_finite.all(axis=(1, 2)) & (slope.deco >= DEFINED).all(axis=(1, 2))
    ok &= (f.deco == CONTINUOUS).all(axis=1) & f_c.is_finite.all(axis=1)
    if ok.any():
        J, spread, m = slope.middle[ok], slope.radius[ok], slope.lo.shape[1]
        C = np.linalg.pinv(J, rcond=1e-12)
        size = np.abs(C)
        ball = radius[ok] / np.maximum(size.sum(axis=2).max(axis=1), UNDERFLOW) * (1 - 16 * EPS)
        defect = np.abs(np.eye(m) - J @ C) + spread @ size  # |1 - J C|
        defect += 8 * slope.lo.shape[2] * EPS * (1.0 + (np.abs(J) + spread) @ size)
        residual = np.maximum(np.abs(f_c.lo[ok]), np.abs(f_c.hi[ok]))
        reach = residual + defect.sum(axis=2) * ball[:, None]
        certain[ok] = (reach < ball[:, None] * (1 - 16 * EPS)).all(axis=1)
    return certain


def _may_be_zero(f: Enclosure) -> np.ndarray:
    """Boxes in which all entries may be zero at once."""
    has_zero = (f.lo <= 0) & (f.hi >= 0) & (f.deco > EMPTY)
    return np.asarray(has_zero.all(axis=1))


def _is_small(a: Array, b: Array, scale: Array, limits: Budget, min_width: Array) -> np.ndarray:
    near = np.where(np.isfinite(a), np.abs(a), np.where(np.isfinite(b), np.abs(b), 0.0))
    with np.errstate(invalid="ignore"):
        is_unbounded = ~np.isfinite(b - a)
    far = (is_unbounded & (near > limits.max_distance)).any(axis=1)
    size = np.where(is_unbounded, np.inf, (b - a) / np.maximum(scale, 1e-3 * near))
    return np.asarray(far | (size.max(axis=1) < min_width))


def _split(a: Array, b: Array, scale: Array) -> tuple[Array, Array]:
    """Each box in two across its widest side."""
    rows = np.arange(len(a))
    widest = np.argmax((b - a) / scale, axis=1)
    low, high = a[rows, widest], b[rows, widest]
    with np.errstate(invalid="ignore"):
        cut = low + CUT * (high - low)
    cut = np.where(np.isinf(low), np.minimum(2 * high - 2.137, -2.137), cut)
    cut = np.where(np.isinf(high), np.maximum(2 * low + 2.137, 2.137), cut)
    cut = np.where(np.isinf(low) & np.isinf(high), 0.0137, cut)
    first, second = b.copy(), a.copy()
    first[rows, widest], second[rows, widest] = cut, cut
    return np.concatenate([a, second]), np.concatenate([first, b])
