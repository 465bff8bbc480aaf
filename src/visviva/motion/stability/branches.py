"""Whether branches of motions meet at a position: rows of constraints that lose rank there."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import BranchesError
from visviva.solve.assembly import closed
from visviva.solve.following import beside
from visviva.solve.rows import Rows

NEARLY = 1e-5  # of singular values, of rows as long as they usually are: those near a branch
BESIDE_BY = (0.1, 0.02)  # how far beside a position others are looked for
ASIDE = 6  # positions that tell how long rows usually are
NARROW = 2e-4  # singular values beside a branch, where rounding turns tangents
TELLING = 1e-9  # singular values of rows that never tell anything new are less
TO_BRANCH = 20  # steps of Newton's, to where branches meet
AWAY = 2e-3  # radians or metres: what is farther is another place
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

    def meeting(self) -> Array | None:
        """The position at which branches meet, q itself or hardly beside it; None if none do.

        Beside it rows are all but dependent, positions are known to few digits across the branches,
        and tangents to fewer: forces seem to vanish along them that do not.
        """
        if self.is_singular:
            return self.q
        there = self._to_branch()
        if there is None:
            return None
        s = self.rows.system
        near = float(np.abs(s.difference(self.q, there)).max()) < AWAY and closed(self.rows, there)
        return there if near and Tangent(s, there, self.rows.t).is_singular else None

    def _to_branch(self) -> Array | None:
        """φ = 0 and Aᵀ λ = 0 by Newton's steps, λ being the combination of rows that vanishes."""
        s, q = self.rows.system, self.q
        mask = np.isin(np.arange(len(self.said)), self.rows.places) & self.said
        known = mask[list(self.rows.places)]
        unit = 1.0 / self.usual[mask]
        sizes = np.linalg.svd(self._places(q), compute_uv=False)
        small = np.flatnonzero((sizes > TELLING * sizes[:1]) & (sizes < NARROW * sizes[:1]))
        if not len(small):
            return None
        slope = s.constraint_matrix.jacobian("q")
        pull = np.linalg.svd(self._places(q), full_matrices=False)[0][:, small[-1]]
        for _ in range(TO_BRANCH):
            A, k = self._places(q), len(pull)
            bent = np.tensordot(pull * unit, self.rows._value(slope, q)[mask], 1)
            J = np.block([[A, np.zeros((k, k))], [bent, A.T], [np.zeros(s.nv), pull]])
            left = np.concatenate([unit * self.rows.error(q)[known], pull @ A, [0.0]])
            step = -np.linalg.lstsq(J, left, rcond=TELLING)[0]
            if not np.isfinite(step).all() or np.abs(step[: s.nv]).max() > AWAY:
                return None
            q = np.asarray(s.integrate(q, step[: s.nv]))
            pull = (pull + step[s.nv :]) / np.linalg.norm(pull + step[s.nv :])
            if np.abs(step).max() < 1e-14:
                break
        return q

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


def check_one_branch(s: Any, q: Array, t: float, asked: str = "linearize") -> None:
    """Refuse a position at which branches meet: its tangents are no motions of one system."""
    if s.held_by and Tangent(s, q, t).meeting() is not None:
        where = np.array2string(q, precision=6, separator=", ")
        raise BranchesError(
            f"at q = {where} {MEETING.removesuffix(' here')}: rows of the constraints "
            f"of {s.name!r} lose rank, and its small motions make no linear system. Stability is "
            "undecided there; mobility(q) says more",
            asked,
        )
