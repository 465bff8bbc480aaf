"""What is certain of rows near a position: that they hold somewhere, and how many count.

By balls around everything within a small step of the position: Krawczyk's operator maps them into
themselves, so that there is a point where the rows hold; and a matrix times its approximate inverse
stays so near to the unit matrix that no combination of its rows, or columns, is zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb

from visviva.algebra.arrays import Array, is_exactly, vector
from visviva.algebra.expr import Graph
from visviva.describe.quantities import ROWS
from visviva.machine.function import Function, function
from visviva.solve.balls import enclosed, product
from visviva.solve.rows import Rows, home_of_rows

RADII = (1e-9, 1e-11, 1e-7)  # of steps: radians, metres


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
    return _stated(rows, ROWS.name, q)


def holds_nearby(rows: Rows, q: Array, chosen: list[int]) -> float:
    """A bound within which these rows of φ, all independent, hold somewhere; 0 if not certain."""
    if not chosen:
        return 1e-300
    # without angles first: their derivatives are in doubt where nothing is turned
    radii = (_zero_nearby(rows, q, chosen, x) for x in ("conditions", "error"))
    return next((radius for radius in radii if radius), 0.0)


def _zero_nearby(rows: Rows, q: Array, chosen: list[int], what: str) -> float:
    phi = near(rows, f"constraint_{what}")
    slope = phi.jacobian("step")
    still = np.zeros(len(rows.free))
    value, _ = enclosed(phi, [q, still])
    middle, _ = enclosed(slope, [q, still])
    C = np.linalg.pinv(np.array([[float(x.mid()) for x in row] for row in middle[chosen]]))
    if not np.isfinite(C).all():
        return 0.0
    for radius in RADII:
        box = [arb(0.0, radius) for _ in rows.free]
        J, decided = enclosed(slope, [q, box])
        # steps C y: y -> y - φ(C y), kept in |y| ≤ r / |C|
        size = radius / float(np.abs(C).sum(axis=1).max())
        G = product(J[chosen], C)
        spread = [
            sum((abs(arb(int(i == j)) - x) for j, x in enumerate(row)), arb(0))
            for i, row in enumerate(G)
        ]
        inside = [
            abs(value[k]) + x * arb(size) < arb(size) for k, x in zip(chosen, spread, strict=True)
        ]
        if decided and all(inside):
            return radius
    return 0.0


def full_rank(rows: Rows, q: Array, chosen: list[int] | None, radius: float) -> float:
    """Whether A, within a radius of q, has independent rows (`chosen`) or, with None, columns.

    The number is a bound below the smallest singular value there; 0 if it is not certain.
    """
    A = near(rows, ROWS.name)
    places = list(rows.places) if chosen is None else [rows.places[k] for k in chosen]
    C = np.linalg.pinv(rows.matrix(q)[places][:, rows.free])
    box = [arb(0.0, radius) for _ in rows.free]
    enclosure, _ = enclosed(A, [q, box])
    ball = enclosure[places][:, rows.free]
    G = product(C, ball) if chosen is None else product(ball, C)
    off = arb(0)
    for i, row in enumerate(G):
        for j, x in enumerate(row):
            off += (x - int(i == j)).abs_upper() ** 2
    left = 1 - off.sqrt()  # |C A - 1| ≤ this much below 1: A x = 0 only for x = 0
    if not left > 0:
        return 0.0
    return float((left / arb(float(np.linalg.norm(C)))).lower())
