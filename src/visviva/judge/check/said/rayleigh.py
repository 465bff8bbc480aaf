"""Rayleigh's dissipation function, D = ½ c ẋ²: half the power that viscous friction takes."""

from __future__ import annotations

from fractions import Fraction

from visviva.errors import ArgumentError
from visviva.judge.check.said.subjects import IDENTITY, Subject
from visviva.judge.check.said.used import degree_in_rates
from visviva.judge.exact.forms import Facts
from visviva.notation.shapes import shape_of
from visviva.notation.tree import Call, Equation, Name, Node, Number, Product, Sum, names, walk

_LETTERS = ("D", "R", "F")  # of books; F upright is a force
_SCRIPT = ("\\mathcal", "\\mathscr", "ℱ", "ℛ", "𝓕", "𝒟", "𝓓", "𝓡")


def dissipation_function(node: Node, facts: Facts) -> tuple[Subject, Node] | None:
    """What D = ... is about if it has squares of velocities and no acceleration, and its value."""
    if not isinstance(node, Equation) or not isinstance(node.left, Name):
        return None
    left, right = node.left, node.right
    said, rates = left.text or left.key, [v for v, _ in facts.rates]
    script = any(x in said for x in _SCRIPT)
    letter = said.strip("{} ")[-1:] if script else said
    own = left.dots or left.arguments or left.key in (*facts.parameters, *facts.coordinates)
    if letter not in _LETTERS or own or shape_of(right) is not None:
        return None
    squares = degree_in_rates(right, rates) == 2 and not any(n.dots == 2 for n in names(right))
    if not squares or _is_moved(right, facts):
        return None
    if letter == "F" and not script:
        raise ArgumentError(
            f"{said} = ... has squares of velocities and no acceleration: for Rayleigh's "
            f"dissipation function write D = ..., for an equation of motion all its terms, tau1 = "
            "..., for the dissipative forces b1 = ..."
        )
    return Subject(IDENTITY, said="Rayleigh's dissipation function"), right


def with_truth(value: Node, forces: list[Node], facts: Facts) -> Node:
    """The function beside ½ b · v, which it is where the forces b are linear in velocities."""
    rates = [v for v, _ in facts.rates]
    for b in forces:
        calls = (x for x in walk(b) if isinstance(x, Call))
        if degree_in_rates(b, rates) > 1 or any(degree_in_rates(x, rates) for x in calls):
            raise ArgumentError(
                f"the dissipative forces of {facts.name!r} are not linear in velocities, so half "
                "their power is no dissipation function: judge them by b1 = ..."
            )
    power = Sum(tuple(Product((b, Name(v))) for b, v in zip(forces, rates, strict=True)))
    return Equation(Product((Number(Fraction(1, 2)), power)), value)


def _is_moved(node: Node, facts: Facts) -> bool:
    """Whether there is a term without velocities, which a dissipation function has not."""
    terms = node.terms if isinstance(node, Sum) else (node,)
    return any(degree_in_rates(x, [v for v, _ in facts.rates]) == 0 for x in terms)
