"""Write docs/architecture.md: the rooms of the source, counted, and their tables of contents.

python tools/architecture_page.py    # `tools/house.py` counts, and has more to say of it
"""

import ast
import re
import sys
from datetime import date
from pathlib import Path
from textwrap import fill

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT))  # a script has its own folder there, not this one
from tools.house import LINE, counts, house, markdown  # noqa: E402

SOURCE = ROOT / "src" / "visviva"
PAGE = ROOT / "docs" / "architecture.md"
FOLDERS = [room for room in LINE if (SOURCE / room).is_dir()]
ROOMS = [room for room in FOLDERS if room != "cli"]  # commands are listed where they are used
FIRST = LINE.index("algebra")
PLAN = fill(
    f"`{', '.join(LINE[:FIRST])} → {' → '.join(x for x in LINE[FIRST:] if x != '__main__')}`",
    width=99,
    break_on_hyphens=False,
)
TABLE = re.compile(r"Counted on .*?\n\n(?=## Rooms)", re.DOTALL)

HEAD = f"""# Architecture

The source is a line of rooms. A room imports only rooms to its left, and a test holds it:

{PLAN}

A few files, the doorways, also use rooms to their right, but only by imports inside of functions:
`describe/system`, where everything that can be asked of a mechanism is a method with one import in
it; `describe/model/model` and `describe/energies/lagrangian`, which have what only their kind has;
`motion/trajectory` and `drawing/displayed`, which draw. Files of a folder may use the folders in
it, never the other way round, except files at its base that use none of them. A file holds one
idea, however long that is.
Two tables say what there is: [operations](machine-room.md) in `algebra/ops.py`,
[quantities](quantities.md) in `describe/quantities.py`. How to add to them is in `CONTRIBUTING.md`.

## Ways through the house

**A robot's joint forces, `vv.load("x.urdf").inverse_dynamics(q, v, a)`.** `describe/load` finds
the reader. `describe/files/urdf` reads elements (`parts`), puts them into a tree (`tree`) and makes
a `describe/model`, which `consistency` checks. `inverse_dynamics` is a row of the table
`describe/quantities`, and a method that `tools/quantities_code.py` has written from it into
`describe/system`; `machine/systems` makes a `Request` of it, and of that a `machine/function`. The
first call looks for machine code in `machine/run/cache`. If there is none, `equations/dynamics`
runs once on expressions (`equations/bodies/regroup`, `equations/bodies/newton_euler`,
`equations/forces`), `machine/program` orders what it recorded, `machine/code` writes LLVM text,
`machine/run` compiles it. Later calls are machine code alone: no Python runs.

**Where a method is, `arm.dead_points()`.** One search, `def dead_points`, finds it: in
`describe/system` if every kind of system has it, in `describe/model/model` if bodies alone do. The
one import in its body names the file that does it, `solve/planar/dead`.

**A name of another library, `arm.rnea`.** The names are data, `foreign_names.toml`: one line of
ours, then all names that mean it. Python asks `__getattr__` of `System` in `describe/system` for
an attribute that is not there. It raises an error whose message `missing_attribute` of `foreign`
writes, and only when somebody reads it: the file is not read before. `hints` fills names of the
model into the line. Other classes take part by `@explained`, which gives them such a `__getattr__`,
and answers misspelled keywords of functions and attributes that are set.

**Energies, `vv.Lagrangian(…).mass_matrix(q)`.** `notation/reading` reads the texts into trees,
`describe/energies` makes SymPy expressions of them. The method derives nothing: its inputs are
read off the formulas by `equations/lagrange/dependence`, and where machine code is on disk no file
of derivatives is entered at all. If none is there, `equations/lagrange` derives M over exact
polynomials, SymPy or the graph, and takes the shortest form.

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
one field and decides. Where it differs, `judge/check/mistakes` looks for what explains it.

**Positions of rest, `arm.equilibria()`.** `motion/stability/rest` states the forces as a function
of the coordinates. `numerics/intervals` encloses their compiled program on boxes, with what is
certain of it there (defined, continuous, smooth); `numerics/zeros` searches all boxes and proves
zeros in them; `numerics/newton` finds the others. What is known comes as `numerics/evidence`:
proved, enclosed, sampled or undecided, which `motion/stability/words` puts into sentences.

**A derivative, `f.jacobian("q", "v")`.** `machine/program/derivative`: by the rule that the row
names where it has one, on the graph by `algebra/diff`, whichever takes fewer operations.

## By room

What makes source hard to read, counted by `python tools/house.py`; `--list` shows where it is. The
numbers are looked at, not obeyed, but for three that may not grow (`tests/project/house.toml`):
functions of complexity above 20, texts of messages that are compared, names that say little.

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


def table_of_rooms(day: date) -> str:
    """The table by room, of this source."""
    return f"Counted on {day:%d %B %Y}.\n\n{markdown(counts(house()))}\n"


def page(table: str) -> str:
    """The text of the page, with a table by room in it."""
    text = f"{HEAD}{table}## Rooms\n"
    for room in ROOMS:
        docstring = ast.get_docstring(
            ast.parse((SOURCE / room / "__init__.py").read_text(encoding="utf-8"))
        )
        first = (docstring or "").splitlines()[0]
        text += f"\n### {room}\n\n{first}\n\n{rows(SOURCE / room)}"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(table_of_rooms(date.today())), encoding="utf-8")
