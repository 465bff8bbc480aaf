"""Real roots of equations of degree two in cos θ and sin θ: where an ellipse cuts a circle.

    k₀ + k₁ c + k₂ s + k₃ c² + k₄ c s + k₅ s² = 0,   c = cos θ, s = sin θ

Four roots at most. With t = tan ((θ - θ₀)/2) it is a quartic, which Ferrari's formulas solve by a
cubic; they lose digits, and Newton's steps on the equation itself give them back.
"""

from __future__ import annotations

from math import pi
from typing import Any

from visviva.algebra.generic import absolute, acos, cos, less, maximum, minimum, power, sqrt, where
from visviva.solve.inverse.closed.subproblems import Turn

START = (0.8, 0.6)  # cos θ₀ and sin θ₀: t is infinite at a place that nothing prefers
POLISHED = 4  # Newton steps


def circle_cuts(k: list[Any]) -> list[Turn]:
    """Four turns, nan where there is no root."""
    a = _turned_back(k, *START)
    # t = tan(θ/2): c = (1 - t²)/(1 + t²), s = 2 t/(1 + t²), times (1 + t²)²
    quartic = [
        a[0] - a[1] + a[3],
        2.0 * (a[2] - a[4]),
        2.0 * a[0] - 2.0 * a[3] + 4.0 * a[5],
        2.0 * (a[2] + a[4]),
        a[0] + a[1] + a[3],
    ]
    turns: list[Turn] = []
    for t in _quartic(quartic):
        scale = 1.0 / (1.0 + t * t)
        c, s = (1.0 - t * t) * scale, 2.0 * t * scale
        c, s = _polished(a, c, s)
        turns.append(Turn(c * START[0] - s * START[1], s * START[0] + c * START[1], 1.0))
    return turns


def _turned_back(k: list[Any], c: float, s: float) -> list[Any]:
    """The coefficients for θ - θ₀: cos θ = c x - s y, sin θ = s x + c y."""
    k0, k1, k2, k3, k4, k5 = k
    return [
        k0,
        k1 * c + k2 * s,
        k2 * c - k1 * s,
        k3 * (c * c) + k4 * (c * s) + k5 * (s * s),
        (k5 - k3) * (2.0 * c * s) + k4 * (c * c - s * s),
        k3 * (s * s) - k4 * (c * s) + k5 * (c * c),
    ]


def _polished(k: list[Any], c: Any, s: Any) -> tuple[Any, Any]:
    """Newton's steps along the circle; where the slope is lost, at a double root, small ones."""
    k0, k1, k2, k3, k4, k5 = k
    for _ in range(POLISHED):
        f = k0 + c * (k1 + k3 * c + k4 * s) + s * (k2 + k5 * s)
        slope = c * (k2 + 2.0 * (k5 - k3) * s + k4 * c) - s * (k1 + k4 * s)
        size = absolute(k1) + absolute(k2) + absolute(k3) + absolute(k4) + absolute(k5)
        flat = less(absolute(slope), 1e-9 * size)
        step = where(flat, 0.0, -f / where(flat, 1.0, slope))
        step = maximum(minimum(step, 0.1), -0.1)
        c, s = c - s * step, s + c * step
        inverse = 1.0 / sqrt(c * c + s * s)
        c, s = c * inverse, s * inverse
    return c, s


def _quartic(a: list[Any]) -> list[Any]:
    """Ferrari: t⁴ + b t³ + … as a product of two quadratics, by one root of a cubic."""
    inverse = 1.0 / a[0]
    b, c, d, e = (x * inverse for x in a[1:])
    shift = b * 0.25
    # t = y - b/4: y⁴ + p y² + q y + r
    p = c - 6.0 * shift * shift
    q = d - 2.0 * c * shift + 8.0 * shift * shift * shift
    r = e - d * shift + c * shift * shift - 3.0 * shift * shift * shift * shift
    # 8 m³ + 8 p m² + (2 p² - 8 r) m - q² = 0; its largest root is not negative
    m = maximum(_largest_root(p, p * p * 0.25 - r, -q * q * 0.125), 0.0)
    w = sqrt(2.0 * m)
    lost = less(w, 1e-150)
    half = where(lost, 0.0, q / (2.0 * where(lost, 1.0, w)))
    # where w is zero, q is, and y² are the roots of a quadratic
    rest = sqrt(maximum(p * p * 0.25 - r, 0.0))
    low, high = p * 0.5 + m - half, p * 0.5 + m + half
    low, high = where(lost, p * 0.5 - rest, low), where(lost, p * 0.5 + rest, high)
    roots: list[Any] = []
    for sign, other in ((1.0, high), (-1.0, low)):  # y² ∓ w y + (p/2 + m ± q/2w)
        under = w * w * 0.25 - other
        S = sqrt(
            where(less(under, 0.0) * less(-1e-10 * (w * w + absolute(other)), under), 0.0, under)
        )
        roots += [sign * w * 0.5 + S - shift, sign * w * 0.5 - S - shift]
    return roots


def _largest_root(a: Any, b: Any, c: Any) -> Any:
    """Of m³ + a m² + b m + c."""
    third = a / 3.0
    Q = third * third - b / 3.0
    R = third * third * third - third * b * 0.5 + c * 0.5
    three = less(R * R, Q * Q * Q)  # three real roots
    safe = where(three, Q, 1.0)
    size = sqrt(safe)
    ratio = maximum(minimum(R / (size * safe), 1.0), -1.0)
    angle = acos(ratio)
    trig = -2.0 * size * cos((angle + 2.0 * pi) / 3.0)
    root = sqrt(maximum(where(three, 0.0, R * R - Q * Q * Q), 0.0))
    cube = power(maximum(absolute(R) + root, 1e-300), 1.0 / 3.0)
    A = where(less(0.0, R), -cube, cube)
    single = A + Q / A
    return where(three, trig, single) - third
