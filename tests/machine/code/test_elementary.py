"""Sine and cosine: 2 ulp for |x| ≤ 1e5, the C library beyond; what is left to it besides."""

import math

import mpmath
import numpy as np
import pytest

import visviva as vv
from tests.support.counts import count
from visviva.algebra.scalars import numpy_name
from visviva.machine.code.cpu import Cpu
from visviva.machine.code.elementary import circle
from visviva.machine.code.elementary.definitions import definitions


@pytest.fixture(scope="module")
def sincos():
    return vv.function(lambda x: vv.generic.sincos(x), {"x": ()})


def ulp_error(results, exact):
    """Errors in units of the last place; `exact` in extended precision."""
    spacing = np.spacing(np.abs(exact).astype(float)).astype(np.longdouble)
    return float(np.max(np.abs(results.astype(np.longdouble) - exact) / spacing))


has_extended = pytest.mark.skipif(
    np.finfo(np.longdouble).nmant < 63, reason="needs 80-bit floats as the fast reference"
)


@has_extended
@pytest.mark.soak
@pytest.mark.parametrize("size", [1e-300, 1e-8, 1e-3, 0.8, 3.2, 50.0, 1e3, 1e5])
def test_sincos_is_within_two_ulp(sincos, size):
    n = count(100_000, 5_000_000)
    x = np.random.default_rng(1).uniform(-size, size, n)
    reference = x.astype(np.longdouble)
    s, c = sincos(x)
    assert ulp_error(s, np.sin(reference)) <= 2
    assert ulp_error(c, np.cos(reference)) <= 2


@pytest.mark.soak
def test_sincos_next_to_multiples_of_half_pi(sincos):
    """Where the reduction cancels most, against 50 digits."""
    ks = np.random.default_rng(2).integers(-63661, 63662, count(300, 20_000))
    x = np.concatenate([np.arange(-40, 41), ks]) * (np.pi / 2)
    x = np.concatenate([x, np.nextafter(x, np.inf), np.nextafter(x, -np.inf)])
    x = x[np.abs(x) <= circle.LARGEST_ANGLE]
    for result, exact in zip(sincos(x), (mpmath.sin, mpmath.cos), strict=True):
        with mpmath.workdps(50):
            for xi, yi in zip(x, result, strict=True):
                true = exact(mpmath.mpf(float(xi)))
                assert abs(mpmath.mpf(float(yi)) - true) <= 2 * math.ulp(float(true))


def test_beyond_the_reduction_the_c_library_answers(sincos):
    x = np.array([1.1e5, 1e10, 1e22, -3e300, 0.5, 2.0, 1e5, 7.0, 8.0])
    s, c = sincos(x)
    np.testing.assert_allclose(s, [math.sin(v) for v in x], rtol=4.5e-16)
    np.testing.assert_allclose(c, [math.cos(v) for v in x], rtol=4.5e-16)


def test_a_lane_never_depends_on_its_neighbours(sincos):
    x = np.random.default_rng(5).uniform(-100, 100, 8000)
    alone = sincos(x)
    far = x.copy()
    far[::8] = 1e6
    far[3::16] = np.inf
    near = np.abs(far) < 1e5
    for a, b in zip(alone, sincos(far), strict=True):
        np.testing.assert_array_equal(a[near], b[near])


def test_special_values(sincos):
    s, c = sincos(np.array([0.0, -0.0, np.nan, np.inf, -np.inf]))
    np.testing.assert_array_equal(np.isnan(s), [False, False, True, True, True])
    np.testing.assert_array_equal(np.isnan(c), [False, False, True, True, True])
    assert (s[:2] == 0).all()
    assert (c[:2] == 1).all()


def test_the_polynomials_are_what_the_comment_says():
    with mpmath.workdps(40):
        for i in range(201):
            z = (mpmath.pi / 4) ** 2 * i / 200
            sine = sum((-1) ** (k + 1) * z**k / mpmath.fac(2 * k + 3) for k in range(20))
            cosine = sum((-1) ** k * z**k / mpmath.fac(2 * k + 4) for k in range(20))
            for coefficients, exact in ((circle.SIN, sine), (circle.COS, cosine)):
                fit = mpmath.polyval([mpmath.mpf(c) for c in reversed(coefficients)], z)
                assert abs(fit - exact) < 4e-17


def test_half_pi_in_three_parts():
    with mpmath.workdps(60):
        parts = [mpmath.mpf(part) for part in circle.HALF_PI]
        assert abs(sum(parts) - mpmath.pi / 2) < mpmath.mpf(10) ** -48


RANGES = {
    "sqrt": (0, 1e9)
}  # of functions that are no polynomials of ours, if they have one argument


@has_extended
@pytest.mark.soak
@pytest.mark.parametrize("name", RANGES)
def test_other_functions_are_within_two_ulp(name):
    low, high = RANGES[name]
    x = np.random.default_rng(3).uniform(low, high, count(20_000, 1_000_000))
    exact = getattr(np, numpy_name(name))(x.astype(np.longdouble))
    f = vv.function(lambda x: getattr(vv.generic, name)(x), {"x": ()})
    assert ulp_error(f(x), exact) <= 2


@has_extended
@pytest.mark.soak
def test_powers_are_within_two_ulp():
    rng, n = np.random.default_rng(4), count(20_000, 1_000_000)
    base, power = rng.uniform(0, 30, n), 20 * rng.normal(size=n)
    f = vv.function(lambda a, b: a**b, {"a": (), "b": ()})
    assert ulp_error(f(base, power), base.astype(np.longdouble) ** power) <= 2


def test_lanes_that_agree_take_one_call_with_the_same_result():
    f = vv.function(lambda x: x**2.7, {"x": ()})
    x = np.linspace(0, 1, 16)
    np.testing.assert_array_equal(f(x), [f(np.full(8, v))[3] for v in x])


def test_without_fused_multiply_add_the_c_library_computes_both():
    text = definitions({"sincos"}, 2, Cpu("x86_64-linux-gnu", "x86-64", "+sse2"))
    assert "@vv.libm.sin(" in text
    assert "llvm.fma" not in text
