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

from visviva.describe.inertia import Inertia
from visviva.describe.model import Model
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
    model = model.over({**model.parameters, **own}) if model.parameters else model
    derived = {k: x for k, x in given.items() if k not in own}
    return replace(model, bodies=tuple(_with(b, derived) for b in model.bodies))


def _with(b: Any, given: dict[str, Any]) -> Any:
    def of(name: str, old: Any) -> Any:
        return given.get(name, old)

    i = b.inertia
    tensor: Any = i.tensor.astype(object)
    for name, r, c in TENSOR:
        tensor[r, c] = tensor[c, r] = of(f"{name}_{b.name}", tensor[r, c])
    com = vector([of(f"{k}_{b.name}", x) for k, x in zip(CENTRE, i.com, strict=True)])
    inertia = Inertia(of(f"m_{b.name}", i.mass), com, vector(tensor.tolist()), checked=False)
    lists = {
        k: vector([of(n, x) for n, x in zip(_entries(k, b), getattr(b, k), strict=True)])
        for k in JOINT
    }
    return replace(b, inertia=inertia, **lists)


def _derived(model: Model) -> dict[str, Any]:
    """The numbers of bodies and joints, but for names that the model uses itself."""
    found = _numbers(model.numeric)
    return {name: x for name, x in found.items() if name not in model.parameters}


def _numbers(model: Model) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for b in model.bodies:
        i = b.inertia
        found[f"m_{b.name}"] = i.mass
        found.update({f"{k}_{b.name}": x for k, x in zip(CENTRE, i.com, strict=True)})
        found.update({f"{name}_{b.name}": i.tensor[r, c] for name, r, c in TENSOR})
        for k in JOINT:
            found.update(zip(_entries(k, b), getattr(b, k), strict=True))
    return found


def _entries(kind: str, b: Any) -> list[str]:
    """One name for each velocity of a joint; its own name where there is one."""
    names = b.joint.velocities
    return [f"{kind}_{b.joint_name}" + (f"_{v}" if v else "") for v in names]
