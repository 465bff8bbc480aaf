r"""Time derivatives written as quotients: dq1/dt, d^2 q1/dt^2, \frac{d q_1}{dt}."""

from __future__ import annotations

from visviva.errors import ParseError
from visviva.notation.reading.scripts import FONTS, NameReader
from visviva.notation.reading.vocabulary import Piece

Rate = tuple[list[Piece], int, int]  # pieces of the name, order, the mark after the quotient


def slash(names: NameReader, i: int) -> Rate | None:
    """dq1/dt at a mark, if it is there."""
    start = _d(names, i) if names.vocabulary.has_rates else None
    if start is None:
        return None
    order, j = _order(names, start)
    own = "dt" in names.vocabulary.known
    if names.marks[j].sign("/") and _dt(names, j + 1) is not None and not own:
        raise names.error(i, "expected the derivative written out, as in q1' or dq1/dt, got d/dt")
    name = _name(names, j)
    if name is None or not names.marks[name[1]].sign("/"):
        return None
    end = _dt(names, name[1] + 1)
    if end is None or (names.glued(end[1]) and names.is_letter(end[1])):
        return None
    if _is_quotient(names, i, name[0]):
        return None
    if end[0] != order:
        raise names.error(i, f"expected dt^{order} below a derivative of order {order}")
    return name[0], order, end[1]


def fraction(names: NameReader, i: int) -> Rate | None:
    r"""\frac{d q_1}{dt} at the command, if it is one."""
    over = names.marks[i + 1]
    if (
        not names.vocabulary.has_rates
        or not over.sign("{")
        or not names.marks[over.partner + 1].sign("{")
    ):
        return None
    below = names.marks[over.partner + 1]
    end = _dt(names, over.partner + 2)
    start = _d(names, i + 2)
    if end is None or end[1] != below.partner:
        other = _d(names, over.partner + 2)
        if start and other and names.glued(other) and _name(names, other):
            raise names.error(over.partner + 2, "only derivatives by t can be read")
        return None
    order, j = _order(names, start) if start is not None else (0, 0)
    name = _name(names, j) if order else None
    if name is None or name[1] != over.partner or order != end[0]:
        raise names.error(i, "expected the derivative of one name here, as in \\frac{d q_1}{dt}")
    if _is_quotient(names, i, name[0]):
        return None
    return name[0], order, below.partner + 1


def _is_quotient(names: NameReader, i: int, pieces: list[Piece]) -> bool:
    """Whether dx/dt has a dt that is a name of the system; if x is one too, that is not clear."""
    if "dt" not in names.vocabulary.known:
        return False
    key = "".join(p.key for p in pieces)
    if key in names.vocabulary.known:
        problem = f"d{key}/dt may be the rate {key}' or have the name dt below: write one of these"
        raise names.error(i, problem)
    return True


def _d(names: NameReader, i: int) -> int | None:
    """The mark after a d, upright or not."""
    while names.marks[i].kind == "command" and names.marks[i].text in FONTS:
        i += 1
    if names.marks[i].sign("{") and names.marks[i].partner == i + 2:
        return _d(names, i + 1) and i + 3
    return i + 1 if names.marks[i].kind == "letter" and names.marks[i].text == "d" else None


def _order(names: NameReader, i: int) -> tuple[int, int]:
    """How often is derived, and the mark after the exponent."""
    mark = names.marks[i]
    number, j = mark, i + 1
    if mark.sign("^"):
        number, j = names.marks[i + 1], i + 2
        if number.sign("{"):
            number, j = names.marks[i + 2], i + 4
    elif mark.kind != "super":
        return 1, i
    return (int(number.text), j) if number.text in ("1", "2", "3", "4") else (1, i)


def _dt(names: NameReader, i: int) -> tuple[int, int] | None:
    """The order of dt or dt^2, and the mark after it."""
    j = _d(names, i)
    if j is None or names.marks[j].kind != "letter" or names.marks[j].text != "t":
        return None
    return _order(names, j + 1)


def _name(names: NameReader, i: int) -> tuple[list[Piece], int] | None:
    try:
        if names.is_letter(i):
            return names.run(i)
        piece, j = names.piece(i)
    except ParseError:
        return None
    return [piece], j
