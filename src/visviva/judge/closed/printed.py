"""A closed form as text: Markdown, LaTeX, HTML with MathML, and functions in Python and C."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import sympy

from visviva.describe.energies.formulas import TIME
from visviva.describe.quantities import DRIFT, EXACT, KINDS, ROW_BIAS, ROWS, TERMS
from visviva.errors import ArgumentError, OutsideError, UnknownNameError
from visviva.notation.names import velocity_name
from visviva.notation.writing.plain import plain_text
from visviva.notation.writing.webpage import article, page
from visviva.notation.writing.write import (
    Names,
    c_source,
    latex,
    mathml,
    md,
    python_source,
    width_of,
)
from visviva.progress import progress

FORMS = ("standard", "christoffel", "equations", "constraints")
CONVENTIONS = ("rows", "columns")  # A is k × n, A v + a₀ = 0; or n × k, Aᵀ v + a₀ = 0
LANGUAGES = ("md", "latex", "html", "python", "c")
STYLE = """
.closed-form h1 { font-size: 1.7rem; margin: 0 0 1.2rem; }
.closed-form .line { padding: .4rem 0 .4rem 1.5rem; }
.closed-form math { display: inline math; }
"""
ROOM = 98  # width of a page, about one to a letter
FEW = 3  # coordinates up to which all stands together, in a notebook too


def printed(form: Any, what: str = "standard", to: str = "md", convention: str = "rows") -> str:
    """A closed form in a language: "md", "latex", "html", "python" or "c".

    `what`: "standard" is M, C, g and b, and Q where other forces act; "christoffel" the symbols
    that are not zero; "equations" what each joint force equals; "constraints" A, a₀ and β;
    "kinetic_energy", "momenta" and the like one quantity. Matrices that are wider than a page are
    printed by their entries. What the form leaves out is named.

    `convention`: "rows" has one row of A for each constraint, A v + a₀ = 0; "columns" has them as
    columns, Aᵀ v + a₀ = 0.
    """
    if convention not in CONVENTIONS:
        raise UnknownNameError("convention", convention, CONVENTIONS)
    form = Columns(form) if convention == "columns" else form
    whole = [kind for kind, row in KINDS.items() if kind not in FORMS and not row.about]
    if what not in (*FORMS, *whole):
        raise UnknownNameError("form", what, (*FORMS, *whole))
    if to not in LANGUAGES:
        raise UnknownNameError("language", to, LANGUAGES)
    with progress(f"writing {form.name}"):
        return _printed(form, what, to)


def _printed(form: Any, what: str, to: str) -> str:
    if what == "constraints" and not form.held_by:
        raise ArgumentError(f"{form.name!r} has no constraints")
    without = "" if what == "christoffel" else _left_out(form)
    if to in ("python", "c"):
        source = _source(form, what, python_source if to == "python" else c_source)
        note = f"# {without}\n" if to == "python" else f"/* {without} */\n"
        return (note if without else "") + source
    names = _names(form)
    lines = _lines(form, what, names)
    if to == "latex":
        blocks = [f"\\[ {latex(x, names)} \\]" for x in lines]
        return "\n".join([*blocks, *([without] if without else [])]) + "\n"
    title, general = form.name, _general(form, what)
    if to == "md":
        blocks = [f"# {md(title)}", *general, *(f"$$\n{latex(x, names)}\n$$" for x in lines)]
        return "\n\n".join([*blocks, *filter(None, (without, _zeros(form)))]) + "\n"
    return page(title, html_body(form, what))


def html_body(form: Any, what: str = "standard") -> str:
    """To stand in a page or a notebook: formulas in MathML, its style with it, nothing to load."""
    general, formulas, without = html_blocks(form, what)
    blocks = [f"<p><i>{x}</i></p>" for x in general]
    blocks += [f'<div class="line">{x}</div>' for x in formulas]
    blocks += [f"<p>{escape(without)}</p>"] if without else []
    return article("closed-form", form.name, STYLE, blocks)


def html_blocks(form: Any, what: str = "standard") -> tuple[list[str], list[str], str]:
    """For a page that is put together elsewhere: the general formulas as text, those of this form
    in MathML, and the sentence that says what it leaves out."""
    names, without = _names(form), "" if what == "christoffel" else _left_out(form)
    return _general(form, what), [mathml(x, names) for x in _lines(form, what, names)], without


def notebook_html(form: Any) -> str:
    """What a notebook shows, without a network: the matrices, or what it is if they are large."""
    if len(form.velocities) > FEW:
        return f"<p>{escape(described(form))}</p>"
    try:
        return html_body(form)
    except ArgumentError:  # no matrices: the kinetic energy is no square of the velocities
        return html_body(form, "equations")


def notebook_latex(form: Any) -> str | None:
    """M(q) q̈ + C(q, q̇) q̇ + g(q) + b = τ, filled in; None if there are many coordinates.

    Terms that are zero are left away. If a matrix is wider than a page, its entries follow.
    """
    if len(form.velocities) > FEW:
        return None
    names = _names(form)
    try:
        terms = _filled(form, names)
        wide = any(width > ROOM for _, width in terms)
        whole = _general_latex(form) if wide else _in_rows(terms)
        more = _lines(form, "standard", names) if wide else []
    except ArgumentError:  # no matrices: the kinetic energy is no square of the velocities
        whole, more = "", _lines(form, "equations", names)
    blocks = [*([whole] if whole else []), *(latex(x, names) for x in more)]
    if without := _left_out(form):
        blocks.append(rf"\text{{{without}}}")
    return "\n\n".join(f"$$\n{x}\n$$" for x in blocks)


def described(form: Any) -> str:
    """A form in one line."""
    names, n = ", ".join(map(str, form.coordinates)), len(form.velocities)
    without = f"; without {' and '.join(form.left_out)}" if form.left_out else ""
    return f"<ClosedForm of {form.name}: {n} equations in {names}{without}>"


def in_words(form: Any) -> str:
    """The equations in plain text; of many coordinates only what there is to ask for."""
    n = len(form.velocities)
    head = [f"{form.name}: {n} equation{'s' * (n != 1)} in {', '.join(map(str, form.coordinates))}"]
    if n > FEW:
        return f"{head[0]}\n  they are long: .equations, .{TERMS[0].exact}, .latex('equations')"
    names = _names(form)
    pairs = zip(form.generalized_forces, form.equations, strict=True)
    lines = [f"  {plain_text(tau, names)} = {plain_text(x, names)}" for tau, x in pairs]
    lines += _multipliers(form, names) if form.held_by and form.solves_multipliers else []
    notes = [f"  {x}" for x in (_left_out(form), _zeros(form)) if x]
    return "\n".join([*head, *lines, *notes])


def _multipliers(form: Any, names: Names) -> list[str]:
    """What each λ is, or why nothing follows for them."""
    try:
        values = form.multipliers
    except (ArgumentError, OutsideError) as error:
        return [f"  λ: {error}"]
    pairs = zip(form.multiplier_symbols, values, strict=True)
    return [f"  {plain_text(x, names)} = {plain_text(value, names)}" for x, value in pairs]


def _zeros(form: Any) -> str:
    """Symbols that stand for nothing, as people make point masses of bodies."""
    there = {x.name for row in form.equations for x in row.free_symbols}
    none = [k for k, x in form.exact.values.items() if x == 0 and k in there]
    if not none:
        return ""
    put = ", ".join(f"{k}='0'" for k in none)
    are = "is 0 here and stays a symbol" if len(none) == 1 else "are 0 here and stay symbols"
    return (
        f"{', '.join(none)} {are}: model.with_parameters({put}) leaves {_THEM[len(none) > 1]} out."
    )


_THEM = ("it", "them")


def _left_out(form: Any) -> str:
    return f"Left out: {' and '.join(form.left_out)}." if form.left_out else ""


class Columns:
    """A closed form whose constraints are the columns of A."""

    constraints_are = "columns"

    def __init__(self, form: Any) -> None:
        self._form = form

    def __getattr__(self, name: str) -> Any:
        return getattr(self._form, name)

    @property
    def constraint_matrix(self) -> sympy.Matrix:
        """A (n, k)."""
        return self._form.constraint_matrix.T


# ---- formulas


def _names(form: Any) -> Names:
    """Coordinates and velocities, whose rates get dots, and parameters."""
    return Names(form.rated_names, form.parameter_names)


def _general(form: Any, what: str) -> list[str]:
    """The formula that what is printed belongs to, if it needs one."""
    A, turned = ("A", "Aᵀ") if form.constraints_are == "rows" else ("Aᵀ", "A")
    held = f"{A} v + a₀ = 0"
    if what == "standard":
        more = f"{' + Q' if _forces(form) else ''}{f' + {turned} λ' if form.held_by else ''}"
        return [f"M a + C v + g + b = τ{more}", *([held] if form.held_by else [])]
    if what == "constraints":
        return [held, f"{A} a + β = 0"]
    if what == "projected_equations":
        return ["P_u (M a + h) = P_u τ"]
    return ["Cᵢⱼ = Σₖ Γᵢⱼₖ vₖ, Γᵢⱼₖ = Γᵢₖⱼ"] if what == "christoffel" else []


def _lines(form: Any, what: str, names: Names) -> list[Any]:
    """What is printed: relations; those that are broken, or belong together, in lists."""
    if what == "christoffel":
        symbols = nonzero_christoffel(form)
        return [_symmetric(k, x) for k, x in symbols.items() if k[1] <= k[2]]
    if what == "equations":
        pairs = zip(form.generalized_forces, form.equations, strict=True)
        every = [_equal(tau, x) for tau, x in pairs]
        return [x if width_of(x, names) <= ROOM else [x] for x in every]
    if what == "projected_equations":
        return [[_equal(*_sides(form, x)) for x in form.projected_equations]]
    lines: list[Any] = []
    for letter, value in _printed_parts(form, what).items():
        whole = _equal(_label(form, letter), value)
        if width_of(whole, names) <= ROOM:
            lines.append(whole)
        else:
            lines += _entries(letter, value) if isinstance(value, sympy.MatrixBase) else [[whole]]
    return lines


def _sides(form: Any, residual: Any) -> tuple[Any, Any]:
    """What does not depend on τ, and what does, on the other side."""
    left = residual.xreplace(dict.fromkeys(form.generalized_forces, sympy.S.Zero))
    return sympy.factor_terms(left), sympy.factor_terms(sympy.expand(left - residual))


def _label(form: Any, letter: str) -> Any:
    """M, or M(q) where a parameter is called M."""
    own = (*map(str, form.coordinates), *form.parameter_names)
    symbol = sympy.Symbol(letter)
    return sympy.Function(letter)(sympy.Symbol("q")) if letter in own else symbol


def _printed_parts(form: Any, what: str) -> dict[str, Any]:
    """By letter: M, C, g and b, or one quantity alone."""
    if what == "standard":
        return dict(_matrices(form)) | _rows(form, EXACT_ROWS[:2])
    if what == "constraints":
        return _rows(form, EXACT_ROWS)
    row = KINDS[what]
    return {row.letters[0] if row.letters else row.symbol or what: getattr(form, what)}


def _matrices(form: Any) -> dict[str, sympy.Matrix]:
    matrices = {row.symbol: getattr(form, row.exact) for row in TERMS}
    return matrices | ({"Q": sympy.Matrix(_forces(form))} if _forces(form) else {})


EXACT_ROWS = (ROWS.exact, DRIFT.exact, ROW_BIAS.exact)


def _rows(form: Any, kinds: tuple[str, ...]) -> dict[str, Any]:
    """A, and a₀ and β where they are not zero, by their letters."""
    values = {EXACT[x].symbol: getattr(form, x) for x in kinds} if form.held_by else {}
    return {k: x for k, x in values.items() if k == "A" or not x.is_zero_matrix}


def _entries(letter: str, matrix: sympy.Matrix) -> list[list[sympy.Eq]]:
    """The entries, under each other if they are few; below the diagonal of M what they equal."""
    entries: list[sympy.Eq] = []
    for i in range(matrix.rows):
        for j in range(matrix.cols):
            index = (i + 1, j + 1) if matrix.cols > 1 else (i + 1,)
            mirrored = letter == "M" and j < i
            x = _indexed(letter, *index[::-1]) if mirrored else matrix[i, j]
            entries.append(_equal(_indexed(letter, *index), x))
    return [entries] if matrix.rows <= FEW else [[x] for x in entries]


def _filled(form: Any, names: Names) -> list[tuple[str, int]]:
    """The terms of the equation with their signs, in LaTeX, and how wide they are."""
    rate, _ = _rates(form)
    labels = {"M": "M(q)", "C": f"C(q, {rate})", "g": "g(q)", "b": "b"}
    motion = {"a": sympy.Matrix(form.accelerations), "v": sympy.Matrix(form.velocities)}
    times = {row.symbol: motion[row.times] for row in TERMS if row.times in motion}
    terms: list[tuple[str, int]] = []
    for letter, matrix in _matrices(form).items():
        if letter == "Q" or (letter != "M" and matrix.is_zero_matrix):
            continue
        text = rf"\underbrace{{{latex(matrix, names)}}}_{{{labels[letter]}}}"
        text += f" {latex(times[letter], names)}" if letter in times else ""
        terms.append((f"{'+ ' if terms else ''}{text}", width_of(matrix, names) + 8))
    right = [
        sympy.Matrix(form.generalized_forces),
        *([sympy.Matrix(_forces(form))] if _forces(form) else []),
    ]
    for k, matrix in enumerate(right):
        terms.append((f"{'+' if k else '='} {latex(matrix, names)}", width_of(matrix, names) + 3))
    if form.held_by:
        turned, free = form.constraint_matrix.T, sympy.Matrix(form.multiplier_symbols)
        text = rf"+ \underbrace{{{latex(turned, names)}}}_{{A^{{T}}}} {latex(free, names)}"
        terms.append((text, width_of(turned, names) + 8))
    return terms


def _in_rows(terms: list[tuple[str, int]]) -> str:
    rows: list[list[str]] = [[]]
    used = 0
    for text, width in terms:
        if used and used + width > ROOM:
            rows.append([])
            used = 0
        rows[-1].append(text)
        used += width
    body = " \\\\\n".join(("& " if k == 0 else "& {} ") + " ".join(r) for k, r in enumerate(rows))
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def _general_latex(form: Any) -> str:
    rate, second = _rates(form)
    right = r"\tau + Q" if _forces(form) else r"\tau"
    right += r" + A^{T} \lambda" if form.held_by else ""
    return rf"M(q) \, {second} + C(q, {rate}) \, {rate} + g(q) + b = {right}"


def _rates(form: Any) -> tuple[str, str]:
    """The rates of q, or v and a where velocities are no rates of coordinates."""
    rates = [velocity_name(str(q)) for q in form.coordinates]
    if rates == list(map(str, form.velocities)):
        return r"\dot{q}", r"\ddot{q}"
    return "v", "a"


def _forces(form: Any) -> list[Any]:
    """Q of a system that is stated by energies, if there is any."""
    acting = list(getattr(form, "forces", ()))
    return acting if any(x != 0 for x in acting) else []


def _indexed(letter: str, *index: int) -> sympy.Symbol:
    return sympy.Symbol(f"{letter}_" + ("," if max(index) > 9 else "").join(map(str, index)))


def _equal(left: Any, right: Any) -> sympy.Eq:
    return sympy.Eq(left, right, evaluate=False)


def _symmetric(index: tuple[int, int, int], x: Any) -> sympy.Eq:
    """Γ₁₁₂ = Γ₁₂₁ = x: both of a pair, the value once."""
    i, j, k = index
    once = x if j == k else _equal(_indexed("Gamma", i, k, j), x)
    return _equal(_indexed("Gamma", i, j, k), once)


def nonzero_christoffel(form: Any) -> dict[tuple[int, int, int], Any]:
    """The symbols that are not zero, by indices from 1 on; Γ[i, k, j] beside Γ[i, j, k]."""
    gamma, n = form.christoffel, range(form.christoffel.shape[0])
    every = ((i, j, k) for i in n for j in n for k in n)
    return {(i + 1, j + 1, k + 1): gamma[i, j, k] for i, j, k in every if gamma[i, j, k] != 0}


# ---- functions


def _source(form: Any, what: str, write: Callable[..., str]) -> str:
    q, v, a = (list(x) for x in (form.coordinates, form.velocities, form.accelerations))
    row = EXACT.get(what)
    inputs = row.inputs if row and what in FORMS else "q v"
    outputs = (
        {row.symbol or what: getattr(form, what)}
        if row and (what in FORMS or row.in_fractions)
        else _printed_parts(form, what)
    )
    used = {x for m in outputs.values() for x in m.free_symbols}
    arguments = {k: x for k, x in zip("qva", (q, v, a), strict=True) if k in inputs.split()}
    others = {"a": a, "tau": form.generalized_forces, "multipliers": form.multiplier_symbols}
    arguments |= {k: list(x) for k, x in others.items() if used.intersection(x)}
    given = list(form.parameters)
    known = {*q, *v, *a, *given, *(x for group in arguments.values() for x in group)}
    more = {str(x): x for x in used - known}
    time = more.pop(TIME.name, None)
    arguments["parameters"] = [*given, *(more[k] for k in sorted(more))]  # some have no value
    if time is not None:
        arguments["t"] = time
    name = "".join(c if c.isalnum() else "_" for c in form.name)
    return write(f"{name}_{what}", arguments, outputs)
