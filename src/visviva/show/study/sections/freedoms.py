"""In how many ways a mechanism moves, and what kind of constraints hold it."""

from __future__ import annotations

from typing import Any

from visviva.errors import VisvivaError
from visviva.notation.writing.webpage import prose
from visviva.show.page.escaping import escaped
from visviva.show.page.parts import fold, mark, table
from visviva.show.study.part import Part, few, paragraph
from visviva.show.study.studied import Studied

_MOST_ROWS = 40
_GOOD = ("proved mobile", "proved rigid")
_KINDS = {
    "holonomic": "it holds positions",
    "nonholonomic": "it holds velocities only: every position can be reached",
    "mixed": "it holds velocities, and some positions",
    "no witness found": "nothing was proved",
}


def freedoms(s: Studied) -> Part:
    """Mobility by counting and in truth, and the rows of constraints, each with its kind."""
    found = s.system.mobility()
    html = _mobility(found)
    lines = ["print(system.mobility())"]
    data: dict[str, Any] = {"mobility": found.true, "verdict": found.verdict}
    if s.is_held:
        html += _constraints(s, data)
        lines.append("print(system.constraints.classify())")
    n, nv = found.true, s.system.nv
    ways = f"{n} independent way{'s' * (n != 1)}"
    lead = f"It moves in {ways}, with {nv} velocit{'ies' if nv != 1 else 'y'} to describe it."
    if found.freedoms != n:
        lead += f" At every moment {found.freedoms} of them are free."
    return Part(lead, html, tuple(lines), data=data)


def _mobility(found: Any) -> str:
    kind = "good" if found.verdict in _GOOD else "warn"
    count = f"Counting joints (Grübler) gives {found.counted}: {found.formula}."
    if found.counted < found.true:
        count += " It moves more than that, because some constraints repeat others."
    elif found.counted > found.true:
        count += " It moves less than that: its lengths and angles leave no other position."
    said = [found.why, count]
    if found.redundant:
        said.append(f"Constraints that follow from the others: {few(found.redundant)}.")
    if found.idle:
        said.append(f"Motions that move nothing else: {few(found.idle)}.")
    if found.instantaneous != found.true:
        said.append(
            f"At this very position {found.instantaneous} motions look free: it is singular."
        )
    head = f"<p>{mark(found.verdict, kind)}</p>"
    return head + "".join(f"<p>{prose(x)}</p>" for x in said)


def _constraints(s: Studied, data: dict[str, Any]) -> str:
    try:
        found = s.system.constraints.classify()
    except VisvivaError as error:
        return paragraph(f"What kind of constraints these are is not known: {error}")
    data["constraints"] = found.kind
    time = "do not depend on time" if found.scleronomic else "depend on time"
    said = f"Together they are {found.kind} ({found.proof}): {_KINDS[found.kind]}. They {time}."
    rows = [
        [escaped(r.name), escaped(r.kind), escaped(r.proof), escaped(_kept(r))] for r in found.rows
    ]
    made = table(["Row", "Kind", "How it is known", "What stays constant"], rows, html=True)
    if len(rows) > _MOST_ROWS // 4:
        made = fold(f"{len(rows)} rows", made)
    more = "".join(paragraph(str(x)) for x in found.remarks)
    if found.kind in ("nonholonomic", "mixed") and found.certificate:
        more += fold("What proves it", paragraph(str(found.certificate)))
    return f"<h3>Constraints</h3>{paragraph(said)}{made}{more}"


def _kept(row: Any) -> str:
    return "" if row.integral is None else f"{row.integral}"[:200]
