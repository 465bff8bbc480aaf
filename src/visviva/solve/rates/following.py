"""A path of a frame followed by the joints, on one branch, with what was passed on the way.

The next position is looked for where the slope leads, or where the last two steps do, and counts
only if Newton's method finds it near there. Otherwise the step is halved; where no step is short
enough the path cannot be followed: it leaves the reach, or joints would have to move infinitely
fast. Through a singular position that a smooth motion crosses the last steps lead on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, float_array
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError, ShapeError
from visviva.solve.numeric.newton import ARRIVED, Newton, newton_of
from visviva.solve.rates.paths import TipPath, tip_path
from visviva.solve.rates.slopes import Slopes, in_words

LONGEST_AHEAD = 0.15  # of a step, in any joint: radians, or lengths that move the frame as much
SHORTEST_AHEAD = 1e-10  # of a step, over the whole path
ASTRAY = 0.25  # how far from where it was looked for a position may be, over the step
FINEST = 1e-9  # of the way: places that are nearer are one
ONWARD = 0.1  # the same beside singular positions, from where the last steps lead
BEGIN = 1e-3  # radians and metres: how far from the path q0 may be
NEARBY = 0.02  # of the smallest singular value to the largest: a passage beside a singular position
FAST = 0.3  # of a joint in the motion that becomes infinitely fast


@dataclass(frozen=True, eq=False)
class Passage:
    """A place on the path beside a singular position, or in one."""

    share: float  # of the way
    q: FloatArray
    smallest: float  # singular value, over the largest
    joints: tuple[str, ...]  # that move fast there
    lost: str  # the velocity that joints hardly give, in words
    fastest: float  # the largest rate of a joint there, per share of the way

    def __str__(self) -> str:
        how = "through" if self.smallest < 1e-6 else "beside"
        return (
            f"{how} a singular position at {self.share:.6g} of the way (smallest singular value "
            f"{self.smallest:.1g} of the largest): {', '.join(self.joints)} move at up to "
            f"{self.fastest:.3g} per way, {self.lost} is hardly given"
        )


@dataclass(frozen=True)
class LimitHit:
    """A joint that leaves its limits."""

    joint: str
    share: float  # of the way, where it does so first
    limit: float

    def __str__(self) -> str:
        return f"{self.joint} passes its limit {self.limit:.6g} at {self.share:.6g} of the way"


@dataclass(frozen=True, eq=False)
class Following:
    """Positions along a path, and what was passed.

    Singular positions that are passed within a few thousandths of the way are told as one.
    """

    share: FloatArray  # (K,) of the way, 0 to 1
    q: FloatArray  # (K, nq); nan behind the place where it ends
    residual: FloatArray  # (K,), radians and metres
    smallest: FloatArray  # (K,), the smallest singular value, over the largest
    passages: tuple[Passage, ...]
    limits: tuple[LimitHit, ...]
    end: float  # of the way: 1 if all of it is followed
    reason: str  # why it ends before, or nothing

    @property
    def complete(self) -> bool:
        """Whether the whole path was followed."""
        return not self.reason

    def __str__(self) -> str:
        worst = float(np.nanmax(self.residual, initial=0.0))
        first = f"followed to the end, residual at most {worst:.1g}"
        lines = [
            first if self.complete else f"followed to {self.end:.6g} of the way: {self.reason}"
        ]
        return "\n  ".join([*lines, *map(str, self.passages), *map(str, self.limits)])

    def __repr__(self) -> str:
        return f"Following({self})"


def follow(
    model: Model, frame: str, path: Any, q0: Any, *, task: str = "pose", samples: int = 101
) -> Following:
    """Positions along a path of a frame, from q0 on: continuous, whatever the joints' limits.

    `path` is poses (K, 4, 4), between which the frame moves along screws, or a function of the
    share of the way, 0 to 1, that gives a pose (4, 4); of it there are so many `samples`.
    """
    newton = newton_of(model, frame, task)
    way = tip_path(path, samples)
    q = float_array(q0).copy()
    if q.shape != (model.nq,):
        raise ShapeError(f"q0 has {model.nq} entries, got shape {q.shape}")
    walk = Walker(newton, way, q)
    positions = np.full((len(way.shares), model.nq), np.nan)
    positions[0], end = walk.q, 1.0
    for k, share in enumerate(way.shares[1:], 1):
        if not walk.to(float(share)):
            end = walk.share
            break
        positions[k] = walk.q
    there = np.isfinite(positions).all(axis=1)
    residual, smallest = np.full((2, len(positions)), np.nan)
    targets = np.array([way.at(s)[:3] for s in way.shares[there]])
    residual[there] = newton.left(positions[there], targets)
    smallest[there] = closeness(newton, positions[there])
    passages = tuple(walk.passages())
    reason = "" if end == 1.0 else walk.reason()
    return Following(
        way.shares, positions, residual, smallest, passages, tuple(walk.hits), end, reason
    )


def closeness(newton: Newton, q: Array) -> Array:
    """The smallest singular value of the slopes, over the largest, in units of the mechanism."""
    return np.asarray(_scaled(newton, q).sizes[..., -1] / _scaled(newton, q).sizes[..., 0])


def _scaled(newton: Newton, q: Array) -> Slopes:
    _, A = newton.slope(q)
    unit = np.where(newton.reach.task.angular, 1.0, 1.0 / newton.starts.length)
    return Slopes.of(A * unit[:, None] * newton.starts.scale)


@dataclass(frozen=True, eq=False)
class Waypoint:
    """A position on the path: how close to a singular one, and whether slopes are turned over."""

    share: float
    q: Array
    size: float
    turned: bool


@dataclass(eq=False)
class Walker:
    """A position on the way, and the steps that led there."""

    newton: Newton
    way: TipPath
    q: Array
    share: float = 0.0
    steps: list[tuple[float, Array]] = field(default_factory=list)  # (length, motion), the last two
    seen: list[tuple[float, Array, float]] = field(default_factory=list)  # share, q, closeness
    hits: list[LimitHit] = field(default_factory=list)
    ahead: float = 0.01

    def __post_init__(self) -> None:
        target = self.way.at(0.0)[None, :3]
        left = float(self.newton.left(self.q, target[0]))
        if not left <= BEGIN:
            reach = self.newton.reach
            raise ArgumentError(
                f"q0 does not have {reach.frame!r} at the beginning of the path: the {reach.task} "
                f"is off by {left:.3g} rad or m; inverse_kinematics gives positions that have"
            )
        q, left_now = self.newton.corrected(self.q[None], target)
        if left_now[0] < left:
            self.q = q[0]
        self._note()

    def to(self, share: float) -> bool:
        """Go on to a share of the way; False where that cannot be."""
        while self.share < share:
            step = min(self.ahead, share - self.share)
            there = share if step >= share - self.share else self.share + step
            found = next(self._found(there), None)
            if found is None:
                self.ahead = step / 2
                if self.ahead < SHORTEST_AHEAD:
                    if not self.steps:
                        return False
                    # the path may turn here: once more, whatever the last steps were
                    self.steps, self.ahead = [], 1e-3
                continue
            q, motion = found
            self.steps = [*self.steps[-1:], (there - self.share, motion)]
            self.q, self.share = q, there
            self.ahead = min(1.5 * max(step, self.ahead), 0.05)
            self._note()
        if not self.way.is_smooth:
            self.steps = []
        return True

    def _found(self, share: float) -> Iterator[tuple[Array, Array]]:
        """Positions near to where they are looked for."""
        m, scale = self.newton.reach.model, self._scale
        target = self.way.at(share)[None, :3]
        ahead = share - self.share
        onward, slope = self._onward(ahead), self._along_slope(share)
        is_near = onward is not None and self.seen[-1][2] < NEARBY
        for motion in (onward, slope) if is_near else (slope, onward):
            if motion is None or not (size := np.abs(motion / scale).max()) < LONGEST_AHEAD:
                continue
            guess = m.integrate(self.q, motion)
            q, left = self.newton.corrected(guess[None], target)
            off = np.abs(m.difference(guess, q[0]) / scale).max()
            moved = np.asarray(m.difference(self.q, q[0]))
            if left[0] > ARRIVED or off > ASTRAY * size + 1e-9:
                continue
            # where branches cross the one is taken on which the last steps go on
            if is_near and np.abs((moved - onward) / scale).max() > ONWARD * size + 1e-9:
                continue
            yield q[0], moved

    def _along_slope(self, share: float) -> Array:
        """Where the slope leads."""
        reach = self.newton.reach
        X, A = self.newton.slope(self.q)
        motion = np.zeros(reach.model.nv)
        inverse = Slopes.of(A * self._moving_scale).inverse()
        own = inverse @ reach.task.error(X, self.way.at(share))
        motion[reach.moving] = own * self._moving_scale
        return motion

    def _onward(self, ahead: float) -> Array | None:
        """Where the last two steps lead."""
        if len(self.steps) < 2:
            return None
        (h0, d0), (h1, d1) = self.steps
        rate, change = d1 / h1, (d1 / h1 - d0 / h0) / (h0 + h1)
        return np.asarray(rate * ahead + change * ahead * (ahead + h1))

    @property
    def _moving_scale(self) -> Array:
        return self.newton.starts.scale

    @property
    def _scale(self) -> Array:
        """Of all velocities."""
        scale = np.ones(self.newton.reach.model.nv)
        scale[self.newton.reach.moving] = self.newton.starts.scale
        return scale

    def _note(self) -> None:
        """What is passed: closeness to singular positions, and limits."""
        self.seen.append((self.share, self.q, float(closeness(self.newton, self.q))))
        m, (low, high) = self.newton.reach.model, self.newton.limits
        told = {(hit.joint, hit.limit) for hit in self.hits}
        for k in np.flatnonzero((self.q < low - ARRIVED) | (self.q > high + ARRIVED)).tolist():
            limit = float(low[k] if self.q[k] < low[k] else high[k])
            name = m.coordinate_names[k]
            if (name, limit) not in told:
                self.hits.append(LimitHit(name, self._crossed(k, limit), limit))

    def _crossed(self, k: int, limit: float) -> float:
        """Where between the last two places a coordinate was at its limit."""
        if len(self.seen) < 2:
            return self.share
        (a, qa, _), (b, qb, _) = self.seen[-2:]
        return float(a + (b - a) * np.clip((limit - qa[k]) / (qb[k] - qa[k]), 0.0, 1.0))

    def passages(self) -> Iterator[Passage]:
        """Places where closeness is least, if that is little, and where slopes turn over."""
        places = self._places()
        for before, here, after in zip(places, places[1:], places[2:], strict=False):
            if here.turned != after.turned:
                yield from self._between(here, after, by_turn=True)
            is_lowest = here.size <= before.size and here.size < after.size
            if is_lowest and before.turned == here.turned == after.turned:
                yield from self._between(before, after, by_turn=False)

    def _places(self) -> list[Waypoint]:
        """All that was seen, with more beside singular positions."""
        seen = [self._place(share, q) for share, q, _ in self.seen]
        places = seen[:1]
        for a, b in pairwise(seen):
            is_close = min(a.size, b.size) < 5 * NEARBY or a.turned != b.turned
            if is_close and b.share - a.share > FINEST:
                places += [self._at(a, b, x) for x in np.linspace(a.share, b.share, 7)[1:-1]]
            places.append(b)
        return places

    def _place(self, share: float, q: Array) -> Waypoint:
        slopes = _scaled(self.newton, q)
        is_square = slopes.A.shape[0] == slopes.A.shape[1]
        turned = bool(np.linalg.det(slopes.A) < 0) if is_square else False
        return Waypoint(share, q, float(slopes.sizes[-1] / slopes.sizes[0]), turned)

    def _at(self, a: Waypoint, b: Waypoint, share: float) -> Waypoint:
        """A position on the path between two that are near to each other."""
        if b.share - a.share < FINEST:
            return a
        m = self.newton.reach.model
        motion = np.asarray(m.difference(a.q, b.q))
        guess = m.integrate(a.q, motion * (share - a.share) / (b.share - a.share))
        q, _ = self.newton.corrected(guess[None], self.way.at(share)[None, :3])
        return self._place(float(share), q[0])

    def _between(self, a: Waypoint, b: Waypoint, by_turn: bool) -> Iterator[Passage]:
        """The place of least closeness between two: where slopes turn over, or by thirds."""
        low, high = a.share, b.share
        for _ in range(45):
            if by_turn:
                middle = (low + high) / 2
                is_before = self._at(a, b, middle).turned == a.turned
                low, high = (middle, high) if is_before else (low, middle)
                continue
            one, other = low + (high - low) / 3, high - (high - low) / 3
            is_first = self._at(a, b, one).size < self._at(a, b, other).size
            low, high = (low, other) if is_first else (one, high)
        found = self._at(a, b, (low + high) / 2)
        if found.size < NEARBY:
            joints, lost = fast_and_lost(self.newton, found.q)
            motion = np.asarray(self.newton.reach.model.difference(a.q, b.q))
            fastest = float(np.abs(motion).max() / max(b.share - a.share, FINEST))
            yield Passage(found.share, found.q, found.size, joints, lost, fastest)

    def reason(self) -> str:
        """Why it does not go on."""
        joints, lost = fast_and_lost(self.newton, self.q)
        size = float(closeness(self.newton, self.q))
        if size < NEARBY:
            return (
                f"no position continues it: {lost} is given no more (smallest singular value "
                f"{size:.1g} of the largest), {', '.join(joints)} would become infinitely fast"
            )
        return "no position near the last one continues it: the path jumps there"


def fast_and_lost(newton: Newton, q: Array) -> tuple[tuple[str, ...], str]:
    """Joints of the motion that gives least, and the velocity that it gives, in words."""
    reach, slopes = newton.reach, _scaled(newton, q)
    least = len(slopes.sizes) - 1
    motion = np.abs(slopes.V[:, least])
    names = [reach.model.motion_names[k] for k in reach.moving]
    fast = tuple(name for name, x in zip(names, motion, strict=True) if x > FAST * motion.max())
    unit = np.where(reach.task.angular, 1.0, newton.starts.length)
    return fast, in_words(reach.task, slopes.U[:, least] * unit)
