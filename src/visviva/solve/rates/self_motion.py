"""Self-motion: the curve of positions at which a frame stays where it is.

Steps along the null space, each corrected by Newton's method across it, until the curve closes,
perhaps after whole turns of some joints, or ends where nothing continues it. Between the steps a
cubic leads to positions that are corrected in the same way: the frame stays to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError, ShapeError
from visviva.foreign import explained
from visviva.numerics.intervals import TURN
from visviva.solve.numeric.newton import ARRIVED, Newton, newton_of
from visviva.solve.rates.curves import Curve, traced_curve
from visviva.solve.rates.elbow import Elbow
from visviva.solve.rates.objectives import objective_of
from visviva.solve.rates.slopes import Slopes

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

SHALLOW = 1e-4  # radians and metres


@dataclass(frozen=True)
class Best:
    """Where along a self-motion an objective is largest."""

    s: float
    q: FloatArray
    value: float


@explained
@dataclass(frozen=True, eq=False)
class SelfMotion:
    """Positions q(s) along a length s, in radians and metres of joint motion; s = 0 is the start.

    Of a closed curve s goes round and round; joints that make whole turns on it go on turning.
    """

    newton: Newton
    target: FloatArray  # (3, 4): where the frame stays
    curve: Curve
    nullity: int  # motions at the start that leave the task alone

    @property
    def is_closed(self) -> bool:
        """Whether it comes back to where it began."""
        return self.curve.is_closed

    @property
    def length(self) -> float:
        """Once round, or from end to end."""
        return float(self.curve.s[-1] - self.curve.s[0])

    @property
    def span(self) -> tuple[float, float]:
        """The first and the last s."""
        return float(self.curve.s[0]), float(self.curve.s[-1])

    @property
    def turns(self) -> dict[str, int]:
        """Joints that make whole turns on the way round, and how many."""
        m = self.newton.reach.model
        whole = np.round(self.curve.winding / TURN).astype(int)
        return {m.motion_names[k]: int(whole[k]) for k in np.flatnonzero(whole)}

    def q(self, s: Any) -> FloatArray:
        """Positions (…, nq) at lengths s (…)."""
        at = np.asarray(s, dtype=float)
        low, high = self.span
        if not np.isfinite(at).all():
            raise ArgumentError(f"s is finite, got {s!r:.60}")
        if not self.is_closed and ((at < low - 1e-12) | (at > high + 1e-12)).any():
            raise ArgumentError(f"this self-motion is open, s is from {low:.6g} to {high:.6g}")
        flat = at.reshape(-1)
        round_ = np.floor((flat - low) / self.length) if self.is_closed else 0.0 * flat
        guess = self.curve.between(self.newton.reach.model, flat - round_ * self.length)
        targets = np.broadcast_to(self.target, (len(flat), 3, 4))
        q, _ = self.newton.corrected(guess, targets)
        for v, k in self.newton.reach.limited.items():
            q[:, k] += round_ * self.curve.winding[v]
        return q.reshape(*at.shape, -1)

    def residual(self, s: Any) -> FloatArray:
        """How far the frame is from where it stays, (…,): radians and metres."""
        return np.asarray(self.newton.left(self.q(s), self.target))

    @cached_property
    def elbow(self) -> Elbow:
        """Shoulder, elbow and wrist, of arms that have them."""
        reach = self.newton.reach
        return Elbow.of(reach.model, reach.frame)

    def elbow_angle(self, s: Any) -> FloatArray:
        """(…,) at lengths s, in (-π, π]: see `elbow`."""
        return self.elbow.angle(self.q(s))

    def at_elbow_angle(self, angle: float) -> FloatArray:
        """The position (nq,) with this elbow angle."""
        from scipy.optimize import brentq

        def off(s: Any) -> Any:
            return np.remainder(self.elbow_angle(s) - angle + np.pi, TURN) - np.pi

        s = self.curve.s
        values = off(s)
        jumps = np.abs(np.diff(values)) > np.pi
        change = np.flatnonzero((values[:-1] * values[1:] <= 0) & ~jumps)
        if not len(change):
            low, high = np.degrees([angle + values.min(), angle + values.max()])
            raise ArgumentError(
                f"the elbow does not come to {angle:.6g} rad on this self-motion, which has angles "
                f"from {low:.4g}° to {high:.4g}°"
            )
        k = int(change[0])
        return self.q(brentq(lambda x: float(off(x)), s[k], s[k + 1], xtol=1e-14))

    def placed(self, s: Any) -> FloatArray:
        """As q(s), with whole turns taken off so that joints are within limits where that helps."""
        low, high = self.newton.limits
        q = self.q(s)
        around = self.newton.circular & np.isfinite(low) & np.isfinite(high)
        middle = (low[around] + high[around]) / 2
        q[..., around] -= TURN * np.round((q[..., around] - middle) / TURN)
        return q

    def within_limits(self) -> tuple[tuple[float, float], ...]:
        """Parts (from s, to s) on which all joints are within their limits, but for whole turns.

        A part of a closed curve that contains its start begins below zero.
        """
        low, high = self.newton.limits

        def room(s: Any) -> FloatArray:
            q = self.placed(s)
            least: FloatArray = np.minimum(q - low, high - q).min(axis=-1)
            return least

        s, values = _dense_enough(room, self.curve.s)
        inside = values >= -ARRIVED
        ends = [k for k in range(len(s) - 1) if inside[k] != inside[k + 1]]
        cuts = [_crossing(room, s[k], s[k + 1]) for k in ends]
        marks = [float(s[0]), *cuts, float(s[-1])]
        first = 0 if inside[0] else 1
        parts = [(marks[k], marks[k + 1]) for k in range(first, len(marks) - 1, 2)]
        if self.is_closed and inside[0] and len(parts) > 1:
            last = parts.pop()
            parts[0] = last[0] - self.length, parts[0][1]
        return tuple(parts)

    def best(self, objective: str | Callable[[Any], Any], limits: bool = True) -> Best:
        """Where an objective is largest: a function of q (nq,), or a name.

        "limits" is the room that joints have to their limits, over half their range, where it is
        least; "manipulability" is Yoshikawa's, "neutral" how near joints are to neutral. With
        `limits` only positions within the limits count.
        """
        value = objective_of(self.newton, objective)
        parts = self.within_limits() if limits else (self.span,)
        if not parts:
            raise ArgumentError(
                "no position of this self-motion is within the limits; best(…, limits=False) looks "
                "at all of them"
            )
        return max((self._best_on(value, *part) for part in parts), key=lambda x: x.value)

    def _best_on(self, value: Callable[[FloatArray], FloatArray], low: float, high: float) -> Best:
        """The largest of values at many places, then between its neighbours."""
        from scipy.optimize import minimize_scalar

        count = max(int((high - low) / self.length * len(self.curve.s)), 8)
        s = np.linspace(low, high, count)
        values = value(self.placed(s))
        k = int(np.argmax(values))
        found, most = float(s[k]), float(values[k])
        bounds = s[max(k - 1, 0)], s[min(k + 1, len(s) - 1)]
        if bounds[0] < bounds[1]:
            fine = minimize_scalar(
                lambda x: -float(value(self.placed([x]))[0]),
                bounds=bounds,
                method="bounded",
                options={"xatol": 1e-10},
            )
            if -fine.fun > most:
                found, most = float(fine.x), float(-fine.fun)
        return Best(found, self.placed(found), most)

    def plot(self) -> Figure:
        """Joints over s; grey where one is beyond its limits."""
        from visviva.solve.rates.drawing import self_motion_figure

        return self_motion_figure(self)

    def __repr__(self) -> str:
        reach = self.newton.reach
        low, high = self.span
        what = (
            f"closed, length {self.length:.4g}" if self.is_closed else f"s {low:.4g} … {high:.4g}"
        )
        turns = "".join(f", {n} turns of {name}" for name, n in self.turns.items())
        more = f", one of {self.nullity} dimensions" if self.nullity > 1 else ""
        return f"SelfMotion({reach.frame!r} of {reach.model.name!r}: {what}{turns}{more})"


def self_motion(
    model: Model,
    frame: str,
    q: Any,
    *,
    task: str = "pose",
    direction: Any = None,
    step: float = 0.05,
    most: int = 4000,
) -> SelfMotion:
    """The curve through q on which a task of a frame stays as it is at q.

    `direction` (nv,) says which way s grows; where motions have several dimensions it also says
    along which of them, and is needed. `step` is the distance of the positions that are computed
    first, `most` how many there are at most, in each direction.
    """
    newton = newton_of(model, frame, task)
    at = np.array(q, dtype=float)
    if at.shape != (model.nq,) or not np.isfinite(at).all():
        raise ShapeError(f"q is a position of {model.nq} finite numbers, got {q!r:.80}")
    if not 0 < step < 1:
        raise ArgumentError(f"step is between 0 and 1, radians and metres; got {step!r}")
    X, A = newton.slope(at)
    slopes = Slopes.of(A)
    free = slopes.free
    reach = newton.reach
    if not free.shape[1]:
        raise ArgumentError(
            f"{reach.frame!r} of {model.name!r} has no self-motion here: {len(reach.moving)} "
            f"joints move its {reach.task}, in {int(slopes.rank)} independent ways"
        )
    tangent = free[:, 0]
    if direction is not None:
        given = np.asarray(direction, dtype=float)
        if given.shape != (model.nv,):
            raise ShapeError(f"direction has {model.nv} entries, got shape {given.shape}")
        tangent = free @ (free.T @ given[reach.moving])
        if not np.linalg.norm(tangent) > 1e-9 * np.linalg.norm(given):
            raise ArgumentError("direction is none of a self-motion: no part of it leaves the task")
    elif free.shape[1] > 1:
        raise ArgumentError(
            f"motions that keep the {reach.task} of {reach.frame!r} have {free.shape[1]} "
            "dimensions here: direction= says along which velocities the curve begins"
        )
    target = np.ascontiguousarray(X[:3])
    curve = traced_curve(newton, at, target, tangent / np.linalg.norm(tangent), step, most)
    return SelfMotion(newton, target, curve, free.shape[1])


def _dense_enough(room: Callable[[Any], Array], s: Array) -> tuple[Array, Array]:
    """Places at which room is known, so near that it cannot be used up and back in between.

    Room changes by no more than s does; what is used up by less than `SHALLOW` is not looked for.
    """
    values = room(s)
    while True:
        gap = np.diff(s)
        both = (values[:-1] >= 0) & (values[1:] >= 0)
        unsure = both & (values[:-1] + values[1:] < gap) & (gap > SHALLOW)
        if not unsure.any():
            return s, values
        more = (s[:-1] + s[1:])[unsure] / 2
        s, values = np.concatenate([s, more]), np.concatenate([values, room(more)])
        order = np.argsort(s)
        s, values = s[order], values[order]


def _crossing(room: Callable[[Any], Array], a: float, b: float) -> float:
    """Where room becomes zero between a and b."""
    is_inside = float(room(a)) >= -ARRIVED
    for _ in range(50):
        middle = (a + b) / 2
        if (float(room(middle)) >= -ARRIVED) == is_inside:
            a = middle
        else:
            b = middle
    return float(a if is_inside else b)
