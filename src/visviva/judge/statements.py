"""Typed text to statements, with the names that they define put into each other."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeGuard

import sympy

from visviva.algebra.claims import Vocabulary, canonical, read
from visviva.algebra.syntax import Equation, Name, Node, names, rewritten, walk
from visviva.algebra.syntax_sympy import from_sympy
from visviva.errors import ArgumentError

DEEPEST = 40  # definitions inside definitions
MOST_NODES = 20_000  # of a formula with its definitions


def statements(said: Any, words: Vocabulary) -> list[tuple[str, Node]]:
    """The statements in a text, a SymPy object, a list of those, or a mapping from left sides."""
    if isinstance(said, Mapping):
        return [x for left, right in said.items() for x in _pair(left, right, words)]
    several = isinstance(said, Sequence) and not isinstance(said, (str, sympy.Basic))
    found = [x for part in (said if several else [said]) for x in _statements(part, words)]
    return [(text, _unchained(k, found, words)) for k, (text, _) in enumerate(found)]


def _unchained(k: int, found: list[tuple[str, Node]], words: Vocabulary) -> Node:
    """a = b = c was read as a = b, a = c: where a and b are two of a kind, the first is b = c."""
    text, node = found[k]
    if not isinstance(node, Equation) or not _is_plain(node.left) or not _is_plain(node.right):
        return node
    official = {x for x, _ in words.known.values()}
    a, b = node.left, node.right
    if (a.key in official, " " in a.key) != (b.key in official, " " in b.key):  # " " is in forces
        return node
    for j, (where, other) in enumerate(found):
        chained = where == text and j == k + 1
        if j == k or not isinstance(other, Equation) or not (chained or a.key not in official):
            continue
        for x, y in ((a, b), (b, a)):
            if other.left == x and other.right not in (a, b):
                return Equation(y, other.right, column=node.column)
    return node


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
        found = read(part, words)
        return list(zip(_texts(part, found), found, strict=True))

    def name(key: str, dots: int) -> Name:
        official, more = words.known.get(canonical(key), (canonical(key), 0))
        return Name(official, dots + more, text=key)

    return [(str(part), from_sympy(part, name))]


def _texts(whole: str, found: Sequence[Node]) -> list[str]:
    """The piece of a text that each statement was read from."""
    starts = [min(x.column for x in walk(node)) for node in found]
    made = []
    for start in starts:
        end = min((x for x in starts if x > start), default=len(whole))
        piece = re.sub(r"\\(begin|end)\{\w+\}", "", whole[start:end])
        made.append(piece.strip(" ;,&\n\t").rstrip(" \\\n"))
    return made


def _one(text: str, words: Vocabulary) -> Node:
    found = read(text, words)
    if len(found) != 1:
        raise ArgumentError(f"expected one left side, got {text!r:.60}")
    return found[0]


def definitions(statements: list[Node], words: Vocabulary) -> dict[str, Node]:
    """Unknown names that stand alone on a left side and are used elsewhere."""
    official = {x for x, _ in words.known.values()}
    made: dict[str, Node] = {}
    same: list[tuple[Name, Name]] = []  # H12 = H21
    stated: list[tuple[Name, Node, Node]] = []
    for x in statements:
        if isinstance(x, Equation) and _is_new(x.left, official):
            if _is_new(x.right, official):
                same.append((x.left, x.right))
            else:
                stated.append((x.left, x.right, x))
    alike = {a.key: b.key for x, y in same for a, b in ((x, y), (y, x))}
    for left, right, node in stated:
        own = any(left.key == n.key for n in names(right))  # g = [m g, ...]: two things so called
        others = [_but_left(x) for x in statements if x is not node]
        used = any(n.key in (left.key, alike.get(left.key)) for x in others for n in names(x))
        if used and not own and made.setdefault(left.key, right) != right:
            raise ArgumentError(f"{left.text or left.key} is defined twice")
    for x, y in same:
        for a, b in ((x, y), (y, x)):
            if a.key in made and b.key not in made:
                made[b.key] = a
    return made


def _but_left(node: Node) -> Node:
    """A statement without the name that it is about."""
    named = isinstance(node, Equation) and isinstance(node.left, Name)
    return node.right if named and isinstance(node, Equation) else node


def _is_new(node: Node, official: Collection[str]) -> TypeGuard[Name]:
    return isinstance(node, Name) and not node.dots and node.key not in official


def put_in(node: Node, defined: Mapping[str, Node], depth: int = 0) -> Node:
    """A formula with names replaced by what they are, and those in it too."""
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

    return put_in(rewritten(node, put), defined, depth + 1)


def resolved(node: Node, defined: Mapping[str, Node]) -> Node:
    """With definitions put in, but not for a name that is defined here."""
    if isinstance(node, Equation) and isinstance(node.left, Name):
        return Equation(node.left, put_in(node.right, defined), column=node.column)
    return put_in(node, defined)
