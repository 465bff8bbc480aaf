"""Whether a trajectory can be driven: against limits of position, velocity and effort.

A path that is a function of time has exact derivatives, so that inverse dynamics has the forces it
takes at any moment; of a motion they are known. Each violation has its start, its end and its worst
moment, all by bisection. That a path keeps all limits is proved by intervals of time: a short pulse
between two samples is not missed. Of a motion the samples are all there is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.errors import ArgumentError, ShapeError
from visviva.machine.function import Function, function
from visviva.motion.samples.actuators import ActuatorShare
from visviva.motion.trajectory import Trajectory
from visviva.numerics.evidence import By, Enclosed, Evidence, Proved, Sampled
from visviva.numerics.intervals import CONTINUOUS, DEFINED, EPS, enclose
from visviva.progress import Progress, progress
from visviva.solve.rows import finite

LOOKS = 4001  # at which limits are looked at; what lies between them is found by slopes
CHECKED = 1000  # moments between them, by which it is seen that they are near enough
BETWEEN = 4  # looks in each step of a motion
HALVINGS = 50
TIMES_AT_ONCE = 2**16  # times at which states are asked for
SLACK = 1e-9  # of a limit of zero, or of rounding at one that is just kept
MAX_INTERVALS = 4096  # of time, undecided at once: where more are left they stay undecided
_SHORTEST = 1e-13  # interval that is split, to the duration

Places = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class Violation:
    """A limit that is exceeded between two times, worst at a third, by an amount."""

    kind: str  # position, velocity or effort
    name: str
    start: float
    end: float
    worst: float  # when
    value: float  # then
    limit: float

    @property
    def amount(self) -> float:
        """By how much it is exceeded."""
        return abs(self.value - self.limit)

    def __str__(self) -> str:
        return (
            f"{self.kind} of {self.name}: {self.value:.6g} at t = {self.worst:.6g} s, by "
            f"{self.amount:.3g} beyond the limit {self.limit:.6g} (exceeded from {self.start:.6g} "
            f"to {self.end:.6g} s)"
        )


@dataclass(frozen=True, repr=False)
class Feasibility:
    """All violations of limits, by time; `margins` are what is left of each limit, at the least.

    `evidence` says how well it is known that there are no others: proved, enclosed (but for the
    intervals of time in its `boxes`) or sampled. In `if arm.feasibility(path, 2.0):` it is true
    where no violation is known; `is_feasible` asks for the proof.
    """

    name: str
    violations: tuple[Violation, ...]
    margins: dict[str, float]
    evidence: Evidence
    moments: int  # at which all limits were looked at

    @property
    def is_feasible(self) -> bool | None:
        """Whether all limits are kept: None where that is not proved and no violation is known."""
        if self.violations:
            return False
        return True if isinstance(self.evidence, Proved) else None

    def __bool__(self) -> bool:
        return not self.violations

    def __repr__(self) -> str:
        if not self.violations:
            least = min(self.margins, key=lambda k: self.margins[k], default="")
            near = f"nearest is {least}, with {self.margins[least]:.6g} left" if least else ""
            return f"{self.name}: {self._verdict()}; {near or 'no limits are stated'}"
        count = len(self.violations)
        lines = [f"{self.name}: {count} violation{'s' if count > 1 else ''} of limits"]
        return "\n".join([*lines, *(f"  {v}" for v in self.violations)])

    def _verdict(self) -> str:
        if isinstance(self.evidence, Proved):
            return "feasible"
        none = f"no violation at {self.moments} moments"
        if not isinstance(self.evidence, Enclosed):
            return none
        start, end = self.evidence.boxes[0, :, 0]
        where = f"from {start:.9g} to {end:.9g} s" if end - start > 1e-9 else f"at {start:.9g} s"
        count = len(self.evidence.boxes)
        others = f" and in {count - 1} other intervals" if count > 1 else ""
        return f"{none}; not proved {where}{others} (.evidence.boxes)"


@dataclass(frozen=True)
class _Signal:
    """One number along the trajectory, and its limits."""

    kind: str
    name: str
    lower: float
    upper: float


def feasibility(
    s: Any, path: Any, t: Any = None, *, velocity: Any = None, effort: Any = None
) -> Feasibility:
    """`System.feasibility` says what may be given."""
    if isinstance(path, Trajectory):
        if path.system is not s:
            raise ArgumentError(
                f"feasibility: the motion is of another system, {path.system.name!r} as it was "
                "simulated, which has limits of its own",
                cure="run.system.feasibility(run)",
            )
        if path.is_batch or t is not None:
            one = "run[0]" if path.is_batch else "run"
            raise ArgumentError(
                "feasibility: a trajectory is one motion, whole, with its own t",
                cure=f"run.system.feasibility({one})",
            )
        first, last = float(path.t[0]), float(path.t[-1])
        states: Any = _of_run(path)
    else:
        if t is None:
            raise ArgumentError(
                "feasibility: a path that is a function needs t, a duration or a pair (start, end)"
            )
        first, last = finite("feasibility: t", (0.0, t) if np.ndim(t) == 0 else t, 2)
        if not first < last:
            raise ArgumentError(f"feasibility: t is a duration or a pair, got {t!r:.80}")
        states = _of_path(s, path)
    with progress(f"limits along a motion of {s.name}") as at:
        at.step("states and forces")
        signals, values = _signals(s, states, velocity, effort)
        times = _times(values, first, last, path)
        excess = _Excess(signals, values, at)
        open_intervals: Array | None = None
        if (signals_of_time := _signals_of_time(s, path, values)) is not None:
            at.step("intervals of time")
            # a jump of the position, or of the velocity where efforts are limited, is not driven
            has_effort_limits = any(signals[k].kind == "effort" for k in excess.column)
            steady = s.nq + (s.nv if has_effort_limits else 0)
            moments, open_intervals = _search_intervals(
                signals_of_time, excess, steady, first, last
            )
            times = np.unique(np.concatenate([times, moments]))
        y = values(times)
        if not np.isfinite(y).all():
            k = int(np.argmin(np.isfinite(y).all(axis=1)))
            raise ArgumentError(
                f"feasibility: the trajectory is not finite at t = {times[k]:.9g} s"
            )
        violations, margins = _judged(signals, excess, times, y)
        evidence = _evidence(violations, open_intervals, len(times), last - first)
        return Feasibility(s.name, violations, margins, evidence, len(times))


class _Excess:
    """How far signals are beyond their limits: each that is finite is one `who`."""

    def __init__(self, signals: list[_Signal], values: Any, at: Progress) -> None:
        sides = [(i, x) for i, s in enumerate(signals) for x in ((1.0, s.upper), (-1.0, s.lower))]
        known = [(i, sign, limit) for i, (sign, limit) in sides if np.isfinite(limit)]
        self.column = np.array([i for i, _, _ in known], dtype=int)
        self.sign, self.limit = (np.array([x[k] for x in known], dtype=float) for k in (1, 2))
        self.values, self.at = values, at

    def of(self, y: Array) -> Array:
        """Of values (k, signals) at k times: (k, limits)."""
        excess: Array = self.sign * (y[:, self.column] - self.limit)
        return excess

    def __call__(self, t: Array, who: Places) -> Array:
        """At times (k,), each of the limit `who` (k,)."""
        found = []
        for k in range(0, len(t), TIMES_AT_ONCE):
            self.at.step("the worst of each, and when it begins and ends")
            one, times = who[k : k + TIMES_AT_ONCE], t[k : k + TIMES_AT_ONCE]
            y = self.values(times)[np.arange(len(times)), self.column[one]]
            found.append(self.sign[one] * (y - self.limit[one]))
        return np.concatenate([np.zeros(0), *found])


def _judged(
    signals: list[_Signal], excess: _Excess, times: Array, y: Array
) -> tuple[tuple[Violation, ...], dict[str, float]]:
    """All limits at once: what lies between the times is found for all of them by one search."""
    spans, most = _exceeded(excess, times, excess.of(y))
    margins: dict[str, float] = {}
    for i, x in zip(excess.column, most, strict=True):
        label = f"{signals[i].kind} of {signals[i].name}"
        margins[label] = min(margins.get(label, np.inf), 0.0 - float(x))
    violations: list[Violation] = []
    for who, start, end, worst, by in spans:
        one, limit = signals[excess.column[who]], float(excess.limit[who])
        value = limit + float(excess.sign[who]) * by
        violations.append(Violation(one.kind, one.name, start, end, worst, value, limit))
    violations.sort(key=lambda v: (v.start, v.name))
    return tuple(violations), margins


def _times(values: Any, first: float, last: float, path: Any) -> Array:
    """Times that are so near that the trajectory is a smooth curve through its values at them."""
    if isinstance(path, Trajectory):
        share = np.linspace(0.0, 1.0, BETWEEN, endpoint=False)
        own = (path.t[:-1, None] + share * np.diff(path.t)[:, None]).ravel()
        return np.unique(np.concatenate([np.linspace(first, last, LOOKS), own, [last]]))
    rng = np.random.default_rng(0)
    for count in (LOOKS, 16 * LOOKS):
        times = np.linspace(first, last, count)
        y = values(times)
        at = np.sort(rng.uniform(first, last, CHECKED))
        there = values(at)
        between = np.stack([np.interp(at, times, x) for x in y.T], axis=1)
        span = np.ptp(np.concatenate([y, there]), axis=0)
        least = 0.05 * span + SLACK * np.maximum(1.0, np.abs(y).max(axis=0))
        off = np.abs(there - between) > least  # forces may jump a few times
        if not np.isfinite(there).all() or (off.mean(axis=0) < 0.02).all():
            return times
    raise ArgumentError(
        f"feasibility: between {first:g} and {last:g} s the trajectory changes faster than "
        f"{16 * LOOKS} looks at it show: ask for a shorter time"
    )


States = Callable[[Any], tuple[Array, Array, Array]]


def _of_path(s: Any, path: Any) -> States:
    """q, v and τ (k, …) of a function of time, by inverse dynamics."""
    if not callable(path) or s.charts:
        raise ArgumentError(
            f"feasibility: a path is a Trajectory, or a function of t that returns the {s.nq} "
            "coordinates, written with vv.generic, where none of them is a quaternion; "
            f"got {path!r:.80}"
        )

    def position(t: Any) -> Any:
        q = vector(path(t))
        if q.shape != (s.nq,):
            raise ShapeError(f"feasibility: a path returns {s.nq} coordinates, got {q.shape}")
        return q + 0.0 * t  # also where nothing moves

    if s.held_by:
        raise ArgumentError(
            f"feasibility: forces along a path of {s.name!r} are not told by inverse dynamics, as "
            "constraints hold it; those of a motion are: simulate it"
        )
    q = function(position, {"t": ()}, name="path")
    v, a = q.jacobian("t"), q.jacobian("t").jacobian("t")
    force = s.function("inverse_dynamics")

    def states(t: Any) -> tuple[Array, Array, Array]:
        at, rate, second = (np.asarray(f(t)).reshape(*np.shape(t), -1) for f in (q, v, a))
        named = {"q": at, "v": rate, "a": second, "t": t}
        return at, rate, np.asarray(force(*(named[k] for k in force.inputs)))

    return states


def _of_run(run: Trajectory) -> States:
    def states(t: Array) -> tuple[Array, Array, Array]:
        q, v = run.at(t)
        return q, v, run.forces_at(t, q, v)

    return states


def _signals(s: Any, states: States, velocity: Any, effort: Any) -> Any:
    """What is limited, and its values (k, number) at times (k,)."""
    speeds = s.velocity_limits if velocity is None else _given("velocity", velocity, s.nv)
    efforts = s.effort_limits if effort is None else _given("effort", effort, s.nv)
    signals = [
        _Signal("position", x, a, b)
        for x, a, b in zip(s.coordinate_names, s.lower, s.upper, strict=True)
    ]
    names = s.motion_names
    signals += [_Signal("velocity", x, -b, b) for x, b in zip(names, speeds, strict=True)]
    drives = s.limited_actuators if effort is None else ()
    if drives:
        signals += [_Signal("effort", d.name, float(d.lower), float(d.upper)) for d in drives]
    share = ActuatorShare(s)
    if not drives:
        T = share.map
        still = {"q": s.neutral(), "v": np.zeros(s.nv), "t": 0.0}
        driven = np.asarray(T(*(still[k] for k in T.inputs))).any(axis=1)
        most = np.where(driven | np.isfinite(efforts), efforts, 0.0)
        signals += [_Signal("effort", x, -b, b) for x, b in zip(names, most, strict=True)]

    followers = _followers(s)
    for f in followers:
        signals.append(_Signal("position", f.name, f.lower, f.upper))
        if velocity is None:
            signals.append(_Signal("velocity", f.name, -f.speed, f.speed))

    def values(t: Any) -> Array:
        """At times (k,), or at one that is traced."""
        q, v, tau = states(t)
        behind = []
        for f in followers:
            behind.append(f.ratio * q[..., f.q : f.q + 1] + f.offset)
            behind += [f.ratio * v[..., f.v : f.v + 1]] if velocity is None else []
        if drives:
            tau = share(tau, q=q, v=v, t=t)
        return np.concatenate([q, v, tau, *behind], axis=-1)

    return signals, values


@dataclass(frozen=True)
class _Follower:
    """A joint that follows another, whose place in q and v it is, with limits of its own."""

    name: str
    q: int
    v: int
    ratio: float
    offset: float
    lower: float
    upper: float
    speed: float


def _signals_of_time(s: Any, path: Any, values: Any) -> Function | None:
    """All signals as one function of time; None of a motion, and where motors' directions turn."""
    if isinstance(path, Trajectory):
        return None
    if s.limited_actuators and ActuatorShare(s).constant is None:
        return None
    return function(values, {"t": ()}, name="signals")


def _search_intervals(
    signals_of_time: Function, excess: _Excess, steady: int, first: float, last: float
) -> tuple[Array, Array]:
    """Moments to look at, and the intervals (k, 2) in which limits are neither kept nor exceeded.

    An interval is split until each limit is kept, or exceeded, on all of it, and the first `steady`
    signals do not jump in it.
    """
    rate = signals_of_time.jacobian("t")
    slack = SLACK * np.maximum(np.abs(excess.limit), 1.0)
    shortest = _SHORTEST * (last - first) + 4 * EPS * max(abs(first), abs(last))
    a, b = np.array([first]), np.array([last])
    moments: list[Array] = []
    while 0 < len(a) <= MAX_INTERVALS:
        low, high, jumps = _signals_over(signals_of_time, rate, a, b, shortest)
        ends = excess.of(low), excess.of(high)
        is_beyond, is_within = np.minimum(*ends) > slack, np.maximum(*ends) <= slack
        is_open = ~(is_beyond | is_within).all(axis=1) | jumps[:, :steady].any(axis=1)
        is_violation = is_beyond.any(axis=1) & ~is_open
        moments += [a[is_violation], b[is_violation]]
        a, b = a[is_open], b[is_open]
        if len(a) and (b - a).max() < shortest:
            break
        c = a / 2 + b / 2
        moments.append(c)
        a, b = np.concatenate([a, c]), np.concatenate([c, b])
    return np.concatenate([np.zeros(0), *moments]), np.stack([a, b], axis=1)


def _signals_over(
    signals_of_time: Function, rate: Function, a: Array, b: Array, shortest: float
) -> tuple[Array, Array, np.ndarray]:
    """Ends of all signals over intervals [a, b] (k,), and which may jump there: (k, signals).

    About the middle c of an interval signals are in f([a, b]), and in f(c) + f'([a, b]) (t - c)
    where they do not jump. A kink is told from a jump in the shortest interval alone, where slopes
    on both sides of it make next to nothing: in others a jump may be as large as they allow.
    """
    c = a / 2 + b / 2
    whole, middle, slope = (
        enclose(f, (), x[:, None], y[:, None])
        for f, x, y in ((signals_of_time, a, b), (signals_of_time, c, c), (rate, a, b))
    )
    size = np.maximum(np.abs(slope.lo), np.abs(slope.hi)) * ((b - a) / 2)[:, None] * (1 + 4 * EPS)
    is_smooth = (whole.deco == CONTINUOUS) & (slope.deco >= DEFINED) & np.isfinite(size)
    is_known = whole.deco >= DEFINED
    low = np.where(is_smooth, np.maximum(whole.lo, middle.lo - size), whole.lo)
    high = np.where(is_smooth, np.minimum(whole.hi, middle.hi + size), whole.hi)
    low, high = np.where(is_known, low, -np.inf), np.where(is_known, high, np.inf)
    with np.errstate(invalid="ignore"):
        of_slopes = np.where((b - a < shortest)[:, None], 4 * size, 0.0)
        is_wide = ~(high - low <= SLACK * np.maximum(1.0, np.abs(low)) + of_slopes)
    return low, high, (whole.deco < CONTINUOUS) & is_wide


def _evidence(
    violations: tuple[Violation, ...], open_intervals: Array | None, moments: int, duration: float
) -> Evidence:
    """That there are no other violations: what touches one is its beginning or its end."""
    if open_intervals is None:
        return Sampled(moments)
    near = SLACK * duration
    is_elsewhere = np.ones(len(open_intervals), dtype=bool)
    for x in violations:
        is_elsewhere &= (open_intervals[:, 1] < x.start - near) | (
            open_intervals[:, 0] > x.end + near
        )
    others = open_intervals[is_elsewhere]
    return Enclosed(others[:, :, None]) if len(others) else Proved(By.INTERVALS)


def _followers(s: Any) -> list[_Follower]:
    found = []
    for b in getattr(getattr(s, "numeric", s), "bodies", ()):
        if b.mimic is not None:
            q, v = s.joint_slices[b.mimic.joint]
            own = float(b.mimic.multiplier), float(b.mimic.offset)
            limits = (b.limits.lower, b.limits.upper, b.limits.velocity)
            bounds = [
                float(x[0]) if len(x) else np.inf * k
                for x, k in zip(limits, (-1, 1, 1), strict=True)
            ]
            found.append(_Follower(b.joint_name, q.start, v.start, *own, *bounds))
    return found


def _given(name: str, limit: Any, size: int) -> Array:
    try:
        most = np.broadcast_to(np.asarray(limit, dtype=float), (size,))
    except (TypeError, ValueError):
        most = np.full(size, np.nan)
    if not (most >= 0.0).all():
        raise ArgumentError(
            f"feasibility: {name} is a limit from zero on, or {size} of them; got {limit!r:.80}"
        )
    return most


def _exceeded(
    excess: _Excess, t: Array, y: Array
) -> tuple[list[tuple[int, float, float, float, float]], Array]:
    """Of y (k, limits) intervals with y > 0, the worst moment in each and y there; the largest."""
    slack = SLACK * np.maximum(np.abs(excess.limit), 1.0)
    peaks, whose = _peaks(excess, t, y)
    high = excess(peaks, whose)
    most = y.max(axis=0, initial=-np.inf)
    np.maximum.at(most, whose, high)
    found: list[tuple[int, float, float]] = []
    inside: list[tuple[float, float]] = []
    edges: list[tuple[float, float]] = []
    for who in np.flatnonzero(most > slack):
        at, over = np.concatenate([t, peaks[whose == who]]), y[:, who]
        order = np.argsort(at, kind="stable")
        at, over = at[order], np.concatenate([over, high[whose == who]])[order]
        above = np.concatenate([[False], over > 0.0, [False]]).astype(int)
        for a, b in np.flatnonzero(np.diff(above)).reshape(-1, 2):
            k = a + int(np.argmax(over[a:b]))
            if over[k] > slack[who]:
                found.append((int(who), float(at[k]), float(over[k])))
                inside.append((at[a], at[b - 1]))
                # what begins or ends with the motion has its edge there
                edges.append((at[max(a - 1, 0)], at[min(b, len(at) - 1)]))
    index = np.repeat(np.array([who for who, _, _ in found], dtype=int), 2)
    ends = _crossings(excess, index, np.array(edges).ravel(), np.array(inside).ravel())
    pairs = ends.reshape(-1, 2).tolist()
    return [(who, *pair, *top) for (who, *top), pair in zip(found, pairs, strict=True)], most


def _peaks(excess: _Excess, t: Array, y: Array) -> tuple[Array, Places]:
    """Where y is largest between samples, and whose: by golden sections, all at once."""
    top = (y[1:-1] >= y[:-2]) & (y[1:-1] >= y[2:])
    k, who = np.nonzero(top & (y[1:-1] > -0.02 * np.ptp(y, axis=0)))  # others stay below the limit
    if not len(k):
        return np.zeros(0), who
    a, b, share = t[k].copy(), t[k + 2].copy(), 0.5 * (np.sqrt(5) - 1)
    both = np.concatenate([who, who])
    for _ in range(HALVINGS):
        c, d = b - share * (b - a), a + share * (b - a)
        left = np.greater(*np.split(excess(np.concatenate([c, d]), both), 2))
        a, b = np.where(left, a, c), np.where(left, d, b)
    middle, h = 0.5 * (a + b), (t[k + 2] - t[k]) / 16
    inside = (middle - 3.5 * h > t[0]) & (middle + 3.5 * h < t[-1])
    middle[inside] = _flat(excess, middle[inside], who[inside], h[inside])
    return np.asarray(middle), who


def _flat(excess: _Excess, t: Array, who: Places, h: Array) -> Array:
    """Where slopes are zero within h/2 of t: where values no longer differ, slopes still do."""
    steps, weights = np.array([1, 2, 3, -1, -2, -3]), np.array([45.0, -9.0, 1.0, -45.0, 9.0, -1.0])
    every = np.tile(who, 6)

    def slope(at: Array) -> Array:  # of sixth order
        beside = (at + h * steps[:, None]).ravel()
        return np.asarray(weights @ excess(beside, every).reshape(6, -1))

    a, b = t - 0.5 * h, t + 0.5 * h
    turns = (slope(a) > 0) & (slope(b) < 0)
    for _ in range(HALVINGS):
        middle = 0.5 * (a + b)
        up = slope(middle) > 0
        a, b = np.where(up, middle, a), np.where(up, b, middle)
    return np.where(turns, 0.5 * (a + b), t)


def _crossings(excess: _Excess, who: Places, low: Array, high: Array) -> Array:
    """Between times at which the limit holds and those at which it does not; all at once."""
    for _ in range(HALVINGS if len(who) else 0):
        middle = 0.5 * (low + high)
        over = excess(middle, who) > 0.0
        low, high = np.where(over, low, middle), np.where(over, middle, high)
    return high
