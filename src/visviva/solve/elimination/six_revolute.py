"""All solutions of a general arm with six revolute joints: 16 roots, each certified.

A general 6R arm reaches a pose in 16 ways over the complex numbers (Primrose, Mech. Mach. Theory
21, 1986). Angles q are points of an irreducible variety that q → pose maps to poses, 16 to 1 for
general arms; where 16 regular points lie over a pose, there is no further one, as arms and poses
near by would have 17. So 16 distinct roots, each proved by `loop_closure`, are all, and the count
is complete.

Elimination (`eliminant`) finds them; that it may miss some is no matter, as they are counted.
Where fewer than 16 are found, the loop is eliminated again from its other end and begun at other
joints. If 16 are not found then, the arm is special (its eliminant vanishes, or roots are at
infinity) or the pose singular (roots coincide): that is never complete.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError, RotationError, ShapeError
from visviva.solve.elimination.back_substitution import back_substitution
from visviva.solve.elimination.circle_roots import circle_roots
from visviva.solve.elimination.eliminant import Elimination, PreparedTurns, SixTurns
from visviva.solve.elimination.loop_closure import certified, polished
from visviva.solve.elimination.root_table import RootTable
from visviva.solve.elimination.six_answers import ROOTS, AllSolutions

_CHUNK = 256  # poses at a time: what they need stays near the processor
_SAMPLE, _MOST = 32, 0.95  # poses of a large batch, and the part of all roots that is good enough
_BAND = 1e-4  # roots this near to the unit circle may be real
_NEARLY_REAL = 1e-6  # |Im θ| of polished roots
_RIGID = 1e-6  # what a rotation may be off
_VANISHED = 1e-6  # of the eliminant, against its rounding
_CLOSED, _LOOSE = 1e-10, 1e-5  # residuals of real roots, and of far complex ones before the proof

# How the loop is begun: at joint k + 1 or from the tip, and the origin of θ₄
_ATTEMPTS: tuple[tuple[int, bool, float], ...] = (
    (0, False, 0.4),
    (0, True, 1.1),
    (1, False, 2.0),
    (2, False, 0.9),
    (3, False, 1.7),
    (4, False, 2.6),
    (5, False, 0.2),
    (0, False, -1.3),
)


def all_solutions(chain: Any, poses: Any, *, thorough: bool = False) -> AllSolutions:
    """Every θ of a chain with six revolute joints, for poses (N, 4, 4) or one of them.

    `chain` has `axes` and `points` (6, 3) and the pose `home` where all θ are zero. Of poses that
    lack complex roots, as those of calibrated arms do, `thorough` finds and proves these in many
    digits: that takes half a second a pose, and completes the count. A rotation that is off by
    less than 1e-6 is taken for the nearest one.
    """
    turns, R, p = _loop(chain, poses)
    table = RootTable.empty(len(R))
    for way in _in_order(turns, R, p):
        lacking = np.flatnonzero(table.located() < ROOTS)
        taken = [
            (here, _attempted(turns, R[here], p[here], table.of(here), way))
            for here in (lacking[k : k + _CHUNK] for k in range(0, len(lacking), _CHUNK))
        ]
        table.put(taken)
    table.prove_far_roots(turns, R, p)
    if thorough:
        table.add_far_roots(turns, R, p)
    return table.result()


def _in_order(turns: SixTurns, R: Array, p: Array) -> list[_Way]:
    """Ways to begin the loop; for an arm that the first one does not suit, the best one first."""
    ways = [_Way(turns, *attempt) for attempt in _ATTEMPTS]
    if len(R) < _CHUNK:
        return ways
    R, p = R[:_SAMPLE], p[:_SAMPLE]
    located = []
    for way in ways:
        table = _attempted(turns, R, p, RootTable.empty(len(R)), way)
        located.append(int(table.located().sum()))
        if located[-1] >= _MOST * ROOTS * len(R):
            break
    best = int(np.argmax(located))
    return [ways[best], *ways[:best], *ways[best + 1 :]]


def _loop(chain: Any, poses: Any) -> tuple[SixTurns, Array, Array]:
    """Six turns and G = pose home⁻¹, seen from the second axis, in units of the arm."""
    letters = getattr(chain, "letters", "R" * len(chain.axes))
    if letters != "RRRRRR":
        raise ArgumentError(
            f"all solutions by elimination are for six revolute joints; this chain has "
            f"{len(letters)}: {letters}"
        )
    X = np.asarray(poses, dtype=float)
    X = X[None] if X.ndim == 2 else X
    if X.ndim != 3 or X.shape[1:] != (4, 4):
        raise ShapeError(f"poses: expected shape (N, 4, 4) or (4, 4), got {np.shape(poses)}")
    if not np.isfinite(X).all():
        raise RotationError(f"pose {int(np.argwhere(~np.isfinite(X))[0, 0])} is not finite")
    R, p = X[:, :3, :3], X[:, :3, 3]
    off = np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2), initial=0.0)
    off = np.maximum(off, np.abs(X[:, 3] - [0, 0, 0, 1]).max(axis=1, initial=0.0))
    off = np.where(np.linalg.det(R) > 0.0, off, 2.0)
    if (off > _RIGID).any():
        k = int(off.argmax())
        raise RotationError(
            f"pose {k} is none: R Rᵀ - 1 or its last row is off by {off[k]:.3g}"
            f"{', it mirrors' if off[k] == 2.0 else ''} (a pose is [R p; 0 0 0 1])"
        )
    Rh, ph = np.asarray(chain.home.R, dtype=float), np.asarray(chain.home.p, dtype=float)
    G = R @ Rh.T
    for _ in range(2):  # to the nearest rotation, from one that is nearly there
        G = G @ (1.5 * np.eye(3) - 0.5 * G.transpose(0, 2, 1) @ G)
    turns = SixTurns(np.asarray(chain.axes, dtype=float), np.asarray(chain.points, dtype=float))
    return turns.seen_from_second(G, p - G @ ph)


@dataclass(frozen=True, eq=False)
class _Way:
    """How a loop is begun: at joint `begin` + 1, or from the tip; and the origin of θ₄."""

    turns: SixTurns
    begin: int
    is_backwards: bool
    offset: float

    def begun(self, R: Array, p: Array) -> tuple[PreparedTurns, Array, Array, Array]:
        """The turns, which joints they are, and the pose, seen from the second of them."""
        order, arm = np.roll(np.arange(6), -self.begin), self.turns
        if self.is_backwards:
            order, arm = order[::-1], arm.backwards()
            R = R.transpose(0, 2, 1)
            p = -(R @ p[..., None])[..., 0]
        elif self.begin:
            arm = arm.begun_later(self.begin, R, p)
        seen, R, p = arm.seen_from_second(R, p)
        if self.begin:
            return PreparedTurns(seen, self.offset), order, R, p
        return self._prepared(seen), order, R, p

    def _prepared(self, seen: SixTurns) -> PreparedTurns:
        if "prepared" not in self.__dict__:
            object.__setattr__(self, "prepared", PreparedTurns(seen, self.offset))
        return cast(PreparedTurns, self.__dict__["prepared"])


def _attempted(turns: SixTurns, R: Array, p: Array, table: RootTable, way: _Way) -> RootTable:
    """With the roots that one way of elimination finds."""
    which, w, vanished = _candidates(way, R, p)
    table.vanished &= vanished
    there, *roots = _proved(turns, R[which], p[which], w)
    table.add(which[there], *(x[there] for x in roots))
    return table


def _candidates(way: _Way, R: Array, p: Array) -> tuple[Array, Array, Array]:
    """Poses and w₁ … w₆ of one root of each conjugate pair, and of all that may be real."""
    arm, order, Rg, pg = way.begun(R, p)
    e = Elimination(arm, Rg, pg)
    polynomial, beyond = e.polynomial()
    w3, _ = circle_roots(polynomial)
    which, k = np.nonzero(np.abs(w3) <= 1.0 + _BAND)
    w = np.empty((len(which), 6), dtype=complex)
    w[:, order] = back_substitution(e, which, w3[which, k])
    sound = np.isfinite(w).all(axis=1) & (w != 0).all(axis=1)
    return which[sound], w[sound], ~(beyond <= _VANISHED)


def _proved(turns: SixTurns, R: Array, p: Array, w: Array) -> tuple[Array, ...]:
    """Rows that are roots, these polished, their radii (∞: not proved), whether real, residuals."""
    w, settled = polished(turns, R, p, w, np.zeros(len(w)))
    with np.errstate(all="ignore"):
        flat = np.abs(np.log(np.abs(w))).max(axis=1) < _NEARLY_REAL
        straight = np.where(flat[:, None], w / np.abs(w), w)
    radius, residual = certified(turns, R, p, straight, flat)
    # nearly real and no proof of a real root: a pair of conjugate ones, or both in one
    pair = flat & ~np.isfinite(radius)
    if pair.any():
        rows = np.flatnonzero(pair)
        other, _ = certified(turns, R[rows], p[rows], w[rows], 0.0 * rows)
        aside = np.abs(np.log(np.abs(w[rows]))).max(axis=1) > other
        radius[rows[aside]] = other[aside]
        straight[rows[aside]], flat[rows[aside]] = w[rows[aside]], False
    with np.errstate(all="ignore"):
        doubtful = ~flat & ~(np.abs(np.log(np.abs(straight))).max(axis=1) > radius)
    radius[doubtful] = np.inf
    there = np.isfinite(radius) | (settled & (residual < _LOOSE)) | (flat & (residual < _CLOSED))
    return there, straight, radius, flat, residual
