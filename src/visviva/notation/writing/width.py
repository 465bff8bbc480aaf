"""How wide boxes are, and long ones in lines."""

from __future__ import annotations

from typing import Any

from visviva.notation.writing import layout as lay
from visviva.notation.writing.boxes import (
    Fence,
    Fraction,
    Grid,
    Leaf,
    Lines,
    Mark,
    Row,
    Sign,
    Square,
    Sum,
    opened,
)
from visviva.notation.writing.lines import weight

PAGE = 96.0  # width of a page, about one to a letter
SMALL = 0.65  # of a raised or lowered sign
LEAST = 24.0  # room below which breaking does not help


def width(box: Any) -> float:
    """About how many letters wide."""
    match box:
        case Sign():
            return 1.2 + SMALL * (len(box.sub) + max(len(box.frame), len(box.base)))
        case Leaf(layout):
            return float(weight(layout))
        case Mark(text):
            return 3.0 if text in "+−=×·" else SMALL
        case Row(parts):
            return sum(map(width, parts)) + 0.2 * len(parts)
        case Sum(terms):
            return sum(width(x) + 2.5 for _, x in terms) - 1.5
        case Fraction(over, under):
            return max(width(over), width(under))
        case Square(base):
            return width(base) + SMALL
        case Fence(inner):
            return width(inner) + 1.5
        case Grid(rows):
            return sum(max(map(width, c)) + 1.5 for c in zip(*rows, strict=True)) + 1.0
    return max(map(width, box.rows))


def fitted(box: Any, room: float = PAGE) -> Any:
    """The same box, its long sums in lines."""
    if width(box) <= room:
        return box
    if isinstance(box, Sum):
        return _in_lines(box, room)
    if isinstance(box, Fence):
        return Fence(fitted(box.inner, room - 2))
    if isinstance(box, Leaf) and isinstance(box.layout, lay.Product):
        parts = [opened(f) for f in box.layout.factors]
        return fitted(Row(tuple(Fence(p) if isinstance(p, Sum) else p for p in parts)), room)
    if isinstance(box, Grid):
        share = max(room / len(box.rows[0]) - 2, LEAST)
        return Grid(tuple(tuple(fitted(x, share) for x in line) for line in box.rows))
    if isinstance(box, Row):
        widest = max(range(len(box.parts)), key=lambda k: width(box.parts[k]))
        rest = width(box) - width(box.parts[widest])
        parts = list(box.parts)
        parts[widest] = fitted(parts[widest], max(room - rest, LEAST))
        return Row(tuple(parts))
    return box


def _in_lines(x: Sum, room: float) -> Any:
    lines: list[list[tuple[int, Any]]] = [[]]
    used = 0.0
    for sign, term in x.terms:
        needed = width(term) + 2.5
        if lines[-1] and used + needed > room:
            lines.append([])
            used = 0.0
        lines[-1].append((sign, fitted(term, room - 2.5)))
        used += needed
    if len(lines) == 1:
        return Sum(tuple(lines[0]))
    made: list[Any] = [Sum(tuple(lines[0]))]
    for line in lines[1:]:
        (sign, first), rest = line[0], line[1:]
        start = Row((Mark("−" if sign < 0 else "+"), first))
        made.append(Sum(((1, start), *rest)))
    return Lines(tuple(made))


def equation_rows(
    left: Any, members: tuple[Any, ...], room: float = PAGE
) -> list[tuple[Any, bool, Any]]:
    """An equation as rows (left side, whether there is a sign of equality, right side)."""
    start = min(width(left), room / 3)
    rows: list[list[Any]] = []
    used = room
    for m in members:
        box = fitted(m, room - start - 3)
        needed = width(box) + 3
        whole = not isinstance(box, Lines)
        if whole and used + needed <= room - start:
            rows[-1].append(box)
            used += needed
        else:
            rows.append([box])
            used = needed if whole else room
    made: list[tuple[Any, bool, Any]] = []
    for k, boxes in enumerate(rows):
        lead = left if k == 0 else None
        if isinstance(boxes[0], Lines):
            first, *more = boxes[0].rows
            made += [(lead, True, first), *((None, False, line) for line in more)]
            continue
        right: list[Any] = [boxes[0]]
        for box in boxes[1:]:
            right += [Mark("="), box]
        made.append((lead, True, Row(tuple(right)) if len(right) > 1 else right[0]))
    return made
