"""Sheets of answers, as a course collects them: one row a claim, with the columns name and claim.

What comes out is a sheet too: name, verdict, why, claim.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from visviva.errors import ClaimFileError
from visviva.judge.check.verdict import DIFFERS, IDENTICAL_IF, UNREADABLE, Verdict

_CLAIMS = ("claim", "claims", "answer", "equation")  # words over the column of claims
_NAMES = ("name", "student", "label", "id")
_DELIMITERS = ",;\t"
_COLUMNS = ("name", "verdict", "why", "claim")
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # with which a cell begins that a sheet would compute


def sheet_claims(text: str, source: str) -> dict[str, str]:
    """Claims by the names in their rows; fields are apart by commas, semicolons or tabs."""
    first = text.lstrip().partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        rows = [(lines.line_num, row) for row in lines if any(x.strip() for x in row)]
    except csv.Error as error:
        raise ClaimFileError(f"{source}: {error}") from None
    header = [x.strip().lower() for x in rows[0][1]] if rows else []
    column = next((header.index(x) for x in _CLAIMS if x in header), None)
    if column is None:
        got = ", ".join(map(repr, rows[0][1][:6])) if rows else "nothing"
        raise ClaimFileError(
            f"{source}: expected a first row with the columns name and claim, got {got:.80}"
        )
    named = next((header.index(x) for x in _NAMES if x in header), None)
    cases: dict[str, str] = {}
    for line, row in rows[1:]:
        if len(row) > len(header):
            raise ClaimFileError(
                f"{source}: line {line} has {len(row)} fields, expected {len(header)}: put a claim "
                f'with {delimiter!r} in it in quotes, "..."'
            )
        cells = [x.strip() for x in row] + [""] * (len(header) - len(row))
        label = (cells[named] if named is not None else "") or f"line {line}"
        cases[f"{label}, line {line}" if label in cases else label] = cells[column]
    if not cases:
        raise ClaimFileError(f"{source}: expected a row for each claim, got only the first one")
    return cases


def sheet(found: Mapping[str, Verdict], claims: Mapping[str, Any]) -> str:
    """The verdicts as a sheet."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for label, verdict in found.items():
        row = (label, verdict.status, why(verdict), str(claims[label]))
        writer.writerow([f"'{x}" if x.startswith(_FORMULAS) else x for x in row])
    return out.getvalue()


def why(verdict: Verdict) -> str:
    """What is to be said of a verdict in a line: nothing if it is identical."""
    if verdict.parts:
        said = ((part.subject, why(part)) for part in verdict.parts)
        return "; ".join(f"{subject}: {x}" for subject, x in said if x)
    if verdict.status == UNREADABLE:
        return verdict.notes[0].partition("\n")[0] if verdict.notes else ""
    if verdict.status == IDENTICAL_IF:
        return " and ".join(f"{x.lhs} = {x.rhs}" for x in verdict.conditions)
    if verdict.status != DIFFERS:
        return ""
    if verdict.diagnosis:
        return verdict.diagnosis[0].sentence
    pairs = (("missing", verdict.missing), ("extra", verdict.extra))
    return ", ".join(f"{which} {x}" for which, x in pairs if x != 0)
