"""Derivations as documents: Markdown, LaTeX, HTML with MathML, notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from visviva.judge.derivation_marks import latex, mathml
from visviva.judge.derivation_width import equation_rows, width

if TYPE_CHECKING:
    from visviva.judge.steps import Derivation, Equation, Step

SHORT = 22.0  # width of an equation that shares its line with others

METHODS = {
    "lagrange": "The equations of Lagrange",
    "newton-euler": "The recursion of Newton and Euler",
    "d-alembert": "D'Alembert's principle",
    "virtual-work": "Virtual work",
}

STYLE = """
:root { color-scheme: light dark; --ink: #1d1d1f; --soft: #6b6b70; --line: #d9d9de; --paper: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8ea; --soft: #a0a0a8; --line: #3a3a40; --paper: #161618; } }
body { margin: 0; background: var(--paper); }
.derivation { max-width: 54rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; color: var(--ink);
  font: 1.05rem/1.55 Charter, "Bitstream Charter", "Source Serif 4", Cambria, Georgia, serif; }
.derivation h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 1.2rem; }
.derivation h2 { font-size: 1.3rem; margin: 2.6rem 0 .4rem; padding-top: 1rem;
  border-top: 1px solid var(--line); }
.derivation h3 { font-size: 1.05rem; margin: 1.7rem 0 .2rem; }
.derivation p { margin: .2rem 0 .5rem; }
.derivation .line { overflow-x: auto; overflow-y: hidden; padding: .15rem 0 .15rem 1.5rem; }
.derivation .short { display: inline-block; vertical-align: middle; }
.derivation math { font-size: 1rem; font-family: "Latin Modern Math", "STIX Two Math",
  "Cambria Math", "TeX Gyre Termes Math", "DejaVu Math TeX Gyre", math; }
.derivation mover > mo:last-child { padding-bottom: .13em; }
.derivation mtd { padding: .2em .4em; }
.derivation .bracket { display: none; }
.derivation .matrix { border-left: 1.2px solid; border-right: 1.2px solid; margin: .15em .2em;
  background: linear-gradient(currentColor, currentColor) left top / .3em 1.2px no-repeat,
    linear-gradient(currentColor, currentColor) left bottom / .3em 1.2px no-repeat,
    linear-gradient(currentColor, currentColor) right top / .3em 1.2px no-repeat,
    linear-gradient(currentColor, currentColor) right bottom / .3em 1.2px no-repeat; }
.derivation .rows > mtr > mtd { padding: .28em .1em; }
.derivation .rows > mtr > mtd:first-child { text-align: right; }
.derivation .rows > mtr > mtd:last-child { text-align: left; }
.derivation .check { color: var(--soft); font-size: .86rem; margin: .3rem 0 0 1.5rem;
  font-family: system-ui, sans-serif; }
.derivation .check::before { content: "✓ "; }
.derivation footer { margin-top: 3rem; color: var(--soft); font-size: .9rem; }
@media print { .derivation { max-width: none; } .derivation .line { overflow: visible; } }
"""


# ---- LaTeX and Markdown


def latex_equation(e: Equation) -> str:
    """For display mode; long ones in aligned rows."""
    rows = equation_rows(e.left, e.members)
    if len(rows) == 1:
        return f"{latex(e.left)} = {latex(rows[0][2])}"
    made = []
    for a, equal, b in rows:
        sign = "&= " if equal else r"&\quad "
        made.append(f"{'' if a is None else latex(a)} {sign}{latex(b)}")
    return "\\begin{aligned}\n" + " \\\\\n".join(made) + "\n\\end{aligned}"


def markdown(d: Derivation) -> str:
    """The whole text."""
    return (
        "\n\n".join([f"# {d.title}", *(_step_markdown(s) for s in d.steps), f"*{d.summary}*"])
        + "\n"
    )


def _step_markdown(s: Step) -> str:
    parts = [f"## {s.chapter}"] if s.chapter else []
    parts += [f"### {s.title}", s.sentence]
    parts += [f"$$\n{latex_equation(e)}\n$$" for e in s.equations]
    parts += [f"*Checked: {c}*" for c in s.checks]
    return "\n\n".join(parts)


def latex_document(d: Derivation) -> str:
    """It compiles as it is."""
    head = [r"\documentclass[11pt]{article}", r"\usepackage[a4paper,margin=22mm]{geometry}"]
    head += [r"\usepackage{amsmath,amssymb}", r"\setlength{\parindent}{0pt}"]
    head += [rf"\title{{{_tex(d.title)}}}", r"\date{}", r"\begin{document}", r"\maketitle"]
    return "\n".join([*head, latex_body(d), r"\end{document}", ""])


def latex_body(d: Derivation) -> str:
    """Sections and equations."""
    made = []
    for s in d.steps:
        if s.chapter:
            made.append(rf"\section*{{{_tex(s.chapter)}}}")
        made += [rf"\subsection*{{{_tex(s.title)}}}", _tex(s.sentence)]
        made += [f"\\[\n{latex_equation(e)}\n\\]" for e in s.equations]
        made += [rf"{{\small\emph{{Checked: {_tex(c)}}}}}" + "\n" for c in s.checks]
    return "\n".join([*made, rf"\medskip\emph{{{_tex(d.summary)}}}"])


TEX = {"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "·": r"$\cdot$", "δ": r"$\delta$"}
TEX |= {"ω": r"$\omega$", "τ": r"$\tau$", "∂": r"$\partial$", "½": r"$\frac12$", "–": "--"}
TEX |= {"ᵀ": r"$^{\mathsf T}$", "×": r"$\times$", "−": "$-$", "Σ": r"$\Sigma$", "θ": r"$\theta$"}
TEX |= {"q̇": r"$\dot q$", "q̈": r"$\ddot q$", "ω̇": r"$\dot\omega$", "Γ": r"$\Gamma$"}
TEX |= {"ṙ": r"$\dot r$", "Ṁ": r"$\dot M$", "v̇": r"$\dot v$", "Ṙ": r"$\dot R$", "φ": r"$\varphi$"}


def _tex(sentence: str) -> str:
    """A sentence in text mode."""
    for mark in sorted(TEX, key=len, reverse=True):
        sentence = sentence.replace(mark, TEX[mark])
    return sentence


# ---- HTML


def mathml_equation(e: Equation) -> str:
    """One <math>, its rows aligned at the sign of equality."""
    rows = ""
    for a, equal, b in equation_rows(e.left, e.members):
        left, sign = "" if a is None else mathml(a), "<mo>=</mo>" if equal else ""
        right = mathml(b) if equal else f'<mrow><mspace width="1em"></mspace>{mathml(b)}</mrow>'
        rows += (
            f'<mtr><mtd style="text-align: right">{left}</mtd><mtd>{sign}</mtd>'
            f'<mtd style="text-align: left">{right}</mtd></mtr>'
        )
    space = 'xmlns="http://www.w3.org/1998/Math/MathML"'
    return f'<math {space}><mtable class="rows" displaystyle="true">{rows}</mtable></math>'


def html_body(d: Derivation) -> str:
    """To stand in a page; it brings its style along."""
    made = [
        f"<style>{STYLE}</style>",
        '<article class="derivation">',
        f"<h1>{escape(d.title)}</h1>",
    ]
    for s in d.steps:
        if s.chapter:
            made.append(f"<h2>{escape(s.chapter)}</h2>")
        made += [f"<h3>{escape(s.title)}</h3>", f"<p>{escape(s.sentence)}</p>"]
        made += [_html_line(e) for e in s.equations]
        made += [f'<p class="check">{escape(c)}</p>' for c in s.checks]
    return "\n".join([*made, f"<footer>{escape(d.summary)}</footer>", "</article>"])


def _html_line(e: Equation) -> str:
    """Short ones stand beside each other."""
    short = width(e.left) + sum(width(m) + 3 for m in e.members) < SHORT
    return f'<div class="line{" short" if short else ""}">{mathml_equation(e)}</div>'


def html_page(d: Derivation) -> str:
    """The whole page."""
    head = f'<meta charset="utf-8"/><title>{escape(d.title)}</title>'
    view = '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{head}{view}</head>\n'
        f"<body>\n{html_body(d)}\n</body></html>\n"
    )


# ---- notebooks


def notebook(d: Derivation) -> dict[str, Any]:
    """In version 4.5 of the format."""
    texts = [f"# {d.title}", *(_step_markdown(s) for s in d.steps), f"*{d.summary}*"]
    cells = [
        {
            "cell_type": "markdown",
            "id": f"step-{k}",
            "metadata": {},
            "source": text.splitlines(keepends=True),
        }
        for k, text in enumerate(texts)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
