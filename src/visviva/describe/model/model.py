"""`Model`: a tree of bodies, frozen. Everything that changes one returns a new one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from visviva.algebra.arrays import Array, frozen
from visviva.describe.answers import OfBodies
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.constraints.constraint import UNHELD, Constraints
from visviva.describe.constraints.held import Held, check_constraints
from visviva.describe.model import edit
from visviva.describe.model import parameters as numbers
from visviva.describe.model import positions as of
from visviva.describe.model import printed as table
from visviva.describe.model.actuator import Actuator, Actuators, check_actuators, geared
from visviva.describe.model.body import (
    WORLD,
    Bodies,
    Body,
    Frame,
    Frames,
    Gravity,
    Spring,
    Springs,
    Visual,
    with_gravity_line,
)
from visviva.describe.model.consistency import check_passive, check_tree, named
from visviva.describe.model.coupled import within_followers
from visviva.describe.others import unchanged, uncompiled
from visviva.describe.quantities import BODIES
from visviva.describe.reaching import Reaching
from visviva.describe.system import System
from visviva.describe.values import PLAIN, Parameters, Value, at_values, reduced
from visviva.errors import ArgumentError, UnknownNameError, by_names, check_known
from visviva.hints import words_of_others
from visviva.space.poses import Pose

GRAVITY = (0.0, 0.0, -9.81)
_SEEN_FROM = ("relative_to", "wrt", "reference", "base", "in_frame", "frame_from")  # of others
_SEEN = "model.frame_pose(other, q).inverse() @ model.frame_pose(name, q)"


@unchanged
@dataclass(frozen=True, eq=False)
class Model(Value, OfBodies, Held, Reaching, System):
    """Bodies, parents before children, each with the joint that carries it; and named frames.

    Numbers are floats, or expressions over `parameters`, which have values; `numeric` has the
    values put in. q and v are ordered as the bodies are. `notes` lists all that a reader merged,
    cleaned, ignored or found suspicious.
    """

    stated: ClassVar[str] = BODIES
    inputs_home: ClassVar[str] = "parameters.parameters"
    rows_home: ClassVar[str] = "constraints.pfaffian"
    giving_home: ClassVar[str] = "energy"

    name: str
    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...] = ()
    gravity: Array = field(default_factory=lambda: np.array(GRAVITY))
    base_inertia: Inertia | None = None  # of what is fixed to the world
    parameters: Mapping[str, float] = field(default_factory=dict, metadata=PLAIN)
    notes: tuple[str, ...] = ()
    constraints: Constraints = UNHELD  # what holds it besides its joints
    keyframes: Mapping[str, Array] = field(default_factory=dict, metadata=PLAIN)
    base_name: str = "world"
    base_visuals: tuple[Visual, ...] = ()
    springs: tuple[Spring, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    passive: tuple[str, ...] = ()  # joints that nothing drives: their entries of τ are zero

    def __post_init__(self) -> None:
        object.__setattr__(self, "gravity", Gravity.of(self.gravity, with_gravity_line))
        object.__setattr__(self, "parameters", Parameters(self.parameters))
        positions = {name: frozen(q) for name, q in self.keyframes.items()}
        object.__setattr__(self, "keyframes", MappingProxyType(positions))
        object.__setattr__(self, "passive", named(self.passive))
        bodies, said = within_followers(self.bodies)
        object.__setattr__(self, "bodies", Bodies(bodies))
        object.__setattr__(self, "frames", Frames(self.frames))
        object.__setattr__(self, "springs", Springs(self.springs))
        object.__setattr__(self, "actuators", Actuators(self.actuators))
        new = (x for x in said if x not in self.notes)
        object.__setattr__(self, "notes", (*self.notes, *new))
        object.__setattr__(self, "constraints", Constraints(self.constraints))
        check_tree(self)
        check_actuators(self)
        check_passive(self)
        check_constraints(self)

    # ---- names

    @property
    def motion_names(self) -> tuple[str, ...]:
        """A name for every velocity: the joint's, with that of the entry if it has several."""
        own = [b for b in self.bodies if b.mimic is None]
        pairs = ((b.joint_name, v) for b in own for v in b.joint.velocities)
        return tuple(f"{name}_{v}" if v else name for name, v in pairs)

    coordinate_names = property(of.names_of_q, doc="What the entries of q are called, (nq,).")
    velocity_names = property(of.names_of_v, doc="What the entries of v are called, (nv,).")
    coordinate_units = property(of.units_of_q, doc="Of q (nq,): rad, m, 1 of quaternions.")
    velocity_units = property(of.units_of_v, doc="Of v (nv,): rad/s and m/s.")

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the moving bodies."""
        return tuple(b.name for b in self.bodies)

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of bodies and of frames fixed to them."""
        return (*self.body_names, *(f.name for f in self.frames))

    def body_index(self, name: str) -> int:
        """The number of a body, as `bodies` has them."""
        check_known("body", name, self.body_names)
        return self.body_names.index(name)

    def frame(self, name: str) -> Frame:
        """A frame by name; bodies and the base count as frames."""
        for f in self.frames:
            if f.name == name:
                return f
        if name in self.body_names:
            return Frame(name, self.body_index(name), Pose.identity())
        if name == self.base_name:
            return Frame(name, WORLD, Pose.identity())
        raise UnknownNameError("frame", name, dict.fromkeys((*self.frame_names, self.base_name)))

    def joint_index(self, name: str) -> int:
        """The number of the body that a joint carries."""
        names = [b.joint_name for b in self.bodies]
        check_known("joint", name, names)
        return names.index(name)

    # ---- what q and v are: see `positions`

    @property
    def nq(self) -> int:
        """How many numbers state a position."""
        return sum(b.joint.nq for b in self.bodies if b.mimic is None)

    @property
    def nv(self) -> int:
        """How many state a velocity: the degrees of freedom."""
        return sum(b.joint.nv for b in self.bodies if b.mimic is None)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Movable joints, in the order of v; coupled (mimic) joints are not among them."""
        return tuple(b.joint_name for b in self.bodies if b.mimic is None)

    @cached_property
    def q_index(self) -> tuple[slice, ...]:
        """Where in q each body's joint finds its coordinates."""
        return of.places(self, "nq")

    @cached_property
    def v_index(self) -> tuple[slice, ...]:
        """Where in v each body's joint finds its velocities."""
        return of.places(self, "nv")

    @property
    def joint_slices(self) -> dict[str, tuple[slice, slice]]:
        """Where in q and in v each joint of `joint_names` has its numbers."""
        places = zip(self.bodies, self.q_index, self.v_index, strict=True)
        return {b.joint_name: (q, v) for b, q, v in places if b.mimic is None}

    @cached_property
    def quaternions(self) -> tuple[tuple[str, int], ...]:
        """The joints that have one, and where it starts in q."""
        return of.quaternions(self)

    @words_of_others("model.q")
    def q(self, positions: Mapping[str, Any] | None = None, /, **more: Any) -> Array:
        """A position by names of joints, the others neutral: `model.q(elbow=-1.5)`.

        Of joints with several coordinates also by these: `model.q(root_joint_pz=0.3)`. A free joint
        takes a `Pose` too.
        """
        return of.named_position(self, positions, more)

    def neutral(self) -> Array:
        """All joints at zero, quaternions at (0, 0, 0, 1)."""
        return of.joined(self, lambda i, b: b.joint.neutral())

    def random(self, rng: np.random.Generator | int | None = None) -> Array:
        """A position within the limits."""
        return of.random(self, rng)

    def integrate(self, q: Any, step: Any) -> Array:
        """The position that the constant velocity `step` reaches in one unit of time."""
        return of.integrate(self, q, step)

    def difference(self, q0: Any, q1: Any) -> Array:
        """The step with integrate(q0, step) = q1."""
        return of.difference(self, q0, q1)

    def rates(self, q: Any, v: Any) -> Array:
        """q̇ (nq,) at the position q and the velocity v (nv,)."""
        return of.rates(self, q, v)

    def tangent(self, q: Any) -> Array:
        """The nq × nv matrix from v to q̇."""
        return np.stack([self.rates(q, e) for e in np.eye(self.nv)], axis=1)

    @property
    def lower(self) -> Array:
        """Lower limits of q (nq,), -inf where there is none."""
        return of.limits(self, "lower")

    @property
    def upper(self) -> Array:
        """Upper limits of q (nq,), inf where there is none."""
        return of.limits(self, "upper")

    @property
    def dry_friction(self) -> Array:
        """What dry friction can hold at rest, by velocity (nv,)."""
        return frozen(self._friction_of_joints())

    @property
    def limited_actuators(self) -> tuple[Actuator, ...]:
        """All actuators: each has limits."""
        return tuple(self.actuators)

    @property
    def velocity_limits(self) -> Array:
        """Largest speeds, of each velocity: rad/s, m/s."""
        return of.limits(self, "velocity")

    @property
    def effort_limits(self) -> Array:
        """Largest joint forces and torques, of each velocity: N, N m."""
        return of.limits(self, "effort")

    # ---- poses and mass, in plain arithmetic over any scalar

    def local(self, i: int, q: Any) -> Array:
        """The coordinates of body i's own joint; a coupled one follows its source."""
        mimic = self.numeric.bodies[i].mimic
        own = q[self.q_index[i]]
        return own if mimic is None else own * mimic.multiplier + mimic.offset

    def body_poses(self, q: Any) -> list[Pose]:
        """The pose of every body in the world, with the parameters' values."""
        q = of.checked_position(self, "q", q)
        poses: list[Pose] = []
        for i, b in enumerate(self.numeric.bodies):
            here = b.placement @ b.joint.transform(self.local(i, q))
            poses.append(here if b.parent == WORLD else poses[b.parent] @ here)
        return poses

    @uncompiled("frame_pose", "model.pose(model.frame_names[-1])")
    @words_of_others("model.frame_pose", **dict.fromkeys(_SEEN_FROM, _SEEN))
    def frame_pose(self, name: str, q: Any = ()) -> Pose:
        """The pose of a frame in the world; of many positions it is `model.pose(name)(q)`."""
        if not isinstance(name, str):
            line = f"model.frame_pose({['world', *self.frame_names][-1]!r}, q)"
            raise ArgumentError(f"frame_pose: the name comes first, {line}; got {name!r:.80}")
        f = self.numeric.frame(name)
        q = of.checked_position(self, "q", q, f"model.pose({name!r})(q) takes one or many")
        return f.placement if f.body == WORLD else self.body_poses(q)[f.body] @ f.placement

    @property
    def charts(self) -> Mapping[str, Callable[[Any], Any]]:
        """q moves by q̇ = N(q) v where its entries are not those of v."""
        return {} if all(b.joint.has_rates for b in self.bodies) else {"q": self.tangent}

    def with_gravity(self, gravity: Any) -> Model:
        """The same model under another gravity, in world axes: [0, 0, -1.62] on the Moon."""
        try:
            g = np.asarray(gravity, dtype=float)
        except (TypeError, ValueError):
            g = np.zeros(0)
        if g.shape != (3,) or not np.isfinite(g).all():
            way = f"; down it is [0, 0, {0.0 - abs(g):g}]" if g.ndim == 0 and np.isfinite(g) else ""
            raise ArgumentError(f"gravity is 3 finite numbers [x, y, z], got {gravity!r}{way}")
        return replace(self, gravity=g)

    def with_actuators(self, actuators: Actuator | Iterable[Actuator]) -> Model:
        """With these actuators in place of those it has; the order is that of f in u = T f.

        With none of them, `[]`, there is again one at every velocity: T is the identity.
        """
        if isinstance(actuators, Actuator):
            actuators = [actuators]
        if not isinstance(actuators, Iterable):
            got = type(actuators).__name__
            raise ArgumentError(f"with_actuators takes Actuator objects, got {got}")
        return replace(self, actuators=tuple(geared(self, a) for a in actuators))

    def with_passive(self, joints: str | Iterable[str]) -> Model:
        """With these joints driven by nothing, in place of those it has: their τ are zero."""
        return replace(self, passive=named(joints))

    @words_of_others("model.with_frame", body="on", parent="on", link="on", at="placement",
                     pose="placement", position="placement", offset="placement")  # fmt: skip
    def with_frame(self, name: str, placement: Any = None, *, on: str = "") -> Model:
        """With one more frame, on a body or frame `on`: at a `Pose`, 4 × 4 or three numbers."""
        return edit.with_frame(self, name, placement, on)

    @words_of_others("model.with_friction", coulomb="friction", viscous="damping")
    def with_friction(self, friction: Any = None, *, damping: Any = None, **joints: Any) -> Model:
        """With other Coulomb friction, other damping, or both; what is not given stays.

        Each is one number for all joints, one for each velocity, or by joint names, also as words:
        `arm.with_friction(elbow=0.2, damping=0.5)`. A `Friction` is all of a joint's, viscous too.
        """
        return edit.with_losses(self, {"friction": friction, "damping": damping}, joints)

    # ---- models from this one: see `edit`

    def locked(self, positions: Mapping[str, Any] | None = None, /, **more: Any) -> Model:
        """With joints held at positions: `arm.locked(wrist=0.3)`; a quaternion for a ball joint."""
        return edit.locked(self, of.by_joint("locked", positions, more, self.bodies))

    def submodel(self, body: str) -> Model:
        """The part of the tree that hangs on a body, with that body as the fixed base."""
        return edit.submodel(self, body)

    def attached(self, other: Any, frame: str, placement: Any = None, prefix: str = "") -> Model:
        """With another model, or a payload (an `Inertia`, as a body `prefix`), fixed to a frame.

        `placement` in the frame: a pose, three coordinates, or a 4 × 4 matrix.
        """
        return edit.attached(self, other, frame, placement, prefix)

    def with_free_base(self, name: str = "") -> Model:
        """With the base no longer fixed to the world: a free joint in front of everything.

        The new body has the name of the base; if that is the world, `name` or else "base". The
        joint is `<name>_joint`.
        """
        return edit.with_free_base(self, name)

    def without_dissipation(self) -> Model:
        """Without damping and friction, and without the dampers beside springs."""
        return edit.without_dissipation(self)

    def without_dry_friction(self) -> Model:
        """Without friction that jumps at rest; damping stays."""
        return edit.without_dry_friction(self)

    @property
    def mass(self) -> Any:
        """Of all bodies that move, in kilograms."""
        return sum((b.inertia.mass for b in self.numeric.bodies), 0.0)

    # ---- parameters

    @cached_property
    def numeric(self) -> Model:
        """The same model with the parameters' values put in."""
        return self.over(self.parameters) if self.parameters else self

    @property
    def symbolic(self) -> Model:
        """The same model with expressions as its numbers: what it computes holds for any values."""
        return replace(self, parameters={})

    def over(self, values: Mapping[str, Any]) -> Model:
        """The same model with parameters replaced by scalars of any kind."""
        known = {**self.parameters, **values}
        for name in values:
            check_known("parameter", name, self.parameters)
        return replace(self.mapped(lambda x: at_values(x, known)), parameters={})

    def with_parameters(self, values: Mapping[str, Any] | None = None, /, **more: Any) -> Model:
        """The same model with other values of its parameters, or of numbers of bodies and joints.

        Those are called as in `function(…, parameters=…)`: `m_link1`, `cx_link1`, `damping_elbow`.
        A text is a formula of other parameters, put in everywhere: `r1="L1/2"`, `I1="0"`.
        """
        return numbers.with_values(self, by_names("with_parameters", values, more))

    @property
    def is_symbolic(self) -> bool:
        """Whether any number is an expression over parameters."""
        return edit.graph_of(self) is not None

    def __repr__(self) -> str:
        return table.text(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(self)
