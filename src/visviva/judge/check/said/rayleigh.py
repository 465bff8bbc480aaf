"""Quantities that are made of others: Rayleigh's function, symbols of the second kind.

D = ½ c ẋ² is half the power that viscous friction takes; Γ^r_θθ with a name above is M⁻¹ Γ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy

from visviva.algebra.exact.poly import Poly
from visviva.describe.quantities import KINDS, MASS_TERM, TERMS
from visviva.errors import ArgumentError
from visviva.judge.check.said.books import by_coordinates
from visviva.judge.check.said.quantities import OWN, terms_of
from visviva.judge.check.said.statements import Statement, is_named
from visviva.judge.check.said.subjects import IDENTITY, Subject
from visviva.judge.exact.forms import Facts
from visviva.notation.names import inside
from visviva.notation.shapes import shape_of
from visviva.notation.textbook.writer import textbook
from visviva.notation.tree import (
    IN_TIME,
    SLOPE,
    Call,
    Equation,
    Matrix,
    Name,
    Node,
    Number,
    Product,
    Sum,
    children,
    degree_in_rates,
    names,
    rebuilt,
    rewritten,
    walk,
)
from visviva.notation.tree_sympy import from_sympy

RAYLEIGH, SECOND_KIND = "dissipation_function", "second_kind"  # of marked names
_SYMBOLS = next(kind for kind, row in KINDS.items() if "Gamma" in row.letters)
MOST_SOLVED = 3  # coordinates of a mass matrix that is inverted
CALLED = inside("rayleigh", "")  # begins the name of one that the claim defines
_LETTERS = ("D", "R", "F")  # of books; F upright is a force
_SCRIPT = ("\\mathcal", "\\mathscr", "ℱ", "ℛ", "𝓕", "𝒟", "𝓓", "𝓡")


def dissipation_function(node: Node, facts: Facts) -> tuple[Subject, Node] | None:
    """What D = ... is about if it has squares of velocities and no acceleration, and its value."""
    if not isinstance(node, Equation) or not isinstance(node.left, Name):
        return None
    left, right = node.left, node.right
    said, rates = left.text or left.key, [v for v, _ in facts.rates]
    script, letter = any(x in said for x in _SCRIPT), _letter(left, facts)
    if not letter or shape_of(right) is not None:
        return None
    squares = degree_in_rates(right, rates) == 2 and not any(n.dots == 2 for n in names(right))
    if not squares or _is_moved(right, facts):
        return None
    if letter == "F" and not script and not left.key.startswith(CALLED):
        raise ArgumentError(
            f"{said} = ... has squares of velocities and no acceleration: for Rayleigh's "
            f"dissipation function write D = ..., for an equation of motion all its terms, tau1 = "
            "..., for the dissipative forces b1 = ..."
        )
    return Subject(IDENTITY, said="Rayleigh's dissipation function"), right


def with_dissipation(stated: list[Statement], facts: Facts) -> list[Statement]:
    """D, R and F that are derived by velocities, or are half of dE/dt, as that function.

    Where the claim says what it is, by a name of its own; otherwise the system's own one.
    """
    found = {n.key: n for x in stated for n in _functions(x.node, facts)}
    if not found:
        return stated
    rates = [v for v, _ in facts.rates]
    left = {
        x.node.left.key
        for x in stated
        if is_named(x.node) and degree_in_rates(x.node.right, rates) == 2 and not x.node.left.dots
    }

    def put(name: Name) -> Node | None:
        if name.key not in found or name.dots:
            return None
        if name.key in left:
            return replace(name, key=f"{CALLED}{_letter(name, facts)}")
        if not any(map(facts.of, _friction(facts))):
            said = name.text or name.key
            raise ArgumentError(
                f"{said} would be Rayleigh's dissipation function here, and {facts.name!r} has no "
                f"dissipation: leave it out, say first what it is, {said} = ...; ..., or state the "
                "system with it"
            )
        return replace(name, key=f"{OWN}{RAYLEIGH}//", text=name.text or name.key)

    def putting(node: Node) -> Node:
        if isinstance(node, Equation) and isinstance(node.left, Name) and node.left.key in left:
            return Equation(put(node.left) or node.left, putting(node.right), column=node.column)
        if isinstance(node, Equation) and _balanced(node, facts):
            return rewritten(node, put)
        if isinstance(node, Call) and node.function == SLOPE and _by_rates(node, facts):
            return rewritten(node, put)
        return rebuilt(node, tuple(map(putting, children(node))))

    return [x._replace(node=putting(x.node)) for x in stated]


def with_second_kind(stated: list[Statement], facts: Facts) -> list[Statement]:
    """Γ^r_θθ, a coordinate above: of the second kind in all books, and marked as that."""
    return [_with_second_kind(x, facts) for x in stated]


def _with_second_kind(said: Statement, facts: Facts) -> Statement:
    found: dict[str, str] = {}

    def put(name: Name) -> Node | None:
        text = name.text
        if not name.key.startswith("Gamma") or "^" not in text or name.key[5:].isdigit():
            return None
        index = by_coordinates(name.key, facts).removeprefix("Gamma")
        if not index.isdigit() or len(index) != 3 or name.dots:
            return None
        own = [facts.coordinates[int(k) - 1] for k in index]
        text = f"Γ^{own[0]}_{{{own[1]} {own[2]}}}"
        found[text] = f"Gamma_{{{','.join(index)}}}"
        return replace(name, key=f"{OWN}{SECOND_KIND}/{','.join(index)}/", text=text)

    node = rewritten(said.node, put)
    if not found:
        return said
    if isinstance(node, Equation) and isinstance(node.left, Name):  # compared side by side
        node = Equation(Product((Number(1), node.left)), node.right, column=node.column)
    notes = (
        f"{text} with a coordinate above is of the second kind, M⁻¹ Γ; of the first kind it is "
        f"{first}"
        for text, first in found.items()
    )
    return said._replace(node=node, notes=(*said.notes, *notes))


def _second_kind(index: tuple[int, ...], facts: Facts) -> Node:
    i, j, k = index
    places = range(1, len(facts.rates) + 1)
    gamma = [_expression(Subject(_SYMBOLS, (h, j, k)), facts) for h in places]
    row = [_expression(Subject(MASS_TERM.exact, (i, h)), facts) for h in places]
    if not any(x for h, x in enumerate(row) if h != i - 1):
        return from_sympy(gamma[i - 1] / row[i - 1])
    if len(row) > MOST_SOLVED:
        raise ArgumentError(
            f"symbols of the second kind need M⁻¹, which is not written out for {len(row)} "
            "coordinates: judge those of the first kind, Gamma_{1,2,2} = ..."
        )
    rows = ([Subject(MASS_TERM.exact, (a, b)) for b in places] for a in places)
    M = sympy.Matrix([[_expression(x, facts) for x in subjects] for subjects in rows])
    return from_sympy((M.adjugate()[i - 1, :] * sympy.Matrix(gamma))[0] / M.det())


def _expression(subject: Subject, facts: Facts) -> Any:
    entry = facts.of(subject)
    return sympy.S(textbook(entry) if isinstance(entry, Poly) else entry)


def made(subject: Subject, facts: Facts) -> Node | None:
    """The formula of a quantity that is made of others; None of those in the table."""
    if subject.kind == SECOND_KIND:
        return _second_kind(subject.index, facts)
    return own_function(facts) if subject.kind == RAYLEIGH else None


def _functions(node: Node, facts: Facts) -> Iterator[Name]:
    """The names in a statement that are dissipation functions by where they stand."""
    for x in walk(node):
        if isinstance(x, Call) and x.function == SLOPE and _by_rates(x, facts):
            yield from (n for n in terms_of(x.arguments[0]) if _letter(n, facts))
        elif isinstance(x, Equation):
            yield from _balanced(x, facts)


def _by_rates(slope: Call, facts: Facts) -> bool:
    by = slope.arguments[1]
    rates = {v for v, _ in facts.rates}
    single = children(by) if isinstance(by, Matrix) else (by,)
    return all(isinstance(x, Name) and (x.dots == 1 or x.key in rates) for x in single)


def _balanced(node: Equation, facts: Facts) -> list[Name]:
    """D of dE/dt = -2 D."""
    for one, other in ((node.left, node.right), (node.right, node.left)):
        rate = isinstance(one, Name) and one.dots == 1 and one.key in ("E", "H")
        if isinstance(one, Call) and one.function == IN_TIME:  # of m x' it is a force
            rate = {n.key for n in names(one)} <= {*"EHTVKU"} - {*facts.parameters}
        there = [*terms_of(other)]
        if rate and len(there) == 1 and names(other) == there and _letter(there[0], facts):
            return there
    return []


def _letter(name: Name, facts: Facts) -> str:
    """The letter of books that a name is, if it is none of the system's."""
    said = name.text or name.key
    letter = said.strip("{} ")[-1:] if any(x in said for x in _SCRIPT) else said
    letter = {"ℱ": "F", "𝓕": "F", "ℛ": "R", "𝓡": "R", "𝒟": "D", "𝓓": "D"}.get(letter, letter)
    own = name.dots or name.arguments or name.key in (*facts.parameters, *facts.coordinates)
    return letter if letter in _LETTERS and not own else ""


def _friction(facts: Facts) -> list[Subject]:
    kind = next(row.exact for row in TERMS if row.has_friction)
    return [Subject(kind, (k + 1,)) for k in range(len(facts.rates))]


def own_function(facts: Facts) -> Node:
    """½ b · v, which it is where the forces b are linear in velocities."""
    rates = [v for v, _ in facts.rates]
    forces = [from_sympy(_expression(x, facts)) for x in _friction(facts)]
    for b in forces:
        calls = (x for x in walk(b) if isinstance(x, Call))
        if degree_in_rates(b, rates) > 1 or any(degree_in_rates(x, rates) for x in calls):
            raise ArgumentError(
                f"the dissipative forces of {facts.name!r} are not linear in velocities, so half "
                "their power is no dissipation function: judge them by b1 = ..."
            )
    power = Sum(tuple(Product((b, Name(v))) for b, v in zip(forces, rates, strict=True)))
    return Product((Number(Fraction(1, 2)), power))


def _is_moved(node: Node, facts: Facts) -> bool:
    """Whether there is a term without velocities, which a dissipation function has not."""
    terms = node.terms if isinstance(node, Sum) else (node,)
    return any(degree_in_rates(x, [v for v, _ in facts.rates]) == 0 for x in terms)
