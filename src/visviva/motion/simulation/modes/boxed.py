"""Forces between bounds that leave nothing moving which they can hold.

Friction and stops are forces r within a box, and an acceleration a = G r + b that they oppose: it
is zero where r is inside its bounds, and goes the way r pushes against where it is at one. That is
the minimum of ½ r·G r + b·r over the box; G has no negative eigenvalue, so that a is one and only
one, and so is r if G has an inverse.
"""

from __future__ import annotations

import numpy as np

from visviva.errors import MotionError
from visviva.machine.run.call import Array

TOLERANCE = 1e-13  # of the largest acceleration: what is left of one that is held
ROUNDS = 60  # per force: how often one may be taken from its bound or come to it


def boxed(G: Array, b: Array, low: Array, high: Array) -> Array:
    """r with `low` ≤ r ≤ `high`, 0 among them, that makes ½ r·G r + b·r smallest.

    Examples:
        >>> import numpy as np
        >>> boxed(np.eye(2), np.array([-3.0, 0.5]), -np.ones(2), np.ones(2))
        array([ 1. , -0.5])
    """
    n = len(b)
    r = np.zeros(n)
    at = np.zeros(n)  # -1 at the lower bound, 1 at the upper one, 0 free
    size = np.abs(b).max(initial=0.0)
    for _ in range(ROUNDS * max(n, 1)):
        free = np.flatnonzero(at == 0)
        if len(free):
            fixed = np.flatnonzero(at)
            rest = b[free] + G[np.ix_(free, fixed)] @ r[fixed]
            goal = -_solved(G[np.ix_(free, free)], rest)
            way = goal - r[free]
            with np.errstate(divide="ignore", invalid="ignore"):
                room = np.where(way > 0, high[free] - r[free], low[free] - r[free]) / way
            room = np.where(way == 0, np.inf, room)
            first = int(np.argmin(room))
            if room[first] < 1.0:
                r[free] += max(room[first], 0.0) * way
                at[free[first]] = np.sign(way[first])
                r[free[first]] = (high if way[first] > 0 else low)[free[first]]
                continue
            r[free] = goal
        pull = at * (G @ r + b)  # a force at a bound that would rather come back
        worst = int(np.argmax(pull)) if n else 0
        if not n or pull[worst] <= TOLERANCE * size:
            return r
        at[worst] = 0
    raise MotionError("the forces of friction and stops were not found: this should not happen")


def _solved(G: Array, b: Array) -> Array:
    """x with G x = b; of least norm where joints that are coupled share what holds them."""
    try:
        L = np.linalg.cholesky(G)
        if np.diag(L).min() > 1e-7 * np.diag(L).max():
            return np.asarray(np.linalg.solve(G, b))
    except np.linalg.LinAlgError:
        pass
    return np.asarray(np.linalg.lstsq(G, b, rcond=1e-12)[0])
