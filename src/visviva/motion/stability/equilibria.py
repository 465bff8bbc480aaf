"""Positions of rest or of steady motion: all of them where that is provable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import FloatArray, frozen
from visviva.describe.stops import stops_of
from visviva.errors import ArgumentError, EquilibriumError, VisvivaError, check_known
from visviva.foreign import explained
from visviva.machine.kinks import is_dry
from visviva.motion.stability import words
from visviva.motion.stability.about import LATER, STANDING, linearize, values_of
from visviva.motion.stability.balance import Balance
from visviva.motion.stability.constrained import find_constrained_rests, judge_constrained
from visviva.motion.stability.curve import OnCurves
from visviva.motion.stability.linearization import Linearization
from visviva.motion.stability.loads import loads_of
from visviva.motion.stability.place import Place
from visviva.motion.stability.rest import Domain, Forces, Rest, find_rests
from visviva.motion.stability.steady import idle_coordinates, prescribed_velocity
from visviva.motion.stability.theorems import Verdict, judge_rest, undecided, verdict_of
from visviva.numerics.evidence import Evidence, Proved, Reason, Undecided, weakest
from visviva.progress import progress
from visviva.solve.rows import finite

BALANCED_LATER = 1e-7  # of slopes: forces that are less are balanced later too


@explained
@dataclass(frozen=True, eq=False, repr=False)
class Equilibria:
    """Positions `q` (number, nq) of rest or of steady motion; `proved` if there are no others."""

    forces: Forces | Balance
    domain: Domain
    rests: tuple[Rest, ...]
    search: Evidence  # that forces balance nowhere else
    others: Evidence  # that nothing else holds the system
    starts: int
    bounds: tuple[str, ...] = ()  # coordinates whose bounds were given
    passing: int = field(default=0)  # positions at which forces balance for a moment only
    curves: OnCurves | None = None  # what was met along the motion of a linkage

    @property
    def system(self) -> Any:
        """The system that rests."""
        return self.forces.system

    @property
    def v(self) -> FloatArray:
        """The velocities of all of them: those that were given, or that constraints prescribe."""
        return frozen(self.forces.v)

    @cached_property
    def q(self) -> FloatArray:
        """Positions (number, nq), in order."""
        found = np.array([x.q for x in self.rests]).reshape(len(self.rests), self.system.nq)
        return frozen(found)

    @property
    def complete(self) -> Evidence:
        """How well it is known that there are no others."""
        return weakest(self.search, self.others)

    @property
    def proved(self) -> bool:
        """Whether it is proved that there are no others."""
        return isinstance(self.complete, Proved)

    @property
    def is_everywhere(self) -> bool:
        """Whether it rests wherever it is put."""
        f = self.forces
        where = f.everywhere if isinstance(f, Balance) else None if len(f.unknown) else self.search
        return bool(self.rests) and where is not None

    @property
    def anywhere(self) -> tuple[str, ...]:
        """Coordinates of which any value will do."""
        if self.is_everywhere:
            return tuple(self.system.motion_names)
        free = self.forces.idle | self.forces.cancelled
        pairs = zip(self.system.motion_names, free, strict=True)
        return tuple(x for x, y in pairs if y) if self.rests else ()

    @property
    def why(self) -> str:
        """In words."""
        return words.completeness(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """What else is to be said."""
        return words.notes(self)

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Of each, whether it is stable, and by which theorem."""
        return tuple(map(self._judged, self.rests))

    @property
    def stability(self) -> tuple[str, ...]:
        """Of each: a status of `Linearization.stability`, or "undecided: " and why."""
        return tuple(map(words.verdict, self.verdicts))

    def _judged(self, rest: Rest) -> Verdict:
        if isinstance(self.forces, Balance):
            return judge_constrained(self.forces, rest)
        if not np.any(self.forces.v):
            return judge_rest(self.forces, rest)
        try:
            return verdict_of(self.linearized(self.rests.index(rest)).stability)
        except EquilibriumError as error:
            return undecided(Reason.OTHER, detail=error.reason)
        except VisvivaError as error:
            return undecided(Reason.OTHER, detail=str(error))

    def linearized(self, k: int) -> Linearization:
        """The linear system about the k-th of them."""
        if not -len(self) <= k < len(self):
            raise ArgumentError(f"there are {len(self)} of them, counted from 0; got {k!r}")
        f = self.forces
        if f.loads.frames:
            raise ArgumentError(
                "linear systems under wrenches are not offered; statics(q, wrenches).stiffness(…) "
                "tells how a position gives way"
            )
        return linearize(f.system, self.q[k], f.v, tau=f.tau, t=f.t)

    def __len__(self) -> int:
        return len(self.rests)

    def __iter__(self) -> Iterator[FloatArray]:
        return iter(self.q)

    def __getitem__(self, k: Any) -> FloatArray:
        return np.asarray(self.q[k])

    def __repr__(self) -> str:
        return words.listing(self)


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
    (time,) = finite("equilibria: t", [t], 1)
    if v is not None:
        rate = finite(f"equilibria: v of {s.name!r}", v, s.nv)
    else:
        rate = prescribed_velocity(s, float(time)) if s.held_by else np.zeros(s.nv)
    tau = np.zeros(s.nv) if tau is None else finite("equilibria: tau", tau, s.nv)
    if not isinstance(starts, (int, np.integer)) or isinstance(starts, bool) or starts < 1:
        raise ArgumentError(f"equilibria: starts is a whole number from 1 on, got {starts!r}")
    bounds = _checked_bounds(s, within)
    kind = Balance if s.held_by else Forces
    forces = kind(s, rate, tau, float(time), loads=loads_of(s, wrenches, rate))
    domain = Domain.of(forces, bounds)
    curves = None
    with progress(f"equilibria of {s.name}") as at:
        at.step("searching everywhere")
        if isinstance(forces, Balance):
            rests, search, curves = find_constrained_rests(forces, domain, int(starts), at)
        else:
            rests, search = find_rests(forces, domain, int(starts))
    lasting = [x for x in rests if _lasts(forces, x.q)]
    order = sorted(lasting, key=lambda x: tuple(x.q.round(9)))
    passing = len(rests) - len(lasting)
    if curves is not None:
        curves = curves.only([x.q for x in lasting], domain)
    others = _others(forces, is_stated=v is not None)
    return Equilibria(
        forces, domain, tuple(order), search, others, int(starts), tuple(bounds), passing, curves
    )


def _checked_bounds(s: Any, within: Any) -> dict[str, tuple[float, float]]:
    if within is not None and not isinstance(within, Mapping):
        raise ArgumentError(
            f"equilibria: within maps names to bounds, {{'x': (-1, 1)}}; got {within!r:.80}"
        )
    found: dict[str, tuple[float, float]] = {}
    for name, pair in (within or {}).items():
        check_known(f"coordinate of {s.name!r}", name, s.coordinate_names)
        low, high = finite(f"equilibria: within[{name!r}]", pair, 2)
        found[name] = float(low), float(high)
        if s.charts:
            raise ArgumentError(
                f"equilibria: bounds are for mechanisms of hinges and slides alone, and {s.name!r} "
                "has planar, ball or free joints: leave within= out, and take those of .q inside"
            )
        if not low < high:
            said = f"equilibria: within[{name!r}] is a pair of numbers, the smaller first"
            raise ArgumentError(f"{said}; got {pair!r}")
    return found


def _others(forces: Forces | Balance, is_stated: bool) -> Evidence:
    """Whether anything holds the system at rest that no balance of forces tells of."""
    s = forces.system
    if isinstance(forces, Balance) and forces.is_driven and not is_stated:
        return Undecided(Reason.DRIVEN)
    if is_dry(s.function("bias_forces")):
        return Undecided(Reason.DRY_FRICTION, "and stops" if len(stops_of(s)) else "")
    return Undecided(Reason.STOPS) if len(stops_of(s)) else weakest()


def _lasts(forces: Forces | Balance, q: FloatArray) -> bool:
    """Whether forces balance later too, where velocities lead, and rows hold there."""
    s, v = forces.system, forces.v
    moves = bool(np.any(v))
    if isinstance(forces, Balance):
        is_steady = not forces.is_timed and (not moves or not np.any(v[~idle_coordinates(s)]))
    else:
        is_steady = not moves and "t" not in s.function("inverse_dynamics").inputs
    if is_steady:
        return True
    here = Place(s, q, v, forces.tau, forces.t, {})
    unit = 1.0 / float(np.abs(v).max()) if moves else 1.0
    for share in LATER if moves else STANDING:
        there = here.later(share * unit)
        left, off = there.left_over
        slope = np.abs(there.slopes("bias_forces", "q")[0]).max()
        if np.abs(left).max() > BALANCED_LATER * max(float(slope), float(np.abs(forces.tau).max())):
            return False
        if off > BALANCED_LATER * (1.0 + float(np.abs(v).max())):
            return False
    return True
