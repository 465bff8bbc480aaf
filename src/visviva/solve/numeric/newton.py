"""Positions at which a frame is where it is wanted, by Newton's method from many starts.

All targets go through machine code together, a lane each. What has arrived rests; what has not
after some steps begins again from another start, beside those that still do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra import generic as g
from visviva.algebra.arrays import Array
from visviva.describe.model.model import Model
from visviva.equations.frames.kinematics import kinematics
from visviva.equations.frames.tasks import task as task_of
from visviva.errors import ArgumentError, ShapeError
from visviva.machine.function import Function
from visviva.machine.program.trace import input_ports, traced
from visviva.machine.repetition import Loop
from visviva.numerics.intervals import TURN
from visviva.solve.numeric.starts import DRAWN, Starts, drawn
from visviva.solve.numeric.step import Reach, whole_pose
from visviva.solve.rows import periods

PASSES, MORE_PASSES = 12, 30  # from one start, and where little is left then
BEFORE_LAST = 3e-7  # what is left before the last step: it leaves about the square of it
FINE, ROUGH = 1e-12, 1e-2  # what is worth more steps if it is between
ARRIVED = 1e-10  # radians and metres: what has arrived
CAREFUL_STEPS = 60
MOST_STARTS = 100  # of one target
ABREAST = 16  # rows that cost little more than one: few targets begin at several starts at once


@dataclass(frozen=True, eq=False)
class Found:
    """What was found, target by target."""

    q: Array  # (N, nq); where nothing was found, the best that was seen
    residual: Array  # (N,), the largest error: radians, metres
    converged: np.ndarray  # (N,)
    starts: np.ndarray  # (N,), how many were tried

    def __repr__(self) -> str:
        worst = float(self.residual[self.converged].max(initial=0.0))
        return (
            f"Found({int(self.converged.sum())} of {len(self.residual)} targets, residual at most "
            f"{worst:.1g})"
        )


@dataclass(frozen=True, eq=False)
class Newton:
    """Machine code for a task of a frame, made once."""

    reach: Reach

    def _function(
        self, name: str, f: Callable[..., Any], inputs: Mapping[str, Any]
    ) -> Function[Any]:
        """Found on disk without tracing where the model has a name."""
        reach, ports = self.reach, input_ports(inputs)
        own = reach.model.pose(reach.frame).key
        key = None if own is None else ("newton", name, reach.task.text, own)
        return Function(f"{name}_{reach.frame}", ports, lambda: traced(f, ports), key)

    @cached_property
    def loop(self) -> Loop:
        """Steps until little is left."""
        nq, n = self.reach.model.nq, len(self.reach.moving)
        states = {"q": (nq,), "residual": ()}
        sizes = {"q": nq, "target": (3, 4), "length": (), "scale": n, "lower": nq, "upper": nq}
        sizes |= {"residual": (), "enough": ()}

        def step(*values: Any) -> Any:
            return self.reach.step(*values[:6])

        def arrived(residual: Any, enough: Any) -> Any:
            return g.less_equal(residual, enough)

        until = self._function("arrived", arrived, {"residual": (), "enough": ()})
        stepped = self._function("step", step, sizes)
        return Loop(stepped, until=until, keep=(), outputs=states, formulas=step)

    @cached_property
    def left(self) -> Function:
        """The largest error at a position: radians or metres."""

        def left(q: Any, target: Any) -> Any:
            return self.reach.left(q, target)

        return self._function("left", left, {"q": self.reach.model.nq, "target": (3, 4)})

    @cached_property
    def slope(self) -> Function[tuple[Array, Array]]:
        """q -> the pose X (4, 4), and the velocities of the task by each motion, J (size, n)."""
        reach = self.reach

        def slope(q: Any) -> Any:
            X, J = kinematics(reach.model, reach.frame, q)
            return {"X": X, "J": reach.task.jacobian(X, J)[:, reach.moving]}

        return self._function("slope", slope, {"q": reach.model.nq})

    @cached_property
    def toward(self) -> Function[tuple[Array, Array]]:
        """q, target -> what is left e (size,), and J (size, n)."""
        reach = self.reach

        def toward(q: Any, target: Any) -> Any:
            X, J = kinematics(reach.model, reach.frame, q)
            e = reach.task.error(X, whole_pose(target))
            return {"e": e, "J": reach.task.jacobian(X, J)[:, reach.moving]}

        return self._function("toward", toward, {"q": reach.model.nq, "target": (3, 4)})

    @cached_property
    def circular(self) -> Array:
        """Entries of q that a whole turn leaves where they were, proved by the formulas: a mask."""
        m = self.reach.model
        turning = np.zeros(m.nq, dtype=bool)
        turning[[q for v, q in self.reach.limited.items()]] = True
        return np.asarray(periods(m.pose(self.reach.frame).program) & turning)

    @cached_property
    def starts(self) -> Starts:
        """Positions to begin with, the same in every run."""
        m, rng = self.reach.model, np.random.default_rng(0)
        q = np.array([m.random(rng) for _ in range(DRAWN)])
        X, J = self.slope(q)
        return drawn(q, X, J, self.reach.task)

    @cached_property
    def limits(self) -> tuple[Array, Array]:
        """Lower and upper limits of q, of the joints that take part."""
        m, own = self.reach.model, np.isin(np.arange(self.reach.model.nq), self.reach.coordinates)
        return np.where(own, m.lower, -np.inf), np.where(own, m.upper, np.inf)

    def bounds(self, is_limited: bool) -> tuple[Array, Array]:
        """Limits that stop a step: those of joints that cannot go round."""
        lower, upper = self.limits
        free = self.circular & (upper - lower >= TURN) if is_limited else np.ones_like(lower)
        return np.where(free, -np.inf, lower), np.where(free, np.inf, upper)

    def placed(self, q: Array, is_limited: bool, about: Any) -> tuple[Array, Array]:
        """At the whole turns nearest to `about` that are within limits, and whether all is."""
        lower, upper = self.limits
        if not is_limited:
            lower, upper = np.full_like(lower, -np.inf), np.full_like(upper, np.inf)
        q[:, self.circular] -= TURN * np.round((q - about)[:, self.circular] / TURN)
        outside = (q < lower) | (q > upper)
        if not outside.any():
            return q, np.ones(len(q), dtype=bool)
        for k in np.flatnonzero(outside.any(axis=0) & self.circular):
            x = q[:, k]
            over, under = x > upper[k], x < lower[k]
            x[over] -= TURN * np.ceil((x[over] - upper[k]) / TURN)
            x[under] += TURN * np.ceil((lower[k] - x[under]) / TURN)
        is_within = ((q >= lower - ARRIVED) & (q <= upper + ARRIVED)).all(axis=1)
        return q, np.asarray(is_within)

    def begin(
        self, targets: Array, others: Array, attempt: int, abreast: int, rng: np.random.Generator
    ) -> Array:
        """Starts of several attempts, one after the other: joints off the way as in `others`."""
        own = self.reach.coordinates
        q = np.tile(others, (abreast, 1))
        chosen = self.starts.chosen(targets, attempt, abreast, rng)
        q[:, own] = self.starts.q[chosen][:, own]
        return q

    def run(
        self, q: Array, targets: Array, is_limited: bool, about: Any = 0.0
    ) -> tuple[Array, Array]:
        """From one start each: where steps lead, and what is left there, inf outside of limits."""
        s = self.starts
        lower, upper = self.bounds(is_limited)
        state = {"q": q, "target": targets, "length": s.length, "scale": s.scale}
        state |= {"lower": lower, "upper": upper, "residual": np.inf, "enough": BEFORE_LAST}
        q = self.loop(state, at_most=PASSES).state["q"]
        left = self.left(q, targets)
        rough = (left > FINE) & (left < ROUGH)
        if rough.any():
            again = {**state, "q": q[rough], "target": targets[rough], "enough": FINE}
            q[rough] = self.loop(again, at_most=MORE_PASSES).state["q"]
            left[rough] = self.left(q[rough], targets[rough])
        q, within = self.placed(q, is_limited, about)
        return q, np.where(within, left, np.inf)

    def careful(self, q: Array, targets: Array, is_limited: bool) -> tuple[Array, Array]:
        """Marquardt's steps: one that makes it worse is taken back and tried with more damping.

        For the few that stay beside singular positions, where Newton's steps are too long.
        """
        m, moving, limited = self.reach.model, self.reach.moving, self.reach.limited
        lower, upper = self.bounds(is_limited)
        q, damping = np.array(q), np.full(len(q), 1e-9)
        e, J = self.toward(q, targets)
        for _ in range(CAREFUL_STEPS):
            U, sizes, Vt = np.linalg.svd(J, full_matrices=False)
            turned = sizes / np.maximum(sizes**2 + damping[:, None], 1e-300)
            motion = ((np.swapaxes(U, 1, 2) @ e[..., None])[..., 0] * turned)[:, None] @ Vt
            whole = np.zeros((len(q), m.nv))
            whole[:, moving] = motion[:, 0]
            new = np.array([m.integrate(a, b) for a, b in zip(q, whole, strict=True)])
            own = list(limited.values())
            new[:, own] = np.clip(new[:, own], lower[own], upper[own])
            e1, J1 = self.toward(new, targets)
            good = (e1**2).sum(axis=1) < (e**2).sum(axis=1)
            q[good], e[good], J[good] = new[good], e1[good], J1[good]
            damping = np.where(good, damping / 30, np.maximum(damping, 1e-20) * 10)
        return q, np.asarray(self.left(q, targets))

    def corrected(self, q: Array, targets: Array, at_most: int = 10) -> tuple[Array, Array]:
        """The nearest positions, whatever the limits, for guesses that are near: and what is left.

        Steps are those of least length, as the scale of the joints measures it.
        """
        nowhere = np.full(self.reach.model.nq, np.inf)
        state = {"q": q, "target": targets, "length": self.starts.length}
        state |= {"scale": self.starts.scale, "lower": -nowhere, "upper": nowhere}
        state |= {"residual": np.inf, "enough": 1e-15}
        q = self.loop(state, at_most=at_most).state["q"]
        return q, np.asarray(self.left(q, targets))


def solve_many(
    model: Model,
    frame: str,
    poses: Any,
    task: str = "pose",
    starts: int = MOST_STARTS,
    seed: Any = None,
    limits: bool = True,
    rng: Any = 0,
) -> Found:
    """One position for every pose (N, 4, 4): joints within their limits, unless `limits` is False.

    `seed` (nq,) or (N, nq) is where every row begins; what does not arrive from there begins again
    where poses are near, `starts` times in all. Joints that do not move the frame stay as in the
    seed, or neutral. Targets that are not reached have the position that came nearest.
    """
    newton, targets = newton_of(model, frame, task), targets_of(poses)
    m, count = newton.reach.model, len(targets)
    source = np.random.default_rng(rng)
    best = np.array(np.broadcast_to(m.neutral(), (count, m.nq)))
    residual, tried = np.full(count, np.inf), 0 * np.arange(count)
    rows, about = np.arange(count), np.zeros((count, m.nq))
    if seed is not None:
        about = _seeds(m, seed, count)
        best, residual = newton.run(about.copy(), targets, limits, about)
        tried, rows = tried + 1, rows[residual > ARRIVED]
    attempt, most = 0, starts - (seed is not None)
    while len(rows) and attempt < most:
        abreast = min(max(ABREAST // len(rows), 1), most - attempt)
        q = newton.begin(targets[rows], best[rows], attempt, abreast, source)
        several = np.tile(rows, abreast)
        q, left = _chosen(abreast, *newton.run(q, targets[several], limits, about[several]))
        better = left < residual[rows]
        best[rows[better]], residual[rows[better]] = q[better], left[better]
        tried[rows] += abreast
        attempt += abreast
        rows = rows[left > ARRIVED]
    near = np.flatnonzero((residual > ARRIVED) & (residual < ROUGH))
    if len(near):
        q, left = newton.careful(best[near], targets[near], limits)
        q, within = newton.placed(q, limits, about[near])
        better = within & (left < residual[near])
        best[near[better]], residual[near[better]] = q[better], left[better]
    return Found(best, residual, residual <= ARRIVED, tried)


def _chosen(abreast: int, q: Array, left: Array) -> tuple[Array, Array]:
    """Of several starts of each row the first that arrived, or the one that came nearest."""
    left = left.reshape(abreast, -1)
    good = left <= ARRIVED
    first = np.where(good.any(axis=0), good.argmax(axis=0), left.argmin(axis=0))
    rows = np.arange(left.shape[1])
    return q.reshape(abreast, len(rows), -1)[first, rows], left[first, rows]


def newton_of(model: Model, frame: str, task: str = "pose") -> Newton:
    """The machine code of a task, one for every model, frame and task."""
    if model.held_by:
        raise ArgumentError(
            f"{model.name!r} has loops or other constraints: Newton's method along open chains "
            "takes none"
        )
    model.frame(frame)
    made: dict[Any, Newton] = model.__dict__.setdefault("_newton", {})
    if (frame, task) not in made:
        made[frame, task] = Newton(Reach(model.numeric, frame, task_of(task)))
    return made[frame, task]


def targets_of(poses: Any) -> Array:
    """(N, 3, 4)."""
    X = np.asarray(poses, dtype=float)
    if X.ndim != 3 or X.shape[1:] != (4, 4):
        raise ShapeError(f"poses are an array (N, 4, 4), got shape {X.shape}")
    return np.ascontiguousarray(X[:, :3])


def _seeds(model: Model, seed: Any, count: int) -> Array:
    """(N, nq)."""
    q = np.asarray(seed, dtype=float)
    if q.shape not in ((model.nq,), (count, model.nq)):
        raise ShapeError(
            f"seed is a position ({model.nq},) or one for every pose, ({count}, {model.nq}); got "
            f"shape {q.shape}"
        )
    return np.array(np.broadcast_to(q, (count, model.nq)))
