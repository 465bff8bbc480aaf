"""Serial arms by Denavit–Hartenberg tables, in the two conventions, which are never guessed.

With Z(θ, d) = a turn by θ about z and a shift by d along it, X(a, α) the same for x:

- "standard" (Denavit and Hartenberg; Paul; Spong): T_i = Z(θᵢ, dᵢ) X(aᵢ, αᵢ). Joint i moves about
  or along z of frame i-1; row i holds the length and twist of link i, behind its joint.
- "modified" (Craig; Khalil): T_i = X(aᵢ₋₁, αᵢ₋₁) Z(θᵢ, dᵢ). Joint i moves about or along z of frame
  i; row i holds the length and twist of link i-1, before its joint.

Link i carries frame i in both: its inertia is given there, and the model calls it "dh1" … "dhn"
("dh0" is the base, "tool" the tool). Body frames lie on the joints' axes: they are the DH frames in
the modified convention, and frame i before its constant part in the standard one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import atan2, copysign, cos, hypot, pi, sin
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_numeric, is_zero, vector
from visviva.algebra.generic import sincos
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.by_hand.screws import (
    checked_parameters,
    is_screw,
    joint_details,
    link_inertias,
    require_chain,
    to_screws,
)
from visviva.describe.by_hand.stated import is_scalar, list_of
from visviva.describe.files.suspicions import TURN, turned_too_far
from visviva.describe.joints.joint import Joint
from visviva.describe.model.body import is_identity
from visviva.describe.model.model import GRAVITY, Model
from visviva.describe.values import at_values, mapped
from visviva.errors import ArgumentError, ShapeError, UnknownNameError, check_known
from visviva.foreign import explained
from visviva.space.poses import Pose, as_pose
from visviva.space.rotations import cross

CONVENTIONS = {
    "standard": "T_i = Z(theta_i, d_i) X(a_i, alpha_i), joint i moves along z of frame i-1",
    "modified": "T_i = X(a_{i-1}, alpha_{i-1}) Z(theta_i, d_i), joint i moves along z of frame i",
}
JOINT_LETTERS = {"R": "revolute", "P": "prismatic"}
LETTERS = {word: letter for letter, word in JOINT_LETTERS.items()}
COLUMNS = ("a", "alpha", "d", "theta")
ORDER = "rows are (a, alpha, d, theta)"
TYPE_PLACE = "the fifth entry of a row, or joints='RRP' for all"  # where joint types are said
_ROW = "is (a, alpha, d, theta, 'R' or 'P')"  # what errors say of it
_TABLE = "is a list of rows (a, alpha, d, theta, 'R' or 'P')"
_JOINTS = "is a word, 'RRP', or a list of joint types"
AUTHORS = {"craig": "modified", "khalil": "modified", "spong": "standard", "paul": "standard"}
VARIABLES = {"R": r"(theta|θ|th|q)_?", "P": "(d|q)_?"}  # and the number of the row
_MASSES = ("mass", "m", "com", "inertia", "I")
TWIST = pi / 12  # of which twists of robots are multiples, to a thousandth
PARALLEL = 1e-9  # sine of an angle, and metres: axes closer than this are parallel, or one


def turn_z(theta: Any, d: Any) -> Pose:
    """Z(θ, d): a turn by θ (rad) about z and a shift by d (m) along it."""
    s, c = exact_sincos(theta)
    return Pose(vector([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), vector([0.0, 0.0, d]))


def turn_x(a: Any, alpha: Any) -> Pose:
    """X(a, α): a shift by a (m) along x and a turn by α (rad) about it."""
    s, c = exact_sincos(alpha)
    return Pose(vector([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]), vector([a, 0.0, 0.0]))


def exact_sincos(angle: Any) -> tuple[Any, Any]:
    """Sine and cosine; quarter turns, as floats hold them, give exactly 0 and ±1."""
    if is_numeric([angle]):
        quarters = round(float(angle) / (pi / 2))
        if abs(angle - quarters * (pi / 2)) <= 4 * np.finfo(float).eps * max(1.0, abs(angle)):
            return ((0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0))[quarters % 4]
    return sincos(angle)


@explained
def from_dh(
    rows: Sequence[Any],
    *,
    convention: str = "",
    inertias: Sequence[Inertia | None] | None = None,
    joints: str | Sequence[str] = "",
    name: str = "arm",
    gravity: Any = GRAVITY,
    limits: Sequence[Any] | None = None,
    parameters: Mapping[str, float] | None = None,
    base: Any = None,
    tool: Any = None,
    details: Sequence[Mapping[str, Any]] | None = None,
) -> Model:
    """A serial arm from a table with rows (a, alpha, d, theta, "R" or "P").

    A row may be a mapping with these names and "joint". The variable, theta of "R" and d of "P", is
    added to what the row says, its offset; a text "theta1" there, in row 1, is its name instead,
    and says the type. Types may also come as one word or a list, `joints="RRP"`. Craig prints alpha
    before a: mappings take any order. Numbers, or expressions over `parameters`, also as texts
    ("L1/2"); angles in radians. `inertias[0]` is in DH frame 1, and so on; `base` and `tool` are
    poses before and after the table; `details` holds what else `Builder.body` takes, one mapping
    per joint.

    Examples:
        >>> arm = from_dh([(0.4, 0, 0, 0, "R"), (0.3, 0, 0, 0, "R")], convention="standard")
        >>> arm.frame_pose("tool", [0.0, np.pi / 2]).p.round(12)
        array([0.4, 0.3, 0. ])
    """
    b = Builder(name, gravity=gravity, parameters=parameters)
    rows = list_of("a DH table", _TABLE, rows)
    joints = _letters(joints, len(rows))
    ends: dict[str, Any] = {"base": base, "tool": tool}
    options: dict[str, Any] = {"joints": joints, "limits": limits, "details": details}
    add_dh(b, rows, convention=convention, inertias=inertias, **ends, **options)
    model = checked_parameters(b.build())
    notes = _swapped_columns(b, rows, joints, model.parameters)
    return replace(model, notes=(*model.notes, *notes)) if notes else model


def add_dh(
    b: Builder,
    rows: Sequence[Any],
    *,
    convention: str = "",
    inertias: Sequence[Inertia | None] | None = None,
    joints: str | Sequence[str] = "",
    limits: Sequence[Any] | None = None,
    base: Any = None,
    tool: Any = None,
    details: Sequence[Mapping[str, Any]] | None = None,
) -> None:
    """Add the bodies and frames of a table to what is being built; `from_dh` says how."""
    _check_convention(convention)
    rows = list_of("a DH table", _TABLE, rows)
    if not rows:
        raise ShapeError("a DH table needs at least one row, got none")
    letters = _letters(joints, len(rows))
    texts = _texts(rows)
    table = [_row(b, i, row, letters[i], texts) for i, row in enumerate(rows)]
    masses = link_inertias(b, inertias, len(rows))
    start = Pose.identity() if base is None else mapped(b.number, as_pose(base))
    b.frame("dh0", at=start.p, rotation=start.R)
    previous, rest = "", start  # of the body before: its name, and its DH frame in it
    for i, options in enumerate(joint_details(details, limits, len(rows))):
        a, alpha, d, theta = map(b.number, table[i][:4])
        kind, variable = table[i][4:]
        if variable and not (details and "joint_name" in (details[i] or {})):
            options["joint_name"] = variable
        for column, angle in (("alpha", alpha), ("theta", theta)):
            if is_numeric([angle]) and (
                word := turned_too_far(f"row {i + 1}, {column}", [float(angle)])
            ):
                b.note(word)
        Z, X, one = turn_z(theta, d), turn_x(a, alpha), Pose.identity()
        # a turn about z and a shift along z commute with the joint's own
        before, after = (one, Z @ X) if convention == "standard" else (X @ Z, one)
        place = rest @ before
        options |= {"parent": previous, "joint": JOINT_LETTERS[kind]}
        options |= {"at": place.p, "rotation": place.R}
        b.body(**options, axis="z", inertia=masses[i].moved(after.R, after.p))
        b.frame(f"dh{i + 1}", body=options["name"], at=after.p, rotation=after.R)
        previous, rest = options["name"], after
    end = rest if tool is None else rest @ mapped(b.number, as_pose(tool))
    b.frame("tool", body=previous, at=end.p, rotation=end.R)


@dataclass(frozen=True, eq=False, repr=False)
class DHTable:
    """An arm as a table: what `from_dh` takes and `model.dh_table(convention)` gives.

    `rows` are (a, alpha, d, theta, "R" or "P"), metres and radians; `base` and `tool` the poses
    before and after them, `inertias` those of the links in their DH frames. `details` has what else
    joints have: names, limits, losses.
    """

    convention: str
    rows: tuple[tuple[float, float, float, float, str], ...]
    base: Pose
    tool: Pose
    inertias: tuple[Inertia, ...]  # of link i in DH frame i
    details: tuple[Mapping[str, Any], ...] = ()
    name: str = "arm"
    gravity: Any = GRAVITY

    def model(self) -> Model:
        """The arm as a model, with the frames "dh0" … and "tool"."""
        return from_dh(
            [dict(zip((*COLUMNS, "joint"), row, strict=True)) for row in self.rows],
            convention=self.convention,
            inertias=self.inertias,
            name=self.name,
            gravity=self.gravity,
            base=self.base,
            tool=self.tool,
            details=self.details,
        )

    def __str__(self) -> str:
        lines = [f"{self.name}, {self.convention} DH", "   a          alpha      d          theta"]
        for i, (a, alpha, d, theta, kind) in enumerate(self.rows):
            cells = [f"{a:.6g}", f"{alpha:.6g}", f"{d:.6g}", f"{theta:.6g}"]
            cells[3 if kind == "R" else 2] += f" + q{i + 1}"
            lines.append(f"{i + 1}  " + " ".join(f"{x:<10}" for x in cells).rstrip())
        for name, X in (("base", self.base), ("tool", self.tool)):
            if not is_identity(X):
                entries = np.array2string(X.matrix(), precision=6, suppress_small=True)
                lines += [f"{name} pose", entries]
        return "\n".join(lines)

    __repr__ = __str__


def _has_no_pitch(joint: Joint) -> bool:
    """Whether a joint turns or shifts, and not both at once."""
    S = joint.subspace(joint.neutral())
    return is_screw(joint) and is_zero([S[:3, 0] @ S[3:, 0]])


def to_dh(model: Model, convention: str = "", frame: str | None = None) -> DHTable:
    """The table of a serial arm of revolute and prismatic joints, with base and tool poses.

    Parameters take their values. At home, a frame on every axis is carried to the next along the
    common normal, so that world → tool is Z₀ X₀ Z₁ X₁ … Zₙ₊₁: the two conventions bracket it
    differently. Where normals are not unique, the frame turns and shifts as little as possible.
    """
    _check_convention(convention)
    require_chain(model, "a DH table", "revolute, prismatic", _has_no_pitch)
    arm = to_screws(model.numeric, frame)
    Z, X = _turns_and_lengths([_line(S) for S in arm.screws], arm.home)
    n = len(arm.screws)
    kinds = ["R" if np.any(S[:3]) else "P" for S in arm.screws]
    lengths = X[1:] if convention == "standard" else X[:-1]
    rows = tuple((*lengths[i], Z[i + 1][1], Z[i + 1][0], kinds[i]) for i in range(n))
    first, last = turn_z(*Z[0]), turn_z(*Z[-1])
    if convention == "standard":
        first = first @ turn_x(*X[0])
    else:
        last = turn_x(*X[-1]) @ last
    frame_pose, inertias = first, []
    for i, inertia in enumerate(arm.inertias):
        frame_pose = frame_pose @ dh_transform(rows[i], convention)
        inertias.append(inertia.moved(frame_pose.R.T, -(frame_pose.R.T @ frame_pose.p)))
    table = DHTable(
        convention, rows, first, last, tuple(inertias), arm.details, arm.name, arm.gravity
    )
    gap = np.abs((frame_pose @ last).matrix() - arm.home.matrix()).max()
    if gap > 10 * PARALLEL * (1.0 + np.abs(arm.home.p).max()):
        raise ArgumentError(
            f"axes of {model.name!r} are so nearly parallel that a DH table misses the tool by "
            f"{gap:.3g}: state this arm by screws"
        )
    return table


def dh_transform(row: Any, convention: str) -> Pose:
    """The pose of frame i in frame i-1, for a row (a, alpha, d, theta, ...)."""
    a, alpha, d, theta = row[:4]
    Z, X = turn_z(theta, d), turn_x(a, alpha)
    return Z @ X if convention == "standard" else X @ Z


def _check_convention(convention: str) -> None:
    conventions = "; ".join(f"{name!r}: {text}" for name, text in CONVENTIONS.items())
    if not convention:
        raise ArgumentError(f"convention= is missing and is never guessed: {conventions}; {ORDER}")
    if convention_here := AUTHORS.get(str(convention).lower()):
        hint = f"it is convention={convention_here!r} here, and {ORDER}"
        raise UnknownNameError("DH convention", convention, CONVENTIONS, hint)
    check_known("DH convention", convention, CONVENTIONS)


def _letters(joints: str | Sequence[str], n: int) -> list[str]:
    """The letter of each row's joint, "" where `joints` does not say it."""
    kinds = list(joints) if isinstance(joints, str) else list_of("joints=", _JOINTS, joints)
    if kinds and len(kinds) != n:
        raise ShapeError(f"joints={joints!r} names {len(kinds)} joints, the table has {n}")
    return [_letter(f"joint {i + 1} of joints=", x) for i, x in enumerate(kinds)] or [""] * n


def _letter(place: str, kind: Any) -> str:
    """The letter of a joint type in full or as a letter, "" if it is not said."""
    if kind is not None and not isinstance(kind, str):
        raise _no_type(place, kind)
    return LETTERS.get(kind or "", kind or "")


def _no_type(place: str, kind: Any) -> ArgumentError:
    return ArgumentError(
        f"{place} needs a joint type, 'R' (theta varies) or 'P' (d varies), or in full "
        f"{' or '.join(map(repr, LETTERS))}, got {kind or 'none'!r}; it is {TYPE_PLACE}"
    )


def _swapped_columns(
    b: Builder, rows: Sequence[Any], letters: Sequence[str], values: Any
) -> list[str]:
    """Rows that look as Craig prints them: a twist of 1 rad beside a length of π/2 m, or of 0."""
    notes = []
    for i, row in enumerate(rows):
        if isinstance(row, Mapping):
            continue
        lengths = _row(b, i, row, letters[i])[:2]
        try:
            a, alpha = (float(at_values(b.number(x), values)) for x in lengths)
        except TypeError:  # scalars of another kind, which have no size
            continue
        if _is_twist(a) and not _is_twist(alpha) and abs(alpha) <= TURN:
            notes.append(
                f"row {i + 1}: alpha = {alpha:g} rad; {ORDER}, Craig prints alpha first: mappings "
                "{'alpha': 0, 'a': 1, …} take any order"
            )
    return notes


def _is_twist(x: float) -> bool:
    return abs(x - round(x / TWIST) * TWIST) < 1e-3


def _texts(rows: Sequence[Any]) -> list[str]:
    """The formulas of a table, without the joint types and the names of variables."""
    texts = []
    for i, row in enumerate(rows):
        is_named = isinstance(row, Mapping)
        cells = row.values() if is_named else list_of(f"DH row {i + 1}", _ROW, row)
        words = [x.strip() for x in cells if isinstance(x, str)]
        kind = "R" if {"P", "prismatic"}.isdisjoint(words) else "P"
        formulas = (x for x in words if x not in (*JOINT_LETTERS, *LETTERS))
        texts += [x for x in formulas if not re.fullmatch(f"{VARIABLES[kind]}{i + 1}", x)]
    return texts


def _row(b: Builder, i: int, row: Any, letter: str, texts: Sequence[str] = ()) -> tuple[Any, ...]:
    """A checked row (a, alpha, d, theta) with its joint's letter and the name of its variable.

    `letter` is what `joints` says of it, `texts` are the formulas of the whole table.
    """
    numbers, kind = _cells(i, row)
    kind = _checked_kind(b, i, numbers, kind, letter)
    column, variable = COLUMNS.index("theta" if kind == "R" else "d"), ""
    if isinstance(numbers[column], str) and _is_variable(b, i, numbers[column].strip(), kind):
        numbers[column], variable = 0.0, numbers[column].strip()
    for k, (name, x) in enumerate(zip(COLUMNS, numbers, strict=True)):
        if isinstance(x, str):
            numbers[k] = x = b.formula(f"{name} of DH row {i + 1}", x, texts)
        if not is_scalar(x) or (is_numeric([x]) and not np.isfinite(float(x))):
            raise ArgumentError(
                f"{name} of DH row {i + 1} is a number or an expression of parameters, got {x!r}"
            )
    return (*numbers, kind, variable)


def _cells(i: int, row: Any) -> tuple[list[Any], str]:
    """The four numbers of a row, and the letter of its joint where it has one."""
    if isinstance(row, Mapping):
        for key in row:
            masses = "masses go into inertias=[vv.Inertia…, …], one for each row"
            hint = masses if key in _MASSES else None
            if key not in (*COLUMNS, "joint"):
                raise UnknownNameError(f"column in DH row {i + 1}", key, (*COLUMNS, "joint"), hint)
        numbers, kind = [row.get(key, 0.0) for key in COLUMNS], row.get("joint", "")
    else:
        numbers, kind = list_of(f"DH row {i + 1}", _ROW, row), ""
        if len(numbers) == 5 or (numbers and _is_type(numbers[-1])):
            kind = numbers.pop()
    if len(numbers) != 4:
        raise ShapeError(f"DH row {i + 1} {_ROW}, got {row!r}")
    return numbers, _letter(f"DH row {i + 1}", kind)


def _is_type(x: Any) -> bool:
    return isinstance(x, str) and x in (*JOINT_LETTERS, *LETTERS)


def _checked_kind(b: Builder, i: int, numbers: Sequence[Any], kind: str, letter: str) -> str:
    """The letter of a row's joint: of the row, of `joints`, or of the column of its variable."""
    if kind and letter and kind != letter:
        raise ArgumentError(f"DH row {i + 1} says joint {kind!r}, joints= says {letter!r}")
    kind = kind or letter or _kind_of_variable(b, i, numbers)
    if kind not in JOINT_LETTERS:
        raise _no_type(f"DH row {i + 1}", kind)
    return kind


def _kind_of_variable(b: Builder, i: int, numbers: Sequence[Any]) -> str:
    """The type of a joint by the column that holds the name of its variable, theta1 or d2."""
    cells = {"R": numbers[COLUMNS.index("theta")], "P": numbers[COLUMNS.index("d")]}
    texts = {k: x.strip() for k, x in cells.items() if isinstance(x, str)}
    kinds = [k for k, x in texts.items() if _is_variable(b, i, x, k)]
    return kinds[0] if len(kinds) == 1 else ""


def _is_variable(b: Builder, i: int, text: str, kind: str) -> bool:
    """Whether a text is the variable of a row, theta1 or d1, and no parameter."""
    is_name = re.fullmatch(f"{VARIABLES[kind]}{i + 1}", text) is not None
    return is_name and text not in b.parameters


def _line(S: Array) -> tuple[Array, Array | None]:
    """Direction and a point of a joint's axis; a shift has a direction only."""
    return (S[:3], cross(S[:3], S[3:])) if np.any(S[:3]) else (S[3:], None)


Pairs = list[tuple[float, float]]


def _turns_and_lengths(lines: list[tuple[Array, Array | None]], home: Pose) -> tuple[Pairs, Pairs]:
    """(θ, d) about the world's z, every axis and the tool's z; (a, α) from each to the next."""
    pose, Z, X = Pose.identity(), [], []
    for direction, point in [*lines, (home.R[:, 2], home.p)]:
        r = np.zeros(3) if point is None else pose.R.T @ (point - pose.p)
        (theta, d), (a, alpha) = _to_line(pose.R.T @ direction, r)
        Z.append((theta, d))
        X.append((a, alpha))
        pose = pose @ turn_z(theta, d) @ turn_x(a, alpha)
    rest = pose.inverse() @ home
    remainder = (atan2(rest.R[1, 0], rest.R[0, 0]), float(rest.p[2]))
    if X[-1] == (0.0, 0.0):  # the tool is on the last axis: its turn and shift join the last row
        Z[-1], remainder = (Z[-1][0] + remainder[0], Z[-1][1] + remainder[1]), (0.0, 0.0)
    return [*Z, remainder], X


def _to_line(u: Array, r: Array) -> tuple[tuple[float, float], tuple[float, float]]:
    """(θ, d) and (a, α) that take the z axis to the line along u through r."""
    if hypot(u[0], u[1]) > PARALLEL:
        theta = _smallest(atan2(u[0], -u[1]))  # x along z × u, the common normal
    elif hypot(r[0], r[1]) > PARALLEL:
        theta = _smallest(atan2(r[1], r[0]))
    else:
        return (0.0, 0.0), (0.0, 0.0 if u[2] > 0 else pi)
    x, y = np.array([cos(theta), sin(theta), 0.0]), np.array([-sin(theta), cos(theta), 0.0])
    a, across = float(r @ x), float(u @ y)
    if abs(across) <= PARALLEL:
        return (theta, 0.0), (a, 0.0 if u[2] > 0 else pi)
    return (theta, float(r[2] - (r @ y) / across * u[2])), (a, atan2(-across, u[2]))


def _smallest(theta: float) -> float:
    """The direction of x or -x, whichever turns less."""
    return theta - copysign(pi, theta) if abs(theta) > pi / 2 + 1e-12 else theta
