"""Sine and cosine of one angle, together, and the tangent.

The angle is reduced by multiples of π/2 in three parts (Cody and Waite, with fused multiply-add),
then there is a polynomial each. Angles beyond `LARGEST_ANGLE` are for the C library.
"""

from __future__ import annotations

from visviva.machine.code.elementary.writer import (
    Vector,
    fma,
    horner,
    rough_inverse,
    select,
    size_of,
)

LARGEST_ANGLE = 1e5  # up to here the reduction keeps sine and cosine within 2 ulp

# π/2 = the sum of these, each rounded to double: together 160 bits
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)
TWO_OVER_PI = 0.6366197723675814
ROUND = 6755399441055744.0  # 1.5·2⁵²: adding it rounds to an integer, left in the low bits

# sin r = r + r³·S(r²) and cos r = 1 - r²/2 + r⁴·C(r²) for |r| ≤ π/4: Chebyshev fits, lowest
# power first; fits and their rounding are off by 4e-17 at most (tested)
SIN = (
    -0.16666666666666666,
    0.008333333333330925,
    -0.00019841269836722437,
    2.755731608382574e-06,
    -2.505112794596564e-08,
    1.591784866512194e-10,
)
COS = (
    0.041666666666666664,
    -0.0013888888888887382,
    2.480158729874308e-05,
    -2.755731726001471e-07,
    2.0876143829213935e-09,
    -1.1382456865840483e-11,
)


def is_large(x: Vector) -> Vector:
    """Whether an angle is for the C library; NaN is not, infinity is."""
    return size_of(x) > LARGEST_ANGLE


def sincos(x: Vector) -> tuple[Vector, Vector]:
    """Sine and cosine."""
    n, quarters, r1 = _reduced(x)
    r = fma(n, -HALF_PI[2], fma(n, -HALF_PI[1], r1))
    z = r * r
    sine = fma(r * z, horner(z, SIN), r)
    h = z * 0.5
    w = 1.0 - h
    cosine = w + fma(z * z, horner(z, COS), (1.0 - w) - h)
    odd = (quarters & 1).equals(1)
    first, second = select(odd, cosine, sine), select(odd, sine, cosine)
    return _turned(first, quarters), _turned(second, quarters + 1)


def tan(x: Vector) -> Vector:
    """Sine over cosine, each with what its rounding leaves over."""
    n, quarters, r1 = _reduced(x)
    product = n * HALF_PI[1]
    r = r1 - product
    back = r - r1  # what r leaves over, exact whichever of both is larger (Knuth)
    rest = (r1 - (r - back)) - (product + back)
    # the angle is r + rest
    rest = fma(n, -HALF_PI[2], rest - fma(n, HALF_PI[1], -product))
    z = r * r
    h = z * 0.5
    w = 1.0 - h
    small = fma(r * z, horner(z, SIN), rest * w)
    sine = r + small
    sine_rest = (r - sine) + small
    lost = fma(fma(r, r, -z), -0.5, (1.0 - w) - h)  # of z, and of w
    small = fma(z * z, horner(z, COS), fma(r, -rest, lost))
    cosine = w + small
    cosine_rest = (w - cosine) + small
    odd = (quarters & 1).equals(1)
    top, top_rest = select(odd, -cosine, sine), select(odd, -cosine_rest, sine_rest)
    bottom, bottom_rest = select(odd, sine, cosine), select(odd, sine_rest, cosine_rest)
    y = top / bottom
    left = fma(-y, bottom, top) + fma(-y, bottom_rest, top_rest)
    return select(x.equals(0.0), x, fma(left, rough_inverse(bottom), y))


def _reduced(x: Vector) -> tuple[Vector, Vector, Vector]:
    """Quarter turns n, as doubles and in low bits, and x - nπ/2 by the first part of π/2: exact."""
    t = fma(x, TWO_OVER_PI, ROUND)
    n = t - ROUND
    return n, t.bits(), fma(n, -HALF_PI[0], x)


def _turned(x: Vector, quarters: Vector) -> Vector:
    """The other sign in the second half of a turn."""
    return (x.bits() ^ ((quarters & 2) << 62)).as_double()
