"""Loads at frames, as they are given: whose force, in which axes, in which order.

Documents differ in two ways (X2 and X3 of the audit): whether a wrench is (moment, force) or
(force, moment), and whether it is what the robot exerts or what acts on it. Both are said, never
guessed. Inside, a load acts on the robot, in world axes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, float_array, frozen
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.equations.statics import ordered
from visviva.errors import ArgumentError, ShapeError, check_known
from visviva.hints import in_radians
from visviva.space.poses import Pose
from visviva.space.rotations import cross

ACTING = ("by robot", "on robot")
AXES = ("world", "body")
COMPONENTS = ("mx", "my", "mz", "fx", "fy", "fz")
KEYS = ("frame", "force", "moment", "point", "axes")


@dataclass(frozen=True, eq=False)
class Load:
    """A moment and a force on the robot, in world axes, at a point of a frame."""

    frame: str
    body: int
    point: FloatArray  # in the frame
    at: FloatArray  # in the world
    moment: FloatArray
    force: FloatArray
    follows: bool = False  # given in body axes: it turns with its frame

    def __post_init__(self) -> None:
        for name in ("point", "at", "moment", "force"):
            object.__setattr__(self, name, frozen(getattr(self, name)))

    def wrench(self, order: str = "moment first", acting: str = "by robot") -> FloatArray:
        """Its six numbers in a convention, in world axes at its point."""
        check_known("way a wrench acts", acting, ACTING)
        sign = 1.0 if acting == "on robot" else -1.0
        return ordered(sign * np.concatenate([self.moment, self.force]) + 0.0, order)

    def at_point(self, p: Any) -> FloatArray:
        """(moment, force) on the robot about another point of the world."""
        return np.concatenate([self.moment + cross(self.at - p, self.force), self.force])


def loads(
    model: Model, q: Array, wrenches: Any, order: str, acting: str, axes: str
) -> tuple[Load, ...]:
    """What `wrenches` says, checked; poses are those at q."""
    check_known("way a wrench acts", acting, ACTING)
    check_known("axes of a wrench", axes, AXES)
    ordered(np.zeros(6), order)  # refuses what is no order
    sign = 1.0 if acting == "on robot" else -1.0
    found = []
    poses: list[Pose] = model.body_poses(q)
    for frame, given in _entries(wrenches):
        said = {"axes": axes, "point": np.zeros(3)} | _parts(frame, given, order)
        check_known(f"axes of the wrench at {frame!r}", said["axes"], AXES)
        f = model.frame(frame)
        if f.body == WORLD:
            raise ArgumentError(
                f"a load at {frame!r} does nothing: that frame is fixed to the ground; frames that "
                f"move: {', '.join(map(repr, _moving(model)))}"
            )
        X = poses[f.body] @ f.placement
        R = X.R if said["axes"] == "body" else np.eye(3)
        moment, force = (sign * (R @ said[k]) for k in ("moment", "force"))
        at, follows = X.apply(said["point"]), said["axes"] == "body"
        found.append(Load(frame, f.body, said["point"], at, moment, force, follows))
    return tuple(found)


def loads_at_origins(model: Model, asked: str, wrenches: Any) -> dict[str, Array]:
    """(moment, force) on the mechanism, by frames, which stay as they are in world axes."""
    if isinstance(wrenches, (list, tuple)) and not all(isinstance(x, Mapping) for x in wrenches):
        raise ArgumentError(
            f"{asked}: wrenches maps frames to (moment, force), {{'tool': [0, 0, 0, 5, 0, 0]}}, or "
            f"{{'tool': {{'force': [5, 0, 0]}}}}; got {wrenches!r:.80}"
        )
    total: dict[str, Array] = {}
    for x in loads(model, model.neutral(), wrenches, "moment first", "on robot", "world"):
        if x.point.any() or x.follows:
            raise ArgumentError(
                f"{asked}: the wrench at {x.frame!r} acts at the frame's origin, in world axes; "
                "with_frame(…) puts a frame anywhere on a body"
            )
        W = np.concatenate([x.moment, x.force])
        total[x.frame] = frozen(total.get(x.frame, np.zeros(6)) + W)
    return total


def _moving(model: Model) -> list[str]:
    return [x for x in model.frame_names if model.frame(x).body != WORLD]


def _entries(wrenches: Any) -> list[tuple[str, Any]]:
    """(frame, what is given there), one after the other."""
    if wrenches is None:
        return []
    if isinstance(wrenches, Mapping):
        pairs = list(wrenches.items())
    elif isinstance(wrenches, Iterable) and not isinstance(wrenches, (str, bytes, np.ndarray)):
        pairs = []
        for given in wrenches:
            if not isinstance(given, Mapping) or "frame" not in given:
                raise ArgumentError(
                    'a list of loads has entries {"frame": "tool", "force": [x, y, z], …}; '
                    f"got {given!r:.80}"
                )
            pairs.append((given["frame"], given))
    else:
        raise ArgumentError(
            "wrenches maps frames to wrenches, {'tool': (moment, force)}, or is a list of loads; "
            f"got {type(wrenches).__name__}"
        )
    for frame, _ in pairs:
        if not isinstance(frame, str):
            raise ArgumentError(f"a load acts at a frame, by its name; got {frame!r:.80}")
    return pairs


def _parts(frame: str, given: Any, order: str) -> dict[str, Any]:
    """Moment and force, with the point and the axes where they are said."""
    if not isinstance(given, Mapping):
        W = ordered(_numbers(f"the wrench at {frame!r}", given, 6), order)
        return {"moment": W[:3], "force": W[3:]}
    for key in given:
        check_known(f"part of the load at {frame!r}", key, KEYS)
    said = {k: x for k, x in given.items() if k != "frame"}
    if not {"force", "moment"} & said.keys():
        raise ArgumentError(f"the load at {frame!r} has a force, a moment or both; got {given!r}")
    for key in ("force", "moment", "point"):
        default = [0.0, 0.0, 0.0]
        said[key] = _numbers(f"the {key} at {frame!r}", said.get(key, default), 3)
    return said


def _numbers(what: str, given: Any, size: int) -> Array:
    try:
        x = float_array(given).copy()
    except (TypeError, ValueError):
        way = in_radians(given)
        if callable(given):
            way = ", no function: for a load that changes with q ask once for each position"
        raise ArgumentError(f"{what} has {size} numbers, got {given!r:.80}{way}") from None
    if x.shape != (size,):
        more = "; forces and moments alone: {'force': […]}" if size == 6 else ""
        raise ShapeError(f"{what} has {size} numbers, got shape {x.shape}{more}")
    if not np.isfinite(x).all():
        raise ArgumentError(f"{what} is finite, got {x}")
    return x
