"""`simulate`: from a start and forces to a `Trajectory`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from visviva.errors import ArgumentError, MotionError, ShapeError, UnknownNameError
from visviva.machine.run.call import Array
from visviva.motion import stiff
from visviva.motion.acting import Steps
from visviva.motion.integrate import Dense, Integrator, Nodes, adaptive_nodes
from visviva.motion.steps.newton import SOLVED
from visviva.motion.task import Task, task_of
from visviva.motion.trajectory import Trajectory
from visviva.progress import progress

SAMPLES = 201  # of a batch whose steps are its own, where no times are asked for
ATTEMPTS = 10_000_000  # of steps, bounded always
UNTIL_STIFF = 3000  # attempts after which it is asked what bounds the length of steps
STEP_METHODS = ("semi-implicit", "midpoint", "variational", "rk4", "dopri5", "dop853")
ADAPTIVE = ("dopri5", "dop853")
STEPLESS = (*ADAPTIVE, *stiff.OF_SCIPY)
Piece = tuple[float, float, dict[str, Array]]  # from when to when, and what is given
METHOD_NAMES = ("auto", *dict.fromkeys((*STEP_METHODS, *STEPLESS)))


def simulate(
    system: Any,
    q0: Any,
    v0: Any,
    t: Any,
    *,
    tau: Any = None,
    u: Any = None,
    method: str = "auto",
    rtol: float = 1e-9,
    atol: float = 1e-12,
    dt: float | None = None,
    save: int = 1,
    parameters: Mapping[str, Any] | None = None,
    threads: int = 1,
) -> Trajectory:
    """The motion of a system; `System.simulate` says what may be asked."""
    if method not in METHOD_NAMES:
        raise UnknownNameError("method of simulate", method, METHOD_NAMES)
    names = tuple(parameters or ())
    task = task_of(system, q0, v0, t, tau, u, parameters or {}, names)
    chosen = _chosen(method, dt, task)
    _check_numbers(rtol, atol, dt, save, chosen)
    if dt is not None:
        return _fixed(task, chosen, float(dt), save, threads)
    if save != 1:
        raise ArgumentError("save=k keeps every k-th step of length dt=; give dt, or times as t")
    if chosen in stiff.OF_SCIPY:
        return stiff.solved(task, chosen, rtol, atol)
    is_pieced = task.table is not None or task.flow.law.is_sampled
    may_switch = method == "auto" and not task.is_batch and not is_pieced
    return _adaptive(task, chosen, rtol, atol, threads, may_switch)


def _chosen(method: str, dt: float | None, task: Task) -> str:
    if task.callback is not None:
        if method not in ("auto", "scipy-dop853") or dt is not None or task.is_batch:
            raise ArgumentError(
                "this controller cannot be traced (it calls numpy, or branches on numbers); it is "
                "called from Python, for one trajectory with adaptive steps. Written with "
                "vv.generic it becomes part of the machine code"
            )
        return "scipy-dop853"
    if not task.is_traced and dt is not None:
        raise ArgumentError(
            "steps of given length are machine code, and this controller cannot be traced (it "
            "calls numpy, or branches on numbers): leave dt= out, or write it with vv.generic"
        )
    if method != "auto":
        if dt is None and method not in STEPLESS:
            raise ArgumentError(f"method {method!r} takes steps of given length: dt=")
        if dt is not None and method not in STEP_METHODS:
            raise ArgumentError(f"method {method!r} chooses its steps itself: leave dt= out")
        return method
    return "dop853" if dt is None else "rk4"


def _fixed(task: Task, method: str, dt: float, save: int, threads: int) -> Trajectory:
    span, rows, law = task.span, task.rows, task.flow.law
    steps, every = span.steps(dt, save)
    integrator = task.integrator(method)
    start = {**task.start, "t": np.full(rows, span.first), "h": np.full(rows, dt)}
    start |= {k: np.zeros((rows, *np.atleast_1d(n))) for k, n in integrator.remembers.items()}
    given, table = dict(task.given), task.table
    if table is not None:
        if table.shape[-2] != steps:
            raise ShapeError(
                f"simulate: {table.shape[-2]} rows of forces for {steps} steps of {dt:g} s"
            )
        name = next(iter(law.inputs))
        given.pop(name)
        run = integrator.fixed_with_tables.start({**start, **given}, each={name: table})
    else:
        if law.is_sampled:
            period = np.full(rows, float(_steps_of_a_period(law.controller, dt)))
            given |= {"left": period, "every": period, **_asked(task, integrator, start)}
            start["x"] = given.pop("x")
        run = integrator.fixed.start({**start, **given})
    run.keep_every(every, steps // every + 1)
    with progress(f"simulating {task.system.name}", steps) as at:
        done = 0
        while done < steps:
            done = min(steps, done + max(every, -(-steps // 20 // every) * every))
            run.advance(done, threads)
            at.step()
    t = np.asarray(span.first + dt * every * np.arange(steps // every + 1), dtype=float)
    kept = dict(run.history)
    how = f"method {method!r} with dt = {dt:g} s"
    statistics: dict[str, Any] = {"method": method, "dt": dt, "steps": steps}
    _check_finite(task, t, kept, how, statistics)
    if "residual" not in integrator.remembers:
        return _kept(task, t, kept, statistics)
    residual = np.asarray(run.state["residual"])
    statistics["residual"] = residual if task.is_batch else float(residual[0])
    result = _kept(task, t, kept, statistics)
    _check_solved(task, residual, result)
    return result


def _kept(task: Task, t: Array, kept: Mapping[str, Array], statistics: Any) -> Trajectory:
    """The trajectory of states that were kept at equal distances."""
    law, notes = task.flow.law, []
    numbers: Any = None
    if law.is_sampled:
        numbers = Steps(np.append(t, 2 * t[-1] - t[-2] if len(t) > 1 else t[-1] + 1), kept["tau"])
        period = law.controller.period if law.controller else None
        if period is not None and len(t) > 1 and period < (t[1] - t[0]) * (1 - 1e-9):
            notes.append(
                f"the controller was asked every {period:g} s, oftener than states were kept: "
                "forces between samples, and their work, are not all known"
            )
    elif law.states:
        numbers = _Remembered(t, kept["x"])
    return task.trajectory(t, kept["q"], kept["v"], None, statistics, notes, numbers)


@dataclass(frozen=True, eq=False)
class _Remembered:
    """What a controller remembers between samples that were kept: cubic splines."""

    t: Array
    x: Array  # (rows, samples, nx)

    def __call__(self, times: Array) -> Array:
        if len(self.t) < 2:
            return np.repeat(self.x, len(times), axis=1)
        from scipy.interpolate import CubicSpline

        return np.asarray(CubicSpline(self.t, self.x, axis=1)(times))


def _steps_of_a_period(controller: Any, dt: float) -> int:
    steps: int = round(controller.period / dt)
    if steps < 1 or abs(steps * dt - controller.period) > 1e-9 * controller.period:
        raise ArgumentError(
            f"simulate: the controller's period, {controller.period:g} s, is no multiple of dt = "
            f"{dt:g} s; dt = {controller.period / max(steps, 1):.17g} would be"
        )
    return steps


def _asked(task: Task, integrator: Integrator, now: Mapping[str, Array]) -> Any:
    """Forces of a sampled controller for the next period, and x after it."""
    law = task.flow.law
    states = [now[k] for k in ("q", "v", "x", "t")]
    if task.is_traced:
        tau, x = integrator.sampled(*states)
    else:
        rows = [law.sampled(time, q, v, x) for q, v, x, time in zip(*states, strict=True)]
        tau, x = (np.array([np.asarray(row[i], dtype=float) for row in rows]) for i in (0, 1))
    return {"tau": tau, "x": x}


def _adaptive(
    task: Task, method: str, rtol: float, atol: float, threads: int, may_switch: bool
) -> Trajectory:
    span, rows, s = task.span, task.rows, task.system
    integrator = task.integrator(method)
    start = {**task.start, "t": np.full(rows, span.first)}
    nodes: list[list[Nodes]] = [[] for _ in range(rows)]
    pieces: list[Piece] = []
    h, attempts = None, np.zeros(rows, dtype=np.int64)
    statistics: dict[str, Any] = {"method": method, "rtol": rtol, "atol": atol}
    with progress(f"simulating {s.name}") as at:
        for first, last, given in _pieces(task):
            if task.flow.law.is_sampled:
                asked = _asked(task, integrator, start)
                start["x"] = asked.pop("x")
                given = {**given, **asked}
                _check_forces(
                    task, start, asked["tau"], lambda: _until(task, integrator, nodes, pieces)
                )
            pieces.append((first, last, given))
            end = np.full(rows, last)
            if h is None:
                h = integrator.first_step({**start, **given}, end, rtol, atol)
            more = {"h": h, "failed": np.zeros(rows), "end": end, "tolerances": [rtol, atol]}
            run = integrator.adaptive.start({**start, **given, **more})
            bound = UNTIL_STIFF if may_switch else ATTEMPTS
            part = adaptive_nodes(run, start, bound, threads, lambda run: at.step())
            if may_switch and not run.resting.all():
                if stiff.is_stiff(integrator, part[0], given):
                    at.step("the system is stiff: radau")
                    return stiff.solved(task, "radau", rtol, atol, (stiff.SWITCHED,))
                rest = adaptive_nodes(run, run.state, ATTEMPTS, threads, lambda run: at.step())
                part = [_joined([a, b]) for a, b in zip(part, rest, strict=True)]
            for own, new in zip(nodes, part, strict=True):
                own.append(new)
            state, attempts = run.state, attempts + run.passes
            start, h = {k: state[k] for k in ("q", "v", "x", "t")}, state["h"]
            if (start["t"] < last).any():
                partial = _until(task, integrator, nodes, pieces)
                raise _ended(task, start, int(np.argmin(start["t"])), partial)
    counts = {"steps": np.array([sum(len(x.t) - 1 for x in own) for own in nodes])}
    counts["rejected"] = attempts - counts["steps"]
    statistics |= counts if task.is_batch else {k: int(x[0]) for k, x in counts.items()}
    return _sampled_at(task, nodes, _curves(integrator, nodes, pieces), span.last, statistics)


def _sampled_at(
    task: Task, nodes: list[list[Nodes]], curves: _Curves, last: float, statistics: Any
) -> Trajectory:
    """The trajectory until `last`, at the accepted steps of one row, or at the times asked for."""
    span = task.span
    dense = curves if task.is_batch else curves.rows[0]
    if span.samples is None and not task.is_batch:
        one = _joined(nodes[0])
        return task.trajectory(
            one.t, one.q[None], one.v[None], dense.states, statistics, (), curves.numbers
        )
    t = np.linspace(span.first, last, SAMPLES) if span.samples is None else span.samples
    t = t[t <= last] if last > span.first else np.array([span.first])
    q, v, _ = curves(t)
    return task.trajectory(t, q, v, dense.states, statistics, (), curves.numbers)


@dataclass(frozen=True, eq=False)
class _Curve:
    """The dense output of one row, over intervals in each of which the forces are given numbers."""

    integrator: Integrator
    nodes: list[Nodes]
    pieces: list[Piece]
    row: int

    def __call__(self, times: Array) -> tuple[Array, Array, Array]:
        s, states = self.integrator.flow.system, self.integrator.flow.law.states
        q, v, x = (np.empty((len(times), n)) for n in (s.nq, s.nv, states))
        ends = np.array([last for _, last, _ in self.pieces[:-1]])
        which = np.searchsorted(ends, times, side="left")
        for k in np.unique(which):
            own = which == k
            given = {name: y[self.row] for name, y in self.pieces[k][2].items()}
            q[own], v[own], x[own] = Dense(self.integrator, self.nodes[k], given)(times[own])
        return q, v, x

    def states(self, times: Array) -> tuple[Array, Array]:
        """q and v."""
        return self(times)[:2]


@dataclass(frozen=True, eq=False)
class _Curves:
    """Those of all rows."""

    rows: list[_Curve]

    def __call__(self, times: Array) -> tuple[Array, Array, Array]:
        rows = [curve(times) for curve in self.rows]
        q, v, x = (np.stack(y) for y in zip(*rows, strict=True))
        return q, v, x

    def states(self, times: Array) -> tuple[Array, Array]:
        """q and v."""
        return self(times)[:2]

    @property
    def numbers(self) -> Any:
        """What a controller remembers, or holds, at times (k,): (rows, k, m)."""
        one = self.rows[0]
        if not one.integrator.flow.law.is_sampled:
            return lambda times: self(times)[2]
        edges = np.array([one.pieces[0][0], *(last for _, last, _ in one.pieces)])
        return Steps(edges, np.stack([given["tau"] for _, _, given in one.pieces], axis=1))


def _curves(integrator: Integrator, nodes: list[list[Nodes]], pieces: list[Piece]) -> _Curves:
    return _Curves([_Curve(integrator, own, pieces, i) for i, own in enumerate(nodes)])


def _pieces(task: Task) -> list[Piece]:
    """Intervals in which forces are held; those of a controller are not known yet."""
    span, law = task.span, task.flow.law
    if task.table is not None:
        steps, name = task.steps(), next(iter(law.inputs))
        return [
            (float(a), float(b), {**task.given, name: steps.values[:, k]})
            for k, (a, b) in enumerate(pairwise(steps.edges))
        ]
    if law.is_sampled and law.controller is not None and law.controller.period is not None:
        period = law.controller.period
        count = max(1, math.ceil((span.last - span.first) / period * (1 - 1e-12)))
        edges = np.append(span.first + period * np.arange(count), span.last)
        return [(float(a), float(b), dict(task.given)) for a, b in pairwise(edges)]
    return [(span.first, span.last, dict(task.given))]


def _joined(parts: list[Nodes]) -> Nodes:
    """Pieces one after the other; where they meet, a state is there once."""
    own = [parts[0], *(Nodes(p.t[1:], p.q[1:], p.v[1:], p.x[1:]) for p in parts[1:])]
    columns = ([getattr(p, k) for p in own] for k in ("t", "q", "v", "x"))
    return Nodes(*(np.concatenate(x) for x in columns))


def _until(
    task: Task, integrator: Integrator, nodes: list[list[Nodes]], pieces: list[Piece]
) -> Trajectory | None:
    """What was computed of a motion that ended too soon: until the first of its rows did."""
    if not pieces:
        return None
    last = min(float(own[-1].t[-1]) for own in nodes)
    curves = _curves(integrator, nodes, pieces)
    return _sampled_at(task, nodes, curves, last, {"method": integrator.method})


def _ended(task: Task, now: Mapping[str, Array], i: int, partial: Any) -> MotionError:
    """What is said where no step is accurate."""
    return MotionError(
        f"simulate: the motion{_row(task, i)} of {task.system.name!r} ends at t = "
        f"{now['t'][i]:.9g} s of {task.span.last:g} s: no step however short is accurate there; "
        f"{_state(now['q'][i], now['v'][i])}. Forces or accelerations that are not finite, or a "
        "position at which M is singular, end a motion so; error.trajectory has it until then",
        partial,
    )


def _check_forces(task: Task, now: Mapping[str, Array], tau: Array, until: Any) -> None:
    """Refuse forces of a sampled controller that are not finite."""
    bad = np.flatnonzero(~np.isfinite(tau).all(axis=1))
    if not len(bad):
        return
    i = int(bad[0])
    raise MotionError(
        f"simulate: at t = {now['t'][i]:.9g} s the controller{_row(task, i)} of "
        f"{task.system.name!r} returned {tau[i]}; expected finite numbers. "
        f"{_state(now['q'][i], now['v'][i])}; error.trajectory has the motion until then",
        until(),
    )


def _check_finite(
    task: Task, t: Array, kept: Mapping[str, Array], how: str, statistics: Any
) -> None:
    q, v = kept["q"], kept["v"]
    bad = np.asarray(~(np.isfinite(q).all(axis=2) & np.isfinite(v).all(axis=2)))
    if not bad.any():
        return
    k = int(np.argmax(bad.any(axis=0)))
    i, before = int(np.argmax(bad[:, k])), max(k - 1, 0)
    until = {name: x[:, : before + 1] for name, x in kept.items()}
    raise MotionError(
        f"simulate: the motion{_row(task, i)} of {task.system.name!r} is not finite from t = "
        f"{t[k]:.9g} s on ({how}); at {t[before]:.9g} s {_state(q[i, before], v[i, before])}. Try "
        "a shorter dt, or no dt for adaptive steps; error.trajectory has it until then",
        _kept(task, t[: before + 1], until, statistics),
    )


def _check_solved(task: Task, residual: Array, result: Trajectory) -> None:
    """Of implicit steps: whether the equations of every step were solved."""
    worst = int(np.argmax(residual))
    if residual[worst] <= SOLVED:
        return
    row = f" of trajectory {worst}" if task.is_batch else ""
    method, dt = result.statistics["method"], result.statistics["dt"]
    raise MotionError(
        f"simulate: a step of {dt:g} s of method {method!r} is too long for the motion{row} of "
        f"{task.system.name!r}: {residual[worst]:.1g} of the momenta is left of its equations, "
        f"where {SOLVED:g} may be. Try a shorter dt; error.trajectory has the motion as it is",
        result,
    )


def _row(task: Task, i: int) -> str:
    return f" of trajectory {i}" if task.is_batch else ""


def _state(q: Array, v: Array) -> str:
    return ", ".join(f"{k} = {np.array2string(x, precision=6)}" for k, x in (("q", q), ("v", v)))


def _check_numbers(rtol: Any, atol: Any, dt: Any, save: Any, method: str) -> None:
    for name, x in (("rtol", rtol), ("atol", atol), ("dt", dt)):
        if x is None:
            continue
        if not isinstance(x, (int, float, np.floating)) or not 0.0 < x < math.inf:
            raise ArgumentError(f"simulate: {name} is a number above zero, got {x!r}")
    if dt is None and rtol < 1e-14:
        raise ArgumentError(f"simulate: rtol is at least 1e-14, got {rtol:g}: doubles have no more")
    if not isinstance(save, (int, np.integer)) or isinstance(save, bool) or save < 1:
        raise ArgumentError(f"simulate: save is a whole number of steps from 1 on, got {save!r}")
