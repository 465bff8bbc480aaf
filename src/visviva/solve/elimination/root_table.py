"""Roots of many poses side by side: collected, told apart, proved, and put in order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from visviva.algebra.arrays import Array
from visviva.progress import progress
from visviva.solve.elimination.eliminant import SixTurns
from visviva.solve.elimination.loop_closure import certified_in_extended
from visviva.solve.elimination.many_digits import far_roots
from visviva.solve.elimination.six_answers import ROOTS, AllSolutions

_SAME = 1e-5  # radians between solutions that are not certified
_ROWS = ("which", "w", "radius", "real", "residual")


@dataclass(eq=False)
class RootTable:
    """Roots of poses side by side: row i is of pose which[i]."""

    poses: int
    which: Array
    w: Array
    radius: Array
    real: Array
    residual: Array
    vanished: Array  # (poses,)

    @classmethod
    def empty(cls, poses: int) -> RootTable:
        """No roots yet."""
        none, no = np.zeros(0), np.zeros(0, dtype=bool)
        ways = np.zeros((0, 6), dtype=complex)
        return cls(poses, none.astype(int), ways, none, no, none, np.ones(poses, dtype=bool))

    def of(self, here: Array) -> RootTable:
        """The rows of some poses, which are counted from zero then."""
        place = np.full(self.poses, -1)
        place[here] = np.arange(len(here))
        rows = np.flatnonzero(place[self.which] >= 0)
        some = RootTable.empty(len(here))
        for name in _ROWS:
            setattr(some, name, getattr(self, name))
        some.vanished = self.vanished[here]
        some.kept(rows)
        some.which = place[some.which]
        return some

    def put(self, parts: list[tuple[Array, RootTable]]) -> None:
        """Rows of some poses in place of those that they had."""
        if not parts:
            return
        old = np.ones(self.poses, dtype=bool)
        for here, some in parts:
            old[here] = False
            self.vanished[here] = some.vanished
            some.which = here[some.which]
        self.kept(old[self.which])
        tables = [self, *(some for _, some in parts)]
        for name in _ROWS:
            setattr(self, name, np.concatenate([getattr(x, name) for x in tables]))

    def kept(self, rows: Array) -> None:
        """These rows stay, in this order."""
        for name in _ROWS:
            setattr(self, name, getattr(self, name)[rows])

    def add(self, which: Array, w: Array, radius: Array, real: Array, residual: Array) -> None:
        """More roots, and those of them that are not real once more, conjugate."""
        other = ~real
        conjugate = 1.0 / np.conj(w[other])
        for name, x, y in (
            ("which", which, which[other]),
            ("w", w, conjugate),
            ("radius", radius, radius[other]),
            ("real", real, real[other]),
            ("residual", residual, residual[other]),
        ):
            setattr(self, name, np.concatenate([getattr(self, name), x, y]))
        self.without_doubles()

    def without_doubles(self) -> None:
        """Roots that are proved to be distinct: of balls that overlap the smallest stays."""
        order = np.lexsort((self.radius, ~self.real, self.which))
        self.kept(order)
        place, width = self._places()
        if width < 2:
            return
        at = np.full((self.poses, width), np.nan, dtype=complex)
        at[self.which, place] = _fingerprint(self.w)
        size = np.zeros((self.poses, width))
        # a step in θ moves the fingerprint by as much, times √2, for each joint
        loose = np.where(np.isfinite(self.radius), 6 * np.sqrt(2) * self.radius, _SAME) + 1e-14
        size[self.which, place] = loose
        gap = at[:, :, None] - at[:, None, :]
        near = gap.real**2 + gap.imag**2 <= (size[:, :, None] + size[:, None, :]) ** 2
        double = (near & np.tri(width, k=-1, dtype=bool)).any(axis=2)
        self.kept(~double[self.which, place])

    def _places(self) -> tuple[Array, int]:
        """Of each row among those of its pose; rows are in order of poses."""
        count = np.bincount(self.which, minlength=self.poses)
        first = np.cumsum(count) - count
        return np.arange(len(self.which)) - first[self.which], int(count.max(initial=0))

    def located(self) -> Array:
        """How many roots of each pose are known, proved or not."""
        return np.bincount(self.which, minlength=self.poses)

    def found(self) -> Array:
        """How many are proved."""
        return np.bincount(self.which[np.isfinite(self.radius)], minlength=self.poses)

    def prove_far_roots(self, turns: SixTurns, R: Array, p: Array) -> None:
        """In extended precision: roots that are not proved, of poses that lack some."""
        far = ~np.isfinite(self.radius) & ~self.real
        again = far & (self.found() < ROOTS)[self.which]
        # one of each conjugate pair: the other one comes with it
        again &= np.log(np.abs(self.w)) @ np.arange(1.0, 7.0) > 0.0
        which = self.which[again]
        w, residual = self.w[again], self.residual[again]
        self.kept(~far)
        if not len(which):
            return
        w, radius = certified_in_extended(turns, R[which], p[which], w, 0.0 * which)
        proved = np.isfinite(radius)
        which = which[proved]
        here = np.unique(which)
        some = self.of(here)
        some.add(
            np.searchsorted(here, which),
            w[proved],
            radius[proved],
            np.zeros(len(which), dtype=bool),
            residual[proved],
        )
        self.put([(here, some)])

    def add_far_roots(self, turns: SixTurns, R: Array, p: Array) -> None:
        """In balls of many digits, pose by pose: the complex roots of poses that lack some."""
        lacking = np.flatnonzero(self.found() < ROOTS)
        with progress(f"roots in many digits, {len(lacking)} poses") as at:
            for k in lacking:
                at.step(f"pose {k}")
                w, radius = far_roots(turns, R[k], p[k])
                here, none = np.array([k]), np.zeros(len(w))
                some = self.of(here)
                some.add(none.astype(int), w, radius, none.astype(bool), none)
                self.put([(here, some)])

    def result(self) -> AllSolutions:
        """In order of poses, real roots first and these by their angles."""
        n, complete = self.poses, self.found() == ROOTS
        # where all are proved, what is not proved is none
        self.kept(np.isfinite(self.radius) | ~complete[self.which])
        angle = np.where(self.real[:, None], np.angle(self.w), np.inf)
        coarse = np.round(angle[:, :3], 9)  # beyond noise: solutions may share an angle
        self.kept(order := np.lexsort((*coarse.T[::-1], ~self.real, self.which)))
        angle, proved = angle[order], np.isfinite(self.radius)
        place, _ = self._places()
        real = self.real & (place < ROOTS)
        at = self.which[real], place[real]
        q = np.full((n, ROOTS, 6), np.nan)
        sure, radius = np.zeros((n, ROOTS), dtype=bool), np.full((n, ROOTS), np.nan)
        q[at], sure[at], radius[at] = angle[real], proved[real], self.radius[real]
        residual = np.zeros(n)
        np.maximum.at(residual, self.which[real], self.residual[real])
        self.kept(proved)
        place, _ = self._places()
        w = np.full((n, ROOTS, 6), np.nan, dtype=complex)
        w[self.which, place] = self.w
        found = self.found()
        count = np.isfinite(q[:, :, 0]).sum(axis=1)
        return AllSolutions(q, count, sure, radius, w, found, complete, self.vanished, residual)


def _fingerprint(w: Array) -> Array:
    """A complex number of each root, from the points of the sphere that w₁ … w₆ are."""
    size = (w * np.conj(w)).real
    by = 1.0 / (1.0 + size)
    sphere = np.concatenate([2.0 * w.real * by, 2.0 * w.imag * by, (1.0 - size) * by], axis=-1)
    ways = np.arange(1.0, 19.0) ** 2
    both = sphere @ np.stack([np.cos(ways), np.sin(ways)], axis=1)
    fingerprint: Array = both[..., 0] + 1j * both[..., 1]
    return fingerprint
