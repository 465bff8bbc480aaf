"""Exponential and logarithm to base e.

Powers of two are taken off: eˣ = 2ⁿ eʳ with |r| ≤ ln 2 / 2, and log x = k ln 2 + log m with m
between √½ and √2. What is left is a polynomial each.
"""

from __future__ import annotations

import math

from visviva.machine.code.elementary.circle import ROUND
from visviva.machine.code.elementary.writer import (
    Vector,
    bits_of,
    fma,
    polynomial,
    select,
)

OVERFLOW, UNDERFLOW = 711.0, -746.0  # the exponential is ∞, and 0, from here on
LN2 = (0.6931471805599453, 2.3190468138462996e-17)  # their sum, to 107 bits
# the first part with its last bits zero, so that its products with exponents of doubles are exact
LN2_SHORT = (0.6931471803691238, 1.9082149292705877e-10)
BIAS, FRACTION = 1023, 52  # of the exponent of a double; bits behind it

# e^r = 1 + r + r²·EXP(r) and 2 artanh s = 2s + s³·LOG(s²), lowest power first; fits and their
# rounding (tools/elementary_fits.py) are off by 1e-17 at most (tested)
EXP = (
    0.5000000000000006,
    0.16666666666666677,
    0.04166666666657367,
    0.008333333333321454,
    0.0013888888932357046,
    0.00019841269886514685,
    2.4801504476758892e-05,
    2.7557243862350308e-06,
    2.762631306591546e-07,
    2.5109145832168022e-08,
)
LOG = (
    0.6666666666666736,
    0.39999999999405483,
    0.28571428744061894,
    0.22222198426151224,
    0.18183571057432849,
    0.15313895728652202,
    0.1479736350587642,
)


def exp(x: Vector) -> Vector:
    """Infinity from 709.79 on; subnormal numbers below -708.4, zero below -745.2."""
    power, n = exp_parts(x)
    return times_power_of_two(power, n)


def log(x: Vector) -> Vector:
    """Of zero -∞, of negative numbers NaN."""
    tiny = x < 2.0**-1022
    bits = select(tiny, x * 2.0**54, x).bits()
    biased = (bits + (bits_of(1.0) - bits_of(math.sqrt(0.5)))) >> FRACTION
    m = (bits - ((biased << FRACTION) - bits_of(1.0))).as_double()
    k = (biased | bits_of(2.0**52)).as_double() - select(tiny, 2.0**52 + BIAS + 54, 2.0**52 + BIAS)
    f = m - 1.0
    s = f / (m + 1.0)  # log m = 2 artanh s = f - f²/2 + s (f²/2 + s² L(s²))
    z = s * s
    h = f * f * 0.5
    small = fma(s, fma(z, polynomial(z, LOG), h), -h)
    head = k * LN2_SHORT[0]
    y = head + f
    y = y + (((head - y) + f) + fma(k, LN2_SHORT[1], small))
    y = select(x < math.inf, y, x)  # ∞ and NaN are what they are
    y = select(x < 0.0, math.nan, y)
    return select(x.equals(0.0), -math.inf, y)


def exp_parts(x: Vector) -> tuple[Vector, Vector]:
    """The power e^r, and n as whole numbers, of x = n ln 2 + r."""
    x = select(x > OVERFLOW, OVERFLOW, x)
    x = select(x < UNDERFLOW, UNDERFLOW, x)
    t = fma(x, 1 / LN2[0], ROUND)
    n = t - ROUND
    r = fma(n, -LN2[1], fma(n, -LN2[0], x))
    power = 1.0 + fma(r * r, polynomial(r, EXP), r)
    return power, t.bits() - bits_of(ROUND)


def times_power_of_two(x: Vector, n: Vector) -> Vector:
    """The product 2ⁿ x in two steps, as 2ⁿ may be no double where it is; -2046 < n < 2048."""
    both = n + 2 * BIAS
    first = both >> 1
    second = both - first
    return x * (first << FRACTION).as_double() * (second << FRACTION).as_double()
