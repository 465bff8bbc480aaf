"""How wide what is on a page is, and what is too wide in lines."""

from __future__ import annotations

from typing import Any

from visviva.notation.writing.page import (
    Call,
    Cases,
    Fence,
    Foreign,
    Grid,
    Joined,
    Lines,
    Mark,
    Name,
    Number,
    Power,
    Product,
    Quotient,
    Relation,
    Root,
    Row,
    Scientific,
    Sign,
    Slope,
    Sum,
    opened,
)

PAGE = 96.0  # width of a page, about one to a letter
SMALL = 0.65  # of a raised or lowered sign
LEAST = 24.0  # room below which breaking does not help


def width(x: Any) -> float:
    """About how many letters wide."""
    match x:
        case Number(text):
            return len(text)
        case Name(parts):
            return 1 + len(parts.subscript)
        case Sign():
            return 1.2 + SMALL * (len(x.sub) + max(len(x.frame), len(x.base)))
        case Mark(text):
            return 3.0 if text in "+−=×·" else SMALL
        case Sum(terms, within):
            gap, less = (3, 0) if within else (2.5, 1.5)
            return sum(width(term) + gap for _, term in terms) - less
        case Product(factors):
            return sum(width(f) + 2 * isinstance(f, Sum) for f in factors)
        case Row(parts):
            return sum(map(width, parts)) + 0.2 * len(parts)
        case Quotient(top, bottom):
            return max(width(top), width(bottom))
        case Power(base, _):
            return width(base) + (SMALL if isinstance(base, Sign) else 1)
        case Root(inside):
            return 2 + width(inside)
        case Call(name, arguments, short):
            return 1 + len(short) if short else len(name) + 2 + sum(map(width, arguments))
        case Slope(_, by):
            return sum(1 + width(y) for y, _ in by)
        case Relation(left, _, right):
            return 3 + width(left) + width(right)
        case Joined(_, parts):
            return sum(5 + width(p) for p in parts)
        case Cases(rows):
            return max(width(v) + (10 if c is None else 4 + width(c)) for v, c in rows)
        case Fence(inner):
            return width(inner) + 1.5
        case Grid(rows, within):
            gap, more = (2, 0) if within else (1.5, 1.0)
            return sum(max(map(width, c)) + gap for c in zip(*rows, strict=True)) + more
        case Lines(rows):
            return max(map(width, rows))
        case Scientific() | Foreign():
            return 8
    raise TypeError(f"not on a page: {x!r}")


def broken(x: Any, room: int) -> list[list[tuple[int, int, Any]]]:
    """The terms of a sum, line by line: place in the sum, sign, term."""
    lines: list[list[tuple[int, int, Any]]] = [[]]
    used = 0.0
    for k, (sign, term) in enumerate(x.terms if isinstance(x, Sum) else ((1, x),)):
        needed = 3 + width(term)
        if used and used + needed > room:
            lines.append([])
            used = 0.0
        lines[-1].append((k, sign, term))
        used += needed
    return lines


def fitted(box: Any, room: float = PAGE) -> Any:
    """The same box, its long sums in lines."""
    if width(box) <= room:
        return box
    if isinstance(box, Sum):
        return _in_lines(box, room)
    if isinstance(box, Fence):
        return Fence(fitted(box.inner, room - 2))
    if isinstance(box, Product):
        parts = [opened(f) for f in box.factors]
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
