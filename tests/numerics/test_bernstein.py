"""Polynomials in Bernstein form are what they were made of, and coefficients bound them."""

import numpy as np
import pytest

from visviva.numerics import bernstein

SHARES = np.linspace(0.0, 1.0, 41)


def polynomials(rng, count=20, degree=6, n=3):
    return rng.normal(size=(count, degree + 1, n))


def at(B, shares=SHARES):
    """Values (number of shares, polynomials, n)."""
    return np.array([bernstein.values(B, np.full(len(B), s)) for s in shares])


@pytest.mark.parametrize("powers", [((0, 0),), ((1, 0), (1, 1)), ((2, 3), (4, 0), (0, 5))])
def test_products_of_powers(powers):
    rows = bernstein.of_powers(powers)
    values = at(rows[:, :, None])[:, :, 0].T
    expected = [SHARES**a * (1 - SHARES) ** b for a, b in powers]
    np.testing.assert_allclose(values, expected, atol=1e-13)


def test_coefficients_bound_a_polynomial_and_begin_and_end_with_it():
    B = polynomials(np.random.default_rng(0))
    values = at(B)
    assert (values <= B.max(axis=1) + 1e-13).all()
    assert (values >= B.min(axis=1) - 1e-13).all()
    np.testing.assert_allclose(values[[0, -1]], B[:, [0, -1]].swapaxes(0, 1), atol=1e-14)


def test_halves_are_the_same_polynomial():
    B = polynomials(np.random.default_rng(1))
    first, second = (np.einsum("ij,kjn->kin", x, B) for x in bernstein.halving_matrices(6))
    np.testing.assert_allclose(at(first), at(B, SHARES / 2), atol=1e-13)
    np.testing.assert_allclose(at(second), at(B, 0.5 + SHARES / 2), atol=1e-13)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_part_before_a_share(share):
    (B,) = polynomials(np.random.default_rng(2), 1)
    part = bernstein.part_before(B, share)
    np.testing.assert_allclose(at(part[None]), at(B[None], share * SHARES), atol=1e-13)


@pytest.mark.parametrize("degree", [1, 2, 5, 8])
def test_a_polynomial_through_values_at_nodes(degree):
    """Also those of a lower degree; ends and, of an even degree, the middle are nodes exactly."""
    s, to_bernstein = bernstein.nodes(degree)
    assert (s[0], s[-1]) == (0.0, 1.0)
    assert degree % 2 or s[degree // 2] == 0.5
    B = polynomials(np.random.default_rng(3), 1, degree)
    values = at(B, s)[:, 0]
    np.testing.assert_allclose(to_bernstein @ values, B[0], atol=1e-10)


def test_powers_that_alternate():
    """s (F0 + (1 - s) (F1 + s (F2 + (1 - s) F3)))."""
    s, F = SHARES, np.array([0.3, -1.0, 2.0, 0.7])
    nested = s * (F[0] + (1 - s) * (F[1] + s * (F[2] + (1 - s) * F[3])))
    powers = bernstein.alternating_powers(4)
    np.testing.assert_allclose(
        sum(f * s**a * (1 - s) ** b for f, (a, b) in zip(F, powers, strict=True)), nested
    )
