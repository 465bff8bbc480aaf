"""Sheets of answers, as a course collects them: a row for each claim, or a column a question.

The columns are name and claim, and perhaps question; or name and one for each question, M22, or Q1,
or "Response 1" and "Antwort 1" as Moodle writes it. What comes out is a sheet too: name,
verdict, why, claim.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

from visviva.errors import ClaimFileError
from visviva.judge.check.compare.steps import CALCULUS, OWNED
from visviva.judge.check.said.arms import NOT_JUDGED
from visviva.judge.check.verdict import (
    DIFFERS,
    IDENTICAL_IF,
    UNREADABLE,
    UP_TO_A_CONSTANT,
    Verdict,
)

# words over a column of claims, in German too
_CLAIMS = tuple("claim claims answer response equation antwort gleichung".split())
_NAMES = (
    *("name", "student", "label", "full name", "student name", "username", "id", "id number"),
    *("vollständiger name", "anmeldename", "matrikelnummer"),
)
_FIRST = ("first name", "given name", "vorname")
_LAST = ("surname", "last name", "family name", "nachname")
_QUESTIONS = tuple("question task item exercise part problem frage aufgabe".split())
# of several numbered families the first counts: beside responses stand the questions' own texts
_NUMBERED = ("response", "claim", "answer", "antwort", "equation", "q", *_QUESTIONS)
_QUANTITY = re.compile(r"\\?[^\W\d_]{1,12}(_?\d+|[_^({\[].{1,20})|[^\W\d_]")  # M22, G_1, C(1,2), V
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
    header = [x.strip() for x in rows[0][1]] if rows else []
    for line, row in rows[1:]:
        if len(row) > len(header) and _columns(header, []):
            raise ClaimFileError(
                f"{source}: line {line} has {len(row)} fields, expected {len(header)}: put a claim "
                f'with {delimiter!r} in it in quotes, "..."'
            )
    return row_claims(header, rows[1:], source)


def row_claims(
    header: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]], source: str
) -> dict[str, str]:
    """Claims by name, and by question where there are several; each row with its line."""
    columns = _columns(header, [row for _, row in rows])
    if not columns:
        got = ", ".join(map(repr, header[:6])) if header else "nothing"
        raise ClaimFileError(
            f"{source}: expected a first row with the columns name and claim, or name and one for "
            f"each question (name, M22, G1 or name, Q1, Q2), got {got:.80}"
        )
    cases: dict[str, str] = {}
    for line, row in rows:
        cells = [x.strip() for x in row] + [""] * (len(header) - len(row))
        name = _name(header, cells) or f"line {line}"
        for k in columns:
            label = ", ".join([name, *_question(header, cells, k, len(columns) > 1)])
            cases[f"{label}, line {line}" if label in cases else label] = _claim(
                header[k], cells[k]
            )
    if not cases:
        raise ClaimFileError(f"{source}: expected a row for each claim, got only the first one")
    return cases


def is_header(line: str) -> bool:
    """Whether a line is the first one of a sheet: names, and a column of claims or questions."""
    words = [x.strip() for x in line.split(max(_DELIMITERS, key=line.count))]
    return "=" not in line and len(words) > 1 and bool(_columns(words, []))


def _columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Where claims stand: under a word for them, under numbered ones, or under questions."""
    low = [x.lower() for x in header]
    for word in _CLAIMS:
        if word in low:
            return [low.index(word)]
    for word in _NUMBERED:
        numbered = re.compile(rf"{word}[\s._-]*\d+[a-z]?")
        if found := [k for k, x in enumerate(low) if numbered.fullmatch(x)]:
            return found
    if not {*low} & {*_NAMES, *_FIRST, *_LAST}:
        return []
    other = [k for k, x in enumerate(low) if x not in (*_NAMES, *_FIRST, *_LAST, *_QUESTIONS)]
    return [k for k in other if _QUANTITY.fullmatch(header[k]) or _has_claims(rows, k)]


def _has_claims(rows: Sequence[Sequence[str]], k: int) -> bool:
    return any("=" in row[k] for row in rows if k < len(row))


def _cell(header: Sequence[str], cells: Sequence[str], words: Sequence[str]) -> str:
    low = [x.lower() for x in header]
    return next((cells[low.index(x)] for x in words if x in low and cells[low.index(x)]), "")


def _name(header: Sequence[str], cells: Sequence[str]) -> str:
    both = " ".join(filter(None, (_cell(header, cells, x) for x in (_FIRST, _LAST))))
    return both or _cell(header, cells, _NAMES)


def _question(header: Sequence[str], cells: Sequence[str], k: int, several: bool) -> list[str]:
    """What a claim answers: its column's name, or the cell under question."""
    if several:
        return [header[k]]
    asked = _cell(header, cells, _QUESTIONS)
    return [f"question {asked}" if asked.isdigit() else asked] if asked else []


def _claim(column: str, cell: str) -> str:
    """The cell; what stands under M22 without a left side is what M22 equals."""
    numbered = any(re.fullmatch(rf"{x}[\s._-]*\d+[a-z]?", column.lower()) for x in _NUMBERED)
    alone = cell and "=" not in cell and not numbered and _QUANTITY.fullmatch(column)
    return f"{column} = {cell}" if alone else cell


def sheet(found: Mapping[str, Verdict], claims: Mapping[str, Any]) -> str:
    """The verdicts as a sheet."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for label, verdict in found.items():
        row = (label, in_a_word(verdict), why(verdict), said_claim(claims[label]))
        writer.writerow([f"'{x}" if x.startswith(_FORMULAS) else x for x in row])
    return out.getvalue()


def in_a_word(verdict: Verdict) -> str:
    """The status; what relates quantities to each other answers no question for one of them."""
    return "relation" if verdict.is_identical and verdict.relates else verdict.status


def said_claim(claim: Any) -> str:
    """A claim as one text: of a left side by its name, both sides."""
    if isinstance(claim, Mapping):
        return "; ".join(x if "=" in x else f"{left} = {x}" for left, x in claim.items())
    return str(claim)


def why(verdict: Verdict) -> str:
    """What is to be said of a verdict in a line: of what is identical, what it was taken with."""
    if verdict.parts:
        said = ((part.subject, why(part)) for part in verdict.parts)
        return "; ".join(f"{subject}: {x}" for subject, x in said if x)
    if verdict.status == UNREADABLE:
        return verdict.notes[0].partition("\n")[0] if verdict.notes else ""
    if verdict.status == IDENTICAL_IF:
        return " and ".join(f"{x.lhs} = {x.rhs}" for x in verdict.conditions)
    if verdict.status == UP_TO_A_CONSTANT:
        shift = verdict.extra - verdict.missing
        return f"an energy with another zero: it has {shift} more" if shift != 0 else "an energy"
    if verdict.status != DIFFERS:
        with_values = [f"with {' and '.join(verdict.taken)}"] if verdict.taken else []
        marks = (OWNED, CALCULUS, NOT_JUDGED)
        noted = (x for x in verdict.notes if any(mark in x for mark in marks))
        return "; ".join([*with_values, *noted])
    if verdict.diagnosis:
        return verdict.diagnosis[0].sentence
    pairs = (("missing", verdict.missing), ("extra", verdict.extra))
    return ", ".join(f"{which} {x}" for which, x in pairs if x != 0)
