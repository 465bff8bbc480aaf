"""The nearest solution of each pose by machine code alone, and whether it is beyond doubt.

The branches of a closed form, what they are worth, and the choice among them are three calls. What
`answers` looks at again, and could choose otherwise for it, is doubtful here: singular positions,
lost digits, angles beside a limit, two solutions (or two turns of one) that are as near, and none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise
from operator import mul
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, as_array
from visviva.algebra.generic import absolute, less, less_equal, maximum, minimum, where
from visviva.describe.values import digest_of
from visviva.machine.function import Function, function
from visviva.solve.inverse.answers import SHARP, Solver
from visviva.solve.inverse.checks.checking import SUSPECT
from visviva.solve.inverse.placing import AT_LIMIT, TWIN, whole_turns

ANGLE_ROUNDING = AT_LIMIT / 4  # more than that of angles, of seeds that are not beyond FAR_SEED
FAR_SEED = 100.0  # radians or metres
TWINS = 4 * TWIN  # radians or metres: what is nearer to a position may be a twin of it
CLEARLY_OFF = 1e3  # times the tolerance: no digits were lost, it is no solution
NOWHERE = 1e300  # the square of the distance of a solution that there is not
TO_WHOLE = 1.5 * 2.0**52  # added and taken away again it leaves the nearest whole number
IN_CACHE = 512  # poses whose branches stay in the processor's


@dataclass(frozen=True, eq=False)
class Direct:
    """Of a solver with a closed form: positions between `low` and `high` (nq,)."""

    solver: Solver
    low: Array
    high: Array

    def nearest(self, X: Array, seeds: Array) -> tuple[Array, Array, Array]:
        """Positions (N, nq) nearest to seeds (N, nq), residuals, and whether they are sure."""
        parts: list[Any] = []
        for i, j in pairwise([*range(0, max(len(X), 1), IN_CACHE), len(X)]):
            theta, _ = self.solver.method.solve(X[i:j])
            worth = self.solver.residuals_and_grams(theta, X[i:j])
            parts.append(self.function(theta, *worth, seeds[i:j]))
        q, residuals, sure = map(np.concatenate, zip(*parts, strict=True))
        return q, residuals, sure

    @cached_property
    def function(self) -> Function[Any]:
        """θ (S, n) of all branches, residual (S,), det JᵀJ (S,), seed -> q, residual, sure."""
        chain, S = self.solver.chain, self.solver.method.branches
        shapes = {"theta": (S, len(chain)), "residual": (S,), "gram": (S,), "seed": (chain.nq,)}
        numbers = self.low, self.high, chain.coefficient, chain.offset, self.solver.tolerance
        texts = tuple(np.asarray(x, dtype=float).tobytes() for x in numbers)
        key = digest_of("nearest", chain.kinds, chain.index, S, texts)
        return function(self.choice, shapes, name="nearest", key=key)

    def choice(self, theta: Any, residual: Any, gram: Any, seed: Any) -> dict[str, Any]:
        """The nearest of branches, over any scalar."""
        chain, tolerance = self.solver.chain, self.solver.tolerance
        index, low, high = list(chain.index), self.low.tolist(), self.high.tolist()
        near, periods = seed[index], whole_turns(chain).tolist()
        joints = [(near[k], periods[k], low[i], high[i]) for k, i in enumerate(index)]
        nearest, error, least, squares = near, residual[0], NOWHERE, []
        doubt = reduce(maximum, (less(FAR_SEED, absolute(x)) for x in near))
        for angles, miss, size in zip(chain.positions(theta), residual, gram, strict=True):
            placed = (_at_its_turn(x, *joint) for x, joint in zip(angles, joints, strict=True))
            q, inside, close, halfway = map(as_array, zip(*placed, strict=True))
            meets = less_equal(miss, tolerance)
            suspect = meets * reduce(maximum, close, less(size, SUSPECT))
            inexact = less(SHARP, miss) * less(miss, CLEARLY_OFF * tolerance)
            doubt = maximum(doubt, maximum(suspect, inexact))
            square = where(reduce(mul, inside, meets), (q - near) @ (q - near), NOWHERE)
            nearer = less(square, least)
            least = where(nearer, square, least)
            error = where(nearer, miss, error)
            nearest = where(nearer, q, nearest)
            squares.append((square, 1.0 + reduce(maximum, halfway)))  # at either turn
        bound = least + TWINS * (1.0 + least)
        rivals = sum((less_equal(x, bound) * turns for x, turns in squares), start=0.0)
        position = as_array([*map(_between, seed, low, high)])
        position[index] = nearest
        sure = (1.0 - doubt) * less(least, NOWHERE) * less(rivals, 1.5)
        return {"q": position, "residual": error, "sure": sure}


def _at_its_turn(x: Any, near: Any, period: float, low: float, high: float) -> tuple[Any, ...]:
    """As `at_their_turns`: a coordinate, whether it is within limits, and whether that is close.

    And whether it is half a turn from the seed, so that two turns are as near.
    """
    close: Any = 0.0
    halfway: Any = 0.0
    ends = [(side, end) for side, end in ((-1.0, low), (1.0, high)) if np.isfinite(end)]
    if np.isfinite(period):
        gap = x - near
        gap = gap - period * _nearest_whole(gap / period)
        halfway = less(period / 2 - ANGLE_ROUNDING, absolute(gap))
        x = near + gap
        for side, end in ends:
            excess = side * (x - end) - AT_LIMIT
            turns = _nearest_whole(excess / period)
            rest = excess - turns * period
            x = x - side * period * maximum(turns + less(0.0, rest), 0.0)
            close = maximum(close, less(-0.5, turns) * _is_close(rest))
    inside: Any = 1.0
    for side, end in ends:
        excess = side * (x - end) - AT_LIMIT
        inside = inside * less_equal(excess, 0.0)
        close = maximum(close, _is_close(excess))
    return _between(x, low, high), inside, close, halfway


def _is_close(excess: Any) -> Any:
    """Whether rounding may bring it within a limit, or a twin of it is within."""
    return less(-ANGLE_ROUNDING, excess) * less(excess, TWINS)


def _between(x: Any, low: float, high: float) -> Any:
    return minimum(maximum(x, low), high)


def _nearest_whole(x: Any) -> Any:
    return (x + TO_WHOLE) - TO_WHOLE
