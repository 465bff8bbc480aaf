"""States inside accepted steps: on the method's own polynomial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.equations.steps.tableaux import Tableau
from visviva.machine.run.call import Array

if TYPE_CHECKING:
    from visviva.motion.simulation.integrate import Integrator, Nodes


@dataclass(frozen=True, eq=False)
class Dense:
    """States of one trajectory at any time: the method's own polynomial in every step.

    Coefficients are computed for those steps only in which a time falls, all in one call.
    """

    integrator: Integrator
    nodes: Nodes
    given: Mapping[str, Array]

    def __call__(self, times: Array) -> tuple[Array, Array, Array]:
        """q, v and what a controller remembers, (k, …)."""
        given = {name: np.asarray(x)[None] for name, x in self.given.items()}
        q, v, x = states_between(self.integrator, [self.nodes], given, times)
        return q[0], v[0], x[0]


def states_between(
    integrator: Integrator, rows: Sequence[Nodes], given: Mapping[str, Array], times: Array
) -> tuple[Array, Array, Array]:
    """q, v and what a controller remembers of many rows at times (k,): (rows, k, …).

    `given` has a row for each.
    """
    of = np.repeat(np.arange(len(rows)), len(times))
    found = states_on(integrator, rows, given, of, np.tile(times, len(rows)))
    q, v, x = (y.reshape(len(rows), len(times), -1) for y in found)
    return q, v, x


def states_on(
    integrator: Integrator,
    rows: Sequence[Nodes],
    given: Mapping[str, Array],
    of: Any,
    times: Array,
) -> tuple[Array, Array, Array]:
    """The same at times (k,), each on the row that `of` (k,) says: (k, …).

    All steps are one array, and what falls into them is one call.
    """
    s, count = integrator.flow.system, np.array([len(nodes.t) for nodes in rows])
    first = np.cumsum(count) - count
    order = np.argsort(of, kind="stable")
    inside = [
        np.searchsorted(nodes.t, own, side="right") - 1
        for nodes, own in zip(rows, _groups(times[order], of, len(rows)), strict=True)
    ]
    at = np.empty(len(times), dtype=int)
    at[order] = np.concatenate(inside)
    at = np.clip(at, 0, np.maximum(count - 2, 0)[of]) + first[of]
    after = np.minimum(at + 1, (first + count - 1)[of])
    t, y = np.concatenate([nodes.t for nodes in rows]), np.concatenate([x.y for x in rows])
    used, where = np.unique(at, return_inverse=True)
    own = np.repeat(np.arange(len(rows)), count)[used]
    h = np.concatenate([np.append(nodes.lengths, 1.0) for nodes in rows])[used]
    q, v, x = np.split(y, [s.nq, s.nq + s.nv], axis=1)
    values = {"q": q[used], "v": v[used], "x": x[used], "t": t[used], "h": h}
    F = integrator.polynomials(values | {name: z[own] for name, z in given.items()})
    share = (times - t[at]) / h[where]
    every = {name: z[of] for name, z in given.items()}
    state = inside_steps(integrator, y[at], F[where], share, times, every)
    for near in (at, after):  # at a step the step itself, and of a row without any its start
        is_there = (t[near] == times) | (count == 1)[of]
        state[is_there] = y[near[is_there]]
    q, v, x = np.split(state, [s.nq, s.nq + s.nv], axis=1)
    return q, v, x


def _groups(sorted_times: Array, of: Any, rows: int) -> list[Array]:
    """The times of each row."""
    return np.split(sorted_times, np.cumsum(np.bincount(of, minlength=rows))[:-1])


def inside_steps(
    integrator: Integrator,
    y: Array,
    F: Array,
    share: Array,
    times: Array,
    given: Mapping[str, Array],
) -> Array:
    """States (k, nq + nv + nx) after shares (k,) of steps from y, with the coefficients F of each.

    Quaternions have length one there, and constraints hold; `given` has a row for each.
    """
    s = integrator.flow.system
    state = y + _polynomial(integrator.tableau, F, share[:, None])
    if s.quaternions or s.held_by:
        f = integrator.admitted
        parts = dict(zip("qvx", np.split(state, [s.nq, s.nq + s.nv], axis=1), strict=True))
        values = {**given, **parts, "t": times}
        state[:, : s.nq], state[:, s.nq : s.nq + s.nv] = f(*(values[k] for k in f.inputs))
    return state


def _polynomial(method: Tableau, F: Array, x: Array) -> Array:
    """The change since the step's start at a share x of it."""
    if method.more is None:
        return np.asarray(sum(F[:, k] * x ** (k + 1) for k in range(F.shape[1])))
    y = np.zeros_like(F[:, 0])
    for i in range(F.shape[1]):
        y = (y + F[:, F.shape[1] - 1 - i]) * (x if i % 2 == 0 else 1.0 - x)
    return y
