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

import re
from collections.abc import Iterable
from typing import Any

from visviva.notation.names import Names, printable
from visviva.notation.writing import latex as write_latex
from visviva.notation.writing import mathml as write_mathml
from visviva.notation.writing import width as write_width
from visviva.notation.writing.arrange import arranger
from visviva.notation.writing.source import c_source, python_source

__all__ = [
    "Names",
    "c_source",
    "latex",
    "markdown",
    "mathml",
    "md",
    "python_source",
    "width_of",
]

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
    page = arranger(expr, names, short)
    if isinstance(expr, (list, tuple)):
        return write_latex.aligned([page.of(x) for x in expr], width)
    return write_latex.tex(page.of(expr))


def mathml(
    expr: Any,
    names: Names | Iterable[str] | None = None,
    short: bool = False,
    width: int = WIDTH,
    display: str = "block",
) -> str:
    """Presentation MathML, a `math` element; the options are those of `latex`."""
    page = arranger(expr, names, short)
    if isinstance(expr, (list, tuple)):
        inside = write_mathml.aligned([page.of(x) for x in expr], width)
    else:
        inside = write_mathml.ml(page.of(expr))
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
    paragraphs = [
        p if isinstance(p, str) else f"$$\n{latex(p, known, short, width)}\n$$" for p in parts
    ]
    return "\n\n".join(paragraphs) + "\n"


def md(text: str) -> str:
    """Words for Markdown: nothing of them is markup, HTML or a formula.

    Examples:
        >>> md("a_b <script>")
        'a_b &#60;script&#62;'
    """
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", printable(text))


# as entities, which every dialect reads alike; an underscore inside a word is none of it
_MARKUP = re.compile(r"[\\`*\[\]<>&$|~]|(?<!\w)_|_(?!\w)")


def width_of(expr: Any, names: Names | Iterable[str] | None = None, short: bool = False) -> int:
    """About how many characters wide a reader sees it, to be compared with `WIDTH`."""
    return int(write_width.width(arranger(expr, names, short).of(expr)))
