"""What each column of a Jacobian is: the velocity of the tip while one joint alone moves.

A hinge with axis z turns the tip about it: ω = z and v = z × r, r from the axis to the tip. A slide
takes it along: ω = 0 and v = z. A screw does both. Of a linkage these are the columns of its open
tree: no joint of a closed loop moves alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, frozen
from visviva.describe.model.model import Model
from visviva.equations.frames.kinematics import kinematics
from visviva.errors import ArgumentError, ShapeError
from visviva.foreign import explained
from visviva.hints import in_radians
from visviva.machine.systems import point_of

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

SLIGHTEST_TWIST = 1e-12  # of a unit twist


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """One joint alone, at unit speed.

    `turn` and `velocity` are the column itself, (ω, v) in world axes. `axis` is the unit vector z,
    `foot` the point of the axis that is nearest to the tip, `lever` r from there to the tip; of
    slides these two are None.
    """

    joint: str
    turn: FloatArray
    velocity: FloatArray
    axis: FloatArray | None
    foot: FloatArray | None
    lever: FloatArray | None
    is_cut: bool = False  # loops hold the mechanism, and are cut here

    @property
    def speed(self) -> float:
        """|v|: of a hinge the distance of the tip from its axis, per radian."""
        return float(np.linalg.norm(self.velocity))

    @property
    def sentence(self) -> str:
        """What moves how."""
        v = _vector(self.velocity)
        if self.axis is None:
            return f"{self.joint} does not move the tip{', loops cut' if self.is_cut else ''}"
        z = _vector(self.axis)
        if self.lever is None:
            return f"{self.joint} slides the tip along z = {z}: v = z = {v}, ω = 0"
        if self.speed < SLIGHTEST_TWIST:
            return f"{self.joint} turns about z = {z}, on which the tip lies: v = 0, ω = z"
        along = self.velocity - np.cross(self.turn, self.lever)
        pitch = "" if np.linalg.norm(along) < 1e-9 * self.speed else " + its advance along z"
        r = _vector(self.lever)
        return (
            f"{self.joint} turns the tip about z = {z} at the distance "
            f"{np.linalg.norm(self.lever):.6g}: v = z × r{pitch} = {v}, r = {r}, ω = z"
        )

    def __str__(self) -> str:
        return self.sentence

    __repr__ = __str__


@explained
@dataclass(frozen=True, eq=False, repr=False)
class JacobianColumns:
    """The columns of a frame's Jacobian at a position, one for each velocity."""

    frame: str
    q: FloatArray
    tip: FloatArray
    columns: tuple[Column, ...]
    _model: Model

    @property
    def matrix(self) -> FloatArray:
        """J (6, n), in world axes."""
        return np.stack([np.concatenate([c.turn, c.velocity]) for c in self.columns], axis=1)

    def __getitem__(self, joint: str | int) -> Column:
        if isinstance(joint, str):
            names = [c.joint for c in self.columns]
            if joint not in names:
                raise ArgumentError(f"no joint {joint!r}: there are {', '.join(names)}")
            return self.columns[names.index(joint)]
        return self.columns[joint]

    def __len__(self) -> int:
        return len(self.columns)

    def plot(self) -> Figure:
        """The arm, and at its tip an arrow for every joint: where it moves the tip. (plotly)"""
        from visviva.solve.singular import drawing

        return drawing.columns_figure(self._model, self)

    def __str__(self) -> str:
        at = _vector(self.tip)
        cut = (
            f", of the open tree, loops cut (of the closed linkage: singularity({self.frame!r}, "
            "q).J)"
        )
        held = cut if self._model.held_by else ""
        return "\n".join([f"the tip of {self.frame!r} at {at}{held}:", *map(str, self.columns)])

    __repr__ = __str__


def jacobian_columns(model: Model, frame: str, q: Any, point: Any = None) -> JacobianColumns:
    """The columns of J at one position."""
    at = one_position(model, q, "jacobian_columns")
    shift = np.zeros(3) if point is None else np.array(point_of(point))
    X, J = kinematics(model.numeric, frame, at, point=shift)
    tip = X[:3, 3] + X[:3, :3] @ shift
    names, cut = model.motion_names, bool(model.held_by)
    columns = tuple(_column(name, J[:, k], tip, cut) for k, name in enumerate(names))
    return JacobianColumns(frame, at, frozen(tip), columns, model)


def one_position(model: Model, q: Any, asked: str) -> Array:
    """q (nq,) as numbers, refused where it is something else."""
    try:
        at = np.array(q, dtype=float)
    except (TypeError, ValueError):
        way = in_radians(q)
        raise ShapeError(f"{asked}: q has {model.nq} numbers, got {q!r:.200}{way}") from None
    if at.shape != (model.nq,):
        raise ShapeError(
            f"{asked}: q of {model.name!r} has {model.nq} numbers "
            f"({', '.join(model.coordinate_names)}), got the shape {at.shape}"
        )
    if not np.isfinite(at).all():
        bad = [
            name for name, x in zip(model.coordinate_names, at, strict=True) if not np.isfinite(x)
        ]
        raise ArgumentError(f"{asked}: q is not finite at {', '.join(bad)}: {at.tolist()}")
    return frozen(at)


def _column(name: str, column: Array, tip: Array, cut: bool) -> Column:
    w, v = column[:3], column[3:]
    turn, speed = float(np.linalg.norm(w)), float(np.linalg.norm(v))
    if turn > SLIGHTEST_TWIST:
        lever = -np.cross(w, v) / turn**2
        return Column(name, w, v, w / turn, tip - lever, lever, cut)
    if speed > SLIGHTEST_TWIST:
        return Column(name, w, v, v / speed, None, None, cut)
    return Column(name, w, v, None, None, None, cut)


def _vector(x: Array) -> str:
    return "(" + ", ".join(f"{y:.5g}" for y in np.where(np.abs(x) < 5e-13, 0.0, x)) + ")"
