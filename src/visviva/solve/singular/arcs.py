"""The boundary of what a plane arm of hinges reaches: arcs of circles, exactly.

Where the tip cannot go further, each joint is at a limit or the joints that are not cannot move the
tip across: their axes and the tip are on one line, and only the first of them moves it, on a circle
about its own axis. So every boundary is made of such arcs: one for each choice of joints at limits
and of links stretched out or folded back. Which arcs are boundary, and which lie inside, is looked
up beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from visviva.algebra.arrays import Array

MOST_JOINTS = 4  # of which arcs are worked out: there are up to 3ⁿ 2ⁿ⁻¹
CLOSED_TURN = 1e-12
FULL_CIRCLE = 2 * np.pi


@dataclass(frozen=True)
class Arc:
    """Part of a circle in the plane of an arm: from angle `start`, by `sweep` counterclockwise."""

    centre: complex
    radius: float
    start: float
    sweep: float
    says: str
    is_boundary: bool | None = None  # None: not known

    def points(self, count: int = 181) -> Array:
        """(count,) complex numbers along it."""
        t = np.linspace(self.start, self.start + self.sweep, count)
        return np.asarray(self.centre + self.radius * np.exp(1j * t))


@dataclass(frozen=True, eq=False)
class PlaneArm:
    """A row of hinges in a plane: d[i] from axis i to the next, or to the tip, at q = 0."""

    base: complex
    d: Array  # (n,) complex
    sense: Array  # (n,) of ±1: the angle turns counterclockwise or not
    lower: Array  # limits, finite; a whole turn apart where there are none
    upper: Array
    names: tuple[str, ...]

    @property
    def lengths(self) -> Array:
        """(n,) of the links."""
        return np.abs(self.d)

    @property
    def is_free(self) -> bool:
        """Whether every joint turns all round."""
        return bool((self.upper - self.lower >= FULL_CIRCLE - CLOSED_TURN).all())

    @property
    def reach(self) -> tuple[float, float]:
        """Of the tip from the first axis, where joints turn all round."""
        total, longest = float(self.lengths.sum()), float(self.lengths.max())
        return max(0.0, 2 * longest - total), total

    def tip(self, q: Array) -> complex:
        """Where the tip is."""
        turned = np.exp(1j * np.cumsum(self.sense * q))
        return complex(self.base + turned @ self.d)

    def without_last(self) -> PlaneArm:
        """The arm up to its last axis."""
        k = slice(None, -1)
        parts = self.d[k], self.sense[k], self.lower[k], self.upper[k], self.names[k]
        return PlaneArm(self.base, *parts)

    def moving_its_tip(self) -> PlaneArm:
        """Without a last joint that has the tip on its axis."""
        on_axis = len(self.d) > 1 and self.lengths[-1] < 1e-9 * self.lengths.max()
        return self.without_last() if on_axis else self

    def arcs(self) -> Iterator[Arc]:
        """All that boundaries can be made of."""
        n = len(self.d)
        states = [
            [None, *(x for x in (self.lower[k], self.upper[k]) if self._is_limited(k))]
            for k in range(n)
        ]
        for held in product(*states):
            if any(x is None for x in held):
                yield from self._stretched(held)

    def _is_limited(self, k: int) -> bool:
        return bool(self.upper[k] - self.lower[k] < FULL_CIRCLE - CLOSED_TURN)

    def _stretched(self, held: Sequence[float | None]) -> Iterator[Arc]:
        """Some joints held: the others in one line, the first of them sweeping."""
        free = [k for k, x in enumerate(held) if x is None]
        first = free[0]
        # the way to the first free axis, and the links between free ones, seen from each
        before, turned = self._way(range(first), held, 1.0 + 0j)
        chords, turns = [], []
        for a, b in zip(free, [*free[1:], len(held)], strict=True):
            chord, turn = self._way(range(a + 1, b), held, 1.0 + 0j)
            chords.append(self.d[a] + chord)
            turns.append(turn)
        for signs in product((1.0, -1.0), repeat=len(free) - 1):
            if all(
                self._fits(free[k + 1], turns[k], chords[k], chords[k + 1], _turns(signs, k))
                for k in range(len(signs))
            ):
                reach = abs(chords[0]) + sum(
                    s * abs(c) for s, c in zip(signs, chords[1:], strict=True)
                )
                yield self._arc(first, before, turned, chords[0], reach, held, signs)

    def _way(
        self, links: range, held: Sequence[float | None], turned: complex
    ) -> tuple[complex, complex]:
        """Along links that are held, from the axes before the first."""
        way = 0.0 + 0j
        for k in links:
            angle = held[k]
            turned = turned * np.exp(1j * self.sense[k] * (0.0 if angle is None else angle))
            way = way + turned * self.d[k]
        return way, turned

    def _fits(self, k: int, turn: complex, before: complex, chord: complex, sign: float) -> bool:
        """Whether joint k can put its chord in line with the one before, or against it."""
        angle = float(np.angle(sign * before / (turn * chord))) * self.sense[k]
        return _is_within(angle, self.lower[k], self.upper[k])

    def _arc(
        self,
        first: int,
        before: complex,
        turned: complex,
        chord: complex,
        reach: float,
        held: Sequence[float | None],
        signs: Sequence[float],
    ) -> Arc:
        low, high = float(self.lower[first]), float(self.upper[first])
        ends = (low, high) if self.sense[first] > 0 else (-high, -low)
        sweep = min(ends[1] - ends[0], FULL_CIRCLE)
        start = float(np.angle(turned * chord * (1 if reach >= 0 else -1))) + ends[0]
        at = [f"{self.names[k]} = {x:.6g}" for k, x in enumerate(held) if x is not None]
        folds = ["stretched" if s > 0 else "folded" for s in signs]
        says = ", ".join([f"{self.names[first]} turns", *folds, *at])
        return Arc(self.base + before, abs(reach), start, sweep, says)


def boundary(arm: PlaneArm, is_reached: Callable[[Array], Array], size: float) -> tuple[Arc, ...]:
    """The arcs, cut where they pass from the inside to the boundary; both kinds, marked."""
    found: list[Arc] = []
    known: set[tuple[float, ...]] = set()
    for arc in arm.arcs():
        if arc.radius < 1e-9 * size:
            continue
        numbers = (arc.centre.real, arc.centre.imag, arc.radius, arc.start, arc.sweep)
        key = tuple(round(x / size, 9) for x in numbers)
        if key not in known:
            known.add(key)
            found += _cut(arc, is_reached, size)
    return tuple(found)


PIECES_OF_A_TURN = 360
BESIDE = 1e-7  # of the arm: how far beside an arc it is looked
BISECTIONS = 40


def _cut(arc: Arc, is_reached: Callable[[Array], Array], size: float) -> Iterator[Arc]:
    count = max(2, int(np.ceil(PIECES_OF_A_TURN * arc.sweep / FULL_CIRCLE)))
    middles = arc.start + arc.sweep * (np.arange(count) + 0.5) / count

    def is_edge(t: Array) -> Array:
        ray = np.exp(1j * t)
        inner, outer = (
            is_reached(arc.centre + (arc.radius + d) * ray) for d in (-BESIDE * size, BESIDE * size)
        )
        return np.asarray(inner != outer)

    edge = is_edge(middles)
    changes = np.flatnonzero(edge[1:] != edge[:-1])
    low, high, before = middles[changes], middles[changes + 1], edge[changes]
    for _ in range(BISECTIONS):
        half = (low + high) / 2
        same = is_edge(half) == before
        low, high = np.where(same, half, low), np.where(same, high, half)
    cuts = [arc.start, *low, arc.start + arc.sweep]
    kinds = [bool(edge[0]), *(not bool(x) for x in before)]
    for (a, b), kind in zip(pairwise(cuts), kinds, strict=True):
        yield Arc(arc.centre, arc.radius, float(a), float(b - a), arc.says, kind)


def _turns(signs: Sequence[float], k: int) -> float:
    """Of a chord against the one before it."""
    return signs[k] * (signs[k - 1] if k else 1.0)


def _is_within(angle: float, low: float, high: float) -> bool:
    """Whether an angle, in whole turns, is within limits."""
    turned = angle + FULL_CIRCLE * np.ceil((low - CLOSED_TURN - angle) / FULL_CIRCLE)
    return bool(turned <= high + CLOSED_TURN)


def reached_by_two(arm: PlaneArm) -> Callable[[Array], Array]:
    """Whether an arm of two hinges reaches points, by its inverse: exact."""
    (a, b), (l1, l2) = arm.d, arm.lengths

    def is_reached(points: Array) -> Array:
        p = np.asarray(points) - arm.base
        c = (np.abs(p) ** 2 - l1**2 - l2**2) / (2 * l1 * l2)
        ok = np.zeros(p.shape, bool)
        bend = np.arccos(np.clip(c, -1, 1))
        for side in (bend, -bend):  # of the second link against the first
            q2 = arm.sense[1] * (side - np.angle(b / a))
            first = p / (a + b * np.exp(1j * arm.sense[1] * q2))
            q1 = arm.sense[0] * np.angle(first)
            ok |= (np.abs(c) <= 1) & _all_within(q1, arm, 0) & _all_within(q2, arm, 1)
        return ok

    return is_reached


def _all_within(angles: Array, arm: PlaneArm, k: int) -> Array:
    low, high = float(arm.lower[k]), float(arm.upper[k])
    turned = angles + FULL_CIRCLE * np.ceil((low - CLOSED_TURN - angles) / FULL_CIRCLE)
    return np.asarray(turned <= high + CLOSED_TURN)


def area_of_two(arm: PlaneArm, nodes: int = 64) -> float:
    """∫ r φ(r) dr, φ the part of a circle about the first axis that two hinges reach.

    By Gauss's rule between the radii at which the second joint is at a limit, stretched or folded,
    or what its two bends reach begins to overlap.
    """
    (a, b), (l1, l2) = arm.d, arm.lengths
    breaks = {abs(l1 - l2), l1 + l2}
    for q2 in (*arm.lower[1:], *arm.upper[1:]):
        breaks.add(float(abs(a + b * np.exp(1j * arm.sense[1] * q2))))
    edges = sorted({*breaks, *_overlaps(arm, sorted(breaks))})
    x, w = np.polynomial.legendre.leggauss(nodes)
    total = 0.0
    for low, high in pairwise(edges):
        # r = middle - half cos(t): square roots at both ends become smooth
        t = np.pi * (x + 1) / 2
        half = (high - low) / 2
        r = (low + high) / 2 - half * np.cos(t)
        total += float(np.sum(w * np.pi / 2 * half * np.sin(t) * r * _arc_reached(arm, r)))
    return total


def _arc_reached(arm: PlaneArm, r: Array) -> Array:
    (gap, first, second), sweep = _bends(arm, r), _sweep(arm)
    if sweep >= FULL_CIRCLE - CLOSED_TURN:
        return np.where(first | second, FULL_CIRCLE, 0.0)
    shared = np.maximum(0.0, sweep - gap) + np.maximum(0.0, sweep - (FULL_CIRCLE - gap))
    return np.where(first & second, 2 * sweep - shared, np.where(first | second, sweep, 0.0))


def _sweep(arm: PlaneArm) -> float:
    return min(float(arm.upper[0] - arm.lower[0]), FULL_CIRCLE)


def _bends(arm: PlaneArm, r: Array) -> tuple[Array, Array, Array]:
    """At radii: by which angle the tips of the two bends lie apart, and which bends there are."""
    (a, b), (l1, l2) = arm.d, arm.lengths
    bend = np.arccos(np.clip((r**2 - l1**2 - l2**2) / (2 * l1 * l2), -1, 1))
    angles = [arm.sense[1] * (side - np.angle(b / a)) for side in (bend, -bend)]
    first, second = (np.angle(a + b * np.exp(1j * arm.sense[1] * q)) for q in angles)
    there = [_all_within(q, arm, 1) for q in angles]
    return np.mod(second - first, FULL_CIRCLE), there[0], there[1]


def _overlaps(arm: PlaneArm, edges: Sequence[float]) -> list[float]:
    """Radii at which the arcs of the two bends begin to overlap, or cease to."""
    sweep, found = _sweep(arm), []

    def beyond(r: Array) -> Array:
        gap = _bends(arm, r)[0]
        return np.stack([gap < sweep, FULL_CIRCLE - gap < sweep])

    for low, high in pairwise(edges):
        r = np.linspace(low, high, PIECES_OF_A_TURN)
        changes = np.argwhere(np.diff(beyond(r).astype(int), axis=1))
        for which, k in changes:
            a, b = float(r[k]), float(r[k + 1])
            for _ in range(BISECTIONS):
                half = (a + b) / 2
                same = beyond(np.array([half]))[which, 0] == beyond(np.array([a]))[which, 0]
                a, b = (half, b) if same else (a, half)
            found.append(a)
    return found


def turned_all_ways(row: PlaneArm) -> tuple[tuple[float, float], ...]:
    """Distances r of the tip from the first axis at which it has every orientation.

    The wrist, one last link l from the tip, must reach all of the circle about the tip: with
    |r - l| ≥ inner and r + l ≤ outer of the arm before it.
    """
    last = float(row.lengths[-1])
    inner, outer = row.without_last().reach
    parts = []
    if last - inner >= 0 and outer - last >= 0:
        parts.append((0.0, min(last - inner, outer - last)))
    if outer - last >= last + inner:
        parts.append((last + inner, outer - last))
    if len(parts) == 2 and parts[0][1] >= parts[1][0]:
        parts = [(0.0, parts[1][1])]
    return tuple(parts)


def marked_arcs(row: PlaneArm) -> tuple[Arc, ...]:
    """Exact curves; of two hinges and of free ones it is exact which are boundary."""
    inner, outer = row.reach
    if len(row.d) == 2:
        return boundary(row, reached_by_two(row), outer)
    if not row.is_free:
        return tuple(row.arcs())

    def is_in_ring(p: Array) -> Array:
        r = np.abs(p - row.base)
        return np.asarray((r >= inner) & (r <= outer))

    return boundary(row, is_in_ring, outer)


def reach_of_two(row: PlaneArm) -> tuple[float, float]:
    """The least and the largest distance of the tip from the first axis, within limits."""
    a, b = row.d
    bends = [q for q in (*row.lower[1:], *row.upper[1:]) if np.isfinite(q)]
    straight = -float(np.angle(b / a)) * row.sense[1]
    for angle in (straight, straight + np.pi):
        low, high = float(row.lower[1]), float(row.upper[1])
        turned = angle + 2 * np.pi * np.ceil((low - angle) / (2 * np.pi))
        bends += [angle] if not np.isfinite(turned) or turned <= high else []
    radii = [abs(a + b * np.exp(1j * row.sense[1] * q)) for q in bends]
    return float(min(radii)), float(max(radii))
