"""Motions to 30 digits, by the Taylor series of mpmath: nothing of ours integrates."""

import mpmath
import numpy as np


def motion(rates, start, t, digits=30):
    """The state at t of ẏ = rates(y), with y(0) = start; rates are written with mpmath."""
    with mpmath.workdps(digits):
        y = mpmath.odefun(lambda _, y: rates(y), 0, [mpmath.mpf(x) for x in start])
        return np.array([float(x) for x in y(mpmath.mpf(t))])


def pendulum(theta, t, g=9.81, length=1.0):
    """The angle of a pendulum that was released at rest, by Jacobi's elliptic functions."""
    with mpmath.workdps(30):
        k = mpmath.sin(mpmath.mpf(theta) / 2)
        K = mpmath.ellipk(k**2)
        u = K - mpmath.sqrt(mpmath.mpf(g) / length) * mpmath.mpf(t)
        return float(2 * mpmath.asin(k * mpmath.ellipfun("sn", u, m=k**2)))


def double_pendulum(y, g=9.81):
    """Two links of 1 m with 1 kg at their ends, angles from the vertical, both absolute."""
    a, b, u, w = y
    d = a - b
    c, s, g = mpmath.cos(d), mpmath.sin(d), mpmath.mpf(repr(g))
    below = 2 - c * c
    x = -w * w * s - 2 * g * mpmath.sin(a)
    z = u * u * s - g * mpmath.sin(b)
    return [u, w, (x - c * z) / below, (2 * z - c * x) / below]
