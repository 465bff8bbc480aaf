"""`ClosedForm`: the equations of motion as a book prints them, in SymPy objects.

What is printed is exact: every entry is made from its normal form, where there is one. Nothing is
computed before it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from visviva import foreign
from visviva.algebra.arrays import each
from visviva.describe.quantities import EXACT, Quantity
from visviva.errors import MissingAttributeError, OutsideError
from visviva.judge.closed.explained import Term, explained
from visviva.judge.closed.linear import LinearForm, linear_form
from visviva.judge.closed.printed import nonzero_christoffel
from visviva.judge.closed.shown import Shown
from visviva.judge.closed.tasks import TASK, TASK_RATES, written_task
from visviva.judge.exact.forms import Forms, cyclic_coordinates, invariant_coordinates
from visviva.judge.exact.systems import forms
from visviva.progress import progress

SHORTER = (
    "keep fewer symbols, closed_form(symbols=[...]), or lock joints; the compiled functions of the "
    "model, and their c_source, have no such limit"
)


@foreign.explained
class ClosedForm(Shown):
    """M, C, Γ, g, b, energies and equations of a system in textbook form.

    Every quantity with an exact name is an attribute: `mass_matrix`, `coriolis_matrix`,
    `christoffel`, `gravity`, `dissipation`, `equations` (what τ equals, row by row), `momenta`,
    `kinetic_energy`, `potential_energy` and the like; those of a frame are methods, `pose(frame)`,
    `jacobian(frame)`. Vectors are columns.

    Coordinates, velocities and accelerations are SymPy symbols: q1, qd1, qdd1. `parameters` maps
    the other symbols to their values. `exact` has the polynomials behind it, in which equality is
    decided. `left_out` names what the system has and no polynomial says, such as Coulomb friction.
    """

    def __init__(self, name: str, exact: Forms, left_out: Iterable[str] = ()) -> None:
        self.name = name
        self.exact = exact
        self.left_out = tuple(left_out)

    @property
    def is_exact(self) -> bool:
        """Whether entries come from a normal form."""
        return self.exact.is_exact

    @property
    def solves_multipliers(self) -> bool:  # type: ignore[override]
        """Where constraints are stated as formulas; λ of loops are too long to read."""
        return not self.exact.has_words

    @property
    def held_by(self) -> tuple[str, ...]:
        """The constraints, each in words."""
        return self.exact.held_by

    @property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        """The symbols of q, in their order."""
        return tuple(map(sympy.Symbol, self.exact.names.q))

    @property
    def rated_names(self) -> tuple[str, ...]:
        """The names that rates are printed of, with dots."""
        return self.exact.names.q

    @property
    def velocities(self) -> tuple[sympy.Symbol, ...]:
        """The symbols of v, in their order."""
        return tuple(map(sympy.Symbol, self.exact.names.v))

    @property
    def accelerations(self) -> tuple[sympy.Symbol, ...]:
        """The symbols of a, in their order."""
        return tuple(map(sympy.Symbol, self.exact.names.a))

    @property
    def generalized_forces(self) -> tuple[sympy.Symbol, ...]:
        """The symbols of τ, in the order of the velocities."""
        return tuple(map(sympy.Symbol, self.exact.force_names))

    @property
    def multiplier_symbols(self) -> tuple[sympy.Symbol, ...]:
        """The symbols of λ, one for each row of `constraint_matrix`."""
        return tuple(map(sympy.Symbol, self.exact.multiplier_names))

    def __getattr__(self, name: str) -> Any:
        row = EXACT.get(name)
        if row is None:
            if name in dir(type(self)):
                object.__getattribute__(self, name)  # its own error
            said = f"the closed form of a {self.exact.kind} has no {name!r}"
            if name in ("subs", "with_parameters", "replace", "xreplace"):
                symbol = next(iter(self.exact.values), "m")
                before = f"a Model takes formulas: with_parameters({symbol}='0').closed_form()"
                line = f"form.equations.subs({symbol!r}, 0)"
                raise MissingAttributeError(f"{said}; {before}, entries are SymPy's", cure=line)
            letters = self._letters(name)
            if meant := [
                *letters,
                foreign.line_for(name, foreign.table()["attributes"]["ClosedForm"]),
            ][0]:
                others = f"; others write so {' and '.join(letters[1:])}" if letters[1:] else ""
                raise MissingAttributeError(said + others, cure=meant)
            close = [] if name.startswith("_") else get_close_matches(name, dir(self), n=1)
            raise AttributeError(said + (f"; did you mean {close[0]!r}?" if close else ""))
        if why := self.exact.lacks(row):
            raise AttributeError(f"the closed form {why}")
        if row.about:
            return self._about_frame(row)
        value = self.__dict__[name] = self._written(
            row.phrase.removeprefix("the ").removesuffix(" of motion"),
            lambda: self.exact.in_print(name),
        )
        return value

    def _letters(self, name: str) -> list[str]:
        """What books write so, the most usual first."""
        rows = [x for x in EXACT.values() if name in x.letters and not self.exact.lacks(x)]
        rows.sort(key=lambda x: x.letters.index(name))
        return [f"form.{x.exact}" + "(model.frame_names[-1])" * bool(x.about) for x in rows]

    def __dir__(self) -> list[str]:
        return sorted(
            {*object.__dir__(self), *(k for k, row in EXACT.items() if not self.exact.lacks(row))}
        )

    def _about_frame(self, row: Quantity) -> Callable[..., Any]:
        def written(*about: str) -> Any:
            label = f"{row.phrase.removeprefix('the ')} of {about[0]}"
            return self._written(label, lambda: self.exact.in_print(row.exact, *about))

        def of_frame(frame: str) -> Any:
            return written(frame)

        def of_point(frame: str, reference: str = "world") -> Any:
            return written(frame, reference)

        method = of_point if row.about == "point" else of_frame
        method.__doc__ = row.doc
        return method

    def task(self, frame: str, task: str, point: Any = None) -> sympy.Matrix:
        """The coordinates of a task of a frame: "x y phi", "position", "position ZYX" …"""
        return written_task(self, TASK, frame, task, point)

    def task_jacobian(self, frame: str, task: str, point: Any = None) -> sympy.Matrix:
        """The matrix from v to the velocities of a task; of its coordinates the rates."""
        return written_task(self, TASK_RATES, frame, task, point)

    @property
    def nonzero_christoffel(self) -> dict[tuple[int, int, int], sympy.Expr]:
        """The symbols that are not zero, by indices from 1 on; Γ[i, k, j] beside Γ[i, j, k]."""
        return nonzero_christoffel(self)

    @cached_property
    def mass_determinant(self) -> sympy.Expr:
        """det M, for at most three coordinates."""
        return self._written("determinant", lambda: self.exact.mass_determinant)

    def terms(self, row: int) -> list[Term]:
        """The terms of one equation (rows count from 0), each with its kind and a sentence.

        Examples:
            >>> from visviva.describe import catalog
            >>> pulled = catalog.polar_point().closed_form().terms(1)[1]
            >>> print(pulled.kind, pulled.formula)
            centrifugal -m*r*thetad**2
            >>> print(pulled.sentence)
            Turning θ leads point round a bend even at constant speed; r has to pull it inward
        """
        return explained(self.exact, row)

    @property
    def cyclic_coordinates(self) -> list[str]:
        """Coordinates that the energies do not depend on: without forces their momenta are kept."""
        return cyclic_coordinates(self.exact)

    @property
    def invariant_coordinates(self) -> list[str]:
        """Coordinates that the mass matrix does not depend on."""
        return invariant_coordinates(self.exact)

    def linearized(self, q: Any = None, v: Any = None) -> LinearForm:
        """A1, A2, A3 about a position and constant velocities, formulas by name; else zero.

        All of them in a row will do too: `linearized([0, sympy.pi])`; texts too: `["l + m*g/k"]`.

        Examples:
            >>> from visviva.describe import catalog
            >>> catalog.bead_on_rotating_wire().closed_form().linearized().K
            Matrix([[m*(-Omega**2 + 2*g*k)]])
        """
        return linear_form(self, {} if q is None else q, {} if v is None else v)

    def _written(self, what: str, exact: Callable[[], Any]) -> Any:
        """Every entry in textbook form: an expression, a matrix, or an array of three indices."""
        try:
            array = np.asarray(exact(), dtype=object)
            with progress(f"{what} of {self.name}", array.size) as at:

                def entry(x: Any) -> sympy.Expr:
                    at.step()
                    return self.exact.written(x)

                written = each(entry, array)
        except OutsideError as error:
            if not str(error).startswith("too many"):
                raise
            raise OutsideError(f"{what} of {self.name!r}: {error}; {SHORTER}") from None
        if array.ndim == 0:
            return written[()]
        if array.ndim > 2:
            return sympy.ImmutableDenseNDimArray(written.ravel().tolist(), array.shape)
        return sympy.Matrix(written.tolist())


def closed_form(system: Any, symbols: Iterable[str] | None = None) -> ClosedForm:
    """The closed form of a system."""
    exact = forms(system, symbols)
    return ClosedForm(system.name, exact, exact.left_out)
