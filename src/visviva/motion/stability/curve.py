"""Equilibria along the one motion of a linkage: where the force along it changes its sign.

Positions of a linkage with one freedom are curves. Each that a seed is on is followed, to its ends
or round until it closes; all equilibria on it are met that are no closer together than a step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import NamedTuple

import numpy as np

from visviva.algebra.arrays import Array
from visviva.motion.stability.balance import NONE, Balance
from visviva.motion.stability.branches import Tangent
from visviva.motion.stability.rest import Domain
from visviva.solve.assembly import closed
from visviva.solve.following import STEP, OnWay, Signs, signs_along, stepped
from visviva.solve.rows import Rows, directions

BALANCED = 1e-13  # of forces that constraints carry: what is left along the motion, to rounding
ON_CURVE = 0.75 * STEP  # how near to its places what is on a curve is, and perhaps on one beside it
SAME_CURVE = 1e-5  # radians or metres: what is nearer to where a place leads along a curve is on it
MET_WITHIN = 2 * STEP  # of a place, where Newton's steps end at the equilibrium beside it
PLACES = 3  # places, the start of each way being one
MOVED = 1e-6  # radians or metres: what stays nearer along a curve does not move

Apart = Callable[[Array, Array], Array]


class Stretch(NamedTuple):
    """Places of a curve one after the other along which no force acts; `is_whole` if all of it."""

    places: list[OnWay]
    is_whole: bool


class OnCurves(NamedTuple):
    """Equilibria that were met, on how many curves, and whether all of these came back.

    Of each stretch along which it rests one position stands for all: these are `rests`, with the
    coordinates that change along it.
    """

    q: list[Array]
    curves: int
    are_cycles: bool
    stretches: tuple[Stretch, ...] = ()
    rests: tuple[tuple[Array, Stretch, tuple[str, ...]], ...] = ()

    def only(self, q: list[Array], domain: Domain) -> OnCurves:
        """With those stretches for which one of these positions stands."""
        known = [x for x in self.rests if any(domain.are_one(x[0], y) for y in q)]
        return self._replace(rests=tuple(known))


def on_curves(
    balance: Balance, seeds: Iterable[Array], apart: Apart, goes_on: Callable[[Array], bool]
) -> OnCurves:
    """Those on the curves that seeds are on; none where a linkage has more freedoms than one."""
    s = balance.system
    rows = Rows(s, balance.t)
    if not s.held_by or rows.count < len(rows.all_labels) or np.any(balance.v):
        return OnCurves([], 0, False)
    known: list[OnWay] = []
    found: list[Array] = []
    stretches: list[Stretch] = []
    curves, cycles = 0, True
    for seed in seeds:
        N, _ = directions(rows.slope(seed))
        if N.shape[1] != 1 or not closed(rows, seed) or _is_on(rows, known, seed, apart):
            continue
        curves += 1
        ways = [_way(balance, rows, OnWay(seed, N[:, 0], 0.0), apart, goes_on)]
        if not ways[0].is_cycle:
            ways.append(_way(balance, rows, OnWay(seed, -N[:, 0], 0.0), apart, goes_on))
        cycles = cycles and ways[0].is_cycle
        for way in ways:
            known += way.places
            found += _met(balance, way, apart)
        stretches += _stretches(ways)
    return OnCurves(found, curves, cycles and curves > 0, tuple(stretches))


def _stretches(ways: list[Signs]) -> list[Stretch]:
    """Where at least so many places one after the other are without force."""
    pairs = [*zip(ways[0].places, ways[0].values, strict=True)]
    if len(ways) > 1:  # the other way from the same start
        back = [x._replace(tangent=-x.tangent) for x in ways[1].places[:0:-1]]
        pairs = [*zip(back, ways[1].values[:0:-1], strict=True), *pairs]
    acting = [k for k, (_, value) in enumerate(pairs) if value]
    if not acting:
        return [Stretch([place for place, _ in pairs], True)] if len(pairs) >= PLACES else []
    if ways[0].is_cycle:  # begin where a force acts
        pairs = [*pairs[acting[0] :], *pairs[: acting[0]]]
    found: list[Stretch] = []
    for acts, run in groupby(pairs, lambda x: bool(x[1])):
        places = [place for place, _ in run]
        if not acts and len(places) >= PLACES:
            found.append(Stretch(places, False))
    return found


def one_of_each(
    balance: Balance, met: OnCurves, found: list[Array], apart: Apart
) -> tuple[OnCurves, list[Array]]:
    """One position for all of a stretch that it rests on, and those where others branch off."""
    s = balance.system
    rows = Rows(s, balance.t)
    rests = []
    for stretch in met.stretches:
        on = [_is_between(rows, stretch, q, apart) for q in found]
        if not any(on):
            continue  # it was left at once, as at a kink
        one = next(q for q, y in zip(found, on, strict=True) if y)
        found = [
            q
            for q, y in zip(found, on, strict=True)
            if not y or q is one or Tangent(s, q, balance.t).is_singular
        ]
        moved = np.max([np.abs(apart(one, x.q)) for x in stretch.places], axis=0) > MOVED
        names = tuple(x for x, y in zip(s.motion_names, moved, strict=True) if y)
        rests.append((one, stretch, names))
    return met._replace(rests=tuple(rests)), found


def where_branches_meet(balance: Balance, found: list[Array]) -> list[Array]:
    """These; for one hardly beside a position at which branches meet, and balance, that one."""
    both = [(q, Tangent(balance.system, q, balance.t).meeting()) for q in found]
    return [q if x is None or not balance.balanced(x) else x for q, x in both]


def _is_between(rows: Rows, stretch: Stretch, q: Array, apart: Apart) -> bool:
    """Whether q is on a stretch, and not beyond its ends."""
    places = stretch.places
    if stretch.is_whole:
        return _is_on(rows, places, q, apart)
    ahead = [float(x.tangent @ apart(x.q, q)[rows.free]) for x in (places[0], places[-1])]
    inner = ahead[0] >= -SAME_CURVE or not _is_on(rows, places[:1], q, apart)
    inner = inner and (ahead[1] <= SAME_CURVE or not _is_on(rows, places[-1:], q, apart))
    return inner and _is_on(rows, places, q, apart)


def _is_on(rows: Rows, places: list[OnWay], q: Array, apart: Apart) -> bool:
    """Whether the curve of these places leads through q: another may pass as near as a step."""
    for place in places:
        away = apart(place.q, q)
        if (far := float(np.linalg.norm(away))) >= ON_CURVE:
            continue
        h = float(place.tangent @ away[rows.free])
        there = stepped(rows, place.q, np.copysign(1.0, h) * place.tangent, abs(h))
        left = far if there is None else float(np.linalg.norm(apart(there, q)))
        if left < SAME_CURVE:
            return True
    return False


def _force(balance: Balance, q: Array) -> Array:
    """What is left over while constraints pull nothing."""
    nv = balance.system.nv
    return np.asarray(balance.left(q, np.zeros(nv + balance.pulls), NONE))[:nv]


def _way(
    balance: Balance, rows: Rows, start: OnWay, apart: Apart, goes_on: Callable[[Array], bool]
) -> Signs:
    def along(q: Array, tangent: Array) -> float:
        force = _force(balance, q)
        left = float(tangent @ force)
        return 0.0 if abs(left) <= BALANCED * float(np.abs(force).max()) else left

    return signs_along(rows, start, along, apart, goes_on=goes_on)


def _met(balance: Balance, way: Signs, apart: Apart) -> list[Array]:
    """Zeros on a way, to the last digits; also those at which the force touches zero."""
    sizes = np.abs(way.values)
    least = 1 + np.flatnonzero((sizes[1:-1] < sizes[:-2]) & (sizes[1:-1] <= sizes[2:]))
    touching = [way.places[k].q for k in least]
    found: list[Array] = []
    for q in (*way.zeros, *touching):
        there = balance.settled(q)
        if there is not None and np.linalg.norm(apart(q, there)) < MET_WITHIN:
            found.append(there)
    return found
