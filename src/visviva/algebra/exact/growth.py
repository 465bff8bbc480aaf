"""How long a SymPy expression becomes when it is multiplied out, known before it is done."""

from __future__ import annotations

import math
from typing import Any

import sympy

_MOST = 1000  # terms of what is multiplied out


def expanded_terms(x: Any) -> int:
    """A bound of the number of terms.

    Examples:
        >>> a, b, c = sympy.symbols("a b c")
        >>> expanded_terms((a + b + c) ** 2 * (a + 1) + c)
        13
    """
    known: dict[Any, int] = {}
    waiting = [x]
    while waiting:
        top = waiting[-1]
        inside = [a for a in _parts(top) if a not in known]
        if inside:
            waiting.extend(inside)
            continue
        waiting.pop()
        counts = [known[a] for a in _parts(top)]
        if top.is_Add:
            known[top] = sum(counts)
        elif top.is_Mul:
            known[top] = math.prod(counts)
        elif counts and (n := abs(int(top.exp))) > 1:
            known[top] = math.comb(counts[0] + n - 1, n) if n <= _MOST else _MOST * counts[0]
        else:
            known[top] = counts[0] if counts else 1
    return known[x]


def expanded(x: Any) -> Any:
    """Multiplied out, or as it is where that would be too long."""
    return sympy.expand(x) if is_short(x) else x


def is_short(x: Any) -> bool:
    """Whether it may be multiplied out."""
    return expanded_terms(x) <= _MOST


def _parts(x: Any) -> tuple[Any, ...]:
    if x.is_Pow and x.exp.is_Integer:
        return (x.base,)
    return tuple(x.args) if x.is_Add or x.is_Mul else ()
