"""Where a long sum is broken into lines."""

from __future__ import annotations

from typing import Any

from visviva.notation.writing.layout import (
    Call,
    Cases,
    Foreign,
    Joined,
    Name,
    Number,
    Power,
    Product,
    Quotient,
    Relation,
    Root,
    Scientific,
    Slope,
    Sum,
    Table,
)


def broken(x: Any, width: int) -> list[list[tuple[int, bool, Any]]]:
    """The terms of a sum, line by line: place in the sum, sign, term."""
    terms = x.terms if isinstance(x, Sum) else ((False, x),)
    made: list[list[tuple[int, bool, Any]]] = [[]]
    used = 0
    for k, (minus, term) in enumerate(terms):
        length = 3 + weight(term)
        if used and used + length > width:
            made.append([])
            used = 0
        made[-1].append((k, minus, term))
        used += length
    return made


def weight(x: Any) -> int:
    """About how many characters a reader sees."""
    match x:
        case Number(text):
            return len(text)
        case Name(parts):
            return 1 + len(parts.subscript)
        case Sum(terms):
            return sum(3 + weight(t) for _, t in terms)
        case Product(factors):
            return sum(weight(f) + 2 * isinstance(f, Sum) for f in factors)
        case Quotient(top, bottom):
            return max(weight(top), weight(bottom))
        case Power(base, _):
            return weight(base) + 1
        case Call(name, arguments, short, _):
            return 1 + len(short) if short else len(name) + 2 + sum(map(weight, arguments))
        case Slope(_, by):
            return sum(1 + weight(y) for y, _ in by)
        case Joined(_, parts):
            return sum(5 + weight(p) for p in parts)
        case Cases(rows):
            return max(weight(v) + (10 if c is None else 4 + weight(c)) for v, c in rows)
        case Root(inside):
            return 2 + weight(inside)
        case Relation(left, _, right):
            return 3 + weight(left) + weight(right)
        case Table(rows):
            return sum(2 + max(map(weight, column)) for column in zip(*rows, strict=True))
        case Scientific() | Foreign():
            return 8
    raise TypeError(f"no layout: {x!r}")
