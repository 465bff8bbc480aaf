"""`Driven`: a mechanism of which one joint moves at unit speed, and the others follow."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError
from visviva.solve.tracking import check_input

_ADMITTED = 1e-8  # of a velocity: by how much the rows may be violated
_SHORT = 1e-3  # of the longest row: shorter ones are not made longer


def joint_called(model: Any, asked: str, joint: Any) -> str:
    """The joint that drives: by its name, by that of its body, or the only one that is not passive.

    Examples:
        >>> import visviva as vv
        >>> joint_called(vv.catalog.four_bar(), "dead_points", "rocker")
        'theta3'
    """
    names = model.joint_names
    if isinstance(joint, str) and joint in model.body_names and joint not in names:
        joint = model.bodies[model.body_names.index(joint)].joint_name
    if joint is None or (isinstance(joint, str) and not joint):
        drives = [x for x in names if x not in model.passive]
        if len(drives) != 1:
            raise ArgumentError(
                f"{asked}: which joint of {model.name!r} drives? One of "
                f"{', '.join(map(repr, drives or names))}"
            )
        return str(drives[0])
    check_input(f"joint of {model.name!r}", model, joint)
    return str(joint)


class Driven:
    """Rows along the other joints, measured by the largest lengths that they have on a way."""

    def __init__(self, held: Any, joint: str, way: Array) -> None:
        part, motion = held.joint_slices[joint]
        self.held, self.joint, self.at, self.own = held, joint, part.start, motion.start
        self.others = [i for i in range(held.nv) if i != self.own]
        lengths = np.linalg.norm(self.matrix(way), axis=2).max(axis=0)
        self.scale = np.maximum(lengths, _SHORT * lengths.max(initial=1e-300))[:, None]

    def matrix(self, q: Array) -> Array:
        """A (N, rows, nv) at positions (N, nq), at t = 0."""
        if not self.held.held_by:
            return np.zeros((len(q), 0, self.held.nv))
        return _at_start(self.held.constraint_matrix, q)

    def slopes(self, q: Array) -> Array:
        """Those of the other joints (N, rows, nv - 1)."""
        return np.asarray(self.matrix(q)[..., self.others] / self.scale)

    def rest(self, q: Array) -> Array:
        """How near rows are to dependent (N,): the smallest singular value to the largest one."""
        if not self.others:
            return np.ones(len(q))
        sizes = np.linalg.svd(self.slopes(q), compute_uv=False)
        if sizes.shape[1] < len(self.others):
            return np.zeros(len(q))
        return np.asarray(sizes[:, -1] / np.maximum(sizes[:, 0], 1e-300))

    def rates(self, q: Array) -> tuple[Array, Array]:
        """v and a (N, nv) of a unit of speed that stays; nan where that jams."""
        A = self.matrix(q)
        v, a = np.zeros((2, len(q), self.held.nv))
        v[:, self.own] = 1.0
        if not A.shape[1]:
            return v, a
        for x, rows in zip(v, A, strict=True):
            x[self.others] = self._followed(rows, -rows[:, self.own])
        for x, rows, bias in zip(a, A, self._bias(q, v), strict=True):
            x[self.others] = self._followed(rows, -bias)
        off = np.abs(np.einsum("nij,nj->ni", A, v)).max(axis=1)
        jams = off > _ADMITTED * np.abs(A).max(axis=(1, 2)) * np.abs(v).max(axis=1)
        v[jams] = a[jams] = np.nan
        return v, a

    def _followed(self, rows: Array, wanted: Array) -> Array:
        return np.asarray(np.linalg.lstsq(rows[:, self.others], wanted, rcond=1e-12)[0])

    def _bias(self, q: Array, v: Array) -> Array:
        return _at_start(self.held.constraint_bias, q, v)


def _at_start(function: Any, *given: Array) -> Array:
    more = (np.zeros(len(given[0])),) if "t" in function.inputs else ()
    return np.asarray(function(*given, *more))
