"""Write docs/architecture.md: the rooms of the source, from the tables of contents of its folders.

python tools/architecture_page.py
"""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "visviva"
PAGE = ROOT / "docs" / "architecture.md"
ROOMS = "drawing algebra notation space describe equations machine judge solve motion show".split()

HEAD = """# Architecture

The source is a line of rooms. A room imports only rooms to its left, and a test holds it:

`errors, hints, peers, progress, drawing → algebra → notation → space → describe → equations →
machine → judge → solve → motion → show → cli`

Files of a folder may use the folders in it, never the other way round, except files at its base
that use none of them. A folder has at most 14 files, a file at most 400 lines. Two tables say
what there is: [operations](machine-room.md) in `algebra/ops.py`, [quantities](quantities.md) in
`describe/quantities.py`. How to add to them is in `CONTRIBUTING.md`.

## Ways through the house

**A robot's joint forces, `vv.load("x.urdf").inverse_dynamics(q, v, a)`.** `describe/load` finds
the reader. `describe/files/urdf` reads elements (`parts`), puts them into a tree (`tree`) and makes
a `describe/model`, which `consistency` checks. The attribute is a row of `describe/quantities`;
`machine/systems` makes a `Request` of it, and of that a `machine/function`. The first call looks
for machine code in `machine/run/cache`. If there is none, `equations/dynamics` runs once on
expressions (`equations/bodies/regroup`, `equations/bodies/newton_euler`, `equations/forces`),
`machine/program` orders what it recorded, `machine/code` writes LLVM text, `machine/run` compiles
it. Later calls are machine code alone: no Python runs.

**Energies, `vv.Lagrangian(…).mass_matrix(q)`.** `notation/reading` reads the texts into trees,
`describe/energies` makes SymPy expressions of them. The attribute derives nothing: its inputs are
read off the formulas by `equations/lagrange/dependence`, and where machine code is on disk no file
of derivatives is entered at all. Only else does `equations/lagrange` derive M, over exact
polynomials, SymPy or the graph, and take the shortest form.

**A closed form, `arm.closed_form()`.** `judge/exact/systems` is the one place that asks what kind
of system it is, and makes its `Forms`: the same recursions of `equations`, run on polynomials of
`algebra/exact`. `judge/closed` writes them by `notation/textbook` and `notation/writing`, for a
model and for a Lagrangian alike.

**A derivation, `arm.derivation()`.** `judge/derive/derivation` picks the method, which writes line
after line on a `judge/derive/page`: a value is shown in textbook form, read back from what is
shown, and compared with what was computed. Documents are made when they are asked for: neither
`judge/derive/documents` nor the writers of LaTeX and MathML are imported before.

**A verdict, `arm.check("tau2 = …")`.** Text to tree in `notation/reading`: `marks`, `words` (names
by `scripts`), `lines`, `grammar` (`atoms`, `brackets`). `judge/check/said` finds what it is about
and in which names, `judge/exact` says what is true of that, `judge/check/compare` brings both into
one field and decides. A claim that holds runs 34 files of `judge` and `notation`; it was 35
when tables of quantities, readers and forms were many. Where it differs, `judge/check/mistakes`
looks for what explains it.

**A derivative, `f.jacobian("q", "v")`.** `machine/program/derivative`: by the rule that the row
names where it has one, on the graph by `algebra/diff`, whichever takes fewer operations.

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
