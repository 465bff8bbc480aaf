"""What is said of forces: which are zero, which follow a law, and for what a letter stands.

A statement F = … without accelerations, beside equations of motion, may say what drives the
system, or give a name to a term. It is read in every way that makes sense, see `readings`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import groupby

from visviva.errors import ArgumentError
from visviva.judge.check.said.statements import Statement, is_named, put_in, statements
from visviva.judge.check.said.subjects import FORCES
from visviva.judge.check.said.vocabulary import ANGLES, COORDINATES, FORCE, alike, split
from visviva.judge.exact.forms import Facts
from visviva.notation.names import inside
from visviva.notation.reading.read import canonical
from visviva.notation.reading.vocabulary import Vocabulary
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
    Product,
    Quotient,
    Sum,
    children,
    names,
    rewritten,
    walk,
)

DRIVES = "does not say is zero"  # ends the note on a letter that is the one force of a system
OF_TERMS = ("F", "f")  # letters that often stand for forces of springs or weights


def with_chains(stated: list[Statement], of: str = "") -> list[Statement]:
    """Chains of an equation of motion and its force, as what they say of that force.

    tau2 = R = 5 is tau2 = R; tau2 = 5, wherever tau2 stands, and tau2 = R = 0 is R = 0, of tau2.
    Rates in a chain with 0 are zero one by one: x' = x'' = 0. Where of= says what the statements
    are, forces in them are refused as they stand.
    """
    links = groupby(stated, key=lambda x: (x.text, _left(x.node)))
    return [x for _, chain in links for x in _unlinked(list(chain), of)]


def _unlinked(chain: list[Statement], asked: str) -> list[Statement]:
    """What a chain says of its force; where that is zero, as equations without it."""
    nodes = [x.node for x in chain if isinstance(x.node, Equation)]
    sides = [*(x.left for x in nodes[:1]), *(x.right for x in nodes)]
    forces = [x for x in sides if _is_force(x)]
    zero = next(filter(_is_zero, sides), None)
    rest = [x for x in sides if x not in forces and not _is_zero(x)]
    if len(nodes) < 2:
        return chain
    if zero is not None and all(isinstance(x, Name) and x.dots for x in (*forces, *rest)):
        return [chain[0]._replace(node=Equation(x, zero)) for x in rest]
    if asked or len(forces) != 1 or not any(map(_moves, rest)):
        return chain
    force, of = forces[0], ""
    pairs = [(force, x) for x in rest]
    if zero is not None:
        if any(map(_has_force, rest)):
            return chain
        if isinstance(force, Name) and force.key.startswith(FORCE):
            of = force.key.replace(FORCE, "tau")
        pairs = [(zero, x) if isinstance(x, Name) else (x, zero) for x in rest]
    notes = tuple(dict.fromkeys(note for x in chain for note in x.notes))
    first = chain[0]._replace(notes=notes, of=of)
    return [first._replace(node=Equation(*x, column=nodes[0].column)) for x in pairs]


def _is_force(node: Node) -> bool:
    """Whether nothing but a force stands there, or a vector of all of them."""
    if isinstance(node, Matrix):
        return all(isinstance(x, Name) and x.key.startswith(FORCE) for x in children(node))
    return isinstance(node, Name) and (node.key.startswith(FORCE) or node.key in FORCES)


def _is_zero(node: Node) -> bool:
    entries = children(node) if isinstance(node, Matrix) else (node,)
    return all(x == Number(0) for x in entries)


def readings(
    stated: list[Statement], facts: Facts, asked: Collection[Node] = ()
) -> Iterator[list[Statement]]:
    """The ways to read what statements say of forces, the likeliest first.

    F = k x; m x'' = -F names a term. u = -3 x; m x'' + k x = u holds whatever u is. tau = -kp q;
    m q'' + kp q = 0 holds where tau follows that law. Nothing drives a system that is passive.
    Forces that were `asked` for are claimed, and so is what one is by a chain, tau = R = -kp q:
    that is no law, but F = m x'' = -k x may name what all forces together are.
    """
    nodes = [x.node for x in stated]
    given = [x for x in stated if _is_given(x.node, nodes) and _left(x.node) not in asked]
    claimed = [x for x in given if any(_is_linked(x, y) and _moves(y.node) for y in stated)]
    given = [x for x in given if x not in claimed]
    if not given:
        yield stated
        if claimed:
            yield _named(claimed, stated)
        return
    driven = all(_number(x.node) not in facts.passive for x in given)
    used = [x for x in given if _is_used(x, stated)]
    if not used:
        yield stated
        if driven and not any(_has_force(x.node) for x in stated if x not in given):
            yield _under(given, stated)
        return
    named, likely = _named(used, stated), any(_may_be_name(x, stated, facts) for x in used)
    if likely:
        yield named
    if driven:
        yield _under(used, stated)
        listed = ", ".join(_said(x.node) for x in used)
        note = f"it holds for any {listed}, and so for the one that is said"
        yield [x._replace(notes=(*x.notes, note)) for x in stated if x not in used]
    if not likely:
        yield named


def _is_given(node: Node, nodes: list[Node]) -> bool:
    """Whether a statement gives a force, without accelerations, beside equations of motion."""
    if zero_force(node) is not None or not is_named(node) or node.left.dots:
        return False
    if not node.left.key.startswith(FORCE):
        return False
    others = [x for x in nodes if x is not node]
    own = _said(node)
    rated = any(_is_rate(n, own) for x in others for n in names(x))
    slopes = (x for y in others for x in walk(y) if isinstance(x, Call) and x.function == SLOPE)
    if any(canonical(n.text or n.key) == own for x in slopes for n in _names_in(x)):
        return False  # ∂F/∂x' is of a function, Rayleigh's
    forces = (n for n in names(node.right) if n.key.startswith(FORCE))
    if _moves(node.right) or not (rated or any(map(_moves, others))):
        return False
    return all(canonical(n.text) != own for n in forces)


def _left(node: Node) -> Node | None:
    return node.left if isinstance(node, Equation) else None


def _is_linked(one: Statement, other: Statement) -> bool:
    """Whether two statements are of one chain."""
    return one is not other and (one.text, _left(one.node)) == (other.text, _left(other.node))


def _moves(node: Node) -> bool:
    """Whether there are accelerations in it, or rates from which they come."""
    rated = any(isinstance(x, Call) and x.function == IN_TIME for x in walk(node))
    return rated or any(n.dots == 2 for n in names(node))


def _said(node: Node) -> str:
    """The letter of the force that a statement gives."""
    return canonical(node.left.text or node.left.key) if is_named(node) else ""


def _number(node: Node) -> int:
    return int(node.left.key.removeprefix(FORCE)) - 1 if is_named(node) else -1


def _has_force(node: Node) -> bool:
    return any(n.key.startswith(FORCE) for n in names(node))


def _is_used(said: Statement, stated: list[Statement]) -> bool:
    own = _said(said.node)
    there = (n for x in stated if x is not said for n in _names_in(x.node))
    return any(canonical(n.text or n.key) == own for n in there if n.key.startswith(FORCE))


def _names_in(node: Node) -> Iterator[Name]:
    """All names, as often as they stand there: F and tau may be one force."""
    return (x for x in walk(node) if isinstance(x, Name))


def _may_be_name(said: Statement, stated: list[Statement], facts: Facts) -> bool:
    """Whether a letter may stand for a term: nothing drives there, or by another letter."""
    own, key = _said(said.node), said.node.left.key if is_named(said.node) else ""
    there = (x for s in stated for x in _names_in(s.node) if x.key == key)
    other = any(canonical(x.text or x.key) != own for x in there) or _is_rated(said, stated)
    return _number(said.node) in facts.passive or own in OF_TERMS or other


def _is_rated(said: Statement, stated: list[Statement]) -> bool:
    """Whether rates of the letter stand in other statements."""
    return any(_is_rate(n, _said(said.node)) for x in stated for n in _names_in(x.node))


def _is_rate(name: Name, letter: str) -> bool:
    own = name.key.startswith(FORCE) and canonical(name.text or name.key) == letter
    return own and name.dots > 0


def _named(given: list[Statement], stated: list[Statement]) -> list[Statement]:
    """With letters as names for terms; Newton's F = m x'' is m x'' = F."""
    own = {_said(x.node) for x in given}

    def put(name: Name) -> Node | None:
        said = canonical(name.text or name.key)
        mine = name.key.startswith(FORCE) and said in own
        return replace(name, key=inside("named", said), arguments=()) if mine else None

    def turned(node: Node) -> Node:
        if is_named(node) and _said(node) in own and any(n.dots == 2 for n in names(node)):
            return Equation(node.right, node.left, column=node.column)
        return node

    listed = ", ".join(sorted(own))
    note = f"{listed}: a name for what it is said to be, which drives nothing"
    ways = ((x, rewritten(turned(x.node), put)) for x in stated)
    kept = {x: [y for y in x.notes if not y.endswith(DRIVES)] for x in stated}
    return [x._replace(node=node, notes=(*kept[x], note)) for x, node in ways]


def _under(given: list[Statement], stated: list[Statement]) -> list[Statement]:
    """With forces put in as the laws that they follow, which are kept as such."""
    laws = {x.node.left.key: x.node.right for x in given if is_named(x.node)}
    if len(laws) < len(given):
        raise ArgumentError(f"{_said(given[0].node)} is said to be two things")
    rest = [x for x in stated if x not in given]
    kept = [x._replace(law=True) for x in given]
    return [*kept, *(x._replace(node=put_in(x.node, laws)) for x in rest)]


def gains(laws: Iterable[Node], facts: Facts) -> frozenset[str]:
    """Names in laws that nothing of the system is called by: gains of a controller."""
    own = {*facts.coordinates, *facts.parameters, *(x for pair in facts.rates for x in pair)}
    there = (n for x in laws for n in names(x) if not n.dots and n.key not in own | {"pi", "t"})
    moving = (*ANGLES, *COORDINATES)
    return frozenset(
        n.key for n in there if not alike(n.key, facts) and split(n.key)[0] not in moving
    )


def assumed_forces(text: object, words: Vocabulary, facts: Facts) -> frozenset[str]:
    """The generalized forces that assume= says are zero: "tau2 = 0; tau3 = 0"."""
    if not isinstance(text, str):
        raise ArgumentError(f"assume= is a text, tau2 = 0; got {text!r:.60}")
    forces = set()
    for said in statements(text, words) if text.strip() else ():
        force = zero_force(said.node)
        if _all_zero(said.node):
            forces |= {f"{FORCE}{k + 1}" for k in range(len(facts.rates))}
            continue
        if force is None:
            example = next(iter(facts.parameters), "m")
            listed = ", ".join(f"tau{k + 1} = 0" for k in range(len(facts.rates)))
            raise ArgumentError(
                f"assume= takes generalized forces of {facts.name!r} as zero ({listed}), "
                f"got {said.text!r:.60}; what a parameter is stands in the claim: "
                f"{example} = 2; ..."
            )
        forces.add(force)
    return frozenset(forces)


def _all_zero(node: Node) -> bool:
    """Whether a statement says that all forces are zero: tau = 0."""
    return is_named(node) and node.left.key == "tau" and node.right == Number(0)


def zero_force(node: Node) -> str | None:
    """The force that a statement says is zero."""
    if not isinstance(node, Equation):
        return None
    for left, right in ((node.left, node.right), (node.right, node.left)):
        named = isinstance(left, Name) and left.key.startswith(FORCE) and not left.dots
        if isinstance(left, Name) and named and right == Number(0):
            return left.key
    return None


def is_zero_law(node: Node, nodes: list[Node]) -> bool:
    """Whether a statement says that a force is zero, for others to use: F = 0."""
    moving = any(_moves(x) for x in nodes if x is not node)
    return moving and zero_force(node) is not None


def is_solved(left: Node, right: Node) -> bool:
    """Whether one side is an acceleration, and the other one what it is."""
    return is_acceleration(left) and not any(n.dots == 2 for n in names(right))


def multiple(node: Node) -> tuple[Name, Fraction] | None:
    """The acceleration that stands alone on a side, and the number that it is multiplied by."""
    match node:
        case Name(_, 2):
            return node, Fraction(1)
        case Negative(inside):
            parts, times = [inside], Fraction(-1)
        case Quotient(top, Number(below)) if below:
            parts, times = [top], 1 / Fraction(below)
        case Product(factors):
            parts = [x for x in factors if not isinstance(x, Number)]
            numbers = [Fraction(x.value) for x in factors if isinstance(x, Number)]
            times = math.prod(numbers, start=Fraction(1))
        case Sum(terms):
            parts, times = [x for x in terms if x != Number(0)], Fraction(1)
        case _:
            return None
    inner = multiple(parts[0]) if len(parts) == 1 and times else None
    return inner and (inner[0], inner[1] * times)


def is_acceleration(node: Node) -> bool:
    """Whether nothing but an acceleration stands there."""
    return isinstance(node, Name) and node.dots == 2
