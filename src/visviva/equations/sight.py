"""Twists of the links on a path, seen from the world or from the frame at its end.

A walk multiplies rotations one after the other, 12 products for every joint. Turns that keep an
axis, as those of parallel hinges do, are first multiplied among themselves, which takes 4, and what
happens between them is added up in the axes before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from visviva.equations.moments import is_exactly
from visviva.space.rotations import Array, cross


@dataclass(eq=False)
class Run:
    """Turns that keep an axis: A is the rotation before them, L theirs, u the way, in A's axes."""

    A: Array
    L: Array | None = None
    u: Array = field(default_factory=lambda: np.zeros(3))
    end: int = 0  # how many pieces of the way there are after it


@dataclass(frozen=True, eq=False)
class Mark:
    """Where a link is: in a run, turned by L and u away from its start; `at` counts pieces."""

    run: Run
    L: Array
    u: Array
    at: int


class Walk:
    """Shifts and turns, one after the other, in the axes of the start."""

    def __init__(self, turns: Sequence[Any], last: int | None = None) -> None:
        self.breaks = breaks(turns)
        self.last = last
        self.turns = 0
        self.run = Run(np.eye(3))
        self.pieces: list[Array] = []
        self.marks: list[Mark] = []

    def shift(self, d: Any) -> None:
        """Move on."""
        run = self.run
        if run.L is not None:
            run.u = run.u + run.L @ d
        elif self.last is None or any(self.turns <= b < self.last for b in self.breaks):
            self.pieces.append(run.A @ d)
        else:
            run.u = run.u + d

    def turn(self, T: Any) -> None:
        """Turn the axes."""
        run = self.run
        run.L = T if run.L is None else run.L @ T
        if self.turns in self.breaks:
            self.close()
        self.turns += 1

    def mark(self) -> None:
        """Remember this place."""
        run = self.run
        L = np.eye(3) if run.L is None else run.L
        self.marks.append(Mark(run, L, run.u, len(self.pieces)))

    def close(self) -> None:
        """End the run: its rotation is multiplied out."""
        run = self.run
        self.pieces.append(run.A @ run.u)
        run.end = len(self.pieces)
        self.run = Run(run.A if run.L is None else run.A @ run.L)


def breaks(turns: Sequence[Any]) -> set[int]:
    """After which turns no axis is left that the next one keeps."""
    found: set[int] = set()
    axes, real = {0, 1, 2}, 0
    for k, T in enumerate(turns):
        pairs = kept(T)
        common = {j for i, j in pairs if i in axes}
        trivial = len(pairs) == 3
        if k > 0 and (not common or (trivial and real == 1)):
            found.add(k - 1)
            common, real = {j for _, j in pairs}, 0
        axes = common
        real += not trivial
    return found


def kept(T: Any) -> list[tuple[int, int]]:
    """Axes of the start that are axes of the end: rows and columns of ±1."""
    one = [[is_exactly(x, 1.0) or is_exactly(x, -1.0) for x in row] for row in T]
    zero = [[is_exactly(x, 0.0) for x in row] for row in T]
    return [
        (i, j)
        for i in range(3)
        for j in range(3)
        if one[i][j] and sum(zero[i]) == 2 and sum(row[j] for row in zero) == 2
    ]


class FromWorld:
    def __init__(self, steps, tool, space=False):
        turns = [s.R for s in steps] + [tool.R]
        shifts = [*(s.p for s in steps), tool.p]
        last = max((k for k,d in enumerate(shifts) if not all(is_exactly(x, 0.0) for x in d)), default=0)
        walk = Walk(turns, None if space else last)
        for s in steps:
            walk.shift(s.p)
            walk.turn(s.R)
            walk.mark()
        walk.shift(tool.p)
        walk.turn(tool.R)
        walk.close()
        self.R = walk.run.A
        self.walk = walk
        self.space = space
        self.last = walk.marks[-1].run if walk.marks else None
        n = len(walk.pieces)
        self.lev = [np.zeros(3)] * (n + 1)
        if space:
            for i in range(n):
                self.lev[i + 1] = self.lev[i] + walk.pieces[i]
            self.p = self.lev[n]
        else:
            for i in reversed(range(n)):
                self.lev[i] = self.lev[i + 1] + walk.pieces[i]
            self.p = self.lev[0]

    def twist(self, k, S):
        m = self.walk.marks[k]
        c, cv = m.L @ S[:3], m.L @ S[3:]
        w = m.run.A @ c
        end = all(is_exactly(x, 0.0) for x in self.lev[m.run.end]) or not all(is_exactly(x, 0.0) for x in m.u)
        cols = []
        for i in range(S.shape[1]):
            if self.space:
                v = m.run.A @ (cv[:, i] + cross(m.u, c[:, i])) + cross(self.lev[m.at], w[:, i])
            elif end:
                v = m.run.A @ (cv[:, i] + cross(c[:, i], m.run.u - m.u)) + cross(
                    w[:, i], self.lev[m.run.end]
                )
            else:
                v = m.run.A @ (cv[:, i] - cross(c[:, i], m.u)) + cross(w[:, i], self.lev[m.at])
            cols.append([*w[:, i], *v])
        return np.array(cols, dtype=object).T


class FromBody(FromWorld):
    def __init__(self, steps, tool):
        walk = Walk([tool.R.T] + [s.R.T for s in reversed(steps[1:])])
        walk.turn(tool.R.T)
        walk.shift(-tool.p)
        for s in reversed(steps[1:]):
            walk.mark()
            walk.turn(s.R.T)
            walk.shift(-s.p)
        walk.mark()
        walk.close()
        walk.marks.reverse()
        self.walk = walk
        self.space = True
        n = len(walk.pieces)
        self.lev = [np.zeros(3)] * (n + 1)
        for i in range(n):
            self.lev[i + 1] = self.lev[i] + walk.pieces[i]
