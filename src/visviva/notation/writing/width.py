"""How wide what is on a page is, and what is too wide in lines."""

from __future__ import annotations

from typing import Any

from visviva.notation.writing import page

PAGE = 96.0  # width of a page, about one to a letter
SCRIPT = 0.65  # of a raised or lowered sign
LEAST = 24.0  # room below which breaking does not help


def width(x: Any) -> float:
    """About how many letters wide."""
    match x:
        case page.Number(text):
            return len(text)
        case page.Name(parts):
            return 1 + len(parts.subscript)
        case page.Sign():
            return 1.2 + SCRIPT * (len(x.sub) + max(len(x.frame), len(x.base)))
        case page.Mark(text):
            return 3.0 if text in "+−=×·" else SCRIPT
        case page.Sum(terms, within):
            gap, less = (3, 0) if within else (2.5, 1.5)
            return sum(width(term) + gap for _, term in terms) - less
        case page.Product(factors):
            return sum(width(f) + 2 * isinstance(f, page.Sum) for f in factors)
        case page.Row(parts):
            return sum(map(width, parts)) + 0.2 * len(parts)
        case page.Quotient(top, bottom):
            return max(width(top), width(bottom))
        case page.Power(base, _):
            return width(base) + (SCRIPT if isinstance(base, page.Sign) else 1)
        case page.Root(inside):
            return 2 + width(inside)
        case page.Call(name, arguments, short):
            return 1 + len(short) if short else len(name) + 2 + sum(map(width, arguments))
        case page.Slope(_, by):
            return sum(1 + width(y) for y, _ in by)
        case page.Relation(left, _, right):
            return 3 + width(left) + width(right)
        case page.Joined(_, parts):
            return sum(5 + width(p) for p in parts)
        case page.Cases(rows):
            return max(width(v) + (10 if c is None else 4 + width(c)) for v, c in rows)
        case page.Fence(inner):
            return width(inner) + 1.5
        case page.Grid(rows, within):
            gap, more = (2, 0) if within else (1.5, 1.0)
            return sum(max(map(width, c)) + gap for c in zip(*rows, strict=True)) + more
        case page.Lines(rows):
            return max(map(width, rows))
        case page.Scientific() | page.Foreign():
            return 8
    raise TypeError(f"not on a page: {x!r}")


def broken(x: Any, room: float, gap: float = 3) -> list[list[tuple[int, int, Any]]]:
    """The terms of a sum, line by line: place in the sum, sign, term."""
    lines: list[list[tuple[int, int, Any]]] = [[]]
    used = 0.0
    for k, (sign, term) in enumerate(x.terms if isinstance(x, page.Sum) else ((1, x),)):
        needed = gap + width(term)
        if lines[-1] and used + needed > room:
            lines.append([])
            used = 0.0
        lines[-1].append((k, sign, term))
        used += needed
    return lines


def fitted(box: Any, room: float = PAGE) -> Any:
    """The same box, its long sums in lines."""
    if width(box) <= room:
        return box
    match box:
        case page.Sum():
            return _in_lines(box, room)
        case page.Fence(inner):
            return page.Fence(fitted(inner, room - 2))
        case page.Product(factors):
            parts = tuple(page.fenced(page.opened(f)) for f in factors)
            return fitted(page.Row(parts), room)
        case page.Grid(rows):
            share = max(room / len(rows[0]) - 2, LEAST)
            return page.Grid(tuple(tuple(fitted(x, share) for x in line) for line in rows))
        case page.Row(parts):
            widest = max(parts, key=width)
            k, rest = parts.index(widest), width(box) - width(widest)
            narrow = fitted(widest, max(room - rest, LEAST))
            return page.Row((*parts[:k], narrow, *parts[k + 1 :]))
    return box


def _in_lines(x: page.Sum, room: float) -> Any:
    """A sum in lines; those after the first begin with their sign."""
    lines: list[page.Sum] = []
    for line in broken(x, room, 2.5):
        terms = [(sign, fitted(term, room - 2.5)) for _, sign, term in line]
        if lines:
            sign, first = terms[0]
            terms[0] = 1, page.Row((page.Mark("−" if sign < 0 else "+"), first))
        lines.append(page.Sum(tuple(terms)))
    return lines[0] if len(lines) == 1 else page.Lines(tuple(lines))


def equation_rows(
    left: Any, members: tuple[Any, ...], room: float = PAGE
) -> list[tuple[Any, bool, Any]]:
    """An equation as rows (left side, whether there is a sign of equality, right side)."""
    start = min(width(left), room / 3)
    rows: list[list[Any]] = []  # members that stand side by side
    used = room
    for box in (fitted(m, room - start - 3) for m in members):
        needed, whole = width(box) + 3, not isinstance(box, page.Lines)
        if whole and used + needed <= room - start:
            rows[-1] += [page.Mark("="), box]
            used += needed
        else:
            rows.append([box])
            used = needed if whole else room
    written: list[tuple[Any, bool, Any]] = []
    for k, boxes in enumerate(rows):
        right = boxes[0] if len(boxes) == 1 else page.Row(tuple(boxes))
        first, *more = right.rows if isinstance(right, page.Lines) else (right,)
        written += [(None if k else left, True, first), *((None, False, line) for line in more)]
    return written
