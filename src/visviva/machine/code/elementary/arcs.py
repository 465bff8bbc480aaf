"""Angles of what is known of them: the inverse functions of sine, cosine and tangent.

Each is a multiple of π/2, plus or minus t + small: a number that is exact or nearly so, and what
a polynomial adds to it.
"""

from __future__ import annotations

from visviva.machine.code.elementary.circle import HALF_PI
from visviva.machine.code.elementary.writer import (
    Vector,
    fma,
    is_negative,
    polynomial,
    root,
    rough_inverse,
    select,
    size_of,
    with_sign,
)

RIGHT, REST = HALF_PI[0], HALF_PI[1]  # a right angle
LEAST = 5e-324  # the smallest positive double
LARGE = 2.0**1000  # beyond, no more is said of a quotient than that it is rounded

# atan t = t + t³·ATAN(t²) for |t| ≤ 1 and asin s = s + s³·ASIN(s²) for |s| ≤ 1/2, lowest power
# first; fits and their rounding (tools/elementary_fits.py) are off by 1e-17 at most (tested)
ATAN = (
    -0.3333333333333305,
    0.19999999999948692,
    -0.14285714282430603,
    0.11111111003070195,
    -0.09090906936789253,
    0.07692279100140803,
    -0.06666398235336478,
    0.05880494215121533,
    -0.05253372740204917,
    0.047218377827638054,
    -0.042179326019381215,
    0.036616927426597876,
    -0.029864802868332926,
    0.02193745271999353,
    -0.013856385748353765,
    0.007165514589975707,
    -0.0028690958167492484,
    0.00082577409857579,
    -0.0001509669088532969,
    1.3106194468563715e-05,
)
ASIN = (
    0.1666666666666676,
    0.07499999999971095,
    0.044642857174224136,
    0.03038194272950777,
    0.022372214318213676,
    0.017351624732641444,
    0.013980662389073067,
    0.011400238094136402,
    0.01077270078341017,
    0.0037352343200085705,
    0.021636856974466507,
    -0.020898809490814328,
    0.03256583927490458,
)


def atan(x: Vector) -> Vector:
    """From -π/2 to π/2."""
    a = size_of(x)
    steep = a > 1.0
    low, high = select(steep, 1.0, a), select(steep, a, 1.0)
    t = low / high
    quarters = select(steep, 1.0, 0.0)
    return with_sign(_around(quarters, steep, t, _after_tangent(t, low, high)), x)


def atan2(y: Vector, x: Vector) -> Vector:
    """From -π to π: the angle of the point (x, y), whose coordinates may be zero or infinite."""
    a, b = size_of(y), size_of(x)
    steep, behind = a > b, is_negative(x)
    low, high = select(steep, b, a), select(steep, a, b)
    high = select(high < LEAST, LEAST, high)  # 0/0 is 0
    t = select(low.equals(high), 1.0, low / high)  # ∞/∞ is 1
    minus, quarters = steep ^ behind, select(steep, 1.0, select(behind, 2.0, 0.0))
    return with_sign(_around(quarters, minus, t, _after_tangent(t, low, high)), y)


def asin(x: Vector) -> Vector:
    """From -π/2 to π/2; NaN beyond ±1."""
    outer, t, small = _half(size_of(x))
    return with_sign(_around(select(outer, 1.0, 0.0), outer, t, small), x)


def acos(x: Vector) -> Vector:
    """From π to 0; NaN beyond ±1."""
    outer, t, small = _half(size_of(x))
    left = x < 0.0
    quarters = select(outer, select(left, 2.0, 0.0), 1.0)
    return _around(quarters, outer ^ left ^ True, t, small)


def _around(quarters: Vector, minus: Vector, t: Vector, small: Vector) -> Vector:
    """So many right angles, plus or minus t + small: it is known what each sum leaves over."""
    t, small = select(minus, -t, t), select(minus, -small, small)
    base = quarters * RIGHT
    y = base + t
    return y + (((base - y) + t) + fma(quarters, REST, small))


def _after_tangent(t: Vector, low: Vector, high: Vector) -> Vector:
    """What is left of the angle whose tangent is low/high ≤ 1 when t, that quotient, is taken off.

    What t lost by rounding counts with the slope of the angle, 1/(1 + t²).
    """
    z = t * t
    lost = fma(-t, high, low) * rough_inverse(fma(high, z, high))
    return fma(t * z, polynomial(z, ATAN), select(high < LARGE, lost, 0.0))


def _half(a: Vector) -> tuple[Vector, Vector, Vector]:
    """Whether a > 1/2; then acos a, else asin a, as a head and a small rest.

    The cosine of half the angle is taken there: acos a = 2 asin √((1 - a)/2).
    """
    outer = a > 0.5
    z = select(outer, (1.0 - a) * 0.5, a * a)
    s = select(outer, root(z), a)
    lost = select(outer, fma(-s, s, z) * (rough_inverse(s) * 0.5), 0.0)  # by the root
    small = fma(s * z, polynomial(z, ASIN), lost)
    twice = select(outer, 2.0, 1.0)
    return outer, s * twice, small * twice
