"""A change of sign between two points, of many functions at once: Chandrupatla's method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array

LEAST = 5e-324  # the least number above zero
HALVINGS = 100  # halvings of a bracket; about eight are needed


def find_roots(
    f: Callable[[Any, Array], Array],
    low: Array,
    high: Array,
    side: Array,
    width: Any = 0.0,
    is_past: bool = False,
) -> Array:
    """x (k,) between `low` and `high` where f(numbers, x) has the sign `side` (k,) from there on.

    Inverse quadratic interpolation where it is sure to gain, halving where it is not, until a
    bracket is as narrow as `width` (k,), or as doubles are. A value that is not finite counts as
    beyond the change, as of a curve that ends. With `is_past` x is the end of the bracket where f
    has that sign already.

    Examples:
        >>> import numpy as np
        >>> ones = np.ones(2)
        >>> find_roots(lambda k, x: x**2 - np.array([2.0, 3.0])[k], ones, 2 * ones, ones)
        array([1.41421356, 1.73205081])
    """
    roots = np.array(low, dtype=float)
    number = np.flatnonzero(low != high)
    width = np.maximum(width, 2.0**-53 * np.maximum(np.abs(low), np.abs(high)))

    def value(numbers: Any, x: Array) -> Array:
        y = np.asarray(f(numbers, x), dtype=float)
        y = np.where(np.isnan(y), side[numbers] * np.inf, y)
        return np.where(y == 0.0, -LEAST * side[numbers], y) if is_past else y

    def best(of: Any) -> Array:
        return np.where(fa * side[of] > 0.0 if is_past else np.abs(fa) <= np.abs(fb), a, b)

    a, b = high[number], low[number]  # the newest place, and that on the other side of the zero
    fa, fb = value(number, a), value(number, b)
    at_high, at_low = fa * side[number] < 0.0, fb * side[number] >= 0.0  # to rounding: no change
    roots[number[at_high]] = a[at_high]
    keep = ~(at_high | at_low)
    number, a, b, fa, fb = number[keep], a[keep], b[keep], fa[keep], fb[keep]
    share = np.full(len(number), 0.5)
    for _ in range(HALVINGS):
        if not len(number):
            break
        x = a + share * (b - a)
        fx = value(number, x)
        is_same_side = np.sign(fx) == np.sign(fa)
        c, fc = np.where(is_same_side, a, b), np.where(is_same_side, fa, fb)
        b, fb = np.where(is_same_side, b, a), np.where(is_same_side, fb, fa)
        a, fa = x, fx
        gap = np.abs(b - a)
        is_narrow = (fa == 0.0) | (gap <= 2.0 * width[number]) | (x == b) | (x == c)
        roots[number[is_narrow]] = best(number)[is_narrow]
        with np.errstate(all="ignore"):
            xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
            gains = (phi * phi < xi) & ((1.0 - phi) ** 2 < 1.0 - xi)
            quadratic_share = fa / (fb - fa) * fc / (fb - fc)
            quadratic_share += (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
            share = np.where(gains & np.isfinite(quadratic_share), quadratic_share, 0.5)
            least = np.minimum(width[number] / gap, 0.5)
        share = np.clip(share, least, 1.0 - least)
        number, a, b, fa, fb, share = (y[~is_narrow] for y in (number, a, b, fa, fb, share))
    roots[number] = best(number)
    return roots
