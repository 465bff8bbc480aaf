"""Errors that were asked for and those that motions have, printed as a table for docs/accuracy.md.

Motions whose truth is known, by closed forms and Taylor series: those of `tests/motion/known`.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.motion.known import KNOWN, error

TOLERANCES = (1e-6, 1e-8, 1e-10, 1e-12)
PAGE = Path(__file__).parents[1] / "docs" / "accuracy.md"
BEGIN, END = "<!-- errors of motions -->", "<!-- end -->"


def table() -> str:
    """Rows of Markdown: one for each motion."""
    head = "| error at the end, with rtol = | " + " | ".join(f"{x:.0e}" for x in TOLERANCES)
    rows = [head + " |", "|---" * (len(TOLERANCES) + 1) + "|"]
    for name in KNOWN:
        errors = (error(name, rtol) for rtol in TOLERANCES)
        rows.append(f"| {name} | " + " | ".join(f"{x:.0e}" for x in errors) + " |")
    return "\n".join(rows)


def main() -> None:
    """Write the table into the page."""
    text = PAGE.read_text()
    first, last = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text(f"{text[:first]}\n\n{table()}\n\n{text[last:]}")


if __name__ == "__main__":
    main()
