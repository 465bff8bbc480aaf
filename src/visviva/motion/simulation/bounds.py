"""What a motion may cost: memory, and steps without progress; and whether it ran away.

One rule for each, whatever takes the steps. Memory that is known beforehand to be more than the
machine has is refused; steps, and changes between sliding and rest, that gain next to no time end a
motion, with what it has until then.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import BoolArray
from visviva.errors import ArgumentError
from visviva.machine.run.call import Array

WINDOW = 5000  # tries of steps, in which a motion must get on
LEAST = 1e-6  # of the time to go, in so many tries: all that may be made would be a part of 2500
CHANGES = 1000  # of who slides and who rests, in which it must get on as far
MOST_HURRY = 1000.0  # times that of what is so fast that it may be running away
SHARE = 0.5  # of the memory that is free, for the states of a motion
UNKNOWN = 2**33  # bytes, where the system does not say how much it has
GROWTH = 1e3  # times the speeds of the first half of the time until then: no power of time does so
FAST = 1e5  # units a second: below it nothing is said to run away
NUMBER = 8  # bytes
NUMBERS_OF_CONCERN = 2**24  # numbers: fewer are no question of memory


def free_bytes() -> int:
    """Of memory that the machine can give."""
    try:
        with open("/proc/meminfo") as file:
            sizes = dict(line.split(":") for line in file)
        return int(sizes["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return UNKNOWN


def check_memory(what: str, numbers: float, way: str) -> None:
    """Refuse states that would take more memory than there is, before anything is computed."""
    if numbers > NUMBERS_OF_CONCERN and numbers * NUMBER > (most := SHARE * free_bytes()):
        raise ArgumentError(
            f"simulate: {what} take {numbers * NUMBER / 2**30:.3g} GiB, and this machine can give "
            f"{most / 2**30:.3g} GiB; {way}"
        )


class Pace:
    """Time that steps gain, row by row, and the memory that they take."""

    def __init__(self, first: Any, last: Any) -> None:
        self.t = np.array(first, dtype=float, ndmin=1)
        self.least = LEAST * (last - self.t)
        self.tries = np.zeros(len(self.t))
        self.stuck = np.zeros(len(self.t), dtype=bool)
        self.numbers = 0

    @cached_property
    def room(self) -> float:
        """Numbers that there is memory for; asked for when there are many."""
        return SHARE * free_bytes() / NUMBER + self.numbers

    @property
    def is_full(self) -> bool:
        """Whether there is no memory for more."""
        return self.numbers > NUMBERS_OF_CONCERN and self.numbers > self.room

    def begin_at(self, t: Any) -> None:
        """Steps go on from times t; those beyond, which an event cut off, gained nothing."""
        self.t = np.minimum(self.t, t)

    def look(self, tries: Any, t: Any, v: Array, numbers: int = 0) -> BoolArray:
        """Which rows do not get on, after so many tries in all, at times t with velocities v
        (rows, nv); so many numbers more were kept."""
        tries, t = np.atleast_1d(tries), np.atleast_1d(t)
        due, gained = tries - self.tries >= WINDOW, t - self.t
        is_late = gained < np.where(np.abs(v).max(axis=-1) > FAST, MOST_HURRY, 1.0) * self.least
        self.stuck |= due & is_late
        self.tries, self.t = np.where(due, tries, self.tries), np.where(due, t, self.t)
        self.numbers += numbers
        return self.stuck | self.is_full

    @property
    def trouble(self) -> str:
        """What is wrong, if something is."""
        if self.is_full:
            return (
                f"its steps fill the {self.room * NUMBER / 2**30:.3g} GiB that this machine can "
                "give; record= writes them to a file, times as t or larger tolerances keep fewer"
            )
        if self.stuck.any():
            return (
                f"{WINDOW} tries of steps gained next to no time; steps of given length, dt=, "
                "larger tolerances, or forces and friction that change less suddenly get on"
            )
        return ""


class PaceOfChanges:
    """Time that is gained while joints begin and end to slide, between impacts and events, of which
    there are rules of their own."""

    def __init__(self, first: float, last: float) -> None:
        self.t, self.last, self.changes = first, last, 0

    def begin_at(self, t: float) -> None:
        """An impact or an event changed the state."""
        self.t, self.changes = t, 0

    def change_at(self, t: float) -> str:
        """Count one more; what is wrong, if so many gained next to no time."""
        self.changes += 1
        if self.changes % CHANGES:
            return ""
        progress, self.t = t - self.t, t
        if progress >= LEAST * (self.last - t):
            return ""
        return (
            f"joints began or ended to slide {CHANGES} times and gained next to no time; friction "
            "that changes less suddenly, such as a larger stribeck= or none, gets on"
        )


def ran_away(t: Array, v: Array) -> str:
    """When a motion with velocities (…, k, nv) ran away, in words; empty if it did not.

    Its speeds were large, and a thousand times those of all of the first half of the time until
    then: as exponentials grow, and no power of time.
    """
    if len(t) < 3 or np.abs(v).max(initial=0.0) <= FAST:
        return ""
    with np.errstate(invalid="ignore", over="ignore"):
        sizes = np.abs(v).max(axis=-1).reshape(-1, len(t))
    sizes = np.where(np.isfinite(sizes), sizes, np.inf)
    largest = np.maximum.accumulate(sizes, axis=1)
    half = np.searchsorted(t, t[0] + 0.5 * (t - t[0]))  # at least half: steps may be long
    beyond = ((sizes > GROWTH * largest[:, half]) & (sizes > FAST)).any(axis=0)
    if not beyond.any():
        return ""
    k = int(np.argmax(beyond))
    return (
        f"the motion ran away: at t = {t[k]:.6g} s its speeds are more than {GROWTH:g} times those "
        f"until {t[half[k]]:.6g} s, as gains too large for the inertias or for dt= make them"
    )


def ending(text: str, partial: Any) -> str:
    """The text of an error, and of the motion until then that it ran away."""
    away = "" if partial is None else ran_away(partial.t, partial.v)
    return f"{text}; {away}" if away else text
