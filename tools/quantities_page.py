"""Write docs/quantities.md: every row of the table of quantities.

python tools/quantities_page.py
"""

from pathlib import Path

from visviva.describe.quantities import QUANTITIES, Quantity

PAGE = Path(__file__).parents[1] / "docs" / "quantities.md"
HEAD = """# Quantities

What a system can be asked, one row for each. A *function* is an attribute of a `Model` or a
`Lagrangian`: compiled on first use, with derivatives by `.jacobian`; those about a frame are
methods that take its name. An *exact* name is an attribute of `closed_form()`, a form that it
prints, and what a claim can be about; `check` knows it by its letters. Of energies, inputs may be
more: v and t, where the energies depend on them.

| function | of | inputs | exact | letters | what it is |
|---|---|---|---|---|---|
"""


def line(row: Quantity) -> str:
    """A row of the page."""
    kinds = [kind for kind, where in (("bodies", row.bodies), ("energies", row.energies)) if where]
    cells = [
        f"`{row.name}`" if row.name else "",
        ", ".join(kinds),
        ", ".join(row.inputs.split()),
        f"`{row.exact}`" if row.exact else "",
        ", ".join(f"`{letter}`" for letter in row.letters),
        row.doc.splitlines()[0],
    ]
    return f"| {' | '.join(cells)} |\n"


def page() -> str:
    """The text of the page."""
    return HEAD + "".join(map(line, QUANTITIES))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
