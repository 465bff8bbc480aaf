"""What can be asked of a system that is stated by its energies."""

from __future__ import annotations

from typing import Any, cast

from visviva.describe.model.idle import ALWAYS
from visviva.describe.system import System, Verb


class Absent:
    """A verb of bodies, which energies alone do not answer."""

    name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, system: Any, owner: type) -> Any:
        if system is None:
            return self
        raise AttributeError(
            f"{self.name} needs bodies: {system.name!r} is stated by its energies; a Model has it"
        )


class Notes:
    """The notes of a system stated by energies: those it was given, and what its energies lack.

    That M is singular everywhere is found out when the notes are asked for, and belongs to these
    energies alone: a system that is made from this one does not take it over.
    """

    def __get__(self, system: Any, owner: type) -> Any:
        if system is None:
            return ()  # the default of the field
        if "_found" not in system.__dict__:
            system.__dict__["_found"] = system._found_out()
        return (*given_notes(system), *system.__dict__["_found"])

    def __set__(self, system: Any, notes: Any) -> None:
        system.__dict__["notes"] = tuple(x for x in notes if not x.startswith(ALWAYS))


def given_notes(system: Any) -> tuple[str, ...]:
    """Those that were stated, without looking for others."""
    return cast("tuple[str, ...]", system.__dict__["notes"])


class ByEnergies(System):
    """The verbs of Lagrange's equation; those of bodies are refused, with the reason."""

    stated_in = "lagrange.evaluation"  # the module that knows inputs and parameters of its verbs
    frame_names = ()
    is_symbolic = False  # a missing value is reported by the function that needs it

    inverse_dynamics = Verb(
        "lagrange.evaluation:inverse_dynamics", "q v a", "tau", "d/dt ∂L/∂v - ∂L/∂q + b - Q."
    )
    forward_dynamics = Verb(
        "lagrange.evaluation:forward_dynamics", "q v tau", "a", "a with M a + … = τ."
    )
    mass_matrix = Verb("lagrange.evaluation:mass_matrix", "q", "M", "M = ∂²L/∂v², symmetric.")
    mass_matrix_inverse = Verb("lagrange.evaluation:mass_matrix_inverse", "q", "W", "M⁻¹.")
    coriolis_matrix = Verb(
        "lagrange.evaluation:coriolis_matrix",
        "q v",
        "C",
        "C v + g = d/dt ∂L/∂v - ∂L/∂q - M a; Ṁ - 2C is skew unless M depends on time.",
    )
    coriolis_transpose_product = Verb(
        "lagrange.evaluation:coriolis_transpose_product", "q v", "Ctv", "Cᵀ v."
    )
    christoffel = Verb(
        "lagrange.evaluation:christoffel", "q", "gamma", "Γ[i, j, k], of the first kind."
    )
    gravity_forces = Verb(
        "lagrange.evaluation:gravity_forces",
        "q",
        "g",
        "What is left at rest: ∂V/∂q if the system is natural.",
    )
    bias_forces = Verb("lagrange.evaluation:bias_forces", "q v", "bias", "C v + g + b - Q.")
    dissipation_forces = Verb(
        "lagrange.evaluation:dissipation_forces", "q v", "b", "∂D/∂v, or b as given."
    )
    applied_forces = Verb("lagrange.evaluation:applied_forces", "q", "Q", "What `forces` do.")
    kinetic_energy = Verb(
        "lagrange.evaluation:kinetic_energy", "q v", "K", "The kinetic co-energy."
    )
    potential_energy = Verb("lagrange.evaluation:potential_energy", "q", "V", "The potential.")
    generalized_momentum = Verb(
        "lagrange.evaluation:generalized_momentum", "q v", "p", "p = ∂L/∂v."
    )
    jacobi_integral = Verb(
        "lagrange.evaluation:jacobi_integral",
        "q v",
        "h",
        "v · ∂L/∂v - L: the energy, if it is natural.",
    )
    actuator_map = Verb("lagrange.evaluation:actuator_map", "q", "T", "T with u = T f.")

    momentum = Absent()
    centroidal_momentum = Absent()
    centroidal_matrix = Absent()
    center_of_mass = Absent()
    center_of_mass_jacobian = Absent()
    regressor = Absent()
    reaction_wrenches = Absent()
    external_forces = Absent()
    poses = Absent()
    body_poses = Absent()
    frame_pose = Absent()
    mass = Absent()
    bodies = Absent()
    frames = Absent()
