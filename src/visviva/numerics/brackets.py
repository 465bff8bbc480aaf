"""A change of sign between two points: Chandrupatla's method, and the places in a table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from visviva.algebra.arrays import Array


def sign_changes(values: Array) -> np.ndarray:
    """Indices k with a change of sign between k and k + 1; a zero counts once, as the later."""
    side = np.sign(values)
    return np.flatnonzero((side[:-1] * side[1:] < 0) | ((side[1:] == 0) & (side[:-1] != 0)))


def bisected(
    f: Callable[[float], float], a: float, b: float, tolerance: float = 0.0, most: int = 100
) -> float:
    """x between a and b where f changes its sign: inverse quadratic steps, halving where unsure.

    A value that is not finite counts as if it were beyond the change, as of a curve that ends.
    """
    fa, fb = f(a), f(b)
    if fa == 0:
        return a
    if fb == 0 or (np.isfinite(fb) and np.sign(fa) == np.sign(fb)):
        return b
    c, fc, share = a, fa, 0.5
    for _ in range(most):
        x = a + share * (b - a)
        fx = f(x)
        if fx == 0:
            return x
        fx = fx if np.isfinite(fx) else -np.sign(fa) * np.inf if x != a else fx
        if np.sign(fx) == np.sign(fa):
            c, fc = a, fa
        else:
            c, fc, b, fb = b, fb, a, fa
        a, fa = x, fx
        near = abs(b - a)
        if near <= max(tolerance, 2 * np.finfo(float).eps * max(abs(a), abs(b))):
            break
        share = _share(a, fa, b, fb, c, fc)
    return a if abs(fa) < abs(fb) else b


def _share(a: float, fa: float, b: float, fb: float, c: float, fc: float) -> float:
    """Of the way from a to b, by inverse quadratic interpolation where it is sure to gain."""
    if not np.isfinite([fa, fb, fc]).all() or fb == fc or fa == fc or c == b:
        return 0.5
    xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
    if not (phi**2 < xi and (1 - phi) ** 2 < 1 - xi):
        return 0.5
    share = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
    return float(np.clip(share, 1e-3, 1 - 1e-3))
