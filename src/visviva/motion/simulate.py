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
    may_switch = method == "auto" and not task.is_batch and task.table is None
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
    if method != "auto":
        if dt is None and method not in STEPLESS:
            raise ArgumentError(f"method {method!r} takes steps of given length: dt=")
        if dt is not None and method not in STEP_METHODS:
            raise ArgumentError(f"method {method!r} chooses its steps itself: leave dt= out")
        return method
    return "dop853" if dt is None else "rk4"


def _fixed(task: Task, method: str, dt: float, save: int, threads: int) -> Trajectory:
    span, rows = task.span, task.rows
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
        name = next(iter(task.flow.law.inputs))
        given.pop(name)
        run = integrator.fixed_with_tables.start({**start, **given}, each={name: table})
    else:
        run = integrator.fixed.start({**start, **given})
    run.keep_every(every, steps // every + 1)
    with progress(f"simulating {task.system.name}", steps) as at:
        done = 0
        while done < steps:
            done = min(steps, done + max(every, -(-steps // 20 // every) * every))
            run.advance(done, threads)
            at.step()
    q, v = run.history["q"], run.history["v"]
    t = np.asarray(span.first + dt * every * np.arange(steps // every + 1), dtype=float)
    _check_finite(task, t, q, v, f"method {method!r} with dt = {dt:g} s")
    statistics: dict[str, Any] = {"method": method, "dt": dt, "steps": steps}
    if "residual" not in integrator.remembers:
        return task.trajectory(t, q, v, None, statistics)
    residual = np.asarray(run.state["residual"])
    statistics["residual"] = residual if task.is_batch else float(residual[0])
    result = task.trajectory(t, q, v, None, statistics)
    _check_solved(task, residual, result)
    return result


def _adaptive(
    task: Task, method: str, rtol: float, atol: float, threads: int, may_switch: bool
) -> Trajectory:
    span, rows, s = task.span, task.rows, task.system
    integrator = task.integrator(method)
    pieces = [(span.first, span.last, dict(task.given))]
    if task.table is not None:
        pieces = _pieces(task)
    start = {**task.start, "t": np.full(rows, span.first)}
    nodes: list[list[Nodes]] = [[] for _ in range(rows)]
    h, attempts = None, np.zeros(rows, dtype=np.int64)
    with progress(f"simulating {s.name}") as at:
        for _, last, given in pieces:
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
                    return stiff.solved(task, "radau", rtol, atol)
                rest = adaptive_nodes(run, run.state, ATTEMPTS, threads, lambda run: at.step())
                part = [_joined([a, b]) for a, b in zip(part, rest, strict=True)]
            for own, new in zip(nodes, part, strict=True):
                own.append(new)
            state, attempts = run.state, attempts + run.passes
            start, h = {k: state[k] for k in ("q", "v", "x", "t")}, state["h"]
            _check_end(task, nodes, start, last, method)
    whole = [_joined(own) for own in nodes]
    curves = _Curves([_Pieces(integrator, own, pieces, i) for i, own in enumerate(nodes)])
    accepted = np.array([len(x.t) - 1 for x in whole])
    counts = {"steps": accepted, "rejected": attempts - accepted}
    statistics: dict[str, Any] = {"method": method, "rtol": rtol, "atol": atol}
    statistics |= counts if task.is_batch else {k: int(x[0]) for k, x in counts.items()}
    dense = curves if task.is_batch else curves.rows[0]
    if span.samples is None and not task.is_batch:
        one = whole[0]
        return task.trajectory(one.t, one.q[None], one.v[None], dense, statistics)
    t = np.linspace(span.first, span.last, SAMPLES) if span.samples is None else span.samples
    return task.trajectory(t, *curves(t), dense, statistics)


@dataclass(frozen=True, eq=False)
class _Pieces:
    """The dense output of one row, over intervals in each of which the forces are given numbers."""

    integrator: Integrator
    nodes: list[Nodes]
    pieces: list[tuple[float, float, dict[str, Array]]]
    row: int

    def __call__(self, times: Array) -> tuple[Array, Array]:
        s = self.integrator.flow.system
        q, v = np.empty((len(times), s.nq)), np.empty((len(times), s.nv))
        ends = np.array([last for _, last, _ in self.pieces[:-1]])
        which = np.searchsorted(ends, times, side="left")
        for k in np.unique(which):
            own = which == k
            given = {name: x[self.row] for name, x in self.pieces[k][2].items()}
            q[own], v[own] = Dense(self.integrator, self.nodes[k], given)(times[own])
        return q, v


@dataclass(frozen=True, eq=False)
class _Curves:
    rows: list[_Pieces]

    def __call__(self, times: Array) -> tuple[Array, Array]:
        rows = [curve(times) for curve in self.rows]
        return np.stack([q for q, _ in rows]), np.stack([v for _, v in rows])


def _pieces(task: Task) -> list[tuple[float, float, dict[str, Array]]]:
    """Intervals in which forces are held."""
    table, span = task.table, task.span
    assert table is not None  # noqa: S101  the caller asks only then
    name = next(iter(task.flow.law.inputs))
    whole = np.broadcast_to(table, (task.rows, *table.shape[-2:]))
    ends = np.linspace(span.first, span.last, table.shape[-2] + 1)
    return [
        (float(a), float(b), {**task.given, name: whole[:, k]})
        for k, (a, b) in enumerate(pairwise(ends))
    ]


def _joined(parts: list[Nodes]) -> Nodes:
    """Pieces one after the other; where they meet, a state is there once."""
    own = [parts[0], *(Nodes(p.t[1:], p.q[1:], p.v[1:], p.x[1:]) for p in parts[1:])]
    columns = ([getattr(p, k) for p in own] for k in ("t", "q", "v", "x"))
    return Nodes(*(np.concatenate(x) for x in columns))


def _check_end(
    task: Task, nodes: list[list[Nodes]], state: Mapping[str, Array], last: float, method: str
) -> None:
    late = np.flatnonzero(state["t"] < last)
    if not len(late):
        return
    i = int(late[0])
    whole = _joined(nodes[i])
    row = f" of trajectory {i}" if task.is_batch else ""
    q, v = (np.array2string(x, precision=6) for x in (whole.q[-1], whole.v[-1]))
    partial = (
        task.trajectory(whole.t, whole.q[None], whole.v[None], None, {"method": method})
        if (not task.is_batch and len(whole.t))
        else None
    )
    raise MotionError(
        f"simulate: the motion{row} of {task.system.name!r} ends at t = {whole.t[-1]:.9g} s of "
        f"{last:g} s: no step however short is accurate there; q = {q}, v = {v}. Forces or "
        "accelerations that are not finite, or a position at which M is singular, end a motion so; "
        "error.trajectory has it until then",
        partial,
    )


def _check_finite(task: Task, t: Array, q: Array, v: Array, how: str) -> None:
    bad = ~(np.isfinite(q).all(axis=2) & np.isfinite(v).all(axis=2))
    if not bad.any():
        return
    i, k = (int(x) for x in np.argwhere(bad)[0])
    row = f" of trajectory {i}" if task.is_batch else ""
    before = max(k - 1, 0)
    partial = None
    if not task.is_batch and before > 0:
        partial = task.trajectory(t[:k], q[:, :k], v[:, :k], None, {})
    raise MotionError(
        f"simulate: the motion{row} of {task.system.name!r} is not finite from t = {t[k]:.9g} s on "
        f"({how}); at {t[before]:.9g} s q = {np.array2string(q[i, before], precision=6)}, v = "
        f"{np.array2string(v[i, before], precision=6)}. Try a shorter dt, or no dt for adaptive "
        "steps; error.trajectory has it until then",
        partial,
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
