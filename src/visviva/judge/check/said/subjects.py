"""What a claim may speak about, and how its left side says so: tau2, M_12, C, Gamma^1_22, T, J."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.quantities import (
    ENERGY_TERMS,
    EXACT,
    FRAME_JACOBIAN,
    KINDS,
    MASS_TERM,
    WEIGHT_TERM,
    Quantity,
)
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.judge.exact.elements import scalar
from visviva.notation.reading.read import canonical
from visviva.notation.tree import Name

EQUATION = "equations"
IDENTITY = "identity"  # of two formulas in which quantities of the system may stand
FORCES = ("tau", "Q", "u")
FORCES_OF_MOTION = tuple(kind for kind, row in EXACT.items() if row.is_force)
SINGLE = {letter: kind for kind, row in KINDS.items() for letter in row.single}
COMMON = (MASS_TERM, WEIGHT_TERM, ENERGY_TERMS[0])  # named where nothing is near
AXES = {"x": 1, "y": 2, "z": 3}
ACCELERATION = "acceleration"  # what the equations of motion are solved for
CONSTRAINTS = "constraints"  # what follows from them without any force
MOST_DIGITS = 9  # coordinates up to which an index is one digit
SPEEDS = ("v", "qd", "dq", "qdot")


@dataclass(frozen=True)
class Subject:
    """A quantity, perhaps one entry of it (from 1 on), perhaps of a frame or body."""

    kind: str
    index: tuple[int, ...] = ()
    frame: str = ""
    rows: tuple[int, ...] = ()  # of several equations of motion
    mixed: bool = False  # a combination of equations
    said: str = ""  # what it is, where that is more than its kind
    # what a formula may be, where no row of the table says it: a note, and the truth of a system
    truths: tuple[tuple[str, Callable[[Any], Any]], ...] = ()
    notes: tuple[str, ...] = ()  # how its name was read

    def __str__(self) -> str:
        if self.said:
            return self.said
        if self.mixed:
            return "a combination of the equations of motion"
        if self.rows:
            what = "accelerations" if self.kind == ACCELERATION else "equations"
            return f"{what} {', '.join(map(str, self.rows))}"
        if self.kind == EQUATION:
            return f"equation {self.index[0]}" if self.index else "the equations of motion"
        if self.kind == IDENTITY:
            return "an identity"
        if self.kind == CONSTRAINTS:
            return "what the constraints say"
        if self.kind == ACCELERATION:
            return f"acceleration {self.index[0]}"
        said = KINDS[self.kind].phrase + (f" of {self.frame}" if self.frame else "")
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
        return Subject(key, (), frame if is_framed(key) else "")
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
    for kind, row in KINDS.items():
        about = bool(row.about)
        if letters not in row.letters or (about and not frame) or framed > about:
            continue
        if row.needs_shape and shape is None:
            continue
        if len(index) == row.rank and shape is None:
            return Subject(kind, index, frame if about else "")
        if not index and shape is not None and row.rank == _rank(shape, row, letters):
            return Subject(kind, (), frame if about else "")
    if single and key in SINGLE and shape is None:
        kind = SINGLE[key]
        return Subject(kind, (1,) * KINDS[kind].rank)
    return None


def numbers_of(left: Name, key: str) -> tuple[int, ...] | None:
    """Indices of more than one digit: they need commas."""
    numbers = tuple(map(int, re.findall(r"\d+", left.text or key)))
    if len(numbers) == 1 and numbers[0] > MOST_DIGITS:
        raise ArgumentError(f"{left.text or key}: with ten or more coordinates write M_{{1,12}}")
    return numbers


def elsewhere(key: str) -> str:
    """How to say what other books call by this name, if it is none of ours.

    Examples:
        >>> elsewhere("cijk")
        'c_ijk is judged with numbers, c_121 = ...; '
    """
    if re.fullmatch(r"J\w*\d*", key):
        return "a Jacobian is judged whole, J = [[...], [...]], or by entries, Jv11, Jw31; "
    return "c_ijk is judged with numbers, c_121 = ...; " if key == "cijk" else ""


def nearest_kinds(key: str) -> str:
    """What of= may say, the three that are nearest to a name.

    Examples:
        >>> nearest_kinds("Gamma12")[:18]
        "of='christoffel', "
    """
    stem = key.rstrip("0123456789")
    same = [kind for kind, row in KINDS.items() if stem in (*row.letters, *row.single, *row.others)]
    close = get_close_matches(key.lower(), KINDS, n=3)
    first = dict.fromkeys([*same, *close, *(row.exact for row in COMMON)])
    return f"of={', '.join(map(repr, [*first][:3]))}, ... (all: visviva check --help)"


def is_framed(kind: str) -> bool:
    """Whether a quantity is one of a frame or of a body."""
    return kind in KINDS and bool(KINDS[kind].about)


def other_kinds(left: Name, subject: Subject, single: bool = False) -> tuple[str, ...]:
    """The other quantities that a left side may mean by its letter and its arguments.

    N(q) has no velocities in it, and b(q̇) no positions. Of a system with one coordinate (`single`)
    the brackets of V = [...] may be those of a formula.

    Examples:
        >>> q, v = Name("q"), Name("q", 1)
        >>> other_kinds(Name("N", arguments=(q, v)), Subject("gravity"))
        ('bias_forces', 'gravity_and_friction')
        >>> other_kinds(Name("N", arguments=(q,)), Subject("gravity"))
        ()
    """
    letter = left.key.rstrip("0123456789")
    row = KINDS.get(subject.kind)
    if row is None or row.rank != 1 or letter not in row.letters:
        return ()
    # M a + C v + N = τ and M a + N = τ, M a + h = τ, M a + b + g = τ
    others = tuple(kind for kind, other in KINDS.items() if letter in other.others)
    moving = [bool(x.dots) or x.key in SPEEDS for x in left.arguments]
    if letter == "V":
        return others if single and not any(moving) else ()
    if (moving and not any(moving)) or (letter == "b" and (not moving or all(moving))):
        return ()
    return others


def named(of: str, shape: tuple[int, int] | None, frame: str, single: bool = False) -> Subject:
    """The subject that a user asks for by name."""
    shapes = (shape, (1, 1)) if single and shape is None else (shape,)
    ways = ((key, x) for x in shapes for key in (of, canonical(of)))
    tried = (subject_of(key, x, frame, single=single) for key, x in ways)
    subject = next((x for x in tried if x is not None), None)
    if subject is None:
        raise UnknownNameError("subject of a claim", of, [EQUATION, IDENTITY, *KINDS])
    return subject


def _rank(shape: tuple[int, int], row: Quantity, letters: str) -> int:
    """Whether a matrix on the right is a vector or a matrix; 1 × 1 is a matrix of large letters."""
    if row.exact == "pose":
        return 2 if shape == (4, 4) else 0
    if shape == (1, 1):
        return 2 if row.rank == 2 and letters[0].isupper() else 1
    return 1 if shape[1] == 1 else 2


def of_velocity(said: Any, truth: Array, subject: Subject) -> Array:
    """The rows of a Jacobian that are meant by two or three: the velocity of the origin.

    In a plane the third may be that of the turning rate: ẋ, ẏ, φ̇.
    """
    rows = len(said) if isinstance(said, np.ndarray) else 0
    if subject.kind != FRAME_JACOBIAN.exact or rows not in (2, 3):
        return truth
    planar = all(x == 0 for x in (*truth[0], *truth[1], *truth[5]))
    turning = rows == 3 and planar and any(x != 0 for x in said[2])
    return truth[[3, 4, 2]] if turning else truth[3 : 3 + rows]


def fitting(said: Any, truth: Array, subject: Subject) -> Array:
    """A claim in the shape of the truth: columns and rows are vectors too."""
    entries: Array = said if isinstance(said, np.ndarray) else scalar(said)
    if entries.shape == truth.shape:
        return entries
    if entries.size == truth.size and (truth.ndim <= 1 or 1 in truth.shape):
        return entries.reshape(truth.shape)
    shape, got = _size(truth.shape), _size(entries.shape)
    way = "; for one of them write tau1 = ..." if subject == Subject(EQUATION) else ""
    raise ShapeError(f"{subject}: expected {shape}, got {got}{way}")


def _size(shape: tuple[int, ...]) -> str:
    return f"{' × '.join(map(str, shape))} entries" if shape else "one number"
