"""A mistake that may have been made: what it is, and what the truth would become by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from visviva.algebra.arrays import Array


@dataclass(frozen=True)
class Change:
    """What coordinates were taken for: one text takes them for the same thing everywhere."""

    said: str
    coordinates: tuple[str, ...]  # in the user's names


@dataclass(frozen=True)
class Mistake:
    """What may have gone wrong, in a sentence, and what it would lead to."""

    kind: str
    sentence: str
    leads_to: Callable[[], Array]
    change: Change | None = None


@dataclass(frozen=True)
class Diagnosis:
    """A mistake that explains the whole difference."""

    kind: str
    sentence: str
    change: Change | None = None
    instead: tuple[Diagnosis, ...] = ()  # where the rest of a text has no such change

    def __str__(self) -> str:
        return self.sentence
