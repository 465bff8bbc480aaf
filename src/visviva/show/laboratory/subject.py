"""The system as the laboratory computes it: smooth, and with the size of gravity as a parameter.

Friction that jumps and stops that kick back are no part of a straight-line step. They are taken
out here, and the page adds them: friction rounded off near rest, impacts at the ends of steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from visviva.algebra.expr import Expr, Graph, names_in
from visviva.describe.model.edit import graph_of
from visviva.describe.stops import Stops, stops_of
from visviva.errors import VisvivaError
from visviva.notation.names import fresh

# what the size of gravity is called where a system is stated by formulas alone
GRAVITIES = ("g", "a_g", "ag", "g0", "g_0", "gravity")


@dataclass(frozen=True, eq=False)
class Subject:
    """`stated` as it was given, and `smooth`, whose functions are written for the page."""

    stated: Any
    smooth: Any
    gravity: str  # the parameter that is the size of gravity; empty if there is none
    is_dry: bool  # whether joints have friction that jumps at rest

    @property
    def is_added(self) -> bool:
        """Whether the parameter of gravity is ours, and no part of the system as it was stated."""
        named = self.stated.parameters
        return bool(self.gravity) and self.gravity not in named

    @property
    def stops(self) -> Stops:
        """Limits at which joints stop, or could."""
        if not getattr(self.stated, "bodies", ()):
            return stops_of(self.stated)
        if len(own := stops_of(self.stated)):
            return own
        try:
            return stops_of(self.stated.with_stops(0.0))
        except VisvivaError:  # no joint has limits
            return own

    @property
    def has_stops(self) -> bool:
        """Whether the system states that limits stop it."""
        return bool(len(stops_of(self.stated)))


def subject_of(system: Any) -> Subject:
    """The system, smooth, with a parameter for gravity."""
    if not getattr(system, "bodies", ()):
        known = [name for name in GRAVITIES if name in system.parameters]
        return Subject(system, system, known[0] if known else "", False)
    sizes = (x for b in system.bodies for x in (*b.friction, *b.stiction))
    is_dry = bool(np.any(system.dry_friction)) or any(isinstance(x, Expr) for x in sizes)
    smooth = system.without_dry_friction() if is_dry else system
    if len(stops_of(smooth)):
        smooth = smooth.with_stops(None)
    smooth, gravity = _with_gravity(smooth)
    return Subject(system, smooth, gravity, is_dry)


def _with_gravity(model: Any) -> tuple[Any, str]:
    """The model with a parameter that gravity is proportional to, and its name; or as it is."""
    own = names_in([x for x in model.gravity if isinstance(x, Expr)])
    if own:
        return model, own[0] if len(own) == 1 and _is_size(model, own[0]) else ""
    size = float(np.linalg.norm(np.asarray(model.gravity, dtype=float)))
    if not size:
        return model, ""
    name = fresh("gravity", {*model.parameters, *model.parameter_names, *model.coordinate_names})
    node = (graph_of(model) or Graph()).input(name)
    along = [node * (x / size) if x else 0.0 for x in np.asarray(model.gravity, dtype=float)]
    parameters = {**model.parameters, name: size}
    return replace(model, gravity=np.array(along, dtype=object), parameters=parameters), name


def _is_size(model: Any, name: str) -> bool:
    """Whether gravity is twice as large where the parameter is."""
    twice = model.over({**model.parameters, name: 2.0 * model.parameters[name]})
    once = np.asarray(model.numeric.gravity, dtype=float)
    return bool(np.allclose(np.asarray(twice.gravity, dtype=float), 2.0 * once, rtol=1e-12))
