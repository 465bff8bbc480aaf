"""`card`: the one place that knows which value has which card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from visviva.describe.bodies.inertia import Inertia
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.model.model import Model
from visviva.motion.stability.linearization import Linearization
from visviva.motion.trajectory import Trajectory
from visviva.show.cards.motions import trajectory_card
from visviva.show.cards.numbers import inertia_card, linearization_card, pose_card
from visviva.show.cards.systems import lagrangian_card, model_card
from visviva.space.poses import Pose

CARDS: dict[type, Callable[[Any], str]] = {
    Model: model_card,
    Lagrangian: lagrangian_card,
    Trajectory: trajectory_card,
    Linearization: linearization_card,
    Pose: pose_card,
    Inertia: inertia_card,
}


def card(value: Any) -> str:
    """A value as a notebook shows it."""
    return next(write(value) for kind, write in CARDS.items() if isinstance(value, kind))
