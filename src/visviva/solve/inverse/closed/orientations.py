"""Up to three turns that make a rotation: R₁ R₂ R₃ = M, about axes in any directions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.algebra.generic import sqrt
from visviva.solve.inverse.closed.axes import EXACT, JointAxis, is_across, is_parallel
from visviva.solve.inverse.closed.plans import OneBranch, Plan
from visviva.solve.inverse.closed.subproblems import Turn, turn_onto, turned, turns_with
from visviva.space.rotations import cross


def to_rotation(joints: Sequence[JointAxis]) -> Plan | None:
    """The plan for so many turns; None if neighbours among them are parallel."""
    if len(joints) > 3 or any(is_parallel(a, b) for a, b in pairwise(joints)):
        return None
    return [_none, _one_turn, _pair_of_turns, _euler][len(joints)](joints)


def side(axis: JointAxis) -> Array:
    """A direction at a right angle to an axis, in its scalars."""
    return cross(axis.h, np.eye(3)[np.argmin(np.abs(axis.direction))])


def last_turn(axis: JointAxis, there: Array) -> Turn:
    """The turn about an axis that takes its `side` there."""
    return turn_onto(axis.h, side(axis), there)


def _none(joints: Sequence[JointAxis]) -> Plan:
    return Plan((), 1, lambda M: [{}])


def _one_turn(joints: Sequence[JointAxis]) -> Plan:
    (a,) = joints
    return Plan((), 1, lambda M: [{a.index: last_turn(a, M @ side(a))}])


def _pair_of_turns(joints: Sequence[JointAxis]) -> Plan:
    a, b = joints

    def run(M: Array) -> list[OneBranch]:
        first = turn_onto(a.h, b.h, M @ b.h)
        second = last_turn(b, a.back().turned(first, M @ side(b)))
        return [{a.index: first, b.index: second}]

    return Plan((), 1, run)


def _euler(joints: Sequence[JointAxis]) -> Plan:
    """The middle one from the angle between the outer axes; then the first; then the last.

    The last is found from what the first two leave, so that it fits them also where the outer axes
    are in line and only the sum of both turns is known.
    """
    a, b, c = joints

    def run(M: Array) -> list[OneBranch]:
        end = M @ c.h
        found: list[OneBranch] = []
        for middle in middles(a, b, c, end):
            if found and are_square(a, b, c):  # the wrist flipped
                first, last = found[0][a.index].opposite(), found[0][c.index].opposite()
            else:
                first = turn_onto(a.h, turned(b.h, middle, c.h), end)
                last = last_turn(c, b.back().turned(middle, a.back().turned(first, M @ side(c))))
            found.append({a.index: first, b.index: middle, c.index: last})
        return found

    return Plan((), 2, run)


def are_square(a: JointAxis, b: JointAxis, c: JointAxis) -> bool:
    """Whether the middle axis is at right angles to both others, as wrists mostly are."""
    return is_across(a, b) and is_across(b, c)


def middles(a: JointAxis, b: JointAxis, c: JointAxis, end: Array) -> list[Turn]:
    """Both turns about b with h_a · R h_c = h_a · end.

    Where both outer axes can get in line, the cosine of their angle says little of a small angle;
    chords between their tips do.
    """
    first, last = a.h @ b.h, b.h @ c.h
    along = first * last
    A, B = a.h @ c.h - along, a.h @ cross(b.h, c.h)
    D = a.h @ end - along
    if are_square(a, b, c):
        across = cross(a.h, end)
        return turns_with(A, B, D, across @ across)
    rho = float(np.linalg.norm(np.cross(a.direction, b.direction)))
    rho *= float(np.linalg.norm(np.cross(b.direction, c.direction)))
    inner = float(a.direction @ b.direction) * float(b.direction @ c.direction)
    same, opposite = abs(rho + inner - 1.0) <= EXACT, abs(rho - inner - 1.0) <= EXACT
    if same or opposite:
        size = sqrt((1.0 - first * first) * (1.0 - last * last))
        return turns_with(A, B, D, _gap(a.h, end, same) * (size + D if same else size - D))
    return turns_with(A, B, D)


def _gap(a: Array, b: Array, same: bool) -> Any:
    """1 - a · b of unit vectors, by their chord; 1 + a · b if they are opposite."""
    chord = a - b if same else a + b
    return (chord @ chord) * 0.5
