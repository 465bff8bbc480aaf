"""What may have been meant where a typed energy cannot be read: products, rates, names, LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from visviva.notation.formula import CONSTANTS, FUNCTIONS

_PIECE = re.compile(
    r"""(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<name>[^\W\d]\w*)(?P<rate>\.dot\b|')?
      | (?P<space>\s+) | (?P<sign>\*\*|.)""",
    re.VERBOSE | re.DOTALL,
)
LONGEST = 400  # of a text that is shown as a whole


def hint(text: str, coordinates: Sequence[str], known: Iterable[str]) -> str:
    """A sentence that says how to type it, or nothing."""
    if "\\" in text:
        return (
            "LaTeX is read by check(); an energy is typed with * between factors and "
            f"{coordinates[0]}' for the rate of {coordinates[0]}"
        )
    said = []
    typed, names = repaired(text, coordinates)
    if typed != text and len(typed) <= LONGEST:
        said.append(f"products are written with *, rates with ': {typed}")
    strangers = [x for x in names if x not in {*known, *coordinates, *FUNCTIONS, *CONSTANTS, "t"}]
    if strangers:
        said.append(
            f'names are declared, with or without values: parameters="{" ".join(strangers)}"'
        )
    return "; ".join(said)


def repaired(text: str, coordinates: Sequence[str]) -> tuple[str, list[str]]:
    """The text with * between factors and ' for dots, and the names in it, each once."""
    made, names, before = "", [], ""  # before: the kind of the piece on the left
    for piece in _PIECE.finditer(text):
        kind, word = str(piece.lastgroup), piece.group()
        if kind == "rate":
            kind = "name"
        if kind == "space":
            made += word
            continue
        if kind == "name":
            name, rate = piece["name"], piece["rate"] or ""
            base = name.removesuffix("dot").removesuffix("_")
            if name not in coordinates and name.endswith("dot") and base in coordinates:
                name, rate = base, "'"
            names.append(name)
            word = name + rate
            starts = True
        else:
            starts = kind == "number" or word == "("
        if before in ("number", "name", ")") and starts and not (before == kind == "number"):
            made = made.rstrip() + "*"
        made += word
        called = kind == "name" and word in FUNCTIONS
        before = "function" if called else kind if kind in ("number", "name") else word
    return made, list(dict.fromkeys(names))
