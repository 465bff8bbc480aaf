"""The doorway from what a mechanism is to what is true of it.

`System` is the base of everything that has equations of motion. What it can be asked is in
the table of quantities; each is traced and compiled on first use, and then a plain attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from visviva.describe.answers import Answer, take_names
from visviva.describe.moving import Moving
from visviva.describe.others import TO_OPEN, not_there
from visviva.describe.picturing import Picturing
from visviva.describe.quantities import BODIES, ENERGIES, FUNCTIONS
from visviva.errors import ConstrainedError
from visviva.hints import words_of_others
from visviva.notation.names import velocity_name

if TYPE_CHECKING:
    from visviva.equations.forces.actuators import Actuation
    from visviva.equations.forces.reactions import NewtonEulerTable
    from visviva.equations.integrability.classification import Classification
    from visviva.equations.lagrange.reduction import Reduction
    from visviva.equations.parameters.base import BaseParameters
    from visviva.judge.check.verdict import Verdict
    from visviva.judge.closed.closed_form import ClosedForm
    from visviva.judge.derive.derivation import Derivation
    from visviva.judge.roads.crosscheck import Crosscheck
    from visviva.machine.function import Function
    from visviva.solve.mobility import Mobility
    from visviva.solve.modes import Assemblies

PARTS = ("bodies", "frames", "frame_pose", "body_poses", "mass")  # of a model, besides quantities


class System(Moving, Picturing):
    """Equations of motion M a + C v + g + b = τ, as functions that are compiled on first use.

    Arrays q, v, a, tau may have leading axes; they are a batch. `f.jacobian("q")` differentiates
    along motions: where velocities are not the rates of q, its columns are still those of v.
    """

    stated: ClassVar[str]  # how: the column of the table of quantities that has its functions
    inputs_home: ClassVar[str]  # the module of the equations that knows its inputs and parameters
    rows_home: ClassVar[str]  # the one that knows the rows of its constraints
    giving_home: ClassVar[str]  # the one that knows whether its forces can give energy

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        if System in cls.__bases__:  # a kind of system, not somebody's own class of one
            take_names(cls)

    @property
    def regressor_names(self: Any) -> tuple[str, ...]:
        """Names of θ's entries: moments by body, then armature, damping, friction by joint."""
        from visviva.equations.parameters.regressor import regressor_names

        return regressor_names(self)

    @property
    def regressor_parameters(self: Any) -> Any:
        """θ: what the regressor multiplies, with the values of this model."""
        from visviva.equations.parameters.regressor import regressor_parameters

        return regressor_parameters(self.numeric)

    def regressor_columns(self, columns: Sequence[int]) -> Function:
        """q, v, a -> some columns of the regressor only."""
        from visviva.machine import systems

        return systems.asked(self, systems.Request("regressor", columns=tuple(columns)))

    def base_parameters(
        self: Any, include: str | Sequence[str] = ("armature", "damping", "friction")
    ) -> BaseParameters:
        """The combinations of θ that joint forces show; `include` says which joint parameters."""
        from visviva.equations.parameters.base import base_parameters

        return base_parameters(self, include)

    @property
    def parameter_names(self: Any) -> tuple[str, ...]:
        """What `function(…, parameters=…)` can keep as inputs, by default."""
        from visviva.equations.parameters import parameters

        return parameters.parameter_names(self)

    def parameter_values(self: Any, names: Sequence[str]) -> Any:
        """The values that the system has for these parameters."""
        return import_module(f"visviva.equations.{self.inputs_home}").parameter_values(self, names)

    if not TYPE_CHECKING:  # type checkers shall see what is not there

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name in dir(type(self)):
                return object.__getattribute__(self, name)  # its own error, of the attribute's own
            row = FUNCTIONS.get(name)
            if row is None and name not in PARTS:
                raise AttributeError(not_there(self, name))
            if row is None or not (row.about or getattr(row, self.stated)):
                needed, kind = (
                    (ENERGIES, "Lagrangian") if row and row.energies else (BODIES, "Model")
                )
                raise AttributeError(
                    f"{name} needs {needed}: {self.name!r} is stated by its {self.stated}; "
                    f"a {kind} has it"
                )
            # frames there are none of; rows that came later
            return Answer(row).__get__(self, type(self))

    @property
    def motion_names(self: Any) -> tuple[str, ...]:
        """What sentences call the velocities, one by one."""
        return tuple(self.coordinates)

    @property
    def coordinate_names(self: Any) -> tuple[str, ...]:
        """What the entries of q are called, (nq,)."""
        return tuple(self.coordinates)

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """What the entries of v are called, (nv,): thetad of theta, qd1 of q1."""
        return tuple(map(velocity_name, self.coordinate_names))

    @property
    def coordinate_units(self: Any) -> tuple[str, ...]:
        """Units of q (nq,): "rad", "m", "1" of quaternions; "" where nothing states one."""
        return tuple("rad" if x in self.angles else "" for x in self.coordinates)

    @property
    def velocity_units(self) -> tuple[str, ...]:
        """Units of v (nv,)."""
        return tuple(x and f"{x}/s" for x in self.coordinate_units)

    @property
    def held_by(self) -> tuple[str, ...]:
        """The constraints and closed loops whose forces act beside τ, each in words."""
        return ()

    def _refuse_constraints(self: Any, asked: str, way: str = TO_OPEN) -> None:
        """Refuse what would have to honour constraints, with the way to the open system."""
        if held := self.held_by:
            more = f" and {len(held) - 1} more" if len(held) > 1 else ""
            said = f"{asked} of {self.name!r} would have to honour its constraints"
            raise ConstrainedError(f"{said} ({held[0]}{more}){way}")

    @property
    def loops(self) -> tuple[Any, ...]:
        """Joints that close what others join already; energies say nothing of joints."""
        return ()

    @property
    def lower(self: Any) -> Any:
        """Lower limits of q; where nothing is said of them, there are none."""
        return np.full(self.nq, -np.inf)

    @property
    def upper(self: Any) -> Any:
        """Upper limits of q."""
        return np.full(self.nq, np.inf)

    @property
    def velocity_limits(self: Any) -> Any:
        """Of v (nv,)."""
        return np.full(self.nv, np.inf)

    @property
    def effort_limits(self: Any) -> Any:
        """Of τ (nv,)."""
        return np.full(self.nv, np.inf)

    @property
    def dry_friction(self: Any) -> Any:
        """What dry friction can hold at rest, by velocity (nv,); 0 of energies, which have b."""
        return np.zeros(self.nv)

    def _friction_of_joints(self: Any) -> Any:
        from visviva.equations.forces import forces

        return np.asarray(forces.static_friction(self.numeric), dtype=float)

    @property
    def limited_actuators(self: Any) -> tuple[Any, ...]:
        """Actuators with limits of their own; energies have a matrix T alone."""
        return ()

    @property
    def charts(self) -> Mapping[str, Callable[[Any], Any]]:
        """For inputs that cannot change freely, the matrix from motions to their changes."""
        return {}

    @words_of_others("model.closed_form")
    def closed_form(self: Any, symbols: Sequence[str] | None = None) -> ClosedForm:
        """M, C, Γ, g, b, energies and equations in textbook form, as SymPy objects.

        `symbols` names the parameters that stay symbols, all of them if it is None.
        """
        from visviva.judge.closed import closed_form

        return closed_form.closed_form(self, symbols)

    @words_of_others("model.derivation")
    def derivation(
        self: Any, method: str = "lagrange", symbols: Sequence[str] | None = None, frame: str = ""
    ) -> Derivation:
        """The way to the equations, step by step, every line checked.

        `method`: "lagrange", "newton-euler", "d-alembert" or "virtual-work"; of chains "jacobian"
        and "statics", about the tip or `frame`; of what is held "multipliers" or "projection".
        """
        from visviva.judge.derive import derivation

        return derivation.derivation(self, method, symbols, frame)

    def check(
        self: Any,
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

    def crosscheck(self: Any) -> Crosscheck:
        """Several roads to the equations, compared: proved equal, or to how many digits."""
        from visviva.judge.roads import crosscheck

        return crosscheck.crosscheck(self)

    def assembled(
        self: Any, q: Any = None, t: float = 0.0, *, fixed: Any = None, **joints: Any
    ) -> Any:
        """The position near q where the constraints hold.

        Without q it starts from the keyframe "assembled" of a model, if it has one, else neutral.
        Joints are held at values by name: `assembled(crank=0.3)`, or `fixed={"crank": 0.3}`. Where
        it cannot be closed the error says which row is left open, and has the best position.
        """
        from visviva.solve import assembly

        return assembly.assembled(self, q, t, assembly.held(self, fixed, joints))

    def assemblies(
        self: Any, t: Any = 0.0, *, fixed: Any = None, starts: int = 100, **joints: Any
    ) -> Assemblies:
        """The positions in which it can be put together, while some joints are held as above.

        With up to three unknown angles these are proved to be all, or none; else they were found
        from so many random `starts`; of six sliding legs `vv.parallel.assembly_modes` has all.
        """
        from visviva.solve import assembly, modes

        return modes.assemblies(self, t, assembly.held(self, fixed, joints), starts)

    def tracked(self: Any, q0: Any, joint: str, values: Any, t: float = 0.0) -> Any:
        """Positions (number of values, nq) along an input, on the branch on which q0 is.

        Where the input cannot go further, the error names the turning point.
        """
        from visviva.solve import tracking

        return tracking.tracked(self, q0, joint, values, t)

    def check_state(self: Any, q: Any, v: Any = None, t: float = 0.0) -> None:
        """Refuse a state that violates the constraints, with the residuals and the way to mend it.

        `assembled(q)` mends positions, `admitted_velocity(q, v)` or `velocities(q, …)` velocities.
        """
        from visviva.solve import assembly

        assembly.check_state(self, q, v, t)

    def mobility(self: Any, q: Any = None, t: float = 0.0) -> Mobility:
        """In how many ways it moves at q (or assembled): counted, in truth, and how sure."""
        from visviva.solve import mobility

        return mobility.mobility(self, q, t)

    def _found_out(self: Any) -> tuple[str, ...]:
        """What is to be noted of a system that is stated by energies."""
        from visviva.equations.lagrange import evaluation

        return evaluation.notes(self)

    def _classification(self) -> Classification:
        """What kind of constraints it has."""
        from visviva.equations.integrability.kinds import classification

        return classification(self)

    def _reduction(
        self: Any, new: Any, relations: Mapping[Any, Any] | None, branch: int
    ) -> Reduction:
        """A system of energies in independent coordinates."""
        from visviva.equations.lagrange.reduction import reduction

        return reduction(self, new, relations, branch)

    def actuation(self, q: Any) -> Actuation:
        """What the actuators can do at a position: T and its rank, limits of u = T f, T⁻¹."""
        from visviva.equations.forces import actuators

        return actuators.actuation(cast(Any, self), q)

    def newton_euler_table(self, q: Any, v: Any, a: Any, wrenches: Any = ()) -> NewtonEulerTable:
        """Every vector of the recursion, outward and inward, for scalars of any kind."""
        self._refuse_constraints("newton_euler_table")
        from visviva.equations.forces import reactions

        return reactions.newton_euler_table(cast(Any, self), q, v, a, wrenches)

    def newton_euler_formulas(self) -> NewtonEulerTable:
        """The same in SymPy's symbols."""
        self._refuse_constraints("newton_euler_formulas")
        from visviva.equations.forces import reactions

        return reactions.newton_euler_formulas(cast(Any, self))

    def reaction(self: Any, joint: str, reference: str = "world") -> Function:
        """q, v, tau -> (moment, force) that a joint exerts on its body, or a loop on its frame 2.

        At the origin of that frame, in "world" axes, or in its own, "body", as `reactions` are.
        A constraint that is a formula has no line of action, and no row.
        """
        from visviva.machine import systems

        return systems.reaction(self, joint, reference)

    def weighted_actuator_forces(self: Any, weights: Any) -> Function:
        """q, v, a -> `actuator_forces` with the least Σ w f²: what costs much is used little."""
        from visviva.machine import systems

        return systems.weighted_actuator_forces(self, weights)

    def displacements(self: Any, q: Any, t: float = 0.0) -> Any:
        """Virtual displacements δq that constraints admit: an orthonormal basis, as columns."""
        from visviva.machine import systems

        return systems.displacements(self, q, t)

    @words_of_others("model.function", frame="model.pose(frame), or model.jacobian(frame)")
    def function(
        self,
        name: str,
        *,
        inputs: Sequence[str] | None = None,
        parameters: Sequence[str] = (),
        wrenches: Sequence[str] | Mapping[str, str] = (),
    ) -> Function:
        """A verb by name, perhaps with more inputs.

        `parameters`: numbers of the model that become an input `parameters`, in this order, instead
        of being folded into the code; `parameter_names` lists them. `wrenches`: frames at whose
        origins wrenches (moment, force) act on the mechanism, in the frames' own axes; a mapping
        from frames to "world" or "body" says otherwise. They are the rows of an input `wrenches`.
        `inputs` lists the wanted inputs in order; "parameters" among them keeps all parameters.
        """
        if isinstance(name, str) and name in FUNCTIONS and FUNCTIONS[name].is_held:
            self._refuse_constraints(name)
        from visviva.machine import systems

        return systems.verb(self, name, inputs, parameters, wrenches)

    def function_of_frame(
        self, name: str, frame: str, reference: str = "world", point: Any = None
    ) -> Function:
        """A quantity about a frame by name; the point is in the frame's coordinates."""
        from visviva.machine import systems

        return systems.frame_verb(self, name, frame, reference, point)
