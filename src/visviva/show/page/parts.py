"""What sections are made of: folds, tables, code, facts, marks.

What is called `html` is put in as it is; every other text is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from visviva.errors import UnknownNameError
from visviva.show.page.escaping import escaped, json_text

MARKS = ("good", "bad", "warn", "plain")


def fold(title: str, html: str, *, opened: bool = False, name: str = "") -> str:
    """Something that opens when its title is clicked; printed pages have it open."""
    named = f' id="{escaped(name)}"' if name else ""
    return (
        f'<details class="fold"{named}{" open" if opened else ""}><summary>{escaped(title)}'
        f'</summary><div class="folded">{html}</div></details>'
    )


def code(text: str, language: str = "Python") -> str:
    """A program or other text as it is, with a button that copies it."""
    return (
        f'<div class="code"><pre tabindex="0"><code>{escaped(text)}</code></pre>'
        f"{copies({language: text})}</div>"
    )


def copies(texts: Mapping[str, str]) -> str:
    """Buttons that copy a text each, called as the texts are; a menu if there are several."""
    if not texts:
        return ""
    stored = f'<script type="application/json" class="texts">{json_text(dict(texts))}</script>'
    buttons = "".join(
        f'<button type="button" data-copy="{escaped(name)}">{escaped(name)}</button>'
        for name in texts
    )
    if len(texts) == 1:
        name = escaped(next(iter(texts)))
        one = f'<button type="button" data-copy="{name}" title="Copy {name}">Copy</button>'
        return f'<div class="copies">{one}{stored}</div>'
    menu = f'<details><summary title="Copy as…">Copy</summary><div class="menu">{buttons}</div>'
    return f'<div class="copies">{menu}</details>{stored}</div>'


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, html: bool = False, caption: str = ""
) -> str:
    """A table that scrolls in its own box; with `html` its cells are put in as they are.

    Columns whose cells are all numbers stand right.
    """
    every = [[str(x) for x in row] for row in rows]
    right = [bool(every) and all(_is_number(row[k]) for row in every) for k in range(len(head))]
    cell = str if html else escaped
    title = f"<caption>{escaped(caption)}</caption>" if caption else ""
    cells = [[*zip(row, right, strict=True)] for row in [head, *every]]
    top = "".join(f'<th scope="col"{_aligned(at)}>{escaped(x)}</th>' for x, at in cells[0])
    lines = ("".join(f"<td{_aligned(at)}>{cell(x)}</td>" for x, at in row) for row in cells[1:])
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return (
        f'<div class="wide" tabindex="0"><table>{title}<thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def facts(pairs: Mapping[str, str], *, html: bool = False) -> str:
    """Short facts side by side: a large value with its name below."""
    value = str if html else escaped
    rows = "".join(
        f"<div><dt>{escaped(name)}</dt><dd>{value(x)}</dd></div>" for name, x in pairs.items()
    )
    return f'<dl class="facts">{rows}</dl>'


def mark(text: str, kind: str = "plain") -> str:
    """A word in a coloured field: "good", "bad", "warn" or "plain"."""
    if kind not in MARKS:
        raise UnknownNameError("kind of mark", kind, MARKS)
    return f'<span class="mark {kind}">{escaped(text)}</span>'


def note(html: str, kind: str = "plain") -> str:
    """A paragraph that stands out, in the colours of `mark`."""
    if kind not in MARKS:
        raise UnknownNameError("kind of note", kind, MARKS)
    return f'<div class="note {kind}">{html}</div>'


def _is_number(text: str) -> bool:
    try:
        float(text.replace("−", "-").replace(" ", "").replace(" ", "").rstrip("%"))
    except ValueError:
        return False
    return True


def _aligned(right: bool) -> str:
    return ' class="number"' if right else ""
