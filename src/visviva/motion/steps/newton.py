"""The equations of an implicit step, solved by Newton's method, and what it leaves of them.

The slope is that at an explicit guess, a second order in the step away: every correction leaves a
hundredth of the one before, or less, even of steps that turn a third of a radian.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from visviva.algebra import generic as g
from visviva.algebra.arrays import Array, is_exactly, vector
from visviva.equations.steps.flow import State
from visviva.machine.function import Function, function
from visviva.motion.steps.flow import Flow

ITERATIONS = 6
SOLVED = 1e-12  # of the momenta: what may be left of the equations of a step

Given = Mapping[str, Any]
Defect = Callable[[Flow, Given], Mapping[str, Any]]  # its `defect`, and forces of the same `size`


def solution(
    flow: Flow, defect: Defect, s: State, t: Any, h: Any, given: Given, more: Given
) -> tuple[Array, Any, Any]:
    """w = (ξ, the middle of x) with a defect of zero, the size of its terms, what is left of it.

    The size is that of momenta, of those that accelerations of one would give, and of the impulses
    of forces; what is left is relative to it.
    """
    f, slope = _equations(flow, defect, tuple(more))
    a, rates = flow.acceleration(t, s, given)
    half = h * 0.5
    w = np.concatenate([vector(s.v) + vector(a) * half, vector(s.x) + vector(rates) * half])
    named = {"q": s.q, "v": s.v, "x": s.x, "t": t, "h": h, **more}
    named |= {k: given[k] for k in flow.inputs}

    def of(f: Function, w: Any) -> Any:
        values = {**named, "w": w}
        return f._evaluated([values[k] for k in f.inputs], "a motion")

    J = of(slope, w)
    solve = _eliminated(J)
    for _ in range(ITERATIONS):
        w = w - solve(of(f, w)[0])
    left, size = of(f, w)
    weights = vector([g.absolute(x) + g.absolute(h) for x in w])
    terms = [vector([g.absolute(x) for x in row]) @ weights for row in J]
    scale = g.maximum(largest(terms), largest(size))
    return w, scale, largest(left) / scale


def largest(x: Any) -> Any:
    """max |x|."""
    most: Any = 0.0
    for e in x:
        most = g.maximum(most, g.absolute(e))
    return most


def _equations(flow: Flow, defect: Defect, more: tuple[str, ...]) -> tuple[Function, Function]:
    """Defect and size as one function, and the slope of the defect by w; traced once."""
    kept: dict[Defect, tuple[Function, Function]] = flow.__dict__.setdefault("_equations", {})
    if defect not in kept:
        sizes = {**flow.sizes(), "h": (), **dict.fromkeys(more, flow.system.nv), **flow.inputs}
        inputs = {"w": sizes["v"] + sizes["x"], **sizes}

        def both(*values: Any) -> Any:
            return defect(flow, dict(zip(inputs, values, strict=True)))

        def alone(*values: Any) -> Any:
            return both(*values)["defect"]

        slope = function(alone, inputs, name="defect").jacobian("w")
        kept[defect] = function(both, inputs, name="equations"), slope
    return kept[defect]


def _eliminated(A: Any) -> Callable[[Any], Array]:
    """y -> A⁻¹ y by Gaussian elimination. A is M and small terms, so that no rows are exchanged."""
    rows = [list(row) for row in np.asarray(A, dtype=object)]
    n = len(rows)
    inverse: list[Any] = []
    for k in range(n):
        inverse.append(1.0 / rows[k][k])
        for i in range(k + 1, n):
            if is_exactly(rows[i][k], 0.0):
                continue
            rows[i][k] = rows[i][k] * inverse[k]
            for j in range(k + 1, n):
                rows[i][j] = rows[i][j] - rows[i][k] * rows[k][j]

    def solve(y: Any) -> Array:
        x = list(y)
        for i in range(n):
            for k in range(i):
                x[i] = x[i] - rows[i][k] * x[k]
        for i in reversed(range(n)):
            for k in range(i + 1, n):
                x[i] = x[i] - rows[i][k] * x[k]
            x[i] = x[i] * inverse[i]
        return vector(x)

    return solve
