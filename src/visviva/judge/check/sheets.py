"""Sheets of answers, as a course collects them: a row for each claim, or a column a question.

The columns are name and claim, and perhaps question; or name and one for each question, M22, or Q1,
or "Response 1" and "Antwort 1" as Moodle writes it. What comes out is a sheet too: name,
verdict, why, claim.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from visviva.errors import ClaimFileError
from visviva.judge.check.compare.case import plain
from visviva.judge.check.compare.steps import CALCULUS, OWNED
from visviva.judge.check.context import Passage, Unread
from visviva.judge.check.said.arms import NOT_JUDGED
from visviva.judge.check.verdict import (
    DEFINITION,
    DIFFERS,
    IDENTICAL_IF,
    MOST_LISTED,
    NOT_ASKED,
    UNREADABLE,
    UP_TO_A_CONSTANT,
    Verdict,
)
from visviva.notation.reading.read import canonical

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
_QUANTITY = re.compile(  # M22, G_1, C(1,2), V, q1'', det J
    r"(?:\\?(?:det|tr|trace)\b\s*)?\(?"
    r"(?:\\?[^\W\d_]{1,12}(?:_?\d+|[_^({\[].{1,20}?)|\\?[^\W\d_])'{0,2}\)?"
)
_MAY_BE_LABEL = re.compile(r"[^\W\d_]{1,2}\d?")  # of an exercise: C, A1
_DELIMITERS = ",;\t"
_EQUALS = re.compile(r"(?<![<>!=:])(?:==?|:=)(?![=<>])")  # as claims have it, not that of <= or =>
_SEVERAL = re.compile(r"[;\n<>]")  # statements in one cell, or no equation
_COLUMNS = ("name", "verdict", "why", "claim")
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # with which a cell begins that a sheet would compute


class SheetRow(NamedTuple):
    """A row of a sheet, the line that it ends in, and why it cannot be read, if so."""

    line: int
    cells: Sequence[str]
    why: str = ""


def sheet_claims(text: str, source: str) -> dict[str, Passage | Unread]:
    """Claims by the names in their rows; fields are apart by commas, semicolons or tabs."""
    first = text.lstrip().partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    rows = [row for row in _rows(text, delimiter) if any(x.strip() for x in row.cells)]
    header = [x.strip() for x in rows[0].cells] if rows else []
    if rows and rows[0].why:
        raise ClaimFileError(f"{source}: {rows[0].why}")
    for k, row in enumerate(rows):
        if not row.why and len(row.cells) > len(header):
            why = (
                f"line {row.line} has {len(row.cells)} fields, expected {len(header)}: put a claim "
                f'with {delimiter!r} in it in quotes, "..."'
            )
            rows[k] = row._replace(why=why)
    return row_claims(header, rows[1:], source)


def _rows(text: str, delimiter: str) -> Iterator[SheetRow]:
    """The rows; one whose quotes do not fit is a line by itself, and does not stop the others."""
    lines = [*io.StringIO(text, newline="")]
    k = 0
    while k < len(lines):
        stop, quotes = k + 1, lines[k].count('"')
        while quotes % 2 and stop < len(lines):
            quotes += lines[stop].count('"')
            stop += 1
        try:
            found = csv.reader(lines[k:stop], delimiter=delimiter, strict=True)
            yield SheetRow(stop, next(found, []))
            k = stop
        except csv.Error as error:
            loose = lines[k].replace('"', "").strip().split(delimiter)
            yield SheetRow(k + 1, loose, f"line {k + 1}: {error}")
            k += 1


def row_claims(
    header: Sequence[str], rows: Sequence[SheetRow], source: str
) -> dict[str, Passage | Unread]:
    """Claims by name, and by question where there are several; each row with its line."""
    columns = _columns(header, [row.cells for row in rows])
    if not columns:
        got = ", ".join(map(repr, header[:6])) if header else "nothing"
        raise ClaimFileError(
            f"{source}: expected a first row with the columns name and claim, or name and one for "
            f"each question (name, M22, G1 or name, Q1, Q2), got {got:.80}"
        )
    cases: dict[str, Passage | Unread] = {}
    asking = [k for k in columns if asks(header[k], [x.cells[k] for x in rows if k < len(x.cells)])]
    for line, row, why in rows:
        cells = [x.strip() for x in row] + [""] * (len(header) - len(row))
        name = _name(header, cells) or f"line {line}"
        if why:
            cases[f"{name}, line {line}" if name in cases else name] = Unread(why, ", ".join(row))
            continue
        for k in columns:
            label = ", ".join([name, *_question(header, cells, k, len(columns) > 1)])
            asked = header[k] if k in asking else ""
            if len(columns) == 1 and not asked:
                asked = _cell(header, cells, _QUESTIONS)
                asked = asked if asks(asked, [cells[k]]) else ""
            cases[f"{label}, line {line}" if label in cases else label] = answer(asked, cells[k])
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


def asks(head: str, cells: Sequence[str]) -> bool:
    """Whether a head asks for a quantity: it is called as one, and is no label of an exercise.

    C and A1 may be labels: they ask if somebody answers so.
    """
    numbered = any(re.fullmatch(rf"{x}[\s._-]*\d+[a-z]?", head.lower()) for x in _NUMBERED)
    if numbered or not _QUANTITY.fullmatch(head):
        return False
    own = canonical(head)
    answered = any(x.strip() and canonical(_EQUALS.split(x)[0]) == own for x in cells)
    bare = any(x.strip() and "=" not in x for x in cells)
    return answered or bare or not _MAY_BE_LABEL.fullmatch(head)


def answer(asked: str, said: str) -> Passage:
    """What stands under M22 is what M22 equals, or has a left side, which should be M22."""
    sides = [x.strip(" &") for x in _EQUALS.split(said)]
    if asked and len(sides) == 2 and all(sides) and not _SEVERAL.search(said):
        left, right = sides
        own = canonical(asked)
        said = f"{right} = {left}" if canonical(left) != own == canonical(right) else said
    alone = asked and said and "=" not in said
    passage = Passage(f"{asked} = {said}" if alone else said)
    passage.asked = "" if alone else asked
    return passage


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
    if verdict.status in (UNREADABLE, DEFINITION, NOT_ASKED):
        return "; ".join(x.partition("\n")[0] for x in verdict.notes)
    if verdict.status == IDENTICAL_IF:
        return verdict.where
    if verdict.status == UP_TO_A_CONSTANT:
        shift = verdict.extra - verdict.missing
        more = plain(shift, verdict.coordinates)
        return f"an energy with another zero: it has {more} more" if shift != 0 else "an energy"
    if verdict.status != DIFFERS:
        with_values = [f"with {' and '.join(verdict.taken)}"] if verdict.taken else []
        marks = (OWNED, CALCULUS, NOT_JUDGED)
        noted = (x for x in verdict.notes if any(mark in x for mark in marks))
        return "; ".join([*with_values, *noted])
    if verdict.diagnosis:
        return verdict.diagnosis[0].sentence
    told = [f"{x.which} {verdict.told(x)}" for x in verdict.terms[:MOST_LISTED]]
    return "; ".join([*told, *(["…"] if len(verdict.terms) > MOST_LISTED else [])])
