"""`crosscheck(system)`: several roads to the equations of motion, and whether they meet.

The recursion of Newton and Euler, the equations of Lagrange, d'Alembert's principle and the
matrices M, C, g are computed apart from each other, the recursion on the links that numbers run on,
the others on the bodies as stated. Polynomials in symbols, sines and cosines are
compared exactly; other systems are compared by numbers at random states.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.describe.quantities import BODIES, ENERGIES
from visviva.errors import ArgumentError, OutsideError
from visviva.judge.exact.systems import stated
from visviva.judge.roads.roads import (
    Pair,
    exact_lagrangian_roads,
    exact_model_roads,
    numeric_lagrangian_roads,
    numeric_model_roads,
)
from visviva.notation.writing.write import md
from visviva.progress import Progress, progress

# velocities of a system that is compared exactly if nothing else is asked
MOST_VELOCITIES = {BODIES: 7, ENERGIES: math.inf}
EXACTLY = {BODIES: exact_model_roads, ENERGIES: exact_lagrangian_roads}
BY_NUMBERS = {BODIES: numeric_model_roads, ENERGIES: numeric_lagrangian_roads}
STATES = 100
TOLERANCE = 1e-11  # of sums of many terms, relative to the largest force


@dataclass(frozen=True)
class Row:
    """Two roads and how they compare."""

    first: str
    second: str
    verdict: str
    agrees: bool
    proved: bool
    difference: float  # relative; 0 if proved


@dataclass(frozen=True, repr=False)
class Crosscheck:
    """The table. It is true if all roads meet."""

    name: str
    rows: tuple[Row, ...]
    why: str = ""  # nothing is proved: what has no exact form

    @property
    def agrees(self) -> bool:
        """Whether all roads meet."""
        return all(r.agrees for r in self.rows)

    @property
    def proved(self) -> bool:
        """Whether all rows are proofs."""
        return all(r.proved and r.agrees for r in self.rows)

    def __bool__(self) -> bool:
        return self.agrees

    def __repr__(self) -> str:
        cells = [("road", "road", "result"), *((r.first, r.second, r.verdict) for r in self.rows)]
        a, b = (max(len(c[k]) for c in cells) for k in (0, 1))
        lines = [f"  {x:{a}}   {y:{b}}   {z}" for x, y, z in cells]
        lines += [f"  by numbers, as {self.why}"] if self.why else []
        return "\n".join([f"{self.name}: equations of motion by different roads", *lines])

    def _repr_markdown_(self) -> str:
        lines = [f"**{md(self.name)}**", "", "| road | road | result |", "|---|---|---|"]
        lines += [f"| {r.first} | {r.second} | {r.verdict} |" for r in self.rows]
        lines += ["", md(f"By numbers, as {self.why}")] if self.why else []
        return "\n".join(lines)


def crosscheck(system: Any, exact: bool | None = None, points: int = STATES) -> Crosscheck:
    """Compare the roads to a system's equations of motion, two by two.

    `exact` asks for proofs, or for numbers at `points` random states; if it is None, models with up
    to seven velocities and Lagrangians in the class of polynomials in sines and cosines are proved.

    Examples:
        >>> from visviva.describe import catalog
        >>> crosscheck(catalog.rp_arm()).proved
        True
    """
    by = stated(system, "crosscheck")
    wanted = exact if exact is not None else system.nv <= MOST_VELOCITIES[by]
    why = ""
    with progress(f"equations of {system.name} by different roads") as at:
        if wanted:
            try:
                return Crosscheck(system.name, _compared(EXACTLY[by](system, at), _exactly, at))
            except OutsideError as error:
                why = str(error)
                if exact:
                    raise ArgumentError(
                        f"{system.name!r} has no exact form: {why}; exact=False compares by numbers"
                    ) from None
        roads = BY_NUMBERS[by](system, points, at)
        rows = _compared(roads, lambda a, b: _numerically(a, b, points), at)
        return Crosscheck(system.name, rows, why)


def _compared(roads: list[Pair], judge: Callable[[Any, Any], Any], at: Progress) -> tuple[Row, ...]:
    rows = []
    for a, b, x, y in roads:
        at.step(f"{a} and {b}")
        rows.append(Row(a, b, *judge(x, y)))
    return tuple(rows)


def _exactly(a: Any, b: Any) -> tuple[str, bool, bool, float]:
    wrong = [str(k + 1) for k, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    if not wrong:
        return "identical (proved)", True, True, 0.0
    return f"different (proved) in equation {', '.join(wrong)}", False, True, float("nan")


def _numerically(a: Any, b: Any, points: int) -> tuple[str, bool, bool, float]:
    scale = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)), 1e-300)
    gap = float(np.abs(np.asarray(a) - np.asarray(b)).max(initial=0.0)) / scale
    agrees = gap < TOLERANCE
    word = "agrees" if agrees else "differs"
    return f"{word} to {gap:.0e} at {points} points", agrees, False, gap
