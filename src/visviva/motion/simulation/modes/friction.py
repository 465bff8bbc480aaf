"""Dry friction and other numbers of mechanisms with the parameters of every row, all at once.

A model is built for rows alone whose numbers may be refused: it says then what is wrong with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import BoolArray, vector
from visviva.algebra.expr import Expr
from visviva.describe.bodies.validity import TOLERANCE
from visviva.describe.model.body import JOINT_NUMBERS, Body
from visviva.describe.values import leaves
from visviva.equations.forces.forces import static_friction
from visviva.machine.function import Function, function
from visviva.machine.run.call import Array
from visviva.motion.simulation.task import Task

FRICTION_NUMBERS = ("friction", "stiction", "stribeck")  # numbers that are refused together
SPRING_NUMBERS = ("stiffness", "damping", "turning", "turning_damping")


def has_dry_friction(task: Task) -> bool:
    """Whether joints of any row have dry friction, with the parameters of the run."""
    s, names = task.system, task.flow.parameters
    if not names or not getattr(s, "bodies", ()):
        return bool(np.any(s.dry_friction))
    functions: dict[Any, Any] = s.__dict__.setdefault("_row_numbers", {})
    if names not in functions:
        functions[names] = _row_numbers(s, names)
    (compute, is_complete), rows = functions[names], task.given["parameters"]
    limits, nonnegative, masses, tensors = compute(rows)
    doubtful = ~((nonnegative >= 0) & (nonnegative < np.inf)).all(axis=1) | (not is_complete)
    doubtful |= _may_be_impossible(masses, tensors.reshape(*masses.shape, 3, 3)).any(axis=1)
    for i in np.flatnonzero(doubtful):
        s._input_equations().with_symbols(s, names, rows[i])  # refuses what no mechanism has
    return bool(limits.any())


def _row_numbers(s: Any, names: Sequence[str]) -> tuple[Function[Any], bool]:
    """What parameters (p,) make of friction, and of numbers that may be refused; whether nothing
    else that may be refused depends on them."""
    home, is_complete = s._input_equations(), []

    def numbers(parameters: Any) -> dict[str, Any]:
        model = home.with_symbols(s, names, parameters)
        nonnegative, bodies = _nonnegative_numbers(model), _checked_bodies(s, names, parameters)
        free = [y for b in model.bodies for y in (*leaves(b.inertia), *b.placement.p)]
        is_complete.append(_count([*nonnegative, *free, *model.gravity]) == _count(leaves(model)))
        return {
            "limits": static_friction(model),
            "nonnegative": vector(nonnegative),
            "masses": vector([b.inertia.mass for b in bodies]),
            "tensors": vector([x for b in bodies for x in b.inertia.tensor.ravel()]),
        }

    return function(numbers, {"parameters": len(names)}, name="row_numbers"), is_complete[-1]


def _count(numbers: Any) -> int:
    """How many of them depend on parameters."""
    return sum(isinstance(x, Expr) and not x.is_constant for x in numbers)


def _nonnegative_numbers(model: Any) -> list[Any]:
    """Numbers that are refused below zero, and for nothing else."""
    numbers = [getattr(s, k) for s in model.springs for k in SPRING_NUMBERS]
    numbers = [x for x in numbers if isinstance(x, (Expr, float))]
    for b in model.bodies:
        sticks = any(isinstance(x, Expr) or x != 0 for x in (*b.stiction, *b.stribeck))
        kinds = [k for k in JOINT_NUMBERS if not sticks or k not in FRICTION_NUMBERS]
        numbers += [x for kind in kinds for x in getattr(b, kind)]
    return numbers


def _checked_bodies(s: Any, names: Sequence[str], parameters: Any) -> list[Body]:
    """Bodies whose inertias depend on parameters that the model states, and are looked at."""
    values = {k: x for k, x in zip(names, parameters, strict=True) if k in s.parameters}
    bodies = s.over(values).bodies if values else ()
    return [b for b in bodies if b.inertia.checked and _count(leaves(b.inertia))]


def _may_be_impossible(masses: Array, tensors: Array) -> BoolArray:
    """Which inertias (rows, bodies) may be; those that are are among them."""
    if not np.isfinite(masses).all() or not np.isfinite(tensors).all():
        return np.ones(masses.shape, dtype=bool)
    a, b, c = np.moveaxis(np.linalg.eigvalsh(tensors), -1, 0)
    room = 0.5 * TOLERANCE * np.abs(tensors).max(axis=(-1, -2))
    skew = np.abs(tensors - np.swapaxes(tensors, -1, -2)).max(axis=(-1, -2)) > room
    impossible = (masses < 0) | (a < -room) | (c > a + b + room) | skew
    return np.asarray(impossible | ((masses == 0) & (room > 0)))
