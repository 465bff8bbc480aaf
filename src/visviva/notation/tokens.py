"""What is a name in a text, how long texts are, and the error that shows a place in one."""

from __future__ import annotations

import re
import unicodedata

from visviva.errors import VisvivaError

LONGEST_TEXT = 10_000
LONGEST_NAME = 100
LOW = "₀₁₂₃₄₅₆₇₈₉"  # θ₁ is a name too
WINDOW = 60  # characters of a long text shown around an error

# letters of any script; signs that Python counts among the letters, as ² and ½, are none
_WORD = re.compile(r"[^\W\d]\w*")


class ParseError(VisvivaError, ValueError):
    """A typed formula cannot be read: the text, a mark at the place, what was expected."""

    def __init__(self, text: str, column: int, problem: str) -> None:
        self.text, self.column, self.problem = text, column, problem
        start = max(0, column - WINDOW)
        shown = text[start : column + WINDOW]
        shown = "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in shown)
        lead = "…" if start else ""
        tail = "…" if column + WINDOW < len(text) else ""
        mark = " " * (len(lead) + column - start) + "^"
        super().__init__(f"{problem}\n  {lead}{shown}{tail}\n  {mark}")


def is_name(text: str) -> bool:
    """Whether a text is one name."""
    fits = len(text) <= LONGEST_NAME and _WORD.fullmatch(text) is not None
    return fits and not _not_in_names(text)


def _not_in_names(word: str) -> str:
    """The first character that is no letter, digit or _, if there is one."""
    if word.isascii():
        return ""
    return next((c for c in word if not (c.isascii() or c in LOW or _is_letter(c))), "")


def _is_letter(c: str) -> bool:
    return c.isalpha() and not unicodedata.decomposition(c).startswith(("<super>", "<sub>"))
