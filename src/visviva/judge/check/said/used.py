"""Names that a claim defines and uses: which of them are quantities of the system too.

In T = …; V = …; L = T - V all three are judged. A letter whose formula shows another meaning, as
T = 2 pi sqrt(l/g) does, is used alone, and a note says so.
"""

from __future__ import annotations

from collections.abc import Collection

from visviva.describe.quantities import KINDS
from visviva.judge.check.said.statements import shape_of
from visviva.judge.check.said.subjects import Subject
from visviva.judge.check.said.vocabulary import ANGLES, split
from visviva.judge.exact.forms import Facts
from visviva.notation.tree import Name, Negative, Node, Number, Power, Product, Quotient, Sum, names

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
    degree = degree_in_rates(right, {v for v, _ in facts.rates})
    if subject.kind in _OF_MOTION:
        return degree >= 2
    if subject.kind in _OF_PLACES:
        return degree == 0 and any(_is_coordinate(n, facts) for n in names(right))
    return subject.kind in _MOMENTA and degree >= 1


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


def degree_in_rates(node: Node, rates: Collection[str]) -> int:
    """The highest power of velocities in a formula; inside of functions they count as there."""
    match node:
        case Name(key, dots):
            return int(dots == 1 or key in rates)
        case Sum(terms):
            return max(degree_in_rates(x, rates) for x in terms)
        case Product(factors):
            return sum(degree_in_rates(x, rates) for x in factors)
        case Negative(inside) | Quotient(inside, _):
            return degree_in_rates(inside, rates)
        case Power(base, Number(value)):
            return int(degree_in_rates(base, rates) * value)
    return sum(n.dots == 1 or n.key in rates for n in names(node))
