"""Write docs/book/: a page for every system of the audit, one for each document's exercises.

Formulas, verdicts, numbers and figures are computed when a page is written; docs/book/data/ say
what is computed, and what it must be. How to add an entry is told in tools/book.py.

    python tools/book_pages.py             # rewrite all pages
    python tools/book_pages.py S2 S7 000   # some of them, and the index
    python tools/book_pages.py --check     # fail if one is not up to date
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT))  # a script has its own folder there, not this one
from tools.others import tool  # noqa: E402

BOOK = ROOT / "docs" / "book"
INDEX = """# The book, executed

Five documents on robot dynamics were [read line by line](../audit.md):

{documents}

They contain {total} systems; {pages} have a page here: what it is, the lines that state it, the
equations that follow, what the document says and whether it is [true](../check.md), numbers, and a
figure. Blocks of Python can be pasted, one after the other, and print what stands below them. Pages
are written by running them; tests run them again, and fail if a page would be another today.

"""
HEAD = "| row | system | from | proved | differ | numbers |\n|---|---|---|---|---|---|\n"
COUNTED = ("proved", ("differ", "differs"), "as known")  # columns of it, by the ends of words
STATUS = re.compile(r"^\*Computed: (.*)\.\*$", re.M)
MOST_DIGITS = 9
MOST_LETTERS = 84  # of a line
_NOTHING = re.compile(r"<mi>[bQ]</mi><mo>=</mo>(?!.*(<mi>|<mn>[1-9]))")  # b and Q that are zero


def title(row: str) -> str:
    """What a row is about, in the words of the audit."""
    return str(tool("audit_table").rows()["S"][row[1:]])


def stem(row: str) -> str:
    """The name of a page."""
    return f"s{int(row[1:]):02d}"


# ---- a page


def page(row: str) -> str:
    """Of a system."""
    done = tool("book").executed(tool("book").entries()[row])
    e = done.entry
    parts = [f"# {row}: {title(row)}", f"*{citation(e.source)}.*"]
    parts += [e.statement.strip(), f"*Computed: {counted(done)}.*"]
    if done.svg:
        parts.append(f"![{title(row)}](figures/{stem(row)}.svg)")
    parts += body(done)
    if e.errata:
        parts.append(_errata(e.errata))
    if e.exercises:
        parts.append(f"Answers {', '.join(map(_exercise, e.exercises))}.")
    parts.append("[All systems](index.md)")
    return "\n\n".join(parts) + "\n"


def citation(source: str, name: str = "full") -> str:
    """A place in a document, with the document's name; `author` alone is shorter."""
    errata = tool("errata")
    names = {"full": errata.full_title, "author": lambda d: errata.data(d)["author"]}
    place = source.format(*map(names[name], tool("book").DOCUMENTS))
    return place[:1].upper() + place[1:]


def body(done: Any) -> list[str]:
    """Code, formulas, verdicts and numbers of an entry."""
    e, parts = done.entry, []
    if e.code:
        parts.append(f"```python\n{e.code.strip()}\n```")
    if done.forms or e.show:
        parts.append(_style())
    before = ""
    for what, (general, lines, without) in done.forms.items():
        name = tool("book").owner(what, e)
        parts += [f"`{name}.closed_form()`:"] if name != before else []
        before = name
        parts += [f"*{x}*" for x in general]
        parts += [_formula(x) for x in lines if not _NOTHING.search(x)]
        parts += [without] if without else []
    for s, x in zip(e.show, done.shown, strict=True):
        parts += shown(x, s, done.names)
    for claim, verdict in zip(e.claim, done.verdicts, strict=True):
        links = ", ".join(map(_erratum, claim.rows))
        above = " ".join(x for x in (claim.words, f"({links})" if links else "") if x)
        parts += [f"{above}:"] if above else []
        parts.append(f"```python\nprint({call(claim, e)})\n```")
        parts.append(f"```text\n{_wrapped(_verdict(verdict))}\n```")
    if e.number:
        rows = [
            f"| {_cell(n.words)} | `{_cell(n.value)}` | {number(x, n.within)} |"
            for n, x in zip(e.number, done.numbers, strict=True)
        ]
        parts.append("\n".join(["| number | computed by | value |", "|---|---|---|", *rows]))
    return parts


def _cell(text: str) -> str:
    """In a table a bar that is no border."""
    return text.replace("|", "\\|")


def call(claim: Any, e: Any) -> str:
    """The call of `check`, with the options that it needs."""
    text = claim.text.strip()
    quotes = '"' if len(text) < MOST_LETTERS - 20 and not set(text) & {"\n", '"'} else '"""\n'
    options = "".join(f", {k}={x!r}" for k, x in claim.options().items())
    raw = "r" if "\\" in text else ""
    return f"{claim.system or e.system}.check({raw}{quotes}{text}{quotes[::-1]}{options})"


def _verdict(found: Any) -> str:
    from visviva.errors import VisvivaError

    return f"refused: {found}" if isinstance(found, VisvivaError) else str(found)


def _erratum(row: str) -> str:
    """A link to what is said of an erratum."""
    return f"[{row}](../equations-checked.md#{row.lower()})"


def _errata(rows: tuple[str, ...]) -> str:
    """What the document has wrong, as its data are judged now."""
    known = {e.row: e for e in tool("errata").errata()}
    titles = tool("errata_page").titles()
    lines = ["| wrong in the document | what | as found | corrected |", "|---|---|---|---|"]
    for row in rows:
        e = known[row]
        found = {"refused" if c.refused else c.verdict().status for c in e.cases}
        mended = {c.verdict_corrected().status for c in e.cases}
        cells = [", ".join(sorted(found)) or "computed otherwise", ", ".join(sorted(mended))]
        lines.append(f"| {' | '.join([_erratum(row), titles[row], *cells])} |")
    return "\n".join(lines)


def _exercise(text: str) -> str:
    document, item = text.split(" ", 1)
    return f"[{item} of {tool('errata').data(document)['author']}]({document}.md)"


def counted(done: Any) -> str:
    """How much was proved, differs, agrees; and what is otherwise than it should be."""
    found = Counter(tool("book").status(v) for v in done.verdicts)
    words = {
        "identical": "{} proved",
        "identical if": "{} proved under conditions",
        "differs": "{} differs" if found["differs"] == 1 else "{} differ",
        "agrees numerically": "{} checked in numbers only",
        "refused": "{} refused",
    }
    told = [words[k].format(_of(found[k], "claim")) for k in words if found[k]]
    agree = sum(n.agrees(x) for n, x in zip(done.entry.number, done.numbers, strict=True))
    told += [f"{_of(agree, 'number')} as known"] if done.entry.number else []
    told += [f"{_of(len(done.wrong), 'result')} not as expected"] if done.wrong else []
    return ", ".join(told) or "formulas alone"


def _of(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


# ---- formulas and numbers


def _style() -> str:
    from visviva.notation.writing.webpage import FORMULAS

    left = ".formulas .line { padding-left: 1.5rem; } .formulas math { display: inline math; }"
    return f"<style>{' '.join(FORMULAS.split())} {left}</style>"


def _formula(mathml: str) -> str:
    return f'<div class="formulas"><div class="line">{mathml}</div></div>'


def shown(x: Any, s: Any, names: Any) -> list[str]:
    """A formula as MathML, below what computes it; all else as it is printed."""
    import sympy

    from visviva.notation.writing.write import mathml

    if isinstance(x, np.ndarray) and x.dtype == object:
        x = sympy.Matrix(x.tolist())
    if isinstance(x, (sympy.Basic, sympy.MatrixBase)) or (
        isinstance(x, (list, tuple)) and x and all(isinstance(y, sympy.Basic) for y in x)
    ):
        if s.left:
            x = sympy.Eq(sympy.Symbol(s.left), x, evaluate=False)
        above = f"{s.words}, `{s.value}`:" if s.words else f"`{s.value}`:"
        return [above, _formula(mathml(x, names))]
    below = [f"```python\nprint({s.value})\n```", f"```text\n{_wrapped(str(x))}\n```"]
    return [f"{s.words}:", *below]


def _wrapped(text: str) -> str:
    """Long lines in several, so that they are read without moving the page."""
    made = []
    for x in text.splitlines():
        deeper = " " * (len(x) - len(x.lstrip()) + 2)
        made += wrap(x, MOST_LETTERS, subsequent_indent=deeper, break_on_hyphens=False) or [""]
    return "\n".join(made)


def number(x: Any, within: float) -> str:
    """As many digits as are known, no noise."""
    if isinstance(x, (bool, np.bool_, str)):
        return escape({True: "yes", False: "no"}.get(x, x) if not isinstance(x, str) else x)
    at = np.array(x)
    if at.ndim:
        return "[" + ", ".join(number(y, within) for y in at) + "]"
    if np.iscomplexobj(at):
        re_, im = (number(y, within) for y in (at.real, at.imag))
        return re_ if im == "0" else f"{re_} {'-' if im.startswith('-') else '+'} {im.lstrip('-')}j"
    y = float(at)
    if abs(y) <= within:
        return "0"
    digits = min(
        MOST_DIGITS, max(2, int(1 + np.floor(np.log10(abs(y))) - np.floor(np.log10(within))))
    )
    return f"{y:.{digits}g}"


# ---- the other pages


def exercises(document: str) -> str:
    """The page of a document's exercises."""
    book = tool("book")
    parts = [f"# Exercises of {tool('errata').full_title(document)}"]
    for e in book.exercises(document):
        done = book.executed(e)
        parts += [f"## {e.item}", e.statement.strip()]
        if e.rows:
            links = [_linked(r) for r in e.rows]
            parts.append(f"{'More' if e.code else 'Answered'} on {', '.join(links)}.")
        if done.verdicts or done.numbers:
            parts.append(f"*Computed: {counted(done)}.*")
        parts += body(done)
    parts.append("[All systems](index.md)")
    return "\n\n".join(parts) + "\n"


def _linked(row: str) -> str:
    """A row with its title, and a link where it has a page."""
    named = f"{row}: {title(row)}"
    return f"[{named}]({stem(row)}.md)" if row in tool("book").entries() else named


def index() -> str:
    """The table of all systems; what was computed is read off their pages."""
    book = tool("book")
    found = book.entries()
    total = len(tool("audit_table").rows()["S"])
    pages = "all of them" if len(found) == total else f"{len(found)} of them"
    listed = [f"- {citation(f'{{{d}}}')}: [its exercises]({d}.md)" for d in book.DOCUMENTS]
    parts = [INDEX.format(total=total, pages=pages, documents="\n".join(listed))]
    for kind, words in book.KINDS.items():
        rows = [e for e in found.values() if e.kind == kind]
        if rows:
            lines = "".join(_line(e) for e in rows)
            parts.append(f"## {words}\n\n{HEAD}{lines}\n")
    return "".join(parts).rstrip("\n") + "\n"


def _line(e: Any) -> str:
    path = BOOK / f"{stem(e.row)}.md"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    said = STATUS.search(text)
    counts = dict.fromkeys(COUNTED, "")
    for word in said[1].split(", ") if said else ():
        for ends in counts:
            if word.endswith(ends):
                counts[ends] = word.split()[0]
    place = citation(e.source, "author")
    cells = [f"[{e.row}]({stem(e.row)}.md)", title(e.row), place, *counts.values()]
    return f"| {' | '.join(cells)} |\n"


def files(asked: list[str]) -> dict[Path, str]:
    """What is to be written: pages and figures, by path; the index last."""
    book = tool("book")
    made: dict[Path, str] = {}
    for row, e in book.entries().items():
        if not asked or row in asked:
            made[BOOK / f"{stem(row)}.md"] = page(row)
            if book.executed(e).svg:
                made[BOOK / "figures" / f"{stem(row)}.svg"] = book.executed(e).svg
    for d in book.DOCUMENTS:
        if book.exercises(d) and (not asked or d in asked):
            made[BOOK / f"{d}.md"] = exercises(d)
    return made


def main(arguments: list[str]) -> int:
    """Write pages, or say whether they are up to date."""
    asked = [x for x in arguments if not x.startswith("-")]
    stale = []
    for path, text in files(asked).items():
        current = path.read_text(encoding="utf-8") if path.exists() else ""
        if current != text:
            stale.append(path)
            if "--check" not in arguments:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
    path, text = BOOK / "index.md", index()
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        stale.append(path)
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
    for path in stale:
        print("stale:" if "--check" in arguments else "written:", path.relative_to(ROOT))
    wrong = wrong_of(asked)
    for told in wrong:
        print(told)
    return int(bool(wrong) or ("--check" in arguments and bool(stale)))


def wrong_of(asked: list[str]) -> list[str]:
    """What is otherwise than the data say, in sentences."""
    book = tool("book")
    known = [(row, e) for row, e in book.entries().items() if not asked or row in asked]
    for d in book.DOCUMENTS:
        if not asked or d in asked:
            known += [(f"{d}, {e.item}", e) for e in book.exercises(d)]
    return [f"{where}: {x}" for where, e in known for x in book.executed(e).wrong]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
