"""What a frame shall do: poses and positions as they are given, checked."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, as_array, float_array
from visviva.algebra.generic import absolute, less, maximum, where
from visviva.equations.frames.chain import REVOLUTE, SerialChain
from visviva.errors import ArgumentError, ShapeError
from visviva.machine.function import function
from visviva.solve.inverse.closed.axes import size_of
from visviva.space.poses import Pose
from visviva.space.rotations import ORTHOGONAL, cross

PLANAR = 1e-9  # how far from z the axes of an arm in the plane x, y may be
CLEAN = 1e-14  # how far R Rᵀ is from the unit matrix by rounding
IDLE = 1e-12  # of the arm's size: how near to its axis a point is that a turn leaves alone
PLANE_POSES = ("planar", "x y phi")  # of arms in the plane x, y


def task_in(chain: SerialChain, task: str) -> str:
    """What a task is for this arm: in the plane x, y, a pose is x, y and φ."""
    if not is_planar(chain):
        return task
    return "pose" if task in PLANE_POSES else "position" if task == "x y" else task


def carrying(chain: SerialChain, task: str) -> SerialChain:
    """The joints that matter: of a position, without last turns about axes through the point."""
    n = len(chain)
    if task == "position":
        while n and _is_idle(chain, n - 1):
            n -= 1
    return chain if n == len(chain) else chain.first(n)


def _is_idle(chain: SerialChain, k: int) -> bool:
    off = np.cross(chain.axes[k], chain.home.p - chain.points[k])
    return chain.kinds[k] == REVOLUTE and bool(np.linalg.norm(off) <= IDLE * size_of(chain))


def targets(chain: SerialChain, task: str, given: Any) -> tuple[Array, bool]:
    """Poses (N, 4, 4), or positions (N, 3) for the task "position"; and whether it is only one."""
    array = _numbers(given)
    if task == "position":
        return _positions(chain, array)
    if array.shape[-2:] == (4, 4) and array.ndim in (2, 3):
        single = array.ndim == 2
        return _checked(array.reshape(-1, 4, 4), single), single
    way = ""
    if array.ndim in (1, 2) and array.shape[-1] == 3:
        if task == "pose" and is_planar(chain):
            return _in_plane(chain, _finite(array, "pose").reshape(-1, 3)), array.ndim == 1
        way = "; (x, y, φ) is for arms that move in the plane x, y, and three coordinates for "
        way += 'task="position"'
    if array.ndim in (1, 2) and array.shape[-1] == 2 and is_planar(chain):
        way = f'; x and y alone are for task="position", inverse_kinematics({chain.frame!r}, ' + (
            f'{array.tolist()!r:.60}, task="position")'
        )
    raise ShapeError(
        f"the {task} of {chain.frame!r} is a Pose or a matrix (4, 4), or N of them (N, 4, 4); "
        f"got the shape {array.shape}{way}"
    )


def angles_taken(chain: SerialChain, task: str, given: Any) -> dict[int, str]:
    """By targets: what to ask for instead, where three numbers were taken for (x, y, φ).

    Fewer than three joints in a plane do not choose φ beside x and y.
    """
    if task != "pose" or len(chain) > 2 or (array := _numbers(given)).shape[-1] != 3:
        return {}
    joints = f"{len(chain)} joint{'s' * (len(chain) > 1)}"
    return {
        i: f"; it was read as (x, y, φ = {x[2]:.6g}), and {joints} cannot choose φ beside x and y: "
        f"a point is inverse_kinematics({chain.frame!r}, {x[:2]}, task='position')"
        for i, x in enumerate(array.reshape(-1, 3).tolist())
    }


def is_planar(chain: SerialChain) -> bool:
    """Whether everything moves in the plane x, y, and the frame's x axis lies in it."""
    z = np.abs(chain.axes[:, 2])
    off = [abs(1.0 - a) if k == REVOLUTE else a for k, a in zip(chain.kinds, z, strict=True)]
    return bool(max([*off, abs(chain.home.R[2, 0])]) <= PLANAR)


def _numbers(given: Any) -> Array:
    if isinstance(given, tuple) and len(given) == 2 and np.shape(given[0]) == (3, 3):
        given = Pose(*given)  # (R, p)
    if isinstance(given, Pose):
        given = given.matrix()
    try:
        return float_array(given)
    except (TypeError, ValueError):
        raise ArgumentError(f"a pose is made of real numbers, got {given!r:.200}") from None


def _finite(array: Array, what: str) -> Array:
    if not np.isfinite(array).all():
        place = np.argwhere(~np.isfinite(array))[0].tolist()
        raise ArgumentError(f"the {what} is not finite: entry {place} is {array[tuple(place)]}")
    return array


def _positions(chain: SerialChain, array: Array) -> tuple[Array, bool]:
    if array.shape[-2:] == (4, 4) and array.ndim in (2, 3):
        return _checked(array.reshape(-1, 4, 4), array.ndim == 2)[:, :3, 3].copy(), array.ndim == 2
    if array.ndim in (1, 2) and array.shape[-1] == 2 and is_planar(chain):
        height = np.full((*array.shape[:-1], 1), chain.home.p[2])
        array = np.concatenate([array, height], axis=-1)
    if array.ndim not in (1, 2) or array.shape[-1] != 3:
        plane = " (or 2: it moves in the plane x, y)" if is_planar(chain) else ""
        raise ShapeError(
            f"the position of {chain.frame!r} has 3 coordinates{plane}, or (N, 3); got the shape "
            f"{array.shape}"
        )
    return _finite(array, "position").reshape(-1, 3).copy(), array.ndim == 1


def _checked(X: Array, single: bool) -> Array:
    """Poses whose rotations turn, and nothing else; small errors of theirs are taken out."""
    poses, faults = _WITH_FAULTS(X)
    good = faults <= [*FAULTS.values()]
    if not good.all():
        _finite(X[0] if single else X, "pose")
        k, i = np.argwhere(~good.T)[0].tolist()
        which = "the pose" if single else f"pose {i}"
        raise ArgumentError(f"{which} is not a pose: {[*FAULTS][k].format(faults[i, k])}")
    return np.asarray(poses)


FAULTS = {  # and how large they may be
    "it has numbers up to {:.3g}": np.finfo(float).max,
    "its last row differs from 0 0 0 1 by {:.3g}": 1e-12,
    "R Rᵀ differs from the unit matrix by {:.3g}": ORTHOGONAL,
    "it mirrors, the determinant of R is -1": 0.0,
}


def _with_faults(X: Array) -> dict[str, Array]:
    """The nearest pose to a matrix (4, 4), and how large the faults are that these have."""
    R, unit = X[:3, :3], np.eye(3)
    row, skew = X[3] - [0.0, 0.0, 0.0, 1.0], R @ R.T - unit
    faults = [reduce(maximum, map(absolute, x.flat)) for x in (X, row, skew)]
    mirrors = less(R[0] @ cross(R[1], R[2]), 0.0)
    turn = R
    for _ in range(2):  # Newton's steps to the nearest rotation
        turn = turn @ (3.0 * unit - turn.T @ turn) * 0.5
    turn = where(less(CLEAN, faults[2]), turn, R)
    pose = np.vstack([np.column_stack([turn, X[:3, 3]]), X[3:]])
    return {"pose": pose, "faults": as_array([*faults, mirrors])}


_WITH_FAULTS = function(_with_faults, {"X": (4, 4)}, key="pose with faults")


def _in_plane(chain: SerialChain, given: Array) -> Array:
    """(x, y, φ) as poses: φ is the angle of the frame's x axis."""
    home = np.asarray(chain.home.matrix(), dtype=float)
    turn = given[:, 2] - np.arctan2(home[1, 0], home[0, 0])
    X = np.tile(home, (len(given), 1, 1))
    c, s = np.cos(turn), np.sin(turn)
    X[:, 0, :3] = c[:, None] * home[0, :3] - s[:, None] * home[1, :3]
    X[:, 1, :3] = s[:, None] * home[0, :3] + c[:, None] * home[1, :3]
    X[:, :2, 3] = given[:, :2]
    return X
