"""Shifts and turns one after the other, with few multiplications.

Multiplying rotations one after the other takes 12 products for every joint. Turns that keep an
axis in common, as those of parallel hinges do, are first multiplied among themselves, which takes
4, and offsets between them are added up in the axes before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_exactly


@dataclass(eq=False)
class Run:
    """Turns with an axis in common: A is the rotation before them, L theirs, u the way in A."""

    A: Array
    L: Array | None = None
    u: Array = field(default_factory=lambda: np.zeros(3))
    marks: list[Mark] = field(default_factory=list)
    end: int = 0  # how many pieces the way has after it


@dataclass(frozen=True, eq=False)
class Mark:
    """A place on the way: within a run, turned by L, shifted by u, after some pieces."""

    run: Run
    L: Array
    u: Array
    at: int


class Walk:
    """The way so far, in the axes of its start: a sum of pieces.

    A run makes one piece if it is `whole`; otherwise offsets before its first turn are pieces of
    their own.
    """

    def __init__(self, turns: Sequence[Any], whole: bool) -> None:
        self._breaks = breaks(turns)
        self._whole = whole
        self._turns = 0
        self.runs = [Run(np.eye(3))]
        self.pieces: list[Array] = []

    @property
    def marks(self) -> list[Mark]:
        """All places that were marked, in order."""
        return [mark for run in self.runs for mark in run.marks]

    @property
    def R(self) -> Array:  # noqa: N802
        """The rotation at the end."""
        return self.runs[-1].A

    def shift(self, d: Any) -> None:
        """Move on by d."""
        run = self.runs[-1]
        if run.L is not None:
            run.u = run.u + run.L @ d
        elif self._whole:
            run.u = run.u + d
        else:
            self.pieces.append(run.A @ d)

    def turn(self, T: Any) -> None:
        """Turn the axes by T."""
        run = self.runs[-1]
        run.L = T if run.L is None else run.L @ T
        if self._turns in self._breaks:
            self.close()
        self._turns += 1

    def mark(self) -> None:
        """Remember this place."""
        run = self.runs[-1]
        L = np.eye(3) if run.L is None else run.L
        run.marks.append(Mark(run, L, run.u, len(self.pieces)))

    def close(self) -> None:
        """End the run and multiply it out."""
        run = self.runs[-1]
        self.pieces.append(run.A @ run.u)
        run.end = len(self.pieces)
        self.runs.append(Run(run.A if run.L is None else run.A @ run.L))


def breaks(turns: Sequence[Any]) -> set[int]:
    """After which turns no axis is left that the next one keeps.

    A turn that only renames axes does not join a single other one: nothing would be saved.
    """
    found: set[int] = set()
    axes, real = {0, 1, 2}, 0
    for k, T in enumerate(turns):
        pairs = kept_axes(T)
        common = {j for i, j in pairs if i in axes}
        renames = len(pairs) == 3
        if k > 0 and (not common or (renames and real == 1)):
            found.add(k - 1)
            common, real = {j for _, j in pairs}, 0
        axes = common
        real += not renames
    return found


def kept_axes(T: Any) -> list[tuple[int, int]]:
    """Which axes before the turn are axes behind it: rows and columns with a single ±1."""
    rows = [_is_axis(row) for row in T]
    columns = [_is_axis(column) for column in np.transpose(T)]
    return [
        (i, j)
        for i in range(3)
        for j in range(3)
        if rows[i] and columns[j] and not is_exactly(T[i][j], 0.0)
    ]


def _is_axis(a: Any) -> bool:
    others = [x for x in a if not is_exactly(x, 0.0)]
    return len(others) == 1 and (is_exactly(others[0], 1.0) or is_exactly(others[0], -1.0))
