"""Functions written as polynomials: 2 ulp everywhere, against 80-bit floats and mpmath."""

import math
from functools import cache

import mpmath
import numpy as np
import pytest

import visviva as vv
from tests.support.counts import count
from tools.elementary_fits import FITS, fit
from visviva.algebra.scalars import numpy_name
from visviva.machine.code.cpu import host
from visviva.machine.code.elementary import arcs, exponential, hyperbolic

MOST_ULP = {  # a little more than was seen over 5·10⁶ arguments each; 2 is what is promised
    "tan": 1.1,
    "atan": 1.4,
    "atan2": 1.7,
    "asin": 0.8,
    "acos": 0.8,
    "exp": 1.2,
    "log": 1.0,
    "sinh": 1.75,
    "cosh": 1.65,
    "tanh": 1.6,
}
if not host().has_fma:  # all of them are the C library's; glibc's tanh is off by up to 2.1 ulp
    MOST_ULP = dict.fromkeys(MOST_ULP, 2.0) | {"tanh": 2.2}
# where each is looked at: (low, high) evenly, and sizes 2^low to 2^high with both signs
EVENLY = {
    "tan": [(-0.8, 0.8), (-10, 10), (-1e5, 1e5)],
    "atan": [(-1.1, 1.1), (0.49, 0.56), (-50, 50)],
    "asin": [(-1, 1), (0.49, 0.53)],
    "acos": [(-1, 1), (-0.53, -0.47), (0.47, 0.53)],
    "exp": [(-0.4, 0.4), (-30, 30), (-708, 709.7), (-746, -707)],
    "log": [(0.5, 2), (0.98, 1.02), (0, 1e3)],
    "sinh": [(-1.1, 1.1), (1, 3), (-20, 20), (700, 710.4)],
    "cosh": [(-1.1, 1.1), (1, 3), (-20, 20), (700, 710.4)],
    "tanh": [(-0.7, 0.7), (0.55, 0.7), (-5, 5), (-25, 25)],
}
SIZES = {
    "tan": (-1074, 16.6),
    "atan": (-1074, 1024),
    "asin": (-1074, 0),
    "acos": (-1074, 0),
    "exp": (-1074, 9.4),
    "log": (-1074, 1024),
    "sinh": (-1074, 9.4),
    "cosh": (-1074, 9.4),
    "tanh": (-1074, 6),
}
# where a formula ends and another begins, and where results are special
BREAKS = {
    "tan": [k * math.pi / 4 for k in (1, 2, 3, 4, 5, 6, 63661, 127323)],
    "atan": [1.0, math.tan(math.pi / 8), 2.0**-1000, 2.0**1000],
    "asin": [0.5, 1.0],
    "acos": [0.5, 1.0],
    "exp": [k * math.log(2) / 2 for k in (1, 3, 5, 2041, 2043, 2045)] + [708.4, 745.13],
    "log": [math.sqrt(0.5), math.sqrt(2), 1.0, 2.0, 2.0**-1022, 1e308],
    "sinh": [1.0, 710.475],
    "cosh": [math.log(2) / 2, 710.475],
    "tanh": [0.6, 22.0, 19.06],
}
has_extended = pytest.mark.skipif(
    np.finfo(np.longdouble).nmant < 63, reason="needs 80-bit floats as the fast reference"
)


@cache
def compiled(name):
    function = getattr(vv.generic, name)
    if name == "atan2":
        return vv.function(lambda y, x: function(y, x), {"y": (), "x": ()})
    return vv.function(lambda x: function(x), {"x": ()})


def sizes(rng, low, high, n):
    return rng.choice([-1, 1], n) * np.exp2(rng.uniform(low, high, n))


def arguments(name, n, seed=0):
    """n arguments from every range, and those around the breaks."""
    rng = np.random.default_rng(seed)
    if name == "atan2":
        usual, wide = rng.normal(size=(2, n)), [sizes(rng, -1074, 1024, n) for _ in range(2)]
        tiny, huge = (
            [sizes(rng, *ends, n) for _ in range(2)] for ends in [(-1074, -990), (990, 1024)]
        )
        thin = [usual[0], usual[0] * (1 + sizes(rng, -52, -1, n))]  # near diagonals and axes
        return tuple(np.concatenate(x) for x in zip(usual, wide, tiny, huge, thin, strict=True))
    parts = [rng.uniform(low, high, n) for low, high in EVENLY[name]]
    parts.append(sizes(rng, *SIZES[name], n))
    steps = np.arange(-20, 21)
    for x in BREAKS[name]:
        near = np.concatenate([x + steps * np.spacing(x), x * (1 + sizes(rng, -50, -10, n // 10))])
        parts += [near, -near]
    x = np.concatenate(parts)
    if name == "tan":  # where most of an angle is taken off
        x = np.concatenate([x, rng.integers(1, 63662, n) * (math.pi / 2)])
    if name in ("asin", "acos"):
        x = x[np.abs(x) <= 1]
        x = np.concatenate([x, 1 - np.exp2(rng.uniform(-53, -1, n))])
    return (np.abs(x) if name == "log" else x,)


def ulp_errors(results, exact):
    """In units of the last place of the exact result, which is in extended precision."""
    near = exact.astype(float)
    assert np.isfinite(near).all()
    return np.abs(results.astype(np.longdouble) - exact) / np.spacing(np.abs(near))


def is_finite_for(name, xs):
    """Whether doubles hold the result; and mpmath's exponents do where it is a zero."""
    with np.errstate(over="ignore"):
        return np.isfinite(getattr(np, numpy_name(name))(*xs))


def exact_error(name, result, *xs):
    """One of them by mpmath, whose digits are many more than the result has."""
    with mpmath.workprec(200):
        true = getattr(mpmath, name)(*(mpmath.mpf(float(x)) for x in xs))
        return float(abs(mpmath.mpf(float(result)) - true) / math.ulp(float(true)))


@pytest.mark.spread(4)
@has_extended
@pytest.mark.soak
@pytest.mark.parametrize("name", MOST_ULP)
def test_functions_are_within_two_ulp(name):
    """Dense, by 80-bit floats; the worst ones once more, by mpmath."""
    xs = arguments(name, count(20_000, 1_000_000))
    xs = [x[is_finite_for(name, xs)] for x in xs]
    results = compiled(name)(*xs)
    exact = getattr(np, numpy_name(name))(*(x.astype(np.longdouble) for x in xs))
    errors = ulp_errors(results, exact)
    assert errors.max() <= MOST_ULP[name]
    worst = np.argsort(errors)[-20:]
    for i in worst:
        assert exact_error(name, results[i], *(x[i] for x in xs)) <= MOST_ULP[name]


@pytest.mark.soak
@pytest.mark.parametrize("name", MOST_ULP)
def test_functions_are_within_two_ulp_by_many_digits(name):
    xs = arguments(name, count(60, 20_000), seed=1)
    xs = [x[is_finite_for(name, xs)] for x in xs]
    for result, *at in zip(compiled(name)(*xs), *xs, strict=True):
        assert exact_error(name, result, *at) <= MOST_ULP[name], at


@pytest.mark.parametrize("name", sorted(MOST_ULP))
def test_derivatives_are_those_of_the_function(name):
    f = compiled(name)
    slope = f.jacobian(*f.inputs)
    for at in (0.3, 0.7):
        xs = [at, 0.4][: len(f.inputs)]
        true = [
            mpmath.diff(
                getattr(mpmath, name), tuple(xs), tuple(int(i == k) for i in range(len(xs)))
            )
            for k in range(len(xs))
        ]
        np.testing.assert_allclose(np.ravel(slope(*xs)), [float(x) for x in true], rtol=1e-14)


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", FITS)
def test_the_polynomials_are_what_the_tool_prints(name):
    """Their errors, weighed as they count in the result, are below a tenth of an ulp."""
    coefficients = next(
        getattr(x, name) for x in (arcs, exponential, hyperbolic) if hasattr(x, name)
    )
    assert fit(name) == coefficients
    f, low, high, _ = FITS[name]
    with mpmath.workdps(40):
        for i in range(1, 201):
            x = low + (high - low) * (i - mpmath.mpf("0.5")) / 200
            off = mpmath.polyval([mpmath.mpf(c) for c in reversed(coefficients)], x) - f(x)
            assert abs(off * x ** (2 if name == "EXP" else 1)) < 1e-17


def test_logarithms_of_two_in_parts():
    with mpmath.workdps(60):
        for parts, off in ((exponential.LN2, 2.0**-107), (exponential.LN2_SHORT, 2.0**-85)):
            assert abs(sum(map(mpmath.mpf, parts)) - mpmath.log(2)) < off
    assert math.ldexp(exponential.LN2_SHORT[0], 53 - 11).is_integer()  # so are 11 bits times it
