"""`Mobility`: in how many ways a mechanism moves, and how sure that is.

Grübler counts bodies and joints; whether lengths and angles let the mechanism move is seen from the
rows of its constraints. Where they are independent at an assembly that surely exists, the theorem
of implicit functions proves the motion; where they leave no direction, none is possible. Between
lie mechanisms that move although rows depend on each other: those are followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, frozen
from visviva.progress import progress
from visviva.solve import certificate
from visviva.solve.assembly import assembled, check_state, closed, newton, within
from visviva.solve.counting import counted
from visviva.solve.following import MOST_STEPS, Way, beside, followed
from visviva.solve.idle import idle
from visviva.solve.lines import line_through
from visviva.solve.orders import BLOCKED, HIGHEST, blocked_order, second_orders
from visviva.solve.rows import NO_ROW, RANK, VANISHING, Rows, directions

PROVED_MOBILE, MOVED, PROVED_RIGID, UNDECIDED = (
    "proved mobile",
    "moved",
    "proved rigid",
    "undecided",
)
SIZES = (0.1, 0.02, 0.3)  # how far beside a position others are looked for
STRETCH = 200  # steps, where there are several directions, in all of them together
ENOUGH = 10  # steps, to call it a motion
RESIDUAL = 1e-12
_STARTS = 24  # random ones, whose positions are compared
_STEP_BESIDE = 0.02  # radians and metres
UNCLEAR = (1e-12, 1e-6)  # lengths and singular values of rows, to the largest
MAX_LINES = 8  # coordinates of a position


@dataclass(frozen=True, eq=False, repr=False)
class Mobility:
    """What is known of the mobility of a mechanism at a position `q`.

    `counted` is Grübler's number and `formula` how it was counted; `true` the number of independent
    motions through q, None where that is undecided; `verdict` how sure that is and `why` says it in
    a sentence. `redundant` are rows that the others imply, `idle` joints with a freedom that moves
    nothing else. `instantaneous` are the freedoms that rows about positions leave at q itself,
    `freedoms` those of velocity: rolling takes some of these and none of mobility. `others` has
    positions that random starts led to, by the number of freedoms that the rows leave there, where
    that is another one than at q and beside it: another assembly, or links that coincide in one.
    """

    name: str
    counted: int
    formula: str
    where: str
    true: int | None
    verdict: str
    why: str
    redundant: tuple[str, ...]
    idle: tuple[str, ...]
    instantaneous: int
    freedoms: int
    q: FloatArray
    motions: Mapping[str, FloatArray] = field(default_factory=dict)  # of idle freedoms
    others: Mapping[int, FloatArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", frozen(self.q))
        object.__setattr__(self, "motions", MappingProxyType(dict(self.motions)))
        others = {count: frozen(q) for count, q in self.others.items()}
        object.__setattr__(self, "others", MappingProxyType(others))

    def __repr__(self) -> str:
        mobility = "undecided" if self.true is None else f"{self.true} ({self.verdict})"
        position = f", at q = {_as_text(self.q)}" if self.others else ""
        lines = [
            f"{self.name}: mobility {mobility}{position}",
            f"  {self.why}",
            f"  Grübler counts {self.counted} {self.where}: {self.formula}{self._difference()}",
        ]
        if self.redundant:
            some = ", ".join(self.redundant[:6]) + (", …" if len(self.redundant) > 6 else "")
            lines.append(f"  The other rows imply {some}")
        if self.idle:
            lines.append(
                f"  {len(self.idle)} of these freedoms move nothing else: {', '.join(self.idle)}"
            )
        if self.instantaneous != self.true:
            lines.append(
                f"  At q itself {self.instantaneous} motions are free to first order: "
                "the position is singular"
            )
        if self.freedoms != self.instantaneous:
            lines.append(
                f"  Velocities have {self.freedoms} freedoms: rows about velocities alone "
                "(rolling, knife edges) take the others"
            )
        for count, q in self.others.items():
            lines.append(
                f"  Elsewhere it differs: {count} motion{'s are' if count != 1 else ' is'} free to "
                f"first order at q = {_as_text(q)}; mobility(q) judges that position"
            )
        return "\n".join(lines)

    def _difference(self) -> str:
        if self.true is None or self.counted == self.true:
            return ""
        if self.counted < self.true:
            return "; it moves more, because rows that it counts say nothing new"
        return "; it moves less, because lengths and angles leave it no other position"


def _as_text(q: Array) -> str:
    numbers = ", ".join(f"{x + 0.0:.4g}" for x in q[:MAX_LINES])
    return f"[{numbers}{', …' if len(q) > MAX_LINES else ''}]"


@dataclass(frozen=True)
class _Finding:
    true: int | None
    verdict: str
    why: str
    at: Array  # a position that shows what is usual


def mobility(s: Any, q: Any = None, t: float = 0.0) -> Mobility:
    """At a position, or at the one that `assembled()` finds."""
    rows = Rows(s, t)
    with progress(f"mobility of {s.name}") as at:
        if q is None:
            q = assembled(s, None, t)
        else:
            check_state(s, q, None, t)
            q = newton(rows, np.array(q, dtype=float), steps=3)
        at.step("rows at the position")
        A = rows.slope(q)
        N, _ = directions(A)
        finding = _finding(rows, q, N)
        none = NO_ROW
        if finding.verdict == UNDECIDED and not N.shape[1]:
            nearly, _ = directions(A, none=VANISHING)  # of rows that vanish rounding may be left
            if nearly.shape[1] and (moving := _moving(rows, q, nearly)):
                finding, N, none = moving, nearly, VANISHING
        at.step("idle freedoms")
        motions = idle(s, rows, finding.at)
        count = counted(s, rows)
        at.step("other assemblies")
        usual = {finding.true, N.shape[1], rows.system.nv if not rows.count else None}
        others = {k: x for k, x in _freedoms_elsewhere(rows).items() if k not in usual}
        return Mobility(
            s.name,
            *count,
            finding.true,
            finding.verdict,
            finding.why,
            _redundant(rows, finding.at),
            tuple(motions),
            N.shape[1],
            _velocity_freedoms(rows, q, none),
            q,
            motions,
            others,
        )


def _freedoms_elsewhere(rows: Rows) -> dict[int, Array]:
    """How many motions are free to first order where random starts lead, with a position each.

    A step beside it, as Newton's method is drawn to singular positions, where more are free. It
    comes near to those only: what is neither zero nor not is left out.
    """
    rng, n = np.random.default_rng(0), len(rows.free)
    positions: dict[int, Array] = {}
    for _ in range(_STARTS if rows.count else 0):
        q = newton(rows, rows.moved(rows.start(), rng.uniform(-np.pi, np.pi, n)))
        q = newton(rows, rows.moved(q, _STEP_BESIDE * rng.normal(size=n)))
        if closed(rows, q) and within(rows.system, q):
            A = rows.slope(q)
            free, sizes = directions(A)
            if not _is_unclear(np.linalg.norm(A, axis=1)) and not _is_unclear(sizes):
                positions.setdefault(free.shape[1], q)
    return positions


def _is_unclear(sizes: Array) -> bool:
    """Whether some are neither zero nor not."""
    low, high = (x * sizes.max(initial=0.0) for x in UNCLEAR)
    return bool(((sizes > low) & (sizes < high)).any())


def _finding(rows: Rows, q: Array, N: Array) -> _Finding:
    if not rows.count:
        return _Finding(rows.system.nv, PROVED_MOBILE, "No constraint on positions holds it.", q)
    if not N.shape[1]:
        return _rigid(rows, q)
    return _independent(rows, q, N) or _moving(rows, q, N) or _stuck(rows, q, N)


def _rigid(rows: Rows, q: Array) -> _Finding:
    radius = certificate.RADII[0]
    least = certificate.full_rank(rows, q, None, radius)
    if least:
        why = (
            f"No motion is free even to first order: the smallest singular value of the rows is at "
            f"least {least:.2g} wherever they hold within {radius:g} of q."
        )
        return _Finding(0, PROVED_RIGID, why, q)
    why = "The rows leave no direction, but too nearly one to prove it."
    return _Finding(None, UNDECIDED, why, q)


def _independent(rows: Rows, q: Array, N: Array) -> _Finding | None:
    """Mobile for certain, where rows that say something at all are independent."""
    empty = certificate.empty_rows(rows)
    chosen = [k for k in range(rows.count) if k not in empty]
    if len(rows.free) - N.shape[1] != len(chosen):
        return None
    radius = certificate.holds_nearby(rows, q, chosen)
    least = certificate.full_rank(rows, q, chosen, radius) if radius and chosen else radius
    if not least:
        return None
    true = len(rows.free) - len(chosen)
    left_out = f"; {len(empty)} more are zero in every motion" if empty else ""
    why = (
        f"The {len(chosen)} rows are independent at an assembly that exists within {radius:.0e} of "
        f"q{left_out}: by the implicit function theorem {true} of {len(rows.free)} coordinates "
        "are free."
    )
    if not chosen:
        why = "No motion changes any row of its constraints: what holds it holds at all positions."
    return _Finding(true, PROVED_MOBILE, why, q)


def _moving(rows: Rows, q: Array, N: Array) -> _Finding | None:
    """Mobile as far as it was followed."""
    rng = np.random.default_rng(0)
    ways = [*N.T, *-N.T, *(rng.normal(size=(4 * N.shape[1], N.shape[1])) @ N.T)]
    onward = [v for size, v in second_orders(rows, q, N) if size <= BLOCKED]
    ways = [*onward, *(-v for v in onward), *ways]
    others = []
    for size in SIZES:
        units = [x / np.linalg.norm(x) for x in ways]
        others += [y for x in units if (y := beside(rows, q, x, size)) is not None]
        if others:
            break
    usual = [(y, directions(rows.slope(y))[0]) for y in others]
    usual.sort(key=lambda pair: -pair[1].shape[1])
    for there, M in usual:
        if not M.shape[1]:
            continue
        true = M.shape[1]
        most = max(20, STRETCH // true) if true > 1 else MOST_STEPS
        walked, far = [], True
        for x in M.T:  # every one of them has to go on, forwards or backwards
            own = [followed(rows, there, x, most)]
            if own[0].steps < ENOUGH or (true == 1 and not own[0].is_cycle):
                own.append(followed(rows, there, -x, most))
            far = far and max(w.steps for w in own) >= ENOUGH
            walked += own
        if far and all(w.residual <= RESIDUAL for w in walked):
            line = line_through(rows, there, M[:, 0]) if true == 1 else ""
            if line:
                why = (
                    f"{line}: put into the rows this leaves exactly zero for every s. "
                    f"{_told(rows, there, walked)}"
                )
                return _Finding(true, PROVED_MOBILE, why, there)
            return _Finding(true, MOVED, _told(rows, there, walked), there)
    return None


def _told(rows: Rows, q: Array, walked: list[Way]) -> str:
    rank = len(rows.free) - directions(rows.slope(q))[0].shape[1]
    ways = "; ".join(map(str, walked[:2])) + (" …" if len(walked) > 2 else "")
    return (
        f"Of {rows.count} rows only {rank} are independent, along the whole motion: it was "
        f"followed {ways}."
    )


def _stuck(rows: Rows, q: Array, N: Array) -> _Finding:
    """Free to first order, and no further."""
    f = N.shape[1]
    size, v = second_orders(rows, q, N)[0]
    order = 2 if size > BLOCKED else blocked_order(rows, q, v) if f == 1 else 0
    free = f"{f} motion{'s are' if f > 1 else ' is'} free to first order"
    if order:
        why = f"{free.capitalize()}, and none of them goes on to order {order}."
        return _Finding(0, f"rigid to order {order}", why, q)
    why = f"{free.capitalize()}; it could not be followed, and no order up to {HIGHEST} forbids it."
    return _Finding(None, UNDECIDED, why, q)


def _redundant(rows: Rows, q: Array) -> tuple[str, ...]:
    """Rows that those before them imply; a constraint of which that is true as a whole by name."""
    A = rows.slope(q)
    length = np.linalg.norm(A, axis=1)
    kept: list[Array] = []
    implied = []
    for k, row in enumerate(A):
        rest = row / length[k] if length[k] > 1e-11 else row * 0.0
        for e in (*kept, *kept):
            rest = rest - e * (e @ rest)
        size = float(np.linalg.norm(rest))
        if size > RANK:
            kept.append(rest / size)
        else:
            implied.append(k)
    return rows.named(implied)


def _velocity_freedoms(rows: Rows, q: Array, none: float) -> int:
    if not rows.system.held_by:
        return int(rows.system.nv)
    return int(directions(rows.matrix(q), none=none)[0].shape[1])
