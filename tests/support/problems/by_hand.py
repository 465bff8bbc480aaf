"""The governor and the rattleback by equations that were derived by hand, for numbers of mpmath.

Nothing of ours is in them: neither how systems are stated nor how their equations are made.
"""

import mpmath
import numpy as np

from tests.support.oracles import collocation, extrapolation


def governor(t, s=10, coarse=0.08, digits=24):
    """s, the angle of the rods and that of the shaft at a time, of Newton's equations.

    Both rods do the same, and nothing turns the shaft from outside: L = J(θ) ψ' stays. What is
    left is a slider at height s and rods at θ below the horizontal, with a spring between them of
    length d(s, θ).
    """
    with mpmath.workdps(digits + 12):
        m = mpmath.mpf
        g, k, c, relaxed = m("9.81"), m(800000), m(40000), m("0.5")
        rod, ball, slider, at = m("0.3"), m(5), m(3), m("0.05")
        long, thin = rod * (1 + m("1e-4")) / 12, rod * m("2e-4") / 12
        fixed = m("0.3") * m("2e-4") / 12 + slider * m("0.02") / 12  # shaft, slider
        swing = long + rod / 4 + ball  # of a rod and its ball about the hinge

        def inertia(S, C):
            """Of shaft, slider and both rods about the shaft, and its slope by θ."""
            J = thin * S**2 + long * C**2 + rod * (at + C / 2) ** 2 + ball * (at + C) ** 2
            by = 2 * S * C * (thin - long) - S * (rod * (at + C / 2) + 2 * ball * (at + C))
            return fixed + 2 * J, 2 * by

        theta = mpmath.pi / 6
        turn = inertia(mpmath.sin(theta), mpmath.cos(theta))[0] * 2 * mpmath.pi

        def rates(y):
            z, a, dz, da, _ = y
            S, C = mpmath.sin(a), mpmath.cos(a)
            J, by = inertia(S, C)
            high = 1 - S / 2 - z  # of the middle of a rod above the slider
            d = mpmath.sqrt(C**2 / 4 + high**2)
            by_z, by_a = -high / d, -(C * S / 2 + high * C) / (2 * d)
            pull = k * (d - relaxed) + c * (by_z * dz + by_a * da)
            ddz = -g - 2 * pull * by_z / slider
            turned = by * (turn / J) ** 2 / 2 + 2 * g * (rod / 2 + ball) * C - 2 * pull * by_a
            return np.array([dz, da, ddz, turned / (2 * swing), turn / J], dtype=object)

        def slopes(y):
            """By differences: Newton's steps need no more."""
            h = m(10) ** -(digits // 2 + 5)
            columns = [(rates(y + e) - rates(y - e)) / (2 * h) for e in h * np.eye(5, dtype=int)]
            return np.array(columns, dtype=object).T

        start = [m("0.5"), theta, 0, 0, 0]
        y = collocation.motion(rates, slopes, start, graded(t, coarse), s, digits)
        return dict(zip(("s", "AC", "shaft"), (y[0], y[1], y[4]), strict=True))


def graded(t, coarse, first=2e-6, growth=2):
    """Times that begin close to each other, where what is stiff dies away."""
    times, h = [0.0], first
    while times[-1] + h < t:
        times.append(times[-1] + h)
        h = min(h * growth, coarse)
    return [*times, t]


def cross(a, b):
    """a × b."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                     a[0] * b[1] - a[1] * b[0]], dtype=object)  # fmt: skip


def rattleback(times, digits=24):
    """yaw, tilt, roll and their rates, by the moments about the point of contact.

    In axes of the body: u is the vertical, r the point of contact from the centre of mass, ω the
    angular velocity. Rolling is v = r × ω; m v̇ = f - m g u and J ω̇ + ω × J ω = r × f, so that
    J ω̇ - m r × (r × ω̇) = -ω × J ω + m r × (ṙ × ω + ω × (r × ω) + g u).
    """
    with mpmath.workdps(digits + 12):
        m = mpmath.mpf
        D = np.array([m("0.04"), m("0.0009"), m("0.0004")], dtype=object)
        J = np.array([[m(x) for x in row] for row in
                      [["2e-4", "-2e-5", 0], ["-2e-5", "1.6e-3", 0], [0, 0, "1.7e-3"]]],
                     dtype=object)  # fmt: skip
        g, middle = m("9.81"), np.array([0, 0, m("0.01")], dtype=object)

        def rates(y):
            _, tilt, roll, *w = y
            w = np.array(w, dtype=object)
            S, C, s, c = mpmath.sin(tilt), mpmath.cos(tilt), mpmath.sin(roll), mpmath.cos(roll)
            u = np.array([-s * C, S, c * C], dtype=object)
            du = cross(u, w)
            size = mpmath.sqrt(D @ (u * u))
            r = middle - D * u / size
            dr = -D * du / size + D * u * (D @ (u * du)) / size**3
            right = cross(r, cross(dr, w) + cross(w, cross(r, w)) + g * u) - cross(w, J @ w)
            a, b, d = J + (r @ r) * np.eye(3, dtype=int) - np.outer(r, r)  # symmetric
            across = cross(b, d)
            dw = (across * right[0] + cross(d, a) * right[1] + cross(a, b) * right[2]) / (
                a @ across
            )
            # ω = yaw' u + tilt' (c, 0, s) + roll' (0, 1, 0)
            dyaw = (-s * w[0] + c * w[2]) / C
            dtilt = c * w[0] + s * w[2]
            return np.array([dyaw, dtilt, w[1] - S * dyaw, *dw], dtype=object)

        tilt = roll = m(0.01)  # the number of 16 digits that is given
        spin = -5 * np.array([-mpmath.sin(roll) * mpmath.cos(tilt), mpmath.sin(tilt),
                              mpmath.cos(roll) * mpmath.cos(tilt)], dtype=object)  # fmt: skip
        found = extrapolation.motion(rates, [0, tilt, roll, *spin], times, digits)
        return [{"yaw": y[0], "tilt": y[1], "roll": y[2], "yaw'": rates(y)[0]} for y in found]
