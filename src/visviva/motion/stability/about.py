"""`linearize`: from a system and a state to its `Linearization`.

F comes from the derivatives of the accelerations. Where constraints hold the system, changes of
state are those that they admit: independent coordinates are chosen among its own, and all others
follow them; rows about velocities alone leave coordinates free whose rates are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.linalg

from visviva.algebra.arrays import Array
from visviva.describe.stops import stops_of
from visviva.errors import ArgumentError, EquilibriumError, check_known
from visviva.machine.kinks import is_dry, way_without_dry_friction
from visviva.machine.values import sharing
from visviva.motion.stability.branches import check_one_branch
from visviva.motion.stability.flat import giving, go_on, known_to, refuse_flat, sped_up
from visviva.motion.stability.linearization import Linearization
from visviva.motion.stability.place import DOUBTED, RANK, Place, numbers
from visviva.motion.stability.quadratic import EPS, Quadratic
from visviva.motion.stability.steady import driven_rows
from visviva.solve.assembly import check_state
from visviva.solve.rows import Rows, finite

AT_REST = 1e-6  # of an equilibrium, in radians or metres: how far a given position may be from it
STEADY = 1e-9  # of matrices along a steady motion
LATER = (0.37, 1.1)  # times of a radian or metre, at which they are compared
STANDING = (1e-3, 0.37, 1.1, 13.0, 1e3)  # seconds, at which those are that depend on time at rest


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
    linear, state, changes = linear_part(system, q, v, tau=tau, t=t, parameters=parameters)
    ways = [
        np.hstack([changes.basis[:, x.states] @ getattr(x.spectrum, kind) for x in linear.parts])
        for kind in ("staying", "going")
    ]
    return replace(
        linear,
        flat=_flat(state, changes, linear),
        giving=partial(giving, state),
        sped_up=partial(sped_up, state, changes.basis, *ways),
    )


def linear_part(
    system: Any, q: Any, v: Any, *, tau: Any, t: float, parameters: Mapping[str, float] | None
) -> tuple[Linearization, Place, Changes]:
    """All but what is beyond first order, and where that may be looked for."""
    s, given = with_values(system, parameters)
    state = _state(s, q, v, tau, t, given)
    _refuse_dry_friction(state)
    _refuse_stops(state)
    check_one_branch(s, state.q, state.t)
    held, about_forces = _holding(state) if isinstance(tau, str) else (state.tau, ())
    state = replace(state, tau=held)
    notes = _check_steady(state) + about_forces
    state.check_smooth()
    changes = admitted_changes(state)
    F = _state_matrix(state, changes)
    second, why_not = _second(state, changes, F, isinstance(tau, str))
    if second is not None and second.noise is None:
        refuse_flat(state, changes.basis, F, partial(_matrices, changes), isinstance(tau, str))
    B, inputs = _inputs(state, changes)
    names = s.motion_names
    linear = Linearization(
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
    )
    return linear, state, changes


def _flat(state: Place, changes: Changes, linear: Linearization) -> tuple[str, ...]:
    """Coordinates of parts along which forces are zero to first order, and not beyond."""
    found: list[str] = []
    for part in linear.parts:
        ways = changes.basis[:, part.states] @ part.spectrum.staying
        found += () if go_on(state, ways) else part.names
    return tuple(found)


def with_values(system: Any, parameters: Any) -> tuple[Any, dict[str, float]]:
    """A system and values of its parameters; one that is held has them, and shares programs."""
    given = values_of(system, parameters) if parameters else {}
    return (sharing(system, given), {}) if given and system.held_by else (system, given)


def values_of(system: Any, parameters: Any) -> dict[str, float]:
    """Values of parameters, checked."""
    if not isinstance(parameters, Mapping):
        raise ArgumentError(
            f"parameters map names to numbers, {{'m': 2.0}}; got {parameters!r:.80}"
        )
    for name in parameters:
        check_known(f"parameter of {system.name!r}", name, system.parameter_names)
    values = finite("values of parameters", [*parameters.values()], len(parameters))
    return dict(zip(parameters, map(float, values), strict=True))


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
    return Place(s, at, rate, given, float(time), values)


def _holding(state: Place) -> tuple[Array, tuple[str, ...]]:
    """Forces of actuators that hold the place, and what is to be said of them.

    Constraints hold with them: T u + Aᵀ λ is the bias. Where actuators cannot, forces on all
    coordinates are taken, which is told.
    """
    s = state.system
    bias, T = state.value("bias_forces"), state.value("actuator_map")
    N = _followers(state.value("constraint_matrix"))[1] if s.held_by else np.eye(s.nv)
    along, wanted = N.T @ T, N.T @ bias
    u, _, rank, _ = np.linalg.lstsq(along, wanted, rcond=RANK)
    left = wanted - along @ u
    notes = []
    size = np.abs(wanted).max(initial=0.0)
    if s.held_by and rank < T.shape[1] and size > 0:
        notes.append(
            "more forces of actuators than one hold a linkage, each with another stiffness; these "
            "are the smallest"
        )
    if np.abs(left).max(initial=0.0) <= 1e-9 * size:
        return T @ u if s.held_by else bias, tuple(notes)
    own = N @ np.linalg.solve(N.T @ N, left)
    names = [x for x, y in zip(s.motion_names, np.abs(own) > 1e-9 * size, strict=True) if y]
    notes.append(f"no actuator has the forces that hold {', '.join(names)}")
    return T @ u + own if s.held_by else bias, tuple(notes)


def _refuse_dry_friction(state: Place) -> None:
    s = state.system
    if is_dry(state.function("bias_forces")):
        raise EquilibriumError(
            f"dry friction of {s.name!r} is a force that jumps at rest, and no linear "
            f"one; {way_without_dry_friction(s)}",
            "linearize",
        )


def _refuse_stops(state: Place) -> None:
    """At a stop forces jump; between stops motions are small enough not to reach them."""
    s = state.system
    stops = stops_of(s)
    there = state.q[stops.q]
    at = [
        x
        for x, y in zip(stops.names, (there <= stops.lower) | (there >= stops.upper), strict=True)
        if y
    ]
    if at:
        raise EquilibriumError(
            f"{', '.join(at)} of {s.name!r} is at a stop, whose force jumps there, and "
            "is no linear one; with_stops(None) gives the mechanism without stops",
            "linearize",
        )


def _check_steady(state: Place) -> tuple[str, ...]:
    """Refuse a state that changes by itself; what a small rest of forces does is noted."""
    s = state.system
    a = state.rest
    if not np.isfinite(a).all():
        raise EquilibriumError(
            f"accelerations of {s.name!r} are not finite at {state.q}",
            "linearize",
        )
    slope, by_speed, _ = state.accelerations
    if not (np.isfinite(slope).all() and np.isfinite(by_speed).all()):
        raise EquilibriumError(
            f"slopes of the accelerations of {s.name!r} are not finite at q = "
            f"{numbers(state.q)}, v = {numbers(state.v)}: forces have no linear part there",
            "linearize",
        )
    away = state.away
    left = a + np.hstack([slope, by_speed]) @ away
    size = max(float(np.abs(slope).max()), 1e-300)
    terms = 1.0 if state.terms is None else min(1.0, float(state.terms.max()))
    distance = float(np.abs(away).max(initial=0.0))
    if distance > AT_REST or float(np.abs(left).max()) > AT_REST * max(size, terms):
        names = s.motion_names
        worst = int(np.argmax(np.abs(a)))
        needed = "" if s.held_by else f"; tau='hold' is tau = {numbers(state.value('bias_forces'))}"
        what = "no steady motion" if np.any(state.v) else "no equilibrium"
        raise EquilibriumError(
            f"q = {numbers(state.q)}, v = {numbers(state.v)} is {what} of {s.name!r} "
            f"under tau = {numbers(state.tau)}: {names[worst]} accelerates by {a[worst]:.6g}. "
            f"equilibria() searches for those that there are{needed}",
            "linearize",
        )
    if np.any(state.v) or "t" in state.function("forward_dynamics").inputs:
        _check_constant(state)
    if distance > 0.01 * AT_REST:
        return (f"the state is about {distance:.1g} from the equilibrium",)
    return ()


def _check_constant(state: Place) -> None:
    """A steady motion has the same matrices at all times."""
    here = state.accelerations
    moves = bool(np.any(state.v))
    unit = 1.0 / float(np.abs(state.v).max()) if moves else 1.0
    for share in LATER if moves else STANDING:
        there = state.later(share * unit)
        pairs = [(np.zeros(len(state.v)), there.value("forward_dynamics"))]
        pairs += list(zip(here, there.accelerations, strict=True))
        for x, y in pairs:
            off = float(np.abs(x - y).max())
            if off > STEADY * max(float(np.abs(x).max()), float(np.abs(here[0]).max()), 1.0):
                raise EquilibriumError(
                    f"the motion of {state.system.name!r} with v = {numbers(state.v)} "
                    f"is not steady: after {share * unit:.3g} s its matrices differ by {off:.3g}, "
                    "so that they depend on time"
                    + ("; only coordinates that nothing depends on may move" if moves else ""),
                    "linearize",
                )


def admitted_changes(state: Place) -> Changes:
    """The changes of position and velocity that constraints admit, by independent coordinates."""
    s = state.system
    everything = np.arange(s.nv)
    if not s.held_by:
        return Changes(everything, everything, np.eye(2 * s.nv))
    A = state.value("constraint_matrix")
    slope = state.slopes("constraint_velocity", "q")[0]
    of_positions = A[list(Rows(s, state.t).places)]
    z, N = _followers(np.vstack([of_positions, driven_rows(s, state.v, A, slope)]))
    w, W = _followers(A)
    carried = slope @ N  # A δv + ∂(A v)/∂q δq = 0
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
    if state.system.held_by:  # others have bounds by intervals
        lower = moved[nv:]
        lower[np.abs(lower) <= 64 * EPS * state.forces] = 0.0
        stiff = lower[:, : len(changes.coordinates)]
        stiff[np.abs(stiff) <= _stiff_by_rounding(state, changes, stiff)] = 0.0
    rows = np.concatenate([changes.coordinates, nv + changes.velocities])
    F = moved[rows]
    off = np.abs(moved - changes.basis @ F).max(initial=0.0)
    if off > 1e-7 * max(float(np.abs(whole).max()), 1.0):
        raise EquilibriumError(
            f"changes of state that the constraints of {state.system.name!r} admit do "
            f"not stay admitted (by {off:.3g}): the position is singular",
            "linearize",
        )
    return np.asarray(F)


def _matrices(changes: Changes, there: Place) -> Array | None:
    """F beside a place, in the same coordinates; None where these cannot be chosen."""
    other = admitted_changes(there)
    same = np.array_equal(other.coordinates, changes.coordinates)
    return _state_matrix(there, other) if same else None


def _stiff_by_rounding(state: Place, changes: Changes, stiff: Array) -> Array:
    """Accelerations (nv, z) per change that rounding may leave where stiffnesses cancel."""
    none = np.zeros(stiff.shape)
    if np.any(state.v) or not stiff.size or not changes.is_holonomic:
        return none
    N = changes.basis[: len(state.v), : stiff.shape[1]]
    A, bias = state.value("constraint_matrix"), state.value("bias_forces") - state.tau
    pull = np.linalg.lstsq(A.T, bias, rcond=RANK)[0]
    size = np.abs(pull).max(initial=0.0) + np.abs(state.slopes("bias_forces", "q")[0]).max()
    inertia = N.T @ state.value("mass_matrix") @ N
    if (np.abs(inertia @ stiff[changes.coordinates]).max(axis=0) > DOUBTED * size).all():
        return none
    K, off = state.stiffnesses(pull)
    bent = np.tensordot(np.abs(state.slopes("constraint_matrix", "q")[0]), np.abs(N), 1)
    moved = state.rounding * (bent.max(axis=1) + np.abs(A) @ np.abs(N))  # of A N, which is zero
    aside = np.abs(np.linalg.pinv(A, rcond=RANK)) @ moved  # errors of N
    off = np.abs(N).T @ (off @ np.abs(N) + 2 * np.abs(K) @ aside)
    return np.asarray(np.abs(N @ np.linalg.inv(inertia)) @ off)


def _second(state: Place, changes: Changes, F: Array, holds: bool) -> tuple[Quadratic | None, str]:
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
        noise = known_to(state, np.abs(T), holds)
        A2, A3 = A2 - M @ T, A3 - A2 @ T
        return Quadratic(0.5 * (M + M.T), A2, A3, noise, False), ""
    upper, A2 = -M @ F[n:, :n], -M @ F[n:, n:]
    return Quadratic(0.5 * (M + M.T), A2 - M @ T, upper - A2 @ T, None, False), ""


def _inputs(state: Place, changes: Changes) -> tuple[Array, tuple[str, ...]]:
    """B of the actuators, and their names; of all coordinates where none is stated."""
    T = state.value("actuator_map")
    names = tuple(a.name for a in state.system.limited_actuators)
    names = names or tuple(f"u{k + 1}" for k in range(T.shape[1]))
    B = np.zeros((len(changes.coordinates) + len(changes.velocities), T.shape[1]))
    B[len(changes.coordinates) :] = (state.accelerations[2] @ T)[changes.velocities]
    return B, names
