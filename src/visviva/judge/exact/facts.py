"""What is true of a system: its names, and every quantity that a claim may speak about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.exact.ring import Ring
from visviva.describe.quantities import EXACT
from visviva.errors import ArgumentError
from visviva.judge.exact.forms import Forms
from visviva.notation.names import velocity_name

OPEN = "without_constraints() gives the open system, whose equations are judged"


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
