"""Rank by one stated tolerance, and signs that are certain."""

import numpy as np
import pytest

from visviva.numerics.rank import CLEAR, RELATIVE, signs, smallest_singular_value, split


def graded(rng, sizes, m, n):
    """A matrix with these singular values."""
    U = np.linalg.qr(rng.normal(size=(m, m)))[0][:, : len(sizes)]
    V = np.linalg.qr(rng.normal(size=(n, n)))[0][:, : len(sizes)]
    return U * sizes @ V.T


@pytest.mark.parametrize(
    ("sizes", "rank", "is_clear"),
    [
        ([1.0, 0.5, 0.1], 3, True),
        ([1.0, 1e-3, 1e-14], 2, True),
        ([1e6, 10.0, 1e-9], 2, True),  # 1e-15 of the largest is rounding
        ([1.0, 1e-8, 1e-14], 2, False),  # ten times the tolerance: another would say otherwise
        ([1.0, 1e-5, 2e-10], 2, True),
        ([1.0, 1e-10, 1e-14], 1, True),
        ([1e-30, 1e-31], 2, True),  # the size of all of it says nothing
    ],
)
def test_rank_of_graded_matrices(sizes, rank, is_clear):
    for seed in range(20):
        found = split(graded(np.random.default_rng(seed), sizes, 4, 5))
        assert found.rank == rank
        assert found.is_clear == is_clear


def test_the_null_space_is_orthonormal_and_belongs_to_the_matrix():
    rng = np.random.default_rng(0)
    for m, n, rank in ((4, 6, 3), (6, 4, 4), (5, 5, 2), (3, 3, 0)):
        A = graded(rng, np.linspace(1.0, 2.0, rank), m, n)
        found = split(A, noise=1e-12)
        assert found.rank == rank
        N = found.null_space
        assert N.shape == (n, n - rank)
        np.testing.assert_allclose(A @ N, 0.0, atol=1e-14)
        np.testing.assert_allclose(N.T @ N, np.eye(n - rank), atol=1e-14)
        b = rng.normal(size=m)
        np.testing.assert_allclose(found.solve(b), np.linalg.pinv(A, 1e-9) @ b, atol=1e-13)


def test_rows_of_other_units_count_alike_and_noise_does_not_count():
    A = np.diag([1e9, 1.0, 1e-3])  # newtons per metre, …
    assert split(A).rank == 1
    assert split(A, unit_rows=True, relative=1e-13).rank == 3
    assert split(A, noise=0.5, relative=1e-15).rank == 2
    assert split(np.zeros((2, 3))).rank == 0
    assert split(np.zeros((0, 3))).null_space.shape == (3, 3)


def test_the_tolerance_and_the_gap_are_the_ones_that_are_stated():
    assert split(np.diag([1.0, 2 * RELATIVE])).rank == 2
    assert split(np.diag([1.0, RELATIVE / 2])).rank == 1
    assert split(np.diag([1.0, 2 * CLEAR * RELATIVE])).is_clear
    assert not split(np.diag([1.0, CLEAR * RELATIVE / 2])).is_clear


def test_signs_that_are_certain():
    assert signs(np.diag([1e17, -1.0])) == (1, 0, 1)  # a weak direction beside a stiff one
    assert signs(np.zeros((2, 2))) == (0, 2, 0)
    assert signs(np.diag([2.0, 1.0]), 0.25) == (2, 0, 0)
    assert signs(np.diag([2.0, 0.1]), 0.5) == (0, 2, 0)
    assert signs(np.diag([-1.0, -3.0]), 4.0) == (0, 2, 0)


def test_signs_hold_for_every_matrix_within_the_radius():
    rng = np.random.default_rng(1)
    for _ in range(300):
        n = int(rng.integers(1, 5))
        A = rng.normal(size=(n, n)) * 10.0 ** rng.integers(-3, 3, n)
        A, radius = A + A.T, 10.0 ** rng.uniform(-6, 0)
        above, _, below = signs(A, radius)
        for _ in range(10):
            off = rng.uniform(-radius, radius, A.shape)
            values = np.linalg.eigvalsh(A + np.triu(off) + np.triu(off, 1).T)
            assert (values > 0).sum() >= above
            assert (values < 0).sum() >= below


def test_no_matrix_within_the_radius_has_a_smaller_singular_value():
    rng = np.random.default_rng(2)
    for _ in range(100):
        A, radius = rng.normal(size=(4, 3)), 10.0 ** rng.uniform(-6, -1)
        least = smallest_singular_value(A, radius)
        for _ in range(10):
            near = A + rng.choice([-radius, radius], A.shape)
            assert np.linalg.svd(near, compute_uv=False)[-1] >= least
    assert smallest_singular_value(np.diag([1.0, 1e-3]), 1e-2) == 0.0
