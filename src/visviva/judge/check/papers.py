"""Formulas of a paper in LaTeX: what stands in displayed formulas, else those within its lines."""

from __future__ import annotations

import re

_DISPLAYED = re.compile(
    r"\$\$(?P<dollars>.+?)\$\$|\\\[(?P<brackets>.+?)\\\]"
    r"|\\begin\{(?P<kind>(?:equation|align|gather|displaymath|eqnarray|multline)\*?)\}"
    r"(?P<inside>.+?)\\end\{(?P=kind)\}",
    re.DOTALL,
)
_INLINE = re.compile(r"\\\((?P<brackets>.+?)\\\)|\$(?P<dollars>[^$]+)\$", re.DOTALL)
_REMARK = re.compile(r"(?<!\\)%.*")
_LABEL = re.compile(r"\\label\{([^}]*)\}")
_UNSAID = re.compile(r"\\(?:label|tag\*?)\{[^}]*\}|\\(?:nonumber|notag)\b")
_PIECE = re.compile(r"\\begin\{[^}]*\}|\\end\{[^}]*\}|\\\\(?:\[[^\]]*\])?|&")
_ROWS = ("align", "gather", "eqnarray")  # of which every row is a formula


def paper_claims(text: str) -> dict[str, str]:
    """Equations by their \\label, or by the line where they begin; nothing if there are none."""
    text = _REMARK.sub("", text)
    found = [*_DISPLAYED.finditer(text)] or [*_INLINE.finditer(text)]
    cases: dict[str, str] = {}
    for match in found:
        kind = match.groupdict().get("kind") or ""
        inside = next(x for key, x in match.groupdict().items() if x and key != "kind")
        line = text.count("\n", 0, match.start()) + 1
        for k, row in enumerate(_rows(inside) if kind.startswith(_ROWS) else [inside]):
            said = _UNSAID.sub("", row).strip(" \t\n\r.,;")
            if "=" not in said:
                continue
            named = _LABEL.search(row)
            label = named[1] if named else f"line {line}" + (f", row {k + 1}" if k else "")
            cases[f"{label}, line {line}" if label in cases else label] = " ".join(said.split())
    return cases


def _rows(text: str) -> list[str]:
    """Rows of aligned formulas, & left out; those of matrices in them stay as they are."""
    rows, depth, at = [""], 0, 0
    for piece in _PIECE.finditer(text):
        mark = piece[0]
        depth += mark.startswith(r"\begin") - mark.startswith(r"\end")
        rows[-1] += text[at : piece.start()]
        at = piece.end()
        if depth or mark.startswith((r"\begin", r"\end")):
            rows[-1] += mark
        elif mark != "&":
            rows.append("")
    rows[-1] += text[at:]
    joined: list[str] = []
    for row in rows:  # one that goes on with the one before it has no left side
        if joined and not re.match(r"[^=]*\w[^=]*=", row):
            joined[-1] += f" {row.strip()}"
        else:
            joined.append(row)
    return joined
