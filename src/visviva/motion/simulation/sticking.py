"""Motions with dry friction: from mode to mode, joints that stick have velocity zero exactly.

Where a joint comes to rest, or where a stuck one needs more than friction can give, the step is cut
and it is asked anew who slides: of all accelerations that friction admits there is one that makes
½ a·M a - a·f + Σ F |a| smallest, and it says so. That is so as limits do not depend on the load.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from visviva.errors import MotionError
from visviva.machine.function import Function
from visviva.machine.run.call import Array
from visviva.motion.simulation.adaptive import (
    ATTEMPTS,
    Piece,
    RowCurve,
    RowCurves,
    pieces_of,
    sampled_at,
)
from visviva.motion.simulation.integrate import Integrator, Nodes, adaptive_nodes, joined
from visviva.motion.simulation.task import Task, state_in_words
from visviva.motion.steps.flow import State
from visviva.motion.steps.inside import Dense
from visviva.motion.steps.sticking import StickingFlow
from visviva.motion.trajectory import Trajectory
from visviva.progress import progress

CHUNK = 24  # attempts between looks at what slides
SHARES_OF_A_STEP = np.linspace(0.0, 1.0, 9)[1:]  # of a step, at which it is looked
BISECTIONS = 60
LEFT_AT_AN_END = 1e-13  # of the time: what is left before an end, and no step is taken for
MOST_CHANGES = 200_000  # of modes
SWEEPS = 20_000
JUST_SO = 1e-12


@dataclass(frozen=True)
class FrictionMode:
    """Which way joints slide (nv,), and which are stuck (nv,): numbers 1, -1, 0."""

    slide: Array
    stuck: Array

    @property
    def given(self) -> dict[str, Array]:
        """As inputs of one row."""
        return {"slide": self.slide[None], "stuck": self.stuck[None]}


@dataclass(frozen=True, eq=False)
class Functions:
    """What is asked of a flow with friction, in a mode, compiled once."""

    integrator: Integrator

    @cached_property
    def balanced(self) -> Function:
        """M and the forces without inertia."""
        flow: Any = self.integrator.flow

        def balanced(s: State, t: Any, named: Mapping[str, Any]) -> dict[str, Any]:
            return dict(zip(("M", "push"), flow.balance(t, s, named)[:2], strict=True))

        return self.integrator.function_of_state("balanced", balanced)

    @cached_property
    def held(self) -> Function:
        """The friction of every joint."""
        flow: Any = self.integrator.flow
        return self.integrator.function_of_state(
            "held", lambda s, t, named: flow.holding(t, s, named)
        )


@dataclass(frozen=True, eq=False)
class Rubbing:
    """Friction while forces are given so."""

    functions: Functions
    given: Mapping[str, Array]  # (1, …)

    @property
    def integrator(self) -> Integrator:
        """Of the motion."""
        return self.functions.integrator

    def held(self, now: Mapping[str, Array], mode: FrictionMode) -> Array:
        """The friction of every joint at states (k, …)."""
        return np.asarray(self.at(self.functions.held, now, mode))

    @cached_property
    def limits(self) -> Array:
        """Of friction (nv,)."""
        flow: Any = self.integrator.flow
        return np.array(flow.limits({k: x[0] for k, x in self.given.items()}), dtype=float)

    def at(self, f: Function, now: Mapping[str, Array], mode: FrictionMode) -> Any:
        """A function of states (k, …) in a mode."""
        count = len(now["t"])
        values = {
            **now,
            **{k: np.repeat(x, count, 0) for k, x in {**self.given, **mode.given}.items()},
        }
        return f(*(values[k] for k in f.inputs))

    def guards(self, now: Mapping[str, Array], mode: FrictionMode) -> Array:
        """(k, nv): below zero where a joint no longer slides as it did, or no longer sticks."""
        slid = np.where(mode.slide != 0, now["v"] * mode.slide, np.inf)
        if not mode.stuck.any():
            return slid
        needed = np.abs(self.held(now, mode))
        slack = self.limits * (1.0 + JUST_SO) + JUST_SO * JUST_SO
        return np.where(mode.stuck > 0, slack - needed, slid)

    def mode(self, now: Mapping[str, Array], released: Mapping[int, float]) -> FrictionMode:
        """Who slides and who sticks at a state (1, …); `released` begin to slide, by sign.

        Who slides is braked by less than could hold it, so that others may follow.
        """
        F, v = self.limits, now["v"][0]
        slide = np.where(F > 0, np.sign(v), 0.0)
        for i, sign in released.items():
            slide[i] = sign
        while True:
            asked = [int(i) for i in np.flatnonzero((F > 0) & (slide == 0))]
            still = FrictionMode(slide, np.zeros_like(slide))
            M, push = (np.asarray(x)[0] for x in self.at(self.functions.balanced, now, still))
            a = _least(M, push, F, asked)
            size = np.abs(a).max(initial=0.0) + np.abs(push).max(initial=0.0) / np.diag(M).max()
            new = [i for i in asked if abs(a[i]) > JUST_SO * size]
            if not new:
                return FrictionMode(slide, ((F > 0) & (slide == 0)).astype(float))
            slide[new] = np.sign(a[new])


def _least(M: Array, push: Array, F: Array, asked: list[int]) -> Array:
    """a that makes ½ a·M a - a·push + Σ F |a| over `asked` smallest, entry after entry."""
    n = len(push)
    limit = np.zeros(n)
    limit[asked] = F[asked]
    a = np.zeros(n)
    for _ in range(SWEEPS):
        before = a.copy()
        for i in range(n):
            rest = push[i] - M[i] @ a + M[i, i] * a[i]
            a[i] = np.sign(rest) * max(abs(rest) - limit[i], 0.0) / M[i, i]
        if np.abs(a - before).max() <= 1e-16 * max(float(np.abs(a).max()), 1e-300):
            break
    return a


def sticks(task: Task) -> bool:
    """Whether a motion can be computed so: of joints with friction that nothing else holds."""
    s = task.system
    return task.callback is None and not s.held_by and bool(np.any(s.dry_friction))


def sticking_steps(task: Task, method: str, rtol: float, atol: float) -> Trajectory:
    """The motion of a task, from mode to mode, with steps as long as tolerances allow."""
    flow = task.flow
    task = replace(task, flow=StickingFlow(flow.system, flow.law, flow.parameters))
    functions = Functions(task.integrator(method))
    tolerances = np.array([rtol, atol], dtype=float)
    rows: list[_Rubbed] = []
    with progress(f"simulating {task.system.name}", from_first_step=True) as at:
        for i in range(task.rows):
            rows.append(_Rubbed(functions))
            trouble = _rubbed(task, i, rows[-1], tolerances, at)
            if trouble:
                now = {k: getattr(rows[-1].nodes[-1], k)[-1:] for k in ("q", "v", "t")}
                partial = _made(task, rows, {"method": method}) if task.rows == 1 else None
                raise _over(task, i, now, trouble, partial)
    counts = {k: [getattr(row, k) for row in rows] for k in ("steps", "rejected", "changes")}
    statistics = {"method": method, "rtol": rtol, "atol": atol}
    own = {k: np.array(x) if task.is_batch else x[0] for k, x in counts.items()}
    return _made(task, rows, {**statistics, **own})


@dataclass(eq=False)
class _Rubbed:
    """The steps of one row, interval after interval, each in a mode and under given forces."""

    functions: Functions
    nodes: list[Nodes] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    attempts: int = 0

    @property
    def steps(self) -> int:
        """How many were kept."""
        return sum(len(x.t) - 1 for x in self.nodes)

    @property
    def rejected(self) -> int:
        """Attempts that failed, or went beyond a change of mode."""
        return max(self.attempts - self.steps, 0)

    @property
    def changes(self) -> int:
        """How often joints began or ended to slide."""
        modes = [np.concatenate([x["slide"], x["stuck"]]).tobytes() for _, _, x in self.pieces]
        return sum(a != b for a, b in pairwise(modes))

    @cached_property
    def curve(self) -> RowCurve:
        """States at any time."""
        return RowCurve(self.functions.integrator, self.nodes, self.pieces, 0)

    def holding(self, t: Array, q: Array, v: Array) -> Array:
        """What friction does to joints that are stuck, (k, nv)."""
        which, held = self.curve.pieces_at(t), np.zeros_like(v)
        for k in np.unique(which):
            own = which == k
            given = dict(self.pieces[k][2])
            mode = FrictionMode(given.pop("slide")[0], given.pop("stuck")[0])
            if mode.stuck.any():
                now = {"q": q[own], "v": v[own], "x": self.curve(t[own])[2], "t": t[own]}
                held[own] = mode.stuck * Rubbing(self.functions, given).held(now, mode)
        return held


def _rubbed(task: Task, i: int, row: _Rubbed, tolerances: Array, at: Any) -> str:
    """All steps of one row, into `row`; what is wrong where it cannot go on."""
    integrator = row.functions.integrator
    now = {k: np.array(x[i : i + 1]) for k, x in task.start.items()}
    now["t"] = np.array([task.span.first])
    for _, last, all_of in pieces_of(task):
        given = {k: x[i : i + 1] for k, x in all_of.items()}
        if task.flow.law.is_sampled:
            given |= task.asked(integrator, now)
            now["x"] = given.pop("x")
        rubbing = Rubbing(row.functions, given)
        now, trouble = _within(rubbing, row, now, last, tolerances, at)
        if trouble:
            return trouble
    return ""


def _within(
    rubbing: Rubbing, row: _Rubbed, now: dict[str, Array], last: float, tolerances: Array, at: Any
) -> tuple[dict[str, Array], str]:
    """While forces are given so: the state at the end, and what is wrong if it is not reached."""
    integrator, end = rubbing.integrator, np.array([last])
    loop, mode = integrator.adaptive_for(1), rubbing.mode(now, {})
    moment = LEFT_AT_AN_END * max(abs(last), abs(float(now["t"][0])))
    while last - now["t"][0] > moment:
        given = {**rubbing.given, **mode.given}
        h = np.maximum(integrator.first_step(now, end), np.minimum(end - now["t"], 10 * moment))
        more = {"h": h, "failed": np.zeros(1), "end": end}
        run = loop.start({**now, **given, **more, "tolerances": tolerances})
        own, released = _until_change(rubbing, run, now, mode, lambda run: at.step())
        row.attempts += int(run.passes[0]) // run.cycle
        loop.over(run)
        row.pieces.append((float(now["t"][0]), float(own.t[-1]), given))
        row.nodes.append(own)
        now = {k: np.array(getattr(own, k)[-1:]) for k in ("q", "v", "x", "t")}
        if len(row.pieces) > MOST_CHANGES:
            return now, f"joints began or ended to slide {MOST_CHANGES} times"
        if released is None:
            return now, "" if now["t"][0] >= last else "no step however short is accurate there"
        mode = rubbing.mode(now, released)
        at.step(f"{now['t'][0]:.4g} of {last:g} s")
    if row.nodes:  # what is left is rounding
        first, _, given = row.pieces[-1]
        row.pieces[-1] = (first, last, given)
        row.nodes[-1] = replace(row.nodes[-1], t=np.append(row.nodes[-1].t[:-1], last))
    return {**now, "t": end}, ""


def _until_change(
    rubbing: Rubbing, run: Any, now: Mapping[str, Array], mode: FrictionMode, told: Any
) -> tuple[Nodes, dict[int, float] | None]:
    """Steps until the mode changes, with those that begin to slide then; or until the end."""
    parts: list[Nodes] = []
    given = {k: x[0] for k, x in {**rubbing.given, **mode.given}.items()}
    done, last = 0, now
    while not run.resting.all() and done < ATTEMPTS:
        done += CHUNK
        (new,) = adaptive_nodes(run, last, done, 1, told)
        found = _first_change(rubbing, new, given, mode)
        if found is not None:
            own, released = found
            return joined([*parts, own]), released
        parts.append(new)
        last = {k: np.array(run.state[k]) for k in ("q", "v", "x", "t")}
    return joined(parts), None


def _first_change(
    rubbing: Rubbing, nodes: Nodes, given: Mapping[str, Array], mode: FrictionMode
) -> tuple[Nodes, dict[int, float]] | None:
    """The steps until the first change of the mode, and who begins to slide; None without."""
    if len(nodes.t) < 2:
        return None
    dense = Dense(rubbing.integrator, nodes, given)

    def state(times: Array) -> dict[str, Array]:
        return dict(zip("qvx", dense(times), strict=True)) | {"t": times}

    times = (nodes.t[:-1, None] + np.diff(nodes.t)[:, None] * SHARES_OF_A_STEP).ravel()
    times[len(SHARES_OF_A_STEP) - 1 :: len(SHARES_OF_A_STEP)] = nodes.t[1:]
    below = (rubbing.guards(state(times), mode) < 0).any(axis=1)
    if not below.any():
        return None
    k = int(np.argmax(below))
    low, high = float(times[k - 1]) if k else float(nodes.t[0]), float(times[k])
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if (rubbing.guards(state(np.array([middle])), mode) < 0).any():
            high = middle
        else:
            low = middle
    then = {k: np.array(x) for k, x in state(np.array([high])).items()}
    past = rubbing.guards(then, mode)[0] < 0
    friction = rubbing.held(then, mode)[0]
    loose = np.flatnonzero(past & (mode.stuck > 0))
    released = {int(i): float(np.sign(friction[i])) for i in loose}
    then["v"][0, past & (mode.slide != 0)] = 0.0
    before = nodes.t < high
    own = {k: np.concatenate([getattr(nodes, k)[before], then[k]]) for k in ("t", "q", "v", "x")}
    return Nodes(own["t"], own["q"], own["v"], own["x"]), released


def _made(task: Task, rows: list[_Rubbed], statistics: Any) -> Trajectory:
    """The trajectory, with what holds the joints that are stuck."""
    curves = RowCurves([row.curve for row in rows])
    last = min(float(row.nodes[-1].t[-1]) for row in rows)
    run = sampled_at(task, [row.nodes for row in rows], curves, last, statistics)
    q, v = (x if task.is_batch else x[None] for x in (run.q, run.v))
    held = [row.holding(run.t, *own) for row, *own in zip(rows, q, v, strict=True)]
    return replace(run, holding=np.stack(held) if task.is_batch else held[0])


def _over(task: Task, i: int, now: Mapping[str, Array], why: str, partial: Any) -> MotionError:
    where = state_in_words(now["q"][0], now["v"][0])
    return MotionError(
        f"simulate: {task.who(i)} ends at t = {now['t'][0]:.9g} s of {task.span.last:g} s: {why}; "
        f"{where}; error.trajectory has it until then",
        partial,
    )
