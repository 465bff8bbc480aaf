"""Names for a model's numbers, so that some of them can stay inputs of a function.

A model's own parameters keep their names. Beside them every body has m, the centre cx cy cz, the
tensor about it Ixx Ixy Ixz Iyy Iyz Izz, and every joint damping, friction and armature, each
followed by the name of the body or joint: `m_link1`, `damping_elbow`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from visviva.describe.constraints.relation import velocity_names
from visviva.describe.model.idle import refuse_idle
from visviva.describe.model.model import Model
from visviva.describe.model.parameters import NumberNames, named_numbers, number_names, with_numbers
from visviva.describe.quantities import Quantity
from visviva.equations.bodies.links import links
from visviva.equations.bodies.massless import joints_without_inertia
from visviva.equations.bodies.near import is_numeric
from visviva.errors import check_known


def parameter_names(model: Model) -> tuple[str, ...]:
    """Its own parameters if it has any, otherwise those of its bodies and joints."""
    return tuple(model.parameters or _derived(model))


def parameter_values(model: Model, names: Sequence[str]) -> np.ndarray:
    """The values that the model has for them."""
    known = {**model.parameters, **_derived(model)}
    for name in names:
        check_known("parameter", name, known)
    return np.array([float(known[name]) for name in names])


def with_symbols(model: Model, names: Sequence[str], values: Any) -> Model:
    """The model with scalars of any kind in place of some of its numbers."""
    given = dict(zip(names, values, strict=True))
    own = {k: x for k, x in given.items() if k in model.parameters}
    places = _names(model)
    model = model.over({**model.parameters, **own}) if model.parameters else model
    derived = {k: x for k, x in given.items() if k not in own}
    pairs = zip(model.bodies, places, strict=True)
    return replace(model, bodies=tuple(with_numbers(b, names, derived) for b, names in pairs))


def check_inertia(model: Model, what: str) -> None:
    """Refuse what needs M⁻¹ where M has no inverse: numbers are looked at, symbols are not."""
    if is_numeric(links(model)):
        refuse_idle(model, what)


def possibly_massless(model: Model) -> tuple[int, ...]:
    """Coordinates that may have a part, at some position, in a motion without inertia."""
    return joints_without_inertia(model)


def _derived(model: Model) -> dict[str, Any]:
    """The numbers of bodies and joints, but for names that the model uses itself."""
    numbers = named_numbers(model.numeric.bodies, _names(model))
    return {name: x for name, x in numbers.items() if name not in model.parameters}


def _names(model: Model) -> list[NumberNames]:
    return number_names(model.bodies, model.parameters)


def inputs(model: Model, row: Quantity) -> list[str]:
    """What a quantity depends on: as the table has it, and the time where constraints move."""
    parts = [x for x in row.parts.split() if x.startswith("constraint_")]
    velocities = velocity_names(model) if parts and model.constraints else frozenset()
    moving = any(x.has_time(p, velocities) for x in model.constraints.active for p in parts)
    return [*row.inputs.split(), *(["t"] if moving else [])]
