"""What a singular set means in the arm: which axes meet, which joints undo each other.

It is seen from the joint axes at positions on the set, and must not be so beside it. Where none of
the familiar pictures fits, what is always true is said: which joints move against each other while
the frame keeps still.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.solve.singular.chosen import Arm, moving_columns, placed, random_positions

CLOSE = 1e-7  # of a length of the arm, or of a sine: the example positions have 1e-12
TAKES_PART = 1e-6  # of the largest entry of a motion


@dataclass(frozen=True, eq=False)
class Axis:
    """Of a joint at a position: a line for a hinge, a direction for a slide."""

    name: str
    is_hinge: bool
    z: Array
    at: Array  # the point on it nearest to the frame


@dataclass(frozen=True, eq=False)
class Look:
    """An arm at a position: its axes, its point, and the motions that do not move it."""

    axes: tuple[Axis, ...]
    tip: Array
    centre: Array | None  # where the last axes meet
    centre_name: str
    before: int  # how many axes come before those that meet there
    size: float  # of the arm: the distances between its axes and its tip
    undone: Array  # (moving, k): motions without any of the task; none of redundant arms

    @property
    def partners(self) -> tuple[str, ...]:
        """The joints that take part in these motions."""
        if not self.undone.shape[1]:
            return ()
        part = np.abs(self.undone).max(axis=1)
        return tuple(a.name for a, x in zip(self.axes, part, strict=True) if x > TAKES_PART)


def looked(arm: Arm, q: Any) -> Look:
    """An arm at one position."""
    X, J = placed(arm.model, arm.frame, q)
    columns, tip = moving_columns(arm, J), X[:3, 3]
    axes = []
    for name, column in zip(arm.joints, columns.T, strict=True):
        w, v = column[:3], column[3:]
        turn = float(np.linalg.norm(w))
        if turn > CLOSE:
            axes.append(Axis(name, True, w / turn, tip + np.cross(w, v) / turn**2))
        else:
            axes.append(Axis(name, False, v / max(float(np.linalg.norm(v)), 1e-300), tip))
    size = max([1e-9, *(float(np.linalg.norm(a.at - b.at)) for a, b in combinations(axes, 2))])
    size = max(size, *(float(np.linalg.norm(a.at - tip)) for a in axes))
    centre, called, before = _centre(arm, axes, tip, size)
    rows = moving_columns(arm, arm.task.jacobian(X, J))
    scaled = rows * np.where(np.array(arm.task.angular), size, 1.0)[:, None]
    _, sizes, V = np.linalg.svd(scaled)
    rank = int(np.sum(sizes > CLOSE * sizes[0]))
    undone = V[len(V) if len(arm.moving) > arm.task.size else rank :].T
    return Look(tuple(axes), tip, centre, called, before, size, undone)


def _centre(
    arm: Arm, axes: Sequence[Axis], tip: Array, size: float
) -> tuple[Array | None, str, int]:
    """The point whose position the joints before the wrist drive, and how many these are."""
    if not any(arm.task.angular):
        return tip, arm.frame, len(axes)
    hinges = [a for a in axes[-3:] if a.is_hinge]
    if len(axes) < 4 or len(hinges) < 3:
        return None, "", 0
    for group, called in ((hinges, "the wrist centre"), (hinges[1:], "where the last axes meet")):
        point = _meeting(group)
        if point is not None and all(_from_line(point, a) < CLOSE * size for a in group):
            return point, called, len(axes) - len(group)
    return None, "", 0


def _meeting(axes: Sequence[Axis]) -> Array | None:
    """The point nearest to all these lines, if there is one alone."""
    P = sum((np.eye(3) - np.outer(a.z, a.z) for a in axes), np.zeros((3, 3)))
    r = sum(((np.eye(3) - np.outer(a.z, a.z)) @ a.at for a in axes), np.zeros(3))
    if np.linalg.cond(P) > 1e6:
        return None
    return np.asarray(np.linalg.solve(P, r))


def _from_line(point: Array, a: Axis) -> float:
    return float(np.linalg.norm(np.cross(point - a.at, a.z)))


def _parallel(a: Axis, b: Axis) -> bool:
    return float(np.linalg.norm(np.cross(a.z, b.z))) < CLOSE


# ---- familiar pictures: the name of a set, a sentence, and whether a position shows it


@dataclass(frozen=True, eq=False)
class Picture:
    """What can be seen at positions on a set and not beside it."""

    name: str
    says: str
    rule: Callable[..., bool]
    axes: tuple[int, ...]

    def is_seen(self, look: Look) -> bool:
        """Whether a position shows it."""
        return self.rule(look, *self.axes)


def pictures(look: Look) -> list[Picture]:
    """All that could be seen of this arm, the most telling first."""
    names = [a.name for a in look.axes]
    hinges = [k for k, a in enumerate(look.axes) if a.is_hinge]
    pairs = sorted(combinations(hinges, 2), key=lambda pair: pair[1] - pair[0])
    centre, arm = look.centre_name, [k for k in hinges if k < look.before]
    found = []
    for i, j in pairs:
        place = _place(i, j, len(names))
        says = f"the axes of {names[i]} and {names[j]} are one line"
        found.append(Picture(place, says, _is_one_line, (i, j)))
    if look.centre is not None:
        for i in arm:
            says = f"{centre} is on the axis of {names[i]}"
            found.append(Picture("shoulder", says, _is_on, (i,)))
        for i, j in combinations(arm, 2):
            says = (
                f"stretched or folded: {centre} is in the plane of the axes {names[i]}, {names[j]}"
            )
            found.append(Picture("elbow", says, _is_stretched, (i, j)))
        for i, j in combinations(arm, 2):
            says = f"{centre} is in the plane of axis {names[i]} along axis {names[j]}"
            found.append(Picture("shoulder", says, _is_beside, (i, j)))
    for i, j, k in combinations(hinges, 3):
        says = f"stretched or folded: the axes {names[i]}, {names[j]}, {names[k]} are in one plane"
        found.append(Picture("elbow", says, _are_in_plane, (i, j, k)))
    for i, j in pairs:
        says = f"the axes of {names[i]} and {names[j]} are parallel"
        place = _place(i, j, len(names))
        found.append(Picture(place, says, _are_parallel, (i, j)))
    return found


def _place(i: int, j: int, n: int) -> str:
    """What two axes of an arm of n joints belong to."""
    if n < 4:
        return "aligned axes"
    return "wrist" if i >= n - 3 else "shoulder" if j < 3 else "elbow"


def _is_one_line(x: Look, i: int, j: int) -> bool:
    a, b = x.axes[i], x.axes[j]
    return _parallel(a, b) and _from_line(a.at, b) < CLOSE * x.size


def _are_parallel(x: Look, i: int, j: int) -> bool:
    return _parallel(x.axes[i], x.axes[j])


def _volume(*sides: Array) -> float:
    return abs(float(np.linalg.det(np.array(sides))))


def _is_on(x: Look, i: int) -> bool:
    return x.centre is not None and _from_line(x.centre, x.axes[i]) < CLOSE * x.size


def _is_stretched(x: Look, i: int, j: int) -> bool:
    """Two parallel axes and a point in one plane."""
    a, b = x.axes[i], x.axes[j]
    if x.centre is None or not _parallel(a, b) or _is_one_line(x, i, j):
        return False
    return _volume(a.z, b.at - a.at, x.centre - a.at) < CLOSE * x.size**2


def _is_beside(x: Look, i: int, j: int) -> bool:
    a, b = x.axes[i], x.axes[j]
    if x.centre is None or _parallel(a, b):
        return False
    return _volume(a.z, b.z, x.centre - a.at) < CLOSE * x.size


def _are_in_plane(x: Look, i: int, j: int, k: int) -> bool:
    a, b, c = x.axes[i], x.axes[j], x.axes[k]
    if not (_parallel(a, b) and _parallel(b, c)) or _is_one_line(x, i, j):
        return False
    return _volume(a.z, b.at - a.at, c.at - a.at) < CLOSE * x.size**2


def meaning(arm: Arm, on: Array, beside: int = 8) -> tuple[str, str]:
    """(name, sentence) of a set, from positions on it."""
    if not len(on):
        return "", ""
    looks = [looked(arm, q) for q in on]
    others = [looked(arm, q) for q in random_positions(arm.model, beside, seed=7)]
    undo = _undone(arm, looks[0])
    for picture in pictures(looks[0]):
        if all(map(picture.is_seen, looks)) and not any(map(picture.is_seen, others)):
            return picture.name, f"{picture.says}; {undo}" if undo else picture.says
    return "", undo


def _undone(arm: Arm, look: Look) -> str:
    """Which joints do not move the frame."""
    partners = look.partners
    joints = " and ".join([", ".join(partners[:-1]), partners[-1]] if partners[1:] else partners)
    if not partners:
        return ""
    if look.undone.shape[1] == len(partners):
        return f"{joints} {'do' if partners[1:] else 'does'} not move {arm.frame}"
    return f"{joints} can move against each other without moving {arm.frame}, at first order"
