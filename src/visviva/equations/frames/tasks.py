"""Tasks: what of a frame's pose matters, in which coordinates, and how these change with the pose.

A task is a list of words, each a part of the pose X: `"x y phi"`, `"position axis"`, `"pose"`,
`"position ZYX"`. Every part answers the same questions, over any scalar: `value`, its coordinates;
`rows`, the matrix from the frame's twist (ω, v), in world axes, to its velocity; `error`, the
velocity that would bring X to a target in one unit of time, zero only there. So J_task = rows J,
and where a part has coordinates their rates are `rows` times the twist: the analytic Jacobian.

    x  y  z           one coordinate of the point           position      all three
    phi               the angle of the frame's x axis in a plane, from x to y; after two
                      coordinates, "x z phi", from the first to the second; planar is "x y phi"
    orientation       R, with the angular velocity ω        pose          orientation position
    axis              where the frame's z axis points, whatever the turn about it: two angular
                      velocities, about the frame's own x and y; x-axis and y-axis likewise
    ZYX, euler-zyx    Euler angles of any convention of `space.euler`, in that order of turns
    rotation-vector   axis times angle                      quaternion    (x, y, z, w), w ≥ 0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.describe.model.model import Model
from visviva.equations.frames.kinematics import kinematics
from visviva.equations.frames.parts import (
    LETTERS,
    Angle,
    Axis,
    Euler,
    Orientation,
    Part,
    Position,
    Quaternion,
    RotationVector,
)
from visviva.errors import ArgumentError, UnknownNameError
from visviva.space.euler import CONVENTIONS

WORDS: dict[str, tuple[Part, ...]] = {
    **{letter: (Position((k,)),) for k, letter in enumerate(LETTERS)},
    "position": (Position((0, 1, 2)),),
    "phi": (Angle(0, 1),),
    "orientation": (Orientation(),),
    "pose": (Orientation(), Position((0, 1, 2))),
    "axis": (Axis(2),),
    **{f"{letter}-axis": (Axis(k),) for k, letter in enumerate(LETTERS)},
    "rotation-vector": (RotationVector(),),
    "quaternion": (Quaternion(),),
}
WORDS["planar"] = (Position((0, 1)), Angle(0, 1))


@dataclass(frozen=True)
class Task:
    """Parts of a pose, one after the other.

    Examples:
        >>> import numpy as np
        >>> planar = task("x y phi")
        >>> planar.value(np.eye(4)).tolist(), planar.size
        ([0.0, 0.0, 0.0], 3)
    """

    text: str
    parts: tuple[Part, ...]

    @property
    def size(self) -> int:
        """How many rows its Jacobian has."""
        return len(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """What the rows are the velocities of: x, phi, or wx, wy, wz of an orientation."""
        return tuple(name for part in self.parts for name in part.names)

    @property
    def angular(self) -> tuple[bool, ...]:
        """Which rows are in radians per second, the others being in metres per second."""
        return tuple(part.angular for part in self.parts for _ in part.names)

    @property
    def has_coordinates(self) -> bool:
        """Whether every part is numbers whose rates its rows are; R and axes are none."""
        return all(part.has_coordinates for part in self.parts)

    def check_coordinates(self) -> None:
        """Refuse a task with a part that has no coordinates."""
        if not self.has_coordinates:
            without = [
                type(part).__name__.lower() for part in self.parts if not part.has_coordinates
            ]
            raise ArgumentError(
                f"the task {self.text!r} has no coordinates for its {' and '.join(without)}: "
                'name some, as "position ZYX" or "position quaternion"; pose(frame) has the matrix'
            )

    def value(self, X: Any) -> Array:
        """The coordinates of a pose (4, 4)."""
        self.check_coordinates()
        return _joined([part.value(vector(X)) for part in self.parts])

    def rows(self, X: Any) -> Array:
        """(size, 6): from the twist (ω, v) in world axes to the velocities of the task."""
        return _joined([part.rows(vector(X)) for part in self.parts])

    def jacobian(self, X: Any, J: Any) -> Array:
        """(size, n), of the frame's Jacobian J (6, n) in world axes."""
        task_jacobian: Array = self.rows(X) @ J
        return task_jacobian

    def error(self, X: Any, target: Any) -> Array:
        """(size,): the velocity from X to the target in one unit of time; zero only there."""
        return _joined([part.error(vector(X), vector(target)) for part in self.parts])

    def __str__(self) -> str:
        return self.text


@cache
def task(text: str) -> Task:
    """The task of a text."""
    if not isinstance(text, str) or not text.split():
        raise ArgumentError(f'a task is a text of words, as "x y phi" or "pose"; got {text!r}')
    parts: list[Part] = []
    places: list[int] = []  # of the single coordinates so far
    for word in text.split():
        places += [LETTERS.index(word)] if word in [*LETTERS] else []
        if word == "phi" and len(set(places)) == 2:
            parts.append(Angle(*places))
        else:
            parts += WORDS[word] if word in WORDS else (_euler(word),)
    whole = Task(" ".join(text.split()), tuple(parts))
    twice = [x for k, x in enumerate(whole.names) if x in whole.names[:k]]
    if twice or sum(part.turns for part in parts) > 1:
        what = f"{twice[0]!r} twice" if twice else "the orientation twice"
        raise ArgumentError(f"the task {text!r} has {what}")
    return whole


def _euler(word: str) -> Part:
    name = word.removeprefix("euler-")
    letters = "".join(c for c in name if not c.isdigit())
    if letters not in CONVENTIONS:
        raise UnknownNameError("word of a task", word, [*WORDS, "ZYX", "euler-zyx"])
    if word.islower() and name == word:
        raise ArgumentError(
            f"{word!r} could be coordinates or turns about fixed axes: "
            f"write '{' '.join(letters)}' or 'euler-{word}'"
        )
    return Euler(name)


def task_coordinates(
    model: Model, frame: str, q: Any, task: str = "pose", point: Any = None
) -> Array:
    """x(q): the coordinates of a task of a frame, or of a point of it."""
    X, _ = pose_and_twists(model, frame, q, point)
    return _task(task).value(X)


def task_jacobian(model: Model, frame: str, q: Any, task: str = "pose", point: Any = None) -> Array:
    """J(q) with J v the velocities of a task: of its coordinates the rates."""
    X, J = pose_and_twists(model, frame, q, point)
    return _task(task).jacobian(X, J)


_task = task  # whose name is that of an argument too


def pose_and_twists(model: Model, frame: str, q: Any, point: Any) -> tuple[Array, Array]:
    """X (4, 4) of the frame's axes at the point, and its J (6, n), in world axes."""
    X, J = kinematics(model, frame, q, point=point)
    if point is None:
        return X, J
    moved = np.array(X)
    moved[:3, 3] = X[:3, 3] + X[:3, :3] @ vector(point)
    return moved, J


def _joined(blocks: Sequence[Array]) -> Array:
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
