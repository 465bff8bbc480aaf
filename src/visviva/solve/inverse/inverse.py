"""`inverse_kinematics`: from a pose to joint positions, all of them or the nearest."""

from __future__ import annotations

from collections.abc import Mapping
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
from visviva.solve.inverse.formulas import inverse_kinematics_function, refuse_linkages
from visviva.solve.inverse.methods import method_of
from visviva.solve.inverse.placing import others_within
from visviva.solve.inverse.rescue import looked_at_again
from visviva.solve.inverse.searching import searched
from visviva.solve.inverse.solutions import Solutions
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
    numbers: Model = model.numeric
    numbers.frame(frame)
    chain = SerialChain.of(numbers, frame)
    if not len(chain):
        raise ArgumentError(f"no joint moves {frame!r} of {model.name!r}: it stays where it is")
    task_of(task)  # refuses words that it does not know
    task = task_in(chain, task)
    X, single = targets(chain, task, pose)
    near = _seeds(numbers, seed, len(X))
    chain = carrying(chain, task)
    if not len(chain):
        raise ArgumentError(f"no joint moves the {task} of {frame!r} of {model.name!r}")
    if limits:
        near = others_within(numbers, near, chain.index)
    method = method_of(model, chain, task) if task in TASKS else None
    if method is None:
        how: dict[str, Any] = {"max_jump": max_jump, "copies": copies, "limits": limits}
        return searched(numbers, chain, task, X, near, single, all=all, **how)
    solver = Solver(chain, task, method, limits, copies)
    own = near[:, list(chain.index)]
    stopped, closest = "", {}
    if max_jump is not None and len(X):
        found, stopped = path_followed(solver, X, own[0], max_jump)
    else:
        found = solver.answers(X, own)
        closest = looked_at_again(solver, X, found, own)
        if not all:
            found = nearest_of(found, own)
    ways = angles_taken(chain, task, pose)
    return _told(model, solver, near, found, closest, stopped, single, all, ways)


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


def _seeds(model: Model, seed: Any, N: int) -> Array:
    """Where each target's solutions shall be near to (N, nq); neutral if nothing is said."""
    if seed is None:
        return np.tile(np.asarray(model.neutral(), dtype=float), (N, 1))
    try:
        q = np.asarray(seed, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"seed is a position of {model.nq} numbers, got {seed!r:.200}"
        ) from None
    if q.shape not in ((model.nq,), (N, model.nq)):
        raise ShapeError(
            f"seed is a position ({model.nq},) of {model.name!r}, or one for every pose "
            f"({N}, {model.nq}); got the shape {q.shape}"
        )
    if not np.isfinite(q).all():
        raise ArgumentError(f"seed is made of finite numbers, got {q.tolist()!r:.200}")
    return np.array(np.broadcast_to(q, (N, model.nq)))


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
