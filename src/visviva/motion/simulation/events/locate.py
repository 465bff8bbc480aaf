"""Where events change sign along the dense output of steps: all of them, or it is said where not.

A step's dense output is a polynomial of its share, in Bernstein form. A traced event is asked for
its range, and that of its slope, on whole pieces of steps, by intervals over its own program. A
piece is settled where the range leaves zero out (no crossing), or the slope does (one at most, told
by the ends); others are halved, until rounding is all that is left: what has one sign on both sides
there is a touch, which is said. An event that cannot be traced is taken for the polynomial through
nine places of a piece, which is said too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Any, NamedTuple, Protocol

import numpy as np

from visviva.algebra.expr import CONSTANT
from visviva.machine.function import Function
from visviva.machine.run.call import Array
from visviva.motion.simulation.events.panels import EPSILON, Flags, Numbers, Panels
from visviva.numerics import bernstein
from visviva.numerics.brackets import find_roots
from visviva.numerics.intervals import (
    CONTINUOUS,
    DEFINED,
    EMPTY,
    PARTIAL,
    RULES,
    Interval,
    evaluate,
    point,
)

MOST_PIECES = 1 << 21  # of one event in one lot of steps: beyond them signs at ends are all
PIECES_AT_ONCE = 1 << 15  # pieces that are looked at together
PROBES = 9  # places of a piece at which an event that cannot be traced is asked
VAST = 2.0**-8  # of a step: a piece on which an event has no bounds is halved no further
ROUNDINGS = 4.0  # of a value: below so many of them it cannot be told from zero
ALWAYS_SMOOTH = np.int8(CONTINUOUS)
START, MIDDLE, END = 0, 1, 2  # of a piece
SURE, TOUCH, GIVEN_UP, NO_NUMBER = range(4)  # what is known of a piece


# --- pieces of steps -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Pieces:
    """Parts [a, a + width] of steps, in shares of them."""

    panels: Panels
    panel: Numbers
    a: Array
    width: float
    B: Array  # coefficients on the part, of those numbers that the event depends on
    error: Array  # of rounding in them

    def __len__(self) -> int:
        return len(self.panel)

    def __getitem__(self, mask: Any) -> Pieces:
        parts = (x[mask] for x in (self.B, self.error))
        return Pieces(self.panels, self.panel[mask], self.a[mask], self.width, *parts)

    def halves(self) -> Pieces:
        """Both halves of every part."""
        matrices = bernstein.halving_matrices(self.B.shape[1] - 1)
        error = self.error + self.B.shape[1] * EPSILON * np.abs(self.B)
        width = 0.5 * self.width
        a, panel = np.concatenate([self.a, self.a + width]), np.concatenate([self.panel] * 2)
        B, error = (np.concatenate([half @ x for half in matrices]) for x in (self.B, error))
        return Pieces(self.panels, panel, a, width, B, error)

    @cached_property
    def ranges(self) -> list[Interval]:
        """Of the time and the numbers of the state."""
        lo, hi = (self.B - self.error).min(axis=1), (self.B + self.error).max(axis=1)
        return [self._time(0.0, 1.0), *_columns(lo, hi)]

    @property
    def rates(self) -> list[Interval]:
        """Of their derivatives by the share of the part."""
        degree, dt = self.B.shape[1] - 1, self.panels.h[self.panel] * self.width
        change = self.B[:, 1:] - self.B[:, :-1]
        slack = self.error[:, 1:] + self.error[:, :-1] + EPSILON * np.abs(change)
        lo, hi = degree * (change - slack).min(axis=1), degree * (change + slack).max(axis=1)
        return [Interval(dt, dt, ALWAYS_SMOOTH), *_columns(lo, hi)]

    def at(self, place: int) -> list[Interval]:
        """Time and state at the start, the middle or the end."""
        if place == MIDDLE:
            weights = bernstein.halving_matrices(self.B.shape[1] - 1)[0][-1]
            y, slack = (np.einsum("i,kin->kn", weights, x) for x in (self.B, self.error))
            slack += self.B.shape[1] * EPSILON * np.abs(self.B).max(axis=1)
        else:
            y, slack = self.B[:, place // -2], self.error[:, place // -2]
        return [self._time(place / 2, place / 2), *_columns(y - slack, y + slack)]

    def _time(self, low: float, high: float) -> Interval:
        t, h = self.panels.t[self.panel], self.panels.h[self.panel]
        lo, hi = t + (self.a + low * self.width) * h, t + (self.a + high * self.width) * h
        slack = EPSILON * np.maximum(np.abs(lo), np.abs(hi))
        return Interval(lo - slack, hi + slack, ALWAYS_SMOOTH)


def _spread(x: Interval, k: int) -> Interval:
    """With k entries, as constants have not."""
    return Interval(*(part if np.ndim(part) else np.full(k, part) for part in x))


def _columns(lo: Array, hi: Array) -> list[Interval]:
    return [Interval(a, b, ALWAYS_SMOOTH) for a, b in zip(lo.T, hi.T, strict=True)]


# --- events: their values, and their ranges on pieces --------------------------------------------


class EventFunction(Protocol):
    """A number along a motion, of which the changes of sign are looked for."""

    @property
    def is_proved(self) -> bool:
        """Whether ranges leave nothing out."""

    @property
    def widest(self) -> float:
        """Seconds: longer pieces are halved without a look."""

    @property
    def state_numbers(self) -> list[int]:
        """On which numbers of the state it depends."""

    def value(self, t: Array, y: Array) -> Array:
        """(k,) at times (k,) and states (k, n)."""

    def range(self, pieces: Pieces) -> tuple[Interval, Array]:
        """On pieces; and what `slope` and `at` are handed again."""

    def slope(self, pieces: Pieces, memo: Array) -> Interval:
        """By the share of the piece; PARTIAL where no mean value theorem holds."""

    def at(self, pieces: Pieces, memo: Array, place: int) -> Interval:
        """At the start, the middle or the end of pieces."""


class JumpFunction(EventFunction, Protocol):
    """One that may make motions jump."""

    def near(self, t: float, y: Array) -> Interval:
        """At a state, as well as it is known."""

    def rate(self, t: float, y: Array, rates: Array) -> Interval:
        """Along the motion from a state whose numbers change at `rates`."""


@dataclass(frozen=True, eq=False)
class TracedEvent:
    """A compiled function of t, q and v: its ranges are those of its program."""

    function: Function[Any]
    cut: tuple[int, int]  # of a state, after q and after v
    is_proved, widest = True, np.inf

    def value(self, t: Array, y: Array) -> Array:
        """(k,) at times (k,) and states (k, n)."""
        q, v = y[:, : self.cut[0]], y[:, self.cut[0] : self.cut[1]]
        return np.asarray(self.function(t, q, v), dtype=float).reshape(len(t))

    @cached_property
    def _arguments(self) -> list[int]:
        """Those that its program uses: 0 is the time, the others are numbers of the state."""
        program = self.function.program
        places = {i for op, *args in program.code if op != CONSTANT for i in args}
        return sorted(i for i in places | {*program.results} if i < program.arguments)

    @cached_property
    def state_numbers(self) -> list[int]:
        """On which numbers of the state it depends."""
        return [i - 1 for i in self._arguments if i > 0]

    def _run(self, program: Any, ranges: Sequence[Interval]) -> list[Interval]:
        by_argument = dict(zip([0, *(i + 1 for i in self.state_numbers)], ranges, strict=True))
        return evaluate(program, [by_argument.get(i, ZERO) for i in range(program.arguments)])

    def _value(self, ranges: Sequence[Interval]) -> Interval:
        (range_of_value,) = self._run(self.function.program, ranges)
        return _spread(range_of_value, len(ranges[0].lo))

    def range(self, pieces: Pieces) -> tuple[Interval, Array]:
        """On pieces, and its decorations."""
        value = self._value(pieces.ranges)
        return value, np.asarray(value.deco)

    def slope(self, pieces: Pieces, memo: Array) -> Interval:
        """Where it is continuous, by the derivatives of its program."""
        return self._rate(pieces.ranges, pieces.rates, memo)

    def _rate(self, ranges: list[Interval], rates: list[Interval], deco: Array) -> Interval:
        slopes = self._run(self.function.jacobian().program, ranges)
        terms = [
            RULES["mul"](slopes[i], rate)
            for i, rate in zip([0, *(i + 1 for i in self.state_numbers)], rates, strict=True)
            if np.any(slopes[i].lo) or np.any(slopes[i].hi)
        ]
        total = _spread(reduce(RULES["add"], terms) if terms else ZERO, len(deco))
        return total._replace(deco=np.where(deco == CONTINUOUS, total.deco, PARTIAL))

    def at(self, pieces: Pieces, memo: Array, place: int) -> Interval:
        """At the start, the middle or the end."""
        return self._value(pieces.at(place))

    def near(self, t: float, y: Array) -> Interval:
        """At a state whose numbers are rounded."""
        return self._value(self._box(t, y))

    def rate(self, t: float, y: Array, rates: Array) -> Interval:
        """Along the motion."""
        lo, hi = (rates[None, self.state_numbers] * (1 + s * 4 * EPSILON) for s in (-1, 1))
        columns = _columns(np.minimum(lo, hi), np.maximum(lo, hi))
        return self._rate(self._box(t, y), [*_columns(ONE, ONE), *columns], np.array([CONTINUOUS]))

    def _box(self, t: float, y: Array) -> list[Interval]:
        numbers = np.append(t, y[self.state_numbers])[None]
        slack = 4 * EPSILON * np.abs(numbers)
        return _columns(numbers - slack, numbers + slack)


ZERO, ONE = point(0.0), np.ones((1, 1))


@dataclass(frozen=True, eq=False)
class LinearEvent:
    """A number of the state, or what it lacks, beyond a bound."""

    number: int
    sign: float  # 1 or -1
    bound: float = 0.0
    is_proved, widest = True, np.inf

    @property
    def state_numbers(self) -> list[int]:
        """The number."""
        return [self.number]

    def value(self, t: Array, y: Array) -> Array:
        """(k,) at states (k, n)."""
        return self.sign * (y[:, self.number] - self.bound)

    def _beyond_bound(self, x: Interval, bound: float) -> Interval:
        lo, hi = x.lo - bound, x.hi - bound
        lo, hi = lo - EPSILON * np.abs(lo), hi + EPSILON * np.abs(hi)
        lo, hi = (lo, hi) if self.sign > 0 else (-hi, -lo)
        return Interval(lo, hi, np.full(len(lo), CONTINUOUS))

    def range(self, pieces: Pieces) -> tuple[Interval, Array]:
        """On pieces."""
        return self._beyond_bound(pieces.ranges[1], self.bound), pieces.a

    def slope(self, pieces: Pieces, memo: Array) -> Interval:
        """That of the number."""
        return self._beyond_bound(pieces.rates[1], 0.0)

    def at(self, pieces: Pieces, memo: Array, place: int) -> Interval:
        """At the start, the middle or the end."""
        return self._beyond_bound(pieces.at(place)[1], self.bound)


@dataclass(frozen=True, eq=False)
class CalledEvent:
    """A function that cannot be traced: the polynomial through places of a piece, and what its last
    coefficients leave open. No proof."""

    value: Callable[[Array, Array], Array]
    widest: float = np.inf
    state_numbers: list[int] = field(default_factory=list)
    is_proved = False

    def range(self, pieces: Pieces) -> tuple[Interval, Array]:
        """As if it were that polynomial, and its values there."""
        s, to_bernstein = bernstein.nodes(PROBES - 1)
        panel, places = np.repeat(pieces.panel, PROBES), np.tile(s, len(pieces))
        share = np.repeat(pieces.a, PROBES) + places * pieces.width
        panels = pieces.panels
        t = panels.t[panel] + share * panels.h[panel]
        f = self.value(t, panels.states(panel, share)).reshape(len(pieces), PROBES)
        none = ~np.isfinite(f)
        deco = np.where(none.any(axis=1), PARTIAL, CONTINUOUS)
        deco = np.where(none.all(axis=1), EMPTY, deco)
        B, left_open = (np.where(none, 0.0, f)) @ to_bernstein.T, _left_open(f)
        return Interval(B.min(axis=1) - left_open, B.max(axis=1) + left_open, deco), f

    def slope(self, pieces: Pieces, memo: Array) -> Interval:
        """That of the polynomial."""
        d = (PROBES - 1) * np.diff(memo @ bernstein.nodes(PROBES - 1)[1].T, axis=1)
        left_open = 2 * (PROBES - 1) ** 2 * _left_open(memo)
        deco = np.where(np.isfinite(left_open), CONTINUOUS, PARTIAL)
        return Interval(d.min(axis=1) - left_open, d.max(axis=1) + left_open, deco)

    def at(self, pieces: Pieces, memo: Array, place: int) -> Interval:
        """At the start, the middle or the end."""
        return _with_rounding(memo[:, place * (PROBES - 1) // 2])

    def near(self, t: float, y: Array) -> Interval:
        """At a state."""
        slack = 8 * EPSILON * np.abs(np.append(t, y)).max()
        near = _with_rounding(self.value(np.array([t]), y[None]))
        return Interval(near.lo - slack, near.hi + slack)

    def rate(self, t: float, y: Array, rates: Array) -> Interval:
        """By differences, over what most numbers of the state are not changed by."""
        d = 1e-6 * min((1.0 + np.abs(y)) / (1.0 + np.abs(rates)), default=1.0)
        ends = (self.value(np.array([t + s * d]), (y + s * d * rates)[None]) for s in (-1, 1))
        before, after = map(_with_rounding, ends)
        return Interval((after.lo - before.hi) / (2 * d), (after.hi - before.lo) / (2 * d))


def _with_rounding(f: Array) -> Interval:
    slack = 8 * EPSILON * np.abs(f)
    return Interval(f - slack, f + slack)


def _left_open(f: Array) -> Array:
    """Twice the last two coefficients (in Chebyshev's polynomials), and rounding."""
    with np.errstate(invalid="ignore"):
        tail = 2 * np.abs(f @ WAVES.T).sum(axis=1) + 64 * EPSILON * np.abs(f).max(axis=1)
    return np.where(np.isfinite(tail), tail, np.inf)


WAVES = np.linalg.inv(
    np.polynomial.chebyshev.chebvander(2 * bernstein.nodes(PROBES - 1)[0] - 1, PROBES - 1)
)[-2:]


# --- pieces with one sign, or one crossing -------------------------------------------------------


class Leaves(NamedTuple):
    """Settled pieces, in order: where, the signs at both ends, and what is known of them."""

    panel: Numbers
    a: Array
    b: Array
    first: Array
    last: Array
    kind: Numbers


def isolate_crossings(
    event: EventFunction, panels: Panels, offset: Array, most_pieces: int
) -> Leaves:
    """Every step in pieces on each of which an event has one sign, or crosses zero once.

    `offset` (m,) is taken off: what rounding left of an event that has just happened.
    """
    m = len(panels.t)
    B, leaves, count = panels.B[:, :, event.state_numbers], [np.zeros((6, 0))], 0
    error = np.broadcast_to(panels.corrections[:, None, event.state_numbers], B.shape)
    todo = [Pieces(panels, np.arange(m), np.zeros(m), 1.0, B, error)]

    def settle(p: Pieces, mask: Flags, first: Array, last: Array, kind: Array) -> None:
        panel, a = p.panel[mask], p.a[mask]
        if len(a):
            leaves.append(np.array([panel, a, a + p.width, first[mask], last[mask], kind[mask]]))

    while todo:
        pieces = todo.pop()
        if len(pieces) > PIECES_AT_ONCE:
            todo += [pieces[PIECES_AT_ONCE:], pieces[:PIECES_AT_ONCE]]
            continue
        wide = panels.h[pieces.panel] * pieces.width > event.widest
        if wide.any():
            todo += [pieces[wide].halves(), *([pieces[~wide]] if not wide.all() else [])]
            continue
        count += len(pieces)
        value, memo = event.range(pieces)
        zero = offset[pieces.panel]
        s = _side(value, zero)
        none = value.deco == EMPTY
        is_settled = ((s != 0) & (value.deco >= DEFINED)) | none
        settle(pieces, is_settled, s * ~none, s * ~none, np.where(none, NO_NUMBER, SURE))
        if is_settled.all():
            continue
        if is_settled.any():
            pieces, memo, zero, value = (
                pieces[~is_settled],
                memo[~is_settled],
                zero[~is_settled],
                Interval(*(x[~is_settled] for x in value)),
            )
        slope, middle = event.slope(pieces, memo), event.at(pieces, memo, MIDDLE)
        sure = (slope.deco >= DEFINED) & np.isfinite(slope.hi - slope.lo)
        steep = 0.5 * (1 + 8 * EPSILON) * np.maximum(np.abs(slope.lo), np.abs(slope.hi))
        steep = np.where(sure, steep, np.inf)
        with np.errstate(invalid="ignore"):  # the mean value's range, where it is sharper
            lo, hi = np.fmax(value.lo, middle.lo - steep), np.fmin(value.hi, middle.hi + steep)
            s = _side(Interval(lo, hi), zero) * (sure | (value.deco >= DEFINED))
            is_bounded = np.isfinite(hi - lo)
            flat = np.maximum(np.abs(lo - zero), np.abs(hi - zero))
            flat = is_bounded & (flat <= ROUNDINGS * (middle.hi - middle.lo))
        t, h = panels.t[pieces.panel], panels.h[pieces.panel]
        least = pieces.width * h <= ROUNDINGS * EPSILON * np.maximum(np.abs(t), h)
        one_way = sure & ((slope.lo > 0) | (slope.hi < 0))
        vast = (~is_bounded & (pieces.width <= VAST)) | (count > most_pieces)
        kind = np.where(vast, GIVEN_UP, TOUCH)
        kind = np.where((s != 0) | one_way, SURE, np.where(least | flat, TOUCH, kind))
        is_settled = (s != 0) | one_way | least | flat | vast
        first, last, ends = s.copy(), s.copy(), (s == 0) & (one_way | vast)
        if ends.any():
            few = pieces[ends], memo[ends]
            first[ends], last[ends] = (_side(event.at(*few, x), zero[ends]) for x in (START, END))
        settle(pieces, is_settled, first, last, kind)
        if not is_settled.all():
            todo.append(pieces[~is_settled].halves())
    columns = np.concatenate(leaves, axis=1)
    columns = columns[:, np.lexsort((columns[1], columns[0]))]
    panel, a, b, first, last, kind = columns
    return Leaves(panel.astype(np.int64), a, b, first, last, kind.astype(np.int64))


def _side(x: Interval, offset: Any) -> Array:
    return np.where(x.lo > offset, 1.0, np.where(x.hi < offset, -1.0, 0.0))


# --- crossings in order --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Crossings:
    """Changes of sign, by trajectory and time; and signs of every trajectory and event (N, E).

    `first_signs` are the first that were told, at the times `since`; `last` those at the end.
    """

    row: Numbers
    event: Numbers
    panel: Numbers
    share: Array
    t: Array
    rises: Numbers  # 1, or -1 where g falls
    first_signs: Array
    since: Array
    last: Array
    undefined_from: Array  # (N, E), the first time at which an event is no number, inf without one
    touches: list[tuple[int, int, float]]  # trajectory, event and time: to zero and back
    unsure: list[tuple[int, int, float]]  # from when on pieces were given up, in these steps


def locate_events(
    events: Sequence[EventFunction],
    panels: Panels,
    signs: Array,
    fresh: Flags,
    is_left_at_zero: Flags,
    most_pieces: Mapping[int, int] | None = None,
    is_past: bool = False,
) -> Crossings:
    """All changes of sign in some steps, in order; where a sign is new already with `is_past`.

    `signs` (N, E) are those that trajectories come with, 0 for what is not known; a trajectory that
    is `fresh` (N,), after a start or a jump, takes those it begins with. `is_left_at_zero` (N, E):
    events that a jump has just left at zero. `most_pieces` has bounds where they are not usual.
    """
    row, first_signs, last = panels.row, signs.copy(), signs.copy()
    since, undefined_from = np.full(signs.shape, np.inf), np.full(signs.shape, np.inf)
    begins = np.flatnonzero(np.append(True, row[1:] != row[:-1]))
    rows: list[tuple[Any, ...]] = []
    touches: list[tuple[int, int, float]] = []
    unsure: list[tuple[int, int, float]] = []
    for e, event in enumerate(events):
        offset = np.zeros(len(row))
        from_zero = begins[is_left_at_zero[row[begins], e]]
        if len(from_zero):
            offset[from_zero] = event.value(
                panels.t[from_zero], panels.states(from_zero, np.zeros(len(from_zero)))
            )
        bound = MOST_PIECES if most_pieces is None else most_pieces.get(e, MOST_PIECES)
        leaves = isolate_crossings(event, panels, offset, bound)
        panel = np.repeat(leaves.panel, 2)
        share = np.stack([leaves.a, leaves.b], axis=1).ravel()
        t = panels.t[panel] + share * panels.h[panel]
        s = np.stack([leaves.first, leaves.last], axis=1).ravel()
        firsts, ends, trajectory = np.searchsorted(panel, begins), np.arange(len(s)), row[panel]
        incoming = np.where(
            fresh[trajectory[firsts]] & (s[firsts] != 0), s[firsts], signs[trajectory[firsts], e]
        )
        start = np.zeros(len(s), dtype=bool)
        start[firsts] = True
        last_signed = np.maximum.accumulate(np.where((s != 0) | start, ends, 0))
        came = s[last_signed]
        came[came == 0] = np.repeat(incoming, np.diff(np.append(firsts, len(s))))[came == 0]
        before = np.append(0.0, came[:-1])
        before[firsts] = incoming
        change = np.flatnonzero(before * s < 0)
        signed = np.flatnonzero(s != 0)[::-1]  # backwards: of a trajectory the first one stays
        first_signs[trajectory[signed], e], since[trajectory[signed], e] = s[signed], t[signed]
        last[trajectory[firsts], e] = came[np.append(firsts[1:], len(s)) - 1]
        end_before = last_signed[np.maximum(change - 1, 0)]
        low = np.where(
            (panel[end_before] == panel[change]) & (end_before < change), share[end_before], 0.0
        )
        bracket = panel[change], low, share[change], s[change]
        rows.append(_crossing_columns(e, event, panels, bracket, is_past))
        after = np.minimum.accumulate(np.where(s != 0, ends, len(s))[::-1])[::-1]
        zero = np.flatnonzero((s == 0) & (before != 0) & (after < len(s)))
        zero = zero[
            (trajectory[after[zero]] == trajectory[zero]) & (s[after[zero]] == before[zero])
        ]
        zero = zero[np.unique(after[zero], return_index=True)[1]]
        touches += [(int(trajectory[k]), e, float(t[k])) for k in zero]
        given_up = 2 * np.flatnonzero(leaves.kind == GIVEN_UP)
        given_up = given_up[np.unique(trajectory[given_up], return_index=True)[1]]
        unsure += [(int(trajectory[k]), e, float(t[k])) for k in given_up]
        none = 2 * np.flatnonzero(leaves.kind == NO_NUMBER)[::-1]
        undefined_from[trajectory[none], e] = t[none]
    columns = [np.concatenate(x) for x in zip(*rows, strict=True)]
    order = np.lexsort((columns[1], columns[4], columns[0]))
    of_row, of_event, of_panel, share, t, rises = (x[order] for x in columns)
    of_row, of_event, of_panel, rises = (
        x.astype(np.int64) for x in (of_row, of_event, of_panel, rises)
    )
    return Crossings(
        of_row,
        of_event,
        of_panel,
        share,
        t,
        rises,
        first_signs,
        since,
        last,
        undefined_from,
        touches,
        unsure,
    )


def _crossing_columns(
    e: int, event: EventFunction, panels: Panels, bracket: tuple[Any, ...], is_past: bool
) -> tuple[Any, ...]:
    """The last bit of the time of crossings, of all at once."""
    panel, low, high, side = bracket
    t, h = panels.t[panel], panels.h[panel]

    def f(crossing: Numbers, x: Array) -> Array:
        return event.value(t[crossing] + x * h[crossing], panels.states(panel[crossing], x))

    share = find_roots(f, low, high, side, EPSILON * np.maximum(np.abs(t), h) / h, is_past)
    return panels.row[panel], np.full(len(panel), e), panel, share, t + share * h, side
