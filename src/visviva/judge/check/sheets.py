"""Sheets of answers, as a course collects them: a row for each claim, or a column a question.

The columns are name and claim, and perhaps question; or name and one for each question, M22, or Q1,
or "Response 1" and "Antwort 1" as Moodle writes it. Columns that are not judged are told, but
for those with names and numbers of people. What comes out is a sheet too: name, verdict, why,
claim, notes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from visviva.errors import ClaimFileError
from visviva.judge.check.answers.cells import (
    EQUALS,
    has_formula,
    is_one_equation,
    sides_of,
    with_left_side,
)
from visviva.judge.check.answers.heads import (
    FIRST_NAMES,
    LAST_NAMES,
    PERSONS,
    QUESTIONS,
    Head,
    answered,
    head_of,
    may_be_label,
    spoken,
)
from visviva.judge.check.answers.pieces import UNJUDGED, Passage, Unread
from visviva.judge.check.compare.case import plain
from visviva.judge.check.compare.steps import CALCULUS, OWNED
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

_DELIMITERS = ",;\t"
_PLAIN = Head("answer")  # of any claim
_COLUMNS = ("name", "verdict", "why", "claim", "notes")
_USED = ("name", "the question")  # columns that rows are called by
_NO_QUESTION = (
    "this column is not judged, and looks like answers: its head names no quantity; call it as "
    "what it asks for, M22 or tau2, or Q1, or answer"
)
_MARKS = (OWNED, CALCULUS, NOT_JUDGED)
_LIMITS = ("it holds ", "with ", "the claim says ", "under roots ")  # begin such notes
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # with which a cell begins that a sheet would compute


class SheetRow(NamedTuple):
    """A row of a sheet, the line that it ends in, and why it cannot be read, if so."""

    line: int
    cells: Sequence[str | None]  # None where the row has no such column
    why: str = ""


def sheet_claims(text: str, source: str) -> dict[str, Passage | Unread]:
    """Claims by the names in their rows; fields are apart by commas, semicolons or tabs."""
    first = text.lstrip().partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    rows = [row for row in _rows(text, delimiter) if any((x or "").strip() for x in row.cells)]
    header = [(x or "").strip() for x in rows[0].cells] if rows else []
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
    heads = [head_of(x) for x in header]
    columns = answered(heads)
    cells_of = [[x.cells[k] or "" for x in rows if k < len(x.cells)] for k in range(len(header))]
    if not columns or not _has_names(heads):
        got = ", ".join(map(repr, header[:6])) if header else "nothing"
        raise ClaimFileError(
            f"{source}: expected a first row with the columns name and claim, or name and one for "
            f"each question (name, M22, G1 or name, Q1, Q2), got {got:.80}"
        )
    cases: dict[str, Passage | Unread] = {}
    asked_in = [x.asked if asks(x.asked, cells_of[k]) else "" for k, x in enumerate(heads)]
    for line, row, why in rows:
        there = [*row, *[""] * (len(header) - len(row))]
        cells = [(x or "").strip() for x in there]
        name = _name(header, cells) or f"line {line}"
        if why:
            said = ", ".join(filter(None, row))
            cases[f"{name}, line {line}" if name in cases else name] = Unread(why, said)
            continue
        for k in _given(columns, heads, there):
            own = heads[k] == _PLAIN or len(columns) == 1
            question = _cell(header, cells, QUESTIONS) if own else ""
            label = ", ".join([name, *_labels(header[k], question, len(columns) > 1)])
            asked = asked_in[k] or head_of(question).asked
            asked = asked if asked_in[k] or asks(asked, [cells[k]]) else ""
            cases[f"{label}, line {line}" if label in cases else label] = answer(asked, cells[k])
    if not cases:
        raise ClaimFileError(f"{source}: expected a row for each claim, got only the first one")
    return (
        cases
        | _not_judged(header, heads, cells_of)
        | _heads_without_quantity(header, columns, asked_in, cells_of)
    )


def _heads_without_quantity(
    header: Sequence[str],
    columns: Sequence[int],
    asked_in: Sequence[str],
    cells: Sequence[Sequence[str]],
) -> dict[str, Unread]:
    """Questions whose heads say no quantity, where answers are formulas alone."""
    bare = [k for k in columns if not asked_in[k] and any(map(_is_alone, cells[k]))]
    if not bare or len(columns) == 1:
        return {}
    names, line = ", ".join(header[k] for k in bare), f"{header[bare[0]]}: M22"
    message = f"{names}: what their formulas alone are, the head says: {line!r}"
    return {"heads without a quantity": Unread(message, aside=True)}


def _is_alone(cell: str) -> bool:
    return has_formula(cell) and not EQUALS.search(cell)


def _has_names(heads: Sequence[Head]) -> bool:
    """Whether rows have names, or need none: there is a column that is called answer."""
    return any(x.kind in ("name", "answer") or x.number for x in heads)


def _given(columns: Sequence[int], heads: Sequence[Head], cells: Sequence[str | None]) -> list[int]:
    """The columns of a row; where rows are of two kinds, those of its own."""
    plain = [k for k in columns if heads[k] == _PLAIN]
    own = [k for k in plain if cells[k] is not None]
    if own and len(own) < len(columns):
        return [k for k in columns if cells[k] is not None]
    return [k for k in columns if k not in plain] or [*columns]


def _not_judged(
    header: Sequence[str], heads: Sequence[Head], cells: Sequence[Sequence[str]]
) -> dict[str, Unread]:
    """What is told of columns without a verdict; one that looks like answers is no silence."""
    columns = answered(heads)
    rest = [k for k, x in enumerate(heads) if k not in columns and x.kind not in _USED]
    open_to_doubt = [
        k for k in rest if heads[k].kind == "other" and any(map(has_formula, cells[k]))
    ]
    found = {f"column {header[k]}": Unread(_NO_QUESTION, header[k]) for k in open_to_doubt}
    if quiet := ", ".join(header[k] for k in rest if k not in open_to_doubt and header[k]):
        found["columns not judged"] = Unread(quiet, aside=True)
    return found


def is_header(line: str) -> bool:
    """Whether a line is the first one of a sheet: names, and a column of claims or questions."""
    words = [x.strip() for x in line.split(max(_DELIMITERS, key=line.count))]
    heads = [head_of(x) for x in words]
    stated = any(has_formula(x) and not heads[k].asked for k, x in enumerate(words))
    named = any(x.kind == "name" for x in heads) or all(x.kind != "other" for x in heads)
    return not stated and len(words) > 1 and bool(answered(heads)) and named


def _cell(header: Sequence[str], cells: Sequence[str], words: Sequence[str]) -> str:
    low = [*map(spoken, header)]
    return next((cells[low.index(x)] for x in words if x in low and cells[low.index(x)]), "")


def _name(header: Sequence[str], cells: Sequence[str]) -> str:
    both = " ".join(filter(None, (_cell(header, cells, x) for x in (FIRST_NAMES, LAST_NAMES))))
    return both or _cell(header, cells, PERSONS)


def _labels(head: str, question: str, several: bool) -> list[str]:
    """What a claim answers: the cell under question, and its column's name."""
    said = [f"question {question}" if question.isdigit() else question] if question else []
    return [*said, head] if several else said


def asks(asked: str, cells: Sequence[str]) -> bool:
    """Whether a quantity is asked for: C and A1 may be labels, which ask if somebody answers so."""
    if not asked or not may_be_label(asked):
        return bool(asked)
    own = canonical(asked)
    said = [x.strip() for x in cells if x.strip()]
    return any("=" not in x or sides_of(x)[0] == own for x in said)


def answer(asked: str, said: str) -> Passage | Unread:
    """What stands under M22 is what M22 equals, or has a left side, which should be M22."""
    try:
        led = with_left_side(asked, said) if asked else ""
    except ClaimFileError as error:
        return Unread(str(error), said)
    sides = [x.strip(" &") for x in EQUALS.split(said)]
    if asked and not led and len(sides) == 2 and all(sides) and is_one_equation(said):
        left, right = sides
        own = canonical(asked)
        led = f"{right} = {left}" if canonical(left) != own == canonical(right) else ""
    passage = Passage(led or said)
    passage.asked = asked
    return passage


def sheet(found: Mapping[str, Verdict], claims: Mapping[str, Any]) -> str:
    """The verdicts as a sheet."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for label, verdict in found.items():
        noted = "; ".join(further_notes(verdict))
        row = (label, in_a_word(verdict), why(verdict), said_claim(claims[label]), noted)
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
    if verdict.status in (UNREADABLE, DEFINITION, NOT_ASKED, UNJUDGED):
        return "; ".join(x.partition("\n")[0] for x in verdict.notes)
    if verdict.status == IDENTICAL_IF:
        return "; ".join([verdict.where, *_limits(verdict)])
    if verdict.status == UP_TO_A_CONSTANT:
        shift = verdict.extra - verdict.missing
        more = f" with another zero: it has {plain(shift, verdict.coordinates)} more"
        return "; ".join([f"an energy{more if shift != 0 else ''}", *_limits(verdict)])
    if verdict.status != DIFFERS:
        with_values = [f"with {' and '.join(verdict.taken)}"] if verdict.taken else []
        return "; ".join([*with_values, *_limits(verdict)])
    if verdict.diagnosis:
        return verdict.diagnosis[0].sentence
    told = [f"{x.which} {verdict.told(x)}" for x in verdict.terms[:MOST_LISTED]]
    return "; ".join([*told, *(["…"] if len(verdict.terms) > MOST_LISTED else [])])


def _limits(verdict: Verdict) -> list[str]:
    """Notes that limit what was shown, or say with what it was; not what the system states."""
    told = [f"with {x}" for x in verdict.taken]
    return [
        x
        for x in verdict.notes
        if (x.startswith(_LIMITS) or any(mark in x for mark in _MARKS))
        and x not in told
        and not x.endswith(f"as {verdict.system} states")
    ]


def further_notes(verdict: Verdict) -> list[str]:
    """The first lines of all notes that do not stand under why."""
    said = why(verdict)
    notes = [x.partition("\n")[0] for part in verdict.parts or (verdict,) for x in part.notes]
    return [x for x in dict.fromkeys(notes) if x not in said]
