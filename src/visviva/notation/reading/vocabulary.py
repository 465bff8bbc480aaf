"""Names in typed claims: which are known, how rates are spelled, where a run of letters is cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from string import ascii_letters
from typing import cast

from visviva.notation.names import PLAIN
from visviva.notation.reading.marks import CLAIM, FORMULA, GREEK_NAMES, Limits
from visviva.notation.tree import FUNCTIONS, OF_MATRICES, Call, Name, Node, Sum

# other words for functions
WORDS = {name: name for name in FUNCTIONS} | {"ln": "log", "sgn": "sign", "Abs": "abs"}
WORDS |= {f"arc{x}": f"a{x}" for x in ("sin", "cos", "tan", "tan2")}
# more that formulas of energies may call, with how many arguments; min and max with any from two on
WANTED = FUNCTIONS | dict.fromkeys(OF_MATRICES, 1)
CASES = {"min": 2, "max": 2, "where": 3, "less": 2, "less_equal": 2, "equal": 2, "not_equal": 2}
GREEK_WORDS = frozenset(GREEK_NAMES.values())
MOST_WAYS = 4  # of cutting a run, shown in an error
_ODD = re.compile("^_|__|_$")
_SHORT = re.compile(r"([csCS])([1-9][0-9]*)")
_NUMBER = re.compile(r"[0-9]+$")
_ANGLES = re.compile(r"(?:q|theta|phi|psi|alpha|beta)([1-9]{2,6})")
_MARKUP = re.compile(r"\\[A-Za-z]+|[\s_{},\\$]")


class Spellings(dict[str, tuple[str, int]]):
    """Official name and number of dots of every spelling, and what a reader asks of all of them."""

    def __init__(self, known: Mapping[str, tuple[str, int]]) -> None:
        super().__init__()
        self.longest = 12
        self.letters: set[str] = set()  # those that are not ASCII
        self.odd: set[str] = set()  # names such as _m, m_ and m__1
        for key, meaning in known.items():
            self[key] = meaning

    def __setitem__(self, key: str, meaning: tuple[str, int]) -> None:
        super().__setitem__(key, meaning)
        self.longest = max(self.longest, len(key))
        self.letters.update(c for c in meaning[0] if not c.isascii())
        if _ODD.search(meaning[0]):
            self.odd.add(meaning[0])


@dataclass(frozen=True)
class Vocabulary:
    """The names that a claim may use.

    `known` has for every spelling, without `_`, the official name and its number of dots;
    `coordinates` are official names in their order. With `shorthand`, c12 is cos(q1 + q2). Texts
    that state a system, not claims about one, are `formulas`: functions by cases are known, and
    powers are read from the right, x^y^z being x^(y^z). With `inverses`, cos^-1 is the arc cosine.
    `near` are keys that are no names but will be read as some: a run may be cut into those too.
    """

    known: Mapping[str, tuple[str, int]]
    coordinates: tuple[str, ...] = ()
    shorthand: bool = False
    formulas: bool = False
    inverses: bool = False
    near: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not isinstance(self.known, Spellings):
            object.__setattr__(self, "known", Spellings(self.known))

    @classmethod
    def of(
        cls,
        parameters: Iterable[str],
        coordinates: Iterable[str],
        shorthand: bool = False,
        formulas: bool = False,
    ) -> Vocabulary:
        """The vocabulary of some names; a spelling that could be two things is neither."""
        coordinates = tuple(coordinates)
        known: dict[str, tuple[str, int]] = {}
        shared = set()
        for name in coordinates:
            for key, meaning in spellings(name).items():
                if known.setdefault(key, meaning) != meaning:
                    shared.add(key)
        for key in shared:
            del known[key]
        spelled = Spellings(known)
        for name in (*parameters, *coordinates):
            spelled[simple_key(name)] = (name, 0)
        return cls(spelled, coordinates, shorthand, formulas)

    @cached_property
    def words(self) -> Mapping[str, str]:
        """The functions, by every word for them."""
        more = {simple_key(x): x for x in CASES} if self.formulas else {x: x for x in OF_MATRICES}
        return WORDS | more

    @property
    def spellings(self) -> Spellings:
        """The known ones."""
        return cast("Spellings", self.known)

    @property
    def has_rates(self) -> bool:
        """Whether names may have time derivatives: not in formulas without coordinates."""
        return not self.formulas or bool(self.coordinates)

    @property
    def limits(self) -> Limits:
        """How large a text may be."""
        return FORMULA if self.formulas else CLAIM

    @cached_property
    def _by_key(self) -> dict[str, str]:
        return {simple_key(c): c for c in self.coordinates}

    def name(self, key: str, dots: int = 0, text: str = "", column: int = 0) -> Name:
        """The name of a spelling, by its official name if there is one."""
        official, more = self.known.get(key, (key, 0))
        return Name(official, dots + more, text, column=column)

    def is_taken(self, number: str) -> bool:
        """Whether the name of a number, pi, is one of the system."""
        return self.known.get(number, (number, 0)) != (number, 0)

    def is_rate(self, key: str) -> bool:
        """Whether a key is a spelling of a rate, as qd1, dq1 or q1dot: it may also be a product."""
        return self.known.get(key, ("", 0))[1] > 0

    def is_short(self, key: str) -> bool:
        """Whether a key is a shorthand, if those are asked for."""
        return self.short(key, key, 0) is not None

    def short(self, key: str, text: str, column: int) -> Node | None:
        """The cosine or sine that c12 stands for; of `text`, c_{1,12} is read with its comma.

        θ₁₂ is the sum of angles alone.
        """
        if self.shorthand and key not in self.known and is_sum(key, len(self.coordinates)):
            inside = self.coordinates_of(map(int, key.lstrip(ascii_letters)))
            terms = tuple(Name(q, text=text, column=column) for q in inside)
            return Sum(terms, column=column) if terms else None
        if not self.shorthand or not key or key[0] not in "csCS":
            return None
        own = self._by_key.get(key[1:])
        places = re.findall(r"[0-9]+", text) if "," in text else list(key[1:])
        if own and not key[1:].isdigit():
            angles = [own]
        elif looks_like_shorthand(key) and len(key) <= 12:
            if len(self.coordinates) > 9 and "," not in text:
                places = [key[1:]] if len(key) == 2 else []
            chosen = [int(p) for p in places]
            angles = self.coordinates_of(chosen) if chosen == sorted({*chosen}) else []
        else:
            return None
        if not angles:
            return None
        terms = tuple(Name(a, text=text, column=column) for a in angles)
        angle = terms[0] if len(terms) == 1 else Sum(terms, column=column)
        return Call("cos" if key[0] in "cC" else "sin", (angle,), column=column)

    def coordinates_of(self, numbers: Iterable[int]) -> list[str]:
        """The coordinates of these numbers: by place, where no name has another number; or none."""
        coordinates = [self._by_number.get(k, "") for k in numbers]
        return coordinates if all(coordinates) else []

    @cached_property
    def _by_number(self) -> dict[int, str]:
        ends = [_NUMBER.search(q) for q in self.coordinates]
        numbers = [int(end[0]) if end else 0 for end in ends]
        places = enumerate(self.coordinates, 1)
        return {
            k: q
            for k, q in places
            if numbers[k - 1] in (0, k) and numbers.count(k) <= (numbers[k - 1] == k)
        }


def is_sum(key: str, coordinates: int) -> bool:
    """Whether an unknown name may be meant as the sum of joint angles: θ₁₂ is θ₁ + θ₂."""
    found = _ANGLES.fullmatch(key)
    places = [*map(int, found[1])] if found else []
    return len(places) > 1 and places == sorted({*places}) and places[-1] <= coordinates <= 9


def looks_like_shorthand(key: str) -> bool:
    """Whether an unknown name may be meant as c12 = cos(q1 + q2)."""
    return _SHORT.fullmatch(key) is not None


def simple_key(name: str) -> str:
    """A plain name with Greek in Latin letters and without `_`; `canonical` also knows LaTeX.

    One of nothing but markup, as _ and $$, is its own key.
    """
    letters = "".join(GREEK_NAMES.get(c, c) for c in name.translate(PLAIN))
    return _MARKUP.sub(lambda m: m[0][1:] if m[0][1:] in GREEK_WORDS else "", letters) or name


def spellings(coordinate: str) -> dict[str, tuple[str, int]]:
    """The ways to write a coordinate and its rates in one word, with official name and dots.

    Examples:
        >>> sorted(key for key, (_, dots) in spellings("q1").items() if dots == 1)
        ['dq1', 'q1d', 'q1dot', 'qd1', 'qdot1']
    """
    key = simple_key(coordinate)
    letters = re.sub(r"[0-9]+$", "", key)
    index = key[len(letters) :]
    known = {}
    for dots, marks in ((2, "dd ddot dotdot"), (1, "d dot")):
        known["d" * dots + key] = (coordinate, dots)
        for mark in marks.split():
            known[key + mark] = known[letters + mark + index] = (coordinate, dots)
    return known | {key: (coordinate, 0)}


@dataclass(frozen=True, slots=True)
class Piece:
    """A letter of a run with its indices and dots: what is never cut."""

    key: str
    dots: int
    column: int
    stop: int
    greek: bool = False  # a Greek character, not a Greek word


def cuts(pieces: list[Piece], is_word: Callable[[str], bool], longest: int) -> list[list[int]]:
    """The ways to cut pieces into words, as the places where words end; at most `MOST_WAYS`."""
    ways: list[list[list[int]]] = [[[]]]
    for end in range(1, len(pieces) + 1):
        ends: list[list[int]] = []
        key = ""
        for start in range(end - 1, -1, -1):
            key = pieces[start].key + key
            if len(key) > longest:
                break
            if ways[start] and is_word(key):
                ends += [[*way, end] for way in ways[start]]
        ways.append(ends[:MOST_WAYS])
    return ways[-1]
