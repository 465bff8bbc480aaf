"""An adaptive step in passes, a pass for a stage with its row of the tableau.

The dynamics stand in the program once, where `explicit.adaptive_step` has a copy for every stage:
of long dynamics it is compiled in a tenth of the time, and runs about half as fast, since what only
the last stage needs is computed in every pass. Slopes move through a register: the newest stands
first, so that a pass finds the slope of the stage j before it at place j, whatever stage it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from visviva.algebra import generic as g
from visviva.algebra.arrays import Array, vector
from visviva.equations.steps.flow import State
from visviva.equations.steps.tableaux import Tableau
from visviva.motion.steps.explicit import error_size, next_length
from visviva.motion.steps.flow import Flow

_LARGEST = 1e300  # a slope beyond it is none: it would be nan in the next step, at weight zero
FAILS = 1e300  # the error of a step that has such a slope


def rows_of(method: Tableau) -> Array:
    """A row for every pass, (passes, …): weights of the register, of the sums, c, and whether it
    is the last."""
    A, b, c = np.asarray(method.A), np.asarray(method.b), np.asarray(method.c)
    passes = len(b)
    if _needs_end(method):  # the slope at the end of the step is one more stage
        passes, c = passes + 1, np.append(c, 1.0)
        A = np.vstack([np.pad(A, ((0, 0), (0, passes - 1 - A.shape[1]))), b])
    sums = np.array([np.append(b, np.zeros(passes))[:passes], *(e[:passes] for e in method.errors)])
    rows = []
    for i in range(passes):
        register = np.zeros(passes - 1)
        register[:i] = A[i, :i][::-1]
        rows.append([*register, *sums[:, i], c[i], float(i == passes - 1)])
    return np.array(rows)


def _needs_end(method: Tableau) -> bool:
    return len(method.errors[0]) > method.stages and method.errors[0][-1] != 0.0


def register_sizes(flow: Flow, method: Tableau) -> dict[str, Any]:
    """Shapes of what passes hand on besides the state, all zeros at first: slopes, sums, and
    whether a slope was no number."""
    sizes = flow.sizes()
    n = sum(sizes[k] for k in "qvx")
    return {
        "slopes": (len(rows_of(method)) - 1, n),
        "sums": (1 + len(method.errors), n),
        "broken": (),
    }


def stage(flow: Flow, method: Tableau, named: Mapping[str, Any]) -> dict[str, Any]:
    """One stage of an attempt, and after the last one what `adaptive_step` returns."""
    s, t, end = State(named["q"], named["v"], named["x"]), named["t"], named["end"]
    K, row = named["slopes"], named["row"]
    count = len(K)
    weights, c, is_end = row[count:-2], row[-2], row[-1]
    left = end - t
    is_last = g.less_equal(left, named["h"] * (1.0 + 1e-9))
    h = g.where(is_last, left, named["h"])
    y = np.concatenate([vector(part) for part in s])
    ahead = row[count - 1] * K[count - 1]
    for j in range(count - 2, -1, -1):  # the first stage's slope first
        ahead = ahead + row[j] * K[j]
    raw = flow.slope(t + h * c, _state(s, y + ahead * h), named)
    slope = np.concatenate([vector(part) for part in raw])
    is_number = [g.less(g.absolute(k), _LARGEST) for k in slope]
    slope = vector([g.where(good, k, 0.0) for good, k in zip(is_number, slope, strict=True)])
    broken = named["broken"]
    for good in is_number:
        broken = g.maximum(broken, 1.0 - good)
    sums = [named["sums"][i] + slope * weights[i] for i in range(len(weights))]
    new = _state(s, y + sums[0] * h)
    error = error_size(s, new, sums[1:], h, named["tolerances"])
    error = g.where(broken, FAILS, error)
    accepted = g.less(error, 1.0) * is_end
    factor = next_length(error, method.root, named["failed"])
    later = g.where(is_last, end, t + h)
    admitted = flow.admitted(later, new, named)
    pairs = {"q": (admitted.q, s.q), "v": (admitted.v, s.v), "x": (admitted.x, s.x)}
    after = {
        name: vector([g.where(accepted, a, b) for a, b in zip(x, z, strict=True)])
        for name, (x, z) in pairs.items()
    }
    return {
        **after,
        "t": g.where(accepted, later, t),
        "h": g.where(is_end, h * factor, named["h"]),
        "failed": g.where(is_end, 1.0 - accepted, named["failed"]),
        "slopes": np.stack([slope, *K[: count - 1]]),
        "sums": np.stack([[g.where(is_end, 0.0, x) for x in row] for row in sums]),
        "broken": g.where(is_end, 0.0, broken),
        "accepted": accepted,
    }


def _state(like: State, y: Any) -> State:
    """Numbers one after the other as a state."""
    q, v = len(like.q), len(like.q) + len(like.v)
    return State(y[:q], y[q:v], y[v:])
