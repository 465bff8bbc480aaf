"""Motions that the rows of constraints admit and no inertia resists: there is no acceleration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, each, is_numeric
from visviva.algebra.expr import Expr, evaluated, names_in
from visviva.describe.model.idle import motion_text, singular_reason
from visviva.equations.bodies.factor import NEARLY
from visviva.errors import SingularError

SINGULAR = 1e-14  # of the largest singular value, of a matrix with ones on its diagonal
_DEPENDENT = 1e-9  # singular value of rows of length one that says nothing new
_STATES = 3  # at random; singular at all of them is singular everywhere


def reason(system: Any, arguments: Mapping[str, Any], least: float = SINGULAR) -> str:
    """The motion that no inertia resists in this state; empty if there is none."""
    if "parameters" in arguments or "q" not in arguments:
        return ""
    functions = [system.mass_matrix, *([system.constraint_matrix] if system.held_by else [])]
    if not all(set(f.inputs) <= set(arguments) for f in functions):
        return ""
    M, *A = (f(*(arguments[k] for k in f.inputs)) for f in functions)
    motion = unresisted_motion(M, A[0] if A else None, least)
    if motion is None:
        return ""
    text = singular_reason([motion_text(list(system.motion_names), motion)])
    return f"the mass matrix is singular here (Euler angles have such places): {text}"


def small_pivot(system: Any, arguments: Mapping[str, Any]) -> str:
    """Of a state where M has hardly an inverse, told of single calls."""
    text = reason(system, arguments, NEARLY)
    return (
        "the result is rounding error, as a pivot of the mass matrix is below "
        f"{NEARLY:g} of its diagonal{text and ': '}{text}"
    )


def refuse_unresisted(system: Any, M: Array, A: Array) -> None:
    """An error that names a motion without inertia, if M and A have one whatever their inputs."""
    n, rng = len(M), np.random.default_rng(0)
    entries = np.concatenate([M, A]).astype(object)
    names = names_in(x for x in entries.flat if isinstance(x, Expr))
    for _ in range(_STATES if names else 1):
        numbers = _numbers_of(entries, {name: float(rng.uniform(0.2, 0.9)) for name in names})
        motion = None if numbers is None else unresisted_motion(numbers[:n], numbers[n:])
        if motion is None:
            return
    text = singular_reason([motion_text(list(system.motion_names), motion)])
    raise SingularError(
        f"forward dynamics of {system.name!r} does not exist: {text}, and no constraint holds it; "
        "give it inertia, or a constraint"
    )


def _numbers_of(entries: Array, values: Mapping[str, float]) -> Array | None:
    """Numbers of formulas; None of what has none."""
    numbers = iter(evaluated([x for x in entries.flat if isinstance(x, Expr)], values))
    matrix = each(lambda x: next(numbers) if isinstance(x, Expr) else x, entries)
    return np.asarray(matrix, dtype=float) if is_numeric(matrix) else None


def unresisted_motion(M: Array, A: Array | None = None, least: float = SINGULAR) -> Array | None:
    """A velocity v with A v = 0 and vᵀ M v = 0, or None if there is none or it is not known."""
    A = np.zeros((0, len(M))) if A is None else A
    if not M.size or not np.isfinite(M).all() or not np.isfinite(A).all():
        return None
    size = np.sqrt(np.abs(np.diag(M)))
    size[size == 0.0] = size.max(initial=0.0) or 1.0
    rows = A / size
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    _, sizes, Vt = np.linalg.svd(rows / np.where(lengths > 0, lengths, 1.0))
    N = Vt[(sizes > _DEPENDENT).sum() :].T
    if not N.size:
        return None
    _, w, V = np.linalg.svd(N.T @ (M / size / size[:, None]) @ N)
    return None if w[-1] > least * max(w[0], 1.0) else np.asarray(N @ V[-1] / size)
