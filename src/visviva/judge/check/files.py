"""Files of claims: lines, LaTeX, notebooks, sheets, JSON; TOML with the mechanism they are about.

[mechanism]
catalog = "two_link"          # or file = "arm.urdf", or the tables of a mechanism file
parameters = {r1 = "L1/2"}    # values, or formulas that are put in

[options]                     # those of `check`
shorthand = true
assume = "tau1 = 0"

[symbols]                     # names in the claims -> names of the mechanism
lc2 = "r2"

[claims]                      # a left side and what it equals, or a label and a statement
tau2 = "(m2 lc2^2 + I2) q2'' + ..."
"gravity of joint 1" = "G1 = ..."

[claims.Ada]                  # or those of one person
M22 = "I2"
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from visviva.describe import catalog
from visviva.describe.files.toml.read import read_tables
from visviva.describe.files.toml.text import tables, text_of
from visviva.describe.load import load
from visviva.errors import (
    ArgumentError,
    ClaimFileError,
    UnknownNameError,
    VisvivaError,
)
from visviva.judge.check.answers.heads import head_of
from visviva.judge.check.answers.pieces import UNJUDGED, Unread, passages
from visviva.judge.check.context import Judge
from visviva.judge.check.macros import seen_on_the_page
from visviva.judge.check.papers import paper_formulas
from visviva.judge.check.sheets import SheetRow, answer, asks, row_claims, said_claim, sheet_claims
from visviva.judge.check.texts import notebook_claims, text_claims
from visviva.judge.check.verdict import UNREADABLE, Verdict
from visviva.progress import progress

OPTIONS: Mapping[str, type] = {"shorthand": bool, "frame": str, "of": str, "assume": str}
SHEETS = (".csv", ".tsv")
_DOCUMENTS = "doc docx odt rtf pdf html htm xls xlsx ods zip png jpg jpeg heic"
_PROGRAMS = "m mlx mat py nb mw wxm r jl"
_OTHERS = tuple(f".{x}" for x in f"{_DOCUMENTS} {_PROGRAMS}".split())
TABLES = ("mechanism", "options", "symbols", "claims")


@dataclass(frozen=True)
class ClaimFile:
    """Claims by label; `system` is None where the file names no mechanism."""

    claims: Mapping[str, Any]
    system: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)
    of_many: bool = False  # of a class, of which a table is wanted
    files: Mapping[str, ClaimFile] = field(default_factory=dict)  # of several, that of each label

    def verdicts(
        self, system: Any, options: Mapping[str, Any], strict: bool = False
    ) -> dict[str, Verdict]:
        """A verdict for each claim, with the options of its own file; those that are given rule."""
        found: dict[str, Verdict] = {}
        for file in {id(x): x for x in self.files.values()}.values() or [self]:
            said = {**file.options, **options}
            if symbols := {**file.options.get("symbols", {}), **options.get("symbols", {})}:
                said["symbols"] = symbols
            claims = {k: x for k, x in self.claims.items() if self.files.get(k, file) is file}
            about = system if file.system is None or system is not self.system else file.system
            found |= verdicts(about, claims, said, strict, several=len(self.claims) > 1)
        return {label: found[label] for label in self.claims}


def load_claims(path: str | Path) -> ClaimFile:
    """The claims of a file, by its ending: TOML, JSON, CSV or LaTeX; else one claim a line.

    A line may begin with a label and a colon, # is for remarks; a sheet has the columns name and
    claim, or name and one for each question.
    """
    path = Path(path)
    if path.suffix.lower() in _OTHERS:
        raise ClaimFileError(
            f"{path}: {path.suffix} is not read: write its claims into a text file, .txt or .md, "
            "one a line, or into a sheet, .csv"
        )
    return claims_of(text_of(path), path.suffix.lower(), path)


def claims_of(text: str, kind: str, path: Path) -> ClaimFile:
    """The claims of a text of a kind, ".csv"; `path` is where it is from."""
    if kind == ".toml":
        return _tables(tables(text, str(path)), path)
    if kind in SHEETS:
        return ClaimFile(sheet_claims(text, str(path)), of_many=True)
    if kind == ".json":
        return _data(text, path)
    if kind == ".ipynb":
        cases = notebook_claims(text, str(path))
    else:
        text = seen_on_the_page(text) if kind == ".tex" else text
        cases = passages(paper_formulas(text)) if kind == ".tex" else {}
        cases = cases or text_claims(text, markdown=kind == ".md")
    if not cases:
        raise ClaimFileError(f"{path}: expected one claim a line, got none")
    return ClaimFile(cases)


def _data(text: str, path: Path) -> ClaimFile:
    """JSON: rows with names and claims, claims by name, or a list of them; or tables as in TOML."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ClaimFileError(f"{path}: expected JSON: {error!s:.200}") from None
    if isinstance(data, dict) and isinstance(data.get("claims"), dict) and {*data} <= {*TABLES}:
        return _tables(data, path)
    if isinstance(data, dict) and data:
        return ClaimFile(_by_label(data, path))
    if isinstance(data, list) and any(isinstance(x, dict) for x in data):
        return ClaimFile(row_claims(*_rows(data), str(path)), of_many=True)
    if isinstance(data, list) and any(isinstance(x, str) for x in data):
        return ClaimFile(_readable({f"claim {k}": x for k, x in enumerate(data, 1)}, path, _text))
    raise ClaimFileError(
        f'{path}: expected claims by name, {{"Ada": "M22 = ..."}}, a list of them, or of rows '
        f'[{{"name": "Ada", "claim": "M22 = ..."}}], got {data!r:.60}'
    )


def _rows(data: Sequence[Any]) -> tuple[list[str], list[SheetRow]]:
    """The columns of rows by name, and the rows; a row need not have them all."""
    header = [*dict.fromkeys(str(key) for row in data if isinstance(row, dict) for key in row)]
    rows = []
    for k, row in enumerate(data, 1):
        if isinstance(row, dict):
            said = {str(key): _cell(x) for key, x in row.items()}
            rows.append(SheetRow(k, [said.get(key) for key in header]))
        else:
            why = f'row {k}: expected {{"name": ..., "claim": ...}}, got {row!r:.60}'
            rows.append(SheetRow(k, [], why))
    return header, rows


def _cell(x: Any) -> str:
    if x is None or isinstance(x, str) or _is_list(x):
        return _text("", x or "")
    return json.dumps(x, ensure_ascii=False)


def _by_label(said: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Claims by their keys; of a table of them, [claims.Ada], by its name too."""
    claims: dict[str, Any] = {}
    for key, x in said.items():
        if isinstance(x, Mapping) and x:
            claims |= {f"{key}, {k}": (k, y) for k, y in x.items()}
        else:
            claims[key] = (key, x)
    return _readable(claims, path, lambda _, pair: _claim(*pair))


def _readable(
    said: Mapping[str, Any], path: Path, read: Callable[[str, Any], Any]
) -> dict[str, Any]:
    """What can be read by label; the rest says why, and does not stop it, unless it is all."""
    found, refused = dict[str, Any](), list[ClaimFileError]()
    for label, x in said.items():
        try:
            found[label] = read(label, x)
        except ClaimFileError as error:
            refused.append(error)
            found[label] = Unread(str(error))
    if len(refused) == len(found):
        raise ClaimFileError(f"{path}: claims: {refused[0]}")
    return found


def _text(key: str, x: Any) -> str:
    """A claim as a text; of a list of statements they are one claim."""
    if _is_list(x):
        return "; ".join(x)
    if not isinstance(x, str):
        raise ClaimFileError(f"{key}: expected a text, got {x!r:.60}")
    return x


def _is_list(x: Any) -> TypeGuard[list[str]]:
    return isinstance(x, list) and bool(x) and all(isinstance(y, str) for y in x)


def verdicts(
    system: Any,
    claims: Mapping[str, Any],
    options: Mapping[str, Any],
    strict: bool = False,
    several: bool = False,
) -> dict[str, Verdict]:
    """A verdict for each claim; one that cannot be read is told so and does not stop the others.

    With `strict` it does. They are of `several` if others are judged with the same options.
    """
    verdicts_by_case: dict[str, Verdict] = {}
    judge = Judge(system, options, several=several or len(claims) > 1)
    with progress("checking claims", len(claims)) as at:
        for label, claim in claims.items():
            at.step(label)
            try:
                if isinstance(claim, Unread) and claim.aside:
                    verdicts_by_case[label] = _aside(claim, system)
                    continue
                if isinstance(claim, Unread):
                    raise ClaimFileError(claim.why)
                verdicts_by_case[label] = judge.verdict(claim)
            except VisvivaError as error:
                if strict:
                    raise
                said = said_claim(claim)
                empty = not (said.strip() or isinstance(claim, Unread))
                why = "no answer" if empty else str(error)
                verdicts_by_case[label] = Verdict(
                    UNREADABLE, said, "a claim", system.name, notes=(why,)
                )
    for label, claim in claims.items():
        if (defines := judge.definition(claim, claims)) is not None:
            verdicts_by_case[label] = defines
    return {k: judge.in_its_text(k, claims, verdicts_by_case) for k in verdicts_by_case}


def _aside(told: Unread, system: Any) -> Verdict:
    return Verdict(UNJUDGED, str(told), told.why, system.name, notes=(told.why,))


def _tables(data: Mapping[str, Any], path: Path) -> ClaimFile:
    for key in data:
        if key not in TABLES:
            raise ClaimFileError(f"{path}: {UnknownNameError('table', key, TABLES)}")
        if not isinstance(data[key], dict):
            raise ClaimFileError(f"{path}: {key}: expected a table, got {data[key]!r:.60}")
    said = data.get("claims") or {}
    if not said:
        raise ClaimFileError(f"{path}: expected a table [claims] with at least one claim")
    claims = _by_label(said, path)
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


def _claim(key: str, x: Any) -> Any:
    """What the key equals; or a statement, of which the key is a label."""
    x = _text(key, x)
    if not x.strip():
        raise ClaimFileError(f"{key}: expected a text, got {x!r}")
    asked = head_of(key).asked
    if asks(asked, [x]) and ("=" in x or asked != key):
        return answer(asked, x)
    return {key: x}


def _mechanism(data: Mapping[str, Any], path: Path) -> Any:
    try:
        if "catalog" in data:
            values = {k: x for k, x in data.items() if k not in ("catalog", "parameters")}
            return _valued(catalog.build(_stated("catalog", data), **values), data)
        if "file" in data:
            return _valued(load(path.parent / _stated("file", data)), data)
        return read_tables({"name": "mechanism", **data}, source=f"{path}: mechanism")
    except TypeError as error:
        raise ClaimFileError(f"{path}: mechanism: {error}") from None


def _valued(system: Any, data: Mapping[str, Any]) -> Any:
    """With values, or formulas, for its parameters: parameters = {r1 = "L1/2", I1 = "0"}."""
    values = data.get("parameters", {})
    if not isinstance(values, Mapping):
        raise ArgumentError(f"mechanism: parameters: expected a table, got {values!r:.60}")
    return system.with_parameters(**values) if values else system


def _stated(key: str, data: Mapping[str, Any]) -> str:
    if not isinstance(data[key], str):
        raise ArgumentError(f"mechanism: {key}: expected a text, got {data[key]!r:.60}")
    return str(data[key])
