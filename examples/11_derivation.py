"""The equations of an arm, derived twice as in a textbook, every line checked; and pages to keep.

Craig's exercise 6.5 by the recursion of Newton and Euler, and by Lagrange: the torques are the
same, term by term. The recursion also becomes a web page, a LaTeX document and a notebook.

    python examples/11_derivation.py     # writes craig_6_5.html, .tex and .ipynb into study/
"""

import argparse
import json
from pathlib import Path

import visviva as vv


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("study"), help="folder for the pages")
    out = parser.parse_args().out

    arm = vv.catalog.craig_6_5()
    print("deriving by Newton and Euler, and by Lagrange\n", flush=True)
    recursion = arm.derivation("newton-euler")
    energies = arm.derivation("lagrange")

    for name in ("²ω₂", "²ω̇₂", "²v̇_C2", "²F₂", "²n₂", "¹n₁"):
        line = next(e for e in recursion.equations if e.name == name)
        print(line, "\n")
    for k in "₁₂":
        line = next(e for e in energies.equations if e.name == f"τ{k}")
        print(line, "\n")
        assert recursion[f"τ{k}"] == energies[f"τ{k}"]
    print(recursion.summary)

    out.mkdir(parents=True, exist_ok=True)
    pages = {"html": recursion.html(), "tex": recursion.latex()}
    pages["ipynb"] = json.dumps(recursion.notebook())
    for kind, text in pages.items():
        (out / f"craig_6_5.{kind}").write_text(text, encoding="utf-8")
    print(f"look at {out / 'craig_6_5.html'}, and .tex and .ipynb beside it\n")

    print("comparing four roads to the same equations", flush=True)
    table = arm.crosscheck()
    print(table)
    assert table.proved


if __name__ == "__main__":
    main()
