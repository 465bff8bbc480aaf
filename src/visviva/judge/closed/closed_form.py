"""`ClosedForm`: the equations of motion as a book prints them, in SymPy objects.

What is printed is exact: every entry is made from its normal form. Nothing is computed before it is
asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from visviva.algebra.arrays import Array, each
from visviva.algebra.exact.rationals import OutsideError
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError
from visviva.judge.closed import readings as term_by_term
from visviva.judge.closed.energy_form import EnergyForm
from visviva.judge.closed.printed import Shown, nonzero_christoffel
from visviva.judge.closed.readings import Term
from visviva.judge.derive.bodies import left_out
from visviva.judge.exact.forms import ModelForms, determinant
from visviva.notation.textbook.writer import textbook
from visviva.progress import progress

SHORTER = (
    "keep fewer symbols, closed_form(symbols=[...]), or lock joints; the compiled functions of the "
    "model, and their c_source, have no such limit"
)


class ClosedForm(Shown):
    """M, C, Γ, g, b, energies and equations of a system in textbook form.

    Coordinates, velocities and accelerations are SymPy symbols: q1, qd1, qdd1. `parameters` maps
    the other symbols to their values. `exact` has the polynomials behind it, in which equality is
    decided. `left_out` names what the system has and no polynomial says, such as Coulomb friction.
    """

    def __init__(self, name: str, exact: ModelForms, left_out: Iterable[str] = ()) -> None:
        self.name = name
        self.exact = exact
        self.left_out = tuple(left_out)

    @property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        """q."""
        return tuple(map(sympy.Symbol, self.exact.names.q))

    @property
    def velocities(self) -> tuple[sympy.Symbol, ...]:
        """v."""
        return tuple(map(sympy.Symbol, self.exact.names.v))

    @property
    def accelerations(self) -> tuple[sympy.Symbol, ...]:
        """a."""
        return tuple(map(sympy.Symbol, self.exact.names.a))

    @property
    def parameters(self) -> Mapping[sympy.Symbol, float]:
        """Symbols that are parameters, with their values."""
        return {sympy.Symbol(name): value for name, value in self.exact.values.items()}

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The names of all parameters."""
        return tuple(self.exact.values)

    @cached_property
    def mass_matrix(self) -> sympy.Matrix:
        """M(q)."""
        return self._matrix("mass matrix", lambda: self.exact.mass_matrix)

    @cached_property
    def coriolis_matrix(self) -> sympy.Matrix:
        """C(q, v), with Ṁ - 2C skew."""
        return self._matrix("coriolis matrix", lambda: self.exact.coriolis_matrix)

    @cached_property
    def christoffel(self) -> sympy.NDimArray:
        """Γ[i, j, k], of the first kind."""
        made: Any = self._written("Christoffel symbols", lambda: self.exact.christoffel)
        return sympy.ImmutableDenseNDimArray(made.ravel().tolist(), made.shape)

    @property
    def nonzero_christoffel(self) -> dict[tuple[int, int, int], sympy.Expr]:
        """The symbols that are not zero, by indices from 1 on; Γ[i, k, j] beside Γ[i, j, k]."""
        return nonzero_christoffel(self)

    @cached_property
    def gravity(self) -> sympy.Matrix:
        """g(q), with the forces of springs."""
        return self._matrix("gravity", lambda: self.exact.gravity)

    @cached_property
    def dissipation(self) -> sympy.Matrix:
        """b(q, v)."""
        return self._matrix("dissipation", lambda: self.exact.dissipation)

    @cached_property
    def equations(self) -> sympy.Matrix:
        """What τ equals, equation by equation: M a + C v + g + b."""
        return self._matrix("equations", lambda: self.exact.equations)

    @cached_property
    def kinetic_energy(self) -> sympy.Expr:
        """½ vᵀ M v."""
        return self._matrix("kinetic energy", lambda: self.exact.kinetic_energy)[0]

    @cached_property
    def potential_energy(self) -> sympy.Expr:
        """V(q)."""
        return self._matrix("potential energy", lambda: self.exact.potential_energy)[0]

    @cached_property
    def momenta(self) -> sympy.Matrix:
        """∂K/∂v = M v."""
        return self._matrix("momenta", lambda: self.exact.mass_matrix @ self.exact.velocities)

    @cached_property
    def mass_determinant(self) -> sympy.Expr:
        """det M, for at most three coordinates."""
        return self._matrix("determinant", lambda: determinant(self.exact.mass_matrix))[0]

    def pose(self, frame: str) -> sympy.Matrix:
        """The 4 × 4 pose of a frame in the world."""
        return self._matrix(f"pose of {frame}", lambda: self.exact.pose(frame))

    def jacobian(self, frame: str, reference: str = "world") -> sympy.Matrix:
        """The 6 × n matrix from v to the twist (ω, v) of a frame."""
        return self._matrix(f"Jacobian of {frame}", lambda: self.exact.jacobian(frame, reference))

    def terms(self, row: int) -> list[Term]:
        """The terms of one equation (rows count from 0), each with its kind and a sentence."""
        return term_by_term.terms(self.exact, row)

    @property
    def cyclic_coordinates(self) -> list[str]:
        """Coordinates that the energies do not depend on: without forces their momenta are kept."""
        return term_by_term.cyclic_coordinates(self.exact)

    @property
    def invariant_coordinates(self) -> list[str]:
        """Coordinates that the mass matrix does not depend on."""
        return term_by_term.invariant_coordinates(self.exact)

    def _matrix(self, what: str, x: Callable[[], Any]) -> sympy.Matrix:
        return sympy.Matrix(self._written(what, lambda: np.atleast_1d(x())).tolist())

    def _written(self, what: str, exact: Callable[[], Array]) -> Array:
        """Every entry in textbook form."""
        try:
            x = exact()
            with progress(f"{what} of {self.name}", x.size) as at:

                def written(entry: Any) -> Any:
                    at.step()
                    return textbook(entry)

                return each(written, x)
        except OutsideError as error:
            if not str(error).startswith("too many"):
                raise
            raise OutsideError(f"{what} of {self.name!r}: {error}; {SHORTER}") from None


def closed_form(system: Any, symbols: Iterable[str] | None = None) -> ClosedForm | EnergyForm:
    """The closed form of a system."""
    if isinstance(system, Model):
        return ClosedForm(system.name, ModelForms(system, symbols), _left_out(system))
    if symbols is not None:
        raise ArgumentError("symbols= is for models; a Lagrangian is printed as it was stated")
    return EnergyForm(system)


def _left_out(model: Model) -> list[str]:
    made = [x for x in left_out(model).split(" and ") if x]
    return [*made, *(["the forces that close its loops"] if model.held_by else [])]
