"""Files of claims: lines of text, a sheet (CSV), or TOML with the mechanism that they are about.

[mechanism]
catalog = "two_link"          # or file = "arm.urdf", or the tables of a mechanism file

[options]                     # those of `check`
shorthand = true
assume = "tau1 = 0"

[symbols]                     # names in the claims -> names of the mechanism
lc2 = "r2"

[claims]                      # a left side and what it equals, or a label and a statement
tau2 = "(m2 lc2^2 + I2) q2'' + ..."
"gravity of joint 1" = "G1 = ..."
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from visviva.describe import catalog
from visviva.describe.files.toml.read import read_tables
from visviva.describe.files.toml.text import tables, text_of
from visviva.describe.load import load
from visviva.errors import (
    ArgumentError,
    ClaimFileError,
    UnknownNameError,
    UnusedNameError,
    VisvivaError,
)
from visviva.judge.check.check import check
from visviva.judge.check.sheets import sheet_claims
from visviva.judge.check.verdict import UNREADABLE, Verdict
from visviva.notation.reading.read import canonical
from visviva.progress import progress

OPTIONS: Mapping[str, type] = {"shorthand": bool, "frame": str, "of": str, "assume": str}
_LABEL = re.compile(r"([^:=\\]{1,60}):(?!=)\s*(?=\S)")  # no \\: of LaTeX, no :=
SHEETS = (".csv", ".tsv")
TABLES = ("mechanism", "options", "symbols", "claims")


@dataclass(frozen=True)
class ClaimFile:
    """Claims by label; `system` is None where the file names no mechanism."""

    claims: Mapping[str, Any]
    system: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)


def load_claims(path: str | Path) -> ClaimFile:
    """The claims of a file: TOML or CSV by its ending, else one claim a line, # for remarks.

    A line may begin with a label and a colon; a sheet has the columns name and claim.
    """
    path = Path(path)
    text = text_of(path)
    if path.suffix == ".toml":
        return _tables(tables(text, str(path)), path)
    if path.suffix.lower() in SHEETS:
        return ClaimFile(sheet_claims(text, str(path)))
    cases = _lines(text)
    if not cases:
        raise ClaimFileError(f"{path}: expected one claim a line, got none")
    return ClaimFile(cases)


def _lines(text: str) -> dict[str, str]:
    """One claim a line, by its number, or by the label before a colon: `Ada: M22 = ...`."""
    cases: dict[str, str] = {}
    for k, line in enumerate(map(str.strip, text.splitlines()), start=1):
        if not line or line.startswith("#"):
            continue
        match = _LABEL.match(line)
        label = match[1].strip() if match else ""
        said = f"line {k}" if not label else f"{label}, line {k}" if label in cases else label
        cases[said] = line[match.end() :] if match else line
    return cases


def verdicts(
    system: Any, claims: Mapping[str, Any], options: Mapping[str, Any], strict: bool = False
) -> dict[str, Verdict]:
    """A verdict for each claim; one that cannot be read is told so and does not stop the others.

    With `strict` it does.
    """
    verdicts_by_case: dict[str, Verdict] = {}
    with progress("checking claims", len(claims)) as at:
        for label, claim in claims.items():
            at.step(label)
            try:
                verdicts_by_case[label] = _checked(system, claim, options, several=len(claims) > 1)
            except VisvivaError as error:
                if strict:
                    raise
                verdicts_by_case[label] = Verdict(
                    UNREADABLE, _said(claim), "a claim", system.name, notes=(str(error),)
                )
    return verdicts_by_case


def _checked(system: Any, claim: Any, options: Mapping[str, Any], several: bool) -> Verdict:
    """One claim; of several, none needs to have all names that are said for all of them."""
    try:
        return check(system, claim, **options)
    except UnusedNameError as error:
        if not several:
            raise
        pairs, absent = options["symbols"].items(), {*error.names}
        kept = {k: x for k, x in pairs if absent.isdisjoint(map(canonical, (k, x)))}
        return check(system, claim, **{**options, "symbols": kept})


def _said(claim: Any) -> str:
    if isinstance(claim, Mapping):
        pairs = claim.items()
        return "; ".join(x if "=" in x else f"{left} = {x}" for left, x in pairs)
    return str(claim)


def _tables(data: Mapping[str, Any], path: Path) -> ClaimFile:
    for key in data:
        if key not in TABLES:
            raise ClaimFileError(f"{path}: {UnknownNameError('table', key, TABLES)}")
        if not isinstance(data[key], dict):
            raise ClaimFileError(f"{path}: {key}: expected a table, got {data[key]!r:.60}")
    said = data.get("claims") or {}
    if not said:
        raise ClaimFileError(f"{path}: expected a table [claims] with at least one claim")
    claims = {key: _claim(key, x, path) for key, x in said.items()}
    options: dict[str, Any] = {}
    for key, x in data.get("options", {}).items():
        if key not in OPTIONS:
            raise ClaimFileError(f"{path}: options: {UnknownNameError('key', key, OPTIONS)}")
        if not isinstance(x, OPTIONS[key]):
            wanted = "true or false" if OPTIONS[key] is bool else "a text"
            raise ClaimFileError(f"{path}: options: {key}: expected {wanted}, got {x!r:.60}")
        options[key] = x
    symbols = data.get("symbols", {})
    for key, x in symbols.items():
        if not isinstance(x, str):
            raise ClaimFileError(f"{path}: symbols: {key}: expected a name, got {x!r:.60}")
    if symbols:
        options["symbols"] = symbols
    system = _mechanism(data["mechanism"], path) if "mechanism" in data else None
    return ClaimFile(claims, system, options)


def _claim(key: str, x: Any, path: Path) -> Any:
    """What the key equals; or a statement, of which the key is a label."""
    if not isinstance(x, str) or not x.strip():
        raise ClaimFileError(f"{path}: claims: {key}: expected a text, got {x!r:.60}")
    return {key: x}


def _mechanism(data: Mapping[str, Any], path: Path) -> Any:
    try:
        if "catalog" in data:
            values = {k: x for k, x in data.items() if k != "catalog"}
            return catalog.build(_text("catalog", data), **values)
        if "file" in data:
            return load(path.parent / _text("file", data))
        return read_tables(dict(data), source=f"{path}: mechanism")
    except TypeError as error:
        raise ClaimFileError(f"{path}: mechanism: {error}") from None


def _text(key: str, data: Mapping[str, Any]) -> str:
    if not isinstance(data[key], str):
        raise ArgumentError(f"mechanism: {key}: expected a text, got {data[key]!r:.60}")
    return str(data[key])
