"""The book, executed: what docs/book/data/ say of every system of the audit, computed.

A file there has entries, one for each row of the audit, and exercises of a document:

    [[system]]
    row = "S2"                  of the audit; its title is in tools/audit_rows.toml
    source = "{000}, example 10.1.2"        documents by number: their names are in docs/errata/
    kind = "arms"               one of KINDS: its group in the index
    statement = '''…'''         two to five sentences of our own
    code = '''…'''              what a reader would paste, by public names only
    system = "arm"              the name in `code` that claims, forms and figure are of; or "system"
    forms = ["standard"]        parts of the closed form that are printed: "standard" (M, C, g, b),
                                "equations", "christoffel", "constraints", "kinetic_energy", …
                                of another name in `code`: "wire.equations"
    figure = "arm.picture(q)"   what has `.svg`, or curves of plotly, in names of `code`
    exercises = ["000 Problem 2"]
    errata = ["E3"]             what the document has wrong of it, from docs/errata/

    [[system.show]]             a formula or numbers, in names of `code`
    words = "Two rows"          what stands above
    value = "form.mass_matrix"  SymPy becomes a formula, all else is printed
    left = "M"                  what it is equal to, optional

    [[system.claim]]            a text for `check`, with its verdict as the library prints it
    words = "(10.3) as printed" what stands above; claims with the same words follow each other
    text = "u2 = m*q2'' - m*a_g"
    status = "differs"          what it must be: a status of a verdict, or "refused"
    rows = ["E1"]               errata that it belongs to
    of = "" frame = "" shorthand = false assume = [] symbols = {} system = "…"   as of `check`

    [[system.number]]           a row in the table of numbers
    words = "where it is after 3 s"
    value = "run.q[-1]"         in names of `code`
    is = [0.81416352, 3.62727901, 2.4]      what the audit has, or a truth or a text
    within = 1e-8               absolute and relative; 1e-9 if nothing is said

    [[exercise]]                of a document, for its page; all fields of a system, and
    document = "000"
    item = "Problem 1"
    rows = ["S4"]               pages that have the answer

`python tools/book_pages.py` writes the pages; tests/sources/test_book.py holds them.
"""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from visviva.errors import VisvivaError

ROOT = Path(__file__).parents[1]

DATA = ROOT / "docs" / "book" / "data"
KINDS = {
    "points": "Points and particles",
    "bodies": "Single bodies and their inertia",
    "held": "Points, blades and wheels that are held",
    "energies": "Energies, springs, friction, least action",
    "arms": "Dynamics of arms",
    "kinematics": "Kinematics and statics",
    "linkages": "Closed mechanisms",
    "identities": "Identities and recursions",
}
DOCUMENTS = ("000", "001", "002", "003", "004")


@dataclass(frozen=True)
class Shown:
    """A formula or numbers."""

    value: str
    words: str = ""
    left: str = ""


@dataclass(frozen=True)
class Claim:
    """A text for `check`, and what must be found of it."""

    text: str
    status: str
    words: str = ""
    rows: tuple[str, ...] = ()
    of: str = ""
    frame: str = ""
    shorthand: bool = False
    assume: tuple[str, ...] | str = ()
    symbols: dict[str, str] = field(default_factory=dict)
    system: str = ""

    def options(self) -> dict[str, Any]:
        """Those of `check` that it needs."""
        names = "of", "frame", "shorthand", "assume", "symbols"
        stated = {x.name: getattr(self, x.name) for x in fields(self) if x.name in names}
        return {k: x for k, x in stated.items() if x}


@dataclass(frozen=True)
class Number:
    """What a line computes, and what it must be."""

    value: str
    expected: Any
    words: str = ""
    within: float = 1e-9

    def agrees(self, found: Any) -> bool:
        """Whether it is what it must be."""
        if isinstance(self.expected, (bool, str)):
            return bool(found == self.expected)
        wanted = np.array(self.expected, dtype=complex if _complex(found) else float)
        got = np.array(found, dtype=wanted.dtype)
        return got.shape == wanted.shape and np.allclose(got, wanted, self.within, self.within)


@dataclass(frozen=True, eq=False)
class Entry:
    """A system of the audit, or an exercise."""

    row: str
    source: str
    statement: str
    kind: str = ""
    code: str = ""
    system: str = "system"
    forms: tuple[str, ...] = ()
    figure: str = ""
    exercises: tuple[str, ...] = ()
    errata: tuple[str, ...] = ()
    document: str = ""
    item: str = ""
    rows: tuple[str, ...] = ()
    show: tuple[Shown, ...] = ()
    claim: tuple[Claim, ...] = ()
    number: tuple[Number, ...] = ()


@dataclass(frozen=True, eq=False)
class Executed:
    """An entry and what came out: verdicts or refusals, numbers, formulas, the picture."""

    entry: Entry
    verdicts: list[Any] = field(default_factory=list)
    numbers: list[Any] = field(default_factory=list)
    shown: list[Any] = field(default_factory=list)
    forms: dict[str, Any] = field(default_factory=dict)
    names: Any = None
    svg: str = ""

    @property
    def wrong(self) -> list[str]:
        """What is otherwise than the data say."""
        told = [
            f"{c.text!r} is {status(v)}, not {c.status}"
            for c, v in zip(self.entry.claim, self.verdicts, strict=True)
            if status(v) != c.status
        ]
        told += [
            f"{n.value} is {np.array(x).tolist()!r}, not {n.expected!r}"
            for n, x in zip(self.entry.number, self.numbers, strict=True)
            if not n.agrees(x)
        ]
        return told


def status(verdict: Any) -> str:
    """Of a verdict, or of what was refused."""
    return "refused" if isinstance(verdict, VisvivaError) else str(verdict.status)


def _complex(x: Any) -> bool:
    return bool(np.iscomplexobj(np.array(x)))


@cache
def entries() -> dict[str, Entry]:
    """The systems by row, in the order of the audit."""
    found = [_entry(x) for x in _tables("system")]
    return {e.row: e for e in sorted(found, key=lambda e: int(e.row[1:]))}


@cache
def exercises(document: str) -> list[Entry]:
    """Those of a document, in its order."""
    return [_entry(x) for x in _tables("exercise") if x["document"] == document]


def _tables(kind: str) -> list[dict[str, Any]]:
    files = sorted(DATA.glob("*.toml"))
    return [x for f in files for x in tomllib.loads(f.read_text(encoding="utf-8")).get(kind, ())]


def _entry(table: dict[str, Any]) -> Entry:
    made: dict[str, Any] = {k: tuple(x) if isinstance(x, list) else x for k, x in table.items()}
    made["show"] = tuple(Shown(**x) for x in table.get("show", ()))
    made["claim"] = tuple(
        Claim(**{k: tuple(x) if isinstance(x, list) else x for k, x in c.items()})
        for c in table.get("claim", ())
    )
    made["number"] = tuple(
        Number(expected=x["is"], **{k: y for k, y in x.items() if k != "is"})
        for x in table.get("number", ())
    )
    made.setdefault("row", "")
    made.setdefault("source", "")
    return Entry(**made)


@cache
def executed(entry: Entry) -> Executed:
    """Run its code, and ask everything that it says is to be asked."""
    space: dict[str, Any] = {"__name__": "page"}
    exec(compile(entry.code, entry.row or entry.item, "exec"), space)

    def value(text: str) -> Any:
        return eval(text, space)

    return Executed(
        entry,
        [_verdict(c, space.get(c.system or entry.system)) for c in entry.claim],
        [value(n.value) for n in entry.number],
        [value(s.value) for s in entry.show],
        {x: _html(space[owner(x, entry)], x.rpartition(".")[2]) for x in entry.forms},
        getattr(space.get(entry.system), "coordinate_names", None),
        str(value(entry.figure.strip()).svg) if entry.figure else "",
    )


def owner(form: str, entry: Entry) -> str:
    """The name in `code` whose closed form a part is of."""
    return form.rpartition(".")[0] or entry.system


def _html(system: Any, what: str) -> Any:
    from visviva.judge.closed.printed import html_blocks

    return html_blocks(system.closed_form(), what)


def _verdict(claim: Claim, system: Any) -> Any:
    try:
        return system.check(claim.text.strip(), **claim.options())
    except VisvivaError as error:
        return error


if __name__ == "__main__":
    for asked in sys.argv[1:] or entries():
        print(asked, *(executed(entries()[asked]).wrong or ["as it should be"]), sep="\n  ")
