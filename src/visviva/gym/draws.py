"""Random numbers of rows: they depend on a row's seed and the number of its episode, nothing else.

So a row is the same whatever the others do, and the same as an environment of its own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from visviva.algebra.arrays import Array

Maker = Callable[[Array, Array], Array]  # seeds and numbers of episodes (n,) to starts (n, size)
STRIDE = 0x9E3779B97F4A7C15  # of SplitMix64 (Steele, Lea, Flood 2014), as the numbers in `mix`


class Starts:
    """Where the episodes of each row start; some are drawn ahead, of all rows together."""

    def __init__(self, rows: int, size: int, ahead: int, make: Maker) -> None:
        self._make, self._ahead = make, ahead
        self._pool = np.zeros((rows, ahead, size))
        self._seeds = np.zeros(rows, dtype=np.uint64)
        self._first = np.full(rows, -ahead)  # the episode that comes first in the pool
        self._used = np.full(rows, ahead)

    @property
    def numbers(self) -> tuple[Array, ...]:
        """All that changes: with them others go on as these do."""
        return self._pool, self._seeds, self._first, self._used

    @numbers.setter
    def numbers(self, numbers: tuple[Array, ...]) -> None:
        """Go on as others do."""
        self._pool, self._seeds, self._first, self._used = numbers

    def set_seed(self, row: int, seed: int) -> None:
        """The next episode of a row is the first one of a seed."""
        self._seeds[row] = seed % 2**64
        self._first[row], self._used[row] = -self._ahead, self._ahead

    def next(self, rows: Array) -> Array:
        """The starts (n, size) of the next episodes of rows (n,)."""
        places = self._used[rows]
        try:
            starts: Array = self._pool[rows, places]
        except IndexError:  # some row has used all of its starts
            self._refill()
            places = self._used[rows]
            starts = self._pool[rows, places]
        self._used[rows] = places + 1
        return starts

    def _refill(self) -> None:
        """Draw anew for rows that have used three quarters of theirs."""
        rows = np.flatnonzero(4 * self._used >= 3 * self._ahead)
        self._first[rows] += self._used[rows]
        self._used[rows] = 0
        episodes = self._first[rows][:, None] + np.arange(self._ahead)
        seeds = np.repeat(self._seeds[rows], self._ahead)
        self._pool[rows] = self._make(seeds, episodes.ravel()).reshape(-1, *self._pool.shape[1:])


def uniform(seeds: Array, episodes: Array, size: int) -> Array:
    """Numbers (rows, size) from 0 to 1, without 1."""
    steps = np.arange(1, size + 1, dtype=np.uint64) * np.uint64(STRIDE)
    keys = mix(mix(seeds) + episodes.astype(np.uint64))
    numbers: Array = (mix(keys[:, None] + steps) >> np.uint64(11)) * 2.0**-53
    return numbers


def mix(x: Array) -> Array:
    """Whole numbers of 64 bits, each bit of which depends on all bits of x."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed_bits: Array = x ^ (x >> np.uint64(31))
    return mixed_bits
