"""What a cell claims under its head: there the one statement without a left side is the head's.

Examples:
    >>> with_left_side("M22", "h = m2 r2^2; I2 + h")
    'h = m2 r2^2; M22 = I2 + h'
    >>> with_left_side("M22", "=I2+m2*r2^2")
    'M22 = I2+m2*r2^2'
"""

from __future__ import annotations

import re

# = of a spreadsheet, perhaps with the mark that it is a text
_COMPUTED = re.compile(r"\A'?=(?!=)\s*")
_MARKED = re.compile(r"\A'(?=[-+@])")
_NAME = r"\\?[^\W\d]\w*(?:_?\{[^{}]*\})?'{0,2}"
_APART = re.compile(
    rf"\s*(?:;|\n|\\\\)\s*|,\s*(?=(?:(?:with|where|and|mit|wobei)\s+)?{_NAME}\s*=)"
    r"|,?\s+(?:with|where|mit|wobei)\s+"
)
_OPENS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_ADDRESS = re.compile(r"\S+://\S+|\S+@\S+")
_FORMULA = re.compile(
    r"=|\^|\\\w|\$.+\$|\w\s*[+*]\s*\w|\b(?:sin|cos)\b"
    r"|[^\W\d_]_?\d\s*[-/]\s*\(?[^\W\d_]|\b[^\W\d_]{1,2}_?\d\s+[^\W\d_]{1,2}_?\d\b"
)


def with_left_side(asked: str, said: str) -> str:
    """What stands under a head, with the left side that it leaves out; nothing if it does not.

    Of several statements without one it is not clear which is the head's.
    """
    text = _MARKED.sub("", said)
    if computed := _COMPUTED.match(text):
        return f"{asked} = {text[computed.end() :]}"
    bare = [k for k, piece in _pieces(text) if piece.strip() and "=" not in piece]
    if len(bare) != 1:
        return ""
    return f"{text[: bare[0]]}{asked} = {text[bare[0] :]}"


def _pieces(text: str) -> list[tuple[int, str]]:
    """The statements of a text, and where they begin; what is in brackets is not divided."""
    depth, at, found = 0, 0, list[tuple[int, str]]()
    ends = {x.start(): x for x in _APART.finditer(text)}
    for k, mark in enumerate(text):
        if depth == 0 and k >= at and (end := ends.get(k)):
            found.append((at, text[at:k]))
            at = end.end()
        depth += _OPENS.get(mark, 0)
    return [*found, (at, text[at:])]


def has_formula(text: str) -> bool:
    """Whether a cell looks like an answer: it has an = sign, or a formula."""
    return _FORMULA.search(_ADDRESS.sub(" ", text)) is not None
