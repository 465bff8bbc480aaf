"""Batches in any order of memory: the same numbers, bit for bit."""

import numpy as np
import pytest

import visviva as vv

F = vv.function(
    lambda x, y: {"s": vv.generic.sin(x) @ y, "p": [a * b for a, b in zip(x, y, strict=True)]},
    {"x": 5, "y": 5},
    name="pairs",
)


def orders(x):
    """The same numbers, stored by rows, by columns, backwards, with gaps, every row the same."""
    wide = np.zeros((2 * len(x), x.shape[1] + 3))
    wide[::2, 1:-2] = x
    return [x, np.asfortranarray(x), np.asfortranarray(x[::-1])[::-1], wide[::2, 1:-2]]


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 7, 8, 9, 16, 65, 2049])
def test_the_order_of_an_array_changes_no_bit(rows):
    x, y = np.random.default_rng(rows).normal(size=(2, rows, 5))
    s, p = F(x, y)
    for a in orders(x):
        for b in orders(y):
            for threads in (1, 2):
                out = np.zeros(rows), np.zeros((rows, 5), order="F")
                for got in (F(a, b, threads=threads), F(a, b, out=out, threads=threads)):
                    np.testing.assert_array_equal(got[0], s)
                    np.testing.assert_array_equal(got[1], p)


def test_one_row_for_all_goes_with_any_order():
    x, y = np.random.default_rng(0).normal(size=(2, 33, 5))
    want = F(x, np.tile(y[0], (33, 1)))
    for got in (F(np.asfortranarray(x), y[0]), F(x, np.broadcast_to(y[0], (33, 5)))):
        np.testing.assert_array_equal(got[1], want[1])
