"""What is true of a system: every quantity that a claim may speak about, from one place.

Entries are exact polynomials for a model, SymPy expressions for a system stated by its energies.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

import numpy as np

from visviva.algebra.exact.ring import Ring
from visviva.describe.energies.formulas import TIME
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.model.model import Model
from visviva.describe.quantities import EXACT
from visviva.equations.parameters.parameters import parameter_names
from visviva.errors import ArgumentError
from visviva.judge.check.said.subjects import Subject
from visviva.judge.exact.energy_forms import EnergyForms
from visviva.judge.exact.forms import Forms
from visviva.judge.exact.model_forms import ModelForms
from visviva.judge.exact.systems import forms
from visviva.notation.names import acceleration_name, velocity_name

OPEN = "without_constraints() gives the open system, whose equations are judged"
TURNED = 8 * math.ulp(math.pi)  # rotations that are multiplied lose so much
NEARLY = 1e-3  # of angles that were typed with too few digits
QUATERNION = ("x", "y", "z", "w")


class Facts:
    """Names, and quantities by subject."""

    name: str
    forms: Forms
    ring: Ring
    coordinates: tuple[str, ...]
    rates: tuple[tuple[str, str], ...]  # the symbols of v and a
    parameters: Mapping[str, float | None]
    frames: tuple[str, ...] = ()
    tip: str = ""  # the frame that is meant where none is named
    bodies: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()  # all of them, those that follow others too
    forces: tuple[str, ...]  # whose each generalized force is, or nothing
    passive: tuple[int, ...] = ()  # the forces, from 0 on, that the system says are zero
    has_actuators: bool = False
    has_forces: bool = False  # of its own, Q
    unit: tuple[tuple[str, ...], ...] = ()  # coordinates that are quaternions of length 1
    turns: Mapping[str, Fraction] = {}  # symbols of fixed rotations -> how many π they are
    notes: tuple[str, ...] = ()  # what was taken as something else
    refuses: str = ""  # why its equations of motion cannot be judged
    weight: str = ""  # the size of gravity where that is a number, as it is typed

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
    def moving(self) -> tuple[tuple[str, str, str], ...]:
        """Coordinates whose rates are velocities, with these and the accelerations."""
        named = {velocity_name(q): q for q in self.coordinates}
        return tuple((named[v], v, a) for v, a in self.rates if v in named)

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

    def symbol(self, name: str) -> Any:
        """A name as a scalar of the entries."""
        return self.forms.symbol(name)


class ModelFacts(Facts):
    """Of a model: the recursions over exact scalars."""

    forms: ModelForms

    def __init__(self, model: Model, forms: ModelForms) -> None:
        self.forms = f = forms
        self.model, self.name = model, model.name
        self.ring, self.coordinates = f.ring, f.coordinates
        names = set(parameter_names(model))
        self.parameters = {k: x for k, x in f.values.items() if k in names}
        turned = {k: x for k, x in f.values.items() if k not in names}
        self.turns = {k: _turns(k, x, model) for k, x in turned.items()}
        self.notes = tuple(
            f"{k} = {turned[k]!r} rad was taken as {turns * 180}°"
            for k, turns in self.turns.items()
            if abs(float(turns) * math.pi - turned[k]) > math.ulp(math.pi)
        )
        self.rates = tuple(zip(f.names.v, f.names.a, strict=True))
        self.frames = model.frame_names
        self.tip = max(self.frames, key=lambda f: (model.frame(f).body, self.frames.index(f)))
        self.bodies = tuple(b.name for b in model.bodies)
        self.joints = tuple(b.joint_name for b in model.bodies)
        free = [b for b in model.bodies if b.mimic is None]
        alone = [b.joint_name if b.joint.nv == 1 else "" for b in free for _ in range(b.joint.nv)]
        self.forces = tuple(alone)
        owners = [b.joint_name for b in free for _ in range(b.joint.nv)]
        self.passive = tuple(k for k, name in enumerate(owners) if name in model.passive)
        self.has_actuators = bool(model.actuators)
        self.unit = tuple(_quaternions(model, self.coordinates))
        self.refuses = _refused(model)
        if all(isinstance(x, float) for x in model.gravity):
            self.weight = repr(float(np.linalg.norm(model.gravity)))


class EnergyFacts(Facts):
    """Of a system stated by its energies."""

    forms: EnergyForms

    def __init__(self, system: Lagrangian, forms: EnergyForms) -> None:
        self.forms = forms
        self.system, self.name = system, system.name
        self.coordinates = system.coordinates
        self.rates = tuple((velocity_name(q), acceleration_name(q)) for q in self.coordinates)
        self.parameters = {k: system.parameters.get(k) for k in system.parameter_names}
        self.joints = self.forces = system.coordinates
        self.passive = tuple(k for k, q in enumerate(system.coordinates) if q in system.passive)
        self.has_actuators = system.actuators is not None
        self.has_forces = any(x != 0 for x in system.forces)
        if system.constraints:
            self.refuses = f"it has constraints, whose forces are in the equations; {OPEN}"
        symbols = [*self.coordinates, *(x for pair in self.rates for x in pair), *self.parameters]
        by: Any = forms.terms.by
        angles = by.ring.angles if forms.is_exact else {}
        self.ring = Ring(list(dict.fromkeys([*symbols, TIME.name])), angles)


def _quaternions(model: Model, coordinates: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The coordinates of joints that turn freely."""
    for i, b in enumerate(model.bodies):
        own = coordinates[model.q_index[i].start : model.q_index[i].stop]
        names = [c for c, part in zip(own, b.joint.coordinates, strict=False) if part in QUATERNION]
        if b.mimic is None and len(names) == len(QUATERNION):
            yield tuple(names)


def _turns(name: str, angle: float, model: Model) -> Fraction:
    """The angle of a fixed rotation in π, where it is a multiple of 15° but for rounding."""
    found = Fraction(round(angle / math.pi * 12), 12)
    off = abs(float(found) * math.pi - angle)
    if off <= TURNED:
        return found
    near = f", but {off:.1e} rad off {found * 180}°" if off < NEARLY else ""
    raise ArgumentError(
        f"{model.name!r} has a frame turned by {angle:.6g} rad ({name}), which is no multiple of "
        f"15°{near}: give that angle {'all its digits, or ' if near else ''}a name, as a "
        "parameter, for its equations to be judged"
    )


def _refused(model: Model) -> str:
    """What the model has that its closed form has not."""
    if any(s.frames and s.damping != 0 for s in model.numeric.springs):
        return "it has dampers between frames, which are not in its closed form"
    if any(s.frames and s.rest != 0 for s in model.numeric.springs):
        return (
            "it has springs between frames with a length at rest, whose forces have square roots "
            "of distances in them and no closed form of this kind"
        )
    return f"it has loops, whose forces are in the equations; {OPEN}" if model.held_by else ""


def facts(system: Any, symbols: Iterable[str] | None = None) -> Facts:
    """What is true of a model or of a Lagrangian; `symbols` of a model stay symbols, or all."""
    exact = forms(system, symbols, dry=True)
    if isinstance(exact, ModelForms):
        return ModelFacts(system, exact)
    return EnergyFacts(system, cast(EnergyForms, exact))
