r"""Where one statement ends and the next begins: line ends, `;`, rows of environments, words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from visviva.errors import ParseError
from visviva.notation.reading.labels import is_label, unlabelled
from visviva.notation.reading.marks import CLOSING, MATRICES, Mark, pair

ROW = "\\\\"
BLANK_LINE = "\n\n"
OPERATORS = ("+", "-", "*", "/", "^")


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
    ends = (*OPERATORS, "=", ROW, "\n", "&")
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
