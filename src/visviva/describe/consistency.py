"""What every tree of bodies must satisfy, however it was stated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from visviva.describe.parts import WORLD, Body
from visviva.errors import ArgumentError, ShapeError, UnknownNameError

if TYPE_CHECKING:
    from visviva.describe.model import Model


def check_tree(model: Model) -> None:
    """Names are unique, parents come first, sources of coupled joints exist."""
    for kind, names in (
        ("frame", model.frame_names),
        ("joint", tuple(b.joint_name for b in model.bodies)),
    ):
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise ArgumentError(f"model {model.name!r}: two {kind}s are called {name!r}")
            seen.add(name)
    for i, b in enumerate(model.bodies):
        if not WORLD <= b.parent < i:
            raise ArgumentError(f"body {b.name!r} comes before its parent, number {b.parent}")
        if b.mimic is not None and b.mimic.joint not in model.joint_names:
            raise UnknownNameError(
                f"joint that {b.joint_name!r} follows", b.mimic.joint, model.joint_names
            )
        if b.mimic is not None:
            _check_follower(model, b)
    for f in model.frames:
        if not WORLD <= f.body < len(model.bodies):
            count = len(model.bodies)
            raise ArgumentError(
                f"frame {f.name!r} is on body number {f.body}, and there are {count}"
            )
    for s in model.springs:
        if bool(s.joint) == bool(s.frames):
            raise ArgumentError(
                f"spring {s.name!r} is on a joint or between two frames, one of them"
            )
        if s.joint and s.joint not in {b.joint_name for b in model.bodies}:
            raise UnknownNameError("joint", s.joint, [b.joint_name for b in model.bodies])
        for name in s.frames:
            model.frame(name)
    if model.gravity.shape != (3,):
        raise ShapeError(f"gravity has 3 coordinates, got shape {model.gravity.shape}")


def _check_follower(model: Model, b: Body) -> None:
    """Multiples of a position are positions only where coordinates are plain numbers."""
    source = next(x for x in model.bodies if x.joint_name == (b.mimic and b.mimic.joint))
    kinds = [type(x.joint).__name__.lower() for x in (b, source)]
    if not (b.joint.has_rates and source.joint.has_rates) or b.joint.nq != source.joint.nq:
        raise ArgumentError(
            f"joint {b.joint_name!r} ({kinds[0]}) cannot follow {source.joint_name!r} "
            f"({kinds[1]}): both need coordinates whose rates are their velocities, and as many"
        )
