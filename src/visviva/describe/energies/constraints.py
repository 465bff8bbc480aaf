"""What a user may write for a constraint of energies: a formula that stays zero, or an equation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy

from visviva.describe.constraints.constraint import Constraints
from visviva.describe.energies.admitted import shown
from visviva.describe.energies.formulas import Names, components
from visviva.errors import ArgumentError


def stated_constraints(names: Names, stated: Any) -> Constraints:
    """Formulas over plain symbols, by name where they were given names."""
    given = stated.items() if isinstance(stated, Mapping) else None
    if given is not None and not all(isinstance(name, str) and name for name, _ in given):
        raise ArgumentError(f"constraints are called by texts, got {[k for k, _ in given]}")
    items = components(stated) if given is None else tuple(x for _, x in given)
    called = [name for name, _ in given or ()]
    if isinstance(stated, Constraints):
        called = list(stated.given_names)
    formulas = [_formula(names, x) for x in items]
    for x in formulas:
        _refuse(names, x)
    return Constraints(formulas, called)


def carried_constraints(constraints: Constraints, over: Callable[[Any], Any]) -> Constraints:
    """In other coordinates: those that still say something, with their names."""
    pairs = zip(map(over, constraints), constraints.given_names, strict=True)
    kept = [(x, name) for x, name in pairs if x != 0]
    return Constraints([x for x, _ in kept], [name for _, name in kept])


def _formula(names: Names, x: Any) -> Any:
    """Left minus right side of an equation."""
    if isinstance(x, sympy.Equality):
        return names.read("constraint", x.lhs) - names.read("constraint", x.rhs)
    if isinstance(x, sympy.logic.boolalg.BooleanAtom):
        raise ArgumentError(
            f"a constraint is a formula of coordinates that stays zero, got an equation that is "
            f"{x} for all of them"
        )
    return names.read("constraint", x, equations=True)


def _refuse(names: Names, x: Any) -> None:
    """A constraint is about the motion, and linear in velocities."""
    if not x.free_symbols.intersection((*names.q, *names.v)):
        raise ArgumentError(
            f"a constraint is a formula of coordinates that stays zero, got {shown(x)}"
        )
    if any(sympy.expand(x.diff(v, w)) != 0 for v in names.v for w in names.v):
        raise ArgumentError(
            f"a constraint with velocities is linear in them, A(q) v + a0(q, t) = 0; got {shown(x)}"
        )
