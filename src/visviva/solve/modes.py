"""All ways in which a mechanism can be put together while some joints are held.

Few unknown angles are searched exhaustively (`search`). Where nothing is left over, that proves
that no other assembly exists. Otherwise Newton's steps start at many random positions, and what
they find is all that is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, frozen
from visviva.errors import ArgumentError, by_names
from visviva.numerics.intervals import enclose
from visviva.numerics.zeros import find_zeros
from visviva.progress import progress
from visviva.solve.assembly import VIOLATED, closed, newton, within
from visviva.solve.certificate import near
from visviva.solve.rows import Rows, directions, periods

FEW = 3  # unknowns that are searched exhaustively
SAME = 1e-6
OFF = 0.1 * np.sqrt(2)
NEAR_ONES = 4  # one of so many random starts is nearer than half a turn
MOST_TURNS = 20 * np.pi  # between limits, to list an angle at every turn


@dataclass(frozen=True, eq=False, repr=False)
class Assemblies:
    """Positions `q` (number, nq) in which the constraints hold; `proved` if there are no others."""

    name: str
    q: FloatArray
    proved: bool
    starts: int  # random ones; 0 where everything was searched
    why: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", frozen(self.q))

    def __len__(self) -> int:
        return len(self.q)

    def __iter__(self) -> Iterator[FloatArray]:
        return iter(self.q)

    def __getitem__(self, k: Any) -> FloatArray:
        q: FloatArray = self.q[k]
        return q

    def __repr__(self) -> str:
        count = f"{len(self)} assembl{'y' if len(self) == 1 else 'ies'}"
        lines = [f"{self.name}: {count}. {self.why}"]
        return "\n".join([*lines, *(f"  {np.array2string(q, precision=6)}" for q in self.q)])


def assemblies(
    s: Any, t: Any = 0.0, fixed: Mapping[str, Any] | None = None, starts: int = 100
) -> Assemblies:
    """Proved to be all where few angles are unknown, else those that were found."""
    if isinstance(t, Mapping):  # joints that are held
        t, fixed = 0.0, by_names("assemblies", t, fixed or {})
    rows = Rows(s, t, fixed or {})
    start = rows.start()
    if not len(rows.free):
        only = [start] if closed(rows, start) else []
        return _told(rows, only, True, 0, "No joint is free")
    with progress(f"assemblies of {s.name}") as at:
        at.step("searching everywhere")
        searched = _searched(rows, start)
        if searched is not None:
            n = len(rows.free)
            why = f"{n} unknown{'s' if n > 1 else ''} searched everywhere, by intervals"
            return _told(rows, searched, True, 0, why)
        rng = np.random.default_rng(0)
        found: list[Array] = []
        for k in range(starts + 1):  # where it begins, then at random, the near ones first
            at.step(f"start {k} of {starts}")
            away = min(1.0, NEAR_ONES * k / starts) * rng.uniform(-np.pi, np.pi, len(rows.free))
            there = newton(rows, rows.moved(start, away))
            if closed(rows, there):
                _refuse_motion(rows, there)
                _add(rows, found, there)
    why = (
        f"Those that the start of assembled() and {starts} random starts led to; there may be more"
    )
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
                f"{_driven(rows, q, N.shape[1])}"
            )


def _driven(rows: Rows, q: Array, ways: int) -> str:
    """The line that holds the joints with motors, if these are as many as there are ways."""
    s = rows.system
    passive = getattr(s, "passive", ())
    own = {x: part for x, (part, _) in s.joint_slices.items() if x not in (*rows.fixed, *passive)}
    if not passive or len(own) != ways or any(len(q[part]) != 1 for part in own.values()):
        return ""
    held = {x: rows.start()[part].round(6).item() for x, part in own.items()}
    return f"; those with motors are held by fixed={dict(rows.fixed) | held}"


def _searched(rows: Rows, start: Array) -> list[Array] | None:
    """All zeros of φ in steps from a start, of up to few angles; None where that is not settled."""
    n = len(rows.free)
    if n > FEW or rows.count < n or not rows.circular[rows.free].all():
        return None
    phi = near(rows, "constraint_conditions")
    slope = phi.jacobian("step")
    if not periods(phi.program)[-n:].all():
        return None
    # the start is often an assembly, or symmetric to one: no edge goes through it
    low = np.full(n, OFF - np.pi)
    value, slopes = (lambda a, b, f=f: enclose(f, start, a, b) for f in (phi, slope))
    zeros = find_zeros(value, slopes, low, low + 2 * np.pi)
    if len(zeros.open) or len(zeros.flat):
        return None
    found: list[Array] = []
    for x, y in zeros.single:
        there = newton(rows, rows.moved(start, (x + y) / 2))
        if closed(rows, there) and _inside(rows, start, there, x, y):
            _add(rows, found, there)
    return found


def _inside(rows: Rows, start: Array, q: Array, lo: Array, hi: Array) -> bool:
    """Whether a zero is the one of this box; a neighbour's is found there."""
    middle = rows.moved(start, (lo + hi) / 2)
    step = rows.apart(middle, q)[rows.free]
    return bool((np.abs(step) <= (hi - lo) / 2 + 1e-6).all())
