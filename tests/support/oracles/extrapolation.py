"""Motions to many digits, by extrapolated midpoint steps (Gragg, Bulirsch, Stoer) in mpmath.

Nothing of our integrators is used. The right side may be a program of ours, interpreted on mpmath's
numbers, or a formula: what is compared is then the integration, or all of it.
"""

import mpmath
import numpy as np

COLUMNS = 10  # order 20
COUNTS = [2 * (i + 1) for i in range(COLUMNS)]


def motion(rates, start, times, digits=24, guard=12):
    """States (times, n) of ẏ = rates(y) as numbers of mpmath; y(0) = start, times ascend."""
    with mpmath.workdps(digits + guard):
        tol = mpmath.mpf(10) ** (-digits)
        y = np.array([mpmath.mpf(x) for x in start], dtype=object)
        t, h, found = mpmath.mpf(0), mpmath.mpf(times[0]) / 16, []
        for end in map(mpmath.mpf, times):
            while t < end:
                last = t + h >= end
                step = end - t if last else h
                new, error = _step(rates, y, step)
                wrong = max(e / (1 + abs(v)) for e, v in zip(error, new, strict=True)) / tol
                if wrong <= 1:
                    y, t = new, end if last else t + step
                scale = mpmath.mpf(4)
                if wrong > 0:
                    scale = min(scale, 0.85 * wrong ** (-mpmath.mpf(1) / (2 * COLUMNS - 1)))
                if wrong > 1 or not last or step * scale < h:
                    h = step * max(scale, mpmath.mpf(1) / 8)
            found.append(y)
        return np.array(found)


def _step(rates, y, h):
    """The state after h, and how far the last two columns differ."""
    slope = np.asarray(rates(y))
    table = []
    for k, n in enumerate(COUNTS):
        row = [_midpoint(rates, y, slope, h, n)]
        for j in range(k):
            ratio = (mpmath.mpf(n) / COUNTS[k - j - 1]) ** 2
            row.append(row[j] + (row[j] - table[j]) / (ratio - 1))
        before, table = table, row
    return table[-1], [abs(x) for x in table[-1] - before[-1]]


def _midpoint(rates, y, slope, h, n):
    d = h / n
    old, now = y, y + slope * d
    for _ in range(n - 1):
        old, now = now, old + np.asarray(rates(now)) * (2 * d)
    return (old + now + np.asarray(rates(now)) * d) / 2


def of_system(system, q, v, times, tau=None, digits=24):
    """States of a system without quaternions, by its interpreted forward dynamics.

    Where constraints hold it, start and velocities are first brought onto them to all digits.
    """
    with mpmath.workdps(digits + 12):
        q, v = (np.array([mpmath.mpf(float(x)) for x in y], dtype=object) for y in (q, v))
        if system.constraints:
            q, v = admitted(system, q, v)
        tau = [mpmath.mpf(float(x)) for x in (np.zeros(len(v)) if tau is None else tau)]
        accelerations = system.forward_dynamics

        def rates(y):
            a = accelerations.interpret(list(y[: len(q)]), list(y[len(q) :]), tau)
            return [*y[len(q) :], *np.ravel(a)]

        return motion(rates, [*q, *v], times, digits)


def admitted(system, q, v):
    """Newton's steps of least length onto the constraints of a system that does not change in time.

    The slope is rounded to 16 digits; every step still gains as many.
    """
    slope = np.linalg.pinv(np.array(system.constraint_matrix(q.astype(float)), float), rcond=1e-9)
    slope = np.array([[mpmath.mpf(x) for x in row] for row in slope], dtype=object)
    for _ in range(5):
        error = np.ravel(system.constraint_error.interpret(list(q)))
        q = q - slope[:, : len(error)] @ error
    A = np.array(system.constraint_matrix.interpret(list(q)), dtype=object)
    for _ in range(5):
        v = v - slope @ (A @ v)
    return q, v
