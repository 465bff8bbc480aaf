"""Where a system is looked at: its accelerations and forces, their slopes, and their errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.equations.forces.weights import weight_sizes
from visviva.errors import EquilibriumError
from visviva.machine.function import function
from visviva.machine.kinks import may_have_kinks
from visviva.machine.program.laws import has_conditions
from visviva.motion.stability.quadratic import EPS
from visviva.numerics.intervals import CONTINUOUS, enclose
from visviva.solve.rows import home_of_rows

RANK = 1e-9  # of rows
JUMPS = 1e-6  # of slopes: those of smooth forces change by less
ROUNDED_ROWS = 1e-11  # of rows of constraints and their slopes: what is less is rounding
BEYOND = 8.0  # times the way to the equilibrium: where laws of constraints are compared
NEARER = (1e-9, 1e-11)  # radians or metres beside a state, and the same a second
SHRINKS = 0.03  # of changes of slopes from the first of these to the second: 0.01 if forces curve
WEIGHED = 8 * EPS  # of the weights of bodies: what rounding, here or before, leaves of their sum
ROUGH = 1e3 * EPS  # of slopes at a distance: what rounding leaves
DOUBTED = 1e-9  # of stiffnesses and forces that constraints carry: what may be their rounding
CARRIED = 8.0  # of forces that constraints carry: a share of rounding that they have
DIRECTIONS = 4  # in which it is looked, and back
ACROSS = (1e-6, 1e-3, 0.1)  # radians or metres: forces that jump change as much in the first


@dataclass(frozen=True, eq=False)
class Place:
    """Where a system is looked at, and under which constant forces."""

    system: Any
    q: Array
    v: Array
    tau: Array
    t: float
    given: Mapping[str, float]  # values of parameters, inputs of the functions

    def function(self, name: str) -> Any:
        """A quantity, compiled once for all values of the parameters."""
        return self.system.function(name, parameters=tuple(self.given))

    def value(self, name: str) -> Array:
        """A quantity here."""
        return np.asarray(self._called(self.function(name)))

    def slopes(self, name: str, *kinds: str) -> list[Array]:
        """Its derivatives along motions, by v, …"""
        there = self._called(self.function(name).jacobian(*kinds))
        return [np.asarray(x) for x in (there if len(kinds) > 1 else [there])]

    def _called(self, f: Any) -> Any:
        values = {"q": self.q, "v": self.v, "tau": self.tau, "t": self.t}
        values |= {"a": np.zeros(len(self.v)), "parameters": np.array([*self.given.values()])}
        return f(*(values[k] for k in f.inputs))

    @cached_property
    def accelerations(self) -> list[Array]:
        """∂a/∂q, ∂a/∂v, ∂a/∂τ."""
        return self.slopes("forward_dynamics", "q", "v", "tau")

    @cached_property
    def away(self) -> Array:
        """The change of (q, v) by which Newton's method goes to where nothing accelerates."""
        slopes = np.hstack(self.accelerations[:2])
        return np.asarray(np.linalg.lstsq(slopes, -self.rest, rcond=RANK)[0])

    @cached_property
    def rest(self) -> Array:
        """What accelerates, beyond what rounding leaves of a sum that is zero."""
        a = self.value("forward_dynamics")
        if not np.isfinite(a).all():
            return a
        terms = self.terms if self.terms is not None else self._carried(a)
        return a if terms is None else np.where(np.abs(a) > 8 * EPS * terms, a, 0.0)

    @cached_property
    def terms(self) -> Array | None:
        """Sizes of the terms whose sums accelerations are; None where intervals do not tell."""
        return None if self.system.held_by else self._terms

    @cached_property
    def _terms(self) -> Array | None:
        inside = self.enclosed(np.zeros(len(self.v)))
        if inside is None:
            return None
        width = (inside[1] - inside[0])[2, :, 0] / (16 * EPS)
        return np.asarray(np.abs(self.accelerations[2]) @ width)

    def _carried(self, a: Array) -> Array | None:
        """The same of forces that constraints carry, where so little accelerates that it matters.

        Programs of intervals are made for each value of a parameter: only where they are needed.
        """
        slope, _, by_force = self.accelerations
        size = max(float(np.abs(slope).max(initial=0.0)), self.forces)
        if np.any(self.v) or not a.any() or np.abs(a).max() > DOUBTED * size:
            return None
        acting = np.abs(self.value("bias_forces")) + np.abs(self.tau)
        own = self._terms
        return None if own is None else np.asarray(own + CARRIED * np.abs(by_force) @ acting)

    @property
    def left_over(self) -> tuple[Array, float]:
        """Forces that constraints do not carry when nothing accelerates, and what rows are off."""
        left = self.value("bias_forces") - self.tau
        if not self.system.held_by:
            return left, 0.0
        A = self.value("constraint_matrix")
        pull = np.linalg.lstsq(A.T, left, rcond=RANK)[0]
        names = ("constraint_error", "constraint_velocity", "constraint_bias")
        off = max(float(np.abs(self.value(x)).max(initial=0.0)) for x in names)
        return np.asarray(left - A.T @ pull), off

    @property
    def forces(self) -> float:
        """The size of accelerations that forces would make if nothing balanced or held them."""
        inverse = np.abs(np.linalg.pinv(self.value("mass_matrix"), rcond=1e-12))
        terms = np.abs(self.value("bias_forces")) + np.abs(self.tau)
        return float((inverse @ terms).max(initial=0.0))

    @property
    def rounding(self) -> float:
        """How far numbers as given are from those that are meant, as of π."""
        return 4 * EPS * max(1.0, float(np.abs(self.q).max()))

    @cached_property
    def _balance(self) -> Any:
        """∂τ/∂q, ∂τ/∂v and τ (in all columns) of a position and a change of it."""
        s, force = self.system, self.function("inverse_dynamics")
        slope = force.jacobian("q", "v")

        def all_of_it(q: Any, step: Any) -> Any:
            values = {"q": s.integrate(q, step), "v": self.v, "a": np.zeros(s.nv), "t": self.t}
            values["parameters"] = np.array([*self.given.values()])
            by_q, by_v = slope._evaluated([values[k] for k in slope.inputs], "a linear system")
            tau = force._evaluated([values[k] for k in force.inputs], "a linear system")
            return np.stack([np.asarray(by_q), np.asarray(by_v), np.stack([tau] * s.nv, axis=1)])

        return function(all_of_it, {"q": s.nq, "step": s.nv}, name="balance")

    def enclosed(self, far: Array) -> tuple[Array, Array] | None:
        """Lower and upper ends of these within a distance; None where intervals do not tell."""
        low, high, doubt = (x[0] for x in enclosures(self._balance, self.q, -far[None], far[None]))
        if doubt.any():
            raise EquilibriumError(
                f"forces of {self.system.name!r} change their law at q = "
                f"{numbers(self.q)}, on the border between two conditions: no linear system is "
                "near to both",
                "linearize",
            )
        forces, slopes = weighed(self.system, self.q, self.given)
        off = np.stack([slopes, 0.0 * slopes, np.repeat(forces[:, None], len(forces), axis=1)])
        low, high = low - off, high + off
        return (low, high) if np.isfinite(low).all() and np.isfinite(high).all() else None

    def stiffnesses(self, pull: Array) -> tuple[Array, Array]:
        """∂(bias - Aᵀ λ)/∂q (nv, nv), λ being given, and errors, which are 0 if intervals fail."""
        s = self.system
        parts = [self.function(x).jacobian("q") for x in ("bias_forces", "constraint_matrix")]
        values = {"v": self.v, "t": self.t, "parameters": np.array([*self.given.values()])}

        def both(q: Any, step: Any) -> Any:
            known = values | {"q": s.integrate(q, step)}
            bias, A = (f._evaluated([known[k] for k in f.inputs], "stiffness") for f in parts)
            return np.concatenate([np.asarray(bias)[None], np.asarray(A)])

        f = function(both, {"q": s.nq, "step": s.nv}, name="stiffnesses")
        far = np.full((1, s.nv), self.rounding)
        low, high, doubt = (x[0] for x in enclosures(f, self.q, -far, far))
        if doubt.any() or not (np.isfinite(low).all() and np.isfinite(high).all()):
            return np.zeros((s.nv, s.nv)), np.zeros((s.nv, s.nv))
        off = high - low + 8 * EPS * np.maximum(np.abs(low), np.abs(high))
        K = np.tensordot([1.0, *-pull], (low + high) / 2, 1)
        off = np.tensordot([1.0, *np.abs(pull)], off, 1)
        return np.asarray(K), np.asarray(off + weighed(s, self.q, self.given)[1])

    @cached_property
    def jumps(self) -> bool:
        """Whether forces jump here or hardly beside it, as of a spring whose ends meet."""
        return self._jumps_by(np.array([1.0, 0.0]))

    def _jumps_by(self, parts: Array) -> bool:
        """The same of changes of position (1, 0) or of velocity (0, 1)."""
        if not has_conditions(self.function("inverse_dynamics").operations):
            return False
        ways = np.random.default_rng(0).normal(size=(DIRECTIONS, len(self.v)))
        here, changes = self.value("inverse_dynamics"), []
        for far in ACROSS:
            there = [self._beside(far * np.outer(parts, way)) for way in (*ways, *-ways)]
            off = np.array([x.value("inverse_dynamics") - here for x in there])
            changes.append(float(np.abs(off).max()))
        near, farther, usual = changes
        return near > 0.1 * farther and near > 1e-7 * usual and near > 4 * self._rough

    @property
    def _rough(self) -> float:
        """What rounding may leave of forces here; zero where intervals do not tell."""
        still = np.zeros((1, len(self.v)))
        low, high, doubt = (x[0] for x in enclosures(self._balance, self.q, still, still))
        wide = (high - low)[2]
        return 0.0 if doubt.any() or not np.isfinite(wide).all() else float(wide.max(initial=0.0))

    def check_smooth(self) -> None:
        """Refuse a state at which forces or their slopes jump, as those of |q| do at zero."""
        self._check_constraints()
        force = self.function("inverse_dynamics")
        both = force.operations, force.jacobian("q", "v").operations  # of a sign the slope is zero
        if not any(map(has_conditions, both)):
            return
        for which, beside in (("q", self.jumps), ("v", self._jumps_by(np.array([0.0, 1.0])))):
            if beside:
                like = "a spring whose ends meet" if which == "q" else "dry friction"
                raise EquilibriumError(
                    f"forces of {self.system.name!r} jump within {ACROSS[0]:g} of "
                    f"{which} = {numbers(getattr(self, which))}, as those of {like}: no linear "
                    "system is near to both sides",
                    "linearize",
                )
        here, rng = np.array(self.slopes("inverse_dynamics", "q", "v")), np.random.default_rng(0)
        ways = rng.normal(size=(DIRECTIONS, 2, len(self.v)))
        jumps = [_jump(here, self._slopes_beside, way) for way in (*ways, *-ways)]
        size, off = max(x[0] for x in jumps), max(float(x[1].max()) for x in jumps)
        rounding = float(weighed(self.system, self.q, self.given)[1].max(initial=0.0))
        if off > max(JUMPS * size, 4 * rounding) and off > ROUGH * self._usual_slope(ways):
            raise EquilibriumError(
                f"forces of {self.system.name!r} have a kink at q = {numbers(self.q)}, "
                f"v = {numbers(self.v)}: on its sides their slopes differ by {off:.3g}, so that no "
                "linear system is near to all of them",
                "linearize",
            )

    def _check_constraints(self) -> None:
        """Refuse a state at which a constraint jumps, or has a kink, or changes its curvature."""
        if not may_have_kinks(self.system, tuple(self.given)):
            return
        here, rng = self._rows_beside(np.zeros((2, len(self.v)))), np.random.default_rng(0)
        far = BEYOND * float(np.abs(self.away[: len(self.v)]).max(initial=0.0))
        ways = max(1.0, far / NEARER[1]) * rng.normal(size=(DIRECTIONS, 2, len(self.v)))
        jumps = [_jump(here, self._rows_beside, way) for way in (*ways, *-ways)]
        off = np.max([x[1] for x in jumps], axis=0)
        own = off > ROUNDED_ROWS * max(x[0] for x in jumps)
        names = [y for y, there in zip(self._owners, own, strict=True) if there]
        if names:
            which = " and ".join(dict.fromkeys(names))
            raise EquilibriumError(
                f"constraint {which} of {self.system.name!r} changes its law at q = "
                f"{numbers(self.q)}: values, slopes or curvatures of it differ by {off.max():.3g} "
                "on its sides, and no linear system is near to both",
                "linearize",
            )

    @property
    def _owners(self) -> list[str]:
        """The names of the constraints that the rows of `_rows_beside` are of."""
        slices = home_of_rows(self.system).row_slices(self.system)
        return [repr(x) for x, part in slices.items() for _ in range(part.start, part.stop)]

    def _rows_beside(self, step: Array) -> Array:
        """φ, A, its slopes, and those of Ȧ v, a row for each of the constraints'."""
        beside = self._beside(step)
        A = beside.value("constraint_matrix")
        phi = np.zeros(len(A))
        phi[list(home_of_rows(self.system).position_rows(self.system))] = beside.value(
            "constraint_error"
        )
        columns = [phi, A, *beside.slopes("constraint_matrix", "q")]
        if np.any(self.v):
            columns += beside.slopes("constraint_bias", "q")
        return np.hstack([x.reshape(len(A), -1) for x in columns])

    def _usual_slope(self, ways: Array) -> float:
        """The size of slopes at a distance, which is not zero where stiffness is lost."""
        sizes = [np.abs(self._slopes_beside(ACROSS[-1] * way)).max() for way in ways]
        return float(max((x for x in sizes if np.isfinite(x)), default=0.0))

    def _slopes_beside(self, step: Array) -> Array:
        return np.array(self._beside(step).slopes("inverse_dynamics", "q", "v"))

    def _beside(self, step: Array) -> Place:
        q = np.asarray(self.system.integrate(self.q, step[0]))
        return replace(self, q=q, v=self.v + step[1])

    @cached_property
    def turning(self) -> Array:
        """T with d/dt δq = δv + T δq: what turns takes small changes with it."""
        s = self.system
        if not s.charts or not np.any(self.v):
            return np.zeros((s.nv, s.nv))

        def carried(q: Any, change: Any, step: Any) -> Any:
            return s.difference(s.integrate(q, step), s.integrate(s.integrate(q, change), step))

        f = function(carried, {"q": s.nq, "change": s.nv, "step": s.nv}, name="carried")
        still = np.zeros(s.nv)
        return np.asarray(f.jacobian("change").jacobian("step")(self.q, still, still) @ self.v)

    def later(self, time: float) -> Place:
        """The same forces, where the velocities lead in a time."""
        q = np.asarray(self.system.integrate(self.q, self.v * time))
        return replace(self, q=q, t=self.t + time)


def _jump(here: Array, beside: Callable[[Array], Array], way: Array) -> tuple[float, Array]:
    """Sizes of values in a direction, and how far those of each row stay off however near it is."""
    there = [beside(near * way) for near in NEARER]
    far, near = (np.abs(x - here).reshape(len(here), -1).max(axis=1) for x in there)
    size = max(float(np.abs(there[1]).max()), float(np.abs(here).max()))
    stays = near > SHRINKS * far  # that of smooth values shrinks with the distance
    return size, np.where(stays, np.minimum(near, far), 0.0)


def weighed(s: Any, q: Array, given: Mapping[str, float]) -> tuple[Array, Array]:
    """What rounding may leave of forces (nv,) and slopes (nv, nv) if weights of bodies balance."""
    if not getattr(s, "bodies", ()):  # energies have no weights of their own
        return np.zeros(s.nv), np.zeros((s.nv, s.nv))
    forces, slopes = weight_sizes(s.over(given).numeric, q)
    return WEIGHED * forces, WEIGHED * slopes


def enclosures(f: Any, q: Array, lo: Array, hi: Array) -> tuple[Array, Array, Array]:
    """Lower and upper ends, and where f or its law may jump."""
    x = enclose(f, q, lo, hi)
    return x.lo, x.hi, x.deco < CONTINUOUS


def numbers(x: Any) -> str:
    """As they are told in errors."""
    return np.array2string(np.asarray(x), precision=6, separator=", ")
