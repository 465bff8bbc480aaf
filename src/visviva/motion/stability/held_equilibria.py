"""Positions of rest or of steady motion: all of them where that is provable.

What is left of forces when nothing accelerates is zero there. Few unknowns within known bounds are
searched exhaustively, by intervals; otherwise, and where constraints hold the system, Newton's
steps start at many random positions, and what they find is all that is claimed. A linkage with one
freedom is followed along its motion besides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, frozen
from visviva.errors import ArgumentError, BranchesError, VisvivaError, check_known
from visviva.foreign import explained
from visviva.motion.stability.about import linearize, values_of
from visviva.motion.stability.balance import Balance
from visviva.motion.stability.branches import MEETING, check_one_branch
from visviva.motion.stability.curve import OnCurves, on_curves, one_of_each, where_branches_meet
from visviva.motion.stability.linearization import Linearization
from visviva.motion.stability.loads import loads_of, stability_under_loads
from visviva.motion.stability.place import holding_besides
from visviva.motion.stability.verdict import UNDECIDED
from visviva.progress import progress
from visviva.solve.assembly import newton
from visviva.solve.rows import Rows, by_whole_turns, finite, periods, turning_entries

SEARCHED = 4  # unknowns that are searched exhaustively
SAME = 1e-6  # in radians or metres, or of narrower bounds: what is nearer is one position
SEEDS = 16  # random positions of a linkage, whose curves are followed
PRINTED = 40  # rows: more are of curves that are not isolated
FAR = 10.0  # radians or metres beyond bounds, or from the start: no curve is followed farther
OFF = 0.1 * np.sqrt(2)  # of where intervals begin: equilibria are often at round numbers


@explained
@dataclass(frozen=True, eq=False, repr=False)
class Equilibria:
    """Positions `q` (number, nq) of rest or of steady motion; `proved` if there are no others."""

    system: Any
    q: FloatArray
    v: FloatArray
    tau: FloatArray
    t: float
    proved: bool
    why: str
    notes: tuple[str, ...] = field(default=())
    balance: Balance | None = field(default=None, repr=False)  # where loads act
    anywhere: tuple[str, ...] = ()  # coordinates of which any value will do

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", frozen(self.q))

    def __len__(self) -> int:
        return len(self.q)

    def __iter__(self) -> Iterator[FloatArray]:
        return iter(self.q)

    def __getitem__(self, k: Any) -> FloatArray:
        return np.asarray(self.q[k])

    def linearized(self, k: int) -> Linearization:
        """The linear system about the k-th of them."""
        if not -len(self) <= k < len(self):
            raise ArgumentError(f"there are {len(self)} of them, counted from 0; got {k!r}")
        if self.balance is not None:
            raise ArgumentError(
                "linear systems under wrenches are not offered; statics(q, wrenches).stiffness(…) "
                "tells how a position gives way"
            )
        return linearize(self.system, self.q[k], self.v, tau=self.tau, t=self.t)

    @cached_property
    def stability(self) -> tuple[str, ...]:
        """Of each: a status of `Linearization.stability`, or "undecided: " and why.

        "stable" is what the mechanism itself is: its energy is least there, and never grows.
        """
        return tuple(map(self._stability, range(len(self))))

    def _stability(self, k: int) -> str:
        try:
            if self.balance is None:
                return str(self.linearized(k).stability.of_rest)
            check_one_branch(self.system, self.q[k], self.t)
            return stability_under_loads(self.balance, self.q[k])
        except BranchesError:
            return f"{UNDECIDED}: {MEETING}"
        except VisvivaError as error:
            return f"{UNDECIDED}: {str(error).removeprefix('linearize: ')}"

    def __repr__(self) -> str:
        kind = "steady motion" if np.any(self.v) else "equilibri"
        ends = ("", "s") if np.any(self.v) else ("um", "a")
        lines = [f"{self.system.name}: {len(self)} {kind}{ends[len(self) != 1]}. {self.why}"]
        known = self.stability if len(self) <= PRINTED else map(self._stability, range(PRINTED))
        for q, said in zip(self.q, known, strict=False):
            lines.append(f"  {np.array2string(q, precision=6, suppress_small=True)}  {said}")
        more = [f"  … and {len(self) - PRINTED} more"] if len(self) > PRINTED else []
        return "\n".join([*lines, *more, *(f"  note: {x}" for x in self.notes)])


def equilibria(
    system: Any,
    v: Any = None,
    *,
    tau: Any = None,
    within: Mapping[str, tuple[float, float]] | None = None,
    t: float = 0.0,
    starts: int = 200,
    parameters: Mapping[str, float] | None = None,
    wrenches: Any = None,
) -> Equilibria:
    """All positions of rest; `System.equilibria` says what may be asked."""
    s = system.with_parameters(**values_of(system, parameters)) if parameters else system
    rate = np.zeros(s.nv) if v is None else finite(f"equilibria: v of {s.name!r}", v, s.nv)
    forces = np.zeros(s.nv) if tau is None else finite("equilibria: tau", tau, s.nv)
    (time,) = finite("equilibria: t", [t], 1)
    if not isinstance(starts, (int, np.integer)) or isinstance(starts, bool) or starts < 1:
        raise ArgumentError(f"equilibria: starts is a whole number from 1 on, got {starts!r}")
    if within is not None and not isinstance(within, Mapping):
        raise ArgumentError(
            f"equilibria: within maps names to bounds, {{'x': (-1, 1)}}; got {within!r:.80}"
        )
    loads = loads_of(s, wrenches, rate)
    balance = Balance(s, rate, forces, float(time), loads=loads)
    box = _bounds(balance, within or {})
    notes: list[str] = []
    idle, cancelled = (
        [x for x, y in zip(s.motion_names, mask, strict=True) if y]
        for mask in (balance.idle, balance.cancelled)
    )
    with progress(f"equilibria of {s.name}") as at:
        at.step("searching everywhere")
        found: list[Array] | None = None
        proved = found is not None and not cancelled
        met = OnCurves([], 0, False)
        if found is None:
            found, home = [], balance.start
            limited = (home >= s.lower).all() and (home <= s.upper).all()
            if balance.everywhere and limited and _is_inside(balance, box, home):
                found = [home]  # it stands for all
            rng = np.random.default_rng(0)
            for k in range(0 if found else starts):
                at.step(f"start {k + 1} of {starts}")
                there = balance.settled(_random(balance, box, rng))
                if there is not None and _is_inside(balance, box, there):
                    _add(balance, box, found, there)
                    if balance.everywhere:
                        break
            if s.held_by and not balance.everywhere:
                at.step("along the motion")
                met, found, along = _followed(balance, box, found)
                notes += along
        if s.held_by and not balance.everywhere:
            apart, found = where_branches_meet(balance, found), []
            for q in apart:
                _add(balance, box, found, q)
    near = SAME if s.charts else box.same
    found = [q for q in found if (q >= s.lower - near).all() and (q <= s.upper + near).all()]
    found = [q for q in found if balance.balanced(q)]
    lasting = [q for q in found if balance.lasts(q)]
    if len(lasting) < len(found):
        notes.append(f"forces balance for a moment only at {len(found) - len(lasting)} more")
        found = lasting
    will_do = ": any value will do" if found else ""
    if idle:
        notes.append(f"nothing depends on {', '.join(idle)}{will_do}{balance.by_numbers}")
    if cancelled:
        notes.append(f"forces cancel, to rounding, whatever {', '.join(cancelled)} is{will_do}")
    resting = found and (balance.everywhere or balance.any_value.all())
    if found and balance.everywhere == "proved":
        proved = True
        why = "it rests everywhere that constraints let it be, proved: no force acts on it"
        why += balance.by_numbers
    elif found and balance.everywhere:
        why = (
            "it seems to rest everywhere that constraints let it be, not proved: no force acted "
            "along its motions wherever it was looked"
        )
    elif proved and resting:
        why = "it rests everywhere, proved: no force depends on the position"
    elif proved and balance.any_value.all():
        why = "there is none, proved: forces are left over, and no position changes them"
    elif proved:
        why = f"searched everywhere{_within(balance, within or {})}, by intervals: " + (
            "these are all, proved" if found else "there is none, proved"
        )
    elif cancelled and resting:
        why = "it rests everywhere, to rounding: no force depends on the position"
    else:
        why = (
            f"those that {starts} random starts led to{met.told}; there may be more"
            f"{_unbounded(balance, box)}"
        )
    if (others := holding_besides(s)) and not resting:
        more = "" if proved else f"; {why}"
        proved = False
        why = f"those at which forces balance without {others}, which hold it at others too{more}"
    if any(balance.is_loose(q) for q in found):
        notes.append("some are perhaps not isolated: forces vanish to first order along a way")
    array = np.array(found).reshape(len(found), s.nq)
    order = np.lexsort(array.T[::-1].round(9)) if len(found) else np.arange(0)
    kept = balance if loads.frames else None
    free = tuple(s.motion_names) if balance.everywhere else (*idle, *cancelled)
    free, said = free if found else (), (f"{why}.", tuple(notes), kept)
    return Equilibria(s, array[order], rate, forces, float(t), proved, *said, free)


def _within(balance: Balance, within: Mapping[str, Any]) -> str:
    """Of which bounds more than these is not said."""
    s, free = balance.system, ~balance.any_value
    limited = [
        x
        for x, low, high, y in zip(s.motion_names, s.lower, s.upper, free, strict=True)
        if y and x not in within and np.isfinite([low, high]).any()
    ]
    kinds = [*(["limits"] if limited else []), *(["the bounds given"] if within else [])]
    return f" within {' and '.join(kinds)}" if kinds else ""


def _unbounded(balance: Balance, box: _Box) -> str:
    """Which coordinates had bounds to be given, that all of them be searched."""
    s, free = balance.system, ~balance.any_value
    if s.held_by or s.charts or free.sum() > SEARCHED or not box.open[free].any():
        return ""
    names = [x for x, y in zip(s.motion_names, box.open & free, strict=True) if y]
    return f", beyond their neighbourhood above all: within= gives bounds of {', '.join(names)}"


@dataclass(frozen=True, eq=False)
class _Box:
    """Bounds of changes of position from the start; what turns has none."""

    low: Array
    high: Array
    turns: Array  # a mask
    open: Array  # neither bounds nor turning
    turning: Mapping[int, int]  # all whose whole turns change nothing, with their entries of q

    @property
    def periodic(self) -> Array:
        """Those as a mask."""
        return np.isin(np.arange(len(self.turns)), list(self.turning))

    @cached_property
    def free_turns(self) -> Mapping[int, int]:
        """Those without bounds."""
        return {i: k for i, k in self.turning.items() if self.turns[i]}

    @cached_property
    def same(self) -> Array:
        """How near two positions are that are one."""
        wide = self.high - self.low
        return np.asarray(SAME * np.where(np.isfinite(wide), np.clip(wide, 0.0, 1.0), 1.0))


def _bounds(balance: Balance, within: Mapping[str, Any]) -> _Box:
    s = balance.system
    pairs = turning_entries(s, periods(balance.left.program), balance.start)
    turns = np.isin(np.arange(s.nv), list(pairs))
    low, high = np.full(s.nv, -np.inf), np.full(s.nv, np.inf)
    if not s.charts:
        low, high = s.lower - balance.start, s.upper - balance.start
    for name, pair in within.items():
        check_known(f"coordinate of {s.name!r}", name, s.coordinate_names)
        a, b = finite(f"equilibria: within[{name!r}]", pair, 2)
        if s.charts:
            raise ArgumentError(
                f"equilibria: bounds are for mechanisms of hinges and slides alone, and {s.name!r} "
                "has planar, ball or free joints: leave within= out, and take those of .q inside"
            )
        if not a < b:
            said = f"equilibria: within[{name!r}] is a pair of numbers, the smaller first"
            raise ArgumentError(f"{said}; got {pair!r}")
        k = s.motion_names.index(name)
        low[k], high[k], turns[k] = a - balance.start[k], b - balance.start[k], False
    whole = turns & (high - low >= 2 * np.pi)
    low, high = np.where(whole, OFF - np.pi, low), np.where(whole, OFF + np.pi, high)
    return _Box(low, high, whole, ~np.isfinite(high - low), pairs)


def _followed(
    balance: Balance, box: _Box, found: list[Array]
) -> tuple[OnCurves, list[Array], list[str]]:
    """Along the curves on which a linkage is, found or met by chance; what is there is added."""
    s, rng = balance.system, np.random.default_rng(7)
    rows = Rows(s, balance.t)

    def apart(q: Array, other: Array) -> Array:
        return np.asarray(s.difference(q, by_whole_turns(box.turning, q, other)))

    def goes_on(q: Array) -> bool:
        step = apart(balance.start, q)
        low, high = (np.where(np.isfinite(x), x, 0.0) for x in (box.low, box.high))
        return bool((box.periodic | ((step > low - FAR) & (step < high + FAR))).all())

    random = (newton(rows, _random(balance, box, rng)) for _ in range(SEEDS))
    met = on_curves(balance, (balance.start, *found, *random), apart, goes_on)
    for q in met.q:
        for there in _turned(balance, box, q):
            if _is_inside(balance, box, there):
                _add(balance, box, found, there)
    return met, *one_of_each(balance, met, found, apart)


def _turned(balance: Balance, box: _Box, q: Array) -> Iterator[FloatArray]:
    """The same position by whole turns on, as often as bounds admit it."""
    step = np.asarray(balance.system.difference(balance.start, q))
    bounded = np.flatnonzero(box.periodic & ~box.turns & np.isfinite(box.high - box.low))
    ends = [(box.low - box.same - step) / (2 * np.pi), (box.high + box.same - step) / (2 * np.pi)]
    turns = [np.arange(np.ceil(ends[0][k]), np.floor(ends[1][k]) + 1) for k in bounded]
    for some in product(*turns):
        whole = np.zeros(len(step))
        whole[bounded] = 2 * np.pi * np.array(some)
        yield np.asarray(balance.system.integrate(q, whole)) if len(bounded) else q


def _random(balance: Balance, box: _Box, rng: Any) -> Array:
    """A position to begin with."""
    s = balance.system
    low = np.where(np.isfinite(box.low), box.low, -3.0)
    high = np.where(np.isfinite(box.high), box.high, np.maximum(low, 0.0) + 3.0)
    step = np.where(balance.any_value, 0.0, rng.uniform(low, high))
    return np.asarray(s.integrate(balance.start, step))


def _apart(balance: Balance, box: _Box, q0: Array, q1: Array) -> Array:
    return np.array(balance.system.difference(q0, by_whole_turns(box.free_turns, q0, q1)))


def _is_inside(balance: Balance, box: _Box, q: Array) -> bool:
    step = _apart(balance, box, balance.start, q)
    inside = (step >= box.low - box.same) & (step <= box.high + box.same)
    return bool((inside | box.turns).all())


def _add(balance: Balance, box: _Box, found: list[Array], q: Array) -> None:
    s = balance.system
    own = list(box.free_turns.values())
    q = by_whole_turns(box.free_turns, balance.start, q)
    step = np.array(s.difference(balance.start, q))
    step[np.abs(step) < 1e-13] = 0.0
    q = np.array(s.integrate(balance.start, step))
    q[own] += 2 * np.pi * (np.abs(q[own] - balance.start[own] + np.pi) < SAME)  # the positive half
    below, above = q[own] < s.lower[own] - SAME, q[own] > s.upper[own] + SAME
    q[own] += 2 * np.pi * (below * 1.0 - above * 1.0)  # a whole turn on, where limits want it
    if not any(balance.are_one(x, q, _apart(balance, box, x, q), box.same) for x in found):
        found.append(q)
