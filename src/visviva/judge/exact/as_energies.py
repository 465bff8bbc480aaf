"""A model's energies as formulas: the `Lagrangian` with the same equations of motion."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from visviva.algebra.arrays import each
from visviva.describe.constraints.constraint import Constraints
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.model.model import Model
from visviva.describe.quantities import DRIFT, ENERGY_TERMS, FRICTION_TERM, ROWS
from visviva.equations.constraints.rows import constraint_conditions, position_rows
from visviva.equations.forces.actuators import actuator_map
from visviva.errors import ArgumentError, OutsideError
from visviva.judge.exact.model import refused
from visviva.judge.exact.model_forms import ModelForms


def as_energies(model: Model, symbols: Iterable[str] | None = None) -> Lagrangian:
    """The same system by T, V, b and constraints; `symbols` as in `closed_form`."""
    forms = ModelForms(model, symbols, dry=True)
    names = forms.names
    if names.q != names.rated:
        joints = ", ".join(b.joint_name for b in model.bodies if not b.joint.has_rates)
        raise ArgumentError(
            f"energies have generalized coordinates, whose rates are velocities; those of "
            f"{joints} in {model.name!r} are none: chains of hinges and slides have them, or "
            "model.locked(…) holds them still"
        )
    if reason := refused(model):
        raise ArgumentError(f"{model.name!r} has no energies in closed form: {reason}")
    free = [b for b in model.bodies if b.mimic is None]
    angular = (x for b in free for x in b.joint.angular)
    owners = (b.joint_name for b in free for _ in range(b.joint.nv))
    kinetic, potential = (forms.written(forms.quantity(row.exact)) for row in ENERGY_TERMS)
    T = actuator_map(forms.exact.model, forms.exact.q) if model.actuators else None
    return Lagrangian(
        names.q,
        kinetic,
        potential,
        dissipation=[forms.plain(x) for x in forms.quantity(FRICTION_TERM.exact)],
        constraints=_constraints(forms),
        parameters=dict(forms.values),
        actuators=None if T is None else each(lambda x: forms.written(forms.polynomial(x)), T),
        angles=[q for q, is_angle in zip(names.q, angular, strict=True) if is_angle],
        passive=[q for q, joint in zip(names.q, owners, strict=True) if joint in model.passive],
        name=model.name,
        notes=model.notes,
    )


def _constraints(forms: ModelForms) -> Constraints:
    """φ where all of them are polynomials, and A v + a₀ elsewhere."""
    if not forms.held_by:
        return Constraints([], [])
    e, velocities = forms.exact, forms.stated(ROWS) @ forms.velocities + forms.stated(DRIFT)
    rows = dict(enumerate(forms.plain(x) for x in velocities))
    with suppress(OutsideError):
        phi = [forms.polynomial(x) for x in constraint_conditions(e.model, e.q, e.t or 0.0)]
        places = position_rows(forms.model)
        rows |= {k: forms.written(x) for k, x in zip(places, phi, strict=True)}
    return Constraints([x for x in rows.values() if x != 0], [])
