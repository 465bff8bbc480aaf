"""Motions as loops of machine code: the steps of `steps/`, compiled, repeated, and what they leave.

An integrator is made once for a system, a law of forces and a method; start, tolerances, step and
parameters are inputs, so that it serves every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra import generic as g
from visviva.algebra.arrays import vector
from visviva.equations.steps.explicit import fixed_step, semi_implicit
from visviva.equations.steps.flow import State, further_stages, stages, weighted
from visviva.equations.steps.tableaux import Tableau, tableaux
from visviva.machine.function import Function, function
from visviva.machine.program.trace import input_ports, traced
from visviva.machine.repetition import Loop
from visviva.machine.run.call import Array
from visviva.machine.run.passes import Running
from visviva.motion.samples.actuators import ActuatorShare
from visviva.motion.simulation import beyond
from visviva.motion.simulation.attempts import (
    LONG,
    REPAYING,
    ROWS_WORTH_COPIES,
    STAGED,
    STATES,
    Attempts,
)
from visviva.motion.simulation.bounds import WINDOW, Pace
from visviva.motion.steps.explicit import SMALLEST, adaptive_step
from visviva.motion.steps.flow import Flow
from visviva.motion.steps.implicit import midpoint, variational
from visviva.motion.steps.staged import register_sizes, rows_of, stage

WAITING = 4_000_000  # numbers of accepted steps that wait to be taken over
ROOM = 1024  # steps of a row that wait at most: more would spread over pages of memory
BEGINNING = 1e-6  # of the whole time: the first step


@dataclass(frozen=True, eq=False)
class Method:
    """A step of given length, and what it remembers besides the state: lengths of it by name.

    What is remembered begins as zeros; "v" stands for as many numbers as there are velocities.
    """

    step: Callable[[Flow, State, Any, Any, Mapping[str, Any]], tuple[State, dict[str, Any]]]
    remembers: Mapping[str, Any] = field(default_factory=dict)


def _plain(step: Callable[..., State]) -> Method:
    return Method(lambda *arguments: (step(*arguments), {}))


METHODS = {  # of given step, beside the tableaux
    "semi-implicit": _plain(semi_implicit),
    "midpoint": Method(midpoint, {"residual": ()}),
    "variational": Method(variational, {"residual": (), "rest": "v"}),
}


@dataclass(frozen=True, eq=False)
class Nodes:
    """The accepted steps of one trajectory: times (k,), states (k, …).

    A step may have been left before its end, where an event was: `h` (k - 1,) are their lengths as
    they were taken. `dense` (k - 1,) are functions of times, for the states (n, k) in them, of
    methods that are not our own.
    """

    t: Array
    q: Array
    v: Array
    x: Array
    h: Array | None = None
    dense: list[Any] | None = None

    @classmethod
    def from_columns(
        cls, columns: Iterable[Array], h: Array | None = None, dense: list[Any] | None = None
    ) -> Nodes:
        """Of times and states, as `columns` has them."""
        t, q, v, x = columns
        return cls(t, q, v, x, h, dense)

    @property
    def columns(self) -> tuple[Array, Array, Array, Array]:
        """Times and states."""
        return self.t, self.q, self.v, self.x

    @property
    def lengths(self) -> Array:
        """Of the steps (k - 1,), as they were taken."""
        return np.diff(self.t) if self.h is None else self.h

    def first(self, n: int) -> Nodes:
        """The first n states."""
        h = None if self.h is None else self.h[: n - 1]
        dense = None if self.dense is None else self.dense[: n - 1]
        return Nodes.from_columns((x[:n] for x in self.columns), h, dense)

    def until(self, t: float, q: Array, v: Array, x: Array) -> Nodes:
        """Those before a time, and the state at it; the last step stays as long as it was taken."""
        if t <= self.t[0]:
            return self.first(1)
        k = max(int(np.searchsorted(self.t, t, side="left")), 1)
        pairs = zip(self.columns, (np.array(t), q, v, x), strict=True)
        columns = [np.concatenate([before[:k], last[None]]) for before, last in pairs]
        dense = None if self.dense is None else self.dense[:k]
        return Nodes.from_columns(columns, self.lengths[:k], dense)

    @property
    def y(self) -> Array:
        """All numbers of the states, (k, nq + nv + nx)."""
        return np.concatenate([self.q, self.v, self.x], axis=1)


def joined(parts: Sequence[Nodes]) -> Nodes:
    """Pieces one after the other; where they meet, the state is that with which one begins."""
    if len(parts) == 1:
        return parts[0]
    *before, last = parts
    columns: dict[str, Any] = {
        k: np.concatenate([*(getattr(p, k)[:-1] for p in before), getattr(last, k)])
        for k in ("t", "q", "v", "x")
    }
    if any(p.h is not None for p in parts):
        columns["h"] = np.concatenate([p.lengths for p in parts])
    if last.dense is not None:
        columns["dense"] = [f for p in parts for f in p.dense or ()]
    return Nodes(**columns)


@dataclass(frozen=True, eq=False)
class Integrator:
    """A flow and a method, with the functions they need, each compiled on first use."""

    flow: Flow
    method: str

    @property
    def tableau(self) -> Tableau:
        """The method as data."""
        return tableaux()[self.method]

    def _function(
        self, name: str, f: Any, inputs: Mapping[str, Any], *numbers: Any
    ) -> Function[Any]:
        """Traced on first use; found on disk without tracing where the system has a name.

        `numbers` are those of a system that its equations of motion do not depend on.
        """
        ports = input_ports(inputs)
        asked = self.flow.system.function("forward_dynamics", parameters=self.flow.parameters)
        law = self.flow.law
        key = None
        if law.controller is None and asked.key is not None:
            key = (
                "motion",
                self.flow.kind,
                name,
                self.method,
                law.drives,
                asked.key,
                *map(repr, numbers),
            )
        label = f"{name}_{self.method}".replace("-", "_")
        return Function(label, ports, lambda: traced(f, ports), key)

    @cached_property
    def _step(self) -> Function[Any]:
        """One step of given length."""
        sizes = self._step_sizes
        return self._function("step", _by_name(self._next_state, sizes), sizes)

    @property
    def _step_sizes(self) -> dict[str, Any]:
        sizes = {**self.flow.sizes(), "h": (), **self.remembers, **self.flow.inputs}
        if self.flow.law.is_sampled:  # steps until forces are asked for again, and in a period
            sizes |= {"left": (), "every": ()}
        return sizes

    def _next_state(self, **values: Any) -> dict[str, Any]:
        law, method = self.flow.law, METHODS.get(self.method) or _plain(self._explicit)
        s, t, h = State(values["q"], values["v"], values["x"]), values["t"], values["h"]
        new, more = method.step(self.flow, s, t, h, values)
        after = {"q": new.q, "v": new.v, "x": new.x, "t": t + h, **more}
        return {**after, **_sampled(law, after, values)} if law.is_sampled else after

    @cached_property
    def fixed(self) -> Loop:
        """Steps of given length."""
        return Loop(self._step, keep=self._states_to_keep)

    @property
    def _states_to_keep(self) -> tuple[str, ...]:
        return ("q", "v", "x", *(("tau",) if self.flow.law.is_sampled else ()))

    @cached_property
    def guard_loop(self) -> Loop:
        """The same; `doubt` is 1 from a state on of which something may have to be said."""
        return Loop(self._guard_step, keep=self._states_to_keep)

    @cached_property
    def guard_loop_with_table(self) -> Loop:
        """The same, with forces that change at every step."""
        each = tuple(self.flow.law.inputs)
        return Loop(self._guard_step, each=each, keep=self._states_to_keep)

    @cached_property
    def _guard_step(self) -> Function[Any]:
        sizes = {**self._step_sizes, "doubt": ()}

        def step(**values: Any) -> dict[str, Any]:
            return {**self._next_state(**values), "doubt": self._doubt(values)}

        return self._function("guard_step", _by_name(step, sizes), sizes, *self._limits)

    @cached_property
    def guard(self) -> Function[Any]:
        """The doubt at a state, if there was one before."""
        sizes = {**self.flow.sizes(), **self.flow.inputs, "doubt": ()}
        formulas = _by_name(lambda **values: self._doubt(values), sizes)
        return self._function("guard", formulas, sizes, *self._limits)

    @cached_property
    def _limits(self) -> tuple[Any, ...]:
        """Bounds of states and τ, those of actuators, and the matrix from τ to their forces."""
        s, law = self.flow.system, self.flow.law
        of_actuators = beyond.actuator_bounds(s)
        if not of_actuators or law.drives:
            return beyond.bounds_of(s), of_actuators, None
        inverse = ActuatorShare(s, self.flow.parameters).constant
        return beyond.bounds_of(s), of_actuators, None if inverse is None else inverse.tolist()

    def _doubt(self, values: Mapping[str, Any]) -> Any:
        """Of forces of actuators that change with the position, unless they are given: always."""
        law, (bounds, of_actuators, inverse) = self.flow.law, self._limits
        t, q, v, x = (values[k] for k in "tqvx")
        tau, _ = law.at(t, q, v, x, values)
        before = beyond.doubt(bounds, (*q, *v, *tau), values["doubt"])
        if not of_actuators:
            return before
        if law.drives:
            return beyond.doubt(of_actuators, law.own_forces(t, q, v, x, values)[0], before)
        if inverse is None:
            return 1.0
        return beyond.doubt(of_actuators, np.array(inverse) @ tau, before)

    def _explicit(self, flow: Flow, s: State, t: Any, h: Any, given: Mapping[str, Any]) -> State:
        return fixed_step(flow, self.tableau, s, t, h, given)

    @property
    def remembers(self) -> dict[str, Any]:
        """Shapes of what a step of given length hands on besides the state."""
        asked = METHODS[self.method].remembers if self.method in METHODS else {}
        sizes = self.flow.sizes()
        return {name: sizes.get(shape, shape) for name, shape in asked.items()}

    @cached_property
    def adaptive(self) -> Attempts:
        """Steps as long as their error allows; accepted ones are kept."""
        system = self.flow.system
        return self.attempts(system.nv >= STAGED and not system.held_by)

    def adaptive_for(self, rows: int) -> Attempts:
        """The same for so many rows: many are worth the time that long code takes to compile."""
        return self._whole if rows >= ROWS_WORTH_COPIES else self.adaptive

    @cached_property
    def _whole(self) -> Attempts:
        return self.adaptive if self.adaptive.rows is None else self.attempts(is_staged=False)

    def attempts(self, is_staged: bool) -> Attempts:
        """A pass for an attempt, or for a stage: then dynamics stand in the program once."""
        more = {"h": (), "failed": (), "end": (), "tolerances": 2}
        sizes = {**self.flow.sizes(), **more, **self.flow.inputs}
        registers = register_sizes(self.flow, self.tableau) if is_staged else {}
        rows = rows_of(self.tableau) if is_staged else None
        if rows is not None:
            sizes |= {**registers, "row": rows.shape[1]}
        formula = stage if is_staged else adaptive_step

        def attempt(**named: Any) -> dict[str, Any]:
            return formula(self.flow, self.tableau, named)

        formulas = _by_name(attempt, sizes)
        step = self._function("stage" if is_staged else "attempt", formulas, sizes)
        states = (*STATES, "h", "failed", *registers)
        loop = Loop(
            step,
            until=_finished(),
            each=() if rows is None else ["row"],
            keep=STATES,
            flag="accepted",
            outputs={k: step.inputs[k] for k in states} | {"accepted": ()},
            formulas=formulas,
        )
        return Attempts(loop, registers, rows)

    @cached_property
    def sampled(self) -> Function[Any]:
        """Forces for a period, and what the controller remembers after it."""

        def sampled(q: Any, v: Any, x: Any, t: Any) -> dict[str, Any]:
            return dict(zip(("tau", "x"), self.flow.law.sampled(t, q, v, x), strict=True))

        return self._function("sampled", sampled, self.flow.sizes())

    def function_of_state(self, name: str, f: Callable[[State, Any, Any], Any]) -> Function[Any]:
        """f(state, t, what the flow depends on), compiled: a function of q, v, x, t and that."""
        sizes = {**self.flow.sizes(), **self.flow.inputs}

        def of_state(**named: Any) -> Any:
            return f(State(named["q"], named["v"], named["x"]), named["t"], named)

        return self._function(name, _by_name(of_state, sizes), sizes)

    @cached_property
    def forces(self) -> Function[Any]:
        """τ, of all that drives."""
        return self.function_of_state(
            "forces", lambda s, t, named: self.flow.law.at(t, s.q, s.v, s.x, named)[0]
        )

    @cached_property
    def slope(self) -> Function[Any]:
        """(q̇, v̇, ẋ), the rates of the state."""
        return self.function_of_state(
            "slope", lambda s, t, named: dict(zip("qvx", self.flow.slope(t, s, named), strict=True))
        )

    @cached_property
    def admitted(self) -> Function[Any]:
        """The state at which quaternions have length one and constraints hold."""

        def admitted(s: State, t: Any, named: Mapping[str, Any]) -> dict[str, Any]:
            new = self.flow.admitted(t, s, named)
            return {"q": new.q, "v": new.v}

        return self.function_of_state("admitted", admitted)

    @cached_property
    def polynomial(self) -> Function[Any]:
        """The coefficients of the polynomial inside a step, (c, nq + nv + nx)."""
        sizes = {**self.flow.sizes(), "h": (), **self.flow.inputs}

        def polynomial(**named: Any) -> Any:
            s, t, h = State(named["q"], named["v"], named["x"]), named["t"], named["h"]
            return _coefficients(self.flow.slope, self.tableau, s, t, h, named)

        return self._function("polynomial", _by_name(polynomial, sizes), sizes)

    def polynomials(self, values: Mapping[str, Any]) -> Array:
        """Those of many steps, (k, c, nq + nv + nx); q, v, x, t, h and what else is given by name.

        Of long dynamics and few steps it is computed stage by stage, by one compiled slope.
        """
        if self.flow.system.nv < LONG or len(values["h"]) >= REPAYING:
            f = self.polynomial
            return np.asarray(f(*(values[k] for k in f.inputs)))

        def slope(t: Any, s: State, given: Mapping[str, Any]) -> State:
            now = {**given, "q": s.q.T, "v": s.v.T, "x": s.x.T, "t": t}
            return State(*(np.asarray(y).T for y in self.slope(*map(now.get, self.slope.inputs))))

        start = State(*(np.asarray(values[k]).T for k in "qvx"))  # a column for every step
        t, h = (np.asarray(values[k], dtype=float) for k in "th")
        F = _coefficients(slope, self.tableau, start, t, h, values)
        return np.moveaxis(np.asarray(F, dtype=float), -1, 0)

    @staticmethod
    def first_step(start: Mapping[str, Array], end: Array) -> Array:
        """A length to begin with for every row: so short that nothing can happen in it.

        Lengths grow tenfold from step to step while errors are small, so that a handful of steps
        find the right one, in less time than slopes are looked at from outside.
        """
        return np.asarray((end - start["t"]) * BEGINNING)


def _coefficients(slope: Any, method: Tableau, s: State, t: Any, h: Any, given: Any) -> Any:
    """Of the polynomial inside a step; over scalars, or over rows of numbers for many steps."""
    slopes = stages(slope, method, t, h, s, given)
    end = s.plus(h, *weighted(method.b, slopes))
    slopes.append(slope(t + h, end, given))
    if method.more is not None:
        slopes = further_stages(slope, *method.more, t, h, s, given, slopes)
    K = np.stack([np.concatenate([vector(part) for part in k]) for k in slopes])
    columns, D = np.moveaxis(K, 0, 1), np.asarray(method.dense)
    if method.more is None:  # of K Pᵀ: powers of the share of the step
        return np.stack([vector([_dot(p, column) * h for column in columns]) for p in D.T])
    change = np.concatenate([vector(b) - vector(a) for a, b in zip(s, end, strict=True)])
    first, last = K[0], K[method.stages]
    rows = [change, h * first - change, 2.0 * change - h * (first + last)]
    rows += [vector([_dot(d, column) * h for column in columns]) for d in D]
    return np.stack(rows)


def _dot(weights: Any, column: Any) -> Any:
    terms = [float(w) * k for w, k in zip(weights, column, strict=True) if float(w) != 0.0]
    return sum(terms[1:], start=terms[0]) if terms else 0.0


def _finished() -> Function[Any]:
    """A row is done at the end of its time, or where steps have become too short to matter."""

    def finished(t: Any, h: Any, end: Any) -> Any:
        over = g.less_equal(end, t)
        stuck = g.less(h, SMALLEST * g.maximum(g.absolute(t), g.absolute(end)))
        return g.maximum(over, stuck)

    return function(finished, {"t": (), "h": (), "end": ()}, key="the end of a motion")


def _sampled(law: Any, after: Mapping[str, Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """The forces of the next step: those of this one, or new ones if a period is over."""
    left = named["left"] - 1.0
    due = g.less(left, 0.5)
    tau, x = law.sampled(after["t"], after["q"], after["v"], after["x"])
    pairs = {"tau": (tau, named["tau"]), "x": (x, after["x"])}
    chosen = {
        name: vector([g.where(due, a, b) for a, b in zip(new, old, strict=True)])
        for name, (new, old) in pairs.items()
    }
    return {**chosen, "left": g.where(due, named["every"], left)}


def _by_name(f: Any, sizes: Mapping[str, Any]) -> Any:
    """f(**named) as a function of the inputs in their order."""
    names = list(sizes)
    return lambda *values: f(**dict(zip(names, values, strict=True)))


def adaptive_nodes(
    run: Running,
    start: Mapping[str, Array],
    most: int,
    threads: int,
    told: Callable[[Running], None],
    kept: Callable[[Running], None] = lambda run: None,
    pace: Pace | None = None,
    before: int = 0,
) -> list[Nodes]:
    """All accepted steps of every row; rows that end early stay where they are.

    There are at most `most` attempts; `told` is called before work that may take longer than a
    tenth of a second, `kept` whenever there are steps that the run is about to let go. It ends
    too where no row gets on, by the `pace`, which has seen so many tries `before`.
    """
    most, window = most * run.cycle, WINDOW * run.cycle
    if pace is None:
        pace = Pace(run.values["t"].ravel(), run.values["end"].ravel())
    width = sum(run.ports[k].size for k in STATES)
    room = min(max(WAITING // (run.rows * width), 16), ROOM)
    parts = {k: [[x] for x in start[k].reshape(run.rows, 1, -1)] for k in STATES}
    last = min(most, window, max(run.kernel.rows_at_once // run.rows, 1))
    while True:
        run.make_room(room)
        run.advance(last, threads)
        done = int(run.passes.max(initial=0))
        late = pace.look(
            before + run.passes // run.cycle,
            run.values["t"][:, 0],
            run.values["v"],
            int(run.kept.sum()) * width,
        )
        is_over = bool(((run.resting != 0) | late).all()) or done >= most
        for i, n in enumerate(run.kept.tolist()):
            for k in STATES if n else ():
                own = run.history[k][i, :n]
                parts[k][i].append(own if is_over else own.copy())
        kept(run)
        if is_over:
            break
        told(run)
        last = min(most, done + window)
    whole = {k: [np.concatenate(row) for row in rows] for k, rows in parts.items()}
    return [Nodes(t[:, 0], q, v, x) for t, q, v, x in zip(*whole.values(), strict=True)]
