r"""SymPy results as text: LaTeX, MathML, Markdown, and functions in Python and C.

Examples:
    >>> import sympy
    >>> m1, qdd1, q1, q2 = sympy.symbols("m1 qdd1 q1 q2")
    >>> latex(m1 * sympy.cos(q1 + q2) * qdd1)
    'm_{1} \\cos(q_{1} + q_{2}) \\ddot{q}_{1}'
    >>> latex(m1 * sympy.cos(q1 + q2) * qdd1, short=True)
    'm_{1} c_{12} \\ddot{q}_{1}'
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from visviva.algebra import write_latex, write_mathml
from visviva.algebra.write_layout import Layout
from visviva.algebra.write_lines import weight
from visviva.algebra.write_names import Names
from visviva.algebra.write_source import c_source, python_source

__all__ = ["Names", "c_source", "latex", "markdown", "mathml", "python_source", "width_of"]

WIDTH = 90  # characters of a line of a long sum


def latex(
    expr: Any,
    names: Names | Iterable[str] | None = None,
    short: bool = False,
    width: int = WIDTH,
) -> str:
    """LaTeX of an expression, equation or matrix; of a list of them, under each other.

    `names` are the coordinates, whose rates get dots; `short` writes c_{12} for cos(q1 + q2). In a
    list, sums longer than `width` characters are broken.
    """
    layout = Layout(Names.of(names), short)
    if isinstance(expr, (list, tuple)):
        return write_latex.lines([layout.of(x) for x in expr], width)
    return write_latex.tex(layout.of(expr))


def mathml(
    expr: Any,
    names: Names | Iterable[str] | None = None,
    short: bool = False,
    width: int = WIDTH,
    display: str = "block",
) -> str:
    """Presentation MathML, a `math` element; the options are those of `latex`."""
    layout = Layout(Names.of(names), short)
    if isinstance(expr, (list, tuple)):
        inside = write_mathml.lines([layout.of(x) for x in expr], width)
    else:
        inside = write_mathml.ml(layout.of(expr))
    start = f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="{display}">'
    return f"{start}{inside}</math>"


def markdown(
    *parts: Any,
    names: Names | Iterable[str] | None = None,
    short: bool = False,
    width: int = WIDTH,
) -> str:
    """Paragraphs: texts as they are, everything else as displayed formulas."""
    known = Names.of(names)
    made = [p if isinstance(p, str) else f"$$\n{latex(p, known, short, width)}\n$$" for p in parts]
    return "\n\n".join(made) + "\n"


def width_of(expr: Any, names: Names | Iterable[str] | None = None, short: bool = False) -> int:
    """About how many characters wide a reader sees it, to be compared with `WIDTH`."""
    return weight(Layout(Names.of(names), short).of(expr))
