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
AT_ONCE = 1 << 15  # pieces that are looked at together
PLACES = 9  # of a piece, at which an event that cannot be traced is asked
VAST = 2.0**-8  # of a step: a piece on which an event has no bounds is halved no further
ROUNDINGS = 4.0  # of a value: below so many of them it cannot be told from zero
DECIDED = np.int8(CONTINUOUS)
START, MIDDLE, END = 0, 1, 2  # of a piece
PROVED, TOUCH, GIVEN_UP, UNDEFINED = range(4)  # what is known of a piece


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

    def __getitem__(self, some: Any) -> Pieces:
        parts = (x[some] for x in (self.B, self.error))
        return Pieces(self.panels, self.panel[some], self.a[some], self.width, *parts)

    def halves(self) -> Pieces:
        """Both halves of every part."""
        both = bernstein.halving(self.B.shape[1] - 1)
        error = self.error + self.B.shape[1] * EPSILON * np.abs(self.B)
        width = 0.5 * self.width
        a, panel = np.concatenate([self.a, self.a + width]), np.concatenate([self.panel] * 2)
        B, error = (np.concatenate([half @ x for half in both]) for x in (self.B, error))
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
        off = self.error[:, 1:] + self.error[:, :-1] + EPSILON * np.abs(change)
        lo, hi = degree * (change - off).min(axis=1), degree * (change + off).max(axis=1)
        return [Interval(dt, dt, DECIDED), *_columns(lo, hi)]

    def at(self, place: int) -> list[Interval]:
        """Time and state at the start, the middle or the end."""
        if place == MIDDLE:
            weights = bernstein.halving(self.B.shape[1] - 1)[0][-1]
            y, off = (np.einsum("i,kin->kn", weights, x) for x in (self.B, self.error))
            off += self.B.shape[1] * EPSILON * np.abs(self.B).max(axis=1)
        else:
            y, off = self.B[:, place // -2], self.error[:, place // -2]
        return [self._time(place / 2, place / 2), *_columns(y - off, y + off)]

    def _time(self, low: float, high: float) -> Interval:
        t, h = self.panels.t[self.panel], self.panels.h[self.panel]
        lo, hi = t + (self.a + low * self.width) * h, t + (self.a + high * self.width) * h
        slack = EPSILON * np.maximum(np.abs(lo), np.abs(hi))
        return Interval(lo - slack, hi + slack, DECIDED)


def _spread(x: Interval, k: int) -> Interval:
    """With k entries, as constants have not."""
    return Interval(*(part if np.ndim(part) else np.full(k, part) for part in x))


def _columns(lo: Array, hi: Array) -> list[Interval]:
    return [Interval(a, b, DECIDED) for a, b in zip(lo.T, hi.T, strict=True)]


# --- events: their values, and their ranges on pieces --------------------------------------------


class Located(Protocol):
    """A number along a motion, of which the changes of sign are looked for."""

    @property
    def is_proved(self) -> bool:
        """Whether ranges leave nothing out."""

    @property
    def widest(self) -> float:
        """Seconds: longer pieces are halved without a look."""

    @property
    def used(self) -> list[int]:
        """On which numbers of the state it depends."""

    def value(self, t: Array, y: Array) -> Array:
        """(k,) at times (k,) and states (k, n)."""

    def range(self, pieces: Pieces) -> tuple[Interval, Array]:
        """On pieces; and what `slope` and `at` are handed again."""

    def slope(self, pieces: Pieces, seen: Array) -> Interval:
        """By the share of the piece; PARTIAL where no mean value theorem holds."""

    def at(self, pieces: Pieces, seen: Array, place: int) -> Interval:
        """At the start, the middle or the end of pieces."""


class Watched(Located, Protocol):
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
        used = {i for op, *args in program.code if op != CONSTANT for i in args}
        return sorted(i for i in used | {*program.results} if i < program.arguments)

    @cached_property
    def used(self) -> list[int]:
        """On which numbers of the state it depends."""
        return [i - 1 for i in self._arguments if i > 0]

    def _run(self, program: Any, given: Sequence[Interval]) -> list[Interval]:
        own = dict(zip([0, *(i + 1 for i in self.used)], given, strict=True))
        return evaluate(program, [own.get(i, ZERO) for i in range(program.arguments)])

    def _value(self, given: Sequence[Interval]) -> Interval:
        (made,) = self._run(self.function.program, given)
        return _spread(made, len(given[0].lo))

    def range(self, pieces: Pieces) -> tuple[Interval, Array]:
        """On pieces, and its decorations."""
        made = self._value(pieces.ranges)
        return made, np.asarray(made.deco)

    def slope(self, pieces: Pieces, seen: Array) -> Interval:
        """Where it is continuous, by the derivatives of its program."""
        return self._along(pieces.ranges, pieces.rates, seen)

    def _along(self, given: list[Interval], rates: list[Interval], deco: Array) -> Interval:
        found = self._run(self.function.jacobian().program, given)
        terms = [
            RULES["mul"](found[i], rate)
            for i, rate in zip([0, *(i + 1 for i in self.used)], rates, strict=True)
            if np.any(found[i].lo) or np.any(found[i].hi)
        ]
        total = _spread(reduce(RULES["add"], terms) if terms else ZERO, len(deco))
        return total._replace(deco=np.where(deco == CONTINUOUS, total.deco, PARTIAL))

    def at(self, pieces: Pieces, seen: Array, place: int) -> Interval:
        """At the start, the middle or the end."""
        return self._value(pieces.at(place))

    def near(self, t: float, y: Array) -> Interval:
        """At a state whose numbers are rounded."""
        return self._value(self._box(t, y))

    def rate(self, t: float, y: Array, rates: Array) -> Interval:
        """Along the motion."""
        lo, hi = (rates[None, self.used] * (1 + s * 4 * EPSILON) for s in (-1, 1))
        some = _columns(np.minimum(lo, hi), np.maximum(lo, hi))
        return self._along(self._box(t, y), [*_columns(ONE, ONE), *some], np.array([CONTINUOUS]))

    def _box(self, t: float, y: Array) -> list[Interval]:
        here = np.append(t, y[self.used])[None]
        slack = 4 * EPSILON * np.abs(here)
        return _columns(here - slack, here + slack)


ZERO, ONE = point(0.0), np.ones((1, 1))


@dataclass(frozen=True, eq=False)
class LinearEvent:
    """A number of the state, or what it lacks, beyond a bound."""

    number: int
    sign: float  # 1 or -1
    bound: float = 0.0
    is_proved, widest = True, np.inf

    @property
    def used(self) -> list[int]:
        """The number."""
        return [self.number]

    def value(self, t: Array, y: Array) -> Array:
        """(k,) at states (k, n)."""
        return self.sign * (y[:, self.number] - self.bound)

    def _turned(self, x: Interval, bound: float) -> Interval:
        lo, hi = x.lo - bound, x.hi - bound
        lo, hi = lo - EPSILON * np.abs(lo), hi + EPSILON * np.abs(hi)
        lo, hi = (lo, hi) if self.sign > 0 else (-hi, -lo)
        return Interval(lo, hi, np.full(len(lo), CONTINUOUS))

    def range(self, pieces: Pieces) -> tuple[Interval, Array]:
        """On pieces."""
        return self._turned(pieces.ranges[1], self.bound), pieces.a

    def slope(self, pieces: Pieces, seen: Array) -> Interval:
        """That of the number."""
        return self._turned(pieces.rates[1], 0.0)

    def at(self, pieces: Pieces, seen: Array, place: int) -> Interval:
        """At the start, the middle or the end."""
        return self._turned(pieces.at(place)[1], self.bound)


@dataclass(frozen=True, eq=False)
class CalledEvent:
    """A function that cannot be traced: the polynomial through places of a piece, and what its last
    coefficients leave open. No proof."""

    value: Callable[[Array, Array], Array]
    widest: float = np.inf
    used: list[int] = field(default_factory=list)
    is_proved = False

    def range(self, pieces: Pieces) -> tuple[Interval, Array]:
        """As if it were that polynomial, and its values there."""
        s, to_bernstein = bernstein.nodes(PLACES - 1)
        which, places = np.repeat(pieces.panel, PLACES), np.tile(s, len(pieces))
        share = np.repeat(pieces.a, PLACES) + places * pieces.width
        panels = pieces.panels
        t = panels.t[which] + share * panels.h[which]
        f = self.value(t, panels.states(which, share)).reshape(len(pieces), PLACES)
        none = ~np.isfinite(f)
        deco = np.where(none.any(axis=1), PARTIAL, CONTINUOUS)
        deco = np.where(none.all(axis=1), EMPTY, deco)
        B, left = (np.where(none, 0.0, f)) @ to_bernstein.T, _left_open(f)
        return Interval(B.min(axis=1) - left, B.max(axis=1) + left, deco), f

    def slope(self, pieces: Pieces, seen: Array) -> Interval:
        """That of the polynomial."""
        d = (PLACES - 1) * np.diff(seen @ bernstein.nodes(PLACES - 1)[1].T, axis=1)
        left = 2 * (PLACES - 1) ** 2 * _left_open(seen)
        deco = np.where(np.isfinite(left), CONTINUOUS, PARTIAL)
        return Interval(d.min(axis=1) - left, d.max(axis=1) + left, deco)

    def at(self, pieces: Pieces, seen: Array, place: int) -> Interval:
        """At the start, the middle or the end."""
        return _rounded(seen[:, place * (PLACES - 1) // 2])

    def near(self, t: float, y: Array) -> Interval:
        """At a state."""
        off = 8 * EPSILON * np.abs(np.append(t, y)).max()
        near = _rounded(self.value(np.array([t]), y[None]))
        return Interval(near.lo - off, near.hi + off)

    def rate(self, t: float, y: Array, rates: Array) -> Interval:
        """By differences, over what most numbers of the state are not changed by."""
        d = 1e-6 * min((1.0 + np.abs(y)) / (1.0 + np.abs(rates)), default=1.0)
        ends = (self.value(np.array([t + s * d]), (y + s * d * rates)[None]) for s in (-1, 1))
        before, after = map(_rounded, ends)
        return Interval((after.lo - before.hi) / (2 * d), (after.hi - before.lo) / (2 * d))


def _rounded(f: Array) -> Interval:
    slack = 8 * EPSILON * np.abs(f)
    return Interval(f - slack, f + slack)


def _left_open(f: Array) -> Array:
    """Twice the last two coefficients (in Chebyshev's polynomials), and rounding."""
    with np.errstate(invalid="ignore"):
        tail = 2 * np.abs(f @ WAVES.T).sum(axis=1) + 64 * EPSILON * np.abs(f).max(axis=1)
    return np.where(np.isfinite(tail), tail, np.inf)


WAVES = np.linalg.inv(
    np.polynomial.chebyshev.chebvander(2 * bernstein.nodes(PLACES - 1)[0] - 1, PLACES - 1)
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


def isolate_crossings(event: Located, panels: Panels, offset: Array, most: int) -> Leaves:
    """Every step in pieces on each of which an event has one sign, or crosses zero once.

    `offset` (m,) is taken off: what rounding left of an event that has just happened.
    """
    m = len(panels.t)
    B, leaves, looked = panels.B[:, :, event.used], [np.zeros((6, 0))], 0
    error = np.broadcast_to(panels.moved[:, None, event.used], B.shape)
    todo = [Pieces(panels, np.arange(m), np.zeros(m), 1.0, B, error)]

    def settle(p: Pieces, some: Flags, first: Array, last: Array, kind: Array) -> None:
        panel, a = p.panel[some], p.a[some]
        if len(a):
            leaves.append(np.array([panel, a, a + p.width, first[some], last[some], kind[some]]))

    while todo:
        now = todo.pop()
        if len(now) > AT_ONCE:
            todo += [now[AT_ONCE:], now[:AT_ONCE]]
            continue
        wide = panels.h[now.panel] * now.width > event.widest
        if wide.any():
            todo += [now[wide].halves(), *([now[~wide]] if not wide.all() else [])]
            continue
        looked += len(now)
        value, seen = event.range(now)
        off = offset[now.panel]
        s = _side(value, off)
        none = value.deco == EMPTY
        over = ((s != 0) & (value.deco >= DEFINED)) | none
        settle(now, over, s * ~none, s * ~none, np.where(none, UNDEFINED, PROVED))
        if over.all():
            continue
        if over.any():
            now, seen, off, value = (
                now[~over],
                seen[~over],
                off[~over],
                Interval(*(x[~over] for x in value)),
            )
        slope, middle = event.slope(now, seen), event.at(now, seen, MIDDLE)
        sure = (slope.deco >= DEFINED) & np.isfinite(slope.hi - slope.lo)
        steep = 0.5 * (1 + 8 * EPSILON) * np.maximum(np.abs(slope.lo), np.abs(slope.hi))
        steep = np.where(sure, steep, np.inf)
        with np.errstate(invalid="ignore"):  # the mean value's range, where it is sharper
            lo, hi = np.fmax(value.lo, middle.lo - steep), np.fmin(value.hi, middle.hi + steep)
            s = _side(Interval(lo, hi), off) * (sure | (value.deco >= DEFINED))
            bounded = np.isfinite(hi - lo)
            flat = np.maximum(np.abs(lo - off), np.abs(hi - off))
            flat = bounded & (flat <= ROUNDINGS * (middle.hi - middle.lo))
        t, h = panels.t[now.panel], panels.h[now.panel]
        least = now.width * h <= ROUNDINGS * EPSILON * np.maximum(np.abs(t), h)
        one_way = sure & ((slope.lo > 0) | (slope.hi < 0))
        vast = (~bounded & (now.width <= VAST)) | (looked > most)
        kind = np.where(vast, GIVEN_UP, TOUCH)
        kind = np.where((s != 0) | one_way, PROVED, np.where(least | flat, TOUCH, kind))
        over = (s != 0) | one_way | least | flat | vast
        first, last, ends = s.copy(), s.copy(), (s == 0) & (one_way | vast)
        if ends.any():
            few = now[ends], seen[ends]
            first[ends], last[ends] = (_side(event.at(*few, x), off[ends]) for x in (START, END))
        settle(now, over, first, last, kind)
        if not over.all():
            todo.append(now[~over].halves())
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

    `known` are the first signs that were told, at the times `since`; `last` those at the end.
    """

    row: Numbers
    event: Numbers
    panel: Numbers
    share: Array
    t: Array
    rises: Numbers  # 1, or -1 where g falls
    known: Array
    since: Array
    last: Array
    lost: Array  # (N, E), the first time at which an event is no number, inf without one
    touches: list[tuple[int, int, float]]  # trajectory, event and time: to zero and back
    unsure: list[tuple[int, int, float]]  # from when on pieces were given up, in these steps


def locate_events(
    events: Sequence[Located],
    panels: Panels,
    signs: Array,
    fresh: Flags,
    left: Flags,
    most: Mapping[int, int] | None = None,
    is_past: bool = False,
) -> Crossings:
    """All changes of sign in some steps, in order; where a sign is new already with `is_past`.

    `signs` (N, E) are those that trajectories come with, 0 for what is not known; a trajectory that
    is `fresh` (N,), after a start or a jump, takes those that it begins with. `left` (N, E) says
    which events have just left zero. `most` has bounds of pieces, where they are not usual.
    """
    row, known, last = panels.row, signs.copy(), signs.copy()
    since, lost = np.full(signs.shape, np.inf), np.full(signs.shape, np.inf)
    begins = np.flatnonzero(np.append(True, row[1:] != row[:-1]))
    rows: list[tuple[Any, ...]] = []
    touches: list[tuple[int, int, float]] = []
    unsure: list[tuple[int, int, float]] = []
    for e, event in enumerate(events):
        offset = np.zeros(len(row))
        some = begins[left[row[begins], e]]
        if len(some):
            offset[some] = event.value(panels.t[some], panels.states(some, np.zeros(len(some))))
        bound = MOST_PIECES if most is None else most.get(e, MOST_PIECES)
        leaves = isolate_crossings(event, panels, offset, bound)
        panel = np.repeat(leaves.panel, 2)
        share = np.stack([leaves.a, leaves.b], axis=1).ravel()
        t = panels.t[panel] + share * panels.h[panel]
        s = np.stack([leaves.first, leaves.last], axis=1).ravel()
        own, where, of = np.searchsorted(panel, begins), np.arange(len(s)), row[panel]
        incoming = np.where(fresh[of[own]] & (s[own] != 0), s[own], signs[of[own], e])
        start = np.zeros(len(s), dtype=bool)
        start[own] = True
        seen = np.maximum.accumulate(np.where((s != 0) | start, where, 0))
        came = s[seen]
        came[came == 0] = np.repeat(incoming, np.diff(np.append(own, len(s))))[came == 0]
        before = np.append(0.0, came[:-1])
        before[own] = incoming
        change = np.flatnonzero(before * s < 0)
        told = np.flatnonzero(s != 0)[::-1]  # backwards: of a trajectory the first one stays
        known[of[told], e], since[of[told], e] = s[told], t[told]
        last[of[own], e] = came[np.append(own[1:], len(s)) - 1]
        back = seen[np.maximum(change - 1, 0)]
        low = np.where((panel[back] == panel[change]) & (back < change), share[back], 0.0)
        bracket = panel[change], low, share[change], s[change]
        rows.append(_refined(e, event, panels, bracket, is_past))
        after = np.minimum.accumulate(np.where(s != 0, where, len(s))[::-1])[::-1]
        zero = np.flatnonzero((s == 0) & (before != 0) & (after < len(s)))
        zero = zero[(of[after[zero]] == of[zero]) & (s[after[zero]] == before[zero])]
        zero = zero[np.unique(after[zero], return_index=True)[1]]
        touches += [(int(of[k]), e, float(t[k])) for k in zero]
        given_up = 2 * np.flatnonzero(leaves.kind == GIVEN_UP)
        given_up = given_up[np.unique(of[given_up], return_index=True)[1]]
        unsure += [(int(of[k]), e, float(t[k])) for k in given_up]
        none = 2 * np.flatnonzero(leaves.kind == UNDEFINED)[::-1]
        lost[of[none], e] = t[none]
    columns = [np.concatenate(x) for x in zip(*rows, strict=True)]
    order = np.lexsort((columns[1], columns[4], columns[0]))
    of_row, of_event, of_panel, share, t, rises = (x[order] for x in columns)
    of_row, of_event, of_panel, rises = (
        x.astype(np.int64) for x in (of_row, of_event, of_panel, rises)
    )
    return Crossings(
        of_row, of_event, of_panel, share, t, rises, known, since, last, lost, touches, unsure
    )


def _refined(
    e: int, event: Located, panels: Panels, bracket: tuple[Any, ...], is_past: bool
) -> tuple[Any, ...]:
    """The last bit of the time of crossings, of all at once."""
    panel, low, high, side = bracket
    t, h = panels.t[panel], panels.h[panel]

    def f(which: Numbers, x: Array) -> Array:
        return event.value(t[which] + x * h[which], panels.states(panel[which], x))

    share = find_roots(f, low, high, side, EPSILON * np.maximum(np.abs(t), h) / h, is_past)
    return panels.row[panel], np.full(len(panel), e), panel, share, t + share * h, side
