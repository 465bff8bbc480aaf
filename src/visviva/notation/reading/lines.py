r"""Where one statement ends and the next begins, and the labels beside them, which are no factors.

Statements are separated by line ends, `;`, rows of environments and words. Labels are (3), 2., a),
\tag{3}. A number that could be either is refused with both readings. It is a label where a $, a
\quad or a full stop is between it and the formula, and where the lines of a text count 1, 2, 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from visviva.errors import ParseError
from visviva.notation.reading.marks import CLOSING, MATRICES, Mark, pair

ROW = "\\\\"
BLANK_LINE = "\n\n"
OPERATORS = ("+", "-", "*", "/", "^")
# a) and 1) at the beginning of a line, \item, \item[3]: brackets that nothing has opened
_LOOSE = re.compile(
    r"(?:^|(?<=\n)|(?<=\\\\))([ \t]*(?:\\item[ \t]*(?:\[[^\]\n]{0,9}\])?)?[ \t]*"
    r"(?:(?:[0-9]{1,3}|[a-h]|[ivx]{1,4})\)(?=[ \t$\\]))?)"
)
_APART = re.compile(r"\$|\\q?quad|\\hfill|\\hspace|\\\(|\\\[|\t|[ ]{6}")
ENDS = (".", ",", ";")
REMARK = re.compile(r"[A-Za-z]+(?:['’ ]{1,3}[A-Za-z]{2,})+ ?[.!]{0,3}")  # I think.


@dataclass(slots=True)
class _Line:
    """Words up to a break, the break before them, and whether there is an = sign."""

    after: str
    words: list[Mark] = field(default_factory=list)
    equal: bool = False


def statements(text: str, words: list[Mark], latex: bool) -> list[list[Mark]]:
    """The words of each statement, each with a `stop` and brackets paired."""
    lines: list[_Line] = []
    for line in _lines(text, words):
        if lines and line.after == "," and is_label(line.words):
            continue
        if lines and _goes_on(text, lines[-1], line, latex):
            lines[-1].words += line.words
            lines[-1].equal |= line.equal
        else:
            lines.append(line)
    if not lines:
        raise ParseError(text, len(text), "expected a formula, got the end of the text")
    parts = []
    for words in unlabelled(text, [line.words for line in lines], latex):
        last = words[-1]
        if last.sign(".", ","):
            words.pop()
        part = [*_single_digits(words, latex), Mark("stop", "", last.stop, last.stop)]
        pair(text, part)
        parts.append(part)
    return parts


def _single_digits(words: list[Mark], latex: bool) -> Iterator[Mark]:
    r"""Copies of words; an argument of \frac12 or \sqrt2 that is not in braces is one digit."""
    missing, outer = 0, []  # arguments that are still to come, and those outside of braces
    for word in words:
        digits = len(word.text) if word.kind == "number" and word.text.isdigit() else 0
        single = min(missing, max(digits - 1, 0))
        for k, digit in enumerate(word.text[:single], word.column):
            yield replace(word, text=digit, column=k, stop=k + 1)
        yield replace(word, text=word.text[single:], column=word.column + single)
        if word.sign("{"):
            outer.append(missing)
            missing = 0
        elif word.sign("}"):
            missing = max(outer.pop() - 1, 0)
        elif digits or word.kind == "name":
            missing -= min(missing, digits or 1)
        else:
            missing = {"frac": 2, "root": int(latex)}.get(word.kind, 0)


def _lines(text: str, words: list[Mark]) -> Iterator[_Line]:
    """Lines that are not empty; inside brackets line ends, and outside matrices & and rows, go."""
    line, inside = _Line(""), [""]
    for i, word in enumerate(words):
        table = inside[-1] == "begin"
        listed = word.kind in ("begin", "end") and word.text not in MATRICES
        bracket = word.text if word.kind == "sign" else word.kind
        if len(inside) == 1 and (_is_break(word) or listed):
            after = word.kind if word.kind == "word" else ROW if listed else word.text
            if line.words:
                yield line
                line = _Line(after)
            elif {line.after, after} <= {"\n", BLANK_LINE}:
                line.after = BLANK_LINE
            elif after != "\n":
                line.after = after
            continue
        if word.sign("&") and not table and not _aligns(words, i):
            raise ParseError(text, word.column, "expected '&' beside '=', an operator or a row")
        if listed or _is_dropped(words, i, table):
            continue
        if bracket in CLOSING:
            inside.append(bracket)
        elif bracket in CLOSING.values():
            inside.pop()
        line.equal |= len(inside) == 1 and word.sign("=")
        line.words.append(word)
    if line.words:
        yield line


def _aligns(words: list[Mark], i: int) -> bool:
    """Whether an & stands where a column begins, and not between two formulas."""
    ends = (*OPERATORS, "=", ROW, "\n", "&", ";")
    before, after = words[max(i - 1, 0)], words[i + 1]
    empty = after.sign("{") and after.partner == i + 2
    emptied = before.sign("}") and before.partner == i - 2
    first = i == 0 or before.sign(*ends) or before.kind == "begin"
    return first or empty or emptied or after.sign(*ends) or after.kind in ("end", "stop")


def _is_break(word: Mark) -> bool:
    return word.sign("\n", ROW, ";", ",") or word.kind in ("word", "stop")


def _is_dropped(words: list[Mark], i: int, table: bool) -> bool:
    """Line ends in brackets, & and rows outside of matrices, the empty group {}."""
    word = words[i]
    if word.sign("{") and word.partner == i + 1:
        return not words[i - 1].sign("^") and words[i - 1].kind not in ("frac", "root", "function")
    if word.sign("}") and word.partner == i - 1:
        return _is_dropped(words, i - 1, table)
    return word.sign("\n") or (word.sign("&", ROW) and not table)


def _goes_on(text: str, before: _Line, line: _Line, latex: bool) -> bool:
    """Whether a line continues the statement before it; where that is not clear, an error."""
    first, last = line.words[0], before.words[-1]
    if line.after in (";", "word", BLANK_LINE):
        return False
    if line.after == ",":
        if before.equal and line.equal:
            return False
        problem = "expected an operator or the end of the statement, got ','"
        said = text[first.column : line.words[-1].stop]
        if before.equal and REMARK.fullmatch(said):
            problem += f": leave out what is no formula, or write it as a comment, # {said:.40}"
        raise ParseError(text, last.stop, problem)
    if last.sign(*OPERATORS, "=") or first.sign("="):
        return True
    if first.sign(*OPERATORS):
        if line.equal and before.equal:
            problem = "this line may go on or begin a statement: put ; or parentheses"
            raise ParseError(text, first.column, problem)
        return True
    if not latex or (line.equal and before.equal):
        return False
    if line.after == "\n" and (before.equal or line.equal):
        return True  # a line end is a blank in LaTeX
    if not before.equal and not line.equal and line.after == ROW:
        return False
    problem = "this line may go on or begin a statement: put ; or an operator before it"
    raise ParseError(text, first.column, problem)


# ---- labels


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
