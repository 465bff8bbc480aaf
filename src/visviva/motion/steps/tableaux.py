"""Runge–Kutta methods as data: stage i is at c_i, from slopes weighted by row i of A."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from visviva.machine.run.call import Array


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
    """Every method by its name. The embedded pairs are those that SciPy has, number by number."""
    from scipy.integrate import DOP853, RK45

    half = np.array([[0.0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1.0, 0]])
    rk4 = Tableau("rk4", 4, half, np.array([1, 2, 2, 1]) / 6, np.array([0, 0.5, 0.5, 1]))
    dopri5 = Tableau(
        "dopri5", 5, RK45.A, RK45.B, RK45.C, (np.asarray(RK45.E),), 5, np.asarray(RK45.P)
    )
    dop853 = Tableau(
        "dop853",
        8,
        DOP853.A,
        DOP853.B,
        DOP853.C,
        (np.asarray(DOP853.E5), np.asarray(DOP853.E3)),
        8,
        np.asarray(DOP853.D),
        (np.asarray(DOP853.A_EXTRA), np.asarray(DOP853.C_EXTRA)),
    )
    return {method.name: method for method in (rk4, dopri5, dop853)}
