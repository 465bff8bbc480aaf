r"""Derivatives in typed claims: ∂T/∂θ, dV/dtheta, d/dt(…), \frac{\partial L}{\partial\dot q_1}.

Rates of names, dq1/dt, are names and read elsewhere. A d may begin a name of the system, or be one:
then d is no sign of a derivative, and ∂ has to be written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from visviva.errors import ParseError
from visviva.notation.reading.scripts import NameReader
from visviva.notation.reading.vocabulary import Piece

_FRACTIONS = ("frac", "dfrac", "tfrac", "cfrac")
PARTIAL = "partial"
MOST = 4  # times that a formula is derived


@dataclass(frozen=True)
class SlopeMarks:
    """By what, one name for each time; where what is derived stands; the mark after all of it."""

    total: bool  # written with a d
    by: list[list[Piece]]
    inside: tuple[int, int] | None  # None: it comes after the fraction
    end: int


def slope_at(names: NameReader, i: int, is_own: Callable[[str], bool]) -> SlopeMarks | None:
    """The derivative that begins at a mark, if there is one."""
    reader = _Reader(names, is_own)
    mark = names.marks[i]
    if mark.kind == "command" and mark.text in _FRACTIONS:
        return reader.fraction(i)
    return reader.slash(i)


class _Reader:
    """Methods take the index of a mark."""

    def __init__(self, names: NameReader, is_own: Callable[[str], bool]) -> None:
        self.names, self.marks, self.is_own = names, names.marks, is_own

    def fraction(self, i: int) -> SlopeMarks | None:
        over = self.marks[i + 1]
        below = self.marks[over.partner + 1] if over.sign("{") else over
        if not over.sign("{") or not below.sign("{"):
            return None
        sign = self.sign(i + 2)
        if sign is None:
            return None
        total, j = sign
        order, j = self.names.order(j)
        by, end = self.variables(over.partner + 2, below.partner, total)
        if not by or end != below.partner:
            return None
        inside = (j, over.partner) if j < over.partner else None
        if total and self.is_left(by, inside):
            return None
        self.must_fit(i, order, by)
        return SlopeMarks(total, by, inside, below.partner + 1)

    def slash(self, i: int) -> SlopeMarks | None:
        sign = self.sign(i)
        if sign is None:
            return None
        total, j = sign
        order, j = self.names.order(j)
        inside = None
        if not self.marks[j].sign("/"):
            if total and self.is_own(f"d{self.run(j)}"):
                return None
            end = self.operand(j)
            if end is None or not self.marks[end].sign("/"):
                return None
            inside, j = (j, end), end
        opening = self.marks[j + 1]
        grouped = opening.sign("(", "{")
        stop = opening.partner if grouped else len(self.marks)
        by, end = self.variables(j + 1 + grouped, stop, total)
        if not by or (grouped and end != stop):
            return None
        if total and self.is_left(by, inside):
            return None
        self.must_fit(i, order, by)
        return SlopeMarks(total, by, inside, end + grouped)

    def sign(self, i: int) -> tuple[bool, int] | None:
        """Whether a d or a ∂ stands here, and the mark after it."""
        mark = self.marks[i]
        if mark.kind == "command" and mark.text == PARTIAL:
            return False, i + 1
        after = self.names.after_d(i)
        return None if after is None else (True, after)

    def operand(self, i: int) -> int | None:
        """The mark after what is derived: a bracket or one name."""
        if self.marks[i].sign("(", "{"):
            return self.marks[i].partner + 1
        name = self.names.rated(i)
        return name[1] if name else None

    def run(self, i: int) -> str:
        """The letters from here on, as one word."""
        name = self.names.rated(i)
        return "".join(p.key for p in name[0]) if name else ""

    def variables(self, i: int, stop: int, total: bool) -> tuple[list[list[Piece]], int]:
        """What stands below, each name as often as it is derived by, and the mark after that."""
        by: list[list[Piece]] = []
        while i < stop and len(by) <= MOST:
            sign = self.sign(i)
            if sign is None or sign[0] != total:
                break
            name = self.variable(sign[1])
            if name is None:
                break
            order, i = self.names.order(name[1])
            by += [name[0]] * order
        return by, i

    def variable(self, i: int) -> tuple[list[Piece], int] | None:
        """One name, perhaps in parentheses, ∂T/∂(q2'), and the mark after it."""
        opening = self.marks[i]
        if not opening.sign("("):
            return self.names.rated(i)
        name = self.names.rated(i + 1)
        return (name[0], name[1] + 1) if name and name[1] == opening.partner else None

    def is_left(self, by: list[list[Piece]], inside: tuple[int, int] | None) -> bool:
        """Whether a fraction with d is read elsewhere: a rate of one name, or names with a d."""
        keys = {"".join(p.key for p in pieces) for pieces in by}
        if keys == {"t"}:
            name = self.names.rated(inside[0]) if inside else None
            whole = inside is not None and name is not None and name[1] == inside[1]
            return whole or self.is_own("dt")
        known = self.names.vocabulary.known
        return self.is_own("d") or any(known.get(f"d{key}", ("", 1))[1] == 0 for key in keys)

    def must_fit(self, i: int, order: int, by: list[list[Piece]]) -> None:
        """As many names below as the order says."""
        if order != len(by):
            raise ParseError(
                self.names.text,
                self.marks[i].column,
                f"a derivative of order {order} has {len(by)} names below: write ∂^2 T/∂x^2",
            )
