"""Formulas of a text, one by one: what they are called, where they stand, among which others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

UNJUDGED = "not judged"  # the status of what is told and asks for no verdict


class Passage(str):
    """A formula of a text; those `among` which it is define names, `asked` is what it answers."""

    among: Sequence[Passage] = ()
    asked: str = ""

    @property
    def at(self) -> int:
        """Its place among those of its text."""
        return next((k for k, x in enumerate(self.among) if x is self), 0)


class Unread(NamedTuple):
    """In the place of claims that cannot be read: why, and what stands there."""

    why: str
    text: str = ""
    aside: bool = False  # nobody claims it: it is told, and does not count

    def __str__(self) -> str:
        return self.text


class Piece(NamedTuple):
    """A formula of a text, where it begins, and what it is called; `why` if it is not read."""

    text: str
    line: int
    label: str = ""
    row: int = 1
    cell: str = ""  # of a notebook: "cell 3, "
    why: str = ""

    @property
    def name(self) -> str:
        """Its label, or where it stands."""
        row = f", row {self.row}" if self.row > 1 else ""
        return (self.label or self.place) + row

    @property
    def place(self) -> str:
        """The cell and the line in which it begins."""
        return f"{self.cell}line {self.line}"


def passages(found: Iterable[Piece]) -> dict[str, Passage | Unread]:
    """Formulas by their names; each may use what others of the same text define.

    Where all have labels these may be names of persons, of whom none uses what another defines.
    """
    pieces = [(x, Passage(x.text)) for x in found]
    shared = any(not x.label for x, _ in pieces)
    owned: dict[str, list[Passage]] = {}
    cases: dict[str, Passage | Unread] = {}
    for x, passage in pieces:
        passage.among = owned.setdefault("" if shared else x.label, [])
        owned["" if shared else x.label].append(passage)
        said, count = x.name, 1
        if said in cases and x.label:
            said = f"{said}, {x.place}"
        while said in cases:
            count += 1
            said = f"{x.name}, formula {count}"
        cases[said] = Unread(x.why, x.text) if x.why else passage
    return cases
