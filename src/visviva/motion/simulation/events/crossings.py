"""Where events change sign inside steps, to the last bit.

Every step is looked at in `checks` places, and where |g| has a minimum between them, at that
minimum too: so two zeros between two places are found unless g turns back twice between them. The
first step after a start or a jump is looked at in places that come nearer and nearer to it. What
is zero there, as well as rounding lets it be told, has no sign: that it leaves zero is no crossing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from visviva.machine.run.call import Array
from visviva.motion.simulation.events.event import Watch

HALVED = 40  # places between a start and the first of these, each half as far from it
EPSILON = 2.0**-52
_HALVINGS = 100  # of a bracket at most; about eight are needed
GOLDEN = (5**0.5 - 1) / 2
NARROWINGS = 32  # around a minimum
FLAT = 1e-3  # of a value: where two of a bracket differ by less, none in it is much smaller

Numbers = np.ndarray[Any, np.dtype[np.int64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]


class Panels(Protocol):
    """Steps of some trajectories, one after the other, those of one trajectory together."""

    @property
    def row(self) -> Numbers:
        """Of which trajectory a step is, (m,)."""

    @property
    def t(self) -> Array:
        """When it begins, (m,)."""

    @property
    def h(self) -> Array:
        """Its length, (m,)."""

    @property
    def fresh(self) -> Flags:
        """Whether a motion begins with it, (m,)."""

    @property
    def checks(self) -> int:
        """In how many places a step is looked at."""

    def states(self, which: Numbers, share: Array) -> tuple[Array, Array, Array]:
        """q, v and x (k, …) in steps `which` (k,) after a share of their lengths (k,)."""


@dataclass(frozen=True, eq=False)
class Crossings:
    """Changes of sign, by trajectory and time; and signs of every trajectory and event (N, E).

    `known` are the first signs that were seen, at the times `since`; `last` those at the end.
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
    lost: Array  # (N,), the first time at which an event is no number, inf without one
    which_lost: Numbers  # (N,), which event
    noise: Array  # (N, E), below which an event was taken for zero at first


def crossings(watch: Watch, panels: Panels, signs: Array, floors: Array) -> Crossings:
    """All of them in some steps; `signs` (N, E) are those that events had before, 0: none.

    `floors` (N, E): what was left of events that have just happened.
    """
    which, share = _places(panels)
    q, v, _ = panels.states(which, share)
    t = panels.t[which] + share * panels.h[which]
    row = panels.row[which]
    first = np.append(True, row[1:] != row[:-1])
    values = watch.values(t, q, v)
    own = row[first]
    noise = np.zeros(signs.shape)
    ends = np.append(np.flatnonzero(first)[1:], len(t)) - 1
    y = np.abs(np.concatenate([t[:, None], q, v], axis=1))
    sizes = np.maximum(y[first], y[ends])
    noise[own] = watch.noise(t[first], q[first], v[first], sizes) + floors[own]
    known, since, last = signs.copy(), np.full(signs.shape, np.inf), signs.copy()
    lost, which_lost = np.full(len(signs), np.inf), np.zeros(len(signs), dtype=np.int64)
    fresh = panels.fresh[which]
    found: list[tuple[Any, ...]] = []
    for e in range(values.shape[1]):
        g = values[:, e]
        below = np.abs(g) <= noise[row, e]
        s = np.where((fresh | first) & below, 0.0, np.sign(g))
        s = np.where(np.isfinite(g), s, 0.0)
        s[first] = np.where(s[first] == 0.0, signs[own, e], s[first])
        for j in np.flatnonzero(~np.isfinite(g))[::-1]:
            if t[j] <= lost[row[j]]:
                lost[row[j]], which_lost[row[j]] = t[j], e
        seen = np.where((s != 0.0) | first, np.arange(len(s)), 0)
        seen = np.maximum.accumulate(seen)  # the last place that has a sign, or the first of a row
        filled = s[seen]
        signed = np.flatnonzero(s != 0.0)[::-1]  # backwards: of a row the first one stays
        known[row[signed], e], since[row[signed], e] = s[signed], t[signed]
        last[row[ends], e] = filled[ends]
        brackets = _brackets(s, filled, seen, first, which, share)
        brackets += _dips(watch, panels, e, g, s, first, which, share)
        if brackets:
            found += _roots(watch, panels, e, brackets)
    found.sort(key=lambda x: (x[0], x[4], x[1]))
    columns: list[Any] = list(zip(*found, strict=True)) if found else [[]] * 6
    kinds = (np.int64, np.int64, np.int64, float, float, np.int64)
    arrays: list[Any] = [np.array(x, dtype=k) for x, k in zip(columns, kinds, strict=True)]
    arrays += [known, since, last, lost, which_lost, noise]
    return Crossings(*arrays)


def _places(panels: Panels) -> tuple[Numbers, Array]:
    """Steps and shares of them at which events are looked at, in order."""
    count, checks = len(panels.row), panels.checks
    first = np.append(True, panels.row[1:] != panels.row[:-1])
    every = np.arange(1, checks + 1) / checks
    near = 0.5 ** np.arange(1, HALVED + 1) / checks
    new = np.flatnonzero(first & panels.fresh)
    which = [
        np.repeat(np.arange(count), checks),
        np.flatnonzero(first),
        np.repeat(new, HALVED),
    ]
    share = [np.tile(every, count), np.zeros(int(first.sum())), np.tile(near, len(new))]
    steps, shares = np.concatenate(which), np.concatenate(share)
    order = np.lexsort((shares, steps))
    return steps[order], shares[order]


Bracket = tuple[int, float, float, float]  # the step, shares of it, the sign at the second


def _brackets(
    s: Array, filled: Array, seen: Numbers, first: Any, which: Numbers, share: Array
) -> list[Bracket]:
    """Between two places with different signs; one place, if there are exact zeros between them."""
    before = np.append(0.0, filled[:-1])
    made: list[Bracket] = []
    for j in np.flatnonzero((before * s < 0.0) & ~first):
        zero = seen[j - 1] + 1
        if zero < j:
            made.append((int(which[zero]), float(share[zero]), float(share[zero]), float(s[j])))
        else:
            start = float(share[j - 1]) if which[j - 1] == which[j] else 0.0
            made.append((int(which[j]), start, float(share[j]), float(s[j])))
    return made


def _dips(
    watch: Watch,
    panels: Panels,
    e: int,
    g: Array,
    s: Array,
    first: Any,
    which: Numbers,
    share: Array,
) -> list[Bracket]:
    """Between two places with one sign, where |g| has a minimum across zero from both."""
    size, count = np.abs(g), len(g)
    pair = np.flatnonzero(~first[1:] & (s[1:] * s[:-1] > 0.0))  # of places j and j + 1
    if not len(pair):
        return []
    left = (pair > 0) & ~first[pair]
    right = (pair + 2 < count) & ~np.append(first, True)[np.minimum(pair + 2, count)]
    a, b = size[pair], size[pair + 1]
    before = np.where(left, size[pair - 1], np.inf)
    after = np.where(right, size[np.minimum(pair + 2, count - 1)], np.inf)
    fall = np.where(left, before - a, 0.0)
    rise = np.where(right, after - b, 0.0)
    steep = np.maximum(np.abs(a - b), np.maximum(fall, rise))
    some = pair[(before >= a) & (after >= b) & (np.minimum(a, b) <= steep)]
    if not len(some):
        return []
    panel = which[some + 1]
    low = np.where(which[some] == panel, share[some], 0.0)
    high, sign = share[some + 1], s[some]

    def value(x: Array) -> Array:
        q, v, _ = panels.states(panel, x)
        return np.asarray(sign * watch.value(e, panels.t[panel] + x * panels.h[panel], q, v))

    x, y = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    lo, hi, gx, gy = low.copy(), high.copy(), value(x), value(y)
    at, least = np.where(gx < gy, x, y), np.minimum(gx, gy)
    for _ in range(NARROWINGS):
        go = gx < gy
        lo, hi = np.where(go, lo, x), np.where(go, y, hi)
        new = np.where(go, hi - GOLDEN * (hi - lo), lo + GOLDEN * (hi - lo))
        gn = value(new)
        x, y, gx, gy = (
            np.where(go, new, y), np.where(go, x, new), np.where(go, gn, gy), np.where(go, gx, gn),
        )  # fmt: skip
        at, least = np.where(gn < least, new, at), np.minimum(least, gn)
        if ((least < 0.0) | (np.abs(gx - gy) < FLAT * least)).all():
            break  # what is left of the bracket cannot reach zero
    made: list[Bracket] = []
    for k in np.flatnonzero(least < 0.0):
        made.append((int(panel[k]), float(low[k]), float(at[k]), -float(sign[k])))
        made.append((int(panel[k]), float(at[k]), float(high[k]), float(sign[k])))
    return made


def _roots(watch: Watch, panels: Panels, e: int, brackets: list[Bracket]) -> list[tuple[Any, ...]]:
    """(trajectory, event, step, share, t, direction) of every bracket."""
    panel = np.array([x[0] for x in brackets], dtype=np.int64)
    low, high, sign = (np.array([x[k] for x in brackets]) for k in (1, 2, 3))
    t, h = panels.t[panel], panels.h[panel]

    def value(which: Numbers, x: Array) -> Array:
        own = panel[which]
        q, v, _ = panels.states(own, x)
        return watch.value(e, t[which] + x * h[which], q, v)

    share = zeros(value, low, high, sign, EPSILON * np.maximum(np.abs(t), h) / h)
    row, when = panels.row[panel], t + share * h
    numbers = zip(row, panel, share, when, sign, strict=True)
    return [(int(r), e, int(p), float(x), float(w), int(s)) for r, p, x, w, s in numbers]


def zeros(
    f: Callable[[Numbers, Array], Array], low: Array, high: Array, sign: Array, width: Array
) -> Array:
    """x (k,) with f(number, x) = 0 between `low` and `high`, where f has the sign (k,) at `high`.

    By Chandrupatla's method: inverse quadratic interpolation where it is sure to gain, halving
    where it is not, until a bracket is as narrow as `width` (k,). All at once.

    Examples:
        >>> import numpy as np
        >>> ones = np.ones(2)
        >>> zeros(lambda k, x: x**2 - np.array([2.0, 3.0])[k], ones, 2 * ones, ones, 1e-16 * ones)
        array([1.41421356, 1.73205081])
    """
    found = np.where(low == high, low, np.nan)
    which = np.flatnonzero(low != high)
    if not len(which):
        return found
    a, b = high[which], low[which]  # the newest place, and that on the other side of the zero
    fa, fb = f(which, a), f(which, b)
    at_low = fb * sign[which] >= 0.0  # where it begins it is zero already, but for rounding
    found[which[at_low]] = b[at_low]
    keep = ~at_low
    which, a, b, fa, fb = which[keep], a[keep], b[keep], fa[keep], fb[keep]
    share = np.full(len(which), 0.5)
    for _ in range(_HALVINGS):
        if not len(which):
            break
        x = a + share * (b - a)
        fx = f(which, x)
        same = np.sign(fx) == np.sign(fa)
        c, fc = np.where(same, a, b), np.where(same, fa, fb)
        b, fb = np.where(same, b, a), np.where(same, fb, fa)
        a, fa = x, fx
        best = np.where(np.abs(fa) < np.abs(fb), a, b)
        gap = np.abs(b - a)
        over = (fa == 0.0) | (gap <= 2.0 * width[which]) | ((x == b) | (x == c))
        over |= ~np.isfinite(fa)
        found[which[over]] = np.where(fa == 0.0, a, best)[over]
        with np.errstate(all="ignore"):
            xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
            gains = (phi * phi < xi) & ((1.0 - phi) ** 2 < 1.0 - xi)
            curved = fa / (fb - fa) * fc / (fb - fc)
            curved += (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
            share = np.where(gains & np.isfinite(curved), curved, 0.5)
            least = np.minimum(width[which] / gap, 0.5)
        share = np.clip(share, least, 1.0 - least)
        which, a, b, fa, fb, share = (
            which[~over], a[~over], b[~over], fa[~over], fb[~over], share[~over],
        )  # fmt: skip
    found[which] = np.where(np.abs(fa) < np.abs(fb), a, b)
    return found
