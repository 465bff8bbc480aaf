"""Runge–Kutta methods as data: stage i is at c_i, from slopes weighted by row i of A."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from visviva.algebra.arrays import Array
from visviva.equations.steps import dormand_prince as dp


@dataclass(frozen=True, eq=False)
class Tableau:
    """An explicit method. `errors` weight the slopes (and the next step's first) to estimates.

    `root` is the power of a step's length with which its error grows, `dense` how the slopes make a
    polynomial inside the step; `more` are stages that only that polynomial needs.
    """

    name: str
    order: int
    A: Array
    b: Array
    c: Array
    errors: tuple[Array, ...] = ()
    root: int = 0
    dense: Array | None = None
    more: tuple[Array, Array] | None = None  # further rows of A, and their c

    @property
    def stages(self) -> int:
        """How many slopes a step takes."""
        return len(self.b)


@cache
def tableaux() -> dict[str, Tableau]:
    """Every method by its name."""
    half = np.array([[0.0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1.0, 0]])
    rk4 = Tableau("rk4", 4, half, np.array([1, 2, 2, 1]) / 6, np.array([0, 0.5, 0.5, 1]))
    dopri5 = Tableau("dopri5", 5, dp.A5, dp.B5, dp.C5, (dp.E5,), 5, dp.P5)
    errors, more = (dp.E8_5, dp.E8_3), (dp.A8_MORE, dp.C8_MORE)
    dop853 = Tableau("dop853", 8, dp.A8, dp.B8, dp.C8, errors, 8, dp.D8, more)
    return {method.name: method for method in (rk4, dopri5, dop853)}
