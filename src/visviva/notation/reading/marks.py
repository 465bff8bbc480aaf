"""A typed claim cut into marks: letters, digits, signs, LaTeX commands. No meaning yet.

Unicode is brought to one spelling here: Greek letters to their names, ² to a power, q̇ to a letter
with a dot. Blanks, `$`, `\\left` and other matters of layout are dropped.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from dataclasses import dataclass
from typing import Any, NamedTuple

from visviva.errors import ParseError
from visviva.notation.names import LETTERS, LONGEST_TEXT


class Limits(NamedTuple):
    """Of a text: nested brackets, digits of a number, its exponent of ten."""

    deepest: int
    digits: int
    ten: int


CLAIM = Limits(40, 100, 300)
FORMULA = Limits(100, 400, 330)  # all that a float can be, written out


_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DEGREES = re.compile(r"[ ]*°")
_DIGITS = re.compile(r"[0-9]+")
_COMMAND = re.compile(r"\\(?:[A-Za-z]+\*?|.)", re.DOTALL)
_ENVIRONMENT = re.compile(r"[ ]*\{([A-Za-z]{1,20}\*?)\}")
_LATEX = re.compile(r"\\|[_^]\{")

VARIANTS = {"ϑ": "theta", "ϕ": "phi", "ϵ": "epsilon", "ϱ": "rho", "ς": "sigma", "ϖ": "pi"}
GREEK_NAMES = LETTERS | VARIANTS | {"µ": "mu", "Ω": "Omega", "∆": "Delta"}
DOTS = {"\u0307": 1, "\u0308": 2, "\u20db": 3, "\u20dc": 4, "\u02d9": 1, "\u00a8": 2}
PRIMES = {"'": 1, "’": 1, "′": 1, "″": 2, "‴": 3}
SIGNS = {c: c for c in "+-*/^_()[]{},;=&|."}
SIGNS |= dict.fromkeys("−–‒﹣", "-") | dict.fromkeys("·⋅×∙∗•", "*") | dict.fromkeys("÷∕⁄", "/")
SIGNS |= {"≡": "=", "≔": "="}
WAYS = dict.fromkeys("≈≃≅~", "what is nearly so is not judged, write =")
WAYS |= {
    ":": "write = between the two sides",
    "%": "write a share as a number, 0.5, and comments with #",
}
ENTRY_BY_ENTRY = (
    "{0} works entry by entry, which no product of matrices does: write {1} if one side is a "
    "number, and of two matrices the entries, M11 = ..., M12 = ..."
)
COMMAND_LETTERS = {"√": "sqrt"} | dict.fromkeys("∂𝜕", "partial")
BLANKS = " \t\r\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f"
BLANKS += "\u205f\u2061\u2062\u3000$~"
# nothing at all, as pasted from pages: spaces of no width, marks of where a line may be broken
INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"), "")
_FRACTIONS = "½1/2 ⅓1/3 ⅔2/3 ¼1/4 ¾3/4 ⅕1/5 ⅖2/5 ⅗3/5 ⅘4/5 ⅙1/6 ⅚5/6 ⅛1/8 ⅜3/8 ⅝5/8 ⅞7/8"
HALVES = {x[0]: x[1:] for x in _FRACTIONS.split()}

SIZES = "left right middle big bigl bigr Big Bigl Bigr bigg biggl biggr Bigg Biggl Biggr".split()
LAYOUT = "quad qquad space thinspace displaystyle textstyle limits nonumber notag hfill mathstrut"
SKIPPED = {*SIZES, *LAYOUT.split(), *",;:!>[]() \n"}
WITH_GROUP = {"tag", "tag*", "label", "hspace", "hspace*", "vspace"}  # dropped with what follows
COMMAND_SIGNS = {"{": "\\{", "}": "\\}", "lbrace": "\\{", "rbrace": "\\}", "lbrack": "["}
COMMAND_SIGNS |= {"rbrack": "]", "vert": "|", "lvert": "|", "rvert": "|", "cdot": "*", "times": "*"}
COMMAND_SIGNS |= {"ast": "*", "div": "/", "equiv": "=", "triangleq": "=", "coloneqq": "="}
COMMAND_SIGNS |= {"_": "_", "\\": "\\\\", "newline": "\\\\", "cr": "\\\\"}
CLOSING = {"(": ")", "[": "]", "{": "}", "\\{": "\\}", "begin": "end"}
MATRICES = {"matrix", "pmatrix", "bmatrix", "Bmatrix", "smallmatrix", "array"}
LISTS = "equation align aligned gather gathered split cases dcases rcases multline eqnarray"
LISTS_OF_STATEMENTS = {*LISTS.split(), *(f"{x}*" for x in LISTS.split()), "displaymath", "math"}


@dataclass(slots=True)
class Mark:
    """A mark of the text from `column` to `stop`.

    kind: letter, greek, digits, number, sub, super, dots, command, sign, begin, end or stop; later
    also name, function, short, transpose and word, see `claim_words`.
    """

    kind: str
    text: str
    column: int
    stop: int
    partner: int = -1  # of a bracket: the index of the other one
    value: Any = None

    def __str__(self) -> str:
        if self.kind == "stop":
            return "the end of the text"
        if self.kind in ("begin", "end", "command"):
            end = f"{self.kind}{{{self.text}}}" if self.kind != "command" else self.text
            return f"'\\{end:.40}'"
        return "the end of the line" if self.text == "\n" else f"'{self.text:.40}'"

    def sign(self, *texts: str) -> bool:
        """Whether this is one of these signs."""
        return self.kind == "sign" and self.text in texts


def is_latex(text: str) -> bool:
    """Whether a text is LaTeX source: it has a command, or braces after _ or ^."""
    return _LATEX.search(text) is not None


def marks(text: str, own: Container[str] = "", limits: Limits = CLAIM) -> list[Mark]:
    """The marks of a text, brackets paired, and a `stop` after them.

    In `own` are letters of the system's names: if one of these is called für, ü is no u with dots.
    """
    if len(text) > LONGEST_TEXT:
        problem = f"a claim has at most {LONGEST_TEXT} characters, got {len(text)}"
        raise ParseError(text, LONGEST_TEXT, problem)
    pieces = _fractions(_Lexer(text, own, limits).all())
    pair(text, pieces, limits.deepest)
    return pieces


class _Lexer:
    def __init__(self, text: str, own: Container[str], limits: Limits) -> None:
        self.text, self.at, self.own, self.limits = text, 0, own, limits
        self.marks: list[Mark] = []
        self.latex = is_latex(text)

    def all(self) -> list[Mark]:
        while self.at < len(self.text):
            c = self.text[self.at]
            if c == "\\":
                self.command()
            elif c in BLANKS:
                self.at += 1
            elif ord(c) in INVISIBLE:
                if self.marks and self.marks[-1].stop == self.at:
                    self.marks[-1].stop += 1  # no gap between what stands beside it
                self.at += 1
            elif c == "%" and self.latex:
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif c.isascii() and (c.isdigit() or (c == "." and self.after(1).isdigit())):
                self.number()
            else:
                self.character(c)
        return [*self.marks, Mark("stop", "", self.at, self.at)]

    def after(self, n: int) -> str:
        c = self.text[self.at + n : self.at + n + 1]
        return c if c.isascii() else ""

    def matched(self, pattern: re.Pattern[str]) -> str:
        """What matches here, perhaps nothing."""
        match = pattern.match(self.text, self.at)
        return match[0] if match else ""

    def add(self, kind: str, text: str, length: int, value: Any = None) -> None:
        self.marks.append(Mark(kind, text, self.at, self.at + length, value=value))
        self.at += length

    def number(self) -> None:
        """A number, or the digits of a name or an index."""
        last = self.marks[-1] if self.marks else None
        named = last is not None and last.stop == self.at
        if named and last and (self.takes_digits() or last.sign("_")):
            index = self.matched(_DIGITS)
            if index:
                self.add("digits", index, len(index))
                return
        number = self.matched(_NUMBER)
        digits, _, ten = number.lower().partition("e")
        _, most_digits, most_ten = self.limits
        if len(digits) > most_digits or len(ten) > 5 or abs(int(ten or 0)) > most_ten:
            most = f"a number has at most {most_digits} digits and 10^{most_ten} as its factor"
            raise ParseError(self.text, self.at, most)
        self.add("number", number, len(number))
        if degrees := self.matched(_DEGREES):
            self.degrees(len(degrees))

    def degrees(self, length: int) -> None:
        """90° is (90*π/180)."""
        number = self.marks.pop()
        at, stop = number.column, self.at + length
        whole = "(", number.text, "*", "pi", "/", "180", ")"
        kinds = "sign", "number", "sign", "greek", "sign", "number", "sign"
        self.marks += [Mark(k, x, at, stop) for k, x in zip(kinds, whole, strict=True)]
        self.at = stop

    def takes_digits(self) -> bool:
        """Whether digits here belong to the letter before, also where that has a dot on it: q̇1."""
        under = [m for m in self.marks[-3:] if m.text not in DOTS]
        if self.marks[-1].text in DOTS:
            return bool(under) and under[-1].kind in ("letter", "greek")
        return self.marks[-1].kind in ("letter", "greek", "digits")

    def character(self, c: str) -> None:
        two = self.text[self.at : self.at + 2]
        if c == "\n":
            self.add("sign", "\n", 1)
        elif two in ("**", "==", ":="):
            self.add("sign", "^" if two == "**" else "=", 2)
        elif two in (".*", "./", ".^"):
            raise ParseError(self.text, self.at, ENTRY_BY_ENTRY.format(two, two[1]))
        elif c in SIGNS:
            self.add("sign", SIGNS[c], 1)
        elif c in PRIMES or c in DOTS:
            self.add("dots", c, 1, PRIMES.get(c) or DOTS.get(c))
        elif c in HALVES:
            self.add("number", HALVES[c], 1)
        elif c in COMMAND_LETTERS:
            self.add("command", COMMAND_LETTERS[c], 1)
        else:
            self.letter(c)

    def letter(self, c: str) -> None:
        kind, plain = "", c
        form, _, rest = unicodedata.decomposition(c).rpartition(">")
        if form in ("<sub", "<super", "<font"):
            plain = unicodedata.normalize("NFKC", c)
            kind = {"<sub": "sub", "<super": "super", "<font": ""}[form]
        elif not form and rest.endswith((" 0307", " 0308")) and c not in self.own:
            # ẋ is x with a dot
            plain = unicodedata.normalize("NFD", c)
        head, accent = plain[0], plain[1:]
        known = head in GREEK_NAMES or head.isalpha()
        script = kind and (known or head in "0123456789−+")
        if len(accent) > 1 or (accent and accent not in DOTS) or not (known or script):
            name = unicodedata.name(c, "no name")
            problem = f"the character {c!r} ({name}) has no meaning here"
            listed = "numbers, names, + - * / ^ = brackets and LaTeX"
            way = f": {WAYS[c]}" if c in WAYS else ""
            raise ParseError(self.text, self.at, f"{problem} (available: {listed}){way}")
        text = GREEK_NAMES.get(head, head).replace("−", "-")
        last = self.marks[-1] if self.marks else None
        if kind and last and last.kind == kind and last.stop == self.at:
            last.text, last.stop, self.at = last.text + text, self.at + 1, self.at + 1
            return
        self.add(kind or ("greek" if head in GREEK_NAMES else "letter"), text, 1)
        if accent:
            self.add("dots", accent, 0, DOTS[accent])

    def command(self) -> None:
        command = self.matched(_COMMAND)
        if not command:
            raise ParseError(self.text, self.at, "expected a command after '\\'")
        name, length = command[1:], len(command)
        if name in ("begin", "end"):
            self.environment(name, length)
        elif name in COMMAND_SIGNS:
            self.add("sign", COMMAND_SIGNS[name], length)
            last = self.marks[-2] if len(self.marks) > 1 else None
            if name == "}" and last and last.kind == "end" and last.text not in MATRICES:
                self.marks.pop()  # the brace beside a list of equations
        elif name in SKIPPED:
            self.at += length
            if name in SIZES and self.after(0) == ".":
                self.at += 1
        elif name in WITH_GROUP:
            self.at += length
            self.group()
        else:
            self.add("command", name, length)

    def environment(self, which: str, length: int) -> None:
        match = _ENVIRONMENT.match(self.text, self.at + length)
        if match is None:
            raise ParseError(self.text, self.at, f"expected \\{which}{{...}} with a short name")
        name = match[1]
        if name not in MATRICES and name not in LISTS_OF_STATEMENTS:
            listed = ", ".join(sorted(MATRICES))
            reason = "a determinant cannot be read" if "vmatrix" in name.lower() else "unknown"
            raise ParseError(self.text, self.at, f"{name}: {reason} (available: {listed})")
        beside = which == "begin" and name not in MATRICES and self.marks
        if beside and self.marks[-1].sign("\\{"):
            self.marks.pop()
        self.add(which, name, match.end() - self.at)
        if which == "begin" and name == "array":
            self.group()

    def group(self) -> None:
        """Skip what stands between braces."""
        end = self.text.find("}", self.at)
        if self.text[self.at : self.at + 1] != "{" or end < 0:
            raise ParseError(self.text, self.at, "expected {...} here")
        self.at = end + 1


def _fractions(marks: list[Mark]) -> list[Mark]:
    r"""{a \over b} as {(a)/(b)}."""
    if not any(m.kind == "command" and m.text == "over" for m in marks):
        return marks
    found: list[Mark] = []
    groups: list[tuple[int, bool]] = []  # where they begin, and whether they are fractions

    def sign(text: str, beside: Mark) -> Mark:
        return Mark("sign", text, beside.column, beside.stop)

    for mark in marks:
        start, divided = groups[-1] if groups else (0, True)
        if mark.kind == "command" and mark.text == "over" and not divided:
            found.insert(start + 1, sign("(", found[start]))
            found += (sign(x, mark) for x in ")/(")
            groups[-1] = start, True
            continue
        if mark.sign("}") and groups:
            groups.pop()
            found += [sign(")", mark)] * divided
        elif mark.sign("{"):
            groups.append((len(found), False))
        found.append(mark)
    return found


def pair(text: str, marks: list[Mark], deepest: int = LONGEST_TEXT) -> None:
    """Tell every bracket its partner; refuse those without one, and more than `deepest` levels."""
    waiting: list[int] = []
    for i, mark in enumerate(marks):
        bracket = mark.text if mark.kind == "sign" else mark.kind
        if bracket in CLOSING:
            waiting.append(i)
            if len(waiting) > deepest:
                raise ParseError(text, mark.column, f"a claim is nested at most {deepest} deep")
        elif bracket in CLOSING.values():
            first = marks[waiting[-1]] if waiting else None
            if first is None:
                raise ParseError(text, mark.column, f"nothing is open here that ends by {mark}")
            begun = first.kind == "begin"
            wanted = f"\\end{{{first.text}}}" if begun else CLOSING[first.text]
            if wanted != (f"\\end{{{mark.text}}}" if mark.kind == "end" else mark.text):
                raise ParseError(text, mark.column, f"expected '{wanted}', got {mark}")
            mark.partner = waiting.pop()
            first.partner = i
    if waiting:
        mark = marks[waiting[-1]]
        raise ParseError(text, mark.column, f"{mark} is never closed")
