"""The rows of a model's constraints: φ, A, a₀, A v + a₀ and β, in the order of `constraints`.

What is switched off has no rows. The rows of one constraint stand together, first those that are
the rates of φ, then those about velocities alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.describe.constraints.relation import velocity_names
from visviva.describe.model.model import Model
from visviva.equations.constraints.loops import Pair
from visviva.equations.constraints.relations import (
    Named,
    relation_bias,
    relation_drift,
    relation_row,
)
from visviva.equations.frames.path import ways
from visviva.errors import ConstrainedError

ROUNDED = 1e-12  # of a row for unit axes and offsets: below, it is rounding error


def constraint_error(model: Model, q: Any, t: Any = 0.0) -> Array:
    """φ(q, t): one entry for each row about positions."""
    return _of_positions(model, q, t, lambda pair, x: x.joint.error(pair.pose))


def constraint_conditions(model: Model, q: Any, t: Any = 0.0) -> Array:
    """Zero wherever φ is, perhaps elsewhere too: without angles of poses, for intervals."""
    return _of_positions(model, q, t, lambda pair, x: x.joint.conditions(pair.pose))


def _of_positions(model: Model, q: Any, t: Any, loop: Callable[..., Any]) -> Array:
    velocities = velocity_names(model)

    def of_relation(named: Named, x: Any) -> Any:
        return [] if x.is_of_velocities(velocities) else [x.value(named.values())]

    return _joined(model, q, t, loop, of_relation)


def constraint_matrix(model: Model, q: Any, t: Any = 0.0) -> Array:
    """A (k, n)."""
    rows = _each(model, q, t, lambda pair, x: pair.matrix(x.joint), relation_row)
    return np.concatenate([np.zeros((0, model.nv)), *rows])


def constraint_drift(model: Model, q: Any, t: Any = 0.0) -> Array:
    """a₀ (k,): of constraints that move by themselves."""

    def still(pair: Pair, x: Any) -> Array:
        return np.zeros(x.joint.position_rows + x.joint.velocity_rows)

    return _joined(model, q, t, still, lambda named, x: [relation_drift(named, x)])


def constraint_velocity(model: Model, q: Any, v: Any, t: Any = 0.0) -> Array:
    """A v + a₀ (k,), without A."""

    def of_relation(named: Named, x: Any) -> Any:
        return relation_row(named, x) @ vector(v) + relation_drift(named, x)

    return _joined(model, q, t, lambda pair, x: pair.velocity(x.joint, vector(v)), of_relation)


def constraint_bias(model: Model, q: Any, v: Any, t: Any = 0.0) -> Array:
    """β (k,) with A a + β = 0: Ȧ v + ȧ₀."""
    return _joined(
        model,
        q,
        t,
        lambda pair, x: pair.bias(x.joint, vector(v)),
        lambda named, x: [relation_bias(named, x, v)],
    )


def slightness(s: Any) -> list[Any]:
    """For each row the square of the length below which it is rounding error.

    A hinge that closes a plane linkage has rows which are zero but for the rounding of its axes and
    offsets. Formulas, of bodies or energies, say what they say, however small.
    """
    sizes: list[Any] = []
    for x in s.constraints.active:
        if getattr(x, "frames", ()):
            long = [p @ p for way in ways(s, *x.frames) for p in way.offsets]
            rows = x.joint.position_rows + x.joint.velocity_rows
            sizes += [(1.0 + sum(long)) * ROUNDED**2] * rows
        else:
            sizes.append(0.0)
    return sizes


def row_slices(model: Model) -> dict[str, slice]:
    """Where in A the rows of each constraint are, by its name; those switched off have none."""
    slices, k = {}, 0
    for x in model.constraints.active:
        rows = x.joint.position_rows + x.joint.velocity_rows if x.frames else 1
        slices[x.name] = slice(k, k + rows)
        k += rows
    return slices


def position_rows(model: Model) -> tuple[int, ...]:
    """Which rows of A are the rates of φ, in its order."""
    velocities, places = velocity_names(model), row_slices(model)
    rows: list[int] = []
    for x in model.constraints.active:
        start = places[x.name].start
        count = x.joint.position_rows if x.frames else int(not x.is_of_velocities(velocities))
        rows += range(start, start + count)
    return tuple(rows)


def _joined(
    model: Model, q: Any, t: Any, loop: Callable[..., Any], relation: Callable[..., Any]
) -> Array:
    return vector(np.concatenate([np.zeros(0), *_each(model, q, t, loop, relation)]))


def _each(
    model: Model, q: Any, t: Any, loop: Callable[..., Any], relation: Callable[..., Any]
) -> list[Any]:
    """What each constraint says: one that joins frames of their pair, another of coordinates."""
    named = Named.of(model, q, t)
    said = []
    for x in model.constraints.active:
        if not x.is_read:
            raise ConstrainedError(
                f"{x}: what it does to {model.name!r} is not known; "
                "without_constraints() gives the open system"
            )
        said.append(loop(Pair.of(model, x.frames, q), x) if x.frames else relation(named, x))
    return said
