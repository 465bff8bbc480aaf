"""Small changes of positions, as velocities, and those that constraints admit.

Where q moves by q̇ = N(q) v, a change of q is N δ, δ (nv,): as many numbers as there are velocities.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from visviva.machine.function import function
from visviva.machine.run.call import Array
from visviva.motion.sensitivities.course import Course


def chart(system: Any, q: Array) -> Array:
    """N (..., nq, nv) at positions (..., nq)."""
    own = system.charts.get("q")
    if own is None:
        return np.broadcast_to(np.eye(system.nq), (*q.shape, system.nq))
    kept = system.__dict__.setdefault("_chart", None)
    if kept is None:
        kept = system.__dict__["_chart"] = function(own, {"q": system.nq}, name="chart")
    return np.asarray(kept(q))


def as_velocities(system: Any, q: Array, dq: Array) -> Array:
    """δ (..., nv, m) of changes dq (..., nq, m) of positions."""
    if not system.charts:
        return dq
    return np.asarray(np.linalg.pinv(chart(system, q)) @ dq)


def admitting(course: Course) -> Mapping[str, Array] | None:
    """Of a start that constraints hold: how changes of it are brought back to them, by name.

    `dq_dq` (rows, nq, nq) and so on, by q, v and parameters; None where nothing holds it.
    """
    flow = course.integrator.flow
    if not flow.system.held_by:
        return None
    parameters = ("parameters",) if flow.parameters else ()
    J = course.integrator.admitted.jacobian("q", "v", *parameters)
    values = {**course.first, **course.task.given}
    return dict(zip(J.outputs, J(*(values[k] for k in J.inputs)), strict=True))
