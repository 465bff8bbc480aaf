"""Costs of a motion, and their slopes along it: of the final state, of samples, of every step."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.errors import ArgumentError, ShapeError
from visviva.machine.function import Function, function
from visviva.machine.run.call import Array
from visviva.motion.sensitivities.course import Course
from visviva.motion.sensitivities.manifold import chart
from visviva.motion.simulation.task import Task


@dataclass(frozen=True, eq=False)
class FinalCost:
    """cost(q, v) of the state at the end, over the generic scalar."""

    f: Function
    by: Function[Any]

    def value(self, q: Array, v: Array) -> Array:
        """(rows,), at states (rows, k, …)."""
        return np.asarray(self.f(q[:, -1], v[:, -1]))

    def slopes(self, q: Array, v: Array) -> tuple[Array, Array]:
        """∂cost/∂q (rows, k, nq) and ∂cost/∂v (rows, k, nv) at all samples."""
        by_q, by_v = np.zeros_like(q), np.zeros_like(v)
        by_q[:, -1], by_v[:, -1] = self.by(q[:, -1], v[:, -1])
        return by_q, by_v


@dataclass(frozen=True, eq=False)
class KnownSlopes:
    """∂cost/∂q and ∂cost/∂v as numbers (rows, k, nv), along motions; the cost is not told."""

    system: Any
    by_q: Array
    by_v: Array

    def value(self, q: Array, v: Array) -> None:
        """Nothing is known of it."""

    def slopes(self, q: Array, v: Array) -> tuple[Array, Array]:
        """∂cost/∂q (rows, k, nq) and ∂cost/∂v (rows, k, nv) at all samples."""
        if not self.system.charts:
            return self.by_q, self.by_v
        inverse = np.linalg.pinv(chart(self.system, q))
        return np.einsum("...vq,...v->...q", inverse, self.by_q), self.by_v


def cost_of(task: Task, samples: int, cost: Any) -> FinalCost | KnownSlopes:
    """What `gradient` was told of the cost, checked."""
    s = task.system
    if callable(cost):
        return FinalCost(*_scalar("cost(q, v)", cost, {"q": s.nq, "v": s.nv}))
    if not isinstance(cost, (tuple, list)) or len(cost) != 2:
        raise ArgumentError(
            "gradient: the cost is a function of the final (q, v) over the generic scalar, or the "
            f"pair (∂cost/∂q, ∂cost/∂v) as numbers; got {cost!r:.80}"
        )
    whole = (task.rows, samples, s.nv)
    by_q, by_v = (_slopes(f"∂cost/∂{k}", x, task, whole) for k, x in zip("qv", cost, strict=True))
    return KnownSlopes(s, by_q, by_v)


def _slopes(name: str, x: Any, task: Task, whole: tuple[int, ...]) -> Array:
    """Numbers at all samples, from those at all samples or at the end."""
    slopes = np.zeros(whole)
    if x is None:
        return slopes
    try:
        given = np.asarray(x, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"gradient: {name} is an array of numbers, got {x!r:.80}") from None
    own = whole if task.is_batch else whole[1:]
    last = (*own[:-2], own[-1])
    if given.shape not in (own, last):
        raise ShapeError(
            f"gradient: {name} has shape {last} at the end, or {own} at all samples; got "
            f"{given.shape}"
        )
    if not np.isfinite(given).all():
        raise ArgumentError(f"gradient: {name} is finite, got {given[~np.isfinite(given)][0]}")
    if given.shape == own:
        return np.asarray(slopes + given)
    slopes[:, -1] = given
    return slopes


@dataclass(frozen=True, eq=False)
class RunningCost:
    """Σ h ℓ(t, q, v, τ) over the steps, at the beginning of each; τ are forces that are numbers."""

    f: Function
    by: Function[Any]
    force: str

    def at(self, values: dict[str, Array]) -> tuple[Array, dict[str, Array]]:
        """The cost (rows,) of some steps, and slopes (rows, steps, n) by q, v and the forces."""
        named = dict(zip(self.f.inputs, (values[k] for k in ("t", "q", "v")), strict=False))
        wanted = ["q", "v"]
        if "tau" in self.f.inputs:
            named["tau"] = values[self.force]
            wanted.append("tau")
        cost = np.asarray(self.f(*named.values())) * values["h"]
        slopes = self.by(*named.values())
        by = {k: x * values["h"][..., None] for k, x in zip(wanted, slopes, strict=True)}
        return cost.sum(axis=1), by


def running_of(task: Task, course: Course, running: Any, dt: Any) -> RunningCost | None:
    """What `gradient` was told of costs along the motion, checked."""
    if running is None:
        return None
    if not callable(running):
        raise ArgumentError(f"gradient: running is a function of (t, q, v), got {running!r:.80}")
    if dt is None:
        raise ArgumentError(
            "gradient: running= is a sum over steps of given length: dt=. Where steps are chosen, "
            "a number that a controller remembers, with the cost as its rate, is its integral"
        )
    s, sizes = task.system, {"t": (), "q": task.system.nq, "v": task.system.nv}
    if _takes(running) > 3:
        if not course.force:
            raise ArgumentError(
                "gradient: running(t, q, v, tau) is told forces that are numbers, and those of a "
                "controller are none; running(t, q, v) can ask the controller's law itself"
            )
        sizes["tau"] = s.nv if course.force == "tau" else task.flow.law.drives_count
    made = _scalar(f"running({', '.join(sizes)})", running, sizes)
    return RunningCost(*made, course.force)


def _takes(f: Callable[..., Any]) -> int:
    """How many arguments a function has places for."""
    try:
        kinds = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return 3
    return sum(x.kind in (x.POSITIONAL_ONLY, x.POSITIONAL_OR_KEYWORD) for x in kinds)


def _scalar(what: str, f: Callable[..., Any], sizes: dict[str, Any]) -> tuple[Function, Function]:
    """A user's function, traced: one number, and its slopes by all but the time."""
    try:
        made = function(lambda *values: {"cost": f(*values)}, sizes, name="cost")
    except Exception as error:  # whatever a user's own function raises when given expressions
        raise ArgumentError(
            f"gradient: {what} cannot be traced: {error}. Written with vv.generic it is "
            "differentiated; or give (∂cost/∂q, ∂cost/∂v) as numbers"
        ) from error
    if made.outputs["cost"] != ():
        raise ShapeError(f"gradient: {what} is one number, got shape {made.outputs['cost']}")
    # traced anew, as what it knows may have changed; the same formulas are compiled once
    if len(_COMPILED) > MOST_KEPT:
        _COMPILED.clear()
    name = made.program.digest
    if name not in _COMPILED:
        _COMPILED[name] = made, made.jacobian(*(k for k in sizes if k != "t"))
    return _COMPILED[name]


MOST_KEPT = 100  # costs that stay compiled
_COMPILED: dict[str, tuple[Function, Function]] = {}
