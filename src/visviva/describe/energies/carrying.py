"""A system of energies in other coordinates: L is carried over, forces by their work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy

from visviva.describe.energies.constraints import carried_constraints
from visviva.describe.energies.formulas import TIME, Names, listed, name_of
from visviva.describe.energies.picture import carried_picture
from visviva.errors import ArgumentError, check_known


def carried(
    s: Any, new: Any, relations: Mapping[Any, Any], angles: Iterable[str]
) -> dict[str, Any]:
    """All that is stated otherwise in coordinates q′ with q = φ(q′, t)."""
    old, names = s.names, Names(listed(new), s.parameter_names)
    phi: dict[str, Any] = {}
    for key, x in relations.items():
        check_known("coordinate", name_of(key), s.coordinates)
        phi[name_of(key)] = names.read(f"relation of {key}", x, "coordinates")
    for q in s.coordinates:
        if q not in phi and q not in names.coordinates:
            raise ArgumentError(f"coordinate {q!r} has no relation and is not kept")
        phi.setdefault(q, sympy.Symbol(q))
    place = sympy.Matrix([phi[q] for q in s.coordinates])
    J = place.jacobian(names.q)
    rate = J * sympy.Matrix(names.v) + place.diff(TIME)
    by = dict(zip((*old.q, *old.v), (*place, *rate), strict=True))

    def over(x: Any) -> Any:
        return x.xreplace(by)

    b = s.dissipation
    rows = sympy.Matrix([over(x) for x in b]) if isinstance(b, tuple) else None
    return {
        "coordinates": names.coordinates,
        "kinetic": over(s.kinetic),
        "potential": over(s.potential),
        "dissipation": over(b) if rows is None else tuple(J.T * rows),
        "forces": tuple(J.T * sympy.Matrix([over(x) for x in s.forces])),
        "constraints": carried_constraints(s.constraints, over),
        "actuators": None if s.actuators is None else J.T * s.actuators.applyfunc(over),
        "angles": tuple(angles) or tuple(x for x in s.angles if x in names.coordinates),
        "passive": tuple(
            x
            for k, x in enumerate(names.coordinates)
            if {q for i, q in enumerate(s.coordinates) if J[i, k] != 0} <= {*s.passive}
        ),
        **carried_picture(s, over, names.coordinates),
    }
