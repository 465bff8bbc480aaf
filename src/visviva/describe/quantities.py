"""THE table of quantities: one row says all that any other file knows of a quantity of mechanics.

A row with a `name` is a compiled function of a system, `arm.mass_matrix`: tools/quantities_code.py
writes its method into `System`, `Model` or `Lagrangian`. One with an `exact` name is an attribute
of closed forms, and what a claim can be about. Most rows are both. The function that computes it is
named by a text, "module:function" in `visviva.equations`, which is imported when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from visviva.errors import ArgumentError, UnknownNameError, check_known

BODIES, ENERGIES = "bodies", "energies"  # the two ways to state a system; columns of the table


@dataclass(frozen=True)
class Quantity:
    """One row of the table."""

    # the compiled function
    name: str  # "mass_matrix"; empty if there is no such function
    symbol: str  # what its result is called: "M"
    inputs: str  # what it depends on, "q v"; those of a Lagrangian may have v and t as well
    doc: str  # one line of at most 80 characters; after an empty line, what else is to be known
    bodies: str = ""  # the function of a model, "dynamics:mass_matrix"; empty if there is none
    energies: str = ""  # the function of a Lagrangian
    parts: str = ""  # parts of a Lagrangian's equations that it needs: these may bring in v and t
    slope: str = ""  # the function of a model that has its derivatives, if it is not traced
    about: str = ""  # "frame" if it takes the name of one; "point" if a reference and a point too
    is_unconstrained: bool = False  # refused with constraints, whose forces it does not know
    advice: str = ""  # told once to who asks it of a system with constraints
    # the closed form, and claims
    exact: str = ""  # what closed forms and claims call it
    phrase: str = ""  # what a sentence calls it: "the mass matrix"
    of_rows: bool = False  # of constraints: a system without any has none
    in_fractions: bool = False  # its closed form has fractions of polynomials
    letters: tuple[str, ...] = ()  # what books write for it
    single: tuple[str, ...] = ()  # letters that mean its only entry, where there is one coordinate
    others: tuple[str, ...] = ()  # letters of other rows that mean it in other books
    is_clear: bool = False  # its letters with indices mean nothing else
    indices: str = ""  # a letter for each index: q of coordinates, x of axes, c of constraints
    needs_shape: bool = False  # one entry of it (V1, J11) could mean something else
    # its place in the equations of motion
    is_force: bool = False  # a force on the coordinates
    has_friction: bool = False  # friction is a part of it
    times: str = ""  # its factor in M a + C v + g + b = τ: a, v or 1
    sign: int = 0  # its sign in L = T - V
    seconds: int | None = None  # the power of the second in its unit

    def __post_init__(self) -> None:
        row = f"the row {self.name or self.exact!r} of quantities"
        for cell, words, choices in (
            ("input", self.inputs.split(), "q v a tau" if self.exact else "q v a tau wrench dt"),
            ("`about`", self.about.split(), "frame point"),
            ("index", self.indices, "q x c"),
            ("`times`", self.times.split(), "a v 1"),
        ):
            for word in words:
                check_known(f"{cell} in {row}:", word, choices.split())
        for address in (self.bodies, self.energies, self.slope):
            if address and not re.fullmatch(r"[\w.]+:\w+", address):
                raise ArgumentError(
                    f"{row}: a function is named by its module in visviva.equations, "
                    f"as 'energy:kinetic_energy'; got {address!r}"
                )
        for cell in ("letters", "single", "others"):
            if not isinstance(getattr(self, cell), tuple):
                problem = f"{row}: {cell} is a tuple of texts, as ('M', 'H')"
                raise ArgumentError(f"{problem}; got {getattr(self, cell)!r}")
        if bool(self.name) != bool(self.symbol) or bool(self.exact) != bool(self.phrase):
            raise ArgumentError(
                f"{row}: a compiled function has a name and a symbol, what is exact has an exact "
                f"name and a phrase; got name={self.name!r}, symbol={self.symbol!r}, "
                f"exact={self.exact!r}, phrase={self.phrase!r}"
            )

    @property
    def rank(self) -> int:
        """The number of its indices."""
        return len(self.indices)

    def slope_of(self, column: str) -> str:
        """The function that has the derivatives for systems of a column; empty if none has."""
        return {BODIES: self.slope}.get(column, "")


_JACOBIAN = """q -> the 6 × n matrix from v to the twist (ω, v) of a frame.

`reference`: "world" has the velocity of the frame's origin (or of `point`, in the frame's
coordinates) in world axes; "body" the same in the frame's own axes; "space" the velocity of
the body's point at the world's origin.
"""

# a table is read by its rows
# fmt: off
QUANTITIES = (
    Quantity("inverse_dynamics", "tau", "q v a",
             "Forces τ = M a + C v + g + b for accelerations a.\n\n"
             "A Lagrangian with `forces` Q has M a + C v + g + b - Q. Forces of constraints are "
             "not counted, which is told once; `actuator_forces` is what motors exert.",
             advice="the forces Aᵀ λ of constraints are not in it: what motors supply is "
                    "actuator_forces(q, v, a)",
             bodies="dynamics:inverse_dynamics",
             energies="lagrange.evaluation:inverse_dynamics",
             parts="mass_matrix drift dissipation forces", slope="derivatives:inverse_rule",
             exact="equations", phrase="the equations of motion", indices="q", is_force=True,
             has_friction=True, seconds=-2),
    Quantity("forward_dynamics", "a", "q v tau",
             "Accelerations a under forces τ: M a + C v + g + b = τ + Aᵀ λ.\n\n"
             "Constraints hold: A a + β = 0.",
             bodies="constraints.motion:forward_dynamics",
             energies="constraints.motion:forward_dynamics",
             parts="mass_matrix drift dissipation forces constraint_matrix constraint_bias",
             slope="constraints.slopes:acceleration_rule", exact="forward_dynamics",
             phrase="the accelerations under forces τ", indices="q", has_friction=True,
             in_fractions=True),
    Quantity("free_acceleration", "a", "q v tau",
             "Accelerations a as if no constraint held: M a + C v + g + b = τ.",
             bodies="forward:free_acceleration", energies="lagrange.evaluation:free_acceleration",
             parts="mass_matrix drift dissipation forces", slope="derivatives:forward_rule"),
    Quantity("step", "q v", "q v tau dt",
             "State after dt seconds under forces τ that are held.\n\n"
             "It is semi-implicit; function(\"step\", method=, substeps=, controls=, clip=) has "
             "others. Constraints hold at its end, as in `simulate` with dt=.",
             bodies="steps.step:step", energies="steps.step:step",
             parts="mass_matrix drift dissipation forces actuators constraint_matrix "
                   "constraint_bias constraint_drift constraint_error",
             slope="steps.slopes:step_rule"),
    Quantity("mass_matrix", "M", "q",
             "M = ∂²L/∂v², the mass matrix, symmetric.",
             bodies="dynamics:mass_matrix",
             energies="lagrange.evaluation:mass_matrix", parts="mass_matrix", exact="mass_matrix",
             phrase="the mass matrix", letters=("M", "H", "D", "B", "d", "b", "h"),
             single=("M", "B", "D"), indices="qq", is_clear=True, times="a", seconds=0),
    Quantity("mass_matrix_inverse", "W", "q",
             "M⁻¹, the inverse of the mass matrix.",
             bodies="forward:mass_matrix_inverse",
             energies="lagrange.evaluation:mass_matrix_inverse", parts="mass_matrix"),
    Quantity("coriolis_matrix", "C", "q v",
             "C, with C v + g + b the bias forces.\n\n"
             "Ṁ - 2C is skew-symmetric unless M depends on time.",
             bodies="coriolis:coriolis_matrix", energies="lagrange.evaluation:coriolis_matrix",
             parts="coriolis_matrix",
             exact="coriolis_matrix", phrase="the Coriolis matrix", letters=("C",),
             single=("C",), indices="qq", is_clear=True, times="v", seconds=-1),
    Quantity("coriolis_transpose_product", "Ctv", "q v", "Cᵀ v, computed without C.",
             bodies="coriolis:coriolis_transpose_product",
             energies="lagrange.evaluation:coriolis_transpose_product",
             parts="coriolis_transpose_product"),
    Quantity("christoffel", "gamma", "q", "Γ[i, j, k], the Christoffel symbols of the first kind.",
             bodies="coriolis:christoffel", energies="lagrange.evaluation:christoffel",
             parts="christoffel",
             exact="christoffel", phrase="the Christoffel symbols", letters=("Gamma",),
             indices="qqq", is_clear=True, seconds=0),
    Quantity("gravity_forces", "g", "q", "g = ∂V/∂q, the forces of gravity and springs.",
             bodies="dynamics:gravity_forces", energies="lagrange.evaluation:gravity_forces",
             parts="gravity",
             exact="gravity", phrase="the forces of gravity and springs",
             letters=("g", "G", "N"), single=("g", "G", "N"), indices="q",
             is_force=True, is_clear=True, times="1", seconds=-2),
    Quantity("", "", "q v",
             "C v, the Coriolis and centrifugal forces.",
             exact="velocity_forces", phrase="the velocity terms C v",
             letters=("h", "V", "v"), others=("b",), indices="q", needs_shape=True, is_force=True),
    Quantity("dissipation_forces", "b", "q v",
             "b, the forces of friction and dampers.\n\n"
             "A Lagrangian has ∂D/∂v, or b as it is stated.",
             bodies="forces.forces:dissipation_forces",
             energies="lagrange.evaluation:dissipation_forces", parts="dissipation",
             exact="dissipation",
             phrase="the dissipative forces", letters=("b", "d"), single=("b",), indices="q",
             is_force=True, has_friction=True, times="1"),
    Quantity("bias_forces", "bias", "q v",
             "C v + g + b, the forces that keep all accelerations zero.\n\n"
             "A Lagrangian with `forces` Q has C v + g + b - Q.",
             bodies="dynamics:bias_forces", energies="lagrange.evaluation:bias_forces",
             parts="drift dissipation forces",
             exact="bias_forces", phrase="the bias forces C v + g + b", others=("N", "h"),
             indices="q", is_force=True, has_friction=True),
    Quantity("", "", "q v",
             "g + b, the forces of gravity, springs and friction.",
             exact="gravity_and_friction",
             phrase="the forces of gravity, springs and friction", others=("N",), indices="q",
             is_force=True, has_friction=True),
    Quantity("applied_forces", "Q", "q", "Q, the generalized forces that `forces` states.",
             energies="lagrange.evaluation:applied_forces", parts="forces", exact="applied_forces",
             phrase="the forces Q that the system has itself", indices="q"),
    Quantity("generalized_momentum", "p", "q v", "p = ∂L/∂v, the generalized momenta.",
             energies="lagrange.evaluation:generalized_momentum", parts="momentum",
             exact="momenta",
             phrase="the momenta", letters=("p",), single=("p",), indices="q"),
    Quantity("kinetic_energy", "K", "q v",
             "½ vᵀ M v, the kinetic energy.\n\n"
             "A Lagrangian has the kinetic co-energy as it is stated.",
             bodies="energy:kinetic_energy", energies="lagrange.evaluation:kinetic_energy",
             parts="kinetic",
             exact="kinetic_energy", phrase="the kinetic energy",
             letters=("T", "K", "KE", "Ek", "Ekin", "Cstar"), sign=1),
    Quantity("potential_energy", "V", "q",
             "V, the potential energy of gravity and springs.\n\n"
             "A Lagrangian has V as it is stated.",
             bodies="energy:potential_energy", energies="lagrange.evaluation:potential_energy",
             parts="potential",
             exact="potential_energy", phrase="the potential energy",
             letters=("V", "U", "P", "PE", "Ep", "Epot"), others=("V",), sign=-1),
    Quantity("", "", "q v", "T - V.", exact="lagrangian", phrase="the Lagrangian",
             letters=("L",)),
    Quantity("", "", "q v", "T + V.", exact="energy", phrase="the energy", letters=("E",)),
    Quantity("jacobi_integral", "h", "q v",
             "v · ∂L/∂v - L: the energy, if the system is natural.",
             energies="lagrange.evaluation:jacobi_integral", parts="jacobi_integral",
             exact="hamiltonian",
             phrase="the Hamiltonian v · p - L", letters=("H",)),
    Quantity("momentum", "h", "q v",
             "Angular momentum about the world's origin, and linear momentum.",
             bodies="energy:momentum"),
    Quantity("centroidal_momentum", "h", "q v",
             "Angular momentum about the centre of mass, and linear momentum.",
             bodies="energy:centroidal_momentum"),
    Quantity("centroidal_matrix", "A", "q", "The matrix from v to the centroidal momentum.",
             bodies="energy:centroidal_matrix"),
    Quantity("center_of_mass", "c", "q",
             "The centre of mass of all bodies that move, in the world.",
             bodies="energy:center_of_mass"),
    Quantity("center_of_mass_jacobian", "J", "q",
             "The matrix from v to the velocity of the centre of mass.",
             bodies="energy:center_of_mass_jacobian"),
    Quantity("regressor", "Y", "q v a", "Y with τ = Y θ, where θ are the `regressor_parameters`.",
             bodies="parameters.regressor:regressor"),
    Quantity("reaction_wrenches", "F", "q v a",
             "(moment, force) of each joint on its body, at the joint's frame and in its axes.",
             bodies="forces.reactions:reaction_wrenches", is_unconstrained=True),
    Quantity("actuator_map", "T", "q",
             "T in u = T f, from forces f of actuators to forces u on coordinates.",
             bodies="forces.actuators:actuator_map",
             energies="lagrange.evaluation:actuator_map", parts="actuators"),
    Quantity("constraint_error", "phi", "q",
             "φ(q, t), by how much constraints on positions are violated.",
             bodies="constraints.rows:constraint_error",
             energies="lagrange.evaluation:constraint_error", parts="constraint_error"),
    Quantity("constraint_velocity", "r", "q v",
             "A v + a₀, by how much constraints on velocities are violated.",
             bodies="constraints.rows:constraint_velocity",
             energies="lagrange.evaluation:constraint_velocity",
             parts="constraint_matrix constraint_drift"),
    Quantity("constraint_matrix", "A", "q", "A (k, n), one row for each constraint on velocities.",
             bodies="constraints.rows:constraint_matrix",
             energies="lagrange.evaluation:constraint_matrix", parts="constraint_matrix",
             exact="constraint_matrix", phrase="the constraint matrix", letters=("A",),
             indices="cq", of_rows=True, in_fractions=True),
    Quantity("constraint_drift", "a0", "q",
             "a₀(q, t) in A v + a₀ = 0, of constraints that move with time.",
             bodies="constraints.rows:constraint_drift",
             energies="lagrange.evaluation:constraint_drift", parts="constraint_drift",
             exact="constraint_drift", phrase="the drift a0 of the constraints", indices="c",
             of_rows=True, in_fractions=True),
    Quantity("constraint_bias", "beta", "q v", "β = Ȧ v + ȧ₀ in A a + β = 0.",
             bodies="constraints.rows:constraint_bias",
             energies="lagrange.evaluation:constraint_bias", parts="constraint_bias",
             exact="constraint_bias", phrase="the bias of the differentiated constraints",
             letters=("beta",), indices="c", of_rows=True, in_fractions=True),
    Quantity("multipliers", "lam", "q v tau",
             "λ, the Lagrange multipliers: M a + C v + g + b = τ + Aᵀ λ.\n\n"
             "They have the least norm where constraints are redundant.",
             bodies="constraints.motion:multipliers",
             energies="constraints.motion:multipliers", slope="constraints.slopes:multipliers_rule",
             parts="mass_matrix drift dissipation forces constraint_matrix constraint_bias",
             exact="multipliers", phrase="the multipliers", letters=("lambda",), indices="c",
             has_friction=True, of_rows=True, in_fractions=True),
    Quantity("constraint_forces", "Qc", "q v tau",
             "Aᵀ λ, the forces of constraints on the coordinates.",
             bodies="constraints.motion:constraint_forces",
             energies="constraints.motion:constraint_forces",
             parts="mass_matrix drift dissipation forces constraint_matrix constraint_bias",
             exact="constraint_forces", phrase="the forces of the constraints", letters=("Qc",),
             indices="q", has_friction=True, of_rows=True, in_fractions=True),
    Quantity("constraint_power", "Pc", "q v tau",
             "-λ · a₀, the power of constraints that move with time.",
             bodies="constraints.motion:constraint_power",
             energies="constraints.motion:constraint_power",
             parts="mass_matrix drift dissipation forces constraint_matrix constraint_bias"
                   " constraint_drift"),
    Quantity("reactions", "F", "q v tau",
             "(moment, force) of joints on their bodies, and of loops on their second frames.\n\n"
             "Each is at the origin of that frame, in its axes. The third input is tau; where "
             "nothing is constrained, tau of known accelerations is inverse_dynamics(q, v, a). "
             "A constraint that is a formula has no line of action: its forces are in the rows "
             "of the joints that it couples.",
             bodies="constraints.reactions:reactions",
             parts="constraint_matrix constraint_bias"),
    Quantity("projection", "P", "q",
             "P = 1 - M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁻¹ A, the part of a motion that constraints allow.",
             bodies="constraints.motion:projection",
             energies="constraints.motion:projection",
             parts="mass_matrix constraint_matrix", exact="projection",
             phrase="the projection of motions", letters=("P",), indices="qq", of_rows=True,
             in_fractions=True),
    Quantity("force_projection", "Pu", "q",
             "P_u = Pᵀ, the part of forces that does work; constraints resist the rest.",
             bodies="constraints.motion:force_projection",
             energies="constraints.motion:force_projection",
             parts="mass_matrix constraint_matrix", exact="force_projection",
             phrase="the projection of forces", letters=("Pu",), indices="qq", of_rows=True,
             in_fractions=True),
    Quantity("", "", "q v a tau", "P_u (M a + h - τ), zero in every motion and free of λ.",
             exact="projected_equations", phrase="the projected equations", indices="q",
             has_friction=True, of_rows=True, in_fractions=True),
    Quantity("admitted_velocity", "v", "q v",
             "v⁺ with A v⁺ + a₀ = 0, the velocity after an impulse of the constraints.",
             bodies="constraints.motion:admitted_velocity",
             energies="constraints.motion:admitted_velocity",
             parts="mass_matrix constraint_matrix constraint_drift"),
    Quantity("constraint_impulses", "Lam", "q v",
             "Λ with M (v⁺ - v) = Aᵀ Λ, the impulses of the constraints, one for each row.",
             bodies="constraints.motion:constraint_impulses",
             energies="constraints.motion:constraint_impulses",
             parts="mass_matrix constraint_matrix constraint_drift"),
    Quantity("actuator_forces", "f", "q v a",
             "f with M a + C v + g + b = T f + Aᵀ λ for some λ, the smallest such f.\n\n"
             "Where there is none, the f that comes nearest; displacements(q).T @ "
             "(inverse_dynamics(q, v, a) - actuator_map(q) @ f) is what is missing. At a dead "
             "point of the motors none holds the mechanism, and `statics` refuses. The third "
             "input is a; reactions(q, v, tau) takes tau = actuator_map(q) @ f.\n\n"
             "Without stated actuators every joint has a motor: of a linkage name those that have "
             "none first, with_passive([…]).",
             bodies="constraints.motion:actuator_forces",
             energies="constraints.motion:actuator_forces",
             parts="mass_matrix drift dissipation forces actuators constraint_matrix"),
    Quantity("external_forces", "Q", "q",
             "Σ Jᵀ w, the forces of the wrenches of `function(…, wrenches=…)`.",
             bodies="forces.forces:wrench_forces"),
    Quantity("poses", "X", "q", "4 × 4 matrices of all frames in the world.",
             bodies="frames.kinematics:poses"),
    Quantity("jacobian", "J", "q", _JACOBIAN, bodies="frames.kinematics:jacobian",
             about="point", exact="jacobian", phrase="the Jacobian", letters=("J",), indices="xq",
             needs_shape=True),
    Quantity("pose", "X", "q", "q -> the 4 × 4 pose of a frame in the world.",
             bodies="frames.kinematics:pose", about="frame", exact="pose", phrase="the pose",
             letters=("X", "T", "A"), indices="xx"),
    Quantity("jacobian_rate", "dJ", "q v",
             "q, v -> the time derivative of the Jacobian of a frame.",
             bodies="frames.kinematics:jacobian_rate", about="point"),
    Quantity("velocity", "V", "q v", "q, v -> the twist (ω, v) of a frame.",
             bodies="frames.kinematics:velocity", about="point"),
    Quantity("acceleration", "A", "q v a",
             "q, v, a -> the rates of the components of `velocity`; in world axes (ω̇, p̈).",
             bodies="frames.kinematics:acceleration", about="point"),
    Quantity("kinematics", "X J", "q", "q -> pose and Jacobian of a frame, together.",
             bodies="frames.kinematics:kinematics", about="point"),
    Quantity("generalized_force", "Q", "q wrench",
             "q, wrench -> Jᵀ w, the forces of (moment, force) on a frame or a point of it.",
             bodies="forces.forces:generalized_force", about="point"),
    Quantity("", "", "q",
             "The rotation matrix of a frame in the world.",
             about="frame", exact="rotation",
             phrase="the rotation matrix", letters=("R",), indices="xx"),
    Quantity("", "", "q",
             "The position of a frame's origin in the world.",
             about="frame", exact="position",
             phrase="the position", letters=("p",), indices="x"),
    Quantity("", "", "",
             "The inertia tensor of a body about its centre of mass.",
             about="frame", exact="inertia",
             phrase="the inertia tensor", letters=("I",), indices="xx"),
)
# fmt: on

FUNCTIONS: dict[str, Quantity] = {}  # what can be compiled, by name
EXACT: dict[str, Quantity] = {}  # what has a closed form, by its exact name
KINDS: dict[str, Quantity] = {}  # what a claim can be about besides the equations of motion
TERMS = tuple(row for row in QUANTITIES if row.times)  # of M a + C v + g + b = τ
MASS_TERM = next(row for row in TERMS if row.times == "a")  # M
ENERGY_TERMS = tuple(row for row in QUANTITIES if row.sign)  # of L = T - V
BIAS_TERM = next(row for row in QUANTITIES if row.name == "bias_forces")  # h of M a + h = τ + Aᵀ λ
ROWS, DRIFT, ROW_BIAS = (  # A, a₀ and β of A v + a₀ = 0 and A a + β = 0
    next(row for row in QUANTITIES if row.name == name)
    for name in ("constraint_matrix", "constraint_drift", "constraint_bias")
)
WEIGHT_TERM = next(row for row in QUANTITIES if row.exact == "gravity")  # g
FRICTION_TERM = next(row for row in QUANTITIES if row.exact == "dissipation")  # b
APPLIED_TERM = next(row for row in QUANTITIES if row.name == "applied_forces")  # Q
FRAME_JACOBIAN = next(row for row in QUANTITIES if row.name == "jacobian")  # J of a frame
MULTIPLIERS = next(row for row in QUANTITIES if row.name == "multipliers")  # λ
SYSTEM_ATTRIBUTES: dict[str, str] = {}  # of systems, that are no quantities: of which class


def reserve_names(kind: type) -> None:
    """Keep the attributes of a kind of system from rows, and rows from its attributes."""
    bases = kind.__mro__[1:]
    for name in vars(kind).keys() & FUNCTIONS.keys():
        if any(name in vars(base) for base in bases):
            raise ArgumentError(
                f"a {kind.__name__} has an attribute {name!r}, which hides the row of quantities "
                "that is called so; one of them needs another name"
            )
    for c in kind.__mro__:
        for name in {*vars(c), *vars(c).get("__annotations__", ())} - FUNCTIONS.keys():
            SYSTEM_ATTRIBUTES.setdefault(name, kind.__name__)


def add(row: Quantity) -> None:
    """Enter a row into the indexes that everybody reads."""
    for index, key in ((FUNCTIONS, row.name), (EXACT, row.exact)):
        if key in index:
            raise ArgumentError(f"there is a row {key!r} of quantities already: {index[key].doc}")
    if row.name in SYSTEM_ATTRIBUTES:
        raise ArgumentError(
            f"the row {row.name!r} of quantities: a {SYSTEM_ATTRIBUTES[row.name]} has an attribute "
            "of this name, which would hide it; take another name"
        )
    for other in KINDS.values():
        shared = [x for x in row.letters if x in other.letters]
        if shared and (other.rank, bool(other.about)) == (row.rank, bool(row.about)):
            raise ArgumentError(
                f"the row {row.exact!r} of quantities: {', '.join(shared)} with {row.rank} indices "
                f"is {other.phrase} already, and a claim could not tell; take other letters than "
                f"{', '.join(other.letters)}, or name them in `others`"
            )
    if row.name:
        FUNCTIONS[row.name] = row
    if row.exact:
        EXACT[row.exact] = row
        if row.exact != "equations":
            KINDS[row.exact] = row


def function_at(address: str) -> Callable[..., Any]:
    """The function "module:name" of the equations: imported when it is asked for, or never."""
    module, _, name = address.partition(":")
    path = f"visviva.equations.{module}"
    try:
        home = import_module(path)
    except ModuleNotFoundError as error:
        if not path.startswith(str(error.name)):
            raise  # something that the module needs
        from pkgutil import walk_packages

        room = import_module("visviva.equations")
        modules = [x.name for x in walk_packages(room.__path__, "visviva.equations.")]
        raise UnknownNameError("module", path, modules) from None
    function: Callable[..., Any] | None = vars(home).get(name)
    if function is None:
        functions = [k for k, x in vars(home).items() if getattr(x, "__module__", "") == path]
        public = [k for k in functions if not k.startswith("_")]
        raise UnknownNameError(f"function of {path}", name, public)
    return function


for _row in QUANTITIES:
    add(_row)
