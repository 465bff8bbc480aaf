"""What a constraint of a `Lagrangian` says of velocities and accelerations, in SymPy.

A formula without velocities is a position row φ(q, t) = 0, with A = ∂φ/∂q and a₀ = ∂φ/∂t; one with
velocities is a row A v + a₀ = 0 itself. Both give A a + β = 0, β = d/dt (A v + a₀) at a = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import sympy

from visviva.algebra.arrays import Array, as_array
from visviva.algebra.exact.slopes import slope
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.equations.integrability.typing import Pfaffian


@dataclass(frozen=True, eq=False)
class Rows:
    """φ, A (k, n), a₀ (k,) and β (k,)."""

    constraint_error: Array
    constraint_matrix: Array
    constraint_drift: Array
    constraint_bias: Array


def rows(s: Lagrangian) -> Rows:
    """Derived once for a system and those that differ from it in values."""
    derived: Rows = s.derived.once("constraints", _rows)
    return derived


def row_slices(s: Lagrangian) -> dict[str, slice]:
    """Where in A the row of each constraint is, by its name, or by its formula if it has none."""
    slices: dict[str, slice] = {}
    for k, (name, x) in enumerate(zip(s.constraints.given_names, s.constraints, strict=True)):
        called = name or f"{x} = 0"
        if called in slices:  # stated twice
            called = f"{called} ({k + 1})"
        slices[called] = slice(k, k + 1)
    return slices


def position_rows(s: Lagrangian) -> tuple[int, ...]:
    """Which rows of A are the rates of φ, in its order."""
    v = s.names.v
    return tuple(k for k, x in enumerate(s.constraints) if not x.free_symbols.intersection(v))


def _rows(s: Lagrangian) -> Rows:
    n = s.names
    positions = [x for x in s.constraints if not x.free_symbols.intersection(n.v)]
    rates = [n.rate(x, steady=True) if x in positions else x for x in s.constraints]
    A = [[slope(x, v) for v in n.v] for x in rates]
    at_rest = dict.fromkeys(n.v, sympy.S.Zero)
    return Rows(
        as_array(positions),
        np.array(A, dtype=object).reshape(len(rates), s.nv),
        as_array([x.xreplace(at_rest) for x in rates]),
        as_array([n.rate(x, steady=True) for x in rates]),
    )


# ---- what kind of constraints they are


def pfaffian(s: Lagrangian) -> Pfaffian:
    """The rows as forms, with what they are called."""
    r = rows(s)
    return Pfaffian(
        row_names(s),
        s.names.q,
        tuple(tuple(row) for row in r.constraint_matrix),
        tuple(r.constraint_drift),
        dict(zip(position_rows(s), r.constraint_error, strict=True)),
    )


def row_names(s: Lagrangian) -> tuple[str, ...]:
    """What the rows of A are called: by their names, or by what stays zero."""
    pairs = zip(s.constraints.given_names, s.constraints, strict=True)
    return tuple(repr(name) if name else f"{x} = 0" for name, x in pairs)


def structure_constants(s: Lagrangian) -> Array:
    """c (n, n, n) of [Eₐ, E_b] = Σ c Eᵧ: zero, velocities are rates of coordinates."""
    return np.zeros((s.nv, s.nv, s.nv))


def with_numbers(s: Lagrangian, rng: np.random.Generator) -> Lagrangian:
    """With some number for every parameter that has none."""
    missing = [x for x in s.parameter_names if x not in s.parameters]
    return s.with_parameters(**{x: float(rng.uniform(0.4, 1.6)) for x in missing})
