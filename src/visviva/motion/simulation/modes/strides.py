"""Steps while a mode lasts: as long as tolerances allow, or of given length.

Whoever takes them may stop in between: states inside steps are those of the method's polynomial,
or of a shorter step of the same method.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from visviva.machine.run.call import Array
from visviva.motion.simulation.adaptive import ATTEMPTS
from visviva.motion.simulation.bounds import Pace
from visviva.motion.simulation.events.panels import Panels, given_panels, polynomial_panels
from visviva.motion.simulation.integrate import Integrator, Nodes, adaptive_nodes
from visviva.motion.steps.inside import Dense
from visviva.numerics import bernstein

CHUNK, LONGEST_CHUNK = 24, 384  # attempts between looks at what slides, and while nothing changes
A_BEGINNING = 50  # tries: the work to ask who slides
FEWEST_TAKEN, MOST_TAKEN = 8, 512  # steps of given length between looks
LEFT_AT_AN_END = 1e-13  # of the time: what is left before an end, and no step is taken for
NEVER = 1e15  # steps until a controller is asked: here it is asked from outside

Now = Mapping[str, Array]  # q, v, x, t of one row (1, …)


class Strides(Protocol):
    """Steps of one trajectory."""

    attempts: int

    @property
    def is_over(self) -> bool:
        """Whether they no longer get on."""

    @property
    def trouble(self) -> str:
        """What it means if they end before their time."""

    def taken(self, now: Now, given: Mapping[str, Array], last: float) -> Iterator[Nodes]:
        """Steps from a state until `last`, some at a time; none where no step is accurate."""

    def inside(self, nodes: Nodes, given: Mapping[str, Array], times: Array) -> dict[str, Array]:
        """States at times within steps."""

    def panels(self, nodes: Nodes, given: Mapping[str, Array], row: int) -> Panels:
        """The same steps as polynomials."""

    def cut(self) -> None:
        """The last steps were left in between."""


@dataclass(eq=False)
class ChosenStrides:
    """Steps as long as their error allows."""

    integrator: Integrator
    tolerances: Array
    at: Any  # progress
    pace: Pace
    attempts: int = 0
    begun: int = 0  # times

    @property
    def is_over(self) -> bool:
        """Whether they no longer get on."""
        return bool(self.pace.trouble)

    @property
    def trouble(self) -> str:
        """What it means if they end before their time."""
        return self.pace.trouble or "no step however short is accurate there"

    def taken(self, now: Now, given: Mapping[str, Array], last: float) -> Iterator[Nodes]:
        """Some attempts at a time."""
        integrator, end = self.integrator, np.array([last])
        loop = integrator.adaptive_for(1)
        moment = LEFT_AT_AN_END * max(abs(last), abs(float(now["t"][0])))
        h = np.maximum(integrator.first_step(now, end), np.minimum(end - now["t"], 10 * moment))
        more = {"h": h, "failed": np.zeros(1), "end": end, "tolerances": self.tolerances}
        run = loop.start({**now, **given, **more})
        self.begun += 1
        self.pace.begin_at(now["t"])
        done, chunk, before = 0, CHUNK, now
        before_it = self.attempts + A_BEGINNING * self.begun
        try:
            while not run.resting.all() and done < ATTEMPTS:
                done, chunk = done + chunk, min(2 * chunk, LONGEST_CHUNK)
                (new,) = adaptive_nodes(
                    run,
                    before,
                    done,
                    1,
                    lambda run: self.at.step(),
                    pace=self.pace,
                    before=before_it,
                )
                before = {k: np.array(run.state[k]) for k in ("q", "v", "x", "t")}
                yield Nodes(new.t, new.q.copy(), new.v.copy(), new.x.copy())
                if self.is_over:
                    break
        finally:
            self.attempts += int(run.passes[0]) // run.cycle
            loop.over(run)

    def inside(self, nodes: Nodes, given: Mapping[str, Array], times: Array) -> dict[str, Array]:
        """On the polynomials."""
        dense = Dense(self.integrator, nodes, {k: x[0] for k, x in given.items()})
        return dict(zip("qvx", dense(times), strict=True)) | {"t": times}

    def panels(self, nodes: Nodes, given: Mapping[str, Array], row: int) -> Panels:
        """The method's own; of a step that was left in between, its part until then."""
        m = len(nodes.t) - 1
        many = {k: np.repeat(x, m, 0) for k, x in given.items()}
        of, t, h = np.full(m, row), nodes.t[:-1], np.array(nodes.lengths)
        panels = polynomial_panels(self.integrator, of, t, h, nodes.y[:-1], many)
        whole, h[-1] = h[-1], nodes.t[-1] - t[-1]
        panels.B[-1] = bernstein.part_before(panels.B[-1], h[-1] / whole)
        return panels

    def cut(self) -> None:
        """The next steps begin anew."""


@dataclass(eq=False)
class GivenStrides:
    """Steps that end at first + k dt; one that was cut is followed by a shorter one."""

    integrator: Integrator
    first: float
    dt: float
    steps: int
    last: float
    attempts: int = 0
    most: int = FEWEST_TAKEN
    is_over: bool = False
    trouble: str = "the next step is not finite; try a shorter dt, or no dt for adaptive steps"

    def time(self, k: Any) -> Any:
        """That of the grid."""
        return np.where(np.asarray(k) >= self.steps, self.last, self.first + self.dt * k)

    def taken(self, now: Now, given: Mapping[str, Array], last: float) -> Iterator[Nodes]:
        """A shorter one first, where the grid was left; then as they are given."""
        t = float(now["t"][0])
        k = int(np.floor((t - self.first) / self.dt * (1 + 1e-12) + 1e-9))
        until = round((last - self.first) / self.dt)
        off = t - float(self.time(k))
        if abs(off) > LEFT_AT_AN_END * max(abs(t), self.dt):
            step = self._stepped(now, given, float(self.time(k + 1)) - t, 1)
            if len(step["q"]) < 2:
                yield Nodes(np.array([t]), step["q"], step["v"], step["x"])
                return
            now, k = self._state(step, float(self.time(k + 1))), k + 1
            yield Nodes(np.array([t, float(self.time(k))]), step["q"], step["v"], step["x"])
        while k < until:
            count = min(self.most, until - k)
            self.most = min(2 * self.most, MOST_TAKEN)
            step = self._stepped(now, given, self.dt, count)
            done = len(step["q"]) - 1
            times = self.time(np.arange(k, k + done + 1))
            now, k = self._state(step, float(times[-1])), k + done
            yield Nodes(times, step["q"], step["v"], step["x"], np.full(done, self.dt))
            if done < count:
                return

    @staticmethod
    def _state(step: Mapping[str, Array], t: float) -> Now:
        return {**{k: step[k][-1:] for k in "qvx"}, "t": np.array([t])}

    def _stepped(
        self, now: Now, given: Mapping[str, Array], h: float, count: int
    ) -> dict[str, Array]:
        """States after 0, 1, …, count steps, as long as they are finite."""
        run = self.integrator.fixed.start({**now, **self._more(given, 1), "h": np.array([h])})
        run.keep_every(1, count + 1)
        run.advance(count, 1)
        self.attempts += count
        kept = {k: np.array(run.history[k][0]) for k in "qvx"}
        fine = np.isfinite(np.concatenate(list(kept.values()), axis=1)).all(axis=1)
        until = len(fine) if fine.all() else int(np.argmin(fine))
        return {k: x[:until] for k, x in kept.items()}

    def _more(self, given: Mapping[str, Array], rows: int) -> dict[str, Array]:
        law = self.integrator.flow.law
        never = {k: np.full(rows, NEVER) for k in ("left", "every")} if law.is_sampled else {}
        return {**given, **never}

    def inside(self, nodes: Nodes, given: Mapping[str, Array], times: Array) -> dict[str, Array]:
        """By shorter steps."""
        k = np.clip(np.searchsorted(nodes.t, times, side="right") - 1, 0, max(len(nodes.t) - 2, 0))
        f = self.integrator._step
        h = times - nodes.t[k]
        values = {name: np.repeat(x, len(times), 0) for name, x in self._more(given, 1).items()}
        values |= {"q": nodes.q[k], "v": nodes.v[k], "x": nodes.x[k], "t": nodes.t[k], "h": h}
        said = f(*(values[name] for name in f.inputs))
        made = dict(zip(f.outputs, said, strict=True))
        state = {name: np.array(made[name]) for name in "qvx"}
        for near in (k, np.minimum(k + 1, len(nodes.t) - 1)):  # at a step the step itself
            there = nodes.t[near] == times
            for name in "qvx":
                state[name][there] = getattr(nodes, name)[near[there]]
        return {**state, "t": times}

    def panels(self, nodes: Nodes, given: Mapping[str, Array], row: int) -> Panels:
        """Polynomials through both ends and the middle of every step."""
        m = len(nodes.t) - 1
        many = {k: np.repeat(x, m, 0) for k, x in self._more(given, 1).items()}
        now = {**many, **{k: getattr(nodes, k)[:-1] for k in "qvxt"}}
        then = {k: getattr(nodes, k)[1:] for k in "qvx"}
        return given_panels(self.integrator, np.full(m, row), np.diff(nodes.t), now, then)

    def cut(self) -> None:
        """Look oftener for a while."""
        self.most = FEWEST_TAKEN
