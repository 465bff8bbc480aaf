"""`Statics`: joint torques by two roads, compared; internal forces; free bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, frozen
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.equations.bodies.links import links, placed
from visviva.equations.bodies.newton_euler import joint_forces
from visviva.equations.forces.forces import has_dry_friction
from visviva.equations.forces.reactions import at_the_joints
from visviva.equations.forces.springs import OnJoint
from visviva.equations.statics import ForceSystem, holding_forces, ordered, reduced
from visviva.errors import check_known
from visviva.foreign import explained
from visviva.solve.rows import finite
from visviva.solve.statics import inside
from visviva.solve.statics.free_body import Acting, FreeBody, free_bodies, opposite
from visviva.solve.statics.holding import Drives, HeldRows, Holding, holding, that_suffice
from visviva.solve.statics.loads import AXES, Load, loads
from visviva.solve.statics.printed import text
from visviva.solve.statics.tip import TipStiffness, TipWrench, tip_stiffness, tip_wrench
from visviva.space.poses import Pose
from visviva.space.rotations import cross

if TYPE_CHECKING:
    from visviva.solve.statics.diagram import FreeBodies

SIDES = ("child", "parent")


@explained
@dataclass(frozen=True, eq=False, repr=False)
class Statics:
    """A mechanism at rest under loads.

    `torques` (nv,) are those that drives exert at the joints, by virtual work, `balance` the same
    by the balance of link after link; `disagreement` is the largest difference, as a share of the
    largest joint force or moment. `efforts` has one number for each of `drives.names`,
    `multipliers` one for each row of the constraints. `bodies` has all that acts on every link.
    """

    model: Model
    q: FloatArray
    loads: tuple[Load, ...]
    torques: FloatArray
    balance: FloatArray
    disagreement: float
    drives: Drives
    efforts: FloatArray
    multipliers: FloatArray
    joints: Mapping[str, Acting]  # and loops: what they exert on the body they carry, in the world
    bodies: tuple[FreeBody, ...]
    open_components: Mapping[str, tuple[str, ...]]  # of joints: what statics does not determine
    notes: tuple[str, ...]
    rows: HeldRows = field(repr=False)
    t: float = 0.0

    def force(self, joint: str, frame: str = "world", on: str = "child") -> FloatArray:
        """The force (3,) of a joint or loop on the body that it carries, in the axes of a frame.

        `on="parent"` is what it exerts on the other one, the opposite. A loop that is called as a
        joint is "name (loop)".
        """
        return self.wrench(joint, frame, on=on)[3:]

    def moment(
        self, joint: str, frame: str = "world", about: Any = None, on: str = "child"
    ) -> FloatArray:
        """The moment (3,) beside that force, about the joint, a frame's origin or a point.

        `about` is the name of a frame, or three coordinates in the world.
        """
        return self.wrench(joint, frame, about, on)[:3]

    def wrench(
        self,
        joint: str,
        frame: str = "world",
        about: Any = None,
        on: str = "child",
        order: str = "moment first",
    ) -> FloatArray:
        """(moment, force) of a joint or loop, or (force, moment), at the joint or another point."""
        check_known(f"joint or loop of {self.model.name!r}", joint, self.joints)
        check_known("side of a joint", on, SIDES)
        x, R = self.joints[joint], self._axes(frame)
        point = x.at if about is None else self._point(about)
        sign = 1.0 if on == "child" else -1.0
        m = x.moment + cross(x.at - point, x.force)
        return ordered(sign * np.concatenate([R.T @ m, R.T @ x.force]) + 0.0, order)

    def load(
        self,
        frame: str,
        axes: str = "world",
        order: str = "moment first",
        acting: str = "by robot",
    ) -> FloatArray:
        """All loads at a frame as one wrench at its origin, in a document's convention."""
        X = self.model.frame_pose(frame, self.q)
        check_known("axes of a wrench", axes, AXES)
        known = dict.fromkeys(x.frame for x in self.loads)
        check_known("loaded frame", frame, known)
        W = sum((x.at_point(X.p) for x in self.loads if x.frame == frame), np.zeros(6))
        whole = Load(frame, 0, np.zeros(3), X.p, W[:3], W[3:])
        six = whole.wrench("moment first", acting)
        R = X.R if axes == "body" else np.eye(3)
        return ordered(np.concatenate([R.T @ six[:3], R.T @ six[3:]]), order)

    def resultant(self, about: Any = "world", of: str = "loads") -> ForceSystem:
        """Forces on the mechanism as one force at a point and one moment, with the central axis.

        `of` is "loads", "weight", "ground" (what the ground exerts), or the name of a link: all
        that acts on it.
        """
        known = ("loads", "weight", "ground", *self.model.body_names)
        check_known("force system", of, known)
        if of == "ground":
            acting = self._ground()
        elif of in ("loads", "weight"):
            cause = {"loads": "load", "weight": "weight"}[of]
            acting = [x for b in self.bodies for x in b.acting if x.cause == cause]
        else:
            acting = list(self.bodies[self.model.body_names.index(of)].acting)
        P = self._point(about)
        m = sum((x.moment + cross(x.at - P, x.force) for x in acting), np.zeros(3))
        return reduced(P, m, sum((x.force for x in acting), np.zeros(3)))

    def body(self, name: str) -> FreeBody:
        """Everything that acts on a link."""
        check_known(f"link of {self.model.name!r}", name, self.model.body_names)
        return self.bodies[self.model.body_names.index(name)]

    @property
    def joint_springs(self) -> dict[str, float]:
        """Of springs at joints: the torque or force that each exerts there, N m or N.

        Those between frames are among the `bodies`, on both ends.
        """
        some = [x for x in self.model.springs if x.joint]
        return {x.name: -float(OnJoint(self.model, x).holding(self.q)) for x in some}

    def free_bodies(self, *links: str, view: Any = None) -> FreeBodies:
        """Free-body diagrams of all links, or of some, as SVG.

        A plane mechanism is drawn in its plane. `view` is the direction from which another one is
        looked at, as (x, y, z); without it, obliquely from above.
        """
        from visviva.solve.statics.diagram import free_body_diagrams

        return free_body_diagrams(self, links, view)

    def plot(self, *links: str, view: Any = None) -> FreeBodies:
        """Free bodies with all that acts on them, as `free_bodies` draws them: an SVG drawing."""
        return self.free_bodies(*links, view=view)

    def tip_wrench(self, frame: str, torques: Any, components: str = "") -> TipWrench:
        """The whole wrench F that the robot exerts at a frame with these torques (nv,), at rest.

        Jᵀ F + G + … = τ: loads at other frames stay. `components` names those that follow, "fx fy
        mz", world axes; the others are those of the loads stated at this frame.
        """
        return tip_wrench(self, frame, torques, components)

    def stiffness(self, frame: str, joints: Any, components: str = "") -> TipStiffness:
        """How a frame gives way under small forces while servos of these stiffnesses hold.

        `joints`: N m/rad or N/m of each velocity (nv,), or a matrix. What loads, weights and
        springs add by the change of position is part of it.
        """
        return tip_stiffness(self, frame, joints, components)

    def _axes(self, frame: str) -> FloatArray:
        if frame == "world":
            return np.eye(3)
        return self.model.frame_pose(frame, self.q).R

    def _point(self, about: Any) -> FloatArray:
        if isinstance(about, str):
            return np.zeros(3) if about == "world" else self.model.frame_pose(about, self.q).p
        return finite("a point of the world", about, 3)

    def _ground(self) -> list[Acting]:
        """What joints and loops on the ground exert."""
        m = self.model
        found = [self.joints[b.joint_name] for b in m.bodies if b.parent == WORLD]
        for loop in inside.loops_of(m):
            one, other = (m.frame(x).body for x in loop.frames)
            if WORLD in (one, other):
                x = self.joints[inside.loop_label(m, loop)]
                found.append(x if one == WORLD else opposite(x))
        return found

    def __repr__(self) -> str:
        return text(self)


def statics(
    model: Any,
    q: Any,
    wrenches: Any = None,
    *,
    gravity: Any = True,
    actuated: Any = None,
    axes: str = "world",
    order: str = "moment first",
    acting: str = "by robot",
    t: float = 0.0,
) -> Statics:
    """Forces at rest; `Model.statics` says what may be asked."""
    (time,) = finite("statics: t", [t], 1)
    at = finite(f"q of {model.name!r}", q, model.nq)
    m = _under(model, gravity)
    applied = loads(m, at, wrenches, order, acting, axes)
    rows, drives = HeldRows.at(m, at, float(time)), Drives.of(m, at, actuated)
    exerted = [(x.frame, x.point, x.wrench("moment first", "by robot")) for x in applied]
    Q = np.asarray(holding_forces(m, at, exerted), dtype=float)
    poses = m.body_poses(at)
    size = _size(m, applied, Q, poses)
    held = holding(m, Q, rows, drives, size)
    torques = drives.T[:, drives.at_joints] @ held.efforts[drives.at_joints]

    pushes = inside.pushes_of(m, poses, drives, held.efforts)
    passed = inside.passed_on(m, at, poses, applied, pushes, held.multipliers)
    still = np.zeros(m.nv)
    through = joint_forces(placed(links(m), at), passed[: len(m.bodies)], m.nv)
    balance = through + at_the_joints(m, at, still, still)
    balance = balance - inside.forces_of_relations(m, rows.A, held.multipliers)
    joints, loops = inside.in_the_world(m, poses, passed)
    own = [joints[b.joint_name] for b in m.bodies]
    bodies = free_bodies(m, at, poses, own, loops, applied, pushes)
    largest = max([size, *(b.size for b in bodies)])
    apart = float(np.abs(torques - balance).max(initial=0.0))
    opened = inside.open_components(m, at, poses, rows)
    return Statics(
        m,
        frozen(at),
        applied,
        frozen(torques),
        frozen(balance),
        apart / largest if largest else apart,
        drives,
        frozen(held.efforts),
        frozen(held.multipliers),
        joints,
        bodies,
        opened,
        _notes(m, rows, drives, held, torques, opened),
        rows,
        float(time),
    )


def _under(model: Any, gravity: Any) -> Model:
    """The model in numbers, with its gravity, without, or under another."""
    m: Model = model.numeric
    if gravity is True:
        return m
    return m.with_gravity([0.0, 0.0, 0.0] if gravity is False else gravity)


def _size(model: Model, applied: tuple[Load, ...], Q: Array, poses: list[Pose]) -> float:
    """Of the forces there are, moments about the origin included."""
    terms = [Q, *(x.at_point(np.zeros(3)) for x in applied)]
    for b, X in zip(model.bodies, poses, strict=True):
        weight = np.asarray(model.gravity) * b.inertia.mass
        terms += [weight, cross(X.apply(b.inertia.com), weight)]
    return float(np.abs(np.concatenate(terms)).max(initial=0.0))


def _notes(
    model: Model,
    rows: HeldRows,
    drives: Drives,
    held: Holding,
    torques: Array,
    opened: Mapping[str, Any],
) -> tuple[str, ...]:
    notes = []
    if held.redundant:
        some = that_suffice(model, rows, drives)
        way = f"; actuated={some!r} names joints that hold alone" if some else ""
        notes.append(
            f"{held.redundant} more drive{'s' if held.redundant > 1 else ''} than it takes: "
            f"efforts are the smallest that hold (least sum of squares), others hold too{way}"
        )
    if opened:
        parts = sorted({x for some in opened.values() for x in some})
        notes.append(
            f"statics does not determine {', '.join(parts)} (world axes) of {', '.join(opened)}: "
            "loops could be under stress of their own; the smallest multipliers are given"
        )
    for b, part in zip(model.bodies, model.v_index, strict=True):
        if b.joint.nv == 6 and not drives.actuators and drives.T[part].any():
            notes.append(
                f"the free joint {b.joint_name!r} bears nothing: what it shows has to act on "
                f"{b.name!r} from outside; passive joints are taken as such"
            )
    if has_dry_friction(model):
        notes.append("dry friction, which can take part of the torques at rest, is not counted")
    for name, x, most in zip(model.motion_names, torques, model.effort_limits, strict=True):
        if abs(x) > most:
            notes.append(f"{name} takes {x:.6g}, more than its limit {most:.6g}")
    for a, f in zip(drives.actuators, held.efforts, strict=bool(drives.actuators)):
        if not a.lower <= f <= a.upper:
            limits = f"{a.lower:.6g} to {a.upper:.6g}"
            notes.append(f"{a.name} takes {f:.6g}, outside of its limits {limits}")
    return tuple(notes)
