"""Up to three joints that bring a point to a place: E₁ E₂ E₃ p = w.

Two neighbours often leave something alone: a height, if both move in one plane, or a distance, if
their axes meet. Then the third joint is found first, and what is left is a problem of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.solve.inverse.closed.axes import JointAxis, is_across, is_parallel, meeting
from visviva.solve.inverse.closed.plans import OneBranch, Plan
from visviva.solve.inverse.closed.quartic import circle_cuts
from visviva.solve.inverse.closed.subproblems import (
    across,
    root,
    turn_onto,
    turns_to_distance,
    turns_to_height,
)
from visviva.space.rotations import cross


def to_point(joints: Sequence[JointAxis]) -> list[Plan]:
    """The plans there are for so many joints, the best first."""
    if len(joints) > 3:
        return []
    if len(joints) == 3:
        return [
            *_by_height(joints),
            *map(_reversed, _by_height(_back(joints))),
            *_by_distance(joints),
            *map(_reversed, _by_distance(_back(joints))),
            *_general(joints),
        ]
    if len(joints) == 2:
        return _two(joints)
    return _one(joints) if joints else [Plan((), 1, lambda p, w: [{}])]


def _back(joints: Sequence[JointAxis]) -> list[JointAxis]:
    """E₃⁻¹ E₂⁻¹ E₁⁻¹ w = p: the same chain, from its other end."""
    return [a.back() for a in reversed(joints)]


def _reversed(plan: Plan) -> Plan:
    return replace(plan, run=lambda p, w: plan.run(w, p))


def _one(joints: Sequence[JointAxis]) -> list[Plan]:
    (a,) = joints
    if a.is_turn:
        return [Plan((), 1, lambda p, w: [{a.index: turn_onto(a.h, p - a.p, w - a.p)}])]
    return [Plan((), 1, lambda p, w: [{a.index: a.h @ (w - p)}])]


def _two(joints: Sequence[JointAxis]) -> list[Plan]:
    a, b = joints
    plans = [*_in_plane(joints), *_meeting_pair(joints)]
    if plans:
        return plans
    if a.is_turn and not b.is_turn:
        return [_turn_and_slide(a, b)]
    if b.is_turn and not a.is_turn:
        return [_reversed(_turn_and_slide(b.back(), a.back()))]
    return [_skew_turns(a, b)] if a.is_turn and b.is_turn else []


# ---- pairs


def _in_plane(joints: Sequence[JointAxis]) -> list[Plan]:
    """Of two joints that move in one plane, for w at the height of p."""
    a, b = joints
    if not a.is_turn and not b.is_turn:
        return [] if is_parallel(a, b) else [_two_slides(a, b)]
    if a.is_turn and b.is_turn:
        return [_two_links(a, b)] if is_parallel(a, b) and not _same_line(a, b) else []
    if not is_across(a, b):
        return []
    return [_slide_on_arm(a, b) if a.is_turn else _reversed(_slide_on_arm(b.back(), a.back()))]


def _two_links(a: JointAxis, b: JointAxis) -> Plan:
    """Two parallel axes: the elbow from the distance, then the shoulder."""

    def run(p: Array, w: Array) -> list[OneBranch]:
        reach = across(a.h, w - a.p)
        square = reach @ reach
        found: list[OneBranch] = []
        for elbow in turns_to_distance(b.h, p - b.p, a.p - b.p, square):
            shoulder = turn_onto(a.h, b.moved(elbow, p) - a.p, reach)
            found.append({a.index: shoulder, b.index: elbow})
        return found

    return Plan((_both(a, "∥", b),), 2, run)


def _slide_on_arm(a: JointAxis, b: JointAxis) -> Plan:
    """A turn, then a slide across its axis: the slide from the distance, forward or backward."""

    def run(p: Array, w: Array) -> list[OneBranch]:
        out, reach = p - a.p, across(a.h, w - a.p)
        square = reach @ reach
        beside = a.h @ cross(b.h, out)  # how far the slide passes the axis
        far, before = root(square - beside * beside, square), b.h @ out
        return [
            {a.index: turn_onto(a.h, out + b.h * d, reach), b.index: d}
            for d in (far - before, -far - before)
        ]

    return Plan((f"{b.index + 1} slides across {a.index + 1}",), 2, run)


def _two_slides(a: JointAxis, b: JointAxis) -> Plan:
    """Both from what is left in their plane."""

    def run(p: Array, w: Array) -> list[OneBranch]:
        step = w - p
        cosine = a.h @ b.h
        scale = 1.0 / (1.0 - cosine * cosine)
        x, y = a.h @ step, b.h @ step
        return [{a.index: (x - y * cosine) * scale, b.index: (y - x * cosine) * scale}]

    return Plan((), 1, run)


def _meeting_pair(joints: Sequence[JointAxis]) -> list[Plan]:
    """Two axes that meet, for w as far from there as p."""
    a, b = joints
    place = meeting(joints) if a.is_turn and b.is_turn else None
    return [] if place is None else [_skew_turns(a.through(place), b.through(place))]


def _skew_turns(a: JointAxis, b: JointAxis) -> Plan:
    """The second from the height above the first; then the first."""

    def run(p: Array, w: Array) -> list[OneBranch]:
        reach = w - a.p
        found: list[OneBranch] = []
        for second in turns_to_height(b.h, p - b.p, a.h, a.h @ (w - b.p)):
            first = turn_onto(a.h, b.moved(second, p) - a.p, reach)
            found.append({a.index: first, b.index: second})
        return found

    return Plan((_both(a, "∩", b),), 2, run)


def _turn_and_slide(a: JointAxis, b: JointAxis) -> Plan:
    """A slide that changes the height: it is found by it."""

    def run(p: Array, w: Array) -> list[OneBranch]:
        d = (a.h @ (w - p)) / (a.h @ b.h)
        return [{a.index: turn_onto(a.h, p + b.h * d - a.p, w - a.p), b.index: d}]

    return Plan((), 1, run)


def _both(a: JointAxis, sign: str, b: JointAxis) -> str:
    """Two joints by their numbers: 2 ∥ 3."""
    first, second = sorted((a.index + 1, b.index + 1))
    return f"{first} {sign} {second}"


def _same_line(a: JointAxis, b: JointAxis) -> bool:
    between = np.cross(a.direction, b.point - a.point)
    return bool(np.linalg.norm(between) <= 1e-12 * a.scale)


# ---- three joints


def _by_height(joints: Sequence[JointAxis]) -> list[Plan]:
    """The first from the height that the other two, which move in one plane, leave alone."""
    first, *pair = joints
    return [_after_height(first, pair, plan) for plan in _in_plane(pair) if _lifts(first, pair)]


def _normal(pair: Sequence[JointAxis], numbers: bool = False) -> Any:
    a, b = pair
    if a.is_turn or b.is_turn:
        turn = a if a.is_turn else b
        return turn.direction if numbers else turn.h
    return np.cross(a.direction, b.direction) if numbers else cross(a.h, b.h)


def _lifts(first: JointAxis, pair: Sequence[JointAxis]) -> bool:
    """Whether the joint changes the height at all."""
    normal = _normal(pair, numbers=True)
    normal = normal / np.linalg.norm(normal)
    along = abs(first.direction @ normal)
    return bool(along < 1.0 - 1e-9 if first.is_turn else along > 1e-9)


def _after_height(first: JointAxis, pair: Sequence[JointAxis], rest: Plan) -> Plan:
    normal, home = _normal(pair), first.back()

    def run(p: Array, w: Array) -> list[OneBranch]:
        if first.is_turn:
            height = normal @ (p - first.p)
            values = turns_to_height(home.h, w - first.p, normal, height)
        else:
            values = [normal @ (w - p) / (normal @ first.h)]
        return [
            {first.index: value, **found}
            for value in values
            for found in rest.run(p, home.moved(value, w))
        ]

    planar = f"{_both(pair[0], 'and', pair[1])} in one plane"
    words = rest.words if all(a.is_turn for a in pair) else (planar,)
    return Plan(words, (2 if first.is_turn else 1) * rest.branches, run)


def _by_distance(joints: Sequence[JointAxis]) -> list[Plan]:
    """The last from the distance to the point where the axes of the first two meet."""
    *pair, last = joints
    place = meeting(pair) if pair[0].is_turn and pair[1].is_turn else None
    if place is None:
        return []
    a, b = (x.through(place) for x in pair)
    rest = _skew_turns(a, b)

    def run(p: Array, w: Array) -> list[OneBranch]:
        square = (w - place.p) @ (w - place.p)
        values: list[Any]
        if last.is_turn:
            arm, centre = p - last.p, place.p - last.p
            high = last.h @ (arm - centre)
            values = list(turns_to_distance(last.h, arm, centre, square - high * high))
        else:
            out = p - place.p
            before = last.h @ out
            far = root(before * before + square - out @ out, square)
            values = [far - before, -far - before]
        return [
            {last.index: value, **found}
            for value in values
            for found in rest.run(last.moved(value, p), w)
        ]

    return [Plan(rest.words, 2 * rest.branches, run)]


def _general(joints: Sequence[JointAxis]) -> list[Plan]:
    """Three turns about axes anyhow: the third from a quartic (Pieper, 1968).

    E₂ E₃ p has the height of w along the first axis, and its distance from a point of it. Both are
    linear in v, the part across the second axis of what the second joint turns, whose length is
    known too.
    """
    if not all(a.is_turn for a in joints):
        return []
    one, two, three = joints

    def run(p: Array, w: Array) -> list[OneBranch]:
        reach, m = w - one.p, two.p - one.p
        g, n = across(two.h, one.h), across(two.h, m)
        arm = across(three.h, p - three.p)
        # z = z₀ + c z₁ + s z₂: from the second axis to E₃ p
        z = (p - arm - two.p, arm, cross(three.h, arm))
        along = [two.h @ x for x in z]
        square = [z[0] @ z[0] + arm @ arm, 2.0 * (z[0] @ z[1]), 2.0 * (z[0] @ z[2])]
        height = [-(one.h @ two.h) * x for x in along]
        height[0] = height[0] + one.h @ (reach - m)
        spread = [-0.5 * x - (m @ two.h) * y for x, y in zip(square, along, strict=True)]
        spread[0] = spread[0] + (reach @ reach - m @ m) * 0.5
        ng, gh = cross(n, two.h), cross(g, two.h)
        det = g @ ng
        k = [
            (n @ n) * a - 2.0 * (g @ n) * b + (g @ g) * c + det * det * d
            for a, b, c, d in zip(
                _product(height, height),
                _product(height, spread),
                _product(spread, spread),
                _product(along, along),
                strict=True,
            )
        ]
        k[:3] = [x - det * det * y for x, y in zip(k, square, strict=False)]
        found: list[OneBranch] = []
        for third in circle_cuts(k):
            c, s = third.unit
            a, b = (x[0] + x[1] * c + x[2] * s for x in (height, spread))
            second = turn_onto(two.h, z[0] + z[1] * c + z[2] * s, (ng * a - gh * b) * (1.0 / det))
            there = two.moved(second, three.moved(third, p))
            first = turn_onto(one.h, there - one.p, reach)
            found.append({one.index: first, two.index: second, three.index: third})
        return found

    return [Plan(("by a quartic",), 4, run, is_proved=False)]


def _product(x: Sequence[Any], y: Sequence[Any]) -> list[Any]:
    """Of two that are linear in c and s: the factors of 1, c, s, c², c s, s²."""
    mixed = x[1] * y[2] + x[2] * y[1]
    linear = [x[0] * y[1] + x[1] * y[0], x[0] * y[2] + x[2] * y[0]]
    return [x[0] * y[0], *linear, x[1] * y[1], mixed, x[2] * y[2]]
