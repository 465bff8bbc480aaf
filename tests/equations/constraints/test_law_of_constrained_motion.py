"""Law: a and λ of constrained systems are the least-squares solution of the n + k equations.

M is positive semidefinite, at some states or at all; rows are independent or not, in units that
differ, and may move. λ is the one of least norm, which is what least squares gives.
"""

import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.errors import ArgumentError

UNITS = ("0.001", "1", "1000")  # of rows, where some are redundant
RANK = 1e-9  # singular values below this share of the largest are zero


def coefficient(rng, q):
    """A number that depends on one or two coordinates, and may be zero at some."""
    x, y = rng.choice(q, 2)
    return int(rng.integers(-2, 3)) * rng.choice([1, sympy.sin(x), x, sympy.cos(x) * y, x - y])


def combinations(rng, q, v, number, first):
    """Linear combinations of velocities: one of each from the first on, and of some others."""
    sums = [
        sum((coefficient(rng, q) * x for x in v if rng.random() < 0.4), sympy.S.Zero)
        for _ in range(number)
    ]
    return [v[(first + i) % len(v)] + total for i, total in enumerate(sums)]


def constrained_system(rng):
    """T of fewer squares than coordinates, and rows that hold the others, some of them twice."""
    n = int(rng.integers(2, 5))
    q, t = list(sympy.symbols("a b c e")[:n]), sympy.Symbol("t")
    v = [sympy.Symbol(f"{x}d") for x in q]
    squares = int(rng.integers(1, n + 1))
    k = int(rng.integers(max(1, n - squares), n))
    T = sum(x**2 for x in combinations(rng, q, v, squares, 0)) / 2
    rows = combinations(rng, q, v, k, squares)
    rows = [row + sympy.sin(t) if rng.random() < 0.3 else row for row in rows]
    if rng.random() < 0.6:
        factors = rng.choice([-2, -1, 1, 2], k)
        rows.append(sum(int(c) * row for c, row in zip(factors, rows, strict=True)))
        rows = [sympy.Rational(rng.choice(UNITS)) * row for row in rows]
    V = 10 * q[0] + sum(x**2 for x in q) / 2
    return vv.Lagrangian(q, T, V, constraints=rows)


def condition(values):
    """The largest by the smallest of the singular values that are not zero."""
    return values[0] / values[values > RANK * values[0]][-1]


@pytest.mark.spread(50)
@pytest.mark.parametrize("seed", range(500))
def test_accelerations_and_multipliers_are_those_of_least_squares(seed):
    rng = np.random.default_rng(seed)
    try:
        s = constrained_system(rng)
    except ArgumentError:  # a row without velocities
        return
    n = s.nv
    state = {"q": rng.normal(size=n) * (rng.random() < 0.8), "tau": rng.normal(size=n)}
    state |= {"v": rng.normal(size=n), "t": float(rng.random())}

    def value(f):
        return np.asarray(f(**{name: state[name] for name in f.inputs}))

    M, A = value(s.mass_matrix), value(s.constraint_matrix)
    rows_at_hand = np.linalg.svd(A / np.linalg.norm(A, axis=1, keepdims=True).clip(1e-300))
    rank = int((rows_at_hand[1] > RANK).sum())
    admitted = rows_at_hand[2][rank:].T
    if rank < n and np.linalg.eigvalsh(admitted.T @ M @ admitted)[0] < 1e-3:  # not determined here
        return
    state["v"] = value(s.admitted_velocity)
    a, multipliers = value(s.forward_dynamics), value(s.multipliers)
    equations = np.block([[M, -A.T], [A, np.zeros((len(A), len(A)))]])
    right = np.concatenate([state["tau"] - value(s.bias_forces), -value(s.constraint_bias)])
    size = np.linalg.norm(equations, axis=1).clip(1e-300)  # rows of one size: a better condition
    u, values, w = np.linalg.svd(equations / size[:, None])
    kept = values > RANK * values[0]
    solution = w[kept].T @ ((u.T @ (right / size))[kept] / values[kept])
    condition_of_all = condition(values) * condition(np.linalg.svd(A, compute_uv=False))
    tolerance = min(1e-12 * condition_of_all, 1e-9)
    for one, other in ((a, solution[:n]), (multipliers, solution[n:])):
        np.testing.assert_allclose(one, other, rtol=0, atol=tolerance * (1 + abs(other).max()))
