"""The doorway from what a mechanism is to what is true of it.

`System` is the base of everything that has equations of motion. Each verb names the function that
states it ("module:function" in `visviva.equations`); it is looked up, traced and compiled on first
use, and then it is a plain attribute.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast, overload

from visviva.describe.others import not_there
from visviva.errors import ArgumentError

if TYPE_CHECKING:
    from visviva.equations.forces.actuators import Actuation
    from visviva.equations.forces.reactions import NewtonEulerTable
    from visviva.equations.parameters.base import BaseParameters
    from visviva.judge.check.verdict import Verdict
    from visviva.judge.closed.closed_form import ClosedForm
    from visviva.judge.derive.derivation import Derivation
    from visviva.judge.roads.crosscheck import Crosscheck
    from visviva.machine.function import Function

# what constraint forces enter: without them it would be that of another system
HELD = ("forward_dynamics", "mass_matrix_inverse", "reaction_wrenches")


class ConstrainedError(ArgumentError, AttributeError):
    """A system is held by constraints, and what was asked does not honour them."""


@dataclass(eq=False)
class Verb:
    """One result: where it is stated, what it depends on, and what it is called."""

    where: str
    inputs: str
    output: str
    doc: str
    name: str = ""
    slope: str = ""  # where its derivatives are stated, if they are shorter than those of its graph

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, system: None, owner: type) -> Callable[..., Any]: ...
    @overload
    def __get__(self, system: System, owner: type) -> Function: ...
    def __get__(self, system: System | None, owner: type) -> Callable[..., Any] | Function:
        return self.described() if system is None else system.function(self.name)

    def described(self) -> Callable[..., Any]:
        """What `help` shows: the verb as a method that can be called."""

        def method(self_: System, *args: Any, **named: Any) -> Any:
            return self_.function(self.name)(*args, **named)

        method.__name__ = method.__qualname__ = self.name
        method.__doc__ = f"{self.doc} A compiled function of {self.inputs.replace(' ', ', ')}."
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        names = ("self", *self.inputs.split())
        signature = inspect.Signature([inspect.Parameter(name, kind) for name in names])
        cast(Any, method).__signature__ = signature
        return method


# what is about one frame: `System` has a method for each, which takes the frame
ABOUT_FRAMES = {
    "pose": Verb("frames.kinematics:pose", "q", "X", ""),
    "jacobian": Verb("frames.kinematics:jacobian", "q", "J", ""),
    "jacobian_rate": Verb("frames.kinematics:jacobian_rate", "q v", "dJ", ""),
    "velocity": Verb("frames.kinematics:velocity", "q v", "V", ""),
    "acceleration": Verb("frames.kinematics:acceleration", "q v a", "A", ""),
    "kinematics": Verb("frames.kinematics:kinematics", "q", "X J", ""),
    "generalized_force": Verb("forces.forces:generalized_force", "q wrench", "Q", ""),
}


class System:
    """Equations of motion M a + C v + g + b = τ, as functions that are compiled on first use.

    Arrays q, v, a, tau may have leading axes; they are a batch. `f.jacobian("q")` differentiates
    along motions: where velocities are not the rates of q, its columns are still those of v.
    """

    inverse_dynamics = Verb(
        "dynamics:inverse_dynamics",
        "q v a",
        "tau",
        "τ = M a + C v + g + b.",
        slope="derivatives:inverse_rule",
    )
    forward_dynamics = Verb(
        "forward:forward_dynamics",
        "q v tau",
        "a",
        "a with M a + … = τ.",
        slope="derivatives:forward_rule",
    )
    mass_matrix = Verb("dynamics:mass_matrix", "q", "M", "M(q), symmetric.")
    mass_matrix_inverse = Verb("forward:mass_matrix_inverse", "q", "W", "M(q)⁻¹.")
    coriolis_matrix = Verb("coriolis:coriolis_matrix", "q v", "C", "C(q, v): Ṁ - 2C is skew.")
    coriolis_transpose_product = Verb(
        "coriolis:coriolis_transpose_product", "q v", "Ctv", "C(q, v)ᵀ v, without C."
    )
    christoffel = Verb("coriolis:christoffel", "q", "gamma", "Γ[i, j, k], of the first kind.")
    gravity_forces = Verb("dynamics:gravity_forces", "q", "g", "g = ∂V/∂q, springs included.")
    bias_forces = Verb("dynamics:bias_forces", "q v", "bias", "C v + g + b.")
    dissipation_forces = Verb(
        "forces.forces:dissipation_forces", "q v", "b", "Viscous and Coulomb friction, dampers."
    )
    kinetic_energy = Verb("energy:kinetic_energy", "q v", "K", "½ vᵀ M v.")
    potential_energy = Verb("energy:potential_energy", "q", "V", "Of gravity and springs.")
    momentum = Verb(
        "energy:momentum", "q v", "h", "Moment of momentum about the world's origin; momentum."
    )
    centroidal_momentum = Verb(
        "energy:centroidal_momentum", "q v", "h", "The same about the centre of mass."
    )
    centroidal_matrix = Verb(
        "energy:centroidal_matrix", "q", "A", "The matrix from v to the centroidal momentum."
    )
    center_of_mass = Verb("energy:center_of_mass", "q", "c", "Of all bodies that move.")
    center_of_mass_jacobian = Verb(
        "energy:center_of_mass_jacobian", "q", "J", "The matrix from v to its velocity."
    )
    regressor = Verb(
        "parameters.regressor:regressor", "q v a", "Y", "τ = Y θ, θ the `regressor_parameters`."
    )
    reaction_wrenches = Verb(
        "forces.reactions:reaction_wrenches",
        "q v a",
        "F",
        "What each joint exerts on its body: (moment, force) at its frame, in its axes.",
    )
    actuator_map = Verb("forces.actuators:actuator_map", "q", "T", "T with u = T f.")
    external_forces = Verb(
        "forces.forces:wrench_forces", "q", "Q", "Σ Jᵀ w, of `function(…, wrenches=…)`."
    )
    poses = Verb("frames.kinematics:poses", "q", "X", "4 × 4 matrices of all frames.")

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
        """The values that the model has for these parameters."""
        from visviva.equations.parameters import parameters

        return parameters.parameter_values(self, names)

    if not TYPE_CHECKING:  # type checkers shall see what is not there

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or hasattr(type(self), name):
                return object.__getattribute__(self, name)  # its own error, of the attribute's own
            raise AttributeError(not_there(self, name))

    @property
    def held_by(self) -> tuple[str, ...]:
        """The constraints and closed loops whose forces act beside τ, each in words."""
        return ()

    def _refuse_constraints(self: Any, asked: str) -> None:
        """Refuse what would have to honour constraints, with the way to the open system."""
        if held := self.held_by:
            more = f" and {len(held) - 1} more" if len(held) > 1 else ""
            raise ConstrainedError(
                f"{asked} of {self.name!r} would have to honour its constraints ({held[0]}{more}), "
                "which is not done yet; without_constraints() gives the open system, which has it. "
                "inverse_dynamics, M, C, g and energies do not depend on them: "
                "M a + C v + g + b = τ + Aᵀ λ"
            )

    @property
    def charts(self) -> Mapping[str, Callable[[Any], Any]]:
        """For inputs that cannot change freely, the matrix from motions to their changes."""
        return {}

    def pose(self, frame: str) -> Function:
        """q -> the 4 × 4 pose of a frame in the world."""
        return self._about_frame("pose", frame)

    def jacobian(self, frame: str, reference: str = "world", point: Any = None) -> Function:
        """q -> the 6 × n matrix from v to the twist (ω, v) of a frame.

        `reference`: "world" has the velocity of the frame's origin (or of `point`, in the frame's
        coordinates) in world axes; "body" the same in the frame's own axes; "space" the velocity of
        the body's point at the world's origin.
        """
        return self._about_frame("jacobian", frame, reference, point)

    def jacobian_rate(self, frame: str, reference: str = "world", point: Any = None) -> Function:
        """q, v -> the time derivative of the Jacobian."""
        return self._about_frame("jacobian_rate", frame, reference, point)

    def velocity(self, frame: str, reference: str = "world", point: Any = None) -> Function:
        """q, v -> the twist (ω, v) of a frame."""
        return self._about_frame("velocity", frame, reference, point)

    def acceleration(self, frame: str, reference: str = "world", point: Any = None) -> Function:
        """q, v, a -> how the components of `velocity` change; in world axes ω̇ and p̈."""
        return self._about_frame("acceleration", frame, reference, point)

    def kinematics(self, frame: str, reference: str = "world", point: Any = None) -> Function:
        """q -> pose and Jacobian of a frame, together."""
        return self._about_frame("kinematics", frame, reference, point)

    def closed_form(self: Any, symbols: Sequence[str] | None = None) -> ClosedForm:
        """M, C, Γ, g, b, energies and equations in textbook form, as SymPy objects.

        `symbols` names the parameters that stay symbols, all of them if it is None.
        """
        from visviva.judge.closed import closed_form

        return closed_form.closed_form(self, symbols)

    def derivation(
        self: Any, method: str = "lagrange", symbols: Sequence[str] | None = None
    ) -> Derivation:
        """The way to the equations, step by step, every line checked.

        `method`: "lagrange", "newton-euler", "d-alembert" or "virtual-work".
        """
        from visviva.judge.derive import derivation

        return derivation.derivation(self, method, symbols)

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

    def generalized_force(
        self, frame: str, reference: str = "world", point: Any = None
    ) -> Function:
        """q, wrench -> Jᵀ w: what (moment, force) on a frame, or on a point of it, does."""
        return self._about_frame("generalized_force", frame, reference, point)

    def _found_out(self: Any) -> tuple[str, ...]:
        """What is to be noted of a system that is stated by energies."""
        from visviva.equations.lagrange import evaluation

        return evaluation.notes(self)

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
        if name in HELD:
            self._refuse_constraints(name)
        from visviva.machine import systems

        return systems.verb(self, name, inputs, parameters, wrenches)

    def _about_frame(self, *request: Any) -> Function:
        from visviva.machine import systems

        return systems.frame_verb(self, *request)
