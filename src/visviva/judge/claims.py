"""From what a user typed to claims: statements with a subject, definitions put in."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import sympy

from visviva.algebra.claims import Vocabulary, canonical, looks_like_shorthand, read
from visviva.algebra.syntax import (
    TRANSPOSE,
    Call,
    Equation,
    Matrix,
    Name,
    Negative,
    Node,
    Product,
    Quotient,
    Sum,
    names,
    rewritten,
    walk,
)
from visviva.algebra.syntax_sympy import from_sympy
from visviva.algebra.textbook import textbook
from visviva.algebra.trigpoly import Poly
from visviva.errors import ArgumentError
from visviva.judge.facts import Facts
from visviva.judge.subjects import (
    EQUATION,
    IDENTITY,
    KINDS,
    Subject,
    named,
    subject_of,
)
from visviva.judge.vocabulary import FORCE

DEEPEST = 40  # definitions inside definitions
MOST_NODES = 20_000  # of a formula with its definitions


@dataclass(frozen=True)
class Claim:
    """A statement about a subject; `node` is its value, or an equation yet to be solved."""

    text: str
    subject: Subject
    node: Node


@dataclass(frozen=True)
class Request:
    """What was asked besides the claim itself."""

    of: str = ""
    frame: str = ""


def claims(said: Any, facts: Facts, words: Vocabulary, request: Request) -> list[Claim]:
    """The claims in a text, a SymPy object, a list of those, or a mapping from left sides."""
    statements = [x for part in _parts(said) for x in _statements(part, words)]
    if not statements:
        raise ArgumentError("the claim is empty")
    defined = _definitions([node for _, node in statements], words)
    made = []
    for k, (text, node) in enumerate(statements):
        if request.of not in ("", IDENTITY) and _is_in(_left(node), defined):
            continue  # a name in the formula that `of` is about
        whole = _resolved_sides(node, defined)
        subject, value = _subject(whole, k, len(statements), facts, request)
        if subject is not None:  # otherwise it only defines a name
            made.append(Claim(text, subject, value))
    if not made:
        lefts = {x.left.text or x.left.key for _, x in statements if _is_named(x)}
        raise ArgumentError(
            f"nothing of {facts.name!r} is called {', '.join(sorted(lefts))}: write tau1 = ..., "
            f"M = ..., or say of=..., one of: {EQUATION}, {', '.join(KINDS)}"
        )
    return made


def _parts(said: Any) -> list[Any]:
    if isinstance(said, Mapping):
        return [(key, x) for key, x in said.items()]
    if isinstance(said, Sequence) and not isinstance(said, (str, sympy.Basic)):
        return list(said)
    return [said]


def _statements(part: Any, words: Vocabulary) -> list[tuple[str, Node]]:
    if isinstance(part, tuple):
        left, right = part
        return [
            (f"{left} = {text}", Equation(_one(str(left), words), node))
            for text, node in _statements(right, words)
        ]
    if isinstance(part, str):
        found = read(part, words)
        starts = [min(x.column for x in walk(node)) for node in found]
        ends = [*starts[1:], len(part)]
        texts = [part[a:b].strip(" ;,&\\\n\t") for a, b in zip(starts, ends, strict=True)]
        texts = texts if len(found) > 1 and starts == sorted(set(starts)) else [part.strip()]
        return [(texts[min(k, len(texts) - 1)], node) for k, node in enumerate(found)]

    def name(key: str, dots: int) -> Name:
        official, more = words.known.get(canonical(key), (canonical(key), 0))
        return Name(official, dots + more, text=key)

    return [(str(part), from_sympy(part, name))]


def _one(text: str, words: Vocabulary) -> Node:
    found = read(text, words)
    if len(found) != 1:
        raise ArgumentError(f"expected one left side, got {text!r:.60}")
    return found[0]


def _definitions(statements: list[Node], words: Vocabulary) -> dict[str, Node]:
    """Unknown names that stand alone on a left side and are used elsewhere."""
    official = {x for x, _ in words.known.values()}
    made: dict[str, Node] = {}
    same: list[tuple[Name, Name]] = []
    for node in statements:
        if not isinstance(node, Equation) or not _is_new(node.left, official):
            continue
        used = any(node.left.key == n.key for x in statements if x is not node for n in names(x))
        if _is_new(node.right, official):
            same.append((node.left, node.right))  # H12 = H21
        elif used:
            made[node.left.key] = node.right
    for left, right in same:
        for a, b in ((left, right), (right, left)):
            if a.key in made and b.key not in made:
                made[b.key] = a
    return made


def _left(node: Node) -> Node:
    return node.left if isinstance(node, Equation) else node


def _is_in(node: Node, defined: Collection[str]) -> bool:
    return isinstance(node, Name) and not node.dots and node.key in defined


def _is_new(node: Node, official: Collection[str]) -> TypeGuard[Name]:
    return isinstance(node, Name) and not node.dots and node.key not in official


def _resolved(node: Node, defined: Mapping[str, Node], depth: int = 0) -> Node:
    if depth > DEEPEST:
        raise ArgumentError("the definitions go in a circle")
    used = [n for n in walk(node) if isinstance(n, Name) and n.key in defined and not n.dots]
    if not used:
        return node
    sizes = {key: sum(1 for _ in walk(x)) for key, x in defined.items()}
    if sum(sizes[n.key] for n in used) > MOST_NODES:
        raise ArgumentError("the claim is too long with its definitions put in")

    def put(name: Name) -> Node | None:
        return defined.get(name.key) if not name.dots else None

    return _resolved(rewritten(node, put), defined, depth + 1)


def _resolved_sides(node: Node, defined: Mapping[str, Node]) -> Node:
    """With definitions put in, but not for a name that is defined here."""
    if isinstance(node, Equation) and isinstance(node.left, Name):
        return Equation(node.left, _resolved(node.right, defined), column=node.column)
    return _resolved(node, defined)


def _subject(
    node: Node, k: int, count: int, facts: Facts, request: Request
) -> tuple[Subject | None, Node]:
    """What a statement is about, and its value."""
    if not isinstance(node, Equation):
        if request.of:
            return named(request.of, _shape(node), request.frame), node
        if count == len(facts.rates) and count > 1:
            return Subject(EQUATION, (k + 1,)), node
        raise ArgumentError(
            "a formula alone says nothing: write tau1 = ..., M = ..., or say of=..., one of: "
            f"equations, {', '.join(KINDS)}"
        )
    if request.of == IDENTITY:
        last = k == count - 1  # those before it define names
        return (Subject(IDENTITY), _with_quantities(node, facts, request)) if last else (None, node)
    for left, right in ((node.left, node.right), (node.right, node.left)):
        if isinstance(left, Name):
            found = _by_name(left, right, facts, request)
            if found is not None:
                return found, right
    if request.of and isinstance(node.left, Name):
        return named(request.of, _shape(node.right), request.frame), node.right
    moving = any(n.dots == 2 or n.key.startswith(FORCE) for n in names(node))
    if not moving and _is_definition(node.left, facts):
        return None, node
    return Subject(EQUATION), node


def _by_name(left: Name, right: Node, facts: Facts, request: Request) -> Subject | None:
    inside = names(right)
    if left.key.startswith(FORCE):
        mixed = any(n.key.startswith(FORCE) for n in inside)
        return None if mixed else Subject(EQUATION, (int(left.key.removeprefix(FORCE)),))
    second = {a for _, a in facts.rates}
    if left.dots == 2 and len(facts.rates) > 1:
        mixed = any(n.dots == 2 or n.key in second for n in inside)
        place = facts.coordinates.index(left.key) + 1 if left.key in facts.coordinates else 0
        return None if mixed or not place else Subject("acceleration", (place,))
    known = left.key in facts.parameters or left.key in facts.coordinates
    shape = _shape(right)
    if left.dots or (known and shape is None) or request.of:
        return None
    key = canonical(left.text or left.key) if known else left.key
    for name in (*facts.frames, *facts.bodies):
        if key.endswith(canonical(name)) and key != canonical(name):
            return subject_of(key[: -len(canonical(name))], shape, name, framed=True)
    return subject_of(key, shape, request.frame or _tip(facts), framed=bool(request.frame))


def _with_quantities(node: Node, facts: Facts, request: Request) -> Node:
    """Names of quantities, x or M12, replaced by what they are."""
    own = {*facts.parameters, *facts.coordinates, *(x for pair in facts.rates for x in pair)}

    def put(name: Name) -> Node | None:
        if name.dots or name.key in own or name.key.startswith(FORCE):
            return None
        found = subject_of(name.key, None, request.frame or _tip(facts))
        if found is None:
            return None
        entry = facts.of(found)
        return from_sympy(textbook(entry) if isinstance(entry, Poly) else entry)

    return rewritten(node, put)


def _is_named(node: Node) -> TypeGuard[Any]:
    return isinstance(node, Equation) and isinstance(node.left, Name)


def _is_definition(left: Node, facts: Facts) -> bool:
    if not isinstance(left, Name) or left.dots:
        return False
    if left.key in facts.parameters:
        raise ArgumentError(
            f"{left.text or left.key} is a parameter of {facts.name!r}; if the claim is about "
            "something else of that name, say of=..., one of: equations, " + ", ".join(KINDS)
        )
    return left.key not in facts.coordinates and not left.key.startswith(FORCE)


def _shape(node: Node) -> tuple[int, int] | None:
    """Rows and columns of a formula that is a matrix."""
    match node:
        case Matrix(rows):
            return len(rows), len(rows[0])
        case Negative(inside) | Quotient(inside, _):
            return _shape(inside)
        case Sum(terms):
            return _shape(terms[0])
        case Call(function, (inside,)) if function == TRANSPOSE:
            turned = _shape(inside)
            return turned and (turned[1], turned[0])
        case Product(factors):
            found = [x for x in map(_shape, factors) if x is not None]
            made = (found[0][0], found[-1][1]) if found else None
            return None if len(found) > 1 and made == (1, 1) else made
    return None


def _tip(facts: Facts) -> str:
    return facts.frames[-1] if facts.frames else ""


def strangers(nodes: Sequence[Node], facts: Facts) -> list[Name]:
    """Names that are none of the system's."""
    own = {*facts.coordinates, *facts.parameters, *(x for pair in facts.rates for x in pair)}
    own |= {"pi", "t"}
    found = [n for node in nodes for n in names(node)]
    for n in found:
        if n.dots and n.key in facts.parameters:
            said = n.text or n.key
            raise ArgumentError(f"{said}: {n.key} is a parameter of {facts.name!r}, it has no rate")
    strange = {n: None for n in found if n.key not in own and not n.key.startswith(FORCE)}
    return list(strange)


def advice(strange: Sequence[Name]) -> str:
    """What may be meant by names that nobody knows."""
    short = [n.text or n.key for n in strange if looks_like_shorthand(n.key)]
    if short:
        return f"; if {', '.join(short)} are sines and cosines of joint angles, say shorthand=True"
    return ""
