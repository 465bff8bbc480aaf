"""How long a section may take, and how patient the reader is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

from visviva.progress import at_most

_FACTOR: ContextVar[float] = ContextVar("patience", default=1.0)


@contextmanager
def patience(factor: float) -> Iterator[None]:
    """In this block every section may take so many times as long."""
    known = _FACTOR.set(factor)
    try:
        yield
    finally:
        _FACTOR.reset(known)


def within(seconds: float) -> AbstractContextManager[None]:
    """Long work in this block ends when it has had these seconds of the processor, times patience.

    Examples:
        >>> from visviva.progress import progress
        >>> with within(0.0), progress("endless") as at:
        ...     at.step()
        Traceback (most recent call last):
        visviva.errors.OutOfTimeError: endless takes longer than the time that it was given
    """
    return at_most(given(seconds))


def given(seconds: float) -> float:
    """These seconds, times patience."""
    return seconds * _FACTOR.get()
