"""What is a name in a text, how long texts are, and the error that shows a place in one."""

from __future__ import annotations

import re
import unicodedata

LONGEST_TEXT = 10_000
LONGEST_NAME = 100
LOW = "₀₁₂₃₄₅₆₇₈₉"  # θ₁ is a name too

# letters of any script; signs that Python counts among the letters, as ² and ½, are none
_WORD = re.compile(r"[^\W\d]\w*")


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
