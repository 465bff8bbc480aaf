"""Conditions of a program: where it changes its law, as |x| does at zero.

What is compared is looked at on the whole way between two points, by halving: of one that is
crossed, two points are found on its sides, with nothing between them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from visviva.algebra.expr import CONSTANT
from visviva.algebra.ops import OPS
from visviva.machine.program.program import Program

_ANSWERS: dict[str, Callable[..., Any]] = {  # on which side of each condition its arguments are
    "abs": np.sign,
    "sign": np.sign,
    "min": lambda a, b: np.sign(a - b),
    "max": lambda a, b: np.sign(a - b),
    "where": lambda c, a, b: np.not_equal(c, 0.0),
    "lt": np.less,
    "le": np.less_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}
CONDITIONS = tuple(OPS[name].name for name in _ANSWERS)  # each of them is an operation
_HALVINGS = 80  # of the way between two points


def has_conditions(operations: Mapping[str, int]) -> bool:
    """Whether some of the operations are such."""
    return any(operations[x] for x in CONDITIONS)


class Border(NamedTuple):
    """Between the points `low` and `high`, all but one, on way number `way` from its start."""

    way: int
    share: float
    low: np.ndarray
    high: np.ndarray


def borders(program: Program, start: np.ndarray, end: np.ndarray) -> list[Border]:
    """Where conditions change on straight ways between points (n, arguments)."""
    first, last = _answers(program, start), _answers(program, end)
    ways, which = np.nonzero(first != last)
    if not len(ways):
        return []
    a, b, was = start[ways], end[ways], first[ways, which]
    low, high = np.zeros(len(ways)), np.ones(len(ways))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        there = _answers(program, a + middle[:, None] * (b - a))[np.arange(len(ways)), which]
        low, high = np.where(there == was, middle, low), np.where(there == was, high, middle)
    sides = [a + x[:, None] * (b - a) for x in (low, high)]
    return [Border(int(way), *rest) for way, *rest in zip(ways, low, *sides, strict=True)]


def _answers(program: Program, points: np.ndarray) -> np.ndarray:
    """Of every condition, (n, conditions)."""
    values: list[Any] = list(points.T)
    found = []
    with np.errstate(all="ignore"):
        for op, *args in program.code:
            given = args if op == CONSTANT else [values[i] for i in args]
            values.append(np.float64(given[0]) if op == CONSTANT else OPS[op].value(*given))
            if op in _ANSWERS:
                found.append(np.broadcast_to(_ANSWERS[op](*given), len(points)))
    return np.stack(found, axis=1) if found else np.zeros((len(points), 0))
