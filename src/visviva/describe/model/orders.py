"""Positions, velocities, accelerations and forces in the order of Pinocchio, MuJoCo and ROS.

`LIBRARIES` is a table of what each of them has for a joint, `Order` reads it for a model. What goes
`from` a library takes all its arguments as the library has them, what goes `to` one takes ours.
Their velocities are T(q) v: T orders entries, turns linear velocities, and repeats for coupled
joints. Powers are equal, so our forces are Tᵀ times theirs. Accelerations are T a + Ṫ v, where
Ṫ v = T (ω × v) where linear velocities are along fixed axes, else zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import FloatArray, float_array
from visviva.describe.joints.joint import Z
from visviva.describe.model.body import WORLD, Body
from visviva.describe.model.positions import FREEDOMS, UNIT
from visviva.errors import ArgumentError, ShapeError, check_known
from visviva.foreign import explained
from visviva.space.poses import Pose
from visviva.space.rotations import quaternion, quaternion_matrix, quaternion_product

if TYPE_CHECKING:
    from visviva.describe.model.model import Model

REVOLUTE, CONTINUOUS = "revolute", "continuous"  # hinges; a continuous one has no limits
AS_HERE = dict.fromkeys((REVOLUTE, "prismatic", "universal"))
FREE_ENTRIES = ("px py pz x y z w", "vx vy vz wx wy wz")
SPHERICAL_ENTRIES = ("x y z w", "wx wy wz")
PLANAR_ENTRIES = ("x y angle", "vx vy w")
CONVERSIONS = {"": np.positive, "cos": np.cos, "sin": np.sin}
COUPLING_TOLERANCE = 1e-6  # how far a coupled joint may be from where the other one puts it


@dataclass(frozen=True)
class LibraryJoints:
    """What a library has for the joints that it knows: entries of q and of v by our names for them.

    "cos:angle" is the cosine of our entry; None says that all is as here.
    """

    joints: Mapping[str, tuple[str, str] | None]
    has_fixed_axes: bool = False  # linear velocities are along axes that do not turn
    has_world_poses: bool = False  # positions of a free joint are those in the world
    has_level_planes: bool = False  # planar joints move normal to z, whatever a file says
    is_depth_first: bool = True  # joints come in the order in which files nest them
    has_coupled: bool = True  # joints that follow others have entries of their own
    other_names: tuple[str, ...] = ()  # entries of its list of joints that are no joints


LIBRARIES = {
    "pinocchio": LibraryJoints(
        AS_HERE
        | {"helical": None, "spherical": SPHERICAL_ENTRIES, "free": FREE_ENTRIES}
        | {CONTINUOUS: ("cos: sin:", ""), "planar": ("x y cos:angle sin:angle", PLANAR_ENTRIES[1])},
        has_level_planes=True,
        other_names=("universe",),
    ),
    "mujoco": LibraryJoints(
        AS_HERE
        | {"cylindrical": None, "planar": PLANAR_ENTRIES}
        | {"spherical": ("w x y z", "wx wy wz"), "free": ("px py pz w x y z", FREE_ENTRIES[1])},
        has_fixed_axes=True,
        has_world_poses=True,
    ),
    "ros": LibraryJoints(
        AS_HERE | {"planar": PLANAR_ENTRIES, "spherical": SPHERICAL_ENTRIES, "free": FREE_ENTRIES},
        is_depth_first=False,
        has_coupled=False,
    ),
}


@dataclass(frozen=True)
class JointOrder:
    """A joint: where its numbers are in both libraries, and how theirs are made of ours."""

    body: Body
    q: slice
    v: slice
    their_q: slice
    their_v: slice
    entries: list[tuple[str, int]]  # their q: a conversion, and the number of our entry, for each
    order: list[int]  # their v is ours[order]
    linear: int  # how many of our velocities, the last ones, are along fixed axes there
    placement: Pose | None  # of the joint in the world, where positions there are in the world

    @cached_property
    def coupling(self) -> tuple[float, float]:
        """Factor and offset of a coupled joint: factor × q + offset is its position."""
        m = self.body.mimic
        return (1.0, 0.0) if m is None else (float(m.multiplier), float(m.offset))

    def q_to(self, q: FloatArray) -> FloatArray:
        """Their entries of its position."""
        factor, offset = self.coupling
        q = factor * q + offset
        q = q if self.placement is None else _compose_with(self.placement, q)
        return np.stack([CONVERSIONS[f](q[..., k]) for f, k in self.entries], axis=-1)

    def q_from(self, q: FloatArray) -> FloatArray:
        """Its position, from their entries."""
        result = np.empty((*q.shape[:-1], self.body.joint.nq))
        for k in range(self.body.joint.nq):
            values = {f: q[..., i] for i, (f, entry) in enumerate(self.entries) if entry == k}
            result[..., k] = (
                values[""] if "" in values else np.arctan2(values["sin"], values["cos"])
            )
        return result if self.placement is None else _compose_with(self.placement.inverse(), result)

    def velocity_map(self, q: FloatArray) -> FloatArray:
        """Its part of T: (..., n, n) if it turns, else (n, n)."""
        T, n, joint = np.eye(len(self.order)), self.linear, self.body.joint
        if n:
            entries = np.moveaxis(q, -1, 0)
            half, zero = entries[0] / 2, 0 * entries[0]  # a planar joint's angle is its first entry
            about_z = np.stack([zero, zero, np.sin(half), np.cos(half)])
            R = quaternion_matrix(entries[joint.quaternion] if joint.quaternion else about_z)
            R = np.moveaxis(R, (0, 1), (-2, -1))
            R = R if self.placement is None else self.placement.R @ R
            T = np.broadcast_to(T, (*R.shape[:-2], *T.shape)).copy()
            T[..., -n:, -n:] = R[..., :n, :n]
        return self.coupling[0] * T[..., self.order, :]

    def omega_cross_v(self, v: FloatArray) -> FloatArray:
        """ω × v, zero where linear velocities are not along fixed axes."""
        result = np.zeros_like(v)
        if n := self.linear:
            pad = [(0, 0)] * (v.ndim - 1)
            w = np.pad(v[..., :-n], [*pad, (3 - v.shape[-1] + n, 0)])
            result[..., -n:] = np.cross(w, np.pad(v[..., -n:], [*pad, (0, 3 - n)]))[..., :n]
        return result


def _compose_with(X: Pose, q: FloatArray) -> FloatArray:
    """Positions of a free joint whose frame is at X: quaternion, then point."""
    turn = np.stack([quaternion_product(quaternion(X.R), e) for e in np.eye(4)])
    return np.concatenate([q[..., :4] @ turn, q[..., 4:] @ X.R.T + X.p], axis=-1)


def depth_first(bodies: Sequence[Any]) -> list[int]:
    """Bodies in the order of elements within elements: each before what hangs on it."""
    below: dict[int, list[int]] = {}
    for i, b in enumerate(bodies):
        below.setdefault(b.parent, []).append(i)
    order: list[int] = []
    stack = below.get(WORLD, [])[::-1]
    while stack:
        order.append(stack.pop())
        stack += below.get(order[-1], [])[::-1]
    return order


@explained
class Order:
    """What Pinocchio, MuJoCo or ROS have in place of q, v, a and τ of a model; batches too.

    `model.order("pinocchio", names=list(theirs.names))` makes one. `nq` and `nv` are how many
    numbers they have. All arguments of `…_from` are theirs, all arguments of `…_to` are ours.
    """

    def __init__(
        self,
        model: Model,
        library: str,
        names: Iterable[str] | None = None,
        continuous: Iterable[str] | None = None,
    ) -> None:
        check_known("library", library, LIBRARIES)
        self.model, self.library, self._traits = model.numeric, library, LIBRARIES[library]
        self._joints: list[JointOrder] = []
        self.nq = self.nv = 0
        continuous_names = self._continuous_names(continuous)
        for i in self._body_indices(names):
            self._append_joint(i, self.model.bodies[i].joint_name in continuous_names)
        self._independent = [p for p in self._joints if p.body.mimic is None]
        self._coupled = [p for p in self._joints if p.body.mimic is not None]

    def q_to(self, q: Any) -> FloatArray:
        """Their position."""
        q = self._check_ours("q", q)
        result = np.empty((*q.shape[:-1], self.nq))
        for p in self._joints:
            result[..., p.their_q] = p.q_to(q[..., p.q])
            self._check_units(p, result[..., p.their_q])
        return result

    def q_from(self, q: Any) -> FloatArray:
        """Our position."""
        q = self._check_theirs("q", q)
        result = np.empty((*q.shape[:-1], self.model.nq))
        for p in self._independent:
            self._check_units(p, q[..., p.their_q])
            result[..., p.q] = p.q_from(q[..., p.their_q])
        for p in self._coupled:
            self._check_coupled(p, "q", q[..., p.their_q], p.q_to(result[..., p.q]))
        return result

    def v_to(self, q: Any, v: Any) -> FloatArray:
        """Their velocity."""
        return self._apply(self._check_ours("q", q), self._check_ours("v", v), self._joints)

    def v_from(self, q: Any, v: Any) -> FloatArray:
        """Our velocity."""
        return self._our_rates(self.q_from(q), "v", v)

    def a_to(self, q: Any, v: Any, a: Any) -> FloatArray:
        """Their acceleration."""
        a = self._check_ours("a", a) + self._omega_cross_v(self._check_ours("v", v))
        return self._apply(self._check_ours("q", q), a, self._joints)

    def a_from(self, q: Any, v: Any, a: Any) -> FloatArray:
        """Our acceleration."""
        q = self.q_from(q)
        return self._our_rates(q, "a", a) - self._omega_cross_v(self._our_rates(q, "v", v))

    def tau_to(self, q: Any, tau: Any) -> FloatArray:
        """Their forces; those of a coupled joint are on the one that it follows."""
        return self._apply(
            self._check_ours("q", q), self._check_ours("tau", tau), self._independent
        )

    def tau_from(self, q: Any, tau: Any) -> FloatArray:
        """Our forces; those of a coupled joint act through the one that it follows."""
        return self._apply_transposed(self.q_from(q), self._check_theirs("tau", tau), self._joints)

    def _apply(self, q: FloatArray, v: FloatArray, joints: Sequence[JointOrder]) -> FloatArray:
        """T v, by the entries of some joints."""
        result = np.zeros((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), self.nv))
        for p in joints:
            T = p.velocity_map(q[..., p.q])
            result[..., p.their_v] = np.einsum("...ij,...j", T, v[..., p.v])
        return result

    def _apply_transposed(
        self, q: FloatArray, v: FloatArray, joints: Sequence[JointOrder]
    ) -> FloatArray:
        """Tᵀ v, by the entries of some joints."""
        result = np.zeros((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), self.model.nv))
        for p in joints:
            T = p.velocity_map(q[..., p.q])
            result[..., p.v] += np.einsum("...ij,...i", T, v[..., p.their_v])
        return result

    def _our_rates(self, q: FloatArray, name: str, rates: Any) -> FloatArray:
        """Our rates, at our q. T only orders and turns joints that follow no other: T⁻¹ is Tᵀ."""
        v = self._check_theirs(name, rates)
        result = self._apply_transposed(q, v, self._independent)
        for p in self._coupled:
            self._check_coupled(p, name, v[..., p.their_v], p.coupling[0] * result[..., p.v])
        return result

    def _omega_cross_v(self, v: FloatArray) -> FloatArray:
        result = np.zeros_like(v)
        for p in self._independent:
            result[..., p.v] = p.omega_cross_v(v[..., p.v])
        return result

    # ---- which joints

    def _continuous_names(self, joints: Iterable[str] | None) -> set[str]:
        """Hinges that have a cosine and a sine there: those without limits, or as listed."""
        bodies = self.model.bodies if CONTINUOUS in self._traits.joints else ()
        hinges = {b.joint_name: b.limits for b in bodies if b.joint.kind == REVOLUTE}
        if joints is None:
            return {k for k, x in hinges.items() if np.isinf([*x.lower, *x.upper]).all()}
        names = {*joints}
        for name in names:
            check_known(f"hinge with a cosine and a sine in {self.library!r}", name, hinges)
        return names

    def _body_indices(self, names: Iterable[str] | None) -> list[int]:
        """The bodies whose joints have entries there, in the order of these."""
        bodies = self.model.bodies
        indices = {b.joint_name: i for i, b in enumerate(bodies) if b.joint.nv}
        independent = [x for x, i in indices.items() if bodies[i].mimic is None]
        if names is None:
            order = depth_first(bodies) if self._traits.is_depth_first else range(len(bodies))
            available = indices if self._traits.has_coupled else independent
            return [i for i in order if bodies[i].joint_name in available]
        welds = [b.joint_name for b in bodies if not b.joint.nv]
        joints = [x for x in names if x not in (*self._traits.other_names, *welds)]
        for name in joints:
            check_known("joint", name, indices)
        if wrong := [repr(x) for x in independent if joints.count(x) != 1]:
            raise ArgumentError(
                f"names= of {self.library!r} has each joint once, but not {', '.join(wrong)}"
            )
        return [indices[x] for x in joints]

    def _append_joint(self, i: int, is_continuous: bool) -> None:
        """The joint of a body, whose entries there come after those of the joints before it."""
        b, traits = self.model.bodies[i], self._traits
        joint, name = b.joint, f"joint {b.joint_name!r} for {self.library!r}"
        kind = CONTINUOUS if is_continuous else joint.kind
        if kind not in traits.joints:
            kinds = ", ".join(traits.joints)
            raise ArgumentError(f"{name} is {kind}, which it does not have; it has {kinds}")
        if traits.has_level_planes and not np.array_equal(getattr(joint, "normal", Z), Z):
            raise ArgumentError(f"{name} moves in a plane not normal to z, which it does not have")
        in_world = traits.has_world_poses and joint.nv == FREEDOMS
        if in_world and b.parent != WORLD:
            raise ArgumentError(f"{name} is free and not on the world, which it does not have")
        texts, linear = traits.joints[kind], 0
        entries, order = [("", k) for k in range(joint.nq)], [*range(joint.nv)]
        if texts is not None:
            words = [x.rpartition(":") for x in texts[0].split(" ")]
            entries = [(f, joint.coordinates.index(x)) for f, _, x in words]
            order = [joint.velocities.index(x) for x in texts[1].split(" ")]
            if traits.has_fixed_axes:
                linear = sum(x.startswith("v") for x in joint.velocities)
        q, v = slice(self.nq, self.nq + len(entries)), slice(self.nv, self.nv + len(order))
        slices = self.model.q_index[i], self.model.v_index[i], q, v
        placement = b.placement if in_world else None
        self._joints.append(JointOrder(b, *slices, entries, order, linear, placement))
        self.nq, self.nv = q.stop, v.stop

    # ---- numbers

    def _check_ours(self, name: str, x: Any) -> FloatArray:
        size = self.model.nq if name == "q" else self.model.nv
        return _float_rows(f"{name} of {self.model.name!r}", x, size, self.model.joint_names)

    def _check_theirs(self, name: str, x: Any) -> FloatArray:
        counts = [len(p.entries if name == "q" else p.order) for p in self._joints]
        names = (p.body.joint_name for p in self._joints)
        sizes = [f"{a} {n}" if n > 1 else a for a, n in zip(names, counts, strict=True)]
        return _float_rows(f"{name} of {self.library!r}", x, sum(counts), sizes)

    def _check_units(self, p: JointOrder, q: FloatArray) -> None:
        """Refuse quaternions, and pairs of a cosine and a sine, that are not of length one."""
        unit = range(p.body.joint.nq)[p.body.joint.quaternion or slice(0)]
        columns = [i for i, (f, k) in enumerate(p.entries) if f or k in unit]
        lengths = np.linalg.norm(q[..., columns], axis=-1) if columns else np.ones(1)
        if len(errors := lengths[~(np.abs(lengths - 1.0) <= UNIT)]):
            raise ArgumentError(
                f"q of {self.library!r}, joint {p.body.joint_name!r}: numbers {columns[0]} to "
                f"{columns[-1]} of its {len(p.entries)} have length one together, got "
                f"{errors[0]:.6g}"
            )

    def _check_coupled(self, p: JointOrder, name: str, x: FloatArray, target: FloatArray) -> None:
        """Refuse a coupled joint that is not where the one that it follows puts it."""
        x, target = np.broadcast_arrays(x, target)
        if (errors := ~(np.abs(x - target) <= COUPLING_TOLERANCE * (1 + np.abs(target)))).any():
            raise ArgumentError(
                f"{name} of {self.library!r}: joint {p.body.joint_name!r} is coupled, and "
                f"{target[errors][0]:.9g} where the others are, got {x[errors][0]:.9g}; a model "
                'that vv.load(path, mimic="expand") makes has it free'
            )


def _float_rows(name: str, x: Any, size: int, names: Iterable[str]) -> FloatArray:
    """An array (..., size) of floats."""
    if np.iscomplexobj(x) or np.ma.is_masked(x):
        raise ArgumentError(f"{name} holds numbers that are complex or masked, got {x!r:.80}")
    try:
        array = float_array(x)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} is an array of numbers, got {x!r:.80}") from None
    if array.shape[-1:] != (size,):
        raise ShapeError(f"{name} has {size} numbers, {', '.join(names)}; got shape {array.shape}")
    return array
