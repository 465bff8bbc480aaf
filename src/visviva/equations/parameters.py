"""Names for a model's numbers, so that some of them can stay inputs of a function.

A model's own parameters keep their names. Beside them every body has m, the centre cx cy cz, the
tensor about it Ixx Ixy Ixz Iyy Iyz Izz, and every joint damping, friction and armature, each
followed by the name of the body or joint: `m_link1`, `damping_elbow`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from visviva.algebra.naming import fresh
from visviva.describe.inertia import Inertia
from visviva.describe.model import Model
from visviva.describe.names import motion
from visviva.errors import UnknownNameError
from visviva.space.rotations import vector

CENTRE = ("cx", "cy", "cz")
TENSOR = (("Ixx", 0, 0), ("Ixy", 0, 1), ("Ixz", 0, 2), ("Iyy", 1, 1), ("Iyz", 1, 2), ("Izz", 2, 2))
JOINT = ("damping", "friction", "armature")


def parameter_names(model: Model) -> tuple[str, ...]:
    """Its own parameters if it has any, otherwise those of its bodies and joints."""
    return tuple(model.parameters or _derived(model))


def parameter_values(model: Model, names: Sequence[str]) -> np.ndarray:
    """The values that the model has for them."""
    known = {**model.parameters, **_derived(model)}
    for name in names:
        if name not in known:
            raise UnknownNameError("parameter", name, known)
    return np.array([float(known[name]) for name in names])


def with_symbols(model: Model, names: Sequence[str], values: Any) -> Model:
    """The model with scalars of any kind in place of some of its numbers."""
    given = dict(zip(names, values, strict=True))
    own = {k: x for k, x in given.items() if k in model.parameters}
    places = _names(model)
    model = model.over({**model.parameters, **own}) if model.parameters else model
    derived = {k: x for k, x in given.items() if k not in own}
    bodies = [_with(b, names, derived) for b, names in zip(model.bodies, places, strict=True)]
    return replace(model, bodies=tuple(bodies))


def _with(b: Any, names: Mapping[Any, str], given: Mapping[str, Any]) -> Any:
    def of(what: Any, old: Any) -> Any:
        return given.get(names[what], old)

    i = b.inertia
    tensor: Any = i.tensor.astype(object)
    for name, r, c in TENSOR:
        tensor[r, c] = tensor[c, r] = of(name, tensor[r, c])
    com = vector([of(k, x) for k, x in zip(CENTRE, i.com, strict=True)])
    inertia = Inertia(of("m", i.mass), com, vector(tensor.tolist()), checked=False)
    lists = {
        k: vector([of(n, x) for n, x in zip(_entries(k, b), getattr(b, k), strict=True)])
        for k in JOINT
    }
    return replace(b, inertia=inertia, **lists)


def _derived(model: Model) -> dict[str, Any]:
    """The numbers of bodies and joints, but for names that the model uses itself."""
    found: dict[str, Any] = {}
    for b, names in zip(model.numeric.bodies, _names(model), strict=True):
        i = b.inertia
        found[names["m"]] = i.mass
        found.update({names[k]: x for k, x in zip(CENTRE, i.com, strict=True)})
        found.update({names[k]: i.tensor[r, c] for k, r, c in TENSOR})
        for k in JOINT:
            pairs = zip(_entries(k, b), getattr(b, k), strict=True)
            found.update({names[entry]: x for entry, x in pairs})
    return {name: x for name, x in found.items() if name not in model.parameters}


def _names(model: Model) -> list[dict[Any, str]]:
    """For every body: what each of its numbers is called; coordinates have their names first."""
    moving = motion(model.bodies, model.parameters)
    taken = {*moving.q, *moving.v, *moving.a}
    made = []
    for b in model.bodies:
        of_body = ("m", *CENTRE, *(k for k, _, _ in TENSOR))
        names: dict[Any, str] = {k: f"{k}_{b.name}" for k in of_body}
        names |= {n: f"{n[0]}_{b.joint_name}{n[1]}" for k in JOINT for n in _entries(k, b)}
        names = {k: fresh(name, taken) for k, name in names.items()}
        taken |= {*names.values()}
        made.append(names)
    return made


def _entries(kind: str, b: Any) -> list[tuple[str, str]]:
    """One for each velocity of a joint: the kind, and the velocity's own name if it has one."""
    return [(kind, f"_{v}" if v else "") for v in b.joint.velocities]
