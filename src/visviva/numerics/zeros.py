"""All zeros of a function in a box: branch and prune with Krawczyk's operator.

A box ends in one of four ways: nothing in it is a zero (dropped); exactly one point near it is
(`single`); every point of it is (`flat`); or it is too small to be split, or there are too many of
them, and it stays `open`. Outside of these no zero is, which is proved. Boxes may be unbounded.

Krawczyk's operator needs a continuous function and an enclosure of its slopes; a kink has both
(slopes are then Clarke's, and Lebourg's mean value theorem holds), a jump has not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from visviva.algebra.arrays import Array
from visviva.numerics.intervals import CONTINUOUS, DEFINED, EMPTY, EPS, UNDERFLOW, Enclosure

Enclosing = Callable[[Array, Array], Enclosure]
CUT = 0.4837  # where a box is cut: zeros are often in the middle, or at round numbers
WIDER = 0.1  # of its radius, by which a box is tried wider: zeros at its border are inside then


@dataclass(frozen=True)
class Budget:
    """When a search stops."""

    smallest: float = 1e-9  # a box that is narrower, to the scale, is split no more
    rough: float = 1e-6  # nor one that is narrower than this, if f is zero there to rounding
    abreast: int = 4096  # boxes of one generation: where more are left they all stay open
    most: int = 200  # zeros: where more are found, of something periodic, the rest stays open
    farthest: float = 1e9  # an unbounded box that begins farther is split no more


@dataclass(frozen=True, eq=False)
class Zeros:
    """Boxes (k, 2, n), lower ends and upper ones. No zero is outside of all of them."""

    single: Array  # exactly one zero each; two of them may have the same one
    flat: Array  # every point is a zero
    open: Array  # not decided
    looked: int = field(default=0)  # boxes that were evaluated

    @property
    def is_complete(self) -> bool:
        """Whether everything was decided."""
        return not len(self.open)


def find_zeros(
    value: Enclosing, slope: Enclosing, lo: Array, hi: Array, budget: Budget | None = None
) -> Zeros:
    """Of a function (n,) -> (n,) in a box [lo, hi], which may be unbounded."""
    rule = budget or Budget()
    a, b = np.array([lo], dtype=float), np.array([hi], dtype=float)
    width = hi - lo
    scale = np.where(np.isfinite(width), np.where(width > 0, width, 1.0), 1.0)
    single: list[Array] = []
    flat: list[Array] = []
    still: list[Array] = []
    looked = 0
    while len(a):
        looked += len(a)
        enclosed = value(a, b)
        zero = ((enclosed.lo == 0) & (enclosed.hi == 0) & (enclosed.deco >= DEFINED)).all(axis=1)
        flat += [*np.stack([a, b], axis=1)[zero]]
        keep = _possible(enclosed) & ~zero
        a, b = a[keep], b[keep]
        if not len(a):
            break
        near = Expansion.of(value, slope, a, b)
        is_flat = near.is_flat()
        flat += [*np.stack([a, b], axis=1)[is_flat]]
        low, high, certain = near.krawczyk()
        a, b = np.maximum(a, low), np.minimum(b, high)
        keep = (a <= b).all(axis=1) & near.may_vanish() & ~is_flat
        single += [*np.stack([low, high], axis=1)[keep & certain]]
        keep &= ~certain
        rounding = (_possible(near.at) & (near.at.lo < near.at.hi).any(axis=1))[keep]
        a, b = a[keep], b[keep]
        done = _is_small(a, b, scale, rule, np.where(rounding, rule.rough, rule.smallest))
        still += [*np.stack([a, b], axis=1)[done]]
        a, b = a[~done], b[~done]
        if 2 * len(a) > rule.abreast or len(single) > rule.most:
            still += [*np.stack([a, b], axis=1)]
            break
        a, b = _split(a, b, scale)
    n = len(lo)
    zeros, regions, rest = (np.array(x).reshape(-1, 2, n) for x in (single, flat, still))
    return Zeros(zeros, regions, rest, looked)


@dataclass(frozen=True, eq=False)
class Expansion:
    """f(x) in f(c) + J (x - c) for all x of boxes [a, b], c being one point of each."""

    a: Array  # (N, n), a little wider than the boxes that were asked for
    b: Array
    c: Array
    at: Enclosure  # f(c)
    slope: Enclosure  # J over the boxes
    is_valid: np.ndarray  # (N,): f is continuous on the box, and slopes are defined there

    @classmethod
    def of(
        cls, value: Enclosing, slope: Enclosing, a: Array, b: Array, wider: float = WIDER
    ) -> Expansion:
        """About the middles of boxes; of one that is unbounded about its end."""
        with np.errstate(invalid="ignore"):
            bounded = np.isfinite(a) & np.isfinite(b)
            wide = np.where(bounded, wider * (b - a), 0.0)
            a, b = a - wide, b + wide
            c = np.where(bounded, a / 2 + b / 2, np.where(np.isfinite(a), a, b))
        c = np.where(np.isfinite(c), c, 0.0)
        at, J, over = value(c, c), slope(a, b), value(a, b)
        is_valid = (over.deco == CONTINUOUS).all(axis=1) & (J.deco >= DEFINED).all(axis=(1, 2))
        return cls(a, b, c, at, J, is_valid & at.is_finite.all(axis=1))

    def is_flat(self) -> np.ndarray:
        """Where f is zero, exactly, on the whole box."""
        none = [
            ((x.lo == 0) & (x.hi == 0)).reshape(len(self.a), -1).all(axis=1)
            for x in (self.at, self.slope)
        ]
        return np.asarray(self.is_valid & none[0] & none[1])

    def may_vanish(self) -> np.ndarray:
        """Where f(c) + J (x - c) may be zero; also of unbounded boxes."""
        with np.errstate(all="ignore"):
            ends = [
                x * (y - self.c)[:, None, :]
                for x in (self.slope.lo, self.slope.hi)
                for y in (self.a, self.b)
            ]
            ends = [np.where(np.isnan(x), 0.0, x) for x in ends]
            least, most = np.minimum.reduce(ends), np.maximum.reduce(ends)
            size = np.where(np.isfinite(least), np.abs(least), 0.0)
            size = (size + np.where(np.isfinite(most), np.abs(most), 0.0)).sum(axis=2)
            slack = 16 * self.a.shape[1] * EPS * (size + np.abs(self.at.middle)) + UNDERFLOW
            above = self.at.lo + least.sum(axis=2) > slack
            below = self.at.hi + most.sum(axis=2) < -slack
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
        ok = self.is_valid & self.slope.is_finite.all(axis=(1, 2)) & np.isfinite(radius).all(axis=1)
        if ok.any():
            c, r, f, doubt = self.c[ok], radius[ok], self.at.middle[ok], self.at.radius[ok]
            J, spread, n = self.slope.middle[ok], self.slope.radius[ok], self.a.shape[1]
            C = np.linalg.pinv(J)
            size = np.abs(C)
            rounding = 8 * n * EPS * (1.0 + size @ (np.abs(J) + spread))
            off = np.abs(np.eye(n) - C @ J) + size @ spread + rounding
            new = c - np.einsum("bij,bj->bi", C, f)
            reach = np.einsum("bij,bj->bi", off, r) + 4 * EPS * (np.abs(c) + np.abs(new))
            reach += np.einsum("bij,bj->bi", size, doubt + 4 * n * EPS * np.abs(f))
            low[ok], high[ok] = new - reach, new + reach
            certain[ok] = ((low[ok] > self.a[ok]) & (high[ok] < self.b[ok])).all(axis=1)
        return low, high, certain


def prove_zeros(at: Enclosure, over: Enclosure, slope: Enclosure, radius: Array) -> np.ndarray:
    """Where f has a zero within `radius` (N,) of the points of `at`, in every coordinate (N,).

    `at` is f there, `over` and `slope` are f and its slopes (N, m, n) on boxes of that radius. The
    zero is on c + C y for C the pseudo-inverse of the slope, so that there may be fewer equations
    than unknowns: T(y) = y - f(c + C y) maps a ball of y into itself. With m = n there is one only.
    """
    certain = np.zeros(len(at.lo), dtype=bool)
    ok = slope.is_finite.all(axis=(1, 2)) & (slope.deco >= DEFINED).all(axis=(1, 2))
    ok &= (over.deco == CONTINUOUS).all(axis=1) & at.is_finite.all(axis=1)
    if ok.any():
        J, spread, m = slope.middle[ok], slope.radius[ok], slope.lo.shape[1]
        C = np.linalg.pinv(J, rcond=1e-12)
        size = np.abs(C)
        ball = radius[ok] / np.maximum(size.sum(axis=2).max(axis=1), UNDERFLOW) * (1 - 16 * EPS)
        off = np.abs(np.eye(m) - J @ C) + spread @ size
        off += 8 * slope.lo.shape[2] * EPS * (1.0 + (np.abs(J) + spread) @ size)
        left = np.maximum(np.abs(at.lo[ok]), np.abs(at.hi[ok]))
        certain[ok] = (left + off.sum(axis=2) * ball[:, None] < ball[:, None] * (1 - 16 * EPS)).all(
            axis=1
        )
    return certain


def _possible(enclosed: Enclosure) -> np.ndarray:
    """Boxes in which all entries may be zero at once."""
    zero = (enclosed.lo <= 0) & (enclosed.hi >= 0) & (enclosed.deco > EMPTY)
    return np.asarray(zero.all(axis=1))


def _is_small(a: Array, b: Array, scale: Array, rule: Budget, least: Array) -> np.ndarray:
    near = np.where(np.isfinite(a), np.abs(a), np.where(np.isfinite(b), np.abs(b), 0.0))
    with np.errstate(invalid="ignore"):
        unbounded = ~np.isfinite(b - a)
    far = (unbounded & (near > rule.farthest)).any(axis=1)
    size = np.where(unbounded, np.inf, (b - a) / np.maximum(scale, 1e-3 * near))
    return np.asarray(far | (size.max(axis=1) < least))


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
