"""Other coordinates in which the energies of a system have simpler sines and cosines."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from visviva.algebra.exact.rationals import independent, matrix
from visviva.describe.energies.formulas import Names
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.energies.normal_form import angle_parts

TRIED = 500  # choices of angles


def in_simpler_angles(s: Lagrangian) -> tuple[Lagrangian, np.ndarray] | None:
    """The energies over other coordinates u = T q, and T; None if those at hand are as good.

    The u are sums in which sines and cosines are of few angles: of a chain of hinges, whose angles
    are counted from link to link, the angles to the ground.
    """
    T = _best_sums([s.kinetic, s.potential], s.coordinates)
    if T is None:
        return None
    letter = "u"
    while any(x.startswith(letter) for x in (*s.coordinates, *s.parameter_names)):
        letter += "u"
    names = tuple(f"{letter}{k + 1}" for k in range(s.nv))
    new = Names(names, ())
    over: dict[Any, Any] = {}
    for old, u in ((s.names.q, new.q), (s.names.v, new.v)):
        over |= dict(zip(old, sympy.Matrix(T).inv() * sympy.Matrix(u), strict=True))
    kinetic, potential = (x.xreplace(over) for x in (s.kinetic, s.potential))
    return Lagrangian(names, kinetic, potential, parameters=s.parameters), T


def _best_sums(formulas: Iterable[Any], q: Sequence[str]) -> np.ndarray | None:
    """T, of the sums that stand in sines and cosines, and of coordinates that do not."""
    waves = {f for x in formulas for f in x.atoms(sympy.sin, sympy.cos)}
    vectors = {tuple(angle_parts(f.args[0]).get(c, Fraction(0)) for c in q) for f in waves}
    vectors = {k if next(filter(None, k)) > 0 else tuple(-x for x in k) for k in vectors if any(k)}
    sums = sorted(vectors, reverse=True)
    rank = len(independent(sums))
    if any(x.denominator > 1 for k in sums for x in k) or math.comb(len(sums), rank) > TRIED:
        return None
    units = [tuple(int(c == x) for x in q) for c in q]
    best, least = units, _length(sums, units)
    for chosen in itertools.combinations(sums, rank):
        rows: list[Any] = [*chosen, *units]
        basis = [rows[k] for k in independent(rows)]
        length = _length(sums, basis)
        if length < least:
            best, least = basis, length
    return None if best is units else np.array(best, dtype=int)


def _length(sums: Sequence[Any], basis: Sequence[Any]) -> float:
    """How many angles of a basis the sums have together; infinite if they have parts of them."""
    if not sums:
        return 0
    parts = (matrix(sums) * matrix(basis).inv()).entries()
    return int(sum(map(abs, parts))) if all(x.q == 1 for x in parts) else math.inf
