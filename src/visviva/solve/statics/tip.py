"""At a frame: wrenches from torques, stiffness and compliance.

Only motions N that the constraints admit count: with J N in the place of J, loops are as arms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, vector
from visviva.algebra.diff import slopes
from visviva.drawing.digits import plain_number
from visviva.equations.constraints.rows import constraint_matrix
from visviva.equations.forces.actuators import actuator_map
from visviva.equations.frames.kinematics import jacobian, pose
from visviva.equations.statics import holding_forces
from visviva.errors import ArgumentError, SingularError, check_known
from visviva.solve.rows import finite
from visviva.solve.statics.holding import FELT, INDEPENDENT, LEFT, least
from visviva.solve.statics.loads import COMPONENTS

if TYPE_CHECKING:
    from visviva.solve.statics.statics import Statics


@dataclass(frozen=True, eq=False, repr=False)
class TipWrench:
    """The wrench (6,), (moment, force) in world axes, that a robot exerts at a frame with torques.

    `unique`: whether no other wrench goes with them; otherwise it is the smallest, and any
    combination of the columns of `resisted` (6, k) may be added, which joints resist without
    torque. `balanced`: whether it balances the torques; otherwise it comes nearest, `left` (nv,)
    is what moves the robot, and columns of `unbalanced` (nv, k) are torques that none balances.
    """

    frame: str
    components: tuple[str, ...]
    wrench: FloatArray
    resisted: FloatArray
    unbalanced: FloatArray
    left: FloatArray
    balanced: bool

    @property
    def unique(self) -> bool:
        """Whether it is the only one."""
        return bool(self.resisted.shape[1] == 0)

    def __repr__(self) -> str:
        parts = [f"{x} = {self.wrench[COMPONENTS.index(x)]:.6g}" for x in self.components]
        lines = [f"at {self.frame!r} the robot exerts {', '.join(parts)} (N, N m; world axes)"]
        if not self.unique:
            lines.append(
                f"not the only one: {self.resisted.shape[1]} directions of wrenches are resisted "
                "without torque; this is the smallest"
            )
        if not self.balanced:
            lines.append(f"it does not balance the torques: {_row(self.left)} is left")
        return "\n".join(lines)


def tip_wrench(s: Statics, frame: str, torques: Any, components: str = "") -> TipWrench:
    """F with Jᵀ F + G + … = τ, as far as there is one; … are loads at other frames."""
    names, kept = components_called(components)
    tau = finite(f"torques of {s.model.name!r}", torques, s.model.nv)
    N = s.rows.motions
    own = _jacobian(s, frame)
    J = own[kept] @ N
    J[np.abs(J) <= FELT * np.abs(own[kept]).max(initial=0.0)] = 0.0  # rounding: the frame rests
    wrench = s.load(frame) if any(x.frame == frame for x in s.loads) else np.zeros(6)
    needed_torques = _needed(s)
    size = float(np.abs([*tau, *needed_torques]).max(initial=0.0))
    wanted = N.T @ (tau - (needed_torques - own[kept].T @ wrench[kept]))
    F, _ = least(J.T, wanted)
    left = wanted - J.T @ F
    wrench[kept] = F
    resisted = np.zeros((6, len(J) - _rank(J)))
    resisted[kept] = _null(J.T)
    balanced = bool(np.abs(left).max(initial=0.0) <= LEFT * max(size, 1e-300))
    return TipWrench(frame, names, wrench, resisted, N @ _null(J), N @ left, balanced)


@dataclass(frozen=True, eq=False, repr=False)
class TipStiffness:
    """How a frame gives way: δx = C δF for a small force that acts on the robot there.

    `compliance` C (k, k) is in the order of `components`, world axes: rotations (rad) for moments,
    shifts (m) for forces. `stiffness` is its inverse, where the joints leave no component rigid.
    `joints` (nv, nv) is that of the joints, with what changes of position add: `geometric`.
    `stable` tells whether small displacements are driven back.
    """

    frame: str
    components: tuple[str, ...]
    compliance: FloatArray
    joints: FloatArray
    geometric: FloatArray
    stable: bool

    @property
    def stiffness(self) -> FloatArray:
        """C⁻¹ (k, k): N/m, N m/rad."""
        sizes = np.linalg.svd(self.compliance, compute_uv=False)
        rank = int(np.sum(sizes > 1e-12 * max(float(sizes.max(initial=0.0)), 1e-300)))
        if rank < len(sizes):
            raise SingularError(
                f"the compliance of {self.frame!r} has rank {rank} of {len(sizes)}: some of "
                f"{' '.join(self.components)} meet no joint that gives way. Name fewer components; "
                "compliance has all of them"
            )
        return np.asarray(np.linalg.inv(self.compliance))

    def __repr__(self) -> str:
        head = f"compliance of {self.frame!r} ({'stable' if self.stable else 'unstable'}): "
        lines = [head + "rotations [rad] and shifts [m] for moments [N m] and forces [N]"]
        width = max(len(f"{x:.4g}") for x in self.compliance.flat)
        lines.append("       " + "  ".join(x.rjust(width) for x in self.components))
        moved = [f"{'r' if x[0] == 'm' else 'd'}{x[1]}" for x in self.components]
        for name, row in zip(moved, self.compliance, strict=True):
            lines.append(f"  {name}  " + "  ".join(f"{x:.4g}".rjust(width) for x in row))
        return "\n".join(lines)


def tip_stiffness(s: Statics, frame: str, joints: Any, components: str = "") -> TipStiffness:
    """C = J N (Nᵀ (K + ∂(holding - T u - Aᵀ λ)/∂q) N)⁻¹ Nᵀ Jᵀ."""
    names, kept = components_called(components)
    K, N = _servo(s, joints), s.rows.motions
    J = _jacobian(s, frame)[kept] @ N
    geometric = _geometric(s)
    whole = N.T @ (K + geometric) @ N
    sizes = np.linalg.svd(whole, compute_uv=False)
    if len(sizes) and sizes[-1] <= INDEPENDENT * max(float(np.abs(whole).max()), 1e-300):
        _, _, Vt = np.linalg.svd(whole)
        moves = N @ Vt[-1]
        k = int(np.abs(moves).argmax())
        raise SingularError(
            f"nothing holds {s.model.motion_names[k]!r} of {s.model.name!r} in place: its "
            "stiffness, with what loads and springs add, is zero"
        )
    C = J @ np.linalg.solve(whole, J.T) if len(sizes) else np.zeros((len(kept), len(kept)))
    stable = bool(np.linalg.eigvalsh((whole + whole.T) / 2).min(initial=np.inf) > 0)
    return TipStiffness(frame, names, C, K + geometric, geometric, stable)


def components_called(components: Any) -> tuple[tuple[str, ...], list[int]]:
    """Components by name and by place; all six where none is named."""
    names = components.split() if isinstance(components, str) else list(components)
    for x in names:
        check_known("component of a wrench", x, COMPONENTS)
    if len(set(names)) < len(names):
        raise ArgumentError(f"a component occurs twice in {' '.join(names)}")
    names = names or list(COMPONENTS)
    return tuple(names), [COMPONENTS.index(x) for x in names]


def _jacobian(s: Statics, frame: str) -> Array:
    s.model.frame(frame)
    return np.asarray(jacobian(s.model, frame, s.q), dtype=float)


def _needed(s: Statics) -> Array:
    """What holding takes under the loads there are."""
    return np.asarray(_left(s, s.q), dtype=float) + s.torques


def _left(s: Statics, q: Any) -> Array:
    """Holding forces less those of drives and constraints, which stay as they are: zero at rest.

    A load that was given in body axes turns with its frame.
    """
    exerted = []
    for x in s.loads:
        W = x.wrench("moment first", "by robot")
        if x.follows:
            turn = pose(s.model, x.frame, q)[:3, :3] @ s.model.frame_pose(x.frame, s.q).R.T
            W = np.concatenate([turn @ W[:3], turn @ W[3:]])
        exerted.append((x.frame, x.point, W))
    left = holding_forces(s.model, q, exerted) - s.torques
    outside = ~s.drives.at_joints
    if outside.any():
        left = left - actuator_map(s.model, q)[:, outside] @ s.efforts[outside]
    if len(s.rows.A):
        left = left - constraint_matrix(s.model, q, s.t).T @ s.multipliers
    return vector(left)


def _geometric(s: Statics) -> Array:
    """∂(holding - T u - Aᵀ λ)/∂q (nv, nv), along motions."""
    moved = slopes(lambda step: _left(s, s.model.integrate(s.q, step)), np.zeros(s.model.nv))
    return np.asarray(moved, dtype=float)


def _servo(s: Statics, joints: Any) -> Array:
    n = s.model.nv
    if isinstance(joints, Mapping):
        given, joints = joints, np.zeros(n)
        for name, k in given.items():
            check_known(f"joint of {s.model.name!r}", name, s.model.joint_names)
            joints[s.model.joint_slices[name][1]] = k
    try:
        K = np.array(joints, dtype=float)
    except (TypeError, ValueError):
        K = np.array(np.nan)
    K = np.diag(np.broadcast_to(K, n)) if K.shape in ((), (n,)) else K
    if K.shape != (n, n) or not np.isfinite(K).all():
        raise ArgumentError(
            f"stiffnesses of {s.model.name!r} are {n} finite numbers, a {n} × {n} matrix, or by "
            f"joint names; got {joints!r:.80}"
        )
    if np.linalg.eigvalsh((K + K.T) / 2).min(initial=0.0) < -1e-12 * np.abs(K).max(initial=0.0):
        raise ArgumentError(f"stiffnesses of joints are not negative, got {joints!r:.80}")
    return K


def _rank(A: Array) -> int:
    sizes = np.linalg.svd(A, compute_uv=False)
    return int(np.sum(sizes > INDEPENDENT * max(float(sizes.max(initial=0.0)), 1e-300)))


def _null(A: Array) -> Array:
    """Columns x with A x = 0, orthonormal."""
    return np.asarray(np.linalg.svd(A)[2][_rank(A) :].T)


def _row(x: Array) -> str:
    return f"({', '.join(map(plain_number, x))})"
