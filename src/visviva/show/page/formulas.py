"""Formulas as a reader sees and copies them: MathML, with LaTeX, Python and C to copy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from visviva.errors import ArgumentError
from visviva.notation.names import Names
from visviva.show.page.escaping import escaped
from visviva.show.page.parts import copies


def formula(
    x: Any,
    names: Names | Iterable[str] | None = None,
    *,
    short: bool = False,
    texts: Mapping[str, str] | None = None,
    name: str = "formula",
) -> str:
    """A formula of SymPy, or an equation of a derivation, with what can be copied of it.

    `x` is an expression, a matrix, an equation, or a list of equations, which stand under each
    other; `names` are the coordinates, whose rates get dots. `texts` are copied instead of what
    is written here: LaTeX, and a function in Python and C called `name`, where there is one.
    """
    shown, written = _mathml(x, names, short), _texts(x, names, short, name)
    return framed([shown], written | dict(texts or {}))


def closed_formulas(form: Any, what: str = "standard", general: bool = True) -> str:
    """Part of a closed form, `what` as its methods `latex` and `python_source` take it.

    With `general` the formula it belongs to, M a + C v + g + b = τ, stands above.
    """
    from visviva.judge.closed.printed import html_blocks

    above, formulas, without = html_blocks(form, what)
    texts = {}
    for language, write in (
        ("LaTeX", form.latex),
        ("Python", form.python_source),
        ("C", form.c_source),
    ):
        text = _written(partial(write, what))
        if text:
            texts[language] = text + values_said(form, text, language)
    head = "".join(f'<p class="general"><i>{escaped(x)}</i></p>' for x in above) if general else ""
    foot = f"<p>{escaped(without)}</p>" if without else ""
    return head + framed(formulas, texts) + foot


def values_said(form: Any, text: str, language: str) -> str:
    """Below a function that takes parameters: their values, in its order."""
    if not form.parameters or "parameters" not in text or language not in ("Python", "C"):
        return ""
    names, values = map(str, form.parameters), map(repr, map(float, form.parameters.values()))
    listed, named = ", ".join(values), ", ".join(names)
    if language == "Python":
        return f"\n\n# {named}\nparameters = [{listed}]\n"
    return f"\n/* {named} */\nstatic const double parameter_values[] = {{{listed}}};\n"


def framed(formulas: Sequence[str], texts: Mapping[str, str]) -> str:
    """Formulas in MathML, each scrolling in its own line, with one menu that copies texts."""
    lines = "".join(
        f'<div class="line" tabindex="0" role="group" aria-label="formula">{x}</div>'
        for x in formulas
    )
    return f'<div class="formula">{lines}{copies(texts)}</div>'


def _mathml(x: Any, names: Any, short: bool) -> str:
    from visviva.judge.derive.documents import mathml_equation
    from visviva.judge.derive.steps import Equation
    from visviva.notation.writing.write import mathml

    return mathml_equation(x) if isinstance(x, Equation) else mathml(x, names, short)


def _texts(x: Any, names: Any, short: bool, name: str) -> dict[str, str]:
    from visviva.judge.derive.documents import latex_equation
    from visviva.judge.derive.steps import Equation
    from visviva.notation.writing.write import c_source, latex, python_source

    if isinstance(x, Equation):
        return {"LaTeX": latex_equation(x)}
    outputs = _outputs(x, name)
    found = {"LaTeX": latex(x, names, short)}
    symbols = sorted({s for y in outputs.values() for s in y.free_symbols}, key=str)
    arguments = {str(s): s for s in symbols}
    for language, write in (("Python", python_source), ("C", c_source)):
        text = _written(partial(write, name, arguments, outputs)) if outputs else ""
        if text:
            found[language] = text
    return found


def _outputs(x: Any, name: str) -> dict[str, Any]:
    """What a function computes: the right sides under the names of the left ones."""
    import sympy

    found: dict[str, Any] = {}
    for one in x if isinstance(x, (list, tuple)) else (x,):
        if isinstance(one, sympy.Equality):
            while isinstance(one.rhs, sympy.Equality):  # a = b = c
                one = one.rhs
            if not isinstance(one.lhs, sympy.Symbol):
                return {}
            found[one.lhs.name] = one.rhs
        elif isinstance(one, (sympy.Expr, sympy.MatrixBase)):
            found[f"{name}_{len(found) + 1}" if len(found) else "value"] = one
        else:
            return {}
    return found


def _written(write: Callable[[], str]) -> str:
    """What a writer writes, or nothing where the language has no word for it."""
    try:
        return write()
    except ArgumentError:
        return ""
