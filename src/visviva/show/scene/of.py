"""The scene of any system."""

from __future__ import annotations

from typing import Any

from visviva.describe.model.model import Model
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
    known: dict[str, Scene] = getattr(system, "__dict__", {})
    if "_scene" not in known:
        if not isinstance(system, Model):
            raise ArgumentError(
                f"a scene is of a Model or a Lagrangian, got {type(system).__name__}"
            )
        known["_scene"] = scene_of_model(system)
    return known["_scene"]
