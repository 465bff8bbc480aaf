"""Formulas of a paper in LaTeX: those that are displayed, and the equations within its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from visviva.judge.check.context import Piece
from visviva.judge.check.macros import readable

DISPLAYED = re.compile(
    r"(?<!\\)\$\$(?P<dollars>.+?)(?<!\\)\$\$|(?<!\\)\\\[(?P<brackets>.+?)(?<!\\)\\\]"
    r"|\\begin\{(?P<kind>(?:equation|align|flalign|alignat|gather|displaymath|eqnarray|multline)"
    r"\*?)\}(?P<inside>.+?)\\end\{(?P=kind)\}",
    re.DOTALL,
)
INLINE = re.compile(
    r"(?<!\\)\\\((?P<brackets>.+?)(?<!\\)\\\)|(?<![\\$])\$(?P<dollars>(?:[^$\\]|\\.)+)\$(?!\$)"
    r"|\\begin\{math\}(?P<inside>.+?)\\end\{math\}",
    re.DOTALL,
)
_LABEL = re.compile(r"\\label\{([^}]*)\}")
_UNSAID = re.compile(r"\\(?:label|tag\*?)\{[^}]*\}|\\(?:nonumber|notag)\b")
_BETWEEN = re.compile(r"\\(?:short)?intertext\s*\{[^{}]*\}")
_TEXT = re.compile(r"\\(?:text\w*|mbox|mathrm)\s*\{[^{}]*\}")
_PIECE = re.compile(r"\\begin\{[^}]*\}|\\end\{[^}]*\}|\\\\\*?(?:\[[^\]]*\])?|&")
_ROWS = ("align", "flalign", "gather", "eqnarray")  # of which every row is a formula
_SCRIPT = re.compile(r"[_^]\s*\{[^{}]*\}")
_LISTED = re.compile(r"\w+\s*=\s*\d+(?:\s*,\s*(?:\w+|\\[lc]?dots[cb]?|\.{3}))+")
_BLANK = re.compile(r"(?:\s|&|\{\}|~|\\[,;:! ]|\\q?quad(?![A-Za-z])|\\hspace\*?\{[^}]*\})+")
_OPERATOR = re.compile(r"[-+*/=−·×]|\\(?:cdot|times|pm|mp)(?![A-Za-z])")
_ENDS = " \t\n\r.,;"


def paper_formulas(text: str) -> list[Piece]:
    """Displayed formulas, and equations within lines, in the order of the text."""
    text = readable(text)
    found = [*DISPLAYED.finditer(text)]
    rest = DISPLAYED.sub(lambda x: re.sub(r"[^\n]", " ", x[0]), text)
    found += [x for x in INLINE.finditer(rest) if is_claim(inside_of(x))]
    return [
        x
        for match in sorted(found, key=re.Match.start)
        for x in of_match(match, text.count("\n", 0, match.start()) + 1)
    ]


def of_match(match: re.Match[str], line: int, label: str = "") -> Iterator[Piece]:
    """The formulas of a match of `DISPLAYED` or `INLINE`, by their \\label or their line."""
    kind = match.groupdict().get("kind") or ""
    inside = inside_of(match)
    if kind.startswith("alignat"):
        inside = re.sub(r"\A\s*\{\d*\}", "", inside)
    inside = _BETWEEN.sub("", inside)
    for k, row in enumerate(_rows(inside) if kind.startswith(_ROWS) else [inside], 1):
        said = " ".join(_UNSAID.sub("", row).strip(_ENDS).split())
        if not re.search(r"\w", _TEXT.sub("", said)):
            continue
        named = _LABEL.search(row)
        yield Piece(said, line, named[1]) if named else Piece(said, line, label, row=k)


def inside_of(match: re.Match[str]) -> str:
    """What stands between the marks of a formula."""
    return next(x for key, x in match.groupdict().items() if x and key != "kind")


def is_equation(text: str) -> bool:
    """Whether there is an = sign, but for those below a sum."""
    while (bare := _SCRIPT.sub("", text)) != text:
        text = bare
    return "=" in text


def is_claim(text: str) -> bool:
    """Whether a formula within a line is an equation; i = 1, 2 lists values, and is none."""
    return is_equation(text) and not _LISTED.fullmatch(text.strip(_ENDS))


def begins(text: str) -> str:
    """The operator or = sign that a formula begins with, or nothing."""
    blank = _BLANK.match(text)
    found = _OPERATOR.match(text, blank.end() if blank else 0)
    return found[0] if found else ""


def _rows(text: str) -> list[str]:
    """Rows of aligned formulas, & left out; those of matrices in them stay as they are."""
    table, depth, at = [[""]], 0, 0
    for piece in _PIECE.finditer(text):
        mark = piece[0]
        depth += mark.startswith(r"\begin") - mark.startswith(r"\end")
        table[-1][-1] += text[at : piece.start()]
        at = piece.end()
        if depth or mark.startswith((r"\begin", r"\end")):
            table[-1][-1] += mark
        elif mark == "&":
            table[-1].append("")
        else:
            table.append([""])
    table[-1][-1] += text[at:]
    joined: list[str] = []
    led = False  # whether the formula before begins with &
    for cells in table:
        row, leading = _row(cells), len(cells) > 1 and not _BLANK.sub("", cells[0])
        if joined and _goes_on(joined[-1], row, leading and not led):
            joined[-1] += f" {row.strip()}"
        else:
            joined.append(row)
            led = leading
    return joined


def _row(cells: list[str]) -> str:
    """The formulas of a row, of which each has two columns: a &= b & c &= d."""
    row, *more = ("".join(cells[k : k + 2]) for k in range(0, len(cells), 2))
    for x in more:
        apart = is_equation(row) and is_equation(x) and begins(x) != "="
        apart = apart and not row.rstrip().endswith("=")  # a &=& b
        row = f"{row.rstrip(_ENDS)}; {x}" if apart else row + x
    return row


def _goes_on(before: str, row: str, aligned: bool) -> bool:
    """Whether a row goes on with the one before it: one without a left side does.

    One that begins with an operator, and has an = sign, does where there was none before, or where
    it is `aligned` to what follows a left side.
    """
    if _TEXT.sub("", before).strip(_ENDS) == "":
        return False
    if not is_equation(row) or begins(row) == "=":
        return True
    return bool(begins(row)) and (aligned or not is_equation(before))
