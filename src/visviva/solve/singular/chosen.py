"""Which task an arm has, where nobody says: the most of a pose that its joints can drive.

An arm in a plane with two joints drives x and y, with three or more x, y and φ; in space three
joints drive the position, four with upright tools (SCARA) also the angle about the vertical, five
the position and an axis, six the pose. It is looked up at random positions: what a frame can do at
almost all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.model import Model
from visviva.equations.frames.kinematics import kinematics
from visviva.equations.frames.tasks import Task, task
from visviva.errors import ArgumentError, ConstrainedError

LOOKS = 12
AS_GOOD_AS_ZERO = 1e-10  # of the largest entry or singular value
FLAT_MOTIONS = (
    ("x y", (0, 1, 5)),
    ("y z", (1, 2, 3)),
    ("x z", (0, 2, 4)),
)  # and the rows that are zero


@dataclass(frozen=True, eq=False)
class Arm:
    """A frame, its task, and the velocities that change it."""

    model: Model
    frame: str
    task: Task
    why: str  # this task
    moving: tuple[int, ...]  # indices of v

    @property
    def joints(self) -> tuple[str, ...]:
        """What the moving velocities are called."""
        return tuple(self.model.motion_names[k] for k in self.moving)

    @property
    def is_square(self) -> bool:
        """As many rows as velocities."""
        return self.task.size == len(self.moving)


def chosen(model: Model, frame: str, text: str | None, asked: str) -> Arm:
    """The arm that carries a frame, with the task that is said or chosen; looked up once."""
    known: dict[Any, Arm] = model.__dict__.setdefault("_arms", {})
    if (frame, text) not in known:
        known[frame, text] = _chosen(model, frame, text, asked)
    return known[frame, text]


def _chosen(model: Model, frame: str, text: str | None, asked: str) -> Arm:
    if text is not None:
        task(text)  # an unknown word is told before anything else
    model.frame(frame)
    samples = [placed(model, frame, q) for q in random_positions(model, LOOKS)]
    J = np.stack([twists for _, twists in samples])
    moving = _moving(J)
    if not moving:
        raise ArgumentError(f"{asked}: no joint of {model.name!r} moves the frame {frame!r}")
    if text is not None:
        rows = task(text)
        felt = _moving(np.stack([rows.jacobian(X, x) for X, x in samples]))
        return Arm(model, frame, rows, "as asked", felt or moving)
    for word, why in _candidates(J[:, :, list(moving)]):
        rows = task(word)
        each = np.stack([rows.jacobian(X, x) for X, x in samples])
        felt = _moving(each)
        if max(map(_rank, each)) == min(rows.size, len(moving)):
            return Arm(model, frame, rows, why, felt)
    raise ArgumentError(
        f"{asked}: no task fits what the joints {', '.join(model.motion_names[k] for k in moving)} "
        f"of {model.name!r} can do with {frame!r}; say task="
    )


def _moving(J: Array) -> tuple[int, ...]:
    """Columns that are not zero everywhere."""
    sizes = np.abs(J).max(axis=(0, 1), initial=0.0)
    return tuple(k for k, x in enumerate(sizes.tolist()) if x > AS_GOOD_AS_ZERO * sizes.max())


def refuse_loops(model: Model, asked: str) -> None:
    """Closed forms are those of open arms."""
    if held := model.held_by:
        raise ConstrainedError(
            f"{asked}: {model.name!r} is held by {held[0]}, and a Jacobian of free joints does not "
            "know it; singularity(frame, q) looks at one position with its constraints, "
            "coupler_curve(frame, joint) at the places that one joint leads through, and "
            "without_constraints() gives the open arm"
        )


def random_positions(model: Model, count: int, seed: int = 0) -> Array:
    """Within limits, where there are any; angles without all round."""
    rng = np.random.default_rng(seed)
    low, high = np.asarray(model.lower, float), np.asarray(model.upper, float)
    angular = np.array([unit == "rad" for unit in model.coordinate_units])
    reach = np.where(angular, np.pi, 1.0)
    low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2 * reach, -reach))
    high = np.where(np.isfinite(high), high, low + 2 * reach)
    q = rng.uniform(low, high, size=(count, model.nq))
    for _, start in model.quaternions:
        x = rng.normal(size=(count, 4))
        q[:, start : start + 4] = x / np.linalg.norm(x, axis=1)[:, None]
    return q


def placed(model: Model, frame: str, q: Any) -> tuple[Array, Array]:
    """The pose (4, 4) and the Jacobian (6, nv) of a frame at one position.

    By the equations themselves: for a few positions nothing is compiled.
    """
    X, J = kinematics(model.numeric, frame, np.asarray(q, float))
    return np.asarray(X, float), np.asarray(J, float)


def _candidates(J: Array) -> Iterator[tuple[str, str]]:
    """Tasks and why they were taken, the largest first."""
    n, size = J.shape[2], np.abs(J).max()
    still = np.abs(J).max(axis=(0, 2)) <= AS_GOOD_AS_ZERO * size
    joints = f"{n} joint{'s' if n > 1 else ''}"
    for letters, (a, b, slide) in FLAT_MOTIONS:
        if still[a] and still[b] and still[slide]:
            plane = f"the arm moves in the plane {letters.replace(' ', '-')} by {joints}"
            if n > 2:
                yield f"{letters} phi", plane
            yield letters, plane
            for letter in letters.split():
                yield f"{letter} phi", plane
            return
    space = f"the arm moves in space by {joints}"
    if n >= 6:
        yield "pose", space
    if n >= 5:
        for axis in ("axis", "x-axis", "y-axis"):  # of a tool that spins about its own z, another
            yield f"position {axis}", space
    if n == 4 and still[0] and still[1]:
        yield "x y z phi", f"{space}, turning about the vertical alone"
    yield "position", space
    yield "orientation", f"{space}, and does not move its point in all directions"


def _rank(J: Array) -> int:
    sizes = np.linalg.svd(J, compute_uv=False)
    return int(np.sum(sizes > AS_GOOD_AS_ZERO * max(float(sizes[0]), 1e-300)))


def moving_columns(arm: Arm, J: Any) -> Array:
    """Of a Jacobian (…, n), those of the joints that move the frame."""
    return np.asarray(J)[..., list(arm.moving)]
