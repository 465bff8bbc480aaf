"""`System`: everything that can be asked of a mechanism, however it was stated.

`Model` (bodies and joints) and `Lagrangian` (energies) are its two kinds. Each method
says what it takes and gives, and imports the room that does it when it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

import numpy as np

from visviva.describe.quantities import BODIES, ENERGIES, FUNCTIONS, reserve_names
from visviva.describe.values import Value
from visviva.errors import ArgumentError, ConstrainedError, LateError, by_names
from visviva.foreign import Elsewhere, explained, missing_attribute
from visviva.notation.names import velocity_name

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike

    from visviva.algebra.arrays import Array, FloatArray, Scalars
    from visviva.describe.constraints.loop import Loop
    from visviva.describe.energies.lagrangian import Lagrangian
    from visviva.describe.model.actuator import Actuator
    from visviva.describe.model.friction import LuGre
    from visviva.drawing.figure import Figure
    from visviva.drawing.svg import Still
    from visviva.equations.integrability.classification import Classification
    from visviva.judge.check.verdict import Verdict
    from visviva.judge.closed.closed_form import ClosedForm
    from visviva.judge.closed.quasi import QuasiVelocityForm
    from visviva.judge.derive.derivation import Derivation
    from visviva.judge.roads.crosscheck import Crosscheck
    from visviva.machine.function import Function
    from visviva.motion.action.stationary import ActionPath
    from visviva.motion.action.variation import Action
    from visviva.motion.feasibility import Feasibility
    from visviva.motion.sensitivities.adjoint import Gradient
    from visviva.motion.sensitivities.forward import Sensitivities
    from visviva.motion.simulation.events.event import Event
    from visviva.motion.stability.equilibria import Equilibria
    from visviva.motion.stability.limits import StabilityLimit
    from visviva.motion.stability.linearization import Linearization
    from visviva.motion.steps.law import Controller
    from visviva.motion.trajectory import Trajectory
    from visviva.show.figures.view import View
    from visviva.show.live.view import LiveView
    from visviva.show.study.study import Study
    from visviva.solve.mobility import Mobility
    from visviva.solve.modes import Assemblies

TO_OPEN = (
    ", whose forces accelerations do not tell; reactions(q, v, tau) has those of all joints and "
    "loops, and without_constraints() gives the open system"
)
READER = 'vv.load("robot.urdf")'
MODEL_ALONE = ("bodies", "frames", "frame_pose", "body_poses", "mass")  # that a Lagrangian lacks


@explained
class System(Value):
    """Equations of motion M a + C v + g + b = τ, as functions that are compiled on first use.

    Arrays q, v, a, tau may have leading axes; they are a batch. `f.jacobian("q")` differentiates
    along motions: where velocities are not the rates of q, its columns are still those of v.
    """

    stated: ClassVar[str]  # "bodies" or "energies": the column of quantities that has its functions
    from_urdf = Elsewhere(READER)
    from_mjcf = Elsewhere(READER)
    from_xml = Elsewhere(READER)
    from_file = Elsewhere(READER)
    load = Elsewhere(READER)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if System in cls.__bases__:  # a kind of system, not somebody's own class of one
            reserve_names(cls)

    # ---- what every kind states itself

    if TYPE_CHECKING:

        @property
        def name(self) -> str: ...
        @property
        def nq(self) -> int: ...
        @property
        def nv(self) -> int: ...
        @property
        def coordinate_names(self) -> tuple[str, ...]: ...
        @property
        def coordinate_units(self) -> tuple[str, ...]: ...
        @property
        def body_names(self) -> tuple[str, ...]: ...
        @property
        def frame_names(self) -> tuple[str, ...]: ...
        @property
        def joint_names(self) -> tuple[str, ...]: ...
        @property
        def motion_names(self) -> tuple[str, ...]: ...
        @property
        def joint_slices(self) -> dict[str, tuple[slice, slice]]: ...
        @property
        def quaternions(self) -> tuple[tuple[str, int], ...]: ...
        @property
        def parameters(self) -> Mapping[str, float]: ...
        @property
        def parameter_names(self) -> tuple[str, ...]: ...
        @property
        def passive(self) -> tuple[str, ...]: ...
        @property
        def notes(self) -> tuple[str, ...]: ...
        @property
        def is_symbolic(self) -> bool: ...
        @property
        def numeric(self) -> Any: ...
        def q(
            self, positions: Mapping[str, Any] | None = None, /, **by_name: Any
        ) -> FloatArray: ...
        def neutral(self) -> FloatArray: ...
        def integrate(self, q: Scalars, step: Scalars) -> Array: ...
        def difference(self, q0: Scalars, q1: Scalars) -> Array: ...
        def without_dissipation(self) -> System: ...
        def without_constraints(self) -> System: ...

        # modules of the equations that serve this kind
        def _input_equations(self) -> ModuleType: ...
        def _constraint_equations(self) -> ModuleType: ...
        def _passivity_equations(self) -> ModuleType: ...

    else:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name in dir(type(self)) or not vars(self):
                return object.__getattribute__(self, name)  # its own error
            row = FUNCTIONS.get(name)
            if row is None and name not in MODEL_ALONE:
                raise LateError(self._missing_attribute, name)
            if row is not None and row.about:  # a row added later
                return partial(self.function_of_frame, name)
            if row is not None and getattr(row, self.stated):
                return self.function(name)
            is_energy = row is not None and row.energies
            column, kind = (ENERGIES, "Lagrangian") if is_energy else (BODIES, "Model")
            raise AttributeError(
                f"{name} needs {column}: {self.name!r} is stated by its {self.stated}; "
                f"a {kind} has it"
            )

    def _missing_attribute(self, name: str) -> tuple[str, str]:
        """What is said of an attribute that it does not have, and the line that has it."""
        situation = "Constrained" if self.held_by else ""
        return missing_attribute(self, name, situation, self._part_called(name), self._call_of)

    def _part_called(self, name: str) -> str:
        """Where a part of the system is that is called so, "" if none is."""
        return f"parameters[{name!r}]" if name in self.parameters else ""

    def _call_of(self, name: str) -> str:
        """A quantity with its inputs, mass_matrix(q); other attributes as they are."""
        row = FUNCTIONS.get(name)
        if row is None:
            return name
        frame = f"({['tool', *self.frame_names][-1]!r})" if row.about else ""
        return f"{name}{frame}({', '.join(self._input_equations().inputs(self, row))})"

    def _repr_html_(self) -> str:
        from visviva.show.cards.card import card

        return card(self)

    # ---- names and sizes

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """What the entries of v are called, (nv,): thetad of theta, qd1 of q1."""
        return tuple(map(velocity_name, self.coordinate_names))

    @property
    def velocity_units(self) -> tuple[str, ...]:
        """Units of v (nv,)."""
        return tuple(x and f"{x}/s" for x in self.coordinate_units)

    @property
    def held_by(self) -> tuple[str, ...]:
        """The constraints and closed loops whose forces act besides τ, each in words."""
        return ()

    @property
    def loops(self) -> tuple[Loop, ...]:
        """The constraints that join two frames; a Lagrangian has none."""
        return ()

    @property
    def lower(self) -> FloatArray:
        """Lower limits of q (nq,), -inf where there is none."""
        return np.full(self.nq, -np.inf)

    @property
    def upper(self) -> FloatArray:
        """Upper limits of q (nq,), inf where there is none."""
        return np.full(self.nq, np.inf)

    @property
    def velocity_limits(self) -> FloatArray:
        """Largest speeds (nv,), inf where there is no limit."""
        return np.full(self.nv, np.inf)

    @property
    def effort_limits(self) -> FloatArray:
        """Largest joint forces and torques (nv,), inf where there is no limit."""
        return np.full(self.nv, np.inf)

    @property
    def dry_friction(self) -> FloatArray:
        """Forces that dry friction can hold at rest (nv,); zero of a Lagrangian, whose b has it."""
        return np.zeros(self.nv)

    @property
    def limited_actuators(self) -> tuple[Actuator, ...]:
        """Actuators with limits; a Lagrangian has a matrix T without any."""
        return ()

    @property
    def charts(self) -> Mapping[str, Callable[[Any], Any]]:
        """For inputs whose entries depend on each other, the matrix from velocities to changes."""
        return {}

    # ---- quantities: written by tools/quantities_code.py from quantities.py

    @cached_property
    def inverse_dynamics(self) -> Function:
        """Forces τ = M a + C v + g + b for accelerations a.

        A Lagrangian with `forces` Q has M a + C v + g + b - Q. Forces of constraints are not
        counted, which is told once; `actuator_forces` is what motors exert.

        A function of q, v, a.
        """
        return self.function("inverse_dynamics")

    @cached_property
    def forward_dynamics(self) -> Function:
        """Accelerations a under forces τ: M a + C v + g + b = τ + Aᵀ λ.

        Constraints hold: A a + β = 0.

        A function of q, v, tau.
        """
        return self.function("forward_dynamics")

    @cached_property
    def free_acceleration(self) -> Function:
        """Accelerations a as if no constraint held: M a + C v + g + b = τ.

        A function of q, v, tau.
        """
        return self.function("free_acceleration")

    @cached_property
    def step(self) -> Function[tuple[FloatArray, FloatArray]]:
        """State after dt seconds under forces τ that are held.

        It is semi-implicit; function("step", method=, substeps=, controls=, clip=) has others.
        Constraints hold at its end, as in `simulate` with dt=.

        A function of q, v, tau, dt.
        """
        step: Function[Any] = self.function("step")
        return step

    @cached_property
    def mass_matrix(self) -> Function:
        """M = ∂²L/∂v², the mass matrix, symmetric. A function of q."""
        return self.function("mass_matrix")

    @cached_property
    def mass_matrix_inverse(self) -> Function:
        """M⁻¹, the inverse of the mass matrix. A function of q."""
        return self.function("mass_matrix_inverse")

    @cached_property
    def coriolis_matrix(self) -> Function:
        """C, with C v + g + b the bias forces.

        Ṁ - 2C is skew-symmetric unless M depends on time.

        A function of q, v.
        """
        return self.function("coriolis_matrix")

    @cached_property
    def coriolis_transpose_product(self) -> Function:
        """Cᵀ v, computed without C. A function of q, v."""
        return self.function("coriolis_transpose_product")

    @cached_property
    def christoffel(self) -> Function:
        """Γ[i, j, k], the Christoffel symbols of the first kind. A function of q."""
        return self.function("christoffel")

    @cached_property
    def gravity_forces(self) -> Function:
        """g = ∂V/∂q, the forces of gravity and springs. A function of q."""
        return self.function("gravity_forces")

    @cached_property
    def dissipation_forces(self) -> Function:
        """b, the forces of friction and dampers.

        A Lagrangian has ∂D/∂v, or b as it is stated.

        A function of q, v.
        """
        return self.function("dissipation_forces")

    @cached_property
    def bias_forces(self) -> Function:
        """C v + g + b, the forces that keep all accelerations zero.

        A Lagrangian with `forces` Q has C v + g + b - Q.

        A function of q, v.
        """
        return self.function("bias_forces")

    @cached_property
    def kinetic_energy(self) -> Function:
        """½ vᵀ M v, the kinetic energy.

        A Lagrangian has the kinetic co-energy as it is stated.

        A function of q, v.
        """
        return self.function("kinetic_energy")

    @cached_property
    def potential_energy(self) -> Function:
        """V, the potential energy of gravity and springs.

        A Lagrangian has V as it is stated.

        A function of q.
        """
        return self.function("potential_energy")

    @cached_property
    def actuator_map(self) -> Function:
        """T in u = T f, from forces f of actuators to forces u on coordinates. A function of q."""
        return self.function("actuator_map")

    @cached_property
    def constraint_error(self) -> Function:
        """φ(q, t), by how much constraints on positions are violated. A function of q."""
        return self.function("constraint_error")

    @cached_property
    def constraint_velocity(self) -> Function:
        """A v + a₀, by how much constraints on velocities are violated. A function of q, v."""
        return self.function("constraint_velocity")

    @cached_property
    def constraint_matrix(self) -> Function:
        """A (k, n), one row for each constraint on velocities. A function of q."""
        return self.function("constraint_matrix")

    @cached_property
    def constraint_drift(self) -> Function:
        """a₀(q, t) in A v + a₀ = 0, of constraints that move with time. A function of q."""
        return self.function("constraint_drift")

    @cached_property
    def constraint_bias(self) -> Function:
        """β = Ȧ v + ȧ₀ in A a + β = 0. A function of q, v."""
        return self.function("constraint_bias")

    @cached_property
    def multipliers(self) -> Function:
        """λ, the Lagrange multipliers: M a + C v + g + b = τ + Aᵀ λ.

        They have the least norm where constraints are redundant.

        A function of q, v, tau.
        """
        return self.function("multipliers")

    @cached_property
    def constraint_forces(self) -> Function:
        """Aᵀ λ, the forces of constraints on the coordinates. A function of q, v, tau."""
        return self.function("constraint_forces")

    @cached_property
    def constraint_power(self) -> Function:
        """-λ · a₀, the power of constraints that move with time. A function of q, v, tau."""
        return self.function("constraint_power")

    @cached_property
    def projection(self) -> Function:
        """P = 1 - M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁻¹ A, the part of a motion that constraints allow.

        A function of q.
        """
        return self.function("projection")

    @cached_property
    def force_projection(self) -> Function:
        """P_u = Pᵀ, the part of forces that does work; constraints resist the rest.

        A function of q.
        """
        return self.function("force_projection")

    @cached_property
    def admitted_velocity(self) -> Function:
        """v⁺ with A v⁺ + a₀ = 0, the velocity after an impulse of the constraints.

        A function of q, v.
        """
        return self.function("admitted_velocity")

    @cached_property
    def constraint_impulses(self) -> Function:
        """Λ with M (v⁺ - v) = Aᵀ Λ, the impulses of the constraints, one for each row.

        A function of q, v.
        """
        return self.function("constraint_impulses")

    @cached_property
    def actuator_forces(self) -> Function:
        """f with M a + C v + g + b = T f + Aᵀ λ for some λ, the smallest such f.

        Where there is none, the f that comes nearest; displacements(q).T @ (inverse_dynamics(q, v,
        a) - actuator_map(q) @ f) is what is missing. At a dead point of the motors none holds the
        mechanism, and `statics` refuses. The third input is a; reactions(q, v, tau) takes tau =
        actuator_map(q) @ f.  Without stated actuators every joint has a motor: of a linkage name
        those that have none first, with_passive([…]).

        A function of q, v, a.
        """
        return self.function("actuator_forces")

    # ---- end of quantities

    # ---- functions with other inputs

    def function(
        self,
        name: str,
        *,
        inputs: Sequence[str] | None = None,
        parameters: Sequence[str] = (),
        wrenches: Sequence[str] | Mapping[str, str] = (),
        method: str | None = None,
        substeps: int | None = None,
        controls: bool = False,
        clip: bool = False,
    ) -> Function:
        """A quantity by its name, with more inputs than it has as an attribute.

        `parameters`: numbers of the model that become an input `parameters`, in this order, instead
        of being folded into the code; `parameter_names` lists them. `wrenches`: frames at whose
        origins wrenches (moment, force) act on the mechanism, in the frames' own axes; a mapping
        from frames to "world" or "body" says otherwise. They are the rows of an input `wrenches`.
        `inputs` lists the wanted inputs in order; "parameters" among them keeps all parameters.

        A "step" is by a `method` of `simulate` that is explicit, "semi-implicit" or "rk4", in so
        many `substeps`; with `controls` it takes forces u of the actuators in the place of tau,
        which `clip` brings between their limits; the function's `help` says which these are.
        """
        if isinstance(name, str) and name in FUNCTIONS and FUNCTIONS[name].is_unconstrained:
            self._refuse_constraints(name)
        from visviva.machine import systems

        options = {"method": method, "substeps": substeps}
        options |= {"controls": controls or None, "clip": clip or None}
        return systems.verb(self, name, inputs, parameters, wrenches, **options)

    def function_of_frame(
        self, name: str, frame: str, reference: str = "world", point: ArrayLike | None = None
    ) -> Function[Any]:
        """A quantity about a frame by name; the point is in the frame's coordinates."""
        key = (name, frame, reference)
        functions: dict[Any, Function[Any]] = self.__dict__.setdefault("_functions_of_frames", {})
        is_plain = point is None and type(frame) is type(reference) is str
        if is_plain and key in functions:
            return functions[key]
        from visviva.machine import systems

        new = systems.frame_verb(self, name, frame, reference, point)
        if is_plain:
            functions[key] = new
        return new

    def reaction(self, joint: str, reference: str = "world") -> Function:
        """q, v, tau -> (moment, force) that a joint exerts on its body, or a loop on its frame 2.

        It acts at the origin of that frame, in "world" axes or, as `reactions`, in its own, "body".
        A constraint that is a formula has no line of action, and is refused.
        """
        from visviva.machine import systems

        return systems.reaction(self, joint, reference)

    def weighted_actuator_forces(self, weights: ArrayLike) -> Function:
        """q, v, a -> the `actuator_forces` f with the least Σ w f², for one weight w each."""
        from visviva.machine import systems

        return systems.weighted_actuator_forces(self, weights)

    def displacements(self, q: ArrayLike, t: float = 0.0) -> FloatArray:
        """Virtual displacements δq that constraints allow: an orthonormal basis, as columns."""
        from visviva.machine import systems

        return systems.displacements(self, q, t)

    # ---- motion

    def simulate(
        self,
        q0: ArrayLike,
        v0: ArrayLike | None = None,
        t: ArrayLike | None = None,
        *,
        tau: ArrayLike | Callable[..., Any] | Controller | None = None,
        u: ArrayLike | Callable[..., Any] | Controller | None = None,
        method: str = "auto",
        rtol: float = 1e-9,
        atol: float = 1e-12,
        dt: float | None = None,
        save: int = 1,
        parameters: Mapping[str, Any] | None = None,
        threads: int = 1,
        record: str | os.PathLike[str] | None = None,
        events: Event
        | Callable[..., Any]
        | Sequence[Event | Callable[..., Any]]
        | Mapping[str, Event | Callable[..., Any]]
        | None = None,
    ) -> Trajectory:
        """The motion from q0 (nq,) and v0 (nv,), or of N starts (N, …); times in seconds.

        `v0`: zero where it is not given. `t`: a duration, a pair (from, to), or the times wanted.
        `tau`: joint forces: numbers (nv,); rows (steps, nv), each held for a step; either of them
        with N in front, for N starts; a function of (t, q, v); or a `vv.Controller`. `u`: the same
        for the actuators.
        `method`: "auto", or a method of adaptive steps: "dopri5", "dop853", "radau", "lsoda", whose
        errors `rtol` and `atol` bound. With `dt` steps are that long: "semi-implicit", "midpoint",
        "variational", "rk4", "dopri5", "dop853"; one in `save` of them is kept.
        `parameters`: values by name, numbers or (N,). `threads`: how many share a batch.
        `record`: a path where the run is written as it goes; the same call resumes it.
        `events`: functions of (t, q, v) whose zeros are wanted, or `vv.Event`; a list, or by names.
        """
        from visviva.motion.simulation import simulate

        if t is None:
            raise ArgumentError("a motion takes a time: simulate(q0, v0, 5.0), or from rest t=5.0")
        v0 = np.zeros(self.nv) if v0 is None else v0
        return simulate.simulate(
            self,
            q0,
            v0,
            t,
            tau=tau,
            u=u,
            method=method,
            rtol=rtol,
            atol=atol,
            dt=dt,
            save=save,
            parameters=parameters,
            threads=threads,
            record=record,
            events=events,
        )

    def velocities(
        self,
        q: ArrayLike,
        values: Mapping[str, Any] | None = None,
        /,
        t: float = 0.0,
        **joints: Any,
    ) -> FloatArray:
        """v (nv,) at q that the constraints admit, with some velocities stated, by name.

        `linkage.velocities(q, crank=6.0)`, or a mapping. The others are as near to zero, by their
        energy, as can be; what constraints cannot admit is refused.
        """
        from visviva.solve import assembly

        by_joint = by_names("velocities", values, joints) if joints else values or {}
        return assembly.velocities(self, q, by_joint, t)

    def with_stops(self, restitution: float | Mapping[str, float | None] | None = 0.0) -> Self:
        """With limits of position that stop joints in motions; otherwise these hold nothing.

        `restitution`: of a velocity against a stop what comes back, 0 (it stays there) to 1 (no
        energy is lost): a number for all joints that have limits, or a mapping from names of
        joints, `arm.with_stops({"elbow": 0.3})`, the others as they are. None takes stops away.
        Joints that follow others, and those whose velocities are no rates, have none.

        Examples:
            >>> import visviva as vv
            >>> b = vv.Builder("ball")
            >>> _ = b.body("ball", joint="prismatic", axis="z", limits=(0.0, 9.0), mass=1.0)
            >>> run = b.build().with_stops(0.5).simulate([1.0], [0.0], 10.0)
            >>> run.q[-1], run.v[-1], run.contact[-1]
            (array([0.]), array([0.]), array([9.81]))
        """
        from visviva.describe.stops import with_stops

        return with_stops(self, restitution)

    def with_bristles(
        self,
        laws: Mapping[str, LuGre],
        tau: ArrayLike | Callable[..., Any] | Controller | None = None,
    ) -> Controller:
        """Forces of LuGre's friction in joints, for `tau=` of `simulate`, which carries their z.

        `laws`: a `LuGre` by the name of a joint; bristles are at ease at first. `tau`: what acts
        besides, numbers, a function of (t, q, v) or a `vv.Controller` without a period.

        Examples:
            >>> import visviva as vv
            >>> b = vv.Builder("block", gravity=(0.0, 0.0, 0.0))
            >>> _ = b.body("block", joint="prismatic", axis="x", mass=1.0)
            >>> s, law = b.build(), vv.LuGre(1.0, stiffness=1e4, damping=300.0)
            >>> pushed = s.with_bristles({"block_joint": law}, tau=[0.5])
            >>> s.simulate([0.0], [0.0], 1.0, tau=pushed).q[-1].round(8)  # it gives way, and stays
            array([6.931e-05])
        """
        from visviva.motion.steps import bristles

        return bristles.with_bristles(self, laws, tau)

    def feasibility(
        self,
        path: Trajectory | Callable[..., Any],
        t: ArrayLike | None = None,
        *,
        velocity: ArrayLike | None = None,
        effort: ArrayLike | None = None,
    ) -> Feasibility:
        """Whether a trajectory keeps the limits of position, velocity and effort.

        `path`: a `Trajectory`, or a function of time that returns q, written with `vv.generic`, for
        a duration or a pair `t`; inverse dynamics tells its forces. Limits are the model's own, of
        its actuators if it has such, or `velocity` and `effort` (nv,). Joints that nothing drives
        take no effort.
        """
        from visviva.motion import feasibility

        return feasibility.feasibility(self, path, t, velocity=velocity, effort=effort)

    def sensitivities(
        self,
        q0: ArrayLike,
        v0: ArrayLike,
        t: ArrayLike,
        *,
        wrt: str | Sequence[str] = ("q0", "v0"),
        tau: ArrayLike | Callable[..., Any] | Controller | None = None,
        u: ArrayLike | Callable[..., Any] | Controller | None = None,
        method: str = "auto",
        rtol: float = 1e-9,
        atol: float = 1e-12,
        dt: float | None = None,
        save: int = 1,
        parameters: Mapping[str, Any] | None = None,
        threads: int = 1,
        events: Any = None,
    ) -> Sensitivities:
        """∂(q, v)/∂ what `wrt` names, at all samples of the motion that `simulate` would give.

        `wrt`: "q0", "v0", "tau" or "u" (forces given as numbers), names of parameters. Derivatives
        are exactly those of the steps. Changes of q and q0 are velocities (nv,) for a unit of time.

        Examples:
            >>> from visviva.describe import catalog
            >>> cart = catalog.cart_pole()
            >>> hanging = cart.sensitivities([0.0, 0.0], [0.0, 0.0], 1.0, wrt=("v0", "m"), dt=0.1)
            >>> hanging.q["v0"].shape, hanging.v["m"].shape
            ((11, 2, 2), (11, 2))
        """
        from visviva.motion.sensitivities import forward

        return forward.sensitivities(
            self,
            q0,
            v0,
            t,
            wrt=wrt,
            tau=tau,
            u=u,
            method=method,
            rtol=rtol,
            atol=atol,
            dt=dt,
            save=save,
            parameters=parameters,
            threads=threads,
            events=events,
        )

    def gradient(
        self,
        cost: Callable[..., Any] | tuple[ArrayLike, ArrayLike],
        q0: ArrayLike,
        v0: ArrayLike,
        t: ArrayLike,
        *,
        wrt: str | Sequence[str] = ("q0", "v0"),
        running: Callable[..., Any] | None = None,
        tau: ArrayLike | Callable[..., Any] | Controller | None = None,
        u: ArrayLike | Callable[..., Any] | Controller | None = None,
        method: str = "auto",
        rtol: float = 1e-9,
        atol: float = 1e-12,
        dt: float | None = None,
        save: int = 1,
        parameters: Mapping[str, Any] | None = None,
        threads: int = 1,
        events: Any = None,
    ) -> Gradient:
        """∂cost/∂ what `wrt` names, in one sweep backward, however many numbers that is.

        `cost`: a function of the final (q, v) over the generic scalar, or (∂cost/∂q, ∂cost/∂v) as
        numbers, (nv,) at the end or (k, nv) at all samples. `running`: a function of (t, q, v) or
        (t, q, v, tau), whose sum over steps of length dt, times dt, is added.
        """
        from visviva.motion.sensitivities import adjoint

        return adjoint.gradient(
            self,
            cost,
            q0,
            v0,
            t,
            wrt=wrt,
            running=running,
            tau=tau,
            u=u,
            method=method,
            rtol=rtol,
            atol=atol,
            dt=dt,
            save=save,
            parameters=parameters,
            threads=threads,
            events=events,
        )

    # ---- rest and stability

    def equilibria(
        self,
        v: ArrayLike | None = None,
        *,
        tau: ArrayLike | None = None,
        within: Mapping[str, tuple[float, float]] | None = None,
        t: float = 0.0,
        starts: int = 200,
        parameters: Mapping[str, float] | None = None,
        wrenches: Mapping[str, ArrayLike] | None = None,
    ) -> Equilibria:
        """Positions at which nothing accelerates: at rest, or in steady motion with velocities v.

        `tau`: constant forces. Where up to four coordinates are unknown, each an angle or within
        limits or `within` = {name: (low, high)}, it is proved that these are all; otherwise, and
        where constraints hold the system, they are those that random `starts` led to. `wrenches`
        maps frames of a model to (moment, force) on it, which stay as they are in world axes.
        """
        from visviva.motion.stability import equilibria

        return equilibria.equilibria(
            self,
            v,
            tau=tau,
            within=within,
            t=t,
            starts=starts,
            parameters=parameters,
            wrenches=wrenches,
        )

    def linearize(
        self,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        *,
        tau: ArrayLike | None = None,
        t: float = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Linearization:
        """The linear system about an equilibrium q, or a steady motion with velocities v.

        `tau`: constant forces (nv,), or "hold", those of its actuators that it takes to rest here;
        of a linkage that many of them hold the smallest, with a note. A state that changes by
        itself is refused with what accelerates.
        """
        from visviva.motion.stability import about

        return about.linearize(self, q, v, tau=tau, t=t, parameters=parameters)

    def stability_limit(
        self,
        parameter: str,
        between: tuple[float, float],
        q: ArrayLike | Callable[[float], Any] | None = None,
        v: ArrayLike | Callable[[float], Any] | None = None,
        *,
        tau: ArrayLike | None = None,
        t: float = 0.0,
    ) -> StabilityLimit:
        """The value of a parameter at which small motions begin to grow, or stop growing.

        q and v: the equilibrium, or functions of the parameter's value; q is followed where it
        moves with the parameter. If it ends in a fold first, as at a snap-through, that value is
        the limit, of `kind` "fold"; where it jumps or leaves limits, that is the error.
        """
        from visviva.motion.stability import limits

        return limits.stability_limit(self, parameter, between, q, v, tau=tau, t=t)

    # ---- least action

    def action(
        self,
        path: Trajectory | Callable[..., Any],
        t: float | tuple[float, float] | None = None,
        *,
        along: Callable[..., Any] | None = None,
    ) -> Action:
        """S = ∫ (T - V) dt along a path, and its first and second variation.

        `path`: a function of time that returns q, written with `vv.generic`, for a duration or a
        pair `t`; or a `Trajectory`. `along`: the variation η, likewise: derivatives by ε of the
        action of q + ε η.
        """
        from visviva.motion.action import variation

        return variation.action(self, path, t, along)

    def least_action(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        t: float | tuple[float, float],
        *,
        steps: int = 200,
        guess: ArrayLike | Callable[[float], Any] | None = None,
    ) -> ActionPath:
        """The true path between two positions in a time: where the action is stationary.

        `guess`: positions (steps + 1, nq) to begin with, or a function of the share of the time.
        """
        from visviva.motion.action import stationary

        return stationary.least_action(self, q0, q1, t, steps=steps, guess=guess)

    def conjugate_times(self, q0: ArrayLike, v0: ArrayLike, t: float) -> FloatArray:
        """Times up to t at which motions from q0 with slightly other velocities meet again.

        After the first of them the action of the path is no minimum any more.
        """
        from visviva.motion.action import conjugate

        return conjugate.conjugate_times(self, q0, v0, t)

    def maupertuis(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        energy: float,
        *,
        steps: int = 200,
        guess: ArrayLike | Callable[[float], Any] | None = None,
    ) -> ActionPath:
        """The true path between two positions at an energy: where ∫ p · dq is stationary."""
        from visviva.motion.action import stationary

        return stationary.maupertuis(self, q0, q1, energy, steps=steps, guess=guess)

    # ---- constraints

    def assembled(
        self,
        q: ArrayLike | Mapping[str, Any] | None = None,
        t: float = 0.0,
        *,
        fixed: Mapping[str, Any] | None = None,
        **joints: Any,
    ) -> FloatArray:
        """The position near q where the constraints hold.

        Without q it starts from the keyframe "assembled" of a model, if it has one, else neutral.
        Joints are held at values by name: `assembled(crank=0.3)`, or `fixed={"crank": 0.3}`. Where
        it cannot be closed the error says which row is left open, and has the best position.
        """
        from visviva.solve import assembly

        return assembly.assembled(self, q, t, assembly.held(self, fixed, joints))

    def assemblies(
        self,
        t: float | Mapping[str, Any] = 0.0,
        *,
        fixed: Mapping[str, Any] | None = None,
        starts: int = 100,
        **joints: Any,
    ) -> Assemblies:
        """The positions in which it can be put together, some joints held as in `assembled`.

        With up to three unknown angles these are proved to be all, or none; else they were found
        from so many random `starts`; of six sliding legs `vv.parallel.assembly_modes` has all.
        """
        from visviva.solve import assembly, modes

        return modes.assemblies(self, t, assembly.held(self, fixed, joints), starts)

    def tracked(self, q0: ArrayLike, joint: str, values: ArrayLike, t: float = 0.0) -> FloatArray:
        """Positions (number of values, nq) along an input, on the branch on which q0 is.

        Where the input cannot go further, the error names the turning point.
        """
        from visviva.solve import tracking

        return tracking.tracked(self, q0, joint, values, t)

    def check_state(self, q: ArrayLike, v: ArrayLike | None = None, t: float = 0.0) -> None:
        """Refuse a state that violates the constraints, with the residuals and the way to mend it.

        `assembled(q)` mends positions, `admitted_velocity(q, v)` or `velocities(q, …)` velocities.
        """
        from visviva.solve import assembly

        assembly.check_state(self, q, v, t)

    def mobility(self, q: ArrayLike | None = None, t: float = 0.0) -> Mobility:
        """Degrees of freedom at q (or assembled): as counted, as they are, and how certain."""
        from visviva.solve import mobility

        return mobility.mobility(self, q, t)

    # ---- equations on paper

    def as_lagrangian(self, symbols: Sequence[str] | None = None) -> Lagrangian:
        """The same system stated by its energies; `symbols` as in `closed_form`.

        What a model has and no energy says is refused: joints whose velocities are no rates.
        """
        raise NotImplementedError

    def in_coordinates(
        self, new: Any, relations: Mapping[Any, Any], angles: Iterable[str] = ()
    ) -> Lagrangian:
        """The same system in other coordinates, q = φ(q′, t), given as {q: φ}.

        L is carried over; forces become Q′ = (∂φ/∂q′)ᵀ Q, since work does not change. Coordinates
        without a relation stay. There may be fewer new ones: the system is then held to φ by forces
        that do no work. Of a `Model` it is what follows for its energies.

        Examples:
            >>> from visviva.describe import catalog
            >>> absolute = catalog.two_link().in_coordinates("phi1 phi2", {"q1": "phi1",
            ...                                              "q2": "phi2 - phi1"})
            >>> absolute.closed_form().mass_matrix[0, 1]
            L1*m2*r2*cos(phi1 - phi2)
        """
        from visviva.describe.energies.carrying import carried

        energies = self.as_lagrangian()
        return energies._changed(**carried(energies, new, relations, angles))

    def in_velocities(self, new: Any, relations: Mapping[Any, Any]) -> QuasiVelocityForm:
        """The equations of motion in other velocities u, v = B(q) u, given as {v: B u}.

        Velocities without a relation stay. There may be fewer new ones: the system is then held to
        v = B u by forces that do no work, and constraints that all of them fulfil have no λ.

        Examples:
            >>> from visviva.describe import catalog
            >>> blade = catalog.knife_edge().in_velocities("speed qd3",
            ...     {"qd1": "speed*cos(q3)", "qd2": "speed*sin(q3)"})
            >>> blade.mass_matrix
            Matrix([
            [m, 0],
            [0, I]])
        """
        from visviva.judge.closed.quasi import QuasiVelocityForm

        return QuasiVelocityForm(self, new, relations)

    def closed_form(self, symbols: Sequence[str] | None = None) -> ClosedForm:
        """M, C, Γ, g, b, energies and equations in textbook form, as SymPy objects.

        `symbols` names the parameters that stay symbols, all of them if it is None.
        """
        from visviva.judge.closed import closed_form

        return closed_form.closed_form(self, symbols)

    def derivation(
        self, method: str = "lagrange", symbols: Sequence[str] | None = None, frame: str = ""
    ) -> Derivation:
        """The way to the equations, step by step, every line checked.

        `method`: "lagrange", "newton-euler", "d-alembert" or "virtual-work"; of chains "jacobian"
        and "statics", about the tip or `frame`; of what is held "multipliers" or "projection".
        """
        from visviva.judge.derive import derivation

        return derivation.derivation(self, method, symbols, frame)

    def check(
        self,
        claim: Any,
        *,
        of: str = "",
        symbols: Mapping[str, str] | None = None,
        shorthand: bool = False,
        frame: str = "",
        assume: str = "",
    ) -> Verdict:
        """Whether a typed equation is true of this system; if not, which term is wrong.

        `claim`: a text, plain or LaTeX, a SymPy expression, matrix or equation, a list of these, or
        a mapping from left sides. Left sides say what it is about: tau1 (or u1, Q1), M, C, g,
        Gamma, their entries M12, T, V, L, E, J, x; `of` says it where none is written. Statements
        may define names that others use. `symbols` maps names in the claim to those of the system;
        others are matched by letter and index where there is one way to do so. With `shorthand`,
        c12 is cos(q1 + q2). `frame`: whose pose or Jacobian, or which body's inertia.
        `assume`: generalized forces that are zero, "tau2 = 0"; what a claim leaves out and nothing
        says is zero is a condition, and the verdict then "identical if".

        Examples:
            >>> from visviva.describe import catalog
            >>> verdict = catalog.polar_point().check("tau1 = m r^2 theta''")
            >>> verdict.status, verdict.missing
            ('differs', 2*m*r*rd*thetad)
        """
        from visviva.judge.check import check

        return check.check(self, claim, of, symbols, shorthand, frame, assume)

    def crosscheck(self) -> Crosscheck:
        """Several ways to the equations, compared: proved equal, or to how many digits."""
        from visviva.judge.roads import crosscheck

        return crosscheck.crosscheck(self)

    # ---- parameters

    def parameter_values(self, names: Sequence[str]) -> FloatArray:
        """The values of these parameters."""
        values: FloatArray = self._input_equations().parameter_values(self, names)
        return values

    # ---- pictures

    def plot(
        self,
        q: ArrayLike | Mapping[str, Any] | None = None,
        *,
        t: float = 0.0,
        show: Sequence[str] | None = None,
    ) -> Figure:
        """The mechanism at a position, as a plotly figure: flat if it moves in a plane.

        `q`: numbers, or values by names; without it where its picture begins. `t` matters where its
        points depend on the time. `show`: what is seen at first, words of the legend as "links",
        "joints", "inertia", "frames", "names"; the others appear when the legend is clicked.

        Examples:
            >>> import visviva as vv
            >>> fig = vv.catalog.rp_arm().plot([0.5, 0.6])
            >>> fig.layout.title.text
            'rp_arm: q₁ = 0.5, q₂ = 0.6'
        """
        from visviva.show.figures import mechanism

        return mechanism.mechanism_figure(self, q, t, show)

    def picture(
        self,
        q: ArrayLike | Mapping[str, Any] | None = None,
        *,
        t: float = 0.0,
        show: Sequence[str] | None = None,
        towards: ArrayLike | None = None,
    ) -> Still:
        """The mechanism at a position as a vector picture: `.save("arm.svg")`, or `.svg`, its text.

        `q`, `t` and `show` are those of `plot`; what `show` does not name is left out. `towards`:
        the direction (x, y, z) from the mechanism to who looks at it; without it what moves in a
        plane is seen along its normal, everything else from one side.

        Examples:
            >>> import visviva as vv
            >>> vv.catalog.rp_arm().picture([0.5, 0.6]).svg[:4]
            '<svg'
        """
        from visviva.show.figures import still

        return still.still(self, q, t, show, towards)

    def show(
        self,
        q: ArrayLike | Mapping[str, Any] | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
    ) -> View:
        """The mechanism in a page of its own, to be turned, and moved by sliders.

        A notebook shows it in place; elsewhere it is written to a temporary file, which a browser
        opens if there is one, and its path is printed. With `path` it is written there, and nothing
        opens. It needs no network.
        """
        from visviva.show.figures import view

        return view.mechanism_view(self, q).shown(path)

    def view(
        self,
        *others: System | Trajectory,
        q: ArrayLike | Mapping[str, Any] | None = None,
        **options: Any,
    ) -> LiveView:
        """Live in the browser: moved by sliders, pulled by a hand, dragged at its tip.

        `others`, systems or trajectories, stand beside it. The address is printed, and is that of
        this machine alone; `host`, `port`, `token`, `dark` and `files`, names that tell those of
        one name apart, are options. It lives until `.close()`, or `.wait()` until Ctrl-C. Needs
        `pip install "visviva[view]"`.
        """
        from visviva.show.live import view

        return view.live_view((self, *others), q, **options)

    def study(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        q: ArrayLike | Mapping[str, Any] | None = None,
        claims: Any = None,
        source: str = "",
        patience: float = 1.0,
    ) -> Study:
        """All that is known of it on one page: picture, laboratory, equations, proofs, motion.

        `path`: where the page is written, `.html`; without it `.save(path)` writes it. `q`: where
        it is shown and let go, numbers or values by names; else where its picture begins.
        `claims`: equations to be judged, as texts, by labels, or a file of them. `source`: the file
        it was read from, for the lines that say how to get everything again. `patience`: how many
        times as long as usual a section may take before it is left out, with a note.
        """
        from visviva.show.study import study

        page = study.study(self, claims, source=source, patience=patience, q=q)
        if path is not None:
            page.save(path)
        return page

    # ---- what a system is not

    def __call__(self, *args: Any, **keywords: Any) -> NoReturn:
        """Refused: a system is no function."""
        raise ArgumentError(
            f"a {type(self).__name__} is no function; its formulas are model.closed_form(), its "
            "accelerations model.forward_dynamics(q, v, tau); model.symbolic, without brackets, is "
            "a model with its parameters as symbols"
        )

    def __getitem__(self, key: Any) -> NoReturn:
        """Refused: parts of a system are in its own lists."""
        is_frame = isinstance(key, str) and key in {*self.frame_names} - {*self.body_names}
        part = "frames" if is_frame else "bodies"
        line = f"model.{part}[{key!r}]" if self.body_names else "model.coordinate_names"
        raise ArgumentError(f"a {type(self).__name__} is no list", cure=line)

    def __contains__(self, name: object) -> bool:
        """Refused: names of which parts?"""
        names = "frame_names" if self.body_names else "coordinate_names"
        line = f"{name!r} in model.{names}"
        raise ArgumentError(f"a {type(self).__name__} is no list", cure=line)

    def __len__(self) -> int:
        """Refused: of what?"""
        line = "len(model.bodies), model.nq or model.nv" if self.body_names else "model.nq"
        raise ArgumentError(f"a {type(self).__name__} is no list", cure=line)

    def __bool__(self) -> bool:
        return True  # of what has a length that is refused

    # ---- inside

    def _refuse_constraints(self, name: str, hint: str = TO_OPEN) -> None:
        """Refuse what would have to honour constraints, with the way to the open system."""
        if constraints := self.held_by:
            others = f" and {len(constraints) - 1} more" if len(constraints) > 1 else ""
            raise ConstrainedError(
                f"{name} of {self.name!r} would have to honour its constraints "
                f"({constraints[0]}{others}){hint}"
            )

    def _classification(self) -> Classification:
        """What kind of constraints it has."""
        from visviva.equations.integrability.kinds import classification

        return classification(self)
