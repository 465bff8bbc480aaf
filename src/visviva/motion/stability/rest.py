"""Where forces balance: all positions of rest of a system that nothing constrains.

The unknowns are the coordinates on which forces depend; they are searched by intervals where there
are few of them and no charts, else from random starts. Every position that is found is then proved
by Krawczyk's operator on a small box about it, if it can be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.algebra.expr import CONSTANT
from visviva.equations.forces.weights import carriages
from visviva.machine.function import Function, function
from visviva.machine.program.laws import has_conditions
from visviva.motion.stability.balance import Balance
from visviva.motion.stability.loads import Loads
from visviva.motion.stability.place import weighed
from visviva.numerics.evidence import By, Enclosed, Evidence, Proved, Sampled, clusters, weakest
from visviva.numerics.intervals import CONTINUOUS, EPS, Enclosure, enclose
from visviva.numerics.newton import NewtonOptions, newton
from visviva.numerics.zeros import find_zeros, prove_zeros
from visviva.solve.rows import by_whole_turns, dependence, periods, turning_entries

SEARCHED = 4  # unknowns that are searched by intervals
FUZZY = 1e-4  # a region that is no wider, and has no jump, counts as one position
SAME_POSITION = 1e-6  # radians, metres, or of narrower bounds: what is nearer is one position
LOOKED = 32  # positions at which cancelling forces are looked at
PROOF_RADII = (1e-13, 1e-11, 1e-9, 1e-7)  # of boxes about a position, to its size
BOXES_OF_A_CLUSTER = 8  # boxes of a cluster in which a position of rest is looked for
OFF = 0.1 * np.sqrt(2)  # where turns begin: zeros are often at round numbers


@dataclass(frozen=True, eq=False)
class Forces:
    """What is left over when nothing accelerates, f(q ⊕ step), and its slopes by the step."""

    system: Any
    v: Array
    tau: Array
    t: float
    loads: Loads

    @cached_property
    def start(self) -> Array:
        """Where steps begin."""
        return np.asarray(self.system.neutral(), dtype=float)

    @cached_property
    def value(self) -> Function:
        """(q, step) -> f (nv,)."""
        s = self.system
        f = s.function("bias_forces", wrenches=self.loads.frames)

        def left(q: Any, step: Any) -> Any:
            known = {"q": s.integrate(q, step), "v": self.v, "t": self.t}
            known["wrenches"] = self.loads.wrenches
            return vector(f._evaluated([known[k] for k in f.inputs], "a rest")) - vector(self.tau)

        return function(left, {"q": s.nq, "step": s.nv}, name="left_over")

    @cached_property
    def slope(self) -> Function:
        """(q, step) -> ∂f/∂step (nv, nv)."""
        return self.value.jacobian("step")

    @cached_property
    def idle(self) -> np.ndarray:
        """Coordinates that the program of f does not have (nv,): nothing depends on them."""
        nq = self.system.nq
        return ~dependence(self.value.program)[nq : nq + self.system.nv]

    @cached_property
    def cancelled(self) -> np.ndarray:
        """Coordinates along which slopes vanish, to rounding, wherever it was looked (nv,).

        Smooth formulas only: a slope that jumps may be zero wherever it is looked at.
        """
        s, mask = self.system, ~self.idle
        if has_conditions(self.value.program.operations):
            return mask & False
        for step in np.random.default_rng(1).normal(size=(LOOKED, s.nv)):
            J = enclose(self.slope, self.start, step[None], step[None])
            off = weighed(s, np.asarray(s.integrate(self.start, step), dtype=float), {})[1]
            none = J.is_finite[0] & (J.lo[0] <= off) & (J.hi[0] >= -off)
            mask = mask & none.all(axis=0)
        return mask

    @cached_property
    def unknown(self) -> np.ndarray:
        """Indices of the coordinates that have to be found."""
        return np.flatnonzero(~(self.idle | self.cancelled))

    @cached_property
    def rows(self) -> tuple[np.ndarray, Evidence]:
        """Indices of the equations that say something, and how well it is known that others do not.

        A row that is zero wherever it was looked is left out together with a coordinate along which
        slopes cancel: a smooth function that is zero there is zero everywhere.
        """
        if not self.cancelled.any():
            return np.flatnonzero(_constants(self.value) != 0.0), Proved(By.FORMULAS)
        looked = np.random.default_rng(1).normal(size=(LOOKED, self.system.nv))
        places = [np.asarray(self.system.integrate(self.start, x), dtype=float) for x in looked]
        none = np.all([self.vanishing(q) for q in places], axis=0)
        return np.flatnonzero(~none), Sampled(LOOKED)

    def moved(self, step: Array) -> Array:
        """The position a step of the unknowns from the start."""
        whole = np.zeros(self.system.nv)
        whole[self.unknown] = step
        return np.asarray(self.system.integrate(self.start, whole), dtype=float)

    def step_to(self, q: Array) -> Array:
        """The step of the unknowns from the start to a position."""
        step = np.asarray(self.system.difference(self.start, q), dtype=float)
        return np.asarray(step[self.unknown])

    def over(self, f: Function, rows: Any = slice(None)) -> Any:
        """f over boxes of the unknowns."""

        def enclosed(a: Array, b: Array) -> Enclosure:
            low, high = (np.zeros((len(a), self.system.nv)) for _ in range(2))
            low[:, self.unknown], high[:, self.unknown] = a, b
            x = enclose(f, self.start, low, high)
            every = np.arange(len(a))
            at = np.ix_(every, rows) if x.lo.ndim == 2 else np.ix_(every, rows, self.unknown)
            return Enclosure(x.lo[at], x.hi[at], x.deco[at])

        return enclosed

    def proof_radius(self, q: Array) -> float:
        """Of a box about q in which there is exactly one zero; 0 if that is not proved."""
        felt = np.flatnonzero(~self.idle)
        size = 1.0 + float(np.abs(q).max(initial=0.0))

        def over(f: Function, radius: float) -> Enclosure:
            wide = np.where(self.idle, 0.0, radius)[None]
            x = enclose(f, q, -wide, wide)
            at = np.ix_(*[range(1), felt, felt][: x.lo.ndim])
            return Enclosure(x.lo[at], x.hi[at], x.deco[at])

        for radius in size * np.array(PROOF_RADII) if len(felt) else ():
            near = over(self.value, radius), over(self.slope, radius)
            if prove_zeros(over(self.value, 0.0), *near, np.array([radius]))[0]:
                return float(radius)
        return 0.0

    def vanish(self, q: Array) -> bool:
        """Whether f is zero at a position, as far as rounding tells."""
        return bool(self.vanishing(q).all())

    def vanishing(self, q: Array) -> np.ndarray:
        """The same of each of its entries (nv,); where one jumps, its value at q alone counts."""
        s, rounding = self.system, weighed(self.system, q, {})[0]
        radius = np.full((1, s.nv), 4 * EPS * (1.0 + float(np.abs(q).max(initial=0.0))))
        box, point = (enclose(self.value, q, -r, r) for r in (radius, 0.0 * radius))
        in_box, at_point = (
            x.is_finite & (x.lo <= rounding) & (x.hi >= -rounding) for x in (box, point)
        )
        return np.asarray(np.where(box.deco == CONTINUOUS, in_box, at_point)[0])


@dataclass(frozen=True, eq=False)
class Domain:
    """Where positions are looked for, as steps from the start; what turns freely has one turn."""

    forces: Forces | Balance
    low: Array
    high: Array
    turns: np.ndarray  # a mask: those that turn freely
    entries: Mapping[int, int]  # of v to q, whose whole turns change nothing

    @classmethod
    def of(cls, forces: Forces | Balance, within: Mapping[str, tuple[float, float]]) -> Domain:
        """Limits of the system, and bounds that were given instead."""
        s, start = forces.system, forces.start
        entries = turning_entries(s, periods(forces.value.program), start)
        turns = np.isin(np.arange(s.nv), list(entries))
        low, high = np.full(s.nv, -np.inf), np.full(s.nv, np.inf)
        if not s.charts:
            low, high = s.lower - start, s.upper - start
        for name, (a, b) in within.items():
            k = s.motion_names.index(name)
            low[k], high[k], turns[k] = a - start[k], b - start[k], False
        turns = turns & (high - low >= 2 * np.pi)
        low, high = np.where(turns, OFF - np.pi, low), np.where(turns, OFF + np.pi, high)
        return cls(forces, low, high, turns, entries)

    @cached_property
    def same(self) -> Array:
        """How near two positions are that are one."""
        wide = self.high - self.low
        return np.asarray(SAME_POSITION * np.where(np.isfinite(wide), np.clip(wide, 0.0, 1.0), 1.0))

    @cached_property
    def free(self) -> dict[int, int]:
        """Entries of what turns freely."""
        return {i: k for i, k in self.entries.items() if self.turns[i]}

    def apart(self, q: Array, other: Array) -> Array:
        """The step between two positions, the shorter way round."""
        return np.asarray(self.forces.system.difference(q, by_whole_turns(self.free, q, other)))

    def are_one(self, q: Array, other: Array) -> bool:
        """Whether two positions are as near as one is."""
        return bool((np.abs(self.apart(q, other)) <= self.same).all())

    def normal(self, q: Array) -> Array:
        """The same pose in the turn about the start: the positive half turn, inside of limits."""
        s, start = self.forces.system, self.forces.start
        q = by_whole_turns(self.free, start, q)
        step = np.array(s.difference(start, q))
        step[np.abs(step) < 1e-13] = 0.0
        q, own = np.array(s.integrate(start, step)), list(self.free.values())
        q[own] += 2 * np.pi * (np.abs(q[own] - start[own] + np.pi) < SAME_POSITION)
        below, above = q[own] < s.lower[own] - SAME_POSITION, q[own] > s.upper[own] + SAME_POSITION
        q[own] += 2 * np.pi * (below * 1.0 - above * 1.0)
        return q

    def contains(self, q: Array) -> bool:
        """Whether a position is within limits and bounds, to `same`."""
        s, step = self.forces.system, self.apart(self.forces.start, q)
        inside = (step >= self.low - self.same) & (step <= self.high + self.same)
        near = SAME_POSITION if s.charts else self.same
        limits = (q >= s.lower - near).all() and (q <= s.upper + near).all()
        return bool((inside | self.turns).all() and limits)

    def random(self, rng: Any, count: int) -> Array:
        """Positions to begin with (count, nq)."""
        s = self.forces.system
        low = np.where(np.isfinite(self.low), self.low, -3.0)
        high = np.where(np.isfinite(self.high), self.high, np.maximum(low, 0.0) + 3.0)
        steps = np.zeros((count, s.nv))
        unknown = self.forces.unknown
        steps[:, unknown] = rng.uniform(low, high, (count, s.nv))[:, unknown]
        return np.array([s.integrate(self.forces.start, x) for x in steps]).reshape(count, s.nq)


@dataclass(frozen=True, eq=False)
class Rest:
    """A position of rest, or one of many that are not told apart."""

    q: Array
    exists: Evidence
    around: Array | None = None  # (2, n) of the unknowns: where others are too, or may be
    fills: bool = False  # every point around it is one
    radius: float = 0.0  # of a box about q in which there is exactly one, if that is proved


def find_rests(forces: Forces, domain: Domain, starts: int) -> tuple[list[Rest], Evidence]:
    """All positions of rest, and how well it is known that there are no others."""
    s, unknown = forces.system, forces.unknown
    rows, known = forces.rows
    if not len(unknown):
        return ([Rest(forces.start, known)] if forces.vanish(forces.start) else []), known
    if is_pushed_everywhere(forces):
        return [], Proved(By.THEOREM)
    if s.charts or len(unknown) > SEARCHED:
        return _rests_from_starts(forces, domain, starts), Sampled(starts)
    rests, complete = _searched_rests(forces, domain, rows)
    return rests, weakest(complete, known)


def is_pushed_everywhere(forces: Forces) -> bool:
    """Whether some force is the same at all positions, and not zero.

    By its formula; or along a joint to the world that carries bodies without turning them, where
    nothing but their weight acts, or a constant force besides along one direction (momentum).
    """
    s, start = forces.system, forces.start
    off = weighed(s, start, {})[0]
    alone = _constants(forces.value)
    if (np.abs(alone) > off).any():  # nan where it depends on something
        return True
    if not getattr(s, "bodies", ()) or not (slides := carriages(s.numeric)):
        return False
    weightless = replace(forces, system=s.with_gravity(np.zeros(3)))
    others, weight = _constants(weightless.value), np.asarray(s.gravity_forces(start))
    for some in slides:
        acting, pushed = others[some], weight[some] + others[some]
        is_known = not acting.any() or (len(some) == 1 and np.isfinite(acting).all())
        if is_known and (np.abs(pushed) > off[some]).any():
            return True
    return False


def _constants(f: Function) -> Array:
    """Values of results that are constants by the formulas, nan of others."""
    program = f.program
    rows = [program.code[i - program.arguments] if i >= program.arguments else ("",)
            for i in program.results]  # fmt: skip
    return np.array([float(row[1]) if row[0] == CONSTANT else np.nan for row in rows])


def _searched_rests(
    forces: Forces, domain: Domain, rows: np.ndarray
) -> tuple[list[Rest], Evidence]:
    """By intervals, in the whole domain."""
    unknown = forces.unknown
    edge = 1e-7 * np.minimum(1.0, np.nan_to_num(domain.high - domain.low, posinf=1.0))[unknown]
    value, slope = forces.over(forces.value, rows), forces.over(forces.slope, rows)
    low, high = domain.low[unknown] - edge, domain.high[unknown] + edge
    zeros = find_zeros(value, slope, low, high)
    rests: list[Rest] = []
    for box in zeros.single:
        _add(domain, rests, _rest(forces, domain, forces.moved(box.mean(axis=0))))
    both = np.concatenate([zeros.flat, zeros.open])
    is_tail = ~np.isfinite(both).all(axis=(1, 2)) & (np.arange(len(both)) >= len(zeros.flat))
    undecided, both = [*both[is_tail]], both[~is_tail]
    for some in clusters(both, float(domain.same[unknown].min())):
        hull = np.array([both[some, 0].min(axis=0), both[some, 1].max(axis=0)])
        undecided.append(hull)
        flat = some[some < len(zeros.flat)]
        for region in _filled(both[flat]):
            q = forces.moved(_inside_of(region))
            _add(domain, rests, Rest(q, Proved(By.INTERVALS), region, fills=True))
        for box in both[some][:BOXES_OF_A_CLUSTER] if not len(flat) else ():
            if _add(domain, rests, _rest(forces, domain, forces.moved(_inside_of(box)), hull)):
                break
        else:
            small = not len(flat) and (hull[1] - hull[0] <= FUZZY).all()
            if small and _is_smooth(forces, hull):
                q = forces.moved(hull.mean(axis=0))
                _add(domain, rests, Rest(q, Enclosed(hull[None]), hull))
    if not undecided:
        return rests, Proved(By.INTERVALS)
    return rests, Enclosed(np.array(undecided))


def _filled(boxes: Array) -> list[Array]:
    """Regions without a gap, each of many boxes of one unknown; else the largest of them."""
    if not len(boxes) or boxes.shape[2] > 1:
        size = (boxes[:, 1] - boxes[:, 0]).min(axis=1)
        return [boxes[int(np.argmax(size))]] if len(boxes) else []
    regions: list[Array] = []
    for box in boxes[np.argsort(boxes[:, 0, 0])]:
        if regions and box[0, 0] <= regions[-1][1, 0]:
            regions[-1][1] = np.maximum(regions[-1][1], box[1])
        else:
            regions.append(box.copy())
    return regions


def _is_smooth(forces: Forces, hull: Array) -> bool:
    """Whether forces do not jump in a box."""
    over = forces.over(forces.value, np.arange(forces.system.nv))(hull[:1], hull[1:])
    return bool((over.deco == CONTINUOUS).all())


def _rests_from_starts(forces: Forces, domain: Domain, starts: int) -> list[Rest]:
    """Where Newton's steps lead from random positions."""
    rests: list[Rest] = []
    found = _newton(forces, domain.random(np.random.default_rng(0), starts))
    for q in found:
        if domain.contains(domain.normal(q)):
            _add(domain, rests, _rest(forces, domain, q))
    return rests


def _rest(forces: Forces, domain: Domain, q: Array, hull: Array | None = None) -> Rest | None:
    """The zero that Newton's steps lead to, proved if Krawczyk's operator can; None if none.

    The position that is listed is the one at which forces are looked at. One that is outside of
    the hull is another box's: the search leaves out none.
    """
    q = np.asarray(_newton(forces, q[None])[0])
    step, margin = forces.step_to(q), 4 * EPS * (1.0 + float(np.abs(q).max(initial=0.0)))
    is_outside = hull is not None and ((step < hull[0] - margin) | (step > hull[1] + margin)).any()
    if is_outside or not forces.vanish(q := domain.normal(q)):
        return None
    radius = forces.proof_radius(q)
    return Rest(q, Proved(By.INTERVALS) if radius else Sampled(1), hull, radius=radius)


def _newton(forces: Forces, q: Array) -> Array:
    s, no_step = forces.system, np.zeros((len(q), forces.system.nv))

    def move(x: Array, step: Array) -> Array:
        if not s.charts:
            return x + step
        return np.array([s.integrate(a, b) for a, b in zip(x, step, strict=True)])

    options = NewtonOptions(max_step=0.7, max_steps=80, rank_tolerance=1e-10)
    report = newton(
        lambda x: forces.value(x, no_step[: len(x)]),
        lambda x: forces.slope(x, no_step[: len(x)]),
        q,
        move=move,
        options=options,
    )
    return report.x


def _inside_of(box: Array) -> Array:
    """The middle; of what is unbounded, one from its end, or zero."""
    low, high = box
    low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2.0, 0.0))
    return np.asarray(low / 2 + np.where(np.isfinite(high), high, low + 2.0) / 2)


def _add(domain: Domain, rests: list[Rest], new: Rest | None) -> bool:
    """Add what is inside of the domain, once; whether it is there."""
    if new is None or not domain.contains(q := domain.normal(new.q)):
        return False
    if not any(domain.are_one(x.q, q) for x in rests):
        rests.append(replace(new, q=q))
    return True
