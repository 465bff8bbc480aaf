"""A system of energies in other coordinates, or with formulas in place of parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy

from visviva.describe.energies.constraints import carried_constraints
from visviva.describe.energies.formulas import TIME, Names, listed, name_of
from visviva.describe.energies.picture import carried_picture
from visviva.describe.model.parameters import named_variant
from visviva.errors import ArgumentError, ParseError, check_known


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
        "angles": angles or tuple(x for x in s.angles if x in names.coordinates),
        "passive": tuple(
            x
            for k, x in enumerate(names.coordinates)
            if {q for i, q in enumerate(s.coordinates) if J[i, k] != 0} <= {*s.passive}
        ),
        **carried_picture(s, over, names.coordinates),
    }


def with_formulas(s: Any, texts: Mapping[str, str]) -> dict[str, Any]:
    """All that is stated otherwise with formulas in place of parameters, which are then gone."""
    names = Names(s.coordinates, [x for x in s.parameter_names if x not in texts])
    by = {}
    for key, text in texts.items():
        try:
            formula = names.read(f"parameter {key!r}", text)
        except ParseError as error:
            said = f"parameter {key!r} is a finite number, or a formula of the others: {error}"
            raise ArgumentError(said) from None
        if moving := formula.free_symbols & {*names.q, *names.v, TIME}:
            raise ArgumentError(f"parameter {key!r} is constant, got {text!r} with {moving.pop()}")
        by[sympy.Symbol(key)] = formula

    def over(x: Any) -> Any:
        return x.xreplace(by)

    b = s.dissipation
    return {
        "kinetic": over(s.kinetic),
        "potential": over(s.potential),
        "dissipation": tuple(map(over, b)) if isinstance(b, tuple) else over(b),
        "forces": tuple(map(over, s.forces)),
        "constraints": carried_constraints(s.constraints, over),
        "actuators": None if s.actuators is None else s.actuators.applyfunc(over),
        "declared": tuple(x for x in s.declared if x.name not in texts),
        "name": named_variant(s.name, texts),
        **carried_picture(s, over, s.coordinates),
    }
