"""Steps as polynomials in Bernstein form, whichever method took them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visviva.machine.run.call import Array
from visviva.motion.simulation.integrate import Integrator, Nodes
from visviva.numerics import bernstein

EPSILON = 2.0**-52
AT_ONCE_LOOKED = 4096  # steps, so that polynomials take no more than some megabytes

Numbers = np.ndarray[Any, np.dtype[np.int64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
Admit = Callable[[Numbers, Array, Array], Array]  # (which steps, times, states) to states


@dataclass(frozen=True, eq=False)
class Panels:
    """Steps, those of one trajectory together and in order: when, how long, and where they lead."""

    row: Numbers  # of which trajectory each is, (m,)
    t: Array
    h: Array
    B: Array  # (m, degree + 1, nq + nv + nx)
    cut: tuple[int, int]  # of a state, after q and after v
    admit: Admit | None = None  # to constraints, and quaternions to length one

    def states(self, panel: Numbers, share: Array) -> Array:
        """(k, nq + nv + nx) in steps `which` (k,) after a share of their lengths (k,)."""
        y = bernstein.values(self.B[panel], share)
        times = self.t[panel] + share * self.h[panel]
        return y if self.admit is None else self.admit(panel, times, y)

    def state(self, panel: int, share: float) -> tuple[Array, Array, Array]:
        """q, v and x."""
        q, v, x = np.split(self.states(np.array([panel]), np.array([share]))[0], self.cut)
        return q, v, x

    @cached_property
    def corrections(self) -> Array:
        """(m, n): how far constraints, and lengths of quaternions, move states from polynomials:
        twice what they do at three places of a step."""
        m, n = len(self.t), self.B.shape[2]
        size, every = np.zeros((m, n)), np.arange(m)
        for share in () if self.admit is None else (0.25, 0.5, 0.75):
            x = np.full(m, share)
            size = np.maximum(
                size, 2.0 * np.abs(self.states(every, x) - bernstein.values(self.B, x))
            )
        return size


def admission(integrator: Integrator, t: Array, inputs: Mapping[str, Array]) -> Admit | None:
    """How states are brought to constraints; `given` has a row for every step."""
    s = integrator.flow.system
    if not (s.quaternions or s.held_by):
        return None

    def admit(panel: Numbers, times: Array, y: Array) -> Array:
        f, (q, v, x) = integrator.admitted, np.split(y, [s.nq, s.nq + s.nv], axis=1)
        values = {**{k: z[panel] for k, z in inputs.items()}, "q": q, "v": v, "x": x, "t": times}
        return np.concatenate([*f(*(values[k] for k in f.inputs)), x], axis=1)

    return admit


def polynomial_panels(
    integrator: Integrator, row: Numbers, t: Array, h: Array, y: Array, inputs: Mapping[str, Array]
) -> Panels:
    """Accepted steps of a method with dense output, from states y (m, n); `given` (m, …)."""
    s, tableau = integrator.flow.system, integrator.tableau
    cut = (s.nq, s.nq + s.nv)
    q, v, x = np.split(y, cut, axis=1)
    F = integrator.polynomials({"q": q, "v": v, "x": x, "t": t, "h": h, **inputs})
    powers = [(k + 1, 0) for k in range(F.shape[1])]
    if tableau.more is not None:
        powers = [*bernstein.alternating_powers(F.shape[1])]
    rows = bernstein.of_powers(tuple(powers))
    B = y[:, None] + np.moveaxis(np.tensordot(F, rows, (1, 0)), 2, 1)
    return Panels(row, t, h, B, cut, admission(integrator, t, inputs))


def given_panels(
    integrator: Integrator, row: Numbers, h: Array, start: Mapping[str, Array], end: Any
) -> Panels:
    """Steps of given length, from `start` (m, …) to `end`: through both ends and the end of a step
    of half the length, and their slopes. Forces that are held are those of the step."""
    s, f, step = integrator.flow.system, integrator.slope, integrator._step
    half = {**start, "h": 0.5 * h, **({"left": start["left"] + 1.0} if "left" in start else {})}
    middle = dict(zip(step.outputs, step(*(half[k] for k in step.inputs)), strict=True))

    def columns(x: Any) -> Array:
        return np.concatenate([np.asarray(y) for y in x], axis=1)

    places = [{**start, **{k: x[k] for k in "qvx"}} for x in (start, middle, end)]
    places = [
        {**x, "t": start["t"] + share * h} for x, share in zip(places, (0, 0.5, 1), strict=True)
    ]
    y, ym, y1 = (columns(x[k] for k in "qvx") for x in places)
    d, dm, d1 = (h[:, None] / 5.0 * columns(f(*(x[k] for k in f.inputs))) for x in places)
    ym, y1 = ym - y, y1 - y  # all are changes since the start
    even = (32 * ym - 5 * d - 6 * y1 + 5 * d1) / 10
    odd = (16 * dm + 3 * d - 4 * y1 + 3 * d1) / 2
    B = np.stack([0 * y, d, (even - odd) / 2, (even + odd) / 2, y1 - d1, y1], axis=1)
    B += y[:, None]
    return Panels(
        row, start["t"], h, B, (s.nq, s.nq + s.nv), admission(integrator, start["t"], start)
    )


def called_panels(
    integrator: Integrator,
    dense: Sequence[Callable[[Array], Array]],
    times: Array,
    degree: int,
    inputs: Mapping[str, Array],
) -> Panels:
    """Steps of one trajectory between `times`: functions for states (n, k), polynomials in t."""
    s, h = integrator.flow.system, np.diff(times)
    share, to_bernstein = bernstein.nodes(degree)
    y = [f(a + share * (b - a)).T for f, a, b in zip(dense, times[:-1], times[1:], strict=True)]
    row = np.zeros(len(h), dtype=np.int64)
    B, cut = to_bernstein @ np.stack(y), (s.nq, s.nq + s.nv)
    return Panels(row, times[:-1], h, B, cut, admission(integrator, times[:-1], inputs))


def panels_of_nodes(
    integrator: Integrator,
    parts: Sequence[Nodes],
    rows: Numbers,
    inputs: Mapping[str, Array],
) -> Iterator[Panels]:
    """All steps of some trajectories, `AT_ONCE_LOOKED` of them at a time."""
    lots: list[tuple[int, int, int]] = []  # a trajectory, and the first and last of its steps
    for k, nodes in enumerate(parts):
        count = len(nodes.t) - 1
        lots += [(k, a, min(a + AT_ONCE_LOOKED, count)) for a in range(0, count, AT_ONCE_LOOKED)]
    queue: list[tuple[int, int, int]] = []
    for lot in [*lots, None]:
        count = sum(b - a for _, a, b in queue)
        twice = lot is not None and any(k == lot[0] for k, _, _ in queue)
        if queue and (lot is None or twice or count + lot[2] - lot[1] > AT_ONCE_LOOKED):
            number = np.concatenate([np.full(b - a, k) for k, a, b in queue])
            t, h, y = (
                np.concatenate([getattr(parts[k], name)[a:b] for k, a, b in queue])
                for name in ("t", "lengths", "y")
            )
            values = {k: x[number] for k, x in inputs.items()}
            yield polynomial_panels(integrator, np.asarray(rows)[number], t, h, y, values)
            queue = []
        if lot is not None:
            queue.append(lot)
