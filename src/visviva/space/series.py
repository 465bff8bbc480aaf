"""Functions with a removable singularity at angle zero, written in t = θ².

Each is a power series where the closed formula would cancel, and the formula elsewhere. The branch
that is not taken gets a harmless argument, so that its derivative is finite too.
"""

from __future__ import annotations

from math import factorial
from typing import Any

from visviva.algebra.generic import less, sincos, sqrt, where

SERIES_BELOW = 4.0  # in t: above it the closed formulas lose at most two bits
TERMS = 14  # below it, the rest of every series is then under 1e-18


def sinc(t: Any) -> Any:
    """sin θ / θ."""
    angle, small = _angle(t)
    s, _ = sincos(angle)
    return where(small, _series(t, 1), s / angle)


def cosc(t: Any) -> Any:
    """(1 - cos θ) / θ², as ½ (sin ½θ / ½θ)², which does not cancel."""
    half = sinc(t / 4)
    return half * half / 2


def sinc3(t: Any) -> Any:
    """(θ - sin θ) / θ³."""
    angle, small = _angle(t)
    s, _ = sincos(angle)
    return where(small, _series(t, 3), (angle - s) / (angle * angle * angle))


def cosc4(t: Any) -> Any:
    """(½θ² - 1 + cos θ) / θ⁴."""
    angle, small = _angle(t)
    _, c = sincos(angle)
    u = angle * angle
    return where(small, _series(t, 4), (u / 2 - 1 + c) / (u * u))


def sinc5(t: Any) -> Any:
    """(2θ - 3 sin θ + θ cos θ) / 2θ⁵."""
    angle, small = _angle(t)
    s, c = sincos(angle)
    u = angle * angle
    series = _polynomial(t, [(-1) ** n * (n + 1) / factorial(2 * n + 5) for n in range(TERMS)])
    return where(small, series, (2 * angle - 3 * s + angle * c) / (2 * u * u * angle))


def cotc(t: Any) -> Any:
    """(1 - ½θ cot ½θ) / θ², as (sinc ½θ - cos ½θ) / (θ² sinc ½θ)."""
    angle, small = _angle(t)
    s, c = sincos(angle / 2)
    numerator = where(small, _half_difference(t), (s / (angle / 2) - c) / (angle * angle))
    return numerator / sinc(t / 4)


def _angle(t: Any) -> tuple[Any, Any]:
    """θ where the formula is used, 1 elsewhere; and whether the series is."""
    small = less(t, SERIES_BELOW)
    return sqrt(where(small, 1.0, t)), small


def _series(t: Any, k: int) -> Any:
    """Σ (-t)ⁿ / (2n + k)!"""
    return _polynomial(t, [(-1) ** n / factorial(2 * n + k) for n in range(TERMS)])


def _half_difference(t: Any) -> Any:
    """(sin ½θ / ½θ - cos ½θ) / θ²."""
    terms = range(TERMS)
    return _polynomial(
        t, [(-1) ** n * (2 * n + 2) / (4 ** (n + 1) * factorial(2 * n + 3)) for n in terms]
    )


def _polynomial(t: Any, coefficients: list[float]) -> Any:
    total: Any = 0.0
    for c in reversed(coefficients):
        total = total * t + c
    return total
