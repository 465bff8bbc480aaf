"""Statements that are no claims: what a parameter is taken to be, and laws of forces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from visviva.errors import ArgumentError
from visviva.judge.check.said.statements import put_in, statements
from visviva.judge.check.said.subjects import subject_of
from visviva.judge.check.said.vocabulary import FORCE, alike
from visviva.judge.exact.facts import Facts
from visviva.notation.reading.vocabulary import Vocabulary
from visviva.notation.tree import (
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
    names,
)


def is_named(node: Node) -> TypeGuard[Any]:
    """Whether a statement says what a name is."""
    return isinstance(node, Equation) and isinstance(node.left, Name)


def shape_of(node: Node) -> tuple[int, int] | None:
    """Rows and columns of a formula that is a matrix."""
    match node:
        case Matrix(rows):
            return len(rows), len(rows[0])
        case Negative(inside) | Quotient(inside, _):
            return shape_of(inside)
        case Sum(terms):
            return shape_of(terms[0])
        case Call(function, (inside,)) if function == TRANSPOSE:
            turned = shape_of(inside)
            return turned and (turned[1], turned[0])
        case Product(factors):
            shapes = [x for x in map(shape_of, factors) if x is not None]
            shape = (shapes[0][0], shapes[-1][1]) if shapes else None
            return None if len(shapes) > 1 and shape == (1, 1) else shape
    return None


def assumed_forces(text: object, words: Vocabulary, facts: Facts) -> frozenset[str]:
    """The generalized forces that assume= says are zero: "tau2 = 0; tau3 = 0"."""
    if not isinstance(text, str):
        raise ArgumentError(f"assume= is a text, tau2 = 0; got {text!r:.60}")
    forces = set()
    for said in statements(text, words) if text.strip() else ():
        force = zero_force(said.node)
        if force is None:
            listed = ", ".join(f"tau{k + 1} = 0" for k in range(len(facts.rates)))
            raise ArgumentError(
                f"assume= takes generalized forces of {facts.name!r} as zero ({listed}), "
                f"got {said.text!r:.60}; what a parameter is stands in the claim: r2 = L2/2; ..."
            )
        forces.add(force)
    return frozenset(forces)


def zero_force(node: Node) -> str | None:
    """The force that a statement says is zero."""
    if not isinstance(node, Equation):
        return None
    for left, right in ((node.left, node.right), (node.right, node.left)):
        named = isinstance(left, Name) and left.key.startswith(FORCE) and not left.dots
        if isinstance(left, Name) and named and right == Number(0):
            return left.key
    return None


def is_law(node: Node, nodes: list[Node]) -> bool:
    """Whether a statement says what a force is, for others to use: u = -3 x; F = 0."""
    others = [x for x in nodes if x is not node]
    moving = any(n.dots == 2 for x in others for n in names(x))
    if zero_force(node) is not None:
        return moving
    if not moving or not is_named(node) or not node.left.key.startswith(FORCE):
        return False
    used = any(n.key == node.left.key for x in others for n in names(x))
    return used and not any(n.dots == 2 or n.key.startswith(FORCE) for n in names(node.right))


def must_be_new(defined: Mapping[str, Node], facts: Facts) -> None:
    """A definition of a name that could be read as a parameter says one of two things."""
    for key in (k for k, x in defined.items() if shape_of(x) is None):
        meant = alike(key, facts)
        if meant and subject_of(key, None, "") is None:
            raise ArgumentError(
                f"{key} is defined here, but may be meant as {' or '.join(meant)} of "
                f"{facts.name!r}: give {meant[0]} that value, or take another name"
            )


def free_names(assumed: Mapping[str, Node], facts: Facts) -> set[str]:
    """The names in assumptions that are none of the system's: symbols of their own."""
    moving = {*facts.coordinates, *(x for pair in facts.rates for x in pair), "t"}
    free: set[str] = set()
    for key, node in assumed.items():
        for n in names(node):
            if n.dots or n.key in moving or n.key.startswith(FORCE):
                raise ArgumentError(f"{key} is a parameter: it cannot be {n.text or n.key}")
            if n.key not in facts.parameters and n.key != "pi":
                free.add(n.key)
    return free


def assumes(node: Node, facts: Facts) -> bool:
    """Whether a statement says what a parameter is: r2 = L2/2."""
    if not is_named(node) or node.left.key not in facts.parameters or shape_of(node.right):
        return False
    if node.left.arguments:
        return False  # g(q) = ...
    moving = {*facts.coordinates, *(x for pair in facts.rates for x in pair)}
    return not any(n.key in moving or n.key.startswith(FORCE) for n in names(node.right))


def assumed_values(nodes: list[Node], facts: Facts, defined: Mapping[str, Node]) -> dict[str, Node]:
    """Parameters that statements give a value to, where there is also something to judge."""
    values: dict[str, Node] = {}
    for node in nodes if len(nodes) > 1 else ():
        if assumes(node, facts) and isinstance(node, Equation) and isinstance(node.left, Name):
            key = node.left.key
            if values.setdefault(key, node.right) != node.right:
                raise ArgumentError(f"{node.left.text or key} is taken to be two things")
    known = {**defined, **values}
    return {key: put_in(node, known) for key, node in values.items()}
