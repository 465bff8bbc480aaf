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
from functools import cached_property
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
    error: Array  # of rounding in them (k, n)

    def __len__(self) -> int:
        return len(self.panel)

    def __getitem__(self, some: Any) -> Pieces:
        parts = (x[some] for x in (self.B, self.error))
        return Pieces(self.panels, self.panel[some], self.a[some], self.width, *parts)

    def halves(self) -> Pieces:
        """Both halves of every part."""
        left, right = bernstein.halving(self.B.shape[1] - 1)
        B = np.concatenate([left @ self.B, right @ self.B])
        size = np.abs(self.B).max(axis=1, initial=0.0)
        error = np.tile(self.error + (self.B.shape[1] + 1) * EPSILON * size, (2, 1))
        width = 0.5 * self.width
        a = np.concatenate([self.a, self.a + width])
        return Pieces(self.panels, np.tile(self.panel, 2), a, width, B, error)

    @property
    def ranges(self) -> list[Interval]:
        """Of the time and the numbers of the state."""
        lo, hi = self.B.min(axis=1) - self.error, self.B.max(axis=1) + self.error
        return [self._time(0.0, 1.0), *_columns(lo, hi)]

    @property
    def rates(self) -> list[Interval]:
        """Of their derivatives by the share of the part."""
        d = (self.B.shape[1] - 1) * np.diff(self.B, axis=1)
        slack = 4 * self.B.shape[1] * self.error + EPSILON * np.abs(d).max(axis=1, initial=0.0)
        lo, hi = d.min(axis=1, initial=np.inf) - slack, d.max(axis=1, initial=-np.inf) + slack
        dt = self.panels.h[self.panel] * self.width
        return [*_columns(dt[:, None], dt[:, None]), *_columns(lo, hi)]

    def at(self, place: int) -> list[Interval]:
        """Time and state at the start, the middle or the end."""
        middle = bernstein.halving(self.B.shape[1] - 1)[0][-1]
        y = np.einsum("i,kin->kn", middle, self.B) if place == MIDDLE else self.B[:, place // -2]
        slack = self.error + 4 * EPSILON * np.abs(y)
        return [self._time(place / 2, place / 2), *_columns(y - slack, y + slack)]

    def _time(self, low: float, high: float) -> Interval:
        t, h = self.panels.t[self.panel], self.panels.h[self.panel]
        lo, hi = t + (self.a + low * self.width) * h, t + (self.a + high * self.width) * h
        slack = EPSILON * np.maximum(np.abs(lo), np.abs(hi))
        return _columns((lo - slack)[:, None], (hi + slack)[:, None])[0]


def _columns(lo: Array, hi: Array) -> list[Interval]:
    deco = np.full(len(lo), CONTINUOUS, dtype=np.int8)
    return [Interval(a, b, deco) for a, b in zip(lo.T, hi.T, strict=True)]


# --- events: their values, and their ranges on pieces --------------------------------------------


class Located(Protocol):
    """A number along a motion, of which the changes of sign are looked for."""

    is_proved: bool  # whether ranges leave nothing out

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

    def near(self, t: float, y: Array) -> Interval:
        """At a state, as well as it is known."""

    def rate(self, t: float, y: Array, rates: Array) -> Interval:
        """Along the motion from a state whose numbers change at `rates`."""


@dataclass(frozen=True, eq=False)
class TracedEvent:
    """A compiled function of t, q and v: its ranges are those of its program."""

    function: Function[Any]
    cut: tuple[int, int]  # of a state, after q and after v
    is_proved = True

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
        made = evaluate(program, [own.get(i, ZERO) for i in range(program.arguments)])
        k = len(given[0].lo)
        return [Interval(*(np.broadcast_to(part, k) for part in x)) for x in made]

    def range(self, pieces: Pieces) -> tuple[Interval, Array]:
        """On pieces, and its decorations."""
        (made,) = self._run(self.function.program, pieces.ranges)
        return made, np.asarray(made.deco)

    def slope(self, pieces: Pieces, seen: Array) -> Interval:
        """Where it is continuous, by the derivatives of its program."""
        return self._along(pieces.ranges, pieces.rates, seen)

    def _along(self, given: list[Interval], rates: list[Interval], deco: Array) -> Interval:
        found = self._run(self.function.jacobian().program, given)
        total = ZERO
        for i, rate in zip([0, *(i + 1 for i in self.used)], rates, strict=True):
            total = RULES["add"](total, RULES["mul"](found[i], rate))
        return total._replace(deco=np.where(deco == CONTINUOUS, total.deco, PARTIAL))

    def at(self, pieces: Pieces, seen: Array, place: int) -> Interval:
        """At the start, the middle or the end."""
        return self._run(self.function.program, pieces.at(place))[0]

    def near(self, t: float, y: Array) -> Interval:
        """At a state whose numbers are rounded."""
        return self._run(self.function.program, self._box(t, y))[0]

    def rate(self, t: float, y: Array, rates: Array) -> Interval:
        """Along the motion."""
        slack = 4 * EPSILON * np.abs(rates)
        some = _columns(*((rates + s * slack)[None, self.used] for s in (-1, 1)))
        return self._along(self._box(t, y), [*_columns(ONE, ONE), *some], np.array([CONTINUOUS]))

    def _box(self, t: float, y: Array) -> list[Interval]:
        ends = (np.append(t, y[self.used])[None] for _ in range(2))
        lo, hi = (x + s * 4 * EPSILON * np.abs(x) for x, s in zip(ends, (-1, 1), strict=True))
        return _columns(lo, hi)


ZERO, ONE = point(0.0), np.ones((1, 1))


@dataclass(frozen=True, eq=False)
class CalledEvent:
    """A function that cannot be traced: the polynomial through places of a piece, and what its last
    coefficients leave open. No proof."""

    value: Callable[[Array, Array], Array]
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
    m, leaves = len(panels.t), [np.zeros((6, 0))]
    B = panels.B[:, :, event.used]
    error = 4 * EPSILON * np.abs(B).max(axis=1, initial=0.0) + panels.moved[:, event.used]
    todo, looked = [Pieces(panels, np.arange(m), np.zeros(m), 1.0, B, error)], 0

    def settle(p: Pieces, first: Array, last: Array, kind: int) -> None:
        leaves.append(np.stack([p.panel, p.a, p.a + p.width, first, last, [kind] * len(p)]))

    def ends(p: Pieces, seen: Array, kind: int) -> None:
        if len(p):
            settle(p, *(_side(event.at(p, seen, x), offset[p.panel]) for x in (START, END)), kind)

    while todo:
        now = todo.pop()
        if len(now) > AT_ONCE:
            todo += [now[AT_ONCE:], now[:AT_ONCE]]
            continue
        looked += len(now)
        value, seen = event.range(now)
        if looked > most:
            ends(now, seen, GIVEN_UP)
            continue
        s = _side(value, offset[now.panel])
        over = ((s != 0) & (value.deco >= DEFINED)) | (value.deco == EMPTY)
        empty = over & (value.deco == EMPTY)
        settle(now[empty], 0 * s[empty], 0 * s[empty], UNDEFINED)
        settle(now[over & ~empty], s[over & ~empty], s[over & ~empty], PROVED)
        now, seen, value = now[~over], seen[~over], Interval(*(x[~over] for x in value))
        if not len(now):
            continue
        slope, middle = event.slope(now, seen), event.at(now, seen, MIDDLE)
        sure = (slope.deco >= DEFINED) & np.isfinite(slope.hi - slope.lo)
        steep = 0.5 * (1 + 8 * EPSILON) * np.maximum(np.abs(slope.lo), np.abs(slope.hi))
        steep = np.where(sure, steep, np.inf)
        with np.errstate(invalid="ignore"):  # the mean value's range, where it is sharper
            lo, hi = np.fmax(value.lo, middle.lo - steep), np.fmin(value.hi, middle.hi + steep)
            s = _side(Interval(lo, hi), offset[now.panel]) * (sure | (value.deco >= DEFINED))
            bounded = np.isfinite(hi - lo)
            size = np.maximum(np.abs(lo - offset[now.panel]), np.abs(hi - offset[now.panel]))
            flat = bounded & (size <= ROUNDINGS * (middle.hi - middle.lo))
        one_way = (s == 0) & sure & ((slope.lo > 0) | (slope.hi < 0))
        t, h = panels.t[now.panel], panels.h[now.panel]
        least = now.width * h <= ROUNDINGS * EPSILON * np.maximum(np.abs(t), h)
        none = (s == 0) & ~one_way & (least | flat)
        vast = (s == 0) & ~one_way & ~none & ~bounded & (now.width <= VAST)
        settle(now[s != 0], s[s != 0], s[s != 0], PROVED)
        settle(now[none], s[none], s[none], TOUCH)
        ends(now[one_way], seen[one_way], PROVED)
        ends(now[vast], seen[vast], GIVEN_UP)
        rest = (s == 0) & ~one_way & ~none & ~vast
        if rest.any():
            todo.append(now[rest].halves())
    columns = np.concatenate(leaves, axis=1)
    columns = columns[:, np.lexsort((columns[1], columns[0]))]
    return Leaves(columns[0].astype(np.int64), *columns[1:5], columns[5].astype(np.int64))


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
) -> Crossings:
    """All changes of sign in some steps, in order.

    `signs` (N, E) are those that trajectories come with, 0 for what is not known; a trajectory that
    is `fresh` (N,), after a start or a jump, takes those that it begins with. `left` (N, E) says
    which events have just left zero. `most` has bounds of pieces, where they are not usual.
    """
    row, known, last = panels.row, signs.copy(), signs.copy()
    since, lost = np.full(signs.shape, np.inf), np.full(signs.shape, np.inf)
    begins = np.flatnonzero(np.append(True, row[1:] != row[:-1]))
    rows: list[tuple[Array, ...]] = []
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
        rows.append(_refined(e, event, panels, panel[change], low, share[change], s[change]))
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
    r, e, p, share, t, rises = (x[order] for x in columns)
    which = (x.astype(np.int64) for x in (r, e, p))
    return Crossings(*which, share, t, rises.astype(np.int64), known, since, last, lost, touches,
                     unsure)  # fmt: skip


def _refined(
    e: int, event: Located, panels: Panels, panel: Numbers, low: Array, high: Array, side: Array
) -> tuple[Array, ...]:
    """The last bit of the time of crossings, of all at once."""
    t, h = panels.t[panel], panels.h[panel]

    def f(which: Numbers, x: Array) -> Array:
        return event.value(t[which] + x * h[which], panels.states(panel[which], x))

    share = find_roots(f, low, high, side, EPSILON * np.maximum(np.abs(t), h) / h)
    return panels.row[panel], np.full(len(panel), e), panel, share, t + share * h, side
