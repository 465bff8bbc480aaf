"""The action of a path that is given, and how it changes beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.errors import ArgumentError, ShapeError
from visviva.machine.function import Function, function
from visviva.motion.action.lagrangian import check_action, energies
from visviva.motion.samples.along import along as along_motion
from visviva.motion.trajectory import Trajectory

POINTS = 16  # of Gauss and Legendre in a piece
PIECES = (8, 16, 32, 64, 128, 256, 512, 1024)
SETTLED = 1e-13  # relative: when more pieces change nothing


@dataclass(frozen=True)
class Action:
    """S = ∫ L dt, and its first and second derivative by ε along q + ε η; `error` of the sums."""

    value: float
    first: float
    second: float
    error: float

    def __float__(self) -> float:
        return self.value


def action(s: Any, path: Any, t: Any = None, along: Any = None) -> Action:
    """Of a path and a variation; `System.action` says what may be given."""
    check_action(s)
    if isinstance(path, Trajectory):
        return _along_run(s, path, along)
    first, last = _times(t)
    q = _path(s, "path", path)
    eta = _path(s, "along", along) if along is not None else None
    size = {"t": (), "e": ()}

    def density(t: Any, e: Any) -> Any:
        x, rate = _moved(q, t)
        if eta is not None:
            more, more_rate = _moved(eta, t)
            x, rate = x + e * more, rate + e * more_rate
        return energies(s, x, rate, t)[2]

    L = function(density, size, name="lagrangian_along")
    functions = [L, L.jacobian("e"), L.jacobian("e").jacobian("e")]
    return _integrated(lambda f, t: f(t, np.zeros_like(t)), functions, first, last)


def _along_run(s: Any, run: Trajectory, along: Any) -> Action:
    if along is not None or run.is_batch or run.system is not s:
        raise ArgumentError(
            "the action of a trajectory is that of one motion of this system; variations are asked "
            "for along paths that are functions of t"
        )

    def value(t: Array) -> Array:
        q, v = run.at(t)
        state = {"q": q, "v": v, "t": t}
        T, V = (
            along_motion(s, name, state, run.parameters)
            for name in ("kinetic_energy", "potential_energy")
        )
        return np.asarray(T - V)

    return _integrated(lambda _, t: value(t), [None], *run.t[[0, -1]])


def _integrated(value: Callable[[Any, Array], Any], functions: Any, a: float, b: float) -> Action:
    x, w = np.polynomial.legendre.leggauss(POINTS)
    sums: list[Array] = []
    for pieces in PIECES:
        edges = np.linspace(a, b, pieces + 1)
        half = (b - a) / (2 * pieces)
        t = (edges[:-1, None] + half * (1 + x)).ravel()
        with np.errstate(all="ignore"):
            parts = [half * np.tile(w, pieces) @ np.ravel(value(f, t)) for f in functions]
        sums.append(np.array(parts))
        if not np.isfinite(sums[-1]).all():
            raise ArgumentError("the action of this path is not finite")
        change = np.abs(sums[-1] - sums[-2]).max() if len(sums) > 1 else np.inf
        if change <= SETTLED * max(float(np.abs(sums[-1]).max()), 1e-300):
            break
    S = [*sums[-1], 0.0, 0.0][:3]
    return Action(float(S[0]), float(S[1]), float(S[2]), float(change))


def _path(s: Any, name: str, given: Any) -> Function:
    """A function of time over the generic scalar, traced."""
    if not callable(given):
        raise ArgumentError(
            f"action: {name} is a function of t that returns {s.nq} coordinates, written with "
            f"vv.generic, or a Trajectory; got {given!r:.80}"
        )

    def traced(t: Any) -> Any:
        x = vector(given(t))
        if x.shape != (s.nq,):
            raise ShapeError(f"action: {name} returns {s.nq} coordinates, got shape {x.shape}")
        return x + 0.0 * t  # also where it does not move

    return function(traced, {"t": ()}, name=name)


def _moved(path: Function, t: Any) -> tuple[Any, Any]:
    rate = path.jacobian("t")
    return path._evaluated([t], "a path"), vector(rate._evaluated([t], "a path"))


def _times(t: Any) -> tuple[float, float]:
    try:
        a, b = (0.0, float(t)) if np.ndim(t) == 0 else (float(x) for x in t)
    except (TypeError, ValueError):
        a, b = 0.0, np.nan
    if not (np.isfinite([a, b]).all() and a < b):
        raise ArgumentError(f"action: t is a duration or a pair (start, end), got {t!r:.80}")
    return a, b
