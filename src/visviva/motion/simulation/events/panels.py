"""States inside steps: on the polynomial of a step, by a shorter step, or as SciPy says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visviva.machine.run.call import Array
from visviva.motion.simulation.events.crossings import Flags, Numbers
from visviva.motion.simulation.integrate import Integrator, Nodes
from visviva.motion.steps.inside import inside_steps

AT_ONCE_LOOKED = 4096  # steps, so that polynomials take no more than some megabytes


def split(n: tuple[int, int], y: Array) -> tuple[Array, Array, Array]:
    """q, v and x of states (k, nq + nv + nx)."""
    return y[:, : n[0]], y[:, n[0] : n[0] + n[1]], y[:, n[0] + n[1] :]


@dataclass(frozen=True, eq=False)
class PolynomialPanels:
    """Accepted steps of a method with dense output: of every number of the state a polynomial."""

    integrator: Integrator
    row: Numbers
    t: Array
    h: Array
    y: Array  # (m, nq + nv + nx), at their starts
    given: Mapping[str, Array]  # (m, …)
    fresh: Flags
    checks: int = 8

    @cached_property
    def _coefficients(self) -> Array:
        s = self.integrator.flow.system
        q, v, x = split((s.nq, s.nv), self.y)
        values = {"q": q, "v": v, "x": x, "t": self.t, "h": self.h, **self.given}
        return self.integrator.polynomials(values)

    def states(self, which: Numbers, share: Array) -> tuple[Array, Array, Array]:
        """On the polynomials; quaternions have length one there, and constraints hold."""
        y, F = self.y[which], self._coefficients[which]
        times = self.t[which] + share * self.h[which]
        given = {k: x[which] for k, x in self.given.items()}
        s = self.integrator.flow.system
        whole = inside_steps(self.integrator, y, F, share, times, given)
        return split((s.nq, s.nv), whole)


def polynomial_panels(
    integrator: Integrator,
    parts: Sequence[Nodes],
    rows: Numbers,
    given: Mapping[str, Array],
    fresh: Flags,
) -> Iterator[PolynomialPanels]:
    """All steps of some trajectories, `AT_ONCE_LOOKED` of them at a time."""
    lots: list[tuple[int, int, int]] = []  # a trajectory, and the first and last of its steps
    for k, nodes in enumerate(parts):
        count = len(nodes.t) - 1
        lots += [(k, a, min(a + AT_ONCE_LOOKED, count)) for a in range(0, count, AT_ONCE_LOOKED)]
    waiting: list[tuple[int, int, int]] = []
    for lot in [*lots, None]:
        taken = sum(b - a for _, a, b in waiting)
        twice = lot is not None and any(k == lot[0] for k, _, _ in waiting)
        if waiting and (lot is None or twice or taken + lot[2] - lot[1] > AT_ONCE_LOOKED):
            yield _joined_panels(integrator, parts, rows, given, fresh, waiting)
            waiting = []
        if lot is not None:
            waiting.append(lot)


def _joined_panels(
    integrator: Integrator, parts: Any, rows: Any, given: Any, fresh: Any, lots: Any
) -> PolynomialPanels:
    number = np.concatenate([np.full(b - a, k) for k, a, b in lots])
    first = np.concatenate([(np.arange(a, b) == 0) & fresh[k] for k, a, b in lots])
    return PolynomialPanels(
        integrator,
        np.asarray(rows)[number],
        np.concatenate([parts[k].t[a:b] for k, a, b in lots]),
        np.concatenate([parts[k].lengths[a:b] for k, a, b in lots]),
        np.concatenate([parts[k].y[a:b] for k, a, b in lots]),
        {k: x[number] for k, x in given.items()},
        first,
    )


@dataclass(frozen=True, eq=False)
class StepPanels:
    """Steps of given length: inside one is where a shorter step of the same method leads."""

    integrator: Integrator
    row: Numbers
    t: Array
    h: Array
    inputs: Mapping[str, Array]  # (m, …), of the step
    fresh: Flags
    checks: int = 4

    def after(self, which: Numbers, share: Array) -> dict[str, Array]:
        """All that the step hands on, after a share of its length."""
        f = self.integrator._step
        values = {k: x[which] for k, x in self.inputs.items()}
        values["h"] = self.h[which] * share
        said = f(*(values[k] for k in f.inputs))
        return dict(zip(f.outputs, said if isinstance(said, tuple) else (said,), strict=True))

    def states(self, which: Numbers, share: Array) -> tuple[Array, Array, Array]:
        """By shorter steps; forces that are held are asked for at ends of whole ones only."""
        some = np.flatnonzero(share > 0.0)
        made = [np.array(self.inputs[k][which], dtype=float) for k in "qvx"]
        if len(some):
            held = self.inputs
            if "left" in held:
                held = {**held, "left": held["left"] + 1.0}
            panels = StepPanels(self.integrator, self.row, self.t, self.h, held, self.fresh)
            after = panels.after(which[some], share[some])
            for y, k in zip(made, "qvx", strict=True):
                y[some] = after[k]
        q, v, x = made
        return q, v, x


@dataclass(frozen=True, eq=False)
class PartPanels:
    """Steps of one trajectory, with a function of each, and of times (k,), for the states in it."""

    inside: Callable[[int, Array], tuple[Array, Array, Array]]
    row: Numbers
    t: Array
    h: Array
    fresh: Flags
    sizes: tuple[int, ...]  # of q, v and x
    checks: int = 8

    def states(self, which: Numbers, share: Array) -> tuple[Array, Array, Array]:
        """Where the functions say."""
        q, v, x = (np.empty((len(which), n)) for n in self.sizes)
        times = np.minimum(self.t[which] + share * self.h[which], self.t[which] + self.h[which])
        for k in np.unique(which):
            own = which == k
            q[own], v[own], x[own] = self.inside(int(k), times[own])
        return q, v, x
