"""Whether branches of motions meet at a position: rows of constraints that lose rank there."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import BranchesError
from visviva.solve.following import beside
from visviva.solve.rows import Rows

NEARLY = 1e-5  # of singular values, of rows as long as they usually are: those near a branch
BESIDE_BY = (0.1, 0.02)  # how far beside a position others are looked for
ASIDE = 6  # positions that tell how long rows usually are
MEETING = "branches of motions meet here"


class Tangent:
    """Motions that rows about positions leave free at q, to first order and nearly."""

    def __init__(self, s: Any, q: Array, t: float = 0.0) -> None:
        self.rows, self.q = Rows(s, t), q
        rng = np.random.default_rng(3)
        others = [self.rows.moved(q, x) for x in rng.normal(size=(ASIDE, s.nv))]
        matrices = [x for x in map(self.rows.matrix, (q, *others)) if np.isfinite(x).all()]
        lengths = [np.linalg.norm(A, axis=1) for A in matrices]
        self.usual = np.max(lengths, axis=0) if lengths else np.zeros(0)
        self.said = self.usual > 1e-9 * self.usual.max(initial=0.0)  # others say nothing anywhere
        self.motions = self._split(self._places(q))[1]

    def _places(self, q: Array) -> Array:
        mask = np.isin(np.arange(len(self.said)), self.rows.places) & self.said
        return np.asarray(self.rows.matrix(q)[mask] / self.usual[mask, None])

    def _rank(self, q: Array) -> tuple[int, int]:
        """Of the rows about positions, and of all."""
        whole = self.rows.matrix(q)[self.said] / self.usual[self.said, None]
        return self._split(self._places(q))[0], self._split(whole)[0]

    @staticmethod
    def _split(A: Array) -> tuple[int, Array]:
        if not A.size:
            return 0, np.eye(A.shape[1])
        _, sizes, Vt = np.linalg.svd(A)
        rank = int((sizes > NEARLY * max(1.0, sizes[0])).sum())
        return rank, Vt[rank:].T

    @property
    def is_singular(self) -> bool:
        """Whether rows have a higher rank at positions beside it, or there are none beside it."""
        here, N = self._rank(self.q), self.motions
        if here[1] == int(self.said.sum()) or not N.shape[1]:
            return False
        rng = np.random.default_rng(4)
        ways = np.vstack([N.T, -N.T, rng.normal(size=(4 * N.shape[1], N.shape[1])) @ N.T])
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        for size in BESIDE_BY:
            there = [x for way in ways if (x := beside(self.rows, self.q, way, size)) is not None]
            if there:
                return any(self._rank(x) > here for x in there)
        return True


def check_one_branch(s: Any, q: Array, t: float) -> None:
    """Refuse a position at which branches meet: its tangents are no motions of one system."""
    if s.held_by and Tangent(s, q, t).is_singular:
        where = np.array2string(q, precision=6, separator=", ")
        raise BranchesError(
            f"linearize: at q = {where} {MEETING.removesuffix(' here')}: rows of the constraints "
            f"of {s.name!r} lose rank, and its small motions make no linear system. Stability is "
            "undecided there; mobility(q) says more"
        )
