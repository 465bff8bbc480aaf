"""The closed form of a system that is stated by its energies.

Where the energies are polynomials in symbols, sines and cosines, entries are made from their normal
form; elsewhere (roots, unknown functions) they are SymPy's derivatives as they come.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, cast

import numpy as np
import sympy

from visviva.algebra.arrays import each
from visviva.algebra.exact.poly import Poly
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.equations.lagrange.terms import Exact, dissipation, shown_terms
from visviva.judge.closed.printed import Shown, nonzero_christoffel
from visviva.judge.exact.forms import determinant
from visviva.notation.textbook.writer import textbook
from visviva.progress import progress

ABSENT = {
    "exact": "equality is decided by check(...), terms are read from .equations",
    "terms": "the terms of .equations[row] are those of its expanded sum",
    "cyclic_coordinates": "those that kinetic_energy and potential_energy do not depend on",
    "invariant_coordinates": "those that mass_matrix does not depend on",
    "pose": "a Lagrangian has no frames",
    "jacobian": "a Lagrangian has no frames",
}


class EnergyForm(Shown):
    """M, C, Γ, g, b, energies and equations of a Lagrangian; see `ClosedForm`."""

    def __init__(self, system: Lagrangian) -> None:
        self.system = system
        self.name = system.name
        self._terms = shown_terms(system)
        names = system.names
        self.coordinates, self.velocities, self.accelerations = (
            tuple(names.q),
            tuple(names.v),
            tuple(names.a),
        )

    @property
    def is_exact(self) -> bool:
        """Whether entries come from a normal form."""
        return isinstance(self._terms.by, Exact)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The names of all parameters, with and without values."""
        return self.system.parameter_names

    @property
    def left_out(self) -> tuple[str, ...]:
        """What the equations do not have: the forces of constraints."""
        return ("the forces of its constraints",) if self.system.constraints else ()

    @property
    def parameters(self) -> Mapping[sympy.Symbol, float]:
        """Symbols that are parameters, with their values."""
        return {sympy.Symbol(str(k)): float(x) for k, x in self.system.parameters.items()}

    @cached_property
    def mass_matrix(self) -> sympy.Matrix:
        """M."""
        return sympy.Matrix(self._printed(self._terms.mass_matrix).tolist())

    @cached_property
    def coriolis_matrix(self) -> sympy.Matrix:
        """C."""
        return sympy.Matrix(self._printed(self._terms.coriolis_matrix).tolist())

    @cached_property
    def christoffel(self) -> sympy.NDimArray:
        """Γ[i, j, k]."""
        made: Any = self._printed(self._terms.christoffel)
        return sympy.ImmutableDenseNDimArray(made.ravel().tolist(), made.shape)

    @cached_property
    def gravity(self) -> sympy.Matrix:
        """g."""
        return sympy.Matrix(self._printed(self._terms.gravity).tolist())

    @cached_property
    def dissipation(self) -> sympy.Matrix:
        """b."""
        return sympy.Matrix(dissipation(self.system))

    @cached_property
    def forces(self) -> sympy.Matrix:
        """Q: what else acts, on the side of τ."""
        return sympy.Matrix(list(self.system.forces))

    @cached_property
    def equations(self) -> sympy.Matrix:
        """What τ equals, equation by equation."""
        M, drift = self.mass_matrix, sympy.Matrix(self._printed(self._terms.drift).tolist())
        return M * sympy.Matrix(self.accelerations) + drift + self.dissipation - self.forces

    @cached_property
    def kinetic_energy(self) -> sympy.Expr:
        """As stated."""
        return self.system.kinetic

    @cached_property
    def potential_energy(self) -> sympy.Expr:
        """As stated."""
        return self.system.potential

    @cached_property
    def momenta(self) -> sympy.Matrix:
        """p = ∂L/∂v."""
        return sympy.Matrix(self._printed(self._terms.momentum).tolist())

    @property
    def nonzero_christoffel(self) -> dict[tuple[int, int, int], sympy.Expr]:
        """The symbols that are not zero, by indices from 1 on; Γ[i, k, j] beside Γ[i, j, k]."""
        return nonzero_christoffel(self)

    @cached_property
    def mass_determinant(self) -> sympy.Expr:
        """det M, for at most three coordinates."""
        return self._printed(determinant(np.array(self._terms.mass_matrix, dtype=object)))[()]

    def __getattr__(self, name: str) -> Any:
        """What the closed form of a model has and this one has not."""
        if hasattr(type(self), name):
            return object.__getattribute__(self, name)  # the property's own error
        if name not in ABSENT:
            raise AttributeError(f"the closed form of a Lagrangian has no {name!r}")
        raise AttributeError(
            f"the closed form of a Lagrangian has no {name!r}, that of a Model has: {ABSENT[name]}"
        )

    def _printed(self, x: Any) -> Any:
        """Every entry in textbook form, or as it is."""
        with progress(f"equations of {self.name}", np.size(x)) as at:

            def written(entry: Any) -> Any:
                at.step()
                return self._entry(entry)

            return each(written, x)

    def _entry(self, x: Any) -> Any:
        if not isinstance(x, Poly):
            return x
        constants = cast(Exact, self._terms.by).reader.constants
        return textbook(x).xreplace({sympy.Symbol(name): y for y, name in constants.items()})
