"""Derivations as documents: Markdown, LaTeX, HTML with MathML, notebooks."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

from visviva.notation.writing.latex import tex as latex
from visviva.notation.writing.mathml import ml as mathml
from visviva.notation.writing.sentence import sentence
from visviva.notation.writing.webpage import article, page, prose
from visviva.notation.writing.width import equation_rows, width
from visviva.notation.writing.write import md

if TYPE_CHECKING:
    from visviva.judge.derive.steps import Equation, Step, Written

SHORT = 22.0  # width of an equation that shares its line with others

_STYLE = """
.derivation { line-height: 1.55; }
.derivation h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 1.2rem; }
.derivation h2 { font-size: 1.3rem; margin: 2.6rem 0 .4rem; padding-top: 1rem;
  border-top: 1px solid rgba(128, 128, 136, .35); }
.derivation h3 { font-size: 1.05rem; margin: 1.7rem 0 .2rem; }
.derivation p { font-size: 1.05rem; margin: .2rem 0 .5rem; }
.derivation .line { padding-left: 1.5rem; }
.derivation .short { display: inline-block; vertical-align: middle; }
.derivation math { font-size: 1rem; }
.derivation .check { opacity: .65; font-size: .86rem; margin: .3rem 0 0 1.5rem;
  font-family: system-ui, sans-serif; }
.derivation .check::before { content: "✓ "; }
.derivation footer { margin-top: 3rem; opacity: .65; font-size: .9rem; }
"""


# ---- LaTeX and Markdown


def latex_equation(e: Equation) -> str:
    """For display mode; long ones in aligned rows."""
    rows = equation_rows(e.left, e.members)
    if len(rows) == 1:
        return f"{latex(e.left)} = {latex(rows[0][2])}"
    lines = []
    for a, equal, b in rows:
        sign = "&= " if equal else r"&\quad {} "  # an empty group: the sign is one between terms
        lines.append(f"{'' if a is None else latex(a)} {sign}{latex(b)}")
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"


def markdown(d: Written) -> str:
    """The whole text."""
    return (
        "\n\n".join([f"# {md(d.title)}", *(_step_markdown(s) for s in d.steps), f"*{d.summary}*"])
        + "\n"
    )


def _step_markdown(s: Step) -> str:
    parts = [f"## {md(s.chapter)}"] if s.chapter else []
    parts += [f"### {md(s.title)}", md(s.sentence)]
    parts += [f"$$\n{latex_equation(e)}\n$$" for e in s.equations]
    parts += [f"*Checked: {md(c)}*" for c in s.checks]
    return "\n\n".join(parts)


def latex_document(d: Written) -> str:
    """It compiles as it is."""
    head = [r"\documentclass[11pt]{article}", r"\usepackage[a4paper,margin=22mm]{geometry}"]
    head += [r"\usepackage{amsmath,amssymb}", r"\setlength{\parindent}{0pt}"]
    head += [rf"\title{{{sentence(d.title)}}}", r"\date{}", r"\begin{document}", r"\maketitle"]
    return "\n".join([*head, latex_body(d), r"\end{document}", ""])


def latex_body(d: Written) -> str:
    """Sections and equations."""
    lines = []
    for s in d.steps:
        if s.chapter:
            lines.append(rf"\section*{{{sentence(s.chapter)}}}")
        lines += [rf"\subsection*{{{sentence(s.title)}}}", sentence(s.sentence)]
        lines += [f"\\[\n{latex_equation(e)}\n\\]" for e in s.equations]
        lines += [rf"{{\small\emph{{Checked: {sentence(c)}}}}}" + "\n" for c in s.checks]
    return "\n".join([*lines, rf"\medskip\emph{{{sentence(d.summary)}}}"])


# ---- HTML


def mathml_equation(e: Equation) -> str:
    """One <math>, its rows aligned at the sign of equality."""
    rows = ""
    for a, equal, b in equation_rows(e.left, e.members):
        left, sign = "" if a is None else mathml(a), "<mo>=</mo>" if equal else ""
        right = mathml(b)
        if not equal:  # it begins with a sign between two terms
            right = re.sub("^((?:<mrow>)+)<mo>", r'\1<mo form="infix">', right)
            right = f'<mrow><mspace width="1em"></mspace>{right}</mrow>'
        rows += (
            f'<mtr><mtd style="text-align: right">{left}</mtd><mtd>{sign}</mtd>'
            f'<mtd style="text-align: left">{right}</mtd></mtr>'
        )
    space = 'xmlns="http://www.w3.org/1998/Math/MathML"'
    return f'<math {space}><mtable class="rows" displaystyle="true">{rows}</mtable></math>'


def html_article(d: Written) -> str:
    """To stand in a page or a notebook; it brings its style along."""
    parts = []
    for s in d.steps:
        if s.chapter:
            parts.append(f"<h2>{escape(s.chapter)}</h2>")
        parts += [f"<h3>{escape(s.title)}</h3>", f"<p>{prose(s.sentence)}</p>"]
        parts += [_html_line(e) for e in s.equations]
        parts += [f'<p class="check">{prose(c)}</p>' for c in s.checks]
    parts.append(f"<footer>{escape(d.summary)}</footer>")
    return article("derivation", d.title, _STYLE, parts)


def _html_line(e: Equation) -> str:
    """Short ones stand beside each other."""
    short = width(e.left) + sum(width(m) + 3 for m in e.members) < SHORT
    return f'<div class="line{" short" if short else ""}">{mathml_equation(e)}</div>'


def html_page(d: Written) -> str:
    """The whole page."""
    return page(d.title, html_article(d))


# ---- notebooks


def notebook(d: Written) -> dict[str, Any]:
    """In version 4.5 of the format."""
    texts = [f"# {md(d.title)}", *(_step_markdown(s) for s in d.steps), f"*{d.summary}*"]
    cells = [
        {
            "cell_type": "markdown",
            "id": f"step-{k}",
            "metadata": {},
            "source": text.splitlines(keepends=True),
        }
        for k, text in enumerate(texts)
    ]
    if code := getattr(d, "code", ""):
        cell: dict[str, Any] = {"cell_type": "code", "id": "code", "metadata": {}}
        cell |= {"execution_count": None, "outputs": []}
        cells.append({**cell, "source": code.splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
