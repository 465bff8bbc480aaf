"""Positions from which a motion can begin: M has an inverse there, and forces are finite.

Polar coordinates have none at r = 0, the middle, which is where all coordinates are zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import VisvivaError

_SINGULAR = 1e-12  # of the largest eigenvalue of M, coordinates scaled by their own masses
_AWAY = (1.0, -1.0, 0.3)  # units of all coordinates, tried one after the other


def is_regular(system: Any, q: Array) -> bool:
    """Whether M has an inverse and forces are finite; of what has no values nothing is said."""
    known = {"q": q, "v": np.zeros(system.nv), "t": 0.0}
    try:
        with np.errstate(all="ignore"):
            M, g = (
                np.asarray(f.interpret(*(known[x] for x in f.inputs)), dtype=float)
                for f in (system.mass_matrix, system.gravity_forces)
            )
    except ArithmeticError:
        return False
    except (VisvivaError, KeyError, ValueError, TypeError):  # told by whoever needs them
        return True
    if not (np.isfinite(M).all() and np.isfinite(g).all()):
        return False
    own = np.sqrt(np.diag(M).clip(min=0.0))
    if not own.all():
        return False
    return bool(np.linalg.eigvalsh(M / np.outer(own, own))[0] > _SINGULAR)


def regular_start(system: Any, q: Array, kept: Iterable[str] = ()) -> tuple[Array, str]:
    """q, or near it a position from which a motion can begin, and what is said of that.

    As few coordinates as possible are moved, by one unit, and none of those that are `kept`.
    """
    names = system.coordinate_names
    free = [k for k, x in enumerate(names) if x not in {*kept}]
    if system.held_by or system.quaternions or not free or is_regular(system, q):
        return q, ""
    for away in _AWAY:
        there = np.array(q, dtype=float)
        there[free] += away
        if not is_regular(system, there):
            continue
        for k in free:
            back = there.copy()
            back[k] = q[k]
            there = back if is_regular(system, back) else there
        moved = ", ".join(f"{names[k]} = {there[k]:g}" for k in free if there[k] != q[k])
        stood = ", ".join(f"{names[k]} = {q[k]:g}" for k in free if there[k] != q[k])
        return there, f"it starts at {moved}: at {stood} its mass matrix or its forces are singular"
    return q, ""
