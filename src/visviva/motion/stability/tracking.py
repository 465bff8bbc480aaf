"""An equilibrium as a parameter moves it: from one value to another, without a jump."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.errors import EquilibriumError
from visviva.motion.stability.balance import ROUNDED, Balance
from visviva.motion.stability.place import numbers
from visviva.solve.rows import directions

PARTS = 8  # of the way between two values, to begin with
BENT = 0.15  # of a step: how far its middle may be from the mean; past a fold it is 0.2 or more
SAME_PLACE = 1e-9  # radians or metres
LONGEST_MOVE = 0.7  # radians or metres of one step
SHORTEST_PART = 1e-11  # of the way: where no longer step is smooth, the equilibrium ends
PAST_LIMITS = 1e-9  # radians or metres

FOLDED = 1e-3  # of the least singular value of slopes at the start: what is left of it at a fold

Knot = tuple[float, Array]


class Track:
    """Follows an equilibrium along values of a parameter; `balance_of` gives forces at a value."""

    def __init__(self, name: str, balance_of: Callable[[float], tuple[Balance, Array]]) -> None:
        self.name, self.balance_of = name, balance_of
        self.folded: list[Knot] = []  # what was followed up to a fold, at which it ended

    def at(self, value: float) -> Any:
        """The system with that value."""
        balance, given = self.balance_of(value)
        return balance.at(given)

    def near(self, q: Array, value: float) -> Array | None:
        """The equilibrium within limits that Newton's steps lead to from q, or None."""
        balance, given = self.balance_of(value)
        there = q if _stays(balance, q, given) else balance.settled(q, given, True)
        return None if there is None or self.beyond(there, value) else there

    def beyond(self, q: Array, value: float) -> list[str]:
        """Joints that are not within their limits."""
        s = self.at(value)
        out = (q < s.lower - PAST_LIMITS) | (q > s.upper + PAST_LIMITS)
        return [x for x, y in zip(s.coordinate_names, out, strict=True) if y]

    def knots(self, start: Knot, end: float, parts: int = PARTS) -> list[Knot]:
        """The start and what follows to the value at the end; refused where it ends or jumps."""
        way = end - start[0]
        found, step = [start], way / parts
        while found[-1][0] != end:
            value, q = found[-1]
            last = abs(end - value) <= abs(step) * (1 + 1e-9)
            goal = end if last else value + step
            there = self._step(q, value, goal)
            if there is not None:
                found += there
                step = min(2 * step, way / parts, key=abs)
                continue
            step = 0.5 * (goal - value)
            if abs(step) <= max(SHORTEST_PART * abs(way), 4e-16 * abs(value)):
                raise self._ended(found, goal)
        return found

    def _step(self, q: Array, value: float, goal: float) -> list[Knot] | None:
        """The middle and the end of a step, or None where it is not smooth."""
        half = 0.5 * (value + goal)
        middle = self.near(q, half)
        end = None if middle is None else self.near(middle, goal)
        if middle is None or end is None:
            return None
        s = self.at(goal)
        whole, first = np.asarray(s.difference(q, end)), np.asarray(s.difference(q, middle))
        far = float(np.abs(whole).max(initial=0.0))
        bent = float(np.abs(first - 0.5 * whole).max(initial=0.0))
        if far > LONGEST_MOVE or bent > BENT * far + SAME_PLACE:
            return None
        return [(half, middle), (goal, end)]

    def _ended(self, knots: list[Knot], goal: float) -> EquilibriumError:
        """What happens where no step leads on."""
        start, last = knots[0], knots[-1]
        balance, given = self.balance_of(goal)
        name, there = balance.system.name, balance.settled(last[1], given, True)
        out = [] if there is None else self.beyond(there, goal)
        at_limit = out and np.abs(balance.system.difference(last[1], there)).max() < 1e-3
        what = f"leaves the limits of {', '.join(out)}" if at_limit else "ends or jumps"
        if not at_limit and self._least(last) < FOLDED * self._least(start):
            self.folded = knots
        return EquilibriumError(
            f"stability_limit: the equilibrium of {name!r} that is q = {numbers(start[1])} for "
            f"{self.name} = {start[0]:g} {what} at {self.name} = {last[0]:.6g}, q = "
            f"{numbers(last[1])}: give values between which it lasts"
        )

    def _least(self, knot: Knot) -> float:
        """The least singular value of the slopes of forces, along what constraints admit."""
        balance, given = self.balance_of(knot[0])
        nv = balance.system.nv
        step = np.concatenate([np.zeros(nv), balance.pull(knot[1], given)])
        J = np.asarray(balance.slope(knot[1], step, given))
        if not np.isfinite(J).all():
            return np.inf
        N, _ = directions(J[nv:, :nv])
        sizes = np.linalg.svd(N.T @ J[:nv, :nv] @ N, compute_uv=False)
        return float(sizes.min(initial=np.inf))


def _stays(balance: Balance, q: Array, given: Array) -> bool:
    """Whether forces balance at q to rounding: Newton's steps would wander where they are flat.

    Forces and gaps of loops have no common unit: each are measured by how they change themselves.
    """
    nv, pull = balance.system.nv, balance.pull(q, given)
    still = np.concatenate([np.zeros(nv), pull])
    left, J = np.asarray(balance.left(q, still, given)), np.asarray(balance.slope(q, still, given))
    if not np.isfinite(J).all():
        return False
    forces, gaps = np.abs(left[:nv]).max(initial=0.0), np.abs(left[nv:]).max(initial=0.0)
    lever = np.abs(J[nv:, :nv]).max(initial=0.0)
    return bool(forces <= ROUNDED * balance.force_size(J, pull) and gaps <= ROUNDED * lever)
