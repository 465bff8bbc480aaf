"""One step of an explicit method, of a length that its error allows.

Errors are measured as SciPy does: relative to atol + rtol max(|y|, |y_new|), in the mean over all
numbers of the state. The next length is a root of the error; of eighth order it is three square
roots, and of fifth one between the fourth and the eighth root, so that no logarithm is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from visviva.algebra import generic as g
from visviva.algebra.arrays import vector
from visviva.equations.steps.flow import State, stages, weighted
from visviva.equations.steps.tableaux import Tableau
from visviva.motion.steps.flow import Flow

# of the next step's length; with a safety of 0.9 a fourth of the attempts of order 8 is rejected,
# and the same error costs an eighth more
SAFETY, SHORTER, LONGER = 0.75, 0.2, 10.0
SMALLEST = 16 * 2.0**-52  # of a step, relative to the time: below it nothing changes


def adaptive_step(flow: Flow, method: Tableau, named: Mapping[str, Any]) -> dict[str, Any]:
    """One attempt: the state, time and length after it, and whether it was accepted.

    `named` has the state q, v, x, t, the length h, whether the last attempt failed, the end, the
    tolerances and what the flow depends on.
    """
    s, t, end = State(named["q"], named["v"], named["x"]), named["t"], named["end"]
    left = end - t
    is_last = g.less_equal(left, named["h"] * (1.0 + 1e-9))
    h = g.where(is_last, left, named["h"])
    slopes = stages(flow.slope, method, t, h, s, named)
    raw = s.plus(h, *weighted(method.b, slopes))
    later = g.where(is_last, end, t + h)
    if len(method.errors[0]) > method.stages and method.errors[0][-1] != 0.0:
        slopes.append(flow.slope(later, raw, named))
    nothing = State(*(np.zeros(len(vector(y))) for y in s))
    estimates = [nothing.plus(1.0, *weighted(w, slopes)) for w in method.errors]
    flat = [np.concatenate([vector(part) for part in e]) for e in estimates]
    error = error_size(s, raw, flat, h, named["tolerances"])
    accepted = g.less(error, 1.0)  # an error that is no number is none that is allowed
    factor = next_length(error, method.root, named["failed"])
    new = flow.admitted(later, raw, named)
    pairs = {"q": (new.q, s.q), "v": (new.v, s.v), "x": (new.x, s.x)}
    after = {
        name: vector([g.where(accepted, a, b) for a, b in zip(x, y, strict=True)])
        for name, (x, y) in pairs.items()
    }
    time = g.where(accepted, later, t)
    return {
        **after,
        "t": time,
        "h": h * factor,
        "failed": 1.0 - accepted,
        "accepted": accepted,
    }


def error_size(s: State, new: State, estimates: Any, h: Any, tolerances: Any) -> Any:
    """How many times the error is what is allowed, from estimates of it, one or two, as slopes."""
    rtol, atol = tolerances[0], tolerances[1]
    both = [(a, b) for x, y in zip(s, new, strict=True) for a, b in zip(x, y, strict=True)]
    scale = [1.0 / (atol + rtol * g.maximum(g.absolute(a), g.absolute(b))) for a, b in both]
    squares = [
        _sum((e * size) * (e * size) for e, size in zip(row, scale, strict=True))
        for row in estimates
    ]
    n = len(scale)
    if len(squares) == 1:
        return g.absolute(h) * g.sqrt(squares[0] * (1.0 / n))
    five, three = squares  # Hairer's combination of two estimates
    both_of_them = five + 0.01 * three
    safe = g.where(g.equal(both_of_them, 0.0), 1.0, both_of_them)
    return g.absolute(h) * five / g.sqrt(safe * float(n))


def next_length(error: Any, root: int, failed: Any) -> Any:
    """How many times as long the next step may be; none is longer than one that just failed."""
    grown = SAFETY / _root(error, root)
    most = g.where(failed, 1.0, LONGER)
    fits = g.less(error, 1.0)
    factor = g.where(fits, g.minimum(grown, most), g.maximum(g.minimum(grown, 1.0), SHORTER))
    return g.where(g.less(error, 1e-300), most, g.where(g.equal(error, error), factor, SHORTER))


def _sum(terms: Any) -> Any:
    first, *rest = terms
    return sum(rest, start=first)


def _root(x: Any, order: int) -> Any:
    """About x^(1/order), by square roots."""
    eighth = g.sqrt(g.sqrt(g.sqrt(x)))
    return eighth if order == 8 else eighth * g.sqrt(eighth)
