"""Polynomials on [0, 1] in Bernstein form: the coefficients bound them, and halving is easy.

Coefficients (…, degree + 1, n) are along the axis before the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb

import numpy as np

from visviva.algebra.arrays import Array


@lru_cache(maxsize=64)
def of_powers(powers: tuple[tuple[int, int], ...]) -> Array:
    """Rows: the coefficients of s^a (1 - s)^b for every (a, b), all of one degree.

    Examples:
        >>> of_powers(((1, 0), (1, 1)))
        array([[0. , 0.5, 1. ],
               [0. , 0.5, 0. ]])
    """
    degree = max(a + b for a, b in powers)
    rows = np.zeros((len(powers), degree + 1))
    for row, (a, b) in zip(rows, powers, strict=True):
        for i in range(a, degree - b + 1):
            row[i] = comb(degree - a - b, i - a) / comb(degree, i)
    return rows


@lru_cache(maxsize=16)
def halving_matrices(degree: int) -> tuple[Array, Array]:
    """Matrices that give the coefficients of both halves (de Casteljau)."""
    left_half = np.array(
        [[comb(i, j) / 2.0**i for j in range(degree + 1)] for i in range(degree + 1)]
    )
    return left_half, left_half[::-1, ::-1].copy()


@lru_cache(maxsize=16)
def nodes(degree: int) -> tuple[Array, Array]:
    """Shares (degree + 1,), ends and middle among them, and the matrix that gives the coefficients
    of the polynomial through values there."""
    s = 0.5 - 0.5 * np.cos(np.pi * np.arange(degree + 1) / degree)
    s[degree // 2] = 0.5 if degree % 2 == 0 else s[degree // 2]
    powers = range(degree + 1)
    basis = np.array(
        [[comb(degree, i) * x**i * (1 - x) ** (degree - i) for i in powers] for x in s]
    )
    return s, np.linalg.inv(basis)


def values(B: Array, share: Array) -> Array:
    """Of k polynomials (k, degree + 1, n) at a share (k,) of each, (k, n)."""
    y, s = B, share[:, None, None]
    while y.shape[1] > 1:
        y = y[:, :-1] + s * (y[:, 1:] - y[:, :-1])
    return np.asarray(y[:, 0])


def part_before(B: Array, share: float) -> Array:
    """The coefficients (degree + 1, n) of the part of one polynomial before a share."""
    y, rows = B, [B[0]]
    while len(y) > 1:
        y = y[:-1] + share * (y[1:] - y[:-1])
        rows.append(y[0])
    return np.array(rows)


def alternating_powers(count: int) -> Sequence[tuple[int, int]]:
    """Powers of s and 1 - s in s (F0 + (1 - s) (F1 + s (F2 + …)))."""
    return [((k + 2) // 2, (k + 1) // 2) for k in range(count)]
