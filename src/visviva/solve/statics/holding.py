"""What actuators and constraints have to exert at rest: T u + Aᵀ λ = Q.

Q is what holding takes, by virtual work. Motions N that the constraints admit do not see λ, so that
Nᵀ T u = Nᵀ Q tells u, and what is left of Q the constraints bear. More actuators than freedoms
leave u open, rows that depend on each other λ: the smallest are taken, and it is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, BoolArray, FloatArray
from visviva.describe.model.actuator import Actuator, motor_velocity
from visviva.describe.model.model import Model
from visviva.equations.constraints.rows import (
    constraint_drift,
    constraint_error,
    constraint_matrix,
    slightness,
)
from visviva.equations.forces.actuators import actuator_map
from visviva.errors import ArgumentError, EquilibriumError, check_known
from visviva.solve.assembly import VIOLATED, check_state

INDEPENDENT = 1e-10  # of the largest singular value, of rows and columns of length one
FELT = 1e-9  # of what drives, whatever moves: rounding of q leaves less at a dead point
LEFT = 1e-9  # of the forces there are: what may be left over at rest


@dataclass(frozen=True, eq=False)
class HeldRows:
    """A at a position, with its null spaces: motions that it admits, forces that hold themselves.

    `self_stress` (k, m) has λ with Aᵀ λ = 0: what loops may bear without any load.
    """

    A: FloatArray
    motions: FloatArray
    self_stress: FloatArray

    @classmethod
    def at(cls, model: Model, q: FloatArray, t: float) -> HeldRows:
        """The rows of a model's constraints; a position that violates them is refused."""
        if not model.held_by:
            return cls(np.zeros((0, model.nv)), np.eye(model.nv), np.zeros((0, 0)))
        error = np.abs(np.asarray(constraint_error(model, q, t), dtype=float))
        if not error.max(initial=0.0) <= VIOLATED:
            check_state(model, q, None, t)
        drift = np.abs(np.asarray(constraint_drift(model, q, t), dtype=float))
        if drift.max(initial=0.0) > 0:
            raise ArgumentError(
                f"{model.name!r} is not at rest: its constraints move by themselves at t = {t:g}"
            )
        A = np.asarray(constraint_matrix(model, q, t), dtype=float)
        length = np.linalg.norm(A, axis=1)
        large = length**2 > np.array(slightness(model), dtype=float)
        full = np.where(large, length, 1.0)
        U, sizes, Vt = np.linalg.svd(np.where(large[:, None], A, 0.0) / full[:, None])
        rank = int(np.sum(sizes > INDEPENDENT * max(float(sizes.max(initial=0.0)), 1e-300)))
        stress = U[:, rank:] / full[:, None]
        return cls(np.where(large[:, None], A, 0.0), Vt[rank:].T, np.linalg.qr(stress)[0])

    def multipliers(self, forces: FloatArray) -> FloatArray:
        """λ of least norm with Aᵀ λ = forces."""
        if not len(self.A):
            return np.zeros(0)
        Z, V = self.self_stress, self.motions
        # what is asked for is orthogonal to both null spaces: then the matrix has an inverse
        k, m = Z.shape[1], V.shape[1]
        whole = np.block([[self.A.T, V], [Z.T, np.zeros((k, m))]])
        wanted = np.concatenate([forces, np.zeros(k)])
        return np.asarray(np.linalg.lstsq(whole, wanted, rcond=None)[0][: len(self.A)])


@dataclass(frozen=True, eq=False)
class Drives:
    """What can hold the mechanism: u = T f, what each is called, and its unit.

    `actuators` are those of the model, none where joints themselves are driven.
    """

    T: FloatArray
    names: tuple[str, ...]
    units: tuple[str, ...]
    actuators: tuple[Actuator, ...] = ()

    @property
    def at_joints(self) -> BoolArray:
        """Which of them act at joints, a mask; the others push at frames."""
        motors = [a.kind == "motor" for a in self.actuators]
        return np.array(motors or [True] * len(self.names), dtype=bool)

    @classmethod
    def of(cls, model: Model, q: FloatArray, actuated: Any) -> Drives:
        """Those of the model, or all velocities of the joints that `actuated` names."""
        units = force_units(model)
        if actuated is None and model.actuators:
            kinds = {"thruster": "N", "couple": "N m"}
            some = model.actuators
            own = tuple(kinds.get(a.kind) or units[motor_place(model, a)] for a in some)
            T = np.asarray(actuator_map(model, q), dtype=float)
            return cls(T, tuple(a.name for a in some), own, some)
        kept = [
            k
            for name in _driven(model, actuated)
            for k in range(model.nv)[model.joint_slices[name][1]]
        ]
        names = tuple(model.motion_names[k] for k in kept)
        return cls(np.eye(model.nv)[:, kept], names, tuple(units[k] for k in kept))


def motor_place(model: Model, a: Actuator) -> int:
    """Which velocity a motor drives."""
    return int(model.v_index[model.joint_index(a.joint)].start) + motor_velocity(model, a)


def force_units(model: Model) -> tuple[str, ...]:
    """N m where a velocity turns, N where it shifts."""
    return tuple("N m" if x == "rad/s" else "N" for x in model.velocity_units)


def _driven(model: Model, actuated: Any) -> list[str]:
    if actuated is None:
        return [x for x in model.joint_names if x not in model.passive]
    if isinstance(actuated, str):
        actuated = [actuated]
    try:
        names = list(actuated)
    except TypeError:
        names = [actuated]
    for name in names:
        check_known(f"joint of {model.name!r}", name, model.joint_names)
    if len(set(names)) < len(names):
        raise ArgumentError(f"actuated: a joint occurs twice in {', '.join(names)}")
    return [x for x in model.joint_names if x in names]


@dataclass(frozen=True, eq=False)
class Holding:
    """u and λ that hold, and how many of each are open."""

    efforts: Array
    multipliers: Array
    redundant: int


def holding(model: Model, Q: Array, rows: HeldRows, drives: Drives, size: float) -> Holding:
    """u of least norm and λ of least norm with T u + Aᵀ λ = Q; refused where none do it."""
    N, T = rows.motions, drives.T
    felt, needed = N.T @ T, N.T @ Q
    if N.shape[1] == T.shape[1] == len(Q) and np.array_equal(T, np.eye(len(Q))):
        return Holding(Q, rows.multipliers(Q - T @ Q), 0)  # nothing to solve, nothing to round
    u, redundant = least(felt, needed, _largest(T))
    left = needed - felt @ u
    if np.abs(left).max(initial=0.0) > LEFT * max(size, 1e-300):
        _refuse(model, N @ left, drives.names)
    return Holding(u, rows.multipliers(Q - T @ u), redundant)


def that_suffice(model: Model, rows: HeldRows, drives: Drives) -> list[str]:
    """The first joints without which others of the drives do not hold, none of them too many."""
    if drives.actuators:
        return []
    N, chosen, rank = rows.motions, list[str](), 0
    for name in model.joint_names:
        T = Drives.of(model, np.zeros(0), [*chosen, name]).T
        if {*np.flatnonzero(T.any(axis=1))} <= {*np.flatnonzero(drives.T.any(axis=1))}:
            more = _rank(N, T)
            if more == T.shape[1]:
                chosen, rank = [*chosen, name], more
    return chosen if rank == _rank(N, drives.T) else []


def _rank(N: Array, T: Array) -> int:
    return int(T.shape[1] - least(N.T @ T, np.zeros(N.shape[1]), _largest(T))[1])


def _largest(A: Array) -> float:
    return float(np.abs(A).max(initial=0.0))


def least(A: Array, b: Array, size: float = 0.0) -> tuple[Array, int]:
    """x of least norm that comes nearest to A x = b, and how many directions of x are open.

    `size` is that of numbers of which A is a part: what is small beside it is zero.
    """
    if not A.size:
        return np.zeros(A.shape[1]), A.shape[1]
    U, sizes, Vt = np.linalg.svd(A, full_matrices=False)
    rank = int(np.sum(sizes > FELT * max(float(sizes.max(initial=0.0)), size, 1e-300)))
    x = Vt[:rank].T @ ((U[:, :rank].T @ b) / sizes[:rank])
    x = x + Vt[:rank].T @ ((U[:, :rank].T @ (b - A @ x)) / sizes[:rank])  # what rounding left
    return np.asarray(x), A.shape[1] - rank


def _refuse(model: Model, left: Array, driven: Sequence[str]) -> None:
    names, units = model.motion_names, force_units(model)
    most = float(np.abs(left).max())
    felt = [k for k in np.argsort(-np.abs(left)) if abs(left[k]) > 1e-6 * most][:6]
    lacking = ", ".join(f"{names[k]} {left[k]:.6g} {units[k]}" for k in felt)
    raise EquilibriumError(
        f"{model.name!r} does not stay at rest: what drives it ({', '.join(driven) or 'nothing'}) "
        f"cannot hold it, and along the motion that is free it lacks {lacking}. actuated= names "
        f"joints that hold, of {', '.join(model.joint_names)}"
    )
