"""What is certain of rows near a position: that they hold somewhere, and how many count.

By balls around everything within a small step of the position: Krawczyk's operator maps them into
themselves, so that there is a point where the rows hold; and a matrix times its approximate inverse
stays so near to the unit matrix that no combination of its rows, or columns, is zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_exactly, vector
from visviva.algebra.expr import Graph
from visviva.describe.quantities import ROWS
from visviva.machine.function import Function, function
from visviva.numerics.intervals import Enclosure, enclose
from visviva.numerics.rank import smallest_singular_value
from visviva.numerics.zeros import prove_zeros
from visviva.solve.rows import Rows, home_of_rows

RADII = (1e-9, 1e-11, 1e-7)  # of steps: radians, metres
ERROR_OF_CONSTANTS = 2.0**-50  # a program's constants were folded in doubles: their relative errors


def _stated(rows: Rows, name: str, q: Any) -> Any:
    return vars(home_of_rows(rows.system))[name](rows.system.numeric, q, t=rows.t)


def near(rows: Rows, name: str) -> Function:
    """φ or A as a function of a position and a step from it."""
    s = rows.system

    def stepped(q: Any, step: Any) -> Any:
        whole: Any = np.zeros(s.nv, dtype=object)
        whole[rows.free] = step
        return vector(_stated(rows, name, s.integrate(q, whole)))

    return function(stepped, {"q": s.nq, "step": len(rows.free)}, name=f"{name}_near")


def empty_rows(rows: Rows) -> list[int]:
    """Rows of φ that no motion changes, at any position: zero in A by the formulas themselves."""
    if not rows.count:
        return []
    graph_rows = traced_matrix(rows)
    return [
        k
        for k, place in enumerate(rows.places)
        if all(is_exactly(x, 0.0) for x in graph_rows[place, rows.free])
    ]


def traced_matrix(rows: Rows) -> Array:
    """A over expressions."""
    graph = Graph()
    q = np.array([graph.input(f"q{k}") for k in range(rows.system.nq)], dtype=object)
    A: Array = _stated(rows, ROWS.name, q)
    return A


def holds_nearby(rows: Rows, q: Array, chosen: list[int]) -> float:
    """A bound within which these rows of φ, all independent, hold somewhere; 0 if not certain."""
    if not chosen:
        return 1e-300
    # without angles first: their derivatives are in doubt where nothing is turned
    radii = (_zero_nearby(rows, q, chosen, x) for x in ("conditions", "error"))
    return next((radius for radius in radii if radius), 0.0)


def _zero_nearby(rows: Rows, q: Array, chosen: list[int], what: str) -> float:
    phi = near(rows, f"constraint_{what}")
    slope, still = phi.jacobian("step"), np.zeros((1, len(rows.free)))
    phi0 = _select_rows(enclose(phi, q, still, still, ERROR_OF_CONSTANTS), chosen)
    for radius in RADII:
        value, rate = (
            _select_rows(enclose(f, q, still - radius, still + radius, ERROR_OF_CONSTANTS), chosen)
            for f in (phi, slope)
        )
        if prove_zeros(phi0, value, rate, np.array([radius]))[0]:
            return radius
    return 0.0


def _select_rows(x: Enclosure, rows: list[int]) -> Enclosure:
    return Enclosure(x.lo[:, rows], x.hi[:, rows], x.deco[:, rows])


def full_rank(rows: Rows, q: Array, chosen: list[int] | None, radius: float) -> float:
    """Whether A, within a radius of q, has independent rows (`chosen`) or, with None, columns.

    The number is a bound below the smallest singular value there; 0 if it is not certain.
    """
    A = near(rows, ROWS.name)
    places = list(rows.places) if chosen is None else [rows.places[k] for k in chosen]
    wide = np.full((1, len(rows.free)), radius)
    x = enclose(A, q, -wide, wide, ERROR_OF_CONSTANTS)
    if not x.is_finite[0, places].all():
        return 0.0
    return smallest_singular_value(*(y[0][places][:, rows.free] for y in (x.middle, x.radius)))
