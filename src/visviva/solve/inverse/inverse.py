"""`inverse_kinematics`: from a pose to joint positions, all of them or the nearest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError, ShapeError
from visviva.solve.inverse.answers import Answers, Solver
from visviva.solve.inverse.checks.nearest import Nearest
from visviva.solve.inverse.choosing import nearest_of, path_followed
from visviva.solve.inverse.closed.axes import size_of
from visviva.solve.inverse.formulas import inverse_kinematics_function, refuse_linkages
from visviva.solve.inverse.placing import others_within
from visviva.solve.inverse.problem import Problem, problem_of
from visviva.solve.inverse.rescue import looked_at_again
from visviva.solve.inverse.searching import searched
from visviva.solve.inverse.solutions import NearestSolutions, Solutions
from visviva.solve.inverse.targets import angles_taken, targets

__all__ = ["inverse_kinematics", "inverse_kinematics_function"]


def inverse_kinematics(
    model: Any,
    frame: str,
    pose: Any,
    *,
    all: bool = False,
    task: str = "pose",
    seed: Any = None,
    max_jump: float | None = None,
    copies: bool = False,
    limits: bool = True,
) -> Solutions:
    """The doorway is `Model.inverse_kinematics`."""
    _check(model, frame, all, seed, max_jump, copies)
    problem = problem_of(model, frame, task)
    X, single = targets(problem.whole, problem.task, pose)
    near = _seeds(problem, seed, len(X))
    ways = angles_taken(problem.whole, problem.task, pose)
    request = Request(model, frame, task, limits, X, near, single, ways)
    if all or copies or max_jump is not None or not problem.direct:
        return request.answer(all=all, copies=copies, max_jump=max_jump)
    return request.nearest()


@dataclass(frozen=True, eq=False)
class Request:
    """Where a frame shall be, and near to which positions solutions are wanted."""

    model: Model
    frame: str
    task: str
    limits: bool
    X: Array  # (N, 4, 4), or (N, 3) of positions
    near: Array  # (N, nq)
    single: bool
    ways: Mapping[int, str]  # by targets: what to ask for instead, where there is no solution

    @property
    def problem(self) -> Problem:
        """What is known before."""
        return problem_of(self.model, self.frame, self.task)

    def nearest(self) -> Solutions:
        """The nearest solutions by machine code, and by `answer` where that is not certain."""
        problem, N = self.problem, len(self.X)
        q, residuals, sure = problem.direct[self.limits].nearest(self.X, self.near)
        doubtful = np.flatnonzero(sure == 0.0)
        if len(doubtful) == N:
            return self.answer()
        columns: dict[str, Any] = {"q": q, "residuals": residuals, "count": np.ones(N, dtype=int)}
        columns |= {"distance": np.full((N, 2), np.nan), "reason": [""] * N}
        columns |= {"free": [()] * N, "nearest": [None] * N}
        if len(doubtful):
            rows = doubtful.tolist()
            ways = {k: self.ways[i] for k, i in enumerate(rows) if i in self.ways}
            some = replace(self, X=self.X[rows], near=self.near[rows], single=False, ways=ways)
            answer = some.answer()
            for name, column in columns.items():
                for i, value in zip(rows, getattr(answer, name), strict=True):
                    column[i] = value
        if self.single:
            columns = {name: column[0] for name, column in columns.items()} | {"count": 1}
        else:
            columns |= {name: tuple(columns[name]) for name in ("reason", "free", "nearest")}
        return NearestSolutions.of(
            self.answer,
            model=self.model,
            frame=self.frame,
            task=problem.task,
            family=problem.direct[self.limits].solver.method.name,
            **columns,
        )

    def answer(
        self, *, all: bool = False, copies: bool = False, max_jump: float | None = None
    ) -> Solutions:
        """All that is to be said, or the nearest of it."""
        problem, X, near, limits = self.problem, self.X, self.near, self.limits
        chain = problem.chain
        if limits:
            near = others_within(problem.numbers, near, chain.index)
        if problem.method is None:
            how: dict[str, Any] = {"max_jump": max_jump, "copies": copies, "limits": limits}
            asked = problem.numbers, chain, problem.task, X, near, self.single
            return searched(*asked, all=all, **how)
        solver = problem.solvers[limits, copies]
        own = near[:, list(chain.index)]
        stopped, closest = "", {}
        if max_jump is not None and len(X):
            found, stopped = path_followed(solver, X, own[0], max_jump)
        else:
            found = solver.answers(X, own)
            closest = looked_at_again(solver, X, found, own)
            if not all:
                found = nearest_of(found, own)
        return _told(
            self.model, solver, near, found, closest, stopped, self.single, all, self.ways
        )


def _check(
    model: Any, frame: str, all: bool, seed: Any, max_jump: float | None, copies: bool
) -> None:
    """Refuse what contradicts itself."""
    if model.held_by:
        refuse_linkages(model, "inverse_kinematics", frame)
    if max_jump is None:
        return
    if not isinstance(max_jump, (int, float)) or not max_jump > 0.0:
        raise ArgumentError(f"max_jump is a positive number, got {max_jump!r}")
    if all or copies:
        raise ArgumentError("max_jump follows one solution: it does not go with all= and copies=")
    if seed is None:
        raise ArgumentError("max_jump counts from a position: give it by seed=")


def _seeds(problem: Problem, seed: Any, N: int) -> Array:
    """Where each target's solutions shall be near to (N, nq); neutral if nothing is said."""
    model, nq = problem.numbers, problem.chain.nq
    if seed is None:
        return np.tile(problem.neutral, (N, 1))
    try:
        q = np.asarray(seed, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"seed is a position of {nq} numbers, got {seed!r:.200}"
        ) from None
    if q.shape not in ((nq,), (N, nq)):
        raise ShapeError(
            f"seed is a position ({nq},) of {model.name!r}, or one for every pose "
            f"({N}, {nq}); got the shape {q.shape}"
        )
    if not np.isfinite(q).all():
        raise ArgumentError(f"seed is made of finite numbers, got {q.tolist()!r:.200}")
    return np.array(np.broadcast_to(q, (N, nq)))


def _told(
    model: Model,
    solver: Solver,
    rest: Array,
    found: Answers,
    closest: Mapping[int, Nearest],
    stopped: str,
    single: bool,
    all: bool,
    ways: Mapping[int, str],
) -> Solutions:
    """What was found, with reasons where it is nothing."""
    chain, N = solver.chain, len(rest)
    q = np.repeat(rest[:, None], found.q.shape[1] if all else 1, axis=1)
    residuals = found.residuals if found.q.shape[1] or all else np.full((N, 1), np.nan)
    if found.q.shape[1]:
        q[..., list(chain.index)] = found.q
    q[~np.isfinite(residuals)] = np.nan
    count = found.count
    reasons, distance = [""] * N, np.full((N, 2), np.nan)
    near: list[Any] = [None] * N
    missing = np.flatnonzero(count == 0)
    for i, joints in found.free.items():
        names = ", ".join(n for n, x in zip(chain.names, joints, strict=True) if x)
        reasons[i] = f"singular: {names} may move while {chain.frame} stays"
    for i in missing.tolist():
        best = closest.get(i)
        reasons[i] = stopped or _why(solver, int(found.outside[i]), best)
        reasons[i] += "" if stopped or found.outside[i] else ways.get(i, "")
        if best is not None:
            near[i], distance[i] = best.pose, (best.metres, best.radians)
    free = [
        tuple(n for n, x in zip(chain.names, found.free[i], strict=True) if x)
        if i in found.free
        else ()
        for i in range(N)
    ]
    parts: list[Any] = [q, residuals] if all else [q[:, 0], residuals[:, 0]]
    parts += [count, found.complete, found.outside]
    tail: list[Any] = [tuple(reasons), tuple(free), tuple(near), distance]
    if single:
        parts, tail = [x[0] for x in parts], [x[0] for x in tail]
        parts[2:] = [int(parts[2]), bool(parts[3]), int(parts[4])]
    said = [solver.method.name, *tail]
    return Solutions(model, chain.frame, solver.task, *parts, *said)


def _why(solver: Solver, outside: int, best: Nearest | None) -> str:
    """Why there is no solution."""
    if outside:
        n = "its only solution" if outside == 1 else f"all {outside} solutions"
        return f"the limits exclude {n}; limits=False gives them"
    if best is None:
        return "unreachable"
    turn, how = "", ""
    if solver.task != "position":
        turn = f" and {round(best.radians, 7):.6g} rad"
        how = f", a radian counted as {size_of(solver.chain):.4g} m, the size of the arm"
    what = "the nearest pose found within the limits" if best.is_limited else "the nearest pose"
    return f"unreachable: {what} is {best.metres:.6g} m{turn} away{how}"
