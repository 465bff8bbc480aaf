"""Typed formulas cut into words: numbers, names, signs. Nothing here knows what they mean."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from visviva.errors import VisvivaError

LONGEST_TEXT = 10_000
LONGEST_NAME = 100
LOW = "₀₁₂₃₄₅₆₇₈₉"  # θ₁ is a name too
WINDOW = 60  # characters of a long text shown around an error

# letters of any script; signs that Python counts among the letters, as ² and ½, are none
_WORD = re.compile(r"[^\W\d]\w*")
_TOKEN = re.compile(
    rf"""(?P<space>[ \t\r\n]+)
       | (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
       | (?P<name>{_WORD.pattern})
       | (?P<sign>\*\*|[-+*/^(),])""",
    re.VERBOSE,
)


class ParseError(VisvivaError, ValueError):
    """A typed formula cannot be read: the text, a mark at the place, what was expected."""

    def __init__(self, text: str, column: int, problem: str) -> None:
        self.text, self.column, self.problem = text, column, problem
        start = max(0, column - WINDOW)
        shown = text[start : column + WINDOW]
        shown = "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in shown)
        lead = "…" if start else ""
        tail = "…" if column + WINDOW < len(text) else ""
        mark = " " * (len(lead) + column - start) + "^"
        super().__init__(f"{problem}\n  {lead}{shown}{tail}\n  {mark}")


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a formula and the column where it starts; kind: number, name, sign or end."""

    kind: str
    text: str
    column: int

    def __str__(self) -> str:
        return "the end of the text" if self.kind == "end" else repr(self.text)


def tokens(text: str) -> list[Token]:
    """The words of a formula, and an `end` after them."""
    if len(text) > LONGEST_TEXT:
        raise ParseError(
            text, LONGEST_TEXT, f"a formula has at most {LONGEST_TEXT} characters, got {len(text)}"
        )
    found: list[Token] = []
    column = 0
    while column < len(text):
        match = _TOKEN.match(text, column)
        if match is None:
            raise ParseError(text, column, _stranger(text[column]))
        kind = str(match.lastgroup)
        if kind == "name" and (stranger := _not_in_names(match.group())):
            raise ParseError(text, match.group().index(stranger) + column, _stranger(stranger))
        if kind == "name" and match.end() - column > LONGEST_NAME:
            raise ParseError(text, column, f"a name has at most {LONGEST_NAME} characters")
        if kind != "space":
            found.append(Token(kind, match.group(), column))
        column = match.end()
    return [*found, Token("end", "", column)]


def is_name(text: str) -> bool:
    """Whether a text is one name."""
    fits = len(text) <= LONGEST_NAME and _WORD.fullmatch(text) is not None
    return fits and not _not_in_names(text)


def _not_in_names(word: str) -> str:
    """The first character that is no letter, digit or _, if there is one."""
    if word.isascii():
        return ""
    return next((c for c in word if not (c.isascii() or c in LOW or _is_letter(c))), "")


def _is_letter(c: str) -> bool:
    return c.isalpha() and not unicodedata.decomposition(c).startswith(("<super>", "<sub>"))


def _stranger(c: str) -> str:
    return (
        f"the character {c!r} ({unicodedata.name(c, 'no name')}) has no meaning here "
        "(available: numbers, names of letters, digits and _, + - * / ^ ** ( ) and ,)"
    )
