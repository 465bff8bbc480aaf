"""All ways in which a mechanism can be put together while some joints are held.

Few unknown angles are searched exhaustively: boxes in which the rows cannot all be zero are thrown
away, in others Krawczyk's operator shows that there is one zero at most, the rest is halved. Where
nothing is left over, that proves that no other assembly exists. Otherwise Newton's steps start at
many random positions, and what they find is all that is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, frozen
from visviva.errors import ArgumentError
from visviva.progress import progress
from visviva.solve.assembly import VIOLATED, closed, newton, within
from visviva.solve.boxes import enclosures
from visviva.solve.certificate import near
from visviva.solve.rows import Rows, directions, periods

FEW = 3  # unknowns that are searched exhaustively
BATCH = 2048
MOST_BOXES = 150_000  # boxes looked at
SMALLEST = 1e-5  # of a box; what is left then is singular
SAME = 1e-6
OFF = 0.1 * np.sqrt(2)
MOST_TURNS = 20 * np.pi  # between limits, to list an angle at every turn


@dataclass(frozen=True, eq=False, repr=False)
class Assemblies:
    """Positions `q` (number, nq) in which the constraints hold; `proved` if there are no others."""

    name: str
    q: Array
    proved: bool
    starts: int  # random ones; 0 where everything was searched
    why: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", frozen(self.q))

    def __len__(self) -> int:
        return len(self.q)

    def __iter__(self) -> Iterator[Array]:
        return iter(self.q)

    def __getitem__(self, k: Any) -> Array:
        return self.q[k]

    def __repr__(self) -> str:
        count = f"{len(self)} assembl{'y' if len(self) == 1 else 'ies'}"
        lines = [f"{self.name}: {count}. {self.why}"]
        return "\n".join([*lines, *(f"  {np.array2string(q, precision=6)}" for q in self.q)])


def assemblies(
    s: Any, t: float = 0.0, fixed: Mapping[str, Any] | None = None, starts: int = 100
) -> Assemblies:
    """Proved to be all where few angles are unknown, else those that were found."""
    rows = Rows(s, t, fixed or {})
    start = rows.start()
    if not len(rows.free):
        there = [start] if closed(rows, start) else []
        return _told(rows, there, True, 0, "No joint is free")
    with progress(f"assemblies of {s.name}") as at:
        at.step("searching everywhere")
        searched = _searched(rows, start)
        if searched is not None:
            n = len(rows.free)
            why = f"{n} unknown{'s' if n > 1 else ''} searched everywhere, by intervals"
            return _told(rows, searched, True, 0, why)
        rng = np.random.default_rng(0)
        found: list[Array] = []
        for k in range(starts):
            at.step(f"start {k + 1} of {starts}")
            away = rng.uniform(-np.pi, np.pi, len(rows.free))
            there = newton(rows, rows.moved(start, away))
            if closed(rows, there):
                _refuse_motion(rows, there)
                _add(rows, found, there)
    why = f"Those that {starts} random starts led to; there may be more"
    return _told(rows, found, False, starts, why)


def _told(rows: Rows, found: list[Array], proved: bool, starts: int, why: str) -> Assemblies:
    s = rows.system
    endless = [i for i, k in rows.turning.items() if not s.upper[k] - s.lower[k] < MOST_TURNS]
    each = [[x for x in _wound(rows, q, endless) if within(s, x)] for q in found]
    kept = [x for some in each for x in some]
    outside = sum(not some for some in each)
    if outside:
        why += f"; {outside} more {'is' if outside == 1 else 'are'} outside of the limits of joints"
    if proved:
        inside = " within the limits" if outside else ""
        why += f": these are all{inside}, proved" if kept else f": there is none{inside}, proved"
    if kept and endless:
        names = [x for x, (_, part) in s.joint_slices.items() if {*range(s.nv)[part]} & {*endless}]
        why += f". Up to whole turns of {', '.join(names)}"
    array = np.array(kept).reshape(len(kept), s.nq)
    return Assemblies(s.name, array, proved, starts, f"{why}.")


def _wound(rows: Rows, q: Array, endless: list[int]) -> list[Array]:
    """The same with angles as often as limits admit them; endless ones nearest to the start."""
    s, home = rows.system, rows.start()
    turns = []
    for i, k in rows.turning.items():
        low = np.ceil((s.lower[k] - VIOLATED - q[k]) / (2 * np.pi))
        high = np.floor((s.upper[k] + VIOLATED - q[k]) / (2 * np.pi))
        nearest = np.clip(np.round((home[k] - q[k]) / (2 * np.pi)), low, max(low, high))
        turns.append([nearest] if i in endless else np.arange(low, high + 1))
    shifted = []
    for some in product(*turns):
        x = q.copy()
        x[list(rows.turning.values())] += 2 * np.pi * np.array(some)
        shifted.append(x)
    return shifted


def _add(rows: Rows, found: list[Array], q: Array) -> None:
    if all(np.abs(rows.apart(x, q)).max() > SAME for x in found):
        found.append(q)


def _refuse_motion(rows: Rows, q: Array) -> None:
    N = directions(rows.slope(q))[0]
    for x in (*N.T, *-N.T):
        beside = newton(rows, rows.moved(q, 0.05 * x))
        if closed(rows, beside) and np.abs(rows.apart(q, beside)).max() > 0.01:
            held = ", ".join(rows.fixed) or "none"
            raise ArgumentError(
                f"assemblies of {rows.system.name!r} are no single positions: with these joints "
                f"held ({held}) it still moves in {N.shape[1]} ways; hold more of "
                f"{', '.join(x for x in rows.system.joint_names if x not in rows.fixed)}"
            )


def _searched(rows: Rows, start: Array) -> list[Array] | None:
    """All zeros of φ in steps from a start, of up to few angles; None where that is not settled."""
    n = len(rows.free)
    if n > FEW or rows.count < n or not rows.circular[rows.free].all():
        return None
    phi = near(rows, "constraint_conditions")
    slope = phi.jacobian("step")
    if not periods(phi.program)[-n:].all():
        return None
    pieces = 8
    # the start is often an assembly, or symmetric to one: no edge goes through it
    edges = np.linspace(-np.pi, np.pi, pieces + 1) + OFF
    corners = np.stack(np.meshgrid(*[np.arange(pieces)] * n, indexing="ij"), -1).reshape(-1, n)
    lo, hi = edges[corners] - 1e-7, edges[corners + 1] + 1e-7
    found: list[Array] = []
    looked = 0
    while len(lo):
        looked += len(lo[:BATCH])
        if looked > MOST_BOXES:
            return None
        (a, b), (lo, hi) = (lo[:BATCH], hi[:BATCH]), (lo[BATCH:], hi[BATCH:])
        low, high, _ = enclosures(phi, start, a, b)
        possible = ((low <= 0) & (high >= 0)).all(axis=1)
        a, b = a[possible], b[possible]
        if not len(a):
            continue
        a, b, single = _krawczyk(phi, slope, start, a, b)
        for x, y in zip(a[single], b[single], strict=True):
            there = newton(rows, rows.moved(start, _zero(phi, slope, start, (x + y) / 2)))
            if closed(rows, there) and _inside(rows, start, there, x, y):
                _add(rows, found, there)
        a, b = a[~single], b[~single]
        if len(a) and (b - a).max(axis=1).min() < SMALLEST:
            return None
        halves = _halved(a, b)
        lo, hi = np.concatenate([halves[0], lo]), np.concatenate([halves[1], hi])
    return found


def _zero(phi: Any, slope: Any, q: Array, step: Array) -> Array:
    """The one zero in a box, by Newton's steps from its middle."""
    for _ in range(4):
        step = step - np.linalg.pinv(np.asarray(slope(q, step))) @ np.asarray(phi(q, step))
    return step


def _inside(rows: Rows, start: Array, q: Array, lo: Array, hi: Array) -> bool:
    """Whether a zero is the one of this box; a neighbour's is found there."""
    middle = rows.moved(start, (lo + hi) / 2)
    step = rows.apart(middle, q)[rows.free]
    return bool((np.abs(step) <= (hi - lo) / 2 + 1e-6).all())


def _krawczyk(phi: Any, slope: Any, q: Array, a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Boxes that may have zeros, shrunk; and whether they have one at most."""
    low, high, doubt = enclosures(slope, q, a, b)
    usable = np.isfinite(low).all(axis=(1, 2)) & np.isfinite(high).all(axis=(1, 2))
    usable &= ~doubt.any(axis=(1, 2))
    middle, radius = (a + b) / 2, (b - a) / 2
    low, high = (np.where(usable[:, None, None], x, y) for x, y in ((low, -1.0), (high, 1.0)))
    center, spread = (low + high) / 2, (high - low) / 2
    C = np.linalg.pinv(center)
    vlow, vhigh, _ = enclosures(phi, q, middle, middle)
    value, slack = (vlow + vhigh) / 2, (vhigh - vlow) / 2
    size = np.abs(C)
    eye = np.eye(a.shape[1])
    # |1 - C J| over the box: of its middle, which rounding leaves, and of its spread
    off = np.abs(eye - C @ center) + size @ spread + 1e-13
    reach = np.einsum("bij,bj->bi", off, radius) + np.einsum("bij,bj->bi", size, slack) + 1e-15
    new = middle - np.einsum("bij,bj->bi", C, value)
    low1, high1 = np.maximum(a, new - reach), np.minimum(b, new + reach)
    single = usable & (np.abs(new - middle) + reach < radius).all(axis=1)
    empty = usable & (low1 > high1).any(axis=1)
    # only what the rows decide in full may be thrown away or shrunk
    full = usable & (off.sum(axis=2).max(axis=1) < 1.0)
    keep = ~(empty & full)
    a1 = np.where(full[:, None] & ~empty[:, None], low1, a)
    b1 = np.where(full[:, None] & ~empty[:, None], high1, b)
    return a1[keep], b1[keep], single[keep]


def _halved(a: Array, b: Array) -> tuple[Array, Array]:
    widest = np.argmax(b - a, axis=1)
    k = np.arange(len(a))
    cut = ((a + b) / 2)[k, widest]
    low, high = a.copy(), b.copy()
    low[k, widest], high[k, widest] = cut, cut
    return np.concatenate([a, low]), np.concatenate([high, b])
