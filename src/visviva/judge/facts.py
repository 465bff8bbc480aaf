"""What is true of a system: every quantity that a claim may speak about, from one place.

Entries are exact polynomials for a model, SymPy expressions for a system stated by its energies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from visviva.algebra.naming import acceleration_name, velocity_name
from visviva.algebra.trigpoly import Poly, Ring
from visviva.describe.formulas import TIME
from visviva.describe.lagrangian import Lagrangian
from visviva.describe.model import Model
from visviva.equations.lagrange_terms import Exact, dissipation, exact_terms, sympy_terms
from visviva.errors import ArgumentError, UnknownNameError
from visviva.judge.exact import polynomial
from visviva.judge.forms import ModelForms
from visviva.judge.subjects import Subject
from visviva.space.rotations import Array

DIRECT = (
    "equations",
    "mass_matrix",
    "coriolis_matrix",
    "christoffel",
    "gravity",
    "dissipation",
    "kinetic_energy",
    "potential_energy",
)


class Facts:
    """Names, and quantities by subject."""

    name: str
    ring: Ring
    coordinates: tuple[str, ...]
    rates: tuple[tuple[str, str], ...]  # the symbols of v and a
    parameters: Mapping[str, float | None]
    frames: tuple[str, ...] = ()
    bodies: tuple[str, ...] = ()

    def of(self, subject: Subject) -> Any:
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
        """All of a quantity; each is derived once."""
        if (kind, frame) not in self._known:
            self._known[kind, frame] = self._derived(kind, frame)
        return self._known[kind, frame]

    @cached_property
    def _known(self) -> dict[tuple[str, str], Any]:
        return {}

    def _derived(self, kind: str, frame: str) -> Any:
        v = np.array([self.symbol(v) for v, _ in self.rates], dtype=object)
        if kind == "velocity_forces":
            return self.quantity("coriolis_matrix") @ v
        if kind == "momenta":
            return self.quantity("mass_matrix") @ v
        if kind in ("lagrangian", "energy"):
            T, V = self.quantity("kinetic_energy"), self.quantity("potential_energy")
            return T - V if kind == "lagrangian" else T + V
        if kind in ("rotation", "position"):
            pose = self.quantity("pose", frame)
            return pose[:3, :3] if kind == "rotation" else pose[:3, 3]
        raise ArgumentError(f"{self.name!r} has no {kind.replace('_', ' ')}")

    def symbol(self, name: str) -> Any:
        """A name as a scalar of the entries."""
        raise NotImplementedError


class ModelFacts(Facts):
    """Of a model: the recursions over exact scalars."""

    def __init__(self, model: Model, forms: ModelForms) -> None:
        self.forms = forms
        f = self.forms
        self.model, self.name = model, model.name
        self.ring, self.coordinates, self.parameters = f.ring, f.coordinates, dict(f.values)
        pairs = zip(f.velocities, f.accelerations, strict=True)
        self.rates = tuple((str(v), str(a)) for v, a in pairs)
        self.frames = model.frame_names
        self.bodies = tuple(b.name for b in model.bodies)

    def symbol(self, name: str) -> Poly:
        """An element of the ring."""
        return self.ring[name]

    def _derived(self, kind: str, frame: str) -> Any:
        if kind in ("pose", "jacobian"):
            return getattr(self.forms, kind)(frame)
        if kind == "inertia":
            return self._inertia(frame)
        if kind == "slopes":
            T = self.forms.kinetic_energy
            return np.array([T.derivative(q) for q in self.coordinates], dtype=object)
        return getattr(self.forms, kind) if kind in DIRECT else super()._derived(kind, frame)

    def _inertia(self, body: str) -> Array:
        """The tensor of a body about its centre of mass."""
        if body not in self.bodies:
            raise UnknownNameError("body", body, self.bodies)
        tensor = self.forms.exact.model.bodies[self.bodies.index(body)].inertia.tensor
        entries = [[polynomial(x, self.ring) for x in row] for row in tensor]
        return np.array(entries, dtype=object)


class EnergyFacts(Facts):
    """Of a system stated by its energies."""

    def __init__(self, system: Lagrangian) -> None:
        self.system, self.name = system, system.name
        exact = exact_terms(system)
        self._terms = exact or sympy_terms(system)
        self.coordinates = system.coordinates
        self.rates = tuple((velocity_name(q), acceleration_name(q)) for q in self.coordinates)
        self.parameters = {k: system.parameters.get(k) for k in system.parameter_names}
        symbols = [*self.coordinates, *(x for pair in self.rates for x in pair), *self.parameters]
        angles = exact.by.ring.angles if exact and isinstance(exact.by, Exact) else {}
        self.ring = Ring(list(dict.fromkeys([*symbols, TIME.name])), angles)

    def symbol(self, name: str) -> sympy.Symbol:
        """A plain symbol."""
        return sympy.Symbol(name)

    def _derived(self, kind: str, frame: str) -> Any:
        if kind in ("kinetic_energy", "potential_energy"):
            return getattr(self.system, kind.removesuffix("_energy"))
        if kind == "dissipation":
            return self._plain(dissipation(self.system))
        if kind == "momenta":
            return self._plain(self._terms.momentum)
        if kind == "slopes":
            T = self.system.kinetic
            return np.array([T.diff(sympy.Symbol(q)) for q in self.coordinates], dtype=object)
        if kind == "equations":
            a = np.array([sympy.Symbol(x) for _, x in self.rates], dtype=object)
            moving = self.quantity("mass_matrix") @ a + self._plain(self._terms.drift)
            return moving + self.quantity("dissipation") - np.array(self.system.forces)
        if kind in DIRECT:
            return self._plain(getattr(self._terms, kind))
        return super()._derived(kind, frame)

    def _plain(self, x: Any) -> Array:
        """Every entry as a SymPy expression over plain symbols."""
        array = np.array(x, dtype=object)
        made = np.empty(array.shape, dtype=object)
        by: Any = self._terms.by
        for index, entry in np.ndenumerate(array):
            made[index] = by.reader.sympy(entry) if isinstance(entry, Poly) else sympy.S(entry)
        return made


def facts(system: Any, symbols: Iterable[str] | None = None) -> Facts:
    """What is true of a model or of a Lagrangian; `symbols` of a model stay symbols, or all."""
    if isinstance(system, Model):
        return ModelFacts(system, ModelForms(system, symbols))
    if isinstance(system, Lagrangian):
        return EnergyFacts(system)
    raise ArgumentError(f"claims are about a Model or a Lagrangian, got {system!r:.60}")
