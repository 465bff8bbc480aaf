"""The equations of motion in textbook form, each term explained; of long ones what can be read."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from visviva.drawing.digits import number
from visviva.errors import OutOfTimeError, VisvivaError
from visviva.judge.check.compare.differences import by_factor, kind_of
from visviva.judge.closed.explained import KINDS_OF_TERMS, Term
from visviva.notation.writing.webpage import prose
from visviva.notation.writing.write import latex, mathml, width_of
from visviva.show.page.escaping import escaped
from visviva.show.page.formulas import closed_formulas, formula, values_said
from visviva.show.page.parts import code, copies, fold, note, table
from visviva.show.study.part import Part, few, paragraph, small
from visviva.show.study.studied import Studied

_LONG = 2500  # characters of all equations together that are still read
_LINE = 90  # characters in a line
_SHORT = 34  # characters of a term that has a sentence beside it
_MOST_NUMBERS = 12  # rows of a matrix of numbers
_SHORTHAND = "s₂ is the sine of the second coordinate, c₂₃ the cosine of the sum of two, and so on."
_MOST_EXACT = 7  # velocities of a model with symbols for everything


def equations(s: Studied) -> Part:
    """In closed form where there is one that can be read, and numbers at the start position."""
    if s.has_bodies and s.system.nv > _MOST_EXACT:
        return _numeric(s, f"With {s.system.nv} velocities the formulas fill books.")
    try:
        return _closed(s)
    except (VisvivaError, AttributeError) as error:
        return _numeric(s, _why(error))


def _why(error: Exception) -> str:
    if isinstance(error, OutOfTimeError):
        return "The formulas take longer than this page may."
    return f"There is no closed form that can be read: {error}"


# ---- formulas


def _closed(s: Studied) -> Part:
    form = s.closed
    total = form.equations
    length = sum(width_of(x, s.names) for x in total)
    lines = ["form = system.closed_form()", "print(form)", 'print(form.latex("equations"))']
    left = [f"Left out: {', '.join(form.left_out)}."] if form.left_out else []
    data = {"equations": [str(x) for x in total] if length <= _LONG else []}
    if length > _LONG:
        return Part(*_of_long(s, form, length), tuple(lines), data=data)
    html = closed_formulas(form, "equations") + "".join(map(paragraph, left))
    html += _terms(s, form) + _folds(form)
    lead = (
        "What each motor has to supply: the force or torque τ for given positions, speeds and "
        "accelerations. Exact, with every parameter as a symbol."
    )
    if s.is_held:
        lead += " λ are the forces of the constraints."
    idle = [mathml(form.generalized_forces[k], s.names, display="inline") for k in s.undriven]
    if idle:
        html = f"<p>Nothing drives {few(s.movers[k] for k in s.undriven)}: " + (
            f"{' = '.join(idle)} = 0.</p>" + html
        )
    return Part(lead, html, tuple(lines), data=data)


def _terms(s: Studied, form: Any) -> str:
    """Every equation taken apart: term, kind, cause."""
    try:
        rows = [form.terms(k) for k in range(s.system.nv)]
    except VisvivaError as error:
        return paragraph(f"They cannot be taken apart term by term: {error}")
    made = "<h3>Term by term</h3>"
    for k, terms in enumerate(rows):
        tau = mathml(form.generalized_forces[k], s.names, display="inline")
        blocks = "".join(_term(x, s) for x in terms)
        one = sympy.Eq(form.generalized_forces[k], form.equations[k], evaluate=False)
        alone = copies({"LaTeX": latex(one, s.names), "SymPy": f"{one.lhs} = {one.rhs}"})
        made += f'<div class="equation"><h4>In the equation of {tau}</h4>{alone}</div>'
        made += f'<div class="terms">{blocks}</div>'
    return made


def _term(x: Term, s: Studied) -> str:
    """The formula, its kind, and the sentence; a long formula has a line of its own."""
    long = " long" if width_of(x.formula, s.names) > _SHORT else ""
    math = mathml(x.formula, s.names, display="inline")
    return (
        f'<div class="term{long}"><div class="line" tabindex="0" role="group" '
        f'aria-label="term">{math}</div>{_kind(x.kind)}<p>{prose(x.sentence)}.</p></div>'
    )


def _kind(kind: str) -> str:
    words = kind.lower().split()[0]
    return f'<span class="kind {words}">{escaped(kind)}</span>'


def _folds(form: Any) -> str:
    """M, C, g, b; Christoffel symbols; energies. What there is not is left out."""
    made = ""
    for title, what in (
        ("The same as matrices: M, C, g, b", "standard"),
        ("Christoffel symbols that are not zero", "christoffel"),
        ("Kinetic energy", "kinetic_energy"),
        ("Potential energy", "potential_energy"),
        ("Constraints: A, and what moves them", "constraints"),
    ):
        if what == "constraints" and not form.held_by:
            continue
        try:
            inside = closed_formulas(form, what)
        except (VisvivaError, AttributeError):
            continue
        if what == "christoffel" and "<math" not in inside:
            inside = paragraph("All are zero: the inertia is the same in every position.")
        made += fold(title, inside)
    return made


# ---- what is too long to be read


def _of_long(s: Studied, form: Any, length: int) -> tuple[str, str]:
    """Lead and HTML: counts, weight, one entry of M, and the whole as programs."""
    counts = _counts(s, form)
    lead = (
        f"In closed form, exact, with {len(form.parameters)} parameters as symbols. "
        f"Printed, the {s.system.nv} equations would fill {max(2, round(length / 3000))} pages, "
        "so here is what can be read; the whole can be copied as a program."
    )
    html = _general(s) + counts
    if not s.system.parameters:  # then numbers are shorter than the symbols that stand for them
        form = s.system.closed_form(symbols=[])
        html += paragraph("Below, masses and lengths are put in as numbers, to five digits.")
    weight = [x for x in enumerate(form.gravity, 1) if x[1] != 0]
    if weight:
        shown = [sympy.Eq(sympy.Symbol(f"g_{k}"), x, evaluate=False) for k, x in weight]
        html += "<h3>What weight and springs ask of each joint</h3>"
        html += small(_SHORTHAND) + _broken(shown, s, "gravity")
    M = sympy.Eq(sympy.Symbol("M_11"), form.mass_matrix[0, 0], evaluate=False)
    html += fold(
        f"The inertia that {s.movers[0]} feels", small(_SHORTHAND) + _broken([M], s, "M11")
    )
    return lead, html + _programs(s.closed) + _matrices(s)


def _broken(equations: list[Any], s: Studied, name: str) -> str:
    """In several lines where they are long; c₂₃ for cos(q₂ + q₃)."""
    made = []
    for x in equations:
        right = _rounded(x.rhs.xreplace(s.numbered))
        if width_of(right, s.names, short=True) > _LINE:
            right = sympy.expand(right, deep=False)  # a sum can be broken, a product cannot
        made.append(sympy.Eq(x.lhs, right, evaluate=False))
    names = list(map(str, s.numbered.values())) or s.names
    below = small(f"{s.legend}.") if s.legend else ""
    return formula(made, names, short=True, name=name) + below


def _rounded(x: Any) -> Any:
    """Long decimals cut to five digits."""
    return x.xreplace({y: sympy.Float(y, 5) for y in x.atoms(sympy.Float)})


def _general(s: Studied) -> str:
    """The equation that everything belongs to, with what its letters are."""
    rates = not s.has_bodies or all(b.joint.has_rates for b in s.system.bodies)
    v, a = ("q̇", "q̈") if rates else ("v", "v̇")
    whole = f"M {a} + C {v} + g + b = τ" + (" + Aᵀ λ" if s.is_held else "")
    words = "M is inertia, C what speeds cost, g weight and springs, b friction, τ the motors"
    more = ", Aᵀ λ the forces of constraints" if s.is_held else ""
    return f'<p class="general">{prose(whole)}</p>{small(f"{words}{more}.")}'


def _counts(s: Studied, form: Any) -> str:
    """How many terms of which kind stand in each equation."""
    try:
        parts = [_counted(form, k) for k in range(s.system.nv)]
    except VisvivaError:
        return ""
    kinds = [k for k in KINDS_OF_TERMS if any(p.get(k) for p in parts)]
    rows = [
        [f"{name}", *(str(p.get(k, 0)) for k in kinds), str(sum(p.values()))]
        for name, p in zip(s.movers, parts, strict=True)
    ]
    caption = "Products in each equation, multiplied out, by what they are."
    return table(["Equation of", *kinds, "all"], rows, caption=caption)


def _counted(form: Any, row: int) -> dict[str, int]:
    forms, names = form.exact, form.exact.names
    whole = forms.polynomial(forms.open_equations[row])
    found: dict[str, int] = {}
    for factor, part in by_factor(whole, (*names.v, *names.a)):
        kind = kind_of(factor, names.a)
        found[kind] = found.get(kind, 0) + int(part.size)
    return found


def _programs(form: Any) -> str:
    made = ""
    for language, write in (("Python", form.python_source), ("C", form.c_source)):
        text = write("equations")
        text += values_said(form, text, language)
        kilo = len(text) / 1000
        if kilo < 150:
            made += fold(
                f"All equations as a function in {language} ({kilo:.0f} kB)", code(text, language)
            )
    return made


# ---- numbers


def _numeric(s: Studied, why: str) -> Part:
    """M, C and g at the start position."""
    html = note(paragraph(why)) + _general(s) + _matrices(s, opened=True)
    q = s.at(s.start)
    lines = (f"q = {q}", "M = system.mass_matrix(q)", "g = system.gravity_forces(q)")
    lead = "They are computed by machine code made for this mechanism, here at the start position."
    return Part(lead, html, lines)


def _matrices(s: Studied, opened: bool = False) -> str:
    """Numbers of M, C and g; C with a unit of speed everywhere."""
    system, n = s.system, s.system.nv
    if n > _MOST_NUMBERS:
        return paragraph(f"M is {n} × {n}; system.mass_matrix(q) has it at any position.")
    known = {"q": s.start, "v": np.ones(n), "t": 0.0}
    made = ""
    for letter, name, words in (
        ("M", "mass_matrix", "inertia, in kg m² for turns and kg for slides"),
        ("C", "coriolis_matrix", "at unit speeds"),
        ("g", "gravity_forces", "weight and springs, in N m for turns and N for slides"),
    ):
        try:
            f = getattr(system, name)
            x = np.asarray(f(*(known[k] for k in f.inputs)), dtype=float)
        except (VisvivaError, AttributeError):
            continue
        made += f"<p><i>{letter}</i>, {escaped(words)}</p>" + _grid(x.reshape(n, -1), s.movers)
    at = few(
        (f"{name} = {number(x, digits=4)}" for name, x in zip(s.signs, s.start, strict=True)),
        12,
    )
    return fold("Numbers at the start position", small(at) + made, opened=opened) if made else ""


def _grid(x: Any, names: list[str]) -> str:
    """A matrix with the names of its rows; what is zero but for rounding is a dot."""
    least = 1e-9 * float(np.abs(x).max(initial=0.0))
    rows = [
        [f"{k} {name}", *("·" if abs(y) <= least else number(y, digits=3) for y in row)]
        for k, (name, row) in enumerate(zip(names, x, strict=True), 1)
    ]
    head = ["", *(map(str, range(1, len(names) + 1)) if x.shape[1] > 1 else [""])]
    return f'<div class="grid">{table(head, rows)}</div>'
