"""Write docs/equations-checked.md: the errata, with the verdicts on them.

The verdicts are those of `check`, obtained when the page is written.

    python tools/errata_page.py            # rewrite the page
    python tools/errata_page.py --check    # fail if it is not up to date
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT))  # a script has its own folder there, not this one
from tools.others import tool  # noqa: E402

PAGE = ROOT / "docs" / "equations-checked.md"

HEAD = """# Equations in the sources, checked

Five documents on robot dynamics were [read line by line](audit.md): a textbook's chapter, slides,
a homework solution. {total} rows of errors were found in them.

- {case} hold equations, matrices or formulas that can be put on a concrete system. Each of them is
  [checked](check.md), as found and corrected. This page is written by running the checks: what is
  called identical is proved, and what differs is shown with the terms that are missing and extra.
  What has no meaning as a formula is refused.
- {computed} are statements, words or lost limits that a computation decides; the test that does it
  is named.

The documents came as text, made from pages and slides by a machine. So an error may be the
document's or damage of its digitisation. Each entry says which, and when it cannot be known: the
fault is the document's in {document} of them, the digitisation's in {digitisation}, and cannot be
known in {unknown}. Most of what these documents say was found right; a good text with one wrong
sign is still a good text.

Severity: **A** a wrong result if coded as printed; **B** a misprint with one possible repair;
**C** overstated or incomplete. Lines are those of the text files that were read.

An equation is given as it is typed into `check`, after the options that it needs; with `shorthand`
C2 and c2 are cos(θ₂), s12 is sin(θ₁ + θ₂). The systems and the claims are in files that the tests
run as well: {files}.

| row | what | severity | fault | judged by |
|---|---|---|---|---|
"""


def _errata() -> ModuleType:
    return tool("errata")


def titles() -> dict[str, str]:
    """What each row is about, in the words of the audit."""
    return {f"E{number}": title for number, title in tool("audit_table").rows()["E"].items()}


def page() -> str:
    """The whole page."""
    errata, named = _errata(), titles()
    found = errata.errata()
    counts = Counter(e.fault for e in found) + Counter(e.judged for e in found)
    files = ", ".join(f"[{d}](errata/{d}.toml)" for d in errata.documents())
    numbers = {k: counts[k] for k in (*errata.FAULTS, *errata.JUDGES)}
    head = HEAD.format(total=len(found), files=files, **numbers)
    shown_by = tool("audit_table").tests()
    for e in found:
        anchor = f"[{e.row}](#{e.row.lower()})"
        cells = anchor, named[e.row], e.severity, errata.FAULTS[e.fault], errata.JUDGES[e.judged]
        head += f"| {' | '.join(cells)} |\n"
    parts = [head]
    for document in errata.documents():
        parts.append(f"## {document}: {errata.full_title(document)}\n")
        here = [e for e in found if e.document == document]
        parts += [entry(e, named[e.row], shown_by[e.row]) for e in here]
    return "\n".join(parts)


def entry(e: Any, title: str, tests: list[str]) -> str:
    """One erratum, with the tests that show it where no verdict does."""
    errata = _errata()
    lines = ", ".join(map(str, e.lines))
    plural = "lines" if len(e.lines) > 1 else "line"
    said = [f'### <a id="{e.row.lower()}"></a>{e.row}: {title.lower()[0].upper()}{title[1:]}', ""]
    said += [
        f"*{plural.capitalize()} {lines}; severity {e.severity}; fault:* "
        f"**{errata.FAULTS[e.fault]}**",
        "",
    ]
    said += [e.note, ""] if e.note else []
    if e.found:
        said += ["As found:", "", block(e.found), ""]
    if e.computed:
        said += [f"Computed: {e.computed}", "", f"Shown by {', '.join(tests)}.", ""]
    known: set[str] = set()  # definitions that were shown
    for case in e.cases:
        said += _case(case, bool(e.found), known)
    return "\n".join(said)


def _case(case: Any, general: bool, known: set[str]) -> list[str]:
    way = f"On {case.model.name}" if general else "As found"
    way += f", {case.reading}" if case.reading else ""
    way += _options(case.options())
    shown = f"refused: {case.refusal()}" if case.refused else verdict(case.verdict())
    claim = _new(case.claim, known)
    corrected = _new(case.corrected, known)
    other = case.options(case.corrected_of)
    mended = f"Corrected{_options(other) if other != case.options() else ''}:"
    made = [f"{way}:", "", block(f"{claim}\n\n{shown}"), "", mended, ""]
    return [*made, block(f"{corrected}\n\n{verdict(case.verdict_corrected())}"), ""]


def _options(stated: dict[str, Any]) -> str:
    """Of `check`, as they are typed."""
    typed = ", ".join(f"{k}={x!r}" for k, x in stated.items())
    return f", `check(…, {typed})`" if typed else ""


def _new(claim: str, known: set[str]) -> str:
    """A claim without the definitions that were shown before."""
    *definitions, last = claim.strip().splitlines()
    fresh = [x for x in definitions if x not in known]
    known |= set(definitions)
    return "\n".join([*fresh, last])


def verdict(found: Any) -> str:
    """As `print` shows it, without witness and names, and with the likeliest diagnosis only."""
    if found.parts:
        return "\n".join(dict.fromkeys(verdict(part) for part in found.parts))
    short = replace(found, witness=None, symbols={}, diagnosis=found.diagnosis[:1])
    return str(short)


def block(text: str) -> str:
    """Preformatted text."""
    return f"```text\n{text}\n```"


def main(arguments: list[str]) -> int:
    """Write the page, or say whether it is up to date."""
    text = page()
    if "--check" in arguments:
        current = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        if current != text:
            print("docs/equations-checked.md is not up to date: run python tools/errata_page.py")
        return int(current != text)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
