"""Values of a parameter at which stability is lost or won, or the equilibrium ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, frozen
from visviva.errors import ArgumentError, EquilibriumError, FlatError, check_known
from visviva.motion.stability.about import linear_part
from visviva.motion.stability.balance import Balance
from visviva.motion.stability.branches import check_one_branch
from visviva.motion.stability.place import numbers
from visviva.motion.stability.spectrum import spectrum
from visviva.motion.stability.tracking import Knot, Track
from visviva.solve.assembly import closed
from visviva.solve.rows import Rows, finite

FLAT_BETWEEN = 1e-6  # of values between which forces may be flat, for one of them to be the limit
JUMP = 1e-3  # radians or metres: positions on both sides of a limit are nearer
CROSSED = 1e-2  # of eigenvalues: the part that grows just beyond a limit is smaller


class StabilityLimit(float):
    """A value of a parameter, and the position `q` there.

    `kind` is "stability" where small motions begin to grow or stop growing; "fold" (a limit point,
    snap-through) where the equilibrium meets another one and ends.
    """

    kind: str
    q: FloatArray

    def __new__(cls, value: float, kind: str, q: Array) -> StabilityLimit:
        made = super().__new__(cls, value)
        made.kind, made.q = kind, frozen(np.array(q, dtype=float))
        return made

    def __repr__(self) -> str:
        told = f" (fold: the equilibrium ends there, at q = {numbers(self.q)})"
        return f"{float(self)!r}{told if self.kind == 'fold' else ''}"

    __str__ = __repr__

    def __reduce__(self) -> Any:
        return StabilityLimit, (float(self), self.kind, self.q)


def stability_limit(
    system: Any,
    parameter: str,
    between: tuple[float, float],
    q: Any = None,
    v: Any = None,
    *,
    tau: Any = None,
    t: float = 0.0,
) -> StabilityLimit:
    """The value between two others at which small motions begin to grow, or stop growing.

    Or that at which the equilibrium ends in a fold, if nothing changes before.
    """
    check_known(f"parameter of {system.name!r}", parameter, system.parameter_names)
    low, high = finite("stability_limit: between", between, 2)
    position = system.neutral() if q is None else q
    balances: dict[Any, Balance] = {}  # compiled once for all values

    def rate(value: float) -> Array:
        return _numbers("v", _of(v, value), system.nv)

    def balance_of(value: float) -> tuple[Balance, Array]:
        name = rate(value).tobytes()
        if name not in balances:
            forces = _numbers("tau", None if isinstance(tau, str) else tau, system.nv)
            balances[name] = Balance(system, rate(value), forces, t, (parameter,))
        return balances[name], np.array([value])

    def given_q(value: float) -> Array:
        return finite(f"stability_limit: q of {system.name!r}", _of(position, value), system.nq)

    def growth(value: float, at: Array) -> tuple[bool, float, float]:
        """Whether something grows, how fast, and the fastest rate of all."""
        own, given = track.at(value), {} if system.held_by else {parameter: value}
        linear, _, _ = linear_part(own, at, rate(value), tau=tau, t=t, parameters=given)
        there = spectrum(np.asarray(linear.state_matrix))
        fast = np.max(np.abs(there.eigenvalues), initial=0.0)
        return (
            bool(there.growing.any()),
            float(there.eigenvalues.real.max(initial=0.0)),
            float(fast),
        )

    track = Track(parameter, balance_of)
    if system.held_by and closed(Rows(track.at(low), t), given_q(low)):
        check_one_branch(track.at(low), given_q(low), t, "stability_limit")
    fold: Knot | None = None
    if isinstance(tau, str):  # forces hold it where it is
        knots = [(value, given_q(value)) for value in (low, high)]
    elif callable(position):
        knots = [(value, _near(track, given_q(value), value)) for value in (low, high)]
    else:
        try:
            knots = _followed(track, given_q(low), low, high)
        except EquilibriumError:
            if not track.folded:
                raise
            fold, knots = track.folded[-1], _told(track.folded, growth)

    def between_knots(left: Knot, right: Knot, value: float) -> Array:
        if isinstance(tau, str):
            return given_q(value)
        if callable(position):
            return _near(track, given_q(value), value)
        nearer = min(left, right, key=lambda x: abs(x[0] - value))
        return track.knots(nearer, value, 1)[-1][1]

    ends = [growth(*x) for x in (knots[0], knots[-1])]
    first = ends[0][0]
    if fold is not None and first == ends[1][0]:
        return StabilityLimit(fold[0], "fold", fold[1])
    if first == ends[1][0]:
        said = "grow" if first else "do not grow"
        raise ArgumentError(
            f"stability_limit: small motions of {system.name!r} {said} at both ends, "
            f"{parameter} = {low:g} and {high:g}: give two values between which that changes"
        )
    while True:
        left, right = knots[0], knots[-1]
        if len(knots) == 2:
            if _is_done(left[0], right[0]):
                break
            value = 0.5 * (left[0] + right[0])
            knots.insert(1, (value, between_knots(left, right, value)))
        k = len(knots) // 2
        value, at = knots[k]
        try:
            same = growth(value, at)[0] == first
        except FlatError:  # the stiffness passes through zero

            def tells(x: float, left: Knot = left, right: Knot = right) -> None:
                growth(x, between_knots(left, right, x))

            flat = _between_slopes(tells, left[0], value, right[0])
            return StabilityLimit(flat, "stability", at)
        knots = knots[k:] if same else knots[: k + 1]
    _check_crossing(system, parameter, (left, right), [growth(*x) for x in (left, right)], ends)
    return StabilityLimit(0.5 * (left[0] + right[0]), "stability", left[1])


def _told(knots: list[Knot], growth: Any) -> list[Knot]:
    """As far as the linear system tells: at a fold forces are flat."""
    while len(knots) > 1:
        try:
            growth(*knots[-1])
        except EquilibriumError:
            knots = knots[:-1]
        else:
            break
    return knots


def _followed(track: Track, q: Array, low: float, high: float) -> list[Knot]:
    """The equilibrium near q at one of the ends, up to the other."""
    for start, end in ((low, high), (high, low)):
        there = track.near(q, start)
        if there is not None:
            knots = track.knots((start, there), end)
            return knots if start == low else knots[::-1]
    return [(low, _near(track, q, low))]


def _check_crossing(
    system: Any, parameter: str, ends: tuple[Knot, Knot], rates: list[Any], usual: list[Any]
) -> None:
    """Refuse a value at which the position or the eigenvalues jump."""
    (value, q0), (_, q1) = ends
    where = f"at {parameter} = {value:.6g}"
    away = np.abs(np.asarray(system.difference(q0, q1))).max(initial=0.0)
    if away > JUMP:
        raise EquilibriumError(
            f"stability_limit: the equilibrium of {system.name!r} ends or jumps {where}, from q = "
            f"{numbers(q0)} to {numbers(q1)}: it neither loses nor wins stability there"
        )
    grown, size = max(x[1] for x in rates), max(x[2] for x in (*rates, *usual))
    if grown > CROSSED * size:
        raise EquilibriumError(
            f"stability_limit: eigenvalues of {system.name!r} jump {where}: the largest real part "
            f"is {rates[0][1]:.6g} below that value and {rates[1][1]:.6g} above it"
        )


def _between_slopes(tells: Any, low: float, flat: float, high: float) -> float:
    """The middle of the values at which forces are too flat to tell."""
    ends = []
    for outside in (low, high):
        inside = flat
        while not _is_done(inside, outside):
            middle = 0.5 * (inside + outside)
            try:
                tells(middle)
            except FlatError:
                inside = middle
            else:
                outside = middle
        ends.append(inside)
    if abs(ends[1] - ends[0]) > FLAT_BETWEEN * max(map(abs, ends)):
        raise FlatError(
            f"stability_limit: forces are flat for all values from {ends[0]:.6g} to {ends[1]:.6g}, "
            "where the linear system does not tell"
        )
    return float(0.5 * (ends[0] + ends[1]))


def _is_done(low: float, high: float) -> bool:
    return 0.5 * (low + high) in (low, high) or abs(high - low) <= 4e-16 * max(abs(low), abs(high))


def _numbers(name: str, given: Any, size: int) -> Array:
    return np.zeros(size) if given is None else finite(f"stability_limit: {name}", given, size)


def _of(x: Any, value: float) -> Any:
    return x(value) if callable(x) else x


def _near(track: Track, q: Array, value: float) -> Array:
    """The equilibrium near q, as parameters move it."""
    there = track.near(q, value)
    if there is None:
        s = track.at(value)
        limits = " within limits" if np.isfinite([*s.lower, *s.upper]).any() else ""
        raise EquilibriumError(
            f"stability_limit: no equilibrium of {s.name!r}{limits} was found near {numbers(q)} "
            f"for {track.name} = {value:g}; q= is where it is sought, "
            f"model.with_parameters({track.name}={value:g}).equilibria().q has such"
        )
    return there
