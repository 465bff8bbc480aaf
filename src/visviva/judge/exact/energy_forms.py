"""The exact forms of a system that is stated by its energies.

Where the energies are polynomials in symbols, sines and cosines, entries are in normal form;
elsewhere (roots, unknown functions) they are SymPy's derivatives as they come.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, cast

import numpy as np
import sympy

from visviva.algebra.arrays import Array, each
from visviva.algebra.exact.angles import factors_of
from visviva.algebra.exact.factors import over_roots
from visviva.algebra.exact.poly import Poly, Quotient
from visviva.algebra.exact.ring import Ring
from visviva.describe.energies.formulas import TIME
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.energies.normal_form import Reader
from visviva.describe.names import Motion
from visviva.describe.quantities import Quantity, function_at
from visviva.equations.lagrange.evaluation import on_paper
from visviva.equations.lagrange.paper import Paper
from visviva.equations.lagrange.terms import Exact, Terms, dissipation, shown_terms
from visviva.errors import ArgumentError, OutsideError
from visviva.judge.exact.elements import LONGEST, is_quickly_written
from visviva.judge.exact.field import Field
from visviva.judge.exact.forms import Facts, Forms
from visviva.notation.tree import Node

WEIGHTS = {"g", "ag", "g0"}  # what the strength of gravity is called


class EnergyForms(Forms):
    """The terms of d/dt ∂L/∂v - ∂L/∂q + b = τ + Q."""

    kind = "Lagrangian"

    system: Lagrangian

    def __init__(self, system: Lagrangian) -> None:
        self.system, self.name, self.terms = system, system.name, shown_terms(system)
        self.is_exact = isinstance(self.terms.by, Exact)
        n = system.names
        q, v, a = (tuple(x.name for x in part) for part in (n.q, n.v, n.a))
        self.names, self.coordinates = Motion(q, q, v, a), q
        self.held_by = system.held_by

    @property
    def values(self) -> Mapping[str, float]:
        """Of the parameters that have values."""
        return {str(k): float(x) for k, x in self.system.parameters.items()}

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """With and without values."""
        return self.system.parameter_names

    @property
    def velocities(self) -> Array:
        """v, as scalars of the entries."""
        return np.array(self.terms.rates, dtype=object)

    @property
    def accelerations(self) -> Array:
        """a, as symbols."""
        return np.array(self.system.names.a, dtype=object)

    def lacks(self, row: Quantity) -> str:
        """What bodies and frames have."""
        if row.of_rows and not self.held_by:
            return f"of {self.name!r} has no {row.exact!r}: nothing holds it"
        there = row.energies or row.in_fractions or getattr(type(self), row.exact, None)
        if there and not row.about:
            return ""
        why = "a Lagrangian has no frames" if row.about else "a Lagrangian has no bodies"
        return f"of a Lagrangian has no {row.exact!r}, that of a Model has: {why}"

    def stated(self, row: Quantity, *about: Any) -> Any:
        """The terms of the equation, or the function that states it, on paper."""
        if row.exact in vars(Terms):
            return np.array(getattr(self.terms, row.exact), dtype=object)[()]
        n, paper = self.system.names, Paper()
        motion = {"q": n.q, "v": n.v, "a": n.a}
        wanted = {k: paper.nodes(motion[k]) for k in row.inputs.split()}
        function, system = function_at(row.energies), on_paper(self.system, paper)
        return each(paper.formula, function(system, **wanted, t=paper.node(TIME)))[()]

    def plain(self, entry: Any) -> sympy.Expr:
        """Multiplied out, over plain symbols."""
        if self._is_solved(entry):
            return self.held.plain(entry)
        return self._reader(entry).sympy(entry) if isinstance(entry, Poly) else sympy.S(entry)

    def judged(self, x: Any) -> Any:
        """Over SymPy's plain symbols."""
        return each(self.plain, x)[()]

    def field(self, symbols: Iterable[str], formulas: Iterable[Node]) -> Field:
        """Of q, v, a, parameters and time."""
        return Field(self._home, symbols, formulas)

    @cached_property
    def _home(self) -> Ring:
        """All names, and the angles of the energies."""
        by = cast(Any, self.terms.by)
        symbols = [*self.names.q, *self.names.v, *self.names.a, *self.parameter_names, TIME.name]
        angles = by.ring.angles if self.is_exact else {}
        angle_parts = {x: parts for x, parts in angles.items() if {*factors_of(x)} <= {*symbols}}
        return Ring(list(dict.fromkeys(symbols)), angle_parts)

    def _is_solved(self, entry: Any) -> bool:
        """Whether an entry is a fraction, or another element of the field of these."""
        return isinstance(entry, (Poly, Quotient)) and "held" in vars(self) and self.held.has(entry)

    @property
    def facts(self) -> Facts:
        """The names that were stated, with all that follows from the energies."""
        s = self.system
        return Facts(
            forms=self,
            ring=self._home,
            parameters={k: s.parameters.get(k) for k in s.parameter_names},
            owners=s.coordinates,
            joints=s.coordinates,
            idle=tuple(s.passive),
            has_actuators=s.actuators is not None,
            has_forces=any(x != 0 for x in s.forces),
        )

    @property
    def other_road(self) -> tuple[str, Array]:
        """d/dt ∂L/∂v - ∂L/∂q + b - Q, by SymPy."""
        s, n = self.system, self.system.names
        pairs = [*zip(n.q, n.v, strict=True), *zip(n.v, n.a, strict=True)]
        total = []
        for q, v, b, Q in zip(n.q, n.v, self.dissipation, self.applied_forces, strict=True):
            p = s.lagrangian.diff(v)
            rate = sum((p.diff(x) * y for x, y in pairs), p.diff(TIME))
            total.append(rate - s.lagrangian.diff(q) + b - Q)
        return "the equation of Lagrange, by SymPy,", np.array(total, dtype=object)

    @property
    def position_formulas(self) -> Mapping[int, sympy.Expr]:
        """Those without velocities."""
        moving = set(self.system.names.v)
        every = enumerate(self.system.constraints)
        return {k: x for k, x in every if not x.free_symbols & moving}

    @property
    def kinetic_slopes(self) -> Array:
        """∂T/∂q, one for each coordinate."""
        return self._slopes(self.system.kinetic)

    @property
    def potential_slopes(self) -> Array:
        """∂V/∂q, one for each coordinate."""
        return self._slopes(self.system.potential)

    def _slopes(self, x: Any) -> Array:
        return np.array([x.diff(sympy.Symbol(q)) for q in self.names.q], dtype=object)

    @cached_property
    def weights(self) -> tuple[str, ...]:
        """By their letters, where they are in V and pull at masses alone."""
        letters = {p: p.replace("_", "").rstrip("0123456789") for p in self.parameter_names}
        named = (p for p, letter in letters.items() if letter in WEIGHTS)
        return tuple(p for p in named if self._pulls(sympy.Symbol(p)))

    def _pulls(self, g: sympy.Symbol) -> bool:
        """Whether g is in V once, and only times masses: gravity pulls at nothing else."""
        T, slope = self.system.kinetic, self.system.potential.diff(g)
        if T.has(g) or slope == 0 or slope.has(g):
            return False
        symbols = map(sympy.Symbol, self.parameter_names)
        masses = [m for m in symbols if T.has(m) and not T.diff(m).has(m)]
        return bool(masses) and sympy.expand(slope).subs(dict.fromkeys(masses, 0)) == 0

    @property
    def weight_forces(self) -> Array:
        """∂V/∂q of what vanishes with gravity."""
        V = self.system.potential
        return self._slopes(V - V.subs({sympy.Symbol(p): 0 for p in self.weights}))

    def written(self, entry: Any) -> sympy.Expr:
        """In textbook form if it is a polynomial, or a fraction over roots; or as it is."""
        if self._is_solved(entry):
            return self.held.written(entry)
        if not isinstance(entry, Poly):
            return self._shorter(sympy.S(entry))
        return self._reader(entry).textbook(entry)

    def _shorter(self, formula: Any) -> Any:
        """An expression as it comes, or in textbook form where that has fewer operations."""
        if (size := sympy.count_ops(formula)) > LONGEST:
            return formula
        try:
            normal = self._whole.poly(formula)
        except OutsideError:
            other = over_roots(formula)
        else:
            other = self.written(normal) if is_quickly_written(normal) else formula
        return other if sympy.count_ops(other) < size else formula

    def polynomial(self, entry: Any) -> Poly:
        """In the normal form that has friction and applied forces too."""
        try:
            return self._whole.poly(self.plain(entry))
        except OutsideError as error:
            raise ArgumentError(f"{self.name!r} has no normal form: {error}") from None

    @cached_property
    def _whole(self) -> Reader:
        """Of all that the equations are made of."""
        s, n = self.system, self.system.names
        stated = [s.kinetic, s.potential, *self.dissipation, *self.applied_forces]
        return Reader(stated, [*n.q, *n.v, *n.a, TIME])

    def _reader(self, entry: Poly) -> Reader:
        by: Any = self.terms.by
        own: Reader = by.reader if self.is_exact else self._whole
        return own if entry.ring is own.ring else self._whole

    def in_print(self, kind: str, *about: Any) -> Array:
        """The equations with M a apart from the rest, as books have it; all else as it is."""
        if kind != "equations":
            return super().in_print(kind, *about)
        M = sympy.Matrix(each(self.written, self.inertial_matrix).tolist())
        drift = sympy.Matrix([self.written(x) for x in self.terms.drift])
        b, Q = (
            sympy.Matrix(each(self.written, x)) for x in (self.dissipation, self.applied_forces)
        )
        total = M * sympy.Matrix(self.accelerations) + drift + b - Q
        if not self.is_exact:
            total = total.applyfunc(self._shorter)
        if self.held_by:
            total -= sympy.Matrix(each(self.written, self.held.pull).tolist())
        return np.array(total, dtype=object)[:, 0]

    # ---- what is stated, and what energies say in their own way

    @cached_property
    def dissipation(self) -> Array:
        """b: ∂D/∂v, or as given."""
        return np.array(dissipation(self.system), dtype=object)

    @cached_property
    def applied_forces(self) -> Array:
        """Q: what else acts, on the side of τ."""
        return np.array(list(self.system.forces), dtype=object)

    @property
    def momenta(self) -> Array:
        """p = ∂L/∂v."""
        return np.array(self.terms.momentum, dtype=object)

    @property
    def hamiltonian(self) -> Any:
        """v · p - L."""
        return self.terms.jacobi_integral

    @property
    def energy(self) -> Any:
        """T + V, if that is the energy."""
        if not self.is_natural:
            raise ArgumentError(
                f"{self.name!r} has no energy T + V of the usual kind; H is v · p - L"
            )
        return super().energy

    @property
    def is_natural(self) -> bool:
        """Whether T is of the second degree in v, not a co-energy, and V free of v."""
        moving = set(map(sympy.Symbol, self.names.v))
        return self.terms.is_quadratic and not self.system.potential.free_symbols & moving

    @cached_property
    def bias_forces(self) -> Array:
        """All that is not M a: C v + g + b - Q."""
        return self.added(self.terms.drift, self.dissipation, -self.applied_forces)

    @cached_property
    def open_equations(self) -> Array:
        """M a + C v + g + b - Q."""
        return each(self.plain, self.inertial_matrix) @ self.accelerations + self.bias_forces
