"""`inverse_kinematics`: from a pose to joint positions, all of them or the nearest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.model import Model
from visviva.equations.frames.chain import SerialChain
from visviva.equations.frames.tasks import task as task_of
from visviva.errors import ArgumentError, ShapeError
from visviva.solve.inverse.answers import Answers, Solver
from visviva.solve.inverse.checks.nearest import Nearest
from visviva.solve.inverse.choosing import nearest_of, path_followed
from visviva.solve.inverse.closed.axes import size_of
from visviva.solve.inverse.closed.recognition import TASKS
from visviva.solve.inverse.direct import Direct
from visviva.solve.inverse.formulas import inverse_kinematics_function, refuse_linkages
from visviva.solve.inverse.methods import method_of
from visviva.solve.inverse.placing import others_within
from visviva.solve.inverse.rescue import looked_at_again
from visviva.solve.inverse.searching import searched
from visviva.solve.inverse.solutions import NearestSolutions, Solutions
from visviva.solve.inverse.targets import angles_taken, carrying, targets, task_in

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
    problem = problem_of(model, frame, task, limits, copies)
    X, single = targets(problem.path, problem.task, pose)
    near = _seeds(problem, seed, len(X))
    other = angles_taken(problem.path, problem.task, pose)
    if all or max_jump is not None or problem.direct is None:
        return answers_of(problem, X, near, single, other, all, max_jump)
    return _nearest(problem, problem.direct, X, near, single, other)


@dataclass(frozen=True, eq=False)
class Problem:
    """What is known before any pose is given."""

    model: Model
    frame: str
    task: str
    limits: bool
    copies: bool
    numbers: Model
    path: SerialChain  # all joints that carry the frame
    chain: SerialChain  # those that the task needs
    neutral: Array
    solver: Solver | None  # None where only a search is left
    direct: Direct | None  # where there is a closed form

    def __reduce__(self) -> tuple[Any, ...]:
        return problem_of, (self.model, self.frame, self.task, self.limits, self.copies)


def problem_of(model: Model, frame: str, task: str, limits: bool, copies: bool) -> Problem:
    """Kept with the model; refused where nothing moves."""
    model.frame(frame)
    task_of(task)  # refuses words that it does not know
    problems: dict[Any, Problem] = model.__dict__.setdefault("_inverse_problems", {})
    key = frame, task, bool(limits), bool(copies)
    if key not in problems:
        numbers = model.numeric
        path = SerialChain.of(numbers, frame)
        if not len(path):
            raise ArgumentError(f"no joint moves {frame!r} of {model.name!r}: it stays where it is")
        task = task_in(path, task)
        chain = carrying(path, task)
        if not len(chain):
            raise ArgumentError(f"no joint moves the {task} of {frame!r} of {model.name!r}")
        method = method_of(model, chain, task) if task in TASKS else None
        solver = None if method is None else Solver(chain, task, method, *key[2:])
        direct, far = None, np.full(chain.nq, np.inf)
        if solver and solver.method.branches and not copies:
            ends = (numbers.lower, numbers.upper) if limits else (-far, far)
            direct = Direct(solver, *ends)
        known: list[Any] = [numbers, path, chain, numbers.neutral(), solver, direct]
        problems[key] = Problem(model, frame, task, *key[2:], *known)
    return problems[key]


def _nearest(
    problem: Problem, direct: Direct, X: Array, near: Array, single: bool, other: Mapping[int, str]
) -> Solutions:
    """The nearest solutions by machine code, and by `answers_of` where that is not certain."""
    N, complete = len(X), partial(answers_of, problem, X, near, single, other)
    q, residuals, sure = direct.nearest(X, near)
    doubtful = np.flatnonzero(sure == 0.0)
    if len(doubtful) == N:
        return complete()
    columns: dict[str, Any] = {"q": q, "residuals": residuals, "count": np.ones(N, dtype=int)}
    columns |= {"distance": np.full((N, 2), np.nan), "reason": [""] * N}
    columns["free"], columns["nearest"] = [()] * N, [None] * N
    if len(doubtful):
        rows = doubtful.tolist()
        advice = {k: other[i] for k, i in enumerate(rows) if i in other}
        answers = answers_of(problem, X[rows], near[rows], False, advice)
        for name, column in columns.items():
            for i, value in zip(rows, getattr(answers, name), strict=True):
                column[i] = value
    common = {"model": problem.model, "frame": problem.frame, "task": problem.task}
    common |= {"family": direct.solver.method.name, "_answer": complete}
    return NearestSolutions.of_targets(single, columns, **common)


def answers_of(
    problem: Problem,
    X: Array,
    near: Array,
    single: bool,
    other: Mapping[int, str],
    all: bool = False,
    max_jump: float | None = None,
) -> Solutions:
    """Solutions with all that is to be said of them, the nearest or all."""
    chain, solver, limits = problem.chain, problem.solver, problem.limits
    if limits:
        near = others_within(problem.numbers, near, chain.index)
    if solver is None:
        how: dict[str, Any] = {"max_jump": max_jump, "copies": problem.copies, "limits": limits}
        return searched(problem.numbers, chain, problem.task, X, near, single, all=all, **how)
    own = near[:, list(chain.index)]
    stopped, closest = "", {}
    if max_jump is not None and len(X):
        found, stopped = path_followed(solver, X, own[0], max_jump)
    else:
        found = solver.answers(X, own)
        closest = looked_at_again(solver, X, found, own)
        if not all:
            found = nearest_of(found, own)
    return _told(problem.model, solver, near, found, closest, stopped, single, all, other)


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
        raise ArgumentError(f"seed is a position of {nq} numbers, got {seed!r:.200}") from None
    if q.shape not in ((nq,), (N, nq)):
        raise ShapeError(
            f"seed is a position ({nq},) of {model.name!r}, or one for every pose "
            f"({N}, {nq}); got the shape {q.shape}"
        )
    if not np.isfinite(q).all():
        raise ArgumentError(f"seed is made of finite numbers, got {q.tolist()!r:.200}")
    near = np.empty((N, nq))
    near[:] = q
    return near


def _told(
    model: Model,
    solver: Solver,
    rest: Array,
    found: Answers,
    closest: Mapping[int, Nearest],
    stopped: str,
    single: bool,
    all: bool,
    other: Mapping[int, str],
) -> Solutions:
    """What was found, with reasons where it is nothing."""
    chain, N = solver.chain, len(rest)
    q = np.repeat(rest[:, None], found.q.shape[1] if all else 1, axis=1)
    residuals = found.residuals if found.q.shape[1] or all else np.full((N, 1), np.nan)
    if found.q.shape[1]:
        q[..., list(chain.index)] = found.q
    q[~np.isfinite(residuals)] = np.nan
    distance = np.full((N, 2), np.nan)
    near: list[Any] = [None] * N
    free: list[tuple[str, ...]] = [()] * N
    for i, joints in found.free.items():
        free[i] = tuple(n for n, x in zip(chain.names, joints, strict=True) if x)
    singular = "singular: {} may move while {} stays"
    reasons = [singular.format(", ".join(x), chain.frame) if x else "" for x in free]
    for i in np.flatnonzero(found.count == 0).tolist():
        best = closest.get(i)
        advice = "" if found.outside[i] else other.get(i, "")
        reasons[i] = stopped or _why(solver, int(found.outside[i]), best) + advice
        if best is not None:
            near[i], distance[i] = best.pose, (best.metres, best.radians)
    columns: dict[str, Any] = {
        "count": found.count,
        "complete": found.complete,
        "outside": found.outside,
    }
    columns |= {"q": q if all else q[:, 0], "residuals": residuals if all else residuals[:, 0]}
    columns |= {"reason": reasons, "nearest": near, "distance": distance}
    columns["free"] = free
    common = {"frame": chain.frame, "task": solver.task, "family": solver.method.name}
    return Solutions.of_targets(single, columns, model=model, **common)


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
