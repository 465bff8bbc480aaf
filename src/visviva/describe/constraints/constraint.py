"""A constraint, and all those of a system: one value, in the order in which they were stated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.values import Value, digest_of, reduced
from visviva.space.poses import Pose

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

    __slots__ = ()

    def __new__(cls, items: Iterable[Any] = ()) -> Constraints:
        return super().__new__(cls, items)

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called, in order; those without a name by their number, "1"."""
        return tuple(getattr(x, "name", "") or str(k) for k, x in enumerate(self, 1))

    @property
    def active(self) -> tuple[Any, ...]:
        """Those that are not switched off."""
        return tuple(x for x in self if getattr(x, "active", True))
