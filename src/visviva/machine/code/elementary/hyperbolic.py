"""Hyperbolic functions: polynomials near zero, of exponentials beyond."""

from __future__ import annotations

from visviva.machine.code.elementary.exponential import (
    BIAS,
    FRACTION,
    exp_parts,
    times_power_of_two,
)
from visviva.machine.code.elementary.writer import (
    Vector,
    fma,
    polynomial,
    select,
    size_of,
    with_sign,
)

FLAT = 22.0  # from here on tanh is 1

# sinh t = t + t³·SINH(t²) for |t| ≤ 1 and tanh t = t + t³·TANH(t²) for |t| ≤ 0.6, lowest power
# first; fits and their rounding (tools/elementary_fits.py) are off by 1e-17 at most (tested)
SINH = (
    0.16666666666666669,
    0.00833333333333297,
    0.00019841269841531202,
    2.755731913037927e-06,
    2.5052126856094766e-08,
    1.605700052085293e-10,
    7.765897596002476e-13,
)
TANH = (
    -0.3333333333333312,
    0.13333333333299305,
    -0.05396825394919211,
    0.021869488001096362,
    -0.008863226766470066,
    0.003592037340035647,
    -0.001455215360761144,
    0.0005871889370175055,
    -0.0002303988236987731,
    7.931719343080139e-05,
    -1.718074226046125e-05,
)


def sinh(x: Vector) -> Vector:
    """Half of e^x - e^-x."""
    a = size_of(x)
    z = a * a
    near = fma(a * z, polynomial(z, SINH), a)
    half = _half_exp(a)
    return with_sign(select(a < 1.0, near, half - 0.25 / half), x)


def cosh(x: Vector) -> Vector:
    """Half of e^x + e^-x."""
    half = _half_exp(size_of(x))
    return half + 0.25 / half


def tanh(x: Vector) -> Vector:
    """The quotient of both, 1 - 2u/(1 + u) with u = e^-2|x|."""
    a = size_of(x)
    z = a * a
    near = fma(a * z, polynomial(z, TANH), a)
    power, n = exp_parts(select(a > FLAT, FLAT, a) * -2.0)
    u = power * ((n + BIAS) << FRACTION).as_double()
    far = 1.0 - (u + u) / (1.0 + u)
    return with_sign(select(a < 0.6, near, far), x)


def _half_exp(a: Vector) -> Vector:
    """e^a/2, which is finite where hyperbolic functions are."""
    power, n = exp_parts(a)
    return times_power_of_two(power, n - 1)
