"""Every mechanism of the catalog that is held: three roads to its motion, and the laws of it."""

from itertools import product

import numpy as np
import pytest

from tests.support.counts import count
from tests.support.generators.held import BODIES, ENERGIES, admitted_basis, state
from tests.support.oracles.laws import stated
from tests.support.oracles.oracle import precise, slope

SYSTEMS = [*BODIES, *ENERGIES]
CASES = [*product(SYSTEMS, range(count(1, 20)))]


@pytest.mark.spread(4)
@pytest.mark.parametrize(("key", "seed"), CASES)
def test_multipliers_projection_and_null_space_are_one_motion(key, seed):
    """To 1e-10; λ of redundant rows are not unique, accelerations and Aᵀ λ are."""
    numbers, q, v, tau = state(key, seed)
    assert np.abs(numbers.error(q)).max(initial=0.0) < 1e-12
    M, h = numbers.stated("mass_matrix", q), numbers.stated("bias_forces", q, v)
    A, beta = numbers.matrix(q), numbers.bias(q, v)
    a = numbers.motion("forward_dynamics", q, v, tau)
    lam = numbers.motion("multipliers", q, v, tau)
    N, inverse = admitted_basis(A)
    start = -inverse @ beta
    free = start + N @ np.linalg.solve(N.T @ M @ N, N.T @ (tau - h - M @ start))
    close = {"atol": 1e-10 * (1 + np.abs(free).max())}
    np.testing.assert_allclose(a, free, **close)
    forces = {"atol": 1e-10 * (1 + np.abs(A.T @ lam).max() + np.abs(tau - h).max())}
    np.testing.assert_allclose(A.T @ lam, M @ free + h - tau, **forces)
    P = numbers.motion("projection", q)
    projected = P @ np.linalg.solve(M, tau - h) + start - P @ start  # any start with A a + β = 0
    np.testing.assert_allclose(a, projected, **close)


@pytest.mark.spread(4)
@pytest.mark.parametrize(("key", "seed"), CASES)
def test_constraints_stay_and_do_no_virtual_work(key, seed):
    numbers, q, v, tau = state(key, seed)
    A, drift = numbers.matrix(q), numbers.drift(q)
    a = numbers.motion("forward_dynamics", q, v, tau)
    forces = numbers.motion("constraint_forces", q, v, tau)
    N, _ = admitted_basis(A)
    scale = 1 + np.abs(forces).max() + np.abs(a).max() + np.abs(v).max() ** 2
    np.testing.assert_allclose(A @ v + drift, 0, atol=1e-11 * scale)
    np.testing.assert_allclose(A @ a + numbers.bias(q, v), 0, atol=1e-10 * scale)
    np.testing.assert_allclose(N.T @ forces, 0, atol=1e-10 * scale)
    lam = numbers.motion("multipliers", q, v, tau)
    power = v @ numbers.stated("inverse_dynamics", q, v, a)  # how fast the energy grows
    np.testing.assert_allclose(power, v @ tau - lam @ drift, atol=1e-10 * scale * (1 + abs(power)))


@pytest.mark.spread(8)
@pytest.mark.parametrize("key", SYSTEMS)
def test_the_bias_is_how_the_rows_change_along_a_motion(key):
    """β by central differences of A v + a₀ along q' = v, v constant."""
    numbers, q, v, _ = state(key, 3)
    step = 1e-5

    def rate(x):
        at = numbers.system.integrate(q, x * v)
        return numbers.matrix(at) @ v + numbers.drift(at)

    slope = (rate(step) - rate(-step)) / (2 * step)
    scale = 1 + np.abs(v).max() ** 2
    np.testing.assert_allclose(numbers.bias(q, v), slope, atol=1e-6 * scale)  # differences


@pytest.mark.spread(1)
@pytest.mark.parametrize("key", ["four_bar", "bennett"])
def test_derivatives_of_motion_and_multipliers_are_slopes(key):
    """Through the solve, against differences of 50 digits along a random change of q, v and τ."""
    numbers, q, v, tau = state(key, 5)
    s, rng = numbers.system, np.random.default_rng(5)
    ways = [rng.normal(size=s.nv) for _ in range(3)]
    x, u, w = precise(q), precise(v), precise(tau)
    for name in ("forward_dynamics", "multipliers"):
        f, J = stated(s, name), getattr(s, name).jacobian("q", "v", "tau")(q, v, tau)

        def along(t, f=f):
            return f(s.integrate(x, ways[0] * t), u + ways[1] * t, w + ways[2] * t)

        wanted = slope(along)
        got = sum(D @ way for D, way in zip(J, ways, strict=True))
        np.testing.assert_allclose(got, wanted, atol=1e-9 * (1 + np.abs(wanted).max()))


DRIVEN = {"stewart": 6, "delta": 3, "four_bar": 1, "five_bar": 2, "andrews": 1, "bird_leg": 2}


@pytest.mark.spread(3)
@pytest.mark.parametrize("key", DRIVEN)
def test_drives_do_what_a_motion_needs(key):
    """Forces of the drives that make a motion are found again, and their power is all there is."""
    numbers, q, v, _ = state(key, 4)
    T = numbers.stated("actuator_map", q)
    assert T.shape == (numbers.system.nv, DRIVEN[key])
    f = np.random.default_rng(4).normal(size=DRIVEN[key])
    a = numbers.motion("forward_dynamics", q, v, T @ f)
    scale = 1 + np.abs(a).max() + np.abs(v).max() ** 2
    needed = numbers.motion("actuator_forces", q, v, a)
    np.testing.assert_allclose(needed, f, atol=1e-9 * scale)  # Tᵀ T squares the condition
    power = v @ numbers.stated("inverse_dynamics", q, v, a)
    np.testing.assert_allclose(power, (T.T @ v) @ f, atol=1e-10 * scale * (1 + abs(power)))
