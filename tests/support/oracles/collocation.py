"""Stiff motions to many digits: collocation at Radau's points (order 2 s - 1) in mpmath.

Nothing of our integrators is used. Steps are those of a mesh that is given, so that two meshes, or
two numbers of points, tell how many digits are right.
"""

from itertools import pairwise

import mpmath
import numpy as np

NEWTON_STEPS = 30


def points(s):
    """Radau's points in (0, 1], the last of them 1: zeros of P_s - P_(s-1), moved and mirrored."""
    P = [[mpmath.mpf(1)], [mpmath.mpf(1), mpmath.mpf(0)]]  # Legendre's polynomials, highest first
    for k in range(1, s):
        a = [(2 * k + 1) * x / (k + 1) for x in P[k]] + [mpmath.mpf(0)]
        b = [mpmath.mpf(0)] * 2 + [k * x / (k + 1) for x in P[k - 1]]
        P.append([x - y for x, y in zip(a, b, strict=True)])
    radau = [x - y for x, y in zip(P[s], [mpmath.mpf(0), *P[s - 1]], strict=True)]
    zeros = mpmath.polyroots(radau, maxsteps=500, extraprec=400)
    return sorted((1 + mpmath.re(x)) / 2 for x in zeros)


def tableau(s):
    """The matrix A of the method of s points: integrals of Lagrange's polynomials."""
    c = points(s)
    powers = mpmath.matrix(s, s)  # row i: c_i^0, c_i^1, …
    wholes = mpmath.matrix(s, s)
    for i in range(s):
        for k in range(s):
            powers[i, k] = c[i] ** k
            wholes[i, k] = c[i] ** (k + 1) / (k + 1)
    A = wholes * mpmath.inverse(powers)
    return np.array([[A[i, j] for j in range(s)] for i in range(s)], dtype=object)


def motion(rates, slopes, start, mesh, s=10, digits=24):
    """The state at the last time of the mesh; slopes(y) is ∂rates/∂y, wrong ones only cost time."""
    with mpmath.workdps(digits + 12):
        A = tableau(s)
        y = np.array([mpmath.mpf(x) for x in start], dtype=object)
        done = mpmath.mpf(10) ** -(digits + 4)
        mesh = [mpmath.mpf(t) for t in mesh]
        k = np.array([rates(y)] * s, dtype=object)
        for a, b in pairwise(mesh):
            y, k = _step(rates, slopes, y, b - a, A, k, done)
        return y


def _step(rates, slopes, y, h, A, k, done):
    """Newton's steps on all stages k at once; those of the step before are where they begin."""
    s, n = k.shape
    for _ in range(NEWTON_STEPS):
        at = y + h * (A @ k)
        left = k - np.array([rates(x) for x in at], dtype=object)
        J = np.zeros((s * n, s * n), dtype=object)
        for i, x in enumerate(at):
            slope = slopes(x)
            for j in range(s):
                J[i * n : i * n + n, j * n : j * n + n] = -h * A[i, j] * slope
        J[np.arange(s * n), np.arange(s * n)] += 1
        change = _solved(J, -left.ravel()).reshape(s, n)
        k = k + change
        if max(abs(x) for x in (h * (A @ change)).ravel()) < done:
            return y + h * (A[-1] @ k), k
    raise ArithmeticError(f"no convergence in a step of {mpmath.nstr(h, 5)}")


def _solved(J, right):
    """Gaussian elimination with pivots, rows at once."""
    W = np.concatenate([J, right[:, None]], axis=1)
    n = len(W)
    for i in range(n):
        p = i + max(range(n - i), key=lambda r: abs(W[i + r, i]))
        W[[i, p]] = W[[p, i]]
        W[i, i:] = W[i, i:] / W[i, i]
        rows = [r for r in range(i + 1, n) if W[r, i]]
        if rows:
            W[rows, i:] -= W[rows, i][:, None] * W[i, i:]
    x = W[:, n].copy()
    for i in range(n - 2, -1, -1):
        x[i] = x[i] - W[i, i + 1 : n] @ x[i + 1 :]
    return x
