"""Derivatives of motions: what they cost beside the plain run, and beside finite differences.

One motion of a thousand steps of fourth order, a millisecond each, one thread; forces change at
every step. Forward: (q, v) at the end by the start. Backward: a cost at the end by the start and by
all forces, six thousand of a UR5. Differences: central, of a batch of motions from starts that
differ, so that they share the lanes of the processor; by the start only. Both ways must say the
same before anything is timed.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import visviva as vv
from benchmarks.harness import Row, benchmark, best
from benchmarks.peers import Array
from benchmarks.robots import SOLO, UR5

STEPS, DT = 1000, 1e-3
SAME = 1e-9  # of the largest derivative
MOVED = 1e-6  # between the starts of motions that are compared


@dataclass(frozen=True)
class Subject:
    """A system, and from where it moves."""

    name: str
    model: Any
    q: Array
    v: Array

    @property
    def how(self) -> dict[str, Any]:
        tau = np.zeros((STEPS, self.model.nv))
        return {"tau": tau, "dt": DT, "method": "rk4", "save": STEPS}

    def plain(self) -> Any:
        return self.model.simulate(self.q, self.v, STEPS * DT, **self.how)

    def forward(self) -> Array:
        S = self.model.sensitivities(self.q, self.v, STEPS * DT, wrt=("q0", "v0"), **self.how)
        return np.asarray(S.matrix[-1])

    def backward(self, slopes: Array) -> Any:
        wrt = ("q0", "v0", "tau")
        return self.model.gradient(tuple(slopes), self.q, self.v, STEPS * DT, wrt=wrt, **self.how)

    def differences(self) -> Array:
        s, n = self.model, self.model.nv
        steps = MOVED * np.concatenate([np.eye(2 * n), -np.eye(2 * n)])
        q = np.array([s.integrate(self.q, x[:n]) for x in steps])
        run = s.simulate(q, self.v + steps[:, n:], STEPS * DT, **self.how)
        end = np.concatenate([run.q[:, -1], run.v[:, -1]], axis=1)
        return np.asarray((end[: 2 * n] - end[2 * n :]).T / (2 * MOVED))


def subjects() -> Iterator[Subject]:
    arm = vv.catalog.two_link()
    yield Subject("double pendulum", arm, np.array([0.4, -0.3]), np.zeros(2))
    for robot in (UR5, SOLO):
        model = robot.model
        v = 0.1 * np.random.default_rng(0).normal(size=model.nv)
        yield Subject(robot.name, model, model.random(1), v)


def _taken(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


@benchmark
def motion_sensitivities() -> Iterator[Row]:
    """Forward and backward, over the plain run; and what the first use of each takes."""
    for one in subjects():
        slopes = np.random.default_rng(1).normal(size=(2, one.model.nv))
        back = partial(one.backward, slopes)
        one.plain()
        first = _taken(one.forward), _taken(back)
        S, G = one.forward(), back()
        expected = slopes.ravel() @ S
        if not np.abs(G.vector[: len(expected)] - expected).max() <= SAME * np.abs(S).max():
            raise AssertionError(f"{one.name}: backward is not forward")
        calls = [one.plain, one.forward, back, one.differences]
        times = best(*calls, repeats=7, seconds=0.01, clock=time.process_time)
        what = f"derivatives of 1000 steps, RK4, {one.name}"
        ways = ("forward, by the start", "backward, by all forces", "central differences")
        for way, taken in zip(ways, times[1:], strict=True):
            yield Row(f"{what}, {way}", taken, "the plain run", times[0], taken / times[0], "times")
        for way, taken in zip(ways[:2], first, strict=True):
            yield Row(f"{what}, {way}, first use", None, "", None, taken, "seconds, compiling")
