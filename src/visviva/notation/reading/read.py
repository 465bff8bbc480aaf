"""Typed claims to trees: equations as people write them, in plain text, Unicode or LaTeX.

Text is never evaluated, and never guessed: what can be read in two ways is refused with both.

Examples:
    >>> words = Vocabulary.of(["m2", "l1", "lc2"], ["theta1", "theta2"])
    >>> read("tau2 = m2 l1 lc2 sin θ₂ θ̇₁²", words) == read(
    ...     r"\\tau_2 = m_2 l_1 l_{c2} \\sin\\theta_2\\,\\dot\\theta_1^2", words)
    True
    >>> read("sin theta1^2", words)
    Traceback (most recent call last):
    visviva.errors.ParseError: where the argument of sin ends is not clear: \
put it in parentheses, sin(theta1) or sin(theta1^2)
      sin theta1^2
                ^
"""

from __future__ import annotations

from functools import lru_cache

from visviva.errors import ArgumentError, ParseError
from visviva.notation.names import LONGEST_TEXT
from visviva.notation.reading.grammar import Grammar
from visviva.notation.reading.layout.trimmings import trimmed
from visviva.notation.reading.lines import statements, without_loose
from visviva.notation.reading.marks import is_latex, marks
from visviva.notation.reading.trailing import tails
from visviva.notation.reading.units import without_units
from visviva.notation.reading.vocabulary import (
    Vocabulary,
    simple_key,
)
from visviva.notation.reading.words import words
from visviva.notation.tree import Equation, Name, Node, Statement


def read(text: str, vocabulary: Vocabulary) -> tuple[Statement, ...]:
    """The statements of a text: equations, or formulas alone.

    They are separated by line ends, `;`, the rows of LaTeX environments, commas between equations,
    or "where", "with" and "and"; a = b = c is two equations, a = b and a = c.
    """
    if not isinstance(text, str):
        raise ArgumentError(f"a claim is a text, got {type(text).__name__}: {text!r:.60}")
    try:
        bare = text if vocabulary.formulas else _bare(text, vocabulary)
        said = words(text, marks(bare, vocabulary.spellings.letters, vocabulary.limits), vocabulary)
        latex = is_latex(text)
        nodes = [
            node
            for part in statements(text, said, latex)
            for node in Grammar(text, part, vocabulary, latex).statement()
        ]
    except RecursionError:
        raise ParseError(text, 0, "the claim is nested too deeply") from None
    return tuple(nodes)


def _bare(text: str, vocabulary: Vocabulary) -> str:
    """The text with units, labels and trimmings blanked, every column kept."""
    bare = _unitless(text, vocabulary)
    for start, stop, _ in tails(bare, vocabulary):
        bare = bare[:start] + " " * (stop - start) + bare[stop:]
    return bare


def _unitless(text: str, vocabulary: Vocabulary) -> str:
    return without_units(without_loose(trimmed(text, vocabulary.known)), vocabulary)


def units_of(text: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The units after formulas that are not read."""
    bare = _unitless(text, vocabulary)
    return tuple(dict.fromkeys(x.unit for x in tails(bare, vocabulary)))


def read_formula(text: str, vocabulary: Vocabulary, equations: bool = False) -> Node:
    """The one formula (or equation, where these are meant) that a text is; line ends are blanks."""
    if not isinstance(text, str):
        raise ArgumentError(f"a formula is a text, got {type(text).__name__}: {text!r:.60}")
    if len(text) > LONGEST_TEXT:
        problem = f"a formula has at most {LONGEST_TEXT} characters, got {len(text)}"
        raise ParseError(text, LONGEST_TEXT, problem)
    try:
        nodes = read(text.replace("\n", " ").replace("\r", " "), vocabulary)
    except ParseError as error:
        problem = error.problem.replace("claim", "formula").replace(", '=' or", " or")
        raise ParseError(text, error.column, problem.replace("statement", "text")) from None
    if len(nodes) > 1:
        raise ParseError(text, nodes[1].column, "expected one formula, got a second one")
    if isinstance(nodes[0], Equation) and not equations:
        raise ParseError(text, nodes[0].column, "expected a formula, got an equation")
    return nodes[0]


@lru_cache(maxsize=4096)
def canonical(name: str) -> str:
    r"""The spelling under which a name is known: theta1 for θ₁, theta_1 and \theta_{1}."""
    nothing = Vocabulary({})
    try:
        said = words(name, marks(name), nothing)
    except ParseError:
        return simple_key(name)
    if len(said) == 2 and isinstance(said[0].value, Name):
        return said[0].value.key
    return simple_key(name)
