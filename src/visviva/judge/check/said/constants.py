"""Constants of energies: V is known up to one, so that V = … + C says the same for every C."""

from __future__ import annotations

from visviva.describe.quantities import KINDS
from visviva.judge.check.said.statements import Statement, is_named
from visviva.judge.check.said.subjects import subject_of
from visviva.judge.exact.forms import Facts
from visviva.notation.tree import Equation, Name, Negative, Node, Sum, names

# energies in which the potential is, and so its zero
WITH_ZERO = tuple(
    kind
    for kind, row in KINDS.items()
    if row.rank == 0 and row.letters and row.sign <= 0 and not row.of_rows
)
_NAMES = tuple("const constant cst konst C c C0 C1 c0 c1 V0 U0 E0 P0 Vref Uref".split())
OPEN = "is a constant of the energy, of any size"  # noted where one was left out


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
