"""Curves of positions on which a task stays as it is, traced step by step."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError
from visviva.numerics.intervals import TURN
from visviva.solve.numeric.newton import ARRIVED, Newton
from visviva.solve.rates.slopes import Slopes

STRAIGHT = 0.995  # cosine between tangents that follow each other
SHORTEST = 1e-7  # of a step


@dataclass(frozen=True, eq=False)
class Curve:
    """Positions along a length, with tangents of length one."""

    s: Array  # (K,), rising; 0 at the start
    q: Array  # (K, nq)
    tangents: Array  # (K, nv)
    is_closed: bool
    winding: Array  # (nv,): how far each joint goes on the way round, whole turns or nothing

    def between(self, model: Model, s: Array) -> Array:
        """Positions (K, nq) near the curve, on cubics between its own."""
        place = np.clip(np.searchsorted(self.s, s, side="right") - 1, 0, len(self.s) - 2)
        h = (self.s[place + 1] - self.s[place])[:, None]
        x = (s - self.s[place])[:, None] / h
        step = self._steps(model)[place]
        a, b = self.tangents[place] * h, self.tangents[place + 1] * h
        motion = step * x + x * (x - 1) * ((x - 1) * (a - step) + x * (b - step))
        if not model.charts:
            return np.asarray(self.q[place] + motion)
        moved = [model.integrate(q, v) for q, v in zip(self.q[place], motion, strict=True)]
        return np.array(moved).reshape(-1, model.nq)

    def _steps(self, model: Model) -> Array:
        """From each position to the next, (K - 1, nv)."""
        if not model.charts:
            return np.diff(self.q, axis=0)
        return np.array([model.difference(a, b) for a, b in pairwise(self.q)])


def traced_curve(
    newton: Newton, q: Array, target: Array, tangent: Array, step: float, most: int
) -> Curve:
    """From q along a tangent (n,) of the motions that take part, until it closes; or both ways."""
    tracer = Tracer(newton, target, step, most)
    s, positions, tangents, is_closed = tracer.along(q, tangent)
    if not is_closed:
        back = tracer.along(q, -tangent)
        s = np.concatenate([-back[0][:0:-1], s])
        positions = np.concatenate([back[1][:0:-1], positions])
        tangents = np.concatenate([-back[2][:0:-1], tangents])
        if len(s) < 2:
            reach = newton.reach
            raise ArgumentError(
                f"{reach.frame!r} of {reach.model.name!r} has no self-motion here: the null space "
                "is that of a singular position, and no motion follows it"
            )
    winding = np.zeros(tangents.shape[1])
    if is_closed:
        m = newton.reach.model
        gone = np.sum([m.difference(a, b) for a, b in pairwise(positions)], axis=0)
        winding = TURN * np.round(gone / TURN)
    return Curve(s, positions, tangents, is_closed, winding)


@dataclass(frozen=True, eq=False)
class Tracer:
    """How a curve is traced."""

    newton: Newton
    target: Array
    step: float
    most: int

    def along(self, q: Array, tangent: Array) -> tuple[Array, Array, Array, bool]:
        """Lengths, positions, tangents, and whether it closed."""
        m = self.newton.reach.model
        start, first = q, tangent
        s, positions, tangents = [0.0], [q], [tangent]
        h, far = self.step, False
        while len(s) <= self.most:
            home = self._home(q, start)
            ahead = float(home @ tangent)
            if far and 0 < ahead <= 1.2 * h and np.linalg.norm(home) <= 1.02 * ahead:
                if tangent @ first > STRAIGHT:
                    end = m.integrate(q, self._whole(home))
                    s.append(s[-1] + _arc(float(np.linalg.norm(home)), tangent, first))
                    return self._arrays(s, [*positions, end], [*tangents, first], True)
                h = ahead / 2
            found = self._next(q, tangent, h)
            if found is None:
                h /= 2
                if h < SHORTEST:
                    break
                continue
            there, new = found
            chord = float(np.linalg.norm(np.asarray(m.difference(q, there))))
            s.append(s[-1] + _arc(chord, tangent, new))
            q, tangent = there, new
            positions.append(q)
            tangents.append(tangent)
            h = min(self.step, 1.5 * h)
            far = far or float(np.linalg.norm(self._home(q, start))) > 3 * self.step
        return self._arrays(s, positions, tangents, False)

    def _next(self, q: Array, tangent: Array, h: float) -> tuple[Array, Array] | None:
        """The next position and the tangent there, if it goes on smoothly."""
        m = self.newton.reach.model
        guess = np.asarray(m.integrate(q, self._whole(h * tangent)))
        there, left = self.newton.corrected(guess[None], self.target[None])
        off = np.asarray(m.difference(guess, there[0]))
        if not left[0] <= ARRIVED or float(np.linalg.norm(off)) > 0.3 * h:
            return None
        _, A = self.newton.slope(there[0])
        free = Slopes.of(A).free
        new = free @ (free.T @ tangent)
        size = float(np.linalg.norm(new))
        if size < STRAIGHT:
            return None
        return there[0], new / size

    def _home(self, q: Array, start: Array) -> Array:
        """The step from q to the start, of the motions that take part, without whole turns."""
        reach = self.newton.reach
        step = np.array(reach.model.difference(q, start))
        for v, k in reach.limited.items():
            if self.newton.circular[k]:
                step[v] -= TURN * np.round(step[v] / TURN)
        return np.asarray(step[reach.moving])

    def _whole(self, motion: Array) -> Array:
        whole = np.zeros(self.newton.reach.model.nv)
        whole[self.newton.reach.moving] = motion
        return whole

    def _arrays(self, s: Any, q: Any, tangents: Any, closed: bool) -> tuple[Any, Any, Any, bool]:
        return np.array(s), np.array(q), np.array([self._whole(t) for t in tangents]), closed


def _arc(chord: float, before: Array, after: Array) -> float:
    """The length of the arc over a chord that turns a tangent into another."""
    half = np.arccos(np.clip(float(before @ after), -1.0, 1.0)) / 2
    return float(chord * half / np.sin(half)) if half > 1e-6 else chord
