"""Values that statements give to parameters and coordinates: r2 = L2/2, q2 = pi/2.

With them the other statements are judged. Of a coordinate or a velocity that is a condition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from visviva.errors import ArgumentError
from visviva.judge.check.said.statements import Statement, is_named, put_in
from visviva.judge.check.said.vocabulary import COORDINATES, FORCE, split
from visviva.judge.exact.forms import Facts
from visviva.judge.exact.sums import symbol_of
from visviva.notation.shapes import shape_of
from visviva.notation.tree import Equation, Name, Node, names


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
    """Whether a statement says what a parameter is, r2 = L2/2, or where a coordinate is: q2 = 0."""
    if not is_named(node) or shape_of(node.right) or node.left.arguments:
        return False  # g(q) = ... is no value
    left, inside = node.left, names(node.right)
    if left.key in facts.parameters:
        moving = {*facts.coordinates, *(x for pair in facts.rates for x in pair)}
        return not any(n.key in moving or n.key.startswith(FORCE) for n in inside)
    if facts.forms.held_by:
        return False  # there it is a claim: what constraints say
    fixed = all(n.key in (*facts.parameters, "pi") and not n.dots for n in inside)
    return fixed and is_place(symbol_of(left), facts) if left.dots < 2 else False


def is_place(symbol: str, facts: Facts) -> bool:
    """Whether a symbol is that of a coordinate or a velocity: a value of it is a condition."""
    return symbol in facts.coordinates or any(symbol == v for v, _ in facts.rates)


def with_places(stated: list[Statement], facts: Facts) -> list[Statement]:
    """Statements that give a coordinate a value, theta2 = pi/2, by the name that the system has."""
    if len(stated) == 1:
        return stated
    found = []
    for x in stated:
        node = x.node
        if isinstance(node, Equation) and isinstance(node.left, Name):
            own = _coordinate(node.left, facts)
            put = Equation(replace(node.left, key=own), node.right, column=node.column)
            x = x._replace(node=put) if own and assumes(put, facts) else x
        found.append(x)
    return found


def _coordinate(name: Name, facts: Facts) -> str:
    """The coordinate that a strange name with an index means."""
    stem, index = split(name.key)
    n = len(facts.coordinates)
    own = {*facts.coordinates, *facts.parameters, *facts.joints}
    if name.key in own or stem not in COORDINATES or not index or not 1 <= int(index) <= n:
        return ""
    return facts.coordinates[int(index) - 1]


def assumed_values(nodes: list[Node], facts: Facts, defined: Mapping[str, Node]) -> dict[str, Node]:
    """What statements give a value to, where there is also something to judge."""
    values: dict[str, Node] = {}
    for node in nodes if len(nodes) > 1 else ():
        if assumes(node, facts) and isinstance(node, Equation) and isinstance(node.left, Name):
            key = symbol_of(node.left)
            if values.setdefault(key, node.right) != node.right:
                raise ArgumentError(f"{node.left.text or key} is taken to be two things")
    known = {**defined, **values}
    return {key: put_in(node, known) for key, node in values.items()}
