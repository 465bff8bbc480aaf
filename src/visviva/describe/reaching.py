"""The doorway from a model to its kinematics and statics: where it reaches, and what it takes.

`Reaching` is the part of `Model` that leads to the room of solutions.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from visviva.hints import words_of_others

if TYPE_CHECKING:
    from visviva.describe.by_hand.dh import DHTable
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


_WORDS = dict.fromkeys(("q0", "initial", "guess", "q_init", "q_seed", "x0"), "seed")  # of others
_WORDS |= dict.fromkeys(("target", "goal", "T"), "pose")
_WORDS |= {"position": 'model.inverse_kinematics(frame, [x, y, z], task="position")'}

_COUNTED = ("n", "N", "count", "num", "points", "number", "n_samples")  # samples
# of sweeps of linkages
_BEGIN = dict.fromkeys(("q", "start", "initial"), "q0") | {"crank": "joint", "input": "joint"}
_VALUES = _BEGIN | dict.fromkeys(("theta", "angle", "angles", "range"), "values")
_SPEED = _VALUES | dict.fromkeys(("omega", "w", "velocity", "rate"), "speed")
_PATH = _SPEED | {"rpm": "model.coupler_curve(frame, joint, speed=rpm * 2 * np.pi / 60)"}
_DRIVE = _SPEED | {"rpm": "model.driving_torque(joint, speed=rpm * 2 * np.pi / 60)"}
_DRIVE |= dict.fromkeys(
    ("force", "forces", "load", "loads", "wrench"),
    "model.driving_torque(joint, wrenches={frame: [mx, my, mz, fx, fy, fz]})",
)
_DRIVE |= dict.fromkeys(("acceleration", "alpha", "accel"), "model.actuator_forces(q, v, a)")
# of loads at rest: whose force it is has to be said
_LOAD = "model.statics(q, {frame: -w})  # w acts on the robot; what it exerts is {frame: w}"
_HELD = dict.fromkeys(("load", "loads", "wrench", "forces", "force"), _LOAD)
_PUSHED = 'model.statics(q, {frame: w}, acting="on robot")  # w acts on the robot'
_HELD |= dict.fromkeys(("f_ext", "fext", "external", "external_wrenches"), _PUSHED)
_HELD |= dict.fromkeys(("drives", "actuators", "driven", "motors", "drive", "joints"), "actuated")


class Reaching:
    """Joint positions for poses, rates for velocities, forces for loads."""

    @words_of_others("model.inverse_kinematics", **_WORDS)
    def inverse_kinematics(
        self: Any,
        frame: str,
        pose: Any,
        *,
        all: bool = False,
        task: str = "pose",
        seed: Any = None,
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

        how: dict[str, Any] = {"all": all, "task": task, "seed": seed, "max_jump": max_jump}
        return inverse.inverse_kinematics(self, frame, pose, copies=copies, limits=limits, **how)

    def inverse_kinematics_function(self: Any, frame: str, *, task: str = "pose") -> Function:
        """pose (4, 4) -> q (S, nq): the closed form, all branches, nan where one does not exist.

        For `task` "position" it is a function of three coordinates. Angles are in [-π, π] and the
        limits are not looked at. Refused where no closed form is known.
        """
        from visviva.solve.inverse import inverse

        return inverse.inverse_kinematics_function(self, frame, task=task)

    def with_limits(
        self: Any,
        position: Mapping[str, Any] | None = None,
        *,
        velocity: Mapping[str, Any] | None = None,
        effort: Mapping[str, Any] | None = None,
        **joints: Any,
    ) -> Any:
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

    def joint_rates(
        self: Any,
        frame: str,
        q: Any,
        twist: Any,
        *,
        task: str = "pose",
        damping: float = 0.0,
        weights: Any = None,
        secondary: Any = None,
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

        how: dict[str, Any] = {"task": task, "damping": damping, "weights": weights}
        how |= {"secondary": secondary, "reference": reference}
        return rates.joint_rates(self, frame, q, twist, **how)

    @words_of_others("model.follow", poses="path", q="q0", seed="q0", steps="samples", n="samples")
    def follow(
        self: Any, frame: str, path: Any, q0: Any, *, task: str = "pose", samples: int = 101
    ) -> Following:
        """Joint positions along a path of a frame, from q0 on, with what was passed on the way.

        The path is poses (K, 4, 4), or a function of the share of the way from 0 to 1.
        """
        from visviva.solve.rates import following

        return following.follow(self, frame, path, q0, task=task, samples=samples)

    def self_motion(
        self: Any,
        frame: str,
        q: Any,
        *,
        task: str = "pose",
        direction: Any = None,
        step: float = 0.05,
        most: int = 4000,
    ) -> SelfMotion:
        """Motions of the joints that leave a frame where it is: a curve through q.

        `direction` says which way it begins, and is needed where there are several dimensions.
        """
        from visviva.solve.rates import self_motion

        how: dict[str, Any] = {"task": task, "direction": direction, "step": step, "most": most}
        return self_motion.self_motion(self, frame, q, **how)

    def task(self: Any, frame: str, task: str, point: Any = None) -> Function:
        """q -> the coordinates of a task: "x y phi", "position", "position ZYX", "quaternion" …"""
        from visviva.machine import tasks

        return tasks.task_function(self, "task", frame, task, point)

    def task_jacobian(self: Any, frame: str, task: str, point: Any = None) -> Function:
        """q -> the matrix from v to the velocities of a task; of its coordinates the rates."""
        from visviva.machine import tasks

        return tasks.task_function(self, "task_jacobian", frame, task, point)

    @words_of_others("model.jacobian_columns")
    def jacobian_columns(self: Any, frame: str, q: Any, *, point: Any = None) -> JacobianColumns:
        """What each joint alone does to a frame at q: axis, lever and velocity, in words."""
        from visviva.solve.singular import columns

        return columns.jacobian_columns(self, frame, q, point=point)

    def singularities(self: Any, frame: str, *, task: str | None = None) -> Singularities:
        """det J (or det J Jᵀ) in closed, factored form, and the positions at which it is zero."""
        from visviva.solve.singular import closed

        return closed.singularities(self, frame, task=task)

    @words_of_others("model.singularity")
    def singularity(
        self: Any, frame: str, q: Any, *, task: str | None = None, length: float | None = None
    ) -> Singularity:
        """How near a position is to a singular one: rank, lost directions, ellipsoids.

        `length`: how many metres count as much as a radian, where a task or the joints have both.
        """
        from visviva.solve.singular import place

        return place.singularity(self, frame, q, task=task, length=length)

    @words_of_others("model.manipulability")
    def manipulability(
        self: Any, frame: str, q: Any, *, task: str | None = None, length: float | None = None
    ) -> Any:
        """sqrt(det J Jᵀ) at many positions (…, nq): zero where a direction is lost.

        Where a task or the joints have both metres and radians, a radian counts as `length` metres:
        by default the distance of the frame from the joint axes, its mean over random positions,
        which `singularity` prints.
        `length=1` is the plain one then, in metres and radians.
        """
        from visviva.solve.singular import place

        return place.manipulability(self, frame, q, task=task, length=length)

    @words_of_others("model.workspace", **dict.fromkeys(_COUNTED, "samples"))
    def workspace(
        self: Any, frame: str, *, samples: int = 20000, seed: int = 0, limits: bool = True
    ) -> Workspace:
        """Where a frame can go: its boundary, and where it can take every orientation."""
        from visviva.solve.singular import workspace

        return workspace.workspace(self, frame, samples=samples, seed=seed, limits=limits)

    def dh_table(self: Any, convention: str = "", frame: str | None = None) -> DHTable:
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
        made: DHTable = import_module("visviva.describe.by_hand.dh").to_dh(self, convention, frame)
        return made

    @words_of_others("model.statics", **_HELD)
    def statics(
        self: Any,
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
        """Joint torques and internal forces at rest under loads that the robot exerts, by two ways.

        `wrenches` maps frames to (moment, force), exerted by the robot at the frame's origin (what
        acts on the robot is minus these, or `acting="on robot"`), or to
        {"force": …, "moment": …, "point": …, "axes": …}; or it is a list of such with "frame".
        `axes` "world" or "body", `order` "moment first" or "force first" and `acting` "by robot" or
        "on robot" say how they are meant. `gravity`: the model's (True), none (False), or another.
        `actuated` names the joints that hold; else what is not passive does, or the actuators.
        """
        from visviva.solve.statics import statics

        how: dict[str, Any] = {"gravity": gravity, "actuated": actuated, "axes": axes, "t": t}
        return statics.statics(self, q, wrenches, order=order, acting=acting, **how)

    def instant_centres(self: Any, q: Any = None, v: Any = None) -> InstantCentres:
        """Of a planar mechanism: about which points its bodies turn, relative to each other.

        At q (assembled, if not given); where it can move in several ways, v says in which.
        """
        from visviva.solve.planar import centres

        return centres.instant_centres(self, self.assembled() if q is None else q, v)

    @words_of_others("model.coupler_curve", **_PATH)
    def coupler_curve(
        self: Any,
        frame: str,
        joint: str = "",
        values: Any = None,
        *,
        q0: Any = None,
        point: Any = None,
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

        how: dict[str, Any] = {"q0": q0, "point": point, "speed": speed}
        return curves.coupler_curve(self, frame, joint, values, fixed=fixed, **how)

    @words_of_others("model.driving_torque", **_DRIVE)
    def driving_torque(
        self: Any,
        joint: str = "",
        values: Any = None,
        *,
        speed: float = 0.0,
        wrenches: Mapping[str, Any] | None = None,
        q0: Any = None,
        fixed: Mapping[str, float] | None = None,
    ) -> DrivingTorque:
        """What the motor of one joint exerts while it drives a linkage, nothing else driving it.

        At the constant `speed`, by default held still; `values` as of `coupler_curve`. `wrenches`
        maps frames to (moment, force), or {"force": […]}, on the linkage there, in world axes.
        `.reactions` of what is found has the forces in the joints, under these loads.
        """
        from visviva.solve.planar import driving
        from visviva.solve.statics.loads import loads_at_origins

        acting = loads_at_origins(self.numeric, "driving_torque", wrenches)
        how: dict[str, Any] = {"speed": speed, "loads": acting, "q0": q0}
        return driving.driving_torque(self, joint, values, fixed=fixed, **how)

    @words_of_others("model.dead_points", **_BEGIN)
    def dead_points(
        self: Any, joint: str = "", *, q0: Any = None, fixed: Mapping[str, float] | None = None
    ) -> DeadPoints:
        """Positions at which a joint turns back: no torque on it moves the linkage there.

        Of a linkage with one freedom, along the whole of its motion from `q0` (assembled, if not
        given) on; `fixed` holds further joints, and q0 is moved there. What limits of joints keep
        out of reach is in `.beyond`.
        """
        from visviva.solve.planar import dead

        return dead.dead_points(self, joint, q0, fixed)

    @words_of_others("model.transmission_angle", **_VALUES)
    def transmission_angle(
        self: Any,
        joint: str = "",
        values: Any = None,
        *,
        coupler: str = "",
        output: str = "",
        q0: Any = None,
        fixed: Mapping[str, float] | None = None,
    ) -> TransmissionAngle:
        """The angle at which a coupler pushes its output, while a joint is driven; 90° is best.

        `values` as of `coupler_curve`. Bodies may be left out where there is only one coupler on an
        output that stands on the ground and is not geared to the joint. A block in a slot pushes
        along the normal of the slot.
        """
        from visviva.solve.planar import transmission

        how: dict[str, Any] = {"coupler": coupler, "output": output, "q0": q0}
        return transmission.transmission_angle(self, joint, values, fixed=fixed, **how)

    def _left_open(self: Any) -> str:
        """Why constraints cannot hold together, "" if they can."""
        from visviva.solve import assembly

        return assembly.left_open(self)
