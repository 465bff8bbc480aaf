r"""Units after formulas: tau1 = m g l \cos\theta [N m], M22 = I2 + m2 r2^2 kg m^2.

They are in brackets, upright, or bare, but a letter alone is a name. What may also be a factor is
refused with both readings: in brackets, where all of it are names of the system; bare, or after a
value, where it begins with one, or where the left side is not measured so. A lone s^2 may always be
a sine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from visviva.errors import ParseError
from visviva.notation.reading.units import (
    FONT,
    SI,
    SPACE,
    UPRIGHT_UNIT,
    VALUE,
    measured,
    measures,
)
from visviva.notation.reading.vocabulary import Vocabulary
from visviva.notation.reading.words import stated_names

_BREAK = re.compile(
    r"(?<!\\);|[\n$]|\\\\|(?<!\\),(?=[^=,\[\]()]{1,40}=)|\b(?:where|with|and)\b"
    r"|\\(?:begin|end)\{\w+\}"
)
_LONGEST = 120  # characters before the end of a statement
_BRACKETS, _PARENTHESES, _UPRIGHT, _BARE = "[m]", "(m)", "upright", "bare"
_WORD = r"(?:kgm|kg|rad|Nms|Nm|Ns|N|J|W|m|s|cm|mm|km|kN|mN|deg|degrees?|grams?|lbs?|rpm|Hz|ft)"
_POWER = r"(?:\s*(?:\^|\*\*)\s*\{?\s*[-−]?[0-9]\s*\}?|[²³])?"
_UNIT = rf"{_WORD}(?![A-Za-z0-9_(']){_POWER}"
_TAILS = {
    _BRACKETS: re.compile(r"\[\s*(?P<unit>(?:[^\[\]=,]|\\,){1,60})\](?P<end>\s*[.,]?\s*)$"),
    _PARENTHESES: re.compile(r"(?<=\s)\(\s*(?P<unit>[^()=,]{2,40})\)(?P<end>\s*[.,]?\s*)$"),
    _UPRIGHT: re.compile(
        rf"{SPACE}(?P<unit>(?:{UPRIGHT_UNIT}{_POWER}(?:{SPACE}(?:\\cdot|/|·){SPACE}|{SPACE}))+)"
        r"(?P<end>\s*[.,]?\s*)$"
    ),
    _BARE: re.compile(
        rf"(?<=[\w)\]}}²³'])\s+(?P<unit>{_UNIT}(?:(?:\s*[/·⋅*]\s*|\.|\s+)\(?{_UNIT}\)?)*)"
        r"(?P<end>\s*[.,]?\s*)$"
    ),
}
_AFTER = re.compile(r"(?:\s|~|\\[,;: ])+$")


class Tail(NamedTuple):
    """A unit at the end of a statement, and where it stands with its brackets."""

    start: int
    stop: int
    unit: str


def tails(text: str, vocabulary: Vocabulary) -> Iterator[Tail]:
    """The units after formulas; values have theirs elsewhere."""
    own = stated_names(text)
    starts = [0, *(m.end() for m in _BREAK.finditer(text))]
    stops = [*(m.start() for m in _BREAK.finditer(text)), len(text)]
    for start, stop in zip(starts, stops, strict=True):
        first = text.find("=", start, stop) + 1 or start  # the right side
        left = text[start : first - 1] if first > start else ""
        yield from _tail(text, max(first, stop - _LONGEST), stop, vocabulary, own, left)


def _tail(
    text: str, start: int, stop: int, vocabulary: Vocabulary, own: frozenset[str], left: str
) -> Iterator[Tail]:
    """The one at the end of what stands from `start` to `stop`."""
    piece = text[start:stop]

    def is_name(word: str) -> bool:
        return word in vocabulary.known or word in vocabulary.near or word in own

    for kind, pattern in _TAILS.items():
        found = pattern.search(piece)
        before = _AFTER.sub("", piece[: found.start()]) if found else ""
        if found is None or not before or before[-1] in "=+-*/·,([{^&":
            continue
        if measured(found["unit"]) is None or not _words(found):
            continue
        unit, words, place = _plain(found), _words(found), start + found.start()
        names = [x for x in words if is_name(x)]
        apart = kind == _BRACKETS or re.match(r"\s*(?:~|\\[,;: ])", found[0])
        if (len(names) == len(words) and not apart) or (names and kind == _PARENTHESES):
            continue  # factors
        if kind == _BARE and is_name(words[0]):
            problem = f"where the unit begins in {unit} is not clear: put it in brackets, [...]"
            raise ParseError(text, place, problem)
        if kind == _BARE and len(unit) == 1:
            continue  # a name that is not known, rather
        if len(names) == len(words):
            problem = f"{unit} may be a unit or a factor: leave units out, write a factor with *"
            raise ParseError(text, place, problem)
        if strange := [x for x in words if x not in SI]:
            problem = f"{strange[0]} is no unit of SI: write the formula in kg, m, s, rad"
            raise ParseError(text, place, problem)
        if (kind == _BARE or VALUE.fullmatch(before)) and not _fits(unit, left):
            of = f" of {left.strip()}" if left.strip() else ""
            problem = (
                f"{unit} is no unit{of} that could be left out: if it is a factor, say what "
                f"{words[0]} is, {words[0]} = ...; if it is a unit, it is a wrong one"
            )
            raise ParseError(text, place, problem)
        yield Tail(place, start + found.start("end"), unit)
        return


def _fits(unit: str, left: str) -> bool:
    """Whether a left side is measured in a unit; s^2 alone may be a factor, as in sin²."""
    said, wanted = measured(unit), measures(left)
    if said is None or {*said[0]} == {"s"}:
        return False
    return said[1] in wanted if wanted is not None else said[1] != (0, 0, 0)


def _plain(found: re.Match[str]) -> str:
    """The unit without markup."""
    return " ".join(re.sub(rf"{FONT}|\\[,;: ]|[{{}}\\]", " ", found["unit"]).split()).replace(
        " ^", "^"
    )


def _words(found: re.Match[str]) -> list[str]:
    return re.findall(r"[A-Za-z°]+", _plain(found))
