"""Arms with a closed form: which joints to find first, by how their axes lie.

`G` is the motion that all joints make together, E₁ … Eₙ = G: from the frame at q = 0 to its target.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from visviva.algebra.arrays import Array
from visviva.solve.inverse.closed.axes import JointAxis, Place, is_across, is_parallel, meeting
from visviva.solve.inverse.closed.orientations import are_square, middles, side, to_rotation
from visviva.solve.inverse.closed.plans import OneBranch, Plan
from visviva.solve.inverse.closed.points import to_point
from visviva.solve.inverse.closed.subproblems import Turn, turn_onto, turned, turns_to_height
from visviva.space.poses import Pose


def to_pose(joints: Sequence[JointAxis]) -> Iterator[Plan]:
    """Plans for a pose, the best first; whether one holds is tried by who asks."""
    for order in _orders(list(joints)):
        yield from _slides_last(order)
        yield from _wrist(order)
        yield from _three_parallel(order)
        back = [a.back() for a in reversed(order)]
        yield from map(_reversed_pose, _wrist(back, "shoulder"))
        yield from map(_reversed_pose, _three_parallel(back))


def _orders(joints: list[JointAxis]) -> Iterator[list[JointAxis]]:
    """The chain, and the chain with slides taken to its start past turns about their direction."""
    yield joints
    moved = joints.copy()
    for i in range(1, len(moved)):
        for k in range(i, 0, -1):
            before, here = moved[k - 1], moved[k]
            if here.is_turn or not before.is_turn or not is_parallel(before, here):
                break
            moved[k - 1], moved[k] = here, before
    if moved != joints:
        yield moved


def _reversed_pose(plan: Plan) -> Plan:
    return replace(plan, run=lambda G: plan.run(G.inverse()))


def _slides_last(joints: list[JointAxis]) -> Iterator[Plan]:
    """Slides do not turn: the rotation is found by the turns alone, then the slides."""
    turning, sliding = [a for a in joints if a.is_turn], [a for a in joints if not a.is_turn]
    rotation = to_rotation(turning)
    if rotation is None or not 1 <= len(sliding) <= 3:
        return

    def run(G: Pose) -> list[OneBranch]:
        found: list[OneBranch] = []
        for turns in rotation.run(G.R):
            at = np.zeros(3)  # where the turns alone take the origin
            directions: list[Array] = []
            for a in reversed(joints):
                if a.is_turn:
                    at = a.moved(turns[a.index], at)
                    directions = [a.turned(turns[a.index], v) for v in directions]
                else:
                    directions = [a.h, *directions]
            found.append({**turns, **_lengths(sliding, directions, G.p - at)})
        return found

    yield Plan(("slides apart from turns",), rotation.branches, run)


def _lengths(sliding: Sequence[JointAxis], directions: list[Array], step: Array) -> OneBranch:
    """Lengths along up to three directions that add up to a step, or nearest to it.

    One after the other from what is across those before: products of directions with each other
    would square what is lost where they are nearly parallel.
    """
    (first, *others), (v, *rest) = sliding, directions
    scale = 1.0 / (v @ v)

    def beside(x: Array) -> Array:
        return x - v * ((v @ x) * scale)

    found = _lengths(others, [*map(beside, rest)], beside(step)) if others else {}
    for axis, w in zip(others, rest, strict=True):
        step = step - w * found[axis.index]
    return {first.index: (v @ step) * scale, **found}


def _wrist(joints: list[JointAxis], called: str = "wrist") -> Iterator[Plan]:
    """The last turns leave a point alone: it is brought to its place, then they turn."""
    for size in (3, 2, 1):
        arm, hand = joints[:-size], joints[-size:]
        if len(hand) < size or not all(a.is_turn for a in hand):
            continue
        place = meeting(hand) if size > 1 else Place(hand[0].p, hand[0].point)
        rotation = to_rotation(hand)
        if place is None or rotation is None:
            continue
        for plan in to_point(arm):
            yield _arm_and_hand(arm, plan, place, rotation, called if size == 3 else "")


def _arm_and_hand(
    arm: list[JointAxis], plan: Plan, place: Place, rotation: Plan, called: str
) -> Plan:
    def run(G: Pose) -> list[OneBranch]:
        found: list[OneBranch] = []
        for first in plan.run(place.p, G.apply(place.p)):
            M = G.R
            for h, turn in _gathered(arm, first):
                M = np.stack([turned(h, turn.back(), v) for v in M.T], axis=1)
            found += [{**first, **rest} for rest in rotation.run(M)]
        return found

    words = (f"spherical {called}",) if called else ()
    branches = plan.branches * rotation.branches
    return Plan((*words, *plan.words), branches, run, plan.is_proved)


def _gathered(arm: Sequence[JointAxis], found: OneBranch) -> list[tuple[Array, Turn]]:
    """The turns of an arm; neighbours about parallel axes are one."""
    turns: list[tuple[JointAxis, Turn]] = []
    for a in arm:
        if not a.is_turn:
            continue
        if turns and is_parallel(turns[-1][0], a):
            before, turn = turns.pop()
            turns.append((before, turn.and_then(_as_about(before, a, found[a.index]))))
        else:
            turns.append((a, found[a.index]))
    return [(a.h, turn) for a, turn in turns]


def _as_about(axis: JointAxis, other: JointAxis, turn: Turn) -> Turn:
    """A turn about a parallel axis, which may point the other way."""
    return turn if axis.direction @ other.direction > 0.0 else turn.back()


def _three_parallel(joints: list[JointAxis]) -> Iterator[Plan]:
    """One turn, three about parallel axes, and one or two that meet behind them."""
    if not 5 <= len(joints) <= 6 or not all(a.is_turn for a in joints):
        return
    one, a, b, c, *hand = joints
    if not (is_parallel(a, b) and is_parallel(b, c)) or is_parallel(one, a):
        return
    place = meeting(hand) if len(hand) == 2 else Place(hand[0].p, hand[0].point)
    if place is None or is_parallel(c, hand[0]):
        return
    corner = meeting([c, hand[0]])  # that the fifth joint leaves alone
    third = c if corner is None else c.through(corner)
    yield _three_parallel_plan(one, (a, b, third), hand, place)


def _three_parallel_plan(
    one: JointAxis,
    links: tuple[JointAxis, JointAxis, JointAxis],
    hand: list[JointAxis],
    place: Place,
) -> Plan:
    a, b, c = links
    (two_links,) = to_point([a, b])[:1]
    beside = hand[0].h if is_across(a, hand[0]) else side(a)
    home = one.back()

    def run(G: Pose) -> list[OneBranch]:
        found: list[OneBranch] = []
        goal = G.apply(place.p) - one.p
        for first in turns_to_height(home.h, goal, a.h, a.h @ (place.p - one.p)):
            # the motion behind the first joint, E₂ E₃ E₄ E₅ E₆
            R = np.stack([home.turned(first, v) for v in G.R.T], axis=1)
            p = home.moved(first, G.p)
            for last in _hand(a, hand, R):
                corner, aside = c.p, beside
                for x in hand:  # E₆⁻¹ E₅⁻¹, the fifth first
                    corner = x.back().moved(last[x.index], corner)
                    aside = x.back().turned(last[x.index], aside)
                whole = turn_onto(a.h, beside, R @ aside)  # all three together
                for two in two_links.run(c.p, R @ corner + p):
                    done = two[a.index].and_then(_as_about(a, b, two[b.index]))
                    rest = _as_about(a, c, whole.and_then(done.back()))
                    found.append({one.index: first, **two, c.index: rest, **last})
        return found

    words = " ∥ ".join(str(k) for k in sorted(x.index + 1 for x in links))
    return Plan((words,), 4 * len(hand), run)


def _hand(a: JointAxis, hand: list[JointAxis], R: Array) -> list[OneBranch]:
    """The parallel turns leave their own direction alone: hᵀ R₅ R₆ = hᵀ R."""
    seen = a.h @ R
    if len(hand) == 1:
        (five,) = hand
        return [{five.index: turn_onto(-five.h, a.h, seen)}]
    five, six = hand
    found: list[OneBranch] = []
    for turn in middles(a, five, six, R @ six.h):
        if found and are_square(a, five, six):
            last = found[0][six.index].opposite()
        else:
            last = turn_onto(-six.h, turned(-five.h, turn, a.h), seen)
        found.append({five.index: turn, six.index: last})
    return found
