"""Names that a claim defines and uses: which of them are quantities of the system too.

In T = …; V = …; L = T - V all three are judged, as is what ∂/∂q is taken of. A letter whose formula
shows another meaning, as T = 2 pi sqrt(l/g) does, is used alone, and a note says so. V is known up
to a constant, so that in V = … + C the C is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from visviva.describe.quantities import KINDS
from visviva.errors import ArgumentError
from visviva.judge.check.said.quantities import OWN, marked_subject, marker
from visviva.judge.check.said.statements import Statement, is_named, put_in
from visviva.judge.check.said.subjects import Subject, subject_of
from visviva.judge.check.said.vocabulary import ANGLES, INERTIAS, split
from visviva.judge.exact.forms import Facts
from visviva.notation.names import inside
from visviva.notation.shapes import shape_of
from visviva.notation.tree import (
    IN_TIME,
    OF_MATRICES,
    SLOPE,
    TRANSPOSE,
    Call,
    Equation,
    Matrix,
    Name,
    Negative,
    Node,
    Number,
    Product,
    Quotient,
    Sum,
    children,
    degree_in_rates,
    names,
    rebuilt,
    rewritten,
    walk,
)

# energies in which the potential is, and so its zero
WITH_ZERO = tuple(
    kind
    for kind, row in KINDS.items()
    if row.rank == 0 and row.letters and row.sign <= 0 and not row.of_rows
)
_NAMES = tuple("const constant cst konst C c C0 C1 c0 c1 V0 U0 E0 P0 Vref Uref".split())
KEPT = inside("kept", "")  # begins names that are perhaps fixed in derivatives
OPEN = "is a constant of the energy, of any size"  # noted where one was left out
_ENERGIES = {kind: row for kind, row in KINDS.items() if row.rank == 0}
_OF_MOTION = [kind for kind, row in _ENERGIES.items() if "v" in row.inputs]  # squares of velocities
_OF_PLACES = [kind for kind, row in _ENERGIES.items() if "v" not in row.inputs]  # of coordinates
_OF_PLACES += [kind for kind, row in KINDS.items() if row.about and "p" in row.letters]
_MOMENTA = [kind for kind, row in KINDS.items() if "p" in row.letters and not row.about]


def is_indexed(left: Name, right: Node, subject: Subject) -> bool:
    """Whether a name that other statements use is that quantity too: M12, not g = 9.81."""
    indexed = left.key[-1:].isdigit() or shape_of(right) is not None
    return indexed and subject.kind in KINDS and KINDS[subject.kind].is_clear


def is_meant(right: Node, subject: Subject, facts: Facts) -> bool:
    """Whether a formula, definitions put in, may be the quantity that its letter means in books."""
    rates = {v for v, _ in facts.rates}
    degree = degree_in_rates(_with_velocities(right, rates), rates)
    if subject.kind in _OF_MOTION:
        return degree >= 2
    if subject.kind in _OF_PLACES:
        return degree == 0 and any(_is_coordinate(n, facts) for n in names(right))
    return subject.kind in _MOMENTA and degree >= 1


def _with_velocities(node: Node, rates: Collection[str]) -> Node:
    """Rates of positions, d/dt(x + l sin θ), as velocities."""
    timed = isinstance(node, Call) and node.function == IN_TIME
    if timed and not degree_in_rates(children(node)[0], rates):
        return Name(inside("rate", ""), 1)
    return rebuilt(node, tuple(_with_velocities(x, rates) for x in children(node)))


def used_as_energies(stated: list[Statement], defined: Mapping[str, Node]) -> frozenset[str]:
    """Letters of energies that are derived by coordinates, ∂T/∂q, or added up, L = T - V.

    A potential that is derived and has rates in it is an effective one, U = p²/(2 m r²) - k/r.
    """
    slopes = (x for s in stated for x in walk(s.node) if isinstance(x, Call))
    derived = {key for x in slopes if x.function == SLOPE for key in _terms(x.arguments[0])}
    derived -= {
        x for x in derived & {*defined} if _is_energy(x, _OF_PLACES) and _moves(defined[x], defined)
    }
    sums = [defined[key] for key in defined if _is_energy(key)]
    added = {key for x in sums for key in _terms(x) if _is_energy(key)}
    whole = {key for key in defined if _is_energy(key) and {*_terms(defined[key])} & added}
    found, more = set[str](), derived | added | whole
    while more:
        found |= more
        more = {key for x in more & {*defined} for key in _terms(defined[x])} - found
    return frozenset(x for x in found if _is_energy(x))


def _terms(node: Node) -> list[str]:
    """The names that a formula adds up, with numbers before or below them."""
    match node:
        case Name(key, 0):
            return [key]
        case Negative(of) | Quotient(of, Number()):
            return _terms(of)
        case Sum(terms):
            return [key for x in terms for key in _terms(x)]
        case Product(factors):
            rest = [x for x in factors if not isinstance(x, Number)]
            return _terms(rest[0]) if len(rest) == 1 else []
    return []


def _is_energy(key: str, kinds: Collection[str] = tuple(_ENERGIES)) -> bool:
    """By its letter, of the claim or of the mechanism."""
    subject = marked_subject(key) if key.startswith(OWN) else subject_of(key, None, "")
    return subject is not None and subject.kind in kinds


def must_have_rates(left: Name, right: Node, subject: Subject, facts: Facts) -> None:
    """Refuses T = 2 pi sqrt(l/g), a period: π and no velocities make no kinetic energy."""
    said = left.text or left.key
    if said != "T" or subject.kind not in _OF_MOTION or Name("pi") not in names(right):
        return
    rates = {v for v, _ in facts.rates}
    moving = any(n.dots or n.key in rates or n.key.startswith("⟨") for n in names(right))
    if not moving and not any(isinstance(x, Call) and x.function == IN_TIME for x in walk(right)):
        raise ArgumentError(
            f"{said} = ... has π and no velocities in it, as a period has: periods are "
            "[1/x.frequency for x in system.linearize(q).modes]; "
            f"for a wrong kinetic energy say of={subject.kind!r}"
        )


def judged_too(left: Name, subject: Subject) -> str:
    """The note on a name that is judged, though it may be meant as an abbreviation."""
    said = left.text or left.key
    return f"{said} is judged as {subject}; call it otherwise if it is something else"


def only_used(left: Name, subject: Subject) -> str:
    """The note on a name that is not."""
    said = left.text or left.key
    return f"{said} is used as it is defined, not judged as {subject}"


def _is_coordinate(name: Name, facts: Facts) -> bool:
    """By its name, or as books call coordinates."""
    book = split(name.key)[0] in ANGLES and name.key not in facts.parameters
    return name.key in facts.coordinates or book


def with_held(node: Node, defined: Mapping[str, Node]) -> Node:
    """Derivatives with what the names in them stand for, where that has rates in it: ℓ = m r² θ'.

    Whether such a name is fixed in a derivative is decided when all names are read.
    """
    inside_ = tuple(with_held(x, defined) for x in children(node))
    if not (isinstance(node, Call) and node.function == SLOPE) or len(inside_) > 2:
        return rebuilt(node, inside_)
    used, found = [n for x in inside_ for n in names(x)], dict[str, Node]()
    while used:
        n = used.pop()
        if n.key in defined and n.key not in found and _moves(defined[n.key], defined):
            found[n.key] = defined[n.key]
            used += names(defined[n.key])

    def put(name: Name) -> Node | None:
        known = name.key in found and not name.dots
        return replace(name, key=f"{KEPT}{name.key}") if known else None

    where = (Equation(Name(f"{KEPT}{k}"), rewritten(x, put)) for k, x in found.items())
    return rebuilt(node, (*(rewritten(x, put) for x in inside_), *where))


def _moves(node: Node, defined: Mapping[str, Node]) -> bool:
    """Whether a number that a name stands for has rates or quantities of the mechanism in it."""
    whole = put_in(node, defined)
    moving = any(n.dots or n.key.startswith("⟨") for n in names(whole))
    return moving and shape_of(whole) is None


def must_depend(node: Node, defined: Mapping[str, Node], facts: Facts) -> None:
    """Refuses du/dφ of u = 1/r, which is 0 as a derivative and u'/φ' along a motion."""
    if isinstance(node, Equation) and Number(0) in (node.left, node.right):
        return
    for x in walk(node):
        if not (isinstance(x, Call) and x.function == SLOPE and len(x.arguments) == 2):
            continue
        of, by = x.arguments
        if not (isinstance(of, Name) and of.key in defined and isinstance(by, Name)):
            continue
        there = {n.key for n in names(put_in(defined[of.key], defined))}
        if by.key in facts.coordinates and by.key not in there and there & {*facts.coordinates}:
            u, phi = of.text or of.key, by.text or by.key
            raise ArgumentError(
                f"the derivative of {u} by {phi} is 0, as {u} has no {phi} in it; along a motion "
                f"it is {u}'/{phi}': write it so"
            )


def with_identity(said: Statement, facts: Facts) -> Statement:
    """M = m I with the identity matrix, where nothing of the system has the letter of inertias.

    So far as K is a matrix, it is that of stiffness.
    """
    said = with_stiffness(said, facts)
    n = len(facts.rates)
    own = {split(x)[0] for x in (*facts.parameters, *facts.coordinates)}
    whole = is_named(said.node) and said.node.left.key == "M" and "M" not in facts.parameters
    if n == 1 or not whole or not own.isdisjoint(INERTIAS):
        return said
    rows = tuple(tuple(Number(int(i == j)) for j in range(n)) for i in range(n))

    def put(name: Name) -> Node | None:
        return Matrix(rows, column=name.column) if name.key in ("I", f"I{n}") else None

    node = rewritten(said.node, put)
    notes = () if node == said.node else ("I is the identity matrix",)
    return said._replace(node=node, notes=said.notes + notes)


def with_stiffness(said: Statement, facts: Facts) -> Statement:
    """det K, tr K and K^T = K of the stiffness matrix ∂²V/∂q², as an energy has none of these."""
    n = len(facts.rates)
    if n == 1 or len(facts.moving) != n or "K" in (*facts.parameters, *facts.coordinates):
        return said
    alone = names(said.node) == [Name("K")]  # no K^T q
    matrices = (*OF_MATRICES, TRANSPOSE) if alone else OF_MATRICES
    calls = (x for x in walk(said.node) if isinstance(x, Call) and x.function in matrices)
    if not any(Name("K") in names(x) for x in calls):
        return said
    V = marker(Subject("potential_energy"), Name("K"))
    slopes = [Call(SLOPE, (V, Name(q))) for q in facts.coordinates]
    rows = tuple(tuple(Call(SLOPE, (x, Name(q))) for q in facts.coordinates) for x in slopes)
    own = said.node.left if is_named(said.node) else None

    def put(name: Name) -> Node | None:
        return Matrix(rows, column=name.column) if name == Name("K") and name is not own else None

    return said._replace(node=rewritten(said.node, put))


def without_constants(stated: list[Statement], facts: Facts) -> list[Statement]:
    """Statements of energies without the constant at their end, and a note that it was there."""
    own = {*facts.parameters, *facts.coordinates}
    left = {x.node.left.key for x in stated if is_named(x.node)}
    found = {n.key for x in stated for n in names(x.node)}
    free = {x for x in _NAMES if x in found and x not in own and x not in left}
    return [_without(x, free) for x in stated] if free else stated


def is_open(notes: tuple[str, ...]) -> bool:
    """Whether a claim leaves a constant open."""
    return any(x.endswith(OPEN) for x in notes)


def _without(said: Statement, free: set[str]) -> Statement:
    node = said.node
    if not isinstance(node, Equation) or not isinstance(node.left, Name):
        return said
    subject = subject_of(node.left.key, None, "")
    if subject is None or subject.kind not in WITH_ZERO or not isinstance(node.right, Sum):
        return said
    rest = tuple(x for x in node.right.terms if not _is_constant(x, free))
    there = [x for x in node.right.terms if _is_constant(x, free)]
    if len(there) != 1 or any(n.key in free for x in rest for n in names(x)):
        return said
    name = names(there[0])[0]
    right = rest[0] if len(rest) == 1 else Sum(rest, column=node.right.column)
    note = f"{name.text or name.key} {OPEN}"
    return said._replace(
        node=Equation(node.left, right, column=node.column), notes=(*said.notes, note)
    )


def _is_constant(term: Node, free: set[str]) -> bool:
    inside = term.of if isinstance(term, Negative) else term
    return isinstance(inside, Name) and not inside.dots and inside.key in free
