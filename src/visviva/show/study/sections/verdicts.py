"""What somebody claims of the mechanism: right, or which term is missing and which too much."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from visviva.judge.check.answers.pieces import UNJUDGED
from visviva.judge.check.files import ClaimFile
from visviva.judge.check.gather import gathered
from visviva.judge.check.verdict import DEFINITION, IDENTICAL_IF, NOT_ASKED, UP_TO_A_CONSTANT
from visviva.notation.writing.write import mathml, width_of
from visviva.show.page.escaping import escaped
from visviva.show.page.parts import mark, note, table
from visviva.show.study.part import NotHereError, Part, paragraph, said
from visviva.show.study.studied import Studied

_MARKS = {"identical": "good", "differs": "bad", "unreadable": "bad"}
_WORDS = {"identical": "right, proved", "differs": "wrong", "unreadable": "cannot be read"}
_WORDS |= {UP_TO_A_CONSTANT: "right up to a constant"}
_WORDS |= {DEFINITION: "definition", NOT_ASKED: "right, but not what was asked"}
_COUNTED = _WORDS | {IDENTICAL_IF: "right under a condition"}
_UNCOUNTED = (DEFINITION, UNJUDGED)
_WIDE = 400
_MOST_TERMS = 20


def judged(s: Studied) -> Part:
    """A verdict for each claim, with missing and extra terms."""
    if not s.claims:
        raise NotHereError(
            "No claims were given. Put your own equations into a file, one a line, and say "
            "visviva study NAME --claims FILE: each is proved right, or shown where it is wrong."
        )
    given = _claims(s.claims, s.system)
    found = given.verdicts(s.system, {})
    html = "".join(_verdict(label, v) for label, v in found.items())
    lead = counted(found)
    first = next(iter(found.values()))
    lines = [f"print(system.check({first.claim!r}))"]
    data = {
        "verdicts": {label: v.as_dict() for label, v in found.items()},
        "all_right": all(v.is_identical or v.status in _UNCOUNTED for v in found.values()),
    }
    return Part(lead, html, tuple(lines), data=data)


def counted(found: Mapping[str, Any]) -> str:
    """How many claims are right, wrong, or cannot be read, in a sentence."""
    found = {label: v for label, v in found.items() if v.status not in _UNCOUNTED}
    counts = {"right": 0, "wrong": 0, "cannot be read": 0, "not settled": 0}
    for v in found.values():
        right = "a relation that holds" if v.relates else "right"
        word = right if v.is_identical else _COUNTED.get(v.status, "not settled")
        counts[word] = counts.get(word, 0) + 1
    if counts["right"] == len(found):
        one = len(found) == 1
        return f"{'The claim is' if one else f'All {len(found)} claims are'} right, and proved so."
    told = ", ".join(f"{n} {word}" for word, n in counts.items() if n)
    after = "; the wrong terms are named" if counts["wrong"] else ""
    return f"Of {len(found)} claim{'s' * (len(found) != 1)}: {told}{after}."


def _claims(given: Any, system: Any) -> ClaimFile:
    """A file, texts, or texts by their labels."""
    if isinstance(given, ClaimFile):
        return given
    if isinstance(given, Mapping):
        return ClaimFile({str(k): {str(k): x} for k, x in given.items()})
    if isinstance(given, PathLike):
        return gathered([Path(given)], system)
    texts = [given] if isinstance(given, str) else list(given)
    return ClaimFile({f"claim {k}": x for k, x in enumerate(texts, 1)})


def _verdict(label: str, v: Any) -> str:
    if v.parts:
        return "".join(_verdict(label, part) for part in v.parts)
    status = _WORDS.get(v.status, v._head)
    kind = _MARKS.get(v.status, "warn")
    head = f"<p>{mark(status, kind)} <b>{escaped(label)}</b> <code>{escaped(v.claim)}</code></p>"
    rows = [
        [
            mark(t.which, "bad" if t.which == "extra" else "warn"),
            mathml(t.formula, v.coordinates, display="inline")
            if width_of(t.formula, v.coordinates) < _WIDE
            else escaped(f"{len(t.formula.args)} terms"),
            escaped(t.kind),
        ]
        for t in v.terms[:_MOST_TERMS]
    ]
    inside = table(["", "Term", "Kind"], rows, html=True) if rows else ""
    inside += "".join(paragraph(d.sentence) for d in v.diagnosis[:2])
    inside += "".join(said(x) if "\n" in x else paragraph(x) for x in v.notes)
    if v.status == "agrees numerically" or (v.conditions and v.status != "identical"):
        inside += paragraph(v.explanation)
    return note(head + inside, kind)
