"""Whether the equations of a system, on a surface, are those of a reduced one."""

from __future__ import annotations

from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from visviva.describe.energies.formulas import TIME, Names
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.energies.normal_form import normal_form
from visviva.equations.integrability.functions import Functions
from visviva.equations.lagrange.terms import dissipation
from visviva.errors import ArgumentError, OutsideError

SAME = "the equations of motion, projected by ∂q/∂q′, are those of the reduced system"


def compared(s: Lagrangian, there: Lagrangian, place: Any, J: Any) -> str:
    """Whether Jᵀ of the equations, on the surface, are the equations of the reduced system."""
    new = there.names
    rate = J * sympy.Matrix(new.v) + place.diff(TIME)
    turned = rate.applyfunc(lambda e: _rate(e, new))
    carried = dict(zip((*s.names.q, *s.names.v, *s.names.a), (*place, *rate, *turned), strict=True))
    old = sympy.Matrix([e.xreplace(carried) for e in _equations(s)])
    try:
        differences = list(J.T * old - sympy.Matrix(_equations(there)))
        by = Functions(differences, ())
        if all(by.is_zero(e) for e in differences):
            return SAME
    except OutsideError as reason:
        return f"the equations of motion were not compared: {reason}"
    raise ArgumentError(f"the equations of {s.name!r} and of the reduced system differ")


def _equations(s: Lagrangian) -> list[Any]:
    """d/dt ∂L/∂v - ∂L/∂q + b - Q, from the definition."""
    return [e + x for e, x in zip(_of_lagrangian(s.lagrangian, s.names), _pushed(s), strict=True)]


def _rate(x: Any, n: Names) -> Any:
    """d/dt of a formula, with accelerations."""
    q = (x.diff(q) * v for q, v in zip(n.q, n.v, strict=True))
    v = (x.diff(v) * a for v, a in zip(n.v, n.a, strict=True))
    return sympy.Add(*q, *v, x.diff(TIME))


def compared_formally(s: Lagrangian, there: Lagrangian, place: Any) -> str:
    """The same where relations have roots: true of any functions q = Φ(q′, t), so of these.

    The energies and forces of the reduced system are those of the other at Φ, and with unknown
    functions for Φ such energies have the equations that are claimed.
    """
    new, old = there.names, s.names
    if not _is_carried(s, there, place):
        raise ArgumentError(f"the energies of {s.name!r} and of the reduced system differ")
    keys = [k for k, q in enumerate(place) if q not in new.q]
    any_place = sympy.Matrix(
        [sympy.Function(f"f{k}")(*new.q, TIME) if k in keys else x for k, x in enumerate(place)]
    )
    J = any_place.jacobian(new.q)
    rate = J * sympy.Matrix(new.v) + any_place.diff(TIME)
    turned = rate.applyfunc(lambda e: _rate(e, new))
    motion = (*any_place, *rate, *turned)
    carried = dict(zip((*old.q, *old.v, *old.a), motion, strict=True))
    before = J.T * sympy.Matrix([e.xreplace(carried) for e in _of_lagrangian(s.lagrangian, old)])
    after = _of_lagrangian(s.lagrangian.xreplace(carried), new)
    differences = list(before - sympy.Matrix(after))
    unknown = {f for e in differences for f in e.atoms(sympy.Derivative, AppliedUndef)}
    names = {f: sympy.Dummy(f"f{k}") for k, f in enumerate(sorted(unknown, key=str))}
    differences = [sympy.expand(e.xreplace(names)) for e in differences]
    try:
        by = Functions(differences, ())
        if all(e == 0 or by.is_zero(e) for e in differences):
            return SAME
    except OutsideError as reason:
        return f"the equations of motion were not compared: {reason}"
    raise ArgumentError(f"the equations of {s.name!r} and of the reduced system differ")


def _is_carried(s: Lagrangian, there: Lagrangian, place: Any) -> bool:
    """Whether T, V, dissipation and forces are those of the system at the place."""
    new, old = there.names, s.names
    J = place.jacobian(new.q)
    rate = J * sympy.Matrix(new.v) + place.diff(TIME)
    carried = dict(zip((*old.q, *old.v), (*place, *rate), strict=True))
    rows = sympy.Matrix([e.xreplace(carried) for e in _pushed(s)])
    pairs = [
        (s.kinetic.xreplace(carried), there.kinetic),
        (s.potential.xreplace(carried), there.potential),
        *zip(J.T * rows, _pushed(there), strict=True),
    ]
    return all(a == b or 0 in (sympy.expand(a - b), normal_form(a - b)) for a, b in pairs)


def _pushed(s: Lagrangian) -> list[Any]:
    """b - Q."""
    return [b - f for b, f in zip(dissipation(s), s.forces or [0] * s.nv, strict=True)]


def _of_lagrangian(L: Any, n: Names) -> list[Any]:
    return [_rate(L.diff(v), n) - L.diff(q) for q, v in zip(n.q, n.v, strict=True)]
