"""In how many ways a mechanism moves, and what kind of constraints hold it."""

from __future__ import annotations

from typing import Any

import sympy

from visviva.errors import VisvivaError
from visviva.notation.writing.webpage import prose
from visviva.notation.writing.write import mathml, width_of
from visviva.show.page.escaping import escaped
from visviva.show.page.parts import fold, mark, table
from visviva.show.study.part import Part, few, paragraph
from visviva.show.study.studied import Studied

_WIDE = 60  # of a formula in a table
_VERDICTS = {"proved mobile": "it moves: proved", "moved": "it moves: seen by moving it"}
_GOOD = ("proved mobile", "proved rigid")
_HOLDS = {
    "holonomic": "positions are held",
    "nonholonomic": "velocities are held, and no position is out of reach",
    "mixed": "velocities are held, and some positions",
    "no witness found": "nothing was proved",
}
_KNOWN = {"by statement": "stated for positions", "witness": "proved by an example"}


def freedoms(s: Studied) -> Part:
    """Mobility by counting and in truth, and the rows of constraints, each with its kind."""
    found = s.system.mobility()
    n, nv = found.true, s.system.nv
    data: dict[str, Any] = {"mobility": n, "verdict": found.verdict}
    lines = ["print(system.mobility())"]
    count = "undecided" if n is None else str(n)
    how_many = "an undecided number of" if n is None else str(n)
    degrees = f"{how_many} degree{'s' * (n != 1)} of freedom"
    facts = {"degrees of freedom" if n != 1 else "degree of freedom": count}
    if n is not None and found.freedoms != n:
        facts = {"dimensions of its positions": str(n)}
        facts["velocities free at a time"] = str(found.freedoms)
        lead = (
            f"Its positions have {n} dimensions, but at every moment only {found.freedoms} "
            "velocities are free: it cannot move in all directions at once."
        )
    elif s.is_held:
        lead = f"It has {degrees}: {nv} coordinates describe it, and constraints tie them together."
    else:
        lead = f"It has {degrees}: nothing ties its coordinates to each other."
    html = _mobility(found) if s.is_held else ""
    if s.is_held:
        html += _constraints(s, data)
        lines.append("print(system.constraints.classify())")
    else:
        what = "joints" if s.has_bodies else "coordinates"
        html = paragraph(f"There are no closed loops and no constraints: all {what} move freely.")
    return Part(lead, html, tuple(lines), data=data, facts=facts)


def _mobility(found: Any) -> str:
    kind = "good" if found.verdict in _GOOD else "warn"
    count = f"Counting joints (Grübler) gives {found.counted}: {found.formula}."
    true = found.counted if found.true is None else found.true
    if found.counted < true:
        count += " It moves more than that, because some constraints repeat others."
    elif found.counted > true:
        count += " It moves less than that: its lengths and angles leave no other position."
    said = [count]
    if found.redundant:
        rows = few(found.redundant)
        said.append(f"Constraints that ask for nothing beyond what the others do: {rows}.")
    if found.idle:
        said.append(f"Motions that move nothing else: {few(found.idle)}.")
    if found.instantaneous != found.true:
        said.append(
            f"At this very position {found.instantaneous} motions look free: it is singular."
        )
    head = f"<p>{mark(_VERDICTS.get(found.verdict, found.verdict), kind)}</p>"
    known = fold("How that is known", f"<p>{prose(found.why)}</p>")
    return head + "".join(map(paragraph, said)) + known


def _constraints(s: Studied, data: dict[str, Any]) -> str:
    try:
        found = s.system.constraints.classify()
    except VisvivaError as error:
        return paragraph(f"What kind of constraints these are is not known: {error}")
    data["constraints"] = found.kind
    several = len(found.rows) > 1
    time = "not on time" if found.scleronomic else "and on time"
    proof = "" if found.proof == "by statement" else f", {found.proof}"
    text = (
        f"{'Together they are' if several else 'It is'} {found.kind}{proof}: "
        f"{_HOLDS[found.kind]}. {'They depend' if several else 'It depends'} on positions, "
        f"{time}."
    )
    rows = _rows(s, found)
    kept = any(row[-1] for row in rows)
    head = ["Constraint", "Kind", "How that is known", "What stays constant"]
    if not kept:
        head, rows = head[:-1], [row[:-1] for row in rows]
    html = f"<h3>Constraints</h3>{paragraph(text)}{table(head, rows, html=True)}"
    html += "".join(paragraph(str(x)) for x in found.remarks)
    if found.kind in ("nonholonomic", "mixed") and found.certificate:
        html += fold("What proves it", f"<p>{prose(str(found.certificate))}</p>")
    return html


def _rows(s: Studied, found: Any) -> list[list[str]]:
    """One line for each constraint; rows of a loop that are alike stand together."""
    if not s.has_bodies:
        formulas = [sympy.Eq(sympy.sympify(x), 0, evaluate=False) for x in s.system.constraints]
        names = [mathml(x, s.names, display="inline") for x in formulas]
        pairs = list(zip(names, found.rows, strict=True))
    else:
        pairs = [(escaped(r.name.partition("[")[0].strip("'")), r) for r in found.rows]
    together: dict[tuple[str, ...], int] = {}
    for name, row in pairs:
        known = _KNOWN.get(row.proof, row.proof)
        kept = "" if row.integral is None else _written(row.integral, s)
        key = (name, escaped(row.kind), escaped(known), kept)
        together[key] = together.get(key, 0) + 1
    return [
        [f"{name} ({n} rows)" if n > 1 else name, *rest] for (name, *rest), n in together.items()
    ]


def _written(x: Any, s: Studied) -> str:
    formula = sympy.sympify(x)
    if width_of(formula, s.names) > _WIDE:
        return "a long formula"
    return mathml(formula, s.names, display="inline")
