"""Equations of motion in velocities u that are no rates of coordinates: v = B(q) u.

    Bᵀ (M (B u̇ + Ḃ u) + C B u + g + b) = Bᵀ (τ + Q + Aᵀ λ)

With fewer u than v the system is held to v = B u by forces that do no work; rows of A that all
these velocities fulfil are then gone, and λ with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from visviva.algebra.arrays import each
from visviva.describe.energies.formulas import TIME, Names, listed, name_of
from visviva.describe.energies.normal_form import Reader
from visviva.describe.names import check_names
from visviva.describe.quantities import (
    APPLIED_TERM,
    DRIFT,
    ENERGY_TERMS,
    EXACT,
    MASS_TERM,
    ROW_BIAS,
    ROWS,
    TERMS,
    Quantity,
)
from visviva.errors import ArgumentError, OutsideError, check_known
from visviva.judge.closed.shown import Shown
from visviva.judge.exact.systems import forms
from visviva.notation.names import velocity_name

CARRIED_ROWS = (*TERMS, *ENERGY_TERMS, APPLIED_TERM, ROWS, DRIFT, ROW_BIAS)


def symbols_of(names: Iterable[str]) -> tuple[sympy.Symbol, ...]:
    """Plain symbols of these names."""
    return tuple(map(sympy.Symbol, names))


class QuasiVelocityForm(Shown):
    """M, C, g, b and equations in velocities u; `velocity_map` is B in v = B u.

    Matrices and vectors are SymPy's, over the symbols of q, u and u̇. `generalized_forces` are
    Bᵀ τ, the forces that do work on u.
    """

    def __init__(self, system: Any, new: Any, relations: Mapping[Any, Any]) -> None:
        self.exact = forms(system)
        self.name, self.left_out = self.exact.name, tuple(self.exact.left_out)
        names = self.exact.names
        if names.q != names.rated:
            raise ArgumentError(
                f"{self.name!r} has joints whose velocities are no rates of coordinates already; "
                "others are made of those that are"
            )
        u = listed(new)
        new_names = [x for x in u if x not in names.v]
        check_names(self.name, [*names.q, *new_names], [], self.exact.parameter_names)
        self.rated_names = (*names.q, *new_names)
        self.coordinates, self.velocities = symbols_of(names.q), symbols_of(u)
        self.accelerations = symbols_of(velocity_name(x) for x in u)
        self.velocity_map = self._map(new_names, relations)

    def _map(self, new_names: list[str], relations: Mapping[Any, Any]) -> sympy.Matrix:
        """B, with one row for each velocity of the system."""
        names, u = self.exact.names, self.velocities
        reader = Names(names.q, [*self.exact.parameter_names, *new_names])
        formulas = {name_of(k): reader.read(f"relation of {k}", x) for k, x in relations.items()}
        for name in formulas:
            check_known("velocity", name, names.v)
        B = sympy.zeros(len(names.v), len(u))
        for k, v in enumerate(names.v):
            x = sympy.expand(formulas.get(v, sympy.Symbol(v)))
            B[k, :] = [[sympy.expand(x).coeff(w) for w in u]]
            rest = sympy.expand(x - (B[k, :] * sympy.Matrix(u))[0])
            if rest != 0 or B[k, :].free_symbols & {*u, TIME, *map(sympy.Symbol, names.v)}:
                raise ArgumentError(
                    f"velocities are sums of new ones times functions of q; {v} = {x} is none of "
                    + ", ".join(map(str, u))
                )
        chance = np.random.default_rng(0)
        values = {x: sympy.Rational(int(chance.integers(2, 99)), 37) for x in B.free_symbols}
        if np.linalg.matrix_rank(np.array(B.subs(values).evalf().tolist(), dtype=float)) < len(u):
            raise ArgumentError(f"the {len(u)} new velocities depend on each other: {B.tolist()}")
        return B

    def __getattr__(self, name: str) -> Any:
        row = EXACT.get(name)
        if row not in CARRIED_ROWS or self.exact.lacks(row):
            raise AttributeError(f"{self.name!r} in velocities {self.velocities} has no {name!r}")
        value = self._carry_over(row)
        if row.indices.startswith("c"):
            value = value.extract(self._rows, [*range(value.cols)])
        self.__dict__[name] = value = value if row.indices else value[0]
        return value

    @property
    def multiplier_symbols(self) -> tuple[sympy.Symbol, ...]:
        """λ of these rows."""
        return symbols_of(self.exact.multiplier_names[k] for k in self._rows)

    @property
    def held_by(self) -> tuple[str, ...]:
        """What of the constraints is left."""
        return self.exact.held_by if self._rows else ()

    @cached_property
    def generalized_forces(self) -> tuple[Any, ...]:
        """Bᵀ τ."""
        return tuple(self.velocity_map.T * sympy.Matrix(symbols_of(self.exact.force_names)))

    @cached_property
    def equations(self) -> sympy.Matrix:
        """What Bᵀ τ equals, row by row."""
        motion = {"v": sympy.Matrix(self.velocities), "a": sympy.Matrix(self.accelerations)}
        total = -sympy.Matrix(getattr(self, "forces", [0] * len(self.velocities)))
        for row in TERMS:
            total += getattr(self, row.exact) * motion.get(row.times, 1)
        if free := self.multiplier_symbols:
            total -= getattr(self, ROWS.exact).T * sympy.Matrix(free)
        return self._in_textbook_form(total)

    @property
    def invariant_coordinates(self) -> list[str]:
        """Coordinates that the mass matrix does not depend on."""
        return [str(q) for q in self.coordinates if not getattr(self, MASS_TERM.exact).has(q)]

    # ---- inside

    def _carry_over(self, row: Quantity) -> sympy.Matrix:
        """A quantity at v = B u and a = B u̇ + Ḃ u, with a factor B for each of its indices q."""
        B, entries = self.velocity_map, self._at_new_velocities(row)
        if row.times == "v":
            entries = entries * B + self._at_new_velocities(MASS_TERM) * self._rate
        elif row is ROW_BIAS:
            entries += self._at_new_velocities(ROWS) * self._rate * sympy.Matrix(self.velocities)
        elif len(row.indices) == 2:
            entries = entries * B
        return self._in_textbook_form(B.T * entries if row.indices.startswith("q") else entries)

    def _at_new_velocities(self, row: Quantity) -> sympy.Matrix:
        """A quantity of the system at v = B u."""
        entries = each(self.exact.plain, np.asarray(self.exact.quantity(row.exact), dtype=object))
        return sympy.Matrix(np.atleast_1d(entries).tolist()).xreplace(self._old_velocities)

    @cached_property
    def _old_velocities(self) -> dict[sympy.Symbol, Any]:
        """v = B u."""
        products = self.velocity_map * sympy.Matrix(self.velocities)
        return dict(zip(symbols_of(self.exact.names.v), products, strict=True))

    @cached_property
    def _rate(self) -> sympy.Matrix:
        """Ḃ."""
        B = self.velocity_map
        rates = zip(self.coordinates, self._old_velocities.values(), strict=True)
        return sum((B.diff(q) * v for q, v in rates), sympy.zeros(*B.shape))

    @cached_property
    def _rows(self) -> list[int]:
        """Rows of A that not all these velocities fulfil."""
        rows = self._carry_over(ROWS) if self.exact.held_by else sympy.zeros(0, 1)
        return [k for k in range(rows.rows) if not rows[k, :].is_zero_matrix]

    def _in_textbook_form(self, matrix: sympy.Matrix) -> sympy.Matrix:
        """In textbook form where it is a polynomial."""
        reader = Reader(matrix, [*self.coordinates, *self.velocities, *self.accelerations])

        def entry(x: Any) -> Any:
            try:
                return reader.textbook(reader.poly(x))
            except OutsideError:
                return x

        return matrix.applyfunc(entry)
