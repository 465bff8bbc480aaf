"""Where neither a closed form nor elimination serves: Newton's method from many starts."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.model import Model
from visviva.equations.frames.chain import SerialChain
from visviva.equations.frames.parts import LETTERS
from visviva.equations.frames.tasks import task as task_of
from visviva.errors import ArgumentError
from visviva.solve.inverse.checks.reach import reach_bound
from visviva.solve.inverse.placing import others_within
from visviva.solve.inverse.solutions import Solutions

SEARCH = "Newton's method from many starts"


def searched(
    model: Model,
    chain: SerialChain,
    task: str,
    X: Array,
    near: Array,
    single: bool,
    *,
    all: bool,
    max_jump: float | None,
    copies: bool,
    limits: bool,
) -> Solutions:
    """Positions that were found, of which nothing says that they are all."""
    from visviva.solve.numeric.newton import newton_of

    if copies:
        raise ArgumentError(
            f"copies= goes with closed forms and elimination; the {task} of {chain.frame!r} of "
            f"{model.name!r} ({chain.letters}) is searched for"
        )
    own = newton_of(model, chain.frame, task).reach.coordinates
    if limits:
        near = others_within(model, near, own)
    poses = X if X.ndim == 3 else _as_poses(X)
    N, stopped = len(poses), ""
    reasons = [""] * N if max_jump is not None else _beyond(chain, task, poses, limits)
    some = np.array([not x for x in reasons], dtype=bool)
    free, more = _continuum(model, chain, task) if some.any() or not N else ((), "")
    if all:
        q, residuals = _all(model, chain, task, poses[some], limits)
        others = np.setdiff1d(np.arange(model.nq), own)
        q[..., others] = np.where(np.isfinite(q[..., others]), near[some][:, None, others], np.nan)
    elif max_jump is not None:
        q, residuals, stopped = _followed(model, chain, task, poses, near[0], max_jump, limits)
        q, residuals = q[:, None], residuals[:, None]
    else:
        q, residuals = _one(model, chain, task, poses[some], near[some], limits)
    q, residuals = _spread(some, q), _spread(some, residuals)
    count = np.isfinite(residuals).sum(axis=1)
    none = stopped or "none was found, which does not prove that there is none"
    reasons = [x or (more if n else none) for x, n in zip(reasons, count, strict=True)]
    columns: dict[str, Any] = {"count": count, "complete": ~some, "outside": np.zeros(N, dtype=int)}
    columns |= {"q": q if all else q[:, 0], "residuals": residuals if all else residuals[:, 0]}
    columns["reason"], columns["free"] = reasons, [free if x else () for x in some]
    columns |= {"nearest": [None] * N, "distance": np.full((N, 2), np.nan)}
    common = {"frame": chain.frame, "task": task, "family": SEARCH}
    return Solutions.of_targets(single, columns, model=model, **common)


def _beyond(chain: SerialChain, task: str, poses: Array, limits: bool) -> list[str]:
    """For each pose why it is too far away, or too near; empty where that is not certain."""
    if not {*LETTERS} <= {*task_of(task).names}:
        return [""] * len(poses)
    bound = reach_bound(chain, limits)
    return [bound.refused(chain.frame, p) for p in poses[:, :3, 3]]


def _continuum(model: Model, chain: SerialChain, task: str) -> tuple[tuple[str, ...], str]:
    """Joints that are more than the task has numbers, and what is to be said of it."""
    from visviva.solve.numeric.newton import newton_of

    reach = newton_of(model, chain.frame, task).reach
    if len(reach.moving) <= reach.task.size:
        return (), ""
    return (
        chain.names,
        "more joints than numbers: points of a continuum; .continua are curves on it",
    )


def _all(
    model: Model, chain: SerialChain, task: str, poses: Array, limits: bool
) -> tuple[Array, Array]:
    """Positions (N, S, nq) and by how much they miss (N, S)."""
    from visviva.solve.numeric.several import all_by_search

    if not len(poses):
        return np.zeros((0, 0, model.nq)), np.zeros((0, 0))
    several = all_by_search(model, chain.frame, poses, task, limits=limits)
    return several.q, several.residual


def _one(
    model: Model, chain: SerialChain, task: str, poses: Array, near: Array, limits: bool
) -> tuple[Array, Array]:
    """The same with S = 1: of those that are found the nearest."""
    from visviva.solve.numeric.newton import newton_of, solve_many, targets_of
    from visviva.solve.rates.approach import nearest_found

    q, residuals = np.full(near.shape, np.nan), np.full(len(near), np.nan)
    if len(poses):
        one = solve_many(model, chain.frame, poses, task, seed=near, limits=limits)
        good, newton = one.converged, newton_of(model, chain.frame, task)
        targets = targets_of(poses)[good]
        q[good], residuals[good] = nearest_found(newton, one.q[good], targets, near[good], limits)
    return q[:, None], residuals[:, None]


def _spread(some: Any, found: Array) -> Array:
    """Rows of those poses that were searched for, among all of them."""
    whole = np.full((len(some), *found.shape[1:]), np.nan)
    whole[some] = found
    return whole


def _as_poses(points: Array) -> Array:
    X = np.tile(np.eye(4), (len(points), 1, 1))
    X[:, :3, 3] = points
    return X


def _followed(
    model: Model,
    chain: SerialChain,
    task: str,
    poses: Array,
    start: Array,
    max_jump: float,
    limits: bool,
) -> tuple[Array, Array, str]:
    """From pose to pose by Newton's steps from the one before."""
    from visviva.solve.numeric.newton import solve_many

    q, residuals = np.full((len(poses), model.nq), np.nan), np.full(len(poses), np.nan)
    before = start
    for i in range(len(poses)):
        one = solve_many(
            model, chain.frame, poses[i : i + 1], task, starts=1, seed=before, limits=limits
        )
        jump = float(np.abs(one.q[0] - before).max(initial=0.0))
        if not one.converged[0]:
            return q, residuals, f"none continues at pose {i}: no solution was found near the last"
        if jump > max_jump:
            return (
                q,
                residuals,
                (
                    f"none continues at pose {i}: the nearest found is {jump:.6g} away, more than "
                    f"max_jump = {max_jump:g}"
                ),
            )
        q[i], residuals[i] = one.q[0], one.residual[0]
        before = one.q[0]
    return q, residuals, ""
