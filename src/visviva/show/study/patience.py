"""How long a section may take: seconds of the processor, so that a busy machine says as much.

Work ends by the clock on the wall (`at_most`); how much slower that is than the processor's, this
process has seen since the study began.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from visviva.progress import at_most

_KNOWN = 0.5  # seconds of the processor after which the pace is known
_BUSY = 4.0  # before: as on a machine with several times as much to do


@dataclass(frozen=True)
class _Clock:
    factor: float = 1.0
    wall: float = field(default_factory=lambda: time.monotonic())
    work: float = field(default_factory=lambda: time.process_time())

    def pace(self) -> float:
        """Seconds on the wall for one of the processor."""
        worked = time.process_time() - self.work
        if worked < _KNOWN:
            return _BUSY
        return max(1.0, (time.monotonic() - self.wall) / worked)


_CLOCK: ContextVar[_Clock | None] = ContextVar("clock", default=None)


@contextmanager
def patience(factor: float) -> Iterator[None]:
    """In this block every section may take so many times as long."""
    known = _CLOCK.set(_Clock(factor))
    try:
        yield
    finally:
        _CLOCK.reset(known)


def within(seconds: float) -> AbstractContextManager[None]:
    """Long work in this block ends when it has had these seconds of the processor, times patience.

    Examples:
        >>> from visviva.progress import progress
        >>> with within(0.0), progress("endless") as at:
        ...     at.step()
        Traceback (most recent call last):
        visviva.errors.OutOfTimeError: endless takes longer than the time that it was given
    """
    clock = _CLOCK.get() or _Clock()
    return at_most(seconds * clock.factor * clock.pace())
