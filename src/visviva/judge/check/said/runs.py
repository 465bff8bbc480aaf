"""How words were read: m₂l₁r₂ as a product, N m after a formula as its unit, const."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

from visviva.describe.quantities import EXACT
from visviva.errors import ArgumentError
from visviva.judge.check.said.subjects import FORCES, subject_of
from visviva.judge.check.said.vocabulary import FORCE
from visviva.judge.exact.forms import Facts
from visviva.notation.reading.layout.decimals import noted_commas
from visviva.notation.reading.layout.trimmings import noted_comments
from visviva.notation.reading.read import canonical, units_of
from visviva.notation.reading.units import Dimension, measured, spelled
from visviva.notation.reading.vocabulary import Vocabulary
from visviva.notation.reading.words import stated_names
from visviva.notation.tree import (
    Equation,
    Name,
    Negative,
    Node,
    Number,
    Product,
    Sum,
    names,
    walk,
)

CONSTANTS = ("const", "constant", "konst", "konstant", "cst")

UNIT = "is its unit, which is not judged"
# letters that with indices mean nothing else
_SURE = ("M", "H", "C", "Gamma", "g", "G", *FORCES)
_AT = re.compile(
    r"\s*\\?([A-Za-z]+_?\{?[\d,]*\}?)\s*\(((?:\\?pi|π|[-+*/.,\d\s°])+)\)\s*="
)  # M12(pi/2) =


def defined_in(said: Any) -> frozenset[str]:
    """Names before the = signs of a list or a mapping, which any of its texts may use."""
    if isinstance(said, Mapping):
        return frozenset(canonical(str(x)) for x in said) | defined_in([*said.values()])
    several = said if isinstance(said, (list, tuple)) else []
    texts = [x for x in several if isinstance(x, str)]
    return frozenset(x for text in texts for x in stated_names(text))


def notes_of(
    text: str, node: Node, words: Vocabulary, own: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """What is to be said of how a statement was read; `own` are names that others define."""
    with_own = replace(words, near=words.near | own)
    trimmings = (*noted_comments(text), *noted_commas(text))
    return (*dropped_units(text, with_own), *cut_runs(text, node, words), *trimmings)


def cut_runs(text: str, node: Node, words: Vocabulary) -> tuple[str, ...]:
    """How runs were read that are cut into names which are nearly the system's."""
    named = {x.column: x for x in walk(node) if isinstance(x, Name) and x.text}
    runs: list[list[Name]] = []
    places = [named[k] for k in sorted(named)]
    for before, name in pairwise([None, *places]):
        if before is not None and name is not None and _is_glued(before, name):
            runs[-1].append(name)
        elif name is not None:
            runs.append([name])
    cut = (run for run in runs if _is_latin(run[1:]) and any(x.key in words.near for x in run))
    pairs = {"".join(x.text for x in run): " ".join(x.text for x in run) for run in cut}
    return tuple(f"{run} is read as {way}" for run, way in pairs.items() if run in text)


def _is_glued(before: Name, name: Name) -> bool:
    return before.column + len(before.text) == name.column and "\\" not in before.text + name.text


def _is_latin(run: list[Name]) -> bool:
    """Whether a name in it begins with a letter that others could go on with: θ begins anew."""
    return any(x.text[0].isascii() for x in run)


def dropped_units(text: str, words: Vocabulary) -> tuple[str, ...]:
    """What is said of units after formulas."""
    return tuple(f"{x} {UNIT}" for x in units_of(text, words))


def unit_notes(
    text: str, left: Name, notes: tuple[str, ...], facts: Facts, alone: bool
) -> tuple[str, ...]:
    """Notes of a statement, those on units with what its left side is measured in, if not in these.

    A bare one may then be a factor: refused. `alone`: no other statement uses the left side.
    """
    if not any(x.endswith(UNIT) for x in notes):
        return notes
    wanted = _dimension(left, facts, alone and len(facts.rates) == 1)
    found = []
    for note in notes:
        unit = note.removesuffix(f" {UNIT}")
        said = measured(unit) if wanted and unit != note else None
        if wanted and said and said[1] != wanted:
            note = f"{unit} is a wrong unit: it is measured in {spelled(wanted)}"
            if text.rstrip(" .,").endswith(unit):
                way = f"leave it out, or if it is a factor say first what it is, {unit} = ..."
                raise ArgumentError(f"{text:.80}: {note}; {way}")
        found.append(note)
    return tuple(found)


def _dimension(left: Name, facts: Facts, single: bool) -> Dimension | None:
    """What a left side is measured in, by the coordinates of its indices; None if that is open.

    Where all coordinates are angles, entries of M are in kg m², forces in N m; each one that is a
    length takes a metre from that. `single`: M is the only entry.
    """
    if left.key in facts.parameters:
        return None
    lengths = {k + 1: _length(q, facts) for k, (q, _, _) in enumerate(facts.moving)}
    if left.key in facts.coordinates:
        length = _length(left.key, facts)
        return (0, length, -left.dots) if left.dots and length is not None else None
    key = left.key.replace(FORCE, "tau")
    sure = key.rstrip("0123456789") in _SURE and (key[-1:].isdigit() or single)
    subject = subject_of(key, None, "", single=single) if sure and not left.dots else None
    seconds = None if subject is None else EXACT[subject.kind].seconds
    if subject is None or seconds is None or len(lengths) < len(facts.rates):
        return None
    there = [lengths.get(k) for k in subject.index]
    metres = sum(x for x in there if x is not None)
    return None if None in there else (1, 2 - metres, seconds)


def _length(coordinate: str, facts: Facts) -> int | None:
    """Powers of a metre that a coordinate has: 0 of angles, 1 of slides; of energies it is open."""
    if coordinate in facts.ring.angles:
        return 0
    return 1 if facts.bodies else None


def must_be_product(text: str, node: Node, facts: Facts) -> None:
    """Refuses M12(pi/2) = ..., which may be the value of M12 at a place, or a product."""
    found = _AT.match(text)
    if not found or not isinstance(node, Equation) or not isinstance(node.left, Product):
        return  # sqrt(2), sin(pi/2) are functions
    said, place = found[1], found[2].strip()
    if any(n.key in (*facts.parameters, *facts.coordinates) for n in names(node.left)):
        return
    at = "; ".join(f"{q} = ..." for q in facts.coordinates[:-1]) if "," in place else ""
    last = facts.coordinates[-1]
    value = place.rpartition(",")[2].strip()
    raise ArgumentError(
        f"{said}({place}) = ... may be a product or {said} at a place: write "
        f"{at + '; ' if at else ''}{last} = {value}; {said} = ... for the value there, "
        f"{said}*({value}) for a product"
    )


class Apart(NamedTuple):
    """The terms of both sides of a statement, and a constant, as it would stand on the right."""

    left: tuple[Node, ...]
    right: tuple[Node, ...]
    constant: Node

    @property
    def is_added(self) -> bool:
        """Whether it is added to something: x = y + const."""
        return bool(self.left and self.right)

    @property
    def rest(self) -> Node:
        """What is constant."""
        terms = (*self.left, *map(_negative, self.right)) if self.left else self.right
        return Sum(terms, column=terms[0].column) if len(terms) > 1 else (*terms, Number(0))[0]

    def formula(self, official: Collection[str]) -> Equation | None:
        """V = m g y + const, also as V - const = m g y or m g y + const = V; none of the motion.

        A name that is the system's own has none: x = r phi + const is constant along motions.
        """
        a, b, c = self
        ways = [(x, y, z) for x, y, z in ((a, b, c), (b, a, _negative(c))) if len(x) == 1]
        named = [(x, y, z) for (x,), y, z in ways if isinstance(x, Name) and not x.dots]
        new = [way for way in named if way[0].key not in official]
        if not new or not self.is_added:
            return None
        name, value, constant = new[0]
        return Equation(name, Sum((*value, constant), column=value[0].column), column=name.column)


def apart_from_constant(node: Node, official: Collection[str]) -> Apart | None:
    """A statement with one constant that stands alone or is added, taken apart."""
    if not isinstance(node, Equation):
        return None
    sides = [x.terms if isinstance(x, Sum) else (x,) for x in (node.left, node.right)]
    there = [(k, x) for k, terms in enumerate(sides) for x in terms if _is_open(x, official)]
    left, right = (
        tuple(x for x in terms if not _is_open(x, official) and _plain(x) != Number(0))
        for terms in sides
    )
    if len(there) != 1:
        return None
    ((side, constant),) = there
    return Apart(left, right, constant if side else _negative(constant))


def _is_open(term: Node, official: Collection[str]) -> bool:
    name = _plain(term)
    new = isinstance(name, Name) and not name.dots and name.key not in official
    return isinstance(name, Name) and new and name.key in CONSTANTS


def _plain(term: Node) -> Node:
    """Without its sign."""
    return term.of if isinstance(term, Negative) else term


def _negative(x: Node) -> Node:
    return x.of if isinstance(x, Negative) else Negative(x, column=x.column)
