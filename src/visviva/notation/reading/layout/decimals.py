"""Decimal commas: 9,81 is 9.81 where no bracket is open; 1,000 may be two numbers: refused."""

from __future__ import annotations

import re
from collections.abc import Iterator

from visviva.errors import ParseError

_COMMA = re.compile(
    r"(?<![\w.,}\]])(?P<whole>[0-9]{1,9})(?P<comma>,|\{,\})(?P<part>[0-9]{1,12})(?!\w|[.,][0-9])"
)


def commas(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """The numbers with a comma, and what each is with a point."""
    for found in _COMMA.finditer(text):
        before = text[: found.start()]
        if any(before.count(a) != before.count(b) for a, b in ("()", "[]", "{}")):
            continue
        if len(found["part"]) == 3 and not found["whole"].startswith("0"):
            problem = f"{found[0]} may be a thousand and more or a decimal: write it without"
            ways = f"{found['whole']}{found['part']} or {found['whole']}.{found['part']}"
            raise ParseError(text, found.start(), f"{problem} comma, {ways}")
        yield found, f"{found['whole']}.{found['part']}"


def with_points(text: str) -> str:
    """The text with points for decimal commas, every column kept."""
    for found, number in [*commas(text)]:
        text = text[: found.start()] + number.ljust(len(found[0])) + text[found.end() :]
    return text


def noted_commas(text: str) -> tuple[str, ...]:
    """What is said of them."""
    return tuple(f"{found[0]} is read as {number}" for found, number in commas(text))
