"""Holonomic or nonholonomic: rows A v + a₀ = 0 and φ = 0 by Frobenius, exactly.

Rows are forms A dq + a₀ dt, on the surface where the position rows hold. What is decided here is
decided by polynomials that are zero or not; formulas that are no rational functions of symbols,
sines and exponentials raise an `OutsideError`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy

from visviva.describe.energies.formulas import TIME
from visviva.equations.integrability.classification import (
    HOLONOMIC,
    MIXED,
    NONHOLONOMIC,
    PROVED,
    STATED,
    Bracket,
    Classification,
    RowKind,
)
from visviva.equations.integrability.flag import Entries, Flag, bracket, flag, paired
from visviva.equations.integrability.functions import Functions
from visviva.equations.integrability.integrals import independent, integrals, neat
from visviva.equations.integrability.surface import Surface, surface
from visviva.errors import OutsideError

SMALL, SHORT = 4, 120  # rows, and operations in them, up to which fields are determinants


@dataclass(frozen=True, eq=False)
class Pfaffian:
    """The rows of a system in SymPy: names, coordinates, A (k × n), a₀ (k), φ by row."""

    names: tuple[str, ...]
    coordinates: tuple[Any, ...]
    A: tuple[tuple[Any, ...], ...]
    drift: tuple[Any, ...]
    positions: Mapping[int, Any]
    remarks: tuple[str, ...] = ()  # on what coordinates mean

    @property
    def is_scleronomic(self) -> bool:
        """Whether neither the time nor a motion of their own stands in the rows."""
        formulas = [e for row in self.A for e in row]
        return not any(self.drift) and not any(x.has(TIME) for x in formulas)

    def at(self, values: Mapping[Any, Any]) -> Pfaffian:
        """With numbers for some parameters."""
        return replace(
            self,
            A=tuple(tuple(e.xreplace(values) for e in row) for row in self.A),
            drift=tuple(e.xreplace(values) for e in self.drift),
            positions={k: f.xreplace(values) for k, f in self.positions.items()},
        )


def classified(rows: Pfaffian, values: Mapping[Any, Any]) -> Classification:
    """Of parameters in general, if that is also what holds for the values that they have."""
    here = _classified(rows.at(values))
    if not values:
        return here
    try:
        general = _classified(rows)
    except OutsideError:
        return here
    same = general.growth == here.growth and general.scleronomic == here.scleronomic
    if same and [x.kind for x in general.rows] == [x.kind for x in here.rows]:
        return general
    said = f"with other values of the parameters it is {general.kind}"
    return replace(here, remarks=(*here.remarks, said))


def _classified(rows: Pfaffian) -> Classification:
    scleronomic = rows.is_scleronomic
    on = surface(rows.positions.values(), rows.coordinates)
    moving = () if scleronomic else (TIME,)
    x = (*on.coordinates, *moving)
    forms = {k: _pulled(rows, k, on, x) for k in range(len(rows.names)) if k not in rows.positions}
    held = [[f.diff(y) for y in x] for f in on.left]  # of positions that could not be solved for
    by = Functions([e for form in (*forms.values(), *held) for e in form], x)
    polynomials = {k: by.row(form) for k, form in forms.items()}
    whole = flag(by, [*(by.row(form) for form in held), *polynomials.values()])
    if whole.added and on.left:
        raise OutsideError(f"{on.left[0]} = 0 could not be solved for independent coordinates")
    holonomic = {
        k for k, row in polynomials.items() if not any(paired(by, row, b) for b in whole.added)
    }
    functions = _integrals(forms, holonomic, on, x, by, whole)
    kinds = []
    for k, name in enumerate(rows.names):
        if k in rows.positions:
            kinds.append(RowKind(name, HOLONOMIC, STATED, rows.positions[k], HOLONOMIC))
            continue
        kind = HOLONOMIC if k in holonomic else NONHOLONOMIC
        alone = _alone(rows, k, by, polynomials[k], on)
        kinds.append(RowKind(name, kind, PROVED, functions.get(k), alone))
    constant = len(rows.positions) > 0 or len(whole.last) > len(held)
    kind = HOLONOMIC if not whole.added else MIXED if constant else NONHOLONOMIC
    stated = all(row.proof == STATED for row in kinds)
    found = tuple(row.integral for row in kinds if row.integral is not None)
    certificate = _certificate(rows, forms, by, whole, x) if whole.added else found
    return Classification(
        kind,
        STATED if stated else PROVED,
        tuple(kinds),
        tuple(y.name for y in x),
        whole.growth,
        scleronomic,
        certificate,
        _remarks(rows, whole, on, functions),
    )


def _pulled(rows: Pfaffian, k: int, on: Surface, x: Sequence[Any]) -> list[Any]:
    """A row as a form on the surface."""
    place = [on.relations.get(q, q) for q in rows.coordinates]
    total = []
    for y in x:
        slopes = [f.diff(y) for f in place]
        terms = [on.on(a) * s for a, s in zip(rows.A[k], slopes, strict=True)]
        total.append(sympy.Add(*terms, on.on(rows.drift[k]) if y == TIME else 0))
    return total


def _integrals(
    forms: Mapping[int, Any],
    holonomic: set[int],
    on: Surface,
    x: Sequence[Any],
    by: Functions,
    whole: Flag,
) -> dict[int, Any]:
    """By row; those of combinations of rows by negative numbers."""
    order = sorted(holonomic)
    found = integrals([forms[k] for k in order], x, on.left)
    by_row = {k: f for k, f in zip(order, found, strict=True) if f is not None}
    if independent([*on.left, *by_row.values()], x) < len(
        whole.last
    ):  # combinations of rows integrate, rows do not
        rest = [[by.sympy(p) for p in row] for row in whole.last]
        known = [*on.left, *by_row.values()]
        more = [f for f in integrals(rest, x, known) if f is not None]
        by_row |= {-1 - k: f for k, f in enumerate(more)}
    return by_row


def _alone(rows: Pfaffian, k: int, by: Functions, row: Entries, on: Surface) -> str:
    """What a row is without the other velocity rows, where positions hold."""
    held = [by.row([f.diff(y) for y in by.coordinates]) for f in on.left]
    return HOLONOMIC if flag(by, [*held, row]).is_involutive else NONHOLONOMIC


def _certificate(
    rows: Pfaffian, forms: Mapping[int, Any], by: Functions, whole: Flag, x: Sequence[Any]
) -> Bracket:
    """The first bracket that leaves D₁, in SymPy: as formulas were written, if they are short."""
    names = tuple(y.name for y in x)
    length = sum(sympy.count_ops(e) for form in forms.values() for e in form)
    if whole.rank <= SMALL and length <= SHORT:
        fields = _fields([forms[k] for k in sorted(forms)], whole, x)
        first, second = (fields[k] for k in whole.witness)
        both = zip(first, second, strict=True)
        b = [neat(_along(h, first, x) - _along(g, second, x)) for g, h in both]
        pairs = ((k, _paired(form, b)) for k, form in forms.items())
        k, value = next((k, y) for k, y in pairs if not by.is_zero(y))
        return Bracket(names, tuple(first), tuple(second), tuple(b), rows.names[k], neat(value))
    g, h = (whole.fields[k] for k in whole.witness)
    left = bracket(by, g, h)
    values = ((k, paired(by, by.row(form), left)) for k, form in forms.items())
    k, value = next((k, p) for k, p in values if p)
    one, other, both_ways = (tuple(map(by.sympy, field)) for field in (g, h, left))
    return Bracket(names, one, other, both_ways, rows.names[k], by.sympy(value))


def _fields(forms: Sequence[Any], whole: Flag, x: Sequence[Any]) -> list[list[Any]]:
    """The fields of D₁ once more, by Cramer's rule on formulas as they were written."""
    pivots = [j for _, j in whole.pivots]
    square = sympy.Matrix([[forms[i][j] for j in pivots] for i, _ in whole.pivots])
    below, adjugate = neat(square.det()), square.adjugate()
    fields = []
    for free in (j for j in range(len(x)) if j not in pivots):
        side = adjugate * sympy.Matrix([forms[i][free] for i, _ in whole.pivots])
        g = [sympy.S.Zero] * len(x)
        g[free] = below
        for j, e in zip(pivots, side, strict=True):
            g[j] = -neat(e)
        still = not below.free_symbols & {*x} or not any(g[j] for j in pivots)
        fields.append([neat(e / below) for e in g] if still else g)
    return fields


def _paired(form: Sequence[Any], g: Sequence[Any]) -> Any:
    return sympy.Add(*(a * e for a, e in zip(form, g, strict=True)))


def _along(f: Any, g: Sequence[Any], x: Sequence[Any]) -> Any:
    return sympy.Add(*(f.diff(y) * e for y, e in zip(x, g, strict=True)))


def _remarks(
    rows: Pfaffian, whole: Flag, on: Surface, functions: Mapping[int, Any]
) -> tuple[str, ...]:
    said = []
    velocity = len(rows.names) - len(rows.positions)
    if whole.rank < velocity + len(on.left):
        said.append(f"{velocity + len(on.left) - whole.rank} of the rows follow from the others")
    more = [f for k, f in functions.items() if k < 0]
    said += [f"rows together: {f} = const" for f in more]
    if on.relations and velocity:
        where = ", ".join(f"{q} = {e}" for q, e in on.relations.items())
        said.append(f"where the positions hold: {where}")
    said += [f"parameters are such that {x}" for x in on.assumed]
    return (*said, *rows.remarks)
