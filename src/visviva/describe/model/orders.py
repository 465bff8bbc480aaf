"""Positions, velocities, accelerations and forces in the order of Pinocchio, MuJoCo and ROS.

`LIBRARIES` is a table of what each of them has for a joint, `Order` reads it for a model. What goes
`from` a library takes all its arguments as the library has them, what goes `to` one takes ours.
Their velocities are T(q) v, where T orders, turns, and repeats for coupled joints. So forces, as
powers are the same, are Tᵀ τ of theirs, and accelerations T a + Ṫ v, where Ṫ v = T (ω × v) if
linear velocities are along fixed axes.
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

HINGE, ENDLESS = "revolute", "continuous"  # a hinge that has no limits
AS_HERE = dict.fromkeys((HINGE, "prismatic", "universal"))
BASE = ("px py pz x y z w", "vx vy vz wx wy wz")
BALL = ("x y z w", "wx wy wz")
PLANE = ("x y angle", "vx vy w")
MAKES = {"": np.positive, "cos": np.cos, "sin": np.sin}
COUPLED = 1e-6  # how far a coupled joint may be from where the other one puts it


@dataclass(frozen=True)
class Library:
    """What a library has for the joints that it knows: entries of q and of v by our names for them.

    "cos:angle" is the cosine of our entry; None says that all is as here.
    """

    joints: Mapping[str, tuple[str, str] | None]
    fixed_axes: bool = False  # linear velocities are along axes of the joint's frame, or the world
    in_world: bool = False  # the pose of a free joint is that in the world
    level: bool = False  # planes are normal to z, whatever a file says
    depth_first: bool = True  # joints come in the order in which files have them
    has_coupled: bool = True  # joints that follow others have entries of their own
    no_joints: tuple[str, ...] = ()  # what its list of joints has besides


LIBRARIES = {
    "pinocchio": Library(
        AS_HERE
        | {"helical": None, "spherical": BALL, "free": BASE}
        | {ENDLESS: ("cos: sin:", ""), "planar": ("x y cos:angle sin:angle", PLANE[1])},
        level=True,
        no_joints=("universe",),
    ),
    "mujoco": Library(
        AS_HERE
        | {"cylindrical": None, "planar": PLANE, "spherical": ("w x y z", BALL[1])}
        | {"free": ("px py pz w x y z", BASE[1])},
        fixed_axes=True,
        in_world=True,
    ),
    "ros": Library(
        AS_HERE | {"planar": PLANE, "spherical": BALL, "free": BASE},
        depth_first=False,
        has_coupled=False,
    ),
}


@dataclass(frozen=True)
class Part:
    """A joint: where its numbers are, here and there, and how theirs are made of ours."""

    body: Body
    q: slice
    v: slice
    their_q: slice
    their_v: slice
    entries: list[tuple[str, int]]  # of their q: what is made of which of ours
    order: list[int]  # their v is ours[order]
    linear: list[int]  # velocities along axes that are fixed there
    placement: Pose | None  # in front of a pose that is in the world there

    @cached_property
    def relation(self) -> tuple[float, float]:
        """Factor and offset of a coupled joint."""
        m = self.body.mimic
        return (1.0, 0.0) if m is None else (float(m.multiplier), float(m.offset))

    def q_to(self, q: FloatArray) -> FloatArray:
        """Their entries of its position."""
        q = self.relation[0] * q + self.relation[1]
        q = q if self.placement is None else _placed(self.placement, q)
        return np.stack([MAKES[what](q[..., k]) for what, k in self.entries], axis=-1)

    def q_from(self, q: FloatArray) -> FloatArray:
        """Its position, from their entries."""
        ours = np.empty((*q.shape[:-1], self.body.joint.nq))
        for k in range(self.body.joint.nq):
            by = {what: q[..., i] for i, (what, at) in enumerate(self.entries) if at == k}
            ours[..., k] = by[""] if "" in by else np.arctan2(by["sin"], by["cos"])
        return ours if self.placement is None else _placed(self.placement.inverse(), ours)

    def velocity_map(self, q: FloatArray) -> FloatArray:
        """Its part of T: (..., n, n) if it turns, else (n, n)."""
        T, n = np.eye(len(self.order)), len(self.linear)
        if n:
            entries, at = np.moveaxis(q, -1, 0), self.body.joint.quaternion
            half, no = entries[0] / 2, 0 * entries[0]  # of a planar joint's angle, about the normal
            turn = entries[at] if at else np.stack([no, no, np.sin(half), np.cos(half)])
            R = np.moveaxis(quaternion_matrix(turn), (0, 1), (-2, -1))
            R = R if self.placement is None else self.placement.R @ R
            T = np.broadcast_to(T, (*R.shape[:-2], *T.shape)).copy()
            T[..., self.linear[0] :, self.linear[0] :] = R[..., :n, :n]
        return self.relation[0] * T[..., self.order, :]

    def carried(self, v: FloatArray) -> FloatArray:
        """ω × v, which a needs besides where velocities are along fixed axes."""
        out = np.zeros_like(v)
        if n := len(self.linear):
            pad = [(0, 0)] * (v.ndim - 1)
            w = np.pad(v[..., :-n], [*pad, (3 - v.shape[-1] + n, 0)])
            out[..., -n:] = np.cross(w, np.pad(v[..., -n:], [*pad, (0, 3 - n)]))[..., :n]
        return out


def _placed(X: Pose, q: FloatArray) -> FloatArray:
    """Positions of a free joint seen from where its frame is at X."""
    turn = np.stack([quaternion_product(quaternion(X.R), e) for e in np.eye(4)])
    return np.concatenate([q[..., :4] @ turn, q[..., 4:] @ X.R.T + X.p], axis=-1)


def depth_first(bodies: Sequence[Any]) -> list[int]:
    """Bodies in the order of elements within elements: each before what hangs on it."""
    below: dict[int, list[int]] = {}
    for i, b in enumerate(bodies):
        below.setdefault(b.parent, []).append(i)
    order: list[int] = []
    waiting = below.get(WORLD, [])[::-1]
    while waiting:
        order.append(waiting.pop())
        waiting += below.get(order[-1], [])[::-1]
    return order


@explained
class Order:
    """What Pinocchio, MuJoCo or ROS have in place of q, v, a and τ of a model; batches too.

    `model.order("pinocchio", names=list(theirs.names))` makes one. `nq` and `nv` are how many
    numbers they have. Arguments of what goes from there are theirs, of what goes there ours.
    """

    def __init__(
        self,
        model: Model,
        library: str,
        names: Iterable[str] | None = None,
        continuous: Iterable[str] | None = None,
    ) -> None:
        check_known("library", library, LIBRARIES)
        self.model, self.library, self._row = model.numeric, library, LIBRARIES[library]
        self._parts: list[Part] = []
        self.nq = self.nv = 0
        endless = self._endless(continuous)
        for i in self._bodies(names):
            self._add(i, self.model.bodies[i].joint_name in endless)
        self._own = [p for p in self._parts if p.body.mimic is None]
        self._coupled = [p for p in self._parts if p.body.mimic is not None]

    def q_to(self, q: Any) -> FloatArray:
        """Their position."""
        q = self._ours("q", q)
        out = np.empty((*q.shape[:-1], self.nq))
        for p in self._parts:
            out[..., p.their_q] = p.q_to(q[..., p.q])
            self._check_units(p, out[..., p.their_q])
        return out

    def q_from(self, q: Any) -> FloatArray:
        """Our position."""
        q = self._theirs("q", q)
        out = np.empty((*q.shape[:-1], self.model.nq))
        for p in self._own:
            self._check_units(p, q[..., p.their_q])
            out[..., p.q] = p.q_from(q[..., p.their_q])
        for p in self._coupled:
            self._check_coupled(p, "q", q[..., p.their_q], p.q_to(out[..., p.q]))
        return out

    def v_to(self, q: Any, v: Any) -> FloatArray:
        """Their velocity."""
        return self._to(self._ours("q", q), self._ours("v", v), self._parts)

    def v_from(self, q: Any, v: Any) -> FloatArray:
        """Our velocity."""
        return self._rates(self.q_from(q), "v", v)

    def a_to(self, q: Any, v: Any, a: Any) -> FloatArray:
        """Their acceleration."""
        a = self._ours("a", a) + self._carried(self._ours("v", v))
        return self._to(self._ours("q", q), a, self._parts)

    def a_from(self, q: Any, v: Any, a: Any) -> FloatArray:
        """Our acceleration."""
        q = self.q_from(q)
        return self._rates(q, "a", a) - self._carried(self._rates(q, "v", v))

    def tau_to(self, q: Any, tau: Any) -> FloatArray:
        """Their forces; those of a coupled joint are on the one that it follows."""
        return self._to(self._ours("q", q), self._ours("tau", tau), self._own)

    def tau_from(self, q: Any, tau: Any) -> FloatArray:
        """Our forces; those of a coupled joint act through the one that it follows."""
        return self._from(self.q_from(q), self._theirs("tau", tau), self._parts)

    def _to(self, q: FloatArray, v: FloatArray, parts: Sequence[Part]) -> FloatArray:
        out = np.zeros((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), self.nv))
        for p in parts:
            out[..., p.their_v] = np.einsum("...ij,...j", p.velocity_map(q[..., p.q]), v[..., p.v])
        return out

    def _from(self, q: FloatArray, v: FloatArray, parts: Sequence[Part]) -> FloatArray:
        out = np.zeros((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), self.model.nv))
        for p in parts:
            out[..., p.v] += np.einsum("...ij,...i", p.velocity_map(q[..., p.q]), v[..., p.their_v])
        return out

    def _rates(self, q: FloatArray, name: str, rates: Any) -> FloatArray:
        """T⁻¹ of their rates, at our q."""
        theirs = self._theirs(name, rates)
        out = self._from(q, theirs, self._own)
        for p in self._coupled:
            self._check_coupled(p, name, theirs[..., p.their_v], p.relation[0] * out[..., p.v])
        return out

    def _carried(self, v: FloatArray) -> FloatArray:
        out = np.zeros_like(v)
        for p in self._own:
            out[..., p.v] = p.carried(v[..., p.v])
        return out

    # ---- which joints

    def _endless(self, joints: Iterable[str] | None) -> set[str]:
        """Hinges that have a cosine and a sine there: those without limits, unless it is said."""
        there = self.model.bodies if ENDLESS in self._row.joints else ()
        hinges = {b.joint_name: b.limits for b in there if b.joint.kind == HINGE}
        if joints is None:
            return {k for k, x in hinges.items() if np.isinf([*x.lower, *x.upper]).all()}
        listed = {*joints}
        for name in listed:
            check_known(f"hinge with a cosine and a sine in {self.library!r}", name, hinges)
        return listed

    def _bodies(self, names: Iterable[str] | None) -> list[int]:
        """The bodies whose joints have entries, in their order."""
        bodies = self.model.bodies
        moving = {b.joint_name: i for i, b in enumerate(bodies) if b.joint.nv}
        own = [x for x, i in moving.items() if bodies[i].mimic is None]
        if names is None:
            order = depth_first(bodies) if self._row.depth_first else range(len(bodies))
            known = moving if self._row.has_coupled else own
            return [i for i in order if bodies[i].joint_name in known]
        fixed = [b.joint_name for b in bodies if not b.joint.nv]
        listed = [x for x in names if x not in (*self._row.no_joints, *fixed)]
        for name in listed:
            check_known("joint", name, moving)
        if missing := [x for x in own if listed.count(x) != 1]:
            said = ", ".join(map(repr, missing))
            raise ArgumentError(f"names= of {self.library!r} has each joint once, but not {said}")
        return [moving[x] for x in listed]

    def _add(self, i: int, endless: bool) -> None:
        """The part of a joint, behind the others."""
        b, row = self.model.bodies[i], self._row
        joint, name = b.joint, f"joint {b.joint_name!r} for {self.library!r}"
        kind = ENDLESS if endless else joint.kind
        if kind not in row.joints:
            known = ", ".join(row.joints)
            raise ArgumentError(f"{name} is {kind}, which it does not have; it has {known}")
        if row.level and not np.array_equal(getattr(joint, "normal", Z), Z):
            raise ArgumentError(f"{name} moves in a plane not normal to z, which it does not have")
        is_placed = row.in_world and joint.nv == FREEDOMS
        if is_placed and b.parent != WORLD:
            raise ArgumentError(f"{name} is free and not on the world, which it does not have")
        texts, linear = row.joints[kind], list[int]()
        entries, order = [("", k) for k in range(joint.nq)], [*range(joint.nv)]
        if texts is not None:
            words = [x.rpartition(":") for x in texts[0].split(" ")]
            entries = [(what, joint.coordinates.index(x)) for what, _, x in words]
            order = [joint.velocities.index(x) for x in texts[1].split(" ")]
            if row.fixed_axes:
                linear = [k for k, x in enumerate(joint.velocities) if x.startswith("v")]
        q, v = (slice(at, at + n) for at, n in ((self.nq, len(entries)), (self.nv, len(order))))
        placement = b.placement if is_placed else None
        places = self.model.q_index[i], self.model.v_index[i]
        self._parts.append(Part(b, *places, q, v, entries, order, linear, placement))
        self.nq, self.nv = q.stop, v.stop

    # ---- numbers

    def _ours(self, name: str, x: Any) -> FloatArray:
        size = self.model.nq if name == "q" else self.model.nv
        return _numbers(f"{name} of {self.model.name!r}", x, size, self.model.joint_names)

    def _theirs(self, name: str, x: Any) -> FloatArray:
        counts = [len(p.entries if name == "q" else p.order) for p in self._parts]
        names = (p.body.joint_name for p in self._parts)
        each = [f"{a} {n}" if n > 1 else a for a, n in zip(names, counts, strict=True)]
        return _numbers(f"{name} of {self.library!r}", x, sum(counts), each)

    def _check_units(self, p: Part, theirs: FloatArray) -> None:
        """Refuse quaternions, and pairs of a cosine and a sine, that are not of length one."""
        unit = range(p.body.joint.nq)[p.body.joint.quaternion or slice(0)]
        at = [k for k, (what, i) in enumerate(p.entries) if what or i in unit]
        lengths = np.linalg.norm(theirs[..., at], axis=-1) if at else np.ones(1)
        if len(off := lengths[~(np.abs(lengths - 1.0) <= UNIT)]):
            raise ArgumentError(
                f"q of {self.library!r}, joint {p.body.joint_name!r}: numbers {at[0]} to {at[-1]} "
                f"of its {len(p.entries)} have length one together, got {off[0]:.6g}"
            )

    def _check_coupled(self, p: Part, name: str, got: FloatArray, due: FloatArray) -> None:
        """Refuse a coupled joint that is not where the one that it follows puts it."""
        got, due = np.broadcast_arrays(got, due)
        if (off := ~(np.abs(got - due) <= COUPLED * (1 + np.abs(due)))).any():
            raise ArgumentError(
                f"{name} of {self.library!r}: joint {p.body.joint_name!r} is coupled, and "
                f"{due[off][0]:.9g} where the others are, got {got[off][0]:.9g}; a model that "
                'vv.load(path, mimic="expand") makes has it free'
            )


def _numbers(what: str, x: Any, size: int, names: Iterable[str]) -> FloatArray:
    """An array (..., size) of floats."""
    try:
        array = float_array(x)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what} is an array of numbers, got {x!r:.80}") from None
    if array.shape[-1:] != (size,):
        raise ShapeError(f"{what} has {size} numbers, {', '.join(names)}; got shape {array.shape}")
    return array
