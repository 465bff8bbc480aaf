"""Boxes as LaTeX and as MathML."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from visviva.notation.names import Parts
from visviva.notation.writing import latex as write_latex
from visviva.notation.writing import mathml as write_mathml
from visviva.notation.writing.boxes import (
    HALF,
    Fence,
    Fraction,
    Grid,
    Leaf,
    Lines,
    Mark,
    Row,
    Sign,
    Square,
    Sum,
)

MARKS = {"×": r"\times ", "·": r"\cdot ", "∂": r"\partial ", "∑": r"\sum ", "−": "-"}
EMPTY = "<mrow></mrow>"


# ---- LaTeX


def latex(box: Any) -> str:
    """For mathematics mode."""
    match box:
        case Sign():
            return _latex_sign(box)
        case Leaf(layout):
            return r"\tfrac{1}{2}" if box == HALF else write_latex.tex(layout)
        case Mark(text):
            return MARKS.get(text, text)
        case Row(parts):
            return " ".join(_latex_part(parts, k) for k in range(len(parts)))
        case Sum(terms):
            return "".join(_latex_term(k, *term) for k, term in enumerate(terms))
        case Fraction(over, under):
            return rf"\frac{{{latex(over)}}}{{{latex(under)}}}"
        case Square(base):
            return f"{latex(base)}^{{2}}"
        case Fence(inner):
            return rf"\left({latex(inner)}\right)"
        case Grid(rows):
            body = r" \\ ".join(" & ".join(latex(e) for e in line) for line in rows)
            return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"
        case Lines(rows):
            body = r" \\ ".join(f"& {latex(line)}" for line in rows)
            return rf"\begin{{aligned}} {body} \end{{aligned}}"
    raise TypeError(f"no box: {box!r}")


def _latex_part(parts: tuple[Any, ...], k: int) -> str:
    """A raised frame is kept apart from what stands before it, whose exponent it is not."""
    made = latex(parts[k])
    apart = k and made.startswith("{}^") and not isinstance(parts[k - 1], Mark)
    return rf"\, {made}" if apart else made


def _latex_term(place: int, sign: int, term: Any) -> str:
    mark = "-" if sign < 0 else "+"
    if place == 0:
        return ("-" if sign < 0 else "") + latex(term)
    return f" {mark} {latex(term)}"


def _latex_sign(s: Sign) -> str:
    made = write_latex.symbol(Parts(s.letter))
    for accent in ("hat" * s.hat, "vec" * s.arrow, ("", "dot", "ddot")[s.dots]):
        made = rf"\{accent}{{{made}}}" if accent else made
    made += f"_{{{_indexed(s.sub)}}}" if s.sub else ""
    if s.frame or s.base:
        low = f"_{{{s.base}}}" if s.base else ""
        made = f"{{}}^{{{_indexed(s.frame)}}}{low}{made}"
    return made


def _indexed(text: str) -> str:
    """C1 is C with subscript 1."""
    found = re.fullmatch(r"([A-Z])(\d+)", text)
    return f"{found[1]}_{{{found[2]}}}" if found else write_latex.subscript(text)


# ---- MathML


def mathml(box: Any) -> str:
    """One element, to stand inside <math>."""
    match box:
        case Sign():
            return _mathml_sign(box)
        case Leaf(layout):
            made = write_mathml.ml(layout)
            return f'<mstyle displaystyle="false">{made}</mstyle>' if box == HALF else made
        case Mark(text):
            tight = ' form="prefix" lspace="0" rspace="0"' if text in "∂d" else ""
            return f"<mo{tight}>{escape(text)}</mo>"
        case Row(parts):
            return write_mathml.row(*_spaced(parts))
        case Sum(terms):
            return write_mathml.row(*(_mathml_term(k, *term) for k, term in enumerate(terms)))
        case Fraction(over, under):
            return f"<mfrac>{mathml(over)}{mathml(under)}</mfrac>"
        case Square(base):
            return _mathml_sign(base, "<mn>2</mn>")
        case Fence(inner):
            sides = (write_mathml.fence(x) for x in "()")
            return write_mathml.row(mathml(inner).join(sides))
        case Grid(rows):
            return _mathml_grid(rows)
        case Lines(rows):
            cell = '<mtr><mtd style="text-align: left">{}</mtd></mtr>'
            body = "".join(cell.format(mathml(line)) for line in rows)
            return f'<mtable displaystyle="true">{body}</mtable>'
    raise TypeError(f"no box: {box!r}")


def _mathml_term(place: int, sign: int, term: Any) -> str:
    if place == 0 and sign > 0:
        return mathml(term)
    form = "prefix" if place == 0 else "infix"
    return f'<mo form="{form}">{"−" if sign < 0 else "+"}</mo>{mathml(term)}'


def _spaced(parts: tuple[Any, ...]) -> list[str]:
    made = []
    for k, p in enumerate(parts):
        if k and not isinstance(p, Mark) and not isinstance(parts[k - 1], Mark):
            made.append('<mspace width="0.2em"></mspace>')
        made.append(mathml(p))
    return made


def _mathml_sign(s: Sign, power: str = "") -> str:
    made = f"<mi>{escape(s.letter)}</mi>"
    for mark in ("ˆ" * s.hat, "→" * s.arrow, ("", "˙", "¨")[s.dots]):
        if mark:
            made = f'<mover accent="true">{made}<mo stretchy="false">{mark}</mo></mover>'
    sub, base, frame = (_script(x) for x in (s.sub, s.base, s.frame))
    if power:
        made = f"<msubsup>{made}{sub}{power}</msubsup>"
    elif s.sub:
        made = f"<msub>{made}{sub}</msub>"
    if s.frame or s.base:  # browsers leave a gap in mmultiscripts whose scripts have scripts
        return write_mathml.row(f"<msubsup>{EMPTY}{base}{frame}</msubsup>", made)
    return made


def _script(text: str) -> str:
    if not text:
        return EMPTY
    if found := re.fullmatch(r"([A-Z])(\d+)", text):
        return f"<msub><mi>{found[1]}</mi><mn>{found[2]}</mn></msub>"
    return f"<mn>{text}</mn>" if text.isdigit() else f"<mi>{escape(text)}</mi>"


def _mathml_grid(rows: tuple[tuple[Any, ...], ...]) -> str:
    body = "".join(
        "<mtr>" + "".join(f"<mtd>{mathml(e)}</mtd>" for e in line) + "</mtr>" for line in rows
    )
    left, right = (f'<mo class="bracket" fence="true">{x}</mo>' for x in "[]")
    return write_mathml.row(left, f'<mtable class="matrix">{body}</mtable>', right)
