"""What a name is, by its letters and indices; names of books that need an agreement.

Two conventions give one name two meanings. It is read where both meanings are one function, where
the system has a table of DH that settles it, or where the claim says which is meant; otherwise it
is refused with the line that says it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from visviva.describe.quantities import FRAME_JACOBIAN, KINDS
from visviva.errors import ArgumentError
from visviva.judge.check.said.laws import DRIVES
from visviva.judge.check.said.statements import Statement
from visviva.judge.check.said.subjects import (
    ACCELERATION,
    EQUATION,
    MOST_DIGITS,
    Subject,
    numbers_of,
    subject_of,
)
from visviva.judge.check.said.values import gives_value
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.exact.forms import Facts
from visviva.notation.names import acceleration_name
from visviva.notation.reading.layout.sentences import in_formulas
from visviva.notation.reading.read import canonical
from visviva.notation.shapes import shape_of
from visviva.notation.tree import Equation, Name, Negative, Node, Number, names, rewritten

FIRST, LAST = "first", "last"  # index of c_ijk that counts equations: Siciliano's, Spong's
SYMBOL = "cijk"
SAID = {"Gammakij": LAST, "Gammakji": LAST, "Gammaijk": FIRST, "Gammaikj": FIRST}
BOOKS = {LAST: ("Spong", "c_ijk = Gamma_kij"), FIRST: ("Siciliano", "c_ijk = Gamma_ijk")}
RATES = ("x", "y", "z")
# Craig's ^0T_2 and {}^0_2T, Siciliano's and Spong's T_2^0, before an = sign and a matrix
_START, _MATRIX = r"(?:^|(?<=[\n;$]))\s*", r"(?=\s*=\s*(?:\[|\\begin|\\left))"
LEADING = re.compile(
    rf"{_START}(?:\{{\s*\}}\s*)?\^\s*\{{?([0-8])\}}?\s*(?:_\s*\{{?([1-9])\}}?)?\s*"
    rf"([TARH])(?:_\s*\{{?([1-9])\}}?)?{_MATRIX}"
)
RAISED = re.compile(
    rf"{_START}([TARH])(?:_\{{?([0-9])\}}?\^\{{?([0-9])\}}?|\^\{{?([0-9])\}}?_\{{?([0-9])\}}?)"
    rf"{_MATRIX}"
)
# Siciliano's m_{\ell_2}
NESTED = re.compile(r"(?<![A-Za-z\\])([mI])_\{\s*\\ell\s*_\s*\{?\s*([1-9])\s*\}?\s*\}")
SPELLED = re.compile(r"(?<![A-Za-z\\])Gamma(?=_\{)")  # Gamma_{kij}: braces are TeX
CRAIG = re.compile(r"\bB\s*\([^()]{1,20}\)\s*(?:\\left)?\[.{1,40}\]\s*\+\s*C\s*\([^()]{1,20}\)")
ROWS_FROM = {"Jv": 3, "JP": 3, "Jw": 0, "Jomega": 0, "JO": 0}  # where they begin: ω is first


def conventions(stated: Iterable[Statement]) -> tuple[list[Statement], str]:
    """Statements without those that say what c_ijk is, c_ijk = Gamma_kij, and what they say."""
    rest, said = [], ""
    for x in stated:
        node = x.node
        left, right = (node.left, node.right) if isinstance(node, Equation) else (node, node)
        agreed = isinstance(left, Name) and left.key == SYMBOL and isinstance(right, Name)
        if agreed and isinstance(right, Name) and right.key in SAID:
            if said not in ("", SAID[right.key]):
                raise ArgumentError("c_ijk is said to be two things")
            said = SAID[right.key]
        else:
            rest.append(x)
    return rest, said


def plainly_spelled(claim: Any) -> Any:
    """A text with ^0T_2, {}^0_2T and T_2^0 as T_02, m_{ℓ2} as m_2, sentences as formulas."""
    if isinstance(claim, list):
        return [plainly_spelled(x) for x in claim]
    if not isinstance(claim, str):
        return claim
    if CRAIG.search(claim):
        raise ArgumentError(
            "V = B(q)[q' q'] + C(q)[q'^2] holds of every arm: judge its parts, B = [[...], ...] "
            "and C = [[...], ...] without rates, or V = [..., ...] written out"
        )
    claim = SPELLED.sub(r"\\Gamma", in_formulas(claim))
    claim = NESTED.sub(r"\1_{\2}", claim)
    claim = LEADING.sub(
        lambda m: f"{m[3]}_{{{m[1]}{m[2] or m[4]}}}" if m[2] or m[4] else m[0], claim
    )
    return RAISED.sub(_lowered, claim)


def _lowered(match: re.Match[str]) -> str:
    """T_2^0 as T_02; where the upper number is the larger one, books differ in what it means."""
    letter, k, j = match[1], match[2] or match[5], match[3] or match[4]
    if int(j) >= int(k):
        raise ArgumentError(
            f"{letter}_{k}^{j} may be frame {j} in frame {k} or the other way: write {letter}_{j}"
            f"^{k} = ... or {letter}{k}{j} = ... for frame {j} in frame {k}"
        )
    return f"{letter}_{{{j}{k}}}"


def both_signs(claim: Any) -> list[Any]:
    """A claim with ±, once with the upper and once with the lower signs; others as they are."""
    upper = {"\\pm": "+", "±": "+", "\\mp": "-", "∓": "-"}
    if not isinstance(claim, str) or not any(mark in claim for mark in upper):
        return [claim]
    lower = {mark: {"+": "-", "-": "+"}[sign] for mark, sign in upper.items()}
    marks = re.compile("|".join(map(re.escape, upper)))
    ways = (partial(_signed, way) for way in (upper, lower))
    return [marks.sub(way, claim) for way in ways]


def _signed(way: Mapping[str, str], mark: re.Match[str]) -> str:
    return f" {way[mark[0]]} "


def with_force(stated: list[Statement], facts: Facts) -> list[Statement]:
    """F, f or u as the one force that a system says is not zero, of a cart with a pole.

    A torque is u at most.
    """
    acting = [k for k in range(len(facts.rates)) if k not in facts.passive]
    used = {n.key for x in stated for n in names(x.node)}
    letters = [x for x in ("F", "f", "u") if x in used and x not in facts.parameters]
    forced = any(x.startswith(FORCE) for x in used) or "J" in used
    if len(acting) != 1 or len(facts.rates) == 1 or len(letters) != 1 or forced:
        return stated
    letter = letters[0]
    alone = [x.node for x in stated if isinstance(x.node, Equation) and _is(x.node.left, letter)]
    vector = any(shape_of(x.right) for x in alone)
    if vector or (letter == "u" and facts.has_actuators) or letter in facts.coordinates:
        return stated
    turned = {v for q, v, _ in facts.moving if q in facts.ring.angles}
    others = [x for x in stated if x.node not in alone and not gives_value(x.node, facts)]
    if letter != "u" and (facts.rates[acting[0]][0] in turned or (alone and not _moves(others))):
        return stated  # a torque, or a name that the claim gives itself

    def put(name: Name) -> Node | None:
        same = name.key == letter and not name.dots
        return replace(name, key=f"{FORCE}{acting[0] + 1}") if same else None

    note = f"{letter} is tau{acting[0] + 1}, the one force that {facts.name} {DRIVES}"
    return [_noted(x, rewritten(x.node, put), note) for x in stated]


def _moves(stated: list[Statement]) -> bool:
    """Whether equations of motion are among statements: beside these F = … may be a law."""
    return not stated or any(n.dots == 2 for x in stated for n in names(x.node))


def _noted(said: Statement, node: Node, note: str) -> Statement:
    return said if node == said.node else said._replace(node=node, notes=(*said.notes, note))


def _is(node: Node, key: str) -> bool:
    return isinstance(node, Name) and node.key == key


def in_books(left: Name, right: Node, facts: Facts, frame: str, meant: str) -> Subject | None:
    """What a name is that depends on an agreement; `meant` is what the claim says of c_ijk.

    `frame` is empty where none was asked for.
    """
    key, shape = left.key, shape_of(right)
    if left.dots or left.arguments:
        return None
    numbers = numbers_of(left, key) if len(facts.rates) > MOST_DIGITS else None
    letters = key.rstrip("0123456789")
    index = tuple(map(int, key[len(letters) :])) if numbers is None else numbers
    if letters == "c" and len(index) == 3 and shape is None:
        return _christoffel(left, index, facts, meant)
    if shape is None and len(index) == 2 and (letters == "J" or letters in ROWS_FROM):
        return _jacobian(left, letters, index, right, facts, frame or facts.tip)
    if shape in ((4, 4), (3, 3)) and len(index) == 2 and facts.frames:
        return _pose(left, letters, shape, index, facts, frame)
    return None


def _christoffel(left: Name, index: tuple[int, ...], facts: Facts, meant: str) -> Subject | None:
    """Γᵏᵢⱼ with k the last index, as Spong has it, or the first, as Siciliano."""
    places = {LAST: (index[2], index[0], index[1]), FIRST: index}
    ways = {k: subject_of("Gamma", None, "", numbers=x) for k, x in places.items()}
    if not all(ways.values()):
        return None
    first, last = ways[FIRST], ways[LAST]
    said = left.text or left.key
    if meant:
        return _called(ways[meant], f"{said} with {BOOKS[meant][1]}")
    if list(index) == sorted({*index}) or facts.of(first) != facts.of(last):
        both = (f"{name}'s with {line} is {_gamma(places[k])}" for k, (name, line) in BOOKS.items())
        angles = " + ".join(facts.coordinates[k - 1] for k in index if k <= len(facts.coordinates))
        short = f"; for cos({angles}) say shorthand=True" if [*index] == sorted({*index}) else ""
        raise ArgumentError(
            f"{said} is not clear: {', '.join(both)}; say which by writing that name, or by a line "
            f"before: {BOOKS[LAST][1]}; {said} = ...{short}"
        )
    return _called(first, f"{said} (with either order of indices)")


def _gamma(index: tuple[int, ...]) -> str:
    single = all(k <= MOST_DIGITS for k in index)
    return (
        f"Gamma{''.join(map(str, index))}" if single else f"Gamma_{{{','.join(map(str, index))}}}"
    )


def _called(subject: Subject | None, said: str) -> Subject | None:
    return subject and Subject(
        subject.kind, subject.index, subject.frame, said=f"{said}, {subject}"
    )


def _jacobian(
    left: Name, letters: str, index: tuple[int, ...], right: Node, facts: Facts, frame: str
) -> Subject | None:
    """An entry: J_v and J_ω say of which rows; J alone where the frame moves in a plane."""
    row, column = index
    if not frame or not facts.frames:
        return None
    J = facts.quantity(FRAME_JACOBIAN.exact, frame)
    said = left.text or left.key
    if not 1 <= column <= J.shape[1] or not 1 <= row <= (3 if letters in ROWS_FROM else 6):
        rows = 3 if letters in ROWS_FROM else 6
        raise ArgumentError(f"{said}: the Jacobian of {frame!r} has {rows} × {J.shape[1]} entries")
    if letters in ROWS_FROM:
        return _entry(said, ROWS_FROM[letters] + row, column, frame)
    turning, velocity = J[(row - 1) % 3, column - 1], J[3 + (row - 1) % 3, column - 1]
    planar = not any((*J[0], *J[1], *J[5]))  # in a plane no book writes the rows that are zero
    in_plane = planar and row <= 2 and (_number(right) is None or velocity == _number(right))
    if in_plane or (row <= 3 and velocity == turning):
        return _entry(said, 3 + row, column, frame)
    if planar and row == 3 and _number(right) != 0:  # of ẋ, ẏ, φ̇, and of (ω, v)
        return _entry(said, 3, column, frame)
    above = row if row <= 3 else row - 3
    raise ArgumentError(
        f"{said} is not clear, as books put the rows of the velocity above those of ω or below: "
        f"write Jv{above}{column} = ... for the velocity along {RATES[above - 1]}, "
        f"Jw{above}{column} = ... for ω, or the whole, J = [[...], ...]"
    )


def _entry(said: str, row: int, column: int, frame: str) -> Subject:
    """An entry by its row in (ω, v)."""
    velocity = row > 3
    place = row - 3 if velocity else row
    rows = f"d{RATES[place - 1]}/dt" if velocity else f"the turning rate about {RATES[place - 1]}"
    about = f"{said}, row of {rows} and column {column} of the Jacobian of {frame}"
    return Subject(FRAME_JACOBIAN.exact, (row, column), frame, said=about)


def _number(node: Node) -> Any:
    """The number that a formula is; None if it is more."""
    if isinstance(node, Negative):
        inside = _number(node.of)
        return None if inside is None else -inside
    return node.value if isinstance(node, Number) else None


def _pose(
    left: Name,
    letters: str,
    shape: tuple[int, int],
    index: tuple[int, ...],
    facts: Facts,
    frame: str,
) -> Subject | None:
    """T_0k: frame k of a table of DH, or the frame that was asked for."""
    own = f"dh{index[1]}"
    letters = "T" if letters == "H" and shape == (4, 4) else letters  # as Spong calls it
    subject = subject_of(letters, shape, frame or facts.tip)
    if subject is None or not subject.frame:
        return None
    said = left.text or left.key
    if index[0] == 0 and (frame or own in facts.frames):
        subject = subject_of(letters, shape, frame or own)
        return _called(subject, said)
    listed = ", ".join(facts.frames)
    raise ArgumentError(
        f"{said}: which frames these are is not clear; write {letters} = [[...], ...] for a frame "
        f"in the world, with frame= one of: {listed}"
    )


@dataclass(frozen=True)
class Request:
    """What was asked besides the claim itself."""

    of: str = ""
    frame: str = ""
    asked: str = ""  # a quantity for which something is the answer
    symbols: str = ""  # which index of c_ijk counts equations, if the claim says so
    defined: frozenset[str] = frozenset()  # names that the claim gives itself, and uses
    claimed: frozenset[str] = frozenset()  # accelerations whose values are no conditions


def by_name(left: Name, right: Node, facts: Facts, request: Request) -> Subject | None:
    """What a name is, by its letters and indices and by the shape of what it equals."""
    inside = names(right)
    if left.key.startswith(FORCE):
        if left.dots:
            raise ArgumentError(f"{left.text}: rates of forces are in no equation of motion")
        mixed = any(n.key.startswith(FORCE) for n in inside)
        return None if mixed else Subject(EQUATION, (int(left.key.removeprefix(FORCE)),))
    if left.dots == 2 and len(facts.rates) > 1:
        seconds = [a for _, a in facts.rates]
        mixed = any(n.dots == 2 or n.key in seconds for n in inside)
        own = acceleration_name(left.key)
        place = seconds.index(own) + 1 if own in seconds else 0
        return None if mixed or not place else Subject(ACCELERATION, (place,))
    taken = left.key in facts.parameters or left.key in facts.coordinates
    known, shape = taken and not left.arguments, shape_of(right)
    if taken and left.arguments and any(n.dots == 2 or n.key.startswith(FORCE) for n in inside):
        return None  # a product, or a function: not clear
    if left.dots or (known and shape is None) or request.of:
        return None
    key = canonical(left.text or left.key) if taken else left.key
    if left.text in KINDS and not taken:
        key = left.text  # in full: mass_matrix
    elif not taken:
        key = by_coordinates(key, facts)
    for name in (*facts.frames, *facts.bodies):
        if key.endswith(canonical(name)) and key != canonical(name):
            subject = subject_of(key[: -len(canonical(name))], shape, name, framed=True)
            if subject is not None:
                return subject
    if key == "Q" and facts.has_forces and shape:
        return Subject("applied_forces")
    others = {"u": facts.has_actuators, "Q": facts.has_forces}
    if others.get(key.rstrip("0123456789")):
        return None  # what actuators are driven by, what else acts
    for k, name in enumerate(facts.forces):
        if name and key in {f"{letter}{canonical(name)}" for letter in ("p", "g", "G", "b")}:
            return subject_of(f"{key[0]}{k + 1}", shape, "")
    frame, n = request.frame or facts.tip, len(facts.rates)
    if key == "p" and shape and facts.frames and not any(x.dots for x in inside):
        return Subject("position", (), frame)  # momenta have velocities in them
    numbers = numbers_of(left, key) if n > MOST_DIGITS else None
    framed = bool(request.frame)
    subject = subject_of(key, shape, frame, framed, n == 1, numbers)
    if subject is None and facts.forms.held_by:
        subject = _of_rows(key, shape, facts)
    if subject is None and n == 1:  # T = [...] is T = ..., h(q, q') = ... is h(q, q') = [...]
        other = None if shape == (1, 1) else (1, 1) if left.arguments and not shape else shape
        subject = subject_of(key, other, frame, framed, True, numbers)
    if subject is not None or (left.key in request.defined and not request.symbols):
        return subject
    return in_books(left, right, facts, request.frame, request.symbols)


def _of_rows(key: str, shape: tuple[int, int] | None, facts: Facts) -> Subject | None:
    """a0, whose digit is no index, and A with a column for each constraint."""
    if key == "a0":
        one = shape is None and len(facts.forms.multiplier_names) == 1
        return Subject("constraint_drift", (1,) if one else ())
    return Subject("constraint_matrix") if key == "A" and shape is not None else None


def by_coordinates(key: str, facts: Facts) -> str:
    """M_{rθ}, p_r and Γ^r_{θθ} with numbers for the coordinates; other keys as they are.

    Examples:
        with the coordinates r and theta, Mrtheta is M12
    """
    if key[-1:].isdigit() and key.rstrip("0123456789") in _LETTERS:
        return key
    places = {canonical(q): str(k + 1) for k, q in enumerate(facts.coordinates)}
    for letters in sorted(_LETTERS, key=len, reverse=True):
        if not key.startswith(letters) or key == letters:
            continue
        ways = _indices(key[len(letters) :], places)
        fitting = [x for x in ways if len(x) in _LETTERS[letters]]
        if len(fitting) == 1 and len(places) <= MOST_DIGITS:
            return letters + fitting[0]
    return key


def _indices(rest: str, places: dict[str, str]) -> list[str]:
    """The ways to read letters as names of coordinates, by their numbers."""
    if not rest:
        return [""]
    heads = [(q, k) for q, k in places.items() if rest.startswith(q)]
    return [k + more for q, k in heads for more in _indices(rest[len(q) :], places)]


# how many indices books put to a letter
_LETTERS: dict[str, set[int]] = {}
for _row in KINDS.values():
    for _letter in _row.letters if "x" not in _row.indices and _row.rank else ():
        _LETTERS.setdefault(_letter, set()).add(_row.rank)
