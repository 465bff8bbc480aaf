"""From what a user typed to claims: statements with a subject, definitions put in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from visviva.algebra.exact.poly import Poly
from visviva.describe.quantities import KINDS, TERMS
from visviva.errors import ArgumentError, UnknownNameError
from visviva.judge.check.said.books import in_books
from visviva.judge.check.said.rayleigh import dissipation_function, with_truth
from visviva.judge.check.said.solved import is_acceleration, is_solved, multiple
from visviva.judge.check.said.statements import (
    Statement,
    assumed_values,
    assumes,
    definitions,
    free_names,
    is_law,
    is_named,
    must_be_new,
    resolved,
    shape_of,
    zero_force,
)
from visviva.judge.check.said.subjects import (
    ACCELERATION,
    EQUATION,
    FORCES,
    IDENTITY,
    MOST_DIGITS,
    Subject,
    elsewhere,
    named,
    nearest_kinds,
    numbers_of,
    other_kinds,
    subject_of,
)
from visviva.judge.check.said.tip import Tip, tip_of
from visviva.judge.check.said.used import is_indexed, is_meant, judged_too, only_used
from visviva.judge.check.said.vocabulary import FORCE, alike, force_advice, split, with_vectors
from visviva.judge.exact.forms import Facts
from visviva.notation.names import acceleration_name
from visviva.notation.reading.read import canonical
from visviva.notation.reading.vocabulary import Vocabulary, looks_like_shorthand
from visviva.notation.textbook.writer import textbook
from visviva.notation.tree import Equation, Matrix, Name, Node, names, rewritten
from visviva.notation.tree_sympy import from_sympy

UNPROVED = "is taken as what it truly is"  # noted of other entries on the right: M12 = M21


@dataclass(frozen=True)
class Claim:
    """A statement about a subject; `node` is its value, or an equation yet to be solved."""

    text: str
    subject: Subject
    node: Node
    assumed: tuple[tuple[str, Node], ...] = ()  # parameters with what they are taken to be
    acting: frozenset[str] = frozenset()  # generalized forces in this and the other statements
    free: frozenset[str] = frozenset()  # names that assumptions bring with them
    still: frozenset[str] = frozenset()  # generalized forces that are said to be zero
    others: tuple[str, ...] = ()  # kinds that the left side may mean besides
    typed: Node | None = None  # the node before forces that are zero were taken out of it
    tip: Tip | None = None  # whose names are in it, to be put in
    notes: tuple[str, ...] = ()  # how its names were read

    def is_solved(self, coordinates: int) -> bool:
        """For an acceleration, which says nothing of forces; of one coordinate nothing is left."""
        node = self.node
        if not isinstance(node, Equation) or coordinates == 1:
            return False
        return any(multiple(x) is not None for x in (node.left, node.right))

    def rows(self, count: int) -> list[Equation]:
        """The equations that it makes, one for each of `count` rows of a vector."""
        node = self.node
        if not isinstance(node, Equation):
            forces = tuple((Name(f"{FORCE}{k + 1}"),) for k in range(count))
            node = Equation(Matrix(forces), node)
        sides = zip(_entries(node.left, count), _entries(node.right, count), strict=True)
        return [Equation(*pair, column=node.column) for pair in sides]


@dataclass(frozen=True)
class Request:
    """What was asked besides the claim itself."""

    of: str = ""
    frame: str = ""
    symbols: str = ""  # which index of c_ijk counts equations, if the claim says so
    defined: frozenset[str] = frozenset()  # names that the claim gives itself, and uses


def claims(said: list[Statement], facts: Facts, words: Vocabulary, request: Request) -> list[Claim]:
    """The claims in what was stated."""
    stated = [x._replace(node=with_vectors(x.node, facts)) for x in said]
    if not stated:
        raise ArgumentError("the claim is empty")
    defined = definitions(stated, words)
    request = replace(request, defined=frozenset(defined))
    nodes = [x.node for x in stated]
    must_be_new(defined, facts)
    laws = [x.node for x in stated if is_law(x.node, nodes)]
    still = {force for x in laws if (force := zero_force(x)) is not None}
    everywhere = {n.key for x in nodes for n in names(x)}
    acting = frozenset(x for x in everywhere - still if x.startswith(FORCE))
    assumed = tuple(assumed_values(nodes, facts, defined).items())
    free = frozenset(free_names(dict(assumed), facts))
    stated = [x for x in stated if not assumes(x.node, facts) or len(stated) == 1]
    stated = [x for x in stated if not any(x.node is law for law in laws)]
    alone = [x.node for x in stated if not isinstance(x.node, Equation)]
    judged: list[Claim] = []
    unjudged, tip = list[str](), tip_of(facts, request.frame, defined)
    for text, node, alias, notes in stated:
        if request.of not in ("", IDENTITY) and is_named(node) and node.left.key in defined:
            continue  # a name in the formula that `of` is about
        whole = resolved(node, defined)
        place = next(((k, len(alone)) for k, x in enumerate(alone) if x is node), (0, 0))
        last = node is stated[-1].node
        reached = tip.subject(whole) if request.of in ("", IDENTITY) else None
        left = node.left if is_named(node) else None
        defines = left is not None and not left.dots and left.key in defined
        if left is not None and defines and not request.of:
            reached = tip.without(left.key).place(whole)
        bare = left is not None and not (left.text or left.key)[-1:].isdigit()
        may_be = bare and not (request.of or defines)
        rayleigh = dissipation_function(whole, facts) if may_be else None
        found = reached or (rayleigh and (rayleigh[0], _with_dissipation(rayleigh[1], facts)))
        subject, value = found or _subject(whole, place, last, facts, request)
        if subject is None and not (defines or alias) and request.of != IDENTITY:
            raise ArgumentError(_unknown_left(node, facts))
        sure = True
        if subject is not None and defines and is_named(node):
            indexed = is_indexed(node.left, node.right, subject)
            sure = indexed or is_meant(value, subject, facts)
            if sure and not indexed:
                notes += (judged_too(node.left, subject),)
            elif not sure:
                unjudged.append(only_used(node.left, subject))
        if subject is not None and sure:
            notes += subject.notes
            table = subject.kind in KINDS and KINDS[subject.kind].rank > 1
            if is_named(node) and table and subject.index and not (reached or request.of):
                value, more = _with_its_kind(node.left, subject, value, facts, request)
                notes += more
            others: tuple[str, ...] = ()
            if is_named(node) and not request.of and subject.kind in KINDS:
                others = other_kinds(node.left, subject, len(facts.rates) == 1)
            forces = acting, free, frozenset(still)
            made = Claim(text, subject, value, assumed, *forces, others, notes=notes)
            judged.append(replace(made, tip=tip, free=free | tip.free(value)) if reached else made)
    if not judged:
        own = (x.node.left for x in stated if is_named(x.node))
        listed = ", ".join(defined) or ", ".join(dict.fromkeys(x.text or x.key for x in own))
        raise ArgumentError(f"{listed} is defined, but nothing is claimed of {facts.name!r}")
    n = len(facts.rates)
    rows = [x for c in judged if c.subject == Subject(EQUATION) for x in c.rows(_size(c.node) or n)]
    if any(n.dots == 2 for c in judged for n in names(c.node)):  # tau = [m x'', 0]
        still |= {force for x in rows if (force := zero_force(x)) is not None}
    judged[-1] = replace(judged[-1], notes=(*judged[-1].notes, *unjudged))
    return [replace(c, still=frozenset(still)) for c in judged]


def _size(node: Node) -> int:
    """Entries of a vector that is written out, on either side."""
    sides = (node.left, node.right) if isinstance(node, Equation) else (node,)
    return max(sum(map(len, x.rows)) if isinstance(x, Matrix) else 0 for x in sides)


def _entries(node: Node, count: int) -> list[Node]:
    """Those of a vector; of a formula that is one, the formula for each."""
    entries = [x for row in node.rows for x in row] if isinstance(node, Matrix) else []
    return entries if len(entries) == count else [node] * count


def acting_forces(found: list[Claim], facts: Facts) -> frozenset[str]:
    """The generalized forces that claims speak of: in their formulas, or as what they are about."""
    names = [f"{FORCE}{k + 1}" for k in range(len(facts.rates))]
    acting = {x for c in found for x in c.acting}
    for c in found:
        if c.subject.kind == EQUATION and not isinstance(c.node, Equation):
            acting |= {names[k - 1] for k in c.subject.index if k <= len(names)}
            acting |= set() if c.subject.index else set(names)
    return frozenset(acting)


def _unknown_left(node: Any, facts: Facts) -> str:
    name, held = node.left.text or node.left.key, bool(facts.forms.held_by)
    rows = [x for x in KINDS.values() if x.letters and not (x.about or x.of_rows > held)]
    letters = [f"{row.letters[0]}{'1' * row.rank}" for row in rows if not row.needs_shape]
    own = alike(node.left.key, facts)
    meant = f"the parameter is {own[0]}, {own[0]} = ...; " if len(own) == 1 else ""
    return (
        f"nothing of {facts.name!r} is called {name}: {meant}{elsewhere(node.left.key)}"
        f"a left side is {', '.join(['tau1', *letters, 'x'])}, ...; "
        f"or say {nearest_kinds(node.left.key)}"
        f"{force_advice(node.left, facts) if node.left.key[:1] in 'Ffu' else ''}"
    )


def _subject(
    node: Node, alone: tuple[int, int], last: bool, facts: Facts, request: Request
) -> tuple[Subject | None, Node]:
    """What a statement is about, and its value; `alone`: which formula without left side it is."""
    if not isinstance(node, Equation):
        if request.of:
            return _of(request, shape_of(node), facts), node
        if alone[1] == len(facts.rates) and alone[1] > 1:
            return Subject(EQUATION, (alone[0] + 1,)), node
        raise ArgumentError(
            "a formula alone says nothing: write tau1 = ..., M = ..., or say " + nearest_kinds("")
        )
    if request.of == IDENTITY:
        # those before it define names
        return (Subject(IDENTITY), _with_quantities(node, facts, request)) if last else (None, node)
    for left, right in ((node.left, node.right), (node.right, node.left)):
        force = isinstance(left, Name) and left.key.startswith(FORCE)
        if force and request.of and isinstance(left, Name):
            said = left.text or left.key
            raise ArgumentError(f"the left side says {said}, of= says {request.of!r}")
        solved = is_solved(left, right) and _may_be_value(right, facts)
        if solved and request.of:
            break  # an equation of motion as any other
        vector = isinstance(left, Name) and left.key in FORCES and shape_of(right) is not None
        if isinstance(left, Name) and (left is node.left or force or solved or vector):
            subject = _by_name(left, right, facts, request)
            if subject is not None:
                return subject, right
    moving = any(n.dots == 2 or n.key.startswith(FORCE) for n in names(node))
    if request.of and isinstance(node.left, Name) and not is_acceleration(node.left):
        return _of(request, shape_of(node.right), facts), node.right
    if request.of:
        return _equation_of(request, facts), node
    parameter = isinstance(node.left, Name) and node.left.key in facts.parameters
    if parameter and isinstance(node.left, Name) and node.left.arguments:
        said = node.left.text or node.left.key
        raise ArgumentError(
            f"{said}(...) = is not clear: {said} is a parameter of {facts.name!r}, and no quantity "
            f"that this may be is called so; write a product as {said}*(...)"
        )
    if not (parameter and moving) and _is_definition(node.left, facts):
        return None, node
    return Subject(EQUATION), node


def _of(request: Request, shape: tuple[int, int] | None, facts: Facts) -> Subject:
    """What of= says that a formula is."""
    return named(request.of, shape, request.frame or facts.tip, len(facts.rates) == 1)


def _equation_of(request: Request, facts: Facts) -> Subject:
    """Which equation of motion of= says that a statement is."""
    subject = named(request.of, None, request.frame or facts.tip)
    if subject.kind != EQUATION:
        raise ArgumentError(
            f"this is an equation of motion, of= says {subject}; there the left side is one name"
        )
    if subject.index and not 1 <= subject.index[0] <= len(facts.rates):
        raise UnknownNameError(
            "equation", request.of, [f"tau{k + 1}" for k in range(len(facts.rates))]
        )
    return subject


def _may_be_value(node: Node, facts: Facts) -> bool:
    """Whether a side may be the value of the other one: no name that is defined by it."""
    return not isinstance(node, Name) or node.key in (*facts.parameters, *facts.coordinates)


def _by_name(left: Name, right: Node, facts: Facts, request: Request) -> Subject | None:
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


def _with_quantities(node: Node, facts: Facts, request: Request) -> Node:
    """Names of quantities, x or M12, replaced by what they are."""
    own = {*facts.parameters, *facts.coordinates, *(x for pair in facts.rates for x in pair)}

    def put(name: Name) -> Node | None:
        if name.dots or name.key in own or name.key.startswith(FORCE):
            return None
        subject = subject_of(name.key, None, request.frame or facts.tip)
        return None if subject is None else _entry(subject, facts)

    return rewritten(node, put)


def _with_its_kind(
    left: Name, about: Subject, value: Node, facts: Facts, request: Request
) -> tuple[Node, tuple[str, ...]]:
    """Other entries of what a claim is about, M12 = M21, as what they are, and what is noted."""
    notes: dict[str, None] = {}

    def put(name: Name) -> Node | None:
        letters, index = split(name.key)
        same = index and letters in (split(left.key)[0], "Gamma")
        short = looks_like_shorthand(name.key) and [*index] == sorted({*index})  # cos(q1 + q2)
        if not same or short or name.dots or alike(name.key, facts):
            return None
        subject = _by_name(name, value, facts, request)
        row = KINDS.get(subject.kind) if subject else None
        if subject is None or row is None or row.rank < 2:
            return None
        said = name.text or name.key
        if (subject.kind, subject.index) == (about.kind, about.index):
            own = left.text or left.key
            raise ArgumentError(
                f"{own} = ... with {said} on the right says nothing of {subject}: write what it is"
            )
        notes[f"{said} {UNPROVED}, {subject}"] = None
        return _entry(subject, facts)

    return rewritten(value, put), tuple(notes)


def _with_dissipation(value: Node, facts: Facts) -> Node:
    """A dissipation function beside the one whose slopes are the dissipative forces."""
    kind = next(row.exact for row in TERMS if row.has_friction)
    forces = [_entry(Subject(kind, (k + 1,)), facts) for k in range(len(facts.rates))]
    return with_truth(value, forces, facts)


def _entry(subject: Subject, facts: Facts) -> Node:
    entry = facts.of(subject)
    return from_sympy(textbook(entry) if isinstance(entry, Poly) else entry)


def _is_definition(left: Node, facts: Facts) -> bool:
    if not isinstance(left, Name) or left.dots:
        return False
    if left.key in facts.parameters:
        raise ArgumentError(
            f"{left.text or left.key} is a parameter of {facts.name!r}; if the claim is about "
            f"something else of that name, say {nearest_kinds(left.key)}"
        )
    return left.key not in facts.coordinates and not left.key.startswith(FORCE)
