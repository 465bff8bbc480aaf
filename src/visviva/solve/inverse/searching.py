"""Where neither a closed form nor elimination serves: Newton's method from many starts."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.model import Model
from visviva.equations.frames.chain import SerialChain
from visviva.errors import ArgumentError
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
    has_seed: bool,
    all: bool,
    max_jump: float | None,
    copies: bool,
    limits: bool,
) -> Solutions:
    """Positions that were found, of which nothing says that they are all."""
    from visviva.solve.numeric.newton import newton_of, solve_many
    from visviva.solve.numeric.several import all_by_search

    if copies:
        raise ArgumentError(
            f"copies= goes with closed forms and elimination; the {task} of {chain.frame!r} of "
            f"{model.name!r} ({chain.letters}) is searched for"
        )
    poses = X if X.ndim == 3 else _as_poses(X)
    N = len(poses)
    free: tuple[str, ...] = ()
    stopped = more = ""
    reach = newton_of(model, chain.frame, task).reach
    if len(reach.moving) > reach.task.size:
        free = chain.names
        more = "more joints than numbers: points of a continuum; .continua are curves on it"
    if all:
        several = all_by_search(model, chain.frame, poses, task, limits=limits)
        q, residuals = several.q, several.residual
    elif max_jump is not None:
        q, residuals, stopped = _followed(model, chain, task, poses, near[0], max_jump, limits)
        q, residuals = q[:, None], residuals[:, None]
    else:
        seed = near if has_seed else None
        one = solve_many(model, chain.frame, poses, task, seed=seed, limits=limits)
        q = np.where(one.converged[:, None], one.q, np.nan)[:, None]
        residuals = np.where(one.converged, one.residual, np.nan)[:, None]
    count = np.isfinite(residuals).sum(axis=1)
    reasons = [
        more if n else stopped or "none was found, which does not prove that there is none"
        for n in count
    ]
    parts: list[Any] = [q, residuals] if all else [q[:, 0], residuals[:, 0]]
    parts += [count, np.zeros(N, dtype=bool), np.zeros(N, dtype=int)]
    tail: list[Any] = [tuple(reasons), (free,) * N, (None,) * N, np.full((N, 2), np.nan)]
    if single:
        parts, tail = [x[0] for x in parts], [x[0] for x in tail]
        parts[2:] = [int(parts[2]), bool(parts[3]), int(parts[4])]
    said: list[Any] = [SEARCH, *tail]
    return Solutions(model, chain.frame, task, *parts, *said)


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
