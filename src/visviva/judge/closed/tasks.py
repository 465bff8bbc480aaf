"""Coordinates and Jacobians of tasks in formulas.

Positions, orientations, axes and angles of plane motions are polynomials in sines and cosines, and
written from their normal form. Euler angles are not: they are the same formulas over SymPy, made of
the pose as it is written. Rotation vectors and quaternions have other formulas in other places, and
are left to compiled functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from visviva.algebra.arrays import Array, each
from visviva.algebra.exact.poly import Poly, Quotient
from visviva.describe.quantities import EXACT
from visviva.equations.frames.parts import Quaternion, RotationVector
from visviva.equations.frames.tasks import (
    Task,
    pose_and_twists,
    task,
    task_coordinates,
    task_jacobian,
)
from visviva.errors import ArgumentError, OutsideError

FRAME_ROW = next(row for row in EXACT.values() if row.about == "frame" and row.bodies)
TASK, TASK_RATES = "task", "task_jacobian"


def written_task(form: Any, quantity: str, frame: str, text: str, point: Any = None) -> Any:
    """The coordinates (a column) or the Jacobian of a task, as a SymPy matrix."""
    forms = form.exact
    if why := forms.lacks(FRAME_ROW):  # energies have no frames
        raise AttributeError(f"the closed form {why.replace(FRAME_ROW.exact, quantity)}")
    asked, e = task(text), forms.exact
    if quantity == TASK:
        asked.check_coordinates()
    e.model.frame(frame)
    at = None if point is None else _point(point, e.ring)
    stated = task_coordinates if quantity == TASK else task_jacobian
    e.ring.budget.renew()
    try:
        array = stated(e.model, frame, e.q, text, at)
        exact = each(lambda x: x if isinstance(x, (Poly, Quotient)) else e.ring.number(x), array)
    except OutsideError:
        return _over_sympy(form, quantity, frame, asked, at)
    return form._written(f"{text} of {frame}", lambda: exact)


def _over_sympy(form: Any, quantity: str, frame: str, asked: Task, at: Any) -> Any:
    if any(isinstance(part, (RotationVector, Quaternion)) for part in asked.parts):
        raise OutsideError(
            f"the task {asked.text!r} of {form.name!r}: rotation vectors and quaternions of a pose "
            f"are stated by cases, which make no formula to read; {quantity}({frame!r}, "
            f"{asked.text!r}) of the model is the compiled function"
        )
    e = form.exact.exact
    whole = pose_and_twists(e.model, frame, e.q, at)
    X, J = (each(lambda x: form.exact.written(form.exact.polynomial(x)), part) for part in whole)
    return _plain(asked.value(X) if quantity == TASK else asked.rows(X) @ J)


def _plain(array: Array) -> sympy.Matrix:
    """Whole numbers for 1.0 and the like, which rotations are multiplied by."""
    floats = {x for y in array.flat for x in sympy.S(y).atoms(sympy.Float)}
    whole = {x: sympy.Integer(int(x)) for x in floats if x == int(x)}
    return sympy.Matrix(each(lambda x: sympy.S(x).xreplace(whole), array).tolist())


def _point(point: Any, ring: Any) -> Array:
    try:
        numbers = np.asarray(point, float)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.shape != (3,) or not np.isfinite(numbers).all():
        raise ArgumentError(f"a point has 3 coordinates, finite numbers; got {point!r}")
    return np.array([ring.number(x) for x in numbers.tolist()], dtype=object)
