"""Derivatives of a semi-implicit step by the chain rule, over those of the acceleration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva.algebra import diff
from visviva.algebra.arrays import Array, vector
from visviva.describe.model.model import Model
from visviva.equations.derivatives import forward_rule
from visviva.equations.steps.flow import ForcedMotion, State


def step_rule(model: Model, wanted: tuple[str, ...]) -> Callable[..., dict[str, Any]] | None:
    """∂(q, v)/∂(q, v, τ, dt): of v + dt a(q, v, τ), and of q moved by dt times that."""
    forces = tuple(x for x in wanted if x != "dt")
    by_forces = None if model.held_by else forward_rule(model, forces)
    if by_forces is None:
        return None

    def derivatives(q: Any, v: Any, tau: Any, dt: Any) -> dict[str, Any]:
        motion, n = ForcedMotion(model), model.nv
        a = motion.acceleration(0.0, State(q, v, np.zeros(0)), {"tau": tau})[0]
        after = vector(v) + a * dt
        by_q, by_way = _way_slopes(model, q, after * dt)
        by_v = by_way * dt
        changes, slopes = by_forces(q, v, tau), {}
        for x in wanted:
            if x == "dt":
                slopes["v", x], slopes["q", x] = a, by_way @ (after + a * dt)
                continue
            change = changes[f"da_d{x}"] * dt + (np.eye(n) if x == "v" else 0.0)
            along = by_v @ change + (by_q if x == "q" else 0.0)
            slopes["v", x], slopes["q", x] = change, along
        return {f"d{y}_d{x}": slopes[y, x] for y in "qv" for x in wanted}

    return derivatives


def _way_slopes(model: Model, q: Any, way: Any) -> tuple[Array, Array]:
    """∂(q ⊕ way) along motions of q, and by the way (nv,).

    Both lead along quaternions of length one: what a step does about their length changes nothing.
    """
    if not model.charts:
        return np.eye(model.nv), np.eye(model.nv)

    def end(x: Array) -> Array:
        return np.asarray(model.integrate(x[: model.nq], x[model.nq :]))

    D = diff.slopes(end, vector([*q, *way]))
    return D[:, : model.nq] @ model.tangent(q), D[:, model.nq :]
