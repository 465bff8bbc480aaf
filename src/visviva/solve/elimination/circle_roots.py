"""All roots of real trigonometric polynomials, many at once: Aberth's iteration in machine code.

Σ c_k w^k, k from -n to n, with c_{-k} the conjugate of c_k, is real on the unit circle. Its roots
lie on the circle or in pairs w, 1/w̄, so values outside of the circle are taken from inside: P(w)
= w²ⁿ conj P(1/w̄).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.algebra.generic import less, maximum
from visviva.machine.function import function
from visviva.machine.repetition import Loop
from visviva.solve.elimination.pairs import Pair, conjugate, either, pairs, parts, square

_STEPS = 60
_SETTLED = 1e-9  # relative step; roots are polished elsewhere
_RADIUS = 0.8  # of the start: from the circle itself, where all is symmetric, no root leaves it


def circle_roots(coefficients: Array) -> tuple[Array, Array]:
    """The 2n roots of each row of coefficients (N, 2n + 1), and whether all of them settled."""
    count = coefficients.shape[1] - 1
    start = _RADIUS * np.exp(2j * np.pi * (np.arange(count) + 0.3) / count)
    p = coefficients[:, : count // 2 + 1]
    run = _aberth(count)(
        {
            "z": np.broadcast_to(np.stack([start.real, start.imag], axis=-1), (len(p), count, 2)),
            "worst": np.ones(len(p)),
            "p": np.stack([p.real, p.imag], axis=-1),
        },
        at_most=_STEPS,
    )
    z = run.state["z"]
    return z[..., 0] + 1j * z[..., 1], run.state["worst"] < _SETTLED**2


@cache
def _aberth(count: int) -> Loop:
    half = count // 2

    def step(z: Array, worst: Any, p: Array) -> dict[str, Any]:
        roots, low = pairs(z), pairs(p)
        whole = [*low, *(conjugate(low[half - k]) for k in range(1, half + 1))]
        near = [[Pair(0.0)] * count for _ in range(count)]
        for i in range(count):
            for j in range(i):
                near[i][j] = _reciprocal(roots[i] - roots[j])
                near[j][i] = -near[i][j]
        new, worst = [], 0.0
        for i, w in enumerate(roots):
            others = near[i][0] if i else near[i][1]
            for j in range(1 if i else 2, count):
                if j != i:
                    others = others + near[i][j]
            change = _reciprocal(_logarithmic(whole, w) - others)
            new.append(w - change)
            worst = maximum(worst, square(change) / square(w))
        return {"z": parts(new), "worst": worst}

    inputs = {"z": (count, 2), "worst": (), "p": (half + 1, 2)}
    done = function(lambda worst: less(worst, _SETTLED**2), {"worst": ()}, key="roots settled")
    aberth = function(step, inputs, name="aberth", key=f"aberth of degree {count}")
    return Loop(aberth, until=done, outputs={"z": (count, 2), "worst": ()})


def _logarithmic(p: list[Any], w: Pair) -> Pair:
    """P'(w) / P(w)."""
    n = len(p) - 1
    outside = less(1.0, square(w))
    inverse = _reciprocal(w)
    u = either(outside, conjugate(inverse), w)
    value, slope = p[n], Pair(0.0)
    for k in range(n - 1, -1, -1):
        slope = slope * u + value
        value = value * u + p[k]
    # a value of zero is a root: the next step stays there
    inside = slope * conjugate(value) * (1.0 / maximum(square(value), 1e-290))
    return either(outside, (float(n) - conjugate(inside) * inverse) * inverse, inside)


def _reciprocal(x: Pair) -> Pair:
    by = 1.0 / maximum(square(x), 1e-290)
    return Pair(x.re * by, -(x.im * by))
