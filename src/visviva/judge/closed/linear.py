"""The linear equations about a position, in formulas: A₁ δq̈ + A₂ δq̇ + A₃ δq = δτ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from visviva.describe.energies.formulas import TIME, Names
from visviva.errors import ArgumentError, ConstrainedError, check_known
from visviva.foreign import explained


@explained
@dataclass(frozen=True)
class LinearForm:
    """Matrices of SymPy about a position and constant velocities; `tau` is what holds it there."""

    coordinates: tuple[sympy.Symbol, ...]
    A1: sympy.Matrix
    A2: sympy.Matrix
    A3: sympy.Matrix
    tau: sympy.Matrix

    @property
    def M(self) -> sympy.Matrix:
        """Inertia: A1."""
        return self.A1

    @property
    def D(self) -> sympy.Matrix:
        """Damping: the symmetric part of A2."""
        return _part(self.A2, 1)

    @property
    def G(self) -> sympy.Matrix:
        """Gyroscopic: its skew part."""
        return _part(self.A2, -1)

    @property
    def K(self) -> sympy.Matrix:
        """Stiffness: the symmetric part of A3."""
        return _part(self.A3, 1)

    @property
    def H(self) -> sympy.Matrix:
        """Circulatory: its skew part."""
        return _part(self.A3, -1)


def linear_form(closed: Any, q: Any, v: Any) -> LinearForm:
    """About q and v, formulas or numbers by name, others zero; or all of them in a row."""
    if closed.held_by:
        raise ConstrainedError(
            f"the linear form of {closed.name!r} would have to honour its constraints "
            f"({closed.held_by[0]}); linearize() does, in numbers"
        )
    if closed.left_out:
        raise ArgumentError(
            f"the linear form of {closed.name!r} would leave out what its closed form does: "
            f"{', '.join(closed.left_out)}"
        )
    here: dict[Any, Any] = dict.fromkeys(closed.accelerations, sympy.S.Zero)
    rows = sympy.Matrix(closed.equations)
    moving = {*closed.coordinates, *closed.velocities, *closed.accelerations, TIME}
    known = {x.name: x for x in rows.free_symbols - moving}
    here |= _values("coordinate", closed.coordinates, q, known)
    here |= _values("velocity", closed.velocities, v, known)

    def at(matrix: sympy.Matrix) -> sympy.Matrix:
        return matrix.subs(here, simultaneous=True).applyfunc(sympy.trigsimp)

    def slope(symbols: Sequence[sympy.Symbol]) -> sympy.Matrix:
        return at(rows.jacobian(sympy.Matrix(list(symbols))))

    A1, A2, A3 = map(slope, (closed.accelerations, closed.velocities, closed.coordinates))
    return LinearForm(closed.coordinates, A1, A2, A3, at(rows))


def _values(
    kind: str, symbols: Sequence[sympy.Symbol], given: Any, known: Mapping[str, sympy.Symbol]
) -> dict[Any, Any]:
    """What is put in for each, zero where nothing is given; texts have `known` names."""
    names = {x.name: x for x in symbols}
    if not isinstance(given, Mapping):
        entries = [*given] if isinstance(given, Iterable) and not isinstance(given, str) else []
        if len(entries) != len(names):
            raise ArgumentError(
                f"expected a mapping from names ({', '.join(names)}) to numbers or formulas, or "
                f"{len(names)} of them in a row, got {given!r:.60}"
            )
        given = dict(zip(names, entries, strict=True))
    for name in given:
        check_known(kind, str(name), names)
    asked = {str(k): _read(f"{kind} {k}", x, known) for k, x in given.items()}
    return {x: asked.get(name, sympy.S.Zero) for name, x in names.items()}


def _read(what: str, x: Any, known: Mapping[str, sympy.Symbol]) -> Any:
    if not isinstance(x, str):
        return sympy.sympify(x)
    formula = Names((), known).read(what, x)
    return formula.xreplace({y: known.get(y.name, y) for y in formula.free_symbols})


def _part(A: sympy.Matrix, sign: int) -> sympy.Matrix:
    return ((A + sign * A.T) / 2).applyfunc(sympy.simplify)
