"""The forces along a simulated motion, as its trajectory is told; none on passive joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.errors import ArgumentError
from visviva.machine.function import Function, function
from visviva.machine.run.call import Array
from visviva.motion.samples.forces import HELD, Acting
from visviva.motion.steps.law import Law

ASKED = 4  # random states at which a law is asked what it does to passive joints
AT_THE_END = 1e-9  # of an interval: where a sample is at one of its ends


@dataclass(frozen=True, eq=False)
class Steps:
    """Numbers (N, k, m) that are held: `values` (N, pieces, m) between `edges` (pieces + 1,)."""

    edges: Array
    values: Array

    def __call__(self, t: Array) -> Array:
        last = self.values.shape[-2] - 1
        room = AT_THE_END * np.diff(self.edges).min()
        at = np.searchsorted(self.edges, np.asarray(t) + room, side="right") - 1
        return np.asarray(self.values[:, np.clip(at, 0, last)])

    def change_at(self, t: Array) -> bool:
        """Whether they change at these times only."""
        inner = self.edges[1:-1]
        if not len(inner):
            return True
        near = np.clip(np.searchsorted(t, inner), 1, len(t) - 1)
        off = np.minimum(abs(t[near] - inner), abs(t[near - 1] - inner))
        return bool((off <= AT_THE_END * np.diff(self.edges).min()).all())


def passive_entries(s: Any) -> list[int]:
    """Which entries of τ are zero because nothing drives their joints."""
    parts = s.joint_slices
    return [k for name in s.passive for k in range(s.nv)[parts[name][1]]]


def refuse_on_passive(s: Any, tau: Array, what: str = "tau") -> None:
    """Refuse forces (…, n) on joints that nothing drives."""
    acting = np.abs(np.asarray(tau)).reshape(-1, s.nv).max(axis=0, initial=0.0)
    if names := [s.motion_names[k] for k in passive_entries(s) if acting[k] > 0]:
        raise ArgumentError(
            f"simulate: {what} acts on {', '.join(names)}, which is passive: nothing drives it, "
            "and its τ is zero; the same system with forces on all is another",
            cure="model = model.with_passive([])",
        )


def refuse_law_on_passive(s: Any, law: Function, states: int) -> None:
    """The same of a law that was traced, by what it says at random states."""
    if not passive_entries(s):
        return
    rng = np.random.default_rng(0)
    for _ in range(ASKED):
        q = s.integrate(s.neutral(), rng.normal(size=s.nv))
        given = [float(rng.normal()), q, rng.normal(size=s.nv)]
        said = law(*given, rng.normal(size=states)) if states else law(*given)
        refuse_on_passive(s, said[0] if states else said, "the law of tau")


def held(steps: Steps, t: Array, rows: Any) -> tuple[Array | None, Any]:
    """τ and what it is between samples, of forces that are held."""
    if steps.change_at(t):
        return steps(t)[rows], HELD
    return None, Acting(steps, None, rows, tuple(steps.edges[1:-1]))


def remembered(
    law: Law, x: Any, parameters: Array | None, rows: Any, forces_of: Any = Law.at
) -> Acting:
    """Forces of a controller that remembers numbers x (N, k, nx), known at all times.

    They are τ, or with `Law.own_forces` those that the controller itself gives.
    """
    s, n = law.system, law.states
    count = len(law.parameters) if law.drives else 0  # the map of actuators may depend on them

    def forces(t: Any, q: Any, v: Any, w: Any) -> Any:
        return forces_of(law, t, q, v, w[:n], {"parameters": w[n:]})[0]

    def numbers(t: Array) -> Array:
        now = x(t) if n else np.zeros((np.size(rows), len(t), 0))
        return _beside(now, parameters if count else None, len(t))

    sizes = {"t": (), "q": s.nq, "v": s.nv, "w": n + count}
    return Acting(numbers, function(forces, sizes, name="controller"), rows)


def _beside(now: Array, parameters: Array | None, count: int) -> Array:
    """Numbers (N or 1, k, m) of the time and parameters (N, p) of each row, side by side."""
    if parameters is None:
        return now
    spread = np.broadcast_to(parameters[:, None], (len(parameters), count, parameters.shape[1]))
    whole = np.broadcast_to(now, (len(parameters), *now.shape[1:]))
    return np.concatenate([whole, spread], axis=-1)


def driven(law: Law, u: Steps, parameters: Array | None, rows: Any) -> Acting:
    """Forces T(q) u of actuators; parameters (N, p) of each row."""
    s, n = law.system, law.drives_count
    count = len(law.parameters)

    def forces(t: Any, q: Any, v: Any, w: Any) -> Any:
        return law.driven(t, q, v, w[:n], w[n:])

    def numbers(t: Array) -> Array:
        return _beside(u(t), parameters, len(t))

    sizes = {"t": (), "q": s.nq, "v": s.nv, "w": n + count}
    made = function(forces, sizes, name="actuators")
    return Acting(numbers, made, rows, tuple(u.edges[1:-1]))
