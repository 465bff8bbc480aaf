"""What a claim may speak about, and how its left side says so: tau2, M_12, C, Gamma^1_22, T, J."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from visviva.errors import UnknownNameError
from visviva.notation.evaluate import Name
from visviva.notation.reading.read import canonical

# kind -> how it is called in a sentence, letters that stand for it, number of its indices
EQUATION = "equations"
IDENTITY = "identity"  # of two formulas in which quantities of the system may stand
KINDS: Mapping[str, tuple[str, tuple[str, ...], int]] = {
    "mass_matrix": ("the mass matrix", ("M", "H", "D", "B", "d", "b", "h"), 2),
    "coriolis_matrix": ("the Coriolis matrix", ("C",), 2),
    "christoffel": ("the Christoffel symbols", ("Gamma",), 3),
    "gravity": ("the forces of gravity and springs", ("g", "G", "N"), 1),
    "velocity_forces": ("the velocity terms C v", ("h", "V", "v"), 1),
    "dissipation": ("the dissipative forces", ("b", "d"), 1),
    "bias_forces": ("the bias forces C v + g + b", (), 1),
    "gravity_and_friction": ("the forces of gravity, springs and friction", (), 1),
    "momenta": ("the momenta", ("p",), 1),
    "kinetic_energy": ("the kinetic energy", ("T", "K", "KE", "Ek", "Ekin", "Cstar"), 0),
    "potential_energy": ("the potential energy", ("V", "U", "P", "PE", "Ep", "Epot"), 0),
    "lagrangian": ("the Lagrangian", ("L",), 0),
    "energy": ("the energy", ("E",), 0),
    "hamiltonian": ("the Hamiltonian v · p - L", ("H",), 0),
    "jacobian": ("the Jacobian", ("J",), 2),
    "pose": ("the pose", ("X", "T", "A"), 2),
    "rotation": ("the rotation matrix", ("R",), 2),
    "position": ("the position", ("p",), 1),
    "inertia": ("the inertia tensor", ("I",), 2),
}
FORCES = ("tau", "Q", "u")
FORCES_OF_MOTION = (
    EQUATION,
    "velocity_forces",
    "gravity",
    "dissipation",
    "bias_forces",
    "gravity_and_friction",
)
FRAMED = ("jacobian", "pose", "rotation", "position", "inertia")
VECTORS_ONLY = ("velocity_forces", "jacobian")  # V1 and J11 mean too much
SINGLE = {"M": "mass_matrix", "C": "coriolis_matrix", "g": "gravity", "G": "gravity"}
SINGLE |= {"b": "dissipation", "p": "momenta"}  # of systems with one coordinate
MATRICES = {"mass_matrix", "coriolis_matrix", "jacobian", "pose", "rotation", "inertia"}
AXES = {"x": 1, "y": 2, "z": 3}
# what else a letter is in other books: M a + C v + N = τ and M a + N = τ, M a + h = τ,
# M a + b + g = τ
OTHERS = {
    "N": ("bias_forces", "gravity_and_friction"),
    "h": ("bias_forces",),
    "b": ("velocity_forces",),
}
SPEEDS = ("v", "qd", "dq", "qdot")


@dataclass(frozen=True)
class Subject:
    """A quantity, perhaps one entry of it (from 1 on), perhaps of a frame or body."""

    kind: str
    index: tuple[int, ...] = ()
    frame: str = ""
    rows: tuple[int, ...] = ()  # of several equations of motion
    mixed: bool = False  # a combination of equations

    def __str__(self) -> str:
        if self.mixed:
            return "a combination of the equations of motion"
        if self.rows:
            return f"equations {', '.join(map(str, self.rows))}"
        if self.kind == EQUATION:
            return f"equation {self.index[0]}" if self.index else "the equations of motion"
        if self.kind == IDENTITY:
            return "an identity"
        if self.kind == "acceleration":
            return f"acceleration {self.index[0]}"
        said = KINDS[self.kind][0] + (f" of {self.frame}" if self.frame else "")
        place = str(self.index[0]) if len(self.index) == 1 else str(self.index)
        return f"entry {place} of {said}" if self.index else said


def subject_of(
    key: str,
    shape: tuple[int, int] | None,
    frame: str,
    framed: bool = False,
    single: bool = False,
    numbers: tuple[int, ...] | None = None,
) -> Subject | None:
    """What a left side names; `shape` is the shape of the right side if it is a matrix.

    Letters mean several things in the books, so the number of indices and the shape decide, and
    whether a frame was named (`framed`). Of a system with one coordinate (`single`), a number is
    the only entry. `numbers` are the indices where digits alone do not tell them.

    Examples:
        >>> str(subject_of("M12", None, ""))
        'entry (1, 2) of the mass matrix'
        >>> str(subject_of("T", None, ""))
        'the kinetic energy'
    """
    if key in KINDS or key in (EQUATION, IDENTITY):
        return Subject(key, (), frame if key in FRAMED else "")
    if key in FORCES:
        return Subject(EQUATION)
    if match := re.fullmatch(r"I([xyz])([xyz])", key):
        return Subject("inertia", (AXES[match[1]], AXES[match[2]]), frame)
    if shape is None and key in AXES and frame:
        return Subject("position", (AXES[key],), frame)
    letters = key.rstrip("0123456789")
    index = tuple(map(int, key[len(letters) :])) if numbers is None else numbers
    if letters in FORCES and len(index) == 1 and shape is None:
        return Subject(EQUATION, index)
    for kind, (_, names, rank) in KINDS.items():
        if letters not in names or (kind in FRAMED and not frame) or framed > (kind in FRAMED):
            continue
        if kind in VECTORS_ONLY and shape is None:
            continue
        if len(index) == rank and shape is None:
            return Subject(kind, index, frame if kind in FRAMED else "")
        if not index and shape is not None and rank == _rank(shape, kind):
            return Subject(kind, (), frame if kind in FRAMED else "")
    if single and key in SINGLE and shape is None:
        kind = SINGLE[key]
        return Subject(kind, (1,) * KINDS[kind][2])
    return None


def other_kinds(left: Name, subject: Subject) -> tuple[str, ...]:
    """The other quantities that a left side may mean by its letter and its arguments.

    N(q) has no velocities in it, and b(q̇) no positions.

    Examples:
        >>> q, v = Name("q"), Name("q", 1)
        >>> other_kinds(Name("N", arguments=(q, v)), Subject("gravity"))
        ('bias_forces', 'gravity_and_friction')
        >>> other_kinds(Name("N", arguments=(q,)), Subject("gravity"))
        ()
    """
    letter = left.key.rstrip("0123456789")
    if letter not in OTHERS or KINDS[subject.kind][2] != 1 or letter not in KINDS[subject.kind][1]:
        return ()
    moving = [bool(x.dots) or x.key in SPEEDS for x in left.arguments]
    if (moving and not any(moving)) or (letter == "b" and (not moving or all(moving))):
        return ()
    return OTHERS[letter]


def named(of: str, shape: tuple[int, int] | None, frame: str) -> Subject:
    """The subject that a user asks for by name."""
    found = subject_of(of, shape, frame) or subject_of(canonical(of), shape, frame)
    if found is None:
        raise UnknownNameError("subject of a claim", of, [EQUATION, IDENTITY, *KINDS])
    return found


def _rank(shape: tuple[int, int], kind: str) -> int:
    """Whether a matrix on the right is a vector or a matrix; 1 × 1 may be both."""
    if shape == (1, 1):
        return 2 if kind in MATRICES else 1
    if kind == "pose":
        return 2 if shape == (4, 4) else 0
    return 1 if shape[1] == 1 else 2
