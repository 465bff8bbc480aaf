r"""Numbers of equations and lists, which are no factors: (3), 2., a), \tag{3} beside a statement.

A number that could be either is refused with both readings. It is a label where a $, a \quad or a
full stop is between it and the formula, and where the lines of a text count 1, 2, 3.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from visviva.errors import ParseError
from visviva.notation.reading.marks import Mark

# a) and 1) at the beginning of a line, \item, \item[3]: brackets that nothing has opened
_LOOSE = re.compile(
    r"(?:^|(?<=\n)|(?<=\\\\))([ \t]*(?:\\item[ \t]*(?:\[[^\]\n]{0,9}\])?)?[ \t]*"
    r"(?:(?:[0-9]{1,3}|[a-h]|[ivx]{1,4})\)(?=[ \t$\\]))?)"
)
_APART = re.compile(r"\$|\\q?quad|\\hfill|\\hspace|\\\(|\\\[|\t|[ ]{6}")
ENDS = (".", ",", ";")


class Label(NamedTuple):
    """A label before a statement: how it is written, its number, whether it can be nothing else."""

    style: str
    number: str
    words: int
    sure: bool


def without_loose(text: str) -> str:
    r"""The text with a), 1) and \item at the beginning of lines blanked, every column kept."""

    def blanked(match: re.Match[str]) -> str:
        before = text[: match.start()]
        return match[0] if before.count("(") > before.count(")") else " " * len(match[0])

    return _LOOSE.sub(blanked, text)


def is_label(words: list[Mark]) -> bool:
    """Whether all of a line is a number in parentheses, as after a comma."""
    bracketed = len(words) == 3 and words[0].sign("(") and words[2].sign(")")
    return bracketed and words[1].kind == "number"


def first_label(text: str, words: list[Mark], latex: bool) -> Label | None:
    """The label that a line may begin with: `(3)`, `[3]`, `2.`; of an equation also `(a)`."""
    first = words[0]
    if first.sign("(", "[") and len(words) > 3 and words[2].sign(")", "]"):
        number, last, after = words[1], words[2], words[3]
    elif first.kind == "number" and first.text.endswith(".") and len(words) > 1:
        number, last, after = first, first, words[1]
    else:
        return None
    letter = number.kind == "name" and number.text in tuple("abcdefgh") and first.sign("(")
    equation = any(w.sign("=") for w in words)
    if not (letter and equation) and (number.kind != "number" or number.text.startswith("0")):
        return None
    between = text[last.stop : after.column]
    starts = not after.sign(*"+-*/^=,;)]|&") and after.kind != "super"
    if not starts or not (between or latex):
        return None  # 2.*m, (2) + m; (2)m is a product in plain text
    style = first.text if first.sign("(", "[") else "."
    outside = text[: first.column].count("$") % 2 == 0
    sure = outside and _APART.search(between) is not None
    return Label(style, number.text.rstrip("."), 1 if style == "." else 3, sure)


def unlabelled(text: str, lines: list[list[Mark]], latex: bool) -> list[list[Mark]]:
    """The lines without the labels at their beginnings and ends."""
    labels = [first_label(text, words, latex) for words in lines]
    said = [x for x in labels if x is not None]
    counted = [x.number for x in said] == [str(k + 1) for k in range(len(said))]
    counted = counted and len({x.style for x in said}) == 1
    bare = []
    for words, label in zip(lines, labels, strict=True):
        rest = words
        if label is not None:
            if not (label.sure or counted):
                shown = text[words[0].column : words[label.words - 1].stop]
                raise ParseError(
                    text,
                    words[0].column,
                    f"{shown} may number the equation or be its first factor: leave it out, or "
                    f"write {label.number}*",
                )
            rest = words[label.words :]
        bare.append(_without_last(text, rest))
    return bare


def _without_last(text: str, words: list[Mark]) -> list[Mark]:
    """Words without a number in parentheses after them."""
    if len(words) < 4 or not words[-1].sign(")", "]") or not words[-3].sign("(", "["):
        inside = words[-3:-1] if len(words) > 4 and words[-1].sign(")") else []
        glued = inside and inside[0].stop == inside[1].column
        if glued and words[-4].sign("(") and _is_lettered(inside) and _blank(text, words, 4):
            _refuse(text, words[-4], words[-1])
        return words
    before, number = words[-4], words[-2]
    if number.kind != "number" or before.sign(*"+-*/^=(") or before.kind in ("function", "frac"):
        return words
    between = text[before.stop : words[-3].column]
    outside = text[: words[-3].column].count("$") % 2 == 0
    ended = before.sign(*ENDS) or (before.kind == "number" and before.text.endswith("."))
    if ended or (outside and _APART.search(between)):
        return words[:-3]
    if _blank(text, words, 3):
        _refuse(text, words[-3], words[-1])
    return words


def _is_lettered(inside: list[Mark]) -> bool:
    """Whether two words are those of (3a)."""
    number, letter = inside
    return number.kind == "number" and letter.kind == "name" and letter.text in tuple("abcdefgh")


def _blank(text: str, words: list[Mark], k: int) -> bool:
    """Whether there is something between the last k words and those before."""
    return words[-k - 1].stop < words[-k].column if len(words) > k else False


def _refuse(text: str, first: Mark, last: Mark) -> None:
    shown = text[first.column : last.stop]
    raise ParseError(
        text,
        first.column,
        f"{shown} may number the equation or be a factor: leave it out, or write * before it",
    )
