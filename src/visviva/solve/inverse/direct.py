"""The nearest solution of each pose by machine code alone, and whether it is beyond doubt.

The branches of a closed form, what they are worth, and the choice among them are three calls. What
`answers` looks at again, and could choose otherwise for it, is doubtful here: singular positions,
lost digits, angles half a turn away or beside a limit, two solutions that are as near, and none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, as_array
from visviva.algebra.generic import absolute, less, less_equal, maximum, minimum, where
from visviva.describe.values import digest_of
from visviva.machine.function import Function
from visviva.machine.program.trace import input_ports, traced
from visviva.solve.inverse.answers import SHARP, Solver
from visviva.solve.inverse.checks.checking import SUSPECT
from visviva.solve.inverse.placing import AT_LIMIT, TWIN, whole_turns

ROUNDING = AT_LIMIT / 4  # more than that of angles near a seed that is not farther than FAR
FAR = 100.0  # radians or metres from zero
BESIDE = 4 * TWIN  # radians or metres: what is nearer may be a twin
OFF = 1e3  # times the tolerance: a residual that is no lost digits
NOWHERE = 1e300  # the square of how far a solution is that there is not
WHOLE = 1.5 * 2.0**52  # what is added to it and taken away again is a whole number
TOGETHER = 512  # poses whose branches stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Direct:
    """Of a solver with a closed form: positions between `low` and `high` (nq,)."""

    solver: Solver
    low: Array
    high: Array

    def nearest(self, X: Array, seeds: Array) -> tuple[Array, Array, Array]:
        """Positions (N, nq) nearest to seeds (N, nq), residuals, and where they are sure: 1 or 0."""
        cuts = [*range(0, len(X), TOGETHER), len(X)]
        parts = [self._part(X[i:j], seeds[i:j]) for i, j in pairwise(cuts)]
        if len(parts) == 1:
            return parts[0]
        q, residuals, sure = (np.concatenate(x) for x in zip(*parts, strict=True))
        return q, residuals, sure

    def _part(self, X: Array, seeds: Array) -> tuple[Array, Array, Array]:
        theta, _ = self.solver.method.solve(X)
        return self.function(theta, *self.solver.residuals_and_grams(theta, X), seeds)

    @cached_property
    def function(self) -> Function[tuple[Array, Array, Array]]:
        """θ (S, n) of all branches, residual (S,), det JᵀJ (S,), seed -> q, residual, sure."""
        chain, S = self.solver.chain, self.solver.method.branches
        shapes = {"theta": (S, len(chain)), "residual": S, "gram": S, "seed": chain.nq}
        ports = input_ports(shapes)
        at = self.low, self.high, chain.coefficient, chain.offset, self.solver.tolerance
        numbers = [np.ascontiguousarray(x, dtype=float).tobytes() for x in at]
        name = digest_of(chain.kinds, chain.index, S, tuple(numbers))
        key = None if name is None else ("nearest branch", name)
        return Function("nearest", ports, lambda: traced(self.chosen, ports), key, has_gaps=True)

    def chosen(self, theta: Any, residual: Any, gram: Any, seed: Any) -> dict[str, Any]:
        """The nearest of branches, over any scalar."""
        chain, index = self.solver.chain, list(self.solver.chain.index)
        near = seed[index]
        limits = self.low[index].tolist(), self.high[index].tolist()
        rows = [*zip(near, whole_turns(chain).tolist(), *limits, strict=True)]
        q, left, best, doubt = as_array([*near]), residual[0], NOWHERE, 0.0
        squares = []
        for x in near:
            doubt = maximum(doubt, less(FAR, absolute(x)))
        for own, error, size in zip(chain.positions(theta), residual, gram, strict=True):
            lost = less(SHARP, error) * less(error, OFF * self.solver.tolerance)
            there = less_equal(error, self.solver.tolerance)
            suspect, inside = less(size, SUSPECT), there
            placed = []
            for angle, row in zip(own, rows, strict=True):
                x, is_inside, is_close = _at_its_turn(angle, *row)
                placed.append(x)
                inside, suspect = inside * is_inside, maximum(suspect, is_close)
            doubt = maximum(doubt, maximum(lost, there * suspect))
            off = placed - near
            squares.append(where(inside, off @ off, NOWHERE))
            nearer = less(squares[-1], best)
            best = where(nearer, squares[-1], best)
            left = where(nearer, error, left)
            q = as_array([where(nearer, x, y) for x, y in zip(placed, q, strict=True)])
        as_near = sum((less_equal(x, best + BESIDE * (1.0 + best)) for x in squares), start=0.0)
        whole = as_array([*map(_between, seed, self.low.tolist(), self.high.tolist())])
        whole[index] = q
        sure = (1.0 - doubt) * less(best, NOWHERE) * less(as_near, 1.5)
        return {"q": whole, "residual": left, "sure": sure}


def _at_its_turn(x: Any, near: Any, period: float, low: float, high: float) -> tuple[Any, Any, Any]:
    """As `at_their_turns`: a coordinate, whether it is within limits, and whether that is close."""
    is_close: Any = 0.0
    ends = [(side, end) for side, end in ((-1.0, low), (1.0, high)) if np.isfinite(end)]
    if np.isfinite(period):
        off = x - near
        off = off - period * _rounded(off / period)
        is_close = less(period / 2 - ROUNDING, absolute(off))
        x = near + off
        shifts = [_turns_within(side * (x - end) - AT_LIMIT, period) for side, end in ends]
        for (side, _), (turns, is_turn_close) in zip(ends, shifts, strict=True):
            x = x - side * period * turns
            is_close = maximum(is_close, is_turn_close)
    is_inside: Any = 1.0
    for side, end in ends:
        beyond = side * (x - end) - AT_LIMIT
        is_inside = is_inside * less_equal(beyond, 0.0)
        is_close = maximum(is_close, _is_close(beyond))
    return _between(x, low, high), is_inside, is_close


def _turns_within(beyond: Any, period: float) -> tuple[Any, Any]:
    """How many whole turns bring within what is so far beyond a limit, and whether it is close."""
    turns = _rounded(beyond / period)
    rest = beyond - turns * period
    return maximum(turns + less(0.0, rest), 0.0), less(-0.5, turns) * _is_close(rest)


def _is_close(beyond: Any) -> Any:
    """Whether rounding may bring it within, or a twin of it is within."""
    return less(-ROUNDING, beyond) * less(beyond, BESIDE)


def _between(x: Any, low: float, high: float) -> Any:
    return minimum(maximum(x, low), high)


def _rounded(x: Any) -> Any:
    """The nearest whole number."""
    return (x + WHOLE) - WHOLE
