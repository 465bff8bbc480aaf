"""Values that statements give to parameters and coordinates: r2 = L2/2, q2 = pi/2.

With them the other statements are judged. Of a coordinate or a velocity that is a condition; of an
acceleration it is one beside a formula for a force that needs it, q1'' = 0; tau2 = ..., and else a
claim, see `own_accelerations`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeGuard

from visviva.errors import ArgumentError
from visviva.judge.check.said.laws import zero_force
from visviva.judge.check.said.runs import unit_notes
from visviva.judge.check.said.statements import Statement, is_named, put_in
from visviva.judge.check.said.subjects import FORCES
from visviva.judge.check.said.vocabulary import COORDINATES, FORCE, alike, split
from visviva.judge.exact.energy_forms import WEIGHTS
from visviva.judge.exact.forms import Facts
from visviva.judge.exact.sums import symbol_of
from visviva.notation.reading.read import canonical
from visviva.notation.shapes import shape_of
from visviva.notation.tree import (
    IN_TIME,
    SLOPE,
    Call,
    Equation,
    Matrix,
    Name,
    Negative,
    Node,
    Number,
    Quotient,
    Sum,
    names,
    rewritten,
    walk,
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


def must_claim(said: Statement, facts: Facts) -> None:
    """Refuses q2 = 0 alone: where a coordinate is, is what other statements hold under."""
    (there,) = with_coordinates([said], facts)
    own = is_named(there.node) and there.node.left.key in facts.parameters
    if assumes(there.node, facts) and not own:
        raise ArgumentError(
            f"{said.text:.80} says where, and not what holds there: write it before a claim, "
            f"{said.text:.80}; V = ..."
        )


def gives_value(node: Node, facts: Facts) -> bool:
    """Whether a statement gives anything of the system a value, an acceleration too."""
    moving = is_named(node) and node.left.dots == 2 and node.left.key in facts.coordinates
    return assumes(node, facts) or (moving and isinstance(node, Equation) and not names(node.right))


def fixes_motion(assumed: Iterable[tuple[str, Node]], facts: Facts) -> bool:
    """Whether all accelerations are given values: equations are not solved for any then."""
    return {a for _, a in facts.rates} <= {key for key, _ in assumed}


def is_place(symbol: str, facts: Facts) -> bool:
    """Whether a symbol is that of a coordinate or its rates: a value of it is a condition.

    Accelerations are typed as q1''; those that are to be a condition go by their symbol.
    """
    rates = {*(v for v, _ in facts.rates), *(a for _, _, a in facts.moving)}
    return symbol in facts.coordinates or symbol in rates


def own_accelerations(assumed: Mapping[str, Node], facts: Facts) -> list[frozenset[str]]:
    """Which accelerations that were taken as given may be claims of their own instead.

    All of them, or those that nothing drives, together and one by one: these follow. r' = 0;
    r'' = 0 is one condition.
    """
    rests = {a for v, a in facts.rates if v in assumed and assumed.get(a) == Number(0)}
    given = [a for _, a in facts.rates if a in assumed and a not in rests]
    free = [a for a in given if a in {facts.rates[k][1] for k in facts.passive}]
    ways = [frozenset(x) for x in (given, free, *([a] for a in free))]
    return [x for x in dict.fromkeys(ways) if x]


def with_places(
    stated: list[Statement], facts: Facts, of: str, claimed: Collection[str] = ()
) -> list[Statement]:
    """Statements that give values, theta2 = pi/2, r2 = l2/2, by the names that the system has.

    Their units are those that left sides have, or what `of` says a formula is. Accelerations
    that are `claimed`, by their symbols, stay claims.
    """
    stated = [_measured(x, facts, of, len(stated) == 1) for x in stated]
    stated = [y for x in stated for y in _entries(x)]
    if len(stated) == 1:
        return stated
    stated = _with_gravity(stated, facts)
    for x in stated:
        _must_be_value(x, facts)
    stated = _with_accelerations(with_coordinates(stated, facts), facts, claimed)
    return _with_parameters(stated, facts)


def _measured(said: Statement, facts: Facts, of: str, alone: bool) -> Statement:
    left = said.node.left if isinstance(said.node, Equation) else Name(canonical(of))
    if not isinstance(left, Name):
        return said
    return said._replace(notes=unit_notes(said.text, left, said.notes, facts, alone))


def is_gravity(node: Node, facts: Facts) -> TypeGuard[Any]:
    """Whether g = 9.81 is said where a_g is the one parameter of gravity, and nothing is g."""
    if not is_named(node) or not isinstance(node.right, Number):
        return False
    left, own = node.left, facts.forms.weights
    if left.key not in WEIGHTS or left.dots or left.arguments or left.key in facts.coordinates:
        return False
    return left.key not in facts.parameters and len(own) == 1 and alike(left.key, facts) == [*own]


def _with_gravity(stated: list[Statement], facts: Facts) -> list[Statement]:
    """g = 9.81 as the value of the one parameter of gravity, in all statements."""
    letters = {x.node.left.key for x in stated if is_gravity(x.node, facts)}
    own = facts.forms.weights if letters else ()
    if not letters or any(n.key == own[0] for x in stated for n in names(x.node)):
        return stated

    def put(name: Name) -> Node | None:
        same = name.key in letters and not (name.dots or name.arguments)
        return replace(name, key=own[0]) if same else None

    note = f"{', '.join(letters)} is {own[0]}, the one parameter of gravity of {facts.name}"
    return [x._replace(node=rewritten(x.node, put), notes=(*x.notes, note)) for x in stated]


def _entries(said: Statement) -> list[Statement]:
    """q' = 0 of several coordinates as a statement for each: 0 is the zero vector."""
    node = said.node
    if not isinstance(node, Equation) or not isinstance(node.left, Matrix):
        return [said]
    left, right = (
        [x for row in y.rows for x in row] if isinstance(y, Matrix) else [y]
        for y in (node.left, node.right)
    )
    right = right * len(left) if right == [Number(0)] else right
    if not all(isinstance(x, Name) for x in left) or len(left) != len(right):
        return [said]
    if any(names(x) for x in right):
        return [said]
    pairs = zip(left, right, strict=True)
    return [said._replace(node=Equation(a, b, column=node.column)) for a, b in pairs]


def _must_be_value(said: Statement, facts: Facts) -> None:
    """Refuses q2 = q1 beside other statements: two coordinates are one only where they are held."""
    node = said.node
    if facts.forms.held_by or not is_named(node) or node.left.key not in facts.coordinates:
        return
    inside = names(node.right)
    others = [n for n in inside if n.key in facts.coordinates and n.dots == node.left.dots < 2]
    rest = [n for n in inside if n not in others]
    if (
        not others
        or node.left in inside
        or not all(n.key in (*facts.parameters, "pi") for n in rest)
    ):
        return
    name, other = (n.text or n.key for n in (node.left, others[0]))
    raise ArgumentError(
        f"{said.text:.80}: {name} in terms of {other} is no value, and no condition: write "
        f"formulas that hold for all {name} and {other}, or give both a value, "
        f"{name} = 0; {other} = 0; ..."
    )


def _with_accelerations(
    stated: list[Statement], facts: Facts, claimed: Collection[str]
) -> list[Statement]:
    """Beside a formula for a force, or a balance, accelerations that are given a value by their
    symbols."""
    symbols = {q: a for q, _, a in facts.moving if a not in claimed}
    stated = _with_rests(stated, facts)
    beside = any(_is_force(x.node) or _is_balance(x.node, facts) for x in stated)
    if facts.forms.held_by or not beside:
        return stated
    found = []
    for x in stated:
        node = x.node
        if is_named(node) and node.left.dots == 2 and node.left.key in symbols:
            put = Equation(replace(node.left, key=symbols[node.left.key], dots=0), node.right)
            x = x._replace(node=put) if assumes(put, facts) else x
        found.append(x)
    return found


def _with_rests(stated: list[Statement], facts: Facts) -> list[Statement]:
    """s'' = 0; s = g/w^2 says where it rests: a balance, as nothing else is said of s''."""
    moving = any(is_named(x.node) and x.node.left.dots == 2 for x in stated)
    if not moving or not all(gives_value(x.node, facts) for x in stated):
        return stated
    found = []
    for x in stated:
        node = x.node
        below = any(isinstance(y, Quotient) and names(y.bottom) for y in walk(node))
        if below and is_named(node) and node.left.key in facts.coordinates:
            gap = Sum((node.left, Negative(node.right)), column=node.column)
            x = x._replace(node=Equation(gap, Number(0), column=node.column))
        found.append(x)
    return found


def _is_balance(node: Node, facts: Facts) -> bool:
    """Whether a statement is an equation of positions and velocities alone: w^2 s = g."""
    if not isinstance(node, Equation) or assumes(node, facts):
        return False
    if isinstance(node.left, Name) and node.left.key not in facts.coordinates:
        return False
    inside = names(node)
    moving = any(n.dots == 2 or n.key.startswith(FORCE) for n in inside)
    rated = any(isinstance(x, Call) and x.function in (IN_TIME, SLOPE) for x in walk(node))
    return not (moving or rated) and any(n.key in facts.coordinates for n in inside)


def _is_force(node: Node) -> bool:
    """Whether a statement is about forces: tau2 = ..., tau = g, not tau2 = 0."""
    if not isinstance(node, Equation) or zero_force(node) is not None:
        return False
    whole = isinstance(node.left, Name) and node.left.key in FORCES and node.right != Number(0)
    return whole or any(n.key.startswith(FORCE) for n in names(node))


def _with_parameters(stated: list[Statement], facts: Facts) -> list[Statement]:
    """Values of parameters in the system's names, where one can be meant: r2 = l2/2 for L2."""
    given = {x.node.left.key for x in stated if is_named(x.node)}
    there = {n.key for x in stated for n in names(x.node)} | given

    def put(name: Name) -> Node | None:
        own = {*facts.parameters, *facts.coordinates, *given}
        meant = [] if name.dots or name.key in own else alike(name.key, facts)
        return replace(name, key=meant[0]) if len(meant) == 1 and meant[0] not in there else None

    return [
        x._replace(node=Equation(x.node.left, rewritten(x.node.right, put), column=x.node.column))
        if is_named(x.node) and x.node.left.key in facts.parameters and assumes(x.node, facts)
        else x
        for x in stated
    ]


def with_coordinates(stated: list[Statement], facts: Facts) -> list[Statement]:
    """theta2 = pi/2 as q2 = pi/2."""
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
