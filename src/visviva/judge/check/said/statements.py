"""Typed text to statements, with the names that they define put into each other."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from visviva.errors import ArgumentError, ParseError
from visviva.judge.check.said.runs import apart_from_constant, defined_in, notes_of
from visviva.judge.check.said.subjects import subject_of
from visviva.judge.check.said.vocabulary import EITHER, FORCE, alike, undotted
from visviva.judge.exact.forms import Facts
from visviva.notation.names import acceleration_name, inside, velocity_name
from visviva.notation.reading.layout.trimmings import ARROW
from visviva.notation.reading.read import canonical, read
from visviva.notation.reading.vocabulary import Vocabulary
from visviva.notation.shapes import shape_of
from visviva.notation.tree import (
    IN_TIME,
    Call,
    Equation,
    Matrix,
    Name,
    Node,
    Number,
    Power,
    children,
    names,
    rebuilt,
    rewritten,
    walk,
)
from visviva.notation.tree_sympy import from_sympy

DEEPEST = 40  # definitions inside definitions
CONSERVED = "a constant of the motion: judged by its rate along motions, which is to be 0"
ADDED = "with a constant that is added: all other terms together are what is constant"
SQUARE = inside("square", "")  # begins the names of squares that a claim defines
MOST_NODES = 20_000  # of a formula with its definitions
_OPENING = re.compile(r"(?:\\left|[(\[{|\s])+\Z")  # brackets before the first name or number


class Statement(NamedTuple):
    """A statement and the text it was read from; `alias` if it only says that two names are one."""

    text: str
    node: Node
    alias: bool = False
    notes: tuple[str, ...] = ()  # how its words were read
    law: bool = False  # it says what a force is, under which others are judged
    of: str = ""  # the force whose equation of motion it is said to be
    is_constant: bool = False  # it says that something does not change along motions
    is_added: bool = False  # the constant stands beside other terms


def statements(said: Any, words: Vocabulary) -> list[Statement]:
    """The statements in a text, a SymPy object, a list of those, or a mapping from left sides."""
    words = replace(words, near=words.near | defined_in(said))
    if isinstance(said, Mapping):
        pairs = [x for left, right in said.items() for x in _pair(left, right, words)]
    else:
        several = isinstance(said, (list, tuple)) and not any(map(_is_array, said))
        pairs = [x for part in (said if several else [said]) for x in _statements(part, words)]
    rated = _with_rates(pairs, words)
    own = defined_in([said])
    found = [Statement(*x, notes=notes_of(*x, words, own)) for x in rated]
    found = _with_constants(found, words)
    return _unchained(_with_squares(_with_states(found, words), words), words)


def read_statements(claim: Any, words: Vocabulary) -> tuple[list[Statement], Vocabulary]:
    """The statements of a claim, with cos^-1 as the arc cosine where it can be nothing else.

    That is so in formulas without rates and forces, where an angle is what is asked for.
    """
    try:
        return statements(claim, words), words
    except ParseError as error:
        if "^-1 is not clear" not in error.problem:
            raise
        inverse = replace(words, inverses=True)
        found = statements(claim, inverse)
        if any(n.dots or n.key.startswith(FORCE) for x in found for n in names(x.node)):
            raise
        return found, inverse


def _with_rates(found: list[tuple[str, Node]], words: Vocabulary) -> list[tuple[str, Node]]:
    """Names of rates in one word, of names that are none of the system's: thetadd1 is theta1''.

    Where d is a parameter, that could be a product too.
    """
    whole = {x for x, _ in words.known.values()}  # a parameter dx is no rate of some x
    for left, node in ((x.left, x) for _, x in found if is_named(x)):
        # what is defined and used is a name; thetadd2 = … alone is an acceleration
        used = any(n.key == left.key for _, x in found if x is not node for n in names(x))
        whole |= {left.key} if used or undotted(left.key)[1] < 2 else set()

    def put(name: Name) -> Node | None:
        key, dots = undotted(name.key)
        new = dots and not name.dots and name.key not in whole
        index = re.search(r"(?<=d)[0-9]+$|$", name.key)  # phid1 may be phi d1, phi1d phi1 d
        factor = f"d{index[0] if index else ''}"
        if new and words.known.get(factor, ("", 1))[1] == 0 and "dot" not in name.key:
            said, rate = name.text or name.key, key + "'" * dots
            raise ArgumentError(
                f"{said} may be the rate {rate} or a product with {factor}: write it so"
            )
        return replace(name, key=key, dots=dots) if new else None

    return [(text, rewritten(node, put)) for text, node in found]


def _with_constants(found: list[Statement], words: Vocabulary) -> list[Statement]:
    """E = const as dE/dt = 0; that a parameter is one says nothing beside other statements."""
    official = {x for x, _ in words.known.values()}
    kept = []
    for x in found:
        parts = apart_from_constant(x.node, official)
        if parts is None:
            kept.append(x)
            continue
        if moving := [n for n in names(x.node) if n.dots > 1]:
            name = moving[0].text or moving[0].key
            raise ArgumentError(
                f"{x.text:.80}: no equation with an acceleration is judged up to a constant, nor "
                f"that {name} is one: write all terms"
            )
        if (formula := parts.formula(official)) is not None:
            kept.append(x._replace(node=formula))
            continue
        said = parts.rest
        if not isinstance(said, Name) or said.dots or said.key not in official:
            rate = Equation(Call(IN_TIME, (said,), column=said.column), Number(0))
            is_added = parts.is_added
            notes = (*x.notes, CONSERVED, *([ADDED] if is_added else []))
            kept.append(x._replace(node=rate, notes=notes, is_constant=True, is_added=is_added))
        elif said.key in words.coordinates:
            name = said.text or said.key
            raise ArgumentError(
                f"{x.text:.80}: that a coordinate is constant is a condition: say first "
                f"{name}' = 0; {name}'' = 0; and then what holds there"
            )
        elif len(found) == 1:
            raise ArgumentError(
                f"{x.text:.80}: of a parameter that says nothing, and how forces and multipliers "
                "change is in no equation; a formula may be said to be constant"
            )
    return kept


def _with_states(found: list[Statement], words: Vocabulary) -> list[Statement]:
    """theta' = omega says what omega is, where nothing else is called so."""
    official = {x for x, _ in words.known.values()}

    def turned(node: Node) -> Node:
        if not isinstance(node, Equation) or not isinstance(node.left, Name):
            return node
        left, right = node.left, node.right
        state = left.dots == 1 and left.key in words.coordinates and _is_new(right, official)
        return Equation(right, left, column=node.column) if state else node

    return [x._replace(node=turned(x.node)) for x in found]


def _with_squares(found: list[Statement], words: Vocabulary) -> list[Statement]:
    """omega^2 = k/m and v^2 = … with a name for the square; omega itself is its root."""
    official = {x for x, _ in words.known.values()}
    squares: dict[str, Name] = {}
    for node in (x.node for x in found):
        if isinstance(node, Equation) and isinstance(node.left, Power):
            base = node.left.base
            if node.left.exponent == Number(2) and _is_new(base, official):
                squares[base.key] = Name(f"{SQUARE}{base.key}", text=f"{base.text}^2")
    squares = {
        k: x for k, x in squares.items() if not any(_left_of(s.node) == Name(k) for s in found)
    }
    return [x._replace(node=_squared(x.node, squares)) for x in found] if squares else found


def _squared(node: Node, squares: Mapping[str, Name]) -> Node:
    match node:
        case Power(Name(key, 0), Number(value)) if key in squares and value % 2 == 0:
            name = replace(squares[key], column=node.column)
            return name if value == 2 else Power(name, Number(value // 2), column=node.column)
        case Name(key, 0) if key in squares:
            return Call("sqrt", (replace(squares[key], column=node.column),), column=node.column)
        case Name():
            return node
    return rebuilt(node, tuple(_squared(x, squares) for x in children(node)))


def _unchained(found: list[Statement], words: Vocabulary) -> list[Statement]:
    """a = b = c was read as a = b, a = c: where a and b are two of a kind, it is a = c, b = c."""
    official = {x for x, _ in words.known.values()}
    pairs = {k: pair for k in range(len(found)) if (pair := _pair_of_a_kind(k, found, official))}
    stated = {
        x.node.left: x.node.right
        for k, x in enumerate(found)
        if k not in pairs and isinstance(x.node, Equation)
    }
    unchained = list(found)
    for group in _groups(list(pairs.values())):
        values = [stated[name] for name in group if name in stated]
        bare = [name for name in group if name not in stated]
        places = [k for k, pair in pairs.items() if pair[0] in group]
        for k, name in zip(places, bare if values else [], strict=False):
            unchained[k] = found[k]._replace(node=Equation(name, values[0]), alias=True)
        for k, x in enumerate(found):  # a = ...; M22 = a
            if k not in pairs and _left_of(x.node) in group and values and bare:
                unchained[k] = x._replace(alias=True)
    return unchained


def _pair_of_a_kind(
    k: int, found: list[Statement], official: Collection[str]
) -> tuple[Name, Name] | None:
    """Two names of one kind that a statement calls equal: new ones, or the beginning of a chain."""
    text, node = found[k].text, found[k].node
    if not isinstance(node, Equation):
        return None
    a, b = node.left, node.right
    if not isinstance(a, Name) or not isinstance(b, Name) or a.dots != b.dots:
        return None
    kinds = [(x.key in official, x.key.startswith(FORCE)) for x in (a, b)]
    after = found[k + 1] if k + 1 < len(found) else None
    chained = after is not None and after.text == text and _left_of(after.node) == a
    new = not (kinds[0][0] or a.dots)
    return (a, b) if kinds[0] == kinds[1] and (chained or new) else None


def _left_of(node: Node) -> Node | None:
    return node.left if isinstance(node, Equation) else None


def _groups(pairs: list[tuple[Name, Name]]) -> list[list[Name]]:
    """Names that are equal to each other."""
    groups: list[list[Name]] = []
    for pair in pairs:
        joined = [group for group in groups if any(x in group for x in pair)]
        rest = [group for group in groups if group not in joined]
        groups = [*rest, list(dict.fromkeys([*(x for group in joined for x in group), *pair]))]
    return groups


def _is_plain(node: Node) -> TypeGuard[Name]:
    return isinstance(node, Name) and not node.dots


def _pair(left: Any, right: Any, words: Vocabulary) -> list[tuple[str, Node]]:
    """A left side and its formula, with what that defines; or a label and statements."""
    (text, first), *more = _statements(right, words)
    if not isinstance(first, Equation):
        text, first = f"{left} = {text}", Equation(_one(str(left), words), first)
    return [(text, first), *more]


def _statements(part: Any, words: Vocabulary) -> list[tuple[str, Node]]:
    if isinstance(part, str):
        nodes = read(part, words)
        return list(zip(_texts(part, nodes), nodes, strict=True))
    if _is_array(part):
        return [(str(part), _matrix(part, words))]

    exact = {x: (x, 0) for x, _ in words.known.values()}  # symbols that are called as its own
    for q in filter(exact.__contains__, words.coordinates):
        exact |= {velocity_name(q): (q, 1), acceleration_name(q): (q, 2)}

    def name(key: str, dots: int) -> Name:
        spelled = words.known.get(canonical(key), (EITHER, 0))
        if spelled[0].startswith(EITHER):  # otherwise symbols= may say that m1 is m2
            spelled = exact.get(key, words.known.get(canonical(key), (canonical(key), 0)))
        return Name(spelled[0], dots + spelled[1], text=key)

    return [(str(part), from_sympy(part, name))]


def _is_array(x: Any) -> bool:
    return isinstance(x, (list, tuple)) or (isinstance(x, np.ndarray) and x.ndim > 0)


def _matrix(array: Any, words: Vocabulary) -> Node:
    """The matrix of an array or of lists, of texts or SymPy's expressions; a list is a column."""
    rows = [x if _is_array(x) else [x] for x in array]
    entries = [[_statements(x, words) for x in row] for row in rows]
    lengths = {len(row) for row in entries}
    if len(lengths) != 1 or lengths == {0} or any(len(x) != 1 for row in entries for x in row):
        raise ArgumentError(f"a matrix has rows of one length, got {array!r:.60}")
    return Matrix(tuple(tuple(node for ((_, node),) in row) for row in entries))


def _texts(whole: str, found: Sequence[Node]) -> list[str]:
    """The piece of a text that each statement was read from."""
    firsts = (min(x.column for x in walk(node)) for node in found)
    starts = [len(_OPENING.sub("", whole[:k])) for k in firsts]  # brackets are no nodes
    pieces = []
    for start in starts:
        end = min((x for x in starts if x > start), default=len(whole))
        piece = re.sub(r"\\(begin|end)\{\w+\}", "", whole[start:end])
        piece = ARROW.sub("", piece).strip(" ;,&\n\t").rstrip(" \\\n")
        pieces.append(piece)
    return pieces


def _one(text: str, words: Vocabulary) -> Node:
    nodes = read(text, words)
    if len(nodes) != 1:
        raise ArgumentError(f"expected one left side, got {text!r:.60}")
    return nodes[0]


def definitions(statements: list[Statement], words: Vocabulary) -> dict[str, Node]:
    """Unknown names that stand alone on a left side and are used elsewhere."""
    official = {x for x, _ in words.known.values()}
    defined: dict[str, Node] = {}
    for node in (x.node for x in statements):
        if not isinstance(node, Equation) or not _is_new(node.left, official):
            continue
        key = node.left.key
        own = any(key == n.key for n in names(node.right))  # g = [m g, ...]: two things so called
        others = [_but_left(x.node) for x in statements if x.node is not node]
        used = any(n.key == key for x in others for n in names(x))
        value = node.right
        if isinstance(value, Matrix) and len(value.rows) == len(value.rows[0]) == 1:
            ((value,),) = value.rows  # of one coordinate, M = [m]; M x'' = tau
        if used and not own and defined.setdefault(key, value) != value:
            raise ArgumentError(f"{node.left.text or key} is defined twice")
    return defined


def _but_left(node: Node) -> Node:
    """A statement without the name that it is about."""
    named = isinstance(node, Equation) and _is_plain(node.left)
    return node.right if named and isinstance(node, Equation) else node


def _is_new(node: Node, official: Collection[str]) -> TypeGuard[Name]:
    return isinstance(node, Name) and not node.dots and node.key not in official


def put_in(node: Node, defined: Mapping[str, Node], depth: int = 0) -> Node:
    """A formula with names replaced by what they are, and those in it too."""
    if depth > DEEPEST:
        raise ArgumentError("the definitions go in a circle")
    used = [n for n in walk(node) if isinstance(n, Name) and n.key in defined]
    if not used:
        return node
    sizes = {key: sum(1 for _ in walk(x)) for key, x in defined.items()}
    if sum(sizes[n.key] for n in used) > MOST_NODES:
        raise ArgumentError("the claim is too long with its definitions put in")

    def put(name: Name) -> Node | None:
        if name.key not in defined:
            return None
        value = defined[name.key]
        for _ in range(name.dots):
            value = Call(IN_TIME, (value,), column=name.column)  # the rate of what it is
        return value

    return put_in(rewritten(node, put), defined, depth + 1)


def resolved(node: Node, defined: Mapping[str, Node]) -> Node:
    """With definitions put in, but not for a name that is defined here."""
    if isinstance(node, Equation) and isinstance(node.left, Name):
        left = put_in(node.left, defined) if node.left.dots else node.left
        return Equation(left, put_in(node.right, defined), column=node.column)
    return put_in(node, defined)


def is_named(node: Node) -> TypeGuard[Any]:
    """Whether a statement says what a name is."""
    return isinstance(node, Equation) and isinstance(node.left, Name)


def must_be_new(defined: Mapping[str, Node], facts: Facts) -> None:
    """A definition of a name that could be read as a parameter says one of two things."""
    for key in (k for k, x in defined.items() if shape_of(x) is None):
        meant = alike(key, facts)
        own = {n.key for n in names(defined[key])}  # beta = c/(2 m) is no c
        if meant and own.isdisjoint(meant) and subject_of(key, None, "") is None:
            raise ArgumentError(
                f"{key} is defined here, but may be meant as {' or '.join(meant)} of "
                f"{facts.name!r}: give {meant[0]} that value, or take another name"
            )
