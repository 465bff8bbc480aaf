"""The equations of an arm, derived twice as in a textbook, every line checked; and pages to keep.

Craig's exercise 6.5 by the recursion of Newton and Euler, and by Lagrange: the torques are the
same, term by term. The recursion also becomes a web page, a LaTeX document and a notebook.

    python examples/11_derivation.py            # writes craig_6_5.html, .tex and .ipynb here
"""

import json
from pathlib import Path

import visviva as vv
from visviva.judge.crosscheck import crosscheck
from visviva.judge.derivation import derivation


def main():
    arm = vv.catalog.craig_6_5()
    recursion = derivation(arm, "newton-euler")
    energies = derivation(arm, "lagrange")

    for name in ("²ω₂", "²ω̇₂", "²v̇_C2", "²F₂", "²n₂", "¹n₁"):
        line = next(e for e in recursion.equations if e.name == name)
        print(line, "\n")
    for k in "₁₂":
        line = next(e for e in energies.equations if e.name == f"τ{k}")
        print(line, "\n")
        assert recursion[f"τ{k}"] == energies[f"τ{k}"]
    print(recursion.summary)

    Path("craig_6_5.html").write_text(recursion.html(), encoding="utf-8")
    Path("craig_6_5.tex").write_text(recursion.latex(), encoding="utf-8")
    Path("craig_6_5.ipynb").write_text(json.dumps(recursion.notebook()), encoding="utf-8")
    print("written: craig_6_5.html, craig_6_5.tex, craig_6_5.ipynb\n")

    table = crosscheck(arm)
    print(table)
    assert table.proved


if __name__ == "__main__":
    main()
