"""Laws of constrained motion, on random trees with a loop of every closure.

1e-10 of the largest entry: A M⁻¹ Aᵀ squares the condition of A, of which 1e3 is let in.
"""

from itertools import islice

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.describe.joints.test_closures import ALL, held
from tests.equations.constraints.test_rows import rate
from tests.support.counts import count, examples
from tests.support.generators.loops import closed, joined, null_space
from tests.support.oracles.laws import agree, seeds, stated
from tests.support.oracles.oracle import Interpreted, mechanism, precise, slope
from visviva.equations.constraints import rows

TOLERANCE = 1e-10
WORST = 1e3


def looped(rng, names, size=5):
    """A random mechanism with springs, rotors and friction, and loops that hold at a position."""
    model = mechanism(rng, size)
    q = model.random(rng)
    for k, name in enumerate(names):
        a, b = (int(i) for i in rng.choice(size, 2, replace=False))
        frame = "floor" if rng.random() < 0.2 else f"frame{a}"
        ends = {"frame": frame, "on": f"body{b}", "held": held(name, rng), "end": f"end{k}"}
        model = joined(model, q, joint=ALL[name], **ends)
    return closed(model, q, rng)


def is_good(case):
    """Whether the condition of the rows, measured by kinetic energy, is a good one."""
    run = Interpreted(case.model)
    M, A = run("mass_matrix", case.q), run("constraint_matrix", case.q)
    s = np.linalg.svd(np.linalg.solve(np.linalg.cholesky(M), A.T))[1]
    s = s[s > 1e-9 * s.max(initial=0.0)]
    return s.max(initial=0.0) < WORST * s.min(initial=np.inf)


def check_laws(model, q, v, tau):
    run = Interpreted(model)
    M, A = run("mass_matrix", q), run("constraint_matrix", q)
    h, bias = run("bias_forces", q, v), run("constraint_bias", q, v)
    a = run("forward_dynamics", q, v, tau)
    lam, forces = run("multipliers", q, v, tau), run("constraint_forces", q, v, tau)
    P, Pu = run("projection", q), run("force_projection", q)
    N, one = null_space(A), np.eye(model.nv)
    # what a locked mechanism would do without its rows says how large a rounding error is
    free = np.linalg.solve(M, tau - h)
    parts = {"a": [a, free], "forces": [forces, tau - h], "M": M, "A": A}
    sizes = {name: np.abs(x).max() for name, x in parts.items()}

    # A v + a0 = 0 stays: its rate, by derivatives of A v alone
    drift = rate(model, lambda q, t: rows.constraint_velocity(model, q, v, t), q, v)
    scale = sizes["A"] * sizes["a"] + np.abs(drift).max()
    agree(A @ a + drift, np.zeros(len(A)), TOLERANCE, scale)
    # the equation of motion, and forces without work on motions that the rows admit
    agree(M @ a + h, tau + forces, TOLERANCE, sizes["M"] * sizes["a"])
    agree(A.T @ lam, forces, TOLERANCE, sizes["forces"])
    agree(N.T @ forces, np.zeros(N.shape[1]), TOLERANCE, sizes["forces"])
    agree(forces @ v, 0.0, TOLERANCE, sizes["forces"] * (1 + np.abs(v).max()))
    # projections
    size = max(1.0, np.abs(P).max())
    agree(P @ P, P, TOLERANCE, size**2)
    agree(Pu, P.T, 0.0)
    agree(Pu @ A.T, 0 * A.T, TOLERANCE, size * sizes["A"])
    agree(P @ N, N, TOLERANCE, size)
    agree(P.T @ M @ (one - P), 0 * M, TOLERANCE, size**2 * sizes["M"])
    # n + k equations, null space and projections are one motion
    k = len(A)
    system = np.block([[M, -A.T], [A, np.zeros((k, k))]])
    x = np.linalg.lstsq(system, np.concatenate([tau - h, -bias]), rcond=1e-11)[0]
    agree(a, x[: model.nv], TOLERANCE, sizes["a"])
    agree(lam, x[model.nv :], TOLERANCE, np.abs(x).max())  # both of least norm
    start = -np.linalg.pinv(A, rcond=1e-9) @ bias
    own = np.linalg.solve(N.T @ M @ N, N.T @ (tau - h - M @ start))
    agree(a, start + N @ own, TOLERANCE, sizes["a"])
    projected = P @ free + (one - P) @ start
    agree(a, projected, TOLERANCE, sizes["a"] + np.abs(start).max())
    # what goes in is stored or lost
    power = tau @ v - run("dissipation_forces", q, v) @ v
    kinetic, potential = stated(model, "kinetic_energy"), stated(model, "potential_energy")
    x, u, w = precise(q), precise(v), precise(a)

    def energy(t):
        there = model.integrate(x, u * t)
        return kinetic(there, u + w * t) + potential(there)

    agree(slope(energy), power, TOLERANCE, sizes["M"] * sizes["a"] * (1 + np.abs(v).max()))


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", ALL)
def test_laws_of_one_loop(name):
    cases = (looped(np.random.default_rng(seed), [name]) for seed in range(1000))
    good = (x for x in cases if is_good(x))
    for case in islice(good, count(1, 100)):
        check_laws(*case)


@pytest.mark.spread(0)
@examples(4, 300)
@given(seeds, st.lists(st.sampled_from(sorted(ALL)), min_size=2, max_size=3))
def test_laws_of_several_loops(seed, names):
    case = looped(np.random.default_rng(seed), names)
    assume(is_good(case))
    check_laws(*case)
