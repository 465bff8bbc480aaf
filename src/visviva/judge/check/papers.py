"""Formulas of a paper in LaTeX: those that are displayed, and the equations within its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from visviva.judge.check.answers.pieces import Piece
from visviva.judge.check.macros import readable

_ROWS = ("align", "flalign", "alignat", "xalignat", "gather", "eqnarray", "IEEEeqnarray")
_KINDS = "|".join((*_ROWS, "equation", "displaymath", "multline", "dmath"))
DISPLAYED = re.compile(
    r"(?<!\\)\$\$(?P<dollars>.+?)(?<!\\)\$\$|(?<!\\)\\\[(?P<brackets>.+?)(?<!\\)\\\]"
    rf"|\\begin\{{(?P<kind>(?:{_KINDS})\*?)\}}(?P<inside>.+?)\\end\{{(?P=kind)\}}",
    re.DOTALL,
)
_GROUP = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
INLINE = re.compile(
    r"(?<!\\)\\\((?P<brackets>.+?)(?<!\\)\\\)|(?<![\\$])\$(?P<dollars>(?:[^$\\]|\\.)+)\$(?!\$)"
    r"|\\begin\{math\}(?P<inside>.+?)\\end\{math\}"
    rf"|\\ensuremath\s*(?P<ensured>{_GROUP})",
    re.DOTALL,
)
_WITHIN = re.compile(  # rows that are all of a formula, perhaps in a brace
    r"(?:\\left\s{0,9})?(?:\\\{|\.)?\s{0,99}\\begin\{(?P<kind>aligned|alignedat|split|gathered|array"
    r"|IEEEeqnarraybox|[dr]?cases)\}(?P<inside>.+)\\end\{(?P=kind)\}\s{0,99}(?:\\right\s{0,9})?"
    r"(?:\\\}|\.)?",
    re.DOTALL,
)
_COLUMNS = re.compile(rf"\A\s*(?:\[[^\]]*\]\s*)?(?:{_GROUP})?")  # of alignat, array: {2}, {rCl}
_HAS_COLUMNS = ("alignat", "xalignat", "alignedat", "array", "IEEEeqnarray")
_LABEL = re.compile(r"\\label\{([^}]*)\}")
_UNSAID = re.compile(
    r"\\(?:label|tag\*?)\{[^}]*\}|\\(?:nonumber|notag|IEEE(?:no|yes)(?:sub)?number\*?)(?![A-Za-z])"
    r"|\\IEEEeqnarray(?:numspace|multicol\{\d+\}\{\w+\})"
)
_BETWEEN = re.compile(r"\\(?:short)?intertext\s*\{[^{}]*\}")
_TEXT = re.compile(r"\\(?:text\w*|mbox|mathrm)\s*\{[^{}]*\}")
_PIECE = re.compile(r"\\begin\{[^}]*\}|\\end\{[^}]*\}|\\\\\*?(?:\[[^\]]*\])?|&")
_SCRIPT = re.compile(r"[_^]\s*\{[^{}]*\}")
_LISTED = re.compile(r"\w+\s*=\s*\d+(?:\s*,\s*(?:\w+|\\[lc]?dots[cb]?|\.{3}))+")
_BLANK = re.compile(r"(?:\s|&|\{\}|~|\\[,;:! ]|\\q?quad(?![A-Za-z])|\\hspace\*?\{[^}]*\})+")
_OPERATOR = re.compile(r"[-+*/=−·×]|\\(?:cdot|times|pm|mp)(?![A-Za-z])")
_SETTING = re.compile(  # in which an = sign sets something
    r"\A.*\\begin\{document\}|\\begin\{tikzpicture\}.*?\\end\{tikzpicture\}"
    r"|(?:\\\w+\*?|\\begin\{[^}]*\})\s*\[[^\]]*\]"
    r"|\\(?:hypersetup|lstset|tikzset|pgfplotsset|geometry|captionsetup|sisetup|url|href|label)"
    rf"\s*{_GROUP}",
    re.DOTALL,
)
_OUTSIDE = re.compile(r".+")  # a line
_EQUALS = re.compile(r"[\w)}\]'][\s&]{0,99}=[\s&]{0,99}[-+\w\\({\[]")
_APART = "\0"  # between formulas of one row
_ENDS = " \t\n\r.,;"
OUTSIDE = "an equation outside of formulas is not read: write it in $...$, equation or align"


def paper_formulas(text: str) -> list[Piece]:
    """Displayed formulas, and equations within lines, in the order of the text."""
    text = readable(text)
    found = [*DISPLAYED.finditer(text)]
    rest = DISPLAYED.sub(_blank, text)
    found += [x for x in INLINE.finditer(rest) if is_claim(inside_of(x))]
    if not found:
        return []
    rest = _SETTING.sub(_blank, INLINE.sub(_blank, rest))
    lines = (x for x in _OUTSIDE.finditer(rest) if "=" in x[0])
    unread = [x for x in lines if _EQUALS.search(x[0]) and is_equation(x[0])]
    return [
        x
        for match in sorted([*found, *unread], key=re.Match.start)
        for x in of_match(match, text.count("\n", 0, match.start()) + 1)
    ]


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def of_match(match: re.Match[str], line: int, label: str = "") -> Iterator[Piece]:
    """The formulas of a match of `DISPLAYED` or `INLINE`, by their \\label or their line."""
    if match.re is _OUTSIDE:
        yield Piece(match[0].strip(), line, why=OUTSIDE)
        return
    kind = match.groupdict().get("kind") or ""
    inside = _BETWEEN.sub("", inside_of(match))
    if not kind.startswith(_ROWS) and (within := _within(inside)) is not None:
        named = _LABEL.search(inside)
        kind, inside, label = within["kind"], within["inside"], named[1] if named else label
        inside, rows = _LABEL.sub("", inside), True
    else:
        rows = kind.startswith(_ROWS)
    if kind.startswith(_HAS_COLUMNS):
        inside = _COLUMNS.sub("", inside)
    for k, row in enumerate(_rows(inside) if rows else [inside], 1):
        named = _LABEL.search(row)
        for formula in row.split(_APART):
            said = " ".join(_UNSAID.sub("", formula).strip(_ENDS).split())
            if re.search(r"\w", _TEXT.sub("", said)):
                yield Piece(said, line, named[1]) if named else Piece(said, line, label, row=k)


def _within(inside: str) -> re.Match[str] | None:
    """Rows of equations that are all of a formula, if it is that."""
    found = _WITHIN.fullmatch(_UNSAID.sub("", inside).strip(_ENDS))
    depth = 0
    for piece in _PIECE.findall(found["inside"]) if found else ():
        depth += piece.startswith(r"\begin") - piece.startswith(r"\end")
        if depth < 0:  # two of them side by side
            return None
    return found if found and is_equation(found["inside"]) else None


def inside_of(match: re.Match[str]) -> str:
    """What stands between the marks of a formula."""
    found = match.groupdict()
    if group := found.get("ensured"):
        return str(group)[1:-1]
    return next(x for key, x in found.items() if x and key != "kind")


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
        row = f"{row.rstrip(_ENDS)}{_APART}{x}" if apart else row + x
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
