"""The rows of a model's constraints as forms Σ ωⱼ dyⱼ, in SymPy: what asks whether they integrate.

They are worked out over a ring, where decimals mean what they say. The y are the coordinates of
joints, but for a unit quaternion (x, y, z, w): there they are u = (x, y, z) / (1 + w), of which
rotations are rational functions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from visviva.algebra.arrays import Array
from visviva.algebra.exact.poly import Quotient
from visviva.algebra.exact.ring import Ring
from visviva.algebra.exact.ring_sympy import as_sympy
from visviva.describe.model.model import Model
from visviva.describe.names import TIME_NAME, motion
from visviva.equations.constraints.rows import (
    constraint_drift,
    constraint_error,
    constraint_matrix,
    position_rows,
    row_slices,
)
from visviva.equations.integrability.functions import Functions
from visviva.equations.integrability.typing import Pfaffian
from visviva.errors import OutsideError

__all__ = ["pfaffian", "position_rows", "row_names", "structure_constants", "with_numbers"]


def pfaffian(model: Model) -> Pfaffian:
    """The rows as forms, with what they are called; loops about positions alone are refused."""
    for x in model.loops:
        if x.active and not x.joint.velocity_rows:
            raise OutsideError(f"where the loop {x.name!r} is closed is not solved for in formulas")
    names = motion(model.bodies, model.parameters).q
    ring = Ring([*names, TIME_NAME], {x: {x: 1} for x in (*names, TIME_NAME)})
    y, at = _chart(model, names)
    q, t = np.array([ring[x] for x in names], dtype=object), ring[TIME_NAME]
    try:
        numbers = replace(model.numeric, parameters={}).mapped(
            lambda x: x if x in (0, 1, -1) else ring.number(x)
        )
        _refuse_rounded(numbers, q, at)
        A, drift = constraint_matrix(numbers, q, t), constraint_drift(numbers, q, t)
        errors, V = constraint_error(numbers, q, t), _velocities(numbers, q)
    except (TypeError, ArithmeticError, NotImplementedError) as reason:
        raise OutsideError(f"constraints that are no polynomials: {reason!s:.80}") from None
    there = sympy.Matrix([at.get(x, x) for x in map(sympy.Symbol, names)])
    forms = _formulas(A, at) * _formulas(V, at) * there.jacobian(y)
    return Pfaffian(
        row_names(model),
        tuple(y),
        tuple(tuple(forms[k, :]) for k in range(forms.rows)),
        tuple(_formula(x, at) for x in drift),
        dict(zip(position_rows(model), (_formula(x, at) for x in errors), strict=True)),
        tuple(f"{name!r} turns by u = (x, y, z)/(1 + w)" for name, _ in model.quaternions),
    )


def _refuse_rounded(model: Model, q: Array, at: dict[Any, Any]) -> None:
    """Decimals of a rotation may be no rotation, and then rows integrate or not by rounding."""
    for b, of in zip(_moving(model), model.q_index, strict=True):
        for R in (b.placement.R, b.joint.transform(q[of]).R):
            for e in (R @ R.T - np.eye(3)).ravel():
                if not _vanishes(e, at):
                    raise OutsideError(f"rotations at {b.name!r} are rounded")


def row_names(model: Model) -> tuple[str, ...]:
    """What the rows of A are called, by the constraint that they belong to."""
    names = []
    for name, rows in row_slices(model).items():
        count = rows.stop - rows.start
        names += [repr(name) if count == 1 else f"{name!r}[{k}]" for k in range(count)]
    return tuple(names)


def structure_constants(model: Model) -> Array:
    """c (n, n, n) of [Eₐ, E_b] = Σ c Eᵧ, the motions that velocities stand for."""
    c = np.zeros((model.nv, model.nv, model.nv))
    for b, at in zip(_moving(model), model.v_index, strict=True):
        units = np.eye(b.joint.nv)
        if not b.joint.has_rates:
            c[at, at, at] = [[b.joint.bracket(e, f) for f in units] for e in units]
    return c


def with_numbers(model: Model, rng: np.random.Generator) -> Model:
    """A model has them all."""
    return model.numeric


def _chart(model: Model, names: tuple[str, ...]) -> tuple[list[Any], dict[Any, Any]]:
    """y, and what follows from them for quaternions."""
    starts = [start for _, start in model.quaternions]
    y, at = [], dict[Any, Any]()
    for k, name in enumerate(names):
        start = next((s for s in starts if s <= k < s + 4), None)
        if start is None:
            y.append(sympy.Symbol(name))
        elif k == start:
            joint = name.rpartition("_")[0]
            u = [sympy.Symbol(f"{joint}_u{i}") for i in (1, 2, 3)]
            square = sympy.Add(*(x**2 for x in u))
            unit = [*(2 * x / (1 + square) for x in u), (1 - square) / (1 + square)]
            y += u
            at |= dict(zip(map(sympy.Symbol, names[k : k + 4]), unit, strict=True))
    return y, at


def _velocities(model: Model, q: Array) -> Array:
    """v per rate of q (nv, nq), over any scalar."""
    V = np.zeros((model.nv, model.nq), dtype=object)
    for b, at, of in zip(_moving(model), model.v_index, model.q_index, strict=True):
        units = np.eye(b.joint.nq)
        V[at, of] = np.stack([b.joint.velocity(q[of], e) for e in units], axis=1)
    return V


def _moving(model: Model) -> list[Any]:
    return [b for b in model.bodies if b.mimic is None]


def _vanishes(x: Any, at: dict[Any, Any]) -> bool:
    formula = _formula(x, at)
    return Functions([formula], ()).is_zero(formula)


def _formulas(X: Array, at: dict[Any, Any]) -> Any:
    return sympy.Matrix(*X.shape, [_formula(x, at) for x in X.ravel()])


def _formula(x: Any, at: dict[Any, Any]) -> Any:
    """An element of the ring, or a number beside it."""
    if isinstance(x, Quotient):
        return _formula(x.top, at) / _formula(x.bottom, at)
    if isinstance(x, (int, float)):
        return sympy.Rational(repr(float(x)))
    return as_sympy(x).xreplace(at)
