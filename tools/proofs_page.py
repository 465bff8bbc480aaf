"""Write docs/proofs.md: every proof as it prints, with formulas in MathML.

python tools/proofs_page.py            # rewrite the page
python tools/proofs_page.py --check    # fail if it is not up to date
"""

from __future__ import annotations

import sys
from pathlib import Path

import visviva as vv
from visviva.judge.derive.documents import mathml_equation
from visviva.judge.derive.steps import Step, Written
from visviva.notation.writing.webpage import prose
from visviva.notation.writing.write import md

PAGE = Path(__file__).parents[1] / "docs" / "proofs.md"

HEAD = """# Proofs, line by line

A proof is a general statement of mechanics with the way to it: a statement, short sentences,
formulas, and at the end the conditions under which it holds. It is made and checked as
[derivations](derivations.md) are, but for no mechanism in particular.

```python
import visviva as vv

print(vv.proof.names())
steiner = vv.proof("parallel-axes")
print(steiner.statement)
print(steiner.conditions)
print(steiner["ᴬI_xy"])  # a line's value, in moments of the body: mxy is ∫ x y dm
page = steiner.html()  # latex(), markdown() and notebook() too, as derivations have them
```

On the command line it is `visviva derive --proof parallel-axes`, with `--to html` and the like.

**How a line is checked.** Formulas have no value of their own. What stands on the page is read
again: letters by what they were defined as, products, derivatives, integrals and sums over indices
by what they mean. That gives a polynomial in the symbols of the proof, in sines and cosines, or a
matrix of polynomials, and the two sides of a line have to be the same one. If they are not, the
proof is not written. Of an integral over a body only one thing is known, that it is linear:
∫ xⁱ yʲ zᵏ dm is a symbol for each i, j, k, so that what is proved holds for every distribution of
mass. Slopes of the unknown functions M(q) are symbols in the same way. The tests alter every line,
its signs, factors, numbers and terms; each time the proof fails.

```python
for sequence in ("ZXZ", "ZYX", "XYZ"):  # capitals: about moved axes, as in vv.space
    print(sequence, vv.proof("euler-rates", convention=sequence)["det(B)"])
```

```text
ZXZ -sin(q2)
ZYX -cos(q2)
XYZ cos(q2)
```

This page is written by `tools/proofs_page.py`.
"""


def page() -> str:
    """The whole page."""
    return (
        "\n\n".join([HEAD.rstrip(), *(written(vv.proof(name)) for name in vv.proof.names())]) + "\n"
    )


def written(proof: Written) -> str:
    """One proof."""
    parts = [f"## {md(proof.title)}", f'`vv.proof("{proof.name}")`']
    for s in proof.steps:
        parts += [f"**{md(s.chapter)}**"] if s.chapter else []
        parts += [f"### {md(s.title)}", prose(s.sentence), *lines(s)]
    return "\n\n".join([*parts, f"*{proof.summary}*"])


def lines(s: Step) -> list[str]:
    """Its formulas, and what was checked."""
    shown = [f"<div>{mathml_equation(e)}</div>" for e in s.equations]
    return [*shown, *(f"*Checked: {md(c)}.*" for c in s.checks)]


def main(arguments: list[str]) -> int:
    """Write the page, or say whether it is up to date."""
    text = page()
    if "--check" in arguments:
        current = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        if current != text:
            print("docs/proofs.md is not up to date: run python tools/proofs_page.py")
        return int(current != text)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
