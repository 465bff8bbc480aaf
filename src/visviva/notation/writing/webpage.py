"""How formulas in MathML look in a page; one style for all pages that have them."""

from __future__ import annotations

from html import escape

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
