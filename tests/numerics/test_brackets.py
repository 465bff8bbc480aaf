"""Changes of sign are found between two points, many at once, on the side that was asked for."""

import numpy as np
import pytest

from visviva.numerics.brackets import find_roots

EPS = np.finfo(float).eps


@pytest.mark.parametrize("is_past", [False, True])
def test_roots_of_many_functions_at_once(is_past):
    """Steep, flat and curved ones of both signs: each to the last digits."""
    rng = np.random.default_rng(0)
    roots = rng.uniform(0.05, 0.95, 500)
    steep, side = 10.0 ** rng.uniform(-6, 6, 500), rng.choice([-1.0, 1.0], 500)
    kinds = (lambda x: x, np.tanh, np.expm1, lambda x: x**3, np.cbrt)

    def f(k, x):
        y = side[k] * steep[k] * (x - roots[k])
        return np.choose(k % len(kinds), [kind(np.clip(y, -500, 500)) for kind in kinds])

    x = find_roots(f, np.zeros(500), np.ones(500), side, is_past=is_past)
    # what is flat, as x³, is zero to rounding beside its root
    assert (np.abs(x - roots) <= np.where(np.arange(500) % 5 == 3, 1e-6, 4 * EPS)).all()
    if is_past:
        assert (f(np.arange(500), x) * side >= 0).all()


def test_brackets_may_be_the_other_way_round_and_as_wide_as_is_enough():
    one = np.ones(1)
    x = find_roots(lambda k, x: 2.0 - x**2, 2 * one, 1 * one, one)
    np.testing.assert_allclose(x, 2**0.5, rtol=2 * EPS)
    calls = []
    find_roots(lambda k, x: calls.append(k) or x**2 - 2.0, one, 2 * one, one, width=1e-2)
    assert len(calls) < 8


def test_a_jump_and_what_is_not_finite():
    """A jump is where it is; a curve that ends counts as beyond its change there."""
    low, high, side = np.zeros(1), np.ones(1), np.ones(1)
    jump = find_roots(lambda k, x: np.where(x < 0.3, -1.0, 1.0), low, high, side, is_past=True)
    assert 0.3 <= jump[0] <= 0.3 * (1 + 4 * EPS)
    with np.errstate(invalid="ignore"):
        end = find_roots(lambda k, x: -np.sqrt(0.7 - x) - 0.1, low, high, side)
    np.testing.assert_allclose(end, 0.7, rtol=4 * EPS)


def test_without_a_change_it_is_an_end():
    """To rounding: a value that is past it already at the low end, or never."""
    low, high, side = np.zeros(1), np.ones(1), np.ones(1)
    assert find_roots(lambda k, x: x + 1.0, low, high, side)[0] == 0.0
    assert find_roots(lambda k, x: x - 2.0, low, high, side)[0] == 1.0
