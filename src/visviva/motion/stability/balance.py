"""Forces that are left over when nothing accelerates, and where Newton's steps make them vanish."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_within, vector
from visviva.machine.function import Function, function
from visviva.machine.program.laws import has_conditions
from visviva.machine.values import sharing
from visviva.motion.stability.branches import Tangent
from visviva.motion.stability.flat import FARTHER
from visviva.motion.stability.loads import Loads
from visviva.motion.stability.place import Place, enclosures
from visviva.motion.stability.quadratic import EPS
from visviva.numerics.evidence import By, Evidence, Proved, Sampled
from visviva.solve.assembly import closed, newton
from visviva.solve.rows import Rows, dependence

NEWTON_STEPS = 60  # of Newton's
LEFT_OVER = 1e-11  # radians or metres, times slopes: what is left of forces at an equilibrium
ROUNDED = 64 * EPS  # the same where slopes are steeper than usual, as beside a singular position
ONE_SIDED = 1e-4  # of forces: what is left along one of several branches that meet
SOFT = 1e-4  # of usual slopes: zeros of several orders are where they are less
ORDERS = np.arange(1, 10)  # of such zeros
POLISHED = 20  # steps to them
AT_MOST = 1e-2  # radians or metres: none of these is longer
TRIED = 16  # guesses of positions at which a linkage may rest
ALONG = 1e-10  # of forces that constraints carry: what is left along motions, to rounding
NONE = np.zeros(0)


@dataclass(frozen=True, eq=False)
class Balance:
    """Forces that are left over at velocity v and acceleration zero, in changes of position."""

    system: Any
    v: Array
    tau: Array
    t: float
    names: tuple[str, ...] = ()  # parameters whose values are given with every question
    loads: Loads = field(default_factory=Loads)
    _systems: dict[tuple[float, ...], Any] = field(default_factory=dict)
    _usual: dict[tuple[float, ...], float] = field(default_factory=dict)

    def at(self, values: Array) -> Any:
        """The system with values of the parameters; its programs are for all of them."""
        if not self.names or not self.system.held_by:  # nothing there depends on values
            return self.system
        given = tuple(values.tolist())
        if given not in self._systems:
            self._systems[given] = sharing(self.system, dict(zip(self.names, given, strict=True)))
        return self._systems[given]

    @cached_property
    def start(self) -> Array:
        """Where changes of position begin."""
        return self._start(NONE)

    def _start(self, values: Array) -> Array:
        s = self.at(values)
        home = s.assembled(t=self.t) if s.held_by else s.neutral()
        return np.asarray(home, dtype=float)

    def forces(self, q: Any, pull: Any, p: Any) -> Any:
        """bias - τ - Aᵀ λ with parameters p, φ, and A v + a₀ but for rows that are always zero."""
        s = self.system
        left = vector(self._value("bias_forces", q, p)) - vector(self.tau)
        if not s.held_by:
            return left
        A, off = self._value("constraint_matrix", q, p), self._value("constraint_error", q, p)
        return np.concatenate([left - vector(pull) @ A, vector(off), self._rates(q, p)])

    def _rates(self, q: Any, p: Any) -> Any:
        rows = vector(self._value("constraint_velocity", q, p))
        none = ROUNDED * (1.0 + float(np.abs(self.v).max(initial=0.0)))
        return vector([x for x in rows if not is_within(x, none)])

    def _value(self, name: str, q: Any, p: Any) -> Any:
        acting = self.loads.frames if name == "bias_forces" else {}
        f = self.system.function(name, parameters=self.names, wrenches=acting)
        values = {"q": q, "v": self.v, "t": self.t, "parameters": p}
        values["wrenches"] = self.loads.wrenches
        return f._evaluated([values[k] for k in f.inputs], "an equilibrium")

    @cached_property
    def pulls(self) -> int:
        """How many multipliers λ there are."""
        s = self.system
        return int(s.function("constraint_matrix").outputs["A"][0]) if s.held_by else 0

    @cached_property
    def left(self) -> Function:
        """Of a position, a change of all coordinates and λ, and parameters."""
        s = self.system

        def left(q: Any, step: Any, p: Any) -> Any:
            return self.forces(s.integrate(q, step[: s.nv]), step[s.nv :], p)

        sizes = {"q": s.nq, "step": s.nv + self.pulls, "p": len(self.names)}
        return function(left, sizes, name="left_over")

    @cached_property
    def slope(self) -> Function:
        """Its derivative."""
        return self.left.jacobian("step")

    @property
    def value(self) -> Function:
        """`left`: what is zero at a position of rest."""
        return self.left

    @cached_property
    def idle(self) -> Array:
        """Coordinates that the program does not have (nv,): nothing depends on them."""
        nq = self.system.nq
        return ~dependence(self.left.program)[nq : nq + self.system.nv]

    @cached_property
    def cancelled(self) -> Array:
        """None: whether forces cancel is not asked where constraints carry some of them."""
        return np.zeros(self.system.nv, dtype=bool)

    @cached_property
    def unknown(self) -> Array:
        """Indices of the coordinates that have to be found."""
        return np.flatnonzero(~self.idle)

    @cached_property
    def everywhere(self) -> Evidence | None:
        """How well it is known that a linkage rests wherever constraints let it be; None if not.

        Without forces, by the formulas. Otherwise forces are looked at, if they have one law only:
        where a condition decides which, they may be none wherever it was looked.
        """
        s, nv = self.system, self.system.nv
        if self.is_timed or self.is_driven:
            return None

        def acting(q: Any, step: Any) -> Any:
            return vector(self._value("bias_forces", s.integrate(q, step), NONE)) - vector(self.tau)

        force = function(acting, {"q": s.nq, "step": s.nv}, name="acting")
        none = not dependence(force.program).any() and not force(self.start, np.zeros(nv)).any()
        if not none and has_conditions(force.operations):
            return None
        rows, rng, moves = Rows(s, self.t), np.random.default_rng(6), False
        guesses = [rows.moved(self.start, x) for x in rng.uniform(-1.5, 1.5, (TRIED, s.nv))]
        there = [q for q in (newton(rows, x) for x in guesses) if closed(rows, q)]
        for q in (self.start, *there):
            low, high = (x[0] for x in enclosures(force, q, *np.zeros((2, 1, s.nv)))[:2])
            _, sizes, Vt = np.linalg.svd(rows.matrix(q))
            N = Vt[int((sizes > 1e-9 * sizes.max(initial=0.0)).sum()) :].T
            left, rough = (low + high) / 2, high - low + ALONG * np.abs([low, high]).max()
            if not (np.abs(N.T @ left) <= np.abs(N).T @ rough).all():
                return None
            moves = moves or N.shape[1] > 0
        if not moves or not (none or len(there) >= TRIED // 4):
            return None
        return Proved(By.FORMULAS) if none else Sampled(len(there))

    @property
    def is_driven(self) -> bool:
        """Whether A v + a₀ is not zero everywhere, of v as it was stated."""
        rows = len(Rows(self.system).places) if self.system.held_by else 0
        return bool(len(self.left.program.results) > self.system.nv + rows)

    @property
    def has_too_few_rows(self) -> bool:
        """Whether positions of rest go on along some change of those coordinates that are felt."""
        return len(self.left.program.results) < len(self.unknown) + self.pulls

    @property
    def is_timed(self) -> bool:
        """Whether the time stands in forces or in rows."""
        names = ("bias_forces", "constraint_error", "constraint_velocity")
        return any("t" in self.system.function(x).inputs for x in names)

    @cached_property
    def _anywhere(self) -> Array:
        """Changes of position, with λ, that stand for all."""
        return np.random.default_rng(1).normal(size=(4, self.system.nv + self.pulls))

    def _usual_slope(self, values: Array) -> float:
        """How forces change where nothing pulls, at positions that stand for all."""
        given = tuple(values.tolist())
        if given in self._usual:
            return self._usual[given]
        nv, sizes = self.system.nv, []
        start = self._start(values) if self.names else self.start
        for step in self._anywhere:
            there = np.where(np.arange(len(step)) < nv, step, 0.0)
            sizes.append(float(np.abs(self.slope(start, there, values)[:nv, :nv]).max()))
        known = [x for x in sizes if np.isfinite(x) and x > 0]
        self._usual[given] = float(np.median(known)) if known else np.inf
        return self._usual[given]

    def balanced(self, q: Array) -> bool:
        """Whether forces vanish, where branches meet along each of them, and do not jump there."""
        s = self.system
        if Place(s, q, self.v, self.tau, self.t, {}).jumps:
            return False
        if not s.held_by:
            return True
        tangent = Tangent(s, q, self.t)
        left = np.asarray(self.left(q, np.zeros(s.nv + self.pulls), NONE))[: s.nv]
        along = np.abs(tangent.motions.T @ left).max(initial=0.0)
        places = tangent.rows.matrix(q)[list(tangent.rows.places)]
        many = tangent.motions.shape[1] > s.nv - np.linalg.matrix_rank(places, 1e-9)
        return not many or bool(along <= ONE_SIDED * np.abs(left).max(initial=0.0))

    def pull(self, q: Array, values: Array) -> Array:
        """λ with which constraints carry most of the forces."""
        if not self.pulls:
            return NONE
        nv, still = self.system.nv, np.zeros(self.system.nv + self.pulls)
        left = np.asarray(self.left(q, still, values))[:nv]
        A = -np.asarray(self.slope(q, still, values))[:nv, nv:]
        known = np.isfinite(left).all() and np.isfinite(A).all()
        return np.linalg.lstsq(A, left, rcond=1e-10)[0] if known else still[nv:]

    def force_size(self, J: Array, pull: Array) -> float:
        """What forces are measured by: their slopes, a radian or metre on, and what λ carries."""
        nv = self.system.nv
        carried = np.abs(J[:nv, nv:]) @ np.abs(pull)
        return float(max(np.abs(J[:nv, :nv]).max(initial=0.0), carried.max(initial=0.0)))

    def settled(self, q: Array, values: Array = NONE, is_near: bool = False) -> Array | None:
        """The zero that Newton's steps lead to from q, or None.

        λ and rows of constraints are in units in which they are as stiff as forces usually are; if
        q is near to it, beside a fold perhaps, as forces are there: no direction is left out for
        being soft.
        """
        s = self.system
        unit, stiff = np.ones(s.nv + self.pulls), 1.0
        if self.pulls and not is_near and np.isfinite(usual := self._usual_slope(values)):
            unit[s.nv :] = stiff = usual
        step = np.zeros(s.nv + self.pulls)
        step[s.nv :] = self.pull(q, values)
        for _ in range(NEWTON_STEPS):
            r, J = np.asarray(self.left(q, step, values)), np.asarray(self.slope(q, step, values))
            if not (np.isfinite(r).all() and np.isfinite(J).all()):
                return None
            if is_near:
                unit[s.nv :] = stiff = np.abs(J[: s.nv, : s.nv]).max() or 1.0
            row = np.where(np.arange(len(r)) < s.nv, 1.0, stiff)
            even = row[:, None] * J * unit
            change = unit * np.linalg.lstsq(even, -row * r, rcond=1e-10)[0]
            change[: s.nv] *= min(1.0, 0.7 / max(float(np.abs(change[: s.nv]).max()), 1e-300))
            q = np.asarray(s.integrate(q, change[: s.nv]))
            step[s.nv :] += change[s.nv :]
            if np.abs(change[: s.nv]).max() < 1e-14:
                break
        size = max(self.force_size(J, step[s.nv :]), 1e-300)
        forces = float(np.abs(self.left(q, step, values))[: s.nv].max(initial=0.0))
        steep = ROUNDED * size * max(1.0, float(np.abs(q).max(initial=0.0)))
        if not (forces <= steep or forces <= LEFT_OVER * min(size, self._usual_slope(values))):
            return None
        if not is_near:
            q = self._polished(q, step, values)
        off = float(np.abs(self.left(q, step, values)[s.nv :]).max(initial=0.0))
        if off > LEFT_OVER * (1.0 + float(np.abs(J[s.nv :]).max(initial=0.0))):
            return None
        return q if not s.held_by or closed(Rows(self.at(values), self.t), q) else None

    def _polished(self, q: Array, step: Array, values: Array) -> Array:
        """Nearer to a zero of several orders, at which Newton's steps are too short by as much."""
        nv, known = self.system.nv, step[self.system.nv :]
        for _ in range(POLISHED):
            r, J = self.left(q, step, values), np.asarray(self.slope(q, step, values))
            if not self._softest(J, step, values)[0]:
                break
            change = -np.linalg.lstsq(J, r, rcond=0.0)[0]
            if np.abs(change[:nv]).max() > AT_MOST:
                break
            there, forces = [], []
            for order in ORDERS:
                there.append(np.asarray(self.system.integrate(q, order * change[:nv])))
                step[nv:] = known + order * change[nv:]
                forces.append(float(np.abs(self.left(there[-1], step, values)).max()))
            best = int(np.argmin(np.nan_to_num(forces, nan=np.inf)))
            step[nv:] = known = known + ORDERS[best] * change[nv:]
            if not forces[best] < 0.5 * np.abs(r).max():
                break
            q = there[best]
        return q

    def _softest(self, J: Array, step: Array, values: Array) -> tuple[float, Array]:
        """How slopes are along the softest direction, and that one; 0 if it is usual, or none."""
        usual, nv = self._usual_slope(values), self.system.nv
        if not np.isfinite(usual):
            usual = self.force_size(J, step[nv:])
        if not np.isfinite(J).all():
            return 0.0, step[:nv]
        _, sizes, Vt = np.linalg.svd(J)
        is_soft = ROUNDED * usual < sizes[-1] < SOFT * usual
        return (float(sizes[-1]) if is_soft else 0.0), Vt[-1][:nv]

    def are_one(self, q: Array, other: Array, apart: Array, same: Array) -> bool:
        """Whether two zeros are one, as far as both are known."""
        if (np.abs(apart) > same + AT_MOST).any() or (np.abs(apart) <= same).all():
            return bool((np.abs(apart) <= same).all())
        near = same + np.maximum(self._doubt(q), self._doubt(other))
        return bool((np.abs(apart) <= near).all())

    def _doubt(self, q: Array) -> Array:
        """How far q may be from the zero that is meant, along a direction that is soft (nv,)."""
        step = np.concatenate([np.zeros(self.system.nv), self.pull(q, NONE)])
        r, J = (np.asarray(f(q, step, NONE)) for f in (self.left, self.slope))
        soft, way = self._softest(J, step, NONE)
        if not soft:
            return np.zeros(self.system.nv)
        rounding = EPS * self.force_size(J, step[self.system.nv :])
        far = FARTHER * (float(np.abs(r).max()) + rounding) / soft
        return np.asarray(min(far, AT_MOST) * np.abs(way))
