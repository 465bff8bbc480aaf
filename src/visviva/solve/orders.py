"""Whether a motion of first order goes on to a higher one.

A motion q(t) = q + t v + ½ t² a + … of first order has A v = 0. It goes on to second order if
some a has A a + β(v) = 0, where β is quadratic in v: if W β(v) = 0 for all W with W A = 0. With one
direction v the next orders follow one after the other, each from the coefficient of its power of t
in φ; several directions are left at the second.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.machine.program.interpret import interpret
from visviva.solve.certificate import near
from visviva.solve.rows import Rows

BLOCKED = 1e-6  # of W β(v) to the size of β: rounding leaves some
HIGHEST = 6
DIGITS = 60


def second_orders(rows: Rows, q: Array, N: Array) -> list[tuple[float, Array]]:
    """Where |W β(v)| is smallest over first-order motions v = N x of length one, and how small.

    It is zero where a motion goes on to second order; the smallest come first.
    """
    places = list(rows.places)
    bias = rows.system.constraint_bias
    more = (rows.t,) if "t" in bias.inputs else ()

    def beta(v: Array) -> Array:
        whole = np.zeros(rows.system.nv)
        whole[rows.free] = v
        return np.asarray(bias(q, whole, *more))[places]

    W = _left_null_space(rows.slope(q))
    f = N.shape[1]
    B = np.zeros((len(places), f, f))
    for i in range(f):
        for j in range(i + 1):
            both = beta(N[:, i] + N[:, j]) - beta(N[:, i]) - beta(N[:, j])
            B[:, i, j] = B[:, j, i] = both / 2
    Q = np.einsum("ka,aij->kij", W, B)
    scale = max(float(np.abs(B).max(initial=0.0)), 1e-300)
    rng = np.random.default_rng(0)
    least: list[tuple[float, Array]] = []
    for start in (*np.eye(f), *rng.normal(size=(12 * f if f > 1 else 0, f))):
        x = _least(Q, start / np.linalg.norm(start))
        size = float(np.linalg.norm(np.einsum("kij,i,j->k", Q, x, x))) / scale
        v = N @ x
        if all(abs(v @ w) < 1 - 1e-4 for _, w in least):
            least.append((size, v))
    return sorted(least, key=lambda pair: pair[0])


def _least(Q: Array, x: Array) -> Array:
    """Gauss–Newton for Q(x, x) = 0 on the sphere."""
    for _ in range(40):
        value = np.einsum("kij,i,j->k", Q, x, x)
        slope = 2 * np.einsum("kij,i->kj", Q, x)
        A = np.vstack([slope, x])
        step = -np.linalg.lstsq(A, np.append(value, 0.0), rcond=1e-10)[0]
        new = x + step * min(1.0, 0.3 / max(float(np.linalg.norm(step)), 1e-300))
        x = new / np.linalg.norm(new)
    return x


def _left_null_space(slope: Array) -> Array:
    """Combinations (rows) of the rows that are zero."""
    U, sizes, _ = np.linalg.svd(slope)
    rank = int((sizes > 1e-7 * sizes.max(initial=0.0)).sum())
    return np.asarray(U[:, rank:].T)


def blocked_order(rows: Rows, q: Array, v: Array) -> int:
    """The order at which the only direction v does not go on; 0 if none up to `HIGHEST` does."""
    mpmath: Any = import_module("mpmath")

    phi = near(rows, "constraint_error").program
    A = rows.slope(q)
    W, back = _left_null_space(A), np.linalg.pinv(A, rcond=1e-7)
    parts: list[Array] = [v]

    def along(t: Any) -> list[Any]:
        step = sum((x * t ** (k + 1) for k, x in enumerate(parts)), start=v * t * 0)
        return interpret(phi, [*map(mpmath.mpf, q), *step], mpmath.mpf)

    with mpmath.workdps(DIGITS):
        for order in range(2, HIGHEST + 1):
            rest = np.array([float(x) for x in _coefficient(along, order)])
            size = max(float(np.abs(rest).max(initial=0.0)), 1.0)
            if float(np.abs(W @ rest).max(initial=0.0)) > BLOCKED * size:
                return order
            parts.append(np.array([mpmath.mpf(x) for x in -back @ rest], dtype=object))
    return 0


def _coefficient(f: Any, order: int) -> list[Any]:
    """Of t to this power in f(t), by differences with many digits."""
    mpmath: Any = import_module("mpmath")

    h = mpmath.mpf(10) ** (-DIGITS // (2 * order))
    points = range(-order, order + 1)
    nodes = [f(h * k) for k in points]
    powers = mpmath.matrix([[mpmath.mpf(k) ** p for p in range(len(nodes))] for k in points])
    weights = mpmath.lu_solve(powers.T, _unit(order, len(nodes)))
    return [
        mpmath.fsum(w * y[i] for w, y in zip(weights, nodes, strict=True)) / h**order
        for i in range(len(nodes[0]))
    ]


def _unit(k: int, n: int) -> Any:
    mpmath: Any = import_module("mpmath")

    e = mpmath.zeros(n, 1)
    e[k] = 1
    return e
