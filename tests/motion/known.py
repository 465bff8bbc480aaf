"""Motions whose ends are known, by closed forms or 30 digits: systems, starts, ends."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import mpmath
import numpy as np

import visviva as vv
from tests.support.oracles import digits

# of Taylor series with 30 digits; the soak computes them anew
TUMBLING = [-0.1739462129262995, -0.5312652021435231, 0.9626798161021489]
BEAD = [0.027541954369563033, -1.4473382526023082]
DOUBLE_PENDULUM = [-0.43392913223024646992, -1.2324111503680286703,
                   -1.5038399982460241409, -5.6157155652708340131]  # fmt: skip


@dataclass(frozen=True)
class Known:
    """A motion: where it begins, how long it is, and numbers of its end with their true values."""

    system: Any
    q: Any
    v: Any
    t: float
    numbers: Any  # of q and v at the end
    truth: Any


def state(q, v):
    return np.append(q, v)


def _pendulum():
    s = vv.Lagrangian("theta", "theta'^2/2", "-g*cos(theta)", parameters={"g": 9.81})
    return Known(s, [2.5], [0.0], 3.0, lambda q, v: q, [digits.pendulum(2.5, 3.0)])


def _double_pendulum():
    s = vv.Lagrangian(
        "a b", "a'^2 + b'^2/2 + a'*b'*cos(a - b)", "-g*(2*cos(a) + cos(b))", parameters={"g": 9.81}
    )
    return Known(s, [2.0, 1.0], [0.0, 0.0], 1.0, state, DOUBLE_PENDULUM)


def _tumbling():
    s = vv.catalog.tumbling_body()
    return Known(s, s.neutral(), [0.5, 0.25, 1.0], 4.0, lambda q, v: v, TUMBLING)


def tumbling():
    """ω of a body whose moments are 1, 2, 3, by Euler's equations."""

    def rates(y):
        return [-y[1] * y[2], y[0] * y[2], -y[0] * y[1] / 3]

    return digits.motion(rates, [0.5, 0.25, 1], 4.0)


def _bead():
    return Known(vv.catalog.bead_on_rotating_wire(), [0.4], [0.5], 3.0, state, BEAD)


def bead():
    """x and its rate, by the equation of one coordinate."""
    s = vv.catalog.bead_on_rotating_wire()
    k, W, g = (mpmath.mpf(repr(s.parameters[x])) for x in ("k", "Omega", "g"))

    def rates(y):
        x, v = y
        return [v, (W**2 * x - 2 * g * k * x - 4 * k**2 * x * v**2) / (1 + 4 * k**2 * x**2)]

    return digits.motion(rates, ["0.4", "0.5"], 3.0)


PLACE, SPEED = np.array([0.6, 0.0, 0.8]), np.array([0.4, 0.7, -0.3])  # on the sphere, along it


def _circle(t):
    w = np.linalg.norm(SPEED)
    return PLACE * np.cos(w * t) + SPEED / w * np.sin(w * t)


def _sphere():
    s = vv.catalog.point_on_sphere()
    return Known(s, PLACE, SPEED, 4.0, lambda q, v: q, _circle(4.0))


def _latitude():
    s = vv.Lagrangian("a b", "(a'^2 + cos(a)^2*b'^2)/2", "0*a")

    def place(q, v):
        return [np.cos(q[0]) * np.cos(q[1]), np.cos(q[0]) * np.sin(q[1]), np.sin(q[0])]

    q = [np.arcsin(0.8), 0.0]
    return Known(s, q, [-0.3 / 0.6, 0.7 / 0.6], 4.0, place, _circle(4.0))


def _kepler():
    s = vv.Lagrangian("x y", "(x'^2 + y'^2)/2", "-1/sqrt(x^2 + y^2)")
    return Known(s, [0.4, 0.0], [0.0, 2.0], 2 * np.pi, state, [0.4, 0.0, 0.0, 2.0])


def _top():
    """The nodding of its axis, by Weierstraß's cubic: u = cos(theta) by an elliptic function."""
    s = vv.catalog.heavy_top()
    M, high, I1, I3, g = (mpmath.mpf(repr(s.parameters[x])) for x in ("M", "l", "I1", "I3", "g"))
    spin, theta, t = 150, mpmath.mpf("0.6"), 0.3
    with mpmath.workdps(30):
        a, beta, u0 = I3 * spin / I1, 2 * M * g * high / I1, mpmath.cos(theta)
        root = mpmath.sqrt(a**4 - 4 * beta * (a**2 * u0 - beta))
        low, high_root = (a**2 - root) / (2 * beta), (a**2 + root) / (2 * beta)
        # u' ² = β (u0 - u)(u - low)(high - u): u = u0 - (u0 - low) sd-like, from its turning point
        m = (u0 - low) / (high_root - low)
        w = mpmath.sqrt(beta * (high_root - low)) / 2
        K = mpmath.ellipk(m)
        u = low + (u0 - low) * mpmath.ellipfun("sn", K - w * t, m=m) ** 2
    return Known(
        s, [0.0, 0.6, 0.0], [0.0, 0.0, 150.0], 0.3, lambda q, v: [np.cos(q[1])], [float(u)]
    )


KNOWN = {
    "pendulum, elliptic functions": _pendulum,
    "double pendulum, 30 digits": _double_pendulum,
    "tumbling body, 30 digits": _tumbling,
    "heavy symmetric top, elliptic functions": _top,
    "bead on a turning wire, 30 digits": _bead,
    "point on a sphere, held": _sphere,
    "point on a sphere, in angles": _latitude,
    "Kepler, one revolution of eccentricity 0.6": _kepler,
}
made = cache(lambda name: KNOWN[name]())


def error(name, rtol, method="dop853"):
    """The largest error at the end of a motion."""
    x = made(name)
    run = x.system.simulate(x.q, x.v, x.t, rtol=rtol, atol=rtol * 1e-2, method=method)
    return float(np.abs(np.subtract(x.numbers(run.q[-1], run.v[-1]), x.truth)).max())
