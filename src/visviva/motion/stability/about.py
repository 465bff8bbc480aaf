"""`linearize`: from a system and a state to its `Linearization`.

F comes from the derivatives of the accelerations. Where constraints hold the system, changes of
state are those that they admit: independent coordinates are chosen among its own, and all others
follow them; rows about velocities alone leave coordinates free whose rates are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg

from visviva.algebra.arrays import Array
from visviva.errors import ArgumentError, EquilibriumError, check_known
from visviva.machine.function import function
from visviva.motion.stability.linearization import Linearization
from visviva.motion.stability.quadratic import Quadratic
from visviva.solve.assembly import check_state
from visviva.solve.rows import Rows, finite

AT_REST = 1e-6  # of an equilibrium, in radians or metres: how far a given position may be from it
RANK = 1e-9  # of rows
STEADY = 1e-9  # of matrices along a steady motion
LATER = (0.37, 1.1)  # times of a radian or metre, at which they are compared


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


@dataclass(frozen=True, eq=False)
class Changes:
    """Which small changes of state rows admit: (δq, δv) = basis (δz, δw)."""

    coordinates: Array  # which entries of v are z
    velocities: Array  # and which are w
    basis: Array

    @property
    def is_holonomic(self) -> bool:
        """Whether w are the rates of z."""
        return np.array_equal(self.coordinates, self.velocities)


def linearize(
    system: Any,
    q: Any = None,
    v: Any = None,
    *,
    tau: Any = None,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> Linearization:
    """A system near an equilibrium or a steady motion, as `System.linearize` says."""
    s, given = with_values(system, parameters)
    state = _state(s, q, v, tau, t, given)
    _refuse_dry_friction(state)
    notes = _check_steady(state)
    changes = admitted_changes(state)
    F = _state_matrix(state, changes)
    second, why_not = _second(state, changes, F)
    B, inputs = _inputs(state, changes)
    names = s.motion_names
    return Linearization(
        s.name,
        tuple(names[k] for k in changes.coordinates),
        tuple(s.velocity_names[k] for k in changes.velocities),
        F,
        second,
        why_not,
        state.q,
        state.v,
        state.tau,
        changes.basis,
        inputs,
        B,
        notes,
    )  # fmt: skip


def with_values(system: Any, parameters: Any) -> tuple[Any, dict[str, float]]:
    """A system and values of its parameters; one that is held has them by itself."""
    if not parameters:
        return system, {}
    if not isinstance(parameters, Mapping):
        raise ArgumentError(
            f"parameters map names to numbers, {{'m': 2.0}}; got {parameters!r:.80}"
        )
    for name in parameters:
        check_known(f"parameter of {system.name!r}", name, system.parameter_names)
    values = finite("values of parameters", [*parameters.values()], len(parameters))
    given = dict(zip(parameters, map(float, values), strict=True))
    return (system.with_parameters(**given), {}) if system.held_by else (system, given)


def _state(s: Any, q: Any, v: Any, tau: Any, t: float, values: Mapping[str, float]) -> Place:
    """What was asked for, checked."""
    if not s.nv:
        raise ArgumentError(f"linearize: {s.name!r} has no coordinates")
    if q is None:
        at = s.assembled(t=t) if s.held_by else np.asarray(s.neutral(), dtype=float)
    else:
        at = finite(f"linearize: q of {s.name!r}", q, s.nq)
    rate = np.zeros(s.nv) if v is None else finite(f"linearize: v of {s.name!r}", v, s.nv)
    (time,) = finite("linearize: t", [t], 1)
    if s.held_by:
        check_state(s, at, rate, float(time))
    holds = isinstance(tau, str)
    if holds and tau != "hold":
        raise ArgumentError(f"linearize: tau is {s.nv} numbers or 'hold', got {tau!r}")
    given = np.zeros(s.nv) if tau is None or holds else finite("linearize: tau", tau, s.nv)
    state = Place(s, at, rate, given, float(time), values)
    return replace(state, tau=state.value("bias_forces")) if holds else state


def _refuse_dry_friction(state: Place) -> None:
    s = state.system
    if state.function("forward_dynamics").operations["sign"]:
        raise EquilibriumError(
            f"linearize: dry friction of {s.name!r} is a force that jumps at rest, and no linear "
            "one; without_dissipation() gives the mechanism without it (and without damping)"
        )


def _check_steady(state: Place) -> tuple[str, ...]:
    """Refuse a state that changes by itself; what a small rest of forces does is noted."""
    s = state.system
    a = state.value("forward_dynamics")
    if not np.isfinite(a).all():
        raise EquilibriumError(
            f"linearize: accelerations of {s.name!r} are not finite at {state.q}"
        )
    slope, by_speed, _ = state.accelerations
    away, *_ = np.linalg.lstsq(np.hstack([slope, by_speed]), -a, rcond=RANK)
    left = a + np.hstack([slope, by_speed]) @ away
    size = max(float(np.abs(slope).max()), 1e-300)
    distance = float(np.abs(away).max(initial=0.0))
    if distance > AT_REST or float(np.abs(left).max()) > AT_REST * max(size, 1.0):
        names = s.motion_names
        worst = int(np.argmax(np.abs(a)))
        needed = (
            "" if s.held_by else f"; tau='hold' is tau = {_numbers(state.value('bias_forces'))}"
        )
        what = "no steady motion" if np.any(state.v) else "no equilibrium"
        raise EquilibriumError(
            f"linearize: q = {_numbers(state.q)}, v = {_numbers(state.v)} is {what} of {s.name!r} "
            f"under tau = {_numbers(state.tau)}: {names[worst]} accelerates by {a[worst]:.6g}. "
            f"equilibria() searches for those that there are{needed}"
        )
    if np.any(state.v):
        _check_constant(state)
    if distance > 0.01 * AT_REST:
        return (f"the state is about {distance:.1g} from the equilibrium",)
    return ()


def _check_constant(state: Place) -> None:
    """A steady motion has the same matrices at all times."""
    here = state.accelerations
    unit = 1.0 / float(np.abs(state.v).max())
    for share in LATER:
        there = state.later(share * unit)
        pairs = [(np.zeros(len(state.v)), there.value("forward_dynamics"))]
        pairs += list(zip(here, there.accelerations, strict=True))
        for x, y in pairs:
            off = float(np.abs(x - y).max())
            if off > STEADY * max(float(np.abs(x).max()), float(np.abs(here[0]).max()), 1.0):
                raise EquilibriumError(
                    f"linearize: the motion of {state.system.name!r} with v = {_numbers(state.v)} "
                    f"is not steady: after {share * unit:.3g} s its matrices differ by {off:.3g}, "
                    "so that they depend on time; only coordinates that nothing depends on may move"
                )


def admitted_changes(state: Place) -> Changes:
    """The changes of position and velocity that constraints admit, by independent coordinates."""
    s = state.system
    everything = np.arange(s.nv)
    if not s.held_by:
        return Changes(everything, everything, np.eye(2 * s.nv))
    A = state.value("constraint_matrix")
    of_positions = A[list(Rows(s, state.t).places)]
    z, N = _followers(of_positions)
    w, W = _followers(A)
    carried = state.slopes("constraint_velocity", "q")[0] @ N  # A δv + ∂(A v)/∂q δq = 0
    more = -np.linalg.lstsq(A, carried, rcond=RANK)[0]
    more = more - W @ more[w]  # velocities that are chosen stay as they are
    top = np.hstack([N, np.zeros((s.nv, len(w)))])
    return Changes(z, w, np.vstack([top, np.hstack([more, W])]))


def _followers(A: Array) -> tuple[Array, Array]:
    """Independent entries, and the matrix by which all follow them while A x = 0."""
    n = A.shape[1]
    length = np.linalg.norm(A, axis=1)
    A = A[length > RANK] / length[length > RANK, None]
    if not len(A):
        return np.arange(n), np.eye(n)
    _, R, order = scipy.linalg.qr(A, pivoting=True)
    size = np.abs(np.diag(R))
    rank = int((size > RANK * size[0]).sum())
    depend, free = order[:rank], np.sort(order[rank:])
    N = np.zeros((n, len(free)))
    N[free] = np.eye(len(free))
    N[depend] = -np.linalg.lstsq(A[:, depend], A[:, free], rcond=RANK)[0]
    return free, N


def _state_matrix(state: Place, changes: Changes) -> Array:
    a_q, a_v, _ = state.accelerations
    nv = len(state.v)
    whole = np.block([[state.turning, np.eye(nv)], [a_q, a_v]])
    moved = whole @ changes.basis
    rows = np.concatenate([changes.coordinates, nv + changes.velocities])
    F = moved[rows]
    off = np.abs(moved - changes.basis @ F).max(initial=0.0)
    if off > 1e-7 * max(float(np.abs(whole).max()), 1.0):
        raise EquilibriumError(
            f"linearize: changes of state that the constraints of {state.system.name!r} admit do "
            f"not stay admitted (by {off:.3g}): the position is singular"
        )
    return np.asarray(F)


def _second(state: Place, changes: Changes, F: Array) -> tuple[Quadratic | None, str]:
    """A₁, A₂, A₃, where the velocities are those of the coordinates."""
    if not changes.is_holonomic:
        return None, (
            "rows hold velocities whose coordinates are free, so that there is no equation of "
            "second order; state_matrix, eigenvalues and modes are there"
        )
    n = len(changes.coordinates)
    if not n:
        return None, "nothing of it can move"
    N = changes.basis[: len(state.v), :n]
    M = N.T @ state.value("mass_matrix") @ N
    T = F[:n, :n]  # ż = T z + w
    if not state.system.held_by:
        A3, A2 = state.slopes("inverse_dynamics", "q", "v")
        A2, A3 = A2 - M @ T, A3 - A2 @ T
        return Quadratic(0.5 * (M + M.T), A2, A3), ""
    upper, A2 = -M @ F[n:, :n], -M @ F[n:, n:]
    return Quadratic(0.5 * (M + M.T), A2 - M @ T, upper - A2 @ T), ""


def _inputs(state: Place, changes: Changes) -> tuple[Array, tuple[str, ...]]:
    """B of the actuators, and their names; of all coordinates where none is stated."""
    T = state.value("actuator_map")
    names = tuple(f"u{k + 1}" for k in range(T.shape[1]))
    B = np.zeros((len(changes.coordinates) + len(changes.velocities), T.shape[1]))
    B[len(changes.coordinates) :] = (state.accelerations[2] @ T)[changes.velocities]
    return B, names


def _numbers(x: Any) -> str:
    return np.array2string(np.asarray(x), precision=6, separator=", ")
