"""The scene of any system."""

from __future__ import annotations

from typing import Any

from visviva.describe.model.model import Model
from visviva.describe.quantities import ENERGIES
from visviva.errors import ArgumentError
from visviva.show.scene.models import scene_of_model
from visviva.show.scene.scene import Scene


def scene_of(system: Any) -> Scene:
    """What there is to see of a system, made once.

    Examples:
        >>> import visviva as vv
        >>> scene = scene_of(vv.catalog.rp_arm())
        >>> scene.carriers[:3]
        ('world', 'link1', 'link2')
        >>> scene.places()([0.5, 0.6]).shape[1:]
        (3, 4)
    """
    known: dict[str, Any] = getattr(system, "__dict__", {})
    if "_scene" not in known:
        known["_scene"] = _made(system)
    scene: Scene = known["_scene"]
    return scene


def _made(system: Any) -> Scene:
    if isinstance(system, Model):
        return scene_of_model(system)
    if getattr(system, "stated", None) == ENERGIES:
        from visviva.show.scene.energies import scene_of_energies  # SymPy, for who needs it

        return scene_of_energies(system)
    got = type(system).__name__
    line = "" if isinstance(system, str) else "model.show(q)"
    raise ArgumentError(f"a scene is of a Model or a Lagrangian, got {got}", cure=line)
