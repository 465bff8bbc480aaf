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
from visviva.describe.names import check_names
from visviva.equations.lagrange.coordinates import Reader
from visviva.errors import ArgumentError, OutsideError, check_known
from visviva.judge.closed.shown import Shown
from visviva.judge.exact.systems import forms
from visviva.notation.names import velocity_name
from visviva.notation.textbook.writer import textbook


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
        own = [x for x in u if x not in names.v]
        check_names(self.name, [*names.q, *own], [], self.exact.parameter_names)
        self.rated_names = (*names.q, *own)
        self.coordinates, self.velocities = symbols_of(names.q), symbols_of(u)
        self.accelerations = symbols_of(velocity_name(x) for x in u)
        self.velocity_map = self._map(own, relations)

    def _map(self, own: list[str], relations: Mapping[Any, Any]) -> sympy.Matrix:
        """B, with one row for each velocity of the system."""
        names, u = self.exact.names, self.velocities
        reader = Names(names.q, [*self.exact.parameter_names, *own])
        given = {name_of(k): reader.read(f"relation of {k}", x) for k, x in relations.items()}
        for name in given:
            check_known("velocity", name, names.v)
        B = sympy.zeros(len(names.v), len(u))
        for k, v in enumerate(names.v):
            x = sympy.expand(given.get(v, sympy.Symbol(v)))
            B[k, :] = [[sympy.expand(x).coeff(w) for w in u]]
            rest = sympy.expand(x - (B[k, :] * sympy.Matrix(u))[0])
            if rest != 0 or B[k, :].free_symbols & {*u, TIME, *map(sympy.Symbol, names.v)}:
                raise ArgumentError(
                    f"velocities are sums of new ones times functions of q; {v} = {x} is none of "
                    + ", ".join(map(str, u))
                )
        chance = np.random.default_rng(0)
        at = {x: sympy.Rational(int(chance.integers(2, 99)), 37) for x in B.free_symbols}
        if np.linalg.matrix_rank(np.array(B.subs(at).evalf().tolist(), dtype=float)) < len(u):
            raise ArgumentError(f"the {len(u)} new velocities depend on each other: {B.tolist()}")
        return B

    @property
    def parameters(self) -> Mapping[sympy.Symbol, float]:
        """Symbols that are parameters, with their values."""
        return {sympy.Symbol(name): value for name, value in self.exact.values.items()}

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The names of all parameters, with and without values."""
        return self.exact.parameter_names

    # ---- the terms

    @cached_property
    def mass_matrix(self) -> sympy.Matrix:
        """Bᵀ M B."""
        return self._written(self.velocity_map.T * self._of("mass_matrix") * self.velocity_map)

    @cached_property
    def coriolis_matrix(self) -> sympy.Matrix:
        """Bᵀ (M Ḃ + C B): the rate of the mass matrix less twice this is skew."""
        B, moving = self.velocity_map, dict(zip(self._v, self._over, strict=True))
        rate = sum((B.diff(q) * moving[v] for q, v in self._pairs), sympy.zeros(*B.shape))
        C = self._of("coriolis_matrix").xreplace(moving)
        return self._written(B.T * (self._of("mass_matrix") * rate + C * B))

    @cached_property
    def gravity(self) -> sympy.Matrix:
        """Bᵀ g."""
        return self._written(self.velocity_map.T * self._of("gravity"))

    @cached_property
    def dissipation(self) -> sympy.Matrix:
        """Bᵀ b."""
        return self._working("dissipation")

    @cached_property
    def forces(self) -> sympy.Matrix:
        """Bᵀ Q: what else acts on a system that is stated by energies."""
        B = self.velocity_map
        has = self.exact.kind == "Lagrangian"
        return self._working("applied_forces") if has else sympy.zeros(B.cols, 1)

    @cached_property
    def kinetic_energy(self) -> Any:
        """½ uᵀ M u."""
        T = sympy.Matrix([self.exact.plain(self.exact.quantity("kinetic_energy"))])
        return self._written(T.xreplace(dict(zip(self._v, self._over, strict=True))))[0]

    @cached_property
    def constraint_matrix(self) -> sympy.Matrix:
        """A B, of rows that not all these velocities fulfil."""
        return self._all_rows.extract(self._rows, [*range(self.velocity_map.cols)])

    @cached_property
    def constraint_drift(self) -> sympy.Matrix:
        """a₀ of these rows."""
        return self._of("constraint_drift").extract(self._rows, [0])

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
        u, a = sympy.Matrix(self.velocities), sympy.Matrix(self.accelerations)
        total = self.mass_matrix * a + self.coriolis_matrix * u + self.gravity + self.dissipation
        held = self.constraint_matrix.T * sympy.Matrix(
            len(free := self.multiplier_symbols), 1, free
        )
        return self._written(total - self.forces - held)

    @property
    def invariant_coordinates(self) -> list[str]:
        """Coordinates that the mass matrix does not depend on."""
        return [str(q) for q in self.coordinates if not self.mass_matrix.has(q)]

    # ---- inside

    @cached_property
    def _all_rows(self) -> sympy.Matrix:
        A = self._of("constraint_matrix") if self.exact.held_by else sympy.zeros(0, len(self._v))
        return self._written(A * self.velocity_map)

    @property
    def _rows(self) -> list[int]:
        return [k for k in range(self._all_rows.rows) if not self._all_rows[k, :].is_zero_matrix]

    @property
    def _v(self) -> tuple[Any, ...]:
        return symbols_of(self.exact.names.v)

    @property
    def _pairs(self) -> Iterable[tuple[Any, Any]]:
        return zip(self.coordinates, self._v, strict=True)

    @cached_property
    def _over(self) -> sympy.Matrix:
        """v = B u."""
        return self.velocity_map * sympy.Matrix(self.velocities)

    def _of(self, kind: str) -> sympy.Matrix:
        whole = each(self.exact.plain, np.asarray(self.exact.quantity(kind), dtype=object))
        return sympy.Matrix(whole.tolist())

    def _working(self, kind: str) -> sympy.Matrix:
        moving = dict(zip(self._v, self._over, strict=True))
        return self._written(self.velocity_map.T * self._of(kind).xreplace(moving))

    def _written(self, matrix: sympy.Matrix) -> sympy.Matrix:
        """In textbook form where it is a polynomial."""
        reader = Reader(matrix, [*self.coordinates, *self.velocities, *self.accelerations])
        names = {sympy.Symbol(name): x for x, name in reader.constants.items()}

        def entry(x: Any) -> Any:
            try:
                return textbook(reader.poly(x)).xreplace(names)
            except OutsideError:
                return x

        return matrix.applyfunc(entry)
