"""What every tree of bodies must satisfy, however it was stated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from visviva.describe.parts import WORLD
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
    for f in model.frames:
        if not WORLD <= f.body < len(model.bodies):
            count = len(model.bodies)
            raise ArgumentError(
                f"frame {f.name!r} is on body number {f.body}, and there are {count}"
            )
    if model.gravity.shape != (3,):
        raise ShapeError(f"gravity has 3 coordinates, got shape {model.gravity.shape}")
