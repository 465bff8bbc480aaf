"""States between samples: cubic Hermite interpolation on the manifold of positions.

Between two samples the position is integrate(q0, c(s)), where c is the cubic in the tangent space
at q0 that has the positions and velocities of both samples; the velocity is that of this curve.
Where velocities are the rates of coordinates that is Hermite's interpolation of q. Positions are
accurate to the fourth order of the time between samples, velocities to the third.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.machine.function import Function, function
from visviva.machine.run.call import Array

KEPT = "_curves"  # the attribute of a system that keeps its compiled curves


@dataclass(frozen=True, eq=False)
class Curves:
    """How positions move along steps of v, compiled."""

    ends: Function  # q, step -> integrate(q, step)
    slopes: Function  # q, step -> its derivative by the step, (nq, nv)
    steps: Function  # q0, q1 -> difference(q0, q1)
    tangent: Function  # q -> N (nq, nv) with q̇ = N v

    def rates(self, q: Array, step: Array, end: Array) -> Array:
        """The matrix (nv, nv) from rates of the step to the velocity at its end."""
        N = self.tangent(end)
        Nt = np.swapaxes(N, -1, -2)
        return np.asarray(np.linalg.solve(Nt @ N, Nt @ self.slopes(q, step)))


def curves(system: Any) -> Curves:
    """Those of a system, made once."""
    known = system.__dict__
    if KEPT not in known:
        nq, nv = system.nq, system.nv
        inputs = {"q": nq, "step": nv}
        ends = function(lambda q, step: system.integrate(q, step), inputs, name="integrate")
        steps = function(
            lambda q0, q1: system.difference(q0, q1), {"q0": nq, "q1": nq}, name="difference"
        )
        tangent = function(lambda q: system.charts["q"](q), {"q": nq}, name="tangent")
        known[KEPT] = Curves(ends, ends.jacobian("step"), steps, tangent)
    kept: Curves = known[KEPT]
    return kept


def hermite(system: Any, t: Array, q: Array, v: Array) -> Callable[[Array], tuple[Array, Array]]:
    """The interpolation through samples t (steps,), q (..., steps, nq) and v (..., steps, nv).

    It takes times (k,) within the span and gives q (..., k, nq) and v (..., k, nv). At the samples
    it gives the samples.

    Examples:
        >>> import numpy as np
        >>> from visviva.describe import catalog
        >>> fall = hermite(catalog.cart_pole(), np.array([0.0, 2.0]),
        ...     np.array([[0.0, 0.0], [0.0, 8.0]]), np.array([[0.0, 0.0], [0.0, 8.0]]))
        >>> fall(np.array([1.0]))
        (array([[0., 2.]]), array([[0., 4.]]))
    """
    if len(t) == 1:
        return lambda at: (np.repeat(q, len(at), axis=-2), np.repeat(v, len(at), axis=-2))
    bent = curves(system) if system.charts else None

    def between(at: Array) -> tuple[Array, Array]:
        k = np.clip(np.searchsorted(t, at, side="right") - 1, 0, len(t) - 2)
        h = (t[k + 1] - t[k])[:, None]
        s = (at - t[k])[:, None] / h
        q0, q1, v0, v1 = q[..., k, :], q[..., k + 1, :], v[..., k, :], v[..., k + 1, :]
        start, end = h * v0, h * v1
        if bent is None:
            d = q1 - q0
        else:
            d = bent.steps(q0, q1)
            J = bent.rates(q0, d, bent.ends(q0, d))  # q1, with quaternions on the side of q0
            end = np.asarray(np.linalg.solve(J, end[..., None])[..., 0], dtype=float)
        # the cubic c with c(0) = 0, c(1) = d, c'(0) = start, c'(1) = end
        c2, c3 = 3 * d - 2 * start - end, start + end - 2 * d
        c = s * (start + s * (c2 + s * c3))
        rate = (start + s * (2 * c2 + s * 3 * c3)) / h
        if bent is None:
            position = q0 + c
        else:
            position = bent.ends(q0, c)
            rate = (bent.rates(q0, c, position) @ rate[..., None])[..., 0]
        for own, there, whole in ((at == t[k], q0, v0), (at == t[k + 1], q1, v1)):
            position = np.where(own[:, None], there, position)
            rate = np.where(own[:, None], whole, rate)
        return position, rate

    return between
