r"""Marks of a claim to words: names with their indices and dots, functions, numbers, signs.

A run such as m2gl2 is the known name, or the one way to cut it into known names, or one unknown
name; in LaTeX source, unknown letters are names of their own. `dq1/dt` and `\dot q_1` are names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from visviva.errors import ParseError
from visviva.notation.reading.layout.trimmings import ARROW
from visviva.notation.reading.marks import Mark, is_latex, pair
from visviva.notation.reading.scripts import FONTS, NameReader, Rate
from visviva.notation.reading.slopes import slope_at
from visviva.notation.reading.vocabulary import GREEK_WORDS, Piece, Vocabulary, cuts, simple_key
from visviva.notation.tree import Name

_FRACTIONS = ("frac", "dfrac", "tfrac", "cfrac")
SEPARATORS = ("where", "with", "and")
KEPT = ("number", "super", "sign", "begin", "end", "stop")
NAMED = ("letter", "greek", "digits", "sub")  # what a name may end with
Found = tuple[list[Mark], int] | None
_STATED = re.compile(r"(?:^|[;,\n]|\b(?:where|with|and)\b)\s*([^\W\d]\w{0,40})\s*:?=")
_SIGNS = re.compile(r"(?<!\w)_+(?!\w)")


def words(text: str, marks: list[Mark], vocabulary: Vocabulary) -> list[Mark]:
    """The words of a text from its marks, brackets paired anew.

    The kinds name (value: the node), short (value: what c12 stands for), function, frac, root,
    slope (value: what is derived by), transpose and word (between statements) take the place of
    letters and commands.
    """
    marks = (
        _indices_first(text, marks) if is_latex(text) else _plain_scripts(text, marks, vocabulary)
    )
    said = list(_Words(NameReader(text, marks, vocabulary)).all())
    pair(text, said)
    return said


def _plain_scripts(text: str, marks: list[Mark], vocabulary: Vocabulary) -> list[Mark]:
    """Without the _ that no index follows, where the system has names such as _m, m_ and m__1."""
    odd = vocabulary.spellings.odd
    if not odd:
        return marks
    ending = any(name.endswith("_") for name in odd)
    marks = _alone(text, marks, vocabulary) if vocabulary.formulas else marks
    kept: list[Mark] = []
    for mark, after in pairwise(marks):
        before = kept[-1] if kept else None
        apart = after.column > mark.stop
        if not mark.sign("_"):
            kept.append(mark)
        elif before and before.stop == mark.column and before.kind in NAMED:
            open_end = after.kind in ("sign", "dots", "stop") or (apart and ending)
            if open_end and not after.sign("{"):
                before.stop = mark.stop
            else:
                kept.append(mark)
        elif after.kind in ("letter", "greek") and not apart and not _closes(before, mark):
            after.column -= 1
        else:
            kept.append(mark)
    kept.append(marks[-1])
    pair(text, kept)
    return kept


def _alone(text: str, marks: list[Mark], vocabulary: Vocabulary) -> list[Mark]:
    """With _ and __ as letters, where they stand alone and are names."""
    places = {m.start(): m for m in _SIGNS.finditer(text) if m[0] in vocabulary.known}
    inside = {k for m in places.values() for k in range(m.start() + 1, m.end())}
    return [
        Mark("letter", places[x.column][0], x.column, places[x.column].end())
        if x.column in places and x.sign("_")
        else x
        for x in marks
        if x.column not in inside
    ]


def _closes(before: Mark | None, mark: Mark) -> bool:
    """Whether a mark stands at the end of what may have an index."""
    if before is None or before.stop < mark.column:
        return False
    return before.sign(")", "]", "}", "|") or before.kind != "sign"


def _indices_first(text: str, marks: list[Mark]) -> list[Mark]:
    """x^2_1 is x_1^2."""
    ordered: list[Mark] = []
    i = 0
    while i < len(marks):
        j = _after_script(marks, i) if marks[i].sign("^") else i
        if j > i and marks[j].sign("_"):
            k = _after_script(marks, j)
            ordered += [*marks[j:k], *marks[i:j]]
            i = k
        else:
            ordered.append(marks[i])
            i += 1
    pair(text, ordered)
    return ordered


def _after_script(marks: list[Mark], i: int) -> int:
    """The index after ^ or _ and what is raised or lowered by it."""
    first = marks[min(i + 1, len(marks) - 1)]
    return first.partner + 1 if first.sign("{") else min(i + 2, len(marks) - 1)


def stated_names(text: str) -> frozenset[str]:
    """The keys of names that a text says something of, those before an = sign."""
    return frozenset(map(simple_key, _STATED.findall(ARROW.sub(";", text))))


class _Words:
    """Walks over the marks; methods take the index of a mark and return words and the next one."""

    def __init__(self, names: NameReader) -> None:
        self.names, self.marks, self.vocabulary = names, names.marks, names.vocabulary
        self.own = stated_names(names.text) if names.vocabulary.near else frozenset()

    def all(self, i: int = 0, end: int | None = None) -> Iterator[Mark]:
        end = len(self.marks) if end is None else end
        while i < end:
            mark = self.marks[i]
            if mark.kind == "dots":
                raise self.names.error(i, f"expected a name before {mark}: only names have dots")
            if mark.kind in KEPT and not self.is_name_in_braces(i):
                self.check_number(i)
                yield mark
                i += 1
                continue
            said = self.slope(i) or self.special(i)
            said = said or self.rate(self.names.slash(i)) or self.named(i)
            yield from said[0]
            i = said[1]

    def is_name_in_braces(self, i: int) -> bool:
        """Whether an index or a prime comes after a group: {\\dot q}_1."""
        mark = self.marks[i]
        if not mark.sign("{") or (i and self.marks[i - 1].sign("^", "_", "}")):
            return False
        after = self.marks[mark.partner + 1]
        return after.sign("_") or after.kind == "dots"

    def check_number(self, i: int) -> None:
        ten = re.search(r"[eE][0-9]+$", self.marks[i].text)
        if self.vocabulary.formulas or not ten or self.marks[i].kind != "number":
            return
        if ten[0] in self.vocabulary.known:
            said = f"{self.marks[i].text}: a number, or a product with {ten[0]}? write * or blanks"
            raise self.names.error(i, said)

    def special(self, i: int) -> Found:
        """Commands that are no names, words between statements, the T of a transpose."""
        mark = self.marks[i]
        word, j = self.plain_word(i)
        known = word in self.vocabulary.known
        claim = not known and not self.vocabulary.formulas
        if word in ("T", "top", "intercal") and self.is_exponent(i, j) and claim:
            return [self.word("transpose", "T", i, j)], j
        if word in SEPARATORS and claim:
            return [self.word("word", word, i, j)], j
        if mark.kind != "command":
            return None
        if mark.text == "sqrt":
            return [self.word("root", "sqrt", i, i + 1)], i + 1
        if word in self.vocabulary.words:
            return [self.function(word, mark.column, self.marks[j - 1].stop)], j
        if mark.text in _FRACTIONS:
            plain = [self.word("frac", mark.text, i, i + 1)]
            return self.rate(self.names.fraction(i)) or (plain, i + 1)
        return None

    def plain_word(self, i: int) -> tuple[str, int]:
        """The letters from here on, of a command or in its braces, as one word."""
        fonts = 0
        while self.marks[i].kind == "command" and self.marks[i].text in FONTS:
            i, fonts = i + 1, fonts + 1
        mark = self.marks[i]
        if mark.kind == "command":
            return mark.text, i + 1
        if fonts and mark.sign("{"):
            inside = self.marks[i + 1 : mark.partner]
            letters = all(m.kind in ("letter", "digits") for m in inside)
            return "".join(m.text for m in inside) if letters else "", mark.partner + 1
        j = i
        while self.marks[j].kind == "letter" and (j == i or self.names.glued(j)):
            j += 1
        cut = self.names.glued(j) and (self.marks[j].kind in ("digits", "greek", "sub"))
        return "" if cut else "".join(m.text for m in self.marks[i:j]), j

    def is_exponent(self, i: int, j: int) -> bool:
        """Whether the marks from i to j are all that is raised."""
        raised = i > 0 and self.marks[i - 1].sign("^")
        grouped = i > 1 and self.marks[i - 1].sign("{") and self.marks[i - 2].sign("^")
        return raised or (grouped and self.marks[i - 1].partner == j)

    def named(self, i: int) -> tuple[list[Mark], int]:
        """The words of a run of letters, or the one name that a command begins."""
        pieces, j = self.names.pieces(i)
        if (entry := self.entry(pieces, j)) is not None:
            return [entry], j + 3
        word = (words := self.resolved(pieces))[0]
        entries = self.marks[j].sign("(") and not self.vocabulary.formulas  # M(1,2)
        if len(words) > 1 or word.kind != "name" or (self.is_word(word.text) and not entries):
            return words, j
        key, dots, k = word.text, word.value.dots, j
        if key.startswith("Gamma"):  # Gamma^1_22
            key, dots, k = self.names.tail(j, key, dots)
        indices, k = self.names.bracketed(k, key)
        whole = Piece(key + indices, dots, word.column, self.marks[k - 1].stop)
        return ([self.word_of([whole])], k) if k > j else (words, j)

    def entry(self, pieces: list[Piece], j: int) -> Mark | None:
        """G(1), qdd(2): an entry as MATLAB writes it, of what is no name alone and no product."""
        key, index = self.key(pieces), self.names.counted(j)
        sure = len(pieces) == 1 or {key + index} & {*self.vocabulary.known, *self.vocabulary.near}
        plain = not (key[-1:].isdigit() or self.is_word(key) or any(p.dots for p in pieces))
        if not (index and sure and plain):
            return None
        return self.word_of([Piece(key + index, 0, pieces[0].column, self.marks[j + 2].stop)])

    def resolved(self, pieces: list[Piece]) -> list[Mark]:
        """The words that a run means."""
        key = self.key(pieces)
        rate = self.vocabulary.is_rate(key)  # xd and dx may be products with d
        if (self.is_word(key) or len(pieces) == 1) and not rate:
            return [self.word_of(pieces)]
        letters = self.letters(pieces[0]) if len(pieces) == 1 else pieces
        ways = [[0, *way] for way in cuts(letters, self.is_word, self.vocabulary.spellings.longest)]
        ways = [x for x in ways if len(x) > 2 and not (rate and self.is_unlikely(letters, x))]
        whole = rate or key.rstrip("0123456789") in GREEK_WORDS
        if len(ways) + whole > 1:
            options = [" ".join(self.key(letters[a:b]) for a, b in pairwise(way)) for way in ways]
            listed = ", ".join(repr(x) for x in [key] * whole + options)
            problem = f"{key} can be read as {listed}: put blanks or * between the factors"
            problem += ", or write a rate as x'" * rate
            raise ParseError(self.names.text, pieces[0].column, problem)
        if ways:
            self.refuse_undeclared(pieces, ways[0])
            return [self.word_of(pieces[a:b]) for a, b in pairwise(ways[0])]
        if whole:
            return [self.word_of(pieces)]
        if ends := self.near_cut(pieces):
            return [self.word_of(pieces[a:b]) for a, b in pairwise(ends)]
        return self.letter_by_letter(pieces) if self.names.latex else self.unknown(pieces)

    def near_cut(self, pieces: list[Piece]) -> list[int]:
        """Where m₂l₁r₂ is cut into names that are nearly the system's, if there is one way."""
        key, near = self.key(pieces), self.vocabulary.near
        if self.names.latex or not near or key in near or key in self.own:
            return []
        longest = self.vocabulary.spellings.longest
        ways = cuts(pieces, lambda x: x in near or self.is_word(x), longest)
        if len(ways) > 1:
            options = (" ".join(self.key(pieces[a:b]) for a, b in pairwise([0, *x])) for x in ways)
            listed = ", ".join(map(repr, options))
            problem = f"{key} can be read as {listed}: put blanks or * between the factors"
            raise ParseError(self.names.text, pieces[0].column, problem)
        return [0, *ways[0]] if ways else []

    @staticmethod
    def letters(piece: Piece) -> list[Piece]:
        """The letters of x_d, which may be meant as a product too."""
        return [replace(piece, key=x) for x in re.findall(r"[^0-9][0-9]*", piece.key)]

    def is_unlikely(self, pieces: list[Piece], way: list[int]) -> bool:
        """Whether a cut of a rate has a rate in it, or one word only: nobody writes d^2 as dd."""
        keys = {self.key(pieces[a:b]) for a, b in pairwise(way)}
        return len(keys) == 1 or any(map(self.vocabulary.is_rate, keys))

    def refuse_undeclared(self, pieces: list[Piece], way: list[int]) -> None:
        """Of a system that is being stated, mm may be a name that was forgotten, or m m."""
        cut_at_greek = all(pieces[k].greek for k in way[1:-1])
        if self.vocabulary.formulas and not self.names.latex and not cut_at_greek:
            key = self.key(pieces)
            factors = " ".join(self.key(pieces[a:b]) for a, b in pairwise(way))
            problem = f"unknown name {key!r}: declare it, or put blanks or * between the factors"
            raise ParseError(self.names.text, pieces[0].column, f"{problem} of {factors!r}")

    def unknown(self, pieces: list[Piece]) -> list[Mark]:
        """A run of plain text that is no known word: one name, but Greek characters begin anew."""
        key = self.key(pieces)
        function = max((w for w in self.vocabulary.words if key.startswith(w)), key=len, default="")
        n = len(function)
        if n and key[n : n + 1].isdigit():
            advice = f"write {function}({key[n:]}) or {function}(...)^{key[n]}"
            raise ParseError(self.names.text, pieces[0].column, f"{key} is not clear: {advice}")
        if n and n < len(pieces):
            rest = pieces[n:]
            if rest[0].greek or self.key(rest).rstrip("0123456789") in GREEK_WORDS:
                return [self.word_of(pieces[:n]), *self.resolved(rest)]
        places = [0, *(k for k, p in enumerate(pieces) if p.greek and k), len(pieces)]
        if len(places) == 2:
            return [self.word_of(pieces)]
        return [w for a, b in pairwise(places) for w in self.resolved(pieces[a:b])]

    def letter_by_letter(self, pieces: list[Piece]) -> list[Mark]:
        """Single names, but known words, functions and Greek words together."""
        words, start = [], 0
        while start < len(pieces):
            for end in range(
                min(len(pieces), start + self.vocabulary.spellings.longest), start, -1
            ):
                key = self.key(pieces[start:end])
                greek = key.rstrip("0123456789") in GREEK_WORDS
                if end == start + 1 or greek or self.is_word(key):
                    break
            words.append(self.word_of(pieces[start:end]))
            start = end
        return words

    @staticmethod
    def key(pieces: list[Piece]) -> str:
        return "".join(p.key for p in pieces)

    def is_word(self, key: str) -> bool:
        """Whether letters together are known."""
        fixed = key in self.vocabulary.words or key == "pi"
        return key in self.vocabulary.known or fixed or self.vocabulary.is_short(key)

    def word_of(self, pieces: list[Piece]) -> Mark:
        """The word that some pieces are together."""
        key, dots = self.key(pieces), sum(p.dots for p in pieces)
        column, stop = pieces[0].column, pieces[-1].stop
        text = self.names.text[column:stop]
        known = key in self.vocabulary.known
        spelled = self.vocabulary.formulas and known and text != key  # min_ is a name
        if key in self.vocabulary.words and not dots and not spelled:
            return self.function(key, column, stop)
        if key == "pi" and self.vocabulary.is_taken(key):
            problem = "pi is a name of the mechanism and a number: give it another name"
            raise ParseError(self.names.text, column, problem)
        name = self.vocabulary.name(key, dots, text, column)
        short = None if dots else self.vocabulary.short(key, text, column)
        if short is not None and known:
            cure = "give it another name" if self.vocabulary.formulas else "rename it by symbols"
            problem = f"{key} is a name of the mechanism and a shorthand: {cure}"
            raise ParseError(self.names.text, column, problem)
        if short is not None:
            return Mark("short", key, column, stop, value=(short, name))
        return Mark("name", key, column, stop, value=name)

    def function(self, key: str, column: int, stop: int) -> Mark:
        """The word of a function; sin as the name of a joint would make sin(q1) a product."""
        own = self.vocabulary.known.get(key, ("", 0))[0]
        if own == key or (own and not self.vocabulary.formulas):
            problem = f"{key} is a name of the mechanism and a function: give it another name"
            raise ParseError(self.names.text, column, problem)
        return Mark("function", self.vocabulary.words[key], column, stop)

    def word(self, kind: str, text: str, i: int, j: int) -> Mark:
        """A word from marks i to j."""
        return Mark(kind, text, self.marks[i].column, self.marks[j - 1].stop)

    def slope(self, i: int) -> Found:
        """A derivative, with what is derived in parentheses if that stands in the fraction."""
        found = None if self.vocabulary.formulas else slope_at(self.names, i, self.is_own)
        if found is None:
            return None
        by = tuple(self.variable(pieces) for pieces in found.by)
        column, stop = self.marks[i].column, self.marks[found.end - 1].stop
        first = Mark("slope", "d" if found.total else "∂", column, stop, value=by)
        if found.inside is None:
            return [first], found.end
        opening, closing = (Mark("sign", x, column, stop) for x in "()")
        return [first, opening, *self.all(*found.inside), closing], found.end

    def variable(self, pieces: list[Piece]) -> Name:
        """What a formula is derived by."""
        words = self.resolved(pieces)
        name = words[0].value
        if len(words) != 1 or words[0].kind != "name" or not isinstance(name, Name):
            problem = f"expected one name below a derivative, got {self.key(pieces)}"
            raise ParseError(self.names.text, pieces[0].column, problem)
        return name

    def is_own(self, key: str) -> bool:
        """Whether a key is a name of the system, or one that the text says something of."""
        return key in self.vocabulary.known or key in self.own

    def rate(self, rate: Rate | None) -> Found:
        """The name in a derivative that is written as a quotient, with its dots."""
        if rate is None:
            return None
        pieces, order, j = rate
        words = self.resolved(pieces)
        if len(words) != 1 or words[0].kind != "name":
            problem = f"expected the derivative of one name, got {self.key(pieces)}"
            raise ParseError(self.names.text, pieces[0].column, problem)
        name = words[0].value
        words[0].value = replace(name, dots=name.dots + order)
        return words, j
