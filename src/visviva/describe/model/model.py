"""`Model`: a tree of bodies, frozen. Everything that changes one returns a new one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from visviva.algebra.arrays import Array, float_array, frozen
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.constraints.constraint import UNHELD, Constraints, free_name
from visviva.describe.constraints.held import (
    as_factor,
    as_offset,
    check_constraints,
    check_joints,
    offset_of,
    ratio_of,
    stated_number,
)
from visviva.describe.constraints.loop import Loop
from visviva.describe.constraints.plane import common_axis
from visviva.describe.constraints.relation import linear, relations
from visviva.describe.joints.closure import Closure, direction
from visviva.describe.joints.named import SIZED, closure_called
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
from visviva.describe.quantities import BODIES
from visviva.describe.system import System
from visviva.describe.values import PLAIN, Parameters, at_values, reduced
from visviva.errors import (
    ArgumentError,
    UnknownNameError,
    VisvivaError,
    by_names,
    check_known,
)
from visviva.foreign import explained, not_compiled
from visviva.space.poses import Pose

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from visviva.algebra.arrays import FloatArray, Scalars
    from visviva.describe.by_hand.dh import DHTable
    from visviva.describe.energies.lagrangian import Lagrangian
    from visviva.describe.model.orders import Order
    from visviva.equations.forces.actuators import Actuation
    from visviva.equations.forces.reactions import NewtonEulerTable
    from visviva.equations.parameters.base import BaseParameters
    from visviva.machine.function import Function
    from visviva.solve.inverse.solutions import Solutions
    from visviva.solve.planar.centres import InstantCentres
    from visviva.solve.planar.curves import CouplerCurve
    from visviva.solve.planar.dead import DeadPoints
    from visviva.solve.planar.driving import DrivingTorque
    from visviva.solve.planar.transmission import TransmissionAngle
    from visviva.solve.rates.following import Following
    from visviva.solve.rates.rates import JointRates
    from visviva.solve.rates.self_motion import SelfMotion
    from visviva.solve.singular.closed import Singularities
    from visviva.solve.singular.columns import JacobianColumns
    from visviva.solve.singular.place import Singularity
    from visviva.solve.singular.workspace import Workspace
    from visviva.solve.statics.statics import Statics

GRAVITY = (0.0, 0.0, -9.81)
NO_FRAMES, NO_SPRINGS, NO_ACTUATORS = Frames(), Springs(), Actuators()


POSES_WORTH_CODE = 16  # of one frame: so many take the time of compiling it


@explained
@dataclass(frozen=True, eq=False)
class Model(System):
    """Bodies, parents before children, each with the joint that carries it; and named frames.

    Numbers are floats, or expressions over `parameters`, which have values; `numeric` has the
    values put in. q and v are ordered as the bodies are. `notes` lists all that a reader merged,
    cleaned, ignored or found suspicious.
    """

    stated: ClassVar[str] = BODIES

    name: str
    if TYPE_CHECKING:
        bodies: Bodies = Bodies()  # no default: as a descriptor it takes any sequence in `replace`
    else:
        bodies: Bodies
    frames: Frames = NO_FRAMES
    gravity: Array = field(default_factory=lambda: np.array(GRAVITY))
    base_inertia: Inertia | None = None  # of what is fixed to the world
    parameters: Mapping[str, float] = field(default_factory=dict, metadata=PLAIN)
    notes: tuple[str, ...] = ()
    constraints: Constraints = UNHELD  # what holds it besides its joints
    keyframes: Mapping[str, Array] = field(default_factory=dict, metadata=PLAIN)
    base_name: str = "world"
    base_visuals: tuple[Visual, ...] = ()
    springs: Springs = NO_SPRINGS
    actuators: Actuators = NO_ACTUATORS
    passive: tuple[str, ...] = ()  # joints that nothing drives: their entries of τ are zero

    if TYPE_CHECKING:

        def __init__(
            self,
            name: str,
            bodies: Sequence[Body],
            frames: Sequence[Frame] = (),
            gravity: Scalars = ...,
            base_inertia: Inertia | None = None,
            parameters: Mapping[str, float] = ...,
            notes: tuple[str, ...] = (),
            constraints: Iterable[Any] = (),
            keyframes: Mapping[str, Scalars] = ...,
            base_name: str = "world",
            base_visuals: tuple[Visual, ...] = (),
            springs: Sequence[Spring] = (),
            actuators: Sequence[Actuator] = (),
            passive: str | Iterable[str] = (),
        ) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "gravity", Gravity.of(self.gravity, with_gravity_line))
        object.__setattr__(self, "parameters", Parameters(self.parameters))
        positions = {name: frozen(q) for name, q in self.keyframes.items()}
        object.__setattr__(self, "keyframes", MappingProxyType(positions))
        object.__setattr__(self, "passive", named(self.passive))
        bodies, remarks = within_followers(self.bodies)
        object.__setattr__(self, "bodies", Bodies(bodies))
        object.__setattr__(self, "frames", Frames(self.frames))
        object.__setattr__(self, "springs", Springs(self.springs))
        object.__setattr__(self, "actuators", Actuators(self.actuators))
        new = (x for x in remarks if x not in self.notes)
        object.__setattr__(self, "notes", (*self.notes, *new))
        object.__setattr__(self, "constraints", Constraints(self.constraints))
        check_tree(self)
        check_actuators(self)
        check_passive(self)
        check_constraints(self)

    # ---- names

    @cached_property
    def motion_names(self) -> tuple[str, ...]:
        """A name for every velocity: the joint's, with that of the entry if it has several."""
        joints = [b for b in self.bodies if b.mimic is None]
        pairs = ((b.joint_name, v) for b in joints for v in b.joint.velocities)
        return tuple(f"{name}_{v}" if v else name for name, v in pairs)

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """What the entries of q are called, (nq,)."""
        return of.names_of_q(self)

    @cached_property
    def velocity_names(self) -> tuple[str, ...]:
        """What the entries of v are called, (nv,)."""
        return of.names_of_v(self)

    @cached_property
    def coordinate_units(self) -> tuple[str, ...]:
        """Units of q (nq,): rad, m, 1 for quaternions."""
        return of.units_of_q(self)

    @cached_property
    def velocity_units(self) -> tuple[str, ...]:
        """Units of v (nv,): rad/s and m/s."""
        return of.units_of_v(self)

    @cached_property
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

    # ---- positions and velocities

    @cached_property
    def nq(self) -> int:
        """How many numbers state a position."""
        return sum(b.joint.nq for b in self.bodies if b.mimic is None)

    @cached_property
    def nv(self) -> int:
        """How many state a velocity: the degrees of freedom."""
        return sum(b.joint.nv for b in self.bodies if b.mimic is None)

    @cached_property
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

    def q(self, positions: Mapping[str, Any] | None = None, /, **by_name: Any) -> FloatArray:
        """A position by names of joints, the others neutral: `model.q(elbow=-1.5)`.

        Of joints with several coordinates also by these: `model.q(root_joint_pz=0.3)`. A free joint
        takes a `Pose` too.
        """
        return of.named_position(self, positions, by_name)

    def neutral(self) -> FloatArray:
        """All joints at zero, quaternions at (0, 0, 0, 1)."""
        return of.joined(self, lambda i, b: b.joint.neutral())

    def random(self, rng: np.random.Generator | int | None = None) -> FloatArray:
        """A position within the limits."""
        return of.random(self, rng)

    def integrate(self, q: Scalars, step: Scalars) -> Array:
        """The position that the constant velocity `step` reaches in one unit of time."""
        return of.integrate(self, q, step)

    def difference(self, q0: Scalars, q1: Scalars) -> Array:
        """The step with integrate(q0, step) = q1."""
        return of.difference(self, q0, q1)

    def rates(self, q: Scalars, v: Scalars) -> Array:
        """q̇ (nq,) at the position q and the velocity v (nv,)."""
        return of.rates(self, q, v)

    def tangent(self, q: Scalars) -> Array:
        """The nq × nv matrix from v to q̇."""
        return np.stack([self.rates(q, e) for e in np.eye(self.nv)], axis=1)

    @cached_property
    def lower(self) -> FloatArray:
        """Lower limits of q (nq,), -inf where there is none."""
        return of.limits(self, "lower")

    @cached_property
    def upper(self) -> FloatArray:
        """Upper limits of q (nq,), inf where there is none."""
        return of.limits(self, "upper")

    @cached_property
    def dry_friction(self) -> FloatArray:
        """Forces that dry friction can hold at rest (nv,)."""
        from visviva.equations.forces import forces

        return frozen(np.asarray(forces.static_friction(self.numeric), dtype=float))

    @property
    def limited_actuators(self) -> tuple[Actuator, ...]:
        """All actuators: each may have limits."""
        return tuple(self.actuators)

    @cached_property
    def velocity_limits(self) -> FloatArray:
        """Largest speeds, of each velocity: rad/s, m/s."""
        return of.limits(self, "velocity")

    @cached_property
    def effort_limits(self) -> FloatArray:
        """Largest joint forces and torques, of each velocity: N, N m."""
        return of.limits(self, "effort")

    # ---- in the order of other libraries

    def order(
        self,
        library: str,
        names: Iterable[str] | None = None,
        continuous: Iterable[str] | None = None,
    ) -> Order:
        """What Pinocchio, MuJoCo or ROS ("ros") have in place of q, v, a and τ.

        `names` are joints as they stand there, without it in the order of files; a coupled joint is
        among them or not. `continuous` are hinges that have a cosine and a sine there; without it,
        in Pinocchio, all that have no limits.

        Examples:
            >>> import visviva as vv
            >>> body = vv.Builder("body").body("base", joint="free", mass=1.0).build()
            >>> body.order("mujoco").q_to([0, 0, 0, 1, 0.1, 0.2, 0.3])
            array([0.1, 0.2, 0.3, 1. , 0. , 0. , 0. ])
        """
        from visviva.describe.model import orders

        return orders.Order(self, library, names, continuous)

    def q_from(self, library: str, q: ArrayLike) -> FloatArray:
        """Our position of theirs; `library` as of `order`: "pinocchio", "mujoco" or "ros"."""
        return self.order(library).q_from(q)

    def q_to(self, library: str, q: ArrayLike) -> FloatArray:
        """Their position of ours."""
        return self.order(library).q_to(q)

    def v_from(self, library: str, q: ArrayLike, v: ArrayLike) -> FloatArray:
        """Our velocity of theirs, at their position."""
        return self.order(library).v_from(q, v)

    def v_to(self, library: str, q: ArrayLike, v: ArrayLike) -> FloatArray:
        """Their velocity of ours, at our position."""
        return self.order(library).v_to(q, v)

    def a_from(self, library: str, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> FloatArray:
        """Our acceleration of theirs, at their position and velocity."""
        return self.order(library).a_from(q, v, a)

    def a_to(self, library: str, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> FloatArray:
        """Their acceleration of ours, at our position and velocity."""
        return self.order(library).a_to(q, v, a)

    def tau_from(self, library: str, q: ArrayLike, tau: ArrayLike) -> FloatArray:
        """Our joint forces of theirs, at their position."""
        return self.order(library).tau_from(q, tau)

    def tau_to(self, library: str, q: ArrayLike, tau: ArrayLike) -> FloatArray:
        """Their joint forces of ours, at our position."""
        return self.order(library).tau_to(q, tau)

    # ---- poses and mass, in plain arithmetic over any scalar

    def local(self, i: int, q: Any) -> Array:
        """The coordinates of body i's own joint; a coupled one follows its source."""
        mimic = self.numeric.bodies[i].mimic
        source: Array = q[self.q_index[i]]
        coordinates: Array
        coordinates = source if mimic is None else source * mimic.multiplier + mimic.offset
        return coordinates

    def body_poses(self, q: Scalars) -> list[Pose]:
        """The pose of every body in the world, with the parameters' values."""
        q = of.checked_position(self, "q", q)
        poses: list[Pose] = []
        for i, b in enumerate(self.numeric.bodies):
            in_parent = b.placement @ b.joint.transform(self.local(i, q))
            poses.append(in_parent if b.parent == WORLD else poses[b.parent] @ in_parent)
        return poses

    @not_compiled("model.pose(model.frame_names[-1])")
    def frame_pose(self, name: str, q: Scalars = ()) -> Pose:
        """The pose of a frame in the world; of many positions it is `model.pose(name)(q)`."""
        if not isinstance(name, str):
            line = f"model.frame_pose({['world', *self.frame_names][-1]!r}, q)"
            raise ArgumentError(f"frame_pose: the name comes first, got {name!r:.80}", cure=line)
        counts = self.__dict__.setdefault("_counts_of_poses", {})
        counts[name] = count = counts.get(name, 0) + 1
        if count > POSES_WORTH_CODE:
            try:
                X = self.pose(name)(q)
                if X.shape == (4, 4) and X[0, 0] == X[0, 0]:
                    return Pose.of(X[:3, :3], X[:3, 3])
            except VisvivaError:  # it is raised below, with the way to go
                pass
        f = self.numeric.frame(name)
        q = of.checked_position(self, "q", q, f"model.pose({name!r})(q) takes one or many")
        return f.placement if f.body == WORLD else self.body_poses(q)[f.body] @ f.placement

    @property
    def charts(self) -> Mapping[str, Callable[[Any], Any]]:
        """q moves by q̇ = N(q) v where its entries are not those of v."""
        return {} if all(b.joint.has_rates for b in self.bodies) else {"q": self.tangent}

    def with_gravity(self, gravity: ArrayLike) -> Model:
        """The same model under another gravity, in world axes: [0, 0, -1.62] on the Moon."""
        try:
            g = float_array(gravity)
        except (TypeError, ValueError):
            g = np.zeros(0)
        if g.shape != (3,) or not np.isfinite(g).all():
            is_number = g.ndim == 0 and np.isfinite(g)
            down = f"model.with_gravity([0, 0, {0.0 - abs(g):g}])" if is_number else ""
            raise ArgumentError(
                f"gravity is 3 finite numbers [x, y, z], got {gravity!r}", cure=down
            )
        return replace(self, gravity=g)

    def with_actuators(self, actuators: Actuator | Iterable[Actuator]) -> Model:
        """With these actuators in place of those it has; the order is that of f in u = T f.

        With none of them, `[]`, there is again one at every velocity: T is the identity.
        """
        if isinstance(actuators, Actuator):
            actuators = [actuators]
        if not isinstance(actuators, Iterable):
            kind = type(actuators).__name__
            raise ArgumentError(f"with_actuators takes Actuator objects, got {kind}")
        return replace(self, actuators=tuple(geared(self, a) for a in actuators))

    def with_passive(self, joints: str | Iterable[str]) -> Model:
        """With these joints driven by nothing, in place of those it has: their τ are zero."""
        return replace(self, passive=named(joints, self.joint_names))

    def with_frame(
        self, name: str, placement: Pose | ArrayLike = (0.0, 0.0, 0.0), *, on: str = ""
    ) -> Model:
        """With one more frame, on a body or frame `on`: at a `Pose`, 4 × 4 or three numbers."""
        return edit.with_frame(self, name, placement, on)

    def with_friction(self, friction: Any = None, *, damping: Any = None, **joints: Any) -> Model:
        """With other Coulomb friction, other damping, or both; what is not given stays.

        Each is one number for all joints, one for each velocity, or by joint names, also as words:
        `arm.with_friction(elbow=0.2, damping=0.5)`. A `Friction` is all of a joint's, viscous too.
        """
        return edit.with_losses(self, {"friction": friction, "damping": damping}, joints)

    # ---- other models from this one

    def as_lagrangian(self, symbols: Sequence[str] | None = None) -> Lagrangian:
        """The same system stated by its energies; `symbols` as in `closed_form`.

        Joints whose velocities are no rates of coordinates are refused, as is what no energy says.
        """
        from visviva.judge.exact import as_energies

        return as_energies.as_energies(self, symbols)

    def locked(self, positions: Mapping[str, Any] | None = None, /, **by_name: Any) -> Model:
        """With joints held at positions: `arm.locked(wrist=0.3)`; a quaternion for a ball joint."""
        return edit.locked(self, of.by_joint("locked", positions, by_name, self.bodies))

    def submodel(self, body: str) -> Model:
        """The part of the tree that hangs on a body, with that body as the fixed base."""
        return edit.submodel(self, body)

    def attached(
        self,
        other: Model | Inertia,
        frame: str,
        placement: Pose | ArrayLike = (0.0, 0.0, 0.0),
        prefix: str = "",
    ) -> Model:
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
    def mass(self) -> float:
        """The mass of all bodies that move, in kilograms."""
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
        scalars = {**self.parameters, **values}
        for name in values:
            check_known("parameter", name, self.parameters)
        return replace(self.mapped(lambda x: at_values(x, scalars)), parameters={})

    def with_parameters(self, values: Mapping[str, Any] | None = None, /, **by_name: Any) -> Model:
        """The same model with other values of its parameters, or of numbers of bodies and joints.

        Those are called as in `function(…, parameters=…)`: `m_link1`, `cx_link1`, `damping_elbow`.
        A text is a formula of other parameters, put in everywhere: `r1="L1/2"`, `I1="0"`.
        """
        return numbers.with_values(self, by_names("with_parameters", values, by_name))

    @property
    def is_symbolic(self) -> bool:
        """Whether any number is an expression over parameters."""
        return edit.graph_of(self) is not None

    # ---- quantities: written by tools/quantities_code.py from quantities.py

    @cached_property
    def momentum(self) -> Function:
        """Angular momentum about the world's origin, and linear momentum. A function of q, v."""
        return self.function("momentum")

    @cached_property
    def centroidal_momentum(self) -> Function:
        """Angular momentum about the centre of mass, and linear momentum. A function of q, v."""
        return self.function("centroidal_momentum")

    @cached_property
    def centroidal_matrix(self) -> Function:
        """The matrix from v to the centroidal momentum. A function of q."""
        return self.function("centroidal_matrix")

    @cached_property
    def center_of_mass(self) -> Function:
        """The centre of mass of all bodies that move, in the world. A function of q."""
        return self.function("center_of_mass")

    @cached_property
    def center_of_mass_jacobian(self) -> Function:
        """The matrix from v to the velocity of the centre of mass. A function of q."""
        return self.function("center_of_mass_jacobian")

    @cached_property
    def regressor(self) -> Function:
        """Y with τ = Y θ, where θ are the `regressor_parameters`. A function of q, v, a."""
        return self.function("regressor")

    @cached_property
    def reaction_wrenches(self) -> Function:
        """(moment, force) of each joint on its body, at the joint's frame and in its axes.

        A function of q, v, a.
        """
        return self.function("reaction_wrenches")

    @cached_property
    def reactions(self) -> Function:
        """(moment, force) of joints on their bodies, and of loops on their second frames.

        Each is at the origin of that frame, in its axes. The third input is tau; where nothing is
        constrained, tau of known accelerations is inverse_dynamics(q, v, a). A constraint that is a
        formula has no line of action: its forces are in the rows of the joints that it couples.

        A function of q, v, tau.
        """
        return self.function("reactions")

    @cached_property
    def external_forces(self) -> Function:
        """Σ Jᵀ w, the forces of the wrenches of `function(…, wrenches=…)`. A function of q."""
        return self.function("external_forces")

    @cached_property
    def poses(self) -> Function:
        """4 × 4 matrices of all frames in the world. A function of q."""
        return self.function("poses")

    def jacobian(
        self, frame: str, reference: str = "world", point: ArrayLike | None = None
    ) -> Function:
        """q -> the 6 × n matrix from v to the twist (ω, v) of a frame.

        `reference`: "world" has the velocity of the frame's origin (or of `point`, in the frame's
        coordinates) in world axes; "body" the same in the frame's own axes; "space" the velocity of
        the body's point at the world's origin.
        """
        return self.function_of_frame("jacobian", frame, reference, point)

    def pose(self, frame: str) -> Function:
        """q -> the 4 × 4 pose of a frame in the world."""
        return self.function_of_frame("pose", frame)

    def jacobian_rate(
        self, frame: str, reference: str = "world", point: ArrayLike | None = None
    ) -> Function:
        """q, v -> the time derivative of the Jacobian of a frame."""
        return self.function_of_frame("jacobian_rate", frame, reference, point)

    def velocity(
        self, frame: str, reference: str = "world", point: ArrayLike | None = None
    ) -> Function:
        """q, v -> the twist (ω, v) of a frame."""
        return self.function_of_frame("velocity", frame, reference, point)

    def acceleration(
        self, frame: str, reference: str = "world", point: ArrayLike | None = None
    ) -> Function:
        """q, v, a -> the rates of the components of `velocity`; in world axes (ω̇, p̈)."""
        return self.function_of_frame("acceleration", frame, reference, point)

    def kinematics(
        self, frame: str, reference: str = "world", point: ArrayLike | None = None
    ) -> Function[tuple[FloatArray, FloatArray]]:
        """q -> pose and Jacobian of a frame, together."""
        return self.function_of_frame("kinematics", frame, reference, point)

    def generalized_force(
        self, frame: str, reference: str = "world", point: ArrayLike | None = None
    ) -> Function:
        """q, wrench -> Jᵀ w, the forces of (moment, force) on a frame or a point of it."""
        return self.function_of_frame("generalized_force", frame, reference, point)

    # ---- end of quantities

    # ---- regressor and the Newton–Euler recursion

    def regressor_columns(self, columns: Sequence[int]) -> Function:
        """q, v, a -> some columns of the regressor only."""
        from visviva.machine import systems

        return systems.asked(self, systems.Request("regressor", columns=tuple(columns)))

    def newton_euler_table(
        self, q: Scalars, v: Scalars, a: Scalars, wrenches: Any = ()
    ) -> NewtonEulerTable:
        """Every vector of the Newton–Euler recursion, outward and inward, for any scalars."""
        self._refuse_constraints("newton_euler_table")
        from visviva.equations.forces import reactions

        return reactions.newton_euler_table(self, q, v, a, wrenches)

    def newton_euler_formulas(self) -> NewtonEulerTable:
        """The same recursion in SymPy's symbols."""
        self._refuse_constraints("newton_euler_formulas")
        from visviva.equations.forces import reactions

        return reactions.newton_euler_formulas(self)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Parameters that `function(…, parameters=…)` can keep as inputs."""
        from visviva.equations.parameters import parameters

        return parameters.parameter_names(self)

    @property
    def regressor_names(self) -> tuple[str, ...]:
        """Names of the entries of θ: moments by body, then armature, damping, friction by joint."""
        from visviva.equations.parameters.regressor import regressor_names

        return regressor_names(self)

    @property
    def regressor_parameters(self) -> FloatArray:
        """θ, which the regressor multiplies, with the values of this model."""
        from visviva.equations.parameters.regressor import regressor_parameters

        return regressor_parameters(self.numeric)

    def with_regressor_parameters(self, theta: Any, *, checked: bool = True) -> Model:
        """The model whose θ is this, as `regressor_parameters` has it: identified masses, say.

        Bodies that cannot exist are refused; `checked=False` takes them. Parameters of the model
        become numbers.
        """
        from visviva.equations.parameters.regressor import with_regressor_parameters

        return with_regressor_parameters(self, theta, checked)

    def base_parameters(
        self, include: str | Sequence[str] = ("armature", "damping", "friction")
    ) -> BaseParameters:
        """The combinations of θ that joint forces depend on; `include` names joint parameters."""
        from visviva.equations.parameters.base import base_parameters

        return base_parameters(self, include)

    # ---- inverse kinematics

    def inverse_kinematics(
        self,
        frame: str,
        pose: Pose | ArrayLike | Sequence[Pose],
        *,
        all: bool = False,
        task: str = "pose",
        seed: ArrayLike | None = None,
        max_jump: float | None = None,
        copies: bool = False,
        limits: bool = True,
    ) -> Solutions:
        """Joint positions q at which a frame is at a pose (4, 4), or at N poses (N, 4, 4).

        The nearest to `seed` (or to neutral), or the nearest found where a search is the only way;
        with `all` every one, sorted, and `.complete` where it is proved that there are no others.
        `pose` is a `Pose` or a matrix, (x, y, φ) of an arm in the plane x, y; for `task` "position"
        three coordinates. Angles are within the limits where whole turns can take them there; with
        `copies` at every turn that limits allow, with `limits` False in (-π, π]. `max_jump` follows
        a path: from `seed` on, no joint moves by more from one pose to the next. Where there is no
        solution, `.reason` says why.

        Examples:
            >>> import visviva as vv
            >>> arm = vv.catalog.planar_3r(l1=1.0, l2=0.8, l3=0.5)
            >>> arm.inverse_kinematics("tool", (1.8, 1.2, 0.6), all=True).q.round(3)
            array([[ 0.236,  0.789, -0.425],
                   [ 0.933, -0.789,  0.457]])
        """
        from visviva.solve.inverse import inverse

        return inverse.inverse_kinematics(
            self,
            frame,
            pose,
            all=all,
            task=task,
            seed=seed,
            max_jump=max_jump,
            copies=copies,
            limits=limits,
        )

    def inverse_kinematics_function(self, frame: str, *, task: str = "pose") -> Function:
        """pose (4, 4) -> q (S, nq): the closed form, all branches, nan where one does not exist.

        For `task` "position" it is a function of three coordinates. Angles are in [-π, π] and the
        limits are not looked at. Refused where no closed form is known.
        """
        from visviva.solve.inverse import inverse

        return inverse.inverse_kinematics_function(self, frame, task=task)

    def follow(
        self,
        frame: str,
        path: ArrayLike | Sequence[Pose] | Callable[[float], Any],
        q0: ArrayLike,
        *,
        task: str = "pose",
        samples: int = 101,
    ) -> Following:
        """Joint positions along a path of a frame, from q0 on, with what was passed on the way.

        The path is poses (K, 4, 4), or a function of the share of the way from 0 to 1.
        """
        from visviva.solve.rates import following

        return following.follow(self, frame, path, q0, task=task, samples=samples)

    def joint_rates(
        self,
        frame: str,
        q: ArrayLike,
        twist: ArrayLike,
        *,
        task: str = "pose",
        damping: float = 0.0,
        weights: ArrayLike | None = None,
        secondary: str | Mapping[str, float] | ArrayLike | Callable[..., Any] | None = None,
        reference: str = "world",
    ) -> JointRates:
        """Velocities v with J v = twist: exact, damped, weighted, with motion in the null space.

        The twist is (ω, v) in world axes or, with reference="body", in those of the frame; of
        another task its velocities in their order. `secondary` is preferred velocities, a function
        of q that should grow, or one by name: "limits" keeps joints away from their limits,
        "neutral" near neutral, "manipulability" away from singular positions; {name: weight} are
        several.
        """
        from visviva.solve.rates import rates

        return rates.joint_rates(
            self,
            frame,
            q,
            twist,
            task=task,
            damping=damping,
            weights=weights,
            secondary=secondary,
            reference=reference,
        )

    def self_motion(
        self,
        frame: str,
        q: ArrayLike,
        *,
        task: str = "pose",
        direction: ArrayLike | None = None,
        step: float = 0.05,
        most: int = 4000,
    ) -> SelfMotion:
        """Motions of the joints that leave a frame where it is: a curve through q.

        `direction` says which way it begins, and is needed where there are several dimensions.
        """
        from visviva.solve.rates import self_motion

        return self_motion.self_motion(
            self, frame, q, task=task, direction=direction, step=step, most=most
        )

    def task(self, frame: str, task: str, point: ArrayLike | None = None) -> Function:
        """q -> the coordinates of a task: "x y phi", "position", "position ZYX", "quaternion" …"""
        from visviva.machine import tasks

        return tasks.task_function(self, "task", frame, task, point)

    def task_jacobian(self, frame: str, task: str, point: ArrayLike | None = None) -> Function:
        """q -> the matrix from v to the velocities of a task; of its coordinates the rates."""
        from visviva.machine import tasks

        return tasks.task_function(self, "task_jacobian", frame, task, point)

    # ---- singularities and workspace

    def singularities(self, frame: str, *, task: str | None = None) -> Singularities:
        """det J (or det J Jᵀ) in closed, factored form, and the positions at which it is zero."""
        from visviva.solve.singular import closed

        return closed.singularities(self, frame, task=task)

    def singularity(
        self, frame: str, q: ArrayLike, *, task: str | None = None, length: float | None = None
    ) -> Singularity:
        """How near a position is to a singular one: rank, lost directions, ellipsoids.

        `length`: how many metres count as much as a radian, where a task or the joints have both.
        """
        from visviva.solve.singular import place

        return place.singularity(self, frame, q, task=task, length=length)

    def manipulability(
        self, frame: str, q: ArrayLike, *, task: str | None = None, length: float | None = None
    ) -> FloatArray:
        """sqrt(det J Jᵀ) at many positions (…, nq): zero where a direction is lost.

        Where a task or the joints have both metres and radians, a radian counts as `length` metres:
        by default the distance of the frame from the joint axes, its mean over random positions,
        which `singularity` prints.
        `length=1` is the plain one then, in metres and radians.
        """
        from visviva.solve.singular import place

        return place.manipulability(self, frame, q, task=task, length=length)

    def workspace(
        self, frame: str, *, samples: int = 20000, seed: int = 0, limits: bool = True
    ) -> Workspace:
        """Where a frame can go: its boundary, and where it can take every orientation."""
        from visviva.solve.singular import workspace

        return workspace.workspace(self, frame, samples=samples, seed=seed, limits=limits)

    def jacobian_columns(
        self, frame: str, q: ArrayLike, *, point: ArrayLike | None = None
    ) -> JacobianColumns:
        """What each joint alone does to a frame at q: axis, lever and velocity, in words."""
        from visviva.solve.singular import columns

        return columns.jacobian_columns(self, frame, q, point=point)

    def dh_table(self, convention: str = "", frame: str | None = None) -> DHTable:
        """The DH table of a serial arm of turns and slides, "standard" or "modified".

        It ends at `frame`, on the last body; by default at the frame "tool", or that body. Springs,
        actuators and other frames are no part of a table.

        Examples:
            >>> import visviva as vv
            >>> print(vv.catalog.scara().dh_table("modified"))
            scara, modified DH
               a          alpha      d          theta
            1  0          0          0          0 + q1
            2  0.4        0          0          0 + q2
            3  0          0          0 + q3     0
            tool pose
            [[1.  0.  0.  0.3]
             [0.  1.  0.  0. ]
             [0.  0.  1.  0. ]
             [0.  0.  0.  1. ]]
        """
        from visviva.describe.by_hand.dh import to_dh

        return to_dh(self, convention, frame)

    # ---- forces at rest

    def statics(
        self,
        q: ArrayLike,
        wrenches: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        *,
        gravity: bool | ArrayLike = True,
        actuated: Sequence[str] | None = None,
        axes: str = "world",
        order: str = "moment first",
        acting: str = "by robot",
        t: float = 0.0,
    ) -> Statics:
        """Joint torques and internal forces at rest under loads that the robot exerts, by two ways.

        `wrenches` maps frames to (moment, force), exerted by the robot at the frame's origin (what
        acts on the robot is minus these, or `acting="on robot"`), or to
        {"force": …, "moment": …, "point": …, "axes": …}; or it is a list of such with "frame".
        `axes` "world" or "body", `order` "moment first" or "force first" and `acting` "by robot" or
        "on robot" say how they are meant. `gravity`: the model's (True), none (False), or another.
        `actuated` names the joints that hold; else what is not passive does, or the actuators.
        """
        from visviva.solve.statics import statics

        return statics.statics(
            self,
            q,
            wrenches,
            gravity=gravity,
            actuated=actuated,
            axes=axes,
            order=order,
            acting=acting,
            t=t,
        )

    def actuation(self, q: ArrayLike) -> Actuation:
        """What the actuators can do at a position: T and its rank, limits of u = T f, T⁻¹."""
        from visviva.equations.forces import actuators

        return actuators.actuation(self, q)

    # ---- linkages

    def instant_centres(
        self, q: ArrayLike | None = None, v: ArrayLike | None = None
    ) -> InstantCentres:
        """Of a planar mechanism: about which points its bodies turn, relative to each other.

        At q (assembled, if not given); where it can move in several ways, v says in which.
        """
        from visviva.solve.planar import centres

        return centres.instant_centres(self, self.assembled() if q is None else q, v)

    def coupler_curve(
        self,
        frame: str,
        joint: str = "",
        values: ArrayLike | None = None,
        *,
        q0: ArrayLike | None = None,
        point: ArrayLike | None = None,
        fixed: Mapping[str, float] | None = None,
        speed: float = 1.0,
    ) -> CouplerCurve:
        """The path of a point of a linkage while one of its joints is driven.

        The joint is named by itself or by its body; if only one is not passive, it is that one.
        `values` are those of the joint; if none are given a full turn, or from limit to limit where
        it has closer ones. `point` is in the frame's coordinates, `q0` where it begins (assembled,
        if not given).
        `fixed` holds further joints at values. Velocities and accelerations are those of driving
        at a constant `speed`.
        """
        from visviva.solve.planar import curves

        return curves.coupler_curve(
            self, frame, joint, values, q0=q0, point=point, fixed=fixed, speed=speed
        )

    def driving_torque(
        self,
        joint: str = "",
        values: ArrayLike | None = None,
        *,
        speed: float = 0.0,
        wrenches: Mapping[str, Any] | None = None,
        q0: ArrayLike | None = None,
        fixed: Mapping[str, float] | None = None,
    ) -> DrivingTorque:
        """What the motor of one joint exerts while it drives a linkage, nothing else driving it.

        At the constant `speed`, by default held still; `values` as of `coupler_curve`. `wrenches`
        maps frames to (moment, force), or {"force": […]}, on the linkage there, in world axes.
        `.reactions` of what is found has the forces in the joints, under these loads.
        """
        from visviva.solve.planar import driving
        from visviva.solve.statics.loads import loads_at_origins

        loads = loads_at_origins(self.numeric, "driving_torque", wrenches)
        return driving.driving_torque(
            self, joint, values, speed=speed, loads=loads, q0=q0, fixed=fixed
        )

    def dead_points(
        self,
        joint: str = "",
        *,
        q0: ArrayLike | None = None,
        fixed: Mapping[str, float] | None = None,
    ) -> DeadPoints:
        """Positions at which a joint turns back: no torque on it moves the linkage there.

        Of a linkage with one freedom, along the whole of its motion from `q0` (assembled, if not
        given) on; `fixed` holds further joints, and q0 is moved there. What limits of joints keep
        out of reach is in `.beyond`.
        """
        from visviva.solve.planar import dead

        return dead.dead_points(self, joint, q0, fixed)

    def transmission_angle(
        self,
        joint: str = "",
        values: ArrayLike | None = None,
        *,
        coupler: str = "",
        output: str = "",
        q0: ArrayLike | None = None,
        fixed: Mapping[str, float] | None = None,
    ) -> TransmissionAngle:
        """The angle at which a coupler pushes its output, while a joint is driven; 90° is best.

        `values` as of `coupler_curve`. Bodies may be left out where there is only one coupler on an
        output that stands on the ground and is not geared to the joint. A block in a slot pushes
        along the normal of the slot.
        """
        from visviva.solve.planar import transmission

        return transmission.transmission_angle(
            self, joint, values, coupler=coupler, output=output, q0=q0, fixed=fixed
        )

    def _why_not_closed(self) -> str:
        """Why the constraints cannot hold together, "" if they can."""
        from visviva.solve import assembly

        return assembly.left_open(self)

    # ---- limits

    def with_limits(
        self,
        position: Mapping[str, Any] | None = None,
        *,
        velocity: Mapping[str, Any] | None = None,
        effort: Mapping[str, Any] | None = None,
        **joints: Any,
    ) -> Model:
        """With other limits of joints, by their names; what is not named stays as it is.

        Of position a pair (lower, upper), of velocity and effort a size; None, in place of a number
        or of the pair, is no limit. Joints that follow others have the limits of those.

        Examples:
            >>> import visviva as vv
            >>> arm = vv.catalog.two_link().with_limits(q1=(-1, None), q2=(0, 2.5))
            >>> arm.lower, arm.upper
            (array([-1.,  0.]), array([inf, 2.5]))
        """
        from visviva.describe.stops import with_limits

        return with_limits(self, position, velocity, effort, joints)

    # ---- constraints

    def with_loop(
        self,
        frame1: str,
        frame2: str,
        joint: str | Closure = "revolute",
        *,
        axis: str | ArrayLike | None = None,
        name: str = "",
        **details: Any,
    ) -> Self:
        """With two frames joined, by a joint or another closure by name or ready.

        `joint="revolute"` is a hinge about `axis`, in axes of either frame. If none is given, that
        is z; of a hinge between joints that all turn about one axis it is that one, and a note says
        so. `details` are what a closure takes besides, as in `Builder.body`: `pitch`, `length`,
        numbers or formulas of parameters, `length="2*l"`.
        """
        if isinstance(joint, Closure) and (axis is not None or details):
            raise ArgumentError("axis= belongs to a joint by name, not to a ready one")
        name, notes = name or self._free_name("loop"), self.notes
        if joint == "revolute" and axis is None:
            axis = common_axis(self, frame1, frame2)
            if axis is not None and (letter := direction(axis)) != "z":
                turns = f"loop {name!r} turns about {letter}, as all of its joints do"
                notes = (*notes, f"{turns}: axis= was not given")
        numbers = {
            k: stated_number(self, f"{k} of {joint!r}", x) if k in SIZED else x
            for k, x in details.items()
        }
        closure = joint if isinstance(joint, Closure) else closure_called(joint, axis, numbers)
        model = self._with_constraints([Loop(name, frame1, frame2, closure)])
        return model if notes is self.notes else replace(model, notes=notes)

    def with_constraint(self, statement: Any, name: str = "") -> Self:
        """With a relation between coordinates: a formula that stays zero, or an equation.

        A text names coordinates as joints are called, rates with a prime, the time t and
        parameters: `"elbow = 0.3*sin(2*t)"`, `"left' = 2*right'"`. A function takes some of q, v
        and t, and returns what stays zero.
        """
        return self._with_constraints(
            relations(self, name or self._free_name("constraint"), statement)
        )

    def with_gear(
        self, joint1: str, joint2: str, ratio: Any, *, offset: Any = 0.0, name: str = ""
    ) -> Self:
        """With joint1 = ratio · joint2 + offset; wheels that touch from outside have ratio < 0.

        Numbers here, and of belts, racks and differentials, may be formulas of parameters:
        `ratio="-r2/r1"`.
        """
        check_joints(joint1, joint2)
        ratio, offset = ratio_of(self, "ratio", ratio), offset_of(self, offset)
        text = f"{joint1} = {as_factor(ratio)}*{joint2}" + as_offset(offset)
        terms = {"one": (joint1, 1.0), "ratio": (joint2, -ratio), "offset": ("", -offset)}
        return self._with_constraints([linear(name or self._free_name("gear"), text, **terms)])

    def with_belt(
        self,
        joint1: str,
        joint2: str,
        radius1: Any,
        radius2: Any,
        *,
        crossed: bool = False,
        name: str = "",
    ) -> Self:
        """With a belt around two wheels: radius1 · joint1 = radius2 · joint2, or minus if crossed.

        Both radii are of wheels that turn about parallel axes.
        """
        check_joints(joint1, joint2)
        radius1, radius2 = ratio_of(self, "radius1", radius1), ratio_of(self, "radius2", radius2)
        sign = "-" if crossed else ""
        text = f"{as_factor(radius1)}*{joint1} = {sign}{as_factor(radius2)}*{joint2}"
        second = radius2 if crossed else -radius2
        terms = {"radius1": (joint1, radius1), "radius2": (joint2, second)}
        return self._with_constraints([linear(name or self._free_name("belt"), text, **terms)])

    def with_rack(
        self, rack: str, pinion: str, radius: Any, *, offset: Any = 0.0, name: str = ""
    ) -> Self:
        """With a rack that slides as a pinion of this radius turns: rack = radius · pinion."""
        check_joints(rack, pinion)
        radius, offset = ratio_of(self, "radius", radius), offset_of(self, offset)
        text = f"{rack} = {as_factor(radius)}*{pinion}" + as_offset(offset)
        terms = {"one": (rack, 1.0), "radius": (pinion, -radius), "offset": ("", -offset)}
        return self._with_constraints([linear(name or self._free_name("rack"), text, **terms)])

    def with_differential(
        self, drive: str, left: str, right: str, ratio: Any = 1.0, *, name: str = ""
    ) -> Self:
        """With a differential: drive = ratio · (left + right) / 2."""
        check_joints(drive, left, right)
        ratio = ratio_of(self, "ratio", ratio)
        text = f"{drive} = {as_factor(ratio)}*({left} + {right})/2"
        half = -ratio * 0.5
        terms = {"drive": (drive, 1.0), "left": (left, half), "right": (right, half)}
        return self._with_constraints(
            [linear(name or self._free_name("differential"), text, **terms)]
        )

    def without_constraints(self) -> Self:
        """The open tree: without what holds it. Joints that follow others still do."""
        if not self.constraints:
            return self
        remarks = [f"without the constraint: {x}" for x in self.constraints]
        changes: dict[str, Any] = {"constraints": (), "notes": (*self.notes, *remarks)}
        return replace(self, **changes)

    def _with_constraints(self, constraints: list[Any]) -> Self:
        changes: dict[str, Any] = {"constraints": (*self.constraints, *constraints)}
        return replace(self, **changes)

    def _free_name(self, word: str) -> str:
        """A name that no constraint has: the word, with a number if need be."""
        return free_name(self.constraints, word)

    @property
    def loops(self) -> tuple[Loop, ...]:
        """The constraints that join two frames."""
        return tuple(x for x in self.constraints if x.frames)

    @property
    def held_by(self) -> tuple[str, ...]:
        """The constraints that hold, each in words; a reader may find some switched off."""
        return tuple(str(x) for x in self.constraints.active)

    # ---- what errors say of it, and modules of the equations that serve it

    def _part_called(self, name: str) -> str:
        parts = (
            (self.joint_names, f"bodies[model.joint_index({name!r})].joint"),
            (self.body_names, f"bodies[{name!r}]"),
            (self.frame_names, f"frame_pose({name!r}, q)"),
        )
        line = next((line for names, line in parts if name in names), "")
        return super()._part_called(name) or line

    def _input_equations(self) -> ModuleType:
        from visviva.equations.parameters import parameters as home

        return home

    def _constraint_equations(self) -> ModuleType:
        from visviva.equations.constraints import pfaffian as home

        return home

    def _passivity_equations(self) -> ModuleType:
        from visviva.equations import energy as home

        return home

    def __repr__(self) -> str:
        return table.text(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(self)
