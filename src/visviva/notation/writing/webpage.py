"""How formulas in MathML look in a page; one style for all pages that have them."""

from __future__ import annotations

import re
import unicodedata
from html import escape

from visviva.notation.writing.sentence import LONE_SYMBOL

# Fonts that have stretched brackets come first by name: not every browser finds one by itself.
# Accents get some room, without which they touch what they stand on; exponents stand as high as
# without accents. Matrices have their brackets
# drawn, so that they are right without such a font too.
FORMULAS = """
.formulas math { font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math",
  "TeX Gyre Termes Math", "DejaVu Math TeX Gyre", math; }
.formulas mover > mo:last-child { padding-bottom: .18em; }
.formulas msup > mover:first-child, .formulas msubsup > mover:first-child,
.formulas mmultiscripts > mover:first-child { margin-top: -.32em; }
.formulas p sub, .formulas p sup { font-size: .72em; line-height: 0; }
.formulas mtd { padding: .2em .4em; }
.formulas .bracket { display: none; }
.formulas .matrix { margin: .15em .2em; border: 1.2px solid; border-image: linear-gradient(90deg,
  currentColor .3em, transparent .3em calc(100% - .3em), currentColor calc(100% - .3em)) 1; }
.formulas .rows > mtr > mtd { padding: .28em .1em; }
.formulas .line { overflow-x: auto; overflow-y: hidden; padding: .15rem 0; }
@media print { .formulas .line { overflow: visible; } }
"""

PAPER = """
:root { color-scheme: light dark; }
body { margin: 0; color: #1d1d1f; background: #fff; }
@media (prefers-color-scheme: dark) { body { color: #e8e8ea; background: #161618; } }
.formulas { max-width: 57rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; }
.formulas, .formulas h1, .formulas h2, .formulas h3 {
  font-family: Charter, "Bitstream Charter", "Source Serif 4", Cambria, Georgia, serif,
    "DejaVu Serif"; }
@media print { .formulas { max-width: none; } }
"""


_RAISED = {"ᵀ": "T", "⁻¹": "−1", "²": "2", "³": "3"}
_DOTS = {"\u0307": "˙", "\u0308": "¨"}
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_SYMBOL = re.compile(LONE_SYMBOL)


def prose(text: str) -> str:
    """A sentence whose symbols are set as formulas are.

    Examples:
        >>> prose("A row of P_u, M⁻¹ & q")
        'A row of <i>P</i><sub>u</sub>, <i>M</i><sup>−1</sup> &amp; <i>q</i>'
        >>> prose("x_C² in frame a, 2C")
        '<i>x</i><sub>C</sub><sup>2</sup> in frame <i>a</i>, 2<i>C</i>'
        >>> prose("5\u00a0m")
        '5\xa0m'
    """
    marked = _SYMBOL.sub(_symbol, escape(unicodedata.normalize("NFD", text), quote=False))
    return unicodedata.normalize("NFC", marked.replace(")⁻¹", ")<sup>−1</sup>"))


def _symbol(match: re.Match[str]) -> str:
    letter, dots, low, high = match["letter"], match["dots"], match["low"], match["high"]
    if dots:
        letter = (
            '<math xmlns="http://www.w3.org/1998/Math/MathML"><mover accent="true">'
            f"<mi>{letter}</mi><mo>{_DOTS[dots]}</mo></mover></math>"
        )
    else:
        letter = f"<i>{letter}</i>"
    low = low.removeprefix("_").translate(_LOWERED)
    high = _RAISED.get(high, "")
    return letter + (f"<sub>{low}</sub>" if low else "") + (f"<sup>{high}</sup>" if high else "")


def page(title: str, body: str) -> str:
    """A page of its own, which loads nothing; it is XML too."""
    head = f'<meta charset="utf-8"/><title>{escape(title)}</title>'
    view = '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{head}{view}<style>{PAPER}</style></head>\n'
        f"<body>\n{body}\n</body></html>\n"
    )


def article(kind: str, title: str, style: str, parts: list[str]) -> str:
    """To stand in a page or a notebook: its style is for what is in it and nothing else."""
    head = [f"<style>{FORMULAS}{style}</style>", f'<article class="formulas {kind}">']
    return "\n".join([*head, f"<h1>{escape(title)}</h1>", *parts, "</article>"])
