"""What a cell claims under its head: there the one statement without a left side is the head's.

Examples:
    >>> with_left_side("M22", "h = m2 r2^2; I2 + h")
    'h = m2 r2^2; M22 = I2 + h'
    >>> with_left_side("M22", "=I2+m2*r2^2")
    'M22 = I2+m2*r2^2'
"""

from __future__ import annotations

import re

from visviva.errors import ClaimFileError
from visviva.notation.reading.layout.trimmings import COMMENT
from visviva.notation.reading.marks import MATRICES, is_latex
from visviva.notation.reading.read import canonical

# = of a spreadsheet, perhaps with the mark that it is a text
_COMPUTED = re.compile(r"\A'?=(?!=)\s*")
_MARKED = re.compile(r"\A'(?=[-+@])")
_NAME = r"\\?[^\W\d]\w*(?:_?\{[^{}]*\})?'{0,2}"
_APART = re.compile(
    rf"\s*(?:(?<!\\);|\n|\\\\)\s*|,\s*(?=(?:(?:with|where|and|mit|wobei)\s+)?{_NAME}\s*=)"
    r"|,?\s+(?:with|where|mit|wobei)\s+"
)
_LINE_END = re.compile(r"\n|\\\\\s*")
EQUALS = re.compile(r"(?<![<>!=:])(?:==?|:=)(?![=<>])")  # as claims have it, not that of <= or =>
_SPACE = r"(?:[\s&$]|\{\}|\\q?quad|\\[,;:! ])*"
_OPERATOR = r"(?:[-+*/^=·⋅×−]|\\cdot|\\times)"
_BEGINS = re.compile(rf"\A{_SPACE}{_OPERATOR}")
_LED_BY = re.compile(rf"(?:\n|\\\\){_SPACE}\Z")  # the left side is in another line
_OPEN = re.compile(rf"{_OPERATOR}{_SPACE}\Z")
_OPENS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_MATRIX = re.compile(rf"\\begin\{{({'|'.join(sorted(MATRICES))})\}}.*?\\end\{{\1\}}", re.DOTALL)
_ADDRESS = re.compile(r"\S+://\S+|\S+@\S+")
_FORMULA = re.compile(
    r"=|\^|\\\w|\$.+\$|\w\s*[+*]\s*\w|\b(?:sin|cos)\b"
    r"|[^\W\d_]_?\d\s*[-/]\s*\(?[^\W\d_]|\b[^\W\d_]{1,2}_?\d\s+[^\W\d_]{1,2}_?\d\b"
)


def with_left_side(asked: str, said: str) -> str:
    """What stands under a head, with the left side that it leaves out; nothing if it does not.

    Of several statements without one it is not clear which is the head's: a `ClaimFileError`.
    """
    text = _MARKED.sub("", said)
    if computed := _COMPUTED.match(text):
        return f"{asked} = {text[computed.end() :]}"
    pieces = _pieces(_masked(text))
    if any(canonical(asked) in sides_of(piece) for _, piece in pieces if "=" in piece):
        return ""
    bare = [(at, at + len(piece)) for at, piece in pieces if _is_bare(piece)]
    if len(bare) > 1:
        one, other = (text[start:stop].strip()[:60] for start, stop in bare[:2])
        raise ClaimFileError(
            f"{one!r} and {other!r} have no left side: which is {asked}? write {asked} = before "
            "it, and of the other one what it is, or leave it out"
        )
    return f"{text[: bare[0][0]]}{asked} = {text[bare[0][0] :]}" if bare else ""


def is_one_equation(text: str) -> bool:
    """Whether it is one statement, perhaps in several lines, and compares nothing by < or >."""
    return len(_pieces(_masked(text))) == 1 and not {"<", ">"} & {*text}


def sides_of(equation: str) -> list[str]:
    """The sides of an equation, as names are compared."""
    return [canonical(_LINE_END.sub(" ", x).strip(" &$")) for x in EQUALS.split(equation)]


def _is_bare(piece: str) -> bool:
    """Whether a statement has no left side: no = sign, or one that begins a further line."""
    left, equal, _ = piece.partition("=")
    return not equal or (bool(left.strip(" &$")) and _LED_BY.search(left) is not None)


def _masked(text: str) -> str:
    """Comments blanked and matrices filled, with every column kept."""
    text = COMMENT.sub(lambda x: " " * len(x[0]), text)
    return _MATRIX.sub(lambda x: "x" * len(x[0]), text)


def _pieces(text: str) -> list[tuple[int, str]]:
    """The statements of a text, and where they begin; what is in brackets is not divided."""
    depth, at, end, found = 0, 0, "", list[tuple[int, str]]()
    ends = {x.start(): x for x in _APART.finditer(text)}
    for k, mark in enumerate(text + "\n"):
        apart = ends.get(k) if depth == 0 and k >= at else None
        if apart or k == len(text):
            if found and _goes_on(found[-1][1], end, text[at:k]):
                at = found.pop()[0]
            found.append((at, text[at:k]))
            at, end = (apart.end(), apart[0]) if apart else (k, "")
        depth += _OPENS.get(mark, 0)
    return [(at, piece) for at, piece in found if piece.strip()]


def _goes_on(before: str, end: str, piece: str) -> bool:
    """Whether a line goes on with the statement before it, as where claims are read."""
    if not _LINE_END.fullmatch(end.strip(" \t\r")):
        return False
    if _BEGINS.match(piece) or _OPEN.search(before):
        return True  # below, a line end is a blank in LaTeX
    return "\\\\" not in end and "=" not in before + piece and is_latex(before + piece)


def has_formula(text: str) -> bool:
    """Whether a cell looks like an answer: it has an = sign, or a formula."""
    return _FORMULA.search(_ADDRESS.sub(" ", text)) is not None
