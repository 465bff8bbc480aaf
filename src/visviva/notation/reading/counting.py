"""Whether indices in square brackets count from 1, as books do, or from 0, as programs do."""

from __future__ import annotations

import re

_INDEXED = re.compile(r"(?<![A-Za-z0-9_\\])([A-Za-zΑ-ω]\w*)((?:\[\s*\d+(?:\s*,\s*\d+){0,3}\s*\])+)")
_OF_SPACE = ("J", "R", "X", "T", "A", "p", "I")  # whose rows are no coordinates


def counted_from(text: str, coordinates: int) -> int | None:
    """0 where an index of the text is 0; 1 where one is too large for that; None if unclear."""
    found = [(m[1], [int(x) for x in re.findall(r"\d+", m[2])]) for m in _INDEXED.finditer(text)]
    if any(0 in index for _, index in found):
        return 0
    large = any(
        max(index) >= coordinates for name, index in found if not name.startswith(_OF_SPACE)
    )
    return 1 if large or not coordinates else None


def unclear(name: str, index: list[int]) -> str:
    """Both readings."""
    listed = ",".join(map(str, index))
    ways = ["".join(str(k + more) for k in index) for more in (0, 1)]
    return (
        f"{name}[{listed}] is not clear: counted from 1 it is {name}{ways[0]}, from 0, as in "
        f"programs, {name}{ways[1]}; write one of these"
    )
