"""What readers of files are told: numbers within bounds, words of a list, folders."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

from visviva.errors import ArgumentError, check_known

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

_FREE = dict.fromkeys(("floating", "freeflyer", "free_flyer", "free-flyer"), "free")


def check_count(name: str, x: Any) -> None:
    """Refuse what is no number of bytes, elements or bodies."""
    if not isinstance(x, int) or x < 0:
        raise ArgumentError(f"{name} is a whole number, got {x!r:.60}")


def check_snap(x: Any) -> None:
    """How near to 0 or ±1 an entry of a rotation has to be to become it."""
    if not _between(x, 0, 1e-3):
        raise ArgumentError(f"snap is between 0 and 0.001, got {x!r:.60}")


def check_seconds(x: Any) -> None:
    """Refuse what is no time to wait, in seconds."""
    if not _between(x, 0, 1e300) or x == 0:
        raise ArgumentError(f"timeout is a number of seconds above zero, got {x!r:.60}")


def _between(x: Any, least: float, most: float) -> bool:
    return isinstance(x, Real) and least <= float(x) <= most


def check_word(name: str, x: Any, known: Iterable[str]) -> None:
    """Refuse what is not in the list."""
    words = tuple(known)
    check_known(f"value of {name}=", x, words, {k: v for k, v in _FREE.items() if v in words})


def folders(name: str, x: Any) -> list[str | os.PathLike[str]]:
    """One folder, or several, as a list of paths."""
    one = isinstance(x, (str, os.PathLike))
    listed: list[Any] = [x] if one else list(x) if isinstance(x, (list, tuple, set)) else [None]
    for path in listed:
        if not isinstance(path, (str, os.PathLike)):
            raise ArgumentError(f"{name} is a folder or a list of folders, got {x!r:.60}")
    return listed
