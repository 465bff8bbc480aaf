"""What the parameters of a system are: their units, and where in it they stand.

Examples:
    >>> from visviva.describe import catalog
    >>> for name, x in meanings(catalog.rp_arm()).items():
    ...     print(name, x.unit, x.text, sep=", ")
    m1, kg, mass of link1
    m2, kg, mass of link2
    r1, m, centre of mass of link1
    I1, kg m², moment of inertia of link1
    I2, kg m², moment of inertia of link2
    a_g, m/s², gravity
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import sympy

from visviva.algebra.expr import Expr, names_in
from visviva.algebra.sympy_graph import to_sympy
from visviva.describe.model.model import Model
from visviva.describe.values import leaves
from visviva.equations.parameters.dimensions import (
    ACCELERATION,
    ENERGY,
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    TIME,
    Dimensions,
    known_units,
)

SEVERAL = 2  # places that are told
PER_TIME = {"rad": (1, 2, -1), "m": (1, 0, -1)}  # damping, by the unit of what moves
STIFF = {"rad": (1, 2, -2), "m": (1, 0, -2)}
EFFORT = {"rad": ENERGY, "m": FORCE}
POWER = (1, 2, -3)
ROTOR = {"rad": INERTIA, "m": MASS}
BY_UNIT = {
    "kg": "mass",
    "m": "length",
    "kg m²": "moment of inertia",
    "m/s²": "acceleration",
    "N/m": "stiffness",
    "N m": "stiffness against turning, or a torque",
    "N": "force",
    "N s/m": "damping",
    "N m s": "damping of turning, or an angular momentum",
    "1/s": "rate of turning",
    "m/s": "speed",
    "rad": "angle",
    "1/m": "curvature",
}
BY_LETTER = {
    "m": MASS, "M": MASS, "I": INERTIA, "J": INERTIA, "g": ACCELERATION,
    "l": LENGTH, "L": LENGTH, "r": LENGTH, "R": LENGTH,
}  # fmt: skip


@dataclass(frozen=True)
class Meaning:
    """Unit (empty if nothing settles it) and what it is, in words."""

    unit: str
    text: str


def meanings(system: Any) -> dict[str, Meaning]:
    """Of every parameter of a system, by name."""
    of = _of_model if system.frame_names else _of_energies
    return of(system) if system.parameters else {}


@dataclass(frozen=True)
class _Place:
    """Where numbers stand: what they are, and their unit."""

    text: str
    numbers: Any
    unit: Any


def _of_model(model: Model) -> dict[str, Meaning]:
    found = Dimensions()
    said: dict[str, list[str]] = {name: [] for name in model.parameters}
    for place in _places(model):
        formulas = [x for x in leaves(place.numbers) if isinstance(x, Expr)]
        for x in formulas:
            found.add(to_sympy(x), place.unit)
        for name in names_in(formulas):
            if name in said and place.text not in said[name]:
                said[name].append(place.text)
    found.settle()
    units = known_units(found, tuple(model.parameters))
    return {name: Meaning(units[name], _listed(x)) for name, x in said.items()}


def _places(model: Model) -> Iterator[_Place]:
    """The surest first."""
    yield _Place("gravity", model.gravity, ACCELERATION)
    for b in model.bodies:
        yield _Place(f"mass of {b.name}", b.inertia.mass, MASS)
    for b in model.bodies:
        yield _Place(f"centre of mass of {b.name}", b.inertia.com, LENGTH)
        yield _Place(f"moment of inertia of {b.name}", b.inertia.tensor, INERTIA)
    for b in model.bodies:
        unit = "rad" if any(b.joint.angular) else "m"
        yield _Place(f"rotor at joint {b.joint_name}", b.armature, ROTOR[unit])
        yield _Place(f"damping of joint {b.joint_name}", b.damping, PER_TIME[unit])
        yield _Place(f"friction of joint {b.joint_name}", [b.friction, b.stiction], EFFORT[unit])
        yield _Place(f"position of joint {b.joint_name}", b.placement.p, LENGTH)
        yield _Place(f"orientation of joint {b.joint_name}", b.placement.R, (0, 0, 0))
    for f in model.frames:
        yield _Place(f"position of frame {f.name}", f.placement.p, LENGTH)
        yield _Place(f"orientation of frame {f.name}", f.placement.R, (0, 0, 0))
    for s in model.springs:
        turns = bool(s.joint) and any(_joint(model, s.joint).angular)
        unit = "rad" if turns else "m"
        yield _Place(f"stiffness of spring {s.name}", s.stiffness, STIFF[unit])
        yield _Place(f"rest length of spring {s.name}", s.rest, (0, 0, 0) if turns else LENGTH)
        yield _Place(f"damper beside spring {s.name}", s.damping, PER_TIME[unit])
        yield _Place(f"ends of spring {s.name}", s.points, LENGTH)
    for b in model.bodies:
        yield _Place(f"joint {b.joint_name}", b.joint, None)
    for c in model.constraints:
        yield _Place(f"constraint {c.name}", c, None)
    yield _Place("actuators", model.actuators, None)


def _joint(model: Model, name: str) -> Any:
    return model.bodies[model.joint_index(name)].joint


def _of_energies(s: Any) -> dict[str, Meaning]:
    found, n = Dimensions(), s.names
    found.add(sympy.Symbol("t"), TIME)
    for q, v, name in zip(n.q, n.v, s.coordinates, strict=True):
        found.add(q * sympy.Symbol("t") ** -1 - v)
        if name in s.angles:
            found.add(q, (0, 0, 0))
    stated = {
        "kinetic energy": [s.kinetic],
        "potential energy": [s.potential],
        "friction": s.dissipation if isinstance(s.dissipation, tuple) else [s.dissipation],
        "applied forces": list(s.forces),
        "constraints": list(s.constraints),
    }
    for what in ("kinetic energy", "potential energy"):
        for x in stated[what]:
            found.add(sympy.expand(x), ENERGY)
    for x in s.constraints:
        found.add(sympy.sympify(x))
    if not isinstance(s.dissipation, tuple):
        found.add(sympy.expand(s.dissipation), POWER)
    for what in ("friction", "applied forces"):
        for q, x in zip(n.q, stated[what], strict=False):
            if what != "friction" or isinstance(s.dissipation, tuple):
                found.add(sympy.expand(x * q), ENERGY)
    for name in s.parameters:  # where that is possible, by what such letters mean to everybody
        found.add(sympy.Symbol(name), BY_LETTER.get(name.rstrip("0123456789_")))
    for q, name in zip(n.q, s.coordinates, strict=True):  # a length, unless it cannot be one
        if name not in s.angles:
            found.add(q, LENGTH)
    found.settle()
    units = known_units(found, tuple(s.parameters))
    made = {}
    for name, unit in units.items():
        symbol = sympy.Symbol(name)
        where = [k for k, xs in stated.items() if any(symbol in _symbols(x) for x in xs)]
        is_weight = unit == "m/s²" and BY_LETTER.get(name.rstrip("0123456789_")) == ACCELERATION
        words = "gravity" if is_weight else BY_UNIT.get(unit) or f"in the {_listed(where)}"
        made[name] = Meaning(unit, words)
    return made


def _symbols(x: Any) -> set[Any]:
    return set(getattr(x, "free_symbols", ()))


def _listed(places: Iterable[str]) -> str:
    every = list(places)
    more = len(every) - SEVERAL
    return ", ".join(every[:SEVERAL]) + (f" and {more} more" if more > 0 else "")
