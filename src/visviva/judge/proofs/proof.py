"""`proof(name)`: general statements of mechanics, proved line by line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any

import sympy

from visviva.errors import ArgumentError, check_known
from visviva.judge.derive.derivation import abbreviations
from visviva.judge.derive.steps import Step, Written
from visviva.judge.proofs.coriolis import coriolis
from visviva.judge.proofs.euler_rates import euler_rates
from visviva.judge.proofs.koenig import koenig
from visviva.judge.proofs.moment_of_force import moment_of_force
from visviva.judge.proofs.paper import Paper
from visviva.judge.proofs.parallel_axes import parallel_axes
from visviva.judge.proofs.spatial_inertia import spatial_inertia
from visviva.progress import progress


@dataclass(frozen=True, repr=False)
class Proof(Written):
    """A statement and its proof, line by line.

    Every formula was read from the page as it is printed, and both sides of every line are the same
    polynomial, or matrix of polynomials, in the symbols of the proof; `checks` counts the
    comparisons. It has the documents of a derivation: `latex()`, `html()`, `markdown()`.
    """

    name: str
    title: str
    steps: tuple[Step, ...]
    checks: int
    paper: Paper
    exact: bool = True

    def _value(self, x: Any) -> Any:
        if isinstance(x, sympy.Basic):
            return x
        return self.paper.page.value(x)  # large ones take time: those that are asked for

    @property
    def statement(self) -> str:
        """What is proved."""
        return self.steps[0].sentence

    @property
    def conditions(self) -> str:
        """When it holds."""
        return self.steps[-1].sentence

    def __repr__(self) -> str:
        return f"<Proof of {self.name}: {self.summary}>"


@dataclass(frozen=True)
class Theorem:
    """A row: what is proved, by what, and when it holds."""

    title: str
    statement: str
    write: Callable[..., Paper]
    conditions: str


THEOREMS = {
    "parallel-axes": Theorem(
        "The theorem of parallel axes",
        "A body of mass m has its centre of mass C at (x_C, y_C, z_C), seen from A. Its moments of "
        "inertia about A and about C, in parallel axes, differ by m times a square of a distance: "
        "I_zz by m (x_C² + y_C²). Its products differ by m x_C y_C, subtracted where "
        "I_xy = −∫ x y dm and added where I_xy = ∫ x y dm.",
        parallel_axes,
        "This holds for every distribution of mass, as nothing was used of the integral but that "
        "it is linear. C has to be the centre of mass, and the axes have to be parallel.",
    ),
    "spatial-inertia": Theorem(
        "Spatial inertia and wrenches in another frame",
        "Two frames a and b are fixed in a body. Where V_b = A V_a holds for its twists, the "
        "spatial inertia is G_a = Aᵀ G_b A, and a wrench is F_a = Aᵀ F_b. The equation of motion "
        "has the same form in both.",
        spatial_inertia,
        "This holds for every body and for all frames that are fixed in it. Twists are written "
        "ω before v and wrenches moment before force; A is the adjoint of the pose of a in b.",
    ),
    "moment-of-force": Theorem(
        "The moment of a force",
        "The moment of the force on a mass point about a fixed point is the rate of its moment of "
        "momentum about that point. About a point A that moves, m v_A × v is added to the rate.",
        moment_of_force,
        "The mass is constant, and f is the rate of momentum in a frame that does not accelerate. "
        "The extra term is zero exactly where v_A and v are parallel or one of them is zero.",
    ),
    "koenig": Theorem(
        "König's theorems",
        "The kinetic energy of a rigid body is that of its mass at the centre of mass, and that of "
        "turning about it: T = ½ m v_C · v_C + ½ ωᵀ I_C ω. Its moment of momentum about a fixed "
        "point is m c × v_C + I_C ω.",
        koenig,
        "This holds for every distribution of mass. The body is rigid, C is its centre of mass and "
        "I_C is taken about it; about another point of the body the terms between do not vanish in "
        "general: they do where that point is at rest.",
    ),
    "euler-rates": Theorem(
        "Angular velocity from the rates of three angles",
        "A rotation is made of three turns about axes of the body. Its angular velocity is a "
        "matrix B times the rates of the angles, and the rates follow from it unless the second "
        "angle brings the first axis and the third into line.",
        euler_rates,
        "Each turn is about an axis that the turns before have moved. The rates exist for every ω "
        "exactly where the determinant is not zero.",
    ),
    "coriolis-matrix": Theorem(
        "The Coriolis matrix that makes Ṁ − 2C skew",
        "The forces of velocities do not change if their symbols are made symmetric in the two "
        "indices of velocities. With the matrix C of the symmetric symbols Ṁ − 2C is skew.",
        coriolis,
        "M is any symmetric matrix of functions of q that can be derived, and the velocities are "
        "the rates of q. A line holds for all values of its indices. It is checked for three "
        "coordinates: each term has three indices, so that with more of them nothing new occurs.",
    ),
}

# what else they are called
OTHER_NAMES = dict.fromkeys(
    ("steiner", "huygens", "huygens-steiner", "parallel axis"), "parallel-axes"
)
OTHER_NAMES |= dict.fromkeys(("skew", "skew-symmetry", "passivity"), "coriolis-matrix")
OTHER_NAMES |= {"könig": "koenig", "konig": "koenig", "varignon": "moment-of-force"}


class Proofs:
    """Proofs by name: `proof(name)`; `proof.names()` are those there are.

    Examples:
        >>> print(proof("parallel-axes").title)
        The theorem of parallel axes
    """

    def __call__(self, name: str = "", **options: Any) -> Proof:
        """The proof of a statement; `names()` tells which there are."""
        if not name:
            listed = ", ".join(map(repr, THEOREMS))
            raise ArgumentError(f"proof(name) proves one of {listed}", cure="vv.proof('koenig')")
        check_known("proof", name, THEOREMS, OTHER_NAMES)
        row = THEOREMS[name]
        known = signature(row.write).parameters
        if other := [x for x in options if x not in known]:
            takes = ", ".join(f"{x}=" for x in known) or "no option"
            raise ArgumentError(f"the proof of {name!r} takes {takes}, got {other[0]}=")
        with progress(f"proving {name}"):
            paper = row.write(**options)
            steps = (
                Step("Statement", row.statement),
                *abbreviations(paper.page),
                *paper.steps,
                Step("Which was to be proved", row.conditions),
            )
        return Proof(name, row.title, steps, paper.page.checks, paper)

    def names(self) -> list[str]:
        """What can be asked for."""
        return list(THEOREMS)


proof = Proofs()
