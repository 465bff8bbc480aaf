"""The errata of docs/errata/, and what `check` says of those that are claims about a system.

Each file has the `author` and the `title` of a document. An erratum has `row` (of the audit),
`lines` (of the document), `severity` (A a wrong result if coded as printed, B a misprint with one
repair, C overstated), `fault` (document, digitisation, unknown), perhaps `found` (a general formula
or a statement as printed), and one of these:

    case                claims about one system each, judged by `check`; with a `note`
    computed            what a computation gives instead; a test with the row's number holds it

A case has:

    system              one of [systems]: catalog = "name", or the tables of a mechanism file
    claim, corrected    what is checked; of, frame and shorthand are the options of `check`
    corrected_of        another `of` for the corrected claim
    missing, extra      what the verdict must name, in the names of the claim
    refused             instead of these: what the error must say, where the claim is no formula
    diagnosis           the kind of mistake that must be found first
    reading             how the printed text was read, if there are several ways
    line                the line of the derivation that the left side of an identity is
    general             the claim was made from a general formula; a test computes it from there
"""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from visviva.describe import catalog
from visviva.describe.files.toml.read import read_tables
from visviva.errors import VisvivaError
from visviva.judge.check.verdict import Verdict

ROOT = Path(__file__).parents[1]
DATA = ROOT / "docs" / "errata"
FAULTS = {
    "document": "the document's",
    "digitisation": "the digitisation's",
    "unknown": "cannot be known",
}
JUDGES = {"case": "check", "computed": "computing"}


@dataclass(frozen=True)
class Case:
    """One claim as found, and as it should be."""

    system: str
    claim: str
    corrected: str
    missing: str = ""
    extra: str = ""
    refused: str = ""
    diagnosis: str = ""
    reading: str = ""
    line: tuple[Any, ...] = ()
    general: bool = False
    of: str = ""
    corrected_of: str | None = None
    frame: str = ""
    shorthand: bool = False
    document: str = ""

    @property
    def model(self) -> Any:
        """The system that the claim is about."""
        return systems(self.document)[self.system]

    def verdict(self) -> Verdict:
        """On the claim as found; of several, on the one that differs."""
        found: Verdict = self.model.check(self.claim.strip(), **self.options())
        wrong = [v for v in found.parts or (found,) if not v.is_identical]
        return wrong[0] if len(wrong) == 1 else found

    def verdict_corrected(self) -> Verdict:
        """On the corrected claim."""
        found: Verdict = self.model.check(self.corrected.strip(), **self.options(self.corrected_of))
        return found

    def refusal(self) -> str:
        """What `check` says where the claim is no formula, as far as the data tell it."""
        try:
            self.model.check(self.claim.strip(), **self.options())
        except VisvivaError as error:
            return self.refused if self.refused in str(error) else str(error)
        return "not at all"

    def options(self, of: str | None = None) -> dict[str, Any]:
        """Those of `check`."""
        stated = {"of": self.of if of is None else of, "frame": self.frame}
        return {k: x for k, x in {**stated, "shorthand": self.shorthand}.items() if x}


@dataclass(frozen=True)
class Erratum:
    """A row of the audit."""

    row: str
    document: str
    lines: tuple[int, ...]
    severity: str
    fault: str
    note: str = ""
    found: str = ""
    computed: str = ""
    cases: tuple[Case, ...] = field(default=())

    @property
    def judged(self) -> str:
        """By what: one of the keys of JUDGES."""
        return "case" if self.cases else "computed"


@cache
def data(document: str) -> dict[str, Any]:
    """The file of a document."""
    return tomllib.loads((DATA / f"{document}.toml").read_text(encoding="utf-8"))


def full_title(document: str) -> str:
    """Author and title."""
    return f"{data(document)['author']}, {data(document)['title']}"


def documents() -> list[str]:
    """Their numbers."""
    return sorted(path.stem for path in DATA.glob("[0-9]*.toml"))


@cache
def systems(document: str) -> dict[str, Any]:
    """The systems of a document's claims, by name."""
    return {name: _system(name, table) for name, table in data(document)["systems"].items()}


def _system(name: str, table: dict[str, Any]) -> Any:
    if "catalog" in table:
        return catalog.build(table["catalog"])
    return read_tables(dict(table), source=name)


def errata() -> list[Erratum]:
    """All of them, by document and number."""
    found = [_erratum(x, d) for d in documents() for x in data(d)["erratum"]]
    return sorted(found, key=lambda e: (e.document, *_number(e.row)))


def _number(row: str) -> tuple[int, str]:
    """E39b is (39, "b")."""
    digits = "".join(filter(str.isdigit, row))
    return int(digits), row.removeprefix(f"E{digits}")


def _erratum(table: dict[str, Any], document: str) -> Erratum:
    cases = tuple(
        Case(**{**c, "line": tuple(c.get("line", ()))}, document=document)
        for c in table.get("case", ())
    )
    rest = {k: x for k, x in table.items() if k != "case"}
    return Erratum(**{**rest, "lines": tuple(rest["lines"])}, document=document, cases=cases)


if __name__ == "__main__":
    for erratum in errata():
        for case in erratum.cases:
            print(erratum.row, case.refusal() if case.refused else case.verdict())
    sys.exit(0)
