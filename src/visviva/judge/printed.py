"""A closed form as text: Markdown, LaTeX, HTML with MathML, and functions in Python and C."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import sympy

from visviva.algebra.write import c_source, latex, mathml, python_source
from visviva.errors import UnknownNameError

FORMS = ("standard", "christoffel", "equations")
LANGUAGES = ("md", "latex", "html", "python", "c")
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body {{ max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1.05rem/1.6 serif }}
math {{ margin: 1rem 0 }} section {{ overflow-x: auto }}</style></head>
<body><h1>{title}</h1>
{body}
</body></html>
"""


def printed(form: Any, what: str = "standard", to: str = "md") -> str:
    """A closed form in a language: "md", "latex", "html", "python" or "c".

    `what`: "standard" is M, C, g and b; "christoffel" the symbols that are not zero; "equations"
    what each joint force equals.
    """
    if what not in FORMS:
        raise UnknownNameError("form", what, FORMS)
    if to not in LANGUAGES:
        raise UnknownNameError("language", to, LANGUAGES)
    if to in ("python", "c"):
        return _source(form, what, python_source if to == "python" else c_source)
    names = [str(q) for q in form.coordinates]
    lines = _equations(form, what)
    if to == "latex":
        return "\n".join(f"\\[ {latex(x, names)} \\]" for x in lines) + "\n"
    if to == "md":
        head = f"# {form.name}\n\nM a + C v + g + b = τ\n\n"
        return head + "\n\n".join(f"$$\n{latex(x, names)}\n$$" for x in lines) + "\n"
    body = "\n".join(f"<section>{mathml(x, names)}</section>" for x in lines)
    return PAGE.format(title=escape(form.name), body=body)


def _equations(form: Any, what: str) -> list[sympy.Eq]:
    """What is printed, one line each."""
    if what == "standard":
        parts = {"M": "mass_matrix", "C": "coriolis_matrix", "g": "gravity", "b": "dissipation"}
        return [_equal(sympy.Symbol(k), getattr(form, name)) for k, name in parts.items()]
    if what == "christoffel":
        found = _nonzero(form)
        return [_equal(sympy.Symbol("Gamma_" + "".join(map(str, k))), x) for k, x in found.items()]
    taus = [sympy.Symbol(f"tau{i + 1}") for i in range(len(form.coordinates))]
    return [_equal(tau, x) for tau, x in zip(taus, form.equations, strict=True)]


def _equal(left: Any, right: Any) -> sympy.Eq:
    return sympy.Eq(left, right, evaluate=False)


def _nonzero(form: Any) -> dict[tuple[int, int, int], Any]:
    gamma, n = form.christoffel, len(form.coordinates)
    return {
        (i + 1, j + 1, k + 1): gamma[i, j, k]
        for i in range(n)
        for j in range(n)
        for k in range(j, n)
        if gamma[i, j, k] != 0
    }


def _source(form: Any, what: str, write: Callable[..., str]) -> str:
    q, v, a = (list(x) for x in (form.coordinates, form.velocities, form.accelerations))
    arguments = {"q": q, "v": v, "a": a, "parameters": list(form.parameters)}
    if what == "standard":
        del arguments["a"]
        outputs = {"M": form.mass_matrix, "C": form.coriolis_matrix}
        outputs |= {"g": form.gravity, "b": form.dissipation}
    elif what == "christoffel":
        del arguments["a"], arguments["v"]
        outputs = {"gamma": form.christoffel}
    else:
        outputs = {"tau": form.equations}
    name = "".join(c if c.isalnum() else "_" for c in form.name)
    return write(f"{name}_{what}", arguments, outputs)
