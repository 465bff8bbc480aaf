"""Write docs/architecture.md: the rooms of the source, from the tables of contents of its folders.

python tools/architecture_page.py
"""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "visviva"
PAGE = ROOT / "docs" / "architecture.md"
ROOMS = "algebra notation space describe equations machine judge".split()

HEAD = """# Architecture

The source is a line of rooms. A room imports only rooms to its left, and a test holds it:

`errors, progress → algebra → notation → space → describe → equations → machine → judge → cli`

Files of a folder may use the folders in it, never the other way round, except files at its base
that use none of them. A folder has at most 14 files, a file at most 400 lines. Two tables say
what there is: [operations](machine-room.md) in `algebra/ops.py`, [quantities](quantities.md) in
`describe/quantities.py`. How to add to them is in `CONTRIBUTING.md`.

## Ways through the house

**A robot's joint forces, `vv.load("x.urdf").inverse_dynamics(q, v, a)`.** `describe/load` finds
the reader, `describe/files/urdf` makes a `describe/model`. The attribute is a row of
`describe/quantities`; `machine/systems` makes a `Request` of it, and of that a `Function`. The
first call looks for machine code in `machine/run/cache`; if there is none, `equations/dynamics`
runs once on expressions, `machine/program` orders what it recorded, `machine/code` writes LLVM
text, `machine/run` compiles it. The second call is machine code alone.

**Energies, `vv.Lagrangian(…).mass_matrix(q)`.** The same, from `describe/energies`. The inputs are
read off the formulas by `equations/lagrange/dependence`; only if there is no machine code on disk
does `equations/lagrange/terms` derive M, and `evaluation` choose the shortest form of it.

**A closed form, `arm.closed_form()`.** `judge/exact/systems` makes the `Forms` of the system: the
same recursions of `equations`, run on polynomials of `algebra/exact`. `judge/closed` writes them
by `notation/textbook` and `notation/writing`.

**A derivation, `arm.derivation()`.** `judge/derive` writes line after line; each is read back and
compared with what was computed.

**A verdict, `arm.check("tau2 = …")`.** `judge/check/said` reads the text by `notation/reading`
and finds what it is about; `judge/check/compare` brings claim and truth into one field and
decides; `judge/check/mistakes` looks for what explains a difference.

**A derivative, `f.jacobian("q", "v")`.** `machine/program/derivative`: by the row's own rule
where it has one, on the graph by `algebra/diff`, whichever takes fewer operations.

## Rooms
"""


def rows(folder: Path, depth: int = 0) -> str:
    """A folder's contents, and those of the folders in it, indented."""
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    text = (docstring or "").partition("\nExamples:")[0]
    lines = ""
    for name, what in re.findall(r"^(?: {4})?(\w+/?) {2,}(\S.*)$", text, re.MULTILINE):
        lines += f"{'    ' * depth}- `{name}` {what}\n"
        if name.endswith("/"):
            lines += rows(folder / name.rstrip("/"), depth + 1)
    return lines


def page() -> str:
    """The text of the page."""
    text = HEAD
    for room in ROOMS:
        docstring = ast.get_docstring(
            ast.parse((SOURCE / room / "__init__.py").read_text(encoding="utf-8"))
        )
        first = (docstring or "").splitlines()[0]
        text += f"\n### {room}\n\n{first}\n\n{rows(SOURCE / room)}"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
