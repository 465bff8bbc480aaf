"""What is exactly true of a system: one attribute for every row of the table with an exact name.

Entries are polynomials of a ring where there is a normal form, SymPy expressions where there is
none. Nothing is computed before it is asked for, and each quantity once. `Facts` has the names of
the system beside it: what claims are read by and compared with.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from visviva.algebra.arrays import Array
from visviva.algebra.exact.poly import Poly
from visviva.algebra.exact.ring import Ring
from visviva.algebra.exact.ring_sympy import as_sympy
from visviva.algebra.exact.slopes import slope
from visviva.describe.names import Motion
from visviva.describe.quantities import ENERGY_TERMS, EXACT, MASS_TERM, ROWS, TERMS, Quantity
from visviva.errors import ArgumentError, UnknownNameError
from visviva.judge.exact.field import Field
from visviva.judge.exact.held import HeldForms
from visviva.notation.names import fresh, velocity_name
from visviva.notation.tree import Node


class Forms(ABC):
    """The terms of M a + C v + g + b = τ, energies, and what is made of them.

    `names` are those of q, v and a; `values` of the parameters that are symbols. `left_out` names
    what the system has and these forms have not.
    """

    kind: str  # of system
    system: Any  # as it is stated
    name: str
    names: Motion
    left_out: tuple[str, ...] = ()
    held_by: tuple[str, ...] = ()  # its constraints, in words
    has_words: bool = False  # for constraints, rather than formulas
    is_exact: bool = True  # whether entries are in normal form

    @property
    @abstractmethod
    def values(self) -> Mapping[str, float]:
        """Of the parameters that are symbols."""

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Of all parameters that are symbols."""
        return tuple(self.values)

    @property
    @abstractmethod
    def velocities(self) -> Array:
        """v, as scalars of the entries."""

    @abstractmethod
    def lacks(self, row: Quantity) -> str:
        """Why there is no such quantity of this kind of system; empty if there is."""

    @abstractmethod
    def stated(self, row: Quantity, *about: Any) -> Any:
        """A quantity by the function that states it, run on exact scalars."""

    @abstractmethod
    def plain(self, entry: Any) -> sympy.Expr:
        """An entry in SymPy, term by term."""

    @abstractmethod
    def judged(self, x: Any) -> Any:
        """A quantity in the scalars in which claims are compared with it."""

    @property
    @abstractmethod
    def facts(self) -> Facts:
        """What claims are read by and compared with."""

    @property
    @abstractmethod
    def kinetic_slopes(self) -> Array:
        """∂T/∂q, in such scalars."""

    @property
    @abstractmethod
    def potential_slopes(self) -> Array:
        """∂V/∂q: what is left at rest, without what time and turning axes do."""

    @property
    @abstractmethod
    def weights(self) -> tuple[str, ...]:
        """The parameters that are the strength of gravity."""

    @property
    @abstractmethod
    def weight_forces(self) -> Array:
        """∂V/∂q of gravity alone."""

    @property
    def is_light(self) -> bool:
        """Whether nothing has weight."""
        return not self.weights

    @property
    def is_only_heavy(self) -> bool:
        """Whether no forces of position are known but those of a gravity without a name."""
        return False

    @abstractmethod
    def written(self, entry: Any) -> sympy.Expr:
        """An entry in textbook form."""

    @abstractmethod
    def field(self, symbols: Iterable[str], formulas: Iterable[Node]) -> Field:
        """A field of all names of the system, of `symbols` and of what `formulas` have."""

    @property
    @abstractmethod
    def open_equations(self) -> Array:
        """M a + C v + g + b: what τ and the forces of constraints are together."""

    @property
    @abstractmethod
    def other_road(self) -> tuple[str, Array]:
        """M a + C v + g + b once more, and by what: nothing that `open_equations` are made by."""

    @property
    def position_formulas(self) -> Mapping[int, sympy.Expr]:
        """φ of the constraints that are stated as formulas of position, by their row of A."""
        return {}

    @abstractmethod
    def polynomial(self, entry: Any) -> Poly:
        """An entry as an element of the ring; an error if it is none."""

    def quantity(self, kind: str, *about: Any) -> Any:
        """A quantity by its exact name; `about` is its frame or body, where it has one."""
        row = EXACT.get(kind)
        if row is None:
            raise UnknownNameError("quantity", kind, EXACT)
        if (kind, about) not in self._known:
            own = getattr(type(self), kind, None)
            if row.in_fractions:
                whole = self.held.quantity(kind)
            elif own is None:
                whole = self.stated(row, *about)
            else:
                whole = own(self, *about) if row.about else getattr(self, kind)
            self._known[kind, about] = whole
        return self._known[kind, about]

    @cached_property
    def _known(self) -> dict[tuple[str, tuple[Any, ...]], Any]:
        return {}

    def __getattr__(self, name: str) -> Any:
        if name not in EXACT or name in dir(type(self)):
            raise AttributeError(f"the forms of a {self.kind} have no {name!r}")
        return self.quantity(name)

    def off(self, point: Mapping[str, float]) -> Any:
        """φ at a point, by numbers, where exact conditions may be zero without it."""
        return ()

    def in_print(self, kind: str, *about: Any) -> Array:
        """A quantity whose entries are still to be `written`, as it is printed."""
        return np.asarray(self.quantity(kind, *about), dtype=object)

    # ---- what is made of the others

    @cached_property
    def force_names(self) -> tuple[str, ...]:
        """The symbols of the generalized forces τ."""
        return tuple(fresh(f"tau{i + 1}", self._taken) for i in range(len(self.names.v)))

    @cached_property
    def multiplier_names(self) -> tuple[str, ...]:
        """The symbols of λ, one for each row of A."""
        rows = len(self.stated(ROWS)) if self.held_by else 0
        return tuple(fresh(f"lambda{i + 1}", self._taken) for i in range(rows))

    @property
    def _taken(self) -> set[str]:
        return {*self.names.q, *self.names.v, *self.names.a, *self.parameter_names}

    @cached_property
    def held(self) -> HeldForms:
        """What follows for a system that is held, and for accelerations."""
        return HeldForms(self)

    @cached_property
    def equations(self) -> Array:
        """τ = M a + C v + g + b - Aᵀ λ, with symbols λ."""
        return self.held.equations if self.held_by else self.open_equations

    def parts(self, times: str) -> list[Array]:
        """The terms of M a + C v + g + b that stand before v, or alone ("1")."""
        return [self.quantity(row.exact) for row in TERMS if row.times == times]

    @property
    def inertial_matrix(self) -> Array:
        """M, n × n."""
        M: Array = self.quantity(MASS_TERM.exact)
        return M

    @property
    def velocity_forces(self) -> Array:
        """C v."""
        (C,) = self.parts("v")
        product: Array = C @ self.velocities
        return product

    @property
    def bias_forces(self) -> Array:
        """C v + g + b."""
        return self.added(self.velocity_forces, *self.parts("1"))

    @property
    def gravity_and_friction(self) -> Array:
        """g + b."""
        return self.added(*self.parts("1"))

    @property
    def momenta(self) -> Array:
        """p = M v."""
        product: Array = self.inertial_matrix @ self.velocities
        return product

    @property
    def lagrangian(self) -> Any:
        """T - V."""
        T, V = (self.quantity(row.exact) for row in ENERGY_TERMS)
        return T - V

    @property
    def energy(self) -> Any:
        """T + V."""
        T, V = (self.quantity(row.exact) for row in ENERGY_TERMS)
        return T + V

    @property
    def hamiltonian(self) -> Any:
        """v · p - L, which is T + V."""
        return self.quantity("energy")

    @property
    def mass_determinant(self) -> Any:
        """det M, for at most three coordinates."""
        return determinant(np.asarray(self.inertial_matrix, dtype=object))

    def added(self, *parts: Iterable[Any]) -> Array:
        """The sum of vectors; of polynomials and SymPy expressions, the latter."""
        total = []
        for entries in zip(*parts, strict=True):
            exact = all(isinstance(x, Poly) for x in entries)
            total.append(sum(entries if exact else map(self.plain, entries), 0))
        return np.array(total, dtype=object)


def depends(entry: Any, name: str) -> bool:
    """Whether an entry changes with a symbol."""
    if isinstance(entry, Poly):
        return not entry.derivative(name).is_zero
    return bool(slope(sympy.S(entry), sympy.Symbol(name)) != 0)


def cyclic_coordinates(forms: Forms) -> list[str]:
    """Coordinates that the energies do not depend on: without forces their momenta are kept."""
    energies = [forms.quantity(row.exact) for row in ENERGY_TERMS]
    return [q for q in forms.names.q if not any(depends(x, q) for x in energies)]


def invariant_coordinates(forms: Forms) -> list[str]:
    """Coordinates that the mass matrix does not depend on."""
    entries = forms.inertial_matrix.ravel()
    return [q for q in forms.names.q if not any(depends(x, q) for x in entries)]


def is_flat(forms: Forms) -> bool:
    """Whether all Christoffel symbols vanish: free motions are straight in these coordinates."""
    return all(forms.polynomial(x).is_zero for x in forms.quantity("christoffel").ravel())


def determinant(M: Array) -> Any:
    """Of a matrix of at most three rows; larger ones have no form that anybody reads."""
    n = len(M)
    if n > 3:
        raise ArgumentError(f"the determinant is written out for at most 3 coordinates, got {n}")
    if n == 1:
        return M[0, 0]
    minors = [np.delete(np.delete(M, 0, axis=0), k, axis=1) for k in range(n)]
    return sum((M[0, k] * determinant(x) * (-1) ** k for k, x in enumerate(minors)), 0)


@dataclass(frozen=True, eq=False, kw_only=True)
class Facts:
    """Names, and quantities by subject; entries are in the scalars that `forms` judges by."""

    forms: Forms
    ring: Ring
    parameters: Mapping[str, float | None]
    is_named: bool = True  # whether a person gave the parameters their names
    owners: tuple[str, ...]  # the joint or coordinate that each generalized force acts on
    joints: tuple[str, ...]  # all of them, those that follow others too
    idle: tuple[str, ...]  # joints or coordinates whose forces the system says are zero
    frames: tuple[str, ...] = ()
    tip: str = ""  # the frame that is meant where none is named
    bodies: tuple[str, ...] = ()
    has_actuators: bool
    has_forces: bool = False  # of its own, Q
    unit: tuple[tuple[str, ...], ...] = ()  # coordinates that are quaternions of length 1
    turns: Mapping[str, Fraction] = field(default_factory=dict)  # fixed rotations, in π
    notes: tuple[str, ...] = ()  # what was taken as something else
    refuses: str = ""  # why its equations of motion cannot be judged
    weight: str = ""  # the size of gravity where that is a number, as it is typed

    @property
    def name(self) -> str:
        """Of the system."""
        return self.forms.name

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The symbols of q."""
        return self.forms.names.q

    @cached_property
    def rates(self) -> tuple[tuple[str, str], ...]:
        """The symbols of v and a, in pairs."""
        return tuple(zip(self.forms.names.v, self.forms.names.a, strict=True))

    @cached_property
    def moving(self) -> tuple[tuple[str, str, str], ...]:
        """Coordinates whose rates are velocities, with these and the accelerations."""
        named = {velocity_name(q): q for q in self.coordinates}
        return tuple((named[v], v, a) for v, a in self.rates if v in named)

    @cached_property
    def passive(self) -> tuple[int, ...]:
        """The forces, from 0 on, that the system says are zero."""
        return tuple(k for k, name in enumerate(self.owners) if name in self.idle)

    @cached_property
    def forces(self) -> tuple[str, ...]:
        """The names that generalized forces can be called by: of owners that have one."""
        return tuple(name if self.owners.count(name) == 1 else "" for name in self.owners)

    def driven_by(self, laws: Mapping[int, sympy.Expr]) -> Facts:
        """The facts where forces, by their number from 0 on, follow laws: what is left is zero."""
        if not laws:
            return self
        driven, rows = replace(self), self.quantity("equations").copy()
        for k, law in laws.items():
            rows[k] = (as_sympy(rows[k]) if isinstance(rows[k], Poly) else rows[k]) - law
        driven._known["equations", ""] = rows
        return driven

    def of(self, subject: Any) -> Any:
        """What a claim speaks about: an entry, or an array of entries."""
        whole = self.quantity(subject.kind, subject.frame)
        if not subject.index:
            return whole
        array = np.asarray(whole, dtype=object)
        place = tuple(k - 1 for k in subject.index)
        sizes = zip(place, array.shape, strict=False)
        if len(place) != array.ndim or not all(0 <= k < n for k, n in sizes):
            shape = " × ".join(map(str, array.shape))
            raise ArgumentError(f"{subject}: there are {shape} entries")
        return array[place]

    def quantity(self, kind: str, frame: str = "") -> Any:
        """All of a quantity; each is brought into these scalars once."""
        if (kind, frame) not in self._known:
            self._known[kind, frame] = self._derived(kind, frame)
        return self._known[kind, frame]

    @cached_property
    def _known(self) -> dict[tuple[str, str], Any]:
        return {}

    def _derived(self, kind: str, frame: str) -> Any:
        if kind == "slopes":
            return self.forms.kinetic_slopes
        row = EXACT.get(kind)
        if row is None or self.forms.lacks(row):
            raise ArgumentError(f"{self.name!r} has no {kind.replace('_', ' ')}")
        about = (frame,) if row.about else ()
        return self.forms.judged(self.forms.quantity(kind, *about))
