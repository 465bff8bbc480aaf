"""A constraint, and all those of a system: one value, in the order in which they were stated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.values import Value, digest_of, reduced
from visviva.errors import ArgumentError, check_known
from visviva.space.poses import Pose

if TYPE_CHECKING:
    from visviva.equations.integrability.classification import Classification

NEAR = 1e-9  # metres and radians: what counts as zero where nothing moves


class Constraint(Value):
    """Something that holds a system; switched off (`active=False`) it is kept and does nothing."""

    name: str
    active: bool
    is_read: ClassVar[bool] = True  # whether what it demands is known
    frames: tuple[str, ...] = ()  # the two that it joins
    coordinates: frozenset[str] = frozenset()  # those that it names
    is_moving: bool = False  # whether the time stands in it

    def has_time(self, part: str, velocities: frozenset[str]) -> bool:
        """Whether the time stands in a part of its rows: "constraint_matrix", say."""
        return False

    def prefixed(self, prefix: str, bases: Mapping[str, str]) -> Self:
        """Of a model whose names get a prefix; `bases` has frames that get another name."""
        raise NotImplementedError

    def at(self, values: Mapping[str, float]) -> Self:
        """With numbers for some coordinates, which no longer move."""
        return self

    def still_holds(self, *frames: tuple[int, Pose]) -> bool | None:
        """Whether it holds, where nothing in it moves; None where something does.

        `frames` says of each that it joins on which body it is, and where.
        """
        return None

    def tried(self, rng: np.random.Generator) -> tuple[list[Any], Array]:
        """What it is about, and its numbers at a random place: equal ones say the same."""
        return [str(self)], np.zeros(0)

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(self)

    def __eq__(self, other: object) -> bool:
        if self is other or type(self) is not type(other):
            return self is other
        mine = digest_of(self)
        return mine is not None and mine == digest_of(other)

    def __hash__(self) -> int:
        return hash((type(self), self.name))


class Constraints(tuple[Any, ...]):
    """The constraints of a system: a tuple, whose entries can be asked for by name too."""

    _given: tuple[str, ...] = ()
    _system: Any = None

    def __new__(
        cls, items: Iterable[Any] = (), names: Iterable[str] = (), system: Any = None
    ) -> Constraints:
        new = super().__new__(cls, items)
        given = tuple(names) or (items._given if isinstance(items, Constraints) else ())
        if any(given):
            new._given = given
        if system is not None:
            new._system = system
        return new

    @property
    def given_names(self) -> tuple[str, ...]:
        """The names that were given, in order; "" where none was."""
        return self._given or tuple(x.name if isinstance(x, Constraint) else "" for x in self)

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called, in order; those without a name by their number, "1"."""
        return tuple(name or str(k) for k, name in enumerate(self.given_names, 1))

    @property
    def active(self) -> tuple[Any, ...]:
        """Those that are not switched off."""
        return tuple(x for x in self if getattr(x, "active", True))

    def named(self, name: str) -> Any:
        """One of them, by name."""
        check_known("constraint", name, self.names)
        return self[self.names.index(name)]

    def classify(self) -> Classification:
        """Holonomic or nonholonomic: each row and all together, with what proves it.

        By Frobenius, exactly where formulas are rational in symbols, sines and exponentials; else
        by numbers, where a witness shows that rows do not integrate and its absence shows nothing.
        """
        if self._system is None:
            raise ArgumentError("these constraints belong to no system: ask s.constraints")
        classification: Classification = self._system._classification()
        return classification

    def __reduce__(self) -> tuple[Any, ...]:
        return Constraints, (tuple(self), self._given)


class StatedConstraints:
    """The field of a system that holds its constraints; asked for, they know the system."""

    def __get__(self, system: Any, owner: type) -> Any:
        if system is None:
            return ()  # the default of the field
        stated = system.__dict__["constraints"]
        return Constraints(stated, (), system) if isinstance(stated, Constraints) else stated

    def __set__(self, system: Any, constraints: Any) -> None:
        system.__dict__["constraints"] = constraints


UNHELD: Any = StatedConstraints()  # the default of the field: none


def free_name(constraints: Constraints, what: str) -> str:
    """A name that no constraint has: loop1, loop2."""
    taken, k = set(constraints.names), 1
    while f"{what}{k}" in taken:
        k += 1
    return f"{what}{k}"
