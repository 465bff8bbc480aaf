"""What Grübler counts: 6 (N - 1 - J) + Σ f in space, 3 (N - 1 - J) + Σ f where all is in a plane.

N bodies, the fixed one among them, J joints, those of loops among them, each with f freedoms. It
knows nothing of lengths and angles, which is why it may be wrong.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from visviva.algebra.arrays import Array
from visviva.solve.rows import Rows

PARALLEL = 1e-9


class Count(NamedTuple):
    """The number, and how it was counted."""

    number: int
    formula: str
    where: str  # "in space", "in the plane", "by coordinates"


def counted(s: Any, rows: Rows) -> Count:
    """By bodies and joints where there are any, else by coordinates and constraints."""
    s = s.numeric
    loops = [x for x in s.loops if x.active]
    others = rows.count - sum(x.joint.position_rows for x in loops)
    if not loops:
        number = s.nv - rows.count
        return Count(number, f"{s.nv} coordinates - {rows.count} constraints", "by coordinates")
    own = [b for b in s.bodies if b.mimic is None]
    coupled = len(s.bodies) - len(own) + others
    normal = plane_of(s, loops)
    all_motions = 6 if normal is None else 3
    joints = [b.joint.nv for b in s.bodies if b.joint.nv < all_motions]  # the others join nothing
    N, J = len(s.bodies) + 1, len(joints) + len(loops)
    if normal is None:
        m, where = 6, "in space"
        closing = [6 - x.joint.position_rows for x in loops]
    else:
        m, where = 3, "in the plane"
        closing = [3 - _rows_in_plane(s, x, normal) for x in loops]
    f = sum(joints) + sum(closing)
    # a joint that follows another has a freedom and one coupling
    number = m * (N - 1 - J) + f - sum(b.joint.nv for b in s.bodies if b.mimic) - others
    couplings = f" - {coupled} couplings" if coupled else ""
    return Count(number, f"{m}({N} - 1 - {J}) + {f}{couplings}", where)


def plane_of(s: Any, loops: Any) -> Array | None:
    """The normal of the plane in which everything moves; None if there is no such plane.

    Bodies that all turn about one line are no planar linkage: a door.
    """
    q = s.neutral()
    poses = s.body_poses(q)
    turns, shifts, lines = [], [], []
    for i, b in enumerate(s.bodies):
        S = b.joint.subspace(s.local(i, q))
        R, p = poses[i].R, poses[i].p
        for column in np.asarray(S, dtype=float).T:
            w, v = R @ column[:3], R @ column[3:]
            if np.linalg.norm(w) > PARALLEL:
                turns.append(w / np.linalg.norm(w))
                lines.append(p)
                shifts.append(v)
            else:
                shifts.append(v)
    if not turns or _is_one_line(s, loops, turns, lines):
        return None
    n = turns[0]
    parallel = all(np.linalg.norm(np.cross(n, w)) < PARALLEL for w in turns)
    return n if parallel and all(abs(n @ v) < PARALLEL for v in shifts) else None


def _is_one_line(s: Any, loops: Any, turns: Any, lines: Any) -> bool:
    ends = [*lines, *(s.frame_pose(name, s.neutral()).p for x in loops for name in x.frames)]
    return all(np.linalg.norm(np.cross(turns[0], p - ends[0])) < PARALLEL for p in ends)


def _rows_in_plane(s: Any, loop: Any, normal: Array) -> int:
    """How many of the three motions of a plane a closure stops."""
    one, other = (s.frame_pose(name, s.neutral()) for name in loop.frames)
    n = other.R.T @ normal
    x, y, _ = np.linalg.svd(n[None, :])[2][[1, 2, 0]]
    zero = np.zeros(3)
    P = np.array([[*n, *zero], [*zero, *x], [*zero, *y]]).T
    T = np.asarray(loop.joint.wrenches(one.inverse() @ other), dtype=float)
    T = T[:, : loop.joint.position_rows]
    return int(np.linalg.matrix_rank(T.T @ P, tol=1e-9))
